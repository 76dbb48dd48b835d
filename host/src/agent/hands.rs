//! Calls of tools for one task, with what is recorded around them: the intent of an action is committed before it is sent, what
//! came of it after.
//!
//! It knows the catalogue, errors that pass, and the device's lease. What is worth doing it does not know.

use super::{
    halt::{Halt, judge},
    journal::Journal,
};
use crate::capability::{Answer, Caller, Catalogue, Effect, Error, Outcome};
use fingertip_tasks::{Kind, NewEvent};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// How long a lease stands unless it is renewed, and how often it is.
const LEASE_S: u64 = 60;
const RENEW: Duration = Duration::from_secs(20);
/// How often what surely did nothing is tried again, and after what pause at first.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);
/// Marks the intent of another try of the same call.
pub(super) const RETRY: &str = "retry";
/// How many bytes of an answer are recorded.
const MOST_BYTES: usize = 8_000;
/// What of an answer is not recorded: it is long, and told by looks of its own.
const NOT_KEPT: [&str; 5] = ["text", "diff", "elements", "screenshot", "notes"];

/// The tools, as one task uses them.
pub(super) struct Hands {
    /// What tasks may use.
    pub(super) tools: Catalogue,
    /// What the work itself needs, whatever is offered to callers.
    pub(super) own: Catalogue,
    pub(super) device: String,
    pub(super) journal: Journal,
}

/// A call that is about to be made.
pub(super) struct Call {
    pub(super) tool: &'static str,
    /// With everything filled in.
    pub(super) arguments: Map<String, Value>,
    /// What the intent's event says: `tool`, `arguments`, and what else is known.
    pub(super) shown: Value,
}

impl Hands {
    fn caller(&self) -> Caller {
        let id = self.journal.id();
        Caller { session: Some(format!("task:{id}")), client: format!("task {id}"), picture_limit: None }
    }

    fn on_device(&self, mut arguments: Map<String, Value>) -> Map<String, Value> {
        arguments.insert("device_id".to_owned(), self.device.as_str().into());
        arguments
    }

    /// Takes the device for this task, or keeps it.
    pub(super) async fn connect(&self) -> Result<(), Error> {
        let arguments = Map::from_iter([("ttl_s".to_owned(), LEASE_S.into())]);
        self.own.call("connect_device", self.on_device(arguments), self.caller()).await.map(|_| ())
    }

    /// Keeps the device for as long as it is asked to; ends when somebody else has it.
    pub(super) async fn keep(&self) -> Halt {
        loop {
            tokio::time::sleep(RENEW).await;
            if let Err(error) = self.connect().await
                && let Err(halt @ Halt::Away(_)) = judge(error)
            {
                return halt;
            }
        }
    }

    /// Gives the device back.
    pub(super) async fn release(&self) {
        if let Err(error) = self.own.call("disconnect_device", self.on_device(Map::new()), self.caller()).await {
            tracing::debug!(task = self.journal.id(), %error, "the device was not given back");
        }
    }

    /// Whether a tool does more than look.
    pub(super) fn acts(&self, tool: &str) -> bool {
        self.tools.get(tool).is_none_or(|capability| capability.effect != Effect::Read)
    }

    /// Looks, for the work itself: nothing is recorded.
    pub(super) async fn look(&self, tool: &str, arguments: Value) -> Result<Result<Answer, Error>, Halt> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.read(&self.own, tool, self.on_device(arguments)).await
    }

    /// The elements of the screen, or those within one of them with itself first; none where they cannot be told.
    pub(super) async fn elements(&self, within: Option<&str>) -> Result<Vec<Value>, Halt> {
        let mut asked = json!({ "format": "json" });
        if let Some(within) = within {
            asked["within"] = within.into();
        }
        let seen = self.look("get_ui_tree", asked).await?;
        Ok(seen.ok().and_then(|seen| seen.body.get("elements")?.as_array().cloned()).unwrap_or_default())
    }

    /// A call that only reads, again where that may help.
    async fn read(
        &self,
        tools: &Catalogue,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Result<Answer, Error>, Halt> {
        let mut tries = 1;
        loop {
            let error = match tools.call(tool, arguments.clone(), self.caller()).await {
                Ok(answer) => return Ok(Ok(answer)),
                Err(error) => error,
            };
            // A look has no outcome that could be in doubt.
            let error = judge(error.outcome(Outcome::NotDone))?;
            if !again(&error, &mut tries).await {
                return Ok(Err(error));
            }
        }
    }

    /// Makes a call of a step and records it, after the events `before`.
    ///
    /// # Errors
    /// [`Halt::Doubt`] where an action may or may not have been done: its intent then stays open.
    pub(super) async fn call(
        &self,
        step: u32,
        mut before: Vec<NewEvent>,
        call: &Call,
    ) -> Result<Result<Answer, Error>, Halt> {
        if !self.acts(call.tool) {
            if !before.is_empty() {
                self.journal.write(before).await?;
            }
            let seen = self.read(&self.tools, call.tool, call.arguments.clone()).await?;
            let mut data = call.shown.clone();
            match &seen {
                Ok(answer) => data["result"] = kept(call.tool, answer),
                Err(error) => data["error"] = json!(error),
            }
            self.journal.write(vec![NewEvent::new(Kind::Observation, data).of_step(step)]).await?;
            return Ok(seen);
        }
        let mut tries = 1;
        loop {
            let mut events = std::mem::take(&mut before);
            let mut shown = call.shown.clone();
            if tries > 1 {
                // It was decided on once.
                shown[RETRY] = true.into();
            }
            events.push(NewEvent::new(Kind::Intent, shown).of_step(step));
            let intent = self.journal.write(events).await?.end - 1;
            let effect = |data: Value| vec![NewEvent::new(Kind::Effect, data).of_step(step)];
            let error = match self.tools.call(call.tool, call.arguments.clone(), self.caller()).await {
                Ok(answer) => {
                    let mut data = json!({ "intent": intent, "outcome": "done" });
                    data["result"] = kept(call.tool, &answer);
                    self.journal.write(effect(data)).await?;
                    return Ok(Ok(answer));
                }
                Err(error) if error.outcome == Outcome::Unknown => {
                    self.journal.note(json!({ "intent": intent, "error": error })).await?;
                    return Err(Halt::Doubt);
                }
                Err(error) => error,
            };
            self.journal.write(effect(json!({ "intent": intent, "outcome": error.outcome, "error": error }))).await?;
            let error = judge(error)?;
            if !again(&error, &mut tries).await {
                return Ok(Err(error));
            }
        }
    }
}

/// Whether a call that surely did nothing is worth another try, which is then counted: after a pause.
async fn again(error: &Error, tries: &mut u32) -> bool {
    if !error.retryable || error.outcome != Outcome::NotDone || *tries == TRIES {
        return false;
    }
    tokio::time::sleep(PAUSE * *tries).await;
    *tries += 1;
    true
}

/// What of an answer is recorded.
fn kept(tool: &str, answer: &Answer) -> Value {
    // A text of the clipboard's is no screen, and told by nothing else.
    let is_kept = |name: &str| !NOT_KEPT.contains(&name) || tool == "clipboard";
    let mut body: Map<String, Value> = answer
        .body
        .iter()
        .filter(|(name, _)| is_kept(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    while serde_json::to_string(&body).map_or(0, |text| text.len()) > MOST_BYTES {
        let longest = body.iter().max_by_key(|(_, value)| value.to_string().len()).map(|(name, _)| name.clone());
        let Some(longest) = longest else { break };
        body.remove(&longest);
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::{Capability, Code, Method, Route};
    use fingertip_tasks::{Limits, Memory, NewTask, Recorder};
    use futures_util::FutureExt;
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

    #[tokio::test]
    async fn another_try_of_the_same_call_is_marked() {
        let calls = Arc::new(AtomicU32::new(0));
        let invoke = move |_: Map<String, Value>, _: Caller| {
            let first = calls.fetch_add(1, Ordering::Relaxed) == 0;
            let answer = Answer { body: Map::new(), image: None };
            let answer = if first { Err(Error::new(Code::Timeout, "late", "Try again.")) } else { Ok(answer) };
            std::future::ready(answer).boxed()
        };
        let input = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let tap = Capability {
            name: "tap",
            title: "Tap",
            description: "Taps.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/tap" },
            input: input.as_object().cloned().unwrap_or_default(),
            output: Map::new(),
            has_image: false,
            tool: true,
            invoke: Arc::new(invoke),
        };
        let folder = tempfile::tempdir().unwrap();
        let recorder = Recorder::start(Arc::new(Memory::open(folder.path(), Limits::default()).unwrap())).unwrap();
        let new = NewTask {
            goal: String::new(),
            device_id: Some("phone".to_owned()),
            caller: "tests".to_owned(),
            key: None,
            data: Map::new(),
        };
        let id = recorder.create(new).await.unwrap().id;
        let journal = Journal::new(recorder, &id);
        let tools = Catalogue::new(vec![tap]);
        let hands = Hands { own: tools.clone(), tools, device: "phone".to_owned(), journal };
        let call = Call { tool: "tap", arguments: Map::new(), shown: json!({ "tool": "tap" }) };
        assert!(hands.call(1, Vec::new(), &call).await.unwrap().is_ok());
        let events = hands.journal.events(0).await.unwrap();
        let marks: Vec<bool> =
            events.iter().filter(|event| event.kind == Kind::Intent).map(|event| event.data[RETRY] == true).collect();
        assert_eq!(marks, [false, true]);
    }
}
