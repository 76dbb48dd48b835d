//! Which devices there are, how they are, and the lease on one.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    context::{On, holder},
    convert,
    declare::{Declaration, capability},
    time,
    values::{App, Device, Screen},
};
use crate::device::{EXPLICIT, Feature, LONGEST, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![
        capability(
            context,
            Declaration {
                name: "list_devices",
                title: "List devices",
                description: "Lists every known phone with its status: idle, busy (somebody holds it), offline or error, each with the reason. Call it first.",
                effect: Effect::Read,
                route: Route { method: Method::Get, path: "/devices" },
            },
            list_devices,
        ),
        capability(
            context,
            Declaration {
                name: "device_status",
                title: "Device status",
                description: "Tells all that is known of one phone without asking it: screen size, app in front, lock, battery, which tools it can serve, who holds it.",
                effect: Effect::Read,
                route: Route { method: Method::Get, path: "/devices/{device_id}" },
            },
            device_status,
        ),
        capability(
            context,
            Declaration {
                name: "connect_device",
                title: "Connect a device",
                description: "Takes a phone for this caller alone and answers a lease. Optional: acting on a free phone takes it for a minute at a time. Also tries an offline phone again.",
                effect: Effect::Act,
                route: Route { method: Method::Post, path: "/devices/{device_id}/connect" },
            },
            connect_device,
        ),
        capability(
            context,
            Declaration {
                name: "disconnect_device",
                title: "Disconnect a device",
                description: "Gives a phone back. Does nothing when it is free.",
                effect: Effect::Act,
                route: Route { method: Method::Post, path: "/devices/{device_id}/disconnect" },
            },
            disconnect_device,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Devices {
    devices: Vec<Device>,
}

async fn list_devices(context: Arc<Context>, _: Nothing, _: Caller) -> Result<Devices, Error> {
    Ok(Devices { devices: context.manager.list().iter().map(Device::from).collect() })
}

#[derive(Serialize, JsonSchema)]
struct LeaseSeen {
    holder: String,
    fence: u64,
    expires_at: String,
}

#[derive(Serialize, JsonSchema)]
struct DeviceStatus {
    device: Device,
    screen: Option<Screen>,
    app: Option<App>,
    locked: Option<bool>,
    battery: Option<f64>,
    features: Vec<&'static str>,
    lease: Option<LeaseSeen>,
    queue: usize,
    last_error: Option<String>,
    seen_at: Option<String>,
}

async fn device_status(context: Arc<Context>, on: On, _: Caller) -> Result<DeviceStatus, Error> {
    let target = context.target(&on)?;
    let snapshot = target.device.snapshot();
    let device = Device::from(&snapshot);
    let Snapshot { facts, lease, queue, last_error, seen_at, .. } = snapshot;
    Ok(DeviceStatus {
        device,
        screen: facts.screen.map(Screen::from),
        app: facts.app.map(App::from),
        locked: facts.state.locked,
        battery: facts.state.battery,
        features: features(|feature| target.device.has(feature)),
        lease: lease.map(|lease| LeaseSeen {
            holder: lease.holder,
            fence: lease.fence,
            expires_at: time(lease.expires_at),
        }),
        queue,
        last_error: last_error.map(convert::last_error),
        seen_at: seen_at.map(time),
    })
}

/// The tools that a device can serve: those that need nothing optional, and those whose optional operation it has.
fn features(has: impl Fn(Feature) -> bool) -> Vec<&'static str> {
    let always = [
        "list_devices",
        "device_status",
        "connect_device",
        "disconnect_device",
        "take_screenshot",
        "get_ui_tree",
        "describe_screen",
        "find_text",
        "find_icon",
        "wait_for",
        "tap",
        "swipe",
        "scroll_to",
        "input_text",
        "press_button",
        "launch_app",
        "terminate_app",
        "run_steps",
        "start_task",
        "get_task",
        "control_task",
    ];
    let optional = [
        (Feature::Apps, "list_apps"),
        (Feature::OpenUrl, "open_url"),
        (Feature::AnswerAlert, "answer_alert"),
        (Feature::SetOrientation, "set_orientation"),
        (Feature::Clipboard, "clipboard"),
    ];
    let optional = optional.into_iter().filter(|(feature, _)| has(*feature)).map(|(_, tool)| tool);
    always.into_iter().chain(optional).collect()
}

#[derive(Deserialize, JsonSchema)]
struct Connect {
    #[serde(flatten)]
    on: On,
    /// Seconds until the lease ends (300).
    #[schemars(range(min = 1, max = 3600))]
    ttl_s: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct LeaseGiven {
    id: String,
    fence: u64,
    holder: String,
    expires_at: String,
}

#[derive(Serialize, JsonSchema)]
struct Connected {
    device: Device,
    lease: LeaseGiven,
}

async fn connect_device(context: Arc<Context>, arguments: Connect, caller: Caller) -> Result<Connected, Error> {
    let target = context.target(&arguments.on)?;
    let ttl = arguments.ttl_s.map_or(EXPLICIT, Duration::from_secs).min(LONGEST);
    let lease = target
        .device
        .connect(&holder(&caller), ttl, target.deadline)
        .await
        .map_err(|error| convert::error(&target.device, error))?;
    Ok(Connected {
        device: Device::from(&target.device.snapshot()),
        lease: LeaseGiven {
            id: lease.id,
            fence: lease.fence,
            holder: lease.holder.name,
            expires_at: time(lease.expires_at),
        },
    })
}

#[derive(Deserialize, JsonSchema)]
struct Disconnect {
    #[serde(flatten)]
    on: On,
    /// Lease id from connect_device.
    lease: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Disconnected {
    device: Device,
}

async fn disconnect_device(
    context: Arc<Context>,
    arguments: Disconnect,
    caller: Caller,
) -> Result<Disconnected, Error> {
    let target = context.target(&arguments.on)?;
    target
        .device
        .disconnect(&holder(&caller), arguments.lease.as_deref(), target.deadline)
        .await
        .map_err(|error| convert::error(&target.device, error))?;
    Ok(Disconnected { device: Device::from(&target.device.snapshot()) })
}
