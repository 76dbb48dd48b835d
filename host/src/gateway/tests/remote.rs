//! Joining a server that runs already.

use super::{Server, fixture};
use crate::{
    capability::{Caller, Catalogue, Code, Outcome},
    gateway::{end_session, join},
};
use serde_json::{Map, Value, json};

fn caller() -> Caller {
    Caller { session: Some("ignored".into()), client: "stdio/agent".into(), picture_limit: Some(42) }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn joined(server: &Server, secret: &str) -> Catalogue {
    join(&fixture::catalogue().0, server.address, secret, Some("stdio:42".into()))
}

#[tokio::test]
async fn calls_are_the_same_as_at_home() {
    let server = Server::with(|options| options.token = Some("needed".into())).await;
    let (home, _) = fixture::catalogue();
    let away = joined(&server, "join-secret");
    let codes = Code::ALL.iter().map(|code| ("fail", json!({"code": code})));
    let cases = [
        ("list_devices", json!({})),
        ("tap", json!({"x": 1, "y": 2})),
        ("tap", json!({"device_id": "busy", "x": 1, "y": 2})),
        ("tap", json!({"device_id": "a/b ?#", "x": 1, "y": 2})),
        ("tap", json!({"x": 1, "y": "2"})),
        ("tap", json!({"x": 1, "y": 2, "label": "ü 🙂 \"quoted\""})),
        ("take_screenshot", json!({"format": "png", "bytes": 100_000})),
        ("explode", json!({})),
        ("get_task", json!({"task_id": "t/1", "wait_ms": 3})),
        ("no_such_tool", json!({})),
    ];
    for (name, arguments) in cases.into_iter().chain(codes) {
        let at_home = home.call(name, object(arguments.clone()), caller()).await;
        let far_away = away.call(name, object(arguments), caller()).await;
        assert_eq!(at_home, far_away);
    }
    let who = away.call("whoami", Map::new(), caller()).await.unwrap();
    assert_eq!(Value::Object(who.body), json!({"session": "stdio:42", "client": "stdio/agent", "picture_limit": 42}));
}

#[tokio::test]
async fn the_secret_is_needed() {
    let server = Server::start().await;
    let error = joined(&server, "wrong").call("list_devices", Map::new(), caller()).await.unwrap_err();
    assert_eq!(error.code, Code::Unauthorized);
}

#[tokio::test]
async fn a_server_that_is_gone_is_told() {
    let server = Server::start().await;
    let away = joined(&server, "join-secret");
    let arguments = || object(json!({"x": 1, "y": 2}));
    away.call("tap", arguments(), caller()).await.unwrap();
    let slow = away.call("fail", object(json!({"code": "timeout"})), caller()).await.unwrap_err();
    assert_eq!(slow.outcome, Outcome::Unknown);
    server.stop.cancel();
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let error = away.call("tap", arguments(), caller()).await.unwrap_err();
    assert_eq!((error.code, error.retryable), (Code::Internal, true));
    assert!(error.message.contains("gone") && !error.message.contains("refused"), "{error:?}");
}

#[tokio::test]
async fn the_end_of_a_session_is_told() {
    let server = Server::start().await;
    end_session(server.address, "wrong", "stdio:41").await;
    end_session(server.address, "join-secret", "stdio:42").await;
    assert_eq!(server.ended(), ["stdio:42"]);
}
