//! Devices: which there are, what state they are in, whose turn it is, and who may act.
//!
//! This layer runs closures against drivers. It does not know what a tap is, and nothing of files, JSON, HTTP or models.

#[allow(clippy::module_inception, reason = "one device, beside the set of them")]
mod device;
mod error;
mod flight;
mod lane;
mod lease;
mod manager;
mod status;
#[cfg(test)]
mod tests;

pub use device::{Device, Facts, LeaseView, Operation, Permit, Snapshot, Trouble};
pub use driver_api::{Error as DriverError, ErrorKind, Feature, Outcome, handle::DriverHandle};
pub use error::Error;
pub use lease::{EXPLICIT, Holder, LONGEST, Lease};
pub use manager::{Fresh, Manager};
pub use status::{Event, Reason, State, Status};
