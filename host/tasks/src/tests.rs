//! The memory as a whole: what is written is recalled, and within its bounds.

mod folding;
mod keeping;
mod recording;
mod tidying;

use crate::{Kind, Limits, Memory, NewEvent, NewTask, Task};
use serde_json::{Value, json};
use tempfile::TempDir;

fn memory(limits: Limits) -> (TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path(), limits).unwrap();
    (folder, memory)
}

fn task(goal: &str) -> NewTask {
    NewTask { goal: goal.into(), caller: "me".into(), ..NewTask::default() }
}

fn note(data: Value) -> NewEvent {
    NewEvent::new(Kind::Note, data)
}

fn finished() -> NewEvent {
    NewEvent::new(Kind::Finished, json!({ "status": "succeeded" }))
}

/// The state of a task as its events make it.
fn folded(memory: &Memory, id: &str) -> Task {
    let mut task = Task::new(id);
    loop {
        let events = memory.events(id, task.last, 7).unwrap();
        if events.is_empty() {
            return task;
        }
        events.iter().for_each(|event| task.apply(event));
    }
}
