//! The virtual phone as an ordinary driver plugin: what a newcomer drives first.
//!
//! It knows the [`virtual_phone`] model and nothing of how it is drawn. Each device is a phone of its own; disconnecting
//! leaves the phone as it is, as with a real one.

#![forbid(unsafe_code)]

use driver_api::{
    Alert, App, AppList, Button, Connection, DeviceConfig, DeviceInfo, DeviceState, Driver, Error, ErrorKind, Feature,
    Finger, Launch, Node, Orientation, Picture, Platform, Plugin, PluginConfig, Point, Result, Screen, Swipe, Tree,
    Via, export_driver, options,
};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use virtual_phone::{Phone, PhoneOptions};

export_driver!("virtual", VirtualPlugin);

/// The options of the plugin as a whole.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PluginOptions {
    /// How many phones there are beside those that the configuration names.
    phones: Option<usize>,
}

/// More phones than this are a slip of the finger.
const MOST_PHONES: usize = 10_000;

struct VirtualPlugin {
    phones: BTreeMap<String, (DeviceInfo, Arc<Mutex<Phone>>)>,
}

impl Plugin for VirtualPlugin {
    type Driver = VirtualDriver;

    fn new(config: PluginConfig) -> Result<Self> {
        let wanted: PluginOptions = options(&config.options)?;
        // Without a word from the operator there is one phone; with phones named, only those.
        let unnamed = wanted.phones.unwrap_or(if config.devices.is_empty() { 1 } else { 0 });
        if unnamed > MOST_PHONES {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("options: phones: at most {MOST_PHONES}")));
        }
        let named = config.devices.into_iter();
        let unnamed =
            (1..=unnamed).map(|number| DeviceConfig { id: format!("virtual-{number}"), ..DeviceConfig::default() });
        let phones =
            named.chain(unnamed).map(|device| Ok((device.id.clone(), phone(device)?))).collect::<Result<_>>()?;
        Ok(VirtualPlugin { phones })
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        self.phones.values().map(|(info, _)| info.clone()).collect()
    }

    fn driver(&self, device_id: &str) -> Result<VirtualDriver> {
        match self.phones.get(device_id) {
            Some((_, phone)) => Ok(VirtualDriver { phone: phone.clone() }),
            None => Err(Error::new(ErrorKind::InvalidArgument, format!("there is no virtual phone {device_id}"))),
        }
    }
}

fn phone(device: DeviceConfig) -> Result<(DeviceInfo, Arc<Mutex<Phone>>)> {
    let mut wanted: PhoneOptions = options(&device.options)?;
    if let Some(name) = device.name {
        wanted.name = name;
    }
    let info = DeviceInfo {
        id: device.id,
        name: wanted.name.clone(),
        platform: Platform::Virtual,
        model: Some("Virtual Phone".to_owned()),
        os_version: None,
        connection: Connection { via: Via::Local, address: "in memory".to_owned() },
    };
    Ok((info, Arc::new(Mutex::new(Phone::new(wanted)))))
}

struct VirtualDriver {
    phone: Arc<Mutex<Phone>>,
}

impl VirtualDriver {
    /// The phone never waits, so that holding the lock is short; a panic in it leaves it usable.
    fn phone(&self) -> MutexGuard<'_, Phone> {
        self.phone.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driver for VirtualDriver {
    fn features(&self) -> Vec<Feature> {
        vec![
            Feature::LongPress,
            Feature::DoubleTap,
            Feature::Gesture,
            Feature::PressButton,
            Feature::Apps,
            Feature::ActiveApp,
            Feature::OpenUrl,
            Feature::Alert,
            Feature::AnswerAlert,
            Feature::Orientation,
            Feature::SetOrientation,
            Feature::Clipboard,
            Feature::SetClipboard,
            Feature::HideKeyboard,
            Feature::ScreenInfo,
            Feature::DeviceInfo,
            Feature::ElementAtFocus,
        ]
    }

    async fn connect(&self) -> Result<()> {
        Ok(())
    }

    async fn disconnect(&self) -> Result<()> {
        Ok(())
    }

    async fn screenshot(&self) -> Result<Picture> {
        Ok(self.phone().picture())
    }

    async fn tap(&self, at: Point) -> Result<()> {
        self.phone().tap(at);
        Ok(())
    }

    async fn swipe(&self, swipe: Swipe) -> Result<()> {
        self.phone().swipe(swipe);
        Ok(())
    }

    async fn input(&self, text: &str) -> Result<()> {
        self.phone().type_text(text)
    }

    async fn launch(&self, launch: Launch) -> Result<App> {
        self.phone().launch(&launch)
    }

    async fn terminate(&self, app: &str) -> Result<bool> {
        self.phone().terminate(app)
    }

    async fn tree(&self) -> Result<Tree> {
        Ok(self.phone().tree())
    }

    async fn home(&self) -> Result<()> {
        self.phone().home();
        Ok(())
    }

    async fn lock(&self) -> Result<()> {
        self.phone().lock();
        Ok(())
    }

    async fn unlock(&self) -> Result<()> {
        self.phone().unlock()
    }

    async fn long_press(&self, at: Point, hold: Duration) -> Result<()> {
        self.phone().long_press(at, hold);
        Ok(())
    }

    async fn double_tap(&self, at: Point) -> Result<()> {
        self.phone().double_tap(at);
        Ok(())
    }

    async fn gesture(&self, fingers: Vec<Finger>) -> Result<()> {
        self.phone().gesture(&fingers)
    }

    async fn press_button(&self, button: Button) -> Result<()> {
        self.phone().press(button);
        Ok(())
    }

    async fn apps(&self) -> Result<AppList> {
        Ok(self.phone().apps())
    }

    async fn active_app(&self) -> Result<App> {
        Ok(self.phone().active_app())
    }

    async fn open_url(&self, url: &str) -> Result<()> {
        self.phone().open_url(url)
    }

    async fn alert(&self) -> Result<Option<Alert>> {
        Ok(self.phone().alert())
    }

    async fn answer_alert(&self, button: &str) -> Result<()> {
        self.phone().answer_alert(button)
    }

    async fn orientation(&self) -> Result<Orientation> {
        Ok(self.phone().screen().orientation)
    }

    async fn set_orientation(&self, orientation: Orientation) -> Result<()> {
        self.phone().set_orientation(orientation)
    }

    async fn clipboard(&self) -> Result<String> {
        Ok(self.phone().clipboard().to_owned())
    }

    async fn set_clipboard(&self, text: &str) -> Result<()> {
        self.phone().set_clipboard(text);
        Ok(())
    }

    async fn hide_keyboard(&self) -> Result<()> {
        self.phone().hide_keyboard();
        Ok(())
    }

    async fn screen_info(&self) -> Result<Screen> {
        Ok(self.phone().screen())
    }

    async fn device_info(&self) -> Result<DeviceState> {
        Ok(self.phone().state())
    }

    async fn element_at_focus(&self) -> Result<Option<Node>> {
        Ok(self.phone().focused())
    }
}
