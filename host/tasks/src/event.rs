//! What happened to a task: the kinds of events, and what their data say.
//!
//! Knows names and shapes. What events add up to is the task's.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One thing that happened to a task. It never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its number within the task, from 1, without gaps.
    pub n: u32,
    /// When it was recorded: milliseconds since 1970, UTC, by the system's clock, which may have been turned back.
    pub at: i64,
    /// What happened.
    pub kind: Kind,
    /// Which step of the plan it belongs to, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Its particulars; what the fold reads of them stands at [`Kind`].
    pub data: Value,
}

/// An event that is about to be recorded.
///
/// A picture is named in the data by its hash under the key `picture`, at any depth.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// What happened.
    pub kind: Kind,
    /// Which step of the plan it belongs to, from 1.
    pub step: Option<u32>,
    /// Its particulars, stored as given: secrets are taken out by [`redact`](crate::redact) before.
    pub data: Value,
}

impl NewEvent {
    /// An event that belongs to no step.
    pub fn new(kind: Kind, data: Value) -> NewEvent {
        NewEvent { kind, step: None, data }
    }

    /// The same event, belonging to a step, from 1.
    pub fn of_step(self, step: u32) -> NewEvent {
        NewEvent { step: Some(step), ..self }
    }
}

/// A task that is about to be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewTask {
    /// What is to be done; empty where the data hold all of it.
    pub goal: String,
    /// On which device, if that is known yet.
    pub device_id: Option<String>,
    /// Who asks: the name within which a key counts.
    pub caller: String,
    /// The caller's idempotency key: for as long as the task is kept, the same key gives the same task.
    pub key: Option<String>,
    /// All else that was asked for, stored as given. It becomes the data of the first event, with `goal` and `device_id` put
    /// in.
    pub data: Map<String, Value>,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal,)+) => {
        /// What an event tells. Three pairs change a task's status: `started` and `waiting`, `asked` and `answered`, `paused`
        /// and `resumed`; the end of one says nothing about the others.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum Kind {
            $($(#[doc = $doc])+ $kind,)+
            /// A kind that a newer version wrote. It changes nothing but the time of the last event.
            Other(String),
        }

        impl Kind {
            /// All kinds known to this version.
            pub const KNOWN: &[Kind] = &[$(Kind::$kind),+];

            /// The stable name.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Kind::$kind => $name,)+
                    Kind::Other(name) => name,
                }
            }
        }

        impl From<String> for Kind {
            fn from(name: String) -> Kind {
                match name.as_str() {
                    $($name => Kind::$kind,)+
                    _ => Kind::Other(name),
                }
            }
        }
    };
}

kinds! {
    /// The task was asked for: `goal`, `device_id`, and all else of the request. The first event and no other.
    Created = "created",
    /// It is being worked on, with its device at hand: at its beginning, after waiting, or after the program was started
    /// anew; the time before is not counted as used. `device_id`, where only now a device was chosen.
    Started = "started",
    /// The program was started anew, and the task is in its hands again: the time before is not counted as used. It waits for its
    /// device until it is started again.
    TakenUp = "taken_up",
    /// It waits for its device: `reason`.
    Waiting = "waiting",
    /// What is to be done, at first or anew: `plan`.
    Planned = "planned",
    /// A step of the plan begins.
    StepStarted = "step_started",
    /// What was seen.
    Observation = "observation",
    /// An action that is about to be sent: `tool`, `arguments`.
    Intent = "intent",
    /// What came of an action: `intent`, the number of its intent, or else that of the open one is meant.
    Effect = "effect",
    /// A step was checked: `ok`, which is true where it is left out.
    Verified = "verified",
    /// A human is needed: `question`, `reason`.
    Asked = "asked",
    /// The human's answer: `answer`, and `asked`, the number of the question, or else that of the open one is meant.
    Answered = "answered",
    /// Somebody wants it to rest.
    Paused = "paused",
    /// Somebody wants it to go on.
    Resumed = "resumed",
    /// A limit was reached: `what`.
    Limit = "limit",
    /// What a model was asked: `tokens`, `usd`, both to be added up.
    Usage = "usage",
    /// Anything else that is worth knowing afterwards.
    Note = "note",
    /// The end: `status` (succeeded, failed or cancelled; failed where it is none of these), `result` or `error`.
    Finished = "finished",
}

impl From<Kind> for String {
    fn from(kind: Kind) -> String {
        match kind {
            Kind::Other(name) => name,
            known => known.as_str().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        for kind in Kind::KNOWN {
            let text = serde_json::to_string(kind).unwrap();
            assert_eq!(text, format!("\"{}\"", kind.as_str()));
            assert_eq!(serde_json::from_str::<Kind>(&text).unwrap(), *kind);
            assert!(!matches!(kind, Kind::Other(_)));
        }
    }

    #[test]
    fn a_newer_versions_kind_is_kept() {
        let text = r#"{"n":4,"at":5,"kind":"dreamt","data":{"of":"sheep"}}"#;
        let event: Event = serde_json::from_str(text).unwrap();
        assert_eq!(event.kind, Kind::Other("dreamt".into()));
        assert_eq!(serde_json::to_string(&event).unwrap(), text);
    }
}
