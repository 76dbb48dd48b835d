//! An action of which nobody knows whether it was done: the host was killed, or the device lost, while it was on its way.
//!
//! It is looked at and never repeated blindly. What can be done twice without harm is simply done; for the rest the screen must
//! tell, and where it does not, a human does.

use super::{halt::Halt, hands::Hands};
use crate::capability::{Code, Planned};
use serde_json::{Map, Value, json};

/// How long a screen may take to come to rest before it is looked at.
const SETTLE_MS: u64 = 4_000;
/// How long what is expected may take.
const EXPECT_MS: u64 = 3_000;

/// How long it may take to tell which app is in front.
const FRONT_MS: u64 = 2_000;
/// Notes of what lies over a screen.
const OVER: [&str; 3] = ["alert_up", "device_locked", "keyboard_up"];

/// What a look tells of an action. Each says why.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// It was done.
    Done(String),
    /// It was not, or doing it again changes nothing.
    NotDone(String),
    /// The screen does not tell.
    Unsure(String),
}

/// What must be known of the screen before an action, to tell afterwards whether it was done: whether what it is expected to bring
/// about was there already, and the app in front as it is remembered. Nothing is looked at for what can simply be done again.
pub(super) async fn before(hands: &Hands, action: &Planned) -> Result<Value, Halt> {
    if is_harmless(action.tool, &action.arguments) {
        return Ok(Value::Null);
    }
    let status = hands.look("device_status", json!({})).await?.ok().map(|status| Value::Object(status.body));
    let app = status.map(|status| status["app"].clone()).unwrap_or_default();
    let mut before = json!({ "app": app["id"] });
    let Some(expect) = &action.expect else { return Ok(before) };
    let wanted = |name: &str| expect.get(name).and_then(Value::as_str);
    if let Some(wanted) = wanted("app") {
        before["expected"] = (app["id"] == wanted || app["name"] == wanted).into();
    } else if let Some(text) = wanted("text").or(wanted("gone")) {
        let found = hands.look("find_text", json!({ "text": text, "source": "tree", "limit": 1 })).await?;
        let there = found.ok().and_then(|found| Some(!found.body.get("matches")?.as_array()?.is_empty()));
        before["expected"] = there.map(|there| there == wanted("gone").is_none()).into();
    }
    Ok(before)
}

/// Whether an action was done, by the screen now and what was known before it.
pub(super) async fn settle(hands: &Hands, action: &Planned, before: &Value) -> Result<Verdict, Halt> {
    let done = |why: &str| Ok(Verdict::Done(why.to_owned()));
    let not_done = |why: &str| Ok(Verdict::NotDone(why.to_owned()));
    // What is on its way must have arrived.
    let _ = hands.look("wait_for", json!({ "idle": true, "timeout_ms": SETTLE_MS })).await?;
    // What was there before says nothing.
    if let Some(expect) = action.expect.as_ref().filter(|_| before["expected"] == false) {
        let mut expect = expect.clone();
        expect.insert("timeout_ms".to_owned(), EXPECT_MS.into());
        if let Ok(waited) = hands.look("wait_for", Value::Object(expect)).await?
            && waited.body.get("met") == Some(&Value::Bool(true))
        {
            return done("what it is expected to bring about is there");
        }
    }
    if is_harmless(action.tool, &action.arguments) {
        return not_done("doing it again changes nothing");
    }
    if action.tool == "input_text" {
        return typed(hands, &action.arguments).await;
    }
    // It may be gone because the app ended, or because something lies over it, and not because of the action. That it is still there
    // says nothing: what an action does need not show where it was done.
    match is_there(hands, &action.arguments).await? {
        Some(false) if is_same_place(hands, &before["app"]).await? => {
            done("what it was done to is not on the screen any more")
        }
        _ => Ok(Verdict::Unsure("The screen does not tell.".to_owned())),
    }
}

/// Whether the app that was in front is, and nothing lies over it.
async fn is_same_place(hands: &Hands, app: &Value) -> Result<bool, Halt> {
    let Some(app) = app.as_str() else { return Ok(false) };
    let front = hands.look("wait_for", json!({ "app": app, "timeout_ms": FRONT_MS })).await?;
    if !front.is_ok_and(|front| front.body.get("met") == Some(&Value::Bool(true))) {
        return Ok(false);
    }
    let Ok(seen) = hands.look("get_ui_tree", json!({ "max_tokens": 50 })).await? else { return Ok(false) };
    let notes = seen.body.get("notes").and_then(Value::as_array).cloned().unwrap_or_default();
    Ok(!notes.iter().filter_map(|note| note["code"].as_str()).any(|code| OVER.contains(&code)))
}

/// Whether it can be done twice.
pub(super) fn is_harmless(tool: &str, arguments: &Map<String, Value>) -> bool {
    match tool {
        "launch_app" | "terminate_app" | "set_orientation" | "scroll_to" => true,
        "clipboard" => true,
        "press_button" => matches!(
            arguments.get("button").and_then(Value::as_str),
            Some("home" | "lock" | "unlock" | "hide_keyboard")
        ),
        "input_text" => {
            arguments.get("clear") == Some(&Value::Bool(true)) && arguments.get("submit") != Some(&Value::Bool(true))
        }
        _ => false,
    }
}

/// Whether text stands where it was typed.
async fn typed(hands: &Hands, arguments: &Map<String, Value>) -> Result<Verdict, Halt> {
    let unsure = |why: &str| Ok(Verdict::Unsure(why.to_owned()));
    let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
    if arguments.get("secret") == Some(&Value::Bool(true)) {
        return unsure("What was typed is secret, and the field does not show it.");
    }
    let Ok(seen) = hands.look("get_ui_tree", json!({ "format": "json" })).await? else {
        return unsure("The screen cannot be read.");
    };
    let elements = seen.body.get("elements").and_then(Value::as_array).cloned().unwrap_or_default();
    let values = elements.iter().filter_map(|element| element.get("value")?.as_str()).collect::<Vec<_>>();
    if values.iter().any(|value| value.contains(text)) {
        return match arguments.get("submit") {
            Some(Value::Bool(true)) => unsure("The text was typed, but perhaps not sent."),
            _ => Ok(Verdict::Done("the text stands in a field".to_owned())),
        };
    }
    // A part of it may have been typed: only a field that is empty tells that nothing was.
    let focused = elements.iter().find(|element| element.get("focused") == Some(&Value::Bool(true)));
    let is_empty = |element: &Value| element.get("value").and_then(Value::as_str).unwrap_or_default().is_empty();
    match (focused, is_there(hands, arguments).await?) {
        (Some(field), _) if is_empty(field) => Ok(Verdict::NotDone("the field is empty".to_owned())),
        (None, Some(true)) if values.is_empty() => Ok(Verdict::NotDone("the field is empty".to_owned())),
        _ => unsure("Perhaps a part of the text was typed."),
    }
}

/// Whether what a call names is on the screen; none where it names nothing.
async fn is_there(hands: &Hands, arguments: &Map<String, Value>) -> Result<Option<bool>, Halt> {
    if let Some(element) = arguments.get("element").and_then(Value::as_str) {
        return Ok(match hands.look("get_ui_tree", json!({ "within": element, "max_tokens": 200 })).await? {
            Ok(_) => Some(true),
            Err(error) if error.code == Code::ElementAmbiguous => Some(true),
            Err(error) if matches!(error.code, Code::ElementNotFound) => Some(false),
            Err(_) => None,
        });
    }
    let Some(text) = arguments.get("text").and_then(Value::as_str).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let found = hands.look("find_text", json!({ "text": text, "limit": 1 })).await?;
    Ok(found
        .ok()
        .and_then(|found| Some(found.body.get("matches")?.as_array().is_some_and(|matches| !matches.is_empty()))))
}
