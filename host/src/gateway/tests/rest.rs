//! The REST door.

use super::{Server, answer, problem};
use crate::{
    capability::Code,
    gateway::{GatewayOptions, openapi, problem as problems},
};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    sync::{Arc, atomic::Ordering::SeqCst},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[tokio::test]
async fn routes_answer() {
    let server = Server::start().await;
    assert_eq!(answer(server.get("/devices")).await, (200, json!({"devices": [{"id": "phone-1"}]})));
    let tapped = answer(server.post("/devices/phone-1/tap", &json!({"x": 1.5, "y": 2}))).await;
    assert_eq!(tapped, (200, json!({"device_id": "phone-1", "x": 1.5})));
    let (_, tree) = answer(server.get("/devices/phone-1/tree?max_tokens=7&interactive_only=true")).await;
    assert_eq!(tree["max_tokens"], 7);
}

#[tokio::test]
async fn path_query_and_body_make_one_object() {
    let server = Server::start().await;
    let tap = |path: &str, body: Value| server.post(path, &body);
    assert_eq!(answer(tap("/devices/phone-1/tap?x=3", json!({"y": 2}))).await.1["x"], 3.0);
    assert_eq!(answer(tap("/devices/phone%2D1/tap?x=3&x=3.0", json!({"x": 3, "y": 2}))).await.0, 200);
    assert_eq!(answer(tap("/devices/phone-1/tap", json!({"device_id": "phone-1", "x": 3, "y": 2}))).await.0, 200);
    let said =
        problem(tap("/devices/phone-1/tap", json!({"device_id": "b", "x": 3, "y": 2})), 400, "invalid_arguments").await;
    assert!(said["message"].as_str().unwrap().contains("device_id"));
    problem(tap("/devices/phone-1/tap?x=3", json!({"x": 4, "y": 2})), 400, "invalid_arguments").await;
    problem(server.get("/devices/phone-1/tree?max_tokens=1&max_tokens=2"), 400, "invalid_arguments").await;
    let twice = server.request(Method::POST, "/devices/phone-1/tap").header("content-type", "application/json");
    problem(twice.body(r#"{"x":1,"x":2,"y":1}"#), 400, "invalid_arguments").await;
    for bad in ["max_tokens=NaN", "max_tokens=0x1", "interactive_only=1", "nope=1", "label=%FF", "max_tokens=1e999"] {
        problem(server.get(&format!("/devices/phone-1/tree?{bad}")), 400, "invalid_arguments").await;
    }
    problem(server.get("/devices/%FF/tree"), 400, "invalid_arguments").await;
    let said = problem(server.get("/devices/a%2Fb/tree"), 404, "device_not_found").await;
    assert!(said["message"].as_str().unwrap().contains("a/b"));
}

#[tokio::test]
async fn bad_bodies_are_refused_clearly() {
    let server = Server::start().await;
    let raw = |body: &'static [u8]| {
        server.request(Method::POST, "/devices/phone-1/tap").header("content-type", "application/json").body(body)
    };
    for bad in [
        &b"{"[..],
        b"{\"x\":",
        b"nope",
        b"[]",
        b"3",
        b"null",
        b"\"x\"",
        b"{\"x\": 1e999, \"y\": 1}",
        b"{\"x\": NaN, \"y\": 1}",
        b"{\"x\": Infinity}",
        b"{\"x\": \"\xff\", \"y\": 1}",
        b"{\"x\": 1, \"y\": 2} trailing",
        b"{\"x\": 1, \"y\": 2,}",
        b"",
        b"  ",
    ] {
        let said = problem(raw(bad), 400, "invalid_arguments").await;
        assert_eq!(said["outcome"], "not_done");
    }
    let deep = "[".repeat(100_000);
    problem(raw(Box::leak(format!("{{\"x\":{deep}").into_boxed_str()).as_bytes()), 400, "invalid_arguments").await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""] {
        let request = server.request(Method::POST, "/devices/phone-1/tap").header("content-type", kind).body("{}");
        problem(request, 415, "invalid_arguments").await;
    }
    problem(server.request(Method::POST, "/devices/phone-1/explode"), 415, "invalid_arguments").await;
    let request = server.request(Method::POST, "/devices/phone-1/tap");
    let named = request.header("content-type", "application/vnd.api+json; charset=utf-8").body(r#"{"x":1,"y":1}"#);
    assert_eq!(answer(named).await.0, 200);
    problem(server.get("/devices").body("{}"), 400, "invalid_arguments").await;
    let large = vec![b' '; 10 << 20];
    problem(
        server.request(Method::POST, "/devices/phone-1/tap").header("content-type", "application/json").body(large),
        413,
        "invalid_arguments",
    )
    .await;
    assert_eq!(server.seen.begun.load(SeqCst), 1, "only the good one reached the tool");
    assert_eq!(answer(server.get("/devices")).await.0, 200, "the server lives");
}

#[tokio::test]
async fn arguments_are_checked() {
    let server = Server::start().await;
    let tap = |body: Value| server.post("/devices/phone-1/tap", &body);
    for (bad, named) in [
        (json!({"x": "1", "y": 2}), "x"),
        (json!({"y": 2}), "x"),
        (json!({"x": 1, "y": 2, "z": 3}), "z"),
        (json!({"x": 1, "y": null}), "y"),
    ] {
        let said = problem(tap(bad), 400, "invalid_arguments").await;
        assert!(said["message"].as_str().unwrap().contains(&format!("`{named}`")), "{said}");
    }
}

#[tokio::test]
async fn unknown_routes_and_verbs() {
    let server = Server::start().await;
    for path in ["/nope", "/devices/", "/devices/a/b/c", "/internal", "/devices/phone-1/tap/"] {
        problem(server.get(path), 404, "not_found").await;
    }
    problem(server.post("/devices//tap", &json!({"x": 1, "y": 1})), 404, "device_not_found").await;
    problem(server.request(Method::PUT, "/devices"), 405, "not_found").await;
    problem(server.request(Method::OPTIONS, "/devices/phone-1/tap"), 405, "not_found").await;
    let response = server.request(Method::DELETE, "/devices/phone-1/tap").send().await.unwrap();
    assert_eq!((response.status().as_u16(), &response.headers()["allow"]), (405, &"POST".parse().unwrap()));
    problem(server.post("/internal/call/tap", &json!({})), 404, "not_found").await;
    problem(server.post("/internal/session-end", &json!({})), 404, "not_found").await;
    problem(server.get("/internal/call/tap"), 405, "not_found").await;
}

#[tokio::test]
async fn every_code_has_its_status_on_the_wire() {
    let server = Server::start().await;
    for code in Code::ALL {
        let name = problems::name(code);
        let said = problem(server.post("/fail", &json!({"code": name})), problems::status(code).as_u16(), &name).await;
        assert_eq!((&said["outcome"], &said["device_id"]), (&json!("unknown"), &json!("phone-1")));
        assert_eq!(said["details"], json!({"why": [1, 2]}));
        assert_eq!(said["type"], format!("/docs#{name}"));
    }
    let busy = server.post("/devices/busy/tap", &json!({"x": 1, "y": 1})).send().await.unwrap();
    assert_eq!((busy.status().as_u16(), &busy.headers()["retry-after"]), (409, &"3600".parse().unwrap()));
    let offline = server.post("/devices/offline/tap", &json!({"x": 1, "y": 1})).send().await.unwrap();
    assert_eq!((offline.status().as_u16(), &offline.headers()["retry-after"]), (503, &"5".parse().unwrap()));
}

#[tokio::test]
async fn a_panic_is_answered() {
    let server = Server::start().await;
    let said = problem(server.post("/devices/phone-1/explode", &json!({})), 500, "internal").await;
    assert_eq!(said["outcome"], "unknown");
    assert!(!said.to_string().contains("on purpose"));
}

#[tokio::test]
async fn pictures_travel_as_asked() {
    let server = Server::start().await;
    let shot = |accept: &str, body: Value| server.post("/devices/phone-1/screenshot", &body).header("accept", accept);
    let (_, body) = answer(shot("*/*", json!({}))).await;
    assert_eq!(body["picture"], json!({"media_type": "image/jpeg", "data": "BwcHBwcHBwcHBw=="}));
    assert_eq!(body["frame"], "f2");
    for (accept, body, kind) in [
        ("image/jpeg", json!({}), "image/jpeg"),
        ("image/png", json!({}), "image/png"),
        ("image/*", json!({}), "image/jpeg"),
        ("image/*", json!({"format": "png"}), "image/png"),
        ("image/jpeg", json!({"format": "png"}), "image/png"),
    ] {
        let response = shot(accept, body).send().await.unwrap();
        let headers = response.headers().clone();
        assert_eq!(headers["content-type"], kind);
        assert_eq!((&headers["x-frame-id"], &headers["x-scale"]), (&"f2".parse().unwrap(), &"1.5".parse().unwrap()));
        assert_eq!(headers["x-orientation"], "portrait");
        assert_eq!(response.bytes().await.unwrap().len(), 10);
    }
    problem(shot("image/png", json!({"format": "gif"})), 400, "invalid_arguments").await;
}

#[tokio::test]
async fn a_task_is_accepted() {
    let server = Server::start().await;
    let response = server.post("/agent/task", &json!({"goal": "x"})).send().await.unwrap();
    assert_eq!((response.status().as_u16(), &response.headers()["location"]), (202, &"/task/t-1".parse().unwrap()));
    let (_, task) = answer(server.get("/task/t-1?wait_ms=5")).await;
    assert_eq!(task, json!({"task": {"id": "t-1", "wait_ms": 5}}));
}

#[tokio::test]
async fn a_caller_that_leaves_ends_its_call() {
    let server = Server::start().await;
    let request = server.post("/devices/phone-1/wait", &json!({"ms": 60_000})).timeout(Duration::from_millis(200));
    assert!(request.send().await.unwrap_err().is_timeout());
    for _ in 0..100 {
        if server.seen.dropped.load(SeqCst) == 1 {
            let metrics = server.get("/metrics").send().await.unwrap().text().await.unwrap();
            assert!(
                metrics.contains(r#"fingertip_calls_total{tool="wait_for",door="rest",code="cancelled"} 1"#),
                "{metrics}"
            );
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the call goes on");
}

#[tokio::test]
async fn callers_are_named() {
    let server = Server::start().await;
    assert_eq!(
        answer(server.get("/whoami")).await.1,
        json!({"session": null, "client": "local/rest", "picture_limit": null})
    );
    let named = server.get("/whoami").header("x-client-id", "dash board");
    assert_eq!(answer(named).await.1["client"], "local/dash board");
    problem(server.get("/whoami").header("x-client-id", "a\"b"), 400, "invalid_arguments").await;
    let borrowed = server.get("/whoami").header("mcp-session-id", "abc");
    assert_eq!(answer(borrowed).await.1["session"], Value::Null);
}

#[tokio::test]
async fn request_ids_come_back() {
    let server = Server::start().await;
    let response = server.get("/devices").header("x-request-id", "mine-1").send().await.unwrap();
    assert_eq!(response.headers()["x-request-id"], "mine-1");
    let said = problem(server.get("/nope").header("x-request-id", "mine-2"), 404, "not_found").await;
    assert_eq!(said["request_id"], "mine-2");
    let said = problem(server.get("/nope").header("x-request-id", "no\"good"), 404, "not_found").await;
    assert!(said["request_id"].as_str().unwrap().starts_with("r-"));
}

#[tokio::test]
async fn the_other_routes() {
    let server = Server::start().await;
    assert_eq!(answer(server.get("/healthz")).await, (200, json!({"ok": true})));
    assert_eq!(answer(server.get("/readyz")).await, (200, json!({"ready": true})));
    assert_eq!(answer(server.get("/plugins")).await.1, json!([{"name": "virtual"}]));
    answer(server.get("/devices")).await;
    let metrics = server.get("/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains(r#"fingertip_calls_total{tool="list_devices",door="rest",code="ok"} 1"#), "{metrics}");
    assert!(metrics.contains("fingertip_calls_in_flight{door=\"rest\"} 0"), "{metrics}");
    for path in ["/", "/docs"] {
        let response = server.get(path).send().await.unwrap();
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
        let text = response.text().await.unwrap();
        assert!(!text.contains("src=") && !text.contains("<brackets>") && !text.contains("//cdn"), "{text}");
    }
    let never = Server::with(|options: &mut GatewayOptions| options.ready = Arc::new(|| false)).await;
    assert_eq!(answer(never.get("/readyz")).await, (503, json!({"ready": false})));
}

#[tokio::test]
async fn openapi_is_stable() {
    let server = Server::start().await;
    let (_, document) = answer(server.get("/openapi.json")).await;
    insta::assert_json_snapshot!("openapi", document);
    let (catalogue, _) = super::fixture::catalogue();
    assert_eq!(openapi::document(&catalogue), document);
}

#[tokio::test]
async fn the_server_stops() {
    let server = Server::start().await;
    answer(server.get("/devices")).await;
    server.stop.cancel();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(TcpStream::connect(server.address).await.is_err() || server.get("/devices").send().await.is_err());
}

/// What no ordinary client sends.
#[tokio::test]
async fn broken_requests_do_no_harm() {
    let server = Server::start().await;
    for raw in [
        "GET /devices HTTP/1.1\r\n\r\n",
        "GET http://evil.example/devices HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /devices HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "NONSENSE\r\n\r\n",
        "POST /devices/phone-1/tap HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"x\"",
        "POST /devices/phone-1/tap HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(raw.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        let _ = tokio::time::timeout(Duration::from_secs(2), stream.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{raw}: {answer}");
    }
    assert_eq!(server.seen.begun.load(SeqCst), 0);
    assert_eq!(answer(server.get("/devices")).await.0, 200);
}
