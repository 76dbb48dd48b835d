//! From an older version of the file to the newest.
//!
//! Knows the versions and how one follows another. Each is a file in `sql/` that is never changed once it was released; the
//! file that is read says its version by `PRAGMA user_version`.

use crate::error::MemoryError;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// What leads from each version to the next, from an empty file on.
pub(crate) const STEPS: &[&str] = &[include_str!("../sql/1.sql")];

/// Brings the file to the newest version. Each step is done as a whole or not at all, so that a kill between them does no
/// harm. Nothing is written to a file that this program does not know.
///
/// # Errors
/// [`MemoryError::Newer`] for a file of a newer version, [`MemoryError::Damaged`] for one that is no task memory.
pub(crate) fn migrate(connection: &mut Connection, steps: &[&str], path: &Path) -> Result<(), MemoryError> {
    let sql = MemoryError::sql(path);
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&sql)?;
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(&sql)?;
    let known = steps.len() as u32;
    if found > known {
        return Err(MemoryError::Newer { path: path.to_owned(), found, known });
    }
    if (found == 0) != (tables == 0) {
        return Err(MemoryError::Damaged { path: path.to_owned(), reason: "it is another kind of database".into() });
    }
    if found == 0 {
        // Only an empty file takes this setting, by which space that became free can be given back later.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(&sql)?;
    }
    for (version, step) in (1..).zip(steps).skip(found as usize) {
        let change = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", version)?;
            transaction.commit()
        };
        change(connection).map_err(&sql)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: &str = "ALTER TABLE tasks ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey';";

    fn version(connection: &Connection) -> u32 {
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    fn made_by_version_1() -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("tasks.sqlite3")).unwrap();
        connection.execute_batch(STEPS[0]).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection
            .execute("INSERT INTO tasks VALUES (1, 'a', 'me', NULL, x'', NULL, 'queued', 0, 5, 1, 'a goal', '{}')", [])
            .unwrap();
        (folder, connection)
    }

    #[test]
    fn an_older_file_is_brought_forward_once() {
        let (_folder, mut connection) = made_by_version_1();
        for _ in 0..2 {
            migrate(&mut connection, &[STEPS[0], NEXT], Path::new("x")).unwrap();
            assert_eq!(version(&connection), 2);
        }
        let read = connection.query_row("SELECT goal, colour FROM tasks", [], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(read.unwrap(), ("a goal".to_owned(), "grey".to_owned()));
    }

    #[test]
    fn a_step_that_fails_changes_nothing() {
        let (_folder, mut connection) = made_by_version_1();
        let broken = format!("{NEXT} INSERT INTO nowhere VALUES (1);");
        migrate(&mut connection, &[STEPS[0], &broken], Path::new("x")).unwrap_err();
        assert_eq!(version(&connection), 1);
        connection.query_row("SELECT colour FROM tasks", [], |_| Ok(())).unwrap_err();
        migrate(&mut connection, &[STEPS[0], NEXT], Path::new("x")).unwrap();
        assert_eq!(version(&connection), 2);
    }

    #[test]
    fn a_newer_file_and_a_strangers_file_are_refused() {
        let (_folder, mut connection) = made_by_version_1();
        connection.pragma_update(None, "user_version", 7).unwrap();
        let error = migrate(&mut connection, STEPS, Path::new("/data/tasks.sqlite3")).unwrap_err().to_string();
        assert!(
            error.contains("/data/tasks.sqlite3: the task memory has version 7, this program knows up to 1"),
            "{error}"
        );
        connection.pragma_update(None, "user_version", 0).unwrap();
        let error = migrate(&mut connection, STEPS, Path::new("x")).unwrap_err();
        assert!(matches!(error, MemoryError::Damaged { .. }), "{error}");
    }
}
