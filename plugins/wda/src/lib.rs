//! The iPhone driver of Fingertip: it speaks WebDriverAgent's HTTP protocol to the phones that the operator configured, and to
//! those that are plugged in.
//!
//! It knows that protocol, its generations and their habits, and turns them into the driver contract. It does not know the
//! host, what a caller wants, or anything about a phone after it was disconnected.
//!
//! Where to look: [`options`] what may be configured · [`phone`] one phone and the ways to it · [`usb`] cables ·
//! [`route`] how a connection comes about · [`http`] one request, one answer · [`envelope`] the wrapper around answers ·
//! [`error`] the table of errors · [`session`] the session and its renewal · [`touch`], [`text`], [`apps`], [`device`],
//! [`clipboard`], [`screen`], [`tree`] the operations · [`habits`] apps whose tree is too much · [`source`] page sources into the neutral tree · [`stream`] the stream of pictures.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the guide above is for who reads this crate's code")]

mod apps;
mod clipboard;
mod device;
mod driver;
mod envelope;
mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod habits;
mod http;
mod names;
mod options;
mod phone;
mod route;
mod screen;
mod session;
mod source;
mod stream;
#[cfg(test)]
mod tests;
mod text;
mod touch;
mod tree;
mod usb;

pub use driver::WdaDriver;

use driver_api::{DeviceEvents, DeviceInfo, Error, ErrorKind, Plugin, PluginConfig, Result, Tree, export_driver};
use options::{Device, PluginOptions};
use phone::{News, Phone};
use std::sync::{Arc, Once};
use usb::Usb;

export_driver!("wda", WdaPlugin);

/// The plugin: the iPhones of the configuration and those on cables, each with a [`WdaDriver`].
#[derive(Debug)]
pub struct WdaPlugin {
    fleet: Fleet,
}

impl Plugin for WdaPlugin {
    type Driver = WdaDriver;

    fn new(config: PluginConfig) -> Result<Self> {
        let options: PluginOptions = driver_api::options(&config.options)?;
        let usb = options.multiplexer()?.map(|address| Arc::new(Usb::new(address)));
        let devices = config.devices.iter().map(options::device).collect::<Result<Vec<_>>>()?;
        for (index, device) in devices.iter().enumerate() {
            let wrong =
                |what: &str| Err(Error::new(ErrorKind::InvalidArgument, format!("device \"{}\": {what}", device.id)));
            if usb.is_none() && device.address.is_none() {
                return wrong("it has no address, and usb = false keeps it from being found on a cable");
            }
            let same = |other: &Device| device.udid.is_some() && other.udid == device.udid;
            if devices[..index].iter().any(same) {
                return wrong("another device has the same udid");
            }
        }
        Ok(WdaPlugin { fleet: Fleet { devices: devices.into(), usb, news: News::default() } })
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        self.fleet.devices.iter().map(|device| self.fleet.phone(device.clone()).info()).collect()
    }

    async fn discover(&self, found: DeviceEvents) -> Result<()> {
        self.fleet.news.tell(found.clone());
        match &self.fleet.usb {
            Some(usb) => usb::discover(usb.clone(), Watcher { fleet: self.fleet.clone(), found }).await,
            None => std::future::pending().await,
        }
        Ok(())
    }

    fn driver(&self, device_id: &str) -> Result<WdaDriver> {
        let phone = self.fleet.by_id(device_id);
        let phone = phone
            .ok_or_else(|| Error::new(ErrorKind::InvalidArgument, format!("there is no device \"{device_id}\"")))?;
        Ok(WdaDriver::new(phone))
    }

    fn read_capture(&self, bytes: &[u8]) -> Result<Tree> {
        source::read_capture(bytes)
    }
}

/// All phones, configured or plugged in.
#[derive(Clone, Debug)]
struct Fleet {
    devices: Arc<[Device]>,
    usb: Option<Arc<Usb>>,
    news: News,
}

impl Fleet {
    fn phone(&self, device: Device) -> Phone {
        Phone::new(device, self.usb.as_ref(), &self.news)
    }

    fn by_id(&self, id: &str) -> Option<Phone> {
        let configured = self.devices.iter().find(|device| device.id == id).cloned();
        let device = configured.or_else(|| {
            let udid = usb::udid(id).filter(|udid| udid == id && self.configured(udid).is_none())?;
            self.usb.as_ref().filter(|usb| usb.knows(&udid)).map(|_| Device::on_cable(&udid))
        })?;
        Some(self.phone(device))
    }

    fn configured(&self, udid: &str) -> Option<&Device> {
        self.devices.iter().find(|device| device.udid.as_deref().is_some_and(|ours| ours.eq_ignore_ascii_case(udid)))
    }
}

/// Turns what happens on cables into what the host is told: a configured phone keeps its id, and stays while it has an address.
#[derive(Clone)]
struct Watcher {
    fleet: Fleet,
    found: DeviceEvents,
}

impl usb::Watcher for Watcher {
    fn expects(&self, udid: &str) -> bool {
        self.fleet.configured(udid).is_some()
    }

    fn plugged(&self, udid: &str) {
        let device = self.fleet.configured(udid).cloned().unwrap_or_else(|| Device::on_cable(udid));
        self.found.arrived(self.fleet.phone(device).info());
    }

    fn unplugged(&self, udid: &str) {
        match self.fleet.configured(udid) {
            Some(device) if device.address.is_some() => self.found.arrived(self.fleet.phone(device.clone()).info()),
            Some(device) => self.found.left(&device.id),
            None => self.found.left(udid),
        }
    }
}

/// Says once what encrypts connections.
fn tls_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that somebody in this library installed one before, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
