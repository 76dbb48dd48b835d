//! The memory of one task, for those who work on it.
//!
//! Knows that secrets are taken out of whatever is recorded.

use super::halt::Halt;
use crate::capability::spaced;
use fingertip_tasks::{BULLETS, Event, Kind, NewEvent, Recorder, Task, redact};
use serde_json::Value;
use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

/// What in an event's data are words and numbers of our own, by which work goes on: none is taken from a screen or a caller's
/// values, and a secret that happens to be a part of one (`on` of `done`) must not change it.
const OURS: [&str; 15] = [
    "status",
    "outcome",
    "intent",
    "ok",
    "met",
    "tool",
    "place",
    "reason",
    "input",
    "device_id",
    "step",
    "code",
    "screen",
    "key",
    "before",
];

/// Characters of the shortest secret that is taken out of running text.
const SHORTEST: usize = 4;

/// Letters and digits of the shortest secret that is looked for with other signs between: fewer stand so by chance.
const SHORTEST_SPACED: usize = 6;

/// The memory of one task.
#[derive(Clone)]
pub(super) struct Journal {
    recorder: Recorder,
    id: Arc<str>,
    secrets: Arc<Mutex<Vec<String>>>,
}

impl Journal {
    pub(super) fn new(recorder: Recorder, id: &str) -> Journal {
        Journal { recorder, id: id.into(), secrets: Arc::default() }
    }

    /// The task's name.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// What nothing may show from now on.
    pub(super) fn hide(&self, texts: Vec<String>) {
        *self.secrets.lock().unwrap_or_else(PoisonError::into_inner) = texts;
    }

    /// Records events, all or none: their numbers.
    pub(super) async fn write(&self, events: Vec<NewEvent>) -> Result<Range<u32>, Halt> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let clean = |event: NewEvent| match event.kind {
            // What was used, and what may be, are words and numbers of our own throughout.
            Kind::Usage | Kind::Limit => event,
            _ => NewEvent { data: without(event.data, &secrets, true), ..event },
        };
        let events = events.into_iter().map(clean).collect();
        self.recorder.append(&self.id, events).await.map_err(Halt::from)
    }

    /// Records something that is worth knowing afterwards.
    pub(super) async fn note(&self, data: Value) -> Result<(), Halt> {
        self.write(vec![NewEvent::new(Kind::Note, data)]).await.map(|_| ())
    }

    /// A text without secrets, for those who are shown it. A secret of a letter or two would make it unreadable and stays.
    pub(super) fn clean(&self, text: &str) -> String {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let secrets: Vec<&str> =
            secrets.iter().map(String::as_str).filter(|secret| secret.chars().count() >= SHORTEST).collect();
        hidden(text.to_owned(), &secrets)
    }

    /// Where the task stands.
    pub(super) async fn state(&self) -> Result<Task, Halt> {
        let id = self.id.clone();
        self.recorder.with(move |memory| memory.task(&id)).await.map_err(Halt::from)
    }

    /// All events after number `after`.
    pub(super) async fn events(&self, after: u32) -> Result<Vec<Event>, Halt> {
        let id = self.id.clone();
        self.recorder.with(move |memory| memory.all_events(&id, after)).await.map_err(Halt::from)
    }

    /// Waits until there are events after number `n`.
    pub(super) async fn news(&self, n: u32) -> Result<(), Halt> {
        let id = self.id.to_string();
        let mut news = self.recorder.with(move |memory| memory.follow(&id)).await?;
        // What was written before it was followed is not told.
        if self.state().await?.last > n {
            return Ok(());
        }
        news.after(n).await.map(|_| ()).ok_or(Halt::Ended)
    }
}

/// The value without secrets. The names of fields are a schema's, and stay; with `ours` so does what stands at [`OURS`].
fn without(value: Value, secrets: &[&str], ours: bool) -> Value {
    match value {
        Value::Object(fields) => {
            let clean = |(name, value): (String, Value)| {
                let stays = ours && OURS.contains(&name.as_str());
                let value = if stays { value } else { without(value, secrets, ours && name == "error") };
                (name, value)
            };
            Value::Object(fields.into_iter().map(clean).collect())
        }
        Value::Array(items) => items.into_iter().map(|item| without(item, secrets, false)).collect(),
        Value::String(text) => hidden(text, secrets).into(),
        // A number or a yes is none of a caller's texts, and work goes on by it.
        leaf => leaf,
    }
}

/// A text without secrets, as they were given and as apps show them: numbers of cards with blanks between.
fn hidden(text: String, secrets: &[&str]) -> String {
    let mut clean = Value::String(text);
    redact(&mut clean, secrets);
    let mut text = clean.as_str().unwrap_or_default().to_owned();
    let telling = |secret: &&&str| secret.chars().filter(|sign| sign.is_alphanumeric()).count() >= SHORTEST_SPACED;
    for secret in secrets.iter().filter(telling) {
        for place in spaced(&text, secret).into_iter().rev() {
            text.replace_range(place, BULLETS);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingertip_tasks::{Limits, Memory, NewTask};
    use serde_json::json;

    #[tokio::test]
    async fn a_secret_changes_nothing_that_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path(), Limits::default()).unwrap();
        let id = memory.create(NewTask { goal: "x".to_owned(), ..NewTask::default() }).unwrap().id;
        let journal = Journal::new(Recorder::start(Arc::new(memory)).unwrap(), &id);
        journal.hide(vec!["12".to_owned(), "s".to_owned()]);
        let usage = json!({ "model": "gpt-12", "tokens": 120, "usd": 0.125, "requests": 1 });
        let limit = json!({ "what": "steps", "most": 12 });
        let note = json!({ "text": "12 s", "count": 12 });
        let of = |kind, data: &Value| NewEvent::new(kind, data.clone());
        let written = vec![of(Kind::Usage, &usage), of(Kind::Limit, &limit), of(Kind::Note, &note)];
        journal.write(written).await.unwrap();
        let used = journal.state().await.unwrap().used;
        assert_eq!((used.tokens, used.usd), (120, 0.125));
        let data: Vec<Value> = journal.events(1).await.unwrap().into_iter().map(|event| event.data).collect();
        assert_eq!(data, [usage, limit, json!({ "text": "••• •••", "count": 12 })]);
    }

    #[test]
    fn a_secret_changes_no_word_by_which_work_goes_on() {
        let data = json!({
            "outcome": "done", "intent": 11, "result": { "reason": "on", "effect": { "state": "one" } },
            "error": { "reason": "guard_missed on", "message": "on and on", "details": { "reason": "on" } },
        });
        let clean = json!({
            "outcome": "done", "intent": 11, "result": { "reason": "•••", "effect": { "state": "•••e" } },
            "error": { "reason": "guard_missed on", "message": "••• and •••", "details": { "reason": "•••" } },
        });
        assert_eq!(without(data, &["on", "1"], true), clean);
    }
    #[test]
    fn a_secret_is_hidden_with_other_signs_between() {
        let secrets = ["4111111111111111", "1234", "4 5 6 - 7 8 9"];
        for (text, clean) in [
            ("card 4111 1111 1111 1111, valid", "card •••, valid"),
            ("4111-1111-1111-1111 and 4111111111111111", "••• and •••"),
            ("4111 1111 1111 111", "4111 1111 1111 111"),
            ("code 456789.", "code •••."),
            // A few digits stand so by chance.
            ("12:34, 1234", "12:34, •••"),
            ("größe 4111 1111 1111 1111 1", "größe ••• 1"),
            ("1 1 1 1 1 1 1", "1 1 1 1 1 1 1"),
        ] {
            assert_eq!(without(json!({ "text": [text] }), &secrets, true), json!({ "text": [clean] }), "{text}");
        }
        let numbers = json!({ "x": 1234, "y": 4111111111111111u64, "is": true });
        assert_eq!(without(numbers.clone(), &secrets, true), numbers);
        assert_eq!(hidden("1 1 1 1 1 1 1".to_owned(), &["111111"]), "•••");
    }
}
