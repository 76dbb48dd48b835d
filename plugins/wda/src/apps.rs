//! Apps: which is in front, which run, starting and ending them.
//!
//! It knows how an app is named and how long one may take to come to the front. What is installed only a phone on a cable
//! tells; of others it sees the apps that run.

use crate::{
    error::{Fault, Purpose},
    http::{Broken, within},
    names,
    session::{SHORT, Session},
};
use driver_api::{App, AppEntry, AppList, Error, ErrorKind, Launch, Result};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// How long the phone may take to start an app.
const LAUNCH: Duration = Duration::from_secs(60);
/// How long an app may take from there until it is in front.
const FRONT: Duration = Duration::from_secs(15);
/// How often to look.
const STEP: Duration = Duration::from_millis(250);
/// So often in a row an app that was started may be said not to run before it counts as ended: the phone's knowledge lags.
const GONE: u32 = 4;
/// How long a phone that did not tell its apps is not asked again.
const UNTOLD: Duration = Duration::from_secs(60);
/// The home screen's own app.
pub(crate) const SPRINGBOARD: &str = "com.apple.springboard";

/// Starts an app, or brings it to the front.
pub(crate) async fn launch(session: &Session, launch: Launch) -> Result<App> {
    let app = resolve(session, &launch.app).await?;
    // A locked phone lets a launch hang, or fail with words about anything else.
    match session.get_plain("/wda/locked", SHORT).await {
        Ok(Value::Bool(true)) => return Err(Error::new(ErrorKind::Locked, "the iPhone is locked")),
        Ok(_) | Err(Fault::Refused(_)) => {}
        Err(fault) => return Err(fault.into_error(Purpose::Look)),
    }
    let mut ended = false;
    if launch.fresh || !launch.arguments.is_empty() {
        // An app that is not there yet cannot be ended; the launch tells.
        match session.post("/wda/apps/terminate", &json!({"bundleId": app.id}), SHORT).await {
            Ok(was_running) => ended = was_running != Value::Bool(false),
            Err(Fault::Refused(_)) => {}
            Err(fault) => return Err(fault.into_error(Purpose::App)),
        }
    }
    let body = json!({
        "bundleId": app.id,
        "arguments": launch.arguments,
        "environment": {},
        "shouldWaitForQuiescence": false,
    });
    match session.post("/wda/apps/launch", &body, launch_limit()).await {
        Ok(_) => {}
        // Some never answer for an app that does not come to rest; it may be in front all the same.
        Err(Fault::Broken(Broken::Late)) => {
            tracing::debug!(app = app.id, "no answer to a launch; looking what became of it")
        }
        Err(fault) => {
            let error = fault.into_error(Purpose::App);
            // Something happened all the same to an app that ran before.
            return Err(if ended { after_launch(error) } else { error });
        }
    }
    in_front(session, &app.id).await?;
    session.saw_in_front(&app);
    Ok(app)
}

/// Leaves time to look what became of a launch that is not answered.
fn launch_limit() -> Duration {
    within(LAUNCH).mul_f64(0.7)
}

/// Waits until the app is in front.
async fn in_front(session: &Session, id: &str) -> Result<()> {
    let until = Instant::now() + within(FRONT);
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
            let front = in_front_now(session).await?;
            Ok(if front.is_some_and(|app| app.id == id) { State::Front } else { State::Elsewhere })
        }
        Err(fault) => Err(fault),
    }
}

/// Ends an app.
pub(crate) async fn terminate(session: &Session, app: &str) -> Result<bool> {
    let app = resolve(session, app).await?;
    if app.id == SPRINGBOARD {
        return Err(Error::unsupported("the home screen cannot be ended"));
    }
    let ended = session.post("/wda/apps/terminate", &json!({"bundleId": app.id}), SHORT).await;
    let ended = ended.map_err(|fault| fault.into_error(Purpose::App))?;
    Ok(ended.as_bool().unwrap_or(false))
}

/// The app that is meant: an id as it is, a name by what is installed, by what was seen, or by the table.
async fn resolve(session: &Session, app: &str) -> Result<App> {
    let app = app.trim();
    if let Some(known) = installed(session, false).await {
        if let Some(app) = among(&known, app) {
            return Ok(app);
        }
        // It may have been installed since.
        if let Some(app) = installed(session, true).await.and_then(|installed| among(&installed, app)) {
            return Ok(app);
        }
        // The home screen and the automation program itself are apps that no list has.
        if !is_bundle_id(app) {
            let message = format!("no app named \"{app}\" is installed on the iPhone");
            return Err(Error::new(ErrorKind::AppNotFound, message));
        }
    }
    // An app can call itself what it likes, such as Settings.
    if let Some(id) = names::id_of(app) {
        return Ok(App { id: id.to_owned(), name: names::name_of(id).map(str::to_owned) });
    }
    let seen = session.known().apps;
    if let Some(app) = seen.get(&app.to_lowercase()) {
        return Ok(app.clone());
    }
    if is_bundle_id(app) {
        let name = names::name_of(app).map(str::to_owned);
        let name = name.or_else(|| seen.values().find(|known| known.id == app)?.name.clone());
        return Ok(App { id: app.to_owned(), name });
    }
    let message = format!("no app named \"{app}\" is known; give its bundle id, such as com.apple.Preferences");
    Err(Error::new(ErrorKind::AppNotFound, message))
}

/// The app with this id or name, whatever its case; the phone's own language comes before English.
fn among(installed: &[App], app: &str) -> Option<App> {
    let named = |known: &&App| known.name.as_deref().is_some_and(|name| name.to_lowercase() == app.to_lowercase());
    let by_id = |id: &str| installed.iter().find(|known| known.id == id);
    by_id(app).or_else(|| installed.iter().find(named)).or_else(|| by_id(names::id_of(app)?)).cloned()
}

/// The apps that are installed, where the phone tells: it must hang on a cable and trust this computer.
async fn installed(session: &Session, afresh: bool) -> Option<Arc<Vec<App>>> {
    let cable = session.cable()?;
    match session.known().installed {
        Some((_, Some(installed))) if !afresh => return Some(installed),
        // A phone that did not tell is not asked by every launch.
        Some((asked, None)) if asked.elapsed() < UNTOLD => return None,
        _ => {}
    }
    let told = cable.apps().await.map(Arc::new);
    if let Err(unavailable) = &told {
        tracing::info!(why = %unavailable, "the phone does not tell which apps are installed; those that run are listed");
    }
    let told = told.ok();
    session.learn(|known| known.installed = Some((Instant::now(), told.clone())));
    told
}

fn is_bundle_id(text: &str) -> bool {
    text.contains('.') && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// The app in front.
pub(crate) async fn active(session: &Session) -> Result<App> {
    let app = in_front_now(session).await.map_err(|fault| fault.into_error(Purpose::Look))?;
    let app = app.ok_or_else(|| Error::new(ErrorKind::Other, "the iPhone did not tell which app is in front"))?;
    session.saw_in_front(&app);
    Ok(app)
}

/// The app that the phone says is in front; `None` where it does not say.
async fn in_front_now(session: &Session) -> Result<Option<App>, Fault> {
    let info = session.get_plain("/wda/activeAppInfo", SHORT).await?;
    let text =
        |key: &str| info.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned);
    Ok(text("bundleId").map(|id| App { name: text("name").or_else(|| names::name_of(&id).map(str::to_owned)), id }))
}

/// The apps that are installed, or those that run where the phone tells no more.
pub(crate) async fn list(session: &Session) -> Result<AppList> {
    let running = session.get("/wda/apps/list", SHORT).await.map_err(|fault| fault.into_error(Purpose::Look))?;
    let running = running.as_array().into_iter().flatten().filter_map(|app| app.get("bundleId")?.as_str());
    let running: BTreeSet<&str> = running.filter(|id| !id.is_empty() && *id != "unknown").collect();
    if let Some(apps) = installed(session, true).await {
        let entry =
            |app: &App| AppEntry { app: app.clone(), running: running.contains(app.id.as_str()).then_some(true) };
        return Ok(AppList { apps: apps.iter().map(entry).collect(), complete: true });
    }
    let seen = session.known().apps;
    let entry = |id: &str| {
        let name = seen.values().find(|app| app.id == id).and_then(|app| app.name.clone());
        let name = name.or_else(|| names::name_of(id).map(str::to_owned));
        AppEntry { app: App { id: id.to_owned(), name }, running: Some(true) }
    };
    Ok(AppList { apps: running.into_iter().map(entry).collect(), complete: false })
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
