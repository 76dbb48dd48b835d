//! Tasks without a phone and without a model: what is done with them beside the work itself.

use super::{
    halt::Halt,
    inputs::Inputs,
    runner::Run,
    service::{Agent, Parts, Request},
};
use crate::capability::{Answer, Caller, Capability, Catalogue, Code, Effect, Error, Method, Route};
use crate::config;
use fingertip_tasks::{Kind, Limits, Memory, NewEvent, NewTask, Status};
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tempfile::TempDir;

/// A tool that answers this.
fn tool(name: &'static str, answer: impl Fn() -> Result<Value, Error> + Send + Sync + 'static) -> Capability {
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    let fields = json!({ "device_id": { "type": "string" }, "ttl_s": { "type": "integer" } });
    let answer = Arc::new(answer);
    Capability {
        name,
        title: name,
        description: name,
        effect: Effect::Read,
        route: Route { method: Method::Post, path: name },
        input: object(json!({ "type": "object", "properties": fields })),
        output: object(json!({ "type": "object" })),
        has_image: false,
        tool: true,
        invoke: Arc::new(move |_, _| {
            let body = answer().map(|body| Answer { body: object(body), image: None });
            Box::pin(async { body })
        }),
    }
}

/// An agent whose only phone is away for ever.
fn agent() -> (TempDir, Agent) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path(), Limits::default()).unwrap();
    let away = || Err(Error::new(Code::DeviceOffline, "the phone is away", "Plug it in."));
    let own = Catalogue::new(vec![
        tool("device_status", || Ok(json!({ "device": { "id": "phone" } }))),
        tool("connect_device", away),
        tool("disconnect_device", || Ok(json!({}))),
    ]);
    let tools = Catalogue::new(vec![tool("look", || Ok(json!({})))]);
    let config = config::Agent::default();
    (folder, Agent::new(Parts { memory, tools, own, config, model: None }).unwrap())
}

async fn recorded(agent: &Agent, events: Vec<NewEvent>) -> String {
    let new = NewTask { goal: "x".to_owned(), device_id: Some("phone".to_owned()), ..NewTask::default() };
    let id = agent.recorder().create(new).await.unwrap().id;
    agent.recorder().append(&id, events).await.unwrap();
    id
}

fn asks(question: &str) -> NewEvent {
    NewEvent::new(Kind::Asked, json!({ "question": question }))
}

#[tokio::test]
async fn an_answer_is_not_taken_for_one_to_another_question() {
    let (_folder, agent) = agent();
    let id = recorded(&agent, vec![asks("Delete the first?")]).await;
    let as_it_was = agent.task(&id).await.unwrap();
    agent.answer(&as_it_was, None, "yes".to_owned()).await.unwrap();
    agent.recorder().append(&id, vec![asks("Delete all; really?")]).await.unwrap();
    // A second yes that was meant for the first.
    let error = agent.answer(&as_it_was, None, "yes".to_owned()).await.unwrap_err();
    assert_eq!(error.code, Code::TaskConflict);
    assert!(error.message.contains("asks something else") && error.message.contains("Delete all; really?"), "{error}");
    assert_eq!(error.hint, "Read the question, then answer it.");
    assert_eq!(agent.task(&id).await.unwrap().status, Status::NeedsHuman);
}

#[tokio::test]
async fn a_secret_is_learned_with_its_answer_only() {
    let (_folder, agent) = agent();
    let question = json!({ "question": "The password?", "reason": "secret_input", "input": "password" });
    let id = recorded(&agent, vec![NewEvent::new(Kind::Asked, question)]).await;
    let run = run(&agent, &id);
    let as_it_was = agent.task(&id).await.unwrap();
    agent.answer(&as_it_was, Some(run.clone()), "hunter2".to_owned()).await.unwrap();
    assert_eq!(run.inputs().secret_texts(), ["hunter2"]);
    agent.answer(&as_it_was, Some(run.clone()), "other".to_owned()).await.unwrap_err();
    assert_eq!(run.inputs().secret_texts(), ["hunter2"], "what was refused is not learned");
}

fn run(agent: &Agent, id: &str) -> Arc<Run> {
    let order = json!({ "device_id": "phone", "limits": config::TaskLimits::default() });
    Arc::new(Run::new(agent.inner(), id, serde_json::from_value(order).unwrap(), Inputs::default()))
}

/// Waits until a task is as wanted.
async fn until(agent: &Agent, wanted: impl Fn(&[fingertip_tasks::Task]) -> bool) {
    let seen = async {
        loop {
            let tasks = agent.recorder().with(Memory::unfinished).await.unwrap();
            if wanted(&tasks) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), seen).await.expect("it comes about");
}

#[tokio::test]
async fn whoever_starts_a_task_and_leaves_leaves_one_that_is_worked_on() {
    let (_folder, agent) = agent();
    let step = json!({ "tool": "look" });
    let request = Request { steps: vec![step], ..Request::default() };
    let caller = Caller { session: None, client: "me".to_owned(), picture_limit: None };
    // It is asked for, and nobody waits for the answer.
    assert!(agent.start(request, caller).now_or_never().is_none());
    until(&agent, |tasks| tasks.iter().any(|task| task.status == Status::WaitingDevice)).await;
}

#[tokio::test]
async fn a_panic_ends_the_task_and_is_told() {
    let (_folder, agent) = agent();
    let intent = NewEvent::new(Kind::Intent, json!({ "tool": "tap" }));
    let id = recorded(&agent, vec![NewEvent::new(Kind::Started, json!({})), intent]).await;
    let halt = run(&agent, &id).guarded(async { panic!("as a fault would") }).await;
    assert!(matches!(halt, Halt::Ended), "{halt:?}");
    let task = agent.task(&id).await.unwrap();
    let error = task.error.unwrap();
    assert_eq!(
        (task.status, &error["code"], &error["outcome"]),
        (Status::Failed, &json!("internal"), &json!("unknown"))
    );
    assert!(error["hint"].as_str().unwrap().contains("log"), "{error}");
}
