//! A task with a model: look, decide, act, check, until the model says that it is done.
//!
//! Knows the order of these and when a human is asked. What is known of the task is `mind`'s, how a model is told is `prompt`'s.
//! A turn decides afresh from the screen and the events, so that a restart in the middle of one loses nothing.

use super::{
    doubt,
    halt::{End, Failure, Halt},
    mind::Mind,
    output::Form,
    prompt::{self, ASK, FINISH, PLAN, SEE, Situation},
    repair::Repair,
    runner::Run,
    screen::{self, Screen},
    spent,
};
use crate::capability::{Code, Error, Planned, Step, plan_step};
use fingertip_models::{Decision, Failed, Model, ModelError, Picture, Question, Tool, Unfit};
use fingertip_tasks::{Event, Kind, NewEvent};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// How long one decision may take with all that is asked again; the task's own limit holds besides.
const WITHIN: Duration = Duration::from_secs(600);
/// How many unusable decisions in a row end the task. Each was asked again once already.
const MALFORMED: u32 = 3;
/// Where to do what an error of the model's advises.
const SETTINGS: &str = "The model's settings are under [agent] in the configuration.";
/// How much of a screen's text is recorded.
const SCREEN_BYTES: usize = 12_000;

/// What is to be reached.
pub(super) struct Aim<'a> {
    pub(super) goal: &'a str,
    /// The step of a script that is to be mended, where it is that.
    pub(super) repair: Option<&'a Repair>,
    /// The form of the output, where one is wanted.
    pub(super) output: Option<&'a Form>,
    /// Whether all that is left is to tell the output.
    pub(super) only_tell: bool,
}

/// What the model says at the end.
pub(super) struct Finish {
    pub(super) success: bool,
    pub(super) summary: String,
    pub(super) output: Option<Value>,
}

fn form(run: &Run) -> Result<Option<Form>, Halt> {
    let form = run.order.output_schema.as_ref().map(Form::new).transpose();
    Ok(form.map_err(|error| Failure::tool("output", error))?)
}

/// Works on the task's goal.
pub(super) async fn work(run: &Run, model: &Model) -> Result<End, Halt> {
    let form = form(run)?;
    let aim = Aim { goal: &run.order.goal, repair: None, output: form.as_ref(), only_tell: false };
    let Finish { success, summary, output } = pursue(run, model, &aim).await?;
    if !success {
        return Err(Failure::new(
            "gave_up",
            summary,
            "See the task's events for what was tried; say more in the goal.",
        )
        .into());
    }
    Ok(End::Succeeded(output.unwrap_or_else(|| json!({ "summary": summary }))))
}

/// Has the model tell what the screen shows, after a script.
pub(super) async fn tell(run: &Run, model: &Model) -> Result<End, Halt> {
    let form = form(run)?;
    let goal = match run.order.goal.as_str() {
        "" => "Tell what the screen shows.",
        goal => goal,
    };
    let aim = Aim { goal, repair: None, output: form.as_ref(), only_tell: true };
    let Finish { success, summary, output } = pursue(run, model, &aim).await?;
    match output.filter(|_| success) {
        Some(output) => Ok(End::Succeeded(output)),
        None => Err(Failure::new("output", summary, "See what the screen shows at the end of the steps.").into()),
    }
}

/// Works until the model says that it is done, or cannot be.
pub(super) async fn pursue(run: &Run, model: &Model, aim: &Aim<'_>) -> Result<Finish, Halt> {
    let planner = Planner { run, model, aim, tools: tools(run, model, aim) };
    let mut mind = aim.repair.map_or_else(Mind::default, Repair::mind);
    loop {
        let task = run.between().await?;
        mind.take_in(&run.journal.events(mind.last).await?);
        if let Some(repair) = aim.repair.filter(|repair| mind.actions >= repair.most) {
            let summary = format!("{} actions did not bring it about", repair.most);
            return Ok(Finish { success: false, summary, output: None });
        }
        if let Some(intent) = task.intent {
            planner.look_back(&intent).await?;
            continue;
        }
        if let Some(finish) = planner.turn(&mind).await? {
            return Ok(finish);
        }
    }
}

fn tools(run: &Run, model: &Model, aim: &Aim<'_>) -> Vec<Tool> {
    let schema = aim.output.map(Form::told);
    match aim.only_tell {
        true => vec![prompt::finish(schema)],
        false => prompt::tools(&run.hands.tools, model.takes_pictures(), schema),
    }
}

pub(super) struct Planner<'a> {
    pub(super) run: &'a Run,
    model: &'a Model,
    pub(super) aim: &'a Aim<'a>,
    tools: Vec<Tool>,
}

/// A call that the model decided on, ready to be made.
pub(super) struct Chosen {
    pub(super) planned: Planned,
    /// As the model wrote it: `${name}` stays, so that no secret is recorded.
    pub(super) written: Map<String, Value>,
    /// The words of the element that it names, where it names one.
    pub(super) words: Option<String>,
    pub(super) said: String,
}

impl Planner<'_> {
    /// One turn; what the model says at the end, if this is it.
    async fn turn(&self, mind: &Mind) -> Result<Option<Finish>, Halt> {
        let screen = match Screen::look(&self.run.hands).await? {
            Ok(screen) => screen,
            Err(error) => Screen {
                text: format!("(the screen cannot be read: {} {})", error.message, error.hint),
                partial: true,
                ..Screen::default()
            },
        };
        let signature = screen.signature();
        let picture = match self.model.takes_pictures() && (screen.partial || mind.wants_picture) {
            true => self.picture().await?,
            false => None,
        };
        let mut seen = json!({ "app": screen.app, "frame": screen.frame, "screen": signature });
        if mind.screen.as_ref() != Some(&signature) {
            seen["text"] = screen.text.chars().take(SCREEN_BYTES).collect::<String>().into();
        }
        if let Some((Some(hash), _)) = &picture {
            seen["picture"] = hash.as_str().into();
        }
        let question = self.question(mind, &screen, picture.map(|(_, picture)| picture));
        seen[spent::ASKING] = spent::asking(self.model, &question);
        let number = self.aim.repair.map_or(mind.step + 1, |repair| repair.step);
        self.run.journal.write(vec![NewEvent::new(Kind::Observation, seen).of_step(number)]).await?;
        let decided = tokio::select! {
            decided = self.decide(&question, mind, &screen) => decided,
            // Whoever pauses it wants the phone now, and not when the model has made up its mind.
            halt = self.run.rested() => return Err(halt),
        };
        let decision = match decided {
            Ok(decision) => decision,
            Err(failed) => return self.failed(mind, failed).await.map(|()| None),
        };
        self.usage(decision.usage.input + decision.usage.output, decision.usage.usd, decision.usage.requests).await?;
        if let Some(why) = &decision.repaired {
            self.run.journal.note(json!({ "repaired_answer": why })).await?;
        }
        let Decision { tool, mut arguments, said, .. } = decision;
        match tool.as_str() {
            FINISH => {
                let success = arguments.get("success") == Some(&Value::Bool(true));
                let summary = text(&arguments, "summary");
                return Ok(Some(Finish { success, summary, output: arguments.remove("output").filter(|_| success) }));
            }
            PLAN => match mind.circles.before_plan() {
                Some(why) => self.stuck(mind, number, &why).await?,
                None => {
                    let data = json!({ "plan": arguments.remove("steps"), "said": said, "prompts": prompt::VERSION });
                    self.run.journal.write(vec![NewEvent::new(Kind::Planned, data)]).await?;
                }
            },
            ASK => {
                let question = json!({ "question": text(&arguments, "question"), "reason": "model" });
                return Err(self.run.ask(Some(number), question).await);
            }
            SEE => match mind.wants_picture {
                true => self.stuck(mind, number, "the picture was asked for again and again").await?,
                false => self.run.journal.note(json!({ "wants_picture": true })).await?,
            },
            _ => {
                let chosen =
                    self.choose(&tool, arguments, &screen, said).map_err(|error| Failure::tool("model", error))?;
                // What was decided when the host is about to end is decided anew by the next one.
                if self.run.agent.stop.is_cancelled() {
                    return Err(Halt::Stopped);
                }
                self.act(mind, &screen, &signature, number, chosen).await?;
            }
        }
        Ok(None)
    }

    /// Takes the picture and keeps it: its name, where it could be kept, and itself.
    async fn picture(&self) -> Result<Option<(Option<String>, Picture)>, Halt> {
        let Ok(answer) = self.run.hands.look("take_screenshot", json!({ "format": "jpeg" })).await? else {
            return Ok(None);
        };
        let Some(image) = answer.image else { return Ok(None) };
        let bytes = image.bytes.clone();
        let kept = self.run.agent.recorder.with(move |memory| memory.put_picture(&bytes)).await;
        if let Err(error) = &kept {
            // The model can see it all the same.
            self.run.journal.note(json!({ "problem": format!("the picture could not be kept: {error}") })).await?;
        }
        Ok(Some((kept.ok(), Picture { media_type: image.media_type.to_owned(), bytes: image.bytes })))
    }

    fn question(&self, mind: &Mind, screen: &Screen, picture: Option<Picture>) -> Question {
        let inputs = self.run.inputs();
        let plain = inputs.plain.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
        let secret = inputs.secret.keys().map(|name| (name.clone(), None));
        let situation = Situation {
            goal: self.aim.goal,
            inputs: plain.chain(secret).collect(),
            wants_output: self.aim.output.is_some(),
            mind,
            screen,
            picture: picture.is_some(),
        };
        // A secret that the phone shows is not the model's to see.
        let user = self.run.journal.clean(&prompt::step(&situation));
        Question { system: prompt::system(), user, picture, tools: self.tools.clone() }
    }

    async fn decide(&self, question: &Question, mind: &Mind, screen: &Screen) -> Result<Decision, Box<Failed>> {
        let check = |tool: &str, arguments: &Map<String, Value>| self.check(mind, tool, arguments, screen);
        self.model.decide(question, WITHIN, &check).await.map_err(Box::new)
    }

    /// What is wrong with a decision, in words for the model.
    fn check(&self, mind: &Mind, tool: &str, arguments: &Map<String, Value>, screen: &Screen) -> Result<(), Unfit> {
        // The tools themselves take more than a model is given.
        let given = self.tools.iter().find(|given| given.name == tool).map(|given| &given.schema["properties"]);
        if let Some(stray) = arguments.keys().find(|name| given.is_some_and(|given| given.get(name.as_str()).is_none()))
        {
            return Err(format!("{tool} has no argument `{stray}` here").into());
        }
        let fit = match tool {
            FINISH => {
                if !arguments.get("success").is_some_and(Value::is_boolean) {
                    return Err("`success` must be true or false".to_owned().into());
                }
                let success = arguments.get("success") == Some(&Value::Bool(true));
                match (self.aim.output.filter(|_| success), arguments.get("output")) {
                    (Some(_), None) => Err("`output` is missing".to_owned()),
                    (Some(form), Some(output)) => {
                        form.check(output).map_err(|why| format!("`output` does not fit: {why}"))
                    }
                    (None, _) => Ok(()),
                }
            }
            PLAN => match arguments.get("steps").and_then(Value::as_array) {
                Some(steps) if !steps.is_empty() && steps.iter().all(Value::is_string) => Ok(()),
                _ => Err("`steps` must be a list of texts".to_owned()),
            },
            ASK if text(arguments, "question").is_empty() => Err("`question` is missing".to_owned()),
            ASK | SEE => Ok(()),
            _ if let Some(name) = arguments.get("element").and_then(Value::as_str)
                && screen::is_ref(name)
                && !screen.shows(name)
                && !mind.found.contains_key(name) =>
            {
                Err(format!(
                    "there is no {name} on this screen; refs end with the screen that showed them, so look for it again"
                ))
            }
            _ => {
                let chosen = self.choose(tool, arguments.clone(), screen, String::new());
                // A step is told of by its place, which is the tool here, and named with every complaint.
                return chosen.map(|_| ()).map_err(|error| {
                    let reason = error.message.trim_start_matches(&format!("{tool} ({tool}): "));
                    let reason = reason.trim_start_matches(&format!("{tool}: ")).to_owned();
                    Unfit { reason, advice: error.hint }
                });
            }
        };
        fit.map_err(Unfit::from)
    }

    /// The call that a decision stands for.
    fn choose(&self, tool: &str, written: Map<String, Value>, screen: &Screen, said: String) -> Result<Chosen, Error> {
        let inputs = self.run.inputs();
        let unknown =
            |name: String| Error::invalid(format!("there is no input ${{{name}}}"), "Use only inputs that are listed.");
        let mut filled = inputs.fill_object(&written).map_err(unknown)?;
        let typed = text(&written, "text");
        if tool == "input_text" && inputs.uses_secret(&typed) {
            filled.insert("secret".to_owned(), true.into());
        }
        let step = Step { tool: tool.to_owned(), arguments: Some(filled), expect: None };
        let planned = plan_step(&self.run.hands.tools, tool, step, &self.run.order.device_id)?;
        let element = written.get("element").and_then(Value::as_str);
        let words = match element {
            Some(name) if screen::is_ref(name) => screen.words(name),
            Some(words) => Some(words.to_owned()),
            None => None,
        };
        Ok(Chosen { planned, written, words, said })
    }

    async fn usage(&self, tokens: u64, usd: f64, requests: u32) -> Result<(), Halt> {
        let data = json!({ "model": self.model.name(), "tokens": tokens, "usd": usd, "requests": requests });
        self.run.journal.write(vec![NewEvent::new(Kind::Usage, data)]).await.map(|_| ())
    }

    /// There was no decision.
    async fn failed(&self, mind: &Mind, failed: Box<Failed>) -> Result<(), Halt> {
        let Failed { error, usage } = *failed;
        self.usage(usage.input + usage.output, usage.usd, usage.requests).await?;
        match &error {
            // It may work again later, and nothing of the task is lost until then.
            ModelError::Unavailable { .. } | ModelError::TimedOut { .. } => {
                let question = format!("{error} {SETTINGS} Answer with anything to have it tried again.");
                Err(self.run.ask(None, json!({ "question": question, "reason": "model_unavailable" })).await)
            }
            ModelError::Malformed { tool, first, reason, .. } if self.tells_output(tool.as_deref()) => {
                let both = if first == reason { first.clone() } else { format!("{first}; then: {reason}") };
                let message = format!("the model gave no result that can be used, also after it was told so: {both}");
                let hint = format!(
                    "See that the screen shows what output_schema asks for, or ask for less. {} {SETTINGS}",
                    error.hint()
                );
                Err(Failure::new("output", message, hint).into())
            }
            ModelError::Malformed { reason, .. } if mind.malformed + 1 < MALFORMED => {
                self.run.journal.note(json!({ "malformed": reason })).await
            }
            _ => {
                let hint = format!("{} {SETTINGS}", error.hint());
                Err(Failure::tool("model", Error::new(Code::ModelUnavailable, error.message(), hint.trim())).into())
            }
        }
    }

    /// Whether an answer that calls this tool tells the output: it is asked for once more, and the task is not worked on for it.
    fn tells_output(&self, tool: Option<&str>) -> bool {
        self.aim.only_tell || self.aim.output.is_some() && tool == Some(FINISH)
    }

    /// Looks at an action of which nobody knows whether it was done, and leaves the rest to the model's eyes.
    async fn look_back(&self, intent: &Event) -> Result<(), Halt> {
        doubt::come_to_rest(&self.run.hands).await?;
        let now = Screen::look(&self.run.hands).await?.ok().map(|screen| screen.signature());
        let same = now.is_some_and(|now| intent.data["screen"] == now.as_str());
        let why = if same { "the screen is as it was before it" } else { "the screen is not as it was before it" };
        let data = json!({ "intent": intent.n, "outcome": "unknown", "why": why, "same_screen": same });
        self.run.journal.write(vec![NewEvent { kind: Kind::Effect, step: intent.step, data }]).await.map(|_| ())
    }
}

pub(super) fn text(arguments: &Map<String, Value>, name: &str) -> String {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
