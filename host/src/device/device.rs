//! One device: its driver, its lane, its lease, and what is remembered of it.
//!
//! It runs closures against the driver, with a deadline, one at a time, and keeps the status true. It does not know what the
//! closures do.

use super::{
    DriverHandle, Error, ErrorKind, Event, Feature, Fresh, Holder, Lease, Outcome, Reason, State, Status,
    flight::Flight,
    lane::{Lane, Refused, Turn},
    lease::{Denied, Leases},
};
use crate::neutral::{App, DeviceInfo, DeviceState, Picture, Screen};
use driver_api::handle::PluginHandle;
use std::{
    collections::VecDeque,
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};
use tokio::time::{Instant, timeout_at};

/// The most that connecting may take.
const CONNECT: Duration = Duration::from_secs(30);
/// The most that letting go may take.
const DISCONNECT: Duration = Duration::from_secs(10);
/// The most that a look whether the device answers may take.
const PROBE: Duration = Duration::from_secs(5);
/// How much longer the host waits than the plugin, which ends its own work at the limit.
const GRACE: Duration = Duration::from_millis(250);
/// The most that a picture of a stream may take.
const FRAME: Duration = Duration::from_secs(5);
/// How long an unused connection is kept after an implicit lease ended.
const LINGER: Duration = Duration::from_secs(300);
/// Looks for a device that does not answer: the first after this time, each later one after twice as long.
const FIRST_PROBE: Duration = Duration::from_millis(500);
/// … up to this, so that a phone that was put away is left alone.
const SLOWEST_PROBE: Duration = Duration::from_secs(30);
/// How many holders that are gone are remembered: more calls than this cannot wait.
const REMEMBERED_GONE: usize = 2 * super::lane::WAITING;
/// How much before its limit a call counts as having used it up: timers on both sides of the boundary are not one.
const SLACK: Duration = Duration::from_millis(50);
/// How often a device that is not used is looked at.
const IDLE_PROBE: Duration = Duration::from_secs(30);

/// What a call is, as far as the device needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// For the log.
    pub name: &'static str,
    /// How long the device may take. Beyond it, the device is in error.
    pub limit: Duration,
}

/// Who wants to act, for one call. The lease is given, or renewed, in the device's turn, when the action is about to be sent:
/// a call that does nothing takes no device from anybody.
#[derive(Clone, Debug)]
pub struct Permit {
    holder: Holder,
    lease: Option<String>,
}

/// What is remembered of a device from what was last read.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Its screen.
    pub screen: Option<Screen>,
    /// The app in front.
    pub app: Option<App>,
    /// Battery and lock.
    pub state: DeviceState,
}

/// A lease as others may see it.
#[derive(Clone, Debug)]
pub struct LeaseView {
    /// Who holds it.
    pub holder: String,
    /// Its fencing number.
    pub fence: u64,
    /// When it ends unless it is renewed.
    pub expires_at: SystemTime,
}

/// The last thing that went wrong with a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// A call failed.
    #[error(transparent)]
    Failed(driver_api::Error),
    /// No call failed; the plugin says so in words for callers.
    #[error("{0}")]
    Noticed(String),
}

/// Everything that is known of a device, from memory.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// What the plugin says of it.
    pub info: DeviceInfo,
    /// What callers see.
    pub status: Status,
    /// Why it is offline or in error.
    pub reason: Option<Reason>,
    /// When status or reason last changed.
    pub since: SystemTime,
    /// The lease that stands.
    pub lease: Option<LeaseView>,
    /// How many calls wait.
    pub queue: usize,
    /// What was last read.
    pub facts: Facts,
    /// The last failure.
    pub last_error: Option<Trouble>,
    /// When the device last answered.
    pub seen_at: Option<SystemTime>,
}

/// One device.
pub struct Device {
    id: String,
    lane: Lane,
    driver: DriverHandle,
    fresh: Fresh,
    memory: Mutex<Memory>,
}

struct Memory {
    info: DeviceInfo,
    state: State,
    leases: Leases,
    facts: Facts,
    /// Whether the driver is connected. Changes only in the device's turn.
    connected: bool,
    /// Counts connections.
    epoch: u64,
    last_error: Option<Trouble>,
    seen_at: Option<SystemTime>,
    next_probe: Instant,
    probe_pause: Duration,
    probing: bool,
    linger_until: Option<Instant>,
    /// Sessions that have ended lately.
    gone: VecDeque<String>,
}

impl Device {
    pub(super) fn new(plugin: &PluginHandle, info: DeviceInfo, fresh: Fresh) -> driver_api::Result<Arc<Self>> {
        let driver = plugin.driver(&info.id)?;
        Ok(Arc::new(Device {
            id: info.id.clone(),
            lane: Lane::default(),
            driver,
            fresh,
            memory: Mutex::new(Memory {
                info,
                state: State::new(SystemTime::now()),
                leases: Leases::default(),
                facts: Facts::default(),
                connected: false,
                epoch: 0,
                last_error: None,
                seen_at: None,
                next_probe: Instant::now(),
                probe_pause: FIRST_PROBE,
                probing: false,
                linger_until: None,
                gone: VecDeque::new(),
            }),
        }))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Every change leaves the memory sound, so that a panic elsewhere does no harm to it.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether the driver has an optional operation.
    pub fn has(&self, feature: Feature) -> bool {
        self.driver.has(feature)
    }

    /// Counts connections: what was learned from an earlier one may no longer hold.
    pub fn epoch(&self) -> u64 {
        self.memory().epoch
    }

    /// Everything that is known of the device, without speaking to it.
    pub fn snapshot(&self) -> Snapshot {
        let mut memory = self.memory();
        let lease = memory.standing_lease().map(|lease| LeaseView {
            holder: lease.holder.name.clone(),
            fence: lease.fence,
            expires_at: lease.expires_at,
        });
        Snapshot {
            info: memory.info.clone(),
            status: memory.state.status(),
            reason: memory.state.reason(),
            since: memory.state.since,
            lease,
            queue: self.lane.waiting(),
            facts: memory.facts.clone(),
            last_error: memory.last_error.clone(),
            seen_at: memory.seen_at,
        }
    }

    /// What is remembered of the device.
    pub fn facts(&self) -> Facts {
        self.memory().facts.clone()
    }

    /// Remembers what was read.
    pub fn learn(&self, learn: impl FnOnce(&mut Facts)) {
        learn(&mut self.memory().facts);
    }

    pub(super) fn update(&self, info: DeviceInfo) {
        let mut memory = self.memory();
        // What the device said itself is not forgotten because its plugin cannot tell it now.
        let known = std::mem::replace(&mut memory.info, info);
        memory.info.model = memory.info.model.take().or(known.model);
        memory.info.os_version = memory.info.os_version.take().or(known.os_version);
        if memory.state.reason() == Some(Reason::Unplugged) {
            memory.happened(Event::Lost(Reason::Reconnecting));
        }
        memory.next_probe = Instant::now();
    }

    /// What the plugin has to say of the device, though no call failed.
    pub(super) fn noticed(&self, message: String) {
        let last = Trouble::Noticed(message);
        let mut memory = self.memory();
        if memory.last_error.as_ref() != Some(&last) {
            tracing::warn!(device = self.id, "{last}");
            memory.last_error = Some(last);
        }
    }

    pub(super) fn unplugged(&self) {
        let mut memory = self.memory();
        memory.connected = false;
        memory.happened(Event::Unplugged);
    }

    /// An explicit lease for `holder`, once the device is usable.
    ///
    /// # Errors
    /// When another holds it, or it cannot be reached: the device is then offline.
    pub async fn connect(self: &Arc<Self>, holder: &Holder, ttl: Duration, deadline: Instant) -> Result<Lease, Error> {
        self.memory().leases.check(holder, None, SystemTime::now())?;
        // Connecting is how a caller tries again, so that a closed lane is no obstacle.
        if self.memory().state.reason().is_some() {
            self.probe_now(deadline).await?;
        }
        self.look(Operation { name: "connect", limit: CONNECT }, deadline, |driver, within| async move {
            // A phone that is connected and silent is as good as not there.
            driver.probe(within.min(PROBE)).await.map_err(unreachable)
        })
        .await?;
        let mut memory = self.memory();
        let lease = memory.leases.connect(holder, ttl, SystemTime::now(), || (self.fresh)())?.clone();
        memory.happened(Event::Leased);
        Ok(lease)
    }

    /// Ends the caller's lease and lets go of the device. Nothing happens where that is so already.
    ///
    /// # Errors
    /// When another holds it.
    pub async fn disconnect(
        self: &Arc<Self>,
        holder: &Holder,
        lease: Option<&str>,
        deadline: Instant,
    ) -> Result<(), Error> {
        {
            let mut memory = self.memory();
            let now = SystemTime::now();
            match memory.leases.release(holder, lease, now) {
                Ok(_) => memory.happened(Event::Released),
                // A lease that has ended is as good as released, if nobody else has one.
                Err(Denied::Lost) if memory.leases.current(now).is_none() => {}
                Err(denied) => return Err(denied.into()),
            }
        }
        // The lease is gone at once; the phone may take its time.
        let _ = timeout_at(deadline, self.let_go(false)).await;
        Ok(())
    }

    /// Ends the lease of a holder that is gone for good; what it still has in the queue will not run.
    pub fn forget_holder(&self, key: &str) {
        let mut memory = self.memory();
        memory.gone.push_back(key.to_owned());
        if memory.gone.len() > REMEMBERED_GONE {
            memory.gone.pop_front();
        }
        if memory.leases.forget(key, SystemTime::now()) {
            memory.happened(Event::Released);
        }
    }

    /// Whether this caller may act as things stand.
    ///
    /// # Errors
    /// When another holds the device, or the named lease has ended.
    pub fn permit(&self, holder: &Holder, lease: Option<&str>) -> Result<Permit, Error> {
        self.memory().leases.check(holder, lease, SystemTime::now())?;
        Ok(Permit { holder: holder.clone(), lease: lease.map(str::to_owned) })
    }

    /// Renews the lease of a caller that goes on with what it began.
    ///
    /// # Errors
    /// When its lease has ended, or another holds the device.
    pub fn keep(&self, permit: &Permit) -> Result<(), Error> {
        Ok(self.memory().leases.keep(&permit.holder, permit.lease.as_deref(), SystemTime::now())?)
    }

    /// Reads from the device. When the connection breaks, it is made again and the read repeated once.
    ///
    /// # Errors
    /// [`Error`]; a failed read has done nothing.
    pub async fn look<T, F, Fut>(self: &Arc<Self>, operation: Operation, deadline: Instant, read: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(DriverHandle, Duration) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = driver_api::Result<T>> + Send + 'static,
    {
        let turn = self.enter(deadline).await?;
        let device = self.clone();
        let flight = Flight::new(async move {
            let _turn = turn;
            let until = Instant::now() + operation.limit;
            // A connection that was just refused would be refused again; one that broke is worth a second try.
            let was_connected = device.memory().connected;
            match device.attempt(operation, until, None, None, &read).await {
                Err(Error::Unavailable { status: Status::Offline, .. }) if was_connected && Instant::now() < until => {
                    device.attempt(operation, until, None, None, &read).await
                }
                answer => answer,
            }
        });
        timeout_at(deadline, flight).await.unwrap_or(Err(Error::Late { outcome: Outcome::NotDone }))
    }

    /// The next picture of the device's stream with a number above `after`, and its number. It is taken beside whatever else is
    /// done with the device and needs no turn; a failure says nothing of the device.
    ///
    /// # Errors
    /// [`Error`]; when the device is not connected yet, those of connecting.
    pub async fn frame(self: &Arc<Self>, after: u64, deadline: Instant) -> Result<(u64, Picture), Error> {
        if !self.memory().connected {
            self.look(Operation { name: "connect", limit: CONNECT }, deadline, |_, _| async { Ok(()) }).await?;
        }
        let deadline = deadline.min(Instant::now() + FRAME);
        let within = deadline.saturating_duration_since(Instant::now());
        let answer = timeout_at(deadline + GRACE, self.driver.frames(after, within)).await;
        let frame = answer.unwrap_or_else(|_| Err(driver_api::Error::new(ErrorKind::Timeout, "no picture in time")));
        frame.map(|frame| (frame.number, frame.picture)).map_err(Error::Driver)
    }

    /// Acts on the device, once.
    ///
    /// # Errors
    /// [`Error`], with what is known of the outcome.
    pub async fn act<T, F, Fut>(
        self: &Arc<Self>,
        permit: Permit,
        operation: Operation,
        deadline: Instant,
        action: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(DriverHandle, Duration) -> Fut + Send + 'static,
        Fut: Future<Output = driver_api::Result<T>> + Send + 'static,
    {
        let turn = self.enter(deadline).await?;
        let sent = Arc::new(AtomicBool::new(false));
        let flight = Flight::new({
            let (device, sent) = (self.clone(), sent.clone());
            async move {
                let _turn = turn;
                let until = Instant::now() + operation.limit;
                device.attempt(operation, until, Some(permit), Some(&sent), action).await
            }
        });
        timeout_at(deadline, flight).await.unwrap_or_else(|_| {
            let sent = sent.load(Ordering::Acquire);
            Err(Error::Late { outcome: if sent { Outcome::Unknown } else { Outcome::NotDone } })
        })
    }

    async fn enter(&self, deadline: Instant) -> Result<Turn, Error> {
        self.lane.enter(deadline).await.map_err(|refused| match refused {
            Refused::Full => Error::Overloaded,
            Refused::Late => Error::Late { outcome: Outcome::NotDone },
            Refused::Closed => self.unavailable(Outcome::NotDone),
        })
    }

    fn unavailable(&self, outcome: Outcome) -> Error {
        let state = self.memory().state;
        match state.reason() {
            Some(reason) => Error::Unavailable { status: state.status(), reason, outcome },
            // It has just come back; the caller may try again.
            None => Error::Unavailable { status: Status::Offline, reason: Reason::Reconnecting, outcome },
        }
    }

    /// Runs one closure in the device's turn.
    async fn attempt<T, Fut>(
        &self,
        operation: Operation,
        until: Instant,
        permit: Option<Permit>,
        sent: Option<&AtomicBool>,
        work: impl FnOnce(DriverHandle, Duration) -> Fut,
    ) -> Result<T, Error>
    where
        Fut: Future<Output = driver_api::Result<T>>,
    {
        self.ensure_connected(until).await?;
        let acts = permit.is_some();
        if let Some(Permit { holder, lease }) = permit {
            let mut memory = self.memory();
            if memory.gone.contains(&holder.key) {
                return Err(Error::LeaseLost);
            }
            memory.leases.act(&holder, lease.as_deref(), SystemTime::now(), || (self.fresh)())?;
            memory.linger_until = None;
            memory.happened(Event::Leased);
        }
        if let Some(sent) = sent {
            sent.store(true, Ordering::Release);
        }
        let within = until.saturating_duration_since(Instant::now());
        let answer = timeout_at(until + GRACE, work(self.driver.clone(), within)).await;
        let answer = answer
            .unwrap_or_else(|_| Err(driver_api::Error::unknown(ErrorKind::Timeout, "the driver did not end its work")));
        // Whatever a read does, it changes nothing.
        self.judge(operation, answer, if acts { None } else { Some(Outcome::NotDone) }, until)
    }

    async fn ensure_connected(&self, until: Instant) -> Result<(), Error> {
        if self.memory().connected {
            return Ok(());
        }
        let operation = Operation { name: "connect", limit: CONNECT };
        let until = until.min(Instant::now() + CONNECT);
        let within = until.saturating_duration_since(Instant::now());
        let answer = timeout_at(until + GRACE, self.driver.connect(within)).await;
        let answer =
            answer.unwrap_or_else(|_| Err(driver_api::Error::new(ErrorKind::Timeout, "it did not connect in time")));
        // A device that does not answer to connecting is not reachable; one that stops answering in use is in error.
        self.judge(operation, answer.map_err(unreachable), Some(Outcome::NotDone), until)?;
        {
            let mut memory = self.memory();
            memory.connected = true;
            memory.epoch += 1;
        }
        self.introduce(until).await;
        Ok(())
    }

    /// Asks a device that was just connected for what every call needs. What it cannot say stays unknown.
    async fn introduce(&self, until: Instant) {
        let within = || until.saturating_duration_since(Instant::now());
        // A plugin that blocks its own threads ends nothing in time; the device's turn must not hang on it.
        let patience = until + GRACE;
        if self.has(Feature::ScreenInfo)
            && let Ok(Ok(screen)) = timeout_at(patience, self.driver.screen_info(within())).await
        {
            self.learn(|facts| facts.screen = Some(screen));
        }
        if self.has(Feature::DeviceInfo)
            && let Ok(Ok(state)) = timeout_at(patience, self.driver.device_info(within())).await
        {
            let mut memory = self.memory();
            memory.info.model = state.model.clone().or(memory.info.model.take());
            memory.info.os_version = state.os_version.clone().or(memory.info.os_version.take());
            memory.facts.state = state;
        }
    }

    /// Takes from an answer what it says of the device, and gives the caller the rest.
    fn judge<T>(
        &self,
        operation: Operation,
        answer: driver_api::Result<T>,
        outcome: Option<Outcome>,
        until: Instant,
    ) -> Result<T, Error> {
        let error = match answer {
            Ok(value) => {
                self.answered();
                return Ok(value);
            }
            Err(error) => error,
        };
        let event = match error.kind {
            ErrorKind::NotReachable => Event::Lost(Reason::NotReachable),
            ErrorKind::HelperNotRunning => Event::Lost(Reason::HelperNotRunning),
            ErrorKind::NeedsTrust => Event::Lost(Reason::NeedsTrust),
            ErrorKind::NotAuthorized => Event::Lost(Reason::NotAuthorized),
            ErrorKind::NotConnected => Event::Lost(Reason::Reconnecting),
            ErrorKind::Timeout if Instant::now() + SLACK >= until => Event::Overran,
            ErrorKind::Panicked => Event::PluginFailed,
            kind => {
                // It answered, only not what was wanted; a driver that gave up early has its own reasons for it.
                if kind != ErrorKind::Timeout {
                    self.answered();
                }
                self.memory().last_error = Some(Trouble::Failed(error.clone()));
                let outcome = outcome.unwrap_or(error.outcome);
                return Err(Error::Driver(error.with_outcome(outcome)));
            }
        };
        tracing::warn!(device = self.id, operation = operation.name, %error, "the device failed");
        let outcome = outcome.unwrap_or(error.outcome);
        {
            let mut memory = self.memory();
            memory.last_error = Some(Trouble::Failed(error.clone()));
            memory.connected = false;
            memory.happened(event);
            memory.probe_pause = FIRST_PROBE;
            memory.next_probe = Instant::now() + FIRST_PROBE;
        }
        match event {
            // The call's own error says more than that the device is unwell.
            Event::PluginFailed => return Err(Error::Driver(driver_api::Error { outcome, ..error })),
            Event::Overran => {
                self.lane.close();
                return Err(Error::Overran { outcome });
            }
            _ => {}
        }
        Err(self.unavailable(outcome))
    }

    fn answered(&self) {
        let mut memory = self.memory();
        memory.seen_at = Some(SystemTime::now());
        memory.probe_pause = FIRST_PROBE;
        memory.next_probe = Instant::now() + IDLE_PROBE;
        // Whoever looks uses the connection too.
        if memory.linger_until.is_some() {
            memory.linger_until = Some(Instant::now() + LINGER);
        }
        if memory.state.reason().is_some() {
            memory.happened(Event::Answered);
            drop(memory);
            self.lane.open();
        }
    }

    /// Looks whether the device answers, and waits for what comes out.
    async fn probe_now(&self, deadline: Instant) -> Result<(), Error> {
        let until = deadline.min(Instant::now() + PROBE);
        let within = until.saturating_duration_since(Instant::now());
        let answer = timeout_at(until + GRACE, self.driver.probe(within)).await;
        let answer = answer.unwrap_or_else(|_| Err(driver_api::Error::new(ErrorKind::Timeout, "no answer")));
        // A device that does not even answer this is not there, unless it is known to be there and at a loss.
        let answer = match self.memory().state.reason() {
            Some(Reason::Unresponsive) => answer,
            _ => answer.map_err(unreachable),
        };
        self.judge(Operation { name: "probe", limit: PROBE }, answer, Some(Outcome::NotDone), until)
    }

    /// What is due for a device that nobody uses: a look whether it is there, and letting go of a connection that is not
    /// needed any more. Called every now and then; returns at once, and tells whether anything was due.
    pub(super) fn tend(self: &Arc<Self>, now: Instant) -> bool {
        let mut memory = self.memory();
        memory.settle_lease();
        if let Some(ended) = memory.leases.take_ended() {
            let since = SystemTime::now().duration_since(ended).unwrap_or_default();
            memory.linger_until = Some(now + LINGER.saturating_sub(since));
        }
        if memory.linger_until.is_some_and(|until| now >= until) {
            memory.linger_until = None;
            drop(memory);
            let device = self.clone();
            tokio::spawn(async move { device.let_go(false).await });
            return true;
        }
        // A device in use tells by itself how it is, and some can do only one thing at a time. One that was unplugged comes
        // back when its plugin says so.
        let in_use = self.lane.is_taken() && memory.state.reason().is_none();
        let gone = memory.state.reason() == Some(Reason::Unplugged);
        if memory.probing || in_use || gone || now < memory.next_probe {
            return false;
        }
        memory.probing = true;
        let pause = memory.probe_pause;
        memory.next_probe = now + pause;
        memory.probe_pause = (pause * 2).min(SLOWEST_PROBE);
        drop(memory);
        let device = self.clone();
        tokio::spawn(async move {
            let before = device.memory().probe_pause;
            if device.probe_now(Instant::now() + PROBE).await.is_err() {
                // `judge` starts the pauses anew for a failure in use; this one was only looked at.
                let mut memory = device.memory();
                memory.probe_pause = before;
                memory.next_probe = Instant::now() + before;
            }
            device.memory().probing = false;
        });
        true
    }

    /// Whether the first look at the device is over.
    pub(super) fn is_settled(&self) -> bool {
        let memory = self.memory();
        memory.seen_at.is_some() || memory.state.reason().is_some()
    }

    /// Closes the driver's connection, in the device's turn; not if somebody holds the device by then, unless `always`.
    pub(super) async fn let_go(self: &Arc<Self>, always: bool) {
        let deadline = Instant::now() + DISCONNECT;
        let turn = match self.lane.enter(deadline).await {
            Ok(turn) => Some(turn),
            // A device that does not answer has no turn to give; its connection is dropped all the same.
            Err(Refused::Closed) => None,
            // Somebody is at work on it.
            Err(Refused::Full | Refused::Late) => return,
        };
        let device = self.clone();
        let flight = Flight::new(async move {
            let _turn = turn;
            {
                let mut memory = device.memory();
                if !always && memory.standing_lease().is_some() {
                    return;
                }
                memory.connected = false;
            }
            let done = tokio::time::timeout(DISCONNECT + GRACE, device.driver.disconnect(DISCONNECT)).await;
            if let Ok(Err(error)) = done {
                tracing::debug!(device = device.id, %error, "letting go of the device failed");
            }
        });
        flight.await;
    }
}

/// Silence where an answer is the least to expect: the device is not there.
fn unreachable(error: driver_api::Error) -> driver_api::Error {
    match error.kind {
        ErrorKind::Timeout => driver_api::Error { kind: ErrorKind::NotReachable, ..error },
        _ => error,
    }
}

impl Memory {
    fn happened(&mut self, event: Event) {
        self.state = self.state.after(event, SystemTime::now());
    }

    /// The lease that stands; one that has ended is taken notice of.
    fn standing_lease(&mut self) -> Option<Lease> {
        self.settle_lease();
        self.leases.current(SystemTime::now()).cloned()
    }

    fn settle_lease(&mut self) {
        if self.leases.current(SystemTime::now()).is_none() {
            self.happened(Event::Released);
        }
    }
}

impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Busy { holder, expires_at } => Error::Busy { holder, expires_at },
            Denied::Lost => Error::LeaseLost,
        }
    }
}
