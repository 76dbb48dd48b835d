//! What keeps a task from being made or steered, in a caller's words.
//!
//! Knows the memory's errors and the codes of callers.

use crate::capability::{Code, Error};
use fingertip_tasks::MemoryError;

/// There is no model for what a task wants.
pub(super) fn no_model(what_for: &str, instead: &str) -> Error {
    Error::new(
        Code::ModelUnavailable,
        format!("no model is configured {what_for}"),
        format!("{instead} name one in the configuration: model = \"…\" under [agent]."),
    )
}

/// The task is not in a state for what is asked.
pub(super) fn conflict(message: String, hint: &str) -> Error {
    Error::new(Code::TaskConflict, message, hint)
}

/// What the memory says, in a caller's words.
pub(super) fn error(error: MemoryError) -> Error {
    let text = error.to_string();
    // Its messages end with what to do next; a question or a key within may have a semicolon of its own.
    let (message, hint) = text.rsplit_once("; ").unwrap_or((&text, "Try again."));
    let code = match &error {
        MemoryError::NotFound { .. } => Code::TaskNotFound,
        MemoryError::Finished { .. }
        | MemoryError::NotAsked { .. }
        | MemoryError::AskedAnew { .. }
        | MemoryError::Paused { .. } => Code::TaskConflict,
        MemoryError::KeyReused { .. } | MemoryError::TooLong { .. } | MemoryError::TooDeep { .. } => {
            Code::InvalidArguments
        }
        MemoryError::TooManyTasks { .. } => Code::Overloaded,
        _ => {
            tracing::error!(%error, "the task memory failed");
            let hint = "Try again; if it stays so, the operator finds the cause in the server's log.";
            return Error::new(Code::Internal, "the server's memory of tasks failed", hint);
        }
    };
    let mut hint = hint.to_owned();
    if let Some(first) = hint.get(..1) {
        hint.replace_range(..1, &first.to_uppercase());
    }
    if !hint.ends_with('.') {
        hint.push('.');
    }
    Error::new(code, message, hint)
}
