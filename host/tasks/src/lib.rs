//! The memory of tasks: their events, the state that is a fold over them, and the pictures that they name.
//!
//! A [`Memory`] keeps what happened to each task as [`Event`]s that are appended and never changed; a [`Task`] is what they
//! add up to. [`Recorder`] is the same for async code. Nothing here knows of models, devices or protocols, nor what a step
//! of a task is made of: what an event's data say beyond what [`Kind`] lists is between those who write and who read them.
//!
//! **What is promised.** What [`Memory::append`] returned for is there after the process was killed at any moment. It may
//! be lost, from the newest event backwards, when the machine loses power: SQLite's write-ahead log runs with
//! `synchronous = NORMAL`, and pictures are not synced to the disk. The file is whole in either case. A picture is written
//! before the event that names it.

#![forbid(unsafe_code)]

mod bound;
mod cache;
mod error;
mod event;
mod files;
mod id;
mod limits;
mod memory;
mod migrate;
mod news;
mod pictures;
mod read;
mod recorder;
mod redact;
mod status;
mod task;
mod tidy;
mod write;

#[cfg(test)]
mod tests;

pub use error::MemoryError;
pub use event::{Event, Kind, NewEvent, NewTask};
pub use limits::Limits;
pub use memory::{Created, Memory};
pub use news::News;
pub use read::Filter;
pub use recorder::Recorder;
pub use redact::{BULLETS, redact};
pub use status::Status;
pub use task::{Task, Used};
pub use tidy::Tidied;
