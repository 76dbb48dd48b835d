//! The device apart from screen and apps: lock, buttons, alerts, keyboard, URLs, what it says of itself.
//!
//! It knows one command for each of these, and what the phone cannot do.

use crate::{
    error::{Fault, Purpose},
    session::{SHORT, Session},
    text,
    usb::Cable,
};
use driver_api::{Alert, Button, DeviceState, Error, ErrorKind, Result};
use serde_json::{Value, json};

/// Goes to the home screen.
pub(crate) async fn home(session: &Session) -> Result<()> {
    act(session.post_plain("/wda/homescreen", &json!({}), SHORT).await, Purpose::Act)
}

/// Locks the phone.
pub(crate) async fn lock(session: &Session) -> Result<()> {
    act(session.post_plain("/wda/lock", &json!({}), SHORT).await, Purpose::Lock)
}

/// Unlocks the phone; one that wants a passcode stays locked.
pub(crate) async fn unlock(session: &Session) -> Result<()> {
    if locked(session).await.map_err(|fault| fault.into_error(Purpose::Look))? == Some(false) {
        return Ok(());
    }
    match session.post_plain("/wda/unlock", &json!({}), SHORT).await {
        Err(Fault::Refused(refusal)) => {
            // Whatever the phone said, a phone that is still locked wants its passcode.
            if locked(session).await.ok().flatten() == Some(true) {
                return Err(Error::new(ErrorKind::Locked, "the iPhone did not unlock; it wants its passcode"));
            }
            Err(Fault::Refused(refusal).into_error(Purpose::Lock))
        }
        other => act(other, Purpose::Lock),
    }
}

/// Whether the phone is locked, where it tells.
async fn locked(session: &Session) -> Result<Option<bool>, Fault> {
    optional(session.get_plain("/wda/locked", SHORT).await).map(|value| value.and_then(|value| value.as_bool()))
}

/// Presses a button.
pub(crate) async fn press(session: &Session, button: Button) -> Result<()> {
    let name = match button {
        Button::VolumeUp => "volumeUp",
        Button::VolumeDown => "volumeDown",
        Button::Enter => return text::keys(session, "\n").await,
        Button::Back => {
            return Err(Error::unsupported(
                "an iPhone has no back button; tap the one on the screen or swipe from the left edge",
            ));
        }
        Button::AppSwitcher => return Err(Error::unsupported("an iPhone's app switcher cannot be opened by a button")),
    };
    act(session.post("/wda/pressButton", &json!({"name": name}), SHORT).await, Purpose::Act)
}

/// The alert in front.
pub(crate) async fn alert(session: &Session) -> Result<Option<Alert>> {
    let none = |fault: Fault| match fault {
        Fault::Refused(refusal) if refusal.name == "no such alert" => Ok(None),
        fault => Err(fault.into_error(Purpose::Look)),
    };
    let text = match session.get("/alert/text", SHORT).await {
        Ok(text) => text.as_str().unwrap_or_default().to_owned(),
        Err(fault) => return none(fault),
    };
    let buttons = match session.get("/wda/alert/buttons", SHORT).await {
        Ok(buttons) => buttons,
        Err(fault) => return none(fault),
    };
    let labels = buttons.as_array().into_iter().flatten().filter_map(Value::as_str);
    // A button without a label has no name by which it could be pressed; some servers write its kind instead.
    let buttons = labels.filter(|label| !label.is_empty() && !label.starts_with("XCUIElementType"));
    let buttons = buttons.map(str::to_owned).collect();
    Ok(Some(Alert { text, buttons }))
}

/// Presses the alert's button with this label.
pub(crate) async fn answer_alert(session: &Session, button: &str) -> Result<()> {
    act(session.post("/alert/accept", &json!({"name": button}), SHORT).await, Purpose::Alert)
}

/// Opens a URL with whatever app takes it.
pub(crate) async fn open_url(session: &Session, url: &str) -> Result<()> {
    act(session.post("/url", &json!({"url": url}), SHORT).await, Purpose::OpenUrl)
}

/// Hides the keyboard, by the keys that do nothing else. Return is not among them, whatever it is called: it could send a form.
pub(crate) async fn hide_keyboard(session: &Session) -> Result<()> {
    let body = json!({"keyNames": ["Hide keyboard", "Dismiss"]});
    act(session.post("/wda/keyboard/dismiss", &body, SHORT).await, Purpose::HideKeyboard)
}

/// What the phone says of itself. Each part may be missing.
pub(crate) async fn state(session: &Session) -> Result<DeviceState> {
    let look = |fault: Fault| fault.into_error(Purpose::Look);
    let info = optional(session.get_plain("/wda/device/info", SHORT).await).map_err(look)?;
    let battery = optional(session.get("/wda/batteryInfo", SHORT).await).map_err(look)?;
    let facts = session.cable().and_then(Cable::facts).unwrap_or_default();
    Ok(DeviceState {
        // Over the network the phone tells its kind only, such as iPhone.
        model: facts.model.or_else(|| info?.get("model")?.as_str().map(str::to_owned)),
        os_version: session.known().os_version.or(facts.os_version),
        locked: locked(session).await.map_err(look)?,
        // Below zero stands for unknown.
        battery: battery.and_then(|battery| battery.get("level")?.as_f64()).filter(|level| (0.0..=1.0).contains(level)),
    })
}

/// A refusal means that this phone does not tell.
fn optional(answer: Result<Value, Fault>) -> Result<Option<Value>, Fault> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(Fault::Refused(refusal)) => {
            tracing::debug!(name = refusal.name, "not told by this phone");
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

fn act(answer: Result<Value, Fault>, purpose: Purpose) -> Result<()> {
    answer.map(drop).map_err(|fault| fault.into_error(purpose))
}
