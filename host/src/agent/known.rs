//! Tasks that somebody looks at, as far as they are known: a look costs what happened since the last one, and not all that ever
//! did, however many look.
//!
//! Knows which events were taken in. What is shown of them is `view`'s.

use super::view::View;
use fingertip_tasks::{MemoryError, Recorder};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as Turn;

/// How many tasks are known at most; of others the events are read anew.
const MOST: usize = 64;

/// The tasks, the one last looked at first.
#[derive(Default)]
pub(super) struct Known(Mutex<Vec<(String, Arc<Turn<View>>)>>);

impl Known {
    /// Does something with what is known of a task, once it has taken in everything that is recorded.
    pub(super) async fn with<T>(
        &self,
        recorder: &Recorder,
        id: &str,
        show: impl FnOnce(&View) -> T,
    ) -> Result<T, MemoryError> {
        let view = self.view(id);
        let mut view = view.lock().await;
        let (key, last) = (id.to_owned(), view.task().last);
        let new = recorder.with(move |memory| memory.all_events(&key, last)).await?;
        new.iter().for_each(|event| view.take_in(event));
        Ok(show(&view))
    }

    fn view(&self, id: &str) -> Arc<Turn<View>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().position(|(other, _)| other == id).map(|at| known.remove(at));
        let one = found.unwrap_or_else(|| (id.to_owned(), Arc::new(Turn::new(View::new(id)))));
        let view = one.1.clone();
        known.insert(0, one);
        known.truncate(MOST);
        view
    }
}
