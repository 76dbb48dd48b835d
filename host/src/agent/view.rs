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

/// A task with what became of its steps: a fold over its events.
#[derive(Debug)]
pub(super) struct View {
    task: Task,
    /// What became of each step, in the order in which they were begun last.
    steps: Vec<Step>,
    /// Why it waits for its device, unless nobody has looked for that since it was taken up.
    waiting: Option<Value>,
}

#[derive(Debug)]
struct Step {
    number: u32,
    shown: Value,
}

impl View {
    /// Of a task of which nothing is known yet.
    pub(super) fn new(id: &str) -> View {
        View { task: Task::new(id), steps: Vec::new(), waiting: None }
    }

    /// The task as it is.
    pub(super) fn task(&self) -> &Task {
        &self.task
    }

    /// Takes in the next event.
    pub(super) fn take_in(&mut self, event: &Event) {
        self.task.apply(event);
        match event.kind {
            Kind::Waiting => self.waiting = Some(event.data.clone()),
            Kind::Started | Kind::TakenUp => self.waiting = None,
            _ => {}
        }
        if let Some(number) = event.step {
            self.step(number, event);
        }
    }

    fn step(&mut self, number: u32, event: &Event) {
        // A step that goes on is nearly always the last one.
        let known = self.steps.iter().rposition(|step| step.number == number);
        if event.kind == Kind::StepStarted {
            if let Some(at) = known {
                self.steps.remove(at);
            }
            let shown = json!({ "step": number, "what": event.data["what"], "state": "begun" });
            self.steps.push(Step { number, shown });
            return;
        }
        let Some(Step { shown, .. }) = known.and_then(|at| self.steps.get_mut(at)) else { return };
        match event.kind {
            Kind::Effect => {
                shown["outcome"] = event.data["outcome"].clone();
                if let Some(effect) = event.data["result"].get("effect") {
                    shown["effect"] = effect["state"].clone();
                }
            }
            Kind::Verified => shown["state"] = if event.data["ok"] == false { "failed" } else { "done" }.into(),
            _ => {}
        }
    }

    /// All of it.
    pub(super) fn shown(&self) -> Value {
        let mut shown = brief(&self.task);
        shown["plan"] = self.task.plan.clone().unwrap_or_default();
        shown["steps"] = self.steps.iter().map(|step| step.shown.clone()).collect();
        if let Some(waiting) = self.waiting.as_ref().filter(|_| self.task.status == Status::WaitingDevice) {
            shown["waiting"] = waiting.clone();
        }
        shown
    }
}

/// Why a queued task waits: another has its device.
pub(super) fn behind(other: &Task) -> Value {
    let message = format!("it waits behind task {}, which is {}", other.id, other.status.as_str());
    json!({ "reason": "queued", "message": message, "hint": "It begins when that task has ended." })
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
            let mut view = View::new("t");
            (1..).zip(kinds).map(event).for_each(|event| view.take_in(&event));
            view.shown().get("waiting").cloned()
        };
        use Kind::{Asked, Created, Started, TakenUp, Waiting};
        assert_eq!(shown(&[Created, Started, Waiting]), Some(away.clone()));
        assert_eq!(shown(&[Created, Waiting, Started]), None);
        assert_eq!(shown(&[Created, Started, Waiting, Asked]), None, "it waits for a human first");
        assert_eq!(shown(&[Created, Waiting, Started, TakenUp]), None, "that was another time");
    }

    #[test]
    fn a_step_that_is_begun_anew_comes_last() {
        let mut view = View::new("t");
        let all = [
            (Kind::Created, None, json!({})),
            (Kind::StepStarted, Some(1), json!({ "what": "tap a" })),
            (Kind::Effect, Some(1), json!({ "outcome": "done", "result": { "effect": { "state": "changed" } } })),
            (Kind::StepStarted, Some(2), json!({ "what": "tap b" })),
            (Kind::Verified, Some(2), json!({ "ok": false })),
            (Kind::StepStarted, Some(1), json!({ "what": "tap a" })),
            (Kind::Verified, Some(1), json!({ "ok": true })),
            (Kind::Verified, Some(7), json!({ "ok": true, "skipped": true })),
        ];
        for (n, (kind, step, data)) in (1..).zip(all) {
            view.take_in(&Event { n, at: 0, kind, step, data });
        }
        let steps = json!([
            { "step": 2, "what": "tap b", "state": "failed" },
            { "step": 1, "what": "tap a", "state": "done" },
        ]);
        assert_eq!(view.shown()["steps"], steps);
    }
}
