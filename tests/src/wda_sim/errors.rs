//! The server's errors: name, HTTP status, and the words that clients match. Knows no route.

use driver_api::ErrorKind;
use serde_json::{Value, json};

/// What stands in `traceback`; the real one is a list of frames, which no caller may ever see.
const TRACEBACK: &str = "(\n\t0   CoreFoundation                      0x000000019b8ecf2c __exceptionPreprocess + 164\n\t1   \
                         libobjc.A.dylib                     0x00000001937f62b8 objc_exception_throw + 60\n\t2   \
                         WebDriverAgentLib                   0x0000000105ded0b3 -[FBRoute_TargetAction mountRequest:intoResponse:] + 336\n)";

/// A failed command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) status: u16,
    pub(crate) error: &'static str,
    pub(crate) message: String,
}

/// What a command answers.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    fn new(status: u16, error: &'static str, message: impl Into<String>) -> Failure {
        Failure { status, error, message: message.into() }
    }

    /// The body's `value`.
    pub(crate) fn value(&self) -> Value {
        json!({ "error": self.error, "message": self.message, "traceback": TRACEBACK })
    }

    pub(crate) fn invalid_session() -> Failure {
        Failure::new(404, "invalid session id", "Session does not exist")
    }

    pub(crate) fn session_deleted() -> Failure {
        Failure::new(404, "invalid session id", "The session was deleted while this request was still pending")
    }

    pub(crate) fn session_not_created(message: impl Into<String>) -> Failure {
        Failure::new(500, "session not created", message)
    }

    pub(crate) fn unknown_command(method: &str, path: &str) -> Failure {
        Failure::new(404, "unknown command", format!("Unhandled endpoint: {path} with parameters (method {method})"))
    }

    pub(crate) fn invalid_argument(message: impl Into<String>) -> Failure {
        Failure::new(400, "invalid argument", message)
    }

    pub(crate) fn invalid_selector(message: impl Into<String>) -> Failure {
        Failure::new(400, "invalid selector", message)
    }

    pub(crate) fn no_such_element(using: &str, value: &str) -> Failure {
        let message = format!("unable to find an element using '{using}', value '{value}'");
        Failure::new(404, "no such element", message)
    }

    pub(crate) fn stale(what: &str) -> Failure {
        let message = format!(
            "The previously found element \"{what}\" is not present in the current view anymore. Make sure the application \
             UI has the expected state"
        );
        Failure::new(404, "stale element reference", message)
    }

    pub(crate) fn snapshot(code: &str) -> Failure {
        let message = format!(
            "Error Domain=com.apple.dt.xctest.automation-support.error Code=5 \"Error {code} getting snapshot for element \
             <AXUIElementRef>\" UserInfo={{NSLocalizedDescription=Error {code} getting snapshot for element}}"
        );
        Failure::new(404, "stale element reference", message)
    }

    pub(crate) fn invalid_state(message: impl Into<String>) -> Failure {
        Failure::new(400, "invalid element state", message)
    }

    pub(crate) fn crashed(bundle: &str) -> Failure {
        let message = format!("The application under test with bundle id '{bundle}' is not running, possibly crashed");
        Failure::invalid_state(message)
    }

    pub(crate) fn not_visible(message: impl Into<String>) -> Failure {
        Failure::new(400, "element not visible", message)
    }

    pub(crate) fn no_alert() -> Failure {
        Failure::new(404, "no such alert", "An attempt was made to operate on a modal dialog when one was not open")
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Failure {
        Failure::new(500, "unsupported operation", message)
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Failure {
        Failure::new(500, "unknown error", message)
    }

    /// An error of the server's own kind around a text, as most of them look.
    pub(crate) fn unknown_domain(text: &str) -> Failure {
        Failure::unknown(format!(
            "Error Domain=com.facebook.WebDriverAgent Code=1 \"{text}\" UserInfo={{NSLocalizedDescription={text}}}"
        ))
    }

    /// Why an app could not be brought to the front, in the words of the system.
    pub(crate) fn launch_text(bundle: &str, error: &driver_api::Error) -> String {
        let reason = match error.kind {
            ErrorKind::Locked => "Unable to launch because the device was not, or could not be, unlocked. \
                 (FBSOpenApplicationErrorDomain Code=7 BSErrorCodeDescription=Locked)"
                .to_owned(),
            ErrorKind::AppNotFound | ErrorKind::InvalidArgument => format!(
                "Application info provider (FBSApplicationLibrary) returned nil for \"{bundle}\" \
                 (FBSOpenApplicationServiceErrorDomain Code=4 BSErrorCodeDescription=NotFound)"
            ),
            _ => error.message.clone(),
        };
        format!(
            "Error Domain=FBSOpenApplicationServiceErrorDomain Code=1 \"The request to open \\\"{bundle}\\\" failed.\" \
             UserInfo={{NSLocalizedFailureReason={reason}}}"
        )
    }
}
