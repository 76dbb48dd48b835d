//! Reading an answer: the call in it, the text beside it, and whether that is a decision.
//!
//! Knows genai's answers and, where genai cannot read one, OpenAI's. Whether arguments are right the caller's check says.

use crate::{
    Tool,
    find::{Found, find, object, spoken},
    request::reckoned,
    words::short,
};
use genai::chat::{ChatResponse, StopReason};
use serde_json::{Map, Value, json};

/// How much of a wrong answer the model is shown, and how much of what was wrong with it, in characters.
const SHOWN: usize = 2000;
/// How much text beside a call is kept, in characters.
const SAID: usize = 4000;

/// Says whether a tool's arguments are right, and of wrong ones what is wrong.
pub type Check<'a> = &'a (dyn Fn(&str, &Map<String, Value>) -> Result<(), Unfit> + Sync);

/// What is wrong with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What it is, for the model and for whoever is told that there was no decision.
    pub reason: String,
    /// What to do about it, in a sentence for the model alone; may be empty.
    pub advice: String,
}

impl From<String> for Unfit {
    fn from(reason: String) -> Unfit {
        Unfit { reason, advice: String::new() }
    }
}

/// What a model answered.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The first call.
    call: Option<(String, Value)>,
    text: String,
    /// Whether it ended at the limit of tokens.
    cut: bool,
    /// Whether the server tried to read a call in it, and could not.
    unread: bool,
    /// Why there is no answer, where a filter or the model said so.
    pub(crate) refusal: Option<String>,
    /// Tokens sent and answered, where the server said.
    pub(crate) input: Option<u64>,
    pub(crate) output: Option<u64>,
    /// How many tokens the answer may have.
    pub(crate) reckoned: u64,
}

/// An answer that is no decision.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// The answer, shortened.
    pub(crate) answer: String,
    pub(crate) reason: String,
    /// What to do about it, in a sentence for the model; may be empty.
    pub(crate) advice: String,
    pub(crate) kind: Kind,
    /// The tool that was called, as far as that could be told.
    pub(crate) tool: Option<String>,
    /// Whether it ended at the limit of tokens.
    pub(crate) cut: bool,
}

impl Wrong {
    fn new(answer: &str, reason: &str, kind: Kind, cut: bool) -> Wrong {
        let (reason, advice) = match cut {
            true => (format!("{reason}; the answer ended at the limit of its tokens"), "Be brief.".to_owned()),
            false => (reason.to_owned(), String::new()),
        };
        Wrong { answer: short(answer, SHOWN), reason: short(&reason, SHOWN), advice, kind, tool: None, cut }
    }

    /// Whether there is nothing in the answer though there was room for one.
    pub(crate) fn is_mute(&self) -> bool {
        self.kind == Kind::Empty && !self.cut
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is nothing in it.
    Empty,
    /// There is neither a call nor JSON in it.
    Prose,
    /// What is in it cannot be used.
    Unusable,
}

impl Answer {
    /// An answer as genai read it.
    pub(crate) fn new(response: ChatResponse) -> Answer {
        let texts = response.content.texts().join("\n");
        let call = response.content.tool_calls().first().map(|call| (call.fn_name.clone(), call.fn_arguments.clone()));
        let thought = response.reasoning_content.as_deref().map_or(0, str::len);
        let bytes =
            texts.len() + thought + call.as_ref().map_or(0, |(name, value)| name.len() + value.to_string().len());
        let raw = response.captured_raw_body.as_ref();
        let refusal = match &response.stop_reason {
            Some(StopReason::ContentFilter(reason)) => Some(reason.clone()),
            _ => raw.and_then(|raw| raw.pointer("/choices/0/message")).and_then(refusal),
        };
        let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0);
        Answer {
            call,
            text: texts,
            cut: matches!(response.stop_reason, Some(StopReason::MaxTokens(_))),
            unread: false,
            refusal,
            input: tokens(response.usage.prompt_tokens),
            output: tokens(response.usage.completion_tokens),
            reckoned: reckoned(bytes),
        }
    }

    /// An answer in OpenAI's form that genai would not read, as one whose arguments are cut off.
    pub(crate) fn raw(body: &Value) -> Option<Answer> {
        let choice = body.pointer("/choices/0")?;
        let message = choice.get("message")?.as_object()?;
        let function = message.get("tool_calls").and_then(|calls| calls.pointer("/0/function"));
        let call = function.and_then(|function| {
            Some((function.get("name")?.as_str()?.to_owned(), function.get("arguments").cloned().unwrap_or_default()))
        });
        let tokens = |name: &str| body.get("usage")?.get(name)?.as_u64().filter(|count| *count > 0);
        Some(Answer {
            call,
            text: message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
            cut: choice.get("finish_reason").and_then(Value::as_str) == Some("length"),
            unread: false,
            refusal: refusal(choice.get("message")?),
            input: tokens("prompt_tokens"),
            output: tokens("completion_tokens"),
            reckoned: reckoned(body.to_string().len()),
        })
    }

    /// An answer of which the server says that it could not read the call in it.
    pub(crate) fn unread(said: &str) -> Answer {
        Answer { text: said.to_owned(), unread: true, reckoned: reckoned(said.len()), ..Answer::default() }
    }

    /// The call that this is: tool, arguments, and what was said beside it.
    pub(crate) fn judge(self, tools: &[Tool], check: Check<'_>) -> Result<(String, Map<String, Value>, String), Wrong> {
        let known = |name: &str| tools.iter().any(|tool| tool.name == name);
        let Answer { call, text, cut, unread, .. } = self;
        if unread {
            return Err(Wrong::new(&text, "the call in it cannot be read", Kind::Unusable, cut));
        }
        let (tool, arguments, said, shown) = match call {
            Some((tool, arguments)) => {
                let shown = json!({ "tool": tool, "arguments": arguments }).to_string();
                let said = spoken(&text);
                let said = said.rsplit_once("</think>").map_or(said, |(_, rest)| rest);
                (tool, arguments, said.to_owned(), shown)
            }
            None => match find(&text, known) {
                Found::Call { tool, arguments, said } => (tool, arguments, said, text),
                found => return Err(unfound(found, &text, cut)),
            },
        };
        let unusable =
            |reason: &str| Wrong { tool: Some(tool.clone()), ..Wrong::new(&shown, reason, Kind::Unusable, cut) };
        if !known(&tool) {
            return Err(unusable(&format!("there is no tool {:?}", short(&tool, 100))));
        }
        let arguments = object(arguments).map_err(|reason| unusable(&reason))?;
        check(&tool, &arguments).map_err(|Unfit { reason, advice }| {
            let wrong = unusable(&format!("{tool}: {reason}"));
            let advice = [advice, wrong.advice].join(" ").trim().to_owned();
            Wrong { advice, ..wrong }
        })?;
        Ok((tool, arguments, short(said.trim(), SAID)))
    }
}

/// What a model says instead of an answer; some servers send the field always.
fn refusal(message: &Value) -> Option<String> {
    message.get("refusal")?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn unfound(found: Found, text: &str, cut: bool) -> Wrong {
    let empty = text.trim().is_empty();
    let (reason, kind) = match found {
        Found::Broken(reason) => (reason, Kind::Unusable),
        Found::Other => ("the JSON in it is no call of a tool".to_owned(), Kind::Unusable),
        _ if empty => ("it is empty".to_owned(), Kind::Empty),
        _ => ("it calls no tool".to_owned(), Kind::Prose),
    };
    // Thinking is of no use to the model when it is asked again, and long.
    Wrong::new(spoken(text), &reason, kind, cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<Tool> {
        vec![Tool { name: "tap".to_owned(), description: String::new(), schema: json!({ "type": "object" }) }]
    }

    fn all(_: &str, _: &Map<String, Value>) -> Result<(), Unfit> {
        Ok(())
    }

    fn raw(message: Value, finish: &str) -> Answer {
        let body =
            json!({ "choices": [{ "message": message, "finish_reason": finish }], "usage": { "prompt_tokens": 7 } });
        Answer::raw(&body).expect("an answer")
    }

    #[test]
    fn what_genai_cannot_read_is_read() {
        let call =
            json!({ "content": "So.", "tool_calls": [{ "function": { "name": "tap", "arguments": "{\"x\": 1}" } }] });
        let answer = raw(call, "stop");
        assert_eq!((answer.input, answer.output), (Some(7), None));
        let (tool, arguments, said) = answer.judge(&tools(), &all).expect("a call");
        assert_eq!((tool.as_str(), arguments["x"].as_i64(), said.as_str()), ("tap", Some(1), "So."));
        for odd in [json!({}), json!({ "choices": [] }), json!({ "choices": [{ "message": 1 }] }), json!([])] {
            assert!(Answer::raw(&odd).is_none(), "{odd}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        let call =
            |arguments: &str| json!({ "tool_calls": [{ "function": { "name": "tap", "arguments": arguments } }] });
        for (message, finish, part, kind) in [
            (call("{\"x\": "), "length", "cut off; the answer ended at the limit", Kind::Unusable),
            (json!({ "content": "I tap." }), "stop", "calls no tool", Kind::Prose),
            (json!({ "content": null }), "stop", "empty", Kind::Empty),
            (json!({ "content": "{\"x\": 1}" }), "stop", "no call", Kind::Unusable),
            (json!({ "content": "{\"tool\": \"dance\"}" }), "stop", "no tool \"dance\"", Kind::Unusable),
        ] {
            let wrong = raw(message.clone(), finish).judge(&tools(), &all).unwrap_err();
            assert!(wrong.reason.contains(part) && wrong.kind == kind, "{message}: {wrong:?}");
        }
        let long = json!({ "content": "ä".repeat(10_000) });
        let wrong = raw(long, "stop").judge(&tools(), &all).unwrap_err();
        assert!(wrong.answer.chars().count() < SHOWN + 20);
        let refuse = |_: &str, _: &Map<String, Value>| {
            Err(Unfit { reason: "x is missing".to_owned(), advice: "Give it.".to_owned() })
        };
        let wrong = raw(call("{}"), "length").judge(&tools(), &refuse).unwrap_err();
        assert!(wrong.reason.starts_with("tap: x is missing;"), "{wrong:?}");
        assert_eq!((wrong.advice.as_str(), wrong.tool.as_deref()), ("Give it. Be brief.", Some("tap")));
    }
}
