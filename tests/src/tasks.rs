//! Tasks as a caller sees them through REST, and what must hold of every history.
//!
//! It knows the doors' fields and the order of events. What a task does it does not know.

use crate::host::Host;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a task may take to come to where a test wants it.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long one look waits for news.
const WAIT_MS: u64 = 2_000;

/// A task and all its events.
#[derive(Clone, Debug)]
pub struct History {
    /// The task.
    pub task: Value,
    /// All its events, in their order.
    pub events: Vec<Value>,
}

/// Starts a task: its name.
pub async fn start(host: &Host, order: Value) -> String {
    let (status, started) = host.post("/agent/task", order.clone()).await;
    assert_eq!(status, 202, "{order}: {started}");
    started["task_id"].as_str().expect("a name").to_owned()
}

/// A task as it is, without its events.
pub async fn task(host: &Host, id: &str) -> Value {
    let (status, answer) = host.get(&format!("/task/{id}?after=1000000")).await;
    assert_eq!(status, 200, "{answer}");
    answer["task"].clone()
}

/// A task and all its events, as they are now.
pub async fn history(host: &Host, id: &str) -> History {
    let mut history = History { task: Value::Null, events: Vec::new() };
    let mut after = 0;
    loop {
        let (status, answer) = host.get(&format!("/task/{id}?after={after}")).await;
        assert_eq!(status, 200, "{answer}");
        history.task = answer["task"].clone();
        let events = answer["events"].as_array().expect("events");
        history.events.extend(events.iter().cloned());
        if events.is_empty() {
            return history;
        }
        after = answer["next"].as_u64().expect("a number");
    }
}

/// Waits until a task has one of these statuses: the task.
pub async fn until(host: &Host, id: &str, statuses: &[&str]) -> Value {
    let deadline = Instant::now() + PATIENCE;
    let mut after = 0;
    loop {
        let (status, answer) = host.get(&format!("/task/{id}?after={after}&wait_ms={WAIT_MS}")).await;
        assert_eq!(status, 200, "{answer}");
        let task = &answer["task"];
        let is = task["status"].as_str().expect("a status");
        if statuses.contains(&is) {
            return task.clone();
        }
        let over = is_end(is) || Instant::now() > deadline;
        assert!(!over, "the task is {is} and not {statuses:?}: {}", history(host, id).await.told());
        after = answer["next"].as_u64().expect("a number");
    }
}

/// Waits until a task has ended, which must not need anybody: its history.
pub async fn ended(host: &Host, id: &str) -> History {
    until(host, id, &["succeeded", "failed", "cancelled"]).await;
    history(host, id).await
}

/// Waits until a task has an event such as this: the event.
pub async fn event(host: &Host, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + PATIENCE;
    let mut after = 0;
    loop {
        let (status, answer) = host.get(&format!("/task/{id}?after={after}&wait_ms={WAIT_MS}")).await;
        assert_eq!(status, 200, "{answer}");
        let events = answer["events"].as_array().expect("events");
        if let Some(event) = events.iter().find(|event| wanted(event)) {
            return event.clone();
        }
        let over = events.is_empty() && is_end(answer["task"]["status"].as_str().expect("a status"));
        assert!(!over && Instant::now() < deadline, "no such event: {}", history(host, id).await.told());
        after = answer["next"].as_u64().expect("a number");
    }
}

/// Steers a task, which must be possible: the task.
pub async fn control(host: &Host, id: &str, action: Value) -> Value {
    let (status, answer) = host.post(&format!("/task/{id}/control"), action.clone()).await;
    assert_eq!(status, 200, "{action}: {answer}");
    answer["task"].clone()
}

/// Answers what a task asks.
pub async fn answer(host: &Host, id: &str, text: &str) -> Value {
    control(host, id, json!({ "action": "answer", "answer": text })).await
}

fn is_end(status: &str) -> bool {
    matches!(status, "succeeded" | "failed" | "cancelled")
}

impl History {
    /// Where the task stands.
    pub fn status(&self) -> &str {
        self.task["status"].as_str().expect("a status")
    }

    /// Its events of one kind.
    pub fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["kind"] == kind)
    }

    /// The effect of an intent.
    pub fn effect_of(&self, intent: &Value) -> Option<&Value> {
        self.of("effect").find(|effect| effect["data"]["intent"] == intent["n"])
    }

    /// How often a tool was about to be used, and how often that was recorded as done.
    pub fn uses(&self, tool: &str) -> (usize, usize) {
        let intents: Vec<&Value> = self.of("intent").filter(|intent| intent["data"]["tool"] == tool).collect();
        let outcome = |intent: &&&Value| self.effect_of(intent).map(|effect| &effect["data"]["outcome"]);
        let done = intents.iter().filter(|intent| outcome(intent) == Some(&json!("done"))).count();
        (intents.len(), done)
    }

    /// For people: one line an event.
    pub fn told(&self) -> String {
        let line = |event: &Value| {
            let data: String = event["data"].to_string().chars().take(300).collect();
            format!("\n{} {} {} {data}", event["n"], event["kind"].as_str().unwrap_or_default(), event["step"])
        };
        format!("{}{}", self.task, self.events.iter().map(line).collect::<String>())
    }

    /// What must hold of the history of every task that has ended: nothing is missing, each action has one outcome, and the
    /// steps were checked once each and in their order.
    pub fn assert_complete(&self) {
        let told = || self.told();
        let numbers: Vec<u64> = self.events.iter().filter_map(|event| event["n"].as_u64()).collect();
        assert_eq!(numbers, (1..=self.events.len() as u64).collect::<Vec<_>>(), "numbers: {}", told());
        assert_eq!(self.events[0]["kind"], "created", "{}", told());
        assert_eq!(self.of("created").count(), 1, "{}", told());
        let last = self.of("finished").collect::<Vec<_>>();
        assert_eq!(last.len(), 1, "one end: {}", told());
        assert_eq!(last[0]["data"]["status"], self.task["status"], "{}", told());
        self.assert_outcomes();
        self.assert_steps();
    }

    /// Each intent has one outcome, which comes after it, and none is without an intent.
    fn assert_outcomes(&self) {
        for intent in self.of("intent") {
            let effects: Vec<&Value> =
                self.of("effect").filter(|effect| effect["data"]["intent"] == intent["n"]).collect();
            let [effect] = effects[..] else { panic!("intent {} has {effects:?}: {}", intent["n"], self.told()) };
            assert!(effect["n"].as_u64() > intent["n"].as_u64(), "{}", self.told());
            let outcome = effect["data"]["outcome"].as_str().unwrap_or_default();
            assert!(matches!(outcome, "done" | "not_done" | "unknown"), "{effect}: {}", self.told());
        }
        assert_eq!(self.of("intent").count(), self.of("effect").count(), "{}", self.told());
    }

    /// Each step was begun before it was checked, once and in its order; what a repetition skips is said to be. A model's step that
    /// is in doubt is not checked: the next one shows what became of it.
    fn assert_steps(&self) {
        let is_script = self.events[0]["data"]["steps"].as_array().is_some_and(|steps| !steps.is_empty());
        let mut checked = 0;
        for event in self.of("verified").filter(|event| event["data"]["ok"] == true) {
            let step = event["step"].as_u64().expect("a step");
            if event["data"]["skipped"] == true || !is_script {
                assert!(step > checked, "{event}: {}", self.told());
            } else {
                assert_eq!(step, checked + 1, "steps are checked in their order: {}", self.told());
                let begun = self.of("step_started").find(|begun| begun["step"] == step);
                assert!(begun.is_some_and(|begun| begun["n"].as_u64() < event["n"].as_u64()), "{}", self.told());
            }
            checked = step;
        }
        if self.status() == "succeeded" && self.task["result"]["steps"].is_u64() {
            let done = self.of("verified").filter(|event| event["data"]["skipped"] != true).count();
            assert_eq!(self.task["result"]["steps"].as_u64(), Some(done as u64), "what was done: {}", self.told());
        }
    }
}
