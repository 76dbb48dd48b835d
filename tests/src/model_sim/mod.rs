//! A **scripted** language model behind OpenAI's chat completions, Anthropic's messages and Gemini's `generateContent`, so that what
//! asks models can be tested without one. It is a test tool: it understands nothing, and says only what a test put down for it.
//!
//! [`ModelSim::start`] binds a free port on loopback and answers one [`Turn`] after the other until it is dropped;
//! [`ModelSim::deciding`] makes each turn up from the request. What came in stands in [`ModelSim::requests`].
//!
//! This module knows how turns and requests are kept. Connections are `server`'s, what a turn comes to is `turn`'s, what that looks
//! like `wire`'s.

mod server;
mod turn;
mod wire;

pub use turn::Turn;
pub use wire::{INPUT_TOKENS, OUTPUT_TOKENS};

use serde_json::Value;
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{net::TcpListener, task::JoinHandle};

/// A simulated model's server.
pub struct ModelSim {
    address: SocketAddr,
    script: Arc<Script>,
    serving: JoinHandle<()>,
}

/// One request that came in.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) path: String,
    /// The header with the key, as it was sent.
    pub(crate) key: Option<String>,
    pub(crate) body: Value,
}

type Decide = dyn Fn(&Value, usize) -> Turn + Send + Sync;

/// What all connections share.
pub(crate) struct Script {
    decide: Box<Decide>,
    seen: Mutex<Vec<Seen>>,
}

impl Script {
    /// The turn for a request, which is remembered.
    pub(crate) fn turn(&self, seen: Seen) -> Turn {
        let (body, number) = {
            let mut all = self.seen();
            all.push(seen.clone());
            (seen.body, all.len() - 1)
        };
        (self.decide)(&body, number)
    }

    fn seen(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelSim {
    /// A model that takes these turns, one for each request. After the last it answers with 500.
    pub async fn start(turns: Vec<Turn>) -> ModelSim {
        ModelSim::deciding(move |_, number| turns.get(number).cloned().unwrap_or_else(Turn::none_left)).await
    }

    /// A model whose turns are made from the request's body and its number, which counts from 0.
    pub async fn deciding(decide: impl Fn(&Value, usize) -> Turn + Send + Sync + 'static) -> ModelSim {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port on loopback");
        let address = listener.local_addr().expect("an address");
        let script = Arc::new(Script { decide: Box::new(decide), seen: Mutex::default() });
        let serving = tokio::spawn(server::serve(listener, script.clone()));
        ModelSim { address, script, serving }
    }

    /// As it stands in settings: `http://127.0.0.1:<port>/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bodies of all requests until now; `null` for one that is no JSON.
    pub fn requests(&self) -> Vec<Value> {
        self.script.seen().iter().map(|seen| seen.body.clone()).collect()
    }

    /// The headers with the key of all requests until now: `Authorization`, `x-api-key` or `x-goog-api-key`.
    pub fn keys(&self) -> Vec<Option<String>> {
        self.script.seen().iter().map(|seen| seen.key.clone()).collect()
    }

    /// The paths of all requests until now.
    pub fn paths(&self) -> Vec<String> {
        self.script.seen().iter().map(|seen| seen.path.clone()).collect()
    }
}

impl Drop for ModelSim {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
