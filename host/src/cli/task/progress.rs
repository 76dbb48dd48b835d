//! A line for each step of a task, as it goes on, and for what else a person should know of.
//!
//! It knows events and how they are told; where they come from it does not know.

use super::show::{self, plain, short};
use serde_json::Value;
use std::io::Write;

/// Writes what happens.
pub(super) struct Progress<W> {
    out: W,
    /// Whether a line can be written over: a step is then shown from its beginning.
    in_place: bool,
    /// The step that is being done.
    open: Option<Open>,
    /// Whether the device was said to be away.
    away: bool,
    /// What a queued task was said to wait behind.
    behind: Option<String>,
}

/// A step on its way.
struct Open {
    number: u64,
    what: String,
    /// What its action did to the screen.
    effect: Option<String>,
    /// What went wrong with it.
    trouble: Option<String>,
}

impl<W: Write> Progress<W> {
    pub(super) fn new(out: W, in_place: bool) -> Self {
        Progress { out, in_place, open: None, away: false, behind: None }
    }

    /// Takes in the next event.
    pub(super) fn take(&mut self, event: &Value) {
        let data = &event["data"];
        let text = |name: &str| plain(data[name].as_str().unwrap_or_default());
        match event["kind"].as_str().unwrap_or_default() {
            "started" if std::mem::take(&mut self.away) => self.say("the device is there again"),
            "waiting" => {
                self.away = true;
                self.say(&format!("waits for the device: {}", show::error(data).unwrap_or_default()));
            }
            "step_started" => self.begin(event["step"].as_u64().unwrap_or(0), text("what")),
            "observation" | "effect" => {
                if let Some(open) = &mut self.open {
                    open.effect = show::effect(&data["result"]["effect"]);
                    open.trouble = data["error"]["message"].as_str().map(plain);
                }
            }
            // An action that went through and did nothing has an effect in the place of an error.
            "verified" if data["ok"] == false && data.get("why").is_none() => {
                let effect = show::effect(&data["effect"]).filter(|_| data["effect"]["cause"].is_string());
                self.end(effect.as_deref().unwrap_or("no effect"));
            }
            "verified" if data["ok"] == false => self.end(&format!("failed: {}", text("why"))),
            "verified" if data["met"] == false => self.end("not yet"),
            "verified" => {
                let effect = self.open.as_ref().and_then(|open| open.effect.clone());
                self.end(effect.as_deref().unwrap_or("done"));
            }
            "asked" => self.say(&format!("asks: {}", show::question(data))),
            "answered" => self.say("was answered"),
            "paused" => self.say("is paused"),
            "resumed" => self.say("goes on"),
            "limit" => self.say(&format!("reached its limit: {} {}", data["most"], text("what"))),
            "finished"
                if data["status"] == "failed" && self.open.as_ref().is_some_and(|open| open.trouble.is_none()) =>
            {
                self.end("failed");
            }
            "finished" => self.interrupt(),
            _ => {}
        }
    }

    /// Takes in the task as it is beside its events, of which none tells that it waits for others.
    pub(super) fn queued(&mut self, task: &Value) {
        let behind = show::error(&task["waiting"]).filter(|_| task["status"] == "queued");
        if let Some(behind) = behind.filter(|behind| self.behind.as_ref() != Some(behind)) {
            self.say(&behind);
            self.behind = Some(behind);
        }
    }

    /// A line that belongs to no step.
    pub(super) fn say(&mut self, text: &str) {
        self.interrupt();
        self.line(&format!("     {text}\n"));
    }

    fn begin(&mut self, number: u64, what: String) {
        self.interrupt();
        if self.in_place {
            // A line that wraps could not be written over.
            self.line(&format!("{number:>4} {} …", short(&what, 60)));
        }
        self.open = Some(Open { number, what, effect: None, trouble: None });
    }

    /// A step that something else came between, or that the task ended in, is shown as far as it came.
    fn interrupt(&mut self) {
        let Some(open) = &self.open else { return };
        let how = open.trouble.as_ref().map_or("…".to_owned(), |trouble| format!("failed: {trouble}"));
        self.end(&how);
    }

    fn end(&mut self, how: &str) {
        let Some(Open { number, what, .. }) = self.open.take() else { return };
        let over = if self.in_place { "\r\x1b[K" } else { "" };
        self.line(&format!("{over}{number:>4} {what}  {how}\n"));
    }

    /// Nobody who watches is no reason to stop.
    fn line(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(in_place: bool, events: &[(&str, Value)]) -> String {
        let mut progress = Progress::new(Vec::new(), in_place);
        for (kind, data) in events {
            progress.take(&json!({ "kind": kind, "step": 1, "data": data }));
        }
        String::from_utf8(progress.out).unwrap()
    }

    #[test]
    fn a_step_is_a_line() {
        let events = [
            ("created", json!({})),
            ("started", json!({})),
            ("step_started", json!({ "what": "tap Wi-Fi\u{1b}[2J" })),
            ("intent", json!({})),
            ("effect", json!({ "outcome": "done", "result": { "effect": { "state": "changed" } } })),
            ("verified", json!({ "ok": true })),
            ("step_started", json!({ "what": "wait for" })),
            ("waiting", json!({ "message": "phone is offline", "hint": "Plug it in." })),
            ("started", json!({})),
            ("step_started", json!({ "what": "wait for" })),
            ("observation", json!({ "error": { "message": "no such app" } })),
            ("finished", json!({ "status": "failed" })),
        ];
        let plain = "   1 tap Wi-Fi[2J  changed\n   1 wait for  …\n     waits for the device: phone is offline. Plug it in.\n     \
                     the device is there again\n   1 wait for  failed: no such app\n";
        assert_eq!(told(false, &events), plain);
        assert!(told(true, &events).starts_with("   1 tap Wi-Fi[2J …\r\u{1b}[K   1 tap Wi-Fi[2J  changed\n"));
    }

    #[test]
    fn a_step_without_effect_says_so() {
        for (effect, said) in [
            (json!({ "state": "unchanged", "cause": "target_disabled" }), "unchanged: target_disabled"),
            (json!({ "state": "unchanged" }), "no effect"),
            (Value::Null, "no effect"),
        ] {
            let events = [
                ("step_started", json!({ "what": "tap OK" })),
                ("verified", json!({ "ok": false, "effect": effect })),
                ("step_started", json!({ "what": "tap OK" })),
                ("verified", json!({ "ok": false, "why": "there is none" })),
            ];
            assert_eq!(told(false, &events), format!("   1 tap OK  {said}\n   1 tap OK  failed: there is none\n"));
        }
    }

    #[test]
    fn a_device_that_was_not_away_does_not_come_back() {
        let asked =
            json!({ "question": "An alert is in front: \"Sure?\".", "alert": { "buttons": ["Yes", "N\u{7}o"] } });
        let events = [("started", json!({})), ("asked", asked), ("answered", json!({})), ("started", json!({}))];
        let said = "     asks: An alert is in front: \"Sure?\". Its buttons: \"Yes\", \"No\".\n     was answered\n";
        assert_eq!(told(false, &events), said);
    }

    #[test]
    fn who_is_before_a_task_is_said_once() {
        let mut progress = Progress::new(Vec::new(), false);
        let waiting = json!({ "message": "it waits behind task t0", "hint": "Wait." });
        let queued = json!({ "status": "queued", "waiting": waiting });
        progress.queued(&queued);
        progress.queued(&queued);
        progress.queued(&json!({ "status": "waiting_device", "waiting": { "message": "away" } }));
        assert_eq!(String::from_utf8(progress.out).unwrap(), "     it waits behind task t0. Wait.\n");
    }
}
