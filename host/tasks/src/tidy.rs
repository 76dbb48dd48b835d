//! Throwing away what is old or too much.
//!
//! Knows ages and budgets. Tasks that have not ended lose nothing, except their oldest pictures where these alone are more
//! than all pictures may be.

use crate::error::MemoryError;
use crate::id;
use crate::memory::{Memory, locked};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(86_400);
/// How long a picture may lie there before an event names it.
const UNNAMED: Duration = Duration::from_secs(60);
/// How many free pages are given back at once.
const PAGES: u32 = 500;

/// What was thrown away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Tasks that ended, with their events.
    pub tasks: u32,
    /// Pictures.
    pub pictures: u32,
    /// Those of them that a task needed which has not ended.
    pub pictures_of_unfinished: u32,
    /// Bytes of the pictures.
    pub picture_bytes: u64,
}

/// Whose a picture is, in the order in which they go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Nobody,
    Finished,
    Unfinished,
}

impl Memory {
    /// Keeps a picture as a file and gives the name by which events refer to it, under the key `picture`: the SHA-256 of its
    /// bytes in hex. An event that names it must follow within a minute. Tidies where pictures have become too many.
    ///
    /// # Errors
    /// [`MemoryError::TooLong`], and those of the storage.
    pub fn put_picture(&self, picture: &[u8]) -> Result<String, MemoryError> {
        let (hash, full) = self.pictures.put(picture)?;
        // The picture is there; that others could not go is no reason to do without it.
        if full && let Err(error) = self.tidy_pictures(SystemTime::now(), &mut Tidied::default()) {
            tracing::warn!(%error, "pictures are more than may be kept, and could not be thrown away");
        }
        Ok(hash)
    }

    /// The picture of this name; `None` where it was thrown away, or damaged by a loss of power.
    ///
    /// # Errors
    /// Those of the storage.
    pub fn picture(&self, hash: &str) -> Result<Option<Vec<u8>>, MemoryError> {
        self.pictures.get(hash)
    }

    /// Throws away tasks that ended too long ago, the oldest of those that ended where they are too many or the database is
    /// too large, pictures that nobody names, and pictures of ended tasks that are too old or too much. To be called at the
    /// start and every hour or so; others can write meanwhile, with pauses of some milliseconds.
    ///
    /// # Errors
    /// Those of the storage; what was thrown away by then stays so.
    pub fn tidy(&self) -> Result<Tidied, MemoryError> {
        self.tidy_at(SystemTime::now(), id::now())
    }

    pub(crate) fn tidy_at(&self, now: SystemTime, now_ms: i64) -> Result<Tidied, MemoryError> {
        let mut tidied = Tidied::default();
        let kept = DAY.as_millis() as i64 * i64::from(self.limits.task_days);
        // Task by task, so that who writes finds a gap.
        while let Some(task) = self.forget_oldest(now_ms.saturating_sub(kept)).map_err(MemoryError::sql(&self.path))? {
            self.hub.forget(&task);
            tidied.tasks += 1;
        }
        while self.give_back().map_err(MemoryError::sql(&self.path))? {}
        self.tidy_pictures(now, &mut tidied)?;
        Ok(tidied)
    }

    /// Removes the task that ended first, if there is a reason to.
    fn forget_oldest(&self, before: i64) -> rusqlite::Result<Option<String>> {
        let tables = locked(&self.writer);
        let sql = "SELECT row, id, updated_at FROM tasks WHERE ended ORDER BY updated_at LIMIT 1";
        let oldest = tables
            .prepare_cached(sql)?
            .query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?)))
            .optional()?;
        let Some((row, id, ended)) = oldest else { return Ok(None) };
        let count = "SELECT count(*) FROM tasks WHERE ended";
        let due = ended < before
            || tables.prepare_cached(count)?.query_row([], |row| row.get::<_, u32>(0))? > self.limits.finished
            || bytes(&tables)? > self.limits.database_bytes;
        if due {
            tables.prepare_cached("DELETE FROM tasks WHERE row = ?")?.execute([row])?;
        }
        Ok(due.then_some(id))
    }

    /// Gives some free pages back to the system. Tells whether more are left.
    fn give_back(&self) -> rusqlite::Result<bool> {
        let tables = locked(&self.writer);
        let free = || tables.pragma_query_value(None, "freelist_count", |row| row.get::<_, u32>(0));
        let before = free()?;
        tables.pragma(None, "incremental_vacuum", PAGES, |_| Ok(()))?;
        let after = free()?;
        Ok(0 < after && after < before)
    }

    fn tidy_pictures(&self, now: SystemTime, tidied: &mut Tidied) -> Result<(), MemoryError> {
        // While both are held no picture comes, and no event that names one.
        let tables = locked(&self.writer);
        let mut room = locked(&self.pictures.room);
        let owners = owners(&tables).map_err(MemoryError::sql(&self.path))?;
        let owner = |hash: &str| owners.get(hash).copied().unwrap_or(Owner::Nobody);
        let mut pictures = self.pictures.list()?;
        pictures.sort_by_cached_key(|picture| (owner(&picture.hash), picture.modified));
        room.bytes = pictures.iter().map(|picture| picture.bytes).sum();
        let budget = self.limits.pictures_bytes;
        // A tenth more than needed goes, so that the next picture does not tidy again.
        let spare = if room.bytes > budget { budget - budget / 10 } else { budget };
        for picture in &pictures {
            let age = now.duration_since(picture.modified).unwrap_or_default();
            let owner = owner(&picture.hash);
            let due = match owner {
                Owner::Nobody => true,
                Owner::Finished => age > DAY * self.limits.picture_days || room.bytes > spare,
                Owner::Unfinished => room.bytes > budget,
            };
            if due && age > UNNAMED {
                self.pictures.remove(&mut room, picture)?;
                tidied.pictures += 1;
                tidied.pictures_of_unfinished += u32::from(owner == Owner::Unfinished);
                tidied.picture_bytes += picture.bytes;
            }
        }
        room.tidy_from = budget.max(room.bytes + budget / 10);
        if tidied.pictures_of_unfinished > 0 {
            tracing::warn!(
                pictures = tidied.pictures_of_unfinished,
                budget,
                "the oldest pictures of running tasks were thrown away: theirs alone are more than may be kept"
            );
        }
        Ok(())
    }
}

fn owners(tables: &Connection) -> rusqlite::Result<HashMap<String, Owner>> {
    let sql = "SELECT hash, max(NOT ended) FROM pictures JOIN tasks ON row = task GROUP BY hash";
    let mut query = tables.prepare_cached(sql)?;
    let owners =
        query.query_map([], |row| Ok((row.get(0)?, if row.get(1)? { Owner::Unfinished } else { Owner::Finished })))?;
    owners.collect()
}

/// Bytes in use, without the pages that are free.
fn bytes(tables: &Connection) -> rusqlite::Result<u64> {
    let number = |name| tables.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let (pages, free, page) = (number("page_count")?, number("freelist_count")?, number("page_size")?);
    Ok(u64::from(pages.saturating_sub(free)) * u64::from(page))
}
