//! What is thrown away, and what is not.

use super::{finished, memory, note, task};
use crate::{Limits, Memory, MemoryError, Tidied};
use serde_json::json;
use std::fs::File;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(86_400);

/// A picture of 1000 bytes, that many hours old, named by each of the tasks.
fn picture(folder: &TempDir, memory: &Memory, fill: u8, hours: u32, tasks: &[&str]) -> String {
    let hash = memory.put_picture(&[fill; 1000]).unwrap();
    for task in tasks {
        memory.append(task, vec![note(json!({"screen": {"picture": hash}}))]).unwrap();
    }
    let path = folder.path().join("pictures").join(&hash);
    File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - DAY / 24 * hours).unwrap();
    hash
}

fn tidy_in(memory: &Memory, days: u32) -> Tidied {
    let now = SystemTime::now() + DAY * days;
    memory.tidy_at(now, now.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis() as i64).unwrap()
}

fn left(memory: &Memory, hashes: &[&String]) -> Vec<bool> {
    hashes.iter().map(|hash| memory.picture(hash).unwrap().is_some()).collect()
}

#[test]
fn old_ended_tasks_go_and_others_stay() {
    let (_folder, memory) = memory(Limits::default());
    let (open, ended) = (memory.create(task("open")).unwrap().id, memory.create(task("ended")).unwrap().id);
    memory.append(&ended, vec![finished()]).unwrap();
    assert_eq!(tidy_in(&memory, 29), Tidied::default());
    assert_eq!(tidy_in(&memory, 31).tasks, 1);
    assert_eq!(memory.task(&open).unwrap().last, 1);
    assert_eq!(memory.task(&ended).unwrap_err(), MemoryError::NotFound { task: ended });
    let events = "SELECT count(*) FROM events";
    let events: u32 = crate::memory::locked(&memory.reader).query_row(events, [], |row| row.get(0)).unwrap();
    assert_eq!(events, 1);
}

#[tokio::test]
async fn who_follows_a_forgotten_task_is_told() {
    let (_folder, memory) = memory(Limits::default());
    let id = memory.create(task("x")).unwrap().id;
    memory.append(&id, vec![finished()]).unwrap();
    let mut news = memory.follow(&id).unwrap();
    tidy_in(&memory, 31);
    assert_eq!(news.after(2).await, None);
}

#[test]
fn the_oldest_go_where_there_are_too_many() {
    let (folder, memory) = memory(Limits { finished: 3, ..Limits::default() });
    let ids: Vec<String> = (0..6).map(|_| memory.create(task("x")).unwrap().id).collect();
    for id in &ids {
        std::thread::sleep(Duration::from_millis(2));
        memory.append(id, vec![finished()]).unwrap();
    }
    assert_eq!(tidy_in(&memory, 0).tasks, 3);
    assert!(ids[..3].iter().all(|id| memory.task(id).is_err()) && ids[3..].iter().all(|id| memory.task(id).is_ok()));

    // By their size: the rest of them goes as soon as the database is larger than it may be, and space is given back.
    let open = memory.create(task("open")).unwrap().id;
    memory.append(&ids[4], vec![]).unwrap();
    for _ in 0..20 {
        memory.append(&ids[3], vec![note(json!({"text": "x".repeat(200_000)}))]).unwrap();
    }
    drop(memory);
    let size = || std::fs::metadata(folder.path().join("tasks.sqlite3")).unwrap().len();
    let before = size();
    assert!(before > 4_000_000, "{before}");
    let limits = Limits { database_bytes: 3 << 20, ..Limits::default() };
    let memory = Memory::open(folder.path(), limits).unwrap();
    assert!(tidy_in(&memory, 0).tasks >= 1);
    assert!(memory.task(&ids[3]).is_err() && memory.task(&open).is_ok());
    drop(memory);
    assert!(size() < 1 << 20, "{}", size());
}

#[test]
fn pictures_go_with_age_and_when_nobody_names_them() {
    let (folder, memory) = memory(Limits::default());
    let (open, ended) = (memory.create(task("open")).unwrap().id, memory.create(task("ended")).unwrap().id);
    let old = picture(&folder, &memory, 1, 24 * 8, &[&ended]);
    let shared = picture(&folder, &memory, 2, 24 * 8, &[&ended, &open]);
    let young = picture(&folder, &memory, 3, 24 * 6, &[&ended]);
    let nobodys = picture(&folder, &memory, 4, 1, &[]);
    let awaited = picture(&folder, &memory, 5, 0, &[]);
    memory.append(&ended, vec![finished()]).unwrap();
    let tidied = memory.tidy().unwrap();
    assert_eq!(tidied, Tidied { pictures: 2, picture_bytes: 2000, ..Tidied::default() });
    assert_eq!(left(&memory, &[&old, &shared, &young, &nobodys, &awaited]), [false, true, true, false, true]);
    // With its task, the last reason to keep a picture goes.
    assert_eq!(tidy_in(&memory, 31), Tidied { tasks: 1, pictures: 2, picture_bytes: 2000, ..Tidied::default() });
    assert_eq!(left(&memory, &[&shared]), [true]);
}

#[test]
fn too_many_pictures_go_by_whose_and_how_old_they_are() {
    let (folder, memory) = memory(Limits { pictures_bytes: 6000, ..Limits::default() });
    let (open, ended) = (memory.create(task("open")).unwrap().id, memory.create(task("ended")).unwrap().id);
    let open_old = picture(&folder, &memory, 1, 9, &[&open]);
    let ended_old = picture(&folder, &memory, 2, 8, &[&ended]);
    let ended_young = picture(&folder, &memory, 3, 2, &[&ended]);
    let mut rest: Vec<String> = (4..7).map(|fill| picture(&folder, &memory, fill, 1, &[&open])).collect();
    memory.append(&ended, vec![finished()]).unwrap();
    assert_eq!(memory.tidy().unwrap(), Tidied::default());
    // One too many: putting it tidies by itself, down to a tenth below the budget.
    rest.push(picture(&folder, &memory, 7, 1, &[&open]));
    assert_eq!(left(&memory, &[&open_old, &ended_old, &ended_young]), [true, false, false]);
    assert_eq!(memory.tidy().unwrap(), Tidied::default());

    // Those of a task that has not ended alone are too many: its oldest go, no more than must, and it is told.
    drop(memory);
    let memory = Memory::open(folder.path(), Limits { pictures_bytes: 3000, ..Limits::default() }).unwrap();
    let tidied = memory.tidy().unwrap();
    assert_eq!(tidied, Tidied { pictures: 2, pictures_of_unfinished: 2, picture_bytes: 2000, ..Tidied::default() });
    assert_eq!(left(&memory, &[&open_old]), [false]);
}

#[test]
fn a_picture_may_be_only_so_large() {
    let (_folder, memory) = memory(Limits { picture_bytes: 10, ..Limits::default() });
    memory.put_picture(&[0; 10]).unwrap();
    let error = memory.put_picture(&[0; 11]).unwrap_err();
    assert_eq!(error.to_string(), "the picture has 11 bytes, at most 10 are kept; give less");
}
