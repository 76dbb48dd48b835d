//! No word of the driver's world reaches a caller: not in a schema, a description, a result or an error of either door.
//!
//! Exempt are `/plugins`, which is for operators, the address that the operator wrote, and what the phone itself shows.

use e2e::{
    host::{Host, Setup, library_device, virtual_device, wda_devices},
    mcp::Mcp,
    wda_sim::{Fault, SimOptions, WdaSim},
};
use regex_lite::Regex;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Everything that callers got, each with how.
#[derive(Default)]
struct Said(Vec<(String, String)>);

fn banned() -> Regex {
    let words = [
        // Frameworks and protocols of drivers.
        r"web ?driver",
        r"\bwda\b",
        r"xcui",
        r"xctest",
        r"xcode",
        r"appium",
        r"uiautomat",
        r"\badb\b",
        r"session[ _-]?id",
        r"sessionid",
        r"selenium",
        r"predicate",
        // Networks and statuses of the phone.
        r"connection (was )?(refused|reset|closed)",
        r"broken pipe",
        r"os error",
        r"\beconn",
        r"errno",
        r"timed out after",
        r"\bhttp (status )?[1-5]\d\d\b",
        r"\b(status|status code) [1-5]\d\d\b",
        r"\b50[0-9] internal",
        r"127\.0\.0\.1",
        // Exceptions, stacks and panics.
        r"traceback",
        r"backtrace",
        r"exception",
        r"panick",
        r"asked to panic",
        r"thread '",
        r"\.rs\b",
        r"\.py\b",
        r"unwrap",
        // Libraries and the language.
        r"libloading",
        r"abi_stable",
        r"dlopen",
        r"tokio",
        r"reqwest",
        r"\bhyper\b",
        r"\brmcp\b",
        r"\baxum\b",
        r"serde",
        r"\b[iu](8|16|32|64|128)\b",
        r"expected f(32|64)",
        r"\b[iu]size\b",
        r"expected struct",
        r"floating point",
        r"\bvariant\b",
        r"plugin_unruly",
        // Paths of the host.
        r"(^|[^a-z])/(root|tmp|home|users|usr|var|work|opt|private)/",
        r"target/debug",
        r"\.so\b",
        r"\.dylib",
    ];
    Regex::new(&format!("(?i){}", words.join("|"))).expect("a pattern")
}

impl Said {
    fn add(&mut self, how: impl Into<String>, what: impl Into<String>) {
        self.0.push((how.into(), what.into()));
    }

    /// One answer of a route, whatever it is.
    async fn get(&mut self, host: &Host, path: &str) {
        let response = host.client().get(host.url(path)).send().await.expect("answered");
        let status = response.status();
        let headers = format!("{:?}", response.headers());
        let text = response.text().await.expect("text");
        self.add(format!("GET {path}: {status}"), format!("{headers}\n{}", exempt(&text)));
    }

    /// One call on each door. What the phone shows is left out where it was not the phone's answer that failed.
    async fn call(&mut self, host: &Host, name: &str, tool: &str, arguments: Value) -> (u16, Value) {
        let mcp =
            Mcp::new(host, "reader").request_text("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        self.add(format!("{name}: {tool} {arguments} by MCP"), exempt(&mcp));
        let (verb, path) = route(tool);
        let mut rest = arguments.clone();
        let device = rest.as_object_mut().expect("an object").remove("device_id");
        let path = path.replace("{}", device.as_ref().and_then(Value::as_str).unwrap_or("none"));
        let request = match verb {
            "get" => host.client().get(host.url(&path)),
            _ => host.client().post(host.url(&path)).header("content-type", "application/json").body(rest.to_string()),
        };
        let response = request.header("x-client-id", "reader").send().await.expect("answered");
        let status = response.status().as_u16();
        let text = response.text().await.expect("text");
        self.add(format!("{name}: {tool} {arguments} by REST: {status}"), exempt(&text));
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    /// Fails with all that was said and should not have been.
    fn check(&self) {
        assert!(self.0.len() > 20, "only {} answers", self.0.len());
        let banned = banned();
        let found: Vec<String> = self
            .0
            .iter()
            .filter_map(|(how, what)| {
                let found = banned.find(what)?;
                let from = what[..found.start()].char_indices().rev().nth(60).map_or(0, |(at, _)| at);
                let to = what[found.end()..].char_indices().nth(60).map_or(what.len(), |(at, _)| found.end() + at);
                Some(format!("{:?} in {how}: …{}…", found.as_str(), &what[from..to]))
            })
            .collect();
        // One fault shows in many answers.
        let shown = found[..found.len().min(20)].join("\n");
        assert!(found.is_empty(), "{} of {} answers:\n{shown}", found.len(), self.0.len());
    }
}

/// The address that the operator wrote, and pictures, in which anything may stand by chance.
fn exempt(text: &str) -> String {
    let address = Regex::new(r#"\\?"address\\?" *: *\\?"[^"\\]*\\?""#).expect("a pattern");
    let picture = Regex::new(r#""data" *: *"[A-Za-z0-9+/=]{40,}""#).expect("a pattern");
    // The documents show calls of a server at its usual place.
    let text = text.replace("http://127.0.0.1:7311", "");
    picture.replace_all(&address.replace_all(&text, ""), "").into_owned()
}

fn route(tool: &str) -> (&'static str, &'static str) {
    match tool {
        "list_devices" => ("get", "/devices"),
        "device_status" => ("get", "/devices/{}"),
        "connect_device" => ("post", "/devices/{}/connect"),
        "disconnect_device" => ("post", "/devices/{}/disconnect"),
        "take_screenshot" => ("post", "/devices/{}/screenshot"),
        "get_ui_tree" => ("get", "/devices/{}/tree"),
        "describe_screen" => ("post", "/devices/{}/describe"),
        "find_text" => ("post", "/devices/{}/find-text"),
        "find_icon" => ("post", "/devices/{}/find-icon"),
        "wait_for" => ("post", "/devices/{}/wait"),
        "tap" => ("post", "/devices/{}/tap"),
        "swipe" => ("post", "/devices/{}/swipe"),
        "input_text" => ("post", "/devices/{}/input"),
        "press_button" => ("post", "/devices/{}/press"),
        "launch_app" => ("post", "/devices/{}/launch"),
        "terminate_app" => ("post", "/devices/{}/terminate"),
        "list_apps" => ("get", "/devices/{}/apps"),
        "scroll_to" => ("post", "/devices/{}/scroll-to"),
        "open_url" => ("post", "/devices/{}/open-url"),
        "answer_alert" => ("post", "/devices/{}/alert"),
        "set_orientation" => ("post", "/devices/{}/orientation"),
        "clipboard" => ("post", "/devices/{}/clipboard"),
        "run_steps" => ("post", "/devices/{}/steps"),
        other => panic!("no route for {other}"),
    }
}

/// Calls that ask a phone for something, and some that are wrong.
fn calls(device: &str) -> Vec<(&'static str, Value)> {
    let call = |tool, mut arguments: Value| {
        arguments["device_id"] = json!(device);
        (tool, arguments)
    };
    let mut calls = asking(device);
    calls.extend([
        call("device_status", json!({})),
        call("tap", json!({ "element": "button \"Nothing\"" })),
        call("tap", json!({ "element": "e9999" })),
        call("tap", json!({ "element": "[[[" })),
        call("tap", json!({ "x": 1e300, "y": -5 })),
        call("tap", json!({ "x": 1, "y": 1, "space": "image", "frame": "f9999" })),
        call("tap", json!({ "x": 1, "y": 1, "count": 2.0 })),
        call("tap", json!({ "x": "1", "y": null })),
        call("tap", json!({ "x": 1, "y": 1, "timeout_ms": 1e30 })),
        call("tap", json!({ "x": 1, "y": 1, "lease": "nobody's" })),
        call("swipe", json!({ "direction": "sideways" })),
        call("input_text", json!({ "text": "x", "clear": null })),
        call("input_text", json!({ "text": 3 })),
        call("press_button", json!({ "button": "lock" })),
        call("press_button", json!({ "button": "unlock" })),
        call("press_button", json!({ "button": "volume_up" })),
        call("press_button", json!({ "button": "app_switcher" })),
        call("press_button", json!({ "button": "hide_keyboard" })),
        call("press_button", json!({ "button": "back" })),
        call("launch_app", json!({ "app": "No Such App" })),
        call("launch_app", json!({ "app": "Settings", "arguments": [1] })),
        call("terminate_app", json!({ "app": "No Such App" })),
        call("connect_device", json!({ "ttl_s": 1e9 })),
        call("wait_for", json!({ "text": "Nothing", "gone": "Nothing" })),
        call("scroll_to", json!({ "text": "Nothing", "max_swipes": 1 })),
        call("scroll_to", json!({ "element": "[[[" })),
        call("open_url", json!({ "url": "no url" })),
        call("open_url", json!({ "url": "gopher://example.com" })),
        call("answer_alert", json!({ "button": "Nothing", "action": "accept" })),
        call("set_orientation", json!({ "orientation": "landscape_left" })),
        call("set_orientation", json!({ "orientation": "flat" })),
        call("clipboard", json!({ "text": 1.5 })),
        call("swipe", json!({ "pinch": 2 })),
        call("disconnect_device", json!({ "lease": "nobody's" })),
        call("run_steps", json!({ "steps": [{ "tool": "fly" }] })),
        call("run_steps", json!({ "steps": [{ "tool": "tap", "arguments": { "x": "1" } }] })),
        call("run_steps", json!({ "steps": [{ "tool": "tap", "arguments": { "text": "Nothing" } }] })),
        call(
            "run_steps",
            json!({ "steps": [{ "tool": "get_ui_tree", "expect": { "text": "Nothing", "timeout_ms": 50 } }] }),
        ),
    ]);
    calls
}

/// One call of each kind of request to the phone.
fn asking(device: &str) -> Vec<(&'static str, Value)> {
    let call = |tool, mut arguments: Value| {
        arguments["device_id"] = json!(device);
        (tool, arguments)
    };
    vec![
        call("take_screenshot", json!({ "scale": 0.2 })),
        call("get_ui_tree", json!({})),
        call("describe_screen", json!({})),
        call("find_text", json!({ "text": "General" })),
        call("find_icon", json!({ "name": "search" })),
        call("wait_for", json!({ "app": "Settings", "timeout_ms": 500 })),
        call("wait_for", json!({ "idle": true, "timeout_ms": 500 })),
        call("tap", json!({ "x": 200, "y": 20 })),
        call("swipe", json!({ "direction": "up" })),
        call("input_text", json!({ "text": "abc" })),
        call("press_button", json!({ "button": "home" })),
        call("launch_app", json!({ "app": "Settings" })),
        call("terminate_app", json!({ "app": "Settings" })),
        call("list_apps", json!({})),
        call("scroll_to", json!({ "text": "General", "max_swipes": 1 })),
        call("open_url", json!({ "url": "https://example.com/" })),
        call("answer_alert", json!({ "action": "accept" })),
        call("set_orientation", json!({ "orientation": "portrait" })),
        call("clipboard", json!({})),
        call("clipboard", json!({ "text": "abc" })),
        call(
            "run_steps",
            json!({ "steps": [{ "tool": "press_button", "arguments": { "button": "home" } }], "observe": "diff" }),
        ),
        call("connect_device", json!({})),
        call("disconnect_device", json!({})),
    ]
}

#[tokio::test]
async fn the_documents() {
    let devices = format!("{}{}", virtual_device("phone"), wda_devices(&[("away", "http://127.0.0.1:1")]));
    let host = Setup::new(&devices).serve().await;
    host.until("/devices", |body| body["devices"][0]["status"] == "offline").await;
    let mut said = Said::default();
    for path in [
        "/",
        "/docs",
        "/openapi.json",
        "/metrics",
        "/healthz",
        "/readyz",
        "/devices",
        "/devices/away",
        "/devices/phone",
    ] {
        said.get(&host, path).await;
    }
    for path in [
        "/nothing",
        "/devices/nobody",
        "/devices/phone/nothing",
        "/internal/call/tap",
        "/devices/phone/tree?x=1",
        "/mcp",
    ] {
        said.get(&host, path).await;
    }
    let mcp = Mcp::new(&host, "reader");
    for method in ["tools/list", "server/discover", "resources/list", "prompts/list", "nothing/at-all", "tools/call"] {
        said.add(method, mcp.request_text(method, json!({})).await);
    }
    said.add("unknown tool", mcp.request_text("tools/call", json!({ "name": "fly", "arguments": {} })).await);
    said.add("arguments", mcp.request_text("tools/call", json!({ "name": "tap", "arguments": [] })).await);
    for (name, body) in [
        (
            "initialize",
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        ),
        ("not JSON", "{"),
        ("no message", "[]"),
        ("no session", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
        ("wrong types", r#"{"jsonrpc":"2.0","id":{},"method":7}"#),
    ] {
        let request = host.client().post(host.url("/mcp")).header("content-type", "application/json");
        let response =
            request.header("accept", "application/json, text/event-stream").body(body).send().await.expect("answered");
        said.add(format!("MCP {name}"), response.text().await.expect("text"));
        let request = host.client().post(host.url("/devices/phone/tap")).header("content-type", "application/json");
        let response = request.body(body).send().await.expect("answered");
        said.add(format!("REST {name}"), response.text().await.expect("text"));
    }
    said.check();
}

#[tokio::test]
async fn calls_to_phones_that_work_and_to_one_that_is_not_there() {
    let phone = WdaSim::start(SimOptions::default()).await.expect("started");
    let devices = wda_devices(&[("desk", &phone.url()), ("away", "http://127.0.0.1:1")]);
    let devices = format!("{}{devices}{}", virtual_device("phone"), library_device("custom_driver", "pad"));
    let host = Setup::new(&devices).serve().await;
    host.until("/devices/away", |body| body["device"]["status"] == "offline").await;
    let mut said = Said::default();
    for device in ["phone", "desk", "away", "pad", "nobody"] {
        for (tool, arguments) in calls(device) {
            said.call(&host, device, tool, arguments).await;
        }
        said.call(&host, device, "list_devices", json!({})).await;
        said.call(&host, device, "device_status", json!({ "device_id": device })).await;
    }
    said.check();
}

/// What a phone's agent may say when something is wrong with it.
fn odd_answers() -> Vec<(&'static str, Fault)> {
    let error = |name: &str| {
        json!({ "sessionId": "1F2D", "value": {
            "error": name,
            "message": "Error Domain=com.facebook.WebDriverAgent Code=1 \"XCUIElementTypeAny\" NSPredicate -[XCUIApplication resolve]",
            "traceback": "0 WebDriverAgentLib 0x1 /Users/me/appium/WebDriverAgent/FBSession.m:12\n1 XCTest",
        }})
        .to_string()
    };
    let answer = |status, body: String| Fault::Answer { status, body };
    vec![
        ("unknown error", answer(500, error("unknown error"))),
        ("a lost session", answer(404, error("invalid session id"))),
        ("an unknown command", answer(404, error("unknown command"))),
        ("a stale element", answer(404, error("stale element reference"))),
        ("a timeout", answer(408, error("timeout"))),
        ("no such element", answer(404, error("no such element"))),
        ("an invalid state", answer(400, error("invalid element state"))),
        (
            "an old error",
            answer(500, json!({ "status": 13, "value": "WebDriverAgent: XCUIElement at /tmp/x.m:3" }).to_string()),
        ),
        ("a page", answer(502, "<html>502 Bad Gateway: WebDriverAgent os error 111</html>".to_owned())),
        ("no JSON", answer(200, "{".to_owned())),
        ("nothing", answer(200, String::new())),
        ("a wrong type", answer(200, json!({ "value": ["XCUIElementTypeOther"] }).to_string())),
        ("null", answer(200, json!({ "value": null }).to_string())),
        ("a reset", Fault::Reset),
        ("a reset after", Fault::ResetAfter),
        ("an empty reply", Fault::EmptyReply),
        ("half a body", Fault::HalfBody),
    ]
}

#[tokio::test]
async fn phones_that_answer_oddly() {
    let mut options = SimOptions::default();
    options.phone.scale = 1.0;
    let phone = WdaSim::start(options).await.expect("started");
    let host = Setup::new(&wda_devices(&[("desk", &phone.url())])).serve().await;
    let mut said = Said::default();
    let mut codes = BTreeSet::new();
    for (name, fault) in odd_answers() {
        for (tool, arguments) in asking("desk") {
            // A device that was given up is not asked, and then nothing is tried.
            host.post_as("reader", "/devices/desk/connect", json!({})).await;
            phone.faults().add("*", fault.clone(), false);
            let (_, body) = said.call(&host, name, tool, arguments).await;
            codes.extend(body["code"].as_str().map(str::to_owned));
            said.call(&host, name, "device_status", json!({ "device_id": "desk" })).await;
            phone.faults().clear_all();
        }
    }
    // The faults did come through as errors of several kinds.
    assert!(codes.len() >= 4, "{codes:?}");
    said.check();
}

#[tokio::test]
async fn plugins_that_panic_and_hang() {
    let setup = Setup::new("");
    let devices = format!("{}[[plugin.device]]\nid = \"panics\"\n", library_device("plugin_unruly", "odd"));
    setup.configure("127.0.0.1:0", "", &devices);
    let host = setup.serve().await;
    let mut said = Said::default();
    let launch = |app: &str| json!({ "device_id": "odd", "app": app, "timeout_ms": 500 });
    let mut codes = BTreeSet::new();
    // A panic leaves the device in error until it is looked at again; then more may be asked of it.
    for (tool, arguments) in calls("odd").into_iter().chain(calls("panics")) {
        host.post_as("reader", "/devices/odd/connect", json!({})).await;
        let (_, body) = said.call(&host, "unruly", "launch_app", launch("panic")).await;
        codes.extend(body["code"].as_str().map(str::to_owned));
        said.call(&host, "after a panic", "device_status", json!({ "device_id": "odd" })).await;
        let (_, body) = said.call(&host, "after a panic", tool, arguments).await;
        codes.extend(body["code"].as_str().map(str::to_owned));
    }
    assert!(codes.contains("plugin_failed") && codes.contains("device_not_found"), "{codes:?}");
    assert!(host.log().contains("asked to panic in async code"), "it did not panic: {}", host.log());
    // What hangs keeps the device until its own time is over, so that it comes last.
    for (tool, arguments) in
        [("launch_app", launch("hang")), ("tap", json!({ "device_id": "odd", "x": 0.5, "y": 0.5, "timeout_ms": 200 }))]
    {
        let (_, body) = said.call(&host, "a hang", tool, arguments).await;
        assert_eq!(body["code"], "timeout", "{body}");
        said.call(&host, "a hang", "device_status", json!({ "device_id": "odd" })).await;
        said.call(&host, "a hang", "list_devices", json!({})).await;
    }
    said.check();
}
