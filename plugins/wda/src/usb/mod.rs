//! Phones on cables: which are plugged in, what they say of themselves, and connections to their ports.
//!
//! It knows the way through this machine's USB multiplexer and the phone's own services for what the automation program cannot
//! tell: [`packet`] and [`mux`] the multiplexer, [`services`] the phone's services, [`list`](mod@list) what both speak in,
//! [`models`] what a model is called,
//! [`discover`](mod@discover) the search that goes on while the plugin is loaded. It does not know what is said over a
//! connection.

mod discover;
pub(crate) mod list;
mod models;
mod mux;
pub(crate) mod packet;
mod services;

pub(crate) use discover::{Watcher, discover};
#[cfg(any(test, fuzzing))]
pub(crate) use mux::event as report;
pub(crate) use mux::{MuxAddress, udid};

use crate::{http::Broken, route::Socket};
use driver_api::App;
use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

/// The phones that are plugged in.
#[derive(Debug)]
pub(crate) struct Usb {
    address: MuxAddress,
    /// By the multiplexer's number: a phone can be there more than once for a moment, or by cable and by network at once.
    plugged: RwLock<BTreeMap<u64, Plugged>>,
}

#[derive(Clone, Debug)]
struct Plugged {
    udid: String,
    by_cable: bool,
    facts: Facts,
}

/// What a phone says of itself to a computer that it is plugged into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// What its owner calls it.
    pub(crate) name: Option<String>,
    /// As people call it, such as `iPhone 15 Pro`.
    pub(crate) model: Option<String>,
    /// Version of its system.
    pub(crate) os_version: Option<String>,
}

impl Usb {
    /// Nothing is plugged in yet.
    pub(crate) fn new(address: MuxAddress) -> Self {
        Usb { address, plugged: RwLock::default() }
    }

    fn plugged(&self) -> RwLockReadGuard<'_, BTreeMap<u64, Plugged>> {
        self.plugged.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<u64, Plugged>) -> T) -> T {
        change(&mut self.plugged.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this phone is plugged in.
    pub(crate) fn knows(&self, udid: &str) -> bool {
        self.find(udid).is_some()
    }

    /// The number of this phone and what is known of it; a cable comes before the network.
    fn find(&self, udid: &str) -> Option<(u64, Plugged)> {
        let plugged = self.plugged();
        let ours = plugged.iter().filter(|(_, phone)| phone.udid.eq_ignore_ascii_case(udid));
        ours.max_by_key(|(number, phone)| (phone.by_cable, **number)).map(|(number, phone)| (*number, phone.clone()))
    }
}

/// One port of one phone, by cable.
#[derive(Clone, Debug)]
pub(crate) struct Cable {
    usb: Arc<Usb>,
    udid: String,
    port: u16,
}

impl Cable {
    /// The cable to this port of this phone, whether or not it is plugged in.
    pub(crate) fn new(usb: &Arc<Usb>, udid: &str, port: u16) -> Self {
        Cable { usb: usb.clone(), udid: udid.to_owned(), port }
    }

    /// Which port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Whether the phone is plugged in.
    pub(crate) fn is_plugged(&self) -> bool {
        self.usb.find(&self.udid).is_some_and(|(_, phone)| phone.by_cable)
    }

    /// Whether the multiplexer has a way to the phone, which for some is one over the network.
    pub(crate) fn is_known(&self) -> bool {
        self.usb.knows(&self.udid)
    }

    /// What the phone said of itself, while it is plugged in.
    pub(crate) fn facts(&self) -> Option<Facts> {
        self.usb.find(&self.udid).map(|(_, phone)| phone.facts)
    }

    /// A connection to the port.
    pub(crate) async fn open(&self) -> Result<Socket, Broken> {
        self.open_port(self.port).await
    }

    async fn open_port(&self, port: u16) -> Result<Socket, Broken> {
        let (number, _) = self.usb.find(&self.udid).ok_or(Broken::NotPlugged)?;
        mux::connect(&self.usb.address, number, port).await
    }

    /// Whether the phone trusts this computer; `None` when that cannot be found out.
    pub(crate) async fn is_trusted(&self) -> Option<bool> {
        services::trusts(self).await
    }

    async fn pair_record(&self) -> io::Result<Option<Vec<u8>>> {
        mux::pair_record(&self.usb.address, &self.udid).await
    }

    /// The apps that are installed; see [`services::apps`].
    pub(crate) async fn apps(&self) -> Result<Vec<App>, services::Unavailable> {
        services::apps(self).await
    }
}
