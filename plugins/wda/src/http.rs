//! The wire: one request, one answer, within a time and a size.
//!
//! It knows HTTP and how a connection fails. It knows neither sessions nor what the phone's answers mean, and it never
//! sends anything twice.
//!
//! The connection is driven by the call that uses it rather than by a task of its own. That saves a change of task each way,
//! and a kept connection that ended meanwhile is noticed before anything is sent, so that the call can say for certain that
//! nothing happened. A client over addresses could do neither, nor speak through a cable.

use crate::route::{Route, Socket};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::Incoming,
    client::conn::http1::{self, SendRequest},
    header,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::{
    fmt,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{Mutex, PoisonError},
    task::Poll,
    time::Duration,
};
use tokio::time::{Instant, timeout_at};

pub(crate) use hyper::Method;

/// No answer of a phone is larger: a tree of thousands of elements has a few megabytes, a picture some ten.
const LARGEST: usize = 64 << 20;
/// A connection that was left alone for longer is not trusted: something on the way may have forgotten it.
const REST: Duration = Duration::from_secs(60);
/// Left of the caller's time, so that the answer about a timeout still reaches it.
const MARGIN: Duration = Duration::from_millis(30);

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status line's number.
    pub(crate) status: u16,
    /// The body, or the part of it that arrived.
    pub(crate) body: Vec<u8>,
    /// Whether all of the body arrived.
    pub(crate) whole: bool,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// No connection: the phone is neither plugged in nor has it an address. Nothing was sent.
    NotPlugged,
    /// No connection: the port is closed on a phone that is there. Nothing was sent.
    PortClosed,
    /// No connection: nobody is there. Nothing was sent.
    NoRoute,
    /// The other side took the connection and closed it before anything was sent.
    HungUp,
    /// The connection broke after something may have been sent.
    Lost,
    /// The time was over.
    Late,
    /// The answer was too large to keep.
    TooLarge,
}

/// A client for one phone, with one kept connection.
#[derive(Debug)]
pub(crate) struct Http {
    route: Route,
    host: String,
    kept: Mutex<Option<Wire>>,
}

impl Http {
    /// A client with no connection yet.
    pub(crate) fn new(route: Route) -> Self {
        let host = route.host();
        Http { route, host, kept: Mutex::default() }
    }

    /// Sends once. `path` starts with a slash and does not end with one.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        limit: Duration,
    ) -> Result<Answer, Broken> {
        debug_assert!(path.starts_with('/') && !path.ends_with('/'), "{path}");
        let until = Instant::now() + within(limit);
        let bytes = body.map(|body| Bytes::from(body.to_string()));
        let request = || {
            let request = Request::builder().method(method.clone()).uri(path).header(header::HOST, &self.host);
            let request = match &bytes {
                // The length is known, and therefore stated, as the phone needs it.
                Some(bytes) => request.header(header::CONTENT_TYPE, "application/json").body(Full::new(bytes.clone())),
                None => request.body(Full::default()),
            };
            request.map_err(|_| Broken::NoRoute)
        };
        // Taken out, so that a call that is dropped takes its half-used connection with it.
        let kept = self.kept().take().filter(|wire| wire.since.elapsed() < REST);
        // A cable that was pulled takes its connections with it, also those whose end has not been heard of yet.
        let kept = kept.filter(|wire| !wire.by_cable || self.route.is_by_cable());
        if let Some(wire) = kept {
            match self.exchange(wire, request()?, until).await {
                // It had ended while it was kept.
                Err(Broken::HungUp) => {}
                answer => return answer,
            }
        }
        let by_cable = self.route.is_by_cable();
        let wire = Wire::open(self.route.open(until).await?, by_cable).await?;
        self.exchange(wire, request()?, until).await
    }

    async fn exchange(&self, mut wire: Wire, request: Request<Full<Bytes>>, until: Instant) -> Result<Answer, Broken> {
        let answer = timeout_at(until, wire.exchange(request)).await.unwrap_or(Err(Broken::Late))?;
        if answer.whole && wire.connection.is_some() {
            wire.since = Instant::now();
            *self.kept() = Some(wire);
        }
        Ok(answer)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Option<Wire>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// At most `limit`, and less when the caller's time is nearly over.
pub(crate) fn within(limit: Duration) -> Duration {
    driver_api::time_left().map_or(limit, |left| limit.min(left.saturating_sub(MARGIN)))
}

impl Answer {
    /// Whether the status says that the command was carried out.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

type Driving = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

/// One connection.
struct Wire {
    sender: SendRequest<Full<Bytes>>,
    /// What moves its bytes; gone once it has ended.
    connection: Option<Driving>,
    since: Instant,
    by_cable: bool,
}

impl Wire {
    async fn open(socket: Socket, by_cable: bool) -> Result<Wire, Broken> {
        // Nothing is sent by this.
        let (sender, connection) = http1::handshake(TokioIo::new(socket)).await.map_err(|_| Broken::NoRoute)?;
        Ok(Wire { sender, connection: Some(Box::pin(connection)), since: Instant::now(), by_cable })
    }

    async fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Answer, Broken> {
        let Wire { sender, connection, .. } = self;
        if driven(connection, sender.ready()).await.is_err() {
            return Err(Broken::HungUp);
        }
        let response = driven(connection, sender.try_send_request(request)).await;
        let response = response.map_err(|mut error| match error.take_message() {
            Some(_) => Broken::HungUp,
            None => Broken::Lost,
        })?;
        read(connection, response).await
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("since", &self.since).finish_non_exhaustive()
    }
}

async fn read(connection: &mut Option<Driving>, response: Response<Incoming>) -> Result<Answer, Broken> {
    let status = response.status().as_u16();
    let announced =
        response.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let mut body = Vec::with_capacity(announced.unwrap_or(0_usize).min(16 << 20));
    let mut incoming = response.into_body();
    while let Some(frame) = driven(connection, incoming.frame()).await {
        match frame.map(|frame| frame.into_data().unwrap_or_default()) {
            Ok(data) if body.len() + data.len() > LARGEST => return Err(Broken::TooLarge),
            Ok(data) => body.extend_from_slice(&data),
            Err(_) if body.is_empty() => return Err(Broken::Lost),
            Err(_) => return Ok(Answer { status, body, whole: false }),
        }
    }
    Ok(Answer { status, body, whole: true })
}

/// Waits for `work`, and moves the connection's bytes meanwhile.
async fn driven<T>(connection: &mut Option<Driving>, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(done);
        }
        if let Some(driving) = connection
            && driving.as_mut().poll(context).is_ready()
        {
            *connection = None;
        }
        // What just arrived is often all that the work waits for.
        work.as_mut().poll(context)
    })
    .await
}
