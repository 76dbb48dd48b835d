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

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Another try may help, not before this time. The server may have worked for this one, and count it.
    Again { reason: String, after: Option<Duration>, worked: bool },
    /// The server does not take this form of asking.
    Form(String),
    /// The question is not answered.
    Refused(String),
    /// Another try does not help.
    Final(String),
}

/// What there is to know about the request.
pub(crate) struct Asked<'a> {
    pub(crate) form: Form,
    pub(crate) picture: bool,
    pub(crate) key: Option<&'a str>,
}

/// What became of a request that genai calls failed: sometimes an answer all the same.
pub(crate) fn fault(error: Error, asked: &Asked<'_>) -> Result<Answer, Fault> {
    match error {
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            Err(web(webc_error, asked))
        }
        Error::HttpError { status, body, headers, .. } => Err(refusal(status, &body, retry_after(&headers), asked)),
        Error::ChatResponseGeneration { response_body, .. } => match Answer::raw(&response_body) {
            Some(answer) => Ok(answer),
            None => Err(told(&response_body, asked).unwrap_or_else(no_chat)),
        },
        Error::RequiresApiKey { .. } | Error::NoAuthData { .. } | Error::Resolver { .. } => {
            Err(Fault::Final("it needs an API key; configure one".to_owned()))
        }
        // Others tell of requests, whose contents are not for messages.
        _ => Err(Fault::Final(
            "the question cannot be put into its protocol; use another provider or base_url".to_owned(),
        )),
    }
}

/// JSON from a server that is no model's.
pub(crate) fn no_chat() -> Fault {
    let reason = "what it answers is no answer of a chat model; see that base_url is the address of one, as in \
                  \"http://localhost:8080/v1\"";
    Fault::Again { reason: reason.to_owned(), after: None, worked: false }
}

/// The error that stands in the body of an answer, whose status says that all is well.
pub(crate) fn told(body: &Value, asked: &Asked<'_>) -> Option<Fault> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = code.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    Some(refusal(status.unwrap_or(StatusCode::BAD_GATEWAY), &body.to_string(), None, asked))
}

fn web(error: webc::Error, asked: &Asked<'_>) -> Fault {
    // What answers so is no model's server, or something before it: nobody counts tokens for that.
    let again = |reason| Fault::Again { reason, after: None, worked: false };
    match error {
        webc::Error::ResponseFailedStatus { status, body, headers } => {
            refusal(status, &body, retry_after(&headers), asked)
        }
        webc::Error::ResponseFailedNotJson { content_type, .. } => again(format!(
            "what it answers is no JSON but {:?}; see that base_url is the address of a model's server, as in \
             \"http://localhost:8080/v1\"",
            plain(&content_type, asked.key, 80)
        )),
        webc::Error::ResponseFailedInvalidJson { .. } | webc::Error::JsonValueExt(_) => again(
            "what it answers is called JSON but is none; see that base_url is the address of a model's server"
                .to_owned(),
        ),
        webc::Error::Reqwest(error) => {
            let worked = !error.is_connect();
            let what = if worked { "the connection broke" } else { "it cannot be reached" };
            let cause = plain(&cause(error.without_url()), asked.key, TOLD);
            let reason = format!("{what} ({cause}); see that the server runs and that its address is right");
            Fault::Again { reason, after: None, worked }
        }
    }
}

/// The innermost reason, which is what an operator can act on.
fn cause(error: reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// What a status that is no success, and the body that came with it, come to.
fn refusal(status: StatusCode, body: &str, after: Option<Duration>, asked: &Asked<'_>) -> Fault {
    let said = message(body).map(|text| plain(&text, asked.key, TOLD)).filter(|text| !text.is_empty());
    let said = said.map(|text| format!(": {text:?}")).unwrap_or_default();
    let http = format!("HTTP {}{said}", status.as_u16());
    if refuses_form(status, body, asked.form) {
        let hint = match asked.form {
            Form::Tools => "\"schema\", \"text\" or \"auto\"",
            Form::Schema | Form::Text => "\"tools\" or \"text\"",
        };
        return Fault::Form(format!("it does not take the form of the question ({http}); set answers to {hint}"));
    }
    let again = |what: &str, hint: &str| {
        let wait = after.map(|time| format!(", and wants to be asked again in {} s", time.as_secs_f64().ceil()));
        let reason = format!("{what} ({http}){}; {hint}", wait.unwrap_or_default());
        Fault::Again { reason, after, worked: false }
    };
    let lower = body.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match status.as_u16() {
        401 | 403 => Fault::Final(format!("it refuses the API key, or there is none ({http}); configure a valid one")),
        402 => Fault::Final(format!("it wants to be paid ({http}); see to the account that the key belongs to")),
        404 => Fault::Final(format!("it knows no such model, or base_url is wrong ({http}); see to both")),
        408 | 425 => again("it was too slow", "try later"),
        429 => again("it allows no more requests now", "wait, or see to the limits of the account"),
        300..=399 => {
            Fault::Final(format!("it sends elsewhere (HTTP {}); name the final address in base_url", status.as_u16()))
        }
        500.. => again("it failed", "see to the server, or try later"),
        413 => {
            Fault::Final(format!("the question is too large for it ({http}); send no pictures, or use another model"))
        }
        _ if has(&["content_filter", "content management policy"]) => Fault::Refused(http),
        _ if asked.picture && has(&["image", "vision", "multimodal"]) => Fault::Final(format!(
            "it refuses the question ({http}); if the model takes no pictures, set pictures to false"
        )),
        _ => Fault::Final(format!("it refuses the question ({http}); see to the model's settings")),
    }
}

/// Whether a server says that it cannot be asked in this form.
fn refuses_form(status: StatusCode, body: &str, form: Form) -> bool {
    let body = body.to_lowercase();
    let words: &[&str] = match form {
        Form::Tools => &["tool", "function"],
        Form::Schema => &["response_format", "schema", "structured", "grammar", "output_config"],
        Form::Text => &[],
    };
    // Some servers call what they cannot do an error of theirs; a word more is asked for, since they have other errors too.
    let says_so = match status.as_u16() {
        400 | 404 | 422 => true,
        500 | 501 => ["support", "require", "not implemented"].iter().any(|word| body.contains(word)),
        _ => false,
    };
    says_so && words.iter().any(|word| body.contains(word))
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
        let asked = Asked { form, picture: true, key: Some("hunter2") };
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
        ] {
            assert!(matches!(of(status, body, form), Fault::Form(_)), "{body}");
        }
        assert!(matches!(of(500, "a tool broke", Form::Tools), Fault::Again { .. }));
        assert!(matches!(of(404, r#"{"error": {"message": "no model x"}}"#, Form::Tools), Fault::Final(_)));
        assert!(matches!(of(400, "does not support tools", Form::Text), Fault::Final(_)));
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
            (400, r#"{"detail": "odd"}"#, "\"odd\""),
        ] {
            let Fault::Final(reason) = of(status, body, Form::Tools) else { panic!("{status}") };
            assert!(reason.contains(part) && !reason.contains("hunter2"), "{reason}");
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
        let asked = Asked { form: Form::Tools, picture: false, key: None };
        let told = |body| told(&body, &asked);
        assert!(matches!(told(serde_json::json!({ "error": { "code": 429 } })), Some(Fault::Again { .. })));
        assert!(matches!(told(serde_json::json!({ "error": { "code": 401 } })), Some(Fault::Final(_))));
        assert!(matches!(told(serde_json::json!({ "error": "broken" })), Some(Fault::Again { .. })));
        assert!(told(serde_json::json!({ "error": null, "choices": [] })).is_none());
    }
}
