//! What every capability works with: the devices, and what callers have seen of them.

use super::{
    Caller, Catalogue, Code, Error, Policy, acting::Ledger, catalogue::Offered, convert, reading::Readings,
    sight::Sights,
};
use crate::{
    device::{Device, DriverError, DriverHandle, Holder, Manager, Operation, Permit},
    neutral::Screen,
    perception::{ocr::Added, text::shorten},
    vision::Vision,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{
    future::Future,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::Instant;

/// How long a call may take unless the caller says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The devices, and what callers have seen of them.
pub struct Context {
    /// All devices.
    pub manager: Manager,
    /// Frames and refs by device.
    pub(super) sights: Sights,
    /// What was read of pictures.
    pub(super) readings: Readings,
    /// Answers under idempotency keys.
    pub(super) ledger: Ledger,
    /// What the operator forbids.
    pub(super) policy: Policy,
    /// A model that says something of pictures.
    pub(super) vision: Option<Vision>,
    /// What is offered to callers, for capabilities that call others.
    offered: OnceLock<Offered>,
}

/// What the operator chose.
#[derive(Default)]
pub struct Settings {
    /// What is forbidden.
    pub policy: Policy,
    /// Text recognisers besides the one that comes with the program.
    pub recognisers: Vec<Added>,
    /// A model that says something of pictures.
    pub vision: Option<Vision>,
}

/// The arguments of every capability that is about one device.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct On {
    /// Optional when one is listed.
    pub(super) device_id: Option<String>,
    /// Time limit, queueing included.
    #[schemars(range(min = 1, max = 120_000))]
    pub(super) timeout_ms: Option<u64>,
}

/// The arguments of every capability that acts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Act {
    /// What to show afterwards.
    pub(super) observe: Option<Observe>,
    /// Check what it did (true).
    pub(super) verify: Option<bool>,
    /// Lease id from connect_device.
    pub(super) lease: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    #[serde(rename = "idempotency_key")]
    _idempotency_key: Option<String>,
}

impl Act {
    /// An act that is only observed, not checked.
    pub(super) fn observed(observe: Option<Observe>, lease: Option<String>) -> Act {
        Act { observe, verify: Some(false), lease, _idempotency_key: None }
    }
}

/// What an action's answer shows of the screen afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Observe {
    None,
    Diff,
    Tree,
    Screenshot,
}

/// A device and the time by which a call must be over.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) device: Arc<Device>,
    pub(super) deadline: Instant,
}

impl Context {
    /// A context over these devices.
    pub fn new(manager: Manager) -> Arc<Self> {
        Context::with(manager, Settings::default())
    }

    /// A context with these settings.
    pub fn with(manager: Manager, settings: Settings) -> Arc<Self> {
        let Settings { policy, recognisers, vision } = settings;
        let (sights, ledger) = (Sights::default(), Ledger::default());
        let readings = Readings::new(recognisers);
        Arc::new(Context { manager, sights, readings, ledger, policy, vision, offered: OnceLock::new() })
    }

    /// Loads at once what else would be loaded when it is first needed, for a host that serves: its log then tells what is broken.
    pub fn prepare(&self) {
        self.readings.load_added();
    }

    /// Tells which of the capabilities over this context are offered to callers: no capability calls another one for them.
    /// Counts once.
    pub fn offer(&self, catalogue: &Catalogue) {
        let _ = self.offered.set(catalogue.offered());
    }

    /// The capabilities that are offered to callers.
    pub(super) fn offered(&self) -> Result<Catalogue, Error> {
        let gone = || Error::new(Code::Internal, "the server is about to end", "Start it again.");
        self.offered.get().and_then(Offered::catalogue).ok_or_else(gone)
    }

    /// The device that a call is about.
    pub(super) fn target(&self, on: &On) -> Result<Target, Error> {
        self.target_within(on, DEFAULT_TIMEOUT)
    }

    /// The device that a call is about; `default` is the time limit unless the caller says otherwise.
    pub(super) fn target_within(&self, on: &On, default: Duration) -> Result<Target, Error> {
        let deadline = Instant::now() + on.timeout_ms.map_or(default, Duration::from_millis);
        let device = match &on.device_id {
            Some(id) => self.manager.get(id).ok_or_else(|| self.unknown_device(id))?,
            None => self.sole_device()?,
        };
        Ok(Target { device, deadline })
    }

    /// The same arguments with the device named, should the caller have left it out: two ways to say the same.
    pub(super) fn named(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        let mut named = arguments.clone();
        if !named.contains_key("device_id")
            && let Ok(device) = self.sole_device()
        {
            named.insert("device_id".to_owned(), device.id().into());
        }
        named
    }

    fn unknown_device(&self, id: &str) -> Error {
        let hint = match self.ids().as_slice() {
            [] => "No device is listed: attach one or name one in the configuration.".to_owned(),
            ids => format!("Listed are: {}.", ids.join(", ")),
        };
        Error::new(Code::DeviceNotFound, format!("there is no device {:?}", brief(id)), hint)
    }

    fn sole_device(&self) -> Result<Arc<Device>, Error> {
        let mut all = self.manager.all();
        match all.len() {
            1 => Ok(all.remove(0)),
            0 => Err(Error::new(
                Code::DeviceNotFound,
                "no device is listed",
                "Attach a device or name one in the configuration, then call list_devices.",
            )),
            _ => Err(Error::invalid(
                "device_id is missing, and more than one device is listed",
                format!("Pass device_id, one of: {}.", self.ids().join(", ")),
            )),
        }
    }

    fn ids(&self) -> Vec<String> {
        // An answer must stay readable however many devices there are.
        self.manager.all().iter().take(20).map(|device| device.id().to_owned()).collect()
    }
}

impl Target {
    pub(super) fn id(&self) -> &str {
        self.device.id()
    }

    /// The right to act for this caller.
    pub(super) fn permit(&self, caller: &Caller, act: &Act) -> Result<Permit, Error> {
        self.device.permit(&holder(caller), act.lease.as_deref()).map_err(|error| convert::error(&self.device, error))
    }

    /// Reads from the device; see [`Device::look`].
    pub(super) async fn look<T, F, Fut>(&self, operation: Operation, read: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(DriverHandle, Duration) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, DriverError>> + Send + 'static,
    {
        self.device.look(operation, self.deadline, read).await.map_err(|error| convert::error(&self.device, error))
    }

    /// Acts on the device, once; see [`Device::act`].
    pub(super) async fn act<T, F, Fut>(&self, permit: Permit, operation: Operation, action: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(DriverHandle, Duration) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, DriverError>> + Send + 'static,
    {
        let acted = self.device.act(permit, operation, self.deadline, action).await;
        acted.map_err(|error| convert::error(&self.device, error))
    }

    /// What is remembered of the screen. Devices that cannot tell have none.
    pub(super) fn screen(&self) -> Option<Screen> {
        self.device.facts().screen
    }

    /// The time that is left, for work that is not a call to the device.
    pub(super) fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

/// What a caller sent, short enough to be repeated to it.
pub(super) fn brief(text: &str) -> std::borrow::Cow<'_, str> {
    shorten(text, 80)
}

/// Who a caller is to the leases: its session where it has one, else its token and its client's name.
pub(super) fn holder(caller: &Caller) -> Holder {
    Holder {
        key: caller.session.clone().unwrap_or_else(|| format!("client {}", caller.client)),
        name: caller.client.clone(),
    }
}
