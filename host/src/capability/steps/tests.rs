//! What a batch refuses before it begins, over the real declarations and without a device.

use super::{Step, plan};
use crate::{
    capability::{Catalogue, Code, Context, Effect, Error, catalogue},
    device::Manager,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn tools() -> Catalogue {
    catalogue(&Context::new(Manager::new(Arc::new(|| (String::new(), 0)))))
}

fn steps(steps: Value) -> Vec<Step> {
    serde_json::from_value(steps).unwrap()
}

fn refusal(tools: &Catalogue, written: Value) -> Error {
    plan(tools, steps(written), "phone", Some("mine")).unwrap_err()
}

#[test]
fn what_is_the_batchs_is_filled_in() {
    let written = json!([
        { "tool": "get_ui_tree" },
        { "tool": "tap", "arguments": { "x": 1, "y": 2, "device_id": "phone", "timeout_ms": 400.0, "text": null },
          "expect": { "text": "Welcome" } },
        { "tool": "wait_for", "arguments": { "idle": true }, "expect": { "gone": "Wait", "timeout_ms": 70 } },
    ]);
    let planned = plan(&tools(), steps(written), "phone", Some("mine")).unwrap();
    let [look, tap, wait] = &planned[..] else { panic!("{planned:?}") };
    assert_eq!(Value::Object(look.arguments.clone()), json!({ "device_id": "phone", "timeout_ms": 30_000 }));
    assert_eq!(
        Value::Object(tap.arguments.clone()),
        json!({ "x": 1, "y": 2, "device_id": "phone", "timeout_ms": 400, "lease": "mine" })
    );
    let expected = |expect: &Option<serde_json::Map<String, Value>>| Value::Object(expect.clone().unwrap());
    assert_eq!(expected(&tap.expect), json!({ "text": "Welcome", "device_id": "phone", "timeout_ms": 5_000 }));
    assert_eq!(wait.arguments["timeout_ms"], 10_000);
    assert_eq!(expected(&wait.expect)["timeout_ms"], 70);
}

#[test]
fn a_bad_step_is_named() {
    let tools = tools();
    let good = json!({ "tool": "tap", "arguments": { "x": 1, "y": 1 } });
    for (bad, said) in [
        (json!({ "tool": "run_steps", "arguments": { "steps": [] } }), "steps[1]: run_steps cannot be a step"),
        (json!({ "tool": "connect_device" }), "steps[1]: connect_device cannot be a step"),
        (json!({ "tool": "disconnect_device" }), "steps[1]: disconnect_device cannot be a step"),
        (json!({ "tool": "start_task" }), "steps[1]: start_task cannot be a step"),
        (json!({ "tool": "list_devices" }), "steps[1]: there is no tool \"list_devices\" for a step"),
        (json!({ "tool": "tapp" }), "steps[1]: there is no tool \"tapp\" for a step"),
        (json!({ "tool": "tap", "arguments": { "x": "left" } }), "steps[1] (tap): `x` must be a number"),
        (json!({ "tool": "tap", "arguments": { "nonsense": 1 } }), "steps[1] (tap): there is no argument `nonsense`"),
        (json!({ "tool": "input_text" }), "steps[1] (input_text): `text` is missing"),
        (json!({ "tool": "tap", "arguments": { "device_id": "other" } }), "steps[1]: `device_id` is not that of"),
        (json!({ "tool": "tap", "arguments": { "lease": "other" } }), "steps[1]: `lease` is not that of"),
        (json!({ "tool": "wait_for" }), "steps[1]: the call does not say what to wait for"),
        (json!({ "tool": "get_ui_tree", "expect": {} }), "steps[1].expect: the call does not say what to wait for"),
        (
            json!({ "tool": "get_ui_tree", "expect": { "text": "a", "gone": "b" } }),
            "steps[1].expect: the call does not say",
        ),
        (
            json!({ "tool": "get_ui_tree", "expect": { "idle": false } }),
            "steps[1].expect: the call does not say what to wait for",
        ),
        (
            json!({ "tool": "get_ui_tree", "expect": { "text": "a", "frame": "f1" } }),
            "steps[1].expect: frame goes with",
        ),
        (
            json!({ "tool": "get_ui_tree", "expect": { "txt": "a" } }),
            "steps[1].expect (wait_for): there is no argument `txt`",
        ),
    ] {
        let error = refusal(&tools, json!([good, bad]));
        assert_eq!(error.code, Code::InvalidArguments, "{bad}");
        assert!(error.message.starts_with(said), "{bad}: {}", error.message);
        assert_eq!(error.details, Some(json!({ "step": 1 })), "{bad}");
    }
}

#[test]
fn secrets_are_not_repeated() {
    let error =
        refusal(&tools(), json!([{ "tool": "input_text", "arguments": { "text": ["hunter2"], "x": "hunter2?" } }]));
    assert!(!format!("{error:?}").contains("[\"hunter2"), "{error:?}");
    let error = refusal(&tools(), json!([{ "tool": "input_text", "arguments": { "text": "hunter2".repeat(9000) } }]));
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[test]
fn what_the_operator_does_not_offer_is_no_step_either() {
    let all = tools();
    let looking = Catalogue::new(all.iter().filter(|tool| tool.effect == Effect::Read).cloned().collect());
    let error = refusal(&looking, json!([{ "tool": "tap", "arguments": { "x": 1, "y": 1 } }]));
    assert!(error.message.contains("there is no tool \"tap\""), "{}", error.message);
    assert!(!error.hint.contains("swipe"), "{}", error.hint);
    let blind = Catalogue::new(all.iter().filter(|tool| tool.name != "wait_for").cloned().collect());
    let error = refusal(&blind, json!([{ "tool": "get_ui_tree", "expect": { "idle": true } }]));
    assert!(error.message.starts_with("steps[0].expect: there is no tool"), "{}", error.message);
}
