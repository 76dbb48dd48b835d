//! What a task was asked to do: checked before it begins, kept in its first event, and made ready to be done.
//!
//! Runs nothing.

use super::{
    inputs::Inputs,
    script::{self, Op},
};
use crate::{
    capability::{Catalogue, Error, Planned, Step, plan_step},
    config::TaskLimits,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How long a repetition looks for its aim after each round, unless it says so itself.
const UNTIL_MS: u64 = 1_500;

/// What was asked for, as the first event keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// What is to be done, in words; may be empty where there are steps.
    #[serde(default)]
    pub goal: String,
    /// On which device.
    pub device_id: String,
    /// The steps to take, where the task brings them; without its secrets.
    #[serde(default)]
    pub steps: Vec<Value>,
    /// What `${name}` stands for.
    #[serde(default)]
    pub inputs: Map<String, Value>,
    /// Names of inputs that are kept in memory only.
    #[serde(default)]
    pub secrets: Vec<String>,
    /// The JSON Schema that the result must fit.
    #[serde(default)]
    pub output_schema: Option<Value>,
    /// The most that it may use.
    pub limits: TaskLimits,
}

/// An operation that can be done as it is.
#[derive(Clone, Debug)]
pub(super) enum Ready {
    /// Runs a tool.
    Do {
        /// Where it was written.
        place: String,
        /// As it was written: what is recorded of it.
        written: Step,
        /// With its inputs.
        planned: Box<Planned>,
    },
    /// Looks whether a repetition has come to its aim.
    Until {
        /// Where it was written.
        place: String,
        /// Arguments of `wait_for`.
        wait: Map<String, Value>,
        /// The index of what is next then.
        then: usize,
        /// Whether there is no further round.
        last: bool,
    },
}

impl Order {
    /// The data of the first event; goal and device stand beside it.
    pub(super) fn data(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut data)) => {
                data.retain(|_, value| !value.is_null());
                data
            }
            _ => Map::new(),
        }
    }

    /// The steps with these inputs, each checked against its tool.
    ///
    /// # Errors
    /// That names the place.
    pub(super) fn ready(&self, tools: &Catalogue, inputs: &Inputs) -> Result<Vec<Ready>, Error> {
        let ready = |op| match op {
            Op::Do { place, step } => {
                let mut filled = fill(&place, &step, inputs)?;
                let text = step.arguments.as_ref().and_then(|arguments| arguments.get("text")?.as_str());
                // A secret is one in every step that types it, whether or not the step says so.
                if let (Some(arguments), Some(text)) = (&mut filled.arguments, text)
                    && step.tool == "input_text"
                    && inputs.uses_secret(text)
                {
                    arguments.insert("secret".to_owned(), true.into());
                }
                let planned = Box::new(plan_step(tools, &place, filled, &self.device_id)?);
                Ok(Ready::Do { place, written: step, planned })
            }
            Op::Until { place, mut wait, then, last } => {
                wait.entry("timeout_ms").or_insert(UNTIL_MS.into());
                let step = Step { tool: "wait_for".to_owned(), arguments: Some(wait), expect: None };
                let planned = plan_step(tools, &place, fill(&place, &step, inputs)?, &self.device_id)?;
                Ok(Ready::Until { place, wait: planned.arguments, then, last })
            }
        };
        script::compile(&self.steps)?.into_iter().map(ready).collect()
    }
}

fn fill(place: &str, step: &Step, inputs: &Inputs) -> Result<Step, Error> {
    let filled =
        |object: &Option<Map<String, Value>>| object.as_ref().map(|object| inputs.fill_object(object)).transpose();
    let unknown = |name: String| {
        let hint = format!("Give it: \"inputs\": {{\"{name}\": \"…\"}}. For the text ${{ itself write $${{.");
        Error::invalid(format!("{place} uses ${{{name}}}, and there is no such input"), hint)
    };
    let arguments = filled(&step.arguments).map_err(unknown)?;
    let expect = filled(&step.expect).map_err(unknown)?;
    Ok(Step { tool: step.tool.clone(), arguments, expect })
}
