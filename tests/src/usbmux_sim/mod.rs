//! A **simulated** usbmuxd with iPhones on it, so that clients which reach a phone over USB can be tested without a phone. It
//! is a test tool, written from facts about the real daemon and checked with clients that this project did not write.
//!
//! [`UsbmuxSim::start`] listens on loopback until it is dropped. A test plugs phones in and out with [`UsbmuxSim::plug`] and
//! [`UsbmuxSim::unplug`], leads their ports to simulated agents ([`UsbPhone::with_agent`]), and makes things go wrong with
//! [`UsbmuxSim::faults`] and [`UsbmuxSim::stop`]. Behind each phone's port 62078 is a simulated lockdownd, and behind that a
//! simulated installation_proxy.
//!
//! This module knows how the parts are put together. There is no USB, no pairing and no developer service in it.

mod apps;
mod bench;
mod faults;
mod lockdown;
mod muxer;
mod pairing;
mod phone;
mod socket;
mod tls;
mod wire;

pub use faults::{Fault, Faults};
pub use phone::{Connection, UsbApp, UsbPhone};
pub use socket::Listen;

use bench::Bench;
use socket::Listener;
use std::{
    io,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};
use tokio::{runtime::Runtime, sync::watch, task::JoinSet};

/// More connections at a time are closed at once.
const MAX_CONNECTIONS: usize = 512;
/// How long stopping and starting again may take.
const TURN: Duration = Duration::from_secs(5);

/// A running simulator. It ends when it is dropped.
pub struct UsbmuxSim {
    bench: Arc<Bench>,
    place: Listen,
    running: watch::Sender<bool>,
    /// Whether it runs, as told by who accepts connections.
    runs: Arc<(Mutex<bool>, Condvar)>,
    // It has threads of its own, so that no test can slow it down and it slows down no test.
    runtime: Option<Runtime>,
}

impl UsbmuxSim {
    /// Starts one on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// If there is none.
    pub fn start() -> io::Result<UsbmuxSim> {
        UsbmuxSim::start_at(Listen::Tcp(0))
    }

    /// Starts one at a given place.
    ///
    /// # Errors
    /// If the place is taken.
    pub fn start_at(at: Listen) -> io::Result<UsbmuxSim> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("simulated-muxer")
            .enable_all()
            .build()?;
        let bound = {
            let _entered = runtime.enter();
            Listener::bind(&at).and_then(|listener| Ok((listener.place()?, listener)))
        };
        let (place, listener) = match bound {
            Ok(bound) => bound,
            Err(error) => {
                // A runtime must not be dropped by waiting inside another one.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let bench = Arc::new(Bench::new());
        let (running, wanted) = watch::channel(true);
        let runs = Arc::new((Mutex::new(true), Condvar::new()));
        runtime.spawn(accept(bench.clone(), listener, place.clone(), wanted, runs.clone()));
        Ok(UsbmuxSim { bench, place, running, runs, runtime: Some(runtime) })
    }

    /// Where it listens, as clients read it from `USBMUXD_SOCKET_ADDRESS`: `127.0.0.1:PORT` or a path.
    pub fn address(&self) -> String {
        match &self.place {
            Listen::Tcp(port) => format!("127.0.0.1:{port}"),
            Listen::Unix(path) => path.display().to_string(),
        }
    }

    /// Plugs a phone in and tells every listener. Returns its number, which is a new one at each plugging. A phone with the
    /// same serial number on the same kind of connection is unplugged first; one on a cable and on the network has two
    /// numbers.
    ///
    /// # Panics
    /// If more than 256 phones are plugged in or have been, which no test needs.
    pub fn plug(&self, phone: UsbPhone) -> u32 {
        self.bench.plug(phone).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Unplugs a phone, however it is connected: tells every listener and resets every stream to it.
    pub fn unplug(&self, udid: &str) {
        self.bench.unplug(|plugged| plugged.phone().udid == udid);
    }

    /// Takes away one of a phone's connections.
    pub fn unplug_device(&self, id: u32) {
        self.bench.unplug(|plugged| plugged.id == id);
    }

    /// Changes what a plugged phone is like, on all its connections: locks it, takes its trust away, opens a port. Nobody is
    /// told, and streams that stand go on. `false` if there is no such phone.
    pub fn change(&self, udid: &str, change: impl Fn(&mut UsbPhone)) -> bool {
        let phones = self.bench.phones();
        let mut found = false;
        for mut phone in phones.iter().map(|plugged| plugged.phone()).filter(|phone| phone.udid == udid) {
            change(&mut phone);
            found = true;
        }
        found
    }

    /// The numbers of a phone, one for each of its connections.
    pub fn device_ids(&self, udid: &str) -> Vec<u32> {
        self.bench.ids(udid)
    }

    /// How many clients listen for phones.
    pub fn listeners(&self) -> usize {
        self.bench.listeners()
    }

    /// Sends bytes to every listener as they are, so that a test can send what is no event.
    pub fn send_to_listeners(&self, bytes: &[u8]) {
        self.bench.tell(bytes);
    }

    /// Every connection to a phone that was asked for, granted or not, as serial number and port; of very many the last
    /// 10,000.
    pub fn connects(&self) -> Vec<(String, u16)> {
        self.bench.connects()
    }

    /// The knobs.
    pub fn faults(&self) -> &Faults {
        &self.bench.faults
    }

    /// The daemon's process ends: its socket and all connections are closed. Returns when that has happened.
    pub fn stop(&self) {
        self.turn(false);
    }

    /// The daemon's process ends and a new one starts at the same place. The phones are still there and are numbered from one
    /// again. Returns when it listens.
    pub fn restart(&self) {
        self.turn(false);
        self.bench.start_again();
        self.turn(true);
    }

    fn turn(&self, on: bool) {
        self.running.send_replace(on);
        let (runs, changed) = &*self.runs;
        let runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_timeout_while(runs, TURN, |runs| *runs != on));
    }
}

impl Drop for UsbmuxSim {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Accepts clients until the simulator ends; closes and opens its socket as it is stopped and started.
async fn accept(
    bench: Arc<Bench>,
    listener: Listener,
    place: Listen,
    mut wanted: watch::Receiver<bool>,
    runs: Arc<(Mutex<bool>, Condvar)>,
) {
    let tell = |on: bool| {
        *runs.0.lock().unwrap_or_else(PoisonError::into_inner) = on;
        runs.1.notify_all();
    };
    let mut listener = Some(listener);
    let mut clients = JoinSet::new();
    loop {
        let on = *wanted.borrow_and_update();
        if !on && listener.is_some() {
            listener = None;
            clients.shutdown().await;
            tell(false);
        } else if on && listener.is_none() {
            // Someone else may have taken the place; it is tried until it is free.
            match Listener::bind(&place) {
                Ok(again) => {
                    listener = Some(again);
                    tell(true);
                }
                Err(error) => {
                    tracing::warn!(%error, "the simulated muxer cannot listen again yet");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            continue;
        }
        let accepted = async {
            match &listener {
                Some(listener) => listener.accept().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = wanted.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            accepted = accepted => {
                if let Ok(client) = accepted && clients.len() < MAX_CONNECTIONS {
                    clients.spawn(muxer::serve(bench.clone(), client));
                }
            }
            Some(_) = clients.join_next() => {}
        }
    }
}
