//! Tasks in words, for people: a row of a list, and all that is known of one.
//!
//! It knows the fields of a task and of its events.

use serde_json::{Map, Value};
use std::fmt::Write;

/// Whether a task with this status has ended.
pub(super) fn is_finished(status: &str) -> bool {
    matches!(status, "succeeded" | "failed" | "cancelled")
}

/// A status as people write it.
pub(super) fn words(status: &str) -> String {
    match status {
        "waiting_device" => "waiting for its device".to_owned(),
        "needs_human" => "waiting for an answer".to_owned(),
        other => plain(other),
    }
}

/// A text that cannot make a terminal do anything: some of them come from phones and models.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

/// What tasks there are.
pub(super) fn table(listed: &Map<String, Value>) -> String {
    let tasks = listed.get("tasks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if tasks.is_empty() {
        return "no tasks\n".to_owned();
    }
    let text = |task: &Value, field: &str| plain(task[field].as_str().unwrap_or_default());
    let widest = |field: &str| tasks.iter().map(|task| text(task, field).chars().count()).max().unwrap_or(0);
    let (statuses, devices) = (widest("status"), widest("device_id"));
    let mut out = String::new();
    for task in tasks {
        let goal = match text(task, "goal") {
            goal if goal.is_empty() => "(steps)".to_owned(),
            goal => short(&goal, 60),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}  {:<statuses$}  {:<devices$}  {}  {goal}",
            text(task, "id"),
            text(task, "status"),
            text(task, "device_id"),
            text(task, "created_at"),
        );
    }
    out
}

/// All that is known of one task.
pub(super) fn task(task: &Value, events: &[Value]) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "{name:<9} {value}");
        }
    };
    for (name, field) in [("task", "id"), ("goal", "goal"), ("device", "device_id"), ("status", "status")] {
        row(name, &plain(task[field].as_str().unwrap_or_default()));
    }
    row("made", &plain(task["created_at"].as_str().unwrap_or_default()));
    row("changed", &plain(task["updated_at"].as_str().unwrap_or_default()));
    row("used", &used(&task["used"]));
    row("plan", &inline(&task["plan"]));
    row("asks", &plain(task["question"]["question"].as_str().unwrap_or_default()));
    row("result", &inline(&task["result"]));
    row("error", &error(&task["error"]).unwrap_or_default());
    let steps = task["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !steps.is_empty() {
        out.push_str("steps\n");
    }
    for step in steps {
        let number = step["step"].as_u64().unwrap_or(0);
        let _ = writeln!(out, "{number:>4} {}  {}", plain(step["what"].as_str().unwrap_or_default()), state(step));
    }
    if !events.is_empty() {
        out.push_str("events\n");
    }
    for event in events {
        let step = event["step"].as_u64().map_or_else(String::new, |step| format!(" of step {step}"));
        let text = |field: &str| plain(event[field].as_str().unwrap_or_default());
        let number = event["n"].as_u64().unwrap_or(0);
        let _ = writeln!(out, "{number:>4} {}  {}{step}  {}", text("at"), text("kind"), inline(&event["data"]));
    }
    out
}

/// What became of a step.
fn state(step: &Value) -> String {
    let state = plain(step["state"].as_str().unwrap_or_default());
    match (step["effect"].as_str(), step["outcome"].as_str()) {
        (Some(effect), _) => format!("{state}, {}", plain(effect)),
        (None, Some(outcome)) if outcome != "done" => format!("{state}, {}", plain(&outcome.replace('_', " "))),
        _ => state,
    }
}

/// What a task used; money and tokens only where there were any.
pub(super) fn used(used: &Value) -> String {
    let steps = used["steps"].as_u64().unwrap_or(0);
    let mut out = format!("{steps} {}", if steps == 1 { "step" } else { "steps" });
    if let Some(tokens) = used["tokens"].as_u64().filter(|tokens| *tokens > 0) {
        let _ = write!(out, ", {tokens} tokens");
    }
    if let Some(usd) = used["usd"].as_f64().filter(|usd| *usd > 0.0) {
        let _ = write!(out, ", {usd:.4} USD");
    }
    let _ = write!(out, ", {:.1} s at work", used["seconds"].as_f64().unwrap_or(0.0));
    out
}

/// Why a task failed, and what to do next.
pub(super) fn error(error: &Value) -> Option<String> {
    let message = plain(error["message"].as_str()?);
    let hint = plain(error["hint"].as_str().unwrap_or_default());
    Some(format!("{}. {hint}", message.trim_end_matches('.')).trim_end().to_owned())
}

/// A value on one line: a text as it is, all else as JSON.
fn inline(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

/// The beginning of a text.
pub(super) fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_task_in_words() {
        let shown = task(
            &json!({
                "id": "t1", "goal": "", "device_id": "phone", "status": "failed", "created_at": "2026-01-02T03:04:05Z",
                "used": { "steps": 1, "tokens": 0, "usd": 0.0, "seconds": 1.25 },
                "error": { "message": "there is no app", "hint": "List them." },
                "steps": [{ "step": 1, "what": "launch app\u{7} X", "state": "failed", "outcome": "not_done" }],
            }),
            &[json!({ "n": 1, "at": "2026-01-02T03:04:05Z", "kind": "created", "data": { "goal": "" } })],
        );
        let expected = "task      t1\ndevice    phone\nstatus    failed\nmade      2026-01-02T03:04:05Z\n\
                        used      1 step, 1.2 s at work\nerror     there is no app. List them.\n\
                        steps\n   1 launch app X  failed, not done\nevents\n   1 2026-01-02T03:04:05Z  created  {\"goal\":\"\"}\n";
        assert_eq!(shown, expected);
        assert_eq!(table(&Map::new()), "no tasks\n");
    }
}
