//! A task with a model: look, decide, act, check, until the model says that it is done.
//!
//! Knows the order of these and when a human is asked. What is known of the task is `mind`'s, how a model is told is `prompt`'s.
//! A turn decides afresh from the screen and the events, so that a restart in the middle of one loses nothing.

use super::{
    doubt,
    halt::{End, Failure, Halt},
    hands::Call,
    inputs,
    mind::{self, Mind},
    output::Form,
    prompt::{self, ASK, FINISH, PLAN, SEE, Situation},
    repair::Repair,
    risk::{self, Action},
    runner::Run,
    screen::{self, Screen},
    script::title,
    spent,
    target::{self, Target},
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
/// How long a screen may take to come to rest before an action in doubt is looked at.
const SETTLE_MS: u64 = 4_000;
/// How much of a call a human is shown who is to agree to it.
const WHOLE_CHARS: usize = 1_000;
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

struct Planner<'a> {
    run: &'a Run,
    model: &'a Model,
    aim: &'a Aim<'a>,
    tools: Vec<Tool>,
}

/// A call that the model decided on, ready to be made.
struct Chosen {
    planned: Planned,
    /// As the model wrote it: `${name}` stays, so that no secret is recorded.
    written: Map<String, Value>,
    /// The words of the element that it names, where it names one.
    words: Option<String>,
    said: String,
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
                return chosen.map(|_| ()).map_err(|error| Unfit { reason: error.message, advice: error.hint });
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

    /// Does what was decided on, unless a human is to be asked first or it leads nowhere.
    async fn act(
        &self,
        mind: &Mind,
        screen: &Screen,
        signature: &str,
        number: u32,
        chosen: Chosen,
    ) -> Result<(), Halt> {
        let Chosen { planned, written, words, said } = chosen;
        let target = match self.run.hands.acts(planned.tool) {
            true => Some(target::resolve(&self.run.hands, mind, &planned, screen).await?),
            false => None,
        };
        let (found, instead) = target.as_ref().map(|target| (target.words.clone(), target.instead.clone())).unzip();
        let (words, instead) = (words.or(found.flatten()), instead.flatten());
        let named = named(&written, words.as_deref(), instead.as_ref());
        let key = key(planned.tool, &named);
        let what = title(planned.tool, &named);
        let consent = mind.consent.as_ref().is_some_and(|(action, screen)| *action == key && screen == signature);
        if !consent {
            if let Some(why) = mind.circles.before(signature, &key) {
                return self.stuck(mind, number, &why).await;
            }
            let doubted = self.doubt(mind, &key, words.as_deref(), &written);
            let risk = match doubted.filter(|_| !doubt::is_harmless(planned.tool, &planned.arguments)) {
                Some(doubted) => Some(doubted),
                None => target.as_ref().and_then(|target| self.risk(mind, screen, &planned, target, &written)),
            };
            if let Some((reason, why)) = risk {
                let (what, place) = (whole(planned.tool, &named), screen.title());
                let question = format!(
                    "The task is about to do this: {what}, where the screen says {place}. {why} Answer `yes` to have it done there, or \
                     say what to do instead."
                );
                let target = mind::target(words.as_deref(), &Value::Object(written));
                let question = json!({
                    "question": question, "reason": reason, "key": key, "target": target, "screen": signature,
                    "tool": planned.tool, "said": said,
                });
                return Err(self.run.ask(Some(number), question).await);
            }
        }
        // What was used up must not keep the model from saying that it is done, so that it counts only here. The steps of a script
        // were counted when it came.
        if self.aim.repair.is_none() && number > self.run.order.limits.steps {
            return Err(self.run.limit("steps", json!(self.run.order.limits.steps)).await?);
        }
        let begun = match self.aim.repair {
            // The script's own step has begun already.
            Some(_) => Vec::new(),
            None => vec![NewEvent::new(Kind::StepStarted, json!({ "what": what, "said": said })).of_step(number)],
        };
        let mut shown = json!({ "tool": planned.tool, "arguments": written, "screen": signature, "key": key });
        match (words, instead) {
            (Some(words), _) => shown["words"] = words.into(),
            (None, Some(instead)) => shown["instead"] = instead,
            (None, None) => {}
        }
        let call = Call { tool: planned.tool, arguments: planned.arguments, shown };
        let came = self.run.hands.call(number, begun, &call).await?;
        if self.aim.repair.is_some() {
            return Ok(());
        }
        let verified = match &came {
            Ok(answer) => {
                let effect = answer.body.get("effect");
                let unchanged = effect.is_some_and(|effect| effect["state"] == "unchanged");
                json!({ "ok": !unchanged, "effect": effect })
            }
            Err(error) => json!({ "ok": false, "why": error.message }),
        };
        self.run.journal.write(vec![NewEvent::new(Kind::Verified, verified).of_step(number)]).await.map(|_| ())
    }

    /// Whether this was perhaps done already.
    fn doubt(
        &self,
        mind: &Mind,
        key: &str,
        words: Option<&str>,
        written: &Map<String, Value>,
    ) -> Option<(String, String)> {
        let target = mind::target(words, &Value::Object(written.clone()));
        mind.doubts(key, target.as_deref()).then(|| {
            let why = "It may have been done already: the work was broken off meanwhile.";
            (mind::DOUBT.to_owned(), why.to_owned())
        })
    }

    /// For what reason a human is asked before it is done, and that reason in a sentence.
    fn risk(
        &self,
        mind: &Mind,
        screen: &Screen,
        planned: &Planned,
        target: &Target,
        written: &Map<String, Value>,
    ) -> Option<(String, String)> {
        let typed = text(written, "text");
        let own_text = !inputs::used(&typed).is_empty() || mind.told.iter().any(|told| says(told, &typed));
        let action =
            Action { tool: planned.tool, arguments: &planned.arguments, target, screen: &screen.text, own_text };
        let reason = risk::occasion(&action, &self.run.agent.config.ask_before)?;
        let why = match reason.as_str() {
            "deletion" => "It may lose something.",
            "payment" => "It may cost money.",
            "captcha" => {
                "The screen wants to know whether a human is there; you can do it on the phone yourself meanwhile."
            }
            "one_time_code" => {
                "The screen wants a one-time code; answer with the code, or type it on the phone yourself."
            }
            _ => "The operator wants to be asked before it.",
        };
        Some((reason, why.to_owned()))
    }

    /// The task goes in circles: the model is told once, then a human.
    async fn stuck(&self, mind: &Mind, number: u32, why: &str) -> Result<(), Halt> {
        if mind.circles.found == 0 {
            return self.run.journal.note(json!({ "stuck": why })).await;
        }
        let question = format!(
            "The task does not get on: {why}, also after another plan was asked for. Say what to do, or cancel it."
        );
        Err(self.run.ask(Some(number), json!({ "question": question, "reason": "stuck" })).await)
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
        let _ = self.run.hands.look("wait_for", json!({ "idle": true, "timeout_ms": SETTLE_MS })).await?;
        let now = Screen::look(&self.run.hands).await?.ok().map(|screen| screen.signature());
        let same = now.is_some_and(|now| intent.data["screen"] == now.as_str());
        let why = if same { "the screen is as it was before it" } else { "the screen is not as it was before it" };
        let data = json!({ "intent": intent.n, "outcome": "unknown", "why": why, "same_screen": same });
        self.run.journal.write(vec![NewEvent { kind: Kind::Effect, step: intent.step, data }]).await.map(|_| ())
    }
}

/// Whether a human said this, as a word or as the whole of an answer.
fn says(told: &str, typed: &str) -> bool {
    let word = |sign: char| !sign.is_alphanumeric();
    !typed.is_empty()
        && (told.trim() == typed || typed.chars().count() >= 4 && told.split(word).any(|word| word == typed))
}

/// What was written, with the element by its own words, or by what else it is found again. Its ref ends with the screen.
fn named(written: &Map<String, Value>, words: Option<&str>, instead: Option<&Value>) -> Map<String, Value> {
    let mut named = written.clone();
    if let Some(words) = words {
        named.insert("element".to_owned(), words.into());
    } else if let Some(instead) = instead.and_then(Value::as_object) {
        named.retain(|name, _| !["element", "x", "y"].contains(&name.as_str()));
        named.extend(instead.clone());
    }
    named
}

/// What tells a call from others.
fn key(tool: &str, named: &Map<String, Value>) -> String {
    let mut named = Value::Object(named.clone());
    named.sort_all_objects();
    screen::mark(&format!("{tool} {named}"))
}

/// All of a call, for whoever is to agree to it.
fn whole(tool: &str, named: &Map<String, Value>) -> String {
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts: Vec<String> = named.iter().map(|(name, part)| format!("{name}: {}", value(part))).collect();
    let whole = match &parts[..] {
        [_] => format!("{} {}", tool.replace('_', " "), named.values().map(value).collect::<String>()),
        _ => format!("{} ({})", tool.replace('_', " "), parts.join(", ")),
    };
    mind::shortened(&whole, WHOLE_CHARS)
}

fn text(arguments: &Map<String, Value>, name: &str) -> String {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
