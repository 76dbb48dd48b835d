//! The clipboard, which an iPhone gives only to the app in front.
//!
//! It knows when the automation program has to come to the front for it, and brings back what was there. A phone that lets the
//! program reach the clipboard from behind, as simulators do, sees none of this.

use crate::{
    apps::{self, SPRINGBOARD},
    error::{Fault, Purpose},
    screen::{BASE64, decode},
    session::{SHORT, Session},
};
use base64::Engine;
use driver_api::{Error, ErrorKind, Outcome, Result};
use serde_json::{Value, json};

/// The automation program as an app, unless it says otherwise.
const AGENT: &str = "com.facebook.WebDriverAgentRunner";
/// What the system adds to the id of a program that carries tests.
const RUNNER: &str = ".xctrunner";

/// The text on the clipboard.
pub(crate) async fn read(session: &Session) -> Result<String> {
    match get(session).await {
        // What is empty from behind may only be hidden.
        Ok(text) if !text.is_empty() => Ok(text),
        Err(fault) if !matches!(fault, Fault::Refused(_)) => Err(clipboard_error(fault)),
        _ => in_front(session, async || get(session).await.map_err(clipboard_error)).await,
    }
    .map_err(|error| error.with_outcome(Outcome::NotDone))
}

/// Puts text on the clipboard, and looks whether it is there.
pub(crate) async fn write(session: &Session, text: &str) -> Result<()> {
    let put = async || -> Result<bool, Fault> {
        let body = json!({"content": BASE64.encode(text), "contentType": "plaintext"});
        session.post("/wda/setPasteboard", &body, SHORT).await?;
        Ok(get(session).await? == text)
    };
    match put().await {
        // That nothing is there would also be seen of a clipboard that is hidden.
        Ok(true) if !text.is_empty() => return Ok(()),
        Ok(_) | Err(Fault::Refused(_)) => {}
        Err(fault) => return Err(clipboard_error(fault)),
    }
    in_front(session, async || match put().await.map_err(clipboard_error)? {
        true => Ok(()),
        false => Err(Error::unknown(
            ErrorKind::Other,
            "the iPhone took the text for its clipboard, but does not have it there",
        )),
    })
    .await
}

async fn get(session: &Session) -> Result<String, Fault> {
    match session.post("/wda/getPasteboard", &json!({"contentType": "plaintext"}), SHORT).await? {
        Value::Null => Ok(String::new()),
        Value::String(text) => {
            let bytes = decode(text).ok_or(Fault::Foreign)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => Err(Fault::Foreign),
    }
}

/// Does something while the automation program is in front, and brings back what was there before.
async fn in_front<T>(session: &Session, work: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
    let before = apps::active(session).await?;
    let agent = session.known().agent.unwrap_or_else(|| AGENT.to_owned());
    let agent = if agent.ends_with(RUNNER) { agent } else { agent + RUNNER };
    match session.post("/wda/apps/activate", &json!({"bundleId": agent}), SHORT).await {
        Ok(_) => {}
        Err(Fault::Refused(refusal)) => {
            tracing::debug!(name = refusal.name, "the automation program does not come to the front");
            return Err(Error::unsupported(
                "the iPhone gives its clipboard only to the app in front, and its automation program could not be brought there",
            ));
        }
        Err(fault) => return Err(clipboard_error(fault)),
    }
    let done = work().await;
    let back = match before.id == SPRINGBOARD {
        true => session.post_plain("/wda/homescreen", &json!({}), SHORT).await,
        false => session.post("/wda/apps/activate", &json!({"bundleId": before.id}), SHORT).await,
    };
    match (done, back) {
        (Ok(value), Ok(_)) => Ok(value),
        (Ok(_), Err(fault)) => Err(clipboard_error(fault).with_outcome(Outcome::Done)),
        (Err(error), _) => Err(error),
    }
}

fn clipboard_error(fault: Fault) -> Error {
    match fault {
        Fault::Foreign => Error::new(ErrorKind::Other, "what the iPhone has on its clipboard cannot be read as text"),
        fault => fault.into_error(Purpose::Clipboard),
    }
}
