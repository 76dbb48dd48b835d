//! Waiting until the screen comes to rest after an action, within bounds.
//!
//! It knows how long is long enough. What moves by itself (a video, a spinner) is left out of it.

use super::eyes::{Eyes, Sighting};
use crate::perception::change::{Change, Restless};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Nothing may change for this long before the screen counts as resting.
const QUIET: Duration = Duration::from_millis(200);
/// How long the first change may take to come: animations and pages start late.
const PATIENCE: Duration = Duration::from_millis(600);
/// A screen that moves for longer is said to be moving still.
const LIMIT: Duration = Duration::from_secs(3);
/// Left of the caller's time for what comes after.
const MARGIN: Duration = Duration::from_millis(200);

/// How the screen came to rest.
pub(super) struct Rest {
    /// When, counted from the first look after the action.
    pub(super) after: Duration,
    /// Something still moves, by itself or because of the action.
    pub(super) moving: bool,
    /// What is different from before the action; of restless parts it says nothing.
    pub(super) change: Option<Change>,
}

/// Looks until nothing changes any more; `None` when nothing can be seen.
pub(super) async fn wait(eyes: &Eyes<'_>, before: Option<&Sighting>, time_left: Duration) -> Option<Rest> {
    let limit = LIMIT.min(time_left.saturating_sub(MARGIN));
    let began = Instant::now();
    let mut restless = Restless::default();
    let (mut last, mut changed_at, mut any) = (before.cloned(), Duration::ZERO, false);
    loop {
        let now = eyes.look().await?;
        let elapsed = began.elapsed();
        if let Some(last) = &last {
            let still = std::sync::Arc::ptr_eq(last, &now);
            if !still {
                restless.learn(last, &now);
            }
            if !still && now.since(last, &restless).is_some() {
                (changed_at, any) = (elapsed, true);
            }
        }
        last = Some(now);
        let rests = elapsed.saturating_sub(changed_at) >= QUIET;
        if elapsed >= limit || (rests && (any || elapsed >= PATIENCE)) {
            let moving = !rests || restless.is_any();
            let change = before.and_then(|before| last.as_ref()?.since(before, &restless));
            return Some(Rest { after: elapsed, moving, change });
        }
        sleep(eyes.pace()).await;
    }
}
