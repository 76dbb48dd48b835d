//! What a model is asked.
//!
//! Knows texts, a picture and tools. How they are put to a server is `request`'s.

use bytes::Bytes;
use serde_json::Value;

/// A whole question: nothing that was asked before is known to the model.
#[derive(Clone, Debug)]
pub struct Question {
    /// What holds always: who the model is and how it is to decide.
    pub system: String,
    /// What is asked.
    pub user: String,
    /// A picture that belongs to it.
    pub picture: Option<Picture>,
    /// The tools that it may call; at least one.
    pub tools: Vec<Tool>,
}

/// A picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// As in `image/jpeg`.
    pub media_type: String,
    /// The encoded picture.
    pub bytes: Bytes,
}

/// Something that can be decided for.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name: ASCII letters, digits, `_` and `-`, at most 64 of them, as providers demand.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments, which are an object.
    pub schema: Value,
}
