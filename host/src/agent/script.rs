//! Steps that a task brings: what may stand in them, and the row of operations that they become.
//!
//! A step is one of `run_steps`, or a block of steps; either may be repeated, a number of times or until something is on the
//! screen. Repeating is unrolled, so that a place in a script is one number, by which work goes on after a restart.
//!
//! ```json
//! [{ "tool": "launch_app", "arguments": { "app": "Notes" }, "expect": { "text": "New note" } },
//!  { "tool": "input_text", "arguments": { "text": "${greeting}" } },
//!  { "tool": "swipe", "arguments": { "direction": "up" }, "repeat": { "times": 5, "until": { "text": "The end" } } },
//!  { "steps": [ … ], "repeat": 3 }]
//! ```
//!
//! Runs nothing, and does not know which tools there are.

use super::inputs::{self, Inputs};
use crate::capability::{Error, Step, arguments};
use serde_json::{Map, Value};

/// The most operations of one script, unrolled, and how deep blocks may stand in each other.
const MOST: usize = 1_000;
const DEEPEST: usize = 4;
const MOST_TIMES: u64 = 100;

/// The fields of a step, and of a block.
const STEP: [&str; 4] = ["tool", "arguments", "expect", "repeat"];
const BLOCK: [&str; 2] = ["steps", "repeat"];
const REPEAT: [&str; 2] = ["times", "until"];

/// One operation of a script. Its number is its place, from 1.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Runs a tool.
    Do {
        /// Where it stands in what the caller wrote, such as `steps[2]`.
        place: String,
        /// As it was written, with its inputs to be filled in.
        step: Step,
    },
    /// Looks whether a repetition has come to its aim.
    Until {
        /// Where it stands.
        place: String,
        /// As it was written: arguments of `wait_for`.
        wait: Map<String, Value>,
        /// Which operation is next then, as an index.
        then: usize,
        /// Whether there is no further round.
        last: bool,
    },
}

/// The operations of these steps; none of a task that has a goal alone.
///
/// # Errors
/// That names the place.
pub(super) fn compile(steps: &[Value]) -> Result<Vec<Op>, Error> {
    let mut ops = Vec::new();
    if !steps.is_empty() {
        block(&mut ops, "steps", steps, 0)?;
    }
    Ok(ops)
}

fn block(ops: &mut Vec<Op>, place: &str, steps: &[Value], depth: usize) -> Result<(), Error> {
    if depth > DEEPEST {
        return Err(Error::invalid(
            format!("{place}: blocks stand more than {DEEPEST} deep in each other"),
            "Make it flatter.",
        ));
    }
    if steps.is_empty() {
        return Err(Error::invalid(
            format!("{place}: there is no step in it"),
            "Give at least one step, or leave it out.",
        ));
    }
    for (index, step) in steps.iter().enumerate() {
        one(ops, &format!("{place}[{index}]"), step, depth)?;
    }
    Ok(())
}

fn one(ops: &mut Vec<Op>, place: &str, written: &Value, depth: usize) -> Result<(), Error> {
    let Some(fields) = written.as_object() else {
        return Err(Error::invalid(
            format!("{place}: a step must be an object"),
            "Write {\"tool\": …, \"arguments\": {…}}.",
        ));
    };
    let is_block = fields.contains_key("steps");
    allow(place, fields, if is_block { &BLOCK } else { &STEP })?;
    let (times, until) = repeat(place, fields)?;
    let mut checks = Vec::new();
    for round in 1..=times {
        if is_block {
            let steps = fields.get("steps").and_then(Value::as_array);
            let steps = steps.ok_or_else(|| {
                Error::invalid(format!("{place}.steps must be a list of steps"), "Write [{\"tool\": …}, …].")
            })?;
            block(ops, &format!("{place}.steps"), steps, depth + 1)?;
        } else {
            ops.push(Op::Do { place: place.to_owned(), step: step(place, fields)? });
        }
        if let Some(wait) = &until {
            checks.push(ops.len());
            let place = format!("{place}.repeat.until");
            ops.push(Op::Until { place, wait: wait.clone(), then: 0, last: round == times });
        }
        if ops.len() > MOST {
            return Err(Error::invalid(
                format!("{place}: with all repetitions the script has more than {MOST} steps"),
                "Repeat less often, or make several tasks of it.",
            ));
        }
    }
    let end = ops.len();
    for check in checks {
        if let Some(Op::Until { then, .. }) = ops.get_mut(check) {
            *then = end;
        }
    }
    Ok(())
}

fn step(place: &str, fields: &Map<String, Value>) -> Result<Step, Error> {
    let object = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object.clone())),
        Some(_) => {
            Err(Error::invalid(format!("{place}.{name} must be an object"), "Write {…} with the fields of the tool."))
        }
    };
    let tool = fields.get("tool").and_then(Value::as_str).ok_or_else(|| {
        Error::invalid(
            format!("{place}: `tool` is missing"),
            "Name a tool that looks or acts, such as tap, or give a block: {\"steps\": […]}.",
        )
    })?;
    Ok(Step { tool: tool.to_owned(), arguments: object("arguments")?, expect: object("expect")? })
}

/// How often, and until what.
fn repeat(place: &str, fields: &Map<String, Value>) -> Result<(u64, Option<Map<String, Value>>), Error> {
    let place = format!("{place}.repeat");
    let number = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as u64));
        number.filter(|number| (1..=MOST_TIMES).contains(number)).ok_or_else(|| {
            Error::invalid(
                format!("{place} must be a number of times from 1 to {MOST_TIMES}, or an object"),
                "Write 3, or {\"times\": 3, \"until\": {\"text\": \"…\"}} with arguments of wait_for.",
            )
        })
    };
    match fields.get("repeat") {
        None | Some(Value::Null) => Ok((1, None)),
        Some(Value::Object(repeat)) => {
            allow(&place, repeat, &REPEAT)?;
            let until = match repeat.get("until") {
                None | Some(Value::Null) => None,
                Some(Value::Object(wait)) => Some(wait.clone()),
                Some(_) => {
                    let hint = "Write arguments of wait_for, such as {\"text\": \"Done\"}.";
                    return Err(Error::invalid(format!("{place}.until must be an object"), hint));
                }
            };
            Ok((repeat.get("times").map_or(Ok(10), number)?, until))
        }
        Some(times) => Ok((number(times)?, None)),
    }
}

fn allow(place: &str, fields: &Map<String, Value>, allowed: &[&str]) -> Result<(), Error> {
    let Some(stray) = fields.keys().find(|name| !allowed.contains(&name.as_str())) else { return Ok(()) };
    let stray: String = stray.chars().take(40).collect();
    let near = arguments::nearest(&stray, allowed.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("Did you mean `{near}`? "));
    Err(Error::invalid(
        format!("{place}: there is no field `{stray}`"),
        format!("{near}It may have: {}.", allowed.join(", ")),
    ))
}

/// Takes what must not be shown out of the steps, into inputs of its own: texts that are typed as secrets.
pub(super) fn lift_secrets(steps: &mut [Value], inputs: &mut Inputs) {
    for step in steps {
        if let Some(block) = step.get_mut("steps").and_then(Value::as_array_mut) {
            lift_secrets(block, inputs);
        }
        let Some(arguments) = step.get_mut("arguments").and_then(Value::as_object_mut) else { continue };
        if arguments.get("secret") != Some(&Value::Bool(true)) {
            continue;
        }
        let Some(Value::String(text)) = arguments.get_mut("text") else { continue };
        let used: Vec<String> = inputs::used(text).into_iter().map(str::to_owned).collect();
        for name in &used {
            inputs.hide(name);
        }
        let is_input = matches!(used.as_slice(), [name] if *text == format!("${{{name}}}"));
        // What stands beside an input is secret too, so that all of it becomes one. Where there is no such input, the steps are
        // refused before anything is kept.
        if !is_input
            && !text.is_empty()
            && let Ok(filled) = inputs.fill(&Value::String(text.clone()))
        {
            *text = format!("${{{}}}", inputs.add_secret(inputs::text_of(&filled)));
        }
    }
}

/// One step in a few words, as people read it.
pub(super) fn title(tool: &str, arguments: &Map<String, Value>) -> String {
    let named = ["element", "text", "app", "url", "button", "direction", "action", "name", "gone", "orientation"];
    let tool = tool.replace('_', " ");
    match named.iter().find_map(|name| arguments.get(*name)?.as_str()) {
        Some(object) => format!("{tool} {}", object.chars().take(80).collect::<String>()),
        None => match (arguments.get("x"), arguments.get("y")) {
            (Some(x), Some(y)) => format!("{tool} {x}, {y}"),
            _ => tool,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compiled(steps: Value) -> Result<Vec<Op>, Error> {
        compile(steps.as_array().unwrap())
    }

    fn names(ops: &[Op]) -> Vec<String> {
        let name = |op: &Op| match op {
            Op::Do { step, .. } => step.tool.clone(),
            Op::Until { then, last, .. } => format!("until→{then}{}", if *last { "!" } else { "" }),
        };
        ops.iter().map(name).collect()
    }

    #[test]
    fn repetitions_are_unrolled() {
        let ops = compiled(json!([
            { "tool": "a" },
            { "tool": "b", "repeat": 2 },
            { "steps": [{ "tool": "c" }, { "tool": "d" }], "repeat": { "times": 2, "until": { "text": "x" } } },
            { "tool": "e" },
        ]));
        assert_eq!(names(&ops.unwrap()), ["a", "b", "b", "c", "d", "until→9", "c", "d", "until→9!", "e"]);
    }

    #[test]
    fn what_is_no_script_is_refused_with_its_place() {
        for (steps, place) in [
            (json!([3]), "steps[0]:"),
            (json!([{ "tool": "a" }, {}]), "steps[1]: `tool`"),
            (json!([{ "tool": "a", "expcet": {} }]), "steps[0]: there is no field `expcet`"),
            (json!([{ "tool": "a", "arguments": 1 }]), "steps[0].arguments"),
            (json!([{ "tool": "a", "repeat": 0 }]), "steps[0].repeat"),
            (json!([{ "tool": "a", "repeat": 1.5 }]), "steps[0].repeat"),
            (json!([{ "tool": "a", "repeat": { "until": 1 } }]), "steps[0].repeat.until"),
            (json!([{ "steps": [{ "steps": [] }] }]), "steps[0].steps[0].steps: there is no step"),
            (json!([{ "steps": 1 }]), "steps[0].steps"),
            (json!([{ "steps": [{ "tool": "a", "repeat": 100 }], "repeat": 100 }]), "steps[0].steps[0]: with all"),
        ] {
            let error = compiled(steps.clone()).unwrap_err();
            assert!(error.message.starts_with(place), "{steps}: {}", error.message);
        }
        let mut deep = json!([{ "tool": "a" }]);
        for _ in 0..6 {
            deep = json!([{ "steps": deep }]);
        }
        assert!(compiled(deep).unwrap_err().message.contains("deep"));
    }

    #[test]
    fn secrets_are_taken_out() {
        let mut inputs = Inputs::default();
        inputs.plain.insert("password".to_owned(), "hunter2".into());
        inputs.plain.insert("user".to_owned(), "ada".into());
        let mut steps = json!([
            { "tool": "input_text", "arguments": { "text": "${password}", "secret": true } },
            { "steps": [{ "tool": "input_text", "arguments": { "text": "open sesame", "secret": true } }] },
            { "tool": "input_text", "arguments": { "text": "plain" } },
            { "tool": "input_text", "arguments": { "text": "${user}:opensesame", "secret": true } },
            { "tool": "input_text", "arguments": { "text": "$${5", "secret": true } },
        ]);
        lift_secrets(steps.as_array_mut().unwrap(), &mut inputs);
        assert!(!steps.to_string().contains("sesame") && steps.to_string().contains("plain"), "{steps}");
        assert_eq!(steps[1]["steps"][0]["arguments"]["text"], "${secret_1}");
        assert!(inputs.plain.is_empty());
        let mut texts = inputs.secret_texts();
        texts.sort();
        assert_eq!(steps[3]["arguments"]["text"], "${secret_2}");
        assert_eq!(texts, ["${5", "ada", "ada:opensesame", "hunter2", "open sesame"]);
    }
}
