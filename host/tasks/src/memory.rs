//! The memory of tasks in one folder: a database, and pictures beside it.
//!
//! Knows the files and who waits for news. What is written is in `write`, what is read in `read`, what is thrown away in `tidy`.
//!
//! All calls block, for some ten microseconds as a rule and longer on a slow disk: async code makes them on a thread that may
//! block, or through a [`Recorder`](crate::Recorder).

use crate::cache;
use crate::error::MemoryError;
use crate::event::{NewEvent, NewTask};
use crate::files;
use crate::limits::Limits;
use crate::migrate;
use crate::news::{Hub, News};
use crate::pictures::Pictures;
use crate::write::{self, Change, Written};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const FILE: &str = "tasks.sqlite3";
const PICTURES: &str = "pictures";
/// How long one connection waits for the other, which happens only while SQLite sets its files up.
const BUSY: Duration = Duration::from_secs(5);
/// Bytes of the write-ahead log that remain on the disk after it was taken over.
const LOG_BYTES: i64 = 16 << 20;

/// Tasks and their events, in files that survive the process. One process at a time may open a folder; who owns it is
/// settled before.
#[derive(Debug)]
pub struct Memory {
    pub(crate) path: PathBuf,
    pub(crate) limits: Limits,
    pub(crate) writer: Mutex<Connection>,
    /// Reads what is committed, without waiting for who writes.
    pub(crate) reader: Mutex<Connection>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) pictures: Pictures,
}

/// A task that was made, or found under its idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The task's name.
    pub id: String,
    /// Whether an earlier call had made it.
    pub known: bool,
}

impl From<Written> for Created {
    fn from(written: Written) -> Created {
        Created { known: written.numbers.is_empty(), id: written.task }
    }
}

impl Memory {
    /// Opens the memory in `folder`, or makes one; a file of an older version is brought to the newest.
    ///
    /// # Errors
    /// [`MemoryError::Newer`] for the file of a newer version and [`MemoryError::Damaged`] for one that cannot be read, which
    /// then both stay as they are; [`MemoryError::Storage`] when the folder or a file in it cannot be used.
    pub fn open(folder: &Path, limits: Limits) -> Result<Memory, MemoryError> {
        files::create_folder(folder).map_err(MemoryError::io(folder, "making the folder"))?;
        let path = folder.join(FILE);
        files::create_file(&path).map_err(MemoryError::io(&path, "opening the file"))?;
        let sql = MemoryError::sql(&path);
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
        let mut writer = Connection::open_with_flags(&path, flags).map_err(&sql)?;
        migrate::migrate(&mut writer, migrate::STEPS, &path)?;
        set_up(&mut writer, &limits).map_err(&sql)?;
        let reader = Connection::open_with_flags(&path, flags).map_err(&sql)?;
        reader.busy_timeout(BUSY).and_then(|()| reader.pragma_update(None, "query_only", true)).map_err(&sql)?;
        let pictures = Pictures::open(folder.join(PICTURES), &limits)?;
        let hub = Arc::default();
        Ok(Memory { path, limits, writer: Mutex::new(writer), reader: Mutex::new(reader), hub, pictures })
    }

    /// Makes a task, with its `created` event. A task that the same caller made under the same key is given again.
    ///
    /// # Errors
    /// [`MemoryError::KeyReused`] for the same key with other content, [`MemoryError::TooLong`], [`MemoryError::TooDeep`],
    /// [`MemoryError::TooManyTasks`], and those of the storage.
    pub fn create(&self, new: NewTask) -> Result<Created, MemoryError> {
        self.write_one(Change::Create(new)).map(Created::from)
    }

    /// Adds events to a task, all or none, and gives their numbers. When it returns they are committed.
    ///
    /// # Errors
    /// [`MemoryError::NotFound`], [`MemoryError::TooManyEvents`], [`MemoryError::CreatedTwice`], and those of the storage.
    /// [`MemoryError::Finished`] where anything but `effect`, `usage` or `note` would follow the end: of two who end a task at
    /// once, one is told so. [`MemoryError::NotAsked`] for an answer where nothing is asked,
    /// [`MemoryError::AskedAnew`] for one to another question.
    pub fn append(&self, task: &str, events: Vec<NewEvent>) -> Result<Range<u32>, MemoryError> {
        self.write_one(Change::Append(task.to_owned(), events)).map(|written| written.numbers)
    }

    /// Looks whether a goal can be kept, for those who look at more than the goal before they make a task.
    ///
    /// # Errors
    /// [`MemoryError::TooLong`].
    pub fn check_goal(&self, goal: &str) -> Result<(), MemoryError> {
        let (bytes, most) = (goal.len(), self.limits.goal_bytes);
        if bytes > most { Err(MemoryError::TooLong { what: "the goal", bytes, most }) } else { Ok(()) }
    }

    /// Follows a task: what is given wakes whoever waits for its next events.
    ///
    /// # Errors
    /// [`MemoryError::NotFound`], and those of the storage.
    pub fn follow(&self, task: &str) -> Result<News, MemoryError> {
        let news = self.hub.follow(task);
        self.hub.tell(task, self.task(task)?.last);
        Ok(news)
    }

    fn write_one(&self, change: Change) -> Result<Written, MemoryError> {
        self.write(vec![change]).pop().unwrap_or(Err(MemoryError::Closed))
    }

    /// Makes all changes in one transaction, and answers each by itself: a refused one does not keep the others from being
    /// made, a failing disk fails all.
    pub(crate) fn write(&self, changes: Vec<Change>) -> Vec<Result<Written, MemoryError>> {
        let count = changes.len();
        match self.commit(changes) {
            Ok(answers) => {
                for answer in &answers {
                    match answer {
                        Ok(written) => self.hub.tell(&written.task, written.numbers.end.saturating_sub(1)),
                        // The refusal may have left an event.
                        Err(MemoryError::TooManyEvents { task, last, .. }) => self.hub.tell(task, *last),
                        Err(_) => {}
                    }
                }
                answers
            }
            Err(error) => vec![Err(MemoryError::sql(&self.path)(error)); count],
        }
    }

    /// Makes the changes, and tells nobody.
    pub(crate) fn commit(&self, changes: Vec<Change>) -> rusqlite::Result<Vec<Result<Written, MemoryError>>> {
        let mut writer = locked(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let answers: rusqlite::Result<Vec<_>> =
            changes.into_iter().map(|change| write::apply(&transaction, change, &self.limits)).collect();
        let answers = answers?;
        transaction.commit()?;
        Ok(answers)
    }
}

/// A connection after a panic is as good as before: its transaction was rolled back.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_up(writer: &mut Connection, limits: &Limits) -> rusqlite::Result<()> {
    writer.busy_timeout(BUSY)?;
    writer.pragma_update(None, "journal_mode", "WAL")?;
    writer.pragma_update(None, "synchronous", "NORMAL")?;
    writer.pragma_update(None, "foreign_keys", true)?;
    writer.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    // Twice what tidying aims at, for tasks that have not ended and whose events it may not throw away.
    let page: u64 = writer.pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0))?.into();
    let pages = limits.database_bytes.saturating_mul(2) / page.max(1);
    writer.pragma_update(None, "max_page_count", u32::try_from(pages.max(64)).unwrap_or(u32::MAX - 1))?;
    let transaction = writer.transaction()?;
    cache::refold(&transaction)?;
    transaction.commit()
}
