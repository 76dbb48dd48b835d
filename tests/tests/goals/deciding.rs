//! Goals that are reached: in each form of answer, with output, with inputs, and what the model is shown meanwhile.

use super::*;

#[tokio::test]
async fn a_goal_is_reached_in_each_form_of_answer() {
    for answers in ["auto", "tools", "schema", "text"] {
        let sim = ModelSim::start(write_note("Buy plums")).await;
        let host = host(&sim, &format!("answers = {answers:?}"), "").await;
        let id = start(&host, json!({ "goal": "Write a note that says: Buy plums" })).await;
        let task = settled(&host, &id).await;
        assert_eq!(task["status"], "succeeded", "{answers}: {task}");
        assert_eq!(task["result"], json!({ "summary": "the note is there" }), "{answers}");
        assert_eq!(task["plan"], json!(["open Notes", "write the note"]), "{answers}");
        assert_eq!(task["used"]["tokens"], 5 * 120, "{answers}");
        let states: Vec<_> =
            task["steps"].as_array().expect("steps").iter().map(|step| step["state"].clone()).collect();
        assert_eq!(states, ["done", "done", "done"], "{answers}: {task}");
        assert!(notes_hold(&host, "Buy plums").await, "{answers}");
        let last = question(&sim.requests()[4]);
        for part in
            ["Goal: Write a note that says: Buy plums", "1. open Notes", "→ changed", "Buy plums", "<screen frame="]
        {
            assert!(last.contains(part), "{answers}: no {part:?} in {last}");
        }
    }
}

#[tokio::test]
async fn a_goal_is_reached_in_each_providers_protocol() {
    for (model, path) in [
        ("openai::gpt-x", "/v1/chat/completions"),
        ("ollama::qwen-x:8b", "/v1/chat/completions"),
        ("anthropic::claude-x", "/v1/messages"),
        ("gemini::gemini-x", "/v1/models/gemini-x:generateContent"),
    ] {
        let sim = ModelSim::start(write_note("Buy pears")).await;
        let host = named(model, &sim, "api_key_env = \"MODEL_KEY\"\npictures = true", "")
            .with_env("MODEL_KEY", "sk-of-this-test")
            .serve()
            .await;
        let task = done(&host, "Write a note that says: Buy pears").await;
        assert_eq!(
            (&task["status"], &task["used"]["tokens"]),
            (&json!("succeeded"), &json!(5 * 120)),
            "{model}: {task}"
        );
        assert!(notes_hold(&host, "Buy pears").await, "{model}");
        assert_eq!(sim.paths(), [path; 5], "{model}");
        assert!(sim.keys().into_iter().flatten().all(|key| key.ends_with("sk-of-this-test")), "{model}");
        // The tools are the same to each, with all that their schemas say.
        let sent = sim.requests()[0]["tools"].to_string();
        for part in ["launch_app", "input_text", "finish", "\"element\"", "description"] {
            assert!(sent.contains(part), "{model}: no {part} in {sent}");
        }
    }
}

#[tokio::test]
async fn every_action_is_intended_before_and_told_after() {
    let sim = ModelSim::start(write_note("Figs")).await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Write a note: Figs" })).await;
    settled(&host, &id).await;
    let events = events(&host, &id).await;
    let numbers: Vec<u64> = events.iter().filter_map(|event| event["n"].as_u64()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["kind"].as_str()).collect();
    assert_eq!(kinds[..2], ["created", "started"]);
    assert_eq!(kinds.last(), Some(&"finished"));
    let act = ["observation", "usage", "step_started", "intent", "effect", "verified"];
    assert_eq!(kinds.windows(act.len()).filter(|window| *window == act).count(), 3, "{kinds:?}");
    let intent = events.iter().rfind(|event| event["kind"] == "intent").expect("an intent");
    assert_eq!(intent["data"]["words"], "text_field \"Note\"", "{intent}");
}

#[tokio::test]
async fn output_is_asked_for_again_once() {
    let schema = json!({
        "type": "object", "properties": { "notes": { "type": "integer" } }, "required": ["notes"], "additionalProperties": false,
    });
    let told = |output: Value| Turn::act("finish", json!({ "success": true, "summary": "counted", "output": output }));
    let sim = ModelSim::start(vec![open_notes(), told(json!({ "notes": "three" })), told(json!({ "notes": 3 }))]).await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Count the notes", "output_schema": schema })).await;
    let task = settled(&host, &id).await;
    assert_eq!((&task["status"], &task["result"]), (&json!("succeeded"), &json!({ "notes": 3 })), "{task}");
    let again = asked(&sim.requests()[2]);
    assert!(again.contains("does not fit") && again.contains("three"), "{again}");
}

#[tokio::test]
async fn output_that_never_fits_ends_the_task_after_one_further_request() {
    let schema = json!({ "type": "object", "properties": { "notes": { "type": "integer" } }, "required": ["notes"] });
    let steps = json!([{ "tool": "launch_app", "arguments": { "app": "Notes" } }]);
    for steps in [json!([]), steps] {
        let output = json!({ "notes": "three" });
        let told = Turn::act("finish", json!({ "success": true, "summary": "counted", "output": output }));
        let sim = ModelSim::deciding(move |_, _| told.clone()).await;
        let host = host(&sim, "", "").await;
        let order = json!({ "goal": "Count the notes", "steps": steps, "output_schema": schema });
        let id = start(&host, order).await;
        let task = settled(&host, &id).await;
        assert_eq!(sim.requests().len(), 2, "asked, and asked again once: {task}");
        let error = &task["error"];
        assert_eq!((&task["status"], &error["reason"]), (&json!("failed"), &json!("output")), "{task}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("/notes")), "{task}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("output_schema")), "{task}");
    }
}

#[tokio::test]
async fn what_an_output_schema_refers_to_is_written_out_for_every_form() {
    let place = json!({ "type": "object", "properties": { "city": { "$ref": "#/$defs/name" } }, "required": ["city"] });
    let schema = json!({
        "type": "object", "properties": { "from": { "$ref": "#/$defs/place" } }, "required": ["from"],
        "$defs": { "name": { "type": "string" }, "place": place },
    });
    for answers in ["tools", "schema", "text"] {
        let output = json!({ "from": { "city": "Ulm" } });
        let told = Turn::act("finish", json!({ "success": true, "summary": "read", "output": output }));
        let sim = ModelSim::start(vec![told]).await;
        let host = host(&sim, &format!("answers = {answers:?}"), "").await;
        let id = start(&host, json!({ "goal": "Read the ticket", "output_schema": schema })).await;
        assert_eq!(settled(&host, &id).await["result"], output, "{answers}");
        let sent = sim.requests()[0].to_string();
        assert!(sent.contains("city") && !sent.contains("$ref") && !sent.contains("$defs"), "{answers}: {sent}");
    }
}

#[tokio::test]
async fn a_recursive_output_schema_is_refused_before_anything_is_done() {
    let sim = ModelSim::start(vec![]).await;
    let host = host(&sim, "", "").await;
    let schema = json!({ "type": "object", "properties": { "child": { "$ref": "#" } } });
    let (status, error) = host.post("/agent/task", json!({ "goal": "Look", "output_schema": schema })).await;
    assert_eq!((status, &error["code"]), (400, &json!("invalid_arguments")), "{error}");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("recursive")), "{error}");
}

#[tokio::test]
async fn a_script_may_have_its_output_told() {
    let told =
        Turn::act("finish", json!({ "success": true, "summary": "read", "output": { "first": "Shopping list" } }));
    let sim = ModelSim::start(vec![told]).await;
    let host = host(&sim, "", "").await;
    let schema = json!({ "type": "object", "properties": { "first": { "type": "string" } }, "required": ["first"] });
    let steps = json!([{ "tool": "launch_app", "arguments": { "app": "Notes" } }]);
    let id = start(&host, json!({ "goal": "Tell the first note", "steps": steps, "output_schema": schema })).await;
    let task = settled(&host, &id).await;
    assert_eq!(task["result"], json!({ "first": "Shopping list" }), "{task}");
    let request = &sim.requests()[0];
    assert_eq!(request["tools"].as_array().map(Vec::len), Some(1), "{request}");
}

#[tokio::test]
async fn secrets_are_typed_and_never_told() {
    let turns = vec![
        Turn::act("launch_app", json!({ "app": "com.fingertip.signin", "fresh": true })),
        Turn::act("input_text", json!({ "element": "text_field \"Email\"", "text": "${mail}" })),
        Turn::act(
            "input_text",
            json!({ "element": "secure_field \"Password\"", "text": "${password}", "submit": true }),
        ),
        finish("signed in"),
    ];
    let sim = ModelSim::start(turns).await;
    let host = host(&sim, "", "").await;
    let inputs = json!({ "mail": "ada@example.com", "password": { "secret": "lovelace1" } });
    let id = start(&host, json!({ "goal": "Sign in", "inputs": inputs })).await;
    let task = settled(&host, &id).await;
    assert_eq!(task["status"], "succeeded", "{task}");
    assert!(screen(&host).await.contains("Hello, Ada"));
    for request in sim.requests() {
        assert!(!request.to_string().contains("lovelace1"), "{request}");
        assert!(request.to_string().contains("${password}"), "{request}");
    }
    let told = Value::from(events(&host, &id).await).to_string();
    assert!(!told.contains("lovelace1") && told.contains("${password}"), "{told}");
}

#[tokio::test]
async fn a_secret_that_the_phone_shows_is_not_told_either_and_is_asked_for_anew_after_a_restart() {
    let turns = |number: usize| match number {
        0 => open_notes(),
        1 => tap("button \"New note\""),
        2 => Turn::act("ask_human", json!({ "question": "Go on?" })),
        // After the restart the phone is at its beginning.
        3 => open_notes(),
        4 => tap("button \"New note\""),
        5 => Turn::act("input_text", json!({ "element": "text_field \"Note\"", "text": "${word}" })),
        _ => finish("it is there"),
    };
    let sim = ModelSim::deciding(move |_, number| turns(number)).await;
    let host = host(&sim, "", "").await;
    let id = start(&host, json!({ "goal": "Write the word", "inputs": { "word": { "secret": "abracadabra" } } })).await;
    settled(&host, &id).await;
    let host = host.kill().await.serve().await;
    answer(&host, &id, "yes").await;
    let task = settled(&host, &id).await;
    assert_eq!(
        (&task["question"]["reason"], &task["question"]["input"]),
        (&json!("secret_input"), &json!("word")),
        "{task}"
    );
    answer(&host, &id, "abracadabra").await;
    let task = settled(&host, &id).await;
    assert_eq!(task["status"], "succeeded", "{task}");
    assert!(screen(&host).await.contains("abracadabra"));
    let asked = Value::from(sim.requests()).to_string();
    assert!(
        !asked.contains("abracadabra"),
        "it was told: {}",
        &asked[asked.find("abracadabra").unwrap_or(0).saturating_sub(600)..][..900]
    );
    let last = question(sim.requests().last().expect("asked"));
    assert!(last.contains("•"), "the field is shown with something in its place: {last}");
    assert!(!Value::from(events(&host, &id).await).to_string().contains("abracadabra"));
}

#[tokio::test]
async fn pictures_go_along_only_where_the_model_takes_them_and_wants_one() {
    for pictures in [false, true] {
        let see = if pictures { Turn::act("see_picture", json!({})) } else { open_notes() };
        let sim = ModelSim::start(vec![see, finish("seen"), finish("seen")]).await;
        let host = host(&sim, &format!("pictures = {pictures}"), "").await;
        assert_eq!(done(&host, "Look").await["status"], "succeeded");
        let with_picture: Vec<bool> =
            sim.requests().iter().map(|request| request.to_string().contains("data:image/jpeg")).collect();
        assert_eq!(with_picture, [false, pictures], "{pictures}");
        let offered = sim.requests()[0]["tools"].to_string();
        assert_eq!((offered.contains("see_picture"), offered.contains("\"from_x\":")), (pictures, pictures));
    }
}

#[tokio::test]
async fn what_is_not_offered_to_callers_is_not_offered_to_the_model() {
    let turns = vec![Turn::act("open_url", json!({ "url": "https://example.com" })), open_notes(), finish("open")];
    let sim = ModelSim::start(turns).await;
    let tools = "[tools]\ntools = [\"launch_app\", \"tap\", \"get_ui_tree\", \"start_task\", \"get_task\"]";
    let host = host(&sim, "", tools).await;
    assert_eq!(done(&host, "Open Notes").await["status"], "succeeded");
    let requests = sim.requests();
    let names: Vec<&str> = requests[0]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["function"]["name"].as_str())
        .collect();
    assert_eq!(names, ["plan", "tap", "launch_app", "ask_human", "finish"]);
    assert!(asked(&requests[1]).contains("open_url"), "{}", requests[1]);
}
