//! Starts tasks, takes them up again after a restart, steers them, and tells how they are.
//!
//! Everything that is known of a task is in its memory; what is kept beside it are the runs that are in somebody's hands, and
//! their secrets.

use super::{
    errors::{conflict, error, no_model},
    inputs::Inputs,
    known::Known,
    limits::Asked,
    order::Order,
    output::Form,
    runner::Run,
    save, script,
    steps::{SECRET, UNSURE_ANSWERS},
    turns::Turns,
    view::{self, View},
};
use crate::{
    capability::{Caller, Catalogue, Code, Error, Outcome},
    config,
};
use fingertip_models::Model;
use fingertip_tasks::{BULLETS, Event, Filter, Kind, Memory, MemoryError, NewEvent, NewTask, Recorder, Status, Task};
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How often old tasks and pictures are thrown away.
const TIDY: Duration = Duration::from_secs(3600);
/// How many events, and about how many bytes of them, one answer has at most.
const PAGE: u32 = 100;
const PAGE_BYTES: usize = 150_000;
/// How long what follows the first news is waited for, so that a task at work is not shown anew for each of its events.
const TOGETHER: Duration = Duration::from_millis(20);
/// How long a cancelled task may take to give its device back before it is said to be cancelled.
const GIVEN_BACK: Duration = Duration::from_secs(2);

/// What works on tasks.
#[derive(Clone)]
pub struct Agent(Arc<Inner>);

/// What an agent is made of.
pub struct Parts {
    /// Where tasks are kept.
    pub memory: Memory,
    /// The tools that tasks may use.
    pub tools: Catalogue,
    /// All tools: what the work itself needs is not a matter of what callers are offered.
    pub own: Catalogue,
    /// What the operator chose.
    pub config: config::Agent,
    /// The model that works on goals, where there is one.
    pub model: Option<Model>,
}

/// What all runs share.
pub(super) struct Inner {
    known: Known,
    pub(super) recorder: Recorder,
    pub(super) tools: Catalogue,
    pub(super) own: Catalogue,
    pub(super) config: config::Agent,
    pub(super) model: Option<Model>,
    /// The host is about to end.
    pub(super) stop: CancellationToken,
    turns: Turns,
    runs: Mutex<HashMap<String, Arc<Run>>>,
    tracker: TaskTracker,
}

/// What a caller asks for.
#[derive(Default)]
pub(super) struct Request {
    pub(super) goal: String,
    pub(super) device_id: Option<String>,
    pub(super) steps: Vec<Value>,
    pub(super) inputs: Map<String, Value>,
    pub(super) output_schema: Option<Value>,
    pub(super) limits: Asked,
    pub(super) key: Option<String>,
}

/// What may be done with a task.
pub(super) enum Control {
    Cancel,
    Pause,
    Resume,
    Answer(String),
}

impl Agent {
    /// An agent that does nothing yet.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new(parts: Parts) -> std::io::Result<Agent> {
        let Parts { memory, tools, own, config, model } = parts;
        Ok(Agent(Arc::new(Inner {
            known: Known::default(),
            recorder: Recorder::start(Arc::new(memory))?,
            tools,
            own,
            config,
            model,
            stop: CancellationToken::new(),
            turns: Turns::default(),
            runs: Mutex::default(),
            tracker: TaskTracker::new(),
        })))
    }

    /// Takes up the tasks that a former run of the host did not end, and throws away what is old from now on.
    pub async fn begin(&self) {
        let unfinished = match self.0.recorder.with(Memory::unfinished).await {
            Ok(unfinished) => unfinished,
            Err(error) => {
                tracing::error!(%error, "the tasks of the last run cannot be taken up");
                Vec::new()
            }
        };
        for task in unfinished {
            if let Err(error) = self.take_up(&task).await {
                tracing::error!(task = task.id, %error, "a task cannot be taken up");
            }
        }
        let inner = self.0.clone();
        tokio::spawn(async move {
            loop {
                if let Err(error) = inner.recorder.with(Memory::tidy).await {
                    tracing::warn!(%error, "the task memory could not be tidied");
                }
                tokio::select! {
                    () = tokio::time::sleep(TIDY) => {}
                    () = inner.stop.cancelled() => return,
                }
            }
        });
    }

    async fn take_up(&self, task: &Task) -> Result<(), MemoryError> {
        let id = task.id.clone();
        let first = self.0.recorder.with(move |memory| memory.events(&id, 0, 1)).await?;
        let order = first.into_iter().next().and_then(|event| serde_json::from_value::<Order>(event.data).ok());
        let Some(order) = order else {
            let error = json!({ "reason": "unreadable", "message": "what was asked for cannot be read any more" });
            let data = json!({ "status": "failed", "error": error });
            return self.0.recorder.append(&task.id, vec![NewEvent::new(Kind::Finished, data)]).await.map(|_| ());
        };
        self.0.recorder.append(&task.id, vec![NewEvent::new(Kind::TakenUp, json!({}))]).await?;
        if !self.0.config.resume_on_start && task.status != Status::Paused {
            let data = json!({ "reason": "the server was started anew, and resume_on_start is off" });
            self.0.recorder.append(&task.id, vec![NewEvent::new(Kind::Paused, data)]).await?;
        }
        let inputs = Inputs { plain: order.inputs.clone(), ..Inputs::default() };
        self.run(&task.id, order, inputs);
        Ok(())
    }

    fn run(&self, id: &str, order: Order, inputs: Inputs) {
        let inner = self.0.clone();
        // The place is taken now, so that tasks of one device come in the order in which they were made.
        let turn = inner.turns.enter(&order.device_id);
        let run = Arc::new(Run::new(inner.clone(), id, order, inputs));
        self.runs().insert(id.to_owned(), run.clone());
        let id = id.to_owned();
        inner.tracker.spawn(async move {
            run.live(turn).await;
            let mut runs = run.agent.runs.lock().unwrap_or_else(PoisonError::into_inner);
            runs.remove(&id);
        });
    }

    #[cfg(test)]
    pub(super) fn inner(&self) -> Arc<Inner> {
        self.0.clone()
    }

    #[cfg(test)]
    pub(super) fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, Arc<Run>>> {
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all runs to stop after the step that they are at, and waits for them, but not for longer than this. What they
    /// were at goes on with the next host.
    pub async fn stop(&self, limit: Duration) {
        self.0.stop.cancel();
        self.0.tracker.close();
        if tokio::time::timeout(limit, self.0.tracker.wait()).await.is_err() {
            tracing::warn!("tasks were still at work when the server ended; they go on with its next start");
        }
    }

    /// Starts a task, also for who does not wait for the answer: its name and status.
    pub(super) async fn start(&self, request: Request, caller: Caller) -> Result<(String, Status), Error> {
        let agent = self.clone();
        whole(async move { agent.take_in(request, caller).await }).await
    }

    async fn take_in(&self, request: Request, caller: Caller) -> Result<(String, Status), Error> {
        let Request { goal, device_id, mut steps, inputs, output_schema, limits, key } = request;
        let goal = goal.trim().to_owned();
        if goal.is_empty() && steps.is_empty() {
            return Err(Error::invalid(
                "the task has neither a goal nor steps",
                "Say what is to be done in `goal`, or give `steps`.",
            ));
        }
        let model = self.0.config.model.as_ref();
        if limits.usd.is_some() && model.is_some_and(|model| model.price.is_none()) {
            return Err(Error::invalid(
                "limits.usd cannot be held: the configuration does not say what the model costs",
                "Leave it out and give limits.tokens, or have the operator add [agent.price], with 0 for what costs nothing.",
            ));
        }
        let goal = self.0.recorder.with(move |memory| memory.check_goal(&goal).map(|()| goal)).await.map_err(error)?;
        let device_id = self.device(device_id, &caller).await?;
        let mut inputs = Inputs::read(inputs)?;
        script::lift_secrets(&mut steps, &mut inputs);
        if !steps.is_empty() {
            inputs.check_used(&steps)?;
        }
        let order = Order {
            goal,
            device_id,
            steps,
            inputs: inputs.plain.clone(),
            secrets: inputs.secret.keys().cloned().collect(),
            output_schema,
            limits: limits.within(&self.0.config.limits)?,
        };
        if order.steps.is_empty() && self.0.model.is_none() {
            return Err(no_model(
                "that could work on a goal",
                "Give the task `steps`, which need no model, or have the operator",
            ));
        }
        if let Some(schema) = &order.output_schema {
            Form::new(schema)?;
            if self.0.model.is_none() {
                return Err(no_model("that could tell the output", "Leave output_schema out, or have the operator"));
            }
        }
        let script = order.ready(&self.0.tools, &inputs)?;
        if script.len() > order.limits.steps as usize {
            let (steps, most) = (script.len(), order.limits.steps);
            return Err(Error::invalid(
                format!("the script has {steps} steps with all repetitions, and the limit is {most}"),
                "Raise limits.steps, within what the operator allows, or make several tasks of it.",
            ));
        }
        let new = NewTask {
            goal: order.goal.clone(),
            device_id: Some(order.device_id.clone()),
            caller: caller.session.unwrap_or(caller.client),
            key,
            data: order.data(),
        };
        let created = self.0.recorder.create(new).await.map_err(error)?;
        if created.known {
            return Ok((created.id.clone(), self.task(&created.id).await?.status));
        }
        self.run(&created.id, order, inputs);
        Ok((created.id, Status::Queued))
    }

    /// The device's name: the given one if there is such a device, else the only one.
    async fn device(&self, given: Option<String>, caller: &Caller) -> Result<String, Error> {
        let mut arguments = Map::new();
        if let Some(given) = given {
            arguments.insert("device_id".to_owned(), given.into());
        }
        let status = self.0.own.call("device_status", arguments, caller.clone()).await?;
        let id = status.body.get("device").and_then(|device| device["id"].as_str());
        id.map(str::to_owned).ok_or_else(|| Error::new(Code::Internal, "the device has no name", "Try again."))
    }

    pub(super) async fn task(&self, id: &str) -> Result<Task, Error> {
        let id = id.to_owned();
        self.0.recorder.with(move |memory| memory.task(&id)).await.map_err(error)
    }

    /// Steers a task: how it is then.
    pub(super) async fn control(&self, id: &str, control: Control) -> Result<Value, Error> {
        let (agent, id) = (self.clone(), id.to_owned());
        whole(async move { agent.steer(&id, control).await }).await
    }

    async fn steer(&self, id: &str, control: Control) -> Result<Value, Error> {
        let task = self.task(id).await?;
        let run = self.runs().get(id).cloned();
        let event = match control {
            Control::Cancel => NewEvent::new(Kind::Finished, json!({ "status": "cancelled" })),
            Control::Pause if task.status == Status::Paused => {
                return Err(conflict(format!("task {id} is paused already"), "Resume it to have it go on."));
            }
            Control::Pause => NewEvent::new(Kind::Paused, json!({})),
            Control::Resume if task.status != Status::Paused && !task.status.is_finished() => {
                return Err(conflict(
                    format!("task {id} is {} and not paused", task.status.as_str()),
                    "Only a paused task can be resumed.",
                ));
            }
            Control::Resume => NewEvent::new(Kind::Resumed, json!({})),
            Control::Answer(answer) => {
                self.answer(&task, run, answer).await?;
                return Ok(view::brief(&self.task(id).await?));
            }
        };
        let ends = event.kind == Kind::Finished;
        self.0.recorder.append(id, vec![event]).await.map_err(error)?;
        if let Some(run) = run.filter(|_| ends) {
            run.cancel.cancel();
            // Whoever cancels a task wants the phone.
            let _ = tokio::time::timeout(GIVEN_BACK, run.gone.cancelled()).await;
        }
        Ok(view::brief(&self.task(id).await?))
    }

    /// Tells a task what it asks as it is known here. If it asks something else by then, the memory refuses the answer.
    pub(super) async fn answer(&self, task: &Task, run: Option<Arc<Run>>, answer: String) -> Result<(), Error> {
        let answer = answered(task, answer)?;
        let event = |answer: &str| NewEvent::new(Kind::Answered, json!({ "answer": answer, "asked": task.asked }));
        let secret = task.question.as_ref().filter(|question| question["reason"] == SECRET);
        let written = match (secret.and_then(|question| question["input"].as_str()), run) {
            (Some(input), Some(run)) => run.learn(input, &answer, event(BULLETS)).await,
            (Some(_), None) => {
                let message = format!("task {} is in nobody's hands", task.id);
                return Err(conflict(message, "Start the server, then answer."));
            }
            (None, run) => {
                let clean = run.map_or_else(|| answer.clone(), |run| run.journal.clean(&answer));
                self.0.recorder.append(&task.id, vec![event(&clean)]).await.map(|_| ())
            }
        };
        written.map_err(error)
    }

    /// How a task is, its events after a number, and the number for the next call. With a time it waits: for events after the
    /// number where one is given, else until the task ends or asks.
    pub(super) async fn get(
        &self,
        id: &str,
        after: Option<u32>,
        wait: Duration,
    ) -> Result<(Value, Vec<Value>, u32), Error> {
        let deadline = Instant::now() + wait;
        let key = id.to_owned();
        let mut news = self.0.recorder.with(move |memory| memory.follow(&key)).await.map_err(error)?;
        let mut waited = false;
        loop {
            let task = self.task(id).await?;
            let enough = match after {
                Some(after) => task.last > after,
                None => matches!(task.status, Status::NeedsHuman | Status::Paused),
            };
            let rests = task.status.is_finished() || task.status == Status::NeedsHuman;
            if enough && waited && !rests {
                // What happens at once is told at once, whoever looks on.
                tokio::time::sleep_until(deadline.min(Instant::now() + TOGETHER)).await;
            }
            if enough || task.status.is_finished() || Instant::now() >= deadline {
                break;
            }
            waited = true;
            tokio::select! {
                _ = news.after(task.last) => {}
                () = tokio::time::sleep_until(deadline) => break,
                () = self.0.stop.cancelled() => break,
            }
        }
        let show = |view: &View| (view.shown(), self.ahead(view.task()), view.task().last);
        let (mut whole, ahead, last) = self.0.known.with(&self.0.recorder, id, show).await.map_err(error)?;
        let (mut shown, mut bytes) = (Vec::new(), 0);
        let after = after.unwrap_or(0);
        let mut next = after;
        let key = id.to_owned();
        let page = self.0.recorder.with(move |memory| memory.events(&key, after, PAGE)).await.map_err(error)?;
        // Only what the task has taken in, so that an answer never tells of a question that its task does not have.
        for event in page.iter().filter(|event| event.n <= last) {
            let told = view::event(event);
            bytes += told.to_string().len();
            if bytes > PAGE_BYTES && !shown.is_empty() {
                break;
            }
            next = event.n;
            shown.push(told);
        }
        if let Some(other) = ahead {
            let other = self.task(&other).await?;
            if !other.status.is_finished() {
                whole["waiting"] = view::behind(&other);
            }
        }
        Ok((whole, shown, next))
    }

    /// The first of those that stand before a queued task in the turn of its device.
    fn ahead(&self, task: &Task) -> Option<String> {
        let runs = self.runs();
        let same = runs.values().filter(|run| task.device_id.as_ref() == Some(&run.order.device_id));
        let first = same.map(|run| run.journal.id()).filter(|id| *id < task.id.as_str()).min()?;
        (task.status == Status::Queued).then(|| first.to_owned())
    }

    /// All events of a task.
    pub(super) async fn events(&self, id: &str) -> Result<Vec<Event>, Error> {
        let id = id.to_owned();
        self.0.recorder.with(move |memory| memory.all_events(&id, 0)).await.map_err(error)
    }

    /// A task as a script that does it again without a model.
    pub(super) async fn script(&self, id: &str) -> Result<Value, Error> {
        let task = self.task(id).await?;
        let events = self.events(id).await?;
        let order = events.first().and_then(|event| serde_json::from_value::<Order>(event.data.clone()).ok());
        let order = order.ok_or_else(|| {
            conflict(format!("what task {id} was asked for cannot be read any more"), "Start it anew.")
        })?;
        if task.status != Status::Succeeded && order.steps.is_empty() {
            return Err(conflict(
                format!("task {id} has not succeeded, so that there is no script of it"),
                "A task can be saved once it has succeeded.",
            ));
        }
        save::script(&order, &events).map_err(|why| {
            conflict(format!("there is no script of task {id}: {why}"), "Write the script by hand from its events.")
        })
    }

    /// Tasks, the newest first.
    pub(super) async fn list(&self, filter: Filter, limit: u32, before: Option<String>) -> Result<Vec<Value>, Error> {
        let tasks = self.0.recorder.with(move |memory| memory.list(&filter, limit, before.as_deref()));
        Ok(tasks.await.map_err(error)?.iter().map(view::brief).collect())
    }
}

/// Does all of this, also when whoever asked for it leaves meanwhile: a part of it would be a task that nobody works on, or an
/// answer that is known to the memory alone.
async fn whole<T: Send + 'static>(work: impl Future<Output = Result<T, Error>> + Send + 'static) -> Result<T, Error> {
    tokio::spawn(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a call about a task broke off");
        let hint = "See how the task is before trying again; the server's log has the cause.";
        Err(Error::new(Code::Internal, "the call failed inside the server", hint).outcome(Outcome::Unknown))
    })
}

/// The answer, if it is one to what the task asks.
fn answered(task: &Task, answer: String) -> Result<String, Error> {
    let Some(question) = &task.question else {
        return Err(if task.status.is_finished() {
            error(MemoryError::Finished { task: task.id.clone(), status: task.status })
        } else {
            error(MemoryError::NotAsked { task: task.id.clone() })
        });
    };
    if question.get("options").is_none() {
        return Ok(answer);
    }
    let word = answer.trim().to_lowercase();
    if UNSURE_ANSWERS.contains(&word.as_str()) {
        return Ok(word);
    }
    Err(Error::invalid(
        "the answer is none that the task can go on by",
        format!("Answer with one of: {}.", UNSURE_ANSWERS.join(", ")),
    ))
}
