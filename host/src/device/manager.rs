//! All devices of all plugins.
//!
//! It registers what plugins report and tends what nobody uses. Listing answers from memory.

use super::{Device, Snapshot};
use driver_api::{DeviceEvent, DeviceInfo, handle::PluginHandle};
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    time::Duration,
};
use tokio::time::Instant;

/// How often the devices are looked through for something that is due.
const ROUND: Duration = Duration::from_millis(250);
/// How many devices are looked at in one round: a thousand that are all due must not be asked at once.
const AT_ONCE: usize = 64;

/// Makes the id and the fencing number of a new lease: an id that cannot be guessed, a number that rises for ever.
pub type Fresh = Arc<dyn Fn() -> (String, u64) + Send + Sync>;

/// All devices. Cheap to clone.
#[derive(Clone)]
pub struct Manager {
    devices: Arc<RwLock<BTreeMap<String, Entry>>>,
    fresh: Fresh,
}

struct Entry {
    device: Arc<Device>,
    /// The plugin that reported it.
    plugin: String,
}

impl Manager {
    /// No devices yet.
    pub fn new(fresh: Fresh) -> Self {
        Manager { devices: Arc::default(), fresh }
    }

    /// Registers a device that `plugin` reported, or what changed about it.
    pub fn arrived(&self, plugin: &str, handle: &PluginHandle, info: DeviceInfo) {
        if let Err(reason) = check_id(&info.id) {
            tracing::warn!(plugin, device = info.id, "a device is left out: {reason}");
            return;
        }
        let known = self.devices().get(&info.id).map(|entry| (entry.plugin == plugin, entry.device.clone()));
        match known {
            Some((true, device)) => device.update(info),
            Some((false, _)) => {
                tracing::warn!(plugin, device = info.id, "another plugin has reported this device id; it keeps it");
            }
            // Made before the list is locked: this runs code of the plugin, for which nobody's listing must wait.
            None => match Device::new(handle, info.clone(), self.fresh.clone()) {
                Ok(device) => {
                    tracing::debug!(plugin, device = info.id, name = info.name, "a device is here");
                    let mut devices = self.devices.write().unwrap_or_else(PoisonError::into_inner);
                    devices.entry(info.id).or_insert(Entry { device, plugin: plugin.to_owned() });
                }
                Err(error) => tracing::error!(plugin, device = info.id, %error, "a device is left out"),
            },
        }
    }

    /// Takes notice of what a plugin reports while it looks for devices.
    pub fn happened(&self, plugin: &str, handle: &PluginHandle, event: DeviceEvent) {
        match event {
            DeviceEvent::Arrived(info) => self.arrived(plugin, handle, info),
            DeviceEvent::Left(id) => {
                let devices = self.devices();
                if let Some(entry) = devices.get(&id).filter(|entry| entry.plugin == plugin) {
                    entry.device.unplugged();
                }
            }
            DeviceEvent::Notice { device_id, message } => {
                let device = self
                    .devices()
                    .get(&device_id)
                    .filter(|entry| entry.plugin == plugin)
                    .map(|entry| entry.device.clone());
                if let Some(device) = device {
                    device.noticed(message);
                }
            }
        }
    }

    fn devices(&self) -> RwLockReadGuard<'_, BTreeMap<String, Entry>> {
        self.devices.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device with this id.
    pub fn get(&self, id: &str) -> Option<Arc<Device>> {
        self.devices().get(id).map(|entry| entry.device.clone())
    }

    /// All devices, by id.
    pub fn all(&self) -> Vec<Arc<Device>> {
        self.devices().values().map(|entry| entry.device.clone()).collect()
    }

    /// Everything that is known of all devices, by id, without speaking to any.
    pub fn list(&self) -> Vec<Snapshot> {
        self.all().iter().map(|device| device.snapshot()).collect()
    }

    /// The devices of one plugin.
    pub fn of_plugin(&self, plugin: &str) -> Vec<String> {
        self.devices().iter().filter(|(_, entry)| entry.plugin == plugin).map(|(id, _)| id.clone()).collect()
    }

    /// Ends the leases of a caller that is gone for good.
    pub fn forget_holder(&self, key: &str) {
        for device in self.all() {
            device.forget_holder(key);
        }
    }

    /// Tends the devices for as long as the process runs.
    pub async fn tend(self) {
        let mut round = tokio::time::interval(ROUND);
        round.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            round.tick().await;
            let now = Instant::now();
            self.all().iter().filter(|device| device.tend(now)).take(AT_ONCE).for_each(drop);
        }
    }

    /// Waits until every device has been looked at once, but no longer than `limit`.
    pub async fn settled(&self, limit: Duration) {
        let until = Instant::now() + limit;
        while Instant::now() < until && !self.all().iter().all(|device| device.is_settled()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets go of all devices, before the process ends.
    pub async fn let_go(&self, limit: Duration) {
        let all = self.all();
        let going = all.iter().map(|device| device.let_go(true));
        let _ = tokio::time::timeout(limit, futures_util::future::join_all(going)).await;
    }
}

/// Letters, digits, `.`, `_`, `-`; 1 to 64 of them.
fn check_id(id: &str) -> Result<(), &'static str> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if (1..=64).contains(&id.len()) && id.chars().all(fine) {
        Ok(())
    } else {
        Err("an id has 1 to 64 letters, digits, dots, dashes or underscores")
    }
}
