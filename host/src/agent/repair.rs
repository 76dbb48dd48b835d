//! A step of a script that cannot be done as it was written, in the hands of the model: that step and nothing beyond it.
//!
//! Knows when such work begins and what counts as its end. How the model works is `think`'s.

use super::{
    halt::Halt,
    mind::Mind,
    prompt,
    runner::Run,
    think::{self, Aim, Finish},
};
use crate::capability::Step;
use fingertip_models::Model;
use fingertip_tasks::{Event, Kind, NewEvent};
use serde_json::{Value, json};

/// How many actions one step may take.
const MOST_ACTIONS: u32 = 8;

/// Work on a step that has begun.
#[derive(Clone, Debug)]
pub(super) struct Repair {
    /// The step's number.
    pub(super) step: u32,
    /// Number of the event with which it began.
    pub(super) since: u32,
    /// The most actions that it may take.
    pub(super) most: u32,
    /// What went wrong with the step.
    pub(super) why: String,
}

impl Repair {
    /// Records that it begins.
    pub(super) async fn begin(run: &Run, step: u32, why: String) -> Result<Repair, Halt> {
        let note = NewEvent::new(Kind::Note, json!({ "repair": why })).of_step(step);
        let since = run.journal.write(vec![note]).await?.end - 1;
        Ok(Repair { step, since, most: MOST_ACTIONS, why })
    }

    /// The work that this event began, if it is such an event.
    pub(super) fn of(event: &Event) -> Option<Repair> {
        let why = (event.kind == Kind::Note).then(|| event.data["repair"].as_str())??;
        Some(Repair { step: event.step?, since: event.n, most: MOST_ACTIONS, why: why.to_owned() })
    }

    /// What is known when it begins. What went wrong was told by the phone, and is no part of the goal.
    pub(super) fn mind(&self) -> Mind {
        Mind::after(self.since, &format!("The step was tried as it is written, and failed: {}", self.why))
    }

    /// Has the model do it: how it says that it went.
    pub(super) async fn work(&self, run: &Run, model: &Model, step: &Step) -> Result<Finish, Halt> {
        let expected = step.expect.as_ref().map(|expect| Value::Object(expect.clone()).to_string());
        let arguments = step.arguments.clone().map(Value::Object).unwrap_or_default();
        let goal = prompt::repair(&format!("{} {arguments}", step.tool), expected.as_deref());
        let aim = Aim { goal: &goal, repair: Some(self), output: None, only_tell: false };
        think::pursue(run, model, &aim).await
    }
}

/// The steps that a model helped with.
pub(super) fn repaired(events: &[Event]) -> Vec<u32> {
    events.iter().filter(|event| event.data.get("repaired").is_some()).filter_map(|event| event.step).collect()
}
