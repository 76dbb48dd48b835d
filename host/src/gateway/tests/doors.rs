//! What both doors have in common: who comes in, and the same body for the same error.

use super::{
    Server, answer,
    mcp::{Era, call, modern},
    problem,
};
use crate::capability::Code;
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn hosts_origins_and_tokens_on_both_doors() {
    let open = Server::start().await;
    let closed = Server::with(|options| {
        options.token = Some("s3cret".into());
        options.allowed_hosts = vec!["phones.example".into()];
    })
    .await;
    let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for (server, header, value, status, code) in [
        (&open, "host", "evil.example", 403, "forbidden"),
        (&open, "origin", "null", 403, "forbidden"),
        (&open, "origin", "http://evil.example", 403, "forbidden"),
        (&open, "origin", "http://127.0.0.1.evil.example", 403, "forbidden"),
        (&open, "x-fingertip-session", "stdio:1", 403, "forbidden"),
        (&open, "x-fingertip-join", "wrong", 401, "unauthorized"),
        (&closed, "accept", "*/*", 401, "unauthorized"),
        (&closed, "authorization", "Bearer nope", 401, "unauthorized"),
        (&closed, "host", "localhost.evil.example", 403, "forbidden"),
    ] {
        for path in ["/mcp", "/devices", "/docs", "/metrics", "/plugins", "/nope", "/internal/call/tap"] {
            let request = server.request(if path == "/mcp" { Method::POST } else { Method::GET }, path);
            let request = if path == "/mcp" { request.json(&discover) } else { request };
            let body = problem(request.header(header, value), status, code).await;
            assert_eq!(body["outcome"], "not_done");
        }
    }
    let refused = closed.get("/devices").send().await.unwrap();
    assert_eq!(refused.headers()["www-authenticate"], "Bearer");
    for (header, value) in [("origin", "http://localhost:5173"), ("host", "localhost"), ("origin", "http://[::1]:1")] {
        assert_eq!(answer(open.get("/devices").header(header, value)).await.0, 200, "{value}");
    }
    // The SDK has a check of its own behind ours; what we let in must pass there too.
    for (header, value) in [
        ("host", "[::1]:80"),
        ("host", "LOCALHOST:1"),
        ("host", "phones.example"),
        ("origin", "http://[::1]:1"),
        ("origin", "https://localhost"),
        ("origin", "http://phones.example:7311"),
    ] {
        let request = modern(&closed, "tools/list", json!({})).header("authorization", "Bearer s3cret");
        let mut request = request.build().unwrap();
        request.headers_mut().insert(header, value.parse().unwrap());
        assert_eq!(closed.client.execute(request).await.unwrap().status(), 200, "{value}");
    }
    let let_in = closed.get("/whoami").header("authorization", "Bearer s3cret").header("host", "phones.example:80");
    assert_eq!(answer(let_in).await.1["client"], "token/rest");
    for probe in ["/healthz", "/readyz"] {
        assert_eq!(answer(closed.get(probe)).await.0, 200);
        problem(closed.get(probe).header("host", "evil.example"), 403, "forbidden").await;
    }
}

/// One call on each door, and the same body.
#[tokio::test]
async fn answers_and_errors_are_the_same_on_both_doors() {
    let server = Server::start().await;
    let codes: Vec<Value> = Code::ALL.iter().map(|code| json!({"code": code})).collect();
    let tap = |device: &str, more: Value| {
        let mut arguments = json!({"device_id": device});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("tap", format!("/devices/{device}/tap"), arguments)
    };
    let cases = [
        tap("phone-1", json!({"x": 1, "y": 2})),
        tap("phone-1", json!({"x": "1", "y": 2})),
        tap("phone-1", json!({"x": 1, "y": 2, "lable": "a"})),
        tap("phone-1", json!({"x": 1})),
        tap("nobody", json!({"x": 1, "y": 2})),
        tap("offline", json!({"x": 1, "y": 2})),
        tap("busy", json!({"x": 1, "y": 2})),
        ("explode", "/devices/phone-1/explode".into(), json!({"device_id": "phone-1"})),
        ("take_screenshot", "/devices/phone-1/screenshot".into(), json!({"device_id": "phone-1"})),
    ]
    .into_iter()
    .chain(codes.into_iter().map(|arguments| ("fail", "/fail".to_owned(), arguments)));
    for (tool, path, arguments) in cases {
        let (status, mut rest) = answer(server.post(&path, &arguments)).await;
        for era in [Era::Modern, Era::Legacy] {
            let result = call(&server, era, tool, &arguments).await;
            let mut mcp = result["structuredContent"].clone();
            assert_eq!(result["isError"], json!(status >= 400), "{result}");
            if status >= 400 {
                let text = result["content"][0]["text"].as_str().unwrap();
                assert!(text.starts_with(&format!("{}: ", mcp["code"].as_str().unwrap())), "{text}");
                for field in ["type", "title", "status", "request_id"] {
                    rest.as_object_mut().unwrap().remove(field);
                }
                mcp.as_object_mut().unwrap().remove("request_id").expect("an id");
            } else if let Some(picture) = rest.as_object_mut().unwrap().remove("picture") {
                let blocks = result["content"].as_array().unwrap();
                let block = blocks.iter().find(|block| block["type"] == "image").expect("a picture");
                assert_eq!((&block["data"], &block["mimeType"]), (&picture["data"], &picture["media_type"]));
            }
            assert_eq!(mcp, rest);
        }
    }
}
