//! The MCP door by raw messages: both eras over HTTP, and stdio.

use super::{Server, fixture};
use crate::gateway::mcp::serve_pipes_for_tests as serve_pipes;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex, atomic::Ordering::SeqCst},
    time::{Duration, Instant},
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Era {
    Legacy,
    Modern,
}

fn post(server: &Server, message: &Value) -> RequestBuilder {
    server.request(Method::POST, "/mcp").json(message).header("accept", "application/json, text/event-stream")
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"}
    })
}

pub fn modern(server: &Server, method: &str, params: Value) -> RequestBuilder {
    let mut params = params;
    params["_meta"] = meta();
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let request = post(server, &json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}));
    let request = request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    if name.is_empty() { request } else { request.header("mcp-name", name) }
}

/// The message of an answer, be it plain JSON or a stream.
async fn message(response: Response) -> Value {
    let text = response.text().await.unwrap();
    if let Ok(message) = serde_json::from_str(&text) {
        return message;
    }
    let data =
        text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).find(|data| data.starts_with('{'));
    serde_json::from_str(data.unwrap_or_else(|| panic!("no message in {text:?}"))).unwrap()
}

async fn begin(server: &Server) -> String {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old tester", "version": "1"}
    }});
    let response = post(server, &hello).send().await.unwrap();
    let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let answer = message(response).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "fingertip");
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert!(answer["result"]["instructions"].as_str().unwrap().len() < 2048);
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(in_session(server, &session, &ready).send().await.unwrap().status(), 202);
    session
}

fn in_session(server: &Server, session: &str, message: &Value) -> RequestBuilder {
    post(server, message).header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25")
}

fn tool_call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// Calls a tool and gives its result.
pub async fn call(server: &Server, era: Era, tool: &str, arguments: &Value) -> Value {
    let response = match era {
        Era::Modern => modern(server, "tools/call", json!({"name": tool, "arguments": arguments})).send().await,
        Era::Legacy => {
            let session = begin(server).await;
            in_session(server, &session, &tool_call(2, tool, arguments)).send().await
        }
    };
    let answer = message(response.unwrap()).await;
    assert!(answer.get("result").is_some(), "{answer}");
    answer["result"].clone()
}

#[tokio::test]
async fn tools_are_listed_as_declared() {
    let server = Server::start().await;
    let response = modern(&server, "tools/list", json!({})).send().await.unwrap();
    let modern_list = message(response).await["result"].clone();
    let session = begin(&server).await;
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let legacy = message(in_session(&server, &session, &list).send().await.unwrap()).await;
    assert_eq!(modern_list["tools"], legacy["result"]["tools"]);
    let tools = modern_list["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 10);
    for tool in tools {
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{tool}");
        }
        assert_eq!((&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]), (&json!("object"), &json!("object")));
        assert!(!tool.to_string().contains("\"format\":\"uint"), "{tool}");
    }
    let tap = tools.iter().find(|tool| tool["name"] == "tap").unwrap();
    insta::assert_json_snapshot!("tool", tap);
    let page = message(modern(&server, "tools/list", json!({"cursor": "x"})).send().await.unwrap()).await;
    assert_eq!(page["error"]["code"], -32602);
}

#[tokio::test]
async fn discovery_names_the_server() {
    let server = Server::start().await;
    let found = message(modern(&server, "server/discover", json!({})).send().await.unwrap()).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    for version in ["2025-11-25", "2026-07-28"] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    assert_eq!(found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["title"], "Fingertip");
}

#[tokio::test]
async fn prose_is_sent_as_prose() {
    let server = Server::start().await;
    for era in [Era::Modern, Era::Legacy] {
        let result = call(&server, era, "get_ui_tree", &json!({})).await;
        assert_eq!(result["content"][0]["text"], result["structuredContent"]["text"]);
        assert_eq!(result["content"][1]["text"], r#"{"frame":"f1"}"#);
        let result = call(&server, era, "tap", &json!({"x": 1, "y": 1})).await;
        assert_eq!(result["content"][0]["text"], result["structuredContent"].to_string());
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_that_clients_cannot_take_is_refused() {
    let server = Server::start().await;
    let fits = call(&server, Era::Modern, "take_screenshot", &json!({"bytes": 600_000})).await;
    assert_eq!(fits["isError"], false);
    let large = call(&server, Era::Modern, "take_screenshot", &json!({"bytes": 700_000})).await;
    assert_eq!((&large["isError"], &large["structuredContent"]["code"]), (&json!(true), &json!("invalid_arguments")));
}

#[tokio::test]
async fn unknown_tools_are_a_protocol_error() {
    let server = Server::start().await;
    let session = begin(&server).await;
    for response in [
        modern(&server, "tools/call", json!({"name": "tapp", "arguments": {}})).send().await.unwrap(),
        in_session(&server, &session, &tool_call(2, "tapp", &json!({}))).send().await.unwrap(),
    ] {
        let answer = message(response).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("Did you mean tap?"), "{answer}");
        assert_eq!(answer["error"]["data"]["code"], "not_found");
    }
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_a_protocol_error() {
    let server = Server::start().await;
    let session = begin(&server).await;
    for params in [
        json!({"name": "tap", "arguments": "x"}),
        json!({"name": "tap", "arguments": [1]}),
        json!({"arguments": {}}),
        json!({"name": 3}),
    ] {
        let message_of = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params});
        let answer = message(in_session(&server, &session, &message_of).send().await.unwrap()).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let null = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "list_devices", "arguments": null}});
    let answer = message(in_session(&server, &session, &null).send().await.unwrap()).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let unknown = json!({"jsonrpc": "2.0", "id": 5, "method": "nope/nope"});
    let answer = message(in_session(&server, &session, &unknown).send().await.unwrap()).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test]
async fn callers_are_told_apart() {
    let server = Server::start().await;
    let who = call(&server, Era::Modern, "whoami", &json!({})).await["structuredContent"].clone();
    assert_eq!((&who["session"], &who["client"]), (&json!(null), &json!("local/tester")));
    let session = begin(&server).await;
    let answer = in_session(&server, &session, &tool_call(2, "whoami", &json!({}))).send().await.unwrap();
    let who = message(answer).await["result"]["structuredContent"].clone();
    assert_eq!((&who["session"], &who["client"]), (&json!(format!("mcp:{session}")), &json!("local/old tester")));
    // A session cannot be borrowed by a call of the era that has none.
    let request =
        modern(&server, "tools/call", json!({"name": "whoami", "arguments": {}})).header("mcp-session-id", &session);
    let who = message(request.send().await.unwrap()).await["result"]["structuredContent"].clone();
    assert_eq!(who["session"], Value::Null);
}

#[tokio::test]
async fn the_end_of_a_session_is_told_once() {
    let server = Server::start().await;
    let session = begin(&server).await;
    let end = server.request(Method::DELETE, "/mcp").header("mcp-session-id", &session);
    let end = end.header("mcp-protocol-version", "2025-11-25").header("accept", "application/json");
    assert_eq!(end.send().await.unwrap().status(), 204);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(server.ended(), [format!("mcp:{session}")]);
    let late = in_session(&server, &session, &tool_call(2, "whoami", &json!({}))).send().await.unwrap();
    assert_eq!(late.status(), 404);
    assert_eq!(message(late).await["error"]["data"]["code"], "not_found");
}

#[tokio::test]
async fn bad_messages_are_refused_clearly() {
    let server = Server::start().await;
    let raw = |body: &'static str| {
        let request = server.request(Method::POST, "/mcp").header("content-type", "application/json");
        request.header("accept", "application/json, text/event-stream").body(body)
    };
    for (body, status, number) in
        [("{", 400, -32700), ("{\"x\": 1e999}", 400, -32700), ("[1]", 400, -32600), ("{}", 400, -32600)]
    {
        let response = raw(body).send().await.unwrap();
        assert_eq!(response.status(), status, "{body}");
        let answer = message(response).await;
        assert_eq!(answer["error"]["code"], number, "{body}");
        assert!(!answer.to_string().contains("deserialize"), "{answer}");
    }
    super::problem(raw("{}").header("content-type", "text/plain"), 415, "invalid_arguments").await;
    let large =
        server.request(Method::POST, "/mcp").header("content-type", "application/json").body(vec![b' '; 10 << 20]);
    super::problem(large, 413, "invalid_arguments").await;
    let other = raw("{}").header("accept", "text/html");
    let other = other.build().map(|mut request| {
        request.headers_mut().insert("accept", "text/html".parse().unwrap());
        request
    });
    let response = server.client.execute(other.unwrap()).await.unwrap();
    assert_eq!(response.status(), 406);
    assert!(message(response).await["error"]["message"].as_str().unwrap().contains("Accept"));
    let unsessioned = post(&server, &tool_call(2, "whoami", &json!({}))).send().await.unwrap();
    assert_eq!(unsessioned.status(), 400);
    assert_eq!(message(unsessioned).await["error"]["code"], -32600);
    assert_eq!(call(&server, Era::Modern, "whoami", &json!({})).await["isError"], false, "the server lives");
}

#[tokio::test]
async fn leaving_ends_a_modern_call() {
    let server = Server::start().await;
    let request = modern(&server, "tools/call", json!({"name": "wait_for", "arguments": {"ms": 60_000}}));
    assert!(request.timeout(Duration::from_millis(200)).send().await.unwrap_err().is_timeout());
    for _ in 0..100 {
        if server.seen.dropped.load(SeqCst) == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the call goes on");
}

#[tokio::test]
async fn a_notice_ends_a_legacy_call() {
    let server = Server::start().await;
    let session = begin(&server).await;
    let wait = in_session(&server, &session, &tool_call(9, "wait_for", &json!({"ms": 60_000})));
    let wait = tokio::spawn(wait.timeout(Duration::from_secs(5)).send());
    tokio::time::sleep(Duration::from_millis(200)).await;
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    in_session(&server, &session, &notice).send().await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(server.seen.dropped.load(SeqCst), 1);
    wait.abort();
}

/// Guards TCP_NODELAY: without it a streamed answer takes 40 ms and more.
#[tokio::test]
async fn legacy_answers_are_not_delayed() {
    let server = Server::start().await;
    let session = begin(&server).await;
    let mut best = Duration::MAX;
    for id in 10..20 {
        let began = Instant::now();
        let response = in_session(&server, &session, &tool_call(id, "list_devices", &json!({}))).send().await.unwrap();
        message(response).await;
        best = best.min(began.elapsed());
    }
    assert!(best < Duration::from_millis(30), "{best:?}");
}

/// The client's end of a server on pipes.
struct Pipes {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: tokio::task::JoinHandle<std::io::Result<()>>,
    ended: Arc<Mutex<Vec<String>>>,
    seen: Arc<fixture::Seen>,
}

impl Pipes {
    fn open() -> Pipes {
        let (catalogue, seen) = fixture::catalogue();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(theirs);
        let ended = Arc::new(Mutex::new(Vec::new()));
        let ends = ended.clone();
        let on_end = Arc::new(move |session: &str| ends.lock().unwrap().push(session.to_owned()));
        let served = tokio::spawn(async move { serve_pipes(catalogue, "stdio:1", on_end, input, output).await });
        let (from, to) = tokio::io::split(ours);
        Pipes { to, from: BufReader::new(from).lines(), served, ended, seen }
    }

    async fn send(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.receive().await
    }

    async fn receive(&mut self) -> Value {
        let line =
            tokio::time::timeout(Duration::from_secs(60), self.from.next_line()).await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn close(mut self) -> Duration {
        let began = Instant::now();
        self.to.shutdown().await.unwrap();
        tokio::time::timeout(Duration::from_secs(5), self.served).await.unwrap().unwrap().unwrap();
        assert_eq!(*self.ended.lock().unwrap(), ["stdio:1"]);
        began.elapsed()
    }
}

#[tokio::test]
async fn stdio_in_both_eras() {
    let mut modern = Pipes::open();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "whoami", "arguments": {}, "_meta": meta()}});
    let who = modern.ask(&call).await["result"]["structuredContent"].clone();
    assert_eq!((&who["session"], &who["client"]), (&json!("stdio:1"), &json!("tester")));
    assert!(modern.close().await < Duration::from_millis(500));

    let mut legacy = Pipes::open();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}
    }});
    assert_eq!(legacy.ask(&hello).await["result"]["protocolVersion"], "2025-11-25");
    legacy.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let who = legacy.ask(&tool_call(2, "whoami", &json!({}))).await["result"]["structuredContent"].clone();
    assert_eq!((&who["session"], &who["client"]), (&json!("stdio:1"), &json!("old")));
    let failed = legacy.ask(&tool_call(3, "explode", &json!({}))).await;
    assert_eq!(failed["result"]["structuredContent"]["code"], "internal");
    let answer = legacy.ask(&tool_call(4, "whoami", &json!({}))).await;
    assert!(answer["result"].is_object(), "{answer}");
    assert!(legacy.close().await < Duration::from_millis(500));
}

#[tokio::test]
async fn stdio_ends_promptly() {
    assert!(Pipes::open().close().await < Duration::from_millis(500), "without a word");
    let mut busy = Pipes::open();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "wait_for", "arguments": {"ms": 60_000}, "_meta": meta()}});
    busy.send(&call).await;
    while busy.seen.begun.load(SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let seen = busy.seen.clone();
    assert!(busy.close().await < Duration::from_secs(2), "with a call running");
    assert_eq!(seen.dropped.load(SeqCst), 1);
    // A call that is nearly done is still answered.
    let mut quick = Pipes::open();
    quick
        .send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "wait_for", "arguments": {"ms": 100}, "_meta": meta()}}))
        .await;
    quick.to.shutdown().await.unwrap();
    let line = quick.from.next_line().await.unwrap().unwrap();
    assert!(line.contains("\"waited_ms\":100"), "{line}");
}

fn modern_call(id: impl Into<Value>, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta()}})
}

fn assert_refused(how: &str, answer: &Value, number: i64, id: &Value) {
    assert_eq!((&answer["jsonrpc"], &answer["error"]["code"]), (&json!("2.0"), &json!(number)), "{how}: {answer}");
    assert_eq!(answer.get("id"), Some(id), "{how}: {answer}");
    let data = &answer["error"]["data"];
    assert_eq!((&data["code"], &data["outcome"]), (&json!("invalid_arguments"), &json!("not_done")), "{how}: {data}");
    assert_eq!(data["retryable"], false, "{how}: {data}");
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{how}: {answer}")).to_owned();
    assert!(text(&data["request_id"]).starts_with("r-"), "{how}: {data}");
    let message = format!("{}. {}", text(&data["message"]), text(&data["hint"]));
    assert_eq!(text(&answer["error"]["message"]), message, "{how}");
}

#[tokio::test]
async fn stdio_answers_lines_that_are_not_json() {
    let mut pipes = Pipes::open();
    let call =
        |x: &str| modern_call(5, "whoami", &json!({"x": "HERE"})).to_string().replace("\"HERE\"", x).into_bytes();
    let cases: Vec<(&str, Vec<u8>, Value)> = vec![
        ("words", b"this is not JSON".to_vec(), Value::Null),
        ("half an object", br#"{"id":"a","#.to_vec(), json!("a")),
        ("no UTF-8", b"{\"id\":3,\"text\":\"\xff\"}".to_vec(), json!(3)),
        ("a lone surrogate", br#"{"id":3,"text":"\ud800"}"#.to_vec(), json!(3)),
        ("NaN", call("NaN"), json!(5)),
        ("1e999", call("1e999"), json!(5)),
        ("deep nesting", call(&"[".repeat(100_000)), json!(5)),
        ("an id further down", br#"{"params":{"id":3},}"#.to_vec(), Value::Null),
        ("only bytes", vec![0; 64], Value::Null),
    ];
    for (how, mut line, id) in cases {
        line.push(b'\n');
        pipes.to.write_all(&line).await.unwrap();
        let answer = pipes.receive().await;
        assert_refused(how, &answer, -32700, &id);
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!(message.contains("not finite"), how == "1e999", "{message}");
        // Blank lines are no messages, and a mark of the byte order belongs to none.
        pipes.to.write_all(b"\n \t\r\n\r\n\xEF\xBB\xBF").await.unwrap();
        assert_eq!(pipes.ask(&modern_call(6, "whoami", &json!({}))).await["id"], 6, "{how}");
    }
    // All in one piece, and in order where the order is ours.
    // A session's ids are used once: of two calls under one id only one is answered while both run.
    let [good, fine] = ["good", "fine"].map(|id| modern_call(id, "whoami", &json!({})));
    pipes.to.write_all(format!("{{\"id\":1\n{good}\n\n{{\"id\":2\n{fine}\n").as_bytes()).await.unwrap();
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(pipes.receive().await["id"].clone());
    }
    assert!(answers.contains(&good["id"]) && answers.contains(&fine["id"]), "{answers:?}");
    answers.retain(Value::is_number);
    assert_eq!(answers, [json!(1), json!(2)]);
    assert!(pipes.close().await < Duration::from_millis(500));
    // The last words of a client that leaves are answered too.
    let mut hasty = Pipes::open();
    hasty.to.write_all(b"nonsense\n").await.unwrap();
    hasty.to.shutdown().await.unwrap();
    assert_refused("hasty", &hasty.receive().await, -32700, &Value::Null);
    assert!(hasty.close().await < Duration::from_millis(500));
}

#[tokio::test]
async fn stdio_answers_lines_that_are_too_long() {
    const MOST: usize = 4 << 20;
    let mut pipes = Pipes::open();
    let padded = |line: String, length: usize| {
        let blanks = " ".repeat(length - line.len());
        line.replacen(',', &format!(",{blanks}"), 1)
    };
    let call = modern_call(8, "whoami", &json!({})).to_string();
    let long = "a".repeat(20 << 20);
    for (how, line, id) in [
        ("a byte too long", padded(call.clone(), MOST + 1), json!(8)),
        ("the id first", format!(r#"{{"id":"first","text":"{long}"}}"#), json!("first")),
        ("the id last", format!(r#"{{"params":{{"id":3,"text":"{long}"}},"id":9}}"#), json!(9)),
        ("not even JSON", long.clone(), Value::Null),
    ] {
        pipes.to.write_all(format!("{line}\n{call}\n").as_bytes()).await.unwrap();
        assert_refused(how, &pipes.receive().await, -32600, &id);
        assert!(pipes.receive().await["result"].is_object(), "{how}: the next line is read");
    }
    let longest = format!("{}\n", padded(call, MOST));
    pipes.to.write_all(longest.as_bytes()).await.unwrap();
    assert!(pipes.receive().await["result"].is_object(), "the longest line");
    // One that never ends is answered once the client has.
    pipes.to.write_all(long.as_bytes()).await.unwrap();
    pipes.to.shutdown().await.unwrap();
    assert_refused("endless", &pipes.receive().await, -32600, &Value::Null);
    assert!(pipes.close().await < Duration::from_millis(500));
}

/// An answer of our own begins only where one of the SDK's has ended, however slowly the client reads.
#[tokio::test]
async fn stdio_answers_do_not_mix() {
    const EACH: usize = 200;
    let (catalogue, _) = fixture::catalogue();
    let (mut to, input) = tokio::io::duplex(1 << 20);
    let (output, from) = tokio::io::duplex(7);
    let on_end = Arc::new(|_: &str| {});
    let served = tokio::spawn(async move { serve_pipes(catalogue, "stdio:1", on_end, input, output).await });
    for id in 0..EACH {
        let call = modern_call(id, "whoami", &json!({}));
        to.write_all(format!("{call}\n{{\"id\":\"bad {id}\"\n").as_bytes()).await.unwrap();
    }
    let mut lines = BufReader::new(from).lines();
    let (mut good, mut bad) = (0, Vec::new());
    for _ in 0..2 * EACH {
        let line = tokio::time::timeout(Duration::from_secs(5), lines.next_line()).await.unwrap().unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        match message["error"].is_object() {
            true => bad.push(message["id"].clone()),
            false => good += 1,
        }
    }
    let expected: Vec<Value> = (0..EACH).map(|id| json!(format!("bad {id}"))).collect();
    assert_eq!((good, bad), (EACH, expected));
    drop(to);
    served.await.unwrap().unwrap();
}
