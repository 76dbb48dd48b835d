//! The phone's stream of pictures, on a connection of its own.
//!
//! It knows when to open and to close the connection: with the first who looks, and some seconds after the last. Only the
//! newest picture is kept. It cannot block commands, and commands do not know of it.

mod parts;

use crate::{options::Address, screen};
use bytes::Bytes;
use driver_api::{Error, ErrorKind, Frame, Picture, Result};
use parts::Parts;
use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
    task::JoinHandle,
    time::{Instant, timeout},
};

/// How long the connection may take to come about.
const CONNECT: Duration = Duration::from_secs(3);
/// The phone sends nothing for up to ten seconds while it cannot take pictures.
const SILENCE: Duration = Duration::from_secs(15);
/// How long the stream goes on when nobody looks.
const IDLE: Duration = Duration::from_secs(5);
/// The phone sends several pictures a second, so an older one shows a screen of the past.
const FRESH: Duration = Duration::from_secs(2);

/// A phone's stream; it runs only while somebody looks.
#[derive(Debug)]
pub(crate) struct Stream {
    address: Address,
    numbers: Arc<AtomicU64>,
    running: Mutex<Option<Running>>,
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
    pub(crate) fn new(address: Address) -> Self {
        Stream { address, numbers: Arc::default(), running: Mutex::default() }
    }

    /// The newest picture with a number above `after`.
    pub(crate) async fn frame(self: &Arc<Self>, after: u64) -> Result<Frame> {
        let mut latest = self.look();
        loop {
            match &*latest.borrow_and_update() {
                Latest::Picture(frame, at) if frame.number > after && at.elapsed() <= FRESH => return Ok(frame.clone()),
                Latest::Ended => return Err(ended()),
                _ => {}
            }
            latest.changed().await.map_err(|_| ended())?;
        }
    }

    /// Ends it at once.
    pub(crate) fn stop(&self) {
        drop(self.running.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn look(self: &Arc<Self>) -> watch::Receiver<Latest> {
        let mut place = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = place.as_mut().filter(|running| !running.task.is_finished()) {
            running.used = Instant::now();
            return running.latest.clone();
        }
        let (send, latest) = watch::channel(Latest::Nothing);
        let (address, numbers, stream) = (self.address.clone(), self.numbers.clone(), Arc::downgrade(self));
        let task = tokio::spawn(async move {
            let wanted = |send: &watch::Sender<Latest>| {
                // One receiver is kept with the stream; each further one belongs to somebody who waits.
                send.receiver_count() > 1
                    || stream.upgrade().is_some_and(|stream| {
                        let running = stream.running.lock().unwrap_or_else(PoisonError::into_inner);
                        running.as_ref().is_some_and(|running| running.used.elapsed() < IDLE)
                    })
            };
            if let Err(error) = run(&address, &numbers, &send, wanted).await {
                tracing::debug!(%error, "the stream of pictures ended");
            }
            send.send_replace(Latest::Ended);
        });
        *place = Some(Running { latest: latest.clone(), used: Instant::now(), task });
        latest
    }
}

fn ended() -> Error {
    Error::new(
        ErrorKind::PictureUnavailable,
        "the iPhone's stream of pictures cannot be read; check its stream_address",
    )
}

async fn run(
    address: &Address,
    numbers: &AtomicU64,
    send: &watch::Sender<Latest>,
    wanted: impl Fn(&watch::Sender<Latest>) -> bool,
) -> io::Result<()> {
    let mut socket = timeout(CONNECT, TcpStream::connect(address.host_port())).await??;
    socket.set_nodelay(true)?;
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
            let number = numbers.fetch_add(1, Ordering::Relaxed) + 1;
            send.send_replace(Latest::Picture(Frame { number, picture }, Instant::now()));
        }
    }
    Ok(())
}
