//! The iPhone driver behind the real library boundary, against *simulated* iPhones: every operation on every generation of the
//! server, what goes wrong, what the screen's coordinates mean. Tests that begin with `row_` show the right behaviour of that
//! row of the list of public failure reports.

mod cables;
mod screens;
mod trouble;
mod walk;

use driver_api::{
    DeviceEvent, LogRecord, Node, PluginConfig, Point, Role, Tree,
    handle::{DriverHandle, Host, PluginHandle},
};
use e2e::wda_sim::{Generation, SimOptions, WdaSim};
use fingertip_wda::WdaPlugin;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// More than any call here needs.
pub(crate) const LONG: Duration = Duration::from_secs(20);
/// Every generation of the server.
pub(crate) const GENERATIONS: [Generation; 4] = [Generation::V4, Generation::V9, Generation::V16Early, Generation::V16];

/// A started plugin, and what it reports of devices.
pub(crate) struct Plugin {
    pub(crate) handle: PluginHandle,
    pub(crate) events: mpsc::UnboundedReceiver<DeviceEvent>,
}

struct Ear(mpsc::UnboundedSender<DeviceEvent>);

impl Host for Ear {
    fn log_level(&self) -> tracing::metadata::LevelFilter {
        tracing::metadata::LevelFilter::OFF
    }

    fn log(&self, _record: LogRecord) {}

    fn device_event(&self, event: DeviceEvent) {
        let _ = self.0.send(event);
    }
}

impl Plugin {
    /// With this configuration; it looks for devices as long as it lives.
    pub(crate) fn start(config: Value) -> Plugin {
        let (send, events) = mpsc::unbounded_channel();
        let config: PluginConfig = serde_json::from_value(config).expect("a configuration");
        let handle = PluginHandle::in_process::<WdaPlugin>(Ear(send), &config).expect("the plugin starts");
        let search = handle.clone();
        tokio::spawn(async move { search.discover().await });
        Plugin { handle, events }
    }

    /// The next thing that it reports.
    pub(crate) async fn next(&mut self) -> DeviceEvent {
        tokio::time::timeout(LONG, self.events.recv()).await.expect("in time").expect("an event")
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        self.handle.shutdown();
    }
}

/// A connected phone: its simulator, its plugin and its driver.
pub(crate) struct Rig {
    pub(crate) sim: WdaSim,
    pub(crate) plugin: Plugin,
    pub(crate) driver: DriverHandle,
}

impl Rig {
    /// A small phone of this generation, connected.
    pub(crate) async fn of(generation: Generation) -> Rig {
        let mut options = SimOptions::of(generation);
        options.phone.scale = 1.0;
        Rig::with(options).await
    }

    /// A phone that is made like this, connected.
    pub(crate) async fn with(options: SimOptions) -> Rig {
        let rig = Rig::apart(options);
        rig.driver.connect(LONG).await.expect("connected");
        rig.sim.clear_log();
        rig
    }

    /// A phone that is made like this, not connected yet.
    pub(crate) fn apart(options: SimOptions) -> Rig {
        let sim = WdaSim::start_now(options).expect("a simulator");
        let stream = sim.mjpeg_address().map(|address| format!("http://{address}"));
        let plugin = Plugin::start(json!({
            "options": {"usb": false},
            "devices": [{"id": "desk", "address": sim.url(), "options": {"stream_address": stream}}],
        }));
        let driver = plugin.handle.driver("desk").expect("a driver");
        Rig { sim, plugin, driver }
    }

    /// The requests since the last call, as `METHOD /route`.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.sim.requests().iter().map(e2e::wda_sim::Request::name).collect();
        self.sim.clear_log();
        lines
    }

    /// The middle of the first node whose label contains this.
    pub(crate) async fn find(&self, label: &str) -> Point {
        let tree = self.driver.tree(LONG).await.expect("a tree");
        let node = node(&tree, |node| node.label.as_deref().is_some_and(|text| text.contains(label)));
        node.bounds.expect("it has a place").center()
    }

    /// Waits until the tree shows this.
    pub(crate) async fn shows(&self, label: &str) -> bool {
        let until = Instant::now() + LONG;
        loop {
            let tree = self.driver.tree(LONG).await.expect("a tree");
            let has = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(label));
            if tree.nodes.iter().any(|node| has(&node.label) || has(&node.value)) {
                return true;
            }
            if Instant::now() > until {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The first node of which this is true.
pub(crate) fn node(tree: &Tree, wanted: impl Fn(&Node) -> bool) -> &Node {
    tree.nodes.iter().find(|node| wanted(node)).unwrap_or_else(|| panic!("no such node in {tree:#?}"))
}

/// Whether it is a field that can be typed into.
pub(crate) fn is_field(node: &Node) -> bool {
    matches!(node.role, Role::TextField | Role::SecureField)
}
