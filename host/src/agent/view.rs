//! A task and its events, as callers see them.

use crate::capability::time;
use fingertip_tasks::{Event, Kind, Status, Task};
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};

/// A moment of the memory as the contract writes it.
fn at(millis: i64) -> String {
    time(UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
}

/// A task without its steps.
pub(super) fn brief(task: &Task) -> Value {
    let mut shown = json!({
        "id": task.id,
        "goal": task.goal,
        "device_id": task.device_id,
        "status": task.status,
        "used": task.used,
        "created_at": at(task.created_at),
        "updated_at": at(task.updated_at),
    });
    for (name, value) in [("question", &task.question), ("result", &task.result), ("error", &task.error)] {
        if let Some(value) = value {
            shown[name] = value.clone();
        }
    }
    shown
}

/// A task with what became of its steps, by its events.
pub(super) fn full(task: &Task, events: &[Event]) -> Value {
    let mut shown = brief(task);
    shown["plan"] = task.plan.clone().unwrap_or_default();
    shown["steps"] = steps(events).into();
    if let Some(waiting) = waiting(task, events) {
        shown["waiting"] = waiting.clone();
    }
    shown
}

/// Why a task waits for its device, unless nobody has looked for that since it was taken up.
fn waiting<'a>(task: &Task, events: &'a [Event]) -> Option<&'a Value> {
    let told = |event: &&Event| matches!(event.kind, Kind::Waiting | Kind::Started | Kind::TakenUp);
    let last = events.iter().rfind(told).filter(|last| last.kind == Kind::Waiting)?;
    (task.status == Status::WaitingDevice).then_some(&last.data)
}

/// Why a queued task waits: another has its device.
pub(super) fn behind(other: &Task) -> Value {
    let message = format!("it waits behind task {}, which is {}", other.id, other.status.as_str());
    json!({ "reason": "queued", "message": message, "hint": "It begins when that task has ended." })
}

/// What became of each step, in the order in which they were begun last.
fn steps(events: &[Event]) -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    for event in events {
        let Some(number) = event.step else { continue };
        if event.kind == Kind::StepStarted {
            steps.retain(|step| step["step"] != number);
            steps.push(json!({ "step": number, "what": event.data["what"], "state": "begun" }));
        }
        let Some(step) = steps.iter_mut().rev().find(|step| step["step"] == number) else { continue };
        match event.kind {
            Kind::Effect => {
                step["outcome"] = event.data["outcome"].clone();
                if let Some(effect) = event.data["result"].get("effect") {
                    step["effect"] = effect["state"].clone();
                }
            }
            Kind::Verified => step["state"] = if event.data["ok"] == false { "failed" } else { "done" }.into(),
            _ => {}
        }
    }
    steps
}

/// One event.
pub(super) fn event(event: &Event) -> Value {
    let mut shown = json!({ "n": event.n, "at": at(event.at), "kind": event.kind });
    if let Some(step) = event.step {
        shown["step"] = step.into();
    }
    shown["data"] = event.data.clone();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_says_for_what_it_waits() {
        let away = json!({ "reason": "unplugged", "message": "phone is offline", "hint": "Plug it in." });
        let shown = |kinds: &[Kind]| {
            let data = |kind: &Kind| if *kind == Kind::Waiting { away.clone() } else { json!({}) };
            let event = |(n, kind): (u32, &Kind)| Event { n, at: 0, kind: kind.clone(), step: None, data: data(kind) };
            let events: Vec<Event> = (1..).zip(kinds).map(event).collect();
            full(&Task::fold("t", &events), &events).get("waiting").cloned()
        };
        use Kind::{Asked, Created, Started, TakenUp, Waiting};
        assert_eq!(shown(&[Created, Started, Waiting]), Some(away.clone()));
        assert_eq!(shown(&[Created, Waiting, Started]), None);
        assert_eq!(shown(&[Created, Started, Waiting, Asked]), None, "it waits for a human first");
        assert_eq!(shown(&[Created, Waiting, Started, TakenUp]), None, "that was another time");
    }
}
