//! The wrapper around the phone's answers: a value, or a refusal in one of two generations' forms.
//!
//! It knows the wrapper, not what a refusal means for the command that met it.

use crate::{
    http::Answer,
    source::token::{Token, Tokens},
};
use serde_json::Value;

/// What the phone said when it refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The protocol's name for the error, such as `no such element`; empty where there was none.
    pub(crate) name: String,
    /// The phone's own words. For the log only: they can hold what stands on the screen.
    pub(crate) words: String,
    /// The session that is active on the phone, where it said so.
    pub(crate) active: Option<String>,
}

/// An answer that was carried out.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// What it carries; `null` for most actions.
    pub(crate) value: Value,
    /// The session that is active on the phone.
    pub(crate) session: Option<String>,
}

/// Opens the wrapper. `None`: this is no answer of the program that we speak to.
pub(crate) fn open(answer: &Answer) -> Option<Result<Reply, Refusal>> {
    let parsed: Option<Value> = serde_json::from_slice(&answer.body).ok().or_else(|| lossy(&answer.body));
    let refused = |name: &str, words: &str, active: Option<String>| {
        Some(Err(Refusal { status: answer.status, name: name.to_owned(), words: words.to_owned(), active }))
    };
    let Some(Value::Object(mut body)) = parsed else {
        // A refusal that was cut off, with its long trace, still begins with its name.
        if let Some(name) = cut_name(&answer.body).filter(|_| !answer.is_success()) {
            return refused(&name, "", None);
        }
        // Old and new servers answer in plain text where they have no such route.
        let words = String::from_utf8_lossy(&answer.body[..answer.body.len().min(400)]);
        return match answer.status {
            404 | 405 | 501 => refused("unknown command", &words, None),
            200..=299 => None,
            _ => refused("", &words, None),
        };
    };
    let session = body.get("sessionId").and_then(Value::as_str).map(str::to_owned);
    let legacy = body.get("status").and_then(Value::as_i64).unwrap_or(0);
    let value = body.remove("value");
    if let Some(object) = value.as_ref().and_then(Value::as_object)
        && let (Some(name), Some(words)) = (text(object.get("error")), text(object.get("message")))
    {
        return refused(name, words, session);
    }
    if answer.is_success() && legacy == 0 {
        // Nearly every answer has the key; a foreign server's has not.
        let value = value.or_else(|| session.is_some().then_some(Value::Null))?;
        return Some(Ok(Reply { value, session }));
    }
    let words = match &value {
        Some(Value::String(words)) => words.clone(),
        Some(Value::Object(object)) => ["message", "description", "error"]
            .iter()
            .find_map(|key| text(object.get(*key)))
            .unwrap_or_default()
            .to_owned(),
        _ => String::new(),
    };
    let error = body.get("error").and_then(Value::as_str);
    refused(error.unwrap_or_else(|| legacy_name(legacy, answer.status)), &words, session)
}

/// The name of the error in a document that ends too early.
fn cut_name(body: &[u8]) -> Option<String> {
    let mut tokens = Tokens::new(body);
    tokens.find(|token| matches!(token, Token::Text(text) if text == "error"))?;
    match tokens.next()? {
        Token::Text(name) => Some(name.into_owned()),
        _ => None,
    }
}

fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}

/// What the numbers meant before the protocol had names.
fn legacy_name(number: i64, status: u16) -> &'static str {
    match number {
        6 => "invalid session id",
        7 => "no such element",
        9 => "unknown command",
        10 => "stale element reference",
        11 => "element not visible",
        12 => "invalid element state",
        13 => "unknown error",
        21 => "timeout",
        26 => "unexpected alert open",
        27 => "no such alert",
        29 => "invalid coordinates",
        32 => "invalid selector",
        33 => "session not created",
        _ if status == 404 => "unknown command",
        _ => "",
    }
}

/// An answer that a strict reader refuses, such as one with half a surrogate pair, read once more with those replaced.
fn lossy(body: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(body);
    let mut fixed = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        fixed.push_str(&rest[..at]);
        rest = &rest[at..];
        // The escape itself, two characters or six; a pair is left alone.
        let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
        let taken = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                fixed.push('\u{FFFD}');
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at),
        };
        fixed.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    fixed.push_str(rest);
    serde_json::from_str(&fixed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(status: u16, body: &str) -> Option<Result<Reply, Refusal>> {
        open(&Answer { status, body: body.as_bytes().to_vec(), whole: true })
    }

    #[test]
    fn values_of_every_generation() {
        for (body, value) in [
            (r#"{"value":null,"sessionId":"A"}"#, Value::Null),
            (r#"{"value":{"x":1},"sessionId":null}"#, serde_json::json!({"x": 1})),
            (r#"{"status":0,"id":"x","value":"","sessionId":"A"}"#, Value::from("")),
            (r#"{"sessionId":"A","status":0}"#, Value::Null),
            (r#"{"value":"a\ud83db \ud83d\ude00 \\u"}"#, Value::from("a\u{FFFD}b 😀 \\u")),
        ] {
            assert_eq!(opened(200, body).unwrap().unwrap().value, value);
        }
    }

    #[test]
    fn refusals_of_every_generation() {
        for (status, body, name, words) in [
            (
                404,
                r#"{"value":{"error":"no such alert","message":"m","traceback":"t"},"sessionId":"A"}"#,
                "no such alert",
                "m",
            ),
            (200, r#"{"value":{"error":"timeout","message":"m"},"sessionId":"A"}"#, "timeout", "m"),
            (200, r#"{"value":"Keyboard is not present","status":13}"#, "unknown error", "Keyboard is not present"),
            (200, r#"{"value":{"description":"none"},"status":7}"#, "no such element", "none"),
            (404, "<html>not here</html>", "unknown command", "<html>not here</html>"),
            (404, "", "unknown command", ""),
            (404, r#"{"value":{"error":"no such element","stacktrace":"at io.x"#, "no such element", ""),
            (500, "oops", "", "oops"),
            (500, r#"{"value":null}"#, "", ""),
            (404, r#"{"value":null}"#, "unknown command", ""),
        ] {
            let refusal = opened(status, body).unwrap().unwrap_err();
            assert_eq!((refusal.name.as_str(), refusal.words.as_str()), (name, words), "{body}");
        }
    }

    #[test]
    fn what_a_foreign_server_says_is_no_answer() {
        for body in ["", "hello", "[1]", r#"{"hello":"world"}"#, "<html></html>"] {
            assert!(opened(200, body).is_none(), "{body}");
        }
    }
}
