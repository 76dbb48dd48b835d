//! What a task's events add up to.
//!
//! Knows the kinds of events and nothing of how they are kept. The fold is pure: it reads neither clock nor storage, takes any
//! events in any order, and never fails.

use crate::event::{Event, Kind};
use crate::status::Status;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a task used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// Steps begun, those that were begun again among them.
    pub steps: u32,
    /// Tokens of models.
    pub tokens: u64,
    /// What these cost, in US dollars.
    pub usd: f64,
    /// Time at work, in seconds: neither waiting, nor paused, nor while nothing ran it.
    pub seconds: f64,
}

/// The state of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its name.
    pub id: String,
    /// What is to be done.
    pub goal: String,
    /// On which device, once that is known.
    pub device_id: Option<String>,
    /// Where it stands.
    pub status: Status,
    /// The newest plan.
    pub plan: Option<Value>,
    /// The step that was begun last, from 1.
    pub step: Option<u32>,
    /// The step that was last found to be done.
    pub verified: Option<u32>,
    /// What it asked and nobody answered: the data of the event.
    pub question: Option<Value>,
    /// The number of the event with which it asked that.
    pub asked: Option<u32>,
    /// What came of it.
    pub result: Option<Value>,
    /// Why it failed.
    pub error: Option<Value>,
    /// What it used.
    pub used: Used,
    /// The action that was about to be sent and of which no outcome is known. Whether it was sent is not known either.
    pub intent: Option<Event>,
    /// Time of the first event: milliseconds since 1970.
    pub created_at: i64,
    /// Time of the last event: milliseconds since 1970.
    pub updated_at: i64,
    /// Number of the last event.
    pub last: u32,
    /// Whether a limit of events was reached.
    pub(crate) full: bool,
    at_work: AtWork,
    paused: bool,
}

/// What of the status the work itself decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum AtWork {
    NotYet,
    Yes,
    Waits,
}

impl Task {
    /// A task of which nothing is known.
    pub fn new(id: impl Into<String>) -> Task {
        Task {
            id: id.into(),
            goal: String::new(),
            device_id: None,
            status: Status::Queued,
            plan: None,
            step: None,
            verified: None,
            question: None,
            asked: None,
            result: None,
            error: None,
            used: Used::default(),
            intent: None,
            created_at: 0,
            updated_at: 0,
            last: 0,
            full: false,
            at_work: AtWork::NotYet,
            paused: false,
        }
    }

    /// The task that these events make, from the first on.
    pub fn fold<'a>(id: impl Into<String>, events: impl IntoIterator<Item = &'a Event>) -> Task {
        let mut task = Task::new(id);
        events.into_iter().for_each(|event| task.apply(event));
        task
    }

    /// Takes in the next event. Of a finished task only what is still learned of it: a late effect, and what it cost.
    pub fn apply(&mut self, event: &Event) {
        let first = self.last == 0;
        if first {
            self.created_at = event.at;
        } else if self.status == Status::Running && !matches!(event.kind, Kind::Started | Kind::TakenUp) {
            self.used.seconds += event.at.saturating_sub(self.updated_at).max(0) as f64 / 1000.0;
        }
        self.updated_at = event.at;
        self.last = self.last.max(event.n);
        match event.kind {
            Kind::Effect => self.close(event),
            Kind::Usage => self.add(&event.data),
            _ if self.status.is_finished() => {}
            Kind::Created if !first => {}
            _ => self.go_on(event),
        }
        if !self.status.is_finished() {
            self.status = match self.at_work {
                _ if self.paused => Status::Paused,
                _ if self.question.is_some() => Status::NeedsHuman,
                AtWork::NotYet => Status::Queued,
                AtWork::Waits => Status::WaitingDevice,
                AtWork::Yes => Status::Running,
            };
        }
    }

    fn go_on(&mut self, event: &Event) {
        let data = &event.data;
        let text = |key| data.get(key).and_then(Value::as_str);
        match event.kind {
            Kind::Created => {
                self.goal = text("goal").unwrap_or_default().to_owned();
                self.device_id = text("device_id").map(str::to_owned);
            }
            Kind::Started => {
                self.at_work = AtWork::Yes;
                if let Some(device) = text("device_id") {
                    self.device_id = Some(device.to_owned());
                }
            }
            Kind::Waiting => self.at_work = AtWork::Waits,
            // What was not begun stands in its queue as before.
            Kind::TakenUp if self.at_work == AtWork::Yes => self.at_work = AtWork::Waits,
            Kind::Planned => self.plan = data.get("plan").cloned(),
            Kind::StepStarted => {
                self.step = event.step;
                self.used.steps = self.used.steps.saturating_add(1);
            }
            Kind::Intent => self.intent = Some(event.clone()),
            Kind::Verified if data.get("ok") != Some(&Value::Bool(false)) => self.verified = event.step.or(self.step),
            Kind::Asked => (self.question, self.asked) = (Some(data.clone()), Some(event.n)),
            Kind::Answered => (self.question, self.asked) = (None, None),
            Kind::Paused => self.paused = true,
            Kind::Resumed => self.paused = false,
            Kind::Limit => self.full |= text("what") == Some("events"),
            Kind::Finished => {
                self.status = match text("status") {
                    Some("succeeded") => Status::Succeeded,
                    Some("cancelled") => Status::Cancelled,
                    _ => Status::Failed,
                };
                self.result = data.get("result").cloned();
                self.error = data.get("error").cloned();
                (self.question, self.asked) = (None, None);
            }
            _ => {}
        }
    }

    /// A late effect of an earlier action must not pass for the outcome of the open one.
    fn close(&mut self, effect: &Event) {
        let of = effect.data.get("intent").and_then(Value::as_u64);
        if self.intent.as_ref().is_some_and(|intent| of.is_none_or(|of| of == u64::from(intent.n))) {
            self.intent = None;
        }
    }

    fn add(&mut self, usage: &Value) {
        let tokens = usage.get("tokens").and_then(Value::as_u64).unwrap_or(0);
        self.used.tokens = self.used.tokens.saturating_add(tokens);
        // JSON knows no infinity, so that a sum must not become one.
        let usd = usage.get("usd").and_then(Value::as_f64).unwrap_or(0.0);
        self.used.usd = (self.used.usd + usd.max(0.0)).min(1e15);
    }
}
