//! Putting a question into a request, in each of the forms.
//!
//! Knows genai's request and how tools are described in words. What comes back is `answer`'s.

use crate::{Question, Tool, answer::Wrong, form::Form, target::Target};
use base64::{Engine, prelude::BASE64_STANDARD};
use genai::chat::{
    Binary, ChatMessage, ChatOptions, ChatRequest, ContentPart, JsonSpec, MessageContent, ReasoningEffort, ToolChoice,
};
use serde_json::{Value, json};

/// What a picture is reckoned to cost, in tokens. Most providers count less for a picture of a telephone's size.
const PICTURE_TOKENS: u64 = 3000;
/// The name that a schema must have.
const NAME: &str = "decision";
/// Where the call stands in an answer by a schema.
const CALL: &str = "call";

/// A request, and how many tokens it may have.
pub(crate) struct Request {
    pub(crate) chat: ChatRequest,
    pub(crate) options: ChatOptions,
    pub(crate) tokens: u64,
    pub(crate) picture: bool,
    /// Whether a call is demanded.
    pub(crate) demand: bool,
}

/// The request for a question in a form; after a first answer that was wrong, with what was wrong.
pub(crate) fn request(
    question: &Question,
    form: Form,
    demand: bool,
    wrong: Option<&Wrong>,
    target: &Target,
    pictures: bool,
    max_tokens: u32,
) -> Request {
    let picture = question.picture.as_ref().filter(|_| pictures);
    let mut options = ChatOptions::default().with_max_tokens(max_tokens).with_capture_raw_body(true);
    if target.foreign {
        // Without a word about effort, genai takes the end of names like `x-high` for one. A budget is sent to nobody here.
        options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
    }
    if demand {
        options = options.with_tool_choice(ToolChoice::Required);
    }
    if form == Form::Schema {
        let schema = schema(&question.tools);
        options = if target.plain {
            let format = json!({ "type": "json_schema", "json_schema": { "name": NAME, "schema": schema } });
            options.with_extra_body(json!({ "response_format": format }))
        } else {
            options.with_response_format(JsonSpec::new(NAME, schema))
        };
    }

    let mut content = vec![ContentPart::Text(question.user.clone())];
    if let Some(picture) = picture {
        let encoded = BASE64_STANDARD.encode(&picture.bytes);
        content.push(ContentPart::Binary(Binary::from_base64(&picture.media_type, encoded, None)));
    }
    let mut chat = ChatRequest::new(vec![ChatMessage::user(MessageContent::from_parts(content))]);
    let mut bytes = question.system.len() + question.user.len();
    let described = described(&question.tools, form);
    bytes += described.len();
    let system = match form {
        Form::Tools => {
            chat = chat.with_tools(question.tools.iter().map(native));
            question.system.clone()
        }
        Form::Schema | Form::Text => format!("{}\n\n{described}", question.system),
    };
    if !system.trim().is_empty() {
        chat = chat.with_system(system);
    }
    if let Some(wrong) = wrong {
        let complaint = complaint(wrong, &question.tools, form);
        bytes += wrong.answer.len() + complaint.len();
        // Roles must take turns with many local models, and no message may be empty.
        let answer = if wrong.answer.trim().is_empty() { "(nothing)" } else { &wrong.answer };
        chat = chat.append_message(ChatMessage::assistant(answer)).append_message(ChatMessage::user(complaint));
    }
    let tokens = reckoned(bytes) + if picture.is_some() { PICTURE_TOKENS } else { 0 };
    Request { chat, options, tokens, picture: picture.is_some(), demand }
}

/// How many tokens a text of so many bytes may have.
pub(crate) fn reckoned(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(3)
}

fn native(tool: &Tool) -> genai::chat::Tool {
    genai::chat::Tool::new(tool.name.as_str())
        .with_description(tool.description.as_str())
        .with_schema(tool.schema.clone())
}

/// An object that holds a call of one of the tools: OpenAI wants the root to be an object, and not one of several.
fn schema(tools: &[Tool]) -> Value {
    let calls: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "type": "object",
                "properties": { "tool": { "const": tool.name }, "arguments": tool.schema },
                "required": ["tool", "arguments"],
                "additionalProperties": false,
            })
        })
        .collect();
    json!({
        "type": "object",
        "properties": { CALL: { "anyOf": calls } },
        "required": [CALL],
        "additionalProperties": false,
    })
}

/// What an answer looks like.
fn pattern(form: Form) -> &'static str {
    match form {
        Form::Schema => "{\"call\": {\"tool\": \"<name>\", \"arguments\": {<arguments>}}}",
        Form::Tools | Form::Text => "{\"tool\": \"<name>\", \"arguments\": {<arguments>}}",
    }
}

/// How to answer, for a model that is sent no tools.
fn described(tools: &[Tool], form: Form) -> String {
    let mut text = format!(
        "Answer with one JSON object and nothing else. It says which tool to call, with which arguments:\n{}\n\nThe tools, each \
         with the JSON Schema of its arguments:\n",
        pattern(form)
    );
    for Tool { name, description, schema } in tools {
        text.push_str(&format!("\n{name}: {description}\narguments: {schema}\n"));
    }
    text
}

/// What is said of an answer that cannot be used.
fn complaint(wrong: &Wrong, tools: &[Tool], form: Form) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let how = match form {
        Form::Tools => "Call exactly one of the tools now".to_owned(),
        Form::Schema | Form::Text => {
            format!("Answer now with exactly one JSON object {} and nothing else", pattern(form))
        }
    };
    let advice = if wrong.advice.is_empty() { String::new() } else { format!(" {}", wrong.advice) };
    format!("Your answer cannot be used: {}.{advice} {how}. The tools are: {}.", wrong.reason, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_allows_a_call_of_each_tool_and_leaves_optional_arguments_optional() {
        let arguments = json!({ "type": "object", "properties": { "x": { "type": "integer" } } });
        let tools = ["tap", "back"].map(|name| Tool {
            name: name.to_owned(),
            description: String::new(),
            schema: arguments.clone(),
        });
        let schema = schema(&tools);
        let calls = &schema["properties"]["call"]["anyOf"];
        assert_eq!(calls.as_array().map(Vec::len), Some(2));
        assert_eq!(calls[1]["properties"]["tool"], json!({ "const": "back" }));
        assert_eq!(calls[1]["properties"]["arguments"], arguments);
    }
}
