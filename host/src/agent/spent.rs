//! What a question to a model costs when nobody waits for its answer any more.
//!
//! The most that it may cost is recorded before it is asked, so that also a host that is killed counts it. Whoever has the answer
//! records what it did cost; a question without such an event behind it was dropped.

use fingertip_models::{Model, Question};
use fingertip_tasks::{Event, Kind};
use serde_json::{Value, json};

/// Under which name the observation before a question keeps what it may cost.
pub(super) const ASKING: &str = "asking";

/// What a question may cost.
pub(super) fn asking(model: &Model, question: &Question) -> Value {
    let most = model.reckon(question);
    json!({ "model": model.name(), "tokens": most.input + most.output, "usd": most.usd })
}

/// The usage of a question that was dropped, if the last one was and nobody has counted it.
pub(super) fn unanswered(events: &[Event]) -> Option<Value> {
    let mut usage = events.iter().rev().find_map(|event| match event.kind {
        Kind::Usage => Some(Value::Null),
        Kind::Observation => event.data.get(ASKING).cloned(),
        _ => None,
    })?;
    let fields = usage.as_object_mut()?;
    fields.extend([("requests".to_owned(), json!(1)), ("estimated".to_owned(), json!(true))]);
    Some(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_counted_until_its_usage_is_known() {
        let event = |kind, data| Event { n: 1, at: 0, kind, step: None, data };
        let asked = event(Kind::Observation, json!({ "asking": { "model": "m", "tokens": 7, "usd": 0.5 } }));
        let used = event(Kind::Usage, json!({ "tokens": 3 }));
        let other = event(Kind::Observation, json!({ "tool": "wait_for" }));
        let dropped = json!({ "model": "m", "tokens": 7, "usd": 0.5, "requests": 1, "estimated": true });
        assert_eq!(unanswered(&[]), None);
        assert_eq!(unanswered(&[used.clone(), asked.clone(), other.clone()]), Some(dropped));
        assert_eq!(unanswered(&[asked, other, used]), None);
    }
}
