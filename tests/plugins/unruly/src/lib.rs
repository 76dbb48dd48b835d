//! A driver that does on request what a plugin should not do: panic, hang, block a thread, and tell when it was ended.
//!
//! What it does is named by the app that it is asked to launch. It knows nothing of the tests that use it.

#![forbid(unsafe_code)]

use driver_api::{
    App, Connection, DeviceInfo, Driver, Error, ErrorKind, Launch, Picture, PictureFormat, Platform, Plugin,
    PluginConfig, Point, Result, Swipe, Tree, Via, export_driver,
};
use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

export_driver!("unruly", UnrulyPlugin);

struct UnrulyPlugin {
    devices: Vec<DeviceInfo>,
}

impl Plugin for UnrulyPlugin {
    type Driver = Unruly;

    fn new(config: PluginConfig) -> Result<Self> {
        if config.options.contains_key("panic") {
            panic!("asked to panic at start");
        }
        if config.options.contains_key("block") {
            std::thread::sleep(Duration::from_secs(60));
        }
        tracing::info!(devices = config.devices.len(), "the unruly plugin starts");
        let devices = config.devices.into_iter().map(|device| DeviceInfo {
            name: device.name.unwrap_or_else(|| device.id.clone()),
            id: device.id,
            platform: Platform::Virtual,
            model: None,
            os_version: None,
            connection: Connection { via: Via::Local, address: "in memory".to_owned() },
        });
        Ok(UnrulyPlugin { devices: devices.collect() })
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        self.devices.clone()
    }

    fn driver(&self, device_id: &str) -> Result<Unruly> {
        if device_id == "panics" {
            panic!("asked to panic while making a driver");
        }
        Ok(Unruly::default())
    }

    fn read_capture(&self, _bytes: &[u8]) -> Result<Tree> {
        panic!("asked to panic on a capture");
    }
}

#[derive(Default)]
struct Unruly {
    /// Set while the device is to be taken for hung.
    hung: AtomicBool,
    /// How many bytes the next picture has.
    picture_bytes: AtomicU64,
}

/// Creates its file when the work around it is dropped.
struct TellWhenDropped(PathBuf);

impl Drop for TellWhenDropped {
    fn drop(&mut self) {
        // The test waits for the file; without it the test fails.
        let _ = std::fs::write(&self.0, b"dropped");
    }
}

impl Driver for Unruly {
    async fn connect(&self) -> Result<()> {
        Ok(())
    }

    async fn disconnect(&self) -> Result<()> {
        Ok(())
    }

    async fn probe(&self) -> Result<()> {
        if self.hung.load(Ordering::Acquire) {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    /// Bytes that are no picture, in the wanted amount; their address goes to the log.
    async fn screenshot(&self) -> Result<Picture> {
        let bytes = vec![7; self.picture_bytes.load(Ordering::Acquire) as usize];
        tracing::info!(address = bytes.as_ptr() as usize, "a picture leaves");
        Ok(Picture { bytes: bytes.into(), format: PictureFormat::Png, width: 1, height: 1 })
    }

    async fn tap(&self, _at: Point) -> Result<()> {
        if self.hung.load(Ordering::Acquire) {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn swipe(&self, _swipe: Swipe) -> Result<()> {
        Ok(())
    }

    async fn input(&self, text: &str) -> Result<()> {
        match text.parse() {
            Ok(bytes) => self.picture_bytes.store(bytes, Ordering::Release),
            Err(_) => return Err(Error::new(ErrorKind::NothingFocused, "type a number of bytes")),
        }
        Ok(())
    }

    async fn launch(&self, launch: Launch) -> Result<App> {
        let argument = launch.arguments.first().cloned().unwrap_or_default();
        match launch.app.as_str() {
            "panic" => panic!("asked to panic in async code"),
            "hang" => {
                let _tell = TellWhenDropped(argument.into());
                std::future::pending::<()>().await;
            }
            // What no runtime can end: one of the plugin's threads is gone for that long.
            "block" => std::thread::sleep(Duration::from_millis(argument.parse().unwrap_or(100))),
            "play-dead" => self.hung.store(true, Ordering::Release),
            "revive" => self.hung.store(false, Ordering::Release),
            "time-left" => {
                let left = driver_api::time_left().unwrap_or_default();
                return Ok(App { id: left.as_millis().to_string(), name: None });
            }
            other => return Err(Error::new(ErrorKind::AppNotFound, format!("there is no app {other}"))),
        }
        Ok(App { id: launch.app, name: None })
    }

    async fn terminate(&self, _app: &str) -> Result<bool> {
        Ok(false)
    }

    async fn tree(&self) -> Result<Tree> {
        Ok(Tree::default())
    }

    async fn home(&self) -> Result<()> {
        Ok(())
    }

    async fn lock(&self) -> Result<()> {
        Ok(())
    }

    async fn unlock(&self) -> Result<()> {
        Ok(())
    }
}
