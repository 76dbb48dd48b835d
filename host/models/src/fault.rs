//! Why a request has no answer, and whether another try may help.
//!
//! Knows HTTP statuses and what servers write in their bodies. What is tried again, and when, is `send`'s.

use crate::{answer::Answer, form::Form, words::plain};
use genai::{Error, webc};
use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;
use std::time::Duration;

/// How much of what a server says is told, in characters.
const TOLD: usize = 300;

/// The words of servers for what they do not know or cannot do.
const UNKNOWN: [&str; 17] = [
    "not support",
    "n't support",
    "unsupported",
    "no endpoints found that support",
    "requires --",
    "not implemented",
    "not enabled",
    "not allowed",
    "not permitted",
    "type is unavailable",
    "is unknown",
    "unknown field",
    "unknown parameter",
    "unknown argument",
    "unknown name",
    "unrecognized",
    "invalid type",
];
/// What stands in an error about the demand for a call, and not about tools: the last is what Gemini says of many tools.
const DEMAND: [&str; 5] =
    ["tool_choice", "tool choice", "function_calling_config", "functioncallingconfig", "too many states"];
/// What stands in an error about too many tokens.
const FULL: [&str; 7] = [
    "context length",
    "context_length",
    "maximum context",
    "context size",
    "context window",
    "max_tokens is too large",
    "max_tokens: ",
];

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Another try may help, not before this time. The server may have worked for this one, and count it.
    Again { why: Why, after: Option<Duration>, worked: bool },
    /// The server does not take that a call is demanded.
    Demand,
    /// The server does not take this form of asking.
    Form(Why),
    /// The question is not answered.
    Refused(String),
    /// Another try does not help.
    Final(Why),
}

/// What happened, and what to do about it.
#[derive(Debug)]
pub(crate) struct Why {
    pub(crate) reason: String,
    pub(crate) hint: String,
}

impl Why {
    pub(crate) fn new(reason: impl Into<String>, hint: impl Into<String>) -> Why {
        Why { reason: reason.into(), hint: hint.into() }
    }

    fn is_final(reason: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault::Final(Why::new(reason, hint))
    }
}

/// What there is to know about the request.
pub(crate) struct Asked<'a> {
    pub(crate) form: Form,
    /// Whether a call was demanded.
    pub(crate) demand: bool,
    pub(crate) picture: bool,
    pub(crate) key: Option<&'a str>,
}

/// What became of a request that genai calls failed: sometimes an answer all the same.
pub(crate) fn fault(error: Error, asked: &Asked<'_>) -> Result<Answer, Fault> {
    match error {
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => web(webc_error, asked),
        Error::HttpError { status, body, headers, .. } => failed(status, &body, retry_after(&headers), asked),
        Error::ChatResponseGeneration { response_body, .. } => match Answer::raw(&response_body) {
            Some(answer) => Ok(answer),
            None => Err(match blocked(&response_body, asked.key) {
                Some(reason) => Fault::Refused(reason),
                None => return told(&response_body, asked).unwrap_or_else(|| Err(no_chat())),
            }),
        },
        Error::RequiresApiKey { .. } | Error::NoAuthData { .. } | Error::Resolver { .. } => {
            Err(Why::is_final("it needs an API key", "Configure one."))
        }
        // Others tell of requests, whose contents are not for messages.
        _ => Err(Why::is_final("the question cannot be put into its protocol", "Use another provider or base_url.")),
    }
}

/// Why Gemini does not let a question through to the model.
fn blocked(body: &Value, key: Option<&str>) -> Option<String> {
    let reason = body.pointer("/promptFeedback/blockReason")?.as_str()?;
    Some(format!("the question was blocked ({})", plain(reason, key, TOLD)))
}

/// JSON from a server that is no model's.
pub(crate) fn no_chat() -> Fault {
    no_model("what it answers is no answer of a chat model")
}

/// What answered is no model's server, or something before it: nobody counts tokens for that.
fn no_model(reason: impl Into<String>) -> Fault {
    let hint = "See that base_url is the address of a model's server, as in \"http://localhost:8080/v1\".";
    Fault::Again { why: Why::new(reason, hint), after: None, worked: false }
}

/// The error that stands in the body of an answer, whose status says that all is well.
pub(crate) fn told(body: &Value, asked: &Asked<'_>) -> Option<Result<Answer, Fault>> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = code.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    Some(failed(status.unwrap_or(StatusCode::BAD_GATEWAY), &body.to_string(), None, asked))
}

fn web(error: webc::Error, asked: &Asked<'_>) -> Result<Answer, Fault> {
    Err(match error {
        webc::Error::ResponseFailedStatus { status, body, headers } => {
            return failed(status, &body, retry_after(&headers), asked);
        }
        webc::Error::ResponseFailedNotJson { content_type, .. } => {
            no_model(format!("what it answers is no JSON but {:?}", plain(&content_type, asked.key, 80)))
        }
        webc::Error::ResponseFailedInvalidJson { .. } | webc::Error::JsonValueExt(_) => {
            no_model("what it answers is called JSON but is none")
        }
        webc::Error::Reqwest(error) => {
            let worked = !error.is_connect();
            let what = if worked { "the connection broke" } else { "it cannot be reached" };
            let cause = plain(&cause(error.without_url()), asked.key, TOLD);
            let why = Why::new(format!("{what} ({cause})"), "See that the server runs and that its address is right.");
            Fault::Again { why, after: None, worked }
        }
    })
}

/// The innermost reason, which is what an operator can act on.
fn cause(error: reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// A status that is no success: sometimes the server could not read the model's answer, and shows it.
fn failed(status: StatusCode, body: &str, after: Option<Duration>, asked: &Asked<'_>) -> Result<Answer, Fault> {
    if body.contains("tool_use_failed") {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let said = body.pointer("/error/failed_generation").and_then(Value::as_str).unwrap_or_default();
        return Ok(Answer::unread(said));
    }
    Err(refusal(status, body, after, asked))
}

/// What a status that is no success, and the body that came with it, come to.
fn refusal(status: StatusCode, body: &str, after: Option<Duration>, asked: &Asked<'_>) -> Fault {
    let said = message(body).map(|text| plain(&text, asked.key, TOLD)).filter(|text| !text.is_empty());
    let said = said.map(|text| format!(": {text:?}")).unwrap_or_default();
    let http = format!("HTTP {}{said}", status.as_u16());
    let lower = body.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if let Some(fault) = unasked(status, &http, &has, asked) {
        return fault;
    }
    let again = |what: &str, hint: &str| {
        let wait = after.map(|time| format!(", and wants to be asked again in {} s", time.as_secs_f64().ceil()));
        let why = Why::new(format!("{what} ({http}){}", wait.unwrap_or_default()), hint);
        Fault::Again { why, after, worked: false }
    };
    let no = |what: &str, hint: &str| Why::is_final(format!("{what} ({http})"), hint);
    match status.as_u16() {
        401 | 403 => no("it refuses the API key, or there is none", "Configure a valid one."),
        402 => no("it wants to be paid", "See to the account that the key belongs to."),
        404 => no("it knows no such model, or base_url is wrong", "See to both."),
        408 | 425 => again("it was too slow", "Try later."),
        429 => again("it allows no more requests now", "Wait, or see to the limits of the account."),
        300..=399 => Why::is_final(
            format!("it sends elsewhere (HTTP {})", status.as_u16()),
            "Name the final address in base_url.",
        ),
        500.. => again("it failed", "See to the server, or try later."),
        413 => no("the question is too large for it", "Send no pictures, or use another model."),
        _ if has(&["content_filter", "content management policy"]) => Fault::Refused(http),
        _ if has(&FULL) => no(
            "the question and the room for its answer are too long for it",
            "Lower max_tokens, or use a model with a longer context.",
        ),
        _ if asked.picture && has(&["image", "vision", "multimodal"]) => {
            no("it refuses the question", "If the model takes no pictures, set pictures to false.")
        }
        _ => no("it refuses the question", "See to the model's settings."),
    }
}

/// What a server says that cannot be asked in this form, or not with all that was asked for. That it names tools is not enough:
/// errors of other kinds do too.
fn unasked(status: StatusCode, http: &str, has: &dyn Fn(&[&str]) -> bool, asked: &Asked<'_>) -> Option<Fault> {
    if !matches!(status.as_u16(), 400 | 404 | 422 | 500 | 501) || has(&FULL) {
        return None;
    }
    if asked.demand && has(&DEMAND) {
        return Some(Fault::Demand);
    }
    let (names, other) = match asked.form {
        Form::Tools => (["tool", "function"].as_slice(), "\"schema\", \"text\" or \"auto\""),
        Form::Schema => (
            ["response_format", "schema", "structured", "grammar", "output_config"].as_slice(),
            "\"tools\" or \"text\"",
        ),
        Form::Text => return None,
    };
    let why =
        || Why::new(format!("it does not take the form of the question ({http})"), format!("Set answers to {other}."));
    (has(names) && has(&UNKNOWN)).then(|| Fault::Form(why()))
}

/// What a server says about an error, in the shapes that there are.
fn message(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail", "/0/error/message"];
    places.into_iter().find_map(|place| body.pointer(place)?.as_str().map(str::to_owned))
}

/// How long a server wants to be left alone.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1e3).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str, form: Form) -> Fault {
        let asked = Asked { form, demand: false, picture: true, key: Some("hunter2") };
        refusal(StatusCode::from_u16(status).unwrap(), body, None, &asked)
    }

    #[test]
    fn servers_that_cannot_do_a_form_are_known_by_their_words() {
        for (status, body, form) in [
            (
                400,
                r#"{"error": {"message": "registry.ollama.ai/library/gemma:2b does not support tools"}}"#,
                Form::Tools,
            ),
            (404, r#"{"error": {"message": "No endpoints found that support tool use."}}"#, Form::Tools),
            (400, r#"{"message": "\"auto\" tool choice requires --enable-auto-tool-choice"}"#, Form::Tools),
            (500, r#"{"error": {"message": "tools param requires --jinja flag"}}"#, Form::Tools),
            (400, r#"{"error": "response_format is not supported"}"#, Form::Schema),
            (400, r#"{"error": {"message": "Unrecognized request argument supplied: tools"}}"#, Form::Tools),
            (422, r#"{"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]}"#, Form::Tools),
        ] {
            assert!(matches!(of(status, body, form), Fault::Form(_)), "{body}");
        }
        assert!(matches!(of(500, "a tool broke", Form::Tools), Fault::Again { .. }));
        assert!(matches!(of(404, r#"{"error": {"message": "no model x"}}"#, Form::Tools), Fault::Final(_)));
        assert!(matches!(of(400, "does not support tools", Form::Text), Fault::Final(_)));
        for other in ["a call of a function failed", "no room for the tools", "context length; functions not supported"]
        {
            assert!(matches!(of(400, other, Form::Tools), Fault::Final(_)), "{other}");
        }
    }

    #[test]
    fn each_status_says_what_to_do() {
        for (status, body, part) in [
            (401, r#"{"error": {"message": "bad key hunter2\n"}}"#, "valid one"),
            (402, "{}", "account"),
            (404, "<html>", "base_url"),
            (302, "", "final address"),
            (413, "", "too large"),
            (400, r#"{"error": {"message": "no image input"}}"#, "pictures to false"),
            (400, r#"{"detail": "odd"}"#, "\\\"odd\\\""),
            (400, "maximum context length is 8192 tokens (500 in the functions)", "Lower max_tokens"),
        ] {
            let Fault::Final(why) = of(status, body, Form::Tools) else { panic!("{status}") };
            let told = format!("{why:?}");
            assert!(told.contains(part) && !told.contains("hunter2"), "{told}");
        }
        assert!(matches!(of(400, r#"{"error": {"code": "content_filter"}}"#, Form::Tools), Fault::Refused(_)));
        for status in [408, 429, 500, 503, 529] {
            assert!(matches!(of(status, "", Form::Tools), Fault::Again { .. }), "{status}");
        }
    }

    #[test]
    fn a_server_says_how_long_to_wait() {
        let wait = |name: &'static str, value: &'static str| {
            retry_after(&HeaderMap::from_iter([(
                reqwest::header::HeaderName::from_static(name),
                reqwest::header::HeaderValue::from_static(value),
            )]))
        };
        assert_eq!(wait("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(wait("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        for odd in ["-1", "NaN", "1e300", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            assert_eq!(wait("retry-after", odd), None, "{odd}");
        }
    }

    #[test]
    fn an_error_with_a_good_status_is_one() {
        let asked = Asked { form: Form::Tools, demand: false, picture: false, key: None };
        let told = |body| told(&body, &asked).map(|told| told.expect_err("no answer"));
        assert!(matches!(told(serde_json::json!({ "error": { "code": 429 } })), Some(Fault::Again { .. })));
        assert!(matches!(told(serde_json::json!({ "error": { "code": 401 } })), Some(Fault::Final(_))));
        assert!(matches!(told(serde_json::json!({ "error": "broken" })), Some(Fault::Again { .. })));
        assert!(told(serde_json::json!({ "error": null, "choices": [] })).is_none());
    }
}
