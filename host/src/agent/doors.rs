//! The capabilities of tasks: declared like all others, and served by the agent once there is one.
//!
//! `start_task`, `get_task` and `control_task` are tools; the list of tasks and the script of one are routes alone.

use super::{
    limits::Asked,
    service::{Agent, Control, Request},
};
use crate::capability::{Caller, Capability, Code, Context, Declaration, Effect, Error, Method, Route, capability};
use fingertip_tasks::{Filter, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Where the agent takes its place after the catalogue was made: it works with a catalogue itself.
pub type Seat = Arc<OnceLock<Agent>>;

/// The capabilities of tasks, served by whoever takes the seat.
pub fn capabilities(context: &Arc<Context>, seat: &Seat) -> Vec<Capability> {
    let agent = |seat: &Seat| {
        let absent = || Error::new(Code::Internal, "tasks are not served here", "Start the server.");
        seat.get().cloned().ok_or_else(absent)
    };
    let declared = |name, title, description, effect, method, path| Declaration {
        name,
        title,
        description,
        effect,
        route: Route { method, path },
    };
    let [starts, gets, controls, lists, scripts] = std::array::from_fn(|_| seat.clone());
    vec![
        capability(
            context,
            declared(
                "start_task",
                "Start a task",
                "Works on a goal with the operator's model, or runs steps without one. Follow it with get_task.",
                Effect::Act,
                Method::Post,
                "/agent/task",
            ),
            move |_, arguments: StartTask, caller| {
                let agent = agent(&starts);
                async move { start_task(&agent?, arguments, caller).await }
            },
        ),
        capability(
            context,
            declared("get_task", "Get a task", "A task and its events.", Effect::Read, Method::Get, "/task/{task_id}"),
            move |_, arguments: GetTask, _| {
                let agent = agent(&gets);
                async move { get_task(&agent?, arguments).await }
            },
        ),
        capability(
            context,
            declared(
                "control_task",
                "Control a task",
                "Cancels, pauses or resumes a task, or answers what it asks.",
                Effect::Act,
                Method::Post,
                "/task/{task_id}/control",
            ),
            move |_, arguments: ControlTask, _| {
                let agent = agent(&controls);
                async move { control_task(&agent?, arguments).await }
            },
        ),
        Capability {
            tool: false,
            ..capability(
                context,
                declared(
                    "list_tasks",
                    "List tasks",
                    "Lists tasks, the newest first.",
                    Effect::Read,
                    Method::Get,
                    "/tasks",
                ),
                move |_, arguments: ListTasks, _| {
                    let agent = agent(&lists);
                    async move { list_tasks(&agent?, arguments).await }
                },
            )
        },
        Capability {
            tool: false,
            ..capability(
                context,
                declared(
                    "task_script",
                    "Script of a task",
                    "A finished task as steps that do it again without a model, with elements named by their words.",
                    Effect::Read,
                    Method::Get,
                    "/task/{task_id}/script",
                ),
                move |_, arguments: TaskScript, _| {
                    let agent = agent(&scripts);
                    async move { task_script(&agent?, arguments).await }
                },
            )
        },
    ]
}

#[derive(Deserialize, JsonSchema)]
struct StartTask {
    goal: Option<String>,
    device_id: Option<String>,
    /// As in run_steps; also repeat.
    steps: Option<Vec<Map<String, Value>>>,
    /// Values for ${name} in steps; {"secret": …} is never shown.
    inputs: Option<Map<String, Value>>,
    output_schema: Option<Map<String, Value>>,
    #[serde(default)]
    limits: Limits,
    #[schemars(length(min = 1, max = 200))]
    idempotency_key: Option<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
struct Limits {
    #[schemars(range(min = 1))]
    steps: Option<u64>,
    #[schemars(range(min = 1))]
    tokens: Option<u64>,
    #[schemars(range(min = 0))]
    usd: Option<f64>,
    #[schemars(range(min = 1))]
    seconds: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct Started {
    task_id: String,
    status: &'static str,
}

async fn start_task(agent: &Agent, arguments: StartTask, caller: Caller) -> Result<Started, Error> {
    let Limits { steps, tokens, usd, seconds } = arguments.limits;
    let request = Request {
        goal: arguments.goal.unwrap_or_default(),
        device_id: arguments.device_id,
        steps: arguments.steps.unwrap_or_default().into_iter().map(Value::Object).collect(),
        inputs: arguments.inputs.unwrap_or_default(),
        output_schema: arguments.output_schema.map(Value::Object),
        limits: Asked { steps: steps.map(countable), tokens, usd, seconds },
        key: arguments.idempotency_key,
    };
    let (task_id, status) = agent.start(request, caller).await?;
    Ok(Started { task_id, status: status.as_str() })
}

/// A number of steps or events. There are never as many as the largest, so that more are no others.
fn countable(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[derive(Deserialize, JsonSchema)]
struct GetTask {
    task_id: String,
    /// Only events after this number.
    after: Option<u64>,
    /// Waits for events after `after`, else for the end or a question.
    #[schemars(range(max = 120_000))]
    wait_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct Got {
    task: Value,
    events: Vec<Value>,
    next: u32,
}

async fn get_task(agent: &Agent, arguments: GetTask) -> Result<Got, Error> {
    let wait = Duration::from_millis(arguments.wait_ms.unwrap_or(0));
    let (task, events, next) = agent.get(&arguments.task_id, arguments.after.map(countable), wait).await?;
    Ok(Got { task, events, next })
}

#[derive(Deserialize, JsonSchema)]
struct ControlTask {
    task_id: String,
    action: Action,
    answer: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Cancel,
    Pause,
    Resume,
    Answer,
}

#[derive(Serialize, JsonSchema)]
struct Controlled {
    task: Value,
}

async fn control_task(agent: &Agent, arguments: ControlTask) -> Result<Controlled, Error> {
    let ControlTask { task_id, action, answer } = arguments;
    let control = match (action, answer) {
        (Action::Answer, Some(answer)) => Control::Answer(answer),
        (Action::Answer, None) => {
            return Err(Error::invalid("`answer` is missing", "Pass what the task is to be told."));
        }
        (_, Some(_)) => {
            return Err(Error::invalid("`answer` goes with action answer alone", "Leave it out, or pass that action."));
        }
        (Action::Cancel, None) => Control::Cancel,
        (Action::Pause, None) => Control::Pause,
        (Action::Resume, None) => Control::Resume,
    };
    Ok(Controlled { task: agent.control(&task_id, control).await? })
}

#[derive(Deserialize, JsonSchema)]
struct ListTasks {
    /// Only tasks with this status.
    status: Option<String>,
    /// Only tasks of this device.
    device_id: Option<String>,
    /// At most this many (20).
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Only tasks that were made before this one.
    before: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    tasks: Vec<Value>,
}

async fn list_tasks(agent: &Agent, arguments: ListTasks) -> Result<Listed, Error> {
    let status = |name: String| {
        let names = Status::ALL.map(Status::as_str);
        let known = Status::ALL.into_iter().find(|status| status.as_str() == name);
        let shown: String = name.chars().take(40).collect();
        known.ok_or_else(|| {
            Error::invalid(format!("`status` is {shown:?}"), format!("Use one of: {}.", names.join(", ")))
        })
    };
    let status = arguments.status.map(status).transpose()?;
    let filter = Filter { statuses: status.into_iter().collect(), device_id: arguments.device_id };
    Ok(Listed { tasks: agent.list(filter, arguments.limit.unwrap_or(20), arguments.before).await? })
}

#[derive(Deserialize, JsonSchema)]
struct TaskScript {
    task_id: String,
}

/// What start_task takes.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Script {
    goal: String,
    steps: Vec<Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    inputs: Map<String, Value>,
}

async fn task_script(agent: &Agent, arguments: TaskScript) -> Result<Script, Error> {
    let script = agent.script(&arguments.task_id).await?;
    serde_json::from_value(script)
        .map_err(|error| Error::new(Code::Internal, error.to_string(), "Start the task anew."))
}
