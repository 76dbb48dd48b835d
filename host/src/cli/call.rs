//! `fingertip call` and `fingertip devices`: one tool, from the command line.

use super::{
    pretty, print,
    session::{self, Kind, Session},
};
use crate::capability::{Answer, Error};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use std::{fmt::Write, path::Path};

pub(super) async fn run(config: Option<&Path>, name: &str, arguments: &str, save: Option<&Path>) -> Result<(), String> {
    let arguments = match serde_json::from_str(arguments) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) => return Err("--json must be an object, such as '{\"x\": 10, \"y\": 20}'".to_owned()),
        Err(error) => return Err(format!("--json is not JSON: {error}")),
    };
    let (answer, alone) = call(config, name, arguments).await?;
    if alone {
        eprintln!("{ALONE}");
    }
    match answer {
        Ok(answer) => {
            print(&format!("{}\n", pretty(&show(answer, save)?)));
            Ok(())
        }
        Err(error) => {
            print(&format!("{}\n", pretty(&json!(error))));
            Err(String::new())
        }
    }
}

/// The answer as JSON; its picture goes to the file, or into it as REST has it.
fn show(answer: Answer, save: Option<&Path>) -> Result<Value, String> {
    let Answer { mut body, image } = answer;
    match (image, save) {
        (Some(image), Some(file)) => {
            std::fs::write(file, &image.bytes).map_err(|error| format!("{}: {error}", file.display()))?;
            body.insert(
                "picture".into(),
                json!({ "media_type": image.media_type, "file": file.display().to_string() }),
            );
        }
        (Some(image), None) => {
            let data = BASE64_STANDARD.encode(&image.bytes);
            body.insert("picture".into(), json!({ "media_type": image.media_type, "data": data }));
        }
        (None, Some(_)) => eprintln!("fingertip: the answer has no picture; nothing was saved"),
        (None, None) => {}
    }
    Ok(Value::Object(body))
}

pub(super) async fn devices(config: Option<&Path>, as_json: bool) -> Result<(), String> {
    let (answer, _) = call(config, "list_devices", Map::new()).await?;
    let answer = answer.map_err(|error| error.message)?;
    if as_json {
        print(&format!("{}\n", pretty(&Value::Object(answer.body))));
    } else {
        print(&table(&answer.body));
    }
    Ok(())
}

/// What became of it, and whether that was done without a server.
async fn call(
    config: Option<&Path>,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<(Result<Answer, Error>, bool), String> {
    let session = Session::open(config, Kind::Command).await?;
    if let Some(why) = outlives(name).filter(|_| session.is_own()) {
        session.close().await;
        return Err(format!("no server is running that could {why}"));
    }
    let answer = session.catalogue().call(name, arguments, session::caller()).await;
    let alone = session.is_own();
    session.close().await;
    Ok((answer, alone))
}

/// Said of what was done without a server, so that nobody looks for it afterwards.
const ALONE: &str = "fingertip: no server is running, so this command did it by itself: refs, leases and the screen of a virtual phone end \
                     with it; `fingertip serve` keeps them";

/// What a tool leaves behind that would end with a host of this command, and what to do instead.
fn outlives(tool: &str) -> Option<&'static str> {
    match tool {
        "connect_device" => Some("keep the lease: start `fingertip serve` first"),
        "start_task" => Some(
            "work on the task: start `fingertip serve` first, or use `fingertip task run`, which stays until its end",
        ),
        _ => None,
    }
}

fn table(body: &Map<String, Value>) -> String {
    let devices = body.get("devices").and_then(Value::as_array).cloned().unwrap_or_default();
    if devices.is_empty() {
        return "no devices\n".to_owned();
    }
    let text = |device: &Value, field: &str| device.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let widest = |field: &str| devices.iter().map(|device| text(device, field).chars().count()).max().unwrap_or(0);
    let (ids, names) = (widest("id"), widest("name"));
    let mut out = String::new();
    for device in &devices {
        let reason = text(device, "reason");
        let holder = text(device, "holder");
        let mut state = text(device, "status");
        if !reason.is_empty() {
            state = format!("{state} ({reason})");
        }
        if !holder.is_empty() {
            state = format!("{state}, held by {holder}");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<ids$}  {:<names$}  {:<7}  {state}",
            text(device, "id"),
            text(device, "name"),
            text(device, "platform")
        );
    }
    out
}
