//! Apps: which is in front, which run, starting and ending them.
//!
//! It knows how an app is named and how long one may take to come to the front. It cannot see what is installed: the phone
//! does not tell that on this way.

use crate::{
    error::{Fault, Purpose},
    names,
    session::{SHORT, Session},
};
use driver_api::{App, AppEntry, AppList, Error, ErrorKind, Launch, Result};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the phone may take to start an app.
const LAUNCH: Duration = Duration::from_secs(60);
/// How long an app may take from there until it is in front.
const FRONT: Duration = Duration::from_secs(15);
/// How often to look.
const STEP: Duration = Duration::from_millis(250);
/// So often in a row an app that was started may be said not to run before it counts as ended: the phone's knowledge lags.
const GONE: u32 = 4;
/// The home screen's own app.
const SPRINGBOARD: &str = "com.apple.springboard";

/// Starts an app, or brings it to the front.
pub(crate) async fn launch(session: &Session, launch: Launch) -> Result<App> {
    let app = resolve(session, &launch.app)?;
    // A locked phone lets a launch hang, or fail with words about anything else.
    match session.get_plain("/wda/locked", SHORT).await {
        Ok(Value::Bool(true)) => return Err(Error::new(ErrorKind::Locked, "the iPhone is locked")),
        Ok(_) | Err(Fault::Refused(_)) => {}
        Err(fault) => return Err(fault.into_error(Purpose::Look)),
    }
    if launch.fresh || !launch.arguments.is_empty() {
        // An app that is not there yet cannot be ended; the launch tells.
        match session.post("/wda/apps/terminate", &json!({"bundleId": app.id}), SHORT).await {
            Ok(_) | Err(Fault::Refused(_)) => {}
            Err(fault) => return Err(fault.into_error(Purpose::App)),
        }
    }
    let body = json!({
        "bundleId": app.id,
        "arguments": launch.arguments,
        "environment": {},
        "shouldWaitForQuiescence": false,
    });
    session.post("/wda/apps/launch", &body, LAUNCH).await.map_err(|fault| fault.into_error(Purpose::App))?;
    session.app_changed();
    in_front(session, &app.id).await?;
    Ok(app)
}

/// Waits until the app is in front.
async fn in_front(session: &Session, id: &str) -> Result<()> {
    let until = Instant::now() + crate::http::within(FRONT);
    let mut gone = 0;
    loop {
        match state(session, id).await.map_err(|fault| after_launch(fault.into_error(Purpose::App)))? {
            State::Front => return Ok(()),
            State::Gone => gone += 1,
            State::Elsewhere => gone = 0,
        }
        if gone >= GONE {
            return Err(after_launch(Error::new(ErrorKind::AppCrashed, "the app started and ended by itself")));
        }
        if Instant::now() + STEP > until {
            let message = "the app was started, but did not come to the front in time";
            return Err(Error::unknown(ErrorKind::Timeout, message));
        }
        sleep(STEP).await;
    }
}

/// The launch itself took place, whatever came after it.
fn after_launch(error: Error) -> Error {
    error.with_outcome(driver_api::Outcome::Unknown)
}

enum State {
    Front,
    Elsewhere,
    Gone,
}

async fn state(session: &Session, id: &str) -> Result<State, Fault> {
    match session.post("/wda/apps/state", &json!({"bundleId": id}), SHORT).await {
        Ok(value) => Ok(match value.as_u64() {
            Some(4) => State::Front,
            Some(0 | 1) => State::Gone,
            _ => State::Elsewhere,
        }),
        Err(Fault::Refused(refusal)) if refusal.is_unknown_command() => {
            let info = session.get_plain("/wda/activeAppInfo", SHORT).await?;
            let front = info.get("bundleId").and_then(Value::as_str) == Some(id);
            Ok(if front { State::Front } else { State::Elsewhere })
        }
        Err(fault) => Err(fault),
    }
}

/// Ends an app.
pub(crate) async fn terminate(session: &Session, app: &str) -> Result<bool> {
    let app = resolve(session, app)?;
    if app.id == SPRINGBOARD {
        return Err(Error::unsupported("the home screen cannot be ended"));
    }
    let ended = session.post("/wda/apps/terminate", &json!({"bundleId": app.id}), SHORT).await;
    let ended = ended.map_err(|fault| fault.into_error(Purpose::App))?;
    session.app_changed();
    Ok(ended.as_bool().unwrap_or(false))
}

/// The app that is meant: an id as it is, a name by the table or by what was seen.
fn resolve(session: &Session, app: &str) -> Result<App> {
    let app = app.trim();
    let seen = session.known().apps;
    if let Some(app) = seen.get(&app.to_lowercase()) {
        return Ok(app.clone());
    }
    if let Some(id) = names::id_of(app) {
        return Ok(App { id: id.to_owned(), name: names::name_of(id).map(str::to_owned) });
    }
    if is_bundle_id(app) {
        let name = names::name_of(app).map(str::to_owned);
        let name = name.or_else(|| seen.values().find(|known| known.id == app)?.name.clone());
        return Ok(App { id: app.to_owned(), name });
    }
    let message = format!("no app named \"{app}\" is known; give its bundle id, such as com.apple.Preferences");
    Err(Error::new(ErrorKind::AppNotFound, message))
}

fn is_bundle_id(text: &str) -> bool {
    text.contains('.') && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// The app in front.
pub(crate) async fn active(session: &Session) -> Result<App> {
    let info = session.get_plain("/wda/activeAppInfo", SHORT).await.map_err(|fault| fault.into_error(Purpose::Look))?;
    let text =
        |key: &str| info.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let id = text("bundleId")
        .ok_or_else(|| Error::new(ErrorKind::Other, "the iPhone did not tell which app is in front"))?;
    let name = text("name").or_else(|| names::name_of(&id).map(str::to_owned));
    let app = App { id, name };
    session.saw(&app);
    Ok(app)
}

/// The apps that run where they can be seen; the phone does not tell which are installed.
pub(crate) async fn list(session: &Session) -> Result<AppList> {
    let running = session.get("/wda/apps/list", SHORT).await.map_err(|fault| fault.into_error(Purpose::Look))?;
    let seen = session.known().apps;
    let mut apps: Vec<AppEntry> = Vec::new();
    for id in running.as_array().into_iter().flatten().filter_map(|app| app.get("bundleId")?.as_str()) {
        if id == "unknown" || id.is_empty() || apps.iter().any(|entry| entry.app.id == id) {
            continue;
        }
        let seen = seen.values().find(|app| app.id == id).and_then(|app| app.name.clone());
        let app = App { id: id.to_owned(), name: seen.or_else(|| names::name_of(id).map(str::to_owned)) };
        apps.push(AppEntry { app, running: Some(true) });
    }
    Ok(AppList { apps, complete: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names() {
        assert!(is_bundle_id("com.example.app-2"));
        for text in ["Settings", "Dr. Who", "com.example/../x", "com.example; ls"] {
            assert!(!is_bundle_id(text), "{text}");
        }
        assert_eq!(names::id_of("settings"), Some("com.apple.Preferences"));
        assert_eq!(names::name_of("com.apple.camera"), Some("Camera"));
    }
}
