//! The driver against a scripted phone: what is sent, how often, and what is made of the answers. Tests that begin with
//! `row_` show the right behaviour of that row of the list of public failure reports.

mod apps;
mod captures;
mod device;
mod frames;
mod live;
mod server;
mod sessions;
mod touches;
mod trees;
mod typing;

use crate::{WdaDriver, WdaPlugin};
use driver_api::{
    Button, DeviceConfig, Driver, ErrorKind, Feature, Finger, Launch, Orientation, Outcome, PathPoint, Plugin,
    PluginConfig, Point, Role, Swipe, TreeFlaw, Via,
};
use serde_json::{Value, json};
use server::{Request, Server, Then};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const SESSION: &str = "/session/S-1";
const TREE: &str = r#"{"value":{"type":"Application","label":"Shop","rect":{"x":0,"y":0,"width":390,"height":844}},"sessionId":"S-1"}"#;

fn value(value: Value) -> Then {
    Then::Answer(200, json!({"value": value, "sessionId": "S-1"}).to_string())
}

fn refuse(status: u16, name: &str, words: &str) -> Then {
    Then::Answer(
        status,
        json!({"value": {"error": name, "message": words, "traceback": ""}, "sessionId": "S-1"}).to_string(),
    )
}

/// What a sound phone answers.
fn sound(request: &Request) -> Then {
    let line = request.line.replace(SESSION, "/session/ID");
    match line.as_str() {
        "GET /status" => value(json!({"ready": true, "os": {"name": "iOS", "version": "17.5"}, "device": "iphone"})),
        "POST /session" => value(json!({"sessionId": "S-1", "capabilities": {}})),
        "GET /session/ID/window/size" => value(json!({"width": 390, "height": 844})),
        "GET /session/ID/wda/screen" | "GET /wda/screen" => {
            value(json!({"screenSize": {"width": 390, "height": 844}, "scale": 3}))
        }
        "GET /session/ID/element/active" => value(json!({"ELEMENT": "E-1"})),
        "GET /session/ID/source?format=json" => Then::Answer(200, TREE.to_owned()),
        "POST /session/ID/wda/apps/state" => value(json!(4)),
        "GET /wda/locked" => value(json!(false)),
        line if line.starts_with("POST /session/ID/")
            || line.starts_with("POST /wda/")
            || line.starts_with("DELETE ") =>
        {
            value(Value::Null)
        }
        _ => refuse(404, "unknown command", "Unhandled endpoint"),
    }
}

fn driver(address: &str) -> WdaDriver {
    let device = DeviceConfig { id: "desk".to_owned(), address: Some(address.to_owned()), ..DeviceConfig::default() };
    WdaPlugin::new(PluginConfig { devices: vec![device], ..PluginConfig::default() }).unwrap().driver("desk").unwrap()
}

/// A phone that answers as `script` says, and soundly where that says nothing; connected, with the list of requests empty.
async fn connected(script: impl Fn(&Request) -> Option<Then> + Send + Sync + 'static) -> (Server, WdaDriver) {
    let server = Server::start(move |request| script(request).unwrap_or_else(|| sound(request))).await;
    let driver = driver(&server.address);
    driver.connect().await.unwrap();
    server.take();
    (server, driver)
}

fn refuses(
    path: &'static str,
    status: u16,
    name: &'static str,
    words: &'static str,
) -> impl Fn(&Request) -> Option<Then> {
    move |request| request.line.ends_with(path).then(|| refuse(status, name, words))
}
