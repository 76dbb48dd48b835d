//! Acting so that the answer says what was done: what stands in the way, the action itself, what became of the screen.
//!
//! It knows the order of these and what each costs the phone. How pictures are compared is `perception::change`; what an action
//! is, its caller says in a closure.
//!
//! | `verify` | requests before the action | after it |
//! | --- | --- | --- |
//! | false, `observe: none` | none | none |
//! | false | for `diff` a tree | pictures until the screen rests, then what `observe` asks for |
//! | true | whether an alert is up (unless the target's tree shows one), a picture | pictures until the screen rests; the alert and a tree to explain `unchanged`; the app in front after a large change |
//!
//! A screen that is not as the last checked action left it costs more before the action: a second picture, to see whether it
//! moves, and the app in front, unless the target's tree told it.

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
    sight::Left,
    values::{Acted, App, Cause, Effect, Note, State},
};
use crate::{
    device::{DriverError, DriverHandle, Feature, Operation, Permit},
    neutral::{Point, Rect},
    perception::{
        change::{Change, Restless},
        notes,
    },
};
use eyes::{Eyes, Moved};
use serde_json::json;
use std::{future::Future, time::Duration};
use tokio::time::Instant;

const ANSWER: Operation = Operation { name: "answer alert", limit: Duration::from_secs(20) };
/// More alerts in a row than this are not answered unasked.
const MOST_ALERTS: usize = 3;
/// Nothing but connecting takes time.
const TAKE: Operation = Operation { name: "take", limit: Duration::from_secs(40) };
/// How long the picture before an action may take.
const BEFORE: Duration = Duration::from_millis(2500);
/// A change of more of the screen than this may be another app.
const LARGE: f64 = 0.3;
/// A change of less than this, farther from the finger than this many points, may be a counter's.
const TINY: f64 = 0.01;
const NEAR: f64 = 60.0;
/// The pace of counters, and a little.
const SECOND: Duration = Duration::from_millis(1100);
/// How long a phone may go on telling the tree of an older screen.
pub(super) const LAG: Duration = Duration::from_millis(400);

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

/// What an action is for, as far as the operator's rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To do something in the app in front.
    Act,
    /// To leave the app in front, which is allowed whatever app that is.
    Leave,
    /// To answer the alert in front oneself.
    Answer,
}

/// One action, from its preparation to what it did.
pub(super) struct Stage<'a> {
    context: &'a Context,
    target: &'a Target,
    permit: Permit,
    act: Act,
    purpose: Purpose,
    eyes: Eyes<'a>,
    before: Option<eyes::Before>,
    /// The elements before the action, where what became different is asked for.
    lines: Option<diff::Lines>,
    /// A hash of the tree before the action, where it was read.
    tree: Option<u64>,
    /// The app in front before the action.
    front: Option<App>,
    /// What no answer may show.
    secrets: Vec<String>,
    /// What the caller should know beside the effect.
    notes: Vec<Note>,
    sent: bool,
    picture_limit: Option<usize>,
}

impl<'a> Stage<'a> {
    /// Whether this caller may act at all. What is in the way and has an answer by the operator is answered.
    ///
    /// # Errors
    /// When it may not.
    pub(super) async fn open(
        context: &'a Context,
        target: &'a Target,
        caller: &Caller,
        act: &Act,
        purpose: Purpose,
    ) -> Result<Stage<'a>, Error> {
        let permit = target.permit(caller, act)?;
        if purpose != Purpose::Leave {
            context.permits_acts(target)?;
        }
        let mut stage = Stage {
            context,
            target,
            permit,
            act: act.clone(),
            purpose,
            notes: Vec::new(),
            eyes: Eyes::new(target),
            before: None,
            lines: None,
            tree: None,
            front: None,
            secrets: Vec::new(),
            sent: false,
            picture_limit: caller.picture_limit,
        };
        if purpose != Purpose::Answer {
            stage.answer_alerts().await?;
        }
        Ok(stage)
    }

    /// Answers the alerts to which the operator's settings know the answer. A phone may show a few, one after the other.
    async fn answer_alerts(&mut self) -> Result<(), Error> {
        if self.context.policy.answer_alerts.is_empty() || !self.target.device.has(Feature::Alert) {
            return Ok(());
        }
        for _ in 0..MOST_ALERTS {
            let alert = look::alert(self.target).await;
            let Ok(Some(alert)) = alert else { return Ok(()) };
            let Some(button) = self.context.policy.answer(&alert).map(str::to_owned) else { return Ok(()) };
            let text = format!(
                "The alert {:?} was answered with {button:?}, as the operator's answer_alerts says.",
                brief(&alert.text)
            );
            self.answer(button).await?;
            self.notes.push(Note { code: "alert_answered".to_owned(), text });
            rest::wait(&self.eyes, None, self.target.time_left()).await;
        }
        Ok(())
    }

    /// Presses this button of the alert in front.
    ///
    /// # Errors
    /// What the phone says.
    pub(super) async fn answer(&mut self, button: String) -> Result<(), Error> {
        self.send(ANSWER, move |driver, within| async move { driver.answer_alert(&button, within).await }).await
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
        let mut error =
            if self.sent && error.outcome == Outcome::NotDone { error.outcome(Outcome::Unknown) } else { error };
        if !self.notes.is_empty() {
            let details = error.details.get_or_insert_with(|| json!({}));
            details["notes"] = json!(self.notes);
        }
        error
    }

    /// What the caller should know beside the effect.
    pub(super) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Lets no answer show this text where it stands on the screen.
    pub(super) fn hide(&mut self, secret: &str) {
        if !secret.trim().is_empty() {
            self.secrets.push(secret.to_owned());
        }
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
    /// [`Code::AlertInFront`]; [`Code::StaleFrame`] where the phone was turned by hand.
    pub(super) async fn prepare(&mut self, subject: Subject, seen: Option<&Seen>) -> Result<(), Error> {
        let prepared = self.look_before(subject, seen).await;
        prepared.map_err(|error| self.failed(error))
    }

    async fn look_before(&mut self, subject: Subject, seen: Option<&Seen>) -> Result<(), Error> {
        // Some alerts are no part of the tree.
        let told = seen.is_some_and(|seen| seen.outline.alert().is_some());
        if self.verifies() && !told && !matches!(subject, Subject::Alert) {
            self.alert_permits(subject).await?;
        }
        let fresh = match seen {
            None if self.observes() == Observe::Diff => Some(self.see().await?),
            _ => None,
        };
        let seen = seen.or(fresh.as_ref());
        self.tree = seen.map(Seen::hash);
        if self.observes() == Observe::Diff {
            self.lines = seen.map(|seen| match self.secrets.as_slice() {
                [] => diff::Lines::of(self.context, self.target, seen),
                secrets => diff::Lines::of(self.context, self.target, &seen.without(secrets)),
            });
        }
        if self.verifies() {
            let left = self.context.sights.left(&self.target.device);
            self.before = self.eyes.before(left.as_ref(), BEFORE.min(self.target.time_left() / 4)).await;
            if seen.is_none() && matches!(subject, Subject::Point(_) | Subject::Swipe) {
                self.screen_stands().await?;
            }
            self.front = self.front_before(seen).await;
        }
        Ok(())
    }

    /// A picture that lies otherwise than the screen that is remembered tells that somebody turned the phone: places from before
    /// do not hold any more.
    ///
    /// # Errors
    /// [`Code::StaleFrame`] with the screen as it is now.
    async fn screen_stands(&self) -> Result<(), Error> {
        let known = self.target.screen().filter(|_| self.target.device.has(Feature::ScreenInfo));
        let (Some(known), Some(before)) = (known, &self.before) else { return Ok(()) };
        if known.width == known.height || before.now.is_wide() == (known.width > known.height) {
            return Ok(());
        }
        let now = look::ask_screen(self.target).await?;
        match now.bounds() == known.bounds() {
            true => Ok(()),
            false => {
                Err(super::sight::turned("what the point was read from", &known, &now).on_device(self.target.id()))
            }
        }
    }

    /// The app in front before the action: by the tree that was just read, by what is remembered of a screen that is as it was,
    /// else by the phone. Somebody may have left the app by hand.
    async fn front_before(&self, seen: Option<&Seen>) -> Option<App> {
        if let Some(app) = seen.and_then(|seen| seen.tree.app.clone()) {
            return Some(app.into());
        }
        let as_left = self.before.as_ref().is_some_and(|before| before.as_left);
        match self.target.device.facts().app {
            Some(app) if as_left => Some(app.into()),
            _ => self.active_app().await,
        }
    }

    /// The app that the phone says is in front.
    async fn active_app(&self) -> Option<App> {
        if !self.target.device.has(Feature::ActiveApp) {
            return None;
        }
        look::active_app(self.target).await.ok().map(App::from)
    }

    /// Reads the tree for an answer: without what no answer may show.
    async fn see(&self) -> Result<Seen, Error> {
        let seen = look::see(self.target).await?;
        Ok(if self.secrets.is_empty() { seen } else { seen.without(&self.secrets) })
    }

    /// An alert swallows what is not meant for it. A tap inside one of its buttons is.
    ///
    /// # Errors
    /// [`Code::AlertInFront`].
    pub(super) async fn alert_permits(&self, subject: Subject) -> Result<(), Error> {
        if !self.target.device.has(Feature::Alert) {
            return Ok(());
        }
        let alert = look::alert(self.target).await;
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
        if self.purpose != Purpose::Leave {
            // What was looked at since may have shown an app that is out of bounds.
            self.context.permits_acts_now(self.target).await?;
        }
        // Until somebody looks, nobody knows how this leaves the screen, and which app in front.
        self.context.sights.leave(&self.target.device, None);
        let done = self.target.act(self.permit.clone(), operation, action).await;
        if !self.verifies() {
            self.forget_app();
        }
        let done = done.map_err(|error| self.failed(error))?;
        self.sent = true;
        Ok(done)
    }

    /// Where some apps are out of bounds, one that may be in front by now must be asked for before the next act.
    fn forget_app(&self) {
        if !self.context.policy.deny_apps.is_empty() {
            self.target.device.learn(|facts| facts.app = None);
        }
    }

    /// Waits until the screen rests after one of several actions: whether it is different from when it was last looked at, where
    /// that can be told.
    pub(super) async fn settle(&self) -> Option<bool> {
        let before = self.eyes.last().map(|now| eyes::Before { now, moved: Moved::No, as_left: false });
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
        if self.sent && effect.state == State::Unknown {
            self.forget_app();
        }
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
        if self.verifies() {
            let left = self.eyes.last().map(|glance| Left { glance, moving: rest.moving, at: Instant::now() });
            self.context.sights.leave(&self.target.device, left);
        }
        let effect = Effect { settled_ms: Some(rest.after.as_millis() as u64), ..unknown };
        let still_moving = rest.moving.then_some(Cause::StillMoving);
        if !self.verifies() || self.before.is_none() {
            return Effect { cause: still_moving, ..effect };
        }
        match rest.change {
            Some(change) => {
                let app = match subject {
                    Subject::Launch => self.target.device.facts().app.map(App::from).filter(|app| self.is_other(app)),
                    _ if change.part >= LARGE => self.active_app().await.filter(|app| self.is_other(app)),
                    _ => None,
                };
                let meant = matches!(subject, Subject::Device | Subject::Alert | Subject::Launch);
                let cause = still_moving.or((app.is_some() && !meant).then_some(Cause::AppLeft));
                // A screen that moved by itself may have gone on to this without the action, and a counter may just have counted.
                let moved = self.before.as_ref().is_some_and(|before| matches!(before.moved, Moved::Now(_)));
                let doubtful = moved && !rest.moving || self.goes_on(subject, &change).await;
                if doubtful && app.is_none() {
                    return Effect { cause: Some(Cause::StillMoving), ..effect };
                }
                Effect { state: State::Changed, cause, app, ..effect }
            }
            // What moves by itself hides whether anything else does, and who looks too briefly knows nothing.
            None if rest.doubtful => Effect { cause: Some(Cause::StillMoving), ..effect },
            None if rest.moving || !rest.sure => Effect { cause: still_moving, ..effect },
            None => {
                let cause = cause::of_nothing(self.target, subject).await;
                Effect { state: State::Unchanged, cause, ..effect }
            }
        }
    }

    /// Whether a little that changed far from the finger goes on changing: seconds that are counted are no effect of a tap.
    async fn goes_on(&self, subject: Subject, change: &Change) -> bool {
        let Subject::Point(point) = subject else { return false };
        let near = Rect::new(point.x - NEAR, point.y - NEAR, 2.0 * NEAR, 2.0 * NEAR);
        if change.part >= TINY || change.bounds.intersection(&near).is_some() || self.target.time_left() < 4 * SECOND {
            return false;
        }
        let Some(last) = self.eyes.last() else { return false };
        tokio::time::sleep(SECOND).await;
        let Some(again) = self.eyes.look(SECOND).await else { return false };
        let more = again.since(&last, &Restless::default());
        more.is_some_and(|more| more.part < TINY && more.bounds.intersection(&change.bounds).is_some())
    }

    /// Whether it is known that another app was in front before.
    fn is_other(&self, app: &App) -> bool {
        self.front.as_ref().is_some_and(|front| !front.is(app))
    }

    async fn observe(self, effect: Effect) -> Result<(Acted, Option<Image>), Error> {
        let device_id = self.target.id().to_owned();
        let mut acted = Acted {
            device_id,
            effect,
            frame: None,
            diff: None,
            text: None,
            screenshot: None,
            notes: self.notes.clone(),
        };
        let mut image = None;
        match self.observes() {
            Observe::None => {}
            Observe::Tree => {
                let seen = self.see_after(&mut acted).await?;
                let frame = seen.frame(self.context, self.target);
                acted.text = Some(seen.text(self.context, self.target, &frame));
                acted.frame = Some(frame);
            }
            Observe::Diff => {
                let seen = self.see_after(&mut acted).await?;
                acted.frame = Some(seen.frame(self.context, self.target));
                let after = diff::Lines::of(self.context, self.target, &seen);
                // Nothing was prepared where nothing was done. What a damaged tree lacks may be there all the same.
                acted.diff = Some(self.lines.as_ref().unwrap_or(&after).to(&after, seen.tree.flaws.is_empty()));
            }
            Observe::Screenshot => {
                let (shot, picture) = look::plain_screenshot(self.context, self.target, self.picture_limit).await?;
                acted.frame = Some(shot.frame.clone());
                acted.notes.extend(shot.notes.iter().cloned());
                (acted.screenshot, image) = (Some(shot.into()), Some(picture));
            }
        }
        Ok((acted, image))
    }

    /// Reads the tree after the action. Phones go on telling the old one for a moment: where the picture changed and the tree did
    /// not, it is read once more, and then said.
    async fn see_after(&self, acted: &mut Acted) -> Result<Seen, Error> {
        let seen = self.see().await?;
        let stale = |seen: &Seen| acted.effect.state == State::Changed && self.tree == Some(seen.hash());
        if !stale(&seen) {
            acted.notes.extend(seen.own_notes());
            return Ok(seen);
        }
        tokio::time::sleep(LAG.min(self.target.time_left() / 4)).await;
        let seen = self.see().await?;
        let old = stale(&seen).then(|| notes::tree_unchanged().into());
        acted.notes.extend(old.into_iter().chain(seen.own_notes()));
        Ok(seen)
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
