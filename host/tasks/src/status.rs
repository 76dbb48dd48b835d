//! Where a task can stand.
//!
//! Knows names. What leads from one to another is the fold's.

use serde::{Deserialize, Serialize};

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Its turn has not come yet.
    Queued,
    /// It is being worked on.
    Running,
    /// Its device is away or with somebody else.
    WaitingDevice,
    /// It asked something and waits for the answer.
    NeedsHuman,
    /// Somebody paused it.
    Paused,
    /// It is done.
    Succeeded,
    /// It could not be done.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 8] = [
        Status::Queued,
        Status::Running,
        Status::WaitingDevice,
        Status::NeedsHuman,
        Status::Paused,
        Status::Succeeded,
        Status::Failed,
        Status::Cancelled,
    ];

    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Queued => "queued",
            Status::Running => "running",
            Status::WaitingDevice => "waiting_device",
            Status::NeedsHuman => "needs_human",
            Status::Paused => "paused",
            Status::Succeeded => "succeeded",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        }
    }

    /// Whether the task has ended, which is for ever.
    pub fn is_finished(self) -> bool {
        matches!(self, Status::Succeeded | Status::Failed | Status::Cancelled)
    }
}
