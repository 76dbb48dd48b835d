//! The words that host and drivers share: lengths, pictures, trees, apps, devices.
//!
//! Every length is in **points** (iOS points, Android dp) from the top left corner of the screen in its *current*
//! orientation. Pictures are encoded bytes with their size in pixels. Nothing here knows how a value crosses the
//! library boundary, which phone it came from, or who asked for it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A place on the screen, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Distance from the left edge, in points.
    pub x: f64,
    /// Distance from the top edge, in points.
    pub y: f64,
}

impl Point {
    /// The point at `x`, `y`.
    pub const fn new(x: f64, y: f64) -> Self {
        Point { x, y }
    }
}

/// A rectangle on the screen, in points. It may lie partly or wholly outside the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width, never negative.
    pub width: f64,
    /// Height, never negative.
    pub height: f64,
}

impl Rect {
    /// The rectangle with its top left corner at `x`, `y`.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Rect { x, y, width, height }
    }

    /// The point in its middle.
    pub fn center(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// The right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Whether `point` lies inside; the right and the bottom edge do not count.
    pub fn contains(&self, point: Point) -> bool {
        point.x >= self.x && point.y >= self.y && point.x < self.right() && point.y < self.bottom()
    }

    /// The part that both rectangles cover, or `None` where that has no area.
    pub fn intersection(&self, other: &Rect) -> Option<Rect> {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let width = self.right().min(other.right()) - x;
        let height = self.bottom().min(other.bottom()) - y;
        (width > 0.0 && height > 0.0).then_some(Rect { x, y, width, height })
    }

    /// Width times height.
    pub fn area(&self) -> f64 {
        self.width * self.height
    }
}

/// Which way up the screen's content is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// Upright.
    #[default]
    Portrait,
    /// Turned so that the device's top points left.
    LandscapeLeft,
    /// Turned so that the device's top points right.
    LandscapeRight,
    /// Upside down.
    PortraitUpsideDown,
}

impl Orientation {
    /// Whether the screen is wider than it is high in this orientation.
    pub fn is_landscape(self) -> bool {
        matches!(self, Orientation::LandscapeLeft | Orientation::LandscapeRight)
    }

    /// The name used on every door: `portrait`, `landscape_left`, `landscape_right`, `portrait_upside_down`.
    pub fn name(self) -> &'static str {
        match self {
            Orientation::Portrait => "portrait",
            Orientation::LandscapeLeft => "landscape_left",
            Orientation::LandscapeRight => "landscape_right",
            Orientation::PortraitUpsideDown => "portrait_upside_down",
        }
    }
}

/// The screen in its current orientation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    /// Width in points, in the current orientation.
    pub width: f64,
    /// Height in points, in the current orientation.
    pub height: f64,
    /// Pixels of a full-size screenshot for each point.
    pub scale: f64,
    /// Which way up the content is.
    pub orientation: Orientation,
}

impl Screen {
    /// The whole screen as a rectangle at the origin.
    pub fn bounds(&self) -> Rect {
        Rect::new(0.0, 0.0, self.width, self.height)
    }
}

/// How a picture is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
}

/// An encoded picture of the whole screen, turned the way a person sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The encoded bytes. They cross to the host without a copy when they were made from a `Vec<u8>` and are not shared.
    pub bytes: Bytes,
    /// How they are encoded.
    pub format: PictureFormat,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// One finger that moves in a straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swipe {
    /// Where the finger goes down.
    pub from: Point,
    /// Where it is lifted.
    pub to: Point,
    /// How long it rests at `from` before it moves; zero for a swipe, longer for a drag.
    pub hold: Duration,
    /// How long the movement takes.
    pub duration: Duration,
}

/// One finger of a [gesture](crate::Driver::gesture): where it is at which time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finger {
    /// In order of time. The finger goes down at the first and is lifted at the last.
    pub path: Vec<PathPoint>,
}

/// One place of a finger's path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Milliseconds since the gesture began.
    pub at_ms: u64,
    /// Where the finger is then.
    pub point: Point,
}

/// A button of the device or of its keyboard. Home, lock and unlock are operations of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The system's back button or gesture.
    Back,
    /// Louder.
    VolumeUp,
    /// Quieter.
    VolumeDown,
    /// The list of running apps.
    AppSwitcher,
    /// The keyboard's return key.
    Enter,
}

/// An app by its id (bundle id, package name) and the name that people see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct App {
    /// Bundle id or package name.
    pub id: String,
    /// The name under its icon, where the driver knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// One row of [`AppList`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppEntry {
    /// Which app.
    #[serde(flatten)]
    pub app: App,
    /// Whether it runs, where the driver can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<bool>,
}

/// The apps of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppList {
    /// In no particular order.
    pub apps: Vec<AppEntry>,
    /// Whether these are all installed apps. `false` when the driver can see only some, such as the running ones.
    pub complete: bool,
}

/// How an app is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// App id, or the name that people see.
    pub app: String,
    /// End it first, so that it starts from its beginning.
    #[serde(default)]
    pub fresh: bool,
    /// Arguments of its process; they take effect only when it starts afresh.
    #[serde(default)]
    pub arguments: Vec<String>,
}

/// A system or app alert that is in front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// What it says, lines joined by newlines.
    pub text: String,
    /// The labels of its buttons, in the order in which they are shown.
    pub buttons: Vec<String>,
}

/// What a node of the tree is, in words that hold on every platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A push button.
    Button,
    /// Text that is shown.
    Text,
    /// Text that can be edited.
    TextField,
    /// Text that can be edited and is not shown, such as a password.
    SecureField,
    /// On or off.
    Switch,
    /// A value between two ends.
    Slider,
    /// One row of a list or one cell of a grid.
    Cell,
    /// A list, table or grid.
    List,
    /// A picture.
    Image,
    /// A small picture that stands for something, such as an app on the home screen.
    Icon,
    /// A link.
    Link,
    /// One tab of a tab bar.
    Tab,
    /// The bar at the top with the screen's title.
    NavBar,
    /// A dialog that must be answered.
    Alert,
    /// A panel that slid over the content.
    Sheet,
    /// The on-screen keyboard.
    Keyboard,
    /// One key of it.
    Key,
    /// Web content.
    WebView,
    /// A window, or the app's root.
    Window,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

impl Role {
    /// The name used on every door, such as `text_field`.
    pub fn name(self) -> &'static str {
        match self {
            Role::Button => "button",
            Role::Text => "text",
            Role::TextField => "text_field",
            Role::SecureField => "secure_field",
            Role::Switch => "switch",
            Role::Slider => "slider",
            Role::Cell => "cell",
            Role::List => "list",
            Role::Image => "image",
            Role::Icon => "icon",
            Role::Link => "link",
            Role::Tab => "tab",
            Role::NavBar => "nav_bar",
            Role::Alert => "alert",
            Role::Sheet => "sheet",
            Role::Keyboard => "keyboard",
            Role::Key => "key",
            Role::WebView => "web_view",
            Role::Window => "window",
            Role::Other => "other",
        }
    }
}

/// One node of a [`Tree`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Index of its parent in [`Tree::nodes`], always smaller than its own; `None` for a root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// What it is.
    pub role: Role,
    /// What it is called on the screen or to a screen reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its content: the text of a field, the position of a slider. Never the content of a secure field, whose value is
    /// one `•` for each character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What an empty field shows; never repeated as its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// The name that the app's developer gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Where it is; `None` when the phone gave no usable position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// Whether it reacts.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub enabled: bool,
    /// The platform's own opinion on whether it can be seen; a hint that is sometimes wrong.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub visible: bool,
    /// Whether typed text goes to it.
    #[serde(default, skip_serializing_if = "is_no")]
    pub focused: bool,
    /// Whether it is the chosen one among its siblings.
    #[serde(default, skip_serializing_if = "is_no")]
    pub selected: bool,
    /// On or off, for things that can be switched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

fn is_no(value: &bool) -> bool {
    !*value
}

impl Node {
    /// A node of this role without a text, enabled and visible.
    pub fn new(role: Role) -> Self {
        Node {
            parent: None,
            role,
            label: None,
            value: None,
            placeholder: None,
            identifier: None,
            bounds: None,
            enabled: true,
            visible: true,
            focused: false,
            selected: false,
            checked: None,
        }
    }
}

/// What is not as it seems about a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeFlaw {
    /// The phone left out what lies deeper than a limit.
    Cut,
    /// The phone's answer was cut off or not well-formed; what could be read is here.
    Damaged,
    /// The phone may have answered with an older screen.
    Stale,
}

/// What is on the screen: a flat list in pre-order (each node before its children) with parent indices, so that no depth
/// meets a recursion limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// In pre-order.
    pub nodes: Vec<Node>,
    /// What is wrong with it; empty for a sound tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaws: Vec<TreeFlaw>,
    /// The app in front, where the tree itself says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<App>,
}

/// The kind of phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// An iPhone or iPad.
    Ios,
    /// An Android device.
    Android,
    /// A device that exists only in software.
    Virtual,
}

/// How a device is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// By cable.
    Usb,
    /// Over the network.
    Network,
    /// In this process or on this machine.
    Local,
}

/// How a device is reached, for people to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// By what.
    pub via: Via,
    /// Where: an address or a port.
    pub address: String,
}

/// A device that a plugin found or was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Letters, digits, `.`, `_`, `-`; 1 to 64 characters; the same each time the device is seen.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The kind of phone.
    pub platform: Platform,
    /// Model, such as `iPhone 15 Pro`, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of its operating system, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_version: Option<String>,
    /// How it is reached.
    pub connection: Connection,
}

/// What a plugin reports while it looks for devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceEvent {
    /// A device is here, or what is known of it changed.
    Arrived(DeviceInfo),
    /// A device is gone: its id.
    Left(String),
    /// Something happened to a device that its status should tell.
    Notice {
        /// The device's id.
        device_id: String,
        /// One sentence.
        message: String,
    },
}

/// What a device says of itself beyond its screen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceState {
    /// Model, such as `iPhone 15 Pro`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of its operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_version: Option<String>,
    /// Whether the lock screen is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// Charge from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub battery: Option<f64>,
}

/// One picture of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Rises with every picture of the stream.
    pub number: u64,
    /// The picture.
    pub picture: Picture,
}

/// The settings of one device that the operator wrote into the configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceConfig {
    /// The id under which callers know it.
    pub id: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is reached; the driver knows the form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Serial number, so that the same phone found by cable is one device and not two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub udid: Option<String>,
    /// What only the driver understands.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// What the operator configured for a plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PluginConfig {
    /// What only the plugin understands. Use [`options`] to read it.
    #[serde(default)]
    pub options: serde_json::Map<String, serde_json::Value>,
    /// Devices given by hand.
    #[serde(default)]
    pub devices: Vec<DeviceConfig>,
}

/// Reads an options table into the driver's own type; an unknown or ill-typed option becomes an error that names it.
pub fn options<T: serde::de::DeserializeOwned>(
    options: &serde_json::Map<String, serde_json::Value>,
) -> crate::Result<T> {
    serde_json::from_value(serde_json::Value::Object(options.clone()))
        .map_err(|error| crate::Error::new(crate::ErrorKind::InvalidArgument, format!("options: {error}")))
}

/// An optional operation that a driver can state it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each variant is the operation of the same name in `Driver`, described there")]
pub enum Feature {
    LongPress,
    DoubleTap,
    Gesture,
    PressButton,
    Apps,
    ActiveApp,
    OpenUrl,
    Alert,
    AnswerAlert,
    Orientation,
    SetOrientation,
    Clipboard,
    SetClipboard,
    HideKeyboard,
    ScreenInfo,
    DeviceInfo,
    Frames,
    ElementAtFocus,
    /// A feature of a newer version of this crate.
    #[serde(other)]
    Unknown,
}
