//! Both doors give the same body for the same call: every capability, whether the call is good or goes wrong.

use e2e::{
    host::{Host, Setup, virtual_device, wda_devices},
    mcp::Mcp,
};
use regex_lite::Regex;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What one capability is called with.
struct Row {
    tool: &'static str,
    /// Arguments beside `device_id` with which it succeeds.
    good: Value,
    /// REST calls, as tool and arguments, that bring the phone to where the good call succeeds.
    before: &'static [(&'static str, &'static str)],
    /// An argument of the wrong type; `list_devices` has no argument at all.
    wrong: Option<(&'static str, Value)>,
    /// Whether another caller's lease refuses it.
    needs_lease: bool,
    /// Whether it asks the phone, so that it fails when the phone is not there.
    asks_phone: bool,
}

/// Every capability has one row.
fn rows() -> Vec<Row> {
    let row = |tool, good, before, wrong: (&'static str, Value), needs_lease, asks_phone| Row {
        tool,
        good,
        before,
        wrong: Some(wrong),
        needs_lease,
        asks_phone,
    };
    let settings = &[("launch_app", r#"{"app": "Settings", "fresh": true}"#)];
    let sign_in = &[("launch_app", r#"{"app": "Sign-in", "fresh": true}"#)];
    let home = &[("press_button", r#"{"button": "home"}"#)];
    // Cancelling leaves the settings as they were.
    let alert = &[
        ("launch_app", r#"{"app": "Settings", "fresh": true}"#),
        ("tap", r#"{"text": "General"}"#),
        ("tap", r#"{"text": "Reset All Settings"}"#),
    ];
    let soon = || ("timeout_ms", json!("soon"));
    vec![
        Row { tool: "list_devices", good: json!({}), before: &[], wrong: None, needs_lease: false, asks_phone: false },
        row("device_status", json!({}), &[], soon(), false, false),
        row("connect_device", json!({ "ttl_s": 600 }), &[], ("ttl_s", json!("long")), true, true),
        row("disconnect_device", json!({}), &[], ("lease", json!(7)), true, false),
        row("take_screenshot", json!({ "format": "png" }), settings, ("scale", json!("big")), false, true),
        row(
            "get_ui_tree",
            json!({ "format": "json", "interactive_only": true }),
            settings,
            ("max_tokens", json!("many")),
            false,
            true,
        ),
        row("describe_screen", json!({ "max_tokens": 300 }), settings, ("max_tokens", json!([300])), false, true),
        row("find_text", json!({ "text": "General", "limit": 3 }), settings, ("limit", json!("all")), false, true),
        row("find_icon", json!({ "name": "settings" }), &[], ("threshold", json!("high")), false, true),
        row("wait_for", json!({ "text": "General" }), settings, ("idle", json!("yes")), false, true),
        row("tap", json!({ "text": "General" }), settings, ("x", json!("left")), true, true),
        row("swipe", json!({ "direction": "up" }), settings, ("from_x", json!([1])), true, true),
        row("scroll_to", json!({ "text": "Privacy" }), settings, ("max_swipes", json!("many")), true, true),
        row(
            "input_text",
            json!({ "text": "ann", "element": "text_field" }),
            sign_in,
            ("clear", json!("yes")),
            true,
            true,
        ),
        row("press_button", json!({ "button": "home" }), settings, ("button", json!(3)), true, true),
        row("launch_app", json!({ "app": "Settings" }), home, ("fresh", json!("yes")), true, true),
        row("terminate_app", json!({ "app": "Settings" }), settings, ("app", json!({})), true, true),
        row("list_apps", json!({}), settings, soon(), false, true),
        row("open_url", json!({ "url": "https://example.com/" }), home, ("url", json!(["a:b"])), true, true),
        row("answer_alert", json!({ "button": "Cancel" }), alert, ("action", json!("maybe")), true, true),
        row(
            "set_orientation",
            json!({ "orientation": "portrait" }),
            settings,
            ("orientation", json!("flat")),
            true,
            true,
        ),
        row("clipboard", json!({ "text": "abc" }), home, ("text", json!(7)), true, true),
        row(
            "run_steps",
            json!({
                "steps": [
                    { "tool": "get_ui_tree" },
                    { "tool": "tap", "arguments": { "text": "General" }, "expect": { "text": "About" } },
                    { "tool": "tap", "arguments": { "text": "Nothing" } },
                ],
                "observe": "screenshot",
            }),
            settings,
            ("steps", json!({})),
            true,
            true,
        ),
    ]
}

/// contract.md's table of codes.
fn status_of(code: &str) -> u16 {
    match code {
        "invalid_arguments" | "out_of_bounds" => 400,
        "unauthorized" => 401,
        "forbidden" => 403,
        "not_found" | "device_not_found" | "app_not_found" | "element_not_found" | "task_not_found" => 404,
        "device_busy" | "device_locked" | "lease_lost" | "stale_frame" | "element_stale" | "element_ambiguous"
        | "alert_in_front" | "target_covered" | "task_conflict" => 409,
        "unsupported" | "text_not_entered" | "app_crashed" => 422,
        "overloaded" => 429,
        "cancelled" => 499,
        "internal" | "plugin_failed" | "perception_failed" => 500,
        "device_offline" | "device_not_authorized" | "model_unavailable" => 503,
        "timeout" => 504,
        other => panic!("the contract has no code {other}"),
    }
}

/// An answer of the REST door.
#[derive(Debug)]
struct Answer {
    status: u16,
    media_type: String,
    body: Value,
}

/// Both doors of one server, for one caller.
struct Doors<'a> {
    host: &'a Host,
    mcp: Mcp<'a>,
    client: &'static str,
    /// Verb and path of each capability, from the OpenAPI document.
    routes: BTreeMap<String, (String, String)>,
}

impl<'a> Doors<'a> {
    async fn new(host: &'a Host, client: &'static str) -> Doors<'a> {
        let (status, document) = host.get("/openapi.json").await;
        assert_eq!(status, 200);
        let mut routes = BTreeMap::new();
        for (path, verbs) in document["paths"].as_object().expect("paths") {
            for (verb, operation) in verbs.as_object().expect("operations") {
                if operation["tags"] != json!(["server"]) {
                    let name = operation["operationId"].as_str().expect("a name").to_owned();
                    let old = routes.insert(name, (verb.clone(), path.clone()));
                    assert!(old.is_none(), "{old:?} has the same name as {verb} {path}");
                }
            }
        }
        Doors { host, mcp: Mcp::new(host, client), client, routes }
    }

    async fn rest(&self, tool: &str, arguments: &Value) -> Answer {
        let (verb, path) = &self.routes[tool];
        let mut arguments = arguments.as_object().expect("an object").clone();
        let device = arguments.remove("device_id");
        let path = path.replace("{device_id}", device.as_ref().and_then(Value::as_str).unwrap_or("missing"));
        let request = match verb.as_str() {
            "get" => {
                let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let query: Vec<String> =
                    arguments.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
                self.host.client().get(self.host.url(&format!("{path}?{}", query.join("&"))))
            }
            _ => {
                let request = self.host.client().post(self.host.url(&path)).header("content-type", "application/json");
                request.body(Value::Object(arguments).to_string())
            }
        };
        let response = request.header("x-client-id", self.client).send().await.expect("answered");
        let media_type = response.headers()["content-type"].to_str().expect("text").to_owned();
        let status = response.status().as_u16();
        let text = response.text().await.expect("a body");
        let body = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{tool}: not JSON: {text}"));
        Answer { status, media_type, body }
    }

    /// One call on each door: whether it failed, and the body that both gave.
    async fn both(&self, tool: &str, before: &[(&str, &str)], arguments: &Value) -> (bool, Value) {
        self.prepare(before, arguments).await;
        let rest = self.rest(tool, arguments).await;
        self.prepare(before, arguments).await;
        let raw = self.mcp.call_raw(tool, arguments.clone()).await;
        let result = &raw["result"];
        assert!(result.is_object(), "{tool} {arguments}: {raw}");
        let failed = result["isError"] == true;
        let mut by_mcp = result["structuredContent"].clone();
        let mut by_rest = rest.body.clone();

        assert_eq!(failed, rest.status >= 400, "{tool} {arguments}: {} on REST, {raw}", rest.status);
        if failed {
            let code = by_rest["code"].as_str().unwrap_or_else(|| panic!("{tool}: {rest:?}")).to_owned();
            assert_eq!(rest.status, status_of(&code), "{tool} {arguments}: {rest:?}");
            assert_eq!(rest.media_type, "application/problem+json", "{tool} {arguments}");
            let fields = by_rest.as_object_mut().expect("an object");
            assert_eq!(fields.remove("status"), Some(json!(rest.status)));
            assert!(fields.remove("type").is_some_and(|kind| kind.is_string()), "{rest:?}");
            assert!(fields.remove("title").is_some_and(|title| title.is_string()), "{rest:?}");
            for (name, is) in [
                ("message", by_mcp["message"].as_str().is_some_and(|text| !text.is_empty())),
                ("hint", by_mcp["hint"].as_str().is_some_and(|text| !text.is_empty())),
                ("retryable", by_mcp["retryable"].is_boolean()),
                ("outcome", ["not_done", "unknown", "done"].iter().any(|outcome| by_mcp["outcome"] == *outcome)),
                ("request_id", by_mcp["request_id"].is_string() && by_rest["request_id"].is_string()),
            ] {
                assert!(is, "{tool} {arguments}: {name} is missing or wrong in {by_mcp}");
            }
            let text = result["content"][0]["text"].as_str().expect("text for models");
            let message = by_mcp["message"].as_str().unwrap_or_default().trim_end_matches('.');
            assert!(text.contains(&code) && text.contains(message), "{text}");
        } else {
            assert_eq!((rest.status, rest.media_type.as_str()), (200, "application/json"), "{tool} {arguments}");
            let picture = by_rest.as_object_mut().expect("an object").remove("picture");
            let blocks = result["content"].as_array().expect("content");
            let image = blocks.iter().find(|block| block["type"] == "image");
            let by_mcp = image.map(|image| json!({ "media_type": image["mimeType"], "data": image["data"] }));
            assert!(picture == by_mcp, "{tool} {arguments}: the pictures differ");
        }
        normalise(&mut by_rest);
        normalise(&mut by_mcp);
        assert_eq!(by_rest, by_mcp, "{tool} {arguments}");
        (failed, by_mcp)
    }

    async fn prepare(&self, before: &[(&str, &str)], arguments: &Value) {
        for (tool, more) in before {
            let mut more: Map<String, Value> = serde_json::from_str(more).expect("JSON");
            more.insert("device_id".to_owned(), arguments["device_id"].clone());
            let answer = self.rest(tool, &Value::Object(more)).await;
            assert_eq!(answer.status, 200, "{tool}: {answer:?}");
        }
    }
}

/// Takes out what may differ between two calls: ids of requests and frames, and times.
fn normalise(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("request_id");
            for (name, value) in fields.iter_mut() {
                let differs = ["frame", "captured_at", "expires_at", "since", "seen_at", "waited_ms", "settled_ms"]
                    .contains(&name.as_str());
                if differs && !value.is_null() {
                    *value = json!("…");
                } else {
                    normalise(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::String(text) => {
            let frame = Regex::new(r#"frame="f\d+""#).expect("a pattern");
            *text = frame.replace_all(text, r#"frame="…""#).into_owned();
        }
        _ => {}
    }
}

fn with(device: &str, more: &Value) -> Value {
    let mut arguments = more.clone();
    arguments["device_id"] = json!(device);
    arguments
}

/// One phone that works, one that nobody can reach.
async fn start() -> Host {
    let devices = format!("{}{}", virtual_device("phone"), wda_devices(&[("away", "http://127.0.0.1:1")]));
    let host = Setup::new(&devices).serve().await;
    host.until("/devices", |body| body["devices"][0]["status"] == "offline").await;
    host
}

#[tokio::test]
async fn every_capability_has_a_row_a_tool_and_a_route() {
    let host = start().await;
    let doors = Doors::new(&host, "bob").await;
    let rows: BTreeSet<String> = rows().iter().map(|row| row.tool.to_owned()).collect();
    let tools: BTreeSet<String> = doors
        .mcp
        .tools()
        .await
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect();
    let mut routes: BTreeSet<String> = doors.routes.keys().cloned().collect();
    for alone in ["list_tasks", "task_script", "task_events"] {
        assert!(routes.remove(alone), "{alone} has no route");
    }
    assert_eq!(tools, routes, "a capability is on one door only");
    // What tasks answer on both doors is shown in `tasks`, since they are about no phone as these are.
    let of_tasks = ["start_task", "get_task", "control_task"].map(str::to_owned);
    let rows: BTreeSet<String> = rows.into_iter().chain(of_tasks).collect();
    assert_eq!(tools, rows, "a capability is without a row in this file");
    let wanted = "take_screenshot tap swipe input_text launch_app find_text find_icon get_ui_tree describe_screen list_devices device_status";
    assert!(wanted.split(' ').all(|tool| tools.contains(tool)), "{tools:?}");
    for (tool, verb, path) in [
        ("list_devices", "get", "/devices"),
        ("tap", "post", "/devices/{device_id}/tap"),
        ("take_screenshot", "post", "/devices/{device_id}/screenshot"),
        ("launch_app", "post", "/devices/{device_id}/launch"),
    ] {
        assert_eq!(doors.routes[tool], (verb.to_owned(), path.to_owned()));
    }
}

#[tokio::test]
async fn good_calls() {
    let host = start().await;
    let doors = Doors::new(&host, "bob").await;
    for row in rows() {
        let arguments = if row.wrong.is_none() { row.good.clone() } else { with("phone", &row.good) };
        let (failed, body) = doors.both(row.tool, row.before, &arguments).await;
        assert!(!failed, "{}: {body}", row.tool);
        let empty = body.as_object().is_none_or(Map::is_empty);
        assert!(!empty, "{} answers nothing", row.tool);
    }
}

#[tokio::test]
async fn arguments_of_the_wrong_type_and_unknown_ones() {
    let host = start().await;
    let doors = Doors::new(&host, "bob").await;
    for row in rows() {
        let good = if row.wrong.is_none() { row.good.clone() } else { with("phone", &row.good) };
        if let Some((field, value)) = &row.wrong {
            let mut arguments = good.clone();
            arguments[*field] = value.clone();
            let (failed, body) = doors.both(row.tool, &[], &arguments).await;
            assert!(
                failed && body["code"] == "invalid_arguments" && body["outcome"] == "not_done",
                "{}: {body}",
                row.tool
            );
            assert!(body["message"].as_str().is_some_and(|text| text.contains(field)), "{}: {body}", row.tool);
        }
        let mut arguments = good;
        arguments["nonsense"] = json!("1");
        let (failed, body) = doors.both(row.tool, &[], &arguments).await;
        assert!(failed && body["code"] == "invalid_arguments", "{}: {body}", row.tool);
        assert!(body["message"].as_str().is_some_and(|text| text.contains("nonsense")), "{}: {body}", row.tool);
    }
}

#[tokio::test]
async fn unknown_devices_and_devices_that_are_not_there() {
    let host = start().await;
    let doors = Doors::new(&host, "bob").await;
    for row in rows().into_iter().filter(|row| row.wrong.is_some()) {
        let (failed, body) = doors.both(row.tool, &[], &with("nobody", &row.good)).await;
        assert!(failed && body["code"] == "device_not_found", "{}: {body}", row.tool);
        let hint = body["hint"].as_str().expect("a hint");
        assert!(hint.contains("away") && hint.contains("phone"), "{}: {hint}", row.tool);

        let (failed, body) = doors.both(row.tool, &[], &with("away", &row.good)).await;
        assert_eq!(failed, row.asks_phone, "{}: {body}", row.tool);
        if failed {
            assert_eq!(body["code"], "device_offline", "{}: {body}", row.tool);
            assert_eq!(body["outcome"], "not_done", "{}: {body}", row.tool);
            assert_eq!(body["device_id"], "away", "{}: {body}", row.tool);
            assert_eq!(body["retryable"], true, "{}: {body}", row.tool);
        }
        // What acts took an implicit lease, even though it came to nothing; the next row must not care.
        let status = doors.rest("device_status", &json!({ "device_id": "away" })).await;
        assert_eq!(status.body["device"]["status"], "offline", "{}: {}", row.tool, status.body);
    }
}

#[tokio::test]
async fn a_busy_device_can_be_looked_at_and_not_acted_on() {
    let host = start().await;
    let doors = Doors::new(&host, "bob").await;
    let (status, lease) = host.post_as("alice", "/devices/phone/connect", json!({ "ttl_s": 3600 })).await;
    assert_eq!(status, 200, "{lease}");
    let (status, launched) = host.post_as("alice", "/devices/phone/launch", json!({ "app": "Settings" })).await;
    assert_eq!(status, 200, "{launched}");
    for row in rows() {
        let arguments = if row.wrong.is_none() { row.good.clone() } else { with("phone", &row.good) };
        let (failed, body) = doors.both(row.tool, &[], &arguments).await;
        assert_eq!(failed, row.needs_lease, "{}: {body}", row.tool);
        if failed {
            assert_eq!(
                (&body["code"], &body["retryable"]),
                (&json!("device_busy"), &json!(true)),
                "{}: {body}",
                row.tool
            );
            let holder = body["details"]["holder"].as_str().expect("a holder");
            assert!(holder.contains("alice"), "{}: {body}", row.tool);
            assert!(body["details"]["expires_at"].is_string(), "{}: {body}", row.tool);
        }
    }
    // The holder was not harmed.
    let (status, body) = host.post_as("alice", "/devices/phone/press", json!({ "button": "home" })).await;
    assert_eq!(status, 200, "{body}");
}
