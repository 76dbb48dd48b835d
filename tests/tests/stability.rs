//! What callers rely on stays as it is, whatever drives the phone: the tool list, the OpenAPI document, and the calls.

use e2e::{
    host::{Host, Setup, library_device, virtual_device, wda_devices},
    mcp::Mcp,
    wda_sim::{SimOptions, WdaSim},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The bytes of a `tools/list` result and of the OpenAPI document.
async fn documents(host: &Host) -> (String, String) {
    let answer = Mcp::new(host, "reader").request_text("tools/list", json!({})).await;
    // The request's number stands before the result or after it.
    let id = serde_json::from_str::<Value>(&answer).expect("JSON")["id"].to_string();
    let tools = answer.replace(&format!("\"id\":{id}"), "\"id\":0");
    assert!(tools.contains("\"tools\":[") && tools != answer, "{tools}");
    let response = host.client().get(host.url("/openapi.json")).send().await.expect("answered");
    assert_eq!(response.status(), 200);
    (tools, response.text().await.expect("text"))
}

#[tokio::test]
async fn no_plugin_changes_a_byte_of_the_tool_list_or_the_openapi_document() {
    let phone = WdaSim::start(SimOptions::default()).await.expect("started");
    let virtual_phone = virtual_device("phone");
    let wda = wda_devices(&[("desk", &phone.url()), ("away", "http://127.0.0.1:1")]);
    let custom = library_device("custom_driver", "pad");
    let all = format!("{virtual_phone}{wda}{custom}");
    let mut first = None;
    for (devices, config) in [(0, String::new()), (1, virtual_phone), (2, wda), (1, custom), (4, all)] {
        let host = Setup::new(&config).serve().await;
        let (_, list) = host.get("/devices").await;
        assert_eq!(list["devices"].as_array().map(Vec::len), Some(devices), "{config}: {list}");
        let (_, plugins) = host.get("/plugins").await;
        assert!(!plugins.to_string().contains("\"error\""), "{plugins}");
        let before = documents(&host).await;
        // Use changes nothing either.
        for device in list["devices"].as_array().expect("a list") {
            let path = format!("/devices/{}/tap", device["id"].as_str().expect("an id"));
            host.post(&path, json!({ "x": 0.5, "y": 0.5 })).await;
        }
        let now = documents(&host).await;
        assert!(before == now, "using devices changes a document");
        let first = first.get_or_insert_with(|| now.clone());
        assert!(first.0 == now.0, "the tool list differs with\n{config}");
        assert!(first.1 == now.1, "the OpenAPI document differs with\n{config}");
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON")
}

/// A change of what callers see must be meant: look at it, then `cargo insta accept`.
#[tokio::test]
async fn the_tool_list_is_the_committed_one() {
    let host = Host::with("").await;
    insta::assert_snapshot!("tool_list", pretty(&Mcp::new(&host, "reader").tools().await));
}

#[tokio::test]
async fn the_openapi_document_is_the_committed_one() {
    let host = Host::with("").await;
    let (status, document) = host.get("/openapi.json").await;
    assert_eq!(status, 200);
    insta::assert_snapshot!("openapi_document", pretty(&document));
}

#[tokio::test]
async fn the_tool_list_is_small() {
    let host = Host::with("").await;
    let tools = Mcp::new(&host, "reader").tools().await;
    let tools = tools.as_array().expect("tools");
    assert!((11..=26).contains(&tools.len()), "{} tools", tools.len());
    // How many tokens they are is a test of its own, with the real vocabulary.
    for tool in tools {
        let description = tool["description"].as_str().expect("a description");
        assert!((20..2000).contains(&description.len()), "{}", tool["name"]);
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    }
}

/// The calls that must not change with what drives the phone.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("list_devices", json!({})),
        ("press_button", json!({ "device_id": "mine", "button": "home" })),
        ("launch_app", json!({ "device_id": "mine", "app": "Settings", "fresh": true })),
        ("wait_for", json!({ "device_id": "mine", "text": "General" })),
        ("take_screenshot", json!({ "device_id": "mine" })),
        ("get_ui_tree", json!({ "device_id": "mine" })),
        ("get_ui_tree", json!({ "device_id": "mine", "format": "json" })),
        ("describe_screen", json!({ "device_id": "mine" })),
        ("find_text", json!({ "device_id": "mine", "text": "General" })),
        ("find_icon", json!({ "device_id": "mine", "name": "search" })),
        ("tap", json!({ "device_id": "mine", "text": "General" })),
        ("wait_for", json!({ "device_id": "mine", "text": "About" })),
        ("swipe", json!({ "device_id": "mine", "from_x": 200, "from_y": 600, "to_x": 200, "to_y": 300 })),
        ("launch_app", json!({ "device_id": "mine", "app": "com.fingertip.signin", "fresh": true })),
        ("input_text", json!({ "device_id": "mine", "text": "ann@example.org", "element": "text_field" })),
        ("press_button", json!({ "device_id": "mine", "button": "home" })),
        ("device_status", json!({ "device_id": "mine" })),
    ]
}

async fn run(host: &Host) -> Vec<Value> {
    let mcp = Mcp::new(host, "agent");
    let mut answers = Vec::new();
    for (tool, arguments) in calls() {
        let (failed, body) = mcp.call(tool, arguments.clone()).await;
        assert!(!failed, "{tool} {arguments}: {body}");
        answers.push(body);
    }
    answers
}

/// Which fields there are and what they hold, as `devices[].id: string`. A null tells nothing, nor do fields of what is
/// known of one phone only.
fn shape(value: &Value, path: &str, out: &mut BTreeSet<String>) {
    // Optional in the contract.
    const OPTIONAL: [&str; 4] = ["model", "os_version", "holder", "name"];
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !OPTIONAL.contains(&name.as_str())) {
                out.insert(format!("{path}.{name}"));
                shape(value, &format!("{path}.{name}"), out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| shape(item, &format!("{path}[]"), out)),
        Value::String(_) => drop(out.insert(format!("{path}: string"))),
        Value::Number(_) => drop(out.insert(format!("{path}: number"))),
        Value::Bool(_) => drop(out.insert(format!("{path}: bool"))),
        Value::Null => {}
    }
}

/// The fields at the top, which are always there.
fn shape_of(answer: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    shape(answer, "", &mut out);
    // Rows of a list have what their elements have; their own fields are compared by what they are, where both have them.
    out
}

#[tokio::test]
async fn a_device_that_another_plugin_serves_from_now_on_answers_the_same_calls() {
    let host = Host::with(&virtual_device("mine")).await;
    let (_, plugins) = host.get("/plugins").await;
    assert_eq!(plugins["plugins"][0]["name"], "virtual");
    let tools = documents(&host).await;
    let before = run(&host).await;

    let setup = host.stop().await;
    let phone = WdaSim::start(SimOptions::default()).await.expect("started");
    setup.configure("127.0.0.1:0", "", &wda_devices(&[("mine", &phone.url())]));
    let host = Host::start(setup).await;
    let (_, plugins) = host.get("/plugins").await;
    assert_eq!(plugins["plugins"][0]["name"], "wda");
    assert!(tools == documents(&host).await, "a document differs");
    let after = run(&host).await;
    assert!(!phone.touches().is_empty(), "the phone was not touched");

    for (((tool, arguments), before), after) in calls().iter().zip(&before).zip(&after) {
        let (was, is) = (shape_of(before), shape_of(after));
        let top = |shape: &BTreeSet<String>| -> BTreeSet<String> {
            shape
                .iter()
                .filter(|line| line.matches('.').count() == 1 && !line.contains(':') && !line.contains('['))
                .cloned()
                .collect()
        };
        assert_eq!(top(&was), top(&is), "{tool} {arguments} has other fields");
        // Where both have a field, it holds the same kind of value.
        for line in was.iter().filter(|line| line.contains(": ")) {
            let (field, _) = line.split_once(": ").expect("it has one");
            let there = is.iter().any(|other| other.starts_with(&format!("{field}: ")));
            assert!(!there || is.contains(line), "{tool} {arguments}: {line} is of another kind");
        }
    }
    // What the calls said, not only how.
    let index = |tool: &str| calls().iter().position(|(name, _)| *name == tool).expect("called");
    for answers in [&before, &after] {
        assert_eq!(answers[index("take_screenshot")]["width"], 390);
        assert_eq!(answers[index("find_text")]["matches"][0]["text"], "General");
        assert_eq!(answers[index("wait_for")]["met"], true);
        let typed = &answers[index("input_text")]["entered"];
        assert_eq!((&typed["text"], &typed["verified"]), (&json!("ann@example.org"), &json!(true)));
        assert!(answers[index("get_ui_tree")]["text"].as_str().is_some_and(|text| text.contains("\"General\"")));
    }
    assert_eq!(before[index("find_text")]["matches"][0]["center"], after[index("find_text")]["matches"][0]["center"]);
}
