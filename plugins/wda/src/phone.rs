//! One phone as the plugin knows it, connected or not: what it is called, how it is reached, what keeps it from being used.
//!
//! It does not know what is said to the phone.

use crate::{error::broken_error, http::Broken, options::Device, route::Route, usb::Cable, usb::Usb};
use driver_api::{Connection, DeviceEvents, DeviceInfo, Error, ErrorKind, Platform, Via};
use std::sync::{Arc, Mutex, PoisonError};

/// The oldest system on which today's automation program runs.
const OLDEST: u32 = 15;

/// Whom to tell what happens to phones; nobody until the host looks for devices.
#[derive(Clone, Default)]
pub(crate) struct News(Arc<Mutex<Option<DeviceEvents>>>);

impl News {
    /// From now on `events` is told.
    pub(crate) fn tell(&self, events: DeviceEvents) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(events);
    }
}

impl std::fmt::Debug for News {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("News")
    }
}

/// One phone.
#[derive(Clone, Debug)]
pub(crate) struct Phone {
    device: Device,
    usb: Option<Arc<Usb>>,
    cable: Option<Cable>,
    news: News,
}

impl Phone {
    /// The phone of a configured device, or one that was plugged in.
    pub(crate) fn new(device: Device, usb: Option<&Arc<Usb>>, news: &News) -> Self {
        let cable = cable(&device, usb, device.ports.0);
        Phone { device, usb: usb.cloned(), cable, news: news.clone() }
    }

    /// The way to the automation program.
    pub(crate) fn agent(&self) -> Route {
        Route { cable: self.cable.clone(), address: self.device.address.clone() }
    }

    /// The way to the stream of pictures, where there may be one.
    pub(crate) fn stream(&self) -> Route {
        let cable = cable(&self.device, self.usb.as_ref(), self.device.ports.1);
        Route { cable, address: self.device.stream.clone() }
    }

    /// The way to the phone's own services.
    pub(crate) fn cable(&self) -> Option<&Cable> {
        self.cable.as_ref()
    }

    /// What the host lists.
    pub(crate) fn info(&self) -> DeviceInfo {
        let plugged = self.cable.as_ref().filter(|cable| cable.is_plugged());
        let facts = self.cable.as_ref().and_then(Cable::facts).unwrap_or_default();
        let connection = match (plugged, &self.device.address, &self.device.udid) {
            (Some(cable), _, Some(udid)) => {
                Connection { via: Via::Usb, address: format!("{udid}, port {}", cable.port()) }
            }
            (_, Some(address), _) => Connection { via: address.via(), address: address.base().to_owned() },
            (_, None, udid) => Connection { via: Via::Usb, address: udid.clone().unwrap_or_default() },
        };
        let unnamed = || match &self.device.udid {
            // A phone that did not say its name yet.
            Some(udid) if *udid == self.device.id => "iPhone".to_owned(),
            _ => self.device.id.clone(),
        };
        DeviceInfo {
            id: self.device.id.clone(),
            name: self.device.name.clone().or(facts.name).unwrap_or_else(unnamed),
            platform: Platform::Ios,
            // On other ways these are known once the phone was asked.
            model: facts.model,
            os_version: facts.os_version,
            connection,
        }
    }

    /// Tells the operator what happened to the phone.
    pub(crate) fn notice(&self, what: &str) {
        if let Some(events) = &*self.news.0.lock().unwrap_or_else(PoisonError::into_inner) {
            events.notice(&self.device.id, what);
        }
    }

    /// Why the automation program cannot be spoken to, and what to do about it.
    pub(crate) async fn unusable(&self, broken: Broken) -> Error {
        // A program that hangs up before its first answer is none.
        let broken = if broken == Broken::Lost { Broken::HungUp } else { broken };
        let plugged = self.cable.as_ref().filter(|cable| cable.is_plugged());
        if let (Broken::PortClosed | Broken::HungUp, Some(cable)) = (broken, plugged) {
            // Without trust nothing can be started on the phone, whatever else it lacks.
            if cable.is_trusted().await == Some(false) {
                return Error::new(
                    ErrorKind::NeedsTrust,
                    "the iPhone does not trust this computer; unlock it, plug it in again and tap Trust on it",
                );
            }
            let version = cable.facts().and_then(|facts| facts.os_version);
            if let Some(version) = version.filter(|version| major(version).is_some_and(|major| major < OLDEST)) {
                return Error::new(
                    ErrorKind::HelperNotRunning,
                    format!(
                        "the iPhone has iOS {version} and its automation program does not run; its present releases need iOS \
                         {OLDEST}: update the iPhone, or start a release from before version 5 on it"
                    ),
                );
            }
        }
        match broken {
            Broken::Late => Error::new(ErrorKind::Timeout, "the iPhone did not answer in time"),
            broken => broken_error(broken),
        }
    }
}

/// The way to a port of this phone through its cable, where it has one.
fn cable(device: &Device, usb: Option<&Arc<Usb>>, port: u16) -> Option<Cable> {
    device.udid.as_ref().zip(usb).map(|(udid, usb)| Cable::new(usb, udid, port))
}

fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}
