//! Being woken when a task has news.
//!
//! Knows the numbers of last events, and only of tasks that somebody follows; what the events say is read elsewhere.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The last event's number of each task that is followed.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    followed: Mutex<HashMap<String, watch::Sender<u32>>>,
}

impl Hub {
    pub(crate) fn followed(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<u32>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to follow a task. Who reads the last number only after this, and tells it, misses nothing: what was committed
    /// before is read, and what is committed after is told.
    pub(crate) fn follow(self: &Arc<Hub>, task: &str) -> News {
        let mut followed = self.followed();
        let last = followed.entry(task.to_owned()).or_default().subscribe();
        News { task: task.to_owned(), last, hub: self.clone() }
    }

    /// Tells that events up to this number are there. Told late or twice, it changes nothing.
    pub(crate) fn tell(&self, task: &str, number: u32) {
        if let Some(sender) = self.followed().get(task) {
            sender.send_if_modified(|last| {
                let more = number > *last;
                *last = number.max(*last);
                more
            });
        }
    }

    /// Tells that the task is forgotten.
    pub(crate) fn forget(&self, task: &str) {
        self.followed().remove(task);
    }
}

/// Who follows a task. Costs some memory for as long as it lives, however many events there are.
#[derive(Debug)]
pub struct News {
    task: String,
    last: watch::Receiver<u32>,
    hub: Arc<Hub>,
}

impl News {
    /// Waits until the task has events after number `n`, and gives the number of its last one then; `None` when the task was
    /// forgotten meanwhile. Nothing is lost by leaving early and asking again.
    pub async fn after(&mut self, n: u32) -> Option<u32> {
        self.last.wait_for(|last| *last > n).await.ok().map(|last| *last)
    }
}

impl Drop for News {
    fn drop(&mut self) {
        let mut followed = self.hub.followed();
        // Others come and go only under this lock. After a task was forgotten its name may stand for another channel, which
        // then has followers of its own.
        let last = |sender: &watch::Sender<u32>| sender.receiver_count() == 1;
        if followed.get(&self.task).is_some_and(last) && self.last.has_changed().is_ok() {
            followed.remove(&self.task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_for_those_who_left() {
        let hub = Arc::new(Hub::default());
        let (one, other) = (hub.follow("a"), hub.follow("a"));
        drop(one);
        assert_eq!(hub.followed().len(), 1);
        drop(other);
        assert_eq!(hub.followed().len(), 0);
        hub.tell("a", 1);
        assert_eq!(hub.followed().len(), 0);
    }

    #[tokio::test]
    async fn the_number_never_falls_and_the_end_is_told() {
        let hub = Arc::new(Hub::default());
        let mut news = hub.follow("a");
        hub.tell("a", 5);
        hub.tell("a", 3);
        assert_eq!(news.after(4).await, Some(5));
        hub.forget("a");
        assert_eq!(news.after(5).await, None);
        let again = hub.follow("a");
        drop(news);
        assert_eq!(hub.followed().len(), 1);
        drop(again);
        assert_eq!(hub.followed().len(), 0);
    }
}
