//! The state of a task as it stands in the table, next to the events that it is made from.
//!
//! Knows rows. The events are the truth: what is cached equals their fold, and is made anew when the fold has changed.

use crate::event::{Event, Kind};
use crate::task::Task;
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

/// The version of the fold. Raised whenever the same events make another state, or the state has another shape.
const FOLD: u32 = 3;

/// The columns that [`task`] reads, in its order.
pub(crate) const TASK: &str = "state, goal";
/// The columns that [`event`] reads, in its order.
pub(crate) const EVENT: &str = "n, at, kind, step, data";

/// A task with the number under which other tables know it.
pub(crate) fn load(connection: &Connection, id: &str) -> rusqlite::Result<Option<(i64, Task)>> {
    connection
        .prepare_cached(&format!("SELECT {TASK}, row FROM tasks WHERE id = ?"))?
        .query_row([id], |row| Ok((row.get(2)?, task(row)?)))
        .optional()
}

/// Writes the state of a task. The goal, which may be long and never changes, is not written again.
pub(crate) fn save(connection: &Connection, row: i64, mut task: Task) -> rusqlite::Result<()> {
    task.goal = String::new();
    let status = task.status;
    let state = serde_json::to_string(&task).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    connection
        .prepare_cached(
            "UPDATE tasks SET device_id = ?, status = ?, ended = ?, updated_at = ?, fold = ?, state = ? WHERE row = ?",
        )?
        .execute(params![task.device_id, status.as_str(), status.is_finished(), task.updated_at, FOLD, state, row])
        .map(drop)
}

/// Makes anew what another version's fold left.
pub(crate) fn refold(connection: &Connection) -> rusqlite::Result<()> {
    let mut stale = connection.prepare("SELECT row, id FROM tasks WHERE fold <> ?")?;
    let stale = stale.query_map([FOLD], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (row, id) in stale.collect::<rusqlite::Result<Vec<(i64, String)>>>()? {
        let mut task = Task::new(id);
        let mut events = connection.prepare_cached(&format!("SELECT {EVENT} FROM events WHERE task = ? ORDER BY n"))?;
        let mut events = events.query([row])?;
        while let Some(row) = events.next()? {
            task.apply(&event(row)?);
        }
        save(connection, row, task)?;
    }
    Ok(())
}

pub(crate) fn task(row: &Row<'_>) -> rusqlite::Result<Task> {
    let mut task: Task = serde_json::from_str(row.get_ref(0)?.as_str()?).map_err(|error| not_json(0, error))?;
    task.goal = row.get(1)?;
    Ok(task)
}

pub(crate) fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        n: row.get(0)?,
        at: row.get(1)?,
        kind: Kind::from(row.get::<_, String>(2)?),
        step: row.get(3)?,
        data: serde_json::from_str(row.get_ref(4)?.as_str()?).map_err(|error| not_json(4, error))?,
    })
}

fn not_json(column: usize, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
}
