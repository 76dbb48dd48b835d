//! The phone's stream of pictures, on a connection of its own.
//!
//! It knows when to open and to close the connection: with the first who looks, and some seconds after the last. Only the
//! newest picture is kept. It cannot block commands, and commands do not know of it. Where there is no stream, or it fails,
//! pictures taken one by one stand in for it.

pub(crate) mod parts;

use crate::{route::Route, screen};
use bytes::Bytes;
use driver_api::{Frame, Picture, Result};
use parts::Parts;
use std::{
    future::Future,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::watch,
    task::JoinHandle,
    time::{Instant, timeout},
};

/// How long the connection may take to come about.
const CONNECT: Duration = Duration::from_secs(3);
/// How long a picture is waited for before one is taken: the phone sends several a second, or none at all.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a stream that failed is left alone: a phone that cannot capture its screen must not be asked again and again.
const PAUSE: Duration = Duration::from_secs(10);
/// The phone sends nothing for up to ten seconds while it cannot take pictures.
const SILENCE: Duration = Duration::from_secs(15);
/// How long the stream goes on when nobody looks.
const IDLE: Duration = Duration::from_secs(5);
/// The phone sends several pictures a second, so an older one shows a screen of the past.
const FRESH: Duration = Duration::from_secs(2);

/// A phone's stream; it runs only while somebody looks.
#[derive(Debug)]
pub(crate) struct Stream {
    route: Route,
    numbers: Arc<AtomicU64>,
    running: Mutex<Option<Running>>,
    /// Until when it is left alone.
    failed: Mutex<Option<Instant>>,
}

#[derive(Debug)]
struct Running {
    latest: watch::Receiver<Latest>,
    used: Instant,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Clone, Debug)]
enum Latest {
    Nothing,
    Picture(Frame, Instant),
    Ended,
}

impl Stream {
    /// A stream that does not run.
    pub(crate) fn new(route: Route) -> Self {
        Stream { route, numbers: Arc::default(), running: Mutex::default(), failed: Mutex::default() }
    }

    /// The newest picture with a number above `after`: of the stream, or else the one that `take` takes.
    pub(crate) async fn frame<F>(self: &Arc<Self>, after: u64, take: impl FnOnce() -> F) -> Result<Frame>
    where
        F: Future<Output = Result<Picture>>,
    {
        if self.may_run() {
            match timeout(PATIENCE, self.next(after)).await {
                Ok(Some(frame)) => return Ok(frame),
                silent_or_ended => {
                    tracing::debug!(
                        silent = silent_or_ended.is_err(),
                        "no pictures by the stream; taking them one by one"
                    );
                    *self.failed() = Some(Instant::now() + PAUSE);
                }
            }
        }
        let picture = take().await?;
        Ok(Frame { number: next_number(&self.numbers, after), picture })
    }

    fn may_run(&self) -> bool {
        let there = self.route.address.is_some() || self.route.is_by_cable();
        there && self.failed().is_none_or(|until| Instant::now() >= until)
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest picture of the stream; `None` when it ended.
    async fn next(self: &Arc<Self>, after: u64) -> Option<Frame> {
        let mut latest = self.look();
        loop {
            match &*latest.borrow_and_update() {
                Latest::Picture(frame, at) if frame.number > after && at.elapsed() <= FRESH => {
                    return Some(frame.clone());
                }
                Latest::Ended => return None,
                _ => {}
            }
            latest.changed().await.ok()?;
        }
    }

    /// Ends it at once.
    pub(crate) fn stop(&self) {
        drop(self.running.lock().unwrap_or_else(PoisonError::into_inner).take());
        *self.failed() = None;
    }

    fn look(self: &Arc<Self>) -> watch::Receiver<Latest> {
        let mut place = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = place.as_mut().filter(|running| !running.task.is_finished()) {
            running.used = Instant::now();
            return running.latest.clone();
        }
        let (send, latest) = watch::channel(Latest::Nothing);
        let (route, numbers, stream) = (self.route.clone(), self.numbers.clone(), Arc::downgrade(self));
        let task = tokio::spawn(async move {
            let wanted = |send: &watch::Sender<Latest>| {
                // One receiver is kept with the stream; each further one belongs to somebody who waits.
                send.receiver_count() > 1
                    || stream.upgrade().is_some_and(|stream| {
                        let running = stream.running.lock().unwrap_or_else(PoisonError::into_inner);
                        running.as_ref().is_some_and(|running| running.used.elapsed() < IDLE)
                    })
            };
            if let Err(error) = run(&route, &numbers, &send, wanted).await {
                tracing::debug!(%error, "the stream of pictures ended");
            }
            send.send_replace(Latest::Ended);
        });
        *place = Some(Running { latest: latest.clone(), used: Instant::now(), task });
        latest
    }
}

/// A number above all that were given, and above what the caller has seen of an earlier connection.
fn next_number(numbers: &AtomicU64, after: u64) -> u64 {
    numbers.fetch_max(after.min(u64::MAX / 2), Ordering::Relaxed);
    numbers.fetch_add(1, Ordering::Relaxed) + 1
}

async fn run(
    route: &Route,
    numbers: &AtomicU64,
    send: &watch::Sender<Latest>,
    wanted: impl Fn(&watch::Sender<Latest>) -> bool,
) -> io::Result<()> {
    let socket = route.open(Instant::now() + CONNECT).await;
    let mut socket = socket.map_err(|broken| io::Error::other(format!("no connection: {broken:?}")))?;
    // The phone waits for something to be sent before it sends anything.
    socket.write_all(b"GET / HTTP/1.0\r\n\r\n").await?;
    let (mut parts, mut chunk) = (Parts::default(), vec![0; 64 << 10]);
    while wanted(send) {
        let length = timeout(SILENCE, socket.read(&mut chunk)).await??;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        parts.push(&chunk[..length]);
        while let Some(part) = parts.next().map_err(|unreadable| io::Error::other(unreadable.0))? {
            let Some((format, width, height)) = screen::head(&part) else { continue };
            let picture = Picture { bytes: Bytes::from(part), format, width, height };
            let number = next_number(numbers, 0);
            send.send_replace(Latest::Picture(Frame { number, picture }, Instant::now()));
        }
    }
    Ok(())
}
