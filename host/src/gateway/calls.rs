//! One call of a capability, from either door: counted, bounded in number and in time.
//!
//! It knows the catalogue; it does not know how a door reads arguments or writes answers.

use super::metrics::{Door, Metrics};
use crate::capability::{Answer, Caller, Capability, Catalogue, Code, Effect, Error, Outcome};
use serde_json::{Map, Value};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The longest that any call may take. Capabilities keep shorter deadlines of their own; this one is for the case that one
/// of them does not.
const HARD_STOP: Duration = Duration::from_secs(130);

/// How many calls may run at once, so that a runaway caller cannot use up the machine. Each device has a far smaller limit.
const MOST_AT_ONCE: u64 = 1024;

/// What both doors share.
pub struct Calls {
    catalogue: Catalogue,
    metrics: Arc<Metrics>,
    hard_stop: Duration,
    most_at_once: u64,
}

impl Calls {
    /// Calls of this catalogue.
    pub fn new(catalogue: Catalogue) -> Self {
        let metrics = Arc::new(Metrics::new(&catalogue));
        Calls { catalogue, metrics, hard_stop: HARD_STOP, most_at_once: MOST_AT_ONCE }
    }

    /// With other limits.
    #[cfg(test)]
    pub fn with_limits(self, hard_stop: Duration, most_at_once: u64) -> Self {
        Calls { hard_stop, most_at_once, ..self }
    }

    /// What may be called.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// What was counted.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Runs a capability. Dropping the future drops the work: the caller has left.
    ///
    /// # Errors
    /// What the capability answers, and the door's own limits.
    pub async fn run(
        &self,
        door: Door,
        capability: &Capability,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> Result<Answer, Error> {
        let running = self.metrics.begin(door);
        let mut count =
            Count { metrics: &self.metrics, door, tool: capability.name, begun: Instant::now(), code: None };
        let result = if running > self.most_at_once {
            Err(Error::new(Code::Overloaded, "too many calls are running", "Wait for some of them, then try again."))
        } else {
            let call = self.catalogue.call(capability.name, arguments, caller);
            tokio::time::timeout(self.hard_stop, call).await.unwrap_or_else(|_| Err(self.stopped(capability)))
        };
        count.code = Some(result.as_ref().err().map(|error| error.code));
        result
    }

    fn stopped(&self, capability: &Capability) -> Error {
        tracing::error!(tool = capability.name, "the tool did not end by itself and was stopped");
        let seconds = self.hard_stop.as_secs();
        let error = Error::new(
            Code::Timeout,
            format!("{} did not end within {seconds} seconds", capability.name),
            "Look at the screen to see what happened, then try again.",
        );
        match capability.effect {
            Effect::Read => error,
            Effect::Act | Effect::Destructive => error.outcome(Outcome::Unknown),
        }
    }
}

/// Counts a call when it ends, also by being dropped.
struct Count<'a> {
    metrics: &'a Metrics,
    door: Door,
    tool: &'static str,
    begun: Instant,
    code: Option<Option<Code>>,
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        let code = self.code.unwrap_or(Some(Code::Cancelled));
        let took = self.begun.elapsed();
        self.metrics.end(self.door, self.tool, code, took);
        tracing::debug!(tool = self.tool, door = ?self.door, ?code, ?took, "call");
    }
}
