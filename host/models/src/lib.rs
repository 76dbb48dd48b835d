//! Asks a language model for one decision: which of some tools to call, with which arguments.
//!
//! A [`Model`] is made from a [`ModelConfig`] and answers a [`Question`] with a [`Decision`]. Nothing here knows what the tools
//! do, of phones, or of tasks; whether arguments are right is what the caller's `check` says. There is no conversation: each
//! question is whole, and what was said before is in it.
//!
//! **What is promised.** A decision names one of the given tools, and its arguments passed the check. An answer that cannot be
//! used is asked again once, with what was wrong; a second one is an error. Every request has a time limit, and so has the
//! whole. What was spent is told with decisions and with failures. Keys are in no message, and the picture goes to no server
//! but the one that the operator named.
//!
//! **Why genai.** It speaks the providers' own protocols (OpenAI, Anthropic, Gemini and others) behind one type, takes the
//! client that we make (no redirects, no aws-lc), and needs no C. What it lacks is done here: retries, time limits, JSON in
//! texts, repair. Two things it cannot do: it reads the body of an answer without a bound, so that only the time limit bounds
//! what a server may send; and it takes an answer only when it is labelled as JSON. Ollama is asked through its
//! OpenAI-compatible door, since genai sends no JSON schema through the native one. Schemas go to OpenAI-compatible servers as
//! they are: genai would make every optional argument a required one.
//!
//! **Not counted.** What a server computed for a question whose future was dropped is in no usage; [`Model::reckon`] tells the
//! most that it may have been.

#![forbid(unsafe_code)]

mod answer;
mod config;
mod decision;
mod error;
mod fault;
mod find;
mod form;
mod model;
mod question;
mod request;
mod send;
mod target;
mod words;

pub use answer::{Check, Unfit};
pub use config::{Answers, ModelConfig, Price};
pub use decision::{Decision, Failed, Usage};
pub use error::ModelError;
pub use model::Model;
pub use question::{Picture, Question, Tool};
