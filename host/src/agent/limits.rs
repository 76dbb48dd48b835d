//! The limits that a caller asks for, within those of the operator.
//!
//! Does not know how what is used is counted, or what becomes of a task that reaches one.

use crate::{capability::Error, config::TaskLimits};
use std::fmt::Display;

/// The limits that a caller asks for.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) steps: Option<u32>,
    pub(super) tokens: Option<u64>,
    pub(super) usd: Option<f64>,
    pub(super) seconds: Option<f64>,
}

impl Asked {
    /// The limits of a task: the operator's, or less.
    pub(super) fn within(&self, most: &TaskLimits) -> Result<TaskLimits, Error> {
        Ok(TaskLimits {
            steps: less("steps", self.steps, most.steps)?,
            tokens: less("tokens", self.tokens, most.tokens)?,
            usd: less("usd", self.usd, most.usd)?,
            seconds: less("seconds", self.seconds, most.seconds)?,
        })
    }
}

fn less<T: PartialOrd + Display>(what: &str, asked: Option<T>, most: T) -> Result<T, Error> {
    match asked {
        None => Ok(most),
        Some(asked) if asked <= most => Ok(asked),
        Some(_) => Err(Error::invalid(
            format!("limits.{what} is more than the operator allows, which is {most}"),
            "Ask for less, or leave it out to have the most that is allowed.",
        )),
    }
}
