//! Waiting until the screen shows something, or stops changing.

mod watch;

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    context::{On, Target},
    declare::{Declaration, capability},
    look,
    sight::Shown,
};
use crate::{
    device::Feature,
    neutral::{App, Screen},
    perception::change::{Glance, Restless},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use watch::{Watch, Wish};

/// How long to wait unless the caller says.
const DEFAULT: Duration = Duration::from_secs(10);
/// The pause between two looks, which grows.
const FIRST_PAUSE: Duration = Duration::from_millis(150);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// The pause where only movement is looked for, which must not hide between two looks.
const SHORT_PAUSE: Duration = Duration::from_millis(90);
/// Less time than this is too short for another look.
const LEAST: Duration = Duration::from_millis(20);
/// How long nothing may move to be called idle. A clock and a caret are nothing.
const IDLE: Duration = Duration::from_millis(500);

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability(
        context,
        Declaration {
            name: "wait_for",
            title: "Wait",
            description: "Waits until a text is on the screen, is gone, an app is in front, the screen is idle, or it has changed since a frame. met tells whether it came about; if not, reason says what is there instead.",
            effect: Effect::Read,
            route: Route { method: Method::Post, path: "/devices/{device_id}/wait" },
        },
        wait_for,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct WaitFor {
    #[serde(flatten)]
    on: On,
    /// Text to appear.
    #[schemars(length(min = 1, max = 1000))]
    text: Option<String>,
    /// Text to vanish.
    #[schemars(length(min = 1, max = 1000))]
    gone: Option<String>,
    /// App id or name to be in front.
    #[schemars(length(min = 1, max = 200))]
    app: Option<String>,
    /// Until nothing moves.
    idle: Option<bool>,
    /// Until the screen differs.
    changed: Option<bool>,
    /// With changed: differs from this frame (default: from now).
    frame: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Waited {
    met: bool,
    waited_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

enum Condition {
    Text(Watch),
    App(String),
    Idle {
        last: Option<Glance>,
        since: Instant,
    },
    /// Since a frame with a tree.
    ChangedTree(u64),
    /// Since a frame with a picture; only its hash is known of an older one.
    ChangedPicture(u64, Option<Arc<Glance>>),
    /// Since the call, which has looked once.
    ChangedNow(Option<Glance>),
}

/// What one look told.
#[derive(Clone)]
struct Look {
    met: bool,
    shown: Option<Sighted>,
    reason: String,
}

/// What a look is remembered by, should it be the last.
#[derive(Clone)]
enum Sighted {
    Tree(Screen, u64),
    Picture(Glance),
}

impl Sighted {
    /// The frame of what was seen, where the screen is known.
    fn frame(self, context: &Context, target: &Target) -> Option<String> {
        match self {
            Sighted::Tree(screen, hash) => {
                Some(context.sights.frame(&target.device, screen, None, Shown::Tree(hash)).name())
            }
            Sighted::Picture(glance) => look::glance_frame(context, target, glance),
        }
    }
}

async fn wait_for(context: Arc<Context>, arguments: WaitFor, _: Caller) -> Result<Waited, Error> {
    let target = context.target_within(&arguments.on, DEFAULT)?;
    let started = Instant::now();
    let mut condition = condition(&context, &target, arguments)?;
    let watches = matches!(condition, Condition::Idle { .. } | Condition::ChangedNow(_));
    let (mut pause, longest) = if watches { (SHORT_PAUSE, SHORT_PAUSE) } else { (FIRST_PAUSE, LONGEST_PAUSE) };
    let frame = |look: &mut Look| look.shown.take().and_then(|shown| shown.frame(&context, &target));
    let mut last: Option<Look> = None;
    loop {
        match look(&context, &target, &mut condition).await {
            Ok(mut seen) if seen.met => {
                return Ok(Waited { met: true, waited_ms: millis(started), frame: frame(&mut seen), reason: None });
            }
            Ok(seen) => last = Some(seen),
            // A device that is slow to answer the last look has not failed: the time is simply over.
            Err(error) if error.code == super::Code::Timeout && last.is_some() => {}
            Err(error) => return Err(error),
        }
        let left = target.time_left();
        if left <= LEAST {
            let (frame, reason) = last.map_or((None, None), |mut last| (frame(&mut last), Some(last.reason)));
            return Ok(Waited { met: false, waited_ms: millis(started), frame, reason });
        }
        // The last look comes a little before the end, so that it has time to be made.
        tokio::time::sleep(pause.min(left.saturating_sub(LEAST))).await;
        pause = (pause * 3 / 2).min(longest);
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Whether arguments that fit the schema say what to wait for, for those who wait later.
///
/// # Errors
/// What the call would answer.
pub(super) fn check(arguments: &Map<String, Value>) -> Result<(), Error> {
    let set = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null() && *value != Value::Bool(false));
    if arguments.contains_key("frame") && !set("changed") {
        return Err(Error::invalid("frame goes with changed", "Pass changed: true with it, or leave frame out."));
    }
    let one = ["text", "gone", "app", "idle", "changed"].into_iter().filter(|name| arguments.contains_key(*name));
    match one.map(set).collect::<Vec<_>>()[..] {
        [true] => Ok(()),
        _ => Err(unclear()),
    }
}

fn unclear() -> Error {
    Error::invalid("the call does not say what to wait for", "Pass one of text, gone, app, idle: true, changed: true.")
}

fn condition(context: &Context, target: &Target, arguments: WaitFor) -> Result<Condition, Error> {
    let WaitFor { text, gone, app, idle, changed, frame, .. } = arguments;
    if frame.is_some() && changed != Some(true) {
        return Err(Error::invalid("frame goes with changed", "Pass changed: true with it, or leave frame out."));
    }
    match (text, gone, app, idle, changed) {
        (Some(text), None, None, None, None) => Ok(Condition::Text(Watch::new(text, Wish::There))),
        (None, Some(gone), None, None, None) => Ok(Condition::Text(Watch::new(gone, Wish::Gone))),
        (None, None, Some(app), None, None) => Ok(Condition::App(app)),
        (None, None, None, Some(true), None) => Ok(Condition::Idle { last: None, since: Instant::now() }),
        (None, None, None, None, Some(true)) => {
            let Some(frame) = frame else { return Ok(Condition::ChangedNow(None)) };
            let frame = context.sights.find(&target.device, &frame)?;
            Ok(match frame.shown {
                Shown::Tree(hash) => Condition::ChangedTree(hash),
                Shown::Picture(hash) => Condition::ChangedPicture(hash, context.sights.glance(&target.device, &frame)),
            })
        }
        _ => Err(unclear()),
    }
}

async fn look(context: &Context, target: &Target, condition: &mut Condition) -> Result<Look, Error> {
    match condition {
        Condition::Text(watch) => watch.look(context, target).await,
        Condition::App(wanted) => {
            let app = active_app(target).await?;
            let Some(app) = app else {
                return Ok(Look {
                    met: false,
                    shown: None,
                    reason: "the device does not tell which app is in front".to_owned(),
                });
            };
            let named = app.name.as_deref().unwrap_or(&app.id);
            let met = app.id == *wanted || app.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
            Ok(Look { met, shown: None, reason: format!("{named} is in front") })
        }
        Condition::Idle { last, since } => {
            let now = look::glance(target).await?;
            if last.as_ref().is_none_or(|last| differs(last, &now)) {
                *since = Instant::now();
            }
            *last = Some(now.clone());
            let reason = "the screen is still moving".to_owned();
            Ok(Look { met: since.elapsed() >= IDLE, shown: Some(Sighted::Picture(now)), reason })
        }
        Condition::ChangedTree(then) => {
            let seen = look::see(target).await?;
            Ok(changed(Sighted::Tree(seen.screen, seen.hash()), seen.hash() != *then))
        }
        Condition::ChangedPicture(then, glance) => {
            let now = look::glance(target).await?;
            let met = match glance {
                Some(then) => differs(then, &now),
                None => now.hash() != *then,
            };
            Ok(changed(Sighted::Picture(now), met))
        }
        Condition::ChangedNow(then) => {
            let now = look::glance(target).await?;
            let met = then.as_ref().is_some_and(|then| differs(then, &now));
            then.get_or_insert_with(|| now.clone());
            Ok(changed(Sighted::Picture(now), met))
        }
    }
}

fn changed(shown: Sighted, met: bool) -> Look {
    Look { met, shown: Some(shown), reason: "the screen has not changed".to_owned() }
}

/// Whether people would call two looks different.
fn differs(one: &Glance, other: &Glance) -> bool {
    other.since(one, &Restless::default()).is_some()
}

async fn active_app(target: &Target) -> Result<Option<App>, Error> {
    match target.device.has(Feature::ActiveApp) {
        true => look::active_app(target).await.map(Some),
        false => Ok(look::see(target).await?.tree.app),
    }
}
