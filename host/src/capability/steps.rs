//! Several calls on one device as one: each step names a tool, and may say what must come about after it.
//!
//! It knows how steps follow each other, what stops them, and who holds the phone meanwhile. What a step does is its tool's
//! business, which is called as any caller calls it: the operator's restrictions hold here too.
//!
//! Whatever is wrong with a step's arguments is found before the first step runs. From then on every failure is a result: the
//! caller learns how far the steps came.

mod plan;

use super::{
    Caller, Capability, Catalogue, Code, Context, Effect, Error, Method, Outcome, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, Observe, On, Target},
    declare::{Declaration, Reply, capability_with_image},
    look,
    values::{Note, Shot},
};
pub use plan::{Planned, plan_step, takes};
use plan::{WAIT, plan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// How often the lease is renewed: the shortest that a caller may ask for is a second.
const RENEW: Duration = Duration::from_millis(300);
/// The most that is kept of a batch's time for the observation at its end; of a short time a fifth.
const RESERVE: Duration = Duration::from_secs(2);
/// How many bytes all results together may have, and what each may have in any case.
const MOST_BYTES: usize = 200_000;
const LEAST_BYTES: usize = 2_000;
/// Under what a result names its fields that did not fit.
const LEFT_OUT: &str = "left_out";

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "run_steps",
            title: "Run steps",
            description: "Runs several tools on one phone in a row, one lease throughout, and looks once at the end. A step that fails, or whose expect (arguments of wait_for) does not come about, stops it: stopped_at is its index.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/steps" },
        },
        run_steps,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct RunSteps {
    #[serde(flatten)]
    on: On,
    #[schemars(length(min = 1, max = 50))]
    steps: Vec<Step>,
    /// What to show at the end.
    observe: Option<Observe>,
    /// Lease id from connect_device.
    lease: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    #[serde(rename = "idempotency_key")]
    _idempotency_key: Option<String>,
}

/// A step.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Step {
    /// One that looks or acts.
    pub tool: String,
    /// Its arguments without what is the batch's: device and lease.
    pub arguments: Option<Map<String, Value>>,
    /// As wait_for takes (5 s).
    pub expect: Option<Map<String, Value>>,
}

/// What became of one step. A picture that it took is not part of it.
#[derive(Serialize, JsonSchema)]
struct Done {
    tool: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Map<String, Value>>,
    /// What wait_for answered, where it was not met.
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
struct Ran {
    device_id: String,
    results: Vec<Done>,
    /// Index of the step that failed, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_at: Option<usize>,
    /// Why it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Of what was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<String>,
    /// What became different since before the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// The screen, as get_ui_tree prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The picture that comes with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot: Option<Shot>,
    /// What is not as it seems.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
    /// Why nothing could be observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    observe_error: Option<Map<String, Value>>,
}

async fn run_steps(context: Arc<Context>, arguments: RunSteps, caller: Caller) -> Result<Reply<Ran>, Error> {
    let target = context.target(&arguments.on)?;
    let tools = context.offered()?;
    let RunSteps { steps, observe, lease, .. } = arguments;
    let steps = plan(&tools, steps, target.id(), lease.as_deref())?;
    let mut stage = Stage::open(&context, &target, &caller, &Act::observed(observe, lease), Purpose::Act).await?;
    let secrets: Vec<String> = steps.iter().filter_map(Planned::secret).collect();
    secrets.iter().for_each(|secret| stage.hide(secret));
    stage.take().await?;
    stage.prepare(Subject::Device, None).await?;
    let mut until = target.deadline;
    if observe.is_some_and(|observe| observe != Observe::None) {
        until -= RESERVE.min(target.time_left() / 5);
    }
    let (results, stop) = Batch { tools, target: &target, stage: &stage, caller, until, secrets }.run(steps).await;
    let mut ran = Ran {
        device_id: target.id().to_owned(),
        stopped_at: stop.is_some().then(|| results.len() - 1),
        reason: stop,
        results,
        frame: None,
        diff: None,
        text: None,
        screenshot: None,
        notes: stage.notes().to_vec(),
        observe_error: None,
    };
    let image = match stage.finish(Subject::Device).await {
        Ok((acted, image)) => {
            (ran.frame, ran.diff, ran.text, ran.notes) = (acted.frame, acted.diff, acted.text, acted.notes);
            ran.screenshot = acted.screenshot;
            image
        }
        // The steps were done, and the caller must learn what they did.
        Err(error) => {
            ran.observe_error = Some(body(&error));
            None
        }
    };
    Ok(Reply::observed(ran, image))
}

/// Steps on their way.
struct Batch<'a> {
    tools: Catalogue,
    target: &'a Target,
    stage: &'a Stage<'a>,
    caller: Caller,
    /// When the last step must be over.
    until: Instant,
    /// What no result may show.
    secrets: Vec<String>,
}

impl Batch<'_> {
    /// What became of each step up to the one that failed, and why it did.
    async fn run(&self, steps: Vec<Planned>) -> (Vec<Done>, Option<String>) {
        let mut results = Vec::new();
        let mut size = 0;
        for step in steps {
            let (mut done, stop) = self.holding(self.step(step)).await;
            if let Some(result) = &mut done.result {
                size += shorten(result, MOST_BYTES.saturating_sub(size));
            }
            results.push(done);
            if stop.is_some() {
                return (results, stop);
            }
        }
        (results, None)
    }

    /// Renews the lease while a step runs: it may wait for longer than a lease stands. Whether it was lost is asked before the
    /// next step.
    async fn holding<T>(&self, work: impl Future<Output = T>) -> T {
        let renew = async {
            loop {
                sleep(RENEW).await;
                let _ = self.stage.keep();
            }
        };
        tokio::select! {
            done = work => done,
            () = renew => unreachable!("it goes on for as long as it is asked to"),
        }
    }

    async fn step(&self, step: Planned) -> (Done, Option<String>) {
        let Planned { tool, arguments, expect } = step;
        let mut done = Done { tool, ok: false, result: None, error: None, expect: None };
        match self.call(tool, arguments).await {
            // A wait as a step of its own stops what builds on it, too.
            Ok(result) if tool == WAIT && result.get("met") == Some(&Value::Bool(false)) => {
                let reason = unmet(&result);
                done.result = Some(result);
                return (done, Some(reason));
            }
            Ok(mut result) => {
                result.values_mut().for_each(|value| self.mask(value));
                done.result = Some(result);
            }
            Err(error) => {
                done.error = Some(body(&error));
                return (done, Some(error.message));
            }
        }
        let Some(expect) = expect else {
            done.ok = true;
            return (done, None);
        };
        match self.call(WAIT, expect).await {
            Ok(waited) if waited.get("met") == Some(&Value::Bool(true)) => {
                done.ok = true;
                (done, None)
            }
            Ok(waited) => {
                let reason = unmet(&waited);
                done.expect = Some(waited);
                (done, Some(reason))
            }
            // The step itself was done.
            Err(error) => {
                let error = error.outcome(Outcome::Done);
                done.error = Some(body(&error));
                (done, Some(error.message))
            }
        }
    }

    /// Hides what no result may show.
    fn mask(&self, value: &mut Value) {
        match value {
            Value::String(text) if !self.secrets.is_empty() => *text = look::masked(text, &self.secrets),
            Value::Array(values) => values.iter_mut().for_each(|value| self.mask(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.mask(value)),
            _ => {}
        }
    }

    /// One call, within the time that is left and only while the phone is this caller's.
    async fn call(&self, tool: &'static str, mut arguments: Map<String, Value>) -> Result<Map<String, Value>, Error> {
        self.stage.keep()?;
        let left = self.until.saturating_duration_since(Instant::now()).as_millis();
        let left = u64::try_from(left).unwrap_or(u64::MAX);
        if left == 0 {
            return Err(Error::new(
                Code::Timeout,
                "the time of the steps ran out before this one",
                "Pass a longer timeout_ms, or fewer steps.",
            )
            .on_device(self.target.id()));
        }
        let wanted = arguments.get("timeout_ms").and_then(Value::as_u64);
        arguments.insert("timeout_ms".to_owned(), wanted.map_or(left, |wanted| wanted.min(left)).into());
        Ok(self.tools.call(tool, arguments, self.caller.clone()).await?.body)
    }
}

/// Why a wait was not met.
fn unmet(waited: &Map<String, Value>) -> String {
    waited.get("reason").and_then(Value::as_str).unwrap_or("it did not come about").to_owned()
}

/// Leaves out the longest fields of a result that does not fit, and says which; how many bytes it then has. All results travel in
/// one answer, which must not be lost for its size.
fn shorten(result: &mut Map<String, Value>, room: usize) -> usize {
    let size = |result: &Map<String, Value>| serde_json::to_string(result).map_or(0, |text| text.len());
    let mut left_out: Vec<Value> = Vec::new();
    while size(result) > room.max(LEAST_BYTES) {
        let longest =
            result.iter().filter(|(name, _)| *name != LEFT_OUT).max_by_key(|(_, value)| value.to_string().len());
        let Some(longest) = longest.map(|(name, _)| name.clone()) else { break };
        result.remove(&longest);
        left_out.push(longest.into());
        result.insert(LEFT_OUT.to_owned(), left_out.clone().into());
    }
    size(result)
}

/// An error as callers read it.
fn body(error: &Error) -> Map<String, Value> {
    match serde_json::to_value(error) {
        Ok(Value::Object(body)) => body,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
