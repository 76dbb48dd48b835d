//! What was asked of the simulator and what the fingers did, in order. It only remembers.

use driver_api::{Finger, Point, Swipe};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// One request, as it came in.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path as sent, with its query.
    pub path: String,
    /// The path without the query and without `/session/ID`, such as `/wda/tap`.
    pub route: String,
    /// The session named in the path.
    pub session: Option<String>,
    /// The body as text.
    pub body: String,
    /// When its last byte was there.
    pub at: Instant,
    /// On which connection, counted from 1.
    pub connection: u64,
    /// The status that was answered; `None` while it is being worked on, and when nothing was answered.
    pub status: Option<u16>,
}

impl Request {
    /// Method and route, such as `POST /wda/tap`.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.route)
    }
}

/// What reached the phone's glass, in points of the orientation of that moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Touch {
    /// Down and up again.
    Tap {
        /// Where.
        at: Point,
    },
    /// Twice, quickly.
    DoubleTap {
        /// Where.
        at: Point,
    },
    /// Down for a while.
    LongPress {
        /// Where.
        at: Point,
        /// How long.
        hold: Duration,
    },
    /// One finger in a straight line.
    Swipe(Swipe),
    /// Anything else.
    Gesture(Vec<Finger>),
}

/// So many requests and touches are kept at least; a bench makes far more.
const KEPT: usize = 50_000;

/// Both lists.
#[derive(Debug, Default)]
pub(crate) struct Log {
    requests: Mutex<Requests>,
    touches: Mutex<Vec<Touch>>,
}

/// The list, and how many were cleared away before its first.
#[derive(Debug, Default)]
struct Requests {
    cleared: usize,
    list: Vec<Request>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Log {
    /// Remembers a request and says under which number.
    pub(crate) fn request(&self, request: Request) -> usize {
        let mut requests = lock(&self.requests);
        if requests.list.len() >= 2 * KEPT {
            requests.list.drain(..KEPT);
            requests.cleared += KEPT;
        }
        requests.list.push(request);
        requests.cleared + requests.list.len() - 1
    }

    pub(crate) fn answered(&self, number: usize, status: u16) {
        let mut requests = lock(&self.requests);
        let place = number.checked_sub(requests.cleared);
        if let Some(request) = place.and_then(|place| requests.list.get_mut(place)) {
            request.status = Some(status);
        }
    }

    pub(crate) fn touch(&self, touch: Touch) {
        let mut touches = lock(&self.touches);
        if touches.len() >= 2 * KEPT {
            touches.drain(..KEPT);
        }
        touches.push(touch);
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        lock(&self.requests).list.clone()
    }

    pub(crate) fn touches(&self) -> Vec<Touch> {
        lock(&self.touches).clone()
    }

    pub(crate) fn clear(&self) {
        let mut requests = lock(&self.requests);
        requests.cleared += requests.list.len();
        requests.list.clear();
        drop(requests);
        lock(&self.touches).clear();
    }
}
