//! A driver plugin to copy: a device with a blank screen that remembers where it was touched.
//!
//! Replace the bodies with what your device needs. `cargo build -p custom-driver` makes the library; see the README for
//! where to put it.

#![forbid(unsafe_code)]

use driver_api::{
    App, Connection, DeviceConfig, DeviceInfo, Driver, Error, ErrorKind, Launch, Node, Picture, PictureFormat,
    Platform, Plugin, PluginConfig, Point, Rect, Result, Role, Swipe, Tree, Via, export_driver,
};
use std::sync::{Mutex, PoisonError};

export_driver!("custom-driver", CustomPlugin);

struct CustomPlugin {
    devices: Vec<DeviceConfig>,
}

impl Plugin for CustomPlugin {
    type Driver = CustomDriver;

    fn new(config: PluginConfig) -> Result<Self> {
        Ok(CustomPlugin { devices: config.devices })
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        let info = |device: &DeviceConfig| DeviceInfo {
            id: device.id.clone(),
            name: device.name.clone().unwrap_or_else(|| device.id.clone()),
            platform: Platform::Virtual,
            model: None,
            os_version: None,
            connection: Connection { via: Via::Local, address: "in memory".to_owned() },
        };
        self.devices.iter().map(info).collect()
    }

    fn driver(&self, _device_id: &str) -> Result<CustomDriver> {
        Ok(CustomDriver::default())
    }
}

#[derive(Default)]
struct CustomDriver {
    touched: Mutex<Vec<Point>>,
}

impl Driver for CustomDriver {
    async fn connect(&self) -> Result<()> {
        Ok(())
    }

    async fn disconnect(&self) -> Result<()> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    async fn screenshot(&self) -> Result<Picture> {
        // The smallest PNG there is: one white pixel for a screen of one point.
        let bytes = include_bytes!("white.png").to_vec();
        Ok(Picture { bytes: bytes.into(), format: PictureFormat::Png, width: 1, height: 1 })
    }

    async fn tap(&self, at: Point) -> Result<()> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).push(at);
        Ok(())
    }

    async fn swipe(&self, swipe: Swipe) -> Result<()> {
        self.tap(swipe.from).await
    }

    async fn input(&self, _text: &str) -> Result<()> {
        Err(Error::new(ErrorKind::NothingFocused, "there is no text field on this screen"))
    }

    async fn launch(&self, launch: Launch) -> Result<App> {
        Err(Error::new(ErrorKind::AppNotFound, format!("there is no app {}", launch.app)))
    }

    async fn terminate(&self, app: &str) -> Result<bool> {
        Err(Error::new(ErrorKind::AppNotFound, format!("there is no app {app}")))
    }

    async fn tree(&self) -> Result<Tree> {
        let touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner).len();
        let mut text = Node::new(Role::Text);
        text.label = Some(format!("Touched {touched} times"));
        text.bounds = Some(Rect::new(0.0, 0.0, 1.0, 1.0));
        Ok(Tree { nodes: vec![text], ..Tree::default() })
    }

    async fn home(&self) -> Result<()> {
        Ok(())
    }

    async fn lock(&self) -> Result<()> {
        Err(Error::unsupported("this device cannot be locked"))
    }

    async fn unlock(&self) -> Result<()> {
        Ok(())
    }
}
