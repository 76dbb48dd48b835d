//! Models that answer badly, late, or not at all; and hosts that are killed in the middle of a goal.

use super::*;
use e2e::{
    host::wda_devices,
    wda_sim::{SimOptions, WdaSim},
};
use std::time::Duration;

/// A task to open the notes and be done, after these turns: how it ended, and how often the model was asked.
async fn after(turns: Vec<Turn>, agent: &str) -> (Value, Vec<Value>) {
    let turns = turns.into_iter().chain([open_notes(), finish("open")]).collect();
    let sim = ModelSim::start(turns).await;
    let host = host(&sim, agent, "").await;
    (done(&host, "Open Notes").await, sim.requests())
}

#[tokio::test]
async fn bad_answers_are_asked_again_once_with_what_was_wrong() {
    for (turn, complaint) in [
        (Turn::Text("I would open the app.".to_owned()), "JSON"),
        (Turn::Text("{\"tool\": \"launch_app\", \"arguments\": {\"app\": ".to_owned()), ""),
        (Turn::act("open_app", json!({ "app": "Notes" })), "open_app"),
        (Turn::act("launch_app", json!({ "name": "Notes" })), "`name`"),
        (Turn::act("tap", json!({ "element": "e1", "device_id": "other" })), "device_id"),
        (Turn::act("input_text", json!({ "text": "${nobody}" })), "${nobody}"),
        (Turn::act("finish", json!({ "summary": "done" })), "success"),
    ] {
        let (task, requests) = after(vec![turn.clone()], "").await;
        assert_eq!(task["status"], "succeeded", "{turn:?}: {task}");
        assert_eq!(requests.len(), 3, "{turn:?}");
        assert!(asked(&requests[1]).contains(complaint), "{turn:?}: {}", requests[1]);
    }
}

#[tokio::test]
async fn a_model_that_never_answers_rightly_ends_the_task() {
    let sim = ModelSim::deciding(|_, _| Turn::Text("Let me think about it.".to_owned())).await;
    let host = host(&sim, "", "").await;
    let task = done(&host, "Open Notes").await;
    assert_eq!((&task["status"], &task["error"]["reason"]), (&json!("failed"), &json!("model")), "{task}");
    assert_eq!(task["error"]["code"], "model_unavailable", "{task}");
    assert!(task["error"]["message"].as_str().is_some_and(|message| message.contains("calls no tool")), "{task}");
    assert_eq!(sim.requests().len(), 6, "three times, each asked again once");
}

#[tokio::test]
async fn what_is_wrong_with_answers_is_told_to_the_operator_and_what_to_do_to_the_model() {
    let message = json!({ "role": "assistant", "content": "" });
    let cut = Turn::Body(json!({ "choices": [{ "message": message, "finish_reason": "length" }] }));
    for (turn, what, hint) in [
        (Turn::act("input_text", json!({ "text": "a; ${nobody}" })), "no input ${nobody}", "more capable model"),
        (cut, "limit of its tokens", "max_tokens"),
    ] {
        let sim = ModelSim::deciding(move |_, _| turn.clone()).await;
        let host = host(&sim, "", "").await;
        let task = done(&host, "Open Notes").await;
        let text = |name: &str| task["error"][name].as_str().unwrap_or_default().to_owned();
        assert!(text("message").contains(what), "{task}");
        assert!(text("hint").contains(hint) && text("hint").contains("[agent]"), "{task}");
        for advice in ["Use only inputs", "brief"] {
            assert!(!task["error"].to_string().contains(advice), "{task}");
        }
        let advice = if hint == "max_tokens" { "brief" } else { "Use only inputs" };
        assert!(asked(&sim.requests()[1]).contains(advice), "{}", sim.requests()[1]);
    }
}

#[tokio::test]
async fn a_complaint_names_the_tool_once() {
    for (arguments, complaint) in [
        (json!({ "direction": "up", "pinch": 33 }), "cannot be used: swipe: `pinch` must be at most 10, not 33."),
        (json!({ "direction": "north" }), "cannot be used: swipe: `direction` must be one of"),
    ] {
        let sim = ModelSim::start(vec![Turn::act("swipe", arguments), finish("there")]).await;
        let host = host(&sim, "", "").await;
        done(&host, "Look around").await;
        let asked = asked(&sim.requests()[1]);
        assert!(asked.contains(complaint), "{asked}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_says_what_and_the_hint_what_to_do() {
    let sim = ModelSim::deciding(|_, _| Turn::Refuse(400, "bad; content_filter; worse".to_owned())).await;
    let host = host(&sim, "", "").await;
    let task = done(&host, "Open Notes").await;
    let text = |name: &str| task["error"][name].as_str().unwrap_or_default().to_owned();
    assert!(text("message").contains("bad; content_filter; worse"), "{task}");
    assert!(text("hint").starts_with("Change what is asked for"), "{task}");
}

#[tokio::test]
async fn servers_that_are_busy_broken_or_half_are_asked_again() {
    for turn in [Turn::Status(429, Some(0)), Turn::Status(500, None), Turn::Status(503, None), Turn::Half, Turn::Junk] {
        let (task, requests) = after(vec![turn.clone()], "").await;
        assert_eq!((&task["status"], requests.len()), (&json!("succeeded"), 3), "{turn:?}: {task}");
    }
}

#[tokio::test]
async fn a_model_that_is_away_is_a_question_and_no_loss() {
    for (turn, agent) in [(Turn::Status(401, None), ""), (Turn::Hang, "timeout_ms = 300")] {
        let turns = [open_notes(), turn.clone(), finish("open")];
        let sim = ModelSim::deciding(move |_, number| turns[number.min(2)].clone()).await;
        let host = host(&sim, agent, "").await;
        let id = start(&host, json!({ "goal": "Open Notes" })).await;
        let task = settled(&host, &id).await;
        assert_eq!(task["status"], "needs_human", "{turn:?}: {task}");
        assert_eq!(task["question"]["reason"], "model_unavailable", "{turn:?}: {task}");
        answer(&host, &id, "again").await;
        let task = settled(&host, &id).await;
        assert_eq!((&task["status"], &task["used"]["steps"]), (&json!("succeeded"), &json!(1)), "{turn:?}: {task}");
    }
}

#[tokio::test]
async fn a_task_is_cancelled_while_the_model_is_silent() {
    let sim = ModelSim::deciding(|_, _| Turn::Hang).await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Open Notes" })).await;
    host.until(&format!("/task/{id}"), |got| got["events"].as_array().is_some_and(|events| events.len() >= 3)).await;
    let task = control(&host, &id, json!({ "action": "cancel" })).await;
    assert_eq!(task["status"], "cancelled");
    let (status, told) = host.post(&format!("/task/{id}/control"), json!({ "action": "answer", "answer": "go" })).await;
    assert_eq!((status, &told["code"]), (409, &json!("task_conflict")), "{told}");
    // The phone is free at once.
    ok(&host, PHONE, "press", json!({ "button": "home" })).await;
}

#[tokio::test]
async fn a_killed_host_goes_on_where_it_was() {
    let turns = write_note("Pears");
    let sim = ModelSim::deciding(move |_, number| match number {
        3 => Turn::Slow(Duration::from_secs(30), Box::new(turns[3].clone())),
        // The slow answer was never taken; it is asked for anew.
        number => turns[number.min(5) - usize::from(number > 3)].clone(),
    })
    .await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Write a note: Pears" })).await;
    host.until(&format!("/task/{id}"), |got| got["task"]["steps"].as_array().is_some_and(|steps| steps.len() == 2))
        .await;
    while sim.requests().len() < 4 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let before = events(&host, &id).await;
    let host = host.kill().await.serve().await;
    let task = settled(&host, &id).await;
    // The virtual phone died with the host, so that the model finds another screen than it left.
    assert!(["succeeded", "failed", "needs_human"].contains(&task["status"].as_str().expect("a status")), "{task}");
    let after = events(&host, &id).await;
    assert_eq!(after[..before.len()], before[..]);
    let estimated = after.iter().filter(|event| event["kind"] == "usage" && event["data"]["estimated"] == true);
    assert_eq!(estimated.count(), 1, "what was asked when the host was killed counts, once: {after:?}");
    let question = question(&sim.requests()[4]);
    assert!(
        question.contains("launch_app") && question.contains("New note") && question.contains("1. open Notes"),
        "{question}"
    );
}

#[tokio::test]
async fn a_host_that_is_told_to_stop_does_not_wait_for_the_model() {
    let late = Turn::Slow(Duration::from_secs(2), Box::new(open_notes()));
    let sim = ModelSim::deciding(move |_, number| if number == 0 { late.clone() } else { finish("done") }).await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Open Notes" })).await;
    while sim.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let host = host.stop().await.serve().await;
    assert_eq!(settled(&host, &id).await["status"], "succeeded");
    let events = events(&host, &id).await;
    assert!(events.iter().all(|event| event["kind"] != "intent"), "nothing was begun while it stopped: {events:?}");
}

#[tokio::test]
async fn a_picture_that_cannot_be_kept_is_no_reason_to_stop() {
    let sim = ModelSim::deciding(|_, number| match number {
        0 => Turn::act("see_picture", json!({})),
        _ => finish("seen"),
    })
    .await;
    let host = host(&sim, "pictures = true", "").await;
    let pictures = host.setup.data_dir().join("tasks/pictures");
    std::fs::remove_dir_all(&pictures).expect("there is the folder of pictures");
    std::fs::write(&pictures, "no folder").expect("written");
    let id = start(&host, json!({ "goal": "Look" })).await;
    let task = settled(&host, &id).await;
    assert_eq!(task["status"], "succeeded", "{task}");
    let events = events(&host, &id).await;
    let problem = events.iter().find_map(|event| event["data"]["problem"].as_str()).expect("a note");
    assert!(problem.starts_with("the picture could not be kept: "), "{problem}");
    assert!(question(&sim.requests()[1]).contains("image_url"), "the model sees it all the same");
}

#[tokio::test]
async fn a_form_without_a_model_is_told_and_nothing_is_made_up() {
    let sim = ModelSim::start(vec![]).await;
    let host = host(&sim, "", "").await;
    let steps = json!([{ "tool": "wait_for", "arguments": { "text": "what never comes", "timeout_ms": 60_000 } }]);
    let schema = json!({ "type": "object", "required": ["price"] });
    let id = start(&host, json!({ "steps": steps, "output_schema": schema })).await;
    host.until(&format!("/task/{id}"), |got| got["task"]["steps"].as_array().is_some_and(|steps| steps.len() == 1))
        .await;
    let setup = host.kill().await;
    setup.configure("127.0.0.1:0", "", &virtual_device(PHONE));
    let host = setup.serve().await;
    let task = settled(&host, &id).await;
    assert_eq!((&task["status"], &task["error"]["code"]), (&json!("failed"), &json!("model_unavailable")), "{task}");
    assert!(task["error"]["hint"].as_str().is_some_and(|hint| hint.contains("[agent]")), "{task}");
}

/// On the *simulated* iPhone, whose answer to the touch is lost after the touch.
#[tokio::test]
async fn an_action_in_doubt_is_not_repeated_without_a_human() {
    let sim = ModelSim::deciding(|request, number| match number {
        0 => Turn::act("launch_app", json!({ "app": "com.fingertip.settings" })),
        2 => Turn::act("wait_for", json!({ "idle": true })),
        _ if asked(request).contains("it is on already") => finish("it is on"),
        // The same switch by another name.
        3 => Turn::act("tap", json!({ "text": "Airplane Mode" })),
        _ => tap("switch \"Airplane Mode\""),
    })
    .await;
    let phone = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let devices = wda_devices(&[(PHONE, &phone.url())]);
    let host = Host::with(&format!("[agent]\nmodel = \"scripted\"\nbase_url = {:?}\n{devices}", sim.base_url())).await;
    phone.faults().reset_after_next("POST /actions");
    let id = start(&host, json!({ "goal": "Switch airplane mode on" })).await;
    let task = settled(&host, &id).await;
    assert_eq!(
        (&task["status"], &task["question"]["reason"]),
        (&json!("needs_human"), &json!("outcome_unknown")),
        "{task}"
    );
    assert_eq!(phone.touches().len(), 1);
    answer(&host, &id, "no, it is on already").await;
    assert_eq!(settled(&host, &id).await["status"], "succeeded");
    assert_eq!(phone.touches().len(), 1);
}

#[tokio::test]
async fn without_a_model_a_goal_is_refused_and_steps_are_not() {
    let host = Host::with(&virtual_device(PHONE)).await;
    let (status, error) = host.post("/agent/task", json!({ "goal": "Open Notes" })).await;
    assert_eq!((status, &error["code"]), (503, &json!("model_unavailable")), "{error}");
    assert_eq!(error["retryable"], false, "no model comes by waiting: {error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("[agent]") && hint.contains("steps")), "{error}");
    let steps = json!([{ "tool": "launch_app", "arguments": { "app": "Notes" } }]);
    let id = start(&host, json!({ "steps": steps })).await;
    assert_eq!(settled(&host, &id).await["status"], "succeeded");
}
