//! The closed set of errors that a caller can meet, the same on both doors.
//!
//! A message says what happened in the caller's words, a hint what to do next. Nothing here knows HTTP, MCP, or which driver
//! serves the device.

use serde::{Deserialize, Serialize};

/// What went wrong. The set is closed: callers may match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation that callers read")]
pub enum Code {
    InvalidArguments,
    OutOfBounds,
    Unauthorized,
    Forbidden,
    NotFound,
    DeviceNotFound,
    AppNotFound,
    ElementNotFound,
    TaskNotFound,
    DeviceBusy,
    DeviceLocked,
    LeaseLost,
    StaleFrame,
    ElementStale,
    ElementAmbiguous,
    AlertInFront,
    TargetCovered,
    TaskConflict,
    Unsupported,
    TextNotEntered,
    AppCrashed,
    Overloaded,
    Cancelled,
    Internal,
    PluginFailed,
    PerceptionFailed,
    DeviceOffline,
    DeviceNotAuthorized,
    ModelUnavailable,
    Timeout,
}

impl Code {
    /// Every code, in the order of the contract.
    pub const ALL: [Code; 30] = [
        Code::InvalidArguments,
        Code::OutOfBounds,
        Code::Unauthorized,
        Code::Forbidden,
        Code::NotFound,
        Code::DeviceNotFound,
        Code::AppNotFound,
        Code::ElementNotFound,
        Code::TaskNotFound,
        Code::DeviceBusy,
        Code::DeviceLocked,
        Code::LeaseLost,
        Code::StaleFrame,
        Code::ElementStale,
        Code::ElementAmbiguous,
        Code::AlertInFront,
        Code::TargetCovered,
        Code::TaskConflict,
        Code::Unsupported,
        Code::TextNotEntered,
        Code::AppCrashed,
        Code::Overloaded,
        Code::Cancelled,
        Code::Internal,
        Code::PluginFailed,
        Code::PerceptionFailed,
        Code::DeviceOffline,
        Code::DeviceNotAuthorized,
        Code::ModelUnavailable,
        Code::Timeout,
    ];

    /// Whether the same call may succeed later without a change. That no model is configured stays so; a model that is away is a
    /// question of its task, and no error of a call.
    pub fn retryable(self) -> bool {
        matches!(
            self,
            Code::DeviceBusy
                | Code::DeviceOffline
                | Code::Overloaded
                | Code::Timeout
                | Code::Internal
                | Code::PluginFailed
                | Code::PerceptionFailed
                | Code::Cancelled
        )
    }
}

/// Whether what was asked for took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It surely did not.
    NotDone,
    /// It may have.
    Unknown,
    /// It surely did; something after it failed.
    Done,
}

/// Why a call failed. The doors add the `request_id`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What went wrong.
    pub code: Code,
    /// What happened, in the caller's words.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// Whether the same call may succeed later without a change, and surely does nothing twice.
    pub retryable: bool,
    /// Whether what was asked for took place.
    pub outcome: Outcome,
    /// The device it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// More, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}

impl Error {
    /// An error after which surely nothing was done.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error {
            code,
            message: message.into(),
            hint: hint.into(),
            retryable: code.retryable(),
            outcome: Outcome::NotDone,
            device_id: None,
            details: None,
        }
    }

    /// An argument is missing, unknown or makes no sense.
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::new(Code::InvalidArguments, message, hint)
    }

    /// With another outcome. A call that may have done something must not be made again as it is: it might do it twice.
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self.retryable = self.code.retryable() && outcome == Outcome::NotDone;
        self
    }

    /// About this device.
    pub fn on_device(mut self, device_id: impl Into<String>) -> Self {
        self.device_id = Some(device_id.into());
        self
    }

    /// With more for programs.
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.details = Some(details);
        self
    }
}
