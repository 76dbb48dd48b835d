//! What can go wrong with a model, in words for the operator who configured it.
//!
//! Knows the kinds and their wording. No key and no address beyond the host's name is ever in them, and nothing that is said to
//! the model.

use std::{fmt, time::Duration};

/// Why there is no decision. Shown as a whole, what to do stands behind what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// The server cannot be reached, refuses, or knows no such model, also when tried again.
    Unavailable {
        /// The model, as configured.
        model: String,
        /// Who was asked: a host, or a provider's name.
        host: String,
        /// What happened.
        reason: String,
        /// What to do about it.
        hint: String,
    },
    /// No whole answer in time.
    TimedOut {
        /// The model, as configured.
        model: String,
        /// Who was asked.
        host: String,
        /// The time that it had.
        within: Duration,
    },
    /// No usable answer, also when asked again.
    Malformed {
        /// The model, as configured.
        model: String,
        /// The tool that the first answer called, as far as that could be told.
        tool: Option<String>,
        /// What was wrong with the first answer.
        first: String,
        /// What was wrong with the second.
        reason: String,
        /// Whether an answer ended at the limit of its tokens.
        cut: bool,
    },
    /// The model, or a filter before it, does not answer this question.
    Refused {
        /// The model, as configured.
        model: String,
        /// What is known of why.
        reason: String,
    },
    /// The settings cannot be used.
    Config {
        /// What is wrong with them, and what to write.
        reason: String,
    },
}

impl ModelError {
    /// What happened, without a full stop.
    pub fn message(&self) -> String {
        match self {
            ModelError::Unavailable { model, host, reason, .. } => {
                format!("the model {model} at {host} cannot be asked: {reason}")
            }
            ModelError::TimedOut { model, host, within } => {
                format!("the model {model} at {host} gave no whole answer within {} s", within.as_secs_f64())
            }
            ModelError::Malformed { model, reason, .. } => {
                format!(
                    "the model {model} answers, but not in a way that can be used, also after it was told so: {reason}"
                )
            }
            ModelError::Refused { model, reason } => format!("the model {model} refuses to answer: {reason}"),
            ModelError::Config { reason } => format!("the model is not configured right: {reason}"),
        }
    }

    /// What to do about it, in sentences; none where the message says it.
    pub fn hint(&self) -> &str {
        match self {
            ModelError::Unavailable { hint, .. } => hint,
            ModelError::TimedOut { .. } => "See that its server works, allow more time, or use a faster model.",
            ModelError::Malformed { cut: true, .. } => {
                "Raise max_tokens: models that reason spend it on thinking before they answer."
            }
            ModelError::Malformed { .. } => {
                "Use a more capable model, or another setting of answers (\"tools\", \"schema\", \"text\")."
            }
            ModelError::Refused { .. } => "Change what is asked for, or use another model.",
            ModelError::Config { .. } => "",
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        match self.hint() {
            "" => Ok(()),
            hint => write!(f, ". {hint}"),
        }
    }
}

impl std::error::Error for ModelError {}
