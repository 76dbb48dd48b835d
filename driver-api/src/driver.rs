//! The two traits that a driver author implements: [`Plugin`] and [`Driver`].
//!
//! They are plain async Rust. Nothing here knows how a call crosses the library boundary, which host makes it, or what the
//! caller wanted with it.

use crate::{
    Alert, App, AppList, Button, DeviceEvent, DeviceInfo, DeviceState, Error, Feature, Finger, Frame, Launch, Node,
    Orientation, Picture, PluginConfig, Point, Result, Screen, Swipe, Tree,
};
use std::{future::Future, time::Duration};

/// What a plugin is: it knows devices and makes a [`Driver`] for each of them.
///
/// All methods run inside the plugin's own tokio runtime, which [`export_driver!`](crate::export_driver) sets up.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// The driver that this plugin makes.
    type Driver: Driver;

    /// Takes what the operator configured. Check everything here: an error becomes the sentence that the operator reads at
    /// start, and the plugin is then not used.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for an option that makes no sense; see [`options`](crate::options).
    fn new(config: PluginConfig) -> Result<Self>;

    /// The devices that are known without looking, such as those that the operator configured. Asked once, after `new`.
    fn devices(&self) -> Vec<DeviceInfo>;

    /// Looks for devices that come and go, for as long as the plugin is loaded, and reports each change.
    ///
    /// The default knows only those of [`devices`](Plugin::devices).
    ///
    /// # Errors
    /// An error is written to the log, and the method is called again after a while.
    fn discover(&self, _found: DeviceEvents) -> impl Future<Output = Result<()>> + Send {
        std::future::pending()
    }

    /// A driver for one of the devices. It must not speak to the device yet: that is [`Driver::connect`].
    ///
    /// # Errors
    /// When the id is not one of this plugin's devices.
    fn driver(&self, device_id: &str) -> Result<Self::Driver>;

    /// Reads a file of this plugin's family that people attach to bug reports, such as a page source, into the neutral tree.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) by default;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) when the file is none that the plugin knows.
    fn read_capture(&self, _bytes: &[u8]) -> Result<Tree> {
        Err(Error::unsupported("this plugin reads no captures"))
    }
}

/// Where a plugin reports the devices that it finds. Cheap to clone.
#[derive(Clone)]
pub struct DeviceEvents {
    send: std::sync::Arc<dyn Fn(DeviceEvent) + Send + Sync>,
}

impl DeviceEvents {
    pub(crate) fn new(send: impl Fn(DeviceEvent) + Send + Sync + 'static) -> Self {
        DeviceEvents { send: std::sync::Arc::new(send) }
    }

    /// A device is here, or what is known of it changed.
    pub fn arrived(&self, device: DeviceInfo) {
        (self.send)(DeviceEvent::Arrived(device));
    }

    /// The device with this id is gone.
    pub fn left(&self, device_id: impl Into<String>) {
        (self.send)(DeviceEvent::Left(device_id.into()));
    }

    /// Something happened to a device that no call fails by and that its status should tell all the same, in one sentence:
    /// another program took it over, say.
    pub fn notice(&self, device_id: impl Into<String>, message: impl Into<String>) {
        (self.send)(DeviceEvent::Notice { device_id: device_id.into(), message: message.into() });
    }
}

/// Hands and eyes on one device.
///
/// # Rules
/// - Lengths are points of the *current* orientation; see [`types`](crate#units).
/// - **Send once.** Never repeat an action on your own unless it surely did not run. Reads are repeated by the host.
/// - **Say what you know**: [`Outcome::NotDone`](crate::Outcome) when nothing was sent or the device refused,
///   [`Outcome::Unknown`](crate::Outcome) when the connection broke in between.
/// - **Keep nothing about tasks**, and nothing at all after `disconnect`: connecting again must give the same behaviour.
/// - Calls to one driver come one at a time, except [`frames`](Driver::frames) and [`probe`](Driver::probe).
/// - Each call has a deadline that the host sets. At the deadline, or when the caller leaves, the call's future is dropped,
///   so whatever must be undone belongs into a `Drop`. [`time_left`](crate::time_left) tells how long there is.
pub trait Driver: Send + Sync + 'static {
    /// Which optional operations this device has. Asked once, after the driver is made.
    fn features(&self) -> Vec<Feature> {
        Vec::new()
    }

    /// Makes the device usable. Called before anything else, and again after a lost connection.
    ///
    /// # Errors
    /// The reason why the device cannot be used: [`NotReachable`](crate::ErrorKind::NotReachable),
    /// [`HelperNotRunning`](crate::ErrorKind::HelperNotRunning), [`NeedsTrust`](crate::ErrorKind::NeedsTrust) …
    fn connect(&self) -> impl Future<Output = Result<()>> + Send;

    /// Lets go of the device. Called when it is not needed any more; never fails for a device that is already gone.
    ///
    /// # Errors
    /// Only for what the operator should read in the log.
    fn disconnect(&self) -> impl Future<Output = Result<()>> + Send;

    /// A picture of the whole screen, at full size.
    ///
    /// # Errors
    /// [`PictureUnavailable`](crate::ErrorKind::PictureUnavailable) when the device refuses.
    fn screenshot(&self) -> impl Future<Output = Result<Picture>> + Send;

    /// One short touch with one finger.
    ///
    /// # Errors
    /// With [`Outcome`](crate::Outcome) telling whether the finger may have touched.
    fn tap(&self, at: Point) -> impl Future<Output = Result<()>> + Send;

    /// One finger that moves in a straight line, after an optional rest.
    ///
    /// # Errors
    /// As [`tap`](Driver::tap).
    fn swipe(&self, swipe: Swipe) -> impl Future<Output = Result<()>> + Send;

    /// Types text where the keyboard's focus is, as given, whatever its script. `'\n'` is the return key, `'\u{8}'`
    /// deletes backwards.
    ///
    /// # Errors
    /// [`NothingFocused`](crate::ErrorKind::NothingFocused) when the text would be lost. Whether all of it arrived is for the
    /// host to read back.
    fn input(&self, text: &str) -> impl Future<Output = Result<()>> + Send;

    /// Brings an app to the front, starting it where needed, and returns once it is there.
    ///
    /// # Errors
    /// [`AppNotFound`](crate::ErrorKind::AppNotFound), [`AppCrashed`](crate::ErrorKind::AppCrashed),
    /// [`Locked`](crate::ErrorKind::Locked).
    fn launch(&self, launch: Launch) -> impl Future<Output = Result<App>> + Send;

    /// Ends an app, by its id or name; `true` if it was running.
    ///
    /// # Errors
    /// [`AppNotFound`](crate::ErrorKind::AppNotFound) where the driver can tell.
    fn terminate(&self, app: &str) -> impl Future<Output = Result<bool>> + Send;

    /// What is on the screen. A tree that could be read in part is an answer with a [flaw](crate::TreeFlaw), not an error.
    ///
    /// # Errors
    /// [`TreeUnavailable`](crate::ErrorKind::TreeUnavailable) when nothing of it could be read.
    fn tree(&self) -> impl Future<Output = Result<Tree>> + Send;

    /// Goes to the home screen.
    ///
    /// # Errors
    /// As [`tap`](Driver::tap).
    fn home(&self) -> impl Future<Output = Result<()>> + Send;

    /// Locks the device; nothing happens where it is locked.
    ///
    /// # Errors
    /// As [`tap`](Driver::tap).
    fn lock(&self) -> impl Future<Output = Result<()>> + Send;

    /// Unlocks the device; nothing happens where it is unlocked.
    ///
    /// # Errors
    /// [`Locked`](crate::ErrorKind::Locked) when it wants a passcode.
    fn unlock(&self) -> impl Future<Output = Result<()>> + Send;

    // What follows is optional. Each default answers `Unsupported`; state what you have in `features`.

    /// A cheap look whether the device answers, made without a connection and beside other calls. The host uses it to
    /// find out that a device came back.
    ///
    /// # Errors
    /// As [`connect`](Driver::connect).
    fn probe(&self) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// One finger that rests for `hold`.
    ///
    /// # Errors
    /// As [`tap`](Driver::tap).
    fn long_press(&self, _at: Point, _hold: Duration) -> impl Future<Output = Result<()>> + Send {
        unsupported("long presses")
    }

    /// Two taps in quick succession.
    ///
    /// # Errors
    /// As [`tap`](Driver::tap).
    fn double_tap(&self, _at: Point) -> impl Future<Output = Result<()>> + Send {
        unsupported("double taps")
    }

    /// Several fingers at once, such as a pinch.
    ///
    /// # Errors
    /// As [`tap`](Driver::tap).
    fn gesture(&self, _fingers: Vec<Finger>) -> impl Future<Output = Result<()>> + Send {
        unsupported("gestures with several fingers")
    }

    /// Presses a button.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a button that this device does not have.
    fn press_button(&self, _button: Button) -> impl Future<Output = Result<()>> + Send {
        unsupported("buttons")
    }

    /// The apps that are installed, or the part of them that can be seen.
    ///
    /// # Errors
    /// Those of the connection.
    fn apps(&self) -> impl Future<Output = Result<AppList>> + Send {
        unsupported("listing apps")
    }

    /// The app in front.
    ///
    /// # Errors
    /// Those of the connection.
    fn active_app(&self) -> impl Future<Output = Result<App>> + Send {
        unsupported("telling the app in front")
    }

    /// Opens a URL with whatever app takes it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) when no app does.
    fn open_url(&self, _url: &str) -> impl Future<Output = Result<()>> + Send {
        unsupported("opening URLs")
    }

    /// The alert in front, if there is one.
    ///
    /// # Errors
    /// Those of the connection.
    fn alert(&self) -> impl Future<Output = Result<Option<Alert>>> + Send {
        unsupported("reading alerts")
    }

    /// Presses the alert's button with this label.
    ///
    /// # Errors
    /// [`NoAlert`](crate::ErrorKind::NoAlert) when there is no alert or no such button.
    fn answer_alert(&self, _button: &str) -> impl Future<Output = Result<()>> + Send {
        unsupported("answering alerts")
    }

    /// Which way up the content is.
    ///
    /// # Errors
    /// Those of the connection.
    fn orientation(&self) -> impl Future<Output = Result<Orientation>> + Send {
        unsupported("telling the orientation")
    }

    /// Turns the content.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) when the app in front does not turn.
    fn set_orientation(&self, _orientation: Orientation) -> impl Future<Output = Result<()>> + Send {
        unsupported("turning the screen")
    }

    /// The text on the clipboard; empty when there is none.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where the system forbids it.
    fn clipboard(&self) -> impl Future<Output = Result<String>> + Send {
        unsupported("reading the clipboard")
    }

    /// Puts text on the clipboard.
    ///
    /// # Errors
    /// As [`clipboard`](Driver::clipboard).
    fn set_clipboard(&self, _text: &str) -> impl Future<Output = Result<()>> + Send {
        unsupported("writing the clipboard")
    }

    /// Hides the on-screen keyboard; nothing happens where there is none.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a keyboard that cannot be hidden.
    fn hide_keyboard(&self) -> impl Future<Output = Result<()>> + Send {
        unsupported("hiding the keyboard")
    }

    /// The screen in its current orientation.
    ///
    /// # Errors
    /// Those of the connection.
    fn screen_info(&self) -> impl Future<Output = Result<Screen>> + Send {
        unsupported("telling the screen's size")
    }

    /// What the device says of itself.
    ///
    /// # Errors
    /// Those of the connection.
    fn device_info(&self) -> impl Future<Output = Result<DeviceState>> + Send {
        unsupported("telling the device's state")
    }

    /// The newest picture of the device's stream with a number above `after`; waits until there is one. The stream starts
    /// with the first call and ends some seconds after the last.
    ///
    /// # Errors
    /// [`PictureUnavailable`](crate::ErrorKind::PictureUnavailable) when the stream broke.
    fn frames(&self, _after: u64) -> impl Future<Output = Result<Frame>> + Send {
        unsupported("a stream of pictures")
    }

    /// The node that has the keyboard's focus.
    ///
    /// # Errors
    /// Those of the connection.
    fn element_at_focus(&self) -> impl Future<Output = Result<Option<Node>>> + Send {
        unsupported("telling what has the focus")
    }
}

async fn unsupported<T>(what: &str) -> Result<T> {
    Err(Error::unsupported(format!("this device does not have: {what}")))
}
