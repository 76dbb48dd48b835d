//! The queue that serialises one device's calls.
//!
//! First come, first served; a caller that left is skipped; at most [`WAITING`] wait. It does not know what the calls do.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

/// How many calls may wait for one device.
pub const WAITING: usize = 32;

/// Why a call did not get its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Too many others wait.
    Full,
    /// The caller's time ran out.
    Late,
    /// The device does not answer, so that nothing is let through.
    Closed,
}

/// A device's queue.
#[derive(Debug)]
pub struct Lane {
    turn: Arc<Semaphore>,
    waiting: AtomicUsize,
    closed: AtomicBool,
    closing: Notify,
}

/// The right to speak to the device, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _permit: OwnedSemaphorePermit,
}

impl Default for Lane {
    fn default() -> Self {
        Lane {
            turn: Arc::new(Semaphore::new(1)),
            waiting: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            closing: Notify::new(),
        }
    }
}

impl Lane {
    /// How many calls wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Whether somebody has the turn.
    pub fn is_taken(&self) -> bool {
        self.turn.available_permits() == 0
    }

    /// Waits for a turn until `deadline`.
    ///
    /// # Errors
    /// [`Refused`]; surely nothing was done.
    pub async fn enter(&self, deadline: Instant) -> Result<Turn, Refused> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Refused::Closed);
        }
        // Most calls find nobody before them.
        if let Ok(permit) = self.turn.clone().try_acquire_owned() {
            return Ok(Turn { _permit: permit });
        }
        let _place = Place::take(&self.waiting)?;
        let closing = self.closing.notified();
        tokio::pin!(closing);
        closing.as_mut().enable();
        // Between the look at the top and the line above, the lane may have been closed.
        if self.closed.load(Ordering::Acquire) {
            return Err(Refused::Closed);
        }
        tokio::select! {
            biased;
            () = closing => Err(Refused::Closed),
            turn = timeout_at(deadline, self.turn.clone().acquire_owned()) => match turn {
                Ok(Ok(permit)) => Ok(Turn { _permit: permit }),
                Ok(Err(_)) => Err(Refused::Closed),
                Err(_) => Err(Refused::Late),
            },
        }
    }

    /// Lets nothing through any more; those who wait are sent away.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.closing.notify_waiters();
    }

    /// Lets calls through again.
    pub fn open(&self) {
        self.closed.store(false, Ordering::Release);
    }
}

/// One place in the queue, given back when its caller leaves.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Result<Self, Refused> {
        let place = Place(waiting);
        // On refusal `place` is dropped, which takes the count back.
        if waiting.fetch_add(1, Ordering::AcqRel) >= WAITING { Err(Refused::Full) } else { Ok(place) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[tokio::test]
    async fn calls_get_their_turn_in_the_order_in_which_they_came() {
        let lane = Arc::new(Lane::default());
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let first = lane.enter(soon()).await.expect("free");
        let mut tasks = Vec::new();
        for number in 0..5 {
            let (task_lane, order) = (lane.clone(), order.clone());
            tasks.push(tokio::spawn(async move {
                let _turn = task_lane.enter(soon()).await.expect("a turn");
                order.lock().expect("sound").push(number);
            }));
            while lane.waiting() <= number {
                tokio::task::yield_now().await;
            }
        }
        drop(first);
        for task in tasks {
            task.await.expect("finished");
        }
        assert_eq!(*order.lock().expect("sound"), [0, 1, 2, 3, 4]);
    }

    #[tokio::test]
    async fn a_caller_that_left_is_skipped_and_gives_its_place_back() {
        let lane = Lane::default();
        let turn = lane.enter(soon()).await.expect("free");
        let left = tokio::time::timeout(Duration::from_millis(5), lane.enter(soon())).await;
        assert!(left.is_err());
        assert_eq!(lane.waiting(), 0);
        drop(turn);
        lane.enter(soon()).await.expect("free again");
    }

    #[tokio::test]
    async fn the_caller_after_the_last_place_is_sent_away() {
        let lane = Arc::new(Lane::default());
        let _turn = lane.enter(soon()).await.expect("free");
        let waiting: Vec<_> = (0..WAITING)
            .map(|_| {
                let lane = lane.clone();
                tokio::spawn(async move { lane.enter(soon()).await.map(drop) })
            })
            .collect();
        while lane.waiting() < WAITING {
            tokio::task::yield_now().await;
        }
        assert_eq!(lane.enter(soon()).await.map(drop), Err(Refused::Full));
        for task in waiting {
            task.abort();
        }
    }

    #[tokio::test]
    async fn closing_sends_away_those_who_wait() {
        let lane = Arc::new(Lane::default());
        let turn = lane.enter(soon()).await.expect("free");
        let waiting = tokio::spawn({
            let lane = lane.clone();
            async move { lane.enter(soon()).await.map(drop) }
        });
        while lane.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        lane.close();
        assert_eq!(waiting.await.expect("finished"), Err(Refused::Closed));
        drop(turn);
        assert_eq!(lane.enter(soon()).await.map(drop), Err(Refused::Closed));
        lane.open();
        lane.enter(soon()).await.expect("open again");
    }

    #[tokio::test]
    async fn a_late_caller_is_told_so() {
        let lane = Lane::default();
        let _turn = lane.enter(soon()).await.expect("free");
        assert_eq!(lane.enter(Instant::now() + Duration::from_millis(5)).await.map(drop), Err(Refused::Late));
    }
}
