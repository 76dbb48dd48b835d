//! A task that was done, as a script that does it again without a model.
//!
//! Knows events. Elements are named by their words where they were known, since refs end with the screen that gave them; what
//! had no effect is left out; and after each step stands what must be there for the next one.

use super::{inputs, order::Order, repair::repaired, screen, standing::ASIDE};
use fingertip_tasks::{Event, Kind};
use serde_json::{Map, Value, json};

/// Fields that only had a meaning on the screen of then.
const FLEETING: [&str; 5] = ["frame", "space", "observe", "lease", "idempotency_key"];

/// What is done again though it had no effect then: where the phone stands at the beginning of the next time is not known.
const ALWAYS: [&str; 4] = ["launch_app", "terminate_app", "open_url", "set_orientation"];

/// The script of a task.
///
/// # Errors
/// What was done to something that cannot be found again, which a script cannot say.
pub(super) fn script(order: &Order, events: &[Event]) -> Result<Value, String> {
    // Steps that needed no help are their own best record.
    let steps = match order.steps.is_empty() {
        true => done(order, events)?,
        false => mended(order, events)?,
    };
    let mut script = json!({ "goal": order.goal, "steps": steps });
    let text = Value::from(steps).to_string();
    let used = inputs::used(&text);
    let plain = order.inputs.iter().filter(|(name, _)| used.contains(&name.as_str()));
    let mut given: Map<String, Value> = plain.map(|(name, value)| (name.clone(), value.clone())).collect();
    for name in order.secrets.iter().filter(|name| used.contains(&name.as_str())) {
        // Whoever runs it gives the secret: it was not kept.
        given.insert(name.clone(), json!({ "secret": "" }));
    }
    if !given.is_empty() {
        script["inputs"] = given.into();
    }
    Ok(script)
}

/// What was done and had an effect, in its order.
fn done(order: &Order, events: &[Event]) -> Result<Vec<Value>, String> {
    let mut steps: Vec<Value> = Vec::new();
    let mut open: Option<&Event> = None;
    for event in events {
        match event.kind {
            // What made room for a step, such as answering an alert, was for that one time.
            Kind::Intent => open = Some(event).filter(|event| event.data[ASIDE] != true),
            Kind::Effect => {
                let Some(intent) = open.take().filter(|_| was_done(event)) else { continue };
                let effect = &event.data["result"]["effect"];
                let tool = intent.data["tool"].as_str().unwrap_or_default();
                if effect["state"] == "unchanged" && !ALWAYS.contains(&tool) {
                    continue;
                }
                let mut step = step(order, intent)?;
                // The app that an action brought to the front is the best sign that it was done.
                let app = effect["app"]["id"].as_str().or(event.data["result"]["app"]["id"].as_str());
                if let Some(app) = app {
                    step["expect"] = json!({ "app": app });
                }
                expect_target(&mut steps, &step);
                steps.push(step);
            }
            _ => {}
        }
    }
    Ok(steps)
}

/// Whether an action was done: surely, or by the look of the screen afterwards.
fn was_done(effect: &Event) -> bool {
    let seen = effect.data["outcome"] == "unknown" && effect.data["same_screen"] == false;
    (effect.data["outcome"] == "done" || seen) && effect.data.get("error").is_none()
}

/// The steps with those replaced that a model mended, by what it did in their place.
fn mended(order: &Order, events: &[Event]) -> Result<Vec<Value>, String> {
    let mut steps = order.steps.clone();
    let mut replaced: Vec<(&str, Vec<Value>)> = Vec::new();
    for number in repaired(events) {
        let begun = events.iter().rposition(|event| event.kind == Kind::StepStarted && event.step == Some(number));
        let Some(begun) = begun else { continue };
        let Some(place) = events[begun].data["place"].as_str() else { continue };
        let own: Vec<Event> = events[begun..].iter().filter(|event| event.step == Some(number)).cloned().collect();
        let done = done(order, &own)?;
        // A step of a block that is repeated has one place, and is mended once.
        if replaced.iter().all(|(other, _)| *other != place) {
            replaced.push((place, done));
        }
    }
    for (place, done) in replaced {
        if let Some(step) = at(&mut steps, place) {
            replace(step, done);
        }
    }
    Ok(steps)
}

/// The step at a place such as `steps[1].steps[0]`.
fn at<'a>(steps: &'a mut [Value], place: &str) -> Option<&'a mut Value> {
    let mut indices =
        place.split('.').map(|part| part.strip_prefix("steps[")?.strip_suffix(']')?.parse::<usize>().ok());
    let mut step = steps.get_mut(indices.next()??)?;
    for index in indices {
        step = step.get_mut("steps")?.get_mut(index?)?;
    }
    Some(step)
}

/// Puts actions in the place of a step; what it expects at its end, and how often it is done, stays.
fn replace(step: &mut Value, mut done: Vec<Value>) {
    if done.is_empty() {
        // Nothing was left to do: what it expects was there, however that came about.
        let expect = step.get("expect").filter(|expect| expect.is_object()).cloned();
        done.push(json!({ "tool": "wait_for", "arguments": expect.unwrap_or_else(|| json!({ "idle": true })) }));
    } else if let (Some(last), Some(expect)) = (done.last_mut(), step.get("expect").filter(|expect| expect.is_object()))
    {
        last["expect"] = expect.clone();
    }
    let repeat = step.get("repeat").cloned();
    *step = match <[Value; 1]>::try_from(done) {
        Ok([one]) => one,
        Err(several) => json!({ "steps": several }),
    };
    if let Some(repeat) = repeat {
        step["repeat"] = repeat;
    }
}

fn step(order: &Order, intent: &Event) -> Result<Value, String> {
    let mut arguments = intent.data["arguments"].as_object().cloned().unwrap_or_default();
    let written = arguments.get("element").and_then(Value::as_str).filter(|element| !screen::is_ref(element));
    let by = match (intent.data["words"].as_str(), intent.data["instead"].as_object()) {
        // As whoever wrote it named it, with its inputs.
        _ if written.is_some() => None,
        (Some(words), _) => Some(Map::from_iter([("element".to_owned(), inputs::escaped(words).into())])),
        (None, Some(by)) => Some(by.iter().map(|(name, value)| (name.clone(), escaped(value))).collect()),
        (None, None) => None,
    };
    if let Some(by) = by {
        arguments.retain(|name, _| !["element", "x", "y"].contains(&name.as_str()));
        arguments.extend(by);
    }
    if let Some(name) = arguments.get("element").and_then(Value::as_str).filter(|element| screen::is_ref(element)) {
        let tool = intent.data["tool"].as_str().unwrap_or_default();
        return Err(format!(
            "step {} ({tool} {name}) was done to something that has no words",
            intent.step.unwrap_or(0)
        ));
    }
    if intent.data["tool"] == "input_text"
        && let Some(text) = arguments.get("text").and_then(Value::as_str)
        && let Some(name) = inputs::Inputs::named(&order.inputs, text)
    {
        arguments.insert("text".to_owned(), format!("${{{name}}}").into());
    }
    arguments.retain(|name, _| !FLEETING.contains(&name.as_str()));
    Ok(json!({ "tool": intent.data["tool"], "arguments": arguments }))
}

fn escaped(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| inputs::escaped(text).into())
}

/// Before a step stands what it acts on: the one before it is expected to bring it about.
fn expect_target(steps: &mut [Value], next: &Value) {
    let Some(last) = steps.last_mut().filter(|last| last.get("expect").is_none()) else { return };
    // A text that is tapped may stand in the picture alone, and is waited for by the tap itself.
    let label = next["arguments"]["element"].as_str().and_then(screen::label);
    // A long label ends with dots where the screen's text was cut.
    let label = label.map(|label| label.trim_end_matches('…').to_owned());
    if let Some(label) = label.filter(|label| !label.is_empty() && next["tool"] != "scroll_to") {
        last["expect"] = json!({ "text": label });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TaskLimits;

    fn order(steps: Value) -> Order {
        Order {
            goal: "Write a note".to_owned(),
            device_id: "phone".to_owned(),
            steps: steps.as_array().cloned().unwrap_or_default(),
            inputs: json!({ "greeting": "Hi", "unused": 1 }).as_object().cloned().unwrap_or_default(),
            secrets: vec!["pin".to_owned()],
            output_schema: None,
            limits: TaskLimits::default(),
        }
    }

    fn events(all: Vec<(Kind, Value)>) -> Vec<Event> {
        (1..).zip(all).map(|(n, (kind, data))| Event { n, at: 0, kind, step: Some(1), data }).collect()
    }

    #[test]
    fn what_had_an_effect_is_saved_by_its_words() {
        let done = |effect: Value| (Kind::Effect, json!({ "outcome": "done", "result": { "effect": effect } }));
        let act = |tool: &str, arguments: Value, words: Option<&str>| {
            let mut data = json!({ "tool": tool, "arguments": arguments });
            if let Some(words) = words {
                data["words"] = words.into();
            }
            (Kind::Intent, data)
        };
        let events = events(vec![
            act("launch_app", json!({ "app": "Notes" }), None),
            done(json!({ "state": "changed", "app": { "id": "notes" } })),
            act("tap", json!({ "element": "e9" }), Some("cell \"Nothing\"")),
            done(json!({ "state": "unchanged" })),
            act("tap", json!({ "x": 3, "y": 4, "frame": "f1", "space": "image" }), Some("button \"New note\"")),
            done(json!({ "state": "changed" })),
            act("tap", json!({ "text": "Gone" }), None),
            (Kind::Effect, json!({ "outcome": "not_done", "error": {} })),
            act("input_text", json!({ "element": "e4", "text": "${greeting} ${pin}" }), Some("text_field \"Body\"")),
            done(json!({ "state": "changed" })),
        ]);
        assert_eq!(
            script(&order(json!([])), &events).unwrap(),
            json!({
                "goal": "Write a note",
                "steps": [
                    { "tool": "launch_app", "arguments": { "app": "Notes" }, "expect": { "app": "notes" } },
                    { "tool": "tap", "arguments": { "element": "button \"New note\"" }, "expect": { "text": "Body" } },
                    { "tool": "input_text", "arguments": { "element": "text_field \"Body\"", "text": "${greeting} ${pin}" } },
                ],
                "inputs": { "greeting": "Hi", "pin": { "secret": "" } },
            })
        );
    }

    #[test]
    fn only_the_step_that_was_mended_is_replaced() {
        let steps = json!([
            { "tool": "launch_app", "arguments": { "app": "Notes" }, "expect": { "text": "Shopping list" } },
            { "steps": [{ "tool": "tap", "arguments": { "text": "Write" }, "expect": { "text": "Empty" } },
                        { "tool": "wait_for", "arguments": { "idle": true } }],
              "repeat": { "times": 2, "until": { "text": "Done" } } },
        ]);
        let event = |n, kind, step, data| Event { n, at: 0, kind, step: Some(step), data };
        let tap = |n, words: &str| {
            event(n, Kind::Intent, 2, json!({ "tool": "tap", "arguments": { "element": "e1" }, "words": words }))
        };
        let done =
            |n| event(n, Kind::Effect, 2, json!({ "outcome": "done", "result": { "effect": { "state": "changed" } } }));
        let events = [
            event(1, Kind::StepStarted, 2, json!({ "place": "steps[1].steps[0]" })),
            event(2, Kind::Note, 2, json!({ "repair": "it is not there" })),
            tap(3, "button \"Menu\""),
            done(4),
            tap(5, "button \"New note\""),
            done(6),
            event(7, Kind::Note, 2, json!({ "repaired": "a note is open" })),
        ];
        let mended = script(&order(steps.clone()), &events).unwrap();
        assert_eq!(mended["steps"][0], steps[0]);
        assert_eq!(
            mended["steps"][1],
            json!({
                "steps": [
                    { "steps": [
                        { "tool": "tap", "arguments": { "element": "button \"Menu\"" }, "expect": { "text": "New note" } },
                        { "tool": "tap", "arguments": { "element": "button \"New note\"" }, "expect": { "text": "Empty" } },
                    ] },
                    steps[1]["steps"][1],
                ],
                "repeat": steps[1]["repeat"],
            })
        );
    }

    #[test]
    fn a_script_that_needed_no_help_is_itself() {
        let steps = json!([{ "tool": "press_button", "arguments": { "button": "home" } }]);
        assert_eq!(script(&order(steps.clone()), &[]), Ok(json!({ "goal": "Write a note", "steps": steps })));
    }

    /// What one action becomes in a script.
    fn saved(data: Value) -> Result<Value, String> {
        let effect = json!({ "outcome": "done", "result": { "effect": { "state": "changed" } } });
        let script = script(&order(json!([])), &events(vec![(Kind::Intent, data), (Kind::Effect, effect)]));
        script.map(|script| script["steps"][0]["arguments"].clone())
    }

    #[test]
    fn no_ref_stands_in_a_script() {
        let tap = |more: Value| {
            let mut data = json!({ "tool": "tap", "arguments": { "element": "e7" } });
            data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            data
        };
        assert_eq!(saved(tap(json!({ "words": "button \"A\"" }))), Ok(json!({ "element": "button \"A\"" })));
        assert_eq!(saved(tap(json!({ "instead": { "text": "Undo" } }))), Ok(json!({ "text": "Undo" })));
        assert_eq!(saved(tap(json!({ "instead": { "x": 3.0, "y": 4.0 } }))), Ok(json!({ "x": 3.0, "y": 4.0 })));
        assert!(saved(tap(json!({}))).unwrap_err().contains("tap e7"));
        // What a screen says uses no input.
        assert_eq!(
            saved(tap(json!({ "words": "button \"${greeting}\"" }))),
            Ok(json!({ "element": "button \"$${greeting}\"" }))
        );
    }

    #[test]
    fn inputs_stay_inputs() {
        let typed = json!({ "tool": "input_text", "arguments": { "text": "Hi" } });
        assert_eq!(saved(typed), Ok(json!({ "text": "${greeting}" })));
        let named = json!({ "tool": "tap", "arguments": { "element": "cell \"${greeting}\"" }, "words": "cell \"${greeting}\"" });
        assert_eq!(saved(named), Ok(json!({ "element": "cell \"${greeting}\"" })));
    }

    #[test]
    fn a_step_that_needed_nothing_is_waited_for() {
        let steps = json!([{ "tool": "tap", "arguments": { "text": "Write" }, "expect": { "text": "Empty" } }]);
        let event = |n, kind, data| Event { n, at: 0, kind, step: Some(1), data };
        let events = [
            event(1, Kind::StepStarted, json!({ "place": "steps[0]" })),
            event(2, Kind::Note, json!({ "repair": "it is not there" })),
            event(3, Kind::Note, json!({ "repaired": "the note is open already" })),
        ];
        let script = script(&order(steps), &events).unwrap();
        assert_eq!(script["steps"], json!([{ "tool": "wait_for", "arguments": { "text": "Empty" } }]));
    }
}
