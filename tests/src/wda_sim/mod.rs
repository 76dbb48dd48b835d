//! A **simulated** iPhone: a virtual phone served over WebDriverAgent's HTTP protocol, so that the driver and independent
//! clients can be tested without a phone. It is a test tool. What it does was written from facts about the real server, never
//! checked against a real phone; what it shows is that clients and driver agree with those facts.
//!
//! [`WdaSim::start`] binds a free port on loopback and serves until it is dropped. A test looks at the phone and moves it
//! through [`WdaSim::phone`], reads what came in from [`WdaSim::requests`] and [`WdaSim::touches`], and makes the agent
//! misbehave through [`WdaSim::faults`].
//!
//! This module knows how the parts are put together. Apps go by the name under which they were last asked for
//! (`com.apple.Preferences` or `com.fingertip.settings`), the home screen is `com.apple.springboard`.

mod actions;
mod alerts;
mod commands;
mod device;
mod elements;
mod errors;
mod faults;
mod generation;
mod log;
mod mjpeg;
mod picture;
mod predicate;
mod router;
mod selector;
mod server;
mod session;
mod source;
mod text;
mod touch;

pub use faults::{Fault, Faults, Source};
pub use generation::Generation;
pub use log::{Request, Touch};

use log::Log;
use session::Agent;
use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime, sync::watch};
use virtual_phone::{Phone, PhoneOptions};

/// How a simulator is made.
#[derive(Clone, Debug)]
pub struct SimOptions {
    /// The phone.
    pub phone: PhoneOptions,
    /// The release of the server.
    pub generation: Generation,
    /// The version of iOS that it states.
    pub os_version: String,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Whether the stream of pictures is served too, and on which port; 0 takes a free one.
    pub mjpeg_port: Option<u16>,
    /// How long unlocking waits before it fails on a passcode. A real phone takes about seven seconds.
    pub unlock_wait: Duration,
    /// Whether the pasteboard can be reached only while the agent's own app is in front, as on real phones.
    pub strict_pasteboard: bool,
    /// Whether typing with nothing focused is an error rather than lost; `None` is as the release does it.
    pub keyboard_check: Option<bool>,
    /// How often open alerts are looked at for a session that wants them answered.
    pub alert_period: Duration,
}

impl Default for SimOptions {
    fn default() -> Self {
        SimOptions {
            phone: PhoneOptions::default(),
            generation: Generation::default(),
            os_version: "17.5".to_owned(),
            port: 0,
            mjpeg_port: None,
            unlock_wait: Duration::ZERO,
            strict_pasteboard: false,
            keyboard_check: None,
            alert_period: Duration::from_secs(2),
        }
    }
}

impl SimOptions {
    /// The usual phone behind a given release of the server.
    pub fn of(generation: Generation) -> SimOptions {
        SimOptions { generation, ..SimOptions::default() }
    }

    pub(crate) fn demands_keyboard(&self) -> bool {
        self.keyboard_check.unwrap_or(!self.generation.has(5, 10, 0))
    }
}

/// What all parts of one simulator share. Where both are needed, the agent is locked before the phone.
pub(crate) struct Sim {
    pub(crate) options: SimOptions,
    phone: Mutex<Phone>,
    agent: Arc<Mutex<Agent>>,
    pub(crate) faults: Faults,
    pub(crate) log: Log,
    /// The app's main queue: one command at a time.
    pub(crate) queue: tokio::sync::Mutex<()>,
}

impl Sim {
    pub(crate) fn phone(&self) -> MutexGuard<'_, Phone> {
        self.phone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn agent(&self) -> MutexGuard<'_, Agent> {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long a touch, or the creation of a session, waits for an app that never comes to rest.
    pub(crate) fn idle_wait(&self, touch: bool) -> Duration {
        if !self.faults.is_never_idle() {
            return Duration::ZERO;
        }
        let idle = Duration::try_from_secs_f64(self.agent().number("waitForIdleTimeout")).unwrap_or_default();
        idle + if touch { self.still_wait() } else { Duration::ZERO }
    }

    /// How long the page source and touches wait for the screen to stand still.
    pub(crate) fn still_wait(&self) -> Duration {
        if !self.faults.is_never_idle() {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(self.agent().number("animationCoolOffTimeout")).unwrap_or_default()
    }
}

/// A running simulator. It ends when it is dropped.
pub struct WdaSim {
    sim: Arc<Sim>,
    address: SocketAddr,
    mjpeg: Option<SocketAddr>,
    // It has threads of its own, so that no test can slow it down and it slows down no test.
    runtime: Option<Runtime>,
    _end: watch::Sender<bool>,
}

impl WdaSim {
    /// Starts one on loopback.
    ///
    /// # Errors
    /// If the port cannot be bound.
    pub async fn start(options: SimOptions) -> io::Result<WdaSim> {
        WdaSim::start_now(options)
    }

    /// The same for callers that are not async.
    ///
    /// # Errors
    /// If the port cannot be bound.
    pub fn start_now(options: SimOptions) -> io::Result<WdaSim> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("simulated-phone")
            .enable_all()
            .build()?;
        let bind = |port: u16| -> io::Result<(TcpListener, SocketAddr)> {
            let listener = std::net::TcpListener::bind((IpAddr::V4(Ipv4Addr::LOCALHOST), port))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            let _entered = runtime.enter();
            Ok((TcpListener::from_std(listener)?, address))
        };
        let bound = bind(options.port).and_then(|main| Ok((main, options.mjpeg_port.map(bind).transpose()?)));
        let ((listener, address), stream) = match bound {
            Ok(bound) => bound,
            Err(error) => {
                // A runtime must not be dropped by waiting inside another one.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let agent = Arc::new(Mutex::new(Agent::new()));
        let sim = Arc::new(Sim {
            phone: Mutex::new(Phone::new(options.phone.clone())),
            faults: Faults::new(agent.clone()),
            agent,
            log: Log::default(),
            queue: tokio::sync::Mutex::default(),
            options,
        });
        let (end, ended) = watch::channel(false);
        runtime.spawn(server::serve(sim.clone(), listener, address));
        runtime.spawn(server::watch_alerts(sim.clone(), sim.options.alert_period, ended));
        let mjpeg = stream.map(|(listener, address)| {
            runtime.spawn(mjpeg::serve(sim.clone(), listener));
            address
        });
        tracing::info!(%address, "a simulated phone is served");
        Ok(WdaSim { sim, address, mjpeg, runtime: Some(runtime), _end: end })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where the stream of pictures is, if it was asked for.
    pub fn mjpeg_address(&self) -> Option<SocketAddr> {
        self.mjpeg
    }

    /// The phone itself. Commands wait while this is held, so it must not be held across an await.
    pub fn phone(&self) -> MutexGuard<'_, Phone> {
        self.sim.phone()
    }

    /// The knobs.
    pub fn faults(&self) -> &Faults {
        &self.sim.faults
    }

    /// Every request so far, in the order in which they came in; of very many the last 50,000 at least.
    pub fn requests(&self) -> Vec<Request> {
        self.sim.log.requests()
    }

    /// Every touch so far, kept like the requests.
    pub fn touches(&self) -> Vec<Touch> {
        self.sim.log.touches()
    }

    /// Forgets the requests and touches so far.
    pub fn clear_log(&self) {
        self.sim.log.clear();
    }

    /// The session that stands.
    pub fn session(&self) -> Option<String> {
        self.sim.agent().session.as_ref().map(|session| session.id.clone())
    }
}

impl Drop for WdaSim {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
