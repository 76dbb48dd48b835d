//! What the scripted model may do in its turn.
//!
//! Knows which body and status that comes to; what they look like is `wire`'s, how they are sent `server`'s.

use super::{Seen, wire::Wire};
use serde_json::{Value, json};
use std::time::Duration;

/// What the model does with one request.
#[derive(Clone, Debug)]
pub enum Turn {
    /// Decides in the form that the request wants: a tool call if tools were sent, JSON text otherwise.
    Do {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// A tool call. Arguments that are a text are sent as they are, so that they can be cut off.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// A call as JSON text.
    Json {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
        /// Whether it stands in a fence, with a word before it.
        fenced: bool,
    },
    /// A text.
    Text(String),
    /// This whole body, with status 200.
    Body(Value),
    /// A status and, in seconds, when to come again. Its message shows the key that was sent, as careless servers do.
    Status(u16, Option<u64>),
    /// A status with this message.
    Refuse(u16, String),
    /// A status with this whole body.
    Error(u16, Value),
    /// No answer, for as long as the client waits.
    Hang,
    /// The head, half of the body, and the end of the connection.
    Half,
    /// Another turn, after this time.
    Slow(Duration, Box<Turn>),
    /// A body that is called JSON and is none.
    Junk,
    /// A web page, with status 200.
    Page,
}

/// What is sent.
pub(crate) enum Reply {
    Whole { status: u16, after: Option<u64>, body: String },
    Page { body: String },
    Half { body: String },
    Nothing,
}

impl Turn {
    /// Decides for a tool, in the form that the request wants.
    pub fn act(tool: &str, arguments: Value) -> Turn {
        Turn::Do { tool: tool.to_owned(), arguments }
    }

    /// What comes after the last turn.
    pub(crate) fn none_left() -> Turn {
        Turn::Refuse(500, "the scripted model has no turn left".to_owned())
    }

    /// How long it takes, and what is sent then.
    pub(crate) fn reply(self, seen: &Seen) -> (Duration, Reply) {
        let wire = Wire::of(&seen.path);
        let ok = |body: String| Reply::Whole { status: 200, after: None, body };
        let refuse = |status, after, message: &str| Reply::Whole { status, after, body: wire.error(status, message) };
        let tools = seen.body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let reply = match self {
            Turn::Do { tool, arguments } if tools => return Turn::Call { tool, arguments }.reply(seen),
            Turn::Do { tool, arguments } => return Turn::Json { tool, arguments, fenced: false }.reply(seen),
            Turn::Call { tool, arguments } => ok(wire.call(&tool, &arguments)),
            Turn::Json { tool, arguments, fenced } => {
                let json = json!({ "tool": tool, "arguments": arguments }).to_string();
                ok(wire.text(&if fenced { format!("Well.\n```json\n{json}\n```") } else { json }))
            }
            Turn::Text(said) => ok(wire.text(&said)),
            Turn::Body(body) => ok(body.to_string()),
            Turn::Status(status, after) => {
                let key = seen.key.as_deref().unwrap_or("nothing");
                refuse(status, after, &format!("status {status} for {key}"))
            }
            Turn::Refuse(status, message) => refuse(status, None, &message),
            Turn::Error(status, body) => Reply::Whole { status, after: None, body: body.to_string() },
            Turn::Hang => Reply::Nothing,
            Turn::Half => Reply::Half { body: wire.text("This is never heard whole.") },
            Turn::Slow(time, turn) => {
                let (more, reply) = turn.reply(seen);
                return (time + more, reply);
            }
            Turn::Junk => ok("this is no { JSON".to_owned()),
            Turn::Page => Reply::Page { body: "<html>Sign in first</html>".to_owned() },
        };
        (Duration::ZERO, reply)
    }
}
