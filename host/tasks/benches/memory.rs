//! What recording costs: `cargo bench -p fingertip-tasks`. Figures of an idle machine go into the README.
//!
//! Throughput and the spread of single appends are printed once before the benches proper.

use fingertip_tasks::{Event, Kind, Limits, Memory, NewEvent, NewTask, Recorder, Task};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Tasks at once, and events of each.
const TASKS: usize = 100;
const EVENTS: usize = 200;

fn main() {
    one_writer();
    many_tasks();
    divan::main();
}

fn memory() -> (TempDir, Memory) {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Memory::open(folder.path(), Limits { events: u32::MAX - 1, ..Limits::default() }).expect("it opens");
    (folder, memory)
}

fn task() -> NewTask {
    NewTask { goal: "Switch Wi-Fi off and tell the network's name".into(), ..NewTask::default() }
}

/// An action as the runtime records it: some hundred bytes.
fn event(kind: Kind) -> NewEvent {
    let arguments = json!({"device_id": "virtual-1", "element": "Wi-Fi", "observe": "diff", "verify": true});
    let data = json!({"tool": "tap", "arguments": arguments, "reason": "The switch is on and has to be off for the goal to be met"});
    NewEvent::new(kind, data).of_step(3)
}

fn told(name: &str, took: &mut [Duration], whole: Duration) {
    took.sort_unstable();
    let (count, at) = (took.len(), |share: f64| took[(took.len() as f64 * share) as usize]);
    let rate = count as f64 / whole.as_secs_f64();
    println!(
        "{name}: {count} events, {rate:.0} a second; one append: median {:.1?}, p99 {:.1?}, longest {:.1?}",
        at(0.5),
        at(0.99),
        took[count - 1]
    );
}

fn one_writer() {
    let (_folder, memory) = memory();
    let id = memory.create(task()).expect("made").id;
    let start = Instant::now();
    let mut took: Vec<Duration> = (0..TASKS * EVENTS)
        .map(|round| {
            let event = event(if round % 2 == 0 { Kind::Intent } else { Kind::Effect });
            let start = Instant::now();
            memory.append(&id, vec![event]).expect("appended");
            start.elapsed()
        })
        .collect();
    told("one writer", &mut took, start.elapsed());
}

/// Every task waits for each of its events to be committed, as a runtime does before it acts.
fn many_tasks() {
    let (_folder, memory) = memory();
    let recorder = Recorder::start(Arc::new(memory)).expect("a thread");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let (mut took, whole) = runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        let start = Instant::now();
        for _ in 0..TASKS {
            let recorder = recorder.clone();
            tasks.spawn(async move {
                let id = recorder.create(task()).await.expect("made").id;
                let mut took = Vec::with_capacity(EVENTS);
                for round in 0..EVENTS {
                    let event = event(if round % 2 == 0 { Kind::Intent } else { Kind::Effect });
                    let start = Instant::now();
                    recorder.append(&id, vec![event]).await.expect("appended");
                    took.push(start.elapsed());
                }
                took
            });
        }
        (tasks.join_all().await.concat(), start.elapsed())
    });
    told(&format!("{TASKS} tasks at once"), &mut took, whole);
}

#[divan::bench]
fn append_one(bencher: divan::Bencher<'_, '_>) {
    let (_folder, memory) = memory();
    let id = memory.create(task()).expect("made").id;
    bencher.with_inputs(|| vec![event(Kind::Observation)]).bench_local_values(|events| memory.append(&id, events));
}

#[divan::bench]
fn append_ten_at_once(bencher: divan::Bencher<'_, '_>) {
    let (_folder, memory) = memory();
    let id = memory.create(task()).expect("made").id;
    bencher.with_inputs(|| vec![event(Kind::Observation); 10]).bench_local_values(|events| memory.append(&id, events));
}

#[divan::bench]
fn recall_a_task(bencher: divan::Bencher<'_, '_>) {
    let (_folder, memory) = memory();
    let id = memory.create(task()).expect("made").id;
    memory.append(&id, vec![event(Kind::Intent); 1000]).expect("appended");
    bencher.bench_local(|| memory.task(&id).expect("found"));
}

#[divan::bench]
fn list_a_hundred_tasks(bencher: divan::Bencher<'_, '_>) {
    let (_folder, memory) = memory();
    for _ in 0..300 {
        memory.create(task()).expect("made");
    }
    bencher.bench_local(|| memory.list(&Default::default(), 100, None).expect("listed"));
}

#[divan::bench]
fn fold_a_thousand_events(bencher: divan::Bencher<'_, '_>) {
    let events: Vec<Event> = (1..=1000)
        .map(|n| {
            let event = event(if n % 2 == 0 { Kind::Effect } else { Kind::Intent });
            Event { n, at: n.into(), kind: event.kind, step: event.step, data: event.data }
        })
        .collect();
    bencher.bench_local(|| Task::fold("t", &events));
}

#[divan::bench]
fn put_a_picture_of_300_kilobytes(bencher: divan::Bencher<'_, '_>) {
    let (_folder, memory) = memory();
    let mut number = 0_u64;
    bencher
        .with_inputs(|| {
            number += 1;
            number.to_le_bytes().repeat(300 << 7)
        })
        .bench_local_values(|picture| memory.put_picture(&picture));
}
