//! The iPhone driver of Fingertip: it speaks WebDriverAgent's HTTP protocol to the phones that the operator configured.
//!
//! It knows that protocol, its generations and their habits, and turns them into the driver contract. It does not know the
//! host, what a caller wants, or anything about a phone after it was disconnected.
//!
//! Where to look: [`options`] what may be configured · [`http`] one request, one answer · [`envelope`] the wrapper around
//! answers · [`error`] the table of errors · [`session`] the session and its renewal · [`touch`], [`text`], [`apps`],
//! [`device`], [`screen`], [`tree`] the operations · [`source`] page sources into the neutral tree · [`stream`] the stream of pictures.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the guide above is for who reads this crate's code")]

mod apps;
mod device;
mod driver;
mod envelope;
mod error;
mod http;
mod names;
mod options;
mod screen;
mod session;
mod source;
mod stream;
#[cfg(test)]
mod tests;
mod text;
mod touch;
mod tree;

pub use driver::WdaDriver;

use driver_api::{
    Connection, DeviceInfo, Error, ErrorKind, Platform, Plugin, PluginConfig, Result, Tree, export_driver,
};
use options::{Device, PluginOptions};

export_driver!("wda", WdaPlugin);

/// The plugin: the iPhones of the configuration, each with a [`WdaDriver`].
#[derive(Debug)]
pub struct WdaPlugin {
    devices: Vec<Device>,
}

impl Plugin for WdaPlugin {
    type Driver = WdaDriver;

    fn new(config: PluginConfig) -> Result<Self> {
        let PluginOptions {} = driver_api::options(&config.options)?;
        let devices = config.devices.iter().map(options::device).collect::<Result<_>>()?;
        Ok(WdaPlugin { devices })
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        let info = |device: &Device| DeviceInfo {
            id: device.id.clone(),
            name: device.name.clone(),
            platform: Platform::Ios,
            // Known once the phone was asked.
            model: None,
            os_version: None,
            connection: Connection { via: device.address.via(), address: device.address.base().to_owned() },
        };
        self.devices.iter().map(info).collect()
    }

    fn driver(&self, device_id: &str) -> Result<WdaDriver> {
        let device = self.devices.iter().find(|device| device.id == device_id);
        let device = device
            .ok_or_else(|| Error::new(ErrorKind::InvalidArgument, format!("there is no device \"{device_id}\"")))?;
        Ok(WdaDriver::new(device.clone()))
    }

    fn read_capture(&self, bytes: &[u8]) -> Result<Tree> {
        source::read_capture(bytes)
    }
}
