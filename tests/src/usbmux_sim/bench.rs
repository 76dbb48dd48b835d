//! The phones that are plugged in, and who is told of it. It knows numbers, events and the log, no socket and no request.

use super::faults::Faults;
use super::pairing::{Pairing, uuid};
use super::phone::{UsbPhone, detached};
use super::wire::packet;
use plist::Value;
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{mpsc, watch};

/// More phones are not taken.
pub(super) const MAX_PHONES: usize = 256;
/// A listener that leaves more events than these unread is closed.
const MAX_EVENTS: usize = 1024;
const MAX_LOG: usize = 10_000;
const MAX_SERVICES: usize = 64;
/// Where the ports of services that were asked for begin.
const FIRST_SERVICE: u16 = 49_152;

/// One phone from the moment it is plugged in until it is unplugged.
pub(super) struct Plugged {
    pub(super) id: u32,
    pub(super) pairing: Arc<Pairing>,
    phone: Mutex<UsbPhone>,
    /// Ports of the list of apps that lockdownd has named and nobody has used; the oldest first.
    services: Mutex<(u16, VecDeque<u16>)>,
    here: watch::Sender<bool>,
}

impl Plugged {
    pub(super) fn phone(&self) -> MutexGuard<'_, UsbPhone> {
        lock(&self.phone)
    }

    /// Opens a port for one connection.
    pub(super) fn open_service(&self) -> u16 {
        let mut services = lock(&self.services);
        let port = services.0;
        services.0 = port.checked_add(1).unwrap_or(FIRST_SERVICE);
        if services.0 == super::lockdown::PORT {
            services.0 += 1;
        }
        services.1.push_back(port);
        if services.1.len() > MAX_SERVICES {
            services.1.pop_front();
        }
        port
    }

    /// Uses such a port up. `false` if there is none.
    pub(super) fn use_service(&self, port: u16) -> bool {
        let mut services = lock(&self.services);
        let at = services.1.iter().position(|open| *open == port);
        at.is_some_and(|at| services.1.remove(at).is_some())
    }

    /// Returns when it is unplugged.
    pub(super) async fn gone(&self) {
        let mut here = self.here.subscribe();
        drop(here.wait_for(|here| !here).await);
    }
}

#[derive(Default)]
struct State {
    last: u32,
    phones: Vec<Arc<Plugged>>,
    /// Kept when a phone is unplugged: it is still the same trust when it comes back.
    pairings: BTreeMap<String, Arc<Pairing>>,
    listeners: Vec<mpsc::Sender<Arc<[u8]>>>,
    connects: VecDeque<(String, u16)>,
}

impl State {
    fn tell(&mut self, event: &[u8]) {
        let event: Arc<[u8]> = event.into();
        self.listeners.retain(|listener| listener.try_send(event.clone()).is_ok());
    }

    fn add(&mut self, phone: UsbPhone, pairing: Arc<Pairing>) -> u32 {
        self.last += 1;
        let event = packet(0, &phone.attached(self.last));
        self.phones.push(Arc::new(Plugged {
            id: self.last,
            pairing,
            phone: Mutex::new(phone),
            services: Mutex::new((FIRST_SERVICE, VecDeque::new())),
            here: watch::Sender::new(true),
        }));
        self.tell(&event);
        self.last
    }

    fn remove(&mut self, which: impl Fn(&Plugged) -> bool) {
        for plugged in self.phones.extract_if(.., |plugged| which(plugged)).collect::<Vec<_>>() {
            plugged.here.send_replace(false);
            self.tell(&packet(0, &detached(plugged.id)));
        }
    }
}

/// What all connections of one muxer share.
pub(super) struct Bench {
    pub(super) buid: String,
    pub(super) faults: Faults,
    state: Mutex<State>,
}

impl Bench {
    pub(super) fn new() -> Bench {
        Bench { buid: uuid(), faults: Faults::default(), state: Mutex::default() }
    }

    /// A phone with the same serial number on the same kind of connection is unplugged first.
    pub(super) fn plug(&self, phone: UsbPhone) -> io::Result<u32> {
        let known = lock(&self.state).pairings.get(&phone.udid).cloned();
        let pairing = match known {
            Some(pairing) => pairing,
            None => Arc::new(Pairing::new(&self.buid)?),
        };
        let kind = std::mem::discriminant(&phone.connection);
        let mut state = lock(&self.state);
        state.remove(|other| {
            let other = other.phone();
            other.udid == phone.udid && std::mem::discriminant(&other.connection) == kind
        });
        if state.phones.len() >= MAX_PHONES || state.pairings.len() >= MAX_PHONES {
            return Err(io::Error::other("no more phones fit on the simulated muxer"));
        }
        let pairing = state.pairings.entry(phone.udid.clone()).or_insert(pairing).clone();
        Ok(state.add(phone, pairing))
    }

    pub(super) fn unplug(&self, which: impl Fn(&Plugged) -> bool) {
        lock(&self.state).remove(which);
    }

    /// As after a start: the phones that are there are numbered from one again.
    pub(super) fn start_again(&self) {
        let mut state = lock(&self.state);
        state.last = 0;
        for plugged in std::mem::take(&mut state.phones) {
            plugged.here.send_replace(false);
            let phone = plugged.phone().clone();
            state.add(phone, plugged.pairing.clone());
        }
    }

    pub(super) fn phones(&self) -> Vec<Arc<Plugged>> {
        lock(&self.state).phones.clone()
    }

    pub(super) fn find(&self, which: impl Fn(&Plugged) -> bool) -> Option<Arc<Plugged>> {
        lock(&self.state).phones.iter().find(|plugged| which(plugged)).cloned()
    }

    /// The phones that are there as packets, and the events from then on.
    pub(super) fn listen(&self) -> (Vec<Vec<u8>>, mpsc::Receiver<Arc<[u8]>>) {
        let mut state = lock(&self.state);
        let (sender, receiver) = mpsc::channel(MAX_EVENTS);
        state.listeners.retain(|listener| !listener.is_closed());
        state.listeners.push(sender);
        let here = state.phones.iter().map(|plugged| packet(0, &plugged.phone().attached(plugged.id)));
        (here.collect(), receiver)
    }

    pub(super) fn tell(&self, bytes: &[u8]) {
        lock(&self.state).tell(bytes);
    }

    pub(super) fn listeners(&self) -> usize {
        let mut state = lock(&self.state);
        state.listeners.retain(|listener| !listener.is_closed());
        state.listeners.len()
    }

    pub(super) fn list(&self) -> Vec<Value> {
        self.phones().iter().map(|plugged| Value::from(plugged.phone().attached(plugged.id))).collect()
    }

    pub(super) fn log(&self, udid: &str, port: u16) {
        let mut state = lock(&self.state);
        if state.connects.len() == MAX_LOG {
            state.connects.pop_front();
        }
        state.connects.push_back((udid.to_owned(), port));
    }

    pub(super) fn connects(&self) -> Vec<(String, u16)> {
        lock(&self.state).connects.iter().cloned().collect()
    }

    /// The numbers of a phone, one for each way in which it is connected.
    pub(super) fn ids(&self, udid: &str) -> Vec<u32> {
        let phones = self.phones();
        phones.iter().filter(|plugged| plugged.phone().udid == udid).map(|plugged| plugged.id).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
