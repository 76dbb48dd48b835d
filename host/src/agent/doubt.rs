//! An action of which nobody knows whether it was done: the host was killed, or the device lost, while it was on its way.
//!
//! It is looked at and never repeated blindly. What can be done twice without harm is simply done; for the rest the screen must
//! tell, and where it does not, a human does.

use super::{halt::Halt, hands::Hands};
use crate::capability::{Code, Error, Planned};
use fingertip_tasks::{BULLETS, Event, Kind};
use serde_json::{Map, Value, json};

/// How long a screen may take to come to rest before it is looked at.
const SETTLE_MS: u64 = 4_000;
/// How long what is expected may take.
const EXPECT_MS: u64 = 3_000;

/// How long it may take to tell which app is in front.
const FRONT_MS: u64 = 2_000;
/// What is recorded of a field, and by what of that it is known again.
const FIELD: [&str; 6] = ["role", "label", "placeholder", "identifier", "bounds", "value"];
const NAMES: [&str; 4] = ["role", "label", "placeholder", "identifier"];
/// The longest content of a field that is recorded.
const MOST_BYTES: usize = 1_000;
/// How far a field may move and be in its place, in points.
const NEAR: f64 = 2.0;
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

/// What must be known of the screen before an action, to tell afterwards whether it was done: under `before` whether what it is
/// expected to bring about was there already, and the app in front as it is remembered; under `field` the one that is typed into.
/// Nothing is looked at for what can simply be done again, and at most one thing for the rest.
pub(super) async fn before(hands: &Hands, action: &Planned) -> Result<Map<String, Value>, Halt> {
    let mut known = Map::new();
    if is_harmless(action.tool, &action.arguments) {
        return Ok(known);
    }
    let status = hands.look("device_status", json!({})).await?.ok().map(|status| Value::Object(status.body));
    let app = status.map(|status| status["app"].clone()).unwrap_or_default();
    let mut before = json!({ "app": app["id"] });
    let wanted = |name: &str| action.expect.as_ref()?.get(name)?.as_str();
    let told_by_field =
        action.tool == "input_text" && !presses_return(&action.arguments) && !is_secret(&action.arguments);
    if told_by_field && let Some(field) = field(hands, &action.arguments).await? {
        known.insert("field".to_owned(), field);
    }
    if let Some(wanted) = wanted("app") {
        before["expected"] = (app["id"] == wanted || app["name"] == wanted).into();
    } else if let Some(text) = wanted("text").or(wanted("gone")).filter(|_| known.is_empty()) {
        let found = hands.look("find_text", json!({ "text": text, "source": "tree", "limit": 1 })).await?;
        let there = found.ok().and_then(|found| Some(!found.body.get("matches")?.as_array()?.is_empty()));
        before["expected"] = there.map(|there| there == wanted("gone").is_none()).into();
    }
    known.insert("before".to_owned(), before);
    Ok(known)
}

/// Waits until what was on its way has arrived, as far as a screen tells that.
pub(super) async fn come_to_rest(hands: &Hands) -> Result<(), Halt> {
    hands.look("wait_for", json!({ "idle": true, "timeout_ms": SETTLE_MS })).await.map(|_| ())
}

/// Whether an action was done, by the screen now, what was known before it, and what has happened `since`.
pub(super) async fn settle(hands: &Hands, action: &Planned, intent: &Event, since: &[Event]) -> Result<Verdict, Halt> {
    let before = &intent.data["before"];
    let done = |why: &str| Ok(Verdict::Done(why.to_owned()));
    let unsure = |why: &str| Ok(Verdict::Unsure(why.to_owned()));
    come_to_rest(hands).await?;
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
        return Ok(Verdict::NotDone("doing it again changes nothing".to_owned()));
    }
    if action.tool == "input_text" {
        if is_secret(&action.arguments) {
            return unsure("What was typed is secret, and the field does not show it.");
        }
        if presses_return(&action.arguments) {
            return unsure("Perhaps the text was typed and sent, perhaps only a part of it was typed.");
        }
        let elements = hands.elements(None).await?;
        let text = action.arguments.get("text").and_then(Value::as_str).unwrap_or_default();
        return Ok(typed(&intent.data["field"], &elements, text));
    }
    // It may be gone because the app ended, or because something lies over it, and not because of the action. That it is still there
    // says nothing: what an action does need not show where it was done.
    if was_just_there(since)
        && is_there(hands, &action.arguments).await? == Some(false)
        && is_same_place(hands, &before["app"]).await?
    {
        return done("what it was done to is not on the screen any more");
    }
    unsure("The screen does not tell.")
}

/// Whether an action's target was there before it, and nobody has had the phone since. An error that leaves an action in doubt comes
/// after its target was found, unless an alert was answered on the way; and but for notes the work has gone on at once, in the same
/// run of the host.
fn was_just_there(since: &[Event]) -> bool {
    let at_once = since.iter().all(|event| matches!(event.kind, Kind::Note | Kind::Started));
    let mut errors = since.iter().filter_map(|event| event.data.get("error"));
    let after_it = |error: &Value| {
        serde_json::from_value::<Error>(error.clone()).is_ok_and(|error| {
            let noted = error.details.is_some_and(|details| details.get("notes").is_some());
            !noted && matches!(error.code, Code::Timeout | Code::DeviceOffline | Code::PluginFailed)
        })
    };
    at_once && errors.next().is_some_and(|first| after_it(first) && errors.all(after_it))
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
        "input_text" => arguments.get("clear") == Some(&Value::Bool(true)) && !presses_return(arguments),
        _ => false,
    }
}

/// Whether typing may send what was typed: a line break presses return as `submit` does.
fn presses_return(arguments: &Map<String, Value>) -> bool {
    let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
    arguments.get("submit") == Some(&Value::Bool(true)) || text.contains(['\n', '\r'])
}

fn is_secret(arguments: &Map<String, Value>) -> bool {
    arguments.get("secret") == Some(&Value::Bool(true))
}

/// The field that a call types into, with what stands in it: the one that it names, else the one that has the focus. None where that
/// cannot be told, and of a secure field, of which nothing is recorded.
async fn field(hands: &Hands, arguments: &Map<String, Value>) -> Result<Option<Value>, Halt> {
    let element = arguments.get("element").and_then(Value::as_str);
    let field = match element {
        // The element itself is the first.
        Some(element) => hands.elements(Some(element)).await?.into_iter().next(),
        // It gets the focus only when it is tapped.
        None if arguments.contains_key("x") => None,
        None => hands.elements(None).await?.into_iter().find(|field| field["focused"] == true),
    };
    let Some(Value::Object(mut field)) = field.filter(|field| field["role"] == "text_field") else { return Ok(None) };
    field.retain(|name, _| FIELD.contains(&name.as_str()));
    let long = field.get("value").and_then(Value::as_str).is_some_and(|value| value.len() > MOST_BYTES);
    Ok((!long).then_some(Value::Object(field)))
}

/// The field of before among these: the one with the same names, or of several in its place.
fn again<'a>(field: &Value, elements: &'a [Value]) -> Option<&'a Value> {
    let alike = elements.iter().filter(|other| NAMES.iter().all(|name| other[name] == field[name]));
    let named = NAMES[1..].iter().any(|name| field[name].is_string());
    let near = |a: &Value, b: &Value| matches!((a.as_f64(), b.as_f64()), (Some(a), Some(b)) if (a - b).abs() <= NEAR);
    let there = |other: &&Value| ["x", "y"].iter().all(|side| near(&other["bounds"][side], &field["bounds"][side]));
    match alike.clone().count() {
        1 if named => alike.clone().next(),
        _ => alike.clone().find(there),
    }
}

/// Whether a text was typed into the field of before, by what stands in that field now. Where the focus is says nothing: it may have
/// gone on.
fn typed(field: &Value, elements: &[Value], text: &str) -> Verdict {
    let unsure = || Verdict::Unsure("Perhaps a part of the text was typed.".to_owned());
    let Some(now) = again(field, elements) else { return unsure() };
    let value = |field: &Value| field["value"].as_str().unwrap_or_default().to_owned();
    let (had, has) = (value(field), value(now));
    // What stood there was not recorded, since a secret is a part of it.
    if had.contains(BULLETS) {
        return unsure();
    }
    // A field that tells neither a value nor what it shows while it is empty may hold anything.
    let tells = |field: &Value| field["value"].is_string() || field["placeholder"].is_string();
    if had == has {
        return match tells(field) && tells(now) {
            true => Verdict::NotDone("what stands in the field is as it was before".to_owned()),
            false => unsure(),
        };
    }
    let grown = plain(&has).chars().count() >= plain(&had).chars().count() + plain(text).chars().count();
    match grown && holds(&has, text) {
        true => Verdict::Done("the text stands in the field".to_owned()),
        false => unsure(),
    }
}

/// Whether a value holds a text, also where the field has put signs between, as numbers of cards and phones have them. A sign at the
/// text's end must stand there itself, or it may be what is missing.
fn holds(value: &str, text: &str) -> bool {
    let (value_plain, text_plain) = (plain(value), plain(text));
    value.contains(text) || text.ends_with(char::is_alphanumeric) && value_plain.contains(&text_plain)
}

/// Letters and digits alone; fields write letters large.
fn plain(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::Outcome;

    fn field(placeholder: &str, y: f64, value: Option<&str>) -> Value {
        let mut field = json!({ "role": "text_field", "placeholder": placeholder, "bounds": { "x": 10.0, "y": y } });
        if let Some(value) = value {
            field["value"] = value.into();
        }
        field
    }

    #[derive(Debug, PartialEq)]
    enum Is {
        Done,
        NotDone,
        Unsure,
    }

    fn is(verdict: &Verdict) -> Is {
        match verdict {
            Verdict::Done(_) => Is::Done,
            Verdict::NotDone(_) => Is::NotDone,
            Verdict::Unsure(_) => Is::Unsure,
        }
    }

    #[test]
    fn a_field_tells_by_its_own_value_alone() {
        let mail = |value| field("E-mail", 100.0, value);
        let again = |value| field("Repeat e-mail", 160.0, value);
        let phone = |value| field("Phone", 100.0, value);
        for (before, now, text, expected) in [
            // The same text stands in another field.
            (again(None), vec![mail(Some("a@b.c")), again(None)], "a@b.c", Is::NotDone),
            (again(None), vec![mail(Some("a@b.c")), again(Some("a@b.c"))], "a@b.c", Is::Done),
            (again(None), vec![mail(Some("a@b.c")), again(Some("a@b"))], "a@b.c", Is::Unsure),
            (again(None), vec![mail(Some("a@b.c"))], "a@b.c", Is::Unsure),
            // The field puts signs between.
            (phone(None), vec![phone(Some("(555) 010-9999")), mail(None)], "5550109999", Is::Done),
            (phone(Some("+1")), vec![phone(Some("+1 555 010 9999"))], "5550109999", Is::Done),
            (phone(None), vec![phone(Some("555-010"))], "5550109999", Is::Unsure),
            // It stood there already, and a part of it was typed once more.
            (mail(Some("an an")), vec![mail(Some("an an a"))], "an", Is::Unsure),
            (mail(Some("an an")), vec![mail(Some("an an"))], "an", Is::NotDone),
            // The last sign is missing.
            (mail(None), vec![mail(Some("what"))], "what?", Is::Unsure),
            (mail(None), vec![mail(Some("What?"))], "what?", Is::Unsure),
            (mail(None), vec![mail(Some("What"))], "what", Is::Done),
            // A secret was a part of it.
            (mail(Some("•••")), vec![mail(Some("hunter2"))], "hunt", Is::Unsure),
        ] {
            assert_eq!(is(&typed(&before, &now, text)), expected, "{text:?}: {before} {now:?}");
        }
        assert_eq!(is(&typed(&Value::Null, &[mail(None)], "a")), Is::Unsure);
    }

    #[test]
    fn a_field_without_names_is_known_by_its_place() {
        let body =
            |y: f64, value: &str| json!({ "role": "text_field", "bounds": { "x": 0.0, "y": y }, "value": value });
        let silent = json!({ "role": "text_field", "bounds": { "x": 0.0, "y": 50.0 } });
        assert_eq!(is(&typed(&body(50.0, "a"), &[body(50.0, "a")], "b")), Is::NotDone);
        assert_eq!(is(&typed(&body(50.0, "a"), &[body(90.0, "a")], "b")), Is::Unsure);
        assert_eq!(is(&typed(&silent, std::slice::from_ref(&silent), "b")), Is::Unsure);
        assert_eq!(is(&typed(&silent, &[body(50.0, "b")], "b")), Is::Done);
        let twin = |value| field("Digit", 50.0, value);
        let other = field("Digit", 90.0, Some("1"));
        assert_eq!(is(&typed(&twin(None), &[other, twin(None)], "1")), Is::NotDone);
    }

    #[test]
    fn what_is_gone_counts_only_where_it_was_just_there() {
        let event = |kind, data| Event { n: 1, at: 0, kind, step: None, data };
        let note = |error: Error| event(Kind::Note, json!({ "intent": 1, "error": error.outcome(Outcome::Unknown) }));
        let late = Error::new(Code::Timeout, "late", "Look.");
        let started = || event(Kind::Started, json!({}));
        assert!(was_just_there(&[note(late.clone()), started()]));
        // The host was killed, or the device was away: anybody may have had the phone.
        assert!(!was_just_there(&[event(Kind::TakenUp, json!({})), started()]));
        assert!(!was_just_there(&[note(late.clone()), event(Kind::TakenUp, json!({})), started()]));
        assert!(!was_just_there(&[note(late.clone()), event(Kind::Waiting, json!({})), started()]));
        // An alert was answered, and then the target looked for.
        assert!(!was_just_there(&[note(late.details(json!({ "notes": [{}] }))), started()]));
        assert!(!was_just_there(&[note(Error::new(Code::ElementNotFound, "no", "Look."))]));
    }

    #[test]
    fn a_line_break_sends() {
        let input = |more: Value| {
            let mut arguments = json!({ "text": "hi", "clear": true }).as_object().cloned().unwrap_or_default();
            arguments.extend(more.as_object().cloned().unwrap_or_default());
            is_harmless("input_text", &arguments)
        };
        assert!(input(json!({})));
        for more in [
            json!({ "submit": true }),
            json!({ "text": "hi\n" }),
            json!({ "text": "hi\rho" }),
            json!({ "clear": false }),
        ] {
            assert!(!input(more.clone()), "{more}");
        }
    }
}
