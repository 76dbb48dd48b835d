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

/// Where a task stands, and whether anybody works on it: without a server what its events say last is not what happens.
fn status(task: &Value, served: bool) -> String {
    let status = plain(task["status"].as_str().unwrap_or_default());
    match status.as_str() {
        "queued" | "running" | "waiting_device" if !served => format!("{status} (not worked on: no server runs)"),
        _ => status,
    }
}

/// A question, with what can be pressed where it is about an alert.
pub(super) fn question(question: &Value) -> String {
    let text = plain(question["question"].as_str().unwrap_or_default());
    let buttons = question["buttons"].as_array().or(question["alert"]["buttons"].as_array());
    let buttons = buttons.into_iter().flatten().filter_map(Value::as_str);
    let buttons: Vec<String> = buttons.map(|button| format!("\"{}\"", plain(button))).collect();
    if buttons.is_empty() { text } else { format!("{text} Its buttons: {}.", buttons.join(", ")) }
}

/// What an action did to the screen, and why nothing where it did nothing.
pub(super) fn effect(effect: &Value) -> Option<String> {
    let state = plain(effect["state"].as_str()?);
    let cause = effect["cause"].as_str().filter(|_| state == "unchanged");
    Some(cause.map_or(state.clone(), |cause| format!("{state}: {}", plain(cause))))
}

/// A text of several lines that cannot make a terminal do anything.
pub(super) fn lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| line.chars().filter(|c| *c == '\n' || !c.is_control()).collect::<String>())
        .collect()
}

/// What tasks there are. `served` says whether a server runs that works on them.
pub(super) fn table(listed: &Map<String, Value>, served: bool) -> String {
    let tasks = listed.get("tasks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if tasks.is_empty() {
        return "no tasks\n".to_owned();
    }
    let text = |task: &Value, field: &str| plain(task[field].as_str().unwrap_or_default());
    let widest =
        |column: &dyn Fn(&Value) -> String| tasks.iter().map(|task| column(task).chars().count()).max().unwrap_or(0);
    let (statuses, devices) = (widest(&|task| status(task, served)), widest(&|task| text(task, "device_id")));
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
            status(task, served),
            text(task, "device_id"),
            text(task, "created_at"),
        );
    }
    out
}

/// All that is known of one task.
pub(super) fn task(task: &Value, events: &[Value], served: bool) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "{name:<9} {value}");
        }
    };
    for (name, field) in [("task", "id"), ("goal", "goal"), ("device", "device_id")] {
        row(name, &plain(task[field].as_str().unwrap_or_default()));
    }
    row("status", &status(task, served));
    row("waits", &error(&task["waiting"]).unwrap_or_default());
    row("made", &plain(task["created_at"].as_str().unwrap_or_default()));
    row("changed", &plain(task["updated_at"].as_str().unwrap_or_default()));
    row("used", &used(&task["used"]));
    row("plan", &inline(&task["plan"]));
    row("asks", &question(&task["question"]));
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

/// Why a task failed or waits, and what to do next.
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
            true,
        );
        let expected = "task      t1\ndevice    phone\nstatus    failed\nmade      2026-01-02T03:04:05Z\n\
                        used      1 step, 1.2 s at work\nerror     there is no app. List them.\n\
                        steps\n   1 launch app X  failed, not done\nevents\n   1 2026-01-02T03:04:05Z  created  {\"goal\":\"\"}\n";
        assert_eq!(shown, expected);
        assert_eq!(table(&Map::new(), true), "no tasks\n");
    }

    #[test]
    fn what_a_task_waits_for_is_shown() {
        let waiting = json!({ "reason": "unplugged", "message": "phone is offline.", "hint": "Plug it in." });
        let shown = json!({ "id": "t1", "status": "waiting_device", "waiting": waiting });
        let head = "task      t1\nstatus    waiting_device\nwaits     phone is offline. Plug it in.\n";
        assert!(task(&shown, &[], true).starts_with(head), "{}", task(&shown, &[], true));
        let question = json!({ "question": "An alert is in front.", "alert": { "buttons": ["OK"] } });
        let asked = task(&json!({ "status": "needs_human", "question": question }), &[], true);
        assert!(asked.contains("\nasks      An alert is in front. Its buttons: \"OK\".\n"), "{asked}");
    }

    #[test]
    fn nothing_runs_without_a_server() {
        let tasks = json!([{ "id": "t1", "status": "running", "device_id": "a" }, { "id": "t2", "status": "paused", "device_id": "b" }]);
        let listed = Map::from_iter([("tasks".to_owned(), tasks)]);
        let idle = "running (not worked on: no server runs)";
        let expected = format!("t1  {idle}  a    (steps)\nt2  {:<1$}  b    (steps)\n", "paused", idle.len());
        assert_eq!(table(&listed, false), expected);
        assert_eq!(table(&listed, true), "t1  running  a    (steps)\nt2  paused   b    (steps)\n");
    }

    #[test]
    fn a_text_keeps_its_lines_alone() {
        assert_eq!(lines("a\u{1b}[2J\nb\u{9b}\r\n"), "a[2J\nb\n");
    }
}
