//! Pictures for telling whether the screen changes: of the phone's stream where it has one, else one by one.
//!
//! It knows how a picture is had cheaply. What it shows is compared by others.

use super::super::{context::Target, sight::Left};
use crate::{
    device::{Feature, Operation},
    neutral::Picture,
    perception::change::{self, Glance, Restless},
};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

const PICTURE: Operation = Operation { name: "picture", limit: Duration::from_secs(20) };

/// What was seen, shared: a screen that does not change is one sighting.
pub(super) type Sighting = Arc<Glance>;

/// Two looks before an action lie this far apart, so that what moves shows.
const APART: Duration = Duration::from_millis(80);
/// A change of less of the screen than this is no other page.
const SMALL: f64 = 0.1;

/// What the screen showed before an action.
#[derive(Clone)]
pub(super) struct Before {
    /// What it showed last.
    pub(super) now: Sighting,
    /// Whether it changed before without the action.
    pub(super) moved: Moved,
    /// It is as an earlier action left it, but for small things.
    pub(super) as_left: bool,
}

/// How a screen changed before an action.
#[derive(Clone)]
pub(super) enum Moved {
    /// Not that anybody knows.
    No,
    /// A small part, since the action before this one left it so: a counter, a notice that went.
    Slowly(Sighting),
    /// Within a moment, from this.
    Now(Sighting),
}

/// Looks at one phone.
pub(super) struct Eyes<'a> {
    target: &'a Target,
    /// The last picture of the stream.
    number: AtomicU64,
    last: Mutex<Option<Sighting>>,
}

impl<'a> Eyes<'a> {
    /// Eyes that have seen nothing yet.
    pub(super) fn new(target: &'a Target) -> Self {
        Eyes { target, number: AtomicU64::new(0), last: Mutex::default() }
    }

    /// How long to wait between two looks: a stream has its own pace.
    pub(super) fn pace(&self) -> Duration {
        if self.has_stream() { Duration::from_millis(5) } else { Duration::from_millis(30) }
    }

    /// What was seen last.
    pub(super) fn last(&self) -> Option<Sighting> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn has_stream(&self) -> bool {
        self.target.device.has(Feature::Frames)
    }

    /// What the screen shows now; `None` when the phone gives no picture in this time, which is no reason not to act.
    pub(super) async fn look(&self, within: Duration) -> Option<Sighting> {
        tokio::time::timeout(within, self.sight()).await.ok().flatten()
    }

    /// Looks at the screen before an action: twice, to see whether it moves, unless it is as the last action `left` it.
    pub(super) async fn before(&self, left: Option<&Left>, within: Duration) -> Option<Before> {
        let asked = Instant::now();
        let first = self.look(within).await?;
        let calm = Restless::default();
        if let Some(left) = left.filter(|left| !left.moving) {
            match first.since(&left.glance, &calm) {
                None => return Some(Before { now: first, moved: Moved::No, as_left: true }),
                Some(change) if change.part < SMALL => {
                    return Some(Before { now: first, moved: Moved::Slowly(left.glance.clone()), as_left: true });
                }
                Some(_) => {}
            }
        }
        sleep_until(asked + APART).await;
        let second = self.look(within.saturating_sub(asked.elapsed())).await;
        Some(match second {
            Some(now) if now.since(&first, &calm).is_some() => Before { now, moved: Moved::Now(first), as_left: false },
            second => Before { now: second.unwrap_or(first), moved: Moved::No, as_left: false },
        })
    }

    async fn sight(&self) -> Option<Sighting> {
        let picture = self.picture().await?;
        let hash = change::hash(&picture.bytes);
        if let Some(last) = self.last().filter(|last| last.hash() == hash) {
            return Some(last);
        }
        let screen = self.target.screen()?;
        // Decoding takes milliseconds, which other calls must not wait for.
        let seen = tokio::task::spawn_blocking(move || Glance::of(&picture, hash, &screen)).await.ok()?;
        let seen = Arc::new(seen.inspect_err(|error| tracing::debug!(%error, "a picture cannot be looked at")).ok()?);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen.clone());
        Some(seen)
    }

    async fn picture(&self) -> Option<Picture> {
        if self.has_stream() {
            let after = self.number.load(Ordering::Relaxed);
            if let Ok((number, picture)) = self.target.device.frame(after, self.target.deadline).await {
                self.number.store(number, Ordering::Relaxed);
                return Some(picture);
            }
        }
        self.target.look(PICTURE, |driver, within| async move { driver.screenshot(within).await }).await.ok()
    }
}
