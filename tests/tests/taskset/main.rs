//! Twenty goals on the virtual phone whose end states can be checked, and how many of them a model reaches.
//!
//! ```text
//! cargo test -p e2e --test taskset -- --nocapture                        the scripted model, which knows a way to each
//! FINGERTIP_TASKSET_MODEL=openai::gpt-5-mini OPENAI_API_KEY=… cargo test -p e2e --test taskset -- --nocapture
//! FINGERTIP_TASKSET_MODEL=qwen3:8b FINGERTIP_TASKSET_URL=http://127.0.0.1:11434/v1 FINGERTIP_TASKSET_ANSWERS=schema …
//! ```
//!
//! `FINGERTIP_TASKSET_KEY_ENV` names the variable that holds a key, `FINGERTIP_TASKSET_GOALS` how many goals are tried,
//! `FINGERTIP_TASKSET_STEPS` how many steps each may take (15). With the scripted model all must be reached, which shows that each
//! can be, and that the checks hold. Of any other model the share is printed; that each task ends or asks, and that the model could
//! be asked, is all that is demanded of it.

mod goals;

use e2e::{
    host::Host,
    model_sim::{ModelSim, Turn},
    tasks::{start, until},
};
use futures_util::future::join_all;
use goals::{Goal, Look};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    env,
    sync::{Arc, Mutex},
};

/// Where a task stands that is not worked on any more.
const OVER: [&str; 4] = ["succeeded", "failed", "cancelled", "needs_human"];
/// How many goals are worked on at once with the scripted model. A real one is asked for one at a time.
const AT_ONCE: usize = 5;

/// The lines of the configuration under `[agent]`.
fn agent() -> Option<String> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let model = variable("FINGERTIP_TASKSET_MODEL")?;
    let mut lines = format!("[agent]\nmodel = {model:?}\nask_before = []\n");
    for (name, key) in [
        ("FINGERTIP_TASKSET_URL", "base_url"),
        ("FINGERTIP_TASKSET_KEY_ENV", "api_key_env"),
        ("FINGERTIP_TASKSET_ANSWERS", "answers"),
    ] {
        if let Some(value) = variable(name) {
            lines += &format!("{key} = {value:?}\n");
        }
    }
    Some(lines)
}

fn number(name: &str, default: usize) -> usize {
    env::var(name)
        .ok()
        .map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
}

/// A model that knows a way to each goal, and takes it without looking.
async fn scripted(goals: &[Goal]) -> ModelSim {
    let ways: Vec<(&'static str, Value)> = goals.iter().map(|goal| (goal.words, goal.way.clone())).collect();
    let taken: Arc<Mutex<HashMap<&'static str, usize>>> = Arc::default();
    ModelSim::deciding(move |request, _| {
        let asked = request["messages"].to_string();
        let quoted = |words: &str| format!("Goal: {}", Value::from(words).to_string().trim_matches('"'));
        let Some((words, way)) = ways.iter().find(|(words, _)| asked.contains(&quoted(words))) else {
            return Turn::Text("I do not know this goal.".to_owned());
        };
        let mut taken = taken.lock().expect("sound");
        let step = taken.entry(words).or_default();
        *step += 1;
        match way.get(*step - 1) {
            Some(call) => Turn::act(call[0].as_str().expect("a tool"), call[1].clone()),
            None => Turn::act("finish", json!({ "success": true, "summary": "done" })),
        }
    })
    .await
}

/// Whether the phone shows that the goal was reached.
async fn is_reached(host: &Host, phone: &str, goal: &Goal) -> bool {
    let shown = shown(host, phone, goal).await;
    goal.shows.iter().all(|text| shown.contains(text)) && !goal.hides.iter().any(|text| shown.contains(text))
}

/// What the phone shows where the goal's end is looked for.
async fn shown(host: &Host, phone: &str, goal: &Goal) -> String {
    if let Some(Look { app, tap }) = &goal.look {
        host.post(&format!("/devices/{phone}/launch"), json!({ "app": app, "fresh": true })).await;
        if let Some(tap) = tap {
            host.post(&format!("/devices/{phone}/tap"), json!({ "element": tap })).await;
        }
    }
    let (_, tree) = host.get(&format!("/devices/{phone}/tree")).await;
    host.post(&format!("/devices/{phone}/disconnect"), json!({})).await;
    tree["text"].as_str().unwrap_or_default().to_owned()
}

/// Has one goal worked on: whether it was reached, and how the task ended.
async fn attempt(host: &Host, phone: &str, goal: &Goal, steps: usize) -> (bool, Value) {
    assert!(!is_reached(host, phone, goal).await, "{}: it is so from the start", goal.words);
    host.post(&format!("/devices/{phone}/press"), json!({ "button": "home" })).await;
    host.post(&format!("/devices/{phone}/disconnect"), json!({})).await;
    let order = json!({ "goal": goal.words, "device_id": phone, "limits": { "steps": steps, "seconds": 120 } });
    let id = start(host, order).await;
    let task = until(host, &id, &OVER).await;
    if task["status"] == "needs_human" {
        host.post(&format!("/task/{id}/control"), json!({ "action": "cancel" })).await;
    }
    (is_reached(host, phone, goal).await, task)
}

#[tokio::test]
async fn twenty_goals() {
    let mut goals = goals::all();
    assert_eq!(goals.len(), 20);
    goals.truncate(number("FINGERTIP_TASKSET_GOALS", goals.len()));
    let steps = number("FINGERTIP_TASKSET_STEPS", 15);
    let sim = scripted(&goals).await;
    let real = agent();
    let agent =
        real.clone().unwrap_or_else(|| format!("[agent]\nmodel = \"scripted\"\nbase_url = {:?}\n", sim.base_url()));
    let phones: Vec<String> = (1..=goals.len()).map(|number| format!("phone-{number}")).collect();
    let devices: String = phones.iter().map(|phone| format!("[[plugin.device]]\nid = {phone:?}\n")).collect();
    let host = Host::with(&format!("{agent}[[plugin]]\nname = \"virtual\"\n{devices}")).await;
    let pairs: Vec<(&String, &Goal)> = phones.iter().zip(&goals).collect();
    let mut reached = 0;
    for some in pairs.chunks(if real.is_some() { 1 } else { AT_ONCE }) {
        let tried = join_all(some.iter().map(|(phone, goal)| attempt(&host, phone, goal, steps))).await;
        for ((phone, goal), (is_reached, task)) in some.iter().zip(tried) {
            reached += usize::from(is_reached);
            let sign = if is_reached { "reached" } else { "missed " };
            let why = task["error"]["message"].as_str().or(task["question"]["question"].as_str()).unwrap_or_default();
            println!(
                "{sign}  {:<11}  {:>2} steps  {}  {why}",
                task["status"].as_str().unwrap_or_default(),
                task["used"]["steps"],
                goal.words
            );
            assert_ne!(task["question"]["reason"], "model_unavailable", "the model cannot be asked: {task}");
            if real.is_none() {
                assert_eq!(task["status"], "succeeded", "{}: {task}", goal.words);
                assert!(
                    is_reached,
                    "{}: {:?} are not all there: {}",
                    goal.words,
                    goal.shows,
                    shown(&host, phone, goal).await
                );
            }
        }
    }
    let share = 100.0 * reached as f64 / goals.len() as f64;
    println!("{reached} of {} goals reached: {share:.0} %", goals.len());
}
