//! Faults in the middle of scripts on the *simulated* iPhone: each task comes to an end, what it did was done once, and its
//! history is complete.

use super::{all, sim};
use driver_api::Alert;
use e2e::{
    host::{Host, wda_devices},
    tasks::{History, answer, control, ended, event, history, start, until},
    wda_sim::WdaSim,
};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

/// What the test is told that a task asks, and gives back as the answer.
type Human<'a> = &'a (dyn Fn(&Value, &History) -> String + Sync);

/// One simulated iPhone behind a host.
struct Desk {
    sim: WdaSim,
    host: Host,
}

impl Desk {
    async fn new() -> Desk {
        let sim = sim();
        let host = Host::with(&wda_devices(&[("iphone", &sim.url())])).await;
        Desk { sim, host }
    }

    async fn start(&self, steps: &Value) -> String {
        start(&self.host, json!({ "goal": "through a fault", "steps": steps })).await
    }

    /// Waits until a step is checked.
    async fn checked(&self, id: &str, step: u64) {
        event(&self.host, id, |event| event["kind"] == "verified" && event["step"] == step).await;
    }

    /// Follows a task to its end and answers what it asks; looks at what must hold of every end.
    async fn end(&self, id: &str, human: Human<'_>) -> History {
        loop {
            let task = until(&self.host, id, &["succeeded", "failed", "needs_human"]).await;
            let history = history(&self.host, id).await;
            if task["status"] != "needs_human" {
                history.assert_complete();
                self.assert_touches(&history);
                return history;
            }
            answer(&self.host, id, &human(&task["question"], &history)).await;
        }
    }

    /// The same for a task that must come to its end with all taps done once, and asks nobody.
    async fn succeeds(&self, id: &str) -> History {
        let history = self.end(id, &|question, history| panic!("it asks {question}: {}", history.told())).await;
        assert_all_done(&history);
        history
    }

    /// What a person says who looks at what the phone felt.
    fn by_the_log(&self, question: &Value, history: &History) -> String {
        assert_eq!(question["reason"], "outcome_unknown", "{}", history.told());
        let done = self.sim.touches().len() > history.uses("tap").1;
        if done { "done" } else { "again" }.to_owned()
    }

    /// The glass was touched as often as taps are recorded to be done, each step's once.
    fn assert_touches(&self, history: &History) {
        let (told, touches) = (history.told(), self.sim.touches());
        assert_eq!(touches.len(), history.uses("tap").1, "{touches:?}: {told}");
        let mut steps = taps_done(history);
        let all = steps.len();
        steps.dedup();
        let wanted = history.of("answered").filter(|answered| answered["data"]["answer"] == "again").count();
        assert!(all - steps.len() <= wanted, "a step was done twice, and nobody wanted it: {told}");
    }
}

/// Seven taps, one of which is on a switch of which nothing tells whether it was touched.
const TAPS: usize = 7;
const SWITCH: u64 = 5;

fn script() -> Value {
    let tap = |element: &str, then: &str| json!({ "tool": "tap", "arguments": { "element": element, "timeout_ms": 5_000 }, "expect": { "text": then } });
    all(&[
        json!({ "tool": "launch_app", "arguments": { "app": "com.fingertip.settings" }, "expect": { "text": "Airplane Mode" } }),
        tap("cell \"General\"", "Software Update"),
        tap("button \"Settings\"", "Airplane Mode"),
        tap("cell \"Notifications\"", "Show Previews"),
        json!({ "tool": "tap", "arguments": { "element": "switch \"Show Previews\"" } }),
        tap("button \"Settings\"", "Airplane Mode"),
        tap("cell \"Bluetooth\"", "My devices"),
        tap("button \"Settings\"", "Airplane Mode"),
    ])
}

/// The steps of the taps that were done and had an effect: an alert that comes up just then takes a touch in.
fn taps_done(history: &History) -> Vec<u64> {
    let done = |intent: &&Value| {
        let effect = history.effect_of(intent).map(|effect| &effect["data"]);
        intent["data"]["tool"] == "tap"
            && effect.is_some_and(|effect| {
                effect["outcome"] == "done" && effect["result"]["effect"]["cause"] != "alert_in_front"
            })
    };
    history.of("intent").filter(done).filter_map(|tap| tap["step"].as_u64()).collect()
}

fn assert_all_done(history: &History) {
    let mut steps = taps_done(history);
    steps.dedup();
    assert_eq!((history.status(), steps.len()), ("succeeded", TAPS), "{}", history.told());
}

fn waited(history: &History) -> bool {
    history.of("waiting").next().is_some()
}

/// The touch is lost or felt, and nobody is told: the screen tells.
#[tokio::test]
async fn a_tap_whose_answer_is_lost_is_told_by_what_it_brings_about() {
    let faults = [
        (|sim| sim.faults().reset_next("POST /actions")) as fn(&WdaSim),
        |sim| sim.faults().reset_after_next("POST /actions"),
        |sim| sim.faults().half_body_next("POST /actions"),
        |sim| sim.faults().empty_reply_next("POST /actions"),
    ];
    join_all(faults.into_iter().map(|fault| async move {
        let desk = Desk::new().await;
        fault(&desk.sim);
        let id = desk.start(&script()).await;
        // Where the touch never arrived nothing tells so, and a human is asked.
        let history = desk.end(&id, &|question, history| desk.by_the_log(question, history)).await;
        assert_all_done(&history);
    }))
    .await;
}

/// What was touched was there before and is gone: without anything that is expected, that tells.
#[tokio::test]
async fn a_tap_that_expects_nothing_is_told_by_what_is_gone() {
    let desk = Desk::new().await;
    let mut steps = script();
    steps[1].as_object_mut().expect("a step").remove("expect");
    desk.sim.faults().reset_after_next("POST /actions");
    let id = desk.start(&steps).await;
    desk.succeeds(&id).await;
}

/// A text whose typing was lost is typed, and one that arrived is not typed again: its field tells.
#[tokio::test]
async fn a_text_whose_answer_is_lost_is_told_by_its_field() {
    for arrived in [true, false] {
        let desk = Desk::new().await;
        match arrived {
            true => desk.sim.faults().reset_after_next("POST /wda/keys"),
            false => desk.sim.faults().reset_next("POST /wda/keys"),
        }
        let id = desk
            .start(&all(&[
                json!({ "tool": "launch_app", "arguments": { "app": "com.fingertip.signin", "fresh": true } }),
                json!({ "tool": "input_text", "arguments": { "element": "text_field #email", "text": "ada@example.com" } }),
            ]))
            .await;
        let history = ended(&desk.host, &id).await;
        history.assert_complete();
        assert_eq!((history.status(), history.uses("input_text").1), ("succeeded", 1), "{}", history.told());
        assert_eq!(history.uses("input_text").0, if arrived { 1 } else { 2 }, "{}", history.told());
        let (_, tree) = desk.host.get("/devices/iphone/tree").await;
        assert!(tree["text"].as_str().is_some_and(|text| text.contains("= \"ada@example.com\"")), "{tree}");
    }
}

/// Nothing tells whether a switch was touched: a human does.
#[tokio::test]
async fn a_switch_whose_answer_is_lost_is_asked_for() {
    for felt in [true, false] {
        let desk = Desk::new().await;
        let id = desk.start(&script()).await;
        desk.checked(&id, SWITCH - 1).await;
        match felt {
            true => desk.sim.faults().reset_after_next("POST /actions"),
            false => desk.sim.faults().reset_next("POST /actions"),
        }
        let history = desk.end(&id, &|question, history| desk.by_the_log(question, history)).await;
        assert_all_done(&history);
    }
}

#[tokio::test]
async fn a_tap_that_hangs_is_waited_for_and_not_repeated() {
    let desk = Desk::new().await;
    desk.sim.faults().hang_next("POST /actions");
    let mut steps = script();
    steps[1]["arguments"]["timeout_ms"] = 1_000.into();
    let id = desk.start(&steps).await;
    event(&desk.host, &id, |event| event["kind"] == "note").await;
    desk.sim.faults().release();
    desk.succeeds(&id).await;
}

#[tokio::test]
async fn an_agent_that_is_gone_is_waited_for() {
    let desk = Desk::new().await;
    let id = desk.start(&script()).await;
    desk.checked(&id, 2).await;
    desk.sim.faults().refuse(true);
    let task = until(&desk.host, &id, &["waiting_device"]).await;
    assert_eq!(task["device_id"], "iphone");
    desk.sim.faults().refuse(false);
    let history = desk.end(&id, &|question, history| desk.by_the_log(question, history)).await;
    assert_all_done(&history);
    assert!(waited(&history), "{}", history.told());
}

#[tokio::test]
async fn sessions_and_agents_come_and_go() {
    let faults = [
        (|sim| drop(sim.faults().steal_session())) as fn(&WdaSim),
        |sim| sim.faults().restart(),
        |sim| sim.faults().half_body_next("GET /source"),
        |sim| sim.faults().answer_next("GET /screenshot", 500, "no"),
        |sim| sim.faults().reset_next("GET /screenshot"),
        |sim| sim.faults().delay("*", Duration::from_millis(60)),
    ];
    join_all(faults.into_iter().map(|fault| async move {
        let desk = Desk::new().await;
        let id = desk.start(&script()).await;
        desk.checked(&id, 2).await;
        fault(&desk.sim);
        let history = desk.end(&id, &|question, history| desk.by_the_log(question, history)).await;
        assert_all_done(&history);
    }))
    .await;
}

/// An error of the phone's own is what the task ends with, unless it can go on.
#[tokio::test]
async fn a_phone_that_fails_is_told_of() {
    const BROKEN: &str = r#"{"value":{"error":"unknown error","message":"broken","traceback":""}}"#;
    let desk = Desk::new().await;
    let id = desk.start(&script()).await;
    desk.checked(&id, 2).await;
    desk.sim.faults().answer("POST /actions", 500, BROKEN);
    let history = desk.end(&id, &|_, _| "stop".to_owned()).await;
    assert_eq!(history.status(), "failed", "{}", history.told());
    let error = &history.task["error"];
    assert!(error["message"].is_string() && error["hint"].is_string() && error["step"].is_u64(), "{error}");
    println!("500 for each touch: {error}");
}

#[tokio::test]
async fn an_alert_is_asked_about_and_answered() {
    let desk = Desk::new().await;
    let alert = || Alert { text: "Low battery".to_owned(), buttons: vec!["Later".to_owned(), "Close".to_owned()] };
    // It may come up just when the phone is touched, and take the touch in.
    let help = |question: &Value, history: &History, help: &dyn Fn() -> &'static str| {
        if question["reason"] == "outcome_unknown" {
            return desk.by_the_log(question, history);
        }
        assert_eq!(question["reason"], "alert", "{}", history.told());
        assert!(question["question"].as_str().is_some_and(|text| text.contains("Low battery")), "{question}");
        help().to_owned()
    };
    // By the task, with the button that it is told.
    let id = desk.start(&script()).await;
    desk.checked(&id, 2).await;
    desk.sim.phone().raise_alert(alert());
    let press = |question: &Value, history: &History| help(question, history, &|| " close");
    let history = desk.end(&id, &press).await;
    assert_all_done(&history);
    assert_eq!(history.uses("answer_alert"), (1, 1), "{}", history.told());
    // By hand.
    desk.sim.clear_log();
    let id = desk.start(&script()).await;
    desk.checked(&id, 2).await;
    desk.sim.phone().raise_alert(alert());
    let by_hand = |question: &Value, history: &History| {
        help(question, history, &|| {
            desk.sim.phone().answer_alert("Later").expect("it is there");
            " Again "
        })
    };
    let history = desk.end(&id, &by_hand).await;
    assert_all_done(&history);
    assert_eq!(history.uses("answer_alert"), (0, 0), "{}", history.told());
    // By the task again, whose answer to it is lost on the way back.
    desk.sim.clear_log();
    let id = desk.start(&script()).await;
    desk.checked(&id, 2).await;
    desk.sim.phone().raise_alert(alert());
    let lost = |question: &Value, history: &History| {
        help(question, history, &|| {
            for route in ["POST /alert/accept", "POST /alert/dismiss"] {
                desk.sim.faults().reset_after_next(route);
            }
            "Close"
        })
    };
    let history = desk.end(&id, &lost).await;
    assert_all_done(&history);
    assert_eq!(history.uses("answer_alert").0, 1, "{}", history.told());
}

#[tokio::test]
async fn a_locked_phone_is_asked_about() {
    let desk = Desk::new().await;
    let id = desk.start(&script()).await;
    desk.checked(&id, 2).await;
    control(&desk.host, &id, json!({ "action": "pause" })).await;
    desk.host.until("/devices/iphone", |body| body["lease"].is_null()).await;
    desk.sim.phone().lock();
    control(&desk.host, &id, json!({ "action": "resume" })).await;
    let unlock = |question: &Value, history: &History| {
        assert_eq!(question["reason"], "device_locked", "{}", history.told());
        desk.sim.phone().unlock().expect("it has no code");
        "it is open".to_owned()
    };
    let history = desk.end(&id, &unlock).await;
    assert_all_done(&history);
}

#[tokio::test]
async fn an_app_that_ends_by_itself_ends_the_script() {
    let desk = Desk::new().await;
    let id = desk.start(&script()).await;
    desk.checked(&id, 2).await;
    desk.sim.phone().terminate("com.fingertip.settings").expect("it runs");
    let history = desk.end(&id, &|question, history| desk.by_the_log(question, history)).await;
    assert_eq!(history.status(), "failed", "{}", history.told());
    println!("the app ended: {}", history.task["error"]);
}
