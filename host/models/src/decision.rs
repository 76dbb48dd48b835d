//! What a model decided, and what that cost.
//!
//! Knows tokens and their price.

use crate::{ModelError, Price};
use serde_json::{Map, Value};
use std::fmt;

/// A call of one of the tools, with arguments that passed the check.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// What the model said beside the call, without its thinking; often nothing.
    pub said: String,
    /// What all requests together used.
    pub usage: Usage,
    /// What was wrong with the first answer, where there was a second.
    pub repaired: Option<String>,
}

/// What was used. Where a server does not say, it is reckoned from the length of the texts, rather too high than too low.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens sent.
    pub input: u64,
    /// Tokens answered, with those of thinking.
    pub output: u64,
    /// Dollars, by the configured price.
    pub usd: f64,
    /// Requests, failed ones included.
    pub requests: u32,
}

impl Usage {
    /// Adds the tokens of one request.
    pub(crate) fn add(&mut self, input: u64, output: u64, price: Option<Price>) {
        self.input += input;
        self.output += output;
        if let Some(price) = price {
            self.usd += (input as f64 * price.input + output as f64 * price.output) / 1e6;
        }
    }
}

/// No decision, and what was used all the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// Why.
    pub error: ModelError,
    /// What all requests together used.
    pub usage: Usage,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Failed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
