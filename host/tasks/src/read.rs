//! Recalling tasks and events.
//!
//! Knows queries and pages. Reads what is committed, on a connection of its own.

use crate::Event;
use crate::cache;
use crate::error::MemoryError;
use crate::memory::{Memory, locked};
use crate::status::Status;
use crate::task::Task;
use rusqlite::{Connection, OptionalExtension, Params, params};

/// Most tasks in one list, and most events in one page.
const MOST: (u32, u32) = (100, 1000);
/// About how many bytes of data one page of events has at most; a single event may have more.
const PAGE_BYTES: usize = 4 << 20;

/// Which tasks are listed.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only those with one of these; empty for all.
    pub statuses: Vec<Status>,
    /// Only those of this device.
    pub device_id: Option<String>,
}

impl Memory {
    /// The state of a task.
    ///
    /// # Errors
    /// [`MemoryError::NotFound`], and those of the storage.
    pub fn task(&self, task: &str) -> Result<Task, MemoryError> {
        let found = self.read(|tables| cache::load(tables, task))?;
        found.map(|(_, task)| task).ok_or_else(|| not_found(task))
    }

    /// Events of a task after number `after`, in order: at most `limit`, at most 1000, and fewer where they are long. None
    /// are left when none are given.
    ///
    /// # Errors
    /// [`MemoryError::NotFound`], and those of the storage.
    pub fn events(&self, task: &str, after: u32, limit: u32) -> Result<Vec<Event>, MemoryError> {
        let page = self.read(|tables| {
            let row = "SELECT row FROM tasks WHERE id = ?";
            let row: Option<i64> = tables.prepare_cached(row)?.query_row([task], |row| row.get(0)).optional()?;
            row.map(|row| page(tables, row, after, limit.clamp(1, MOST.1))).transpose()
        })?;
        page.ok_or_else(|| not_found(task))
    }

    /// All events of a task after number `after`, in order. There are never more than [`Limits`](crate::Limits) allow.
    ///
    /// # Errors
    /// Those of [`Memory::events`].
    pub fn all_events(&self, task: &str, after: u32) -> Result<Vec<Event>, MemoryError> {
        let mut all: Vec<Event> = Vec::new();
        loop {
            let last = all.last().map_or(after, |event| event.n);
            let page = self.events(task, last, MOST.1)?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    /// Tasks, the newest first: at most `limit`, at most 100, from the one that was made before `before` on.
    ///
    /// # Errors
    /// Those of the storage.
    pub fn list(&self, filter: &Filter, limit: u32, before: Option<&str>) -> Result<Vec<Task>, MemoryError> {
        let statuses: Vec<&str> = filter.statuses.iter().map(|status| status.as_str()).collect();
        let statuses = serde_json::Value::from(statuses).to_string();
        let sql = "(?1 IS NULL OR id < ?1) AND (?2 = '[]' OR status IN (SELECT value FROM json_each(?2))) \
                   AND (?3 IS NULL OR device_id = ?3) ORDER BY id DESC LIMIT ?4";
        self.read(|tables| tasks(tables, sql, params![before, statuses, filter.device_id, limit.clamp(1, MOST.0)]))
    }

    /// All tasks that have not ended, the oldest first. There are never more than [`Limits`](crate::Limits) allow.
    ///
    /// # Errors
    /// Those of the storage.
    pub fn unfinished(&self) -> Result<Vec<Task>, MemoryError> {
        self.read(|tables| tasks(tables, "NOT ended ORDER BY id", []))
    }

    fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, MemoryError> {
        query(&locked(&self.reader)).map_err(MemoryError::sql(&self.path))
    }
}

fn page(tables: &Connection, row: i64, after: u32, limit: u32) -> rusqlite::Result<Vec<Event>> {
    let sql = format!("SELECT {} FROM events WHERE task = ? AND n > ? ORDER BY n LIMIT ?", cache::EVENT);
    let mut query = tables.prepare_cached(&sql)?;
    let mut rows = query.query(params![row, after, limit])?;
    let (mut events, mut bytes) = (Vec::new(), 0);
    while bytes < PAGE_BYTES
        && let Some(row) = rows.next()?
    {
        bytes += row.get_ref("data")?.as_str()?.len();
        events.push(cache::event(row)?);
    }
    Ok(events)
}

fn tasks(tables: &Connection, condition: &str, params: impl Params) -> rusqlite::Result<Vec<Task>> {
    let mut query = tables.prepare_cached(&format!("SELECT {} FROM tasks WHERE {condition}", cache::TASK))?;
    let tasks = query.query_map(params, cache::task)?;
    tasks.collect()
}

fn not_found(task: &str) -> MemoryError {
    MemoryError::NotFound { task: task.to_owned() }
}
