//! What was answered under which idempotency key, so that a call that is repeated does nothing twice.
//!
//! It knows keys, arguments and answers, not what the calls do. Kept in memory: a key does not outlive the server.

use super::super::{Answer, Caller, Code, Error, Outcome};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(600);
/// How many answers are kept at most, of one caller and in all.
const MOST: (usize, usize) = (256, 2048);
/// How many bytes of answers are kept, pictures among them.
const MOST_BYTES: usize = 32 << 20;

/// The name under which callers give a key.
pub(crate) const KEY: &str = "idempotency_key";

/// Answers by caller, tool, device and key.
#[derive(Default)]
pub(crate) struct Ledger {
    entries: Mutex<VecDeque<Entry>>,
}

type Outcomes = Option<Result<Answer, Error>>;

struct Entry {
    /// Caller, tool, device, key.
    owner: (String, &'static str, String, String),
    /// A hash of the arguments, which may hold what must not be kept.
    arguments: [u8; 32],
    at: Instant,
    answer: watch::Receiver<Outcomes>,
}

impl Ledger {
    /// Answers the call: by what was answered before, or by running it. It runs to its end even if this caller leaves, so that
    /// who comes back finds the answer.
    ///
    /// # Errors
    /// Those of the call; [`Code::InvalidArguments`] for a key that was used with other arguments.
    pub(crate) async fn once(
        &self,
        tool: &'static str,
        caller: &Caller,
        arguments: &Map<String, Value>,
        run: impl FnOnce() -> BoxFuture<'static, Result<Answer, Error>>,
    ) -> Result<Answer, Error> {
        let Some(key) = arguments.get(KEY).and_then(Value::as_str) else { return run().await };
        let device = arguments.get("device_id").and_then(Value::as_str).unwrap_or_default();
        let client = caller.session.clone().unwrap_or_else(|| caller.client.clone());
        let owner = (client, tool, device.to_owned(), key.to_owned());
        let mut asked = arguments.clone();
        // How long it may take, and by which lease, is no part of what is asked for.
        asked.retain(|name, _| !matches!(name.as_str(), "timeout_ms" | "lease"));
        // The same may be asked for with its fields in another order.
        let mut asked = Value::Object(asked);
        asked.sort_all_objects();
        let said: [u8; 32] = Sha256::digest(asked.to_string()).into();
        let mut answer = {
            let mut entries = self.entries();
            entries.retain(|entry| entry.at.elapsed() < KEPT && !entry.did_nothing());
            match entries.iter().find(|entry| entry.owner == owner) {
                Some(entry) if entry.arguments != said => {
                    return Err(Error::invalid(
                        format!("{KEY} {key:?} was used before with other arguments"),
                        "Use a new key for each thing that is to be done.",
                    ));
                }
                Some(entry) => entry.answer.clone(),
                // A key that was forgotten to make room would let its call act twice.
                None if entries.len() >= MOST.1
                    || entries.iter().filter(|entry| entry.owner.0 == owner.0).count() >= MOST.0 =>
                {
                    return Err(Error::new(
                        Code::Overloaded,
                        "too many calls with a key were made in the last ten minutes",
                        format!("Leave {KEY} out, or try again later."),
                    ));
                }
                None => {
                    let (send, answer) = watch::channel(None);
                    entries.push_back(Entry { owner, arguments: said, at: Instant::now(), answer: answer.clone() });
                    shrink(&mut entries);
                    let running = run();
                    tokio::spawn(async move { send.send_replace(Some(running.await)) });
                    answer
                }
            }
        };
        let answered = answer.wait_for(Option::is_some).await.map(|answer| answer.clone());
        answered.ok().flatten().unwrap_or_else(|| {
            Err(Error::new(
                Code::Internal,
                "the call did not come to its end",
                "Look at the screen to see what was done.",
            )
            .outcome(Outcome::Unknown))
        })
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// A call that surely did nothing may be made again.
    fn did_nothing(&self) -> bool {
        matches!(&*self.answer.borrow(), Some(Err(error)) if error.outcome == Outcome::NotDone)
    }

    /// About how many bytes its picture and its body have.
    fn size(&self) -> (usize, usize) {
        match &*self.answer.borrow() {
            Some(Ok(answer)) => {
                let body = serde_json::to_string(&answer.body).map_or(0, |text| text.len());
                (answer.image.as_ref().map_or(0, |image| image.bytes.len()), body)
            }
            _ => (0, 0),
        }
    }
}

/// Forgets the oldest pictures beyond the bound, and then the oldest answers: that it was done is remembered all the same.
fn shrink(entries: &mut VecDeque<Entry>) {
    let sizes: Vec<(usize, usize)> = entries.iter().map(Entry::size).collect();
    let mut total: usize = sizes.iter().map(|(picture, body)| picture + body).sum();
    for bare in [true, false] {
        for (entry, (picture, body)) in entries.iter_mut().zip(&sizes) {
            let gain = if bare { *picture } else { *body };
            if total <= MOST_BYTES || gain == 0 {
                continue;
            }
            let kept = match &*entry.answer.borrow() {
                Some(Ok(answer)) if bare => Some(Ok(Answer { image: None, ..answer.clone() })),
                Some(Ok(_)) => Some(Err(forgotten())),
                _ => continue,
            };
            entry.answer = watch::channel(kept).1;
            total -= gain;
        }
    }
}

fn forgotten() -> Error {
    Error::new(
        Code::Internal,
        "the call with this key was done, but its answer is not kept any more",
        "Look at the screen to see what it did.",
    )
    .outcome(Outcome::Done)
}

#[cfg(test)]
mod tests;
