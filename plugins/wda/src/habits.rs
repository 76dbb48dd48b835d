//! What is known of apps whose tree is too much for the phone: how deep it may be asked for, and which is not asked for at all.
//!
//! It outlives the connection, since a tree that is too much often ends it, and is forgotten when the phone is let go of. It does
//! not know how a tree is read.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// How deep trees are asked for at first.
pub(crate) const DEPTH: u32 = 50;
/// No tree is asked for less deep: what an app shows of itself lies deeper.
const SHALLOWEST: u32 = 12;
/// How long an app is spared whose tree ended the automation program twice.
const SPARED: Duration = Duration::from_secs(600);
/// How many apps are remembered of each kind.
const REMEMBERED: usize = 64;

/// What is remembered of one phone. An app that could not be told has the empty id.
#[derive(Debug, Default)]
pub(crate) struct Habits {
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    depths: BTreeMap<String, u32>,
    /// The app with which the connection broke while a tree was read: once may be chance.
    suspect: Option<String>,
    spared: BTreeMap<String, Instant>,
}

impl Habits {
    /// Whether it matters which app is in front.
    pub(crate) fn matter(&self) -> bool {
        let mut memory = self.memory();
        memory.spared.retain(|_, until| *until > Instant::now());
        !memory.depths.is_empty() || !memory.spared.is_empty() || memory.suspect.is_some()
    }

    /// How deep this app's tree is asked for.
    pub(crate) fn depth(&self, app: &str) -> u32 {
        self.memory().depths.get(app).copied().unwrap_or(DEPTH)
    }

    /// The app's tree was too much at this depth; how deep it is asked for from now on, if that is less.
    pub(crate) fn too_deep(&self, app: &str, depth: u32) -> Option<u32> {
        let less = (depth / 2).max(SHALLOWEST);
        let mut memory = self.memory();
        if memory.depths.len() >= REMEMBERED {
            memory.depths.clear();
        }
        memory.depths.insert(app.to_owned(), less);
        (less < depth).then_some(less)
    }

    /// How long this app's tree is not asked for yet.
    pub(crate) fn spared(&self, app: &str) -> Option<Duration> {
        let until = *self.memory().spared.get(app)?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    /// The connection broke while this app's tree was read.
    pub(crate) fn broke(&self, app: &str) {
        let mut memory = self.memory();
        let again = memory.suspect.as_deref().is_some_and(|suspect| suspect == app || suspect.is_empty());
        if again && !app.is_empty() {
            tracing::warn!(
                app,
                "reading this app's tree ends the phone's automation program; it is spared for a while"
            );
            if memory.spared.len() >= REMEMBERED {
                memory.spared.clear();
            }
            memory.spared.insert(app.to_owned(), Instant::now() + SPARED);
        }
        memory.suspect = Some(app.to_owned());
    }

    /// A tree was read.
    pub(crate) fn went_well(&self) {
        self.memory().suspect = None;
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) {
        *self.memory() = Memory::default();
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_is_halved_down_to_the_shallowest() {
        let habits = Habits::default();
        assert!(!habits.matter());
        assert_eq!(habits.too_deep("a", DEPTH), Some(25));
        assert!(habits.matter());
        assert_eq!((habits.depth("a"), habits.depth("b")), (25, DEPTH));
        assert_eq!(habits.too_deep("a", 25), Some(SHALLOWEST));
        assert_eq!(habits.too_deep("a", SHALLOWEST), None);
        habits.forget();
        assert!(!habits.matter() && habits.depth("a") == DEPTH);
    }

    #[test]
    fn only_the_same_app_twice_in_a_row_is_spared() {
        let habits = Habits::default();
        habits.broke("a");
        habits.broke("b");
        assert_eq!((habits.spared("a"), habits.spared("b")), (None, None));
        habits.went_well();
        habits.broke("b");
        assert_eq!(habits.spared("b"), None);
        habits.broke("b");
        assert!(habits.spared("b").is_some() && habits.spared("a").is_none());
        // What could not be told is nobody's habit, but may have been the next one's.
        habits.broke("");
        habits.broke("");
        assert_eq!(habits.spared(""), None);
        habits.broke("c");
        assert!(habits.spared("c").is_some());
    }
}
