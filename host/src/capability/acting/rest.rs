//! Waiting until the screen comes to rest after an action, within bounds.
//!
//! It knows how long is long enough. What moves by itself (a video, a spinner) is left out of it.

use super::eyes::{Before, Eyes, Moved};
use crate::perception::change::{Change, Restless};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// Nothing may change for this long before the screen counts as resting.
const QUIET: Duration = Duration::from_millis(200);
/// How long the first change may take to come: animations and pages start late.
const PATIENCE: Duration = Duration::from_millis(600);
/// A screen that moves for longer is said to be moving still.
const LIMIT: Duration = Duration::from_secs(3);
/// An animation is over by then; what moves for longer may move for ever.
const ANIMATION: Duration = Duration::from_millis(1200);
/// How much longer than the limit the last picture may take.
const SLOW: Duration = Duration::from_millis(1500);
/// Left of the caller's time for what comes after.
const MARGIN: Duration = Duration::from_millis(200);

/// How the screen came to rest.
pub(super) struct Rest {
    /// When, counted from the first look after the action.
    pub(super) after: Duration,
    /// Something still moves, by itself or because of the action.
    pub(super) moving: bool,
    /// It was looked at for long enough to say that nothing changed.
    pub(super) sure: bool,
    /// What is different from before the action, beside what moves or moved by itself.
    pub(super) change: Option<Change>,
    /// Something is different that may have changed by itself.
    pub(super) doubtful: bool,
}

/// Looks until nothing changes any more; `None` when nothing can be seen.
pub(super) async fn wait(eyes: &Eyes<'_>, before: Option<&Before>, time_left: Duration) -> Option<Rest> {
    let limit = LIMIT.min(time_left.saturating_sub(MARGIN));
    let began = Instant::now();
    let (mut restless, calm) = (Restless::default(), Restless::default());
    let mut slow = false;
    match before {
        Some(Before { now, moved: Moved::Slowly(earlier), .. }) => {
            restless.moved(earlier, now);
            slow = true;
        }
        Some(Before { now, moved: Moved::Now(earlier), .. }) => restless.moved(earlier, now),
        _ => {}
    }
    let mut last = before.map(|before| before.now.clone());
    // When anything last changed, and when anything did beside what keeps changing.
    let (mut stirred, mut changed, mut any) = (Duration::ZERO, Duration::ZERO, false);
    loop {
        // A picture may show the moment at which it was asked for, however long it took.
        let asked = began.elapsed();
        let seen = eyes.look((limit + SLOW).saturating_sub(asked)).await;
        let after = began.elapsed();
        if let (Some(last), Some(now)) = (&last, &seen)
            && !Arc::ptr_eq(last, now)
        {
            restless.learn(last, now);
            if now.since(last, &calm).is_some() {
                (stirred, any) = (after, true);
            }
            if now.since(last, &restless).is_some() {
                changed = after;
            }
        }
        let blind = seen.is_none();
        last = seen.or(last);
        let waited = any || asked >= PATIENCE;
        let rests = waited && asked.saturating_sub(stirred) >= QUIET;
        // What moves by itself is waited for a while, since it may only be an animation.
        let beside = asked >= ANIMATION && asked.saturating_sub(changed) >= QUIET;
        if rests || beside || blind || after >= limit {
            let moving = any && !rests;
            let since = |mask: &Restless| last.as_ref()?.since(&before?.now, mask);
            let change = since(if moving || slow { &restless } else { &calm });
            let doubtful = change.is_none() && since(&calm).is_some();
            let seen_at_all = !blind || any;
            return seen_at_all.then_some(Rest { after, moving, sure: waited && !blind, change, doubtful });
        }
        sleep(eyes.pace()).await;
    }
}
