//! How an error looks on the doors: one body for both, and the one table from codes to HTTP statuses.
//!
//! It knows the closed set of codes and HTTP; it does not know what any capability does.

use crate::capability::{Code, Error};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The media type of an error on the REST door.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// The status that a code has by itself.
pub fn status(code: Code) -> StatusCode {
    let status = match code {
        Code::InvalidArguments | Code::OutOfBounds => 400,
        Code::Unauthorized => 401,
        Code::Forbidden => 403,
        Code::NotFound | Code::DeviceNotFound | Code::AppNotFound | Code::ElementNotFound | Code::TaskNotFound => 404,
        Code::DeviceBusy
        | Code::DeviceLocked
        | Code::LeaseLost
        | Code::StaleFrame
        | Code::ElementStale
        | Code::ElementAmbiguous
        | Code::AlertInFront
        | Code::TargetCovered
        | Code::TaskConflict => 409,
        Code::Unsupported | Code::TextNotEntered | Code::AppCrashed => 422,
        Code::Overloaded => 429,
        Code::Cancelled => 499,
        Code::Internal | Code::PluginFailed | Code::PerceptionFailed => 500,
        Code::DeviceOffline | Code::DeviceNotAuthorized | Code::ModelUnavailable => 503,
        Code::Timeout => 504,
    };
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The code as callers read it, such as `device_busy`.
pub fn name(code: Code) -> String {
    match serde_json::to_value(code) {
        Ok(Value::String(name)) => name,
        _ => "internal".to_owned(),
    }
}

/// A few words for people, such as `Device busy`.
pub fn title(code: Code) -> String {
    let name = name(code).replace('_', " ");
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The body of an error, the same on both doors.
pub fn body(error: &Error, request_id: &str) -> Map<String, Value> {
    let mut body = match serde_json::to_value(error) {
        Ok(Value::Object(body)) => body,
        _ => Map::new(),
    };
    body.insert("request_id".into(), Value::from(request_id));
    body
}

/// JSON Schema of [`body`]. Open, since REST adds to it.
pub fn schema() -> Value {
    let codes: Vec<String> = Code::ALL.into_iter().map(name).collect();
    json!({
        "type": "object",
        "properties": {
            "code": {"type": "string", "enum": codes},
            "message": {"type": "string", "description": "What happened."},
            "hint": {"type": "string", "description": "What to do next."},
            "retryable": {"type": "boolean", "description": "Whether the same call may succeed later."},
            "outcome": {
                "type": "string",
                "enum": ["not_done", "unknown", "done"],
                "description": "Whether what was asked for took place."
            },
            "device_id": {"type": "string"},
            "details": {"description": "More, for programs."},
            "request_id": {"type": "string"}
        },
        "required": ["code", "message", "hint", "retryable", "outcome", "request_id"]
    })
}

/// An error on its way out of the REST door.
#[derive(Debug)]
pub struct Problem {
    error: Error,
    status: StatusCode,
}

impl Problem {
    /// With the status of its code.
    pub fn new(error: Error) -> Self {
        Problem { status: status(error.code), error }
    }

    /// With another status: one that says more about a request that never became a call.
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Which code it has.
    pub fn code(&self) -> Code {
        self.error.code
    }

    /// The answer to the request with this id.
    pub fn respond(self, request_id: &str) -> Response {
        let mut body = body(&self.error, request_id);
        body.insert("type".into(), Value::from(format!("/docs#{}", name(self.error.code))));
        body.insert("title".into(), Value::from(title(self.error.code)));
        body.insert("status".into(), Value::from(self.status.as_u16()));
        let text = Value::Object(body).to_string();
        let mut response = (self.status, [(header::CONTENT_TYPE, PROBLEM_JSON)], text).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = retry_after(&self.error, SystemTime::now()) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.error.code == Code::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::new(error)
    }
}

/// In how many seconds the call is worth repeating, where that can be told.
fn retry_after(error: &Error, now: SystemTime) -> Option<u64> {
    const MOST: u64 = 3600;
    let seconds = match error.code {
        Code::DeviceBusy => {
            let expiry = error.details.as_ref().and_then(expiry);
            expiry.map_or(5, |at| at.duration_since(now).map_or(1, |left| left.as_secs_f64().ceil() as u64))
        }
        Code::Overloaded => 1,
        Code::DeviceOffline => 5,
        _ => return None,
    };
    Some(seconds.clamp(1, MOST))
}

/// When the lease ends that a refusal tells of.
fn expiry(details: &Value) -> Option<SystemTime> {
    let at = details.get("expires_at").or_else(|| details.get("lease")?.get("expires_at"))?;
    match at {
        Value::String(text) => humantime::parse_rfc3339(text).ok(),
        Value::Number(seconds) => Some(UNIX_EPOCH + Duration::from_secs_f64(seconds.as_f64().filter(|s| *s >= 0.0)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_the_status_of_the_contract() {
        let table: Vec<String> = Code::ALL
            .into_iter()
            .map(|code| format!("{} {} {}", name(code), status(code).as_u16(), title(code)))
            .collect();
        insta::assert_snapshot!(table.join("\n"));
    }

    #[test]
    fn a_busy_device_says_when_to_come_back() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000);
        let busy = |details: Value| Error::new(Code::DeviceBusy, "", "").details(details);
        assert_eq!(retry_after(&busy(json!({"expires_at": "1970-01-01T00:17:30.2Z"})), now), Some(51));
        assert_eq!(retry_after(&busy(json!({"lease": {"expires_at": 1042}})), now), Some(42));
        assert_eq!(retry_after(&busy(json!({"expires_at": 900})), now), Some(1));
        assert_eq!(retry_after(&busy(json!({})), now), Some(5));
        assert_eq!(retry_after(&Error::new(Code::Overloaded, "", ""), now), Some(1));
        assert_eq!(retry_after(&Error::new(Code::Internal, "", ""), now), None);
    }
}
