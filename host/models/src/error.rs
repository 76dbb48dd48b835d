//! What can go wrong with a model, in words for the operator who configured it.
//!
//! Knows the kinds and their wording. No key and no address beyond the host's name is ever in them.

use std::time::Duration;

/// Why there is no decision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The server cannot be reached, refuses, or knows no such model, also when tried again.
    #[error("the model {model} at {host} cannot be asked: {reason}")]
    Unavailable {
        /// The model, as configured.
        model: String,
        /// Who was asked: a host, or a provider's name.
        host: String,
        /// What happened, and what to do about it.
        reason: String,
    },
    /// No whole answer in time.
    #[error(
        "the model {model} at {host} gave no whole answer within {} s; see that its server works, allow more time, or use a \
         faster model",
        .within.as_secs_f64()
    )]
    TimedOut {
        /// The model, as configured.
        model: String,
        /// Who was asked.
        host: String,
        /// The time that it had.
        within: Duration,
    },
    /// No usable answer, also when asked again.
    #[error(
        "the model's answer cannot be used, also after it was told so: {reason}; use a more capable model, another setting of \
         answers (\"tools\", \"schema\", \"text\"), or a higher max_tokens"
    )]
    Malformed {
        /// What is wrong with it.
        reason: String,
    },
    /// The model, or a filter before it, does not answer this question.
    #[error("the model {model} refuses to answer: {reason}; change what is asked for, or use another model")]
    Refused {
        /// The model, as configured.
        model: String,
        /// What is known of why.
        reason: String,
    },
    /// The settings cannot be used.
    #[error("the model is not configured right: {reason}")]
    Config {
        /// What is wrong with them, and what to write.
        reason: String,
    },
}
