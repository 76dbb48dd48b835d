//! One session on one phone: made at connect, kept, made anew when the phone says that it is gone.
//!
//! It knows how a session comes about and which settings it needs, and sends the commands of the other modules through it.
//! It does not know what they do, and it repeats a command only when the phone itself said that it did not run.

use crate::{
    envelope::{self, Refusal, Reply},
    error::{Fault, Purpose},
    habits::DEPTH,
    http::{Answer, Broken, Http, Method, within},
    phone::Phone,
    screen,
    usb::Cable,
};
use driver_api::{App, Error, ErrorKind, Result};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// How long the phone may take to say that it is there.
const STATUS: Duration = Duration::from_secs(3);
/// How long it may take to prepare itself, …
const SESSION: Duration = Duration::from_secs(60);
/// … and after which part of that it is asked once more: some wait for ever for an app to come to rest, once.
const AGAIN: f64 = 0.4;
/// How long a phone that answers may be unable to do anything, and how often it is tried.
const WARM_UP: (Duration, Duration) = (Duration::from_secs(5), Duration::from_millis(250));
/// How long a command that the phone should answer at once may take. The host sets each operation's limit and comes first;
/// this is for those that it gives more time.
pub(crate) const SHORT: Duration = Duration::from_secs(25);
/// How many names of apps are remembered.
const NAMES: usize = 256;

/// What is kept while connected, and forgotten afterwards.
#[derive(Debug)]
pub(crate) struct Session {
    phone: Arc<Phone>,
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
    /// The app that was last seen in front, by its id.
    pub(crate) front: Option<String>,
    /// The depth that the phone was last told.
    pub(crate) applied_depth: u32,
    /// Until when the phone is spared another tree.
    pub(crate) tree_rest: Option<Instant>,
    /// Whether the server can tell the two landscapes apart.
    pub(crate) exact_orientation: bool,
    /// Pixels for a point: as the phone says, until a picture shows how many there are.
    pub(crate) scale: Option<f64>,
    /// Width and height in points, as the phone last said.
    pub(crate) size: Option<(f64, f64)>,
    /// The automation program as an app, by its id.
    pub(crate) agent: Option<String>,
    /// Version of the phone's system.
    pub(crate) os_version: Option<String>,
    /// Apps that were seen, by the name in lower case.
    pub(crate) apps: HashMap<String, App>,
    /// The apps that are installed, as the phone told, or that it did not tell; and when that was.
    pub(crate) installed: Option<(Instant, Option<Arc<Vec<App>>>)>,
}

impl Default for Known {
    fn default() -> Self {
        Known {
            touch: Touch::Actions,
            plain_moves: false,
            xml: false,
            front: None,
            applied_depth: 0,
            tree_rest: None,
            exact_orientation: true,
            scale: None,
            size: None,
            agent: None,
            os_version: None,
            apps: HashMap::new(),
            installed: None,
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
    pub(crate) async fn connect(phone: &Arc<Phone>) -> Result<Session> {
        let http = Http::new(phone.agent());
        let status = status(&http, phone).await?;
        let session = Session { phone: phone.clone(), http, state: Mutex::default() };
        let told = |place: &str| status.value.pointer(place).and_then(Value::as_str).map(str::to_owned);
        session.learn(|known| {
            known.os_version = told("/os/version");
            known.agent = told("/build/productBundleIdentifier");
        });
        session.begin().await.map_err(|fault| fault.into_error(Purpose::Connect))?;
        session.warm_up().await?;
        // It only informs; a phone that refuses it can be used all the same.
        match session.get("/wda/screen", SHORT).await {
            Ok(value) => {
                if let Some(scale) = value.get("scale").and_then(Value::as_f64).filter(|scale| *scale > 0.0) {
                    session.state().known.scale = Some(scale);
                }
            }
            Err(Fault::Refused(refusal)) => tracing::debug!(name = refusal.name, "the scale is not told by this phone"),
            Err(fault) => return Err(fault.into_error(Purpose::Connect)),
        }
        Ok(session)
    }

    /// Waits until the phone carries out a command that needs all of it: some answer before they can do anything.
    async fn warm_up(&self) -> Result<()> {
        let until = Instant::now() + within(WARM_UP.0);
        loop {
            match self.get("/window/size", SHORT).await {
                Ok(size) => {
                    screen::learn_size(self, &size);
                    return Ok(());
                }
                // This server does not have the command, which says as much as an answer to it.
                Err(Fault::Refused(refusal)) if refusal.is_unknown_command() => return Ok(()),
                Err(Fault::Refused(refusal)) => {
                    tracing::debug!(name = refusal.name, "the phone answers, but does nothing yet");
                    if Instant::now() + WARM_UP.1 > until {
                        return Err(Error::new(
                            ErrorKind::HelperNotRunning,
                            "the iPhone's automation program answers, but carries out no command; start it again",
                        ));
                    }
                    sleep(WARM_UP.1).await;
                }
                Err(fault) => return Err(fault.into_error(Purpose::Connect)),
            }
        }
    }

    /// Ends it on the phone as well as that goes.
    pub(crate) async fn end(&self) {
        let id = self.state().id.clone();
        self.delete(&id).await;
    }

    /// What is known now.
    pub(crate) fn known(&self) -> Known {
        self.state().known.clone()
    }

    /// Remembers something for as long as the phone is connected.
    pub(crate) fn learn(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.state().known);
    }

    /// Remembers the app that is in front, and its name.
    pub(crate) fn saw_in_front(&self, app: &App) {
        self.learn(|known| {
            known.front = Some(app.id.clone());
            if let Some(name) = app.name.as_ref().filter(|_| known.apps.len() < NAMES) {
                known.apps.insert(name.to_lowercase(), app.clone());
            }
        });
    }

    /// Whether the phone is reached by cable now.
    pub(crate) fn is_by_cable(&self) -> bool {
        self.cable().is_some()
    }

    /// The way to the phone's own services, while it is on a cable.
    pub(crate) fn cable(&self) -> Option<&Cable> {
        self.phone.cable().filter(|cable| cable.is_plugged())
    }

    /// Tells the operator what happened to the phone.
    pub(crate) fn notice(&self, what: &str) {
        self.phone.notice(what);
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
            self.renew(&refusal).await?;
            answer = self.send(Method::GET, path, None, limit).await?;
            if let Some(refusal) = self::refusal(&answer) {
                return Err(Fault::Refused(refusal));
            }
        }
        Ok(answer)
    }

    /// From now on trees have this depth.
    pub(crate) async fn apply_depth(&self, depth: u32) -> Result<(), Fault> {
        let applied = self.post("/appium/settings", &settings(depth), SHORT).await;
        self.applied(depth, applied.map(drop))
    }

    fn applied(&self, depth: u32, applied: Result<(), Fault>) -> Result<(), Fault> {
        match applied {
            // Servers without settings work with their own.
            Err(Fault::Refused(refusal)) if !refusal.session_is_gone() => {
                tracing::debug!(name = refusal.name, "the phone took no settings");
            }
            applied => applied?,
        }
        self.learn(|known| known.applied_depth = depth);
        Ok(())
    }

    async fn command(&self, method: Method, path: &str, body: Option<&Value>, limit: Duration) -> Result<Value, Fault> {
        let answer = self.send(method.clone(), path, body, limit).await?;
        match opened(&answer) {
            Err(Fault::Refused(refusal)) if refusal.session_is_gone() => {
                self.renew(&refusal).await?;
                let answer = self.send(method, path, body, limit).await?;
                opened(&answer).map(|reply| reply.value)
            }
            other => other.map(|reply| reply.value),
        }
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>, limit: Duration) -> Result<Answer, Fault> {
        Ok(self.http.send(method, &self.path(path), body, limit).await?)
    }

    /// Makes the session anew after the phone said that it is gone.
    async fn renew(&self, refusal: &Refusal) -> Result<(), Fault> {
        let ours = self.state().id.clone();
        match &refusal.active {
            Some(active) if *active != ours => self.notice(
                "another program took over this iPhone; it was taken back, and the two will disturb each other until one of them stops",
            ),
            _ => tracing::info!("the phone's session was lost; it is made anew"),
        }
        self.begin().await.map_err(|fault| Fault::Unprepared(Box::new(fault)))
    }

    /// Makes a session, which ends whatever session the phone had, and prepares it. A failure means that the command for
    /// which it was made was not sent.
    async fn begin(&self) -> Result<(), Fault> {
        let reply = match self.create(within(SESSION).mul_f64(AGAIN)).await {
            Err(Fault::Broken(Broken::Late)) => self.create(SESSION).await?,
            // Some hold on to the session of a program that is gone.
            Err(Fault::Refused(refusal)) if refusal.name == "session not created" => {
                match self.orphan(&refusal).await {
                    Some(orphan) => {
                        self.delete(&orphan).await;
                        self.create(SESSION).await?
                    }
                    None => return Err(Fault::Refused(refusal)),
                }
            }
            created => created?,
        };
        let id = reply.value.get("sessionId").and_then(Value::as_str).map(str::to_owned).or(reply.session);
        self.state().id = id.filter(|id| is_id(id)).ok_or(Fault::Foreign)?;
        // A session knows nothing of the one before it.
        let depth = match self.known().applied_depth {
            0 => DEPTH,
            depth => depth,
        };
        let applied = self.post_plain(&self.path("/appium/settings"), &settings(depth), SHORT).await;
        self.applied(depth, applied.map(drop))
    }

    async fn create(&self, limit: Duration) -> Result<Reply, Fault> {
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "shouldWaitForQuiescence": false,
            "waitForIdleTimeout": 0,
            "shouldTerminateApp": false,
        }}});
        opened(&self.http.send(Method::POST, "/session", Some(&wanted), limit).await?)
    }

    /// The session that stands in the way of a new one.
    async fn orphan(&self, refusal: &Refusal) -> Option<String> {
        let active = match refusal.active.clone() {
            Some(active) => Some(active),
            None => status(&self.http, &self.phone).await.ok().and_then(|reply| reply.session),
        };
        active.filter(|id| is_id(id))
    }

    async fn delete(&self, id: &str) {
        if let Err(broken) =
            self.http.send(Method::DELETE, &format!("/session/{id}"), None, Duration::from_secs(5)).await
        {
            tracing::debug!(?broken, "a session could not be ended");
        }
    }

    fn path(&self, path: &str) -> String {
        format!("/session/{}{path}", self.state().id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn settings(depth: u32) -> Value {
    json!({"settings": {
        "animationCoolOffTimeout": 0,
        "snapshotMaxDepth": depth,
        "useFirstMatch": true,
        "respectSystemAlerts": false,
        // Pictures of the stream are turned the way a person sees them, as screenshots are.
        "mjpegFixOrientation": true,
    }})
}

/// Whether the phone answers at all. On a connection of its own, so that no command can be in its way.
pub(crate) async fn probe(phone: &Phone) -> Result<()> {
    status(&Http::new(phone.agent()), phone).await.map(drop)
}

/// What the phone says of itself. Any answer with a value counts: its shape changed too often.
async fn status(http: &Http, phone: &Phone) -> Result<Reply> {
    let answer = http.send(Method::GET, "/status", None, STATUS).await.and_then(|answer| match answer.whole {
        true => Ok(answer),
        false => Err(Broken::Lost),
    });
    match answer {
        Ok(answer) => match envelope::open(&answer) {
            Some(Ok(reply)) => Ok(reply),
            Some(Err(refusal)) if !answer.is_success() && refusal.is_unknown_command() => {
                Err(Fault::Foreign.into_error(Purpose::Connect))
            }
            Some(Err(refusal)) => Err(Fault::Refused(refusal).into_error(Purpose::Connect)),
            None => Err(Fault::Foreign.into_error(Purpose::Connect)),
        },
        Err(broken) => Err(phone.unusable(broken).await),
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
fn refusal(answer: &Answer) -> Option<Refusal> {
    /// No refusal is larger, stack trace and all; a tree of this size is worth no second look.
    const SMALL: usize = 64 << 10;
    if answer.is_success() && (answer.body.len() > SMALL || !answer.whole) {
        return None;
    }
    envelope::open(answer).and_then(Result::err)
}
