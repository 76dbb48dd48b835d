//! The protocols that the scripted model speaks, told apart by the path of a request.
//!
//! Knows what an answer and an error look like in each. What is answered is `turn`'s.

use serde_json::{Value, json};

/// The tokens that each answer says were sent.
pub const INPUT_TOKENS: u64 = 100;
/// The tokens that each answer says it has.
pub const OUTPUT_TOKENS: u64 = 20;

/// Whose protocol a request is in.
#[derive(Clone, Copy)]
pub(crate) enum Wire {
    /// OpenAI's chat completions, which Ollama and most others speak too.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Wire {
    pub(crate) fn of(path: &str) -> Wire {
        if path.ends_with("/messages") {
            Wire::Anthropic
        } else if path.ends_with(":generateContent") {
            Wire::Gemini
        } else {
            Wire::OpenAi
        }
    }

    /// An answer that calls a tool. Arguments that are a text are sent as they are.
    pub(crate) fn call(self, tool: &str, arguments: &Value) -> String {
        match self {
            Wire::OpenAi => {
                let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
                let function = json!({ "name": tool, "arguments": arguments });
                let call = json!({ "id": "call_1", "type": "function", "function": function });
                completion(json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
            }
            Wire::Anthropic => {
                message(json!({ "type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments }), "tool_use")
            }
            Wire::Gemini => candidate(json!({ "functionCall": { "name": tool, "args": arguments } })),
        }
    }

    /// An answer that is a text.
    pub(crate) fn text(self, said: &str) -> String {
        match self {
            Wire::OpenAi => completion(json!({ "role": "assistant", "content": said }), "stop"),
            Wire::Anthropic => message(json!({ "type": "text", "text": said }), "end_turn"),
            Wire::Gemini => candidate(json!({ "text": said })),
        }
    }

    /// What comes with a status that is no success.
    pub(crate) fn error(self, status: u16, message: &str) -> String {
        match self {
            Wire::OpenAi => json!({ "error": { "message": message, "type": "scripted" } }),
            Wire::Anthropic => json!({ "type": "error", "error": { "type": "scripted", "message": message } }),
            Wire::Gemini => json!({ "error": { "code": status, "message": message, "status": "SCRIPTED" } }),
        }
        .to_string()
    }
}

fn completion(message: Value, finish_reason: &str) -> String {
    json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "model": "scripted",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason }],
        "usage": {
            "prompt_tokens": INPUT_TOKENS,
            "completion_tokens": OUTPUT_TOKENS,
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        },
    })
    .to_string()
}

fn message(content: Value, stop_reason: &str) -> String {
    json!({
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [content],
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": { "input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS },
    })
    .to_string()
}

fn candidate(part: Value) -> String {
    json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": {
            "promptTokenCount": INPUT_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
        },
        "modelVersion": "scripted",
    })
    .to_string()
}
