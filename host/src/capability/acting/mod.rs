//! Acting so that the answer says what was done: what stands in the way, the action itself, what became of the screen.
//!
//! It knows the order of these and what each costs the phone. How pictures are compared is `perception::change`; what an action
//! is, its caller says in a closure.
//!
//! | `verify` | requests before the action | after it |
//! | --- | --- | --- |
//! | false, `observe: none` | none | none |
//! | false | for `diff` a tree | pictures until the screen rests, then what `observe` asks for |
//! | true | whether an alert is up (unless a tree was read for the target), a picture | pictures until the screen rests; the alert and a tree to explain `unchanged`; the app in front after a large change |

mod cause;
mod diff;
mod eyes;
mod ledger;
mod rest;

pub(super) use ledger::Ledger;

use super::{
    Caller, Code, Context, Error, Image, Outcome,
    context::{Act, Observe, Target, brief},
    convert,
    look::{self, Seen},
    values::{Acted, App, Cause, Effect, State},
};
use crate::{
    device::{DriverError, DriverHandle, Feature, Operation, Permit},
    neutral::Point,
};
use eyes::Eyes;
use serde_json::json;
use std::{future::Future, time::Duration};

const ALERT: Operation = Operation { name: "alert", limit: Duration::from_secs(20) };
const APP: Operation = Operation { name: "active app", limit: Duration::from_secs(20) };
/// Nothing but connecting takes time.
const TAKE: Operation = Operation { name: "take", limit: Duration::from_secs(40) };
/// How long the picture before an action may take.
const BEFORE: Duration = Duration::from_millis(2500);
/// A change of more of the screen than this may be another app.
const LARGE: f64 = 0.3;

/// What an action is aimed at, as far as that explains an effect.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject {
    /// A place on the screen.
    Point(Point),
    /// A finger's path over the screen.
    Swipe,
    /// The field that has the focus.
    Focus,
    /// The device, which may bring another app to the front.
    Device,
    /// The alert in front, which is in the way of everything else.
    Alert,
    /// An app that is in front when the action is over.
    Launch,
}

/// One action, from its preparation to what it did.
pub(super) struct Stage<'a> {
    context: &'a Context,
    target: &'a Target,
    permit: Permit,
    act: Act,
    eyes: Eyes<'a>,
    before: Option<eyes::Sighting>,
    /// The elements before the action, where what became different is asked for.
    lines: Option<diff::Lines>,
    front: Option<App>,
    sent: bool,
    picture_limit: Option<usize>,
}

impl<'a> Stage<'a> {
    /// Whether this caller may act at all.
    ///
    /// # Errors
    /// When it may not.
    pub(super) fn open(
        context: &'a Context,
        target: &'a Target,
        caller: &Caller,
        act: &Act,
    ) -> Result<Stage<'a>, Error> {
        let permit = target.permit(caller, act)?;
        context.permits_acts(target)?;
        Ok(Stage {
            context,
            target,
            permit,
            act: act.clone(),
            eyes: Eyes::new(target),
            before: None,
            lines: None,
            front: target.device.facts().app.map(App::from),
            sent: false,
            picture_limit: caller.picture_limit,
        })
    }

    /// Takes the phone for this caller without sending it anything: it is connected, and the lease given in its turn.
    ///
    /// # Errors
    /// When it cannot be reached, or another holds it.
    pub(super) async fn take(&self) -> Result<(), Error> {
        self.target.act(self.permit.clone(), TAKE, |_, _| async { Ok(()) }).await
    }

    /// Goes on holding the phone between two acts of the same caller.
    ///
    /// # Errors
    /// When the lease has ended, or is another's.
    pub(super) fn keep(&self) -> Result<(), Error> {
        self.target.device.keep(&self.permit).map_err(|error| convert::error(&self.target.device, error))
    }

    /// An error on the way: once something was sent, nobody may be told that nothing was done, or it would be done twice.
    pub(super) fn failed(&self, error: Error) -> Error {
        if self.sent && error.outcome == Outcome::NotDone { error.outcome(Outcome::Unknown) } else { error }
    }

    /// The app that was in front before, where that is known.
    pub(super) fn front(&self) -> Option<App> {
        self.front.clone()
    }

    fn verifies(&self) -> bool {
        self.act.verify != Some(false)
    }

    fn observes(&self) -> Observe {
        self.act.observe.unwrap_or(Observe::None)
    }

    /// Looks at what the action will be compared with, and whether something is in its way. `seen` is the tree in which the
    /// target was found, if there was one: its caller has checked alerts there.
    ///
    /// # Errors
    /// [`Code::AlertInFront`].
    pub(super) async fn prepare(&mut self, subject: Subject, seen: Option<&Seen>) -> Result<(), Error> {
        if self.verifies() && seen.is_none() && !matches!(subject, Subject::Alert) {
            self.alert_permits(subject).await?;
        }
        if self.observes() == Observe::Diff {
            self.lines = Some(match seen {
                Some(seen) => diff::Lines::of(self.context, self.target, seen),
                None => diff::Lines::of(self.context, self.target, &look::see(self.target).await?),
            });
        }
        if self.verifies() {
            self.before = self.eyes.look(BEFORE.min(self.target.time_left() / 4)).await;
        }
        Ok(())
    }

    /// An alert swallows what is not meant for it. A tap inside one of its buttons is.
    ///
    /// # Errors
    /// [`Code::AlertInFront`].
    pub(super) async fn alert_permits(&self, subject: Subject) -> Result<(), Error> {
        if !self.target.device.has(Feature::Alert) {
            return Ok(());
        }
        let alert = self.target.look(ALERT, |driver, within| async move { driver.alert(within).await }).await;
        let alert = match alert {
            Ok(Some(alert)) => alert,
            Err(error) if is_out_of_reach(error.code) => return Err(error),
            // A phone that cannot tell is no reason not to act.
            Ok(None) | Err(_) => return Ok(()),
        };
        if let Subject::Point(point) = subject {
            let seen = look::see(self.target).await?;
            if let (Some(at), Some(hit)) = (seen.outline.alert(), seen.outline.at(point))
                && seen.outline.is_within(hit, at)
                && seen.outline.get(hit).is_some_and(|element| element.actionable)
            {
                return Ok(());
            }
        }
        Err(alert_in_front(self.target, &alert.text, &alert.buttons))
    }

    /// Sends one action to the phone.
    ///
    /// # Errors
    /// What the phone says.
    pub(super) async fn send<T, F, Fut>(&mut self, operation: Operation, action: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(DriverHandle, Duration) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, DriverError>> + Send + 'static,
    {
        // What was looked at since may have shown an app that is out of bounds.
        self.context.permits_acts(self.target)?;
        let done = self.target.act(self.permit.clone(), operation, action).await?;
        self.sent = true;
        Ok(done)
    }

    /// Waits until the screen rests after one of several actions: whether it is different from when it was last looked at, where
    /// that can be told.
    pub(super) async fn settle(&self) -> Option<bool> {
        let before = self.eyes.last();
        let rest = rest::wait(&self.eyes, before.as_ref(), self.target.time_left()).await?;
        before?;
        match rest.change {
            Some(_) => Some(true),
            None if rest.moving => None,
            None => Some(false),
        }
    }

    /// The end of a call for which nothing had to be done.
    ///
    /// # Errors
    /// As [`finish`](Stage::finish).
    pub(super) async fn finish_undone(self) -> Result<(Acted, Option<Image>), Error> {
        self.observe(Effect { state: State::Unchanged, settled_ms: None, cause: None, app: None }).await
    }

    /// Waits until the screen rests, and tells what became of it.
    ///
    /// # Errors
    /// When what should be observed cannot be looked at: the action was done.
    pub(super) async fn finish(self, subject: Subject) -> Result<(Acted, Option<Image>), Error> {
        let effect = self.effect(subject).await;
        self.observe(effect).await.map_err(|error| error.outcome(Outcome::Done))
    }

    async fn effect(&self, subject: Subject) -> Effect {
        let unknown = Effect { state: State::Unknown, settled_ms: None, cause: None, app: None };
        if !self.verifies() && self.observes() == Observe::None {
            return unknown;
        }
        let Some(rest) = rest::wait(&self.eyes, self.before.as_ref(), self.target.time_left()).await else {
            return unknown;
        };
        let effect = Effect { settled_ms: Some(rest.after.as_millis() as u64), ..unknown };
        let still_moving = rest.moving.then_some(Cause::StillMoving);
        if !self.verifies() || self.before.is_none() {
            return Effect { cause: still_moving, ..effect };
        }
        match rest.change {
            Some(change) => {
                let told = matches!(subject, Subject::Launch);
                let app = if change.part >= LARGE && !told { self.app_in_front().await } else { None };
                let meant = matches!(subject, Subject::Device | Subject::Alert);
                let cause = still_moving.or((app.is_some() && !meant).then_some(Cause::AppLeft));
                Effect { state: State::Changed, cause, app, ..effect }
            }
            // What moves by itself hides whether anything else does, and who looks too briefly knows nothing.
            None if rest.moving || !rest.sure => Effect { cause: still_moving, ..effect },
            None => {
                let cause = cause::of_nothing(self.target, subject).await;
                Effect { state: State::Unchanged, cause, ..effect }
            }
        }
    }

    /// The app in front, if it is another than before.
    async fn app_in_front(&self) -> Option<App> {
        if !self.target.device.has(Feature::ActiveApp) {
            return None;
        }
        let app = self.target.look(APP, |driver, within| async move { driver.active_app(within).await }).await.ok()?;
        self.target.device.learn(|facts| facts.app = Some(app.clone()));
        let app = App::from(app);
        self.front.as_ref().is_some_and(|front| !front.is(&app)).then_some(app)
    }

    async fn observe(self, effect: Effect) -> Result<(Acted, Option<Image>), Error> {
        let device_id = self.target.id().to_owned();
        let mut acted = Acted { device_id, effect, frame: None, diff: None, text: None };
        let mut image = None;
        match self.observes() {
            Observe::None => {}
            Observe::Tree => {
                let seen = look::see(self.target).await?;
                let frame = seen.frame(self.context, self.target);
                acted.text = Some(seen.text(self.context, self.target, &frame));
                acted.frame = Some(frame);
            }
            Observe::Diff => {
                let seen = look::see(self.target).await?;
                acted.frame = Some(seen.frame(self.context, self.target));
                let after = diff::Lines::of(self.context, self.target, &seen);
                // Nothing was prepared where nothing was done.
                acted.diff = Some(self.lines.as_ref().unwrap_or(&after).to(&after));
            }
            Observe::Screenshot => {
                let (frame, picture) = look::plain_screenshot(self.context, self.target, self.picture_limit).await?;
                (acted.frame, image) = (Some(frame), Some(picture));
            }
        }
        Ok((acted, image))
    }
}

/// Whether a look failed for a reason for which an action would fail as well.
fn is_out_of_reach(code: Code) -> bool {
    matches!(code, Code::Timeout | Code::DeviceOffline | Code::DeviceNotAuthorized | Code::Overloaded | Code::Cancelled)
}

/// An alert lets nothing through but its own buttons.
pub(super) fn alert_in_front(target: &Target, text: &str, buttons: &[String]) -> Error {
    Error::new(
        Code::AlertInFront,
        format!("an alert is in front: {:?}", brief(text)),
        format!("Answer it first, with answer_alert or a tap on one of its buttons ({}).", buttons.join(", ")),
    )
    .details(json!({ "text": text, "buttons": buttons }))
    .on_device(target.id())
}
