//! What the operator reads when the server has started.

use crate::{app::App, config::Config};
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) fn text(app: &App, config: &Config) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, app, config);
    out
}

fn write(out: &mut String, app: &App, config: &Config) -> std::fmt::Result {
    let address = format!("http://{}", app.address);
    writeln!(out, "fingertip {} listens on {address}", env!("CARGO_PKG_VERSION"))?;
    let settings = config
        .source
        .as_deref()
        .map_or("none: the defaults, with a virtual phone".to_owned(), |file| file.display().to_string());
    writeln!(out, "  settings  {settings}")?;
    writeln!(out, "  data      {}", config.data_dir.display())?;
    if app.plugins.is_empty() {
        writeln!(out, "  plugins   none")?;
    }
    for (index, plugin) in app.plugins.iter().enumerate() {
        let head = if index == 0 { "  plugins " } else { "          " };
        match &plugin.state {
            Ok(running) => {
                let identity = &running.identity;
                writeln!(out, "{head}  {} {} (driver API {})", identity.name, identity.version, identity.api_version)?;
            }
            Err(error) => writeln!(out, "{head}  {}: not used: {error}", plugin.named)?,
        }
    }
    let devices = app.manager.list();
    if devices.is_empty() {
        writeln!(out, "  devices   none")?;
    }
    // Whoever has hundreds of devices asks for the list.
    for (index, device) in devices.iter().take(20).enumerate() {
        let head = if index == 0 { "  devices " } else { "          " };
        let status = format!("{:?}", device.status).to_lowercase();
        writeln!(out, "{head}  {}  {}  {status}", device.info.id, device.info.name)?;
    }
    if devices.len() > 20 {
        writeln!(out, "            … and {} more", devices.len() - 20)?;
    }
    writeln!(out, "  docs      {address}/docs")?;
    let entry = json!({ "mcpServers": { "fingertip": client_entry(config) } });
    writeln!(out, "  MCP       {address}/mcp, or by command; paste into your client's configuration:")?;
    writeln!(out, "            {entry}")
}

/// How a client starts a process that joins this server: with the same settings, so that it finds the same data folder.
fn client_entry(config: &Config) -> Value {
    let mut arguments = Vec::new();
    if let Some(file) = &config.source {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        arguments.extend(["--config".to_owned(), file.display().to_string()]);
    }
    arguments.push("mcp".to_owned());
    let mut entry = json!({ "command": crate::app::prober(), "args": arguments });
    if let Some(folder) = std::env::var_os("FINGERTIP_DATA_DIR") {
        entry["env"] = json!({ "FINGERTIP_DATA_DIR": folder.to_string_lossy() });
    }
    entry
}
