//! The life of one task: its turn, its device, work, rest, and the end.
//!
//! Knows when a task may work. What the work is stands in `steps` and `think`.

use super::{
    halt::{End, Failure, Halt},
    hands::Hands,
    inputs::Inputs,
    journal::Journal,
    order::Order,
    service::Inner,
    spent,
    steps::{self, SECRET},
    think,
    turns::Turn,
};
use crate::capability::{Code, Error, Outcome};
use fingertip_tasks::{Kind, MemoryError, NewEvent, Status, Task};
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// How long a device is waited for before it is tried again: at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long a task waits at a time for its device or for a human; then it fails.
const LONGEST_WAIT: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long the memory is left alone after it failed.
const MEMORY_PAUSE: Duration = Duration::from_secs(5);
/// How often it may fail before a further step is done. Then the task has failed, as soon as that can be recorded.
const MEMORY_TRIES: u32 = 12;

/// A task that is in somebody's hands.
pub(super) struct Run {
    pub(super) agent: Arc<Inner>,
    pub(super) order: Order,
    pub(super) journal: Journal,
    pub(super) hands: Hands,
    inputs: Mutex<Inputs>,
    /// Held while a secret is taken in.
    learning: tokio::sync::Mutex<()>,
    /// For what it waits, so that it is recorded once.
    waits_for: Mutex<Option<Value>>,
    /// Ends the work at once: the task was ended.
    pub(super) cancel: CancellationToken,
    /// The device was given back, after the end.
    pub(super) gone: CancellationToken,
}

impl Run {
    pub(super) fn new(agent: Arc<Inner>, id: &str, order: Order, inputs: Inputs) -> Run {
        let journal = Journal::new(agent.recorder.clone(), id);
        journal.hide(inputs.secret_texts());
        let hands = Hands {
            tools: agent.tools.clone(),
            own: agent.own.clone(),
            device: order.device_id.clone(),
            journal: journal.clone(),
        };
        Run {
            agent,
            order,
            journal,
            hands,
            inputs: Mutex::new(inputs),
            learning: tokio::sync::Mutex::default(),
            waits_for: Mutex::default(),
            cancel: CancellationToken::new(),
            gone: CancellationToken::new(),
        }
    }

    /// What `${name}` stands for.
    pub(super) fn inputs(&self) -> Inputs {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in a secret that was asked for, once it is recorded that it was told.
    pub(super) async fn learn(&self, name: &str, secret: &str, answered: NewEvent) -> Result<(), MemoryError> {
        // Work goes on with the event, and looks for the secret only after this.
        let _learning = self.learning.lock().await;
        self.agent.recorder.append(self.journal.id(), vec![answered]).await?;
        let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        inputs.secret.insert(name.to_owned(), secret.into());
        self.journal.hide(inputs.secret_texts());
        Ok(())
    }

    /// Lives until the task has ended, or the host is about to.
    pub(super) async fn live(&self, turn: Turn) {
        let life = async {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => Halt::Ended,
                halt = self.life(&turn) => halt,
            }
        };
        let halt = self.guarded(life).await;
        self.hands.release().await;
        self.gone.cancel();
        if !matches!(halt, Halt::Stopped) {
            self.close().await;
        }
    }

    /// A panic in the work ends this task, and nothing else: those behind it in the queue go on.
    pub(super) async fn guarded(&self, life: impl Future<Output = Halt>) -> Halt {
        if let Ok(halt) = AssertUnwindSafe(life).catch_unwind().await {
            return halt;
        }
        tracing::error!(task = self.journal.id(), "the work on a task panicked");
        let error = Error::new(
            Code::Internal,
            "the work on the task broke off inside the server",
            "Look at the phone for how far it came, then start it again; the server's log has the cause.",
        );
        let failure = Failure::tool("internal", error.outcome(Outcome::Unknown));
        let halt = self.finish(End::Failed(failure)).await.err().unwrap_or(Halt::Ended);
        if let Halt::Memory(error) = &halt {
            tracing::error!(task = self.journal.id(), %error, "its end could not be recorded; it goes on with the next start");
        }
        halt
    }

    /// An action that was on its way when the task was ended has an outcome that nobody will look at.
    async fn close(&self) {
        let _ = self.count_unanswered().await;
        let Ok(Task { intent: Some(intent), .. }) = self.journal.state().await else { return };
        let data = json!({ "intent": intent.n, "outcome": "unknown", "why": "the task was ended meanwhile" });
        let _ = self.journal.write(vec![NewEvent { kind: Kind::Effect, step: intent.step, data }]).await;
    }

    async fn life(&self, turn: &Turn) -> Halt {
        tokio::select! {
            () = turn.come() => {}
            () = self.agent.stop.cancelled() => return Halt::Stopped,
        }
        let (mut pause, mut verified, mut failures) = (FIRST_PAUSE, None, 0);
        loop {
            let halt = match self.once().await {
                Ok(end) => Halt::End(Box::new(end)),
                Err(halt) => halt,
            };
            let done = match halt {
                Halt::End(end) => self.finish(*end).await,
                Halt::Away(error) => self.away(&error).await.map(|_| ()),
                Halt::Memory(error) => {
                    failures += 1;
                    tracing::error!(task = self.journal.id(), %error, failures, "the task memory failed; the task is tried again");
                    tokio::select! {
                        () = tokio::time::sleep(MEMORY_PAUSE) => {}
                        () = self.agent.stop.cancelled() => return Halt::Stopped,
                    }
                    match failures < MEMORY_TRIES {
                        true => Ok(()),
                        false => self.finish(End::Failed(memory_failed())).await,
                    }
                }
                Halt::Doubt => Ok(()),
                // The phone is given back; how long it rests is seen to before the next work.
                Halt::Rest => {
                    self.hands.release().await;
                    Ok(())
                }
                Halt::Ended | Halt::Stopped => return halt,
            };
            if let Err(halt @ (Halt::Ended | Halt::Stopped)) = done {
                return halt;
            }
            // A device that comes and goes is not asked without end.
            if let Ok(task) = self.journal.state().await {
                pause = if task.verified == verified { (pause * 2).min(LONGEST_PAUSE) } else { FIRST_PAUSE };
                if task.verified != verified {
                    (verified, failures) = (task.verified, 0);
                }
                if task.status == Status::WaitingDevice {
                    let _ = self.pause(pause, task.last).await;
                }
            }
        }
    }

    /// Takes the device and works, until something is in the way.
    async fn once(&self) -> Result<End, Halt> {
        self.rest().await?;
        self.take_device().await?;
        let task = self.journal.state().await?;
        self.count_unanswered().await?;
        let left = (self.order.limits.seconds - task.used.seconds).max(0.0);
        let end = tokio::select! {
            end = self.work() => end,
            halt = self.hands.keep() => Err(halt),
            () = tokio::time::sleep(Duration::from_secs_f64(left)) => {
                self.limit("seconds", json!(self.order.limits.seconds)).await.and_then(Err)
            }
        };
        self.count_unanswered().await?;
        end
    }

    /// Counts what a model was asked while the work was broken off, by a pause, a lost device, or a kill: its provider counts it too.
    async fn count_unanswered(&self) -> Result<(), Halt> {
        match spent::unanswered(&self.journal.events(0).await?) {
            Some(usage) => self.journal.write(vec![NewEvent::new(Kind::Usage, usage)]).await.map(|_| ()),
            None => Ok(()),
        }
    }

    async fn work(&self) -> Result<End, Halt> {
        self.know_secrets().await?;
        match (&self.agent.model, self.order.steps.is_empty()) {
            (Some(model), true) => think::work(self, model).await,
            // A script whose result needs a form needs a model at its end.
            (None, no_steps) if no_steps || self.order.output_schema.is_some() => {
                let error = Error::new(
                    Code::ModelUnavailable,
                    "the model that worked on this task is not configured any more",
                    "Name it under [agent] in the configuration, then start the task again.",
                );
                Err(Failure::tool("model", error).into())
            }
            _ => steps::work(self).await,
        }
    }

    /// Asks for a secret that a former run of the host knew.
    async fn know_secrets(&self) -> Result<(), Halt> {
        drop(self.learning.lock().await);
        let inputs = self.inputs();
        let Some(missing) = self.order.secrets.iter().find(|name| !inputs.secret.contains_key(*name)) else {
            return Ok(());
        };
        let question = format!(
            "The input `{missing}` is secret, and was kept only while the server ran. Answer with its value to go on."
        );
        Err(self.ask(None, json!({ "question": question, "reason": SECRET, "input": missing })).await)
    }

    /// Waits for as long as the task is paused, or a human was asked.
    async fn rest(&self) -> Result<(), Halt> {
        let began = Instant::now();
        loop {
            let task = self.journal.state().await?;
            match task.status {
                Status::Paused | Status::NeedsHuman => {}
                status if status.is_finished() => return Err(Halt::Ended),
                _ => return Ok(()),
            }
            waited_long(began)?;
            self.pause(LONGEST_WAIT, task.last).await?;
        }
    }

    /// Ends when somebody wants the task to rest, or the host is about to end.
    pub(super) async fn rested(&self) -> Halt {
        loop {
            let task = match self.journal.state().await {
                Ok(task) if task.status == Status::Paused => return Halt::Rest,
                Ok(task) => task,
                Err(halt) => return halt,
            };
            tokio::select! {
                () = self.agent.stop.cancelled() => return Halt::Stopped,
                news = self.journal.news(task.last) => match news {
                    Ok(()) => {}
                    Err(halt) => return halt,
                },
            }
        }
    }

    /// Waits for a while, or until something happens to the task.
    async fn pause(&self, time: Duration, last: u32) -> Result<(), Halt> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            () = self.agent.stop.cancelled() => Err(Halt::Stopped),
            news = self.journal.news(last) => news,
        }
    }

    async fn take_device(&self) -> Result<(), Halt> {
        let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            waited_long(began)?;
            let connected = tokio::select! {
                connected = self.hands.connect() => connected,
                () = self.agent.stop.cancelled() => return Err(Halt::Stopped),
            };
            let Err(error) = connected else {
                *self.waits_for() = None;
                let data = json!({ "device_id": self.order.device_id });
                self.journal.write(vec![NewEvent::new(Kind::Started, data)]).await?;
                return Ok(());
            };
            let last = self.away(&error).await?;
            self.pause(pause, last).await?;
            self.rest().await?;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Records why the device cannot be used, unless that is known: the number of the last event.
    async fn away(&self, error: &Error) -> Result<u32, Halt> {
        let details = error.details.as_ref();
        let reason = details.and_then(|details| details.get("reason")).cloned().unwrap_or(json!(error.code));
        let known = self.waits_for().replace(reason.clone()).is_some_and(|known| known == reason);
        if known {
            return Ok(self.journal.state().await?.last);
        }
        // A device that is not served now may be after the next start, with its plugin in order again.
        let hint = match error.code {
            Code::DeviceNotFound => format!(
                "The task goes on when the server is started with this device again; cancel it otherwise. {}",
                error.hint
            ),
            _ => error.hint.to_string(),
        };
        let data = json!({ "reason": reason, "message": error.message, "hint": hint });
        Ok(self.journal.write(vec![NewEvent::new(Kind::Waiting, data)]).await?.end - 1)
    }

    fn waits_for(&self) -> MutexGuard<'_, Option<Value>> {
        self.waits_for.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work goes on when nobody wants it to rest and nothing is used up.
    pub(super) async fn between(&self) -> Result<Task, Halt> {
        if self.agent.stop.is_cancelled() {
            return Err(Halt::Stopped);
        }
        let task = self.journal.state().await?;
        let (used, most) = (&task.used, &self.order.limits);
        let over = match task.status {
            Status::Paused | Status::NeedsHuman => return Err(Halt::Rest),
            status if status.is_finished() => return Err(Halt::Ended),
            _ if used.tokens >= most.tokens => ("tokens", json!(most.tokens)),
            _ if used.usd > 0.0 && used.usd >= most.usd => ("usd", json!(most.usd)),
            _ => return Ok(task),
        };
        Err(self.limit(over.0, over.1).await?)
    }

    /// The end of a task that has used up what it may use.
    pub(super) async fn limit(&self, what: &str, most: Value) -> Result<Halt, Halt> {
        self.journal.write(vec![NewEvent::new(Kind::Limit, json!({ "what": what, "most": most }))]).await?;
        let message = format!("the task reached its limit of {most} {what}");
        let hint = "See its events for how far it came; start it again with higher limits, or with a smaller goal.";
        Ok(Failure::new("limit", message, hint).into())
    }

    /// Asks a human; the work rests until there is an answer.
    pub(super) async fn ask(&self, step: Option<u32>, question: Value) -> Halt {
        let asked = NewEvent { kind: Kind::Asked, step, data: question };
        self.journal.write(vec![asked]).await.err().unwrap_or(Halt::Rest)
    }

    async fn finish(&self, end: End) -> Result<(), Halt> {
        // Whoever waited for the end may use the phone as soon as it is told.
        self.hands.release().await;
        self.journal.write(vec![NewEvent::new(Kind::Finished, end.data())]).await?;
        Err(Halt::Ended)
    }
}

fn memory_failed() -> Failure {
    let hint = "Start it again; if it stays so, the operator finds the cause in the server's log.";
    Failure::tool("memory", Error::new(Code::Internal, "the server's memory of tasks failed again and again", hint))
}

/// Nothing is waited for without end: other tasks of the device stand behind this one.
fn waited_long(since: Instant) -> Result<(), Halt> {
    if since.elapsed() < LONGEST_WAIT {
        return Ok(());
    }
    let hint = "Start it again when the device is there, or when somebody can answer.";
    Err(Failure::new("waiting", "the task waited for a week, and nothing came", hint).into())
}
