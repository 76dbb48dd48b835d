//! The memory for async code.
//!
//! Knows a thread and a queue. What stands in the queue while a transaction runs is written with the next one, so that many
//! tasks at once cost few transactions.

use crate::error::MemoryError;
use crate::event::{NewEvent, NewTask};
use crate::memory::{Created, Memory};
use crate::write::{Change, Written};
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// How many changes may wait; who comes then waits until there is room.
const QUEUE: usize = 256;

/// Writes to a memory on a thread of its own, which ends with the last of the clones. What was handed over is written even
/// if who did so leaves meanwhile.
#[derive(Clone, Debug)]
pub struct Recorder {
    memory: Arc<Memory>,
    queue: mpsc::Sender<Job>,
}

#[derive(Debug)]
struct Job {
    change: Change,
    answer: oneshot::Sender<Result<Written, MemoryError>>,
}

impl Recorder {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(memory: Arc<Memory>) -> std::io::Result<Recorder> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let writer = memory.clone();
        std::thread::Builder::new().name("task memory".into()).spawn(move || run(&writer, jobs))?;
        Ok(Recorder { memory, queue })
    }

    /// [`Memory::create`].
    ///
    /// # Errors
    /// Those of [`Memory::create`].
    pub async fn create(&self, new: NewTask) -> Result<Created, MemoryError> {
        self.write(Change::Create(new)).await.map(Created::from)
    }

    /// [`Memory::append`]: when it returns the events are committed.
    ///
    /// # Errors
    /// Those of [`Memory::append`].
    pub async fn append(&self, task: &str, events: Vec<NewEvent>) -> Result<Range<u32>, MemoryError> {
        self.write(Change::Append(task.to_owned(), events)).await.map(|written| written.numbers)
    }

    /// Any other call of the memory, on a thread that may block; within a tokio runtime.
    ///
    /// # Errors
    /// Those of the call, and [`MemoryError::Closed`] if it panicked.
    pub async fn with<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Memory) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let memory = self.memory.clone();
        tokio::task::spawn_blocking(move || call(&memory)).await.unwrap_or(Err(MemoryError::Closed))
    }

    async fn write(&self, change: Change) -> Result<Written, MemoryError> {
        let (answer, answered) = oneshot::channel();
        self.queue.send(Job { change, answer }).await.map_err(|_| MemoryError::Closed)?;
        answered.await.unwrap_or(Err(MemoryError::Closed))
    }
}

fn run(memory: &Memory, mut jobs: mpsc::Receiver<Job>) {
    while let Some(first) = jobs.blocking_recv() {
        let rest = std::iter::from_fn(|| jobs.try_recv().ok()).take(QUEUE);
        let (changes, answers): (Vec<_>, Vec<_>) =
            std::iter::once(first).chain(rest).map(|job| (job.change, job.answer)).unzip();
        for (answer, written) in answers.into_iter().zip(memory.write(changes)) {
            // Who left does not want to know.
            let _ = answer.send(written);
        }
    }
}
