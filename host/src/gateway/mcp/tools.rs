//! A capability as a tool, and its answers as results.
//!
//! It knows the protocol's types and what clients can take; it does not know connections.

use crate::capability::{Answer, Capability, Effect, Error, Outcome};
use crate::gateway::problem;
use base64::{Engine, prelude::BASE64_STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The largest result. A widespread client gives up at 1 MiB, everything counted.
const MOST_BYTES: usize = 900_000;

/// The declaration of a capability as a tool.
pub fn tool(capability: &Capability) -> Tool {
    let (read, destructive) = match capability.effect {
        Effect::Read => (true, false),
        Effect::Act => (false, false),
        Effect::Destructive => (false, true),
    };
    // An app may reach the world, so acting is open; looking is not. All four hints are set, since what is left out is
    // taken for the most alarming.
    let annotations = ToolAnnotations::from_raw(
        Some(capability.title.into()),
        Some(read),
        Some(destructive),
        Some(read),
        Some(!read),
    );
    Tool::new(capability.name, capability.description, Arc::new(capability.input.clone()))
        .with_title(capability.title)
        .with_raw_output_schema(Arc::new(output_schema(&capability.output)))
        .with_annotations(annotations)
}

/// The schema of results: an object at the root that admits the answer and the error body, since some clients check the
/// structured content of errors too.
fn output_schema(answer: &Map<String, Value>) -> Map<String, Value> {
    let error = json!({
        "type": "object",
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
        "required": ["code", "message", "hint"]
    });
    let mut answer = answer.clone();
    answer.remove("description");
    Map::from_iter([("type".to_owned(), json!("object")), ("anyOf".to_owned(), json!([answer, error]))])
}

/// What is known about a call that was cut short.
pub fn when_cut_short(capability: &Capability) -> Outcome {
    match capability.effect {
        Effect::Read => Outcome::NotDone,
        Effect::Act | Effect::Destructive => Outcome::Unknown,
    }
}

/// An answer as a result.
///
/// # Errors
/// It is larger than clients can take.
pub fn result(capability: &Capability, answer: Answer) -> Result<CallToolResult, Error> {
    let mut content = text_blocks(&answer.body);
    let picture = answer.image.as_ref().map_or(0, |image| image.bytes.len().div_ceil(3) * 4);
    let texts: usize = content.iter().filter_map(|block| block.as_text()).map(|block| block.text.len()).sum();
    // What stands in the text stands in the structured content as well.
    let total = picture + 2 * texts;
    if total > MOST_BYTES {
        let outcome = if capability.effect == Effect::Read { Outcome::NotDone } else { Outcome::Done };
        return Err(Error::invalid(
            format!("the answer has {total} bytes, and {MOST_BYTES} are the most that can be sent here"),
            "Ask for less: a smaller `scale`, fewer tokens by `max_tokens`, or a part of the screen.",
        )
        .outcome(outcome));
    }
    if let Some(image) = answer.image {
        content.push(ContentBlock::image(BASE64_STANDARD.encode(&image.bytes), image.media_type));
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(Value::Object(answer.body));
    Ok(result)
}

/// The answer as text, for the many clients that show a model nothing else: prose as it is, which saves the escapes, and the
/// rest as JSON.
fn text_blocks(body: &Map<String, Value>) -> Vec<ContentBlock> {
    let prose = ["text", "description"].into_iter().find_map(|name| Some((name, body.get(name)?.as_str()?)));
    let Some((name, prose)) = prose else {
        return vec![ContentBlock::text(json_text(body.iter()))];
    };
    let mut blocks = vec![ContentBlock::text(prose)];
    let rest: Vec<_> = body.iter().filter(|(field, value)| *field != name && !value.is_null()).collect();
    if !rest.is_empty() {
        blocks.push(ContentBlock::text(json_text(rest.into_iter())));
    }
    blocks
}

fn json_text<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let mut out = String::from("{");
    for (name, value) in fields {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&Value::from(name.as_str()).to_string());
        out.push(':');
        out.push_str(&value.to_string());
    }
    out.push('}');
    out
}

/// An error as a result, which a model reads and can act on: sentences, and what else there is to know. Many clients show it
/// nothing but the text, and a hint may point to the details.
pub fn failure(error: &Error, request_id: &str) -> CallToolResult {
    let text = format!("{}: {}. {}", problem::name(error.code), error.message.trim_end_matches('.'), error.hint);
    let body = problem::body(error, request_id);
    let rest = ["retryable", "outcome", "details"].iter().filter_map(|name| body.get_key_value(*name));
    let mut result = CallToolResult::error(vec![ContentBlock::text(text), ContentBlock::text(json_text(rest))]);
    result.structured_content = Some(Value::Object(body));
    result
}
