//! The command line: reads the words, starts or joins a host, prints what comes back.
//!
//! Standard output carries results only, and for `mcp` nothing but the protocol; everything else goes to standard error.

mod call;
mod mcp;
mod openapi;
mod perceive;
mod plugin;
mod serve;
mod session;
mod stop;
mod summary;
mod task;

use clap::{Parser, Subcommand};
use std::{path::PathBuf, process::ExitCode};

/// Hands and eyes on real phones, for agents and people.
#[derive(Parser)]
#[command(name = "fingertip", version, disable_help_subcommand = true)]
struct Arguments {
    /// Settings file [default: $FINGERTIP_CONFIG, ./fingertip.toml, or the user's]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve MCP over HTTP and REST (this is what happens without a command)
    Serve,
    /// Serve MCP over standard input and output
    Mcp,
    /// List the devices
    Devices {
        /// Print the answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Call one tool
    Call {
        /// Name of the tool, such as tap
        name: String,
        /// Arguments as a JSON object
        #[arg(long, default_value = "{}")]
        json: String,
        /// Where to put the picture of an answer that has one
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
    },
    /// Have something done by a task, and look after tasks
    Task {
        #[command(subcommand)]
        command: task::Command,
    },
    /// Show what an agent would see of a saved screen, without a phone
    Perceive {
        #[command(subcommand)]
        command: perceive::Command,
    },
    /// Look after driver plugins
    Plugin {
        #[command(subcommand)]
        command: plugin::Command,
    },
    /// Print the OpenAPI document
    Openapi,
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(Command::Plugin { command: plugin::Command::Probe { file } }) = &arguments.command {
        // The child that tries a plugin: no log, no settings, and nothing that could outlive a crash.
        crate::plugin::answer_probe(file);
        return ExitCode::SUCCESS;
    }
    start_log();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("the runtime could not be started: {error}")),
    };
    let config = arguments.config.as_deref();
    let done = match arguments.command.unwrap_or(Command::Serve) {
        Command::Serve => runtime.block_on(serve::run(config)),
        Command::Mcp => runtime.block_on(mcp::run(config)),
        Command::Devices { json } => runtime.block_on(call::devices(config, json)),
        Command::Call { name, json, save } => runtime.block_on(call::run(config, &name, &json, save.as_deref())),
        Command::Task { command } => runtime.block_on(task::run(config, command)),
        Command::Perceive { command } => runtime.block_on(perceive::run(config, command)),
        Command::Plugin { command } => runtime.block_on(plugin::run(config, command)),
        Command::Openapi => openapi::run(config),
    };
    // A thread that still reads standard input must not keep the process.
    runtime.shutdown_background();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail(&message),
    }
}

/// Writes to standard output. Whoever reads it may have seen enough and closed it, as `head` does.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn fail(message: &str) -> ExitCode {
    // A failed call has printed its answer already.
    if !message.is_empty() {
        eprintln!("fingertip: {message}");
    }
    ExitCode::FAILURE
}

/// The log goes to standard error: `FINGERTIP_LOG` chooses what, as in `debug` or `fingertip=debug,warn`.
fn start_log() {
    use std::io::IsTerminal;
    let filter = tracing_subscriber::EnvFilter::try_from_env("FINGERTIP_LOG")
        // The MCP library logs arguments, which may be secrets.
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info,rmcp=warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
