//! What a task may use, and going in circles.

use super::*;

/// A model that turns the pages of the notes for ever.
async fn restless() -> ModelSim {
    let turn = |number: usize| match number % 2 {
        0 => Turn::act("launch_app", json!({ "app": if number.is_multiple_of(4) { "Notes" } else { "Settings" } })),
        _ => Turn::act("swipe", json!({ "direction": "up", "distance": 40 + number })),
    };
    ModelSim::deciding(move |_, number| turn(number)).await
}

#[tokio::test]
async fn each_limit_ends_the_task_and_says_which() {
    for (limits, what) in [
        (json!({ "steps": 3 }), "steps"),
        (json!({ "tokens": 300 }), "tokens"),
        (json!({ "usd": 0.001 }), "usd"),
        (json!({ "seconds": 1.5 }), "seconds"),
    ] {
        let sim = restless().await;
        let price = "[agent.price]\ninput = 3.0\noutput = 6.0";
        let host = host(&sim, "", price).await;
        let id = start(&host, json!({ "goal": "Never stop", "limits": limits })).await;
        let task = settled(&host, &id).await;
        assert_eq!(
            (&task["status"], &task["error"]["reason"]),
            (&json!("failed"), &json!("limit")),
            "{limits}: {task}"
        );
        assert!(task["error"]["message"].as_str().is_some_and(|message| message.contains(what)), "{limits}: {task}");
        let events = events(&host, &id).await;
        let limit = events.iter().find(|event| event["kind"] == "limit").expect("a limit");
        assert_eq!(limit["data"]["what"], what);
        let used = &task["used"];
        // The time may have come while the model was asked.
        let estimated = events.iter().any(|event| event["data"]["estimated"] == true);
        let tokens = used["tokens"].as_u64().expect("tokens");
        assert!(tokens > 0 && (estimated || tokens.is_multiple_of(120)), "{used}");
        assert!(used["usd"].as_f64().is_some_and(|usd| usd > 0.0), "{used}");
    }
}

#[tokio::test]
async fn money_without_a_price_is_no_limit() {
    let sim = ModelSim::start(vec![finish("done")]).await;
    let order = json!({ "goal": "Stop", "limits": { "usd": 0.1 } });
    let unpriced = host(&sim, "", "").await;
    let (status, error) = unpriced.post("/agent/task", order.clone()).await;
    assert_eq!((status, &error["code"]), (400, &json!("invalid_arguments")), "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("[agent.price]")), "{error}");
    drop(unpriced);
    // What the operator allows is no reason to refuse, and a model of one's own costs nothing.
    assert_eq!(done(&host(&sim, "", "[limits]\nusd = 1.0").await, "Stop").await["status"], "succeeded");
    let sim = ModelSim::start(vec![finish("done")]).await;
    let free = host(&sim, "", "[agent.price]\ninput = 0\noutput = 0").await;
    let id = start(&free, order).await;
    assert_eq!(settled(&free, &id).await["status"], "succeeded");
}

#[tokio::test]
async fn a_goal_that_takes_all_its_steps_is_reached() {
    let sim = ModelSim::start(write_note("Plums")).await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Write a note: Plums", "limits": { "steps": 3 } })).await;
    let task = settled(&host, &id).await;
    assert_eq!((&task["status"], &task["used"]["steps"]), (&json!("succeeded"), &json!(3)), "{task}");
}

#[tokio::test]
async fn more_than_the_operator_allows_is_refused() {
    let sim = restless().await;
    let host = host(&sim, "", "[limits]\nsteps = 5\nusd = 0.5").await;
    for (limits, what) in [(json!({ "steps": 6 }), "steps"), (json!({ "usd": 1 }), "usd")] {
        let (status, error) = host.post("/agent/task", json!({ "goal": "Stop", "limits": limits })).await;
        assert_eq!((status, &error["code"]), (400, &json!("invalid_arguments")), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(what)), "{error}");
    }
    assert_eq!(done(&host, "Never stop").await["used"]["steps"], 5);
}

#[tokio::test]
async fn the_same_action_on_the_same_screen_leads_to_another_plan_and_then_to_a_human() {
    let sim = ModelSim::deciding(|request, number| match number {
        0 => open_notes(),
        _ if asked(request).contains("do the other thing") => finish("done otherwise"),
        // It opens what is open, again and again, whatever it is told.
        _ => Turn::act("press_button", json!({ "button": "volume_up" })),
    })
    .await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Open Notes" })).await;
    let task = settled(&host, &id).await;
    assert_eq!((&task["status"], &task["question"]["reason"]), (&json!("needs_human"), &json!("stuck")), "{task}");
    let requests = sim.requests();
    assert!(asked(requests.last().expect("asked")).contains("going in circles"), "{requests:?}");
    answer(&host, &id, "do the other thing").await;
    assert_eq!(settled(&host, &id).await["status"], "succeeded");
}

#[tokio::test]
async fn actions_without_effect_lead_to_another_plan() {
    let sim = ModelSim::deciding(|request, number| match number {
        0 => open_notes(),
        _ if asked(request).contains("going in circles") => finish("found another way"),
        number => Turn::act("tap", json!({ "element": "nav_bar \"Notes\"", "hold_ms": number })),
    })
    .await;
    let host = host(&sim, "", "").await;
    let task = done(&host, "Open Notes").await;
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(sim.requests().len(), 6, "one that works, three without effect, one that is held back, the end");
}

#[tokio::test]
async fn plans_without_anything_done_lead_to_a_human() {
    let sim = ModelSim::deciding(|_, _| Turn::act("plan", json!({ "steps": ["think"] }))).await;
    let host = host(&sim, "", "").await;
    let task = done(&host, "Open Notes").await;
    assert_eq!((&task["status"], &task["question"]["reason"]), (&json!("needs_human"), &json!("stuck")), "{task}");
}

#[tokio::test]
async fn a_goal_that_cannot_be_reached_is_said_to_be() {
    let sim =
        ModelSim::start(vec![Turn::act("finish", json!({ "success": false, "summary": "there is no such app" }))])
            .await;
    let host = host(&sim, "", "").await;
    let task = done(&host, "Open the moon").await;
    assert_eq!((&task["status"], &task["error"]["reason"]), (&json!("failed"), &json!("gave_up")), "{task}");
    assert_eq!(task["error"]["message"], "there is no such app");
}
