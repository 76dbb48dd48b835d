//! Why work on a task stops before its end, or at it.

use crate::capability::{Code, Error, Outcome};
use fingertip_tasks::MemoryError;
use serde_json::{Value, json};

/// Why work stops. What stands in the memory tells how it goes on.
#[derive(Debug)]
pub(super) enum Halt {
    /// It is paused, or a human was asked.
    Rest,
    /// The device is not there, or somebody else's.
    Away(Box<Error>),
    /// An action may or may not have been done: it is to be looked at.
    Doubt,
    /// It came to its end.
    End(Box<End>),
    /// Somebody else ended it.
    Ended,
    /// The host is about to end; the next one goes on.
    Stopped,
    /// The memory failed.
    Memory(MemoryError),
}

/// How a task ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// With this result.
    Succeeded(Value),
    /// For this reason.
    Failed(Failure),
}

/// Why a task failed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    /// One of a few words for programs, such as `limit`.
    pub reason: &'static str,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// In which step, from 1.
    pub step: Option<u32>,
    /// What a tool answered, where that was it.
    pub error: Option<Error>,
}

impl Failure {
    pub(super) fn new(reason: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure { reason, message: message.into(), hint: hint.into(), step: None, error: None }
    }

    /// A tool failed.
    pub(super) fn tool(reason: &'static str, error: Error) -> Failure {
        Failure { reason, message: error.message.clone(), hint: error.hint.clone(), step: None, error: Some(error) }
    }

    pub(super) fn in_step(self, step: u32) -> Failure {
        Failure { step: Some(step), ..self }
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::End(Box::new(End::Failed(failure)))
    }
}

impl End {
    /// The data of the last event.
    pub(super) fn data(self) -> Value {
        match self {
            End::Succeeded(result) => json!({ "status": "succeeded", "result": result }),
            End::Failed(Failure { reason, message, hint, step, error }) => {
                let mut told = json!({ "reason": reason, "message": message, "hint": hint });
                if let Some(step) = step {
                    told["step"] = step.into();
                }
                if let Some(error) = error {
                    told["code"] = json!(error.code);
                    told["outcome"] = json!(error.outcome);
                    if let Some(details) = error.details {
                        told["details"] = details;
                    }
                }
                json!({ "status": "failed", "error": told })
            }
        }
    }
}

impl From<MemoryError> for Halt {
    fn from(error: MemoryError) -> Halt {
        match error {
            // It was ended, or forgotten after its end, by somebody else.
            MemoryError::Finished { .. } | MemoryError::NotFound { .. } => Halt::Ended,
            MemoryError::Paused { .. } => Halt::Rest,
            MemoryError::TooManyEvents { last, .. } => Failure::new(
                "limit",
                format!("the task has {last} events, which is the most that are kept"),
                "Split its goal into smaller tasks.",
            )
            .into(),
            other => Halt::Memory(other),
        }
    }
}

/// What an error of a tool means for the work: `Ok` where the tool itself was of no use, such as an element that is not
/// there.
pub(super) fn judge(error: Error) -> Result<Error, Halt> {
    if error.outcome == Outcome::Unknown {
        return Err(Halt::Doubt);
    }
    match error.code {
        Code::DeviceOffline
        | Code::DeviceBusy
        | Code::DeviceNotFound
        | Code::DeviceNotAuthorized
        | Code::LeaseLost
        | Code::Overloaded => Err(Halt::Away(Box::new(error))),
        _ => Ok(error),
    }
}
