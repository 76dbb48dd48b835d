//! The host's side of the boundary: a loaded plugin and the drivers it makes, as plain async Rust.
//!
//! It knows how values cross. It does not know where the plugin came from, and it has no opinion on deadlines: each call
//! names its own.

use crate::{
    Alert, App, AppList, Button, DeviceEvent, DeviceInfo, DeviceState, Error, Feature, Finger, Frame, Launch, Node,
    Orientation, Picture, Plugin, PluginConfig, Point, Result, Screen, Swipe, Tree,
    abi::{
        self, AbiFuture, DriverObject, HostAbi, HostAbi_TO, HostObject, PluginModule_Ref, PluginObject, RArc, RResult,
        RSlice, RString, from_text, millis, to_text,
    },
    log::LogRecord,
};
use abi_stable::sabi_trait::TD_Opaque;
use std::{sync::Arc, time::Duration};

/// What a plugin may call in the host.
pub trait Host: Send + Sync + 'static {
    /// The most detailed level that is wanted.
    fn log_level(&self) -> tracing::metadata::LevelFilter;
    /// One line of the plugin's log.
    fn log(&self, record: LogRecord);
    /// A device arrived, changed or left.
    fn device_event(&self, event: DeviceEvent);
}

struct HostSide(Box<dyn Host>);

impl HostAbi for HostSide {
    fn log_level(&self) -> u8 {
        crate::log::level_number(self.0.log_level())
    }

    fn log(&self, level: u8, target: RString, message: RString) {
        self.0.log(LogRecord { level: crate::log::level(level), target: target.into(), message: message.into() });
    }

    fn device_event(&self, event: RString) {
        match abi::event_from_text(&event) {
            Ok(event) => self.0.device_event(event),
            Err(error) => tracing::warn!(%error, "a plugin reported a device in an unknown form"),
        }
    }
}

fn host_object(host: impl Host) -> HostObject {
    HostAbi_TO::from_ptr(RArc::new(HostSide(Box::new(host))), TD_Opaque)
}

/// A plugin that was started. Cheap to clone.
#[derive(Clone)]
pub struct PluginHandle {
    object: Arc<PluginObject>,
}

impl PluginHandle {
    /// Starts the plugin of a library that [`accept`](crate::abi::accept) let in.
    ///
    /// # Errors
    /// What the plugin says of its configuration.
    pub fn start(module: PluginModule_Ref, host: impl Host, config: &PluginConfig) -> Result<Self> {
        let object = plain((module.start())(host_object(host), to_text(config)?))?;
        Ok(PluginHandle { object: Arc::new(object) })
    }

    /// Starts a plugin that is linked into this program, through the same boundary.
    ///
    /// # Errors
    /// As [`start`](PluginHandle::start).
    pub fn in_process<P: Plugin>(host: impl Host, config: &PluginConfig) -> Result<Self> {
        let object = plain(crate::export::start::<P>("in process", host_object(host), to_text(config)?))?;
        Ok(PluginHandle { object: Arc::new(object) })
    }

    /// See [`Plugin::devices`].
    ///
    /// # Errors
    /// When the plugin panicked.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>> {
        from_text(&plain(self.object.devices())?)
    }

    /// See [`Plugin::discover`].
    ///
    /// # Errors
    /// What ended the search.
    pub async fn discover(&self) -> Result<()> {
        plain(self.object.discover().await)
    }

    /// See [`Plugin::driver`].
    ///
    /// # Errors
    /// When there is no such device.
    pub fn driver(&self, device_id: &str) -> Result<DriverHandle> {
        let object = plain(self.object.driver(device_id.into()))?;
        let features = from_text(&plain(object.features())?)?;
        Ok(DriverHandle { inner: Arc::new(DriverInner { object, features, _plugin: self.clone() }) })
    }

    /// See [`Plugin::read_capture`].
    ///
    /// # Errors
    /// What the plugin says of the file.
    pub fn read_capture(&self, bytes: &[u8]) -> Result<Tree> {
        from_text(&plain(self.object.read_capture(RSlice::from_slice(bytes)))?)
    }

    /// Ends all the plugin's tasks. Calls after it fail.
    pub fn shutdown(&self) {
        self.object.shutdown();
    }
}

/// A driver for one device. Cheap to clone. Dropping a call's future ends the plugin's work on it.
#[derive(Clone)]
pub struct DriverHandle {
    inner: Arc<DriverInner>,
}

struct DriverInner {
    object: DriverObject,
    features: Vec<Feature>,
    // The driver's code lives as long as its plugin.
    _plugin: PluginHandle,
}

fn plain<T>(answer: RResult<T, abi::AbiError>) -> Result<T> {
    answer.into_result().map_err(Error::from)
}

async fn text<T: serde::de::DeserializeOwned>(answer: AbiFuture<RString>) -> Result<T> {
    from_text(&plain(answer.await)?)
}

/// Each method is the one of [`Driver`](crate::Driver) with the same name; `within` is the time that it may take.
#[allow(missing_docs, clippy::missing_errors_doc, reason = "described in `Driver`")]
impl DriverHandle {
    pub fn features(&self) -> &[Feature] {
        &self.inner.features
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.inner.features.contains(&feature)
    }

    fn object(&self) -> &DriverObject {
        &self.inner.object
    }

    pub async fn connect(&self, within: Duration) -> Result<()> {
        plain(self.object().connect(millis(within)).await)
    }

    pub async fn disconnect(&self, within: Duration) -> Result<()> {
        plain(self.object().disconnect(millis(within)).await)
    }

    pub async fn screenshot(&self, within: Duration) -> Result<Picture> {
        plain(self.object().screenshot(millis(within)).await)?.try_into()
    }

    pub async fn tap(&self, at: Point, within: Duration) -> Result<()> {
        plain(self.object().tap(at.into(), millis(within)).await)
    }

    pub async fn swipe(&self, swipe: Swipe, within: Duration) -> Result<()> {
        plain(self.object().swipe(swipe.into(), millis(within)).await)
    }

    pub async fn input(&self, text: &str, within: Duration) -> Result<()> {
        plain(self.object().input(text.into(), millis(within)).await)
    }

    pub async fn launch(&self, launch: &Launch, within: Duration) -> Result<App> {
        text(self.object().launch(to_text(launch)?, millis(within))).await
    }

    pub async fn terminate(&self, app: &str, within: Duration) -> Result<bool> {
        plain(self.object().terminate(app.into(), millis(within)).await)
    }

    pub async fn tree(&self, within: Duration) -> Result<Tree> {
        text(self.object().tree(millis(within))).await
    }

    pub async fn home(&self, within: Duration) -> Result<()> {
        plain(self.object().home(millis(within)).await)
    }

    pub async fn lock(&self, within: Duration) -> Result<()> {
        plain(self.object().lock(millis(within)).await)
    }

    pub async fn unlock(&self, within: Duration) -> Result<()> {
        plain(self.object().unlock(millis(within)).await)
    }

    pub async fn probe(&self, within: Duration) -> Result<()> {
        plain(self.object().probe(millis(within)).await)
    }

    pub async fn long_press(&self, at: Point, hold: Duration, within: Duration) -> Result<()> {
        plain(self.object().long_press(at.into(), millis(hold), millis(within)).await)
    }

    pub async fn double_tap(&self, at: Point, within: Duration) -> Result<()> {
        plain(self.object().double_tap(at.into(), millis(within)).await)
    }

    pub async fn gesture(&self, fingers: &[Finger], within: Duration) -> Result<()> {
        plain(self.object().gesture(to_text(&fingers)?, millis(within)).await)
    }

    pub async fn press_button(&self, button: Button, within: Duration) -> Result<()> {
        plain(self.object().press_button(to_text(&button)?, millis(within)).await)
    }

    pub async fn apps(&self, within: Duration) -> Result<AppList> {
        text(self.object().apps(millis(within))).await
    }

    pub async fn active_app(&self, within: Duration) -> Result<App> {
        text(self.object().active_app(millis(within))).await
    }

    pub async fn open_url(&self, url: &str, within: Duration) -> Result<()> {
        plain(self.object().open_url(url.into(), millis(within)).await)
    }

    pub async fn alert(&self, within: Duration) -> Result<Option<Alert>> {
        text(self.object().alert(millis(within))).await
    }

    pub async fn answer_alert(&self, button: &str, within: Duration) -> Result<()> {
        plain(self.object().answer_alert(button.into(), millis(within)).await)
    }

    pub async fn orientation(&self, within: Duration) -> Result<Orientation> {
        text(self.object().orientation(millis(within))).await
    }

    pub async fn set_orientation(&self, orientation: Orientation, within: Duration) -> Result<()> {
        plain(self.object().set_orientation(to_text(&orientation)?, millis(within)).await)
    }

    pub async fn clipboard(&self, within: Duration) -> Result<String> {
        Ok(plain(self.object().clipboard(millis(within)).await)?.into())
    }

    pub async fn set_clipboard(&self, text: &str, within: Duration) -> Result<()> {
        plain(self.object().set_clipboard(text.into(), millis(within)).await)
    }

    pub async fn hide_keyboard(&self, within: Duration) -> Result<()> {
        plain(self.object().hide_keyboard(millis(within)).await)
    }

    pub async fn screen_info(&self, within: Duration) -> Result<Screen> {
        text(self.object().screen_info(millis(within))).await
    }

    pub async fn device_info(&self, within: Duration) -> Result<DeviceState> {
        text(self.object().device_info(millis(within))).await
    }

    pub async fn frames(&self, after: u64, within: Duration) -> Result<Frame> {
        plain(self.object().frames(after, millis(within)).await)?.try_into()
    }

    pub async fn element_at_focus(&self, within: Duration) -> Result<Option<Node>> {
        text(self.object().element_at_focus(millis(within))).await
    }

    #[cfg(feature = "next")]
    pub async fn vibrate(&self, within: Duration) -> Result<()> {
        plain(self.object().vibrate(millis(within)).await)
    }
}
