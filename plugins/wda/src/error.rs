//! One table from everything that can go wrong to the driver layer's error kinds.
//!
//! It knows the phone's names and texts for errors, and which of them matters to which operation. The phone's own words
//! end here: they go to the debug log, never into a message, for they can hold what stands on the screen, what was typed,
//! or paths of somebody's computer.

use crate::{envelope::Refusal, http::Broken};
use driver_api::{Error, ErrorKind, Outcome};

/// Why a command has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection failed.
    Broken(Broken),
    /// The phone refused.
    Refused(Refusal),
    /// Something answered that is not the program we speak to.
    Foreign,
    /// What had to come before the command failed, so that the command itself was not sent.
    Unprepared(Box<Fault>),
}

impl From<Broken> for Fault {
    fn from(broken: Broken) -> Self {
        Fault::Broken(broken)
    }
}

/// What was being done; the same answer means different things to different operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Looking at something; nothing can have happened.
    Look,
    /// Preparing the phone.
    Connect,
    /// Reading the tree.
    Tree,
    /// Taking a picture.
    Picture,
    /// A touch, a button, the home screen.
    Act,
    /// Typing; the phone's words may repeat the text.
    Type,
    /// Starting or ending an app.
    App,
    /// Locking or unlocking.
    Lock,
    /// Reading or answering an alert.
    Alert,
    /// Turning the screen.
    Turn,
    /// Opening a URL.
    OpenUrl,
    /// Reading or writing the clipboard.
    Clipboard,
    /// Hiding the keyboard.
    HideKeyboard,
}

impl Purpose {
    /// Whether something may have happened on the phone.
    fn acts(self) -> bool {
        !matches!(self, Purpose::Look | Purpose::Connect | Purpose::Tree | Purpose::Picture)
    }

    /// Whether the phone's words may hold what the caller wants kept secret.
    fn is_secret(self) -> bool {
        matches!(self, Purpose::Type | Purpose::Clipboard | Purpose::OpenUrl)
    }
}

impl Refusal {
    /// The session is not the phone's any more; the command did not run. The phone's words count only where nothing else was
    /// said: they may repeat what stands on the screen.
    pub(crate) fn session_is_gone(&self) -> bool {
        let unnamed = self.status == 404 && matches!(self.name.as_str(), "" | "unknown command");
        self.name == "invalid session id"
            || (unnamed && self.says(&["session does not exist", "deleted while this request"]))
    }

    /// This server does not have the route; the command did not run.
    pub(crate) fn is_unknown_command(&self) -> bool {
        matches!(self.name.as_str(), "unknown command" | "unknown method")
    }

    /// The phone could not take a snapshot of the screen's elements: too deep, too many, or a busy app.
    pub(crate) fn is_snapshot_trouble(&self) -> bool {
        self.name == "stale element reference"
            || self.says(&[
                "kaxerror",
                "getting snapshot",
                "snapshotting",
                "too many nested",
                "main run loop is responsive",
            ])
    }

    /// The phone cannot write a tree in the format that was asked for, rather than having trouble with the screen.
    pub(crate) fn is_about_the_format(&self) -> bool {
        matches!(
            self.name.as_str(),
            "unknown error" | "unknown command" | "invalid argument" | "unsupported operation" | ""
        ) && !self.session_is_gone()
            && !self.says(&["possibly crashed", "unlocked"])
    }

    /// The phone could not make a point of the coordinates, for reasons of the app in front; the finger did not touch.
    pub(crate) fn is_bad_point(&self) -> bool {
        self.says(&["!= infinity"])
    }

    /// Whether the phone's words hold one of these, in lower case.
    fn says(&self, parts: &[&str]) -> bool {
        let words = self.words.to_lowercase();
        parts.iter().any(|part| words.contains(part))
    }
}

impl Fault {
    /// The error that the operation answers.
    pub(crate) fn into_error(self, purpose: Purpose) -> Error {
        let error = match &self {
            Fault::Broken(broken) => broken_error(*broken),
            Fault::Unprepared(fault) => (**fault).clone().into_error(Purpose::Connect),
            Fault::Foreign => match purpose {
                Purpose::Connect => Error::new(
                    ErrorKind::HelperNotRunning,
                    "what answers at the iPhone's address is not its automation program",
                ),
                Purpose::Picture => {
                    Error::new(ErrorKind::PictureUnavailable, "the iPhone's picture arrived incomplete")
                }
                Purpose::Tree => {
                    Error::new(ErrorKind::TreeUnavailable, "what the iPhone says of its screen cannot be read")
                }
                _ => Error::unknown(ErrorKind::Other, "the iPhone's answer cannot be read"),
            },
            Fault::Refused(refusal) => {
                let words = if purpose.is_secret() { "(not logged)" } else { &refusal.words };
                tracing::debug!(status = refusal.status, name = refusal.name, words, ?purpose, "the phone refused");
                refusal_error(refusal, purpose)
            }
        };
        if purpose.acts() { error } else { error.with_outcome(Outcome::NotDone) }
    }
}

pub(crate) fn broken_error(broken: Broken) -> Error {
    match broken {
        Broken::PortClosed => Error::new(
            ErrorKind::HelperNotRunning,
            "the iPhone's automation program does not run: its port is closed; start it on the phone",
        ),
        Broken::NoRoute => Error::new(
            ErrorKind::NotReachable,
            "the iPhone cannot be reached at its address; check that it is on, in the same network or plugged in",
        ),
        Broken::NotPlugged => Error::new(
            ErrorKind::NotReachable,
            "the iPhone is not plugged in, and no address is configured for it; plug it in",
        ),
        // A forwarder takes the connection and drops it when nothing listens on the phone.
        Broken::HungUp => Error::new(
            ErrorKind::HelperNotRunning,
            "the iPhone's address takes connections but does not answer; start the automation program on the phone",
        ),
        Broken::Lost => {
            Error::unknown(ErrorKind::NotReachable, "the connection to the iPhone broke before it answered")
        }
        Broken::Late => Error::unknown(ErrorKind::Timeout, "the iPhone did not answer in time"),
        Broken::TooLarge => Error::unknown(ErrorKind::Other, "the iPhone's answer was too large to read"),
    }
}

/// The table. Texts come before names, since one name stands for many things; what the operation makes of the rest comes last.
fn refusal_error(refusal: &Refusal, purpose: Purpose) -> Error {
    use ErrorKind as Kind;
    let no = |kind, message: &str| Error::new(kind, message);
    let name = refusal.name.as_str();
    let says = |parts: &[&str]| refusal.says(parts);

    if refusal.session_is_gone() {
        return no(Kind::Other, "another program keeps taking over the iPhone; only one can control it at a time");
    }
    if says(&[
        "could not be, unlocked",
        "bserrorcodedescription=locked",
        "device is locked",
        "device was not, or could not be",
    ]) || (says(&["fbsopenapplication"]) && says(&["code=7 "]))
    {
        return no(Kind::Locked, "the iPhone is locked");
    }
    if (says(&["fbsopenapplication"]) && says(&["code=4 ", "notfound"]))
        || says(&["is not installed", "is unknown to frontboard"])
    {
        return no(Kind::AppNotFound, "no such app is installed on the iPhone");
    }
    if says(&["possibly crashed"]) {
        return no(Kind::AppCrashed, "the app ended by itself while it started or was used");
    }
    if says(&["keyboard must be present", "keyboard is not present", "keyboard focus"]) {
        return no(Kind::NothingFocused, "no text field has the keyboard's focus");
    }
    if says(&["unable to rotate"]) {
        return no(Kind::Unsupported, "the app in front does not turn");
    }
    if says(&["pasteboard alert"]) {
        return no(Kind::AlertInFront, "the iPhone asks whether pasting is allowed");
    }
    if name == "unable to capture screen" || says(&["cannot take a screenshot"]) {
        return no(
            Kind::PictureUnavailable,
            "the iPhone did not give a picture of its screen; the app in front may forbid it",
        );
    }
    if says(&["screen gets unlocked"]) {
        return no(Kind::Locked, "the iPhone did not unlock; it wants its passcode");
    }
    if says(&["screen gets locked"]) {
        return Error::unknown(Kind::Timeout, "the iPhone did not lock in time");
    }
    if says(&["the device under test only supports"]) {
        return no(Kind::Unsupported, "this iPhone does not have the button");
    }
    if says(&["not visible on the screen"])
        || matches!(name, "element not visible" | "invalid coordinates")
        || refusal.is_bad_point()
    {
        return no(
            Kind::InvalidArgument,
            "the iPhone cannot touch this point; it is off the screen or not reachable there",
        );
    }
    match (name, purpose) {
        ("no such alert", _) => return no(Kind::NoAlert, "there is no alert"),
        ("unexpected alert open", _) => {
            return no(Kind::AlertInFront, "an alert is in front and must be answered first");
        }
        ("unknown command" | "unknown method", _) => {
            return no(Kind::Unsupported, "the automation program on the iPhone does not have this command");
        }
        ("unsupported operation", _) => {
            return no(Kind::Unsupported, "this version of the iPhone's system does not have this");
        }
        ("session not created", _) => return no(Kind::Other, "the iPhone refused to be controlled"),
        (_, Purpose::Tree) => return no(Kind::TreeUnavailable, "the iPhone could not read what is on its screen"),
        (_, Purpose::Picture) => {
            return no(Kind::PictureUnavailable, "the iPhone did not give a picture of its screen");
        }
        _ => {}
    }
    if name == "timeout" || refusal.status == 408 || says(&["timed out"]) {
        return Error::unknown(Kind::Timeout, "the iPhone waited for itself for too long");
    }
    match (name, purpose) {
        ("invalid element state", Purpose::Alert) => no(Kind::NoAlert, "the alert has no such button"),
        ("invalid element state" | "no such element", Purpose::Type) => {
            no(Kind::NothingFocused, "no text field has the keyboard's focus")
        }
        ("invalid element state", Purpose::HideKeyboard) => no(Kind::Unsupported, "this keyboard cannot be hidden"),
        ("invalid argument", Purpose::App) => {
            no(Kind::AppNotFound, "the app is not installed on the iPhone, or the iPhone refused to start it")
        }
        ("invalid argument", Purpose::OpenUrl) => no(Kind::InvalidArgument, "no app opens this URL"),
        ("unknown error", Purpose::OpenUrl) => {
            Error::unknown(Kind::InvalidArgument, "the iPhone did not open this URL; perhaps no app takes it")
        }
        ("invalid argument" | "invalid selector", _) => {
            no(Kind::InvalidArgument, "the iPhone did not accept the arguments of this operation")
        }
        ("no such element" | "stale element reference", _) => {
            no(Kind::Other, "the element is not on the screen any more")
        }
        ("invalid element state", _) => no(Kind::Other, "the element on the screen does not do this"),
        _ if (400..500).contains(&refusal.status) => no(Kind::Other, "the iPhone refused the operation"),
        _ => Error::unknown(Kind::Other, "the iPhone failed while it carried out the operation"),
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind as Kind, Outcome::*, Purpose::*, *};

    /// status, name, words, purpose → kind, outcome.
    const TABLE: &[(u16, &str, &str, Purpose, Kind, Outcome)] = &[
        // Names.
        (404, "invalid session id", "Session does not exist", Act, Kind::Other, NotDone),
        (404, "", "The session was deleted while this request was still pending", Act, Kind::Other, NotDone),
        // Words on a screen say nothing of the session: the action may have happened.
        (500, "unknown error", "failed at button “Session does not exist”", Act, Kind::Other, Unknown),
        (500, "session not created", "bad capabilities", Connect, Kind::Other, NotDone),
        (404, "unknown command", "Unhandled endpoint", Act, Kind::Unsupported, NotDone),
        (405, "unknown method", "", Act, Kind::Unsupported, NotDone),
        (400, "invalid argument", "x and y", Act, Kind::InvalidArgument, NotDone),
        (400, "invalid argument", "cannot start", App, Kind::AppNotFound, NotDone),
        (400, "invalid argument", "no scheme", OpenUrl, Kind::InvalidArgument, NotDone),
        (400, "invalid selector", "", Look, Kind::InvalidArgument, NotDone),
        (404, "no such element", "", Look, Kind::Other, NotDone),
        (404, "no such element", "", Type, Kind::NothingFocused, NotDone),
        (404, "stale element reference", "", Tree, Kind::TreeUnavailable, NotDone),
        (404, "stale element reference", "", Look, Kind::Other, NotDone),
        (400, "invalid element state", "typing failed", Type, Kind::NothingFocused, NotDone),
        (400, "invalid element state", "no button", Alert, Kind::NoAlert, NotDone),
        (400, "invalid element state", "cannot dismiss", HideKeyboard, Kind::Unsupported, NotDone),
        (400, "element not visible", "", Act, Kind::InvalidArgument, NotDone),
        (404, "no such alert", "", Alert, Kind::NoAlert, NotDone),
        (500, "unable to capture screen", "", Picture, Kind::PictureUnavailable, NotDone),
        (500, "unsupported operation", "", Clipboard, Kind::Unsupported, NotDone),
        (408, "timeout", "", App, Kind::Timeout, Unknown),
        (408, "timeout", "", Look, Kind::Timeout, NotDone),
        (500, "unknown error", "", Act, Kind::Other, Unknown),
        (500, "unknown error", "", Look, Kind::Other, NotDone),
        (500, "unknown error", "Cannot get 'xml' source", Tree, Kind::TreeUnavailable, NotDone),
        (500, "unknown error", "", OpenUrl, Kind::InvalidArgument, Unknown),
        (500, "unexpected alert open", "", Act, Kind::AlertInFront, NotDone),
        (400, "invalid coordinates", "", Act, Kind::InvalidArgument, NotDone),
        (500, "", "", Act, Kind::Other, Unknown),
        (503, "", "", Tree, Kind::TreeUnavailable, NotDone),
        (418, "", "", Act, Kind::Other, NotDone),
        // Texts.
        (
            400,
            "invalid argument",
            "FBSOpenApplicationServiceErrorDomain Code=4 \"x\" NotFound",
            App,
            Kind::AppNotFound,
            NotDone,
        ),
        (500, "session not created", "'com.x' is not installed", Connect, Kind::AppNotFound, NotDone),
        (500, "unknown error", "the device was not, or could not be, unlocked", App, Kind::Locked, NotDone),
        (
            400,
            "invalid argument",
            "FBSOpenApplicationErrorDomain Code=7 \"x\" BSErrorCodeDescription=Locked",
            App,
            Kind::Locked,
            NotDone,
        ),
        (400, "invalid element state", "'com.x' is not running, possibly crashed", Tree, Kind::AppCrashed, NotDone),
        (
            400,
            "invalid element state",
            "The on-screen keyboard must be present to send keys",
            Type,
            Kind::NothingFocused,
            NotDone,
        ),
        (200, "unknown error", "Keyboard is not present", Type, Kind::NothingFocused, NotDone),
        (500, "unknown error", "Cannot take a screenshot within 20000 ms", Picture, Kind::PictureUnavailable, NotDone),
        (500, "unknown error", "Timed out while waiting until the screen gets unlocked", Lock, Kind::Locked, NotDone),
        (500, "unknown error", "Timed out while waiting until the screen gets locked", Lock, Kind::Timeout, Unknown),
        (500, "unknown error", "Error kAXErrorServerNotFound getting snapshot", Tree, Kind::TreeUnavailable, NotDone),
        (500, "unknown error", "Timed out snapshotting", Tree, Kind::TreeUnavailable, NotDone),
        (
            500,
            "unknown error",
            "Button 'x' is not supported. The device under test only supports home",
            Act,
            Kind::Unsupported,
            NotDone,
        ),
        (
            400,
            "invalid argument",
            "is not visible on the screen and thus is not interactable",
            Act,
            Kind::InvalidArgument,
            NotDone,
        ),
        (500, "unknown error", "Unable To Rotate Device", Turn, Kind::Unsupported, NotDone),
        (500, "unknown error", "Cannot handle pasteboard alert", Clipboard, Kind::AlertInFront, NotDone),
        (500, "unknown error", "not satisfying: point.x != INFINITY", Act, Kind::InvalidArgument, NotDone),
        (500, "unknown error", "Timed out waiting", Act, Kind::Timeout, Unknown),
    ];

    #[test]
    fn the_table() {
        for &(status, name, words, purpose, kind, outcome) in TABLE {
            let refusal = Refusal { status, name: name.to_owned(), words: words.to_owned(), active: None };
            let error = Fault::Refused(refusal).into_error(purpose);
            assert_eq!((error.kind, error.outcome), (kind, outcome), "{status} {name:?} {words:?} for {purpose:?}");
        }
    }

    #[test]
    fn row_110_messages_never_hold_what_the_phone_said_nor_a_frameworks_name() {
        let words = "traceback SECRET /Users/me WebDriverAgent XCTest session";
        for &(status, name, text, purpose, ..) in TABLE {
            let refusal = Refusal { status, name: name.to_owned(), words: format!("{text} {words}"), active: None };
            let message = Fault::Refused(refusal).into_error(purpose).message.to_lowercase();
            for word in ["secret", "traceback", "/users", "webdriver", "xctest", "http", "appium", "session"] {
                assert!(!message.contains(word), "{message}");
            }
        }
    }

    #[test]
    fn a_connection_that_did_not_come_about_has_sent_nothing() {
        for (broken, kind, outcome) in [
            (Broken::PortClosed, Kind::HelperNotRunning, NotDone),
            (Broken::NoRoute, Kind::NotReachable, NotDone),
            (Broken::NotPlugged, Kind::NotReachable, NotDone),
            (Broken::HungUp, Kind::HelperNotRunning, NotDone),
            (Broken::Lost, Kind::NotReachable, Unknown),
            (Broken::Late, Kind::Timeout, Unknown),
            (Broken::TooLarge, Kind::Other, Unknown),
        ] {
            let error = Fault::Broken(broken).into_error(Act);
            assert_eq!((error.kind, error.outcome), (kind, outcome));
            assert_eq!(Fault::Broken(broken).into_error(Look).outcome, NotDone);
        }
        for (purpose, kind) in
            [(Connect, Kind::HelperNotRunning), (Picture, Kind::PictureUnavailable), (Act, Kind::Other)]
        {
            assert_eq!(Fault::Foreign.into_error(purpose).kind, kind);
        }
        let unprepared = Fault::Unprepared(Box::new(Fault::Broken(Broken::Lost)));
        assert_eq!(unprepared.into_error(Act).outcome, NotDone);
    }
}
