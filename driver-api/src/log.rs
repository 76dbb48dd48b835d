//! A plugin's log on its way to the host.
//!
//! Each plugin has its own copy of `tracing`, so its events must cross as text. Nothing here knows how they are shown.

use std::fmt::Write;
use tracing::{Level, Subscriber, field::Visit, metadata::LevelFilter};
use tracing_subscriber::{Layer, layer::Context};

/// One line of a plugin's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// How important it is.
    pub level: Level,
    /// The module that wrote it.
    pub target: String,
    /// The message with its fields.
    pub message: String,
}

/// 0 nothing, 1 error … 5 trace.
pub(crate) fn level_number(filter: LevelFilter) -> u8 {
    match filter.into_level() {
        None => 0,
        Some(Level::ERROR) => 1,
        Some(Level::WARN) => 2,
        Some(Level::INFO) => 3,
        Some(Level::DEBUG) => 4,
        Some(Level::TRACE) => 5,
    }
}

pub(crate) fn level(number: u8) -> Level {
    match number {
        0 | 1 => Level::ERROR,
        2 => Level::WARN,
        3 => Level::INFO,
        4 => Level::DEBUG,
        _ => Level::TRACE,
    }
}

pub(crate) fn filter(number: u8) -> LevelFilter {
    if number == 0 { LevelFilter::OFF } else { LevelFilter::from_level(level(number)) }
}

/// Sends every event of this copy of `tracing` to `send`.
pub(crate) struct Forward<F> {
    pub(crate) send: F,
}

impl<S: Subscriber, F: Fn(u8, &str, String) + 'static> Layer<S> for Forward<F> {
    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        let mut line = Line::default();
        event.record(&mut line);
        let metadata = event.metadata();
        let number = level_number(LevelFilter::from_level(*metadata.level()));
        (self.send)(number, metadata.target(), format!("{}{}", line.message, line.fields));
    }
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
