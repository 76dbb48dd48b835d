//! Tasks and events are kept as they were given, across restarts, damage and odd requests.

use super::folding::any_event;
use super::{finished, folded, memory, note, task};
use crate::{Filter, Kind, Limits, Memory, MemoryError, NewEvent, NewTask, Status};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::fs;

#[test]
fn what_was_appended_is_there_after_opening_again() {
    let (folder, memory) = memory(Limits::default());
    let id = memory.create(task("switch Wi-Fi off")).unwrap().id;
    let events = vec![NewEvent::new(Kind::Started, json!({})), note(json!({"text": "ä"})).of_step(2)];
    assert_eq!(memory.append(&id, events).unwrap(), 2..4);
    assert_eq!(memory.append(&id, vec![]).unwrap(), 4..4);
    assert_eq!(memory.append(&id, vec![NewEvent::new(Kind::Other("dreamt".into()), json!(1.1))]).unwrap(), 4..5);
    drop(memory);
    let memory = Memory::open(folder.path(), Limits::default()).unwrap();
    let events = memory.events(&id, 1, 100).unwrap();
    let kept: Vec<_> = events.iter().map(|event| (event.n, event.kind.as_str(), event.step, &event.data)).collect();
    let (empty, text, number) = (json!({}), json!({"text": "ä"}), json!(1.1));
    assert_eq!(kept, [(2, "started", None, &empty), (3, "note", Some(2), &text), (4, "dreamt", None, &number)]);
    let task = memory.task(&id).unwrap();
    assert_eq!((task.goal.as_str(), task.status, task.last), ("switch Wi-Fi off", Status::Running, 4));
    assert_eq!(memory.unfinished().unwrap(), [task]);
}

/// What a kill leaves depends on these, and too seldom on each to be seen by killing.
#[test]
fn the_file_is_kept_as_promised() {
    let (_folder, memory) = memory(Limits::default());
    let writer = crate::memory::locked(&memory.writer);
    let number = |name| writer.pragma_query_value(None, name, |row| row.get::<_, u32>(0)).unwrap();
    assert_eq!(["synchronous", "foreign_keys", "auto_vacuum"].map(number), [1, 1, 2]);
    let journal: String = writer.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(journal, "wal");
}

#[test]
fn what_is_cached_is_the_fold() {
    let (_folder, memory) = memory(Limits { events: 20, ..Limits::default() });
    let batches = proptest::collection::vec(proptest::collection::vec(any_event(), 0..4), 0..12);
    proptest!(|(batches in batches)| {
        let id = memory.create(task("x")).unwrap().id;
        for batch in batches {
            let events = batch.into_iter().map(|event| NewEvent { kind: event.kind, step: event.step, data: event.data });
            let before = memory.task(&id).unwrap();
            let answer = memory.append(&id, events.collect());
            let after = folded(&memory, &id);
            prop_assert_eq!(&memory.task(&id).unwrap(), &after);
            match answer {
                Ok(numbers) => prop_assert_eq!(numbers, before.last + 1..after.last + 1),
                Err(MemoryError::TooManyEvents { .. }) => prop_assert!(after.full && after.last - before.last <= 1),
                Err(_) => prop_assert_eq!(before, after),
            }
        }
    });
}

#[test]
fn a_state_of_another_fold_is_made_anew() {
    let (folder, memory) = memory(Limits::default());
    let id = memory.create(task("x")).unwrap().id;
    memory.append(&id, vec![finished()]).unwrap();
    let before = memory.task(&id).unwrap();
    let spoil = "UPDATE tasks SET fold = 0, status = 'queued', ended = 0, state = 'what an older version wrote', updated_at = 1";
    crate::memory::locked(&memory.writer).execute(spoil, []).unwrap();
    drop(memory);
    let memory = Memory::open(folder.path(), Limits::default()).unwrap();
    assert_eq!(memory.task(&id).unwrap(), before);
    assert!(memory.unfinished().unwrap().is_empty());
}

#[test]
fn the_same_key_gives_the_same_task() {
    let (_folder, memory) = memory(Limits::default());
    let asked = |goal: &str, caller: &str| NewTask { key: Some("k".into()), caller: caller.into(), ..task(goal) };
    let first = memory.create(asked("a", "me")).unwrap();
    assert!(!first.known);
    let again = memory.create(asked("a", "me")).unwrap();
    assert!(again.known && again.id == first.id);
    assert_ne!(memory.create(asked("b", "you")).unwrap().id, first.id);
    let error = memory.create(asked("b", "me")).unwrap_err();
    assert_eq!(error, MemoryError::KeyReused { key: "k".into(), task: first.id.clone() });
    let data = Map::from_iter([("inputs".to_owned(), json!({"name": "Ada"}))]);
    memory.create(NewTask { data, ..asked("a", "me") }).unwrap_err();
    assert_ne!(memory.create(task("a")).unwrap().id, memory.create(task("a")).unwrap().id);
    assert_eq!(memory.task(&first.id).unwrap().last, 1);
}

#[test]
fn an_end_comes_once() {
    let (_folder, memory) = memory(Limits::default());
    let id = memory.create(task("x")).unwrap().id;
    memory.append(&id, vec![NewEvent::new(Kind::Intent, json!({"tool": "tap"}))]).unwrap();
    memory.append(&id, vec![NewEvent::new(Kind::Finished, json!({"status": "cancelled"}))]).unwrap();
    let error = memory.append(&id, vec![finished()]).unwrap_err();
    assert_eq!(error.to_string(), format!("task {id} has already been cancelled; start a new task"));
    assert_eq!(memory.task(&id).unwrap().intent.map(|intent| intent.n), Some(2));
    memory.append(&id, vec![NewEvent::new(Kind::Effect, json!({})), note(json!({}))]).unwrap();
    let task = memory.task(&id).unwrap();
    assert_eq!((task.status, task.intent, task.last), (Status::Cancelled, None, 5));
    let error = memory.append(&id, vec![NewEvent::new(Kind::Created, json!({}))]).unwrap_err();
    assert_eq!(error, MemoryError::CreatedTwice { task: id });
}

#[test]
fn a_question_is_answered_once() {
    let (_folder, memory) = memory(Limits::default());
    let id = memory.create(task("x")).unwrap().id;
    let answer = || memory.append(&id, vec![NewEvent::new(Kind::Answered, json!({"answer": "123456"}))]);
    assert_eq!(answer(), Err(MemoryError::NotAsked { task: id.clone() }));
    memory.append(&id, vec![NewEvent::new(Kind::Asked, json!({"question": "Which code?"}))]).unwrap();
    assert_eq!(memory.task(&id).unwrap().question, Some(json!({"question": "Which code?"})));
    assert_eq!(answer(), Ok(3..4));
    assert_eq!(answer(), Err(MemoryError::NotAsked { task: id.clone() }));
}

#[test]
fn an_answer_counts_for_the_question_that_it_was_given_to() {
    let (_folder, memory) = memory(Limits::default());
    let id = memory.create(task("x")).unwrap().id;
    let ask = |question: &str| memory.append(&id, vec![NewEvent::new(Kind::Asked, json!({ "question": question }))]);
    let answer = |asked: u32| {
        memory.append(&id, vec![NewEvent::new(Kind::Answered, json!({ "answer": "yes", "asked": asked }))])
    };
    ask("Delete the first?").unwrap();
    assert_eq!(memory.task(&id).unwrap().asked, Some(2));
    assert_eq!(answer(2), Ok(3..4));
    ask("Delete all; really?").unwrap();
    let error = answer(2).unwrap_err();
    assert_eq!(error, MemoryError::AskedAnew { task: id.clone(), question: "Delete all; really?".into() });
    assert!(error.to_string().contains("asks something else now"), "{error}");
    assert!(memory.task(&id).unwrap().question.is_some());
    assert_eq!(answer(4), Ok(5..6));
    assert_eq!(memory.task(&id).unwrap().asked, None);
}

#[test]
fn a_full_task_can_only_end() {
    let (_folder, memory) = memory(Limits { events: 5, ..Limits::default() });
    let id = memory.create(task("x")).unwrap().id;
    memory.append(&id, vec![note(json!({})), NewEvent::new(Kind::Intent, json!({}))]).unwrap();
    for _ in 0..3 {
        let error = memory.append(&id, vec![note(json!({})); 3]).unwrap_err();
        assert!(matches!(error, MemoryError::TooManyEvents { most: 5, .. }), "{error}");
    }
    assert_eq!(memory.events(&id, 3, 9).unwrap()[0].data, json!({"what": "events", "most": 5}));
    memory.append(&id, vec![note(json!({}))]).unwrap();
    memory.append(&id, vec![note(json!({}))]).unwrap_err();
    memory.append(&id, vec![NewEvent::new(Kind::Effect, json!({}))]).unwrap();
    memory.append(&id, vec![NewEvent::new(Kind::Effect, json!({}))]).unwrap_err();
    memory.append(&id, vec![finished()]).unwrap();
    memory.append(&id, vec![note(json!({}))]).unwrap_err();
    let task = memory.task(&id).unwrap();
    assert_eq!((task.status, task.last), (Status::Succeeded, 7));
}

#[test]
fn what_is_too_long_is_refused_or_cut() {
    let (_folder, memory) = memory(Limits { unfinished: 2, ..Limits::default() });
    let error = memory.create(task(&"x".repeat((64 << 10) + 1))).unwrap_err();
    assert_eq!(error.to_string(), "the goal has 65537 bytes, at most 65536 are kept; give less");
    memory.create(NewTask { key: Some("k".repeat(257)), ..task("x") }).unwrap_err();
    let data = Map::from_iter([("steps".to_owned(), Value::from("s".repeat(300_000)))]);
    let error = memory.create(NewTask { data, ..task("x") }).unwrap_err();
    assert!(error.to_string().starts_with("the request has 300"), "{error}");
    let deep = (0..120).fold(json!(1), |inner, _| json!([inner]));
    let error = memory.create(NewTask { data: Map::from_iter([("steps".to_owned(), deep)]), ..task("x") }).unwrap_err();
    assert_eq!(error, MemoryError::TooDeep { most: 100 });
    let id = memory.create(task(&"x".repeat(64 << 10))).unwrap().id;
    memory.append(&id, vec![note(json!({"text": "ü".repeat(1 << 20)}))]).unwrap();
    let event = memory.events(&id, 1, 1).unwrap().remove(0);
    assert!(event.data.to_string().len() <= 256 << 10);
    assert_eq!(event.data["cut"]["bytes"], 2_097_163);
    memory.create(task("y")).unwrap();
    assert_eq!(memory.create(task("z")).unwrap_err(), MemoryError::TooManyTasks { most: 2 });
    memory.append(&id, vec![finished()]).unwrap();
    memory.create(task("z")).unwrap();
}

#[test]
fn lists_and_events_come_in_pages() {
    let (_folder, memory) = memory(Limits { data_bytes: 1 << 20, ..Limits::default() });
    let ids: Vec<String> = (0..7)
        .map(|number| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            let device_id = Some(format!("phone-{}", number % 2));
            memory.create(NewTask { device_id, ..task("x") }).unwrap().id
        })
        .collect();
    memory.append(&ids[5], vec![finished()]).unwrap();
    let list = |filter: &Filter, limit, before| -> Vec<usize> {
        let tasks = memory.list(filter, limit, before).unwrap();
        tasks.iter().map(|task| ids.iter().position(|id| *id == task.id).unwrap()).collect()
    };
    assert_eq!(list(&Filter::default(), 3, None), [6, 5, 4]);
    assert_eq!(list(&Filter::default(), 3, Some(&ids[4])), [3, 2, 1]);
    let odd = Filter { device_id: Some("phone-1".into()), statuses: vec![Status::Queued, Status::Running] };
    assert_eq!(list(&odd, 100, None), [3, 1]);
    assert_eq!(memory.unfinished().unwrap().len(), 6);

    let long = vec![note(json!({"text": "x".repeat(900_000)})); 12];
    memory.append(&ids[0], long).unwrap();
    let pages: Vec<u32> = [1, 6, 11].map(|after| memory.events(&ids[0], after, 1000).unwrap().len() as u32).into();
    assert_eq!(pages, [5, 5, 2]);
    assert_eq!(memory.events(&ids[0], 13, 1).unwrap(), []);
}

#[test]
fn unknown_tasks_are_told() {
    let (_folder, memory) = memory(Limits::default());
    for error in [
        memory.task("nobody").unwrap_err(),
        memory.events("nobody", 0, 1).unwrap_err(),
        memory.append("nobody", vec![]).unwrap_err(),
        memory.follow("nobody").unwrap_err(),
    ] {
        assert_eq!(error, MemoryError::NotFound { task: "nobody".into() });
    }
}

#[test]
fn a_damaged_file_is_told_and_left_as_it_is() {
    let (folder, memory) = memory(Limits::default());
    let id = memory.create(task("x")).unwrap().id;
    memory.append(&id, vec![note(json!({"text": "x".repeat(2000)})); 200]).unwrap();
    drop(memory);
    let path = folder.path().join("tasks.sqlite3");
    let whole = fs::read(&path).unwrap();
    let mut holed = whole.clone();
    holed[100..40_000].fill(0x5a);
    for damaged in [b"not a database at all, but something else ".repeat(40), holed, whole[..whole.len() / 2].to_vec()]
    {
        fs::write(&path, &damaged).unwrap();
        let error =
            Memory::open(folder.path(), Limits::default()).and_then(|memory| memory.events(&id, 0, 1000)).unwrap_err();
        assert!(matches!(error, MemoryError::Damaged { .. }), "{error}");
        let told = error.to_string();
        assert!(told.starts_with(&path.display().to_string()) && told.contains("left as it is"), "{told}");
        assert!(fs::read(&path).unwrap() == damaged);
    }
    fs::write(&path, whole).unwrap();
    Memory::open(folder.path(), Limits::default()).unwrap().task(&id).unwrap();
}

#[test]
fn a_newer_file_is_left_as_it_is() {
    let (folder, memory) = memory(Limits::default());
    crate::memory::locked(&memory.writer).pragma_update(None, "user_version", 99).unwrap();
    drop(memory);
    let path = folder.path().join("tasks.sqlite3");
    let before = fs::read(&path).unwrap();
    let error = Memory::open(folder.path(), Limits::default()).unwrap_err();
    assert!(error.to_string().contains("has version 99, this program knows up to 1; use the newer program"), "{error}");
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Memory::open(&folder.path().join("file/data"), Limits::default()).unwrap_err().to_string();
    assert!(error.contains("file/data: making the folder failed"), "{error}");
}

#[test]
fn a_full_database_says_so_and_loses_nothing() {
    let (_folder, memory) = memory(Limits { database_bytes: 512 << 10, ..Limits::default() });
    let id = memory.create(task("x")).unwrap().id;
    let error = (0..).find_map(|_| memory.append(&id, vec![note(json!({"text": "x".repeat(50_000)}))]).err()).unwrap();
    assert!(matches!(&error, MemoryError::Storage { reason, .. } if reason.contains("full")), "{error}");
    let task = memory.task(&id).unwrap();
    assert_eq!(task, folded(&memory, &id));
    assert!((10..25).contains(&task.last), "{} events", task.last);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let memory = Memory::open(&data, Limits::default()).unwrap();
    memory.create(task("x")).unwrap();
    let hash = memory.put_picture(b"a picture").unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join("pictures"))), (0o700, 0o700));
    for file in ["tasks.sqlite3", "tasks.sqlite3-wal", "tasks.sqlite3-shm", &format!("pictures/{hash}")] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}
