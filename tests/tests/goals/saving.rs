//! Tasks that become scripts, and scripts whose steps a model mends.

use super::*;

#[tokio::test]
async fn a_goal_that_was_reached_is_a_script_that_needs_no_model() {
    let mut turns = write_note("${what}");
    turns.insert(2, Turn::act("tap", json!({ "element": "nav_bar \"Notes\"" })));
    let sim = ModelSim::start(turns).await;
    let first = host(&sim, "", "").await;
    let id = start(&first, json!({ "goal": "Write a note", "inputs": { "what": "Quinces" } })).await;
    let task = settled(&first, &id).await;
    assert_eq!(task["status"], "succeeded", "{task}");
    let (status, script) = first.get(&format!("/task/{id}/script")).await;
    assert_eq!(status, 200, "{script}");
    let tools: Vec<&str> =
        script["steps"].as_array().expect("steps").iter().filter_map(|step| step["tool"].as_str()).collect();
    assert_eq!(tools, ["launch_app", "tap", "input_text"], "what had no effect is left out: {script}");
    assert_eq!(script["steps"][1]["arguments"], json!({ "element": "button \"New note\"" }), "{script}");
    assert_eq!(script["steps"][1]["expect"], json!({ "text": "Note" }), "{script}");
    assert_eq!(script["inputs"], json!({ "what": "Quinces" }));
    // Another host, another phone, no model.
    let second = Host::with(&virtual_device(PHONE)).await;
    let mut again = script;
    again["inputs"]["what"] = json!("Medlars");
    let id = start(&second, again).await;
    let task = settled(&second, &id).await;
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(task["used"]["tokens"], 0);
    assert!(notes_hold(&second, "Medlars").await);
}

/// What only the picture shows is judged by what the picture shows, and is found again by it.
#[tokio::test]
async fn what_only_the_picture_shows_is_saved_by_its_text() {
    let sim = ModelSim::deciding(|request, number| match number {
        0 => Turn::act("launch_app", json!({ "app": "Game" })),
        1 => Turn::act("tap", json!({ "x": 195, "y": 400 })),
        // Its ref ends when the phone is given back, while the human is asked.
        2 | 4 => Turn::act("find_text", json!({ "text": "Undo" })),
        3 | 5 => {
            // Beside a picture the words stand in a list.
            let question = question(request).replace('\\', "");
            let name = question.rsplit("\"ref\":\"").next().and_then(|rest| rest.split('"').next());
            tap(name.expect("a ref"))
        }
        _ => finish("undone"),
    })
    .await;
    let host = host(&sim, "pictures = true\nneeds_human = [\"undo\"]", "").await;
    let id = start(&host, json!({ "goal": "Undo it" })).await;
    let task = settled(&host, &id).await;
    assert_eq!(task["question"]["reason"], "listed: undo", "{task}");
    assert!(task["question"]["question"].as_str().is_some_and(|question| question.contains("tap Undo")), "{task}");
    answer(&host, &id, "yes").await;
    let task = settled(&host, &id).await;
    assert_eq!(task["status"], "succeeded", "{task}");
    let (status, script) = host.get(&format!("/task/{id}/script")).await;
    assert_eq!(status, 200, "{script}");
    assert_eq!(script["steps"][1]["arguments"], json!({ "x": 195, "y": 400 }), "nothing names a lamp: {script}");
    assert_eq!(script["steps"][2]["arguments"], json!({ "text": "Undo" }), "{script}");
    let second = Host::with(&virtual_device(PHONE)).await;
    let again = start(&second, script).await;
    let task = settled(&second, &again).await;
    assert_eq!(task["status"], "succeeded", "{task}");
}

#[tokio::test]
async fn a_point_on_an_element_is_saved_by_its_words() {
    let turns = vec![
        Turn::act("launch_app", json!({ "app": "Settings", "fresh": true })),
        Turn::act("tap", json!({ "x": 195, "y": 300 })),
        finish("it is open"),
    ];
    let sim = ModelSim::start(turns).await;
    let host = host(&sim, "pictures = true", "").await;
    let id = start(&host, json!({ "goal": "Open the page in the middle" })).await;
    let task = settled(&host, &id).await;
    assert_eq!(task["status"], "succeeded", "{task}");
    let (_, script) = host.get(&format!("/task/{id}/script")).await;
    let element = script["steps"][1]["arguments"]["element"].as_str();
    assert!(element.is_some_and(|element| element.starts_with("cell \"")), "{script}");
}

#[tokio::test]
async fn a_step_that_misses_is_mended_by_the_model_and_the_mended_script_is_offered() {
    let turns = [tap("button \"New note\""), finish("a note is open")];
    let sim = ModelSim::start([&turns[..], &turns].concat()).await;
    let host = host(&sim, "", "").await;
    let steps = json!([
        { "tool": "launch_app", "arguments": { "app": "Notes", "fresh": true }, "expect": { "text": "Shopping list" } },
        { "tool": "tap", "arguments": { "element": "button \"Write\"" }, "expect": { "text": "Write something", "timeout_ms": 2000 } },
        { "tool": "input_text", "arguments": { "element": "text_field \"Note\"", "text": "Sloes" } },
    ]);
    let id = start(&host, json!({ "goal": "Write a note", "steps": steps.clone() })).await;
    let task = settled(&host, &id).await;
    assert_eq!((&task["status"], &task["result"]["repaired"]), (&json!("succeeded"), &json!([2])), "{task}");
    assert_eq!(sim.requests().len(), 2, "only that step is handed over");
    let question = question(&sim.requests()[0]);
    assert!(question.contains("button \\\"Write\\\"") && question.contains("Write something"), "{question}");
    let (_, script) = host.get(&format!("/task/{id}/script")).await;
    let elements: Vec<&Value> =
        script["steps"].as_array().expect("steps").iter().map(|step| &step["arguments"]["element"]).collect();
    assert_eq!(elements, [&Value::Null, &json!("button \"New note\""), &json!("text_field \"Note\"")], "{script}");
    assert_eq!(script["steps"][0], steps[0], "what needed no help stays as it was");
    assert_eq!(script["steps"][1]["expect"], steps[1]["expect"]);
    // The mended script needs no help.
    let id = start(&host, script).await;
    let task = settled(&host, &id).await;
    assert_eq!((&task["status"], &task["used"]["tokens"]), (&json!("succeeded"), &json!(0)), "{task}");
    // Whoever runs it from the command line is told that there is one.
    let file = host.setup.folder().join("steps.json");
    std::fs::write(&file, steps.to_string()).expect("writable");
    let ran = host.setup.run(&["task", "run", "--steps", &file.display().to_string()]).await;
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    let (_, mended) = told.split_once("step 2 was mended; `").unwrap_or_else(|| panic!("{told}"));
    assert!(ran.status.success() && mended.contains(" task save ") && mended.contains("` keeps that"), "{told}");
}

#[tokio::test]
async fn a_step_that_the_model_cannot_mend_fails_with_both_reasons() {
    let sim =
        ModelSim::start(vec![Turn::act("finish", json!({ "success": false, "summary": "there is no such button" }))])
            .await;
    let host = host(&sim, "", "").await;
    let steps = json!([{ "tool": "tap", "arguments": { "element": "button \"Nowhere\"" } }]);
    let id = start(&host, json!({ "steps": steps })).await;
    let task = settled(&host, &id).await;
    let message = task["error"]["message"].as_str().expect("a message");
    assert!(message.contains("Nowhere") && message.contains("there is no such button"), "{task}");
    assert_eq!(task["error"]["step"], 1, "{task}");
}

#[tokio::test]
async fn what_has_not_succeeded_is_no_script() {
    let sim = ModelSim::start(vec![Turn::act("finish", json!({ "success": false, "summary": "no" }))]).await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Open Notes" })).await;
    settled(&host, &id).await;
    let (status, error) = host.get(&format!("/task/{id}/script")).await;
    assert_eq!((status, &error["code"]), (409, &json!("task_conflict")), "{error}");
    let (status, error) = host.get("/task/nobody/script").await;
    assert_eq!((status, &error["code"]), (404, &json!("task_not_found")), "{error}");
}
