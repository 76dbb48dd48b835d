//! What can go wrong with the memory, in words for whoever asked.
//!
//! Knows the kinds and their wording; how a caller reports them is the caller's.

use crate::status::Status;
use std::path::{Path, PathBuf};

/// Why something could not be remembered or recalled. Where nothing else is said, nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// No task of this name.
    #[error(
        "there is no task {task:?}; tasks that ended are forgotten after some time, list the tasks to see which are left"
    )]
    NotFound {
        /// The name.
        task: String,
    },
    /// The task ended before.
    #[error("task {task} has already {}; start a new task", ended(*status))]
    Finished {
        /// The task.
        task: String,
        /// How it ended.
        status: Status,
    },
    /// Something given is too long.
    #[error("{what} has {bytes} bytes, at most {most} are kept; give less")]
    TooLong {
        /// What it is.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// A request is nested too deeply.
    #[error("the request is nested more than {most} levels deep; make it flatter")]
    TooDeep {
        /// How deep it may be.
        most: usize,
    },
    /// An answer to no question.
    #[error("task {task} asks nothing, or was answered already; see its status before answering")]
    NotAsked {
        /// The task.
        task: String,
    },
    /// An answer to a question that is not asked any more.
    #[error(
        "task {task} asks something else now, which this does not answer: {question:?}; read the question, then answer it"
    )]
    AskedAnew {
        /// The task.
        task: String,
        /// What it asks now.
        question: String,
    },
    /// An action of a task that somebody wants to rest.
    #[error("task {task} is paused, so that nothing may be done; resume it first")]
    Paused {
        /// The task.
        task: String,
    },
    /// The idempotency key stands for another task.
    #[error(
        "the idempotency key {key:?} was used for task {task} with other content; use a new key for each thing that is to be done"
    )]
    KeyReused {
        /// The key.
        key: String,
        /// What it stands for.
        task: String,
    },
    /// Too many tasks that have not ended.
    #[error("{most} tasks have not ended yet, which is the most that are kept; wait for some to end, or cancel some")]
    TooManyTasks {
        /// How many there may be.
        most: u32,
    },
    /// The task has as many events as one may have. A `limit` event says so, and nothing but its end can follow.
    #[error("task {task} has {last} events, at most {most} are kept; end it, and split its goal into smaller tasks")]
    TooManyEvents {
        /// The task.
        task: String,
        /// Number of its last event.
        last: u32,
        /// How many there may be.
        most: u32,
    },
    /// An event that only making a task writes.
    #[error("task {task} exists, so that no event can create it; leave `created` to the memory")]
    CreatedTwice {
        /// The task.
        task: String,
    },
    /// The file was written by a newer version.
    #[error(
        "{path}: the task memory has version {found}, this program knows up to {known}; use the newer program that wrote it, \
         or another data folder",
        path = .path.display()
    )]
    Newer {
        /// Where it lies.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// The file is damaged, or something else than a task memory.
    #[error(
        "{path}: the task memory cannot be read ({reason}); the file was left as it is: restore it from a backup, or move it and \
         the files named like it with -wal and -shm away to start with an empty memory",
        path = .path.display()
    )]
    Damaged {
        /// Where it lies.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file or folder cannot be used.
    #[error("{path}: {reason}; see that the disk has room and that this user may write there", path = .path.display())]
    Storage {
        /// Which file or folder.
        path: PathBuf,
        /// What failed.
        reason: String,
    },
    /// The recorder's thread is gone.
    #[error("the task memory is closed; restart the program to go on")]
    Closed,
}

fn ended(status: Status) -> &'static str {
    match status {
        Status::Succeeded => "succeeded",
        Status::Cancelled => "been cancelled",
        _ => "failed",
    }
}

impl MemoryError {
    /// What SQLite says of the file at `path`.
    pub(crate) fn sql(path: &Path) -> impl Fn(rusqlite::Error) -> MemoryError + use<> {
        use rusqlite::{Error, ErrorCode};
        let path = path.to_owned();
        move |error| {
            let (path, reason) = (path.clone(), error.to_string());
            match (&error, error.sqlite_error_code()) {
                (_, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
                | (Error::FromSqlConversionFailure(..) | Error::InvalidColumnType(..), _) => {
                    MemoryError::Damaged { path, reason }
                }
                _ => MemoryError::Storage { path, reason },
            }
        }
    }

    /// What the file system says of `path`, where `action` was tried.
    pub(crate) fn io(path: &Path, action: &str) -> impl Fn(std::io::Error) -> MemoryError {
        move |error| MemoryError::Storage { path: path.to_owned(), reason: format!("{action} failed ({error})") }
    }
}
