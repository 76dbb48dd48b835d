//! One session on one phone: made at connect, kept, made anew when the phone says that it is gone.
//!
//! It knows how a session comes about and which settings it needs, and sends the commands of the other modules through it.
//! It does not know what they do, and it repeats a command only when the phone itself said that it did not run.

use crate::{
    envelope::{self, Reply},
    error::{Fault, Purpose},
    http::{Answer, Broken, Http},
    options::Address,
};
use driver_api::{App, Error, ErrorKind, Result};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long the phone may take to say that it is there.
const STATUS: Duration = Duration::from_secs(3);
/// How long it may take to prepare itself.
const SESSION: Duration = Duration::from_secs(60);
/// How long a command that the phone should answer at once may take. The host sets each operation's limit and comes first;
/// this is for those that it gives more time.
pub(crate) const SHORT: Duration = Duration::from_secs(25);
/// How deep trees are asked for at first.
pub(crate) const DEPTH: u32 = 50;

/// What is kept while connected, and forgotten afterwards.
#[derive(Debug)]
pub(crate) struct Session {
    http: Http,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    id: String,
    known: Known,
}

/// What was learned of the phone and its server since connect.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// How a touch is sent; a later way is for older servers.
    pub(crate) touch: Touch,
    /// Whether moves have to be sent the old way.
    pub(crate) plain_moves: bool,
    /// Whether trees have to be asked for as XML.
    pub(crate) xml: bool,
    /// How deep trees are asked for: less than at first for an app whose tree the phone failed at.
    pub(crate) depth: u32,
    /// The depth that the phone was last told.
    pub(crate) applied_depth: u32,
    /// Whether the server can tell the two landscapes apart.
    pub(crate) exact_orientation: bool,
    /// Pixels for a point.
    pub(crate) scale: Option<f64>,
    /// Version of the phone's system.
    pub(crate) os_version: Option<String>,
    /// Apps that were seen, by the name in lower case.
    pub(crate) apps: HashMap<String, App>,
}

impl Default for Known {
    fn default() -> Self {
        Known {
            touch: Touch::Actions,
            plain_moves: false,
            xml: false,
            depth: DEPTH,
            applied_depth: 0,
            exact_orientation: true,
            scale: None,
            os_version: None,
            apps: HashMap::new(),
        }
    }
}

/// The ways to send a touch, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// As a sequence of finger actions.
    Actions,
    /// As one command.
    Tap,
    /// As one command of the oldest servers.
    TapZero,
}

impl Session {
    /// Finds the phone, takes it over, prepares it.
    pub(crate) async fn connect(address: &Address) -> Result<Session> {
        let http = Http::new(address)?;
        let status = status(&http).await?;
        let session = Session { http, state: Mutex::default() };
        session.state().known.os_version = status.pointer("/os/version").and_then(Value::as_str).map(str::to_owned);
        session.begin().await.map_err(|fault| fault.into_error(Purpose::Connect))?;
        // Both only inform; a phone that refuses them can be used all the same.
        for path in ["/window/size", "/wda/screen"] {
            match session.get(path, SHORT).await {
                Ok(value) => {
                    if let Some(scale) = value.get("scale").and_then(Value::as_f64).filter(|scale| *scale > 0.0) {
                        session.state().known.scale = Some(scale);
                    }
                }
                Err(Fault::Refused(refusal)) => tracing::debug!(path, name = refusal.name, "not told by this phone"),
                Err(fault) => return Err(fault.into_error(Purpose::Connect)),
            }
        }
        Ok(session)
    }

    /// Ends it on the phone as well as that goes.
    pub(crate) async fn end(&self) {
        let path = format!("/session/{}", self.state().id);
        if let Err(broken) = self.http.send(Method::DELETE, &path, None, Duration::from_secs(5)).await {
            tracing::debug!(?broken, "the phone was not told that the connection ends");
        }
    }

    /// What is known now.
    pub(crate) fn known(&self) -> Known {
        self.state().known.clone()
    }

    /// Remembers something for as long as the phone is connected.
    pub(crate) fn learn(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.state().known);
    }

    /// Remembers an app by its name.
    pub(crate) fn saw(&self, app: &App) {
        if let Some(name) = &app.name {
            self.learn(|known| drop(known.apps.insert(name.to_lowercase(), app.clone())));
        }
    }

    /// Another app is in front now, which may allow for deeper trees.
    pub(crate) fn app_changed(&self) {
        self.learn(|known| known.depth = DEPTH);
    }

    /// Reads, with the session.
    pub(crate) async fn get(&self, path: &str, limit: Duration) -> Result<Value, Fault> {
        self.command(Method::GET, path, None, limit).await
    }

    /// Acts, with the session.
    pub(crate) async fn post(&self, path: &str, body: &Value, limit: Duration) -> Result<Value, Fault> {
        self.command(Method::POST, path, Some(body), limit).await
    }

    /// Reads without the session, which survives its loss.
    pub(crate) async fn get_plain(&self, path: &str, limit: Duration) -> Result<Value, Fault> {
        let answer = self.http.send(Method::GET, path, None, limit).await?;
        opened(&answer).map(|reply| reply.value)
    }

    /// Acts without the session, which survives its loss.
    pub(crate) async fn post_plain(&self, path: &str, body: &Value, limit: Duration) -> Result<Value, Fault> {
        let answer = self.http.send(Method::POST, path, Some(body), limit).await?;
        opened(&answer).map(|reply| reply.value)
    }

    /// Reads something large, whose bytes are for the caller, even if only a part arrived.
    pub(crate) async fn get_bytes(&self, path: &str, limit: Duration) -> Result<Answer, Fault> {
        let mut answer = self.send(Method::GET, path, None, limit).await?;
        if let Some(refusal) = refusal(&answer) {
            if !refusal.session_is_gone() {
                return Err(Fault::Refused(refusal));
            }
            self.begin().await.map_err(|fault| Fault::Unprepared(Box::new(fault)))?;
            answer = self.send(Method::GET, path, None, limit).await?;
            if let Some(refusal) = self::refusal(&answer) {
                return Err(Fault::Refused(refusal));
            }
        }
        Ok(answer)
    }

    /// Applies the settings, with trees as deep as is known now.
    pub(crate) async fn apply_settings(&self) -> Result<(), Fault> {
        let (path, depth) = (self.path("/appium/settings"), self.known().depth);
        self.learn(|known| known.applied_depth = depth);
        let settings = json!({"settings": {
            "animationCoolOffTimeout": 0,
            "snapshotMaxDepth": depth,
            "useFirstMatch": true,
            "respectSystemAlerts": false,
        }});
        match self.post_plain(&path, &settings, SHORT).await {
            // Servers without settings work with their own.
            Err(Fault::Refused(refusal)) if !refusal.session_is_gone() => {
                tracing::debug!(name = refusal.name, "the phone took no settings");
                Ok(())
            }
            other => other.map(drop),
        }
    }

    async fn command(&self, method: Method, path: &str, body: Option<&Value>, limit: Duration) -> Result<Value, Fault> {
        let answer = self.send(method.clone(), path, body, limit).await?;
        match opened(&answer) {
            Err(Fault::Refused(refusal)) if refusal.session_is_gone() => {
                tracing::info!("the phone's session was taken over or lost; it is made anew");
                self.begin().await.map_err(|fault| Fault::Unprepared(Box::new(fault)))?;
                let answer = self.send(method, path, body, limit).await?;
                opened(&answer).map(|reply| reply.value)
            }
            other => other.map(|reply| reply.value),
        }
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>, limit: Duration) -> Result<Answer, Fault> {
        Ok(self.http.send(method, &self.path(path), body, limit).await?)
    }

    /// Makes a session, which ends whatever session the phone had, and prepares it. A failure means that the command for
    /// which it was made was not sent.
    async fn begin(&self) -> Result<(), Fault> {
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "shouldWaitForQuiescence": false,
            "waitForIdleTimeout": 0,
            "shouldTerminateApp": false,
        }}});
        let answer = self.http.send(Method::POST, "/session", Some(&wanted), SESSION).await?;
        let reply = opened(&answer)?;
        let id = reply.value.get("sessionId").and_then(Value::as_str).map(str::to_owned).or(reply.session);
        self.state().id = id.filter(|id| is_id(id)).ok_or(Fault::Foreign)?;
        self.apply_settings().await
    }

    fn path(&self, path: &str) -> String {
        format!("/session/{}{path}", self.state().id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the phone answers at all.
pub(crate) async fn probe(address: &Address) -> Result<()> {
    status(&Http::for_probes(address)?).await.map(drop)
}

/// What the phone says of itself. Any answer with a value counts: its shape changed too often.
async fn status(http: &Http) -> Result<Value> {
    let answer = http.send(Method::GET, "/status", None, STATUS).await.and_then(|answer| match answer.whole {
        true => Ok(answer),
        false => Err(Broken::Lost),
    });
    match answer {
        Ok(answer) => match envelope::open(&answer) {
            Some(Ok(reply)) => Ok(reply.value),
            Some(Err(refusal)) if !answer.is_success() && refusal.is_unknown_command() => {
                Err(Fault::Foreign.into_error(Purpose::Connect))
            }
            Some(Err(refusal)) => Err(Fault::Refused(refusal).into_error(Purpose::Connect)),
            None => Err(Fault::Foreign.into_error(Purpose::Connect)),
        },
        // A forwarder takes the connection and drops it when nothing listens on the phone.
        Err(Broken::Lost) => Err(Error::new(
            ErrorKind::HelperNotRunning,
            "the iPhone's address takes connections but does not answer; start the automation program on the phone",
        )),
        Err(Broken::Late) => Err(Error::new(ErrorKind::Timeout, "the iPhone did not answer in time")),
        Err(broken) => Err(Fault::Broken(broken).into_error(Purpose::Connect)),
    }
}

/// An id goes into paths, so it must not change them.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn opened(answer: &Answer) -> Result<Reply, Fault> {
    if !answer.whole {
        return Err(Fault::Broken(Broken::Lost));
    }
    match envelope::open(answer) {
        Some(Ok(reply)) => Ok(reply),
        Some(Err(refusal)) => Err(Fault::Refused(refusal)),
        None => Err(Fault::Foreign),
    }
}

/// The refusal in an answer whose value is not looked at: a small one, or one with a bad status.
fn refusal(answer: &Answer) -> Option<crate::envelope::Refusal> {
    /// No refusal is larger, stack trace and all; a tree of this size is worth no second look.
    const SMALL: usize = 64 << 10;
    if answer.is_success() && (answer.body.len() > SMALL || !answer.whole) {
        return None;
    }
    envelope::open(answer).and_then(Result::err)
}
