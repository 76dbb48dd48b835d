//! How far a step had come when it was broken off, told from the task's events alone.
//!
//! Knows what events say of a step. What is done about it is `steps`'s.

use super::{halt::judge, repair::Repair, steps::ALERT};
use crate::capability::Error;
use fingertip_tasks::{Event, Kind};
use serde_json::Value;

/// Marks the intent of what is not the step itself but makes room for it.
pub(super) const ASIDE: &str = "aside";

/// How far a step had come when it was broken off.
pub(super) enum Standing {
    /// Nothing of it was done, or what was tried surely was not.
    Fresh,
    /// Its action was done, with this result, and was not checked.
    Acted(Value),
    /// Its action was done, and something after it failed.
    Failed(Error),
    /// Its action may or may not have been done.
    Doubtful(Event),
    /// The model was at work on it.
    Repairing(Repair),
    /// What was done to make room for it may or may not have been done.
    Aside { intent: Event, acted: Option<Value> },
    /// A human was asked, and answered.
    Told { question: Value, answer: String, doubtful: Option<Event>, acted: Option<Value> },
}

impl Standing {
    /// Whether an alert was answered after its action was done.
    pub(super) fn met_an_alert(&self) -> bool {
        match self {
            Standing::Told { question, acted: Some(_), .. } => question["reason"] == ALERT,
            Standing::Aside { acted: Some(_), .. } => true,
            _ => false,
        }
    }

    /// How far this step has come, by the task's events.
    pub(super) fn of(events: &[Event], step: u32, open: Option<Event>) -> Standing {
        let begun = events.iter().rposition(|event| event.kind == Kind::StepStarted && event.step == Some(step));
        let (mut standing, mut acted, mut question) = (Standing::Fresh, None, None);
        for event in &events[begun.unwrap_or(0)..] {
            if let Some(repair) = Repair::of(event) {
                return Standing::Repairing(repair);
            }
            match event.kind {
                // What was done to make room for the step is not the step.
                Kind::Intent if event.data[ASIDE] == true => {
                    standing = Standing::Aside { intent: event.clone(), acted: acted.clone() };
                }
                Kind::Effect => {
                    let done = event.data["outcome"] == "done";
                    if !matches!(standing, Standing::Aside { .. }) {
                        let error = event.data.get("error").filter(|_| done);
                        let error = error.and_then(|error| serde_json::from_value(error.clone()).ok());
                        // That the device went away when it was done says nothing against it.
                        if let Some(Ok(error)) = error.map(judge) {
                            standing = Standing::Failed(error);
                            continue;
                        }
                        let result = event.data.get("result").cloned().unwrap_or_default();
                        acted = Some(result).filter(|result| done && !swallowed(result));
                    }
                    standing = acted.clone().map_or(Standing::Fresh, Standing::Acted);
                }
                // Questions that are not this step's, such as for a secret, say nothing of it.
                Kind::Asked => question = Some(event.data.clone()).filter(|_| event.step == Some(step)),
                Kind::Answered => {
                    if let Some(question) = question.take() {
                        let answer = event.data["answer"].as_str().unwrap_or_default().to_owned();
                        let (doubtful, acted) = (open.clone(), acted.clone());
                        standing = Standing::Told { question, answer, doubtful, acted };
                    }
                }
                _ => {}
            }
        }
        match (standing, open) {
            (known @ (Standing::Told { .. } | Standing::Aside { .. }), _) => known,
            (_, Some(intent)) => Standing::Doubtful(intent),
            (standing, None) => standing,
        }
    }
}

/// Whether an alert that came up meanwhile took an action in, so that it did nothing.
pub(super) fn swallowed(result: &Value) -> bool {
    let effect = &result["effect"];
    effect["state"] == "unchanged" && effect["cause"] == "alert_in_front"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::{Code, Outcome};
    use serde_json::json;

    fn standing(error: Code) -> Standing {
        let error = Error::new(error, "no", "Look.").outcome(Outcome::Done);
        let event = |n, kind, data| Event { n, at: 0, kind, step: Some(2), data };
        let events = [
            event(5, Kind::StepStarted, json!({ "place": "steps[1]" })),
            event(6, Kind::Intent, json!({ "tool": "set_orientation" })),
            event(7, Kind::Effect, json!({ "intent": 6, "outcome": "done", "error": error })),
        ];
        Standing::of(&events, 2, None)
    }

    #[test]
    fn what_an_alert_took_in_was_not_done() {
        let event = |n, kind, data| Event { n, at: 0, kind, step: Some(1), data };
        let begun = |effect: Value| {
            [
                event(2, Kind::StepStarted, json!({ "place": "steps[0]" })),
                event(3, Kind::Intent, json!({ "tool": "tap" })),
                event(4, Kind::Effect, json!({ "intent": 3, "outcome": "done", "result": { "effect": effect } })),
                event(5, Kind::Asked, json!({ "reason": ALERT })),
                event(6, Kind::Answered, json!({ "answer": "Close" })),
            ]
        };
        let acted = |effect: Value| match Standing::of(&begun(effect), 1, None) {
            Standing::Told { acted, .. } => acted.is_some(),
            _ => panic!("it was told"),
        };
        assert!(!acted(json!({ "state": "unchanged", "cause": "alert_in_front" })));
        assert!(acted(json!({ "state": "changed" })));
    }

    #[test]
    fn what_was_done_before_the_device_went_away_is_done() {
        assert!(matches!(standing(Code::DeviceOffline), Standing::Acted(_)));
        assert!(matches!(standing(Code::LeaseLost), Standing::Acted(_)));
        assert!(matches!(standing(Code::PerceptionFailed), Standing::Failed(_)));
    }
}
