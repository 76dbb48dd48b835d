//! What writing a change does to the tables.
//!
//! Knows rows and bounds. Runs within a transaction that others open and commit; a change that is refused has written nothing,
//! save the event that says that a task has too many.

use crate::Event;
use crate::bound;
use crate::cache;
use crate::error::MemoryError;
use crate::event::{Kind, NewEvent, NewTask};
use crate::id;
use crate::limits::Limits;
use crate::pictures;
use crate::status::Status;
use crate::task::Task;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Bytes of the names that callers give: their own, a device's, a key.
const NAME_BYTES: usize = 256;
/// Characters of a question within an error.
const QUESTION_CHARS: usize = 300;

/// One change, to be made alone or with others.
#[derive(Debug)]
pub(crate) enum Change {
    /// Makes a task.
    Create(NewTask),
    /// Adds events to one.
    Append(String, Vec<NewEvent>),
}

/// What a change wrote: the numbers are empty for a task that was there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) task: String,
    pub(crate) numbers: Range<u32>,
}

type Answer = Result<Written, MemoryError>;

/// Makes the change. The outer error is the storage's, after which nothing of the transaction may stay.
pub(crate) fn apply(tables: &Connection, change: Change, limits: &Limits) -> rusqlite::Result<Answer> {
    match change {
        Change::Create(new) => create(tables, new, limits),
        Change::Append(task, events) => append(tables, task, events, limits),
    }
}

fn create(tables: &Connection, new: NewTask, limits: &Limits) -> rusqlite::Result<Answer> {
    let mut data = new.data;
    data.insert("goal".into(), new.goal.as_str().into());
    if let Some(device) = &new.device_id {
        data.insert("device_id".into(), device.as_str().into());
    }
    let data = Value::Object(data);
    let names = [
        ("the caller's name", Some(&new.caller)),
        ("the key", new.key.as_ref()),
        ("device_id", new.device_id.as_ref()),
    ];
    let names = names.into_iter().filter_map(|(what, name)| Some((what, name?.len(), NAME_BYTES)));
    for (what, bytes, most) in names.chain([("the goal", new.goal.len(), limits.goal_bytes)]) {
        if bytes > most {
            return Ok(Err(too_long(what, bytes, most)));
        }
    }
    // A request that was cut would ask for something else.
    let (bytes, most) = (data.to_string().len(), limits.data_bytes);
    if bytes > most {
        return Ok(Err(too_long("the request", bytes, most)));
    }
    let (kept, text) = bound::fit(data.clone(), most);
    if kept != data {
        return Ok(Err(MemoryError::TooDeep { most: bound::DEEPEST }));
    }
    // The same request may come with its fields in another order.
    let mut sorted = kept;
    sorted.sort_all_objects();
    let content = Sha256::digest(sorted.to_string());
    if let Some(key) = new.key.as_ref() {
        let known = tables
            .prepare_cached("SELECT id, content FROM tasks WHERE caller = ? AND key = ?")?
            .query_row(params![new.caller, key], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)))
            .optional()?;
        if let Some((task, before)) = known {
            let same = before == content.as_slice();
            return Ok(if same { Ok(Written { task, numbers: 0..0 }) } else { Err(key_reused(key, task)) });
        }
    }
    let unfinished: u32 =
        tables.prepare_cached("SELECT count(*) FROM tasks WHERE NOT ended")?.query_row([], |row| row.get(0))?;
    if unfinished >= limits.unfinished {
        return Ok(Err(MemoryError::TooManyTasks { most: limits.unfinished }));
    }
    let at = id::now();
    let mut task = Task::new(id::new(at).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?);
    let row = tables
        .prepare_cached(
            "INSERT INTO tasks (id, caller, key, content, status, ended, updated_at, fold, goal, state) \
             VALUES (?, ?, ?, ?, '', 0, 0, 0, ?, '') RETURNING row",
        )?
        .query_row(params![task.id, new.caller, new.key, content.as_slice(), new.goal], |row| row.get(0))?;
    add(tables, row, &mut task, at, NewEvent::new(Kind::Created, data), text)?;
    let written = Written { task: task.id.clone(), numbers: 1..2 };
    cache::save(tables, row, task)?;
    Ok(Ok(written))
}

fn append(tables: &Connection, id: String, events: Vec<NewEvent>, limits: &Limits) -> rusqlite::Result<Answer> {
    let Some((row, mut task)) = cache::load(tables, &id)? else {
        return Ok(Err(MemoryError::NotFound { task: id }));
    };
    let (first, at) = (task.last + 1, id::now());
    if let Err(mut refused) = admit(&task, &events, limits) {
        if let MemoryError::TooManyEvents { last, .. } = &mut refused
            && !task.full
        {
            let limit = NewEvent::new(Kind::Limit, json!({ "what": "events", "most": limits.events }));
            let text = limit.data.to_string();
            add(tables, row, &mut task, at, limit, text)?;
            *last = task.last;
            cache::save(tables, row, task)?;
        }
        return Ok(Err(refused));
    }
    for event in events {
        let (data, text) = bound::fit(event.data, limits.data_bytes);
        add(tables, row, &mut task, at, NewEvent { data, ..event }, text)?;
    }
    let numbers = first..task.last + 1;
    if !numbers.is_empty() {
        cache::save(tables, row, task)?;
    }
    Ok(Ok(Written { task: id, numbers }))
}

/// Whether these events may follow.
fn admit(task: &Task, events: &[NewEvent], limits: &Limits) -> Result<(), MemoryError> {
    if events.iter().any(|event| event.kind == Kind::Created) {
        return Err(MemoryError::CreatedTwice { task: task.id.clone() });
    }
    // What is still learned of an ended task is kept; the rest would say that it goes on.
    let late = |event: &NewEvent| matches!(event.kind, Kind::Effect | Kind::Usage | Kind::Note);
    if task.status.is_finished() && !events.iter().all(late) {
        return Err(MemoryError::Finished { task: task.id.clone(), status: task.status });
    }
    // Of two who answer at once, one is told so.
    for answer in events.iter().filter(|event| event.kind == Kind::Answered) {
        let Some(question) = &task.question else { return Err(MemoryError::NotAsked { task: task.id.clone() }) };
        // A yes to one question must not become a yes to another.
        let to = answer.data.get("asked").and_then(Value::as_u64);
        if to.is_some_and(|to| task.asked.map(u64::from) != Some(to)) {
            let question = question.get("question").and_then(Value::as_str).unwrap_or_default();
            let question = question.chars().take(QUESTION_CHARS).collect();
            return Err(MemoryError::AskedAnew { task: task.id.clone(), question });
        }
    }
    // Whoever pauses a task has the phone from then on, whatever was on its way to it.
    if task.status == Status::Paused && events.iter().any(|event| event.kind == Kind::Intent) {
        return Err(MemoryError::Paused { task: task.id.clone() });
    }
    let room = limits.events.saturating_sub(task.last) as usize;
    // The outcome of the open action and the end itself must find room, else a full task would never end.
    let closing = events.len() <= 2
        && events.iter().all(|event| match event.kind {
            Kind::Effect => task.intent.is_some(),
            Kind::Finished => !task.status.is_finished(),
            _ => false,
        });
    if events.len() > room && !closing {
        let (task, last, most) = (task.id.clone(), task.last, limits.events);
        return Err(MemoryError::TooManyEvents { task, last, most });
    }
    Ok(())
}

/// Writes one event and takes it into the state.
fn add(tables: &Connection, row: i64, task: &mut Task, at: i64, event: NewEvent, text: String) -> rusqlite::Result<()> {
    let event = Event { n: task.last + 1, at, kind: event.kind, step: event.step, data: event.data };
    tables
        .prepare_cached("INSERT INTO events (task, n, at, kind, step, data) VALUES (?, ?, ?, ?, ?, ?)")?
        .execute(params![row, event.n, at, event.kind.as_str(), event.step, text])?;
    for hash in pictures::named(&event.data) {
        tables
            .prepare_cached("INSERT OR IGNORE INTO pictures (hash, task) VALUES (?, ?)")?
            .execute(params![hash, row])?;
    }
    task.apply(&event);
    Ok(())
}

fn too_long(what: &'static str, bytes: usize, most: usize) -> MemoryError {
    MemoryError::TooLong { what, bytes, most }
}

fn key_reused(key: &str, task: String) -> MemoryError {
    MemoryError::KeyReused { key: key.to_owned(), task }
}
