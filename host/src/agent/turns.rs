//! One task a device at a time: whoever comes later waits, in the order in which they came.
//!
//! Knows names only.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

type Queues = HashMap<String, VecDeque<Arc<Notify>>>;

/// The queues of all devices.
#[derive(Clone, Default)]
pub(super) struct Turns(Arc<Mutex<Queues>>);

/// A place in the queue of a device; leaving is dropping it.
pub(super) struct Turn {
    turns: Turns,
    device: String,
    /// Tells this place from others, and wakes it when it may have become the first.
    place: Arc<Notify>,
}

impl Turns {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the last place.
    pub(super) fn enter(&self, device: &str) -> Turn {
        let place = Arc::new(Notify::new());
        self.queues().entry(device.to_owned()).or_default().push_back(place.clone());
        Turn { turns: self.clone(), device: device.to_owned(), place }
    }
}

impl Turn {
    /// Waits until everybody before has left.
    pub(super) async fn come(&self) {
        while !self.is_first() {
            // Whoever leaves keeps this for us should it happen before we wait.
            self.place.notified().await;
        }
    }

    fn is_first(&self) -> bool {
        self.turns
            .queues()
            .get(&self.device)
            .and_then(VecDeque::front)
            .is_none_or(|first| Arc::ptr_eq(first, &self.place))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queues = self.turns.queues();
        let Some(queue) = queues.get_mut(&self.device) else { return };
        queue.retain(|place| !Arc::ptr_eq(place, &self.place));
        match queue.front() {
            Some(first) => first.notify_one(),
            None => drop(queues.remove(&self.device)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn they_come_in_their_order_and_by_device() {
        let turns = Turns::default();
        let (a, b, c, other) = (turns.enter("x"), turns.enter("x"), turns.enter("x"), turns.enter("y"));
        assert!(a.come().now_or_never().is_some() && other.come().now_or_never().is_some());
        assert!(b.come().now_or_never().is_none() && c.come().now_or_never().is_none());
        drop(b);
        assert!(c.come().now_or_never().is_none());
        drop(a);
        assert!(c.come().now_or_never().is_some());
        drop((c, other));
        assert!(turns.queues().is_empty());
    }
}
