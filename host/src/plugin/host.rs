//! What a plugin may call: its log and its devices.

use driver_api::{DeviceEvent, LogRecord, handle};
use tracing::{Level, metadata::LevelFilter};

pub(super) struct Host<F> {
    plugin: String,
    events: F,
}

impl<F> Host<F> {
    pub(super) fn new(plugin: String, events: F) -> Self {
        Host { plugin, events }
    }
}

impl<F: Fn(DeviceEvent) + Send + Sync + 'static> handle::Host for Host<F> {
    fn log_level(&self) -> LevelFilter {
        LevelFilter::current()
    }

    fn log(&self, record: LogRecord) {
        let LogRecord { level, target, message } = record;
        let plugin = self.plugin.as_str();
        // The level of an event is part of its static description.
        match level {
            Level::ERROR => tracing::error!(target: "plugin", plugin, module = %target, "{message}"),
            Level::WARN => tracing::warn!(target: "plugin", plugin, module = %target, "{message}"),
            Level::INFO => tracing::info!(target: "plugin", plugin, module = %target, "{message}"),
            Level::DEBUG => tracing::debug!(target: "plugin", plugin, module = %target, "{message}"),
            Level::TRACE => tracing::trace!(target: "plugin", plugin, module = %target, "{message}"),
        }
    }

    fn device_event(&self, event: DeviceEvent) {
        (self.events)(event);
    }
}
