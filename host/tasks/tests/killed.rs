//! A process that is killed while it records loses nothing of what it was told is recorded.
//!
//! The test runs itself as a child that appends to several tasks at once and prints each number after it was committed. The
//! child is killed at a random moment, twenty times over the same files.
#![cfg(unix)]

use fingertip_tasks::{Kind, Limits, Memory, NewEvent, NewTask, Recorder, Status, Task};
use serde_json::json;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "FINGERTIP_TASKS_TEST_FOLDER";
const KILLS: u32 = 20;
const WRITERS: usize = 4;

fn open(folder: &Path) -> Memory {
    Memory::open(folder, Limits { events: 1_000_000, ..Limits::default() }).expect("the memory opens")
}

#[test]
fn nothing_that_was_committed_is_lost() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        record(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut known: HashMap<String, u32> = HashMap::new();
    let (mut printed, mut open_intents, mut pictures) = (0, 0, 0);
    for kill in 0..KILLS {
        for (task, number) in run_and_kill(folder.path()) {
            let last = known.entry(task).or_default();
            assert!(number > *last, "kill {kill}: {number} was printed after {last}");
            *last = number;
            printed += 1;
        }
        let memory = open(folder.path());
        pictures = 0;
        for (id, last) in &known {
            let task = check(&memory, id, &mut pictures);
            assert!(task.last >= *last, "kill {kill}: {last} was printed, {} events are there", task.last);
            open_intents += u32::from(task.intent.is_some());
        }
    }
    println!(
        "{KILLS} kills: {printed} printed events and {pictures} pictures are there, {open_intents} intents were open"
    );
    assert_eq!(known.len(), WRITERS, "each start went on with the tasks of the one before");
    assert!(printed > 20 * KILLS && open_intents > 0 && pictures > 0, "the kills came too early to prove anything");
}

/// Runs the child until a random moment, and gives what it printed: tasks and numbers.
fn run_and_kill(folder: &Path) -> Vec<(String, u32)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "nothing_that_was_committed_is_lost", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut printed = vec![lines.next().expect("it gets to its first event").unwrap()];
    // Whatever it prints meanwhile is read, so that it never waits for this process.
    let reader = std::thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>());
    let mut random = [0];
    getrandom::fill(&mut random).unwrap();
    std::thread::sleep(Duration::from_micros(u64::from(random[0]) * 600));
    child.kill().unwrap();
    child.wait().unwrap();
    printed.extend(reader.join().unwrap());
    // The last line may be broken off; it is then no promise.
    let whole = printed.iter().filter_map(|line| line.strip_suffix('.')?.split_once(' '));
    whole.map(|(task, number)| (task.to_owned(), number.parse().expect("a number"))).collect()
}

/// Every event is there, in order and without gaps, with its picture, and the state is their fold.
fn check(memory: &Memory, id: &str, pictures: &mut u32) -> Task {
    let mut task = Task::new(id);
    let mut open = 0_u32;
    loop {
        let events = memory.events(id, task.last, 1000).unwrap();
        if events.is_empty() {
            break;
        }
        for event in &events {
            assert_eq!(event.n, task.last + 1);
            match event.kind {
                Kind::Intent => open += 1,
                Kind::Effect => open -= 1,
                _ => {}
            }
            assert!(open <= 1, "{id} has {open} open intents at {}", event.n);
            if let Some(hash) = event.data["picture"].as_str() {
                assert!(memory.picture(hash).unwrap().is_some(), "the picture of {} is missing", event.n);
                *pictures += 1;
            }
            task.apply(event);
        }
    }
    assert_eq!(task, memory.task(id).unwrap());
    assert_eq!(task.intent.is_some(), open == 1);
    task
}

/// The child: goes on with the tasks that there are, and never ends by itself.
fn record(folder: &Path) -> ! {
    let memory = Arc::new(open(folder));
    let recorder = Recorder::start(memory.clone()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for number in 0..WRITERS {
        let (recorder, memory) = (recorder.clone(), memory.clone());
        runtime.spawn(async move {
            let new = NewTask { goal: "go on".into(), key: Some(number.to_string()), ..NewTask::default() };
            let id = recorder.create(new).await.unwrap().id;
            // What the process before left open is closed first, as whoever resumes a task does.
            if memory.task(&id).unwrap().intent.is_some() {
                say(&recorder, &id, NewEvent::new(Kind::Effect, json!({ "effect": "unknown" }))).await;
            }
            assert_eq!(memory.task(&id).unwrap().status, Status::Queued);
            for round in 0_u32.. {
                say(&recorder, &id, NewEvent::new(Kind::Intent, json!({ "tool": "tap", "round": round }))).await;
                let mut effect = json!({ "effect": "changed" });
                if round.is_multiple_of(50) {
                    let picture = format!("what {id} shows in round {round}").repeat(100);
                    effect["picture"] = memory.put_picture(picture.as_bytes()).unwrap().into();
                }
                say(&recorder, &id, NewEvent::new(Kind::Effect, effect)).await;
            }
        });
    }
    loop {
        std::thread::park();
    }
}

async fn say(recorder: &Recorder, id: &str, event: NewEvent) {
    let numbers = recorder.append(id, vec![event]).await.unwrap();
    // In one piece, so that lines of several tasks do not mix.
    std::io::stderr().write_all(format!("{id} {}.\n", numbers.start).as_bytes()).unwrap();
}
