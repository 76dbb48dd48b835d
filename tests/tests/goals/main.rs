//! Tasks with a goal, through the real binary: the **scripted** model decides, the virtual phone is acted on.
//!
//! What is shown here is what the runtime makes of a model's answers, not that a model is any good.

mod asking;
mod deciding;
mod faults;
mod limits;
mod saving;

use e2e::{
    host::{Host, Setup, virtual_device},
    model_sim::{ModelSim, Turn},
    phones::ok,
    tasks::{history, start, until},
};
use serde_json::{Value, json};
use std::fmt::Write;

/// The phone of these tests.
const PHONE: &str = "phone";

/// A host whose tasks are worked on by this model, with further lines under `[agent]` and whole sections after it.
fn setup(sim: &ModelSim, agent: &str, rest: &str) -> Setup {
    named("scripted", sim, agent, rest)
}

/// The same for a model of this name, which says whose protocol it speaks.
fn named(model: &str, sim: &ModelSim, agent: &str, rest: &str) -> Setup {
    let mut config = format!("[agent]\nmodel = {model:?}\nbase_url = {:?}\n{agent}\n", sim.base_url());
    let _ = write!(config, "{rest}\n{}", virtual_device(PHONE));
    Setup::new(&config)
}

async fn host(sim: &ModelSim, agent: &str, rest: &str) -> Host {
    setup(sim, agent, rest).serve().await
}

/// The task when it has ended, or asks.
async fn settled(host: &Host, id: &str) -> Value {
    until(host, id, &["succeeded", "failed", "cancelled", "needs_human"]).await
}

/// A task for this goal, until it has ended or asks.
async fn done(host: &Host, goal: &str) -> Value {
    let id = start(host, json!({ "goal": goal })).await;
    settled(host, &id).await
}

/// All events of a task.
async fn events(host: &Host, id: &str) -> Vec<Value> {
    history(host, id).await.events
}

/// Tells a task something.
async fn control(host: &Host, id: &str, body: Value) -> Value {
    let (status, answer) = host.post(&format!("/task/{id}/control"), body.clone()).await;
    assert_eq!(status, 200, "{body}: {answer}");
    answer["task"].clone()
}

async fn answer(host: &Host, id: &str, text: &str) {
    control(host, id, json!({ "action": "answer", "answer": text })).await;
}

/// What is on the phone's screen.
async fn screen(host: &Host) -> String {
    let (_, tree) = host.get(&format!("/devices/{PHONE}/tree")).await;
    tree["text"].as_str().expect("text").to_owned()
}

/// The words of a request that the model was asked with: system and user.
fn asked(request: &Value) -> String {
    request["messages"].to_string()
}

/// The last question of a request.
fn question(request: &Value) -> String {
    let messages = request["messages"].as_array().expect("messages");
    let user = messages.iter().find(|message| message["role"] == "user").expect("a question");
    user["content"].as_str().map_or_else(|| user["content"].to_string(), str::to_owned)
}

/// Opens the notes.
fn open_notes() -> Turn {
    Turn::act("launch_app", json!({ "app": "Notes" }))
}

fn tap(element: &str) -> Turn {
    Turn::act("tap", json!({ "element": element }))
}

fn finish(summary: &str) -> Turn {
    Turn::act("finish", json!({ "success": true, "summary": summary }))
}

/// The turns that write a note.
fn write_note(text: &str) -> Vec<Turn> {
    vec![
        Turn::act("plan", json!({ "steps": ["open Notes", "write the note"] })),
        open_notes(),
        tap("button \"New note\""),
        Turn::act("input_text", json!({ "element": "text_field \"Note\"", "text": text })),
        finish("the note is there"),
    ]
}

/// Leaves the phone as it is found by each test: it is a fresh one in each host, so that this only looks.
async fn notes_hold(host: &Host, text: &str) -> bool {
    ok(host, PHONE, "launch", json!({ "app": "Notes", "fresh": true })).await;
    screen(host).await.contains(text)
}
