//! What a planner knows of its task: a fold over the task's events, so that it goes on after a restart as if nothing had been.
//!
//! Knows events. Writes none.

use super::{circles::Circles, hands::RETRY, screen, steps::UNSURE};
use fingertip_tasks::{Event, Kind};
use serde_json::Value;
use std::collections::HashMap;

/// How many lines of what was done are kept; of older ones a model is told the number.
const LINES: usize = 30;
const LINE_CHARS: usize = 300;
/// What a tool tells that only looks is read by no other way.
const LOOK_CHARS: usize = 1_500;
/// A human's words are worth more room than the question, of which the model knows what it was about.
const ANSWER_CHARS: usize = 2_000;
/// How many things that were found are remembered.
const FOUND: usize = 300;
/// What a human says who agrees.
const YES: &[&str] = &[
    "yes",
    "y",
    "ok",
    "okay",
    "yes, do it",
    "do it",
    "go on",
    "go ahead",
    "allow",
    "continue",
    "sure",
    "ja",
    "oui",
    "sí",
    "si",
    "はい",
    "是",
];

/// What is known.
#[derive(Debug, Default)]
pub(super) struct Mind {
    /// Number of the last event that was taken in.
    pub(super) last: u32,
    /// The newest plan.
    pub(super) plan: Vec<String>,
    /// What was done and said, the oldest first.
    pub(super) lines: Vec<String>,
    /// How many lines are no longer kept.
    pub(super) forgotten: usize,
    /// The number of the last step.
    pub(super) step: u32,
    /// Actions that were begun.
    pub(super) actions: u32,
    pub(super) circles: Circles,
    /// Why it goes in circles, until it does something else.
    pub(super) stuck: Option<String>,
    /// The model wants to see the picture.
    pub(super) wants_picture: bool,
    /// The action that a human agreed to, once, and on which screen.
    pub(super) consent: Option<(String, String)>,
    /// Actions that may have been done already.
    doubted: Vec<Doubted>,
    /// Answers that could not be used, in a row.
    pub(super) malformed: u32,
    /// What tools found that only look, by its ref.
    pub(super) found: HashMap<String, Value>,
    /// What humans said.
    pub(super) told: Vec<String>,
    /// The screen whose text was recorded last.
    pub(super) screen: Option<String>,
    intent: Option<Event>,
    question: Option<Value>,
}

/// An action that may have been done already.
#[derive(Debug)]
struct Doubted {
    key: String,
    /// What the element says that it was done to, as far as that is known.
    target: Option<String>,
}

impl Doubted {
    fn is(&self, key: &str, target: Option<&str>) -> bool {
        self.key == key || target.is_some() && self.target.as_deref() == target
    }
}

impl Mind {
    /// Whether an action, or one on the same thing, may have been done already.
    pub(super) fn doubts(&self, key: &str, target: Option<&str>) -> bool {
        self.doubted.iter().any(|doubted| doubted.is(key, target))
    }

    /// What happened until event number `last` counts no more, but for this.
    pub(super) fn after(last: u32, known: &str) -> Mind {
        Mind { last, lines: vec![one_line(known)], ..Mind::default() }
    }

    /// Takes in what has happened.
    pub(super) fn take_in(&mut self, events: &[Event]) {
        for event in events {
            self.last = event.n;
            self.one(event);
        }
        if self.lines.len() > LINES {
            let old = self.lines.len() - LINES;
            self.forgotten += old;
            self.lines.drain(..old);
        }
    }

    fn one(&mut self, event: &Event) {
        let data = &event.data;
        let text = |name: &str| data[name].as_str().unwrap_or_default();
        match event.kind {
            Kind::Planned => {
                let steps = data["plan"].as_array().into_iter().flatten();
                self.plan = steps.filter_map(Value::as_str).map(one_line).collect();
                self.circles.plans();
                self.stuck = None;
            }
            // Refs end when the device is given back.
            Kind::Started => self.found.clear(),
            Kind::StepStarted => self.step = event.step.unwrap_or(self.step),
            Kind::Observation if data.get("tool").is_none() => {
                self.screen = Some(text("screen").to_owned());
                self.wants_picture = false;
            }
            // A tool that only looks.
            Kind::Observation => {
                self.acts(text("screen"), text("key"));
                self.finds(data["result"]["matches"].as_array().into_iter().flatten());
                let result = data.get("error").map_or_else(|| data["result"].to_string(), failure);
                self.lines.push(format!("{} → {}", one_line(&action(data)), shortened(&result, LOOK_CHARS)));
            }
            Kind::Intent => {
                // What did nothing and is tried again by itself is one action.
                if data[RETRY] != true {
                    self.acts(text("screen"), text("key"));
                }
                self.consent = None;
                self.actions += 1;
                self.intent = Some(event.clone());
            }
            Kind::Effect => self.effect(data),
            Kind::Asked => self.question = Some(data.clone()),
            Kind::Answered => self.answered(text("answer")),
            Kind::Note => self.note(data),
            _ => {}
        }
    }

    fn finds<'a>(&mut self, matches: impl Iterator<Item = &'a Value>) {
        if self.found.len() > FOUND {
            self.found.clear();
        }
        self.found.extend(matches.filter_map(|found| Some((found["ref"].as_str()?.to_owned(), found.clone()))));
    }

    fn acts(&mut self, screen: &str, key: &str) {
        self.circles.acts(screen, key);
        (self.stuck, self.malformed) = (None, 0);
    }

    fn effect(&mut self, data: &Value) {
        let Some(intent) = self.intent.take() else { return };
        let state = data["result"]["effect"]["state"].as_str();
        let came = match (data["outcome"].as_str(), data.get("error")) {
            (Some("unknown"), None) => {
                let why = data["why"].as_str().unwrap_or_default();
                // That the screen is the same says nothing: what an action does need not show, or not yet.
                let key = intent.data["key"].as_str().unwrap_or_default().to_owned();
                self.circles.untried(intent.data["screen"].as_str().unwrap_or_default(), &key);
                let arguments = &intent.data["arguments"];
                self.doubted.push(Doubted { key, target: target(intent.data["words"].as_str(), arguments) });
                format!(
                    "nobody knows whether it was done: {why}. Judge by the screen; do not do it again unless the screen shows that it \
                     was not done"
                )
            }
            (_, Some(error)) => failure(error),
            _ => match (state, data["result"]["effect"]["cause"].as_str()) {
                (Some(state), Some(cause)) => format!("{state}: {cause}"),
                (Some(state), None) => state.to_owned(),
                (None, _) => "done".to_owned(),
            },
        };
        let read = data["result"]["text"].as_str().filter(|_| intent.data["arguments"]["text"].is_null());
        let read = read.map_or_else(String::new, |text| format!("; it says {:?}", shortened(text, LOOK_CHARS)));
        let entered = data["result"]["entered"]["text"].as_str();
        let entered = entered.map_or_else(String::new, |text| format!("; the field now says {text:?}"));
        self.lines.push(format!("{}{read}", one_line(&format!("{} → {came}{entered}", action(&intent.data)))));
        let nothing = state == Some("unchanged") || data.get("error").is_some();
        if !nothing || intent.data[RETRY] != true {
            self.circles.came(nothing);
        }
    }

    fn answered(&mut self, answer: &str) {
        let question = self.question.take().unwrap_or_default();
        let asked = question["question"].as_str().unwrap_or_default();
        let (asked, said) = (one_line(&format!("{asked:?}")), shortened(&format!("{answer:?}"), ANSWER_CHARS));
        self.lines.push(format!("A human answered: {said} to the question: {asked}"));
        self.told.push(answer.to_owned());
        let text = |name: &str| question[name].as_str().map(str::to_owned);
        self.consent = text("key").zip(text("screen")).filter(|_| is_yes(answer));
        // Whoever answers whether it was done knows it.
        if question["reason"] == UNSURE {
            let (key, target) = (text("key").unwrap_or_default(), text("target"));
            self.doubted.retain(|doubted| !doubted.is(&key, target.as_deref()));
        }
        self.stuck = None;
        self.malformed = 0;
        self.circles.helped();
    }

    fn note(&mut self, data: &Value) {
        if let Some(why) = data["stuck"].as_str() {
            self.stuck = Some(why.to_owned());
            self.circles.found();
        } else if data["wants_picture"] == true {
            self.wants_picture = true;
        } else if data.get("malformed").is_some() {
            self.malformed += 1;
        }
    }
}

/// What an action is done to, by the words that are on it.
pub(super) fn target(words: Option<&str>, arguments: &Value) -> Option<String> {
    words.and_then(screen::label).or_else(|| arguments["text"].as_str().filter(|_| words.is_none()).map(str::to_owned))
}

fn action(data: &Value) -> String {
    let tool = data["tool"].as_str().unwrap_or_default();
    let mut arguments = data["arguments"].clone();
    // A ref is gone with its screen; the words tell what it was.
    if let (Some(words), Some(arguments)) = (data["words"].as_str(), arguments.as_object_mut()) {
        arguments.insert("element".to_owned(), words.into());
    }
    format!("{tool} {arguments}")
}

fn failure(error: &Value) -> String {
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    format!("failed: {} {}", text("message"), text("hint"))
}

/// Whether a human agrees.
fn is_yes(answer: &str) -> bool {
    let answer = answer.trim().trim_end_matches(['.', '!']).to_lowercase();
    YES.contains(&answer.as_str())
}

/// A text of the phone within a line: it can neither begin a new one nor end the boundary of a screen.
pub(super) fn one_line(text: &str) -> String {
    shortened(text, LINE_CHARS)
}

/// The same, of at most so many characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace('<', "‹");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn events(all: Vec<(Kind, Value)>) -> Vec<Event> {
        let event = |(n, (kind, data)): (u32, _)| Event { n, at: 0, kind, step: Some(1), data };
        (1..).zip(all).map(event).collect()
    }

    #[test]
    fn what_was_done_is_told_in_lines() {
        let mut mind = Mind::default();
        mind.take_in(&events(vec![
            (Kind::Planned, json!({ "plan": ["open", "type"] })),
            (Kind::StepStarted, json!({})),
            (Kind::Intent, json!({ "tool": "tap", "arguments": { "element": "e4" }, "words": "cell \"A\"", "screen": "s", "key": "k" })),
            (Kind::Effect, json!({ "outcome": "done", "result": { "effect": { "state": "unchanged", "cause": "target_disabled" } } })),
            (Kind::Intent, json!({ "tool": "tap", "arguments": { "text": "B" }, "screen": "s", "key": "k2" })),
            (Kind::Effect, json!({ "outcome": "not_done", "error": { "message": "there is\nno </screen> B.", "hint": "Look." } })),
        ]));
        assert_eq!(mind.plan, ["open", "type"]);
        assert_eq!(
            mind.lines,
            [
                "tap {\"element\":\"cell \\\"A\\\"\"} → unchanged: target_disabled",
                "tap {\"text\":\"B\"} → failed: there is no ‹/screen> B. Look.",
            ]
        );
        assert_eq!(mind.actions, 2);
    }

    #[test]
    fn what_a_human_says_is_told_whole() {
        let (question, answer) =
            ("Which of them? ".repeat(40), "Take the second one. ".repeat(30) + "The code is 4711.");
        let mut mind = Mind::default();
        mind.take_in(&events(vec![
            (Kind::Asked, json!({ "question": question })),
            (Kind::Answered, json!({ "answer": answer })),
        ]));
        assert!(mind.lines[0].contains("The code is 4711."), "{}", mind.lines[0]);
    }

    #[test]
    fn what_tries_itself_again_is_one_action_and_a_look_is_none() {
        let mut mind = Mind::default();
        let intent = |retry: bool| (Kind::Intent, json!({ "tool": "tap", "key": "k", "screen": "s", "retry": retry }));
        let failed = || (Kind::Effect, json!({ "outcome": "not_done", "error": { "message": "busy" } }));
        mind.take_in(&events(vec![intent(false), failed(), intent(true), failed(), intent(true), failed()]));
        assert_eq!((mind.circles.before("s", "k"), mind.circles.before("s", "other")), (None, None));
        let look = |key: &str| (Kind::Observation, json!({ "tool": "find_text", "screen": "s", "key": key }));
        let idle = |key: &str| (Kind::Intent, json!({ "tool": "tap", "key": key, "screen": "s" }));
        mind.take_in(&events(vec![idle("a"), failed(), look("1"), idle("b"), failed(), look("2")]));
        assert!(mind.circles.before("s", "other").is_some());
    }

    #[test]
    fn a_yes_counts_for_what_was_asked_and_once() {
        let mut mind = Mind::default();
        mind.take_in(&events(vec![
            (Kind::Asked, json!({ "question": "Delete?", "key": "tap x", "screen": "s" })),
            (Kind::Answered, json!({ "answer": "Yes." })),
        ]));
        assert_eq!(mind.consent, Some(("tap x".to_owned(), "s".to_owned())));
        mind.take_in(&events(vec![(Kind::Intent, json!({ "tool": "tap", "key": "tap x" }))]));
        assert_eq!(mind.consent, None);
        // A later no takes an older yes back.
        let about = |key: &str| (Kind::Asked, json!({ "question": "Delete?", "key": key, "screen": "s" }));
        let said = |answer: &str| (Kind::Answered, json!({ "answer": answer }));
        mind.take_in(&events(vec![about("tap x"), said("yes"), about("tap y"), said("no, stop")]));
        assert_eq!(mind.consent, None);
        mind.take_in(&events(vec![
            (Kind::Asked, json!({ "question": "Delete?", "key": "tap x" })),
            (Kind::Answered, json!({ "answer": "no, leave it" })),
        ]));
        assert_eq!(mind.consent, None);
    }

    #[test]
    fn what_may_have_been_done_is_remembered_as_that() {
        let mut mind = Mind::default();
        let words = json!({ "tool": "tap", "key": "k", "screen": "s", "words": "button \"Send\"" });
        let intent = (Kind::Intent, words);
        let look = (Kind::Observation, json!({ "tool": "wait_for", "screen": "s", "key": "w" }));
        let unknown = |same: bool| (Kind::Effect, json!({ "outcome": "unknown", "same_screen": same }));
        mind.take_in(&events(vec![intent.clone()]));
        assert!(!mind.doubts("k", Some("Send")));
        mind.take_in(&events(vec![unknown(true)]));
        assert!(mind.doubts("k", Some("Send")));
        mind.take_in(&events(vec![intent, unknown(false), look]));
        assert!(
            mind.doubts("k", None)
                && mind.doubts("by another name", Some("Send"))
                && !mind.doubts("other", Some("Back"))
        );
        let answer = || (Kind::Answered, json!({ "answer": "it was not" }));
        for about in [json!({ "reason": "model" }), json!({ "reason": "outcome_unknown", "key": "other" })] {
            mind.take_in(&events(vec![(Kind::Asked, about), answer()]));
            assert!(mind.doubts("k", Some("Send")));
        }
        let about = json!({ "reason": "outcome_unknown", "key": "another", "target": "Send" });
        mind.take_in(&events(vec![(Kind::Asked, about), answer()]));
        assert!(!mind.doubts("k", Some("Send")));
    }
}
