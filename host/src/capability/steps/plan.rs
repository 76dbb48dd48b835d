//! Checks every step of a batch before the first one runs, and fills in what is the batch's.
//!
//! It knows which tools may be steps and their schemas. It runs nothing.

use super::{
    super::{Catalogue, Error, arguments, context::brief, wait},
    Step,
};
use serde_json::{Map, Value, json};

/// The tool behind `expect`.
pub(super) const WAIT: &str = "wait_for";

/// What is not about one phone's screen: a batch has one device and one lease, and is no task.
const NO_STEPS: [&str; 6] =
    ["run_steps", "connect_device", "disconnect_device", "start_task", "get_task", "control_task"];

/// How long a step may take unless it says otherwise, as when its tool is called by itself, and how long an expectation.
const STEP_MS: u64 = 30_000;
const WAIT_MS: u64 = 10_000;
const EXPECT_MS: u64 = 5_000;

/// A step that may be run as it is.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The tool.
    pub tool: &'static str,
    /// All its arguments, checked.
    pub arguments: Map<String, Value>,
    /// Arguments of `wait_for` for what must come about, checked.
    pub expect: Option<Map<String, Value>>,
}

impl Planned {
    /// The text that this step types and that nothing may show.
    pub(super) fn secret(&self) -> Option<String> {
        let is_secret = self.arguments.get("secret") == Some(&Value::Bool(true));
        self.arguments.get("text").filter(|_| is_secret)?.as_str().map(str::to_owned)
    }
}

/// All steps, or what is wrong with the first one that cannot be run.
///
/// # Errors
/// That names the step.
pub(super) fn plan(
    tools: &Catalogue,
    steps: Vec<Step>,
    device: &str,
    lease: Option<&str>,
) -> Result<Vec<Planned>, Error> {
    let planner = Planner { tools, device, lease };
    let planned = steps.into_iter().enumerate().map(|(index, step)| {
        let planned = planner.step(&format!("steps[{index}]"), step);
        planned.map_err(|error| error.on_device(device).details(json!({ "step": index })))
    });
    planned.collect()
}

/// One step that is not part of a batch; `place` is where its caller finds it, such as `steps[2]`.
///
/// # Errors
/// That names the place.
pub fn plan_step(tools: &Catalogue, place: &str, step: Step, device: &str) -> Result<Planned, Error> {
    Planner { tools, device, lease: None }.step(place, step).map_err(|error| error.on_device(device))
}

/// Whether a capability has this argument.
pub fn takes(capability: &super::Capability, field: &str) -> bool {
    capability.input.get("properties").and_then(|properties| properties.get(field)).is_some()
}

struct Planner<'a> {
    tools: &'a Catalogue,
    device: &'a str,
    lease: Option<&'a str>,
}

impl Planner<'_> {
    fn step(&self, place: &str, step: Step) -> Result<Planned, Error> {
        let name = step.tool.as_str();
        if NO_STEPS.contains(&name) {
            return Err(Error::invalid(
                format!("{place}: {name} cannot be a step"),
                "A step looks at the phone or acts on it. Call this one by itself.",
            ));
        }
        let default = if name == WAIT { WAIT_MS } else { STEP_MS };
        let (tool, arguments) = self.accept(place, name, step.arguments.unwrap_or_default(), default)?;
        if tool == WAIT {
            wait::check(&arguments).map_err(|error| at(place, error))?;
        }
        let expect = match step.expect {
            Some(expect) => {
                let place = format!("{place}.expect");
                let (_, expect) = self.accept(&place, WAIT, expect, EXPECT_MS)?;
                wait::check(&expect).map_err(|error| at(&place, error))?;
                Some(expect)
            }
            None => None,
        };
        Ok(Planned { tool, arguments, expect })
    }

    /// The tool, and its arguments with what is the batch's filled in.
    fn accept(
        &self,
        place: &str,
        name: &str,
        mut arguments: Map<String, Value>,
        default: u64,
    ) -> Result<(&'static str, Map<String, Value>), Error> {
        let fit =
            |capability: &&super::Capability| takes(capability, "device_id") && !NO_STEPS.contains(&capability.name);
        let Some(capability) = self.tools.get(name).filter(fit) else {
            let names: Vec<&str> = self.tools.iter().filter(fit).map(|capability| capability.name).collect();
            let near = arguments::nearest(name, names.iter().copied());
            let near = near.map_or_else(String::new, |near| format!("Did you mean `{near}`? "));
            return Err(Error::invalid(
                format!("{place}: there is no tool {:?} for a step", brief(name)),
                format!("{near}Steps can be: {}.", names.join(", ")),
            ));
        };
        self.fill(place, &mut arguments, "device_id", Some(self.device))?;
        if takes(capability, "lease") {
            self.fill(place, &mut arguments, "lease", self.lease)?;
        }
        let mut arguments = arguments::accept(&capability.input, arguments)
            .map_err(|error| at(&format!("{place} ({})", capability.name), error))?;
        arguments.entry("timeout_ms").or_insert(default.into());
        Ok((capability.name, arguments))
    }

    /// What all steps share is the batch's alone to say; a step may repeat it.
    fn fill(
        &self,
        place: &str,
        arguments: &mut Map<String, Value>,
        field: &str,
        value: Option<&str>,
    ) -> Result<(), Error> {
        match arguments.get(field) {
            None | Some(Value::Null) => {
                arguments.remove(field);
                if let Some(value) = value {
                    arguments.insert(field.to_owned(), value.into());
                }
                Ok(())
            }
            Some(given) if given.as_str() == value => Ok(()),
            Some(_) => Err(Error::invalid(
                format!("{place}: `{field}` is not that of the whole call"),
                format!("All steps share one {field}: leave it out of the step and pass it beside steps."),
            )),
        }
    }
}

/// The same complaint with the place where it is.
fn at(place: &str, error: Error) -> Error {
    Error { message: format!("{place}: {}", error.message), ..error }
}
