//! The one error of the driver layer: what kind, whether the action happened, and a sentence for people.
//!
//! It knows no wire protocol. The host turns it into the callers' closed set of codes; the message stays in the log unless
//! the kind says that it is fit for callers.

use serde::{Deserialize, Serialize};

/// What a driver operation answers.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed, in words that hold for every kind of phone.
///
/// The set is open: a newer plugin may send a kind that an older host does not know; it arrives as [`Other`](ErrorKind::Other).
///
/// Of a device that cannot be used (the first four) the message says why and what to do, and is fit for callers: the device's
/// status shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The device cannot be reached: no route, connection refused or lost.
    NotReachable,
    /// The device does not trust this computer yet.
    NeedsTrust,
    /// The device has not given permission to be controlled.
    NotAuthorized,
    /// The program on the phone that carries out commands does not run.
    HelperNotRunning,
    /// The device did not answer in time.
    Timeout,
    /// The device is locked and the operation needs it unlocked, or it wants a passcode.
    Locked,
    /// The driver or this device does not have the operation.
    Unsupported,
    /// An argument makes no sense to the driver; the message says which and why and is fit for callers.
    InvalidArgument,
    /// No such app is installed.
    AppNotFound,
    /// The app ended while it started or while it was used.
    AppCrashed,
    /// An alert is in front and must be answered first.
    AlertInFront,
    /// There is no alert to read or to answer, or it has no such button.
    NoAlert,
    /// Nothing has the keyboard's focus, so that typed text would be lost.
    NothingFocused,
    /// The tree could not be read.
    TreeUnavailable,
    /// The picture could not be taken.
    PictureUnavailable,
    /// `connect` has not been called, or `disconnect` has.
    NotConnected,
    /// The plugin's own code panicked.
    Panicked,
    /// Anything else.
    #[serde(other)]
    Other,
}

/// Whether the action took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It surely did not: nothing was sent, or the device refused it.
    NotDone,
    /// It may have.
    Unknown,
    /// It surely did, and something after it failed.
    Done,
}

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// Whether the action took place.
    pub outcome: Outcome,
    /// One sentence for the operator.
    pub message: String,
}

impl Error {
    /// A failure before anything was done.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, outcome: Outcome::NotDone, message: message.into() }
    }

    /// A failure after which nobody knows whether the action took place.
    pub fn unknown(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, outcome: Outcome::Unknown, message: message.into() }
    }

    /// The driver does not have this operation, or this device cannot do it; `what` is a sentence.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Error::new(ErrorKind::Unsupported, what)
    }

    /// The same error with another outcome.
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }
}
