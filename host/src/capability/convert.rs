//! The one place where an error of the device layer becomes an error of the contract.
//!
//! What a driver says stays in the log, except where its contract says that callers read it.

use super::{Code, Error, Outcome};
use crate::device::{self, Device, DriverError, ErrorKind, Reason, Status, Trouble};
use serde_json::json;
use std::time::SystemTime;

/// What a caller is told.
pub(super) fn error(device: &Device, error: device::Error) -> Error {
    let error = match error {
        device::Error::Busy { holder, expires_at } => busy(&holder, expires_at),
        device::Error::LeaseLost => Error::new(
            Code::LeaseLost,
            "the lease that this call names has ended",
            "Call connect_device for a new lease, look at the screen, then go on.",
        ),
        device::Error::Overloaded => Error::new(
            Code::Overloaded,
            "too many calls wait for this device",
            "Wait for the earlier calls to end, then try again.",
        ),
        device::Error::Late { outcome } => timeout("the call's time ran out", outcome.into()),
        device::Error::Overran { outcome } => timeout("the device did not answer in time", outcome.into()),
        device::Error::Unavailable { status, reason, outcome } => unavailable(status, reason).outcome(outcome.into()),
        device::Error::Driver(error) => driver(error),
    };
    error.on_device(device.id())
}

fn busy(holder: &str, expires_at: SystemTime) -> Error {
    let until = super::time(expires_at);
    Error::new(
        Code::DeviceBusy,
        format!("the device is in use by {holder} until {until}"),
        "Use another device, or try again after that time. Looking at the screen needs no lease.",
    )
    .details(json!({ "holder": holder, "expires_at": until }))
}

fn timeout(what: &str, outcome: Outcome) -> Error {
    let hint = match outcome {
        Outcome::NotDone => "Try again, with a longer timeout_ms if the device is slow.",
        _ => "Look at the screen to see whether it was done before you repeat it.",
    };
    Error::new(Code::Timeout, what, hint).outcome(outcome)
}

fn unavailable(status: Status, reason: Reason) -> Error {
    let (code, message, hint) = match reason {
        Reason::NeedsTrust => (
            Code::DeviceNotAuthorized,
            "the device does not trust this computer",
            "Unlock the device, connect it by cable and answer \"Trust\".",
        ),
        Reason::NotAuthorized => (
            Code::DeviceNotAuthorized,
            "the device has not permitted to be controlled",
            "Allow control in the device's developer settings.",
        ),
        Reason::Locked => {
            (Code::DeviceLocked, "the device is locked", "Unlock it by hand or with press_button unlock.")
        }
        Reason::HelperNotRunning => (
            Code::DeviceOffline,
            "the device is there, but its control agent does not run",
            "Start the agent on the device, then call connect_device.",
        ),
        Reason::Unplugged => (Code::DeviceOffline, "the device is not connected any more", "Plug it in again."),
        Reason::Unresponsive => (
            Code::DeviceOffline,
            "the device does not answer",
            "It is used again as soon as it answers; if it stays so, restart it.",
        ),
        Reason::PluginFailed => (
            Code::PluginFailed,
            "the part of the server that serves this device failed",
            "Try again; if it stays so, the operator finds the cause in the server's log.",
        ),
        Reason::NotReachable | Reason::Reconnecting => (
            Code::DeviceOffline,
            "the device cannot be reached",
            "Check that it is switched on and connected; it is found again by itself.",
        ),
    };
    Error::new(code, message, hint).details(json!({ "status": status, "reason": reason }))
}

/// The last thing that went wrong with a device, in words for callers.
pub(super) fn last_error(trouble: Trouble) -> String {
    let error = match trouble {
        Trouble::Noticed(message) => return message,
        Trouble::Failed(error) => error,
    };
    match error.kind {
        ErrorKind::NotReachable | ErrorKind::HelperNotRunning | ErrorKind::NeedsTrust | ErrorKind::NotAuthorized => {
            error.message
        }
        ErrorKind::NotConnected => unavailable(Status::Offline, Reason::NotReachable).message,
        ErrorKind::Timeout => unavailable(Status::Offline, Reason::Unresponsive).message,
        _ => driver(error).message,
    }
}

fn driver(error: DriverError) -> Error {
    let outcome = error.outcome.into();
    if error.kind == ErrorKind::Timeout {
        return timeout("it did not come about in time", outcome);
    }
    let (code, message, hint): (_, String, _) = match error.kind {
        // These two are written for callers.
        ErrorKind::InvalidArgument => (Code::InvalidArguments, error.message, "Correct the argument and call again."),
        ErrorKind::Unsupported => {
            (Code::Unsupported, error.message, "device_status lists under features what this device can do.")
        }
        ErrorKind::Locked => (
            Code::DeviceLocked,
            "the device is locked".into(),
            "Call press_button unlock; a device with a passcode must be unlocked by hand.",
        ),
        ErrorKind::AppNotFound => (
            Code::AppNotFound,
            "there is no such app on the device".into(),
            "Call list_apps and use an id or a name from there.",
        ),
        ErrorKind::AppCrashed => {
            (Code::AppCrashed, "the app ended unexpectedly".into(), "Call launch_app to start it again.")
        }
        ErrorKind::AlertInFront => (
            Code::AlertInFront,
            "an alert is in front".into(),
            "Look at the screen and tap one of the alert's buttons.",
        ),
        ErrorKind::NoAlert => {
            (Code::ElementNotFound, "there is no such alert or button".into(), "Look at the screen again.")
        }
        ErrorKind::NothingFocused => (
            Code::TextNotEntered,
            "no text field has the focus, so nothing was typed".into(),
            "Tap a text field first, or pass element or x and y of one.",
        ),
        ErrorKind::TreeUnavailable => (
            Code::PerceptionFailed,
            "the device could not describe its screen".into(),
            "Use take_screenshot, or try again when the screen has settled.",
        ),
        ErrorKind::PictureUnavailable => (
            Code::PerceptionFailed,
            "the device could not take a picture".into(),
            "The app in front may forbid pictures; use get_ui_tree, or try again.",
        ),
        ErrorKind::Panicked => (
            Code::PluginFailed,
            "the part of the server that serves this device failed".into(),
            "Look at the screen to see what was done; the operator finds the cause in the server's log.",
        ),
        _ => {
            tracing::debug!(%error, "the device answered with an error that has no name of its own");
            (Code::PluginFailed, "the device refused or failed".into(), "Look at the screen, then try another way.")
        }
    };
    Error::new(code, message, hint).outcome(outcome)
}

impl From<device::Outcome> for Outcome {
    fn from(outcome: device::Outcome) -> Self {
        match outcome {
            device::Outcome::NotDone => Outcome::NotDone,
            device::Outcome::Unknown => Outcome::Unknown,
            device::Outcome::Done => Outcome::Done,
        }
    }
}
