//! What a model is told and asked: the parts of the prompt are files beside this one, filled in here.
//!
//! Knows texts and the tools' schemas. Everything that a phone shows stands within the screen's boundary, or on a line of its own
//! that can neither end it nor begin another.

use super::{mind::Mind, screen::Screen};
use crate::capability::Catalogue;
use fingertip_models::Tool;
use serde_json::{Map, Value, json};

/// The version of these parts, which is recorded with each task that uses them.
pub(super) const VERSION: u32 = 2;

const SYSTEM: &str = include_str!("prompts/system.md");
const STEP: &str = include_str!("prompts/step.md");
const STUCK: &str = include_str!("prompts/stuck.md");
const REPAIR: &str = include_str!("prompts/repair.md");

/// The tools of the catalogue that a model is given, where they are offered.
const TOOLS: [&str; 15] = [
    "tap",
    "swipe",
    "scroll_to",
    "input_text",
    "press_button",
    "launch_app",
    "terminate_app",
    "list_apps",
    "open_url",
    "answer_alert",
    "wait_for",
    "find_text",
    "find_icon",
    "clipboard",
    "set_orientation",
];
/// Arguments that are the runtime's business.
const HIDDEN: [&str; 9] =
    ["device_id", "timeout_ms", "lease", "idempotency_key", "observe", "verify", "space", "frame", "picture"];
/// Arguments that only a picture gives.
const POINTS: [&str; 6] = ["x", "y", "from_x", "from_y", "to_x", "to_y"];

/// What the work itself offers a model beside the catalogue.
pub(super) const PLAN: &str = "plan";
pub(super) const FINISH: &str = "finish";
pub(super) const ASK: &str = "ask_human";
pub(super) const SEE: &str = "see_picture";

/// What a question is made of.
pub(super) struct Situation<'a> {
    pub(super) goal: &'a str,
    /// Names of inputs with their values; none for a secret.
    pub(super) inputs: Vec<(String, Option<Value>)>,
    pub(super) wants_output: bool,
    pub(super) mind: &'a Mind,
    pub(super) screen: &'a Screen,
    /// Whether the picture goes along.
    pub(super) picture: bool,
}

/// What holds for every question.
pub(super) fn system() -> String {
    SYSTEM.to_owned()
}

/// The question for the next step.
pub(super) fn step(situation: &Situation<'_>) -> String {
    let Situation { goal, inputs, wants_output, mind, screen, picture } = situation;
    let mut given = String::new();
    for (name, value) in inputs {
        given.push_str(&match value {
            Some(value) => format!("Input ${{{name}}}: {value}\n"),
            None => {
                format!("Input ${{{name}}}: secret; where it is needed, type the text ${{{name}}} as it stands here\n")
            }
        });
    }
    let output =
        if *wants_output { "`finish` must carry `output` that fits its schema, read off the screen.\n" } else { "" };
    let mut plan = String::new();
    for (number, step) in (1..).zip(&mind.plan) {
        plan.push_str(&format!("{number}. {step}\n"));
    }
    let plan = if plan.is_empty() { plan } else { format!("Your plan:\n{plan}") };
    let mut history = String::new();
    if !mind.lines.is_empty() {
        history.push_str("What was done so far, and what came of it:\n");
        if mind.forgotten > 0 {
            history.push_str(&format!("({} earlier actions are left out)\n", mind.forgotten));
        }
        for line in &mind.lines {
            history.push_str(&format!("- {line}\n"));
        }
    }
    let notice = mind.stuck.as_ref().map_or_else(String::new, |why| fill(STUCK, &[("why", why)]));
    let app = screen.app.as_ref().map_or_else(String::new, |app| format!(" ({})", super::mind::one_line(app)));
    let mut seen = screen.text.clone();
    for note in &screen.notes {
        seen.push_str(&format!("\nNote: {}", super::mind::one_line(note)));
    }
    let picture = if *picture { "The picture of the screen is attached; one pixel is one point.\n" } else { "" };
    fill(
        STEP,
        &[
            ("goal", goal),
            ("inputs", &given),
            ("output", output),
            ("plan", &plan),
            ("history", &history),
            ("notice", &notice),
            ("app", &app),
            ("screen", &seen),
            ("picture", picture),
        ],
    )
}

/// The goal of mending one step.
pub(super) fn repair(step: &str, expected: Option<&str>) -> String {
    let expected = expected.map_or_else(String::new, |expected| format!("Afterwards this must hold: {expected}. "));
    fill(REPAIR, &[("step", step), ("expected", &expected)]).trim_end().to_owned()
}

/// Puts values where `{name}` stands in a part; what stands in the values is left as it is.
fn fill(part: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(open) = rest.find('{') {
        let name = rest[open + 1..].split('}').next().unwrap_or_default();
        filled.push_str(&rest[..open]);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => {
                filled.push_str(value);
                rest = &rest[open + name.len() + 2..];
            }
            None => {
                filled.push('{');
                rest = &rest[open + 1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// The tools that a model may call.
pub(super) fn tools(catalogue: &Catalogue, pictures: bool, output: Option<&Value>) -> Vec<Tool> {
    let mut tools = vec![plan()];
    let offered = TOOLS.iter().filter_map(|name| catalogue.get(name));
    tools.extend(offered.map(|capability| Tool {
        name: capability.name.to_owned(),
        description: capability.description.to_owned(),
        schema: schema(&capability.input, pictures),
    }));
    if pictures {
        let description = "Shows you the picture of the screen with the next question, where its text is not enough.";
        tools.push(own(SEE, description, json!({}), &[]));
    }
    let question = json!({ "question": { "type": "string", "description": "What the human is to decide or to do." } });
    tools.push(own(ASK, "Asks a human, and waits for the answer.", question, &["question"]));
    tools.push(finish(output));
    tools
}

fn plan() -> Tool {
    let steps = json!({ "steps": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 20 } });
    own(
        PLAN,
        "Writes down the few steps by which you want to reach the goal. Does nothing on the phone.",
        steps,
        &["steps"],
    )
}

/// The tool by which a task ends.
pub(super) fn finish(output: Option<&Value>) -> Tool {
    let mut fields = json!({
        "success": { "type": "boolean", "description": "Whether the screen shows that the goal is reached." },
        "summary": { "type": "string", "description": "How the screen shows it, or why it cannot be reached, in a sentence." },
    });
    let Some(output) = output else { return own(FINISH, "Ends the task.", fields, &["success", "summary"]) };
    fields["output"] = output.clone();
    own(FINISH, "Ends the task.", fields, &["success", "summary", "output"])
}

fn own(name: &str, description: &str, fields: Value, required: &[&str]) -> Tool {
    let schema = json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false });
    Tool { name: name.to_owned(), description: description.to_owned(), schema }
}

/// The schema of a tool without what is not the model's business.
fn schema(input: &Map<String, Value>, pictures: bool) -> Value {
    let hidden = |name: &str| HIDDEN.contains(&name) || !pictures && POINTS.contains(&name);
    let mut schema = input.clone();
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|name, _| !hidden(name));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !name.as_str().is_some_and(hidden));
    }
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app, config::Config};
    use std::path::Path;

    fn screen(text: &str) -> Screen {
        Screen { text: text.to_owned(), app: Some("Notes".to_owned()), frame: "f1".to_owned(), ..Screen::default() }
    }

    /// A change of what models are told must be meant: count up the version, and look at what it does to a task set.
    #[test]
    fn the_parts_are_the_committed_ones() {
        let mut mind = Mind::default();
        (mind.plan, mind.stuck) = (vec!["Open Notes".to_owned()], Some("it does".to_owned()));
        mind.lines.push("tap {\"text\":\"New note\"} → changed".to_owned());
        mind.forgotten = 2;
        let screen = screen("<screen frame=\"f1\">\ne1 button \"{goal} {picture}\"\n</screen>");
        let inputs = vec![("name".to_owned(), Some(json!("Ada"))), ("pin".to_owned(), None)];
        let situation = Situation {
            goal: "Write {plan} down",
            inputs,
            wants_output: true,
            mind: &mind,
            screen: &screen,
            picture: true,
        };
        let all = format!(
            "version {VERSION}\n\n{}\n----\n{}\n----\n{}",
            system(),
            step(&situation),
            repair("tap \"OK\"", Some("text \"Saved\""))
        );
        insta::assert_snapshot!("prompts", all);
    }

    #[test]
    fn a_model_is_given_tools_of_the_catalogue_without_the_runtimes_arguments() {
        let config = Config::parse("", Path::new("fingertip.toml"), &|_| Some("/home/ann".to_owned())).unwrap();
        let catalogue = app::catalogue(&config).unwrap();
        let given = tools(&catalogue, false, None);
        assert_eq!(given.len(), TOOLS.len() + 3);
        for tool in &given {
            let fields = tool.schema["properties"].as_object().unwrap();
            assert!(HIDDEN.iter().chain(&POINTS).all(|hidden| !fields.contains_key(*hidden)), "{}", tool.name);
        }
        let with_pictures = tools(&catalogue, true, Some(&json!({ "type": "string" })));
        let tap = with_pictures.iter().find(|tool| tool.name == "tap").unwrap();
        assert!(tap.schema["properties"].get("x").is_some());
        assert_eq!(with_pictures.last().unwrap().schema["properties"]["output"], json!({ "type": "string" }));
    }
}
