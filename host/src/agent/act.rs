//! What a model decided on is done, unless a human is to be asked first or it leads nowhere.
//!
//! Knows the order in which that is looked at. How it was decided is `think`'s, what is a reason to ask is `risk`'s and `mind`'s.

use super::{
    doubt,
    halt::Halt,
    hands::Call,
    inputs,
    mind::{self, Mind},
    risk::{self, Action},
    screen::{self, Screen},
    script::title,
    steps::UNSURE,
    target::{self, Target},
    think::{Chosen, Planner, text},
};
use crate::capability::Planned;
use fingertip_tasks::{Kind, NewEvent};
use serde_json::{Map, Value, json};

/// How much of a call a human is shown who is to agree to it.
const WHOLE_CHARS: usize = 1_000;

impl Planner<'_> {
    /// Does what was decided on, unless a human is to be asked first or it leads nowhere.
    pub(super) async fn act(
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
                let what = whole(planned.tool, &named);
                let place = match screen.title().as_str() {
                    "" => String::new(),
                    title => format!(", where the screen says {title}"),
                };
                let question = format!(
                    "The task is about to do this: {what}{place}. {why} Answer `yes` to have it done there, or say what to do instead."
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
            (UNSURE.to_owned(), why.to_owned())
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
    pub(super) async fn stuck(&self, mind: &Mind, number: u32, why: &str) -> Result<(), Halt> {
        if mind.circles.found == 0 {
            return self.run.journal.note(json!({ "stuck": why })).await;
        }
        let question = format!(
            "The task does not get on: {why}, also after another plan was asked for. Say what to do, or cancel it."
        );
        Err(self.run.ask(Some(number), json!({ "question": question, "reason": "stuck" })).await)
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
