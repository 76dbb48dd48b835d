//! What was made of the last picture of each screen, for the few screens that were looked at last.
//!
//! Knows screens by a name and pictures by a hash of their bytes. Does not know what was made of them.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Of how many screens it is kept.
const KEPT: usize = 8;

/// One thing for each screen.
pub(super) struct Latest<T> {
    kept: Mutex<VecDeque<(String, u64, T)>>,
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Latest { kept: Mutex::default() }
    }
}

impl<T: Clone> Latest<T> {
    /// What was made of this picture, if it is the last of its screen.
    pub(super) fn of(&self, screen: &str, hash: u64) -> Option<T> {
        let kept = self.lock();
        kept.iter().find(|(own, of, _)| own == screen && *of == hash).map(|(_, _, made)| made.clone())
    }

    /// What was made of the screen's last picture, whichever that was.
    #[cfg_attr(not(feature = "ocr"), expect(dead_code, reason = "only a reading goes on from the last one"))]
    pub(super) fn last(&self, screen: &str) -> Option<T> {
        self.lock().iter().find(|(own, ..)| own == screen).map(|(_, _, made)| made.clone())
    }

    /// Keeps this in place of what was made of the screen before.
    pub(super) fn keep(&self, screen: &str, hash: u64, made: T) {
        let mut kept = self.lock();
        kept.retain(|(own, ..)| own != screen);
        kept.push_back((screen.to_owned(), hash, made));
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, u64, T)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
