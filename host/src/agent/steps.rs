//! A task with steps of its own: each is done in its order and checked, without a model.
//!
//! Knows operations and what became of those before. Where a step was broken off is told from its events alone.

use super::{
    doubt::{self, Verdict},
    halt::{End, Failure, Halt, judge},
    hands::Call,
    order::Ready,
    repair::{Repair, repaired},
    runner::Run,
    script::title,
    standing::{ASIDE, Standing, swallowed},
    think,
};
use crate::capability::{Code, Error, Outcome, Planned, Step};
use fingertip_tasks::{Event, Kind, NewEvent};
use serde_json::{Map, Value, json};

/// Reasons for which a human is asked.
pub(super) const UNSURE: &str = "outcome_unknown";
pub(super) const SECRET: &str = "secret_input";
pub(super) const ALERT: &str = "alert";
const LOCKED: &str = "device_locked";
const UNLOCK: &str = "The phone is locked. Unlock it, then answer with anything to go on.";
/// How often a step may be left in doubt by an error before it has failed.
const DOUBTS: usize = 3;
/// What a human answers to [`UNSURE`].
pub(super) const UNSURE_ANSWERS: [&str; 3] = ["done", "again", "stop"];

/// What keeps a step from being done.
enum Trouble {
    /// Its tool failed.
    Failed(Error),
    /// What must come about after it did not.
    Missed(Value),
}

impl Trouble {
    fn why(&self) -> String {
        match self {
            Trouble::Failed(error) => error.message.clone(),
            Trouble::Missed(waited) => {
                waited["reason"].as_str().unwrap_or("what was expected did not come about").to_owned()
            }
        }
    }
}

/// Does what is left of the task's steps.
pub(super) async fn work(run: &Run) -> Result<End, Halt> {
    let inputs = run.inputs();
    let script = run.order.ready(&run.hands.tools, &inputs).map_err(|error| Failure::tool("script", error))?;
    let task = run.journal.state().await?;
    let mut at = task.verified.unwrap_or(0) as usize;
    let mut standing = match task.step {
        Some(step) if step as usize == at + 1 => Standing::of(&run.journal.events(0).await?, step, task.intent),
        _ => Standing::Fresh,
    };
    let mut last = Value::Null;
    while let Some(op) = script.get(at) {
        run.between().await?;
        let number = u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1);
        match op {
            Ready::Do { place, written, planned } => {
                let step = Doing { run, number, place, written, planned };
                last = step.perform(std::mem::replace(&mut standing, Standing::Fresh)).await?;
                at += 1;
            }
            Ready::Until { place, wait, then, last } => {
                at = check(run, number, place, wait, (at, *then), *last).await?;
            }
        }
    }
    if let (Some(model), Some(_)) = (&run.agent.model, &run.order.output_schema) {
        return think::tell(run, model).await;
    }
    let events = run.journal.events(0).await?;
    // What repetitions left out was not done.
    let done = events.iter().filter(|event| event.kind == Kind::Verified && event.data["skipped"] != true).count();
    let mut result = json!({ "steps": done, "last": last });
    if run.agent.model.is_some() {
        let repaired = repaired(&events);
        if !repaired.is_empty() {
            result["repaired"] = json!(repaired);
        }
    }
    Ok(End::Succeeded(result))
}

/// Whether a repetition has come to its aim: the index of what is next.
async fn check(
    run: &Run,
    number: u32,
    place: &str,
    wait: &Map<String, Value>,
    (at, then): (usize, usize),
    last: bool,
) -> Result<usize, Halt> {
    let begun = json!({ "what": title("until", wait), "place": place });
    let call = Call { tool: "wait_for", arguments: wait.clone(), shown: json!({ "tool": "wait_for" }) };
    let begun = vec![NewEvent::new(Kind::StepStarted, begun).of_step(number)];
    let seen = run.hands.call(number, begun, &call).await?;
    let met = seen.map_err(|error| Failure::tool("step_failed", error).in_step(number))?.body;
    let is_met = met.get("met") == Some(&Value::Bool(true));
    if !is_met && last {
        let reason = met.get("reason").and_then(Value::as_str).unwrap_or("it did not come about");
        let verified = NewEvent::new(Kind::Verified, json!({ "ok": false, "why": reason })).of_step(number);
        run.journal.write(vec![verified]).await?;
        return Err(
            missed(place, number, reason, "Repeat more often, or look at what keeps it from coming about.").into()
        );
    }
    let next = if is_met { then } else { at + 1 };
    let mut verified = vec![NewEvent::new(Kind::Verified, json!({ "ok": true, "met": is_met })).of_step(number)];
    if next > at + 1 {
        // What is skipped counts as checked, so that work goes on behind it.
        let skipped = u32::try_from(next).unwrap_or(u32::MAX);
        verified.push(NewEvent::new(Kind::Verified, json!({ "ok": true, "skipped": true })).of_step(skipped));
    }
    run.journal.write(verified).await?;
    Ok(next)
}

fn missed(place: &str, step: u32, reason: &str, hint: &str) -> Failure {
    Failure::new("guard_missed", format!("{place}: {reason}"), hint).in_step(step)
}

/// One step on its way.
struct Doing<'a> {
    run: &'a Run,
    number: u32,
    place: &'a str,
    written: &'a Step,
    planned: &'a Planned,
}

impl Doing<'_> {
    async fn perform(&self, standing: Standing) -> Result<Value, Halt> {
        let alerted = standing.met_an_alert();
        let done = match standing {
            Standing::Fresh => self.act().await?,
            Standing::Acted(result) => Ok(result),
            Standing::Failed(error) => Err(error),
            Standing::Doubtful(intent) => self.settle(&intent).await?,
            Standing::Repairing(repair) => return self.mend(repair).await,
            Standing::Aside { intent, acted } => {
                self.close(&intent, "unknown", "going on tells whether anything is still in the way").await?;
                self.go_on(acted).await?
            }
            Standing::Told { question, answer, doubtful, acted } => {
                self.told(&question, &answer, doubtful, acted).await?
            }
        };
        let trouble = match done {
            Ok(result) if self.planned.tool == "wait_for" && result.get("met") == Some(&Value::Bool(false)) => {
                Trouble::Missed(result)
            }
            Ok(result) if swallowed(&result) => {
                Trouble::Missed(json!({ "reason": "an alert was in front, so that it had no effect" }))
            }
            Ok(result) => match self.expected().await? {
                None => {
                    self.run.journal.write(vec![self.verified(None)]).await?;
                    return Ok(result);
                }
                Some(trouble) => trouble,
            },
            Err(error) => Trouble::Failed(error),
        };
        match self.run.agent.model {
            Some(_) => self.mend(Repair::begin(self.run, self.number, trouble.why()).await?).await,
            None => self.give_up(trouble, alerted).await,
        }
    }

    /// Whether the step is done, as an event.
    fn verified(&self, trouble: Option<&str>) -> NewEvent {
        let data = match trouble {
            None => json!({ "ok": true }),
            Some(why) => json!({ "ok": false, "why": why }),
        };
        NewEvent::new(Kind::Verified, data).of_step(self.number)
    }

    /// Has the model do what the step could not.
    async fn mend(&self, repair: Repair) -> Result<Value, Halt> {
        let Some(model) = &self.run.agent.model else {
            return Err(Failure::new(
                "step_failed",
                repair.why,
                "The model that was at work on it is not configured any more.",
            )
            .in_step(self.number)
            .into());
        };
        let finish = repair.work(self.run, model, self.written).await?;
        let left = match (finish.success, self.expected().await?) {
            (true, None) => {
                let note = NewEvent::new(Kind::Note, json!({ "repaired": finish.summary })).of_step(self.number);
                self.run.journal.write(vec![note, self.verified(None)]).await?;
                return Ok(Value::Null);
            }
            (true, Some(trouble)) => trouble.why(),
            (false, _) => finish.summary,
        };
        let why = format!("{}: {}; the model could not help: {left}", self.place, repair.why.trim_end_matches('.'));
        self.run.journal.write(vec![self.verified(Some(&why))]).await?;
        Err(Failure::new("step_failed", why, "Look at the screen, and correct the step.").in_step(self.number).into())
    }

    /// What the events say of this step.
    fn shown(&self) -> Value {
        json!({ "tool": self.planned.tool, "arguments": self.written.arguments })
    }

    async fn act(&self) -> Result<Result<Value, Error>, Halt> {
        let arguments = self.written.arguments.clone().unwrap_or_default();
        let begun = json!({ "what": title(self.planned.tool, &arguments), "place": self.place });
        let begun = vec![NewEvent::new(Kind::StepStarted, begun).of_step(self.number)];
        let mut shown = self.shown();
        if self.run.hands.acts(self.planned.tool) {
            for (name, known) in doubt::before(&self.run.hands, self.planned).await? {
                shown[name] = known;
            }
        }
        let call = Call { tool: self.planned.tool, arguments: self.planned.arguments.clone(), shown };
        Ok(self.run.hands.call(self.number, begun, &call).await?.map(|answer| Value::Object(answer.body)))
    }

    /// Looks at an action of which nobody knows whether it was done.
    async fn settle(&self, intent: &Event) -> Result<Result<Value, Error>, Halt> {
        let since = self.run.journal.events(intent.n).await?;
        match doubt::settle(&self.run.hands, self.planned, intent, &since).await? {
            Verdict::Done(why) => {
                self.close(intent, "done", &why).await?;
                Ok(Ok(Value::Null))
            }
            Verdict::NotDone(why) => {
                self.close(intent, "not_done", &why).await?;
                match self.failed_often().await? {
                    Some(error) => Ok(Err(error)),
                    None => self.act().await,
                }
            }
            Verdict::Unsure(why) => Err(self.unsure(&why).await),
        }
    }

    /// Asks a human whether it was done.
    async fn unsure(&self, why: &str) -> Halt {
        let what = title(self.planned.tool, &self.written.arguments.clone().unwrap_or_default());
        let question = format!(
            "Nobody knows whether this was done: {what}. {why} Look at the phone and answer `done`, `again` to have it done, or \
             `stop`."
        );
        let question = json!({ "question": question, "reason": UNSURE, "options": UNSURE_ANSWERS });
        self.run.ask(Some(self.number), question).await
    }

    /// The last of the errors that left this step in doubt, where there were so many that another try is of no use. That the
    /// host was killed meanwhile is no error.
    async fn failed_often(&self) -> Result<Option<Error>, Halt> {
        let events = self.run.journal.events(0).await?;
        let of_step = |event: &&Event| event.kind == Kind::Intent && event.step == Some(self.number);
        let intents: Vec<u32> = events.iter().filter(of_step).map(|event| event.n).collect();
        let mut errors = events.iter().filter(|event| {
            let intent = event.data.get("intent").and_then(Value::as_u64);
            event.kind == Kind::Note && intent.is_some_and(|intent| intents.iter().any(|n| u64::from(*n) == intent))
        });
        let (errors, last) = (errors.clone().count(), errors.next_back());
        let error = last.filter(|_| errors >= DOUBTS).and_then(|note| note.data.get("error"));
        let error = error.and_then(|error| serde_json::from_value::<Error>(error.clone()).ok());
        Ok(error.map(|error| error.outcome(Outcome::NotDone)))
    }

    async fn close(&self, intent: &Event, outcome: &str, why: &str) -> Result<(), Halt> {
        let data = json!({ "intent": intent.n, "outcome": outcome, "why": why });
        self.run.journal.write(vec![NewEvent::new(Kind::Effect, data).of_step(self.number)]).await.map(|_| ())
    }

    /// Goes on by what a human said.
    async fn told(
        &self,
        question: &Value,
        answer: &str,
        doubtful: Option<Event>,
        acted: Option<Value>,
    ) -> Result<Result<Value, Error>, Halt> {
        let answer = answer.trim();
        match (question["reason"].as_str().unwrap_or_default(), answer.to_lowercase().as_str(), doubtful) {
            (UNSURE, "done", Some(intent)) => {
                self.close(&intent, "done", "a human said so").await?;
                Ok(Ok(Value::Null))
            }
            (UNSURE, "again", Some(intent)) => {
                self.close(&intent, "not_done", "a human said so").await?;
                self.act().await
            }
            // Its outcome is recorded, and an alert made that doubtful.
            (UNSURE, "done", None) => self.go_on(acted).await,
            (UNSURE, "again", None) => self.act().await,
            (UNSURE, _, intent) => {
                if let Some(intent) = intent {
                    self.close(&intent, "unknown", "a human stopped it").await?;
                }
                Err(Failure::new("human", "a human stopped the task", "Start it again when it may go on.")
                    .in_step(self.number)
                    .into())
            }
            (ALERT, word, _) if word != "again" => {
                let button = button(answer, &question["alert"]);
                let arguments = Map::from_iter([
                    ("button".to_owned(), button.into()),
                    ("device_id".to_owned(), self.run.order.device_id.as_str().into()),
                ]);
                let shown = json!({ "tool": "answer_alert", "arguments": { "button": button }, ASIDE: true });
                let call = Call { tool: "answer_alert", arguments, shown };
                match self.run.hands.call(self.number, Vec::new(), &call).await? {
                    Ok(_) => self.go_on(acted).await,
                    // What is no button is asked for anew; with the error comes the alert as it is now.
                    Err(error)
                        if error.code == Code::InvalidArguments
                            || error.details.as_ref().is_some_and(|alert| alert["buttons"].is_array()) =>
                    {
                        let alert = error.details.unwrap_or_else(|| question["alert"].clone());
                        let mut asked = about_alert(&alert);
                        let what = asked["question"].as_str().unwrap_or_default();
                        asked["question"] = format!("There is no button {button:?}. {what}").into();
                        Err(self.run.ask(Some(self.number), asked).await)
                    }
                    // It went away by itself, or by somebody's hand.
                    Err(error) if error.code == Code::ElementNotFound => self.go_on(acted).await,
                    Err(error) => Ok(Err(error)),
                }
            }
            (_, _, Some(intent)) => self.settle(&intent).await,
            _ => self.go_on(acted).await,
        }
    }

    /// What was done is not done again.
    async fn go_on(&self, acted: Option<Value>) -> Result<Result<Value, Error>, Halt> {
        match acted {
            Some(result) => Ok(Ok(result)),
            None => self.act().await,
        }
    }

    /// What must come about after the action, if it did not.
    async fn expected(&self) -> Result<Option<Trouble>, Halt> {
        let Some(expect) = &self.planned.expect else { return Ok(None) };
        match self.run.hands.look("wait_for", Value::Object(expect.clone())).await? {
            Ok(waited) if waited.body.get("met") == Some(&Value::Bool(true)) => Ok(None),
            Ok(waited) => Ok(Some(Trouble::Missed(Value::Object(waited.body)))),
            Err(error) => Ok(Some(Trouble::Failed(judge(error)?))),
        }
    }

    /// What a human is asked, where an alert or a locked phone hides what was looked for.
    async fn in_the_way(&self) -> Result<Option<Value>, Halt> {
        let Ok(seen) = self.run.hands.look("describe_screen", json!({ "max_tokens": 200 })).await? else {
            return Ok(None);
        };
        let notes = seen.body.get("notes").and_then(Value::as_array);
        if notes.is_some_and(|notes| notes.iter().any(|note| note["code"] == LOCKED)) {
            return Ok(Some(json!({ "question": UNLOCK, "reason": LOCKED })));
        }
        Ok(seen.body.get("alert").filter(|alert| alert.is_object()).map(about_alert))
    }

    /// The step cannot be done: a human may help, else the task fails. Whether an alert came up when it was done.
    async fn give_up(&self, trouble: Trouble, alerted: bool) -> Result<Value, Halt> {
        match trouble {
            Trouble::Failed(error) if error.code == Code::AlertInFront => {
                let question = about_alert(&error.details.unwrap_or_default());
                Err(self.run.ask(Some(self.number), question).await)
            }
            Trouble::Failed(error) if error.code == Code::DeviceLocked => {
                let question = json!({ "question": UNLOCK, "reason": LOCKED });
                Err(self.run.ask(Some(self.number), question).await)
            }
            Trouble::Failed(error) => {
                if error.code == Code::ElementNotFound
                    && let Some(question) = self.in_the_way().await?
                {
                    return Err(self.run.ask(Some(self.number), question).await);
                }
                self.run.journal.write(vec![self.verified(Some(&error.message))]).await?;
                Err(Failure::tool("step_failed", error).in_step(self.number).into())
            }
            Trouble::Missed(waited) => {
                if let Some(question) = self.in_the_way().await? {
                    return Err(self.run.ask(Some(self.number), question).await);
                }
                if alerted {
                    return Err(self.unsure("An alert came up just then, which may have taken it in.").await);
                }
                let reason = &Trouble::Missed(waited).why();
                self.run.journal.write(vec![self.verified(Some(reason))]).await?;
                let hint = "Look at the screen, and at the step's `expect`: the text may be written differently, or need more time.";
                Err(missed(self.place, self.number, reason, hint).into())
            }
        }
    }
}

/// What a human is asked about an alert, whose text and buttons are known as far as the phone tells them.
fn about_alert(alert: &Value) -> Value {
    let said = alert["text"].as_str().map_or_else(String::new, |text| format!(": {text:?}"));
    let question =
        format!("An alert is in front{said}. Answer with the button to press, or with `again` once the alert is gone.");
    json!({ "question": question, "reason": ALERT, "alert": alert })
}

/// The button of an alert that an answer means: one that is called so in other letters, where there is only one.
fn button<'a>(answer: &'a str, alert: &'a Value) -> &'a str {
    let buttons = alert["buttons"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut alike = buttons.filter(|button| button.trim().to_lowercase() == answer.to_lowercase());
    match (alike.next(), alike.next()) {
        (Some(button), None) => button,
        _ => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_is_meant_in_any_letters_where_there_is_one() {
        let alert = json!({ "text": "Save?", "buttons": ["Don’t Save", "save", "Save", "Löschen"] });
        for (answer, meant) in [
            ("don’t save", "Don’t Save"),
            ("Save", "Save"),
            ("SAVE", "SAVE"),
            ("löschen", "Löschen"),
            ("Other", "Other"),
        ] {
            assert_eq!(button(answer, &alert), meant);
        }
        assert_eq!(button("OK", &Value::Null), "OK");
    }
}
