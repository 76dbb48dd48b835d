//! Bad input on both doors: a clear error in the contract's form, nothing lost, and the server lives.

use e2e::{host::Host, mcp::Mcp};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::{Read, Write};

const JSON: &str = "application/json";

/// An answer: status, media type, body.
struct Answer {
    status: u16,
    media_type: String,
    headers: reqwest::header::HeaderMap,
    text: String,
}

impl Answer {
    async fn to(request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.expect("the server answers");
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let media_type = headers.get("content-type").map_or("", |kind| kind.to_str().expect("text")).to_owned();
        Answer { status, media_type, headers, text: response.text().await.expect("text") }
    }

    fn json(&self) -> Value {
        // The older era answers in a stream of events, of which the last one with content is the answer.
        let text = match self.media_type.starts_with("text/event-stream") {
            true => {
                self.text.lines().rev().find_map(|line| line.strip_prefix("data: {")).map(|rest| format!("{{{rest}"))
            }
            false => None,
        };
        let text = text.as_deref().unwrap_or(&self.text);
        serde_json::from_str(text).unwrap_or_else(|_| panic!("{} not JSON: {text}", self.status))
    }

    /// The body, which must be a problem of this status and code.
    fn problem(&self, how: &str, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{how}: {}", self.text);
        assert_eq!(self.media_type, "application/problem+json", "{how}: {}", self.text);
        let body = self.json();
        assert_eq!((&body["status"], &body["code"]), (&json!(status), &json!(code)), "{how}: {body}");
        clear(how, &body);
        for name in ["type", "title"] {
            assert!(body[name].is_string(), "{how}: no {name} in {body}");
        }
        body
    }
}

/// What every error body has.
fn clear(how: &str, body: &Value) {
    for name in ["code", "message", "hint", "request_id"] {
        assert!(body[name].as_str().is_some_and(|text| !text.is_empty()), "{how}: no {name} in {body}");
    }
    assert!(body["retryable"].is_boolean() && body["outcome"] == "not_done", "{how}: {body}");
    let text = format!("{} {}", body["message"], body["hint"]);
    assert!(text.len() < 1000, "{how}: {} bytes of message", text.len());
    for word in ["u64", "f64", "usize", "floating point", "expected a", "serde", "deserialize", "variant"] {
        assert!(!text.contains(word), "{how}: {word:?} in {text}");
    }
}

/// The server still does what it should, and the phone was not touched by what was refused.
async fn lives(host: &Host) {
    let (status, body) = host.post("/devices/phone/launch", json!({ "app": "Settings", "fresh": true })).await;
    assert_eq!(status, 200, "{body}");
    let (status, body) = host.post("/devices/phone/find-text", json!({ "text": "General" })).await;
    assert_eq!((status, &body["matches"][0]["text"]), (200, &json!("General")));
    let (failed, body) = Mcp::new(host, "rest").call("tap", json!({ "text": "General" })).await;
    assert!(!failed, "{body}");
}

fn post(host: &Host, path: &str, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
    host.client().post(host.url(path)).header("content-type", JSON).body(body)
}

fn deep(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[tokio::test]
async fn bodies_that_are_no_argument_object() {
    let host = Host::with_virtual_phone().await;
    // Known from here on: how large the screen is.
    assert_eq!(host.get("/devices/phone/tree").await.0, 200);
    let tap = "/devices/phone/tap";
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("half an object", b"{\"x\": 1,".to_vec()),
        ("no JSON", b"x=1&y=2".to_vec()),
        ("a trailing comma", b"{\"x\": 1, \"y\": 2,}".to_vec()),
        ("two objects", b"{\"x\": 1, \"y\": 2} {}".to_vec()),
        ("an array", b"[1, 2]".to_vec()),
        ("a number", b"7".to_vec()),
        ("a text", b"\"tap\"".to_vec()),
        ("null", b"null".to_vec()),
        ("NaN", b"{\"x\": NaN, \"y\": 2}".to_vec()),
        ("Infinity", b"{\"x\": Infinity, \"y\": 2}".to_vec()),
        ("-Infinity", b"{\"x\": 1, \"y\": -Infinity}".to_vec()),
        ("1e999", b"{\"x\": 1e999, \"y\": 2}".to_vec()),
        ("-1e999", b"{\"x\": 1, \"y\": -1e999}".to_vec()),
        ("hexadecimal", b"{\"x\": 0x10, \"y\": 2}".to_vec()),
        ("single quotes", b"{'x': 1, 'y': 2}".to_vec()),
        ("no UTF-8", b"{\"x\": 1, \"y\": 2, \"text\": \"\xff\xfe\"}".to_vec()),
        ("a lone surrogate", br#"{"text": "\ud800"}"#.to_vec()),
        ("only bytes", vec![0; 64]),
        ("a name twice", b"{\"x\": 1, \"x\": 2, \"y\": 3}".to_vec()),
        ("deep nesting", format!("{{\"x\": {}, \"y\": 1}}", deep(100_000)).into_bytes()),
        ("moderate nesting", format!("{{\"x\": {}, \"y\": 1}}", deep(100)).into_bytes()),
        ("deep and unfinished", "{\"x\":".repeat(100_000).into_bytes()),
        ("nothing", b"".to_vec()),
        ("blanks", b" \n\t".to_vec()),
        ("an empty object", b"{}".to_vec()),
        ("texts as numbers", b"{\"x\": \"1\", \"y\": \"2\"}".to_vec()),
        ("nulls", b"{\"x\": null, \"y\": null}".to_vec()),
        ("one of two", b"{\"x\": 1}".to_vec()),
        ("both ways", b"{\"x\": 1, \"y\": 2, \"text\": \"General\"}".to_vec()),
        ("an unknown field", b"{\"x\": 1, \"y\": 2, \"z\": 3}".to_vec()),
        ("a field in capitals", b"{\"X\": 1, \"Y\": 2}".to_vec()),
        ("an empty text", b"{\"text\": \"\"}".to_vec()),
        ("a long text", format!("{{\"text\": \"{}\"}}", "a".repeat(100_000)).into_bytes()),
        ("a long name", format!("{{\"{}\": 1}}", "a".repeat(100_000)).into_bytes()),
        ("an unknown unit", b"{\"x\": 1, \"y\": 2, \"space\": \"mile\"}".to_vec()),
        ("pixels without a frame", b"{\"x\": 1, \"y\": 2, \"space\": \"image\"}".to_vec()),
        ("no count", b"{\"x\": 1, \"y\": 2, \"count\": 0}".to_vec()),
        ("a huge count", b"{\"x\": 1, \"y\": 2, \"count\": 99999999999999999999999}".to_vec()),
        ("half a count", b"{\"x\": 1, \"y\": 2, \"count\": 1.5}".to_vec()),
        ("no time", b"{\"x\": 1, \"y\": 2, \"timeout_ms\": 0}".to_vec()),
        ("negative time", b"{\"x\": 1, \"y\": 2, \"timeout_ms\": -1}".to_vec()),
        ("endless time", b"{\"x\": 1, \"y\": 2, \"timeout_ms\": 1e30}".to_vec()),
        ("another device", b"{\"x\": 1, \"y\": 2, \"device_id\": \"other\"}".to_vec()),
    ];
    for (how, body) in cases {
        let answer = Answer::to(post(&host, tap, body)).await;
        answer.problem(how, 400, "invalid_arguments");
    }
    for (how, body) in [
        ("left of the screen", "{\"x\": -1, \"y\": 2}"),
        ("below the screen", "{\"x\": 1, \"y\": 844.5}"),
        ("far away", "{\"x\": 1e308, \"y\": -1e308}"),
        ("a fraction beyond", "{\"x\": 1.01, \"y\": 0.5, \"space\": \"fraction\"}"),
    ] {
        Answer::to(post(&host, tap, body)).await.problem(how, 400, "out_of_bounds");
    }
    // Nothing of all this took the phone.
    let (_, status) = host.get("/devices/phone").await;
    assert_eq!(status["last_error"], Value::Null, "{status}");
    lives(&host).await;
}

/// Nobody has spoken to the phone yet, so that the size of its screen must be asked for first.
#[tokio::test]
async fn points_beyond_the_screen_are_refused_in_the_first_call_too() {
    let host = Host::with_virtual_phone().await;
    let answer = Answer::to(post(&host, "/devices/phone/tap", "{\"x\": -1, \"y\": 2}")).await;
    answer.problem("left of the screen", 400, "out_of_bounds");
    let host = Host::with_virtual_phone().await;
    let swipe = "{\"from_x\": 10, \"from_y\": 10, \"to_x\": 5000, \"to_y\": 10}";
    Answer::to(post(&host, "/devices/phone/swipe", swipe)).await.problem("beyond", 400, "out_of_bounds");
    let host = Host::with_virtual_phone().await;
    let (status, body) = host.post("/devices/phone/tap", json!({ "x": 0.5, "y": 0.02, "space": "fraction" })).await;
    assert_eq!(status, 200, "a fraction of a screen whose size can be asked for: {body}");
}

/// The schema admits these, so that they must be taken: a whole number may be written with a fraction of zero, an optional
/// field may be null.
#[tokio::test]
async fn what_the_schema_admits_is_taken() {
    let host = Host::with_virtual_phone().await;
    let mcp = Mcp::new(&host, "rest");
    let mut refused = Vec::new();
    for (tool, route, arguments) in [
        ("tap", "tap", json!({ "x": 200, "y": 20, "count": 2.0 })),
        ("tap", "tap", json!({ "x": 200, "y": 20, "timeout_ms": 5000.0 })),
        ("tap", "tap", json!({ "x": 200, "y": 20, "element": null, "lease": null })),
        ("launch_app", "launch", json!({ "app": "Settings", "fresh": null, "arguments": null })),
        ("find_text", "find-text", json!({ "text": "General", "limit": 3.0, "match": null })),
    ] {
        let (status, body) = host.post(&format!("/devices/phone/{route}"), arguments.clone()).await;
        if status != 200 {
            refused.push(format!("{tool} {arguments}: {}", body["message"]));
        }
        let (failed, body) = mcp.call(tool, arguments.clone()).await;
        assert_eq!(failed, status != 200, "{tool} {arguments}: {body}");
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[tokio::test]
async fn requests_that_are_not_of_the_doors_form() {
    let host = Host::with_virtual_phone().await;
    let good = r#"{"x": 200, "y": 20}"#;
    let client = host.client();
    let tap = host.url("/devices/phone/tap");
    for (how, request) in [
        ("no media type", client.post(&tap).body(good)),
        ("plain text", client.post(&tap).header("content-type", "text/plain").body(good)),
        ("a form", client.post(&tap).header("content-type", "application/x-www-form-urlencoded").body("x=1&y=2")),
        ("a list of types", client.post(&tap).header("content-type", "text/plain, application/json").body(good)),
        ("no media type and no body", client.post(&tap)),
    ] {
        Answer::to(request).await.problem(how, 415, "invalid_arguments");
    }
    for path in [
        "/nothing",
        "/devices/phone",
        "/devices/phone/fly",
        "/devices/phone/tap/",
        "/Devices",
        "/%00",
        "/../etc/passwd",
    ] {
        let answer = Answer::to(post(&host, path, "{}")).await;
        let status = if path == "/devices/phone" { 405 } else { 404 };
        answer.problem(path, status, "not_found");
    }
    let long = format!("/{}", "a".repeat(8_000));
    Answer::to(client.get(host.url(&long))).await.problem("a long path", 404, "not_found");
    for (method, path, allow) in [
        (Method::PUT, "/devices", "GET"),
        (Method::POST, "/devices", "GET"),
        (Method::DELETE, "/devices/phone", "GET"),
        (Method::GET, "/devices/phone/tap", "POST"),
        (Method::PATCH, "/devices/phone/tap", "POST"),
        (Method::OPTIONS, "/devices/phone/tap", "POST"),
        (Method::POST, "/openapi.json", "GET"),
        (Method::POST, "/healthz", "GET"),
    ] {
        let how = format!("{method} {path}");
        let answer = Answer::to(client.request(method, host.url(path)).header("content-type", JSON)).await;
        answer.problem(&how, 405, "not_found");
        let allowed = answer.headers.get("allow").and_then(|allow| allow.to_str().ok()).unwrap_or_default();
        assert!(allowed.contains(allow), "{how}: Allow is {allowed:?}");
    }
    let reading = |path: &str| client.get(host.url(path));
    for (how, request) in [
        ("a GET with a body", reading("/devices").header("content-type", JSON).body("{}")),
        ("a GET with a body", reading("/devices/phone/tree").body("x")),
        ("a query without such an argument", reading("/devices?nonsense=1")),
        ("a device in a query that takes none", reading("/devices?device_id=phone")),
        ("a number that is none", reading("/devices/phone/tree?max_tokens=many")),
        ("NaN in a query", reading("/devices/phone/tree?max_tokens=NaN")),
        ("a hexadecimal number", reading("/devices/phone/tree?max_tokens=0x100")),
        ("1e999 in a query", reading("/devices/phone/tree?max_tokens=1e999")),
        ("no value", reading("/devices/phone/tree?max_tokens=")),
        ("a truth that is none", reading("/devices/phone/tree?interactive_only=yes")),
        ("an unknown format", reading("/devices/phone/tree?format=xml")),
        ("a name twice", reading("/devices/phone/tree?max_tokens=1000&max_tokens=2000")),
        ("path and query disagree", reading("/devices/phone/tree?device_id=other")),
        ("no UTF-8 in a query", reading("/devices/phone/tree?within=%ff%fe")),
        ("no UTF-8 in a path", reading("/devices/%ff/tree")),
        ("query and body disagree", post(&host, "/devices/phone/tap?x=1", r#"{"x": 2, "y": 2}"#)),
        ("a client's name with control characters", reading("/devices").header("x-client-id", "a\tb")),
        ("a long client's name", reading("/devices").header("x-client-id", "a".repeat(1000))),
    ] {
        Answer::to(request).await.problem(how, 400, "invalid_arguments");
    }
    // The same value twice is no contradiction.
    let twice = reading("/devices/phone/tree?max_tokens=1000&max_tokens=1000&device_id=phone");
    assert_eq!(Answer::to(twice).await.status, 200);
    assert_eq!(Answer::to(post(&host, "/devices/phone/tap?x=200", r#"{"x": 200.0, "y": 20}"#)).await.status, 200);
    for path in ["/devices/a%2Fb/tree", "/devices//tree", "/devices/%00/tree"] {
        Answer::to(reading(path)).await.problem(path, 404, "device_not_found");
    }
    lives(&host).await;
}

#[tokio::test]
async fn bodies_that_are_too_large() {
    let host = Host::with_virtual_phone().await;
    let ten = 10 << 20;
    let text = format!("{{\"text\": \"{}\"}}", "a".repeat(ten));
    for path in ["/devices/phone/tap", "/devices/phone/input", "/mcp"] {
        let request = post(&host, path, text.clone()).header("accept", "application/json, text/event-stream");
        Answer::to(request).await.problem(path, 413, "invalid_arguments");
        let zeros = post(&host, path, vec![b' '; ten]).header("accept", "application/json, text/event-stream");
        Answer::to(zeros).await.problem(path, 413, "invalid_arguments");
    }
    // In pieces, so that nothing announces the size.
    let address = host.address;
    let head = tokio::task::spawn_blocking(move || {
        let mut stream = std::net::TcpStream::connect(address).expect("connected");
        let head = format!(
            "POST /devices/phone/tap HTTP/1.1\r\nhost: {address}\r\ncontent-type: {JSON}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let piece = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
        for _ in 0..10 {
            stream.write_all(piece.as_bytes()).expect("sent");
        }
        stream.write_all(b"0\r\n\r\n").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        answer
    });
    let answer = head.await.expect("answered");
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("invalid_arguments"), "{answer}");
    lives(&host).await;
}

#[tokio::test]
async fn row_108_foreign_hosts_and_origins_are_refused() {
    let host = Host::with_virtual_phone().await;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }).to_string();
    for path in ["/devices/phone/tap", "/mcp", "/devices", "/openapi.json", "/plugins", "/nothing", "/healthz", "/"] {
        for (name, value) in [
            ("host", "evil.example"),
            ("host", "evil.example:80"),
            ("host", "localhost.evil.example"),
            ("host", "127.0.0.1.evil.example"),
            ("host", ""),
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1.evil.example"),
            ("origin", "file://"),
        ] {
            let how = format!("{path} with {name} {value:?}");
            let body = if path == "/mcp" { call.clone() } else { r#"{"x": 200, "y": 20}"#.to_owned() };
            let request = match path {
                "/devices/phone/tap" | "/mcp" => post(&host, path, body),
                _ => host.client().get(host.url(path)),
            };
            let request = request.header("accept", "application/json, text/event-stream").header(name, value);
            Answer::to(request).await.problem(&how, 403, "forbidden");
        }
    }
    // What a page of this machine may.
    for (name, value) in [("origin", "http://localhost:3000"), ("host", "localhost"), ("host", "[::1]:7311")] {
        let answer = Answer::to(host.client().get(host.url("/devices")).header(name, value)).await;
        assert_eq!(answer.status, 200, "{name} {value}: {}", answer.text);
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{:?}", answer.headers);
    }
    let (_, status) = host.get("/devices/phone").await;
    assert_eq!(status["device"]["status"], "idle", "a foreign caller took the phone");
    lives(&host).await;
}

/// A JSON-RPC message of the newer era, with headers that fit.
fn message(host: &Host, method: &str, tool: Option<&str>, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
    let request = post(host, "/mcp", body)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    match tool {
        Some(tool) => request.header("mcp-name", tool),
        None => request,
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

fn tool_call(arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"tap","arguments":{arguments},{META}}}}}"#
    )
}

#[tokio::test]
async fn messages_that_are_no_calls() {
    let host = Host::with_virtual_phone().await;
    let unread = |how: &str, answer: &Answer, number: i64| {
        assert!((400..500).contains(&answer.status), "{how}: {} {}", answer.status, answer.text);
        let body = answer.json();
        assert_eq!((&body["jsonrpc"], &body["error"]["code"]), (&json!("2.0"), &json!(number)), "{how}: {body}");
        assert!(
            body["error"]["message"].as_str().is_some_and(|text| text.len() > 10 && text.len() < 500),
            "{how}: {body}"
        );
        clear(how, &body["error"]["data"]);
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("half an object", b"{\"jsonrpc\":".to_vec()),
        ("no UTF-8", b"{\"jsonrpc\": \"\xff\"}".to_vec()),
        ("NaN", tool_call(r#"{"x": NaN, "y": 2}"#).into_bytes()),
        ("Infinity", tool_call(r#"{"x": 1, "y": Infinity}"#).into_bytes()),
        ("1e999", tool_call(r#"{"x": 1e999, "y": 2}"#).into_bytes()),
        ("deep nesting", tool_call(&deep(100_000)).into_bytes()),
        ("only bytes", vec![0; 64]),
    ];
    for (how, body) in cases {
        unread(how, &Answer::to(message(&host, "tools/call", Some("tap"), body)).await, -32700);
    }
    for (how, body) in [
        ("a text", "\"tap\""),
        ("an array", "[]"),
        ("an object", "{}"),
        ("a wrong version", r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#),
        ("a method that is a number", r#"{"jsonrpc":"2.0","id":1,"method":7}"#),
    ] {
        unread(how, &Answer::to(message(&host, "tools/call", Some("tap"), body)).await, -32600);
    }
    let untyped = host.client().post(host.url("/mcp")).body(tool_call("{}"));
    Answer::to(untyped).await.problem("no media type", 415, "invalid_arguments");
    let form = host.client().post(host.url("/mcp")).header("content-type", "text/plain").body(tool_call("{}"));
    Answer::to(form).await.problem("plain text", 415, "invalid_arguments");
    for method in [Method::PUT, Method::PATCH, Method::GET] {
        let how = method.to_string();
        let answer =
            Answer::to(host.client().request(method, host.url("/mcp")).header("accept", "text/event-stream")).await;
        assert!((400..500).contains(&answer.status), "{how}: {}", answer.status);
        assert!(answer.text.len() > 10 && answer.json().is_object(), "{how}: {}", answer.text);
    }
    lives(&host).await;
}

#[tokio::test]
async fn calls_of_tools_that_make_no_sense() {
    let host = Host::with_virtual_phone().await;
    let mcp = Mcp::new(&host, "rest");
    assert_eq!(host.get("/devices/phone/tree").await.0, 200);
    let long = "a".repeat(100_000);
    for (how, arguments, code) in [
        ("a text for a number", json!({ "x": "1", "y": 2 }), "invalid_arguments"),
        ("a list for a number", json!({ "x": [1], "y": 2 }), "invalid_arguments"),
        ("one of two", json!({ "x": 1 }), "invalid_arguments"),
        ("nothing", json!({}), "invalid_arguments"),
        ("an unknown field", json!({ "x": 1, "y": 2, "z": 3 }), "invalid_arguments"),
        ("a long unknown field", json!({ (long.clone()): 3 }), "invalid_arguments"),
        ("a long text", json!({ "text": long }), "invalid_arguments"),
        ("a device that is a number", json!({ "x": 1, "y": 2, "device_id": 7 }), "invalid_arguments"),
        ("an unknown device", json!({ "x": 1, "y": 2, "device_id": "../../etc" }), "device_not_found"),
        ("an empty device", json!({ "x": 1, "y": 2, "device_id": "" }), "device_not_found"),
        ("negative", json!({ "x": -1, "y": 2 }), "out_of_bounds"),
        ("far away", json!({ "x": 1e308, "y": 2 }), "out_of_bounds"),
        ("an endless time", json!({ "x": 1, "y": 2, "timeout_ms": 1e30 }), "invalid_arguments"),
        ("a frame that is none", json!({ "x": 1, "y": 2, "frame": "f0" }), "stale_frame"),
        ("a long lease", json!({ "x": 1, "y": 2, "lease": long }), "lease_lost"),
        ("words that are none", json!({ "element": "[[[" }), "invalid_arguments"),
        ("a ref of nothing", json!({ "element": "e99999" }), "element_stale"),
    ] {
        let (failed, body) = mcp.call("tap", arguments).await;
        assert!(failed && body["code"] == code, "{how}: {body}");
        clear(how, &body);
    }
    for (how, params) in [
        ("a list of arguments", json!({ "name": "tap", "arguments": [1, 2] })),
        ("a text of arguments", json!({ "name": "tap", "arguments": "x" })),
        ("no name", json!({ "arguments": {} })),
        ("a name that is a number", json!({ "name": 7, "arguments": {} })),
    ] {
        let answer = mcp.request("tools/call", params).await;
        assert!(
            answer["error"]["code"].is_i64()
                && answer["error"]["message"].as_str().is_some_and(|text| text.len() < 500),
            "{how}: {answer}"
        );
    }
    for name in ["fly", "TAP", "", "tap ", "../tap"] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": {},
            "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" } } } });
        let answer = Answer::to(message(&host, "tools/call", Some(name), body.to_string())).await.json();
        // An unknown tool is an error of the protocol; its data is the contract's body. (A header cannot carry some names.)
        let code = answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{name:?}: {answer}"));
        assert!(code == -32602 || (code == -32020 && name != "fly" && name != "TAP"), "{name:?}: {answer}");
        if code == -32602 {
            assert_eq!(answer["error"]["data"]["code"], "not_found", "{answer}");
            clear(name, &answer["error"]["data"]);
        }
    }
    // In the older era, which has no header that could fit or not.
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } } });
    let older = |body: &Value, session: Option<&str>| {
        let request = post(&host, "/mcp", body.to_string()).header("accept", "application/json, text/event-stream");
        match session {
            Some(session) => request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25"),
            None => request,
        }
    };
    let begun = Answer::to(older(&begin, None)).await;
    assert_eq!(begun.status, 200, "{}", begun.text);
    let session = begun.headers["mcp-session-id"].to_str().expect("text").to_owned();
    let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(Answer::to(older(&done, Some(&session))).await.status, 202);
    let call =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": long, "arguments": {} } });
    let answer = Answer::to(older(&call, Some(&session))).await;
    assert!(answer.text.len() < 2_000, "{} bytes", answer.text.len());
    let body = answer.json();
    assert_eq!(
        (&body["error"]["code"], &body["error"]["data"]["code"]),
        (&json!(-32602), &json!("not_found")),
        "{body}"
    );
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": long, "params": {} });
    let answer = Answer::to(older(&call, Some(&session))).await;
    assert!(answer.json()["error"]["code"] == -32601 && answer.text.len() < 2_000, "{} bytes", answer.text.len());
    let lost = Answer::to(older(&call, Some("no-such-session"))).await;
    assert_eq!((lost.status, &lost.json()["error"]["data"]["code"]), (404, &json!("not_found")));
    lives(&host).await;
}

/// What a caller sends is not repeated at length: 100 kB of it would fill a model's memory.
#[tokio::test]
async fn nothing_long_comes_back() {
    let host = Host::with_virtual_phone().await;
    let mcp = Mcp::new(&host, "rest");
    let long = "a".repeat(100_000);
    let mut found = Vec::new();
    for (tool, arguments) in [
        ("tap", json!({ "x": 1, "y": 2, "device_id": long })),
        ("device_status", json!({ "device_id": long })),
        ("tap", json!({ "x": 1, "y": 2, "frame": long })),
        ("tap", json!({ "x": 1, "y": 2, "lease": long })),
        ("tap", json!({ "element": long })),
        ("tap", json!({ "element": "a".repeat(1000) })),
        ("tap", json!({ "text": "a".repeat(1000) })),
        ("get_ui_tree", json!({ "within": long })),
        ("wait_for", json!({ "changed": true, "frame": long })),
        ("launch_app", json!({ "app": long })),
        ("press_button", json!({ "button": long })),
        ("input_text", json!({ "text": long })),
    ] {
        let (failed, body) = mcp.call(tool, arguments.clone()).await;
        assert!(failed, "{tool}: {body}");
        let bytes = body.to_string().len();
        if bytes > 2_500 {
            let fields = arguments.as_object().expect("an object");
            let field = fields.iter().max_by_key(|(_, value)| value.to_string().len()).expect("one").0;
            found.push(format!("{tool} with a long {field}: {bytes} bytes, {}", body["code"]));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    lives(&host).await;
}

/// What is not even HTTP, and what begins and never ends.
#[tokio::test]
async fn the_server_outlives_what_is_not_http() {
    let host = Host::with_virtual_phone().await;
    let address = host.address;
    let mut open = Vec::new();
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        vec![b'A'; 1 << 20],
        b"GET /devices HTTP/1.1\r\n\r\n".to_vec(),
        format!("GET /devices HTTP/1.1\r\nhost: {address}\r\nx: {}\r\n\r\n", "a".repeat(1 << 20)).into_bytes(),
        format!("POST /devices/phone/tap HTTP/1.1\r\nhost: {address}\r\ncontent-type: {JSON}\r\ncontent-length: 100\r\n\r\n{{").into_bytes(),
        format!("POST /devices/phone/tap HTTP/1.1\r\nhost: {address}\r\ncontent-length: -1\r\n\r\n").into_bytes(),
        format!("GET /devices HTTP/1.1\r\nhost: {address}\r\nhost: evil.example\r\n\r\n").into_bytes(),
        b"GET".to_vec(),
    ] {
        let mut stream = std::net::TcpStream::connect(address).expect("connected");
        // The server may hang up in the middle of it.
        let _ = stream.write_all(&bytes);
        open.push(stream);
    }
    lives(&host).await;
    drop(open);
    lives(&host).await;
}
