//! The values that several results share, as the contract names them.

use super::time;
use crate::{
    device::{Reason, Snapshot, Status},
    neutral,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A place on the screen, in points.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct Point {
    x: f64,
    y: f64,
}

impl From<neutral::Point> for Point {
    fn from(point: neutral::Point) -> Self {
        Point { x: tidy(point.x), y: tidy(point.y) }
    }
}

/// A rectangle on the screen, in points.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct Bounds {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl From<neutral::Rect> for Bounds {
    fn from(rect: neutral::Rect) -> Self {
        Bounds { x: tidy(rect.x), y: tidy(rect.y), width: tidy(rect.width), height: tidy(rect.height) }
    }
}

impl Bounds {
    /// The same in a unit of which so many make one.
    pub(super) fn scaled(self, by: f64) -> Bounds {
        let Bounds { x, y, width, height } = self;
        Bounds { x: tidy(x * by), y: tidy(y * by), width: tidy(width * by), height: tidy(height * by) }
    }
}

/// A hundredth of a point is finer than any screen.
fn tidy(length: f64) -> f64 {
    (length * 100.0).round() / 100.0
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Screen {
    width: f64,
    height: f64,
    scale: f64,
    orientation: &'static str,
}

impl From<neutral::Screen> for Screen {
    fn from(screen: neutral::Screen) -> Self {
        Screen {
            width: tidy(screen.width),
            height: tidy(screen.height),
            scale: screen.scale,
            orientation: screen.orientation.name(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct App {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl App {
    /// Whether both are the same app, whatever it is called.
    pub(super) fn is(&self, other: &App) -> bool {
        self.id == other.id
    }
}

impl From<neutral::App> for App {
    fn from(app: neutral::App) -> Self {
        App { id: app.id, name: app.name }
    }
}

/// How the device is attached.
#[derive(Debug, Serialize, JsonSchema)]
struct Connection {
    via: &'static str,
    address: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Device {
    id: String,
    name: String,
    platform: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    os_version: Option<String>,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    since: String,
    connection: Connection,
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
}

impl From<&Snapshot> for Device {
    fn from(snapshot: &Snapshot) -> Self {
        let info = &snapshot.info;
        Device {
            id: info.id.clone(),
            name: info.name.clone(),
            platform: match info.platform {
                neutral::Platform::Ios => "ios",
                neutral::Platform::Android => "android",
                neutral::Platform::Virtual => "virtual",
            },
            model: info.model.clone(),
            os_version: info.os_version.clone(),
            status: snapshot.status,
            reason: snapshot.reason,
            since: time(snapshot.since),
            connection: Connection {
                via: match info.connection.via {
                    neutral::Via::Usb => "usb",
                    neutral::Via::Network => "network",
                    neutral::Via::Local => "local",
                },
                address: info.connection.address.clone(),
            },
            holder: snapshot.lease.as_ref().map(|lease| lease.holder.clone()),
        }
    }
}

/// Something about a look that is not as it seems.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Note {
    pub(super) code: String,
    pub(super) text: String,
}

/// Whether an action changed the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Changed,
    Unchanged,
    Unknown,
}

/// Why an action changed nothing, or cannot be told to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cause {
    AlertInFront,
    TargetDisabled,
    TargetCovered,
    NothingFocused,
    NothingAtPoint,
    StillMoving,
    AppLeft,
}

/// What an action did to the screen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Effect {
    pub(super) state: State,
    /// Until the screen came to rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) settled_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<Cause>,
    /// The app in front, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) app: Option<App>,
}

/// The result of an action.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Acted {
    pub(super) device_id: String,
    pub(super) effect: Effect,
    /// Of what was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frame: Option<String>,
    /// What became different, one element a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
    /// The screen, as get_ui_tree prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The picture that comes with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) screenshot: Option<Shot>,
    /// What is not as it seems.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<Note>,
}

/// What is to be known of a picture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Shot {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Pixels a point.
    pub(super) scale: f64,
    pub(super) orientation: &'static str,
}

/// An alert in front.
#[derive(Serialize, JsonSchema)]
pub(super) struct AlertSeen {
    pub(super) text: String,
    pub(super) buttons: Vec<String>,
}

impl From<neutral::Alert> for AlertSeen {
    fn from(alert: neutral::Alert) -> Self {
        AlertSeen { text: alert.text, buttons: alert.buttons }
    }
}
