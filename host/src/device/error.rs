//! Why a call did not run on a device.

use super::{Outcome, Reason, Status};
use std::time::SystemTime;

/// The one error of this layer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Another caller holds the device.
    #[error("held by {holder}")]
    Busy {
        /// What others are told of the holder.
        holder: String,
        /// When its lease ends unless it is renewed.
        expires_at: SystemTime,
    },
    /// The caller's lease has ended.
    #[error("the lease has ended")]
    LeaseLost,
    /// Too many calls wait.
    #[error("too many calls wait for the device")]
    Overloaded,
    /// The caller's own time ran out.
    #[error("the caller's time ran out")]
    Late {
        /// Whether the action took place.
        outcome: Outcome,
    },
    /// The device took longer than the operation may take; it is in error now.
    #[error("the device did not answer in time")]
    Overran {
        /// Whether the action took place.
        outcome: Outcome,
    },
    /// The device is offline, or was in error before this call.
    #[error("the device is not usable")]
    Unavailable {
        /// Offline or error.
        status: Status,
        /// Why.
        reason: Reason,
        /// Whether the action took place.
        outcome: Outcome,
    },
    /// What the driver answered; the device itself is fine.
    #[error(transparent)]
    Driver(#[from] driver_api::Error),
}
