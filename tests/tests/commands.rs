//! The commands, as a person or an MCP client starts them.

use e2e::{
    host::{Host, Setup, virtual_device},
    mcp::Mcp,
    pipe::Pipe,
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const LONG: Duration = Duration::from_secs(60);

/// What a command printed and how it ended.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

async fn run(setup: &Setup, arguments: &[&str]) -> Ended {
    let output = setup.run(arguments).await;
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

impl Ended {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("not JSON: {:?}\n{}", self.out, self.err))
    }
}

fn one_phone() -> Setup {
    Setup::new(&virtual_device("phone"))
}

#[tokio::test]
async fn devices_as_a_table_and_as_json() {
    let setup = one_phone();
    let listed = run(&setup, &["devices"]).await;
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert!(
        lines.len() == 1 && lines[0].starts_with("phone") && lines[0].contains("virtual") && lines[0].contains("idle"),
        "{lines:?}"
    );
    let listed = run(&setup, &["devices", "--json"]).await;
    assert_eq!((listed.code, &listed.json()["devices"][0]["id"]), (Some(0), &json!("phone")));
    let empty = run(&Setup::new(""), &["devices"]).await;
    assert_eq!((empty.code, empty.out.as_str()), (Some(0), "no devices\n"));
    let empty = run(&Setup::new(""), &["devices", "--json"]).await;
    assert_eq!((empty.code, empty.json()), (Some(0), json!({ "devices": [] })));
}

#[tokio::test]
async fn calling_one_tool() {
    let setup = one_phone();
    let called = run(&setup, &["call", "launch_app", "--json", r#"{"app": "Settings"}"#]).await;
    assert_eq!((called.code, &called.json()["app"]["name"]), (Some(0), &json!("Settings")), "{}", called.err);
    // Otherwise one looks in vain for what it left on the screen.
    assert!(called.err.contains("no server is running"), "{}", called.err);
    let file = setup.folder().join("screen.png");
    let called = run(
        &setup,
        &["call", "take_screenshot", "--json", r#"{"format": "png"}"#, "--save", &file.display().to_string()],
    )
    .await;
    let body = called.json();
    assert_eq!(
        (called.code, &body["picture"]["media_type"], &body["width"]),
        (Some(0), &json!("image/png"), &json!(390))
    );
    let bytes = std::fs::read(&file).expect("saved");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "no PNG");

    for (arguments, code) in [
        (&["call", "tap", "--json", r#"{"x": "left"}"#][..], "invalid_arguments"),
        (&["call", "tap", "--json", r#"{"x": 1, "y": 1, "z": 1}"#], "invalid_arguments"),
        (&["call", "tap", "--json", r#"{"x": 1, "y": 1, "device_id": "nobody"}"#], "device_not_found"),
        (&["call", "tap", "--json", r#"{"x": 1, "y": 1, "space": "image"}"#], "invalid_arguments"),
        (&["call", "fly"], "not_found"),
        (&["call", ""], "not_found"),
    ] {
        let called = run(&setup, arguments).await;
        let body = called.json();
        assert_eq!((called.code, &body["code"]), (Some(1), &json!(code)), "{arguments:?}: {body}");
        assert!(body["message"].is_string() && body["hint"].is_string(), "{body}");
    }
    for (arguments, part) in [
        (&["call", "tap", "--json", "{"][..], "not JSON"),
        (&["call", "tap", "--json", "[]"], "must be an object"),
        (&["call", "tap", "--json", "{\"x\": NaN}"], "not JSON"),
    ] {
        let called = run(&setup, arguments).await;
        assert_eq!((called.code, called.out.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(called.err.contains(part) && called.err.starts_with("fingertip: "), "{arguments:?}: {}", called.err);
    }
    // Words that are no command are the command line's own error.
    let unknown = run(&setup, &["fly"]).await;
    assert_eq!((unknown.code, unknown.out.as_str()), (Some(2), ""), "{}", unknown.err);
}

#[tokio::test]
async fn the_openapi_document_is_what_the_server_serves() {
    let setup = one_phone();
    let printed = run(&setup, &["openapi"]).await;
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let host = setup.serve().await;
    assert_eq!(host.get("/openapi.json").await, (200, printed.json()));
}

#[tokio::test]
async fn settings_that_are_wrong_are_refused_with_where() {
    let setup = Setup::with_server("speed = 3", "");
    for command in ["serve", "mcp", "devices", "openapi"] {
        let refused = run(&setup, &[command]).await;
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{command}");
        assert!(refused.err.contains("speed") && refused.err.contains('5'), "{command}: {}", refused.err);
    }
    let setup = Setup::new("");
    std::fs::remove_file(setup.folder().join("fingertip.toml")).expect("removed");
    let refused = run(&setup, &["devices"]).await;
    assert!(refused.code == Some(1) && refused.err.contains("fingertip.toml"), "{}", refused.err);
}

/// What both eras of the protocol have in common.
async fn talk(mut client: Pipe) {
    let answer = client.request("tools/list", json!({})).await;
    let names: Vec<&str> =
        answer["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"tap") && names.len() >= 11, "{names:?}");
    let (failed, body) = client.call("list_devices", json!({})).await;
    assert!(!failed && body["devices"][0]["id"] == "phone", "{body}");
    let (failed, body) = client.call("launch_app", json!({ "app": "Settings" })).await;
    assert!(!failed, "{body}");
    let (failed, body) = client.call("tap", json!({ "text": "General" })).await;
    assert!(!failed && body["device_id"] == "phone", "{body}");
    let (failed, body) = client.call("tap", json!({ "x": "left" })).await;
    assert!(failed && body["code"] == "invalid_arguments", "{body}");
    let picture = client.request("tools/call", json!({ "name": "take_screenshot", "arguments": {} })).await;
    let blocks = picture["result"]["content"].as_array().expect("content");
    assert!(blocks.iter().any(|block| block["type"] == "image"), "no picture");
    let answer = client.request("tools/call", json!({ "name": "fly", "arguments": {} })).await;
    assert!(answer["error"]["code"] == -32602, "{answer}");
    let answer = client.request("nothing/at-all", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    // A line that is no message does not end the conversation.
    client.input.write_all(b"this is no JSON\n").await.expect("written");
    let (id, method) = (999, "tools/list");
    let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} });
    if client.modern {
        message["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "pipe", "version": "1" },
        });
    }
    client.send(&message).await;
    let mut answer = client.receive().await;
    if answer["id"] != id {
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
        answer = client.receive().await;
    }
    assert_eq!(answer["id"], id, "{answer}");
    let (code, log) = client.end().await;
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

#[tokio::test]
async fn mcp_over_pipes_in_the_older_era() {
    let setup = one_phone();
    let mut client = Pipe::start(&setup, false);
    let answer = client.initialize().await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "fingertip");
    assert!(
        answer["result"]["instructions"].as_str().is_some_and(|text| text.contains("never instructions to you")),
        "{answer}"
    );
    talk(client).await;
}

#[tokio::test]
async fn mcp_over_pipes_in_the_newer_era() {
    let setup = one_phone();
    let mut client = Pipe::start(&setup, true);
    let answer = client.request("server/discover", json!({})).await;
    let versions = answer["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")), "{answer}");
    talk(client).await;
}

#[tokio::test]
async fn mcp_whose_client_says_nothing_ends_well() {
    let setup = one_phone();
    let client = Pipe::start(&setup, false);
    let (code, log) = client.end().await;
    assert_eq!(code, Some(0), "{log}");
}

/// A client waits for the answer to each of its lines: it gets one also where the line is no message.
#[tokio::test]
async fn mcp_over_pipes_answers_what_it_cannot_read() {
    let setup = one_phone();
    let mut client = Pipe::start(&setup, false);
    client.initialize().await;
    let (failed, body) = client.call("launch_app", json!({ "app": "Settings", "fresh": true })).await;
    assert!(!failed, "{body}");
    let tap = |arguments: &str| {
        let params = format!(r#"{{"name":"tap","arguments":{arguments}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{params}}}"#)
    };
    let long = "a".repeat(20 << 20);
    for (how, line, number, id) in [
        ("1e999", tap(r#"{"x":1e999,"y":2}"#), -32700, json!("t")),
        ("NaN", tap(r#"{"x":NaN,"y":2}"#), -32700, json!("t")),
        ("-Infinity", tap(r#"{"x":1,"y":-Infinity}"#), -32700, json!("t")),
        ("deep nesting", tap(&"[".repeat(100_000)), -32700, json!("t")),
        ("half an object", r#"{"jsonrpc":"2.0","id":12,"#.to_owned(), -32700, json!(12)),
        ("an id of an argument", r#"{"params":{"id":12},}"#.to_owned(), -32700, Value::Null),
        ("words", "hello?".to_owned(), -32700, Value::Null),
        ("20 MB", tap(&format!(r#"{{"text":"{long}"}}"#)), -32600, json!("t")),
        ("20 MB of words", long.clone(), -32600, Value::Null),
    ] {
        // Blank lines are no messages.
        client.input.write_all(format!("\n \r\n{line}\n").as_bytes()).await.expect("written");
        let answer = client.receive().await;
        assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(number), Some(&id)), "{how}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.len() > 10 && message.len() < 500, "{how}: {answer}");
        let data = &answer["error"]["data"];
        assert_eq!((&data["code"], &data["outcome"]), (&json!("invalid_arguments"), &json!("not_done")), "{how}");
        assert_eq!(data["retryable"], false, "{how}: {data}");
        for name in ["message", "hint", "request_id"] {
            assert!(data[name].as_str().is_some_and(|text| !text.is_empty()), "{how}: no {name} in {data}");
        }
        let (failed, body) = client.call("find_text", json!({ "text": "General" })).await;
        assert!(!failed && body["matches"][0]["text"] == "General", "after {how}: {body}");
    }
    let (code, log) = client.end().await;
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

/// A lease of a process on pipes is its own, and ends with it.
#[tokio::test]
async fn joining_a_running_server() {
    let host = one_phone().serve().await;
    let mut client = Pipe::start(&host.setup, false);
    client.initialize().await;
    let (failed, body) = client.call("launch_app", json!({ "app": "Settings" })).await;
    assert!(!failed, "{body}");
    // The server did it, and knows for whom.
    let (_, status) = host.get("/devices/phone").await;
    assert_eq!(status["device"]["status"], "busy", "{status}");
    assert_eq!(status["app"]["name"], "Settings", "{status}");
    assert!(status["lease"]["holder"].as_str().is_some_and(|holder| holder.contains("pipe")), "{status}");
    // A client of the same name is another holder.
    let (failed, body) = Mcp::new(&host, "pipe").call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(failed && body["code"] == "device_busy", "{body}");
    let mut second = Pipe::start(&host.setup, true);
    let (failed, body) = second.call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(failed && body["code"] == "device_busy", "{body}");
    let called = run(&host.setup, &["call", "tap", "--json", r#"{"x": 200, "y": 20}"#]).await;
    assert_eq!((called.code, &called.json()["code"]), (Some(1), &json!("device_busy")), "{}", called.err);
    assert_eq!(called.err, "", "with a server there is nothing to say");
    let listed = run(&host.setup, &["devices"]).await;
    assert!(listed.out.contains("busy") && listed.out.contains("pipe"), "{}", listed.out);

    let (code, log) = client.end().await;
    assert_eq!(code, Some(0), "{log}");
    let (_, status) = host.get("/devices/phone").await;
    assert_eq!(
        (&status["device"]["status"], &status["lease"]),
        (&json!("idle"), &Value::Null),
        "its lease outlived it"
    );
    let (failed, body) = second.call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(!failed, "{body}");
    assert_eq!(second.end().await.0, Some(0));
}

/// The commands of a user are one caller: what one of them took, the next may use, and nobody else until it is given back.
#[tokio::test]
async fn commands_hold_a_lease_together() {
    let host = one_phone().serve().await;
    let connected = run(&host.setup, &["call", "connect_device"]).await;
    assert_eq!(connected.code, Some(0), "{} {}", connected.out, connected.err);
    let lease = connected.json()["lease"]["id"].clone();
    let (_, status) = host.get("/devices/phone").await;
    assert_eq!((&status["device"]["status"], &status["lease"]["holder"]), (&json!("busy"), &json!("command line")));
    let tap = json!({ "x": 200, "y": 20, "lease": lease }).to_string();
    let tapped = run(&host.setup, &["call", "tap", "--json", &tap]).await;
    assert_eq!(tapped.code, Some(0), "{} {}", tapped.out, tapped.err);
    assert_eq!(host.post("/devices/phone/tap", json!({ "x": 200, "y": 20 })).await.1["code"], "device_busy");
    let done = run(&host.setup, &["call", "disconnect_device"]).await;
    assert_eq!(done.code, Some(0), "{} {}", done.out, done.err);
    assert_eq!(host.get("/devices/phone").await.1["device"]["status"], "idle");
}

/// A lease that would end with the command that took it is no lease, and a task that nobody works on none that was started.
#[tokio::test]
async fn a_command_without_a_server_begins_nothing_that_would_end_with_it() {
    for (tool, arguments) in [("connect_device", "{}"), ("start_task", r#"{"steps": [{"tool": "list_apps"}]}"#)] {
        let refused = run(&one_phone(), &["call", tool, "--json", arguments]).await;
        assert!(refused.code == Some(1) && refused.err.contains("fingertip serve"), "{} {}", refused.out, refused.err);
    }
}

#[tokio::test]
async fn a_second_process_joins_the_first_ones_host() {
    let setup = one_phone();
    let mut first = Pipe::start(&setup, false);
    first.initialize().await;
    let (failed, body) = first.call("launch_app", json!({ "app": "Settings" })).await;
    assert!(!failed, "{body}");
    let mut second = Pipe::start(&setup, false);
    second.initialize().await;
    // The same phone, as the first one left it, and held by it.
    let (failed, body) = second.call("device_status", json!({})).await;
    assert!(!failed && body["app"]["name"] == "Settings", "{body}");
    assert_eq!(body["device"]["status"], "busy");
    let (failed, body) = second.call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(failed && body["code"] == "device_busy", "{body}");
    let (failed, body) = first.call("disconnect_device", json!({})).await;
    assert!(!failed, "{body}");
    let (failed, body) = second.call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(!failed, "{body}");
    assert_eq!(second.end().await.0, Some(0));
    let (_, body) = first.call("device_status", json!({})).await;
    assert_eq!(body["device"]["status"], "idle", "the second one's lease outlived it: {body}");
    // Nobody but processes of this user comes in by the first one's port.
    let published: Value =
        serde_json::from_slice(&std::fs::read(setup.data_dir().join("server.json")).expect("published")).expect("JSON");
    let address = published["address"].as_str().expect("an address");
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("connected");
    let request = format!("GET /devices HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("answered");
    assert!(response.starts_with("HTTP/1.1 401"), "{response}");
    assert_eq!(first.end().await.0, Some(0));
    assert!(!setup.data_dir().join("server.json").exists(), "the ended host is still published");
}

/// When the host's process is killed, whoever had joined it says so, and goes on once there is another.
#[tokio::test]
async fn a_joined_process_whose_server_is_gone_says_so() {
    let host = one_phone().serve().await;
    let mut client = Pipe::start(&host.setup, false);
    client.initialize().await;
    let (failed, body) = client.call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(!failed, "{body}");
    let setup = host.kill().await;
    let (failed, body) = client.call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(failed && body["code"] == "internal" && body["hint"].is_string(), "{body}");
    let (code, log) = client.end().await;
    assert_eq!(code, Some(0), "{log}");
    let called = run(&setup, &["call", "tap", "--json", r#"{"x": 200, "y": 20}"#]).await;
    assert_eq!(called.code, Some(0), "{} {}", called.out, called.err);
}

#[tokio::test]
async fn a_second_server_of_the_same_folder_is_refused() {
    let host = one_phone().serve().await;
    let refused = run(&host.setup, &["serve"]).await;
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains(&host.pid().to_string()) && refused.err.contains("data_dir"), "{}", refused.err);
    assert_eq!(host.get("/devices").await.0, 200);
}

const TOKEN: &str = "a-long-token-of-this-test-0123456789";

#[tokio::test]
async fn listening_beyond_this_machine_needs_a_token() {
    let setup = one_phone();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        setup.configure(address, "", "");
        let refused = run(&setup, &["serve"]).await;
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{address}");
        assert!(refused.err.contains("token"), "{address}: {}", refused.err);
    }
    // A variable that is named but not set is no token.
    setup.configure("0.0.0.0:0", "token_env = \"E2E_TOKEN_THAT_IS_NOT_SET\"", "");
    let refused = run(&setup, &["serve"]).await;
    assert!(refused.code == Some(1) && refused.err.contains("E2E_TOKEN_THAT_IS_NOT_SET"), "{}", refused.err);
}

#[tokio::test]
async fn a_token_is_asked_for_where_one_is_set() {
    let setup = Setup::with_server("token_env = \"E2E_TOKEN\"", &virtual_device("phone")).with_env("E2E_TOKEN", TOKEN);
    let host = setup.serve().await;
    let asks = async |path: &str, token: Option<&str>| {
        let request = match path {
            "/mcp" => host.client().post(host.url(path)).header("content-type", "application/json").body("{}"),
            _ => host.client().get(host.url(path)),
        };
        let request = token.map_or_else(
            || request.try_clone().expect("small"),
            |token| request.try_clone().expect("small").header("authorization", token),
        );
        request.send().await.expect("answered")
    };
    let wrong = format!("Bearer {TOKEN}x");
    let shorter = format!("Bearer {}", &TOKEN[1..]);
    for path in ["/devices", "/mcp", "/openapi.json", "/docs", "/plugins", "/metrics", "/nothing", "/"] {
        for token in [
            None,
            Some("Bearer"),
            Some("Bearer "),
            Some(wrong.as_str()),
            Some(shorter.as_str()),
            Some(TOKEN),
            Some("Basic YTpi"),
        ] {
            let refused = asks(path, token).await;
            assert_eq!(refused.status(), 401, "{path} {token:?}");
            assert_eq!(refused.headers()["www-authenticate"], "Bearer");
            assert_eq!(refused.headers()["content-type"], "application/problem+json");
            let body: Value = serde_json::from_str(&refused.text().await.expect("text")).expect("JSON");
            assert_eq!((&body["code"], &body["status"]), (&json!("unauthorized"), &json!(401)));
            assert!(!body.to_string().contains(TOKEN));
        }
    }
    let good = format!("Bearer {TOKEN}");
    assert_eq!(asks("/devices", Some(&good)).await.status(), 200);
    for probe in ["/healthz", "/readyz"] {
        assert_eq!(asks(probe, None).await.status(), 200);
    }
    // Commands of this user need none.
    let listed = run(&host.setup, &["devices"]).await;
    assert!(listed.code == Some(0) && listed.out.contains("phone"), "{}", listed.err);
    assert!(!host.log().contains(TOKEN), "the token is in the log");
}

#[cfg(unix)]
#[tokio::test]
async fn what_lets_others_in_is_readable_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let host = Host::with_virtual_phone().await;
    let mode = |path: std::path::PathBuf| std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777;
    let data = host.setup.data_dir();
    assert_eq!(mode(data.clone()), 0o700);
    assert_eq!(mode(data.join("server.json")), 0o600);
    let published: Value =
        serde_json::from_slice(&std::fs::read(data.join("server.json")).expect("read")).expect("JSON");
    assert_eq!(published["pid"], host.pid());
    assert_eq!(published["address"], host.address.to_string());
    let secret = published["secret"].as_str().expect("a secret");
    assert!(secret.len() >= 32 && !host.log().contains(secret));
    let wrong =
        host.client().get(host.url("/devices")).header("x-fingertip-join", "wrong").send().await.expect("answered");
    assert_eq!(wrong.status(), 401);
    host.stop().await;
}

#[tokio::test]
async fn the_start_up_summary_says_what_a_newcomer_needs() {
    let host = Host::with_virtual_phone().await;
    let complete = async {
        while !host.log().contains("mcpServers") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, complete).await.unwrap_or_else(|_| panic!("{}", host.log()));
    let log = host.log();
    let data = host.setup.data_dir().display().to_string();
    for part in ["virtual 0.1.0 (driver API 1.0.0)", "phone", "idle", &data, "/mcp", "\"mcpServers\"", "fingertip.toml"]
    {
        assert!(log.contains(part), "{part:?} is missing in\n{log}");
    }
}
