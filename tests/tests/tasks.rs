//! Tasks as callers steer them: turns, pausing, cancelling, leases, limits, restarts, secrets, and what is refused. On the
//! virtual phone; what a script can do, and faults of the phone, stand in `scripts` and `kills`.

use e2e::{
    host::{Host, Setup},
    mcp::Mcp,
    tasks::{answer, control, ended, event, history, start, task, until},
    wda_sim::{SimOptions, WdaSim},
};
use serde_json::{Value, json};
use std::{fs, path::Path};

const PHONE: &str =
    "[[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = \"phone\"\n[plugin.device.options]\nscale = 1.0\n";

/// Half a second and more.
fn rest() -> Value {
    json!({ "tool": "wait_for", "arguments": { "idle": true } })
}

fn launch(app: &str) -> Value {
    json!({ "tool": "launch_app", "arguments": { "app": format!("com.fingertip.{app}") } })
}

/// More steps than any test waits for.
fn long() -> Value {
    json!({ "repeat": 50, "steps": [
        { "tool": "tap", "arguments": { "element": "cell \"General\"" }, "expect": { "text": "Software Update" } },
        { "tool": "tap", "arguments": { "element": "button \"Settings\"" }, "expect": { "text": "Airplane Mode" } },
    ] })
}

fn long_task() -> Value {
    json!({ "goal": "there and back", "steps": [launch("settings"), long()] })
}

fn is_step(number: u64) -> impl Fn(&Value) -> bool {
    move |event| event["kind"] == "verified" && event["step"] == number
}

#[tokio::test]
async fn tasks_of_one_device_come_in_their_order() {
    let host = Host::with(PHONE).await;
    let mut ids = Vec::new();
    for app in ["settings", "notes", "contacts"] {
        ids.push(start(&host, json!({ "steps": [launch(app), rest()] })).await);
    }
    // Those that come later are queued for as long as one before them is at work.
    let last = task(&host, &ids[2]).await;
    assert_eq!(last["status"], "queued");
    let why = last["waiting"]["message"].as_str().unwrap_or_default();
    assert!(why.contains(&format!("behind task {}", ids[0])), "{last}");
    let mut before = String::new();
    for id in &ids {
        let history = ended(&host, id).await;
        history.assert_complete();
        assert_eq!(history.status(), "succeeded", "{}", history.told());
        let started = history.of("started").next().expect("it was started")["at"].as_str().expect("a time").to_owned();
        assert!(started >= before, "{started} is before the end of the one before: {before}");
        before = history.of("finished").next().expect("an end")["at"].as_str().expect("a time").to_owned();
    }
    let (_, status) = host.get("/devices/phone").await;
    assert_eq!(status["app"]["id"], "com.fingertip.contacts", "{status}");
}

#[tokio::test]
async fn a_task_is_paused_resumed_and_cancelled() {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let host = Host::with(&e2e::host::wda_devices(&[("phone", &sim.url())])).await;
    let id = start(&host, long_task()).await;
    event(&host, &id, is_step(2)).await;
    let paused = control(&host, &id, json!({ "action": "pause" })).await;
    assert_eq!(paused["status"], "paused", "{paused}");
    // The step that was on its way ends, and the phone is anybody's.
    host.until("/devices/phone", |body| body["lease"].is_null()).await;
    let (touches, last) = (sim.touches().len(), history(&host, &id).await.events.len());
    let (status, other) = host.post_as("ann", "/devices/phone/press", json!({ "button": "volume_up" })).await;
    assert_eq!(status, 200, "{other}");
    let (status, _) = host.post_as("ann", "/devices/phone/disconnect", json!({})).await;
    assert_eq!(status, 200);
    let again = host.post(&format!("/task/{id}/control"), json!({ "action": "pause" })).await;
    assert_eq!((again.0, &again.1["code"]), (409, &json!("task_conflict")), "{}", again.1);
    assert_eq!((sim.touches().len(), history(&host, &id).await.events.len()), (touches, last), "it rests");
    let resumed = control(&host, &id, json!({ "action": "resume" })).await;
    assert_ne!(resumed["status"], "paused");
    event(&host, &id, is_step(6)).await;
    let cancelled = control(&host, &id, json!({ "action": "cancel" })).await;
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    host.until("/devices/phone", |body| body["lease"].is_null()).await;
    let history = ended(&host, &id).await;
    history.assert_complete();
    // What was on its way may still have arrived; nothing came after it.
    let (intents, done) = history.uses("tap");
    let touches = sim.touches().len();
    assert!((done..=intents).contains(&touches) && intents - done <= 1, "{touches}: {}", history.told());
    host.post("/devices/phone/press", json!({ "button": "home" })).await;
    assert_eq!(sim.touches().len(), touches, "{}", history.told());
    for action in ["cancel", "pause", "resume"] {
        let (status, error) = host.post(&format!("/task/{id}/control"), json!({ "action": action })).await;
        assert_eq!((status, &error["code"]), (409, &json!("task_conflict")), "{action}: {error}");
    }
}

#[tokio::test]
async fn a_phone_in_other_hands_is_waited_for() {
    let host = Host::with(PHONE).await;
    let (status, _) = host.post_as("ann", "/devices/phone/connect", json!({})).await;
    assert_eq!(status, 200);
    let id = start(&host, json!({ "steps": [launch("settings")] })).await;
    let waiting = event(&host, &id, |event| event["kind"] == "waiting").await;
    assert!(waiting["data"]["message"].as_str().is_some_and(|message| message.contains("ann")), "{waiting}");
    let waits = task(&host, &id).await;
    assert_eq!((&waits["status"], &waits["waiting"]), (&json!("waiting_device"), &waiting["data"]), "{waits}");
    let (status, _) = host.post_as("ann", "/devices/phone/disconnect", json!({})).await;
    assert_eq!(status, 200);
    let history = ended(&host, &id).await;
    history.assert_complete();
    assert_eq!(history.status(), "succeeded", "{}", history.told());
    assert_eq!(history.of("waiting").count(), 1, "it is told once: {}", history.told());
    assert!(history.task.get("waiting").is_none(), "{}", history.task);
}

#[tokio::test]
async fn whoever_asks_gives_the_phone_back_meanwhile() {
    let host = Host::with(PHONE).await;
    let steps = json!([
        { "tool": "launch_app", "arguments": { "app": "com.fingertip.settings", "fresh": true } },
        { "tool": "scroll_to", "arguments": { "element": "cell \"Privacy\"" } },
        { "tool": "tap", "arguments": { "element": "cell \"Privacy\"" }, "expect": { "text": "Camera" } },
        { "tool": "tap", "arguments": { "element": "cell \"Camera\"" }, "expect": { "text": "access the camera" } },
        { "tool": "tap", "arguments": { "element": "button \"Settings\"" }, "expect": { "text": "Airplane Mode" } },
    ]);
    let id = start(&host, json!({ "steps": steps })).await;
    let asked = until(&host, &id, &["needs_human"]).await;
    assert_eq!(asked["question"]["reason"], "alert", "{asked}");
    // What is no button is asked for anew.
    for wrong in ["Alow", ""] {
        answer(&host, &id, wrong).await;
        event(&host, &id, |event| {
            let question = event["data"]["question"].as_str().unwrap_or_default();
            event["kind"] == "asked" && question.starts_with(&format!("There is no button {wrong:?}. "))
        })
        .await;
    }
    let again = until(&host, &id, &["needs_human"]).await;
    assert_eq!(again["question"]["alert"]["buttons"], asked["question"]["alert"]["buttons"], "{again}");
    host.until("/devices/phone", |body| body["lease"].is_null()).await;
    let (status, answered) = host.post_as("ann", "/devices/phone/alert", json!({ "button": "Allow" })).await;
    assert_eq!(status, 200, "{answered}");
    host.post_as("ann", "/devices/phone/disconnect", json!({})).await;
    assert_eq!(task(&host, &id).await["status"], "needs_human", "it waits for its answer");
    answer(&host, &id, "again").await;
    let history = ended(&host, &id).await;
    history.assert_complete();
    assert_eq!(history.status(), "succeeded", "{}", history.told());
    let (status, error) = host.post(&format!("/task/{id}/control"), json!({ "action": "answer", "answer": "x" })).await;
    assert_eq!((status, &error["code"]), (409, &json!("task_conflict")), "{error}");
}

#[tokio::test]
async fn limits_hold() {
    let host = Setup::new(&format!("[limits]\nsteps = 150\nseconds = 600\n{PHONE}")).serve().await;
    for (limits, said) in [
        (json!({ "steps": 151 }), "150"),
        (json!({ "steps": 0 }), "steps"),
        (json!({ "steps": 99_999_999_999_u64 }), "150"),
        (json!({ "seconds": 601 }), "600"),
        (json!({ "seconds": -1 }), "seconds"),
        (json!({ "usd": "much" }), "usd"),
        (json!({ "minutes": 1 }), "minutes"),
        (json!({ "steps": 20 }), "101 steps"),
    ] {
        let mut order = long_task();
        order["limits"] = limits.clone();
        let (status, error) = host.post("/agent/task", order).await;
        assert_eq!((status, &error["code"]), (400, &json!("invalid_arguments")), "{limits}: {error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(said)), "{limits}: {error}");
    }
    let mut order = long_task();
    order["limits"] = json!({ "seconds": 2 });
    let id = start(&host, order).await;
    let history = ended(&host, &id).await;
    history.assert_complete();
    assert_eq!((history.status(), &history.task["error"]["reason"]), ("failed", &json!("limit")), "{}", history.told());
    assert_eq!(history.of("limit").count(), 1, "{}", history.told());
    // A script may be as long as the limit allows.
    let order = json!({ "steps": [launch("settings"), launch("notes")], "limits": { "steps": 2 } });
    assert_eq!(ended(&host, &start(&host, order).await).await.status(), "succeeded");
}

#[tokio::test]
async fn a_server_that_is_told_so_takes_nothing_up_by_itself() {
    let agent = "[agent]\nresume_on_start = false\n";
    let host = Setup::new(&format!("{agent}{PHONE}")).serve().await;
    let id = start(
        &host,
        json!({ "steps": [launch("settings"), { "repeat": 6, "steps": [launch("notes"), launch("settings")] }] }),
    )
    .await;
    event(&host, &id, is_step(3)).await;
    let before = history(&host, &id).await;
    let host = Host::start(host.kill().await).await;
    let after = history(&host, &id).await;
    assert_eq!(after.status(), "paused", "{}", after.told());
    assert!(after.events.starts_with(&before.events), "{}\n{}", before.told(), after.told());
    control(&host, &id, json!({ "action": "resume" })).await;
    let history = ended(&host, &id).await;
    history.assert_complete();
    assert_eq!(history.status(), "succeeded", "{}", history.told());
}

/// Whether a text stands in any file below a folder.
fn is_in(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            return is_in(&path, text);
        }
        fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    })
}

#[tokio::test]
async fn secrets_are_kept_nowhere_and_asked_for_after_a_restart() {
    const SECRET: &str = "lovelace1";
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let host = Host::with(&e2e::host::wda_devices(&[("phone", &sim.url())])).await;
    let order = json!({
        "steps": [
            { "tool": "launch_app", "arguments": { "app": "com.fingertip.signin", "fresh": true } },
            { "tool": "input_text", "arguments": { "element": "text_field \"Email\"", "text": "ada@example.com" } },
            // A switch that must be touched once: it is done when the server is killed, and waits for what does not come.
            { "tool": "tap", "arguments": { "element": "switch \"Remember me\"" },
              "expect": { "text": "Carry on", "timeout_ms": 60_000 } },
            { "tool": "answer_alert", "arguments": { "button": "Carry on" } },
            { "tool": "input_text", "arguments": { "element": "secure_field \"Password\"", "text": "${password}",
              "secret": true, "submit": true }, "expect": { "text": "Hello, Ada" } },
        ],
        "inputs": { "password": { "secret": SECRET } },
    });
    let id = start(&host, order).await;
    event(&host, &id, |event| event["kind"] == "effect" && event["step"] == 3).await;
    let before = history(&host, &id).await;
    let touches = sim.touches().len();
    let host = Host::start(host.kill().await).await;
    let asked = until(&host, &id, &["needs_human"]).await;
    assert_eq!(
        (&asked["question"]["reason"], &asked["question"]["input"]),
        (&json!("secret_input"), &json!("password"))
    );
    answer(&host, &id, SECRET).await;
    event(&host, &id, |event| event["kind"] == "started" && event["n"].as_u64() > Some(before.events.len() as u64))
        .await;
    sim.phone().raise_alert(driver_api::Alert { text: "Go".to_owned(), buttons: vec!["Carry on".to_owned()] });
    let history = ended(&host, &id).await;
    history.assert_complete();
    assert_eq!(history.status(), "succeeded", "{}", history.told());
    assert!(history.events.starts_with(&before.events), "{}", history.told());
    assert_eq!(history.uses("tap"), (1, 1), "what was done is not done again: {}", history.told());
    // Only the password field may have been touched since.
    assert!(sim.touches().len() <= touches + 1, "{:?}", sim.touches());
    assert!(!history.told().contains(SECRET), "{}", history.told());
    let (_, tasks) = host.get("/tasks").await;
    assert!(!tasks.to_string().contains(SECRET));
    assert!(!host.log().contains(SECRET));
    let setup = host.stop().await;
    assert!(is_in(&setup.data_dir(), "ada@example.com"), "the files are where they are looked for");
    assert!(!is_in(&setup.data_dir(), SECRET));
}

/// No step says that what it types is secret: the input is.
#[tokio::test]
async fn a_secret_is_one_in_every_step_that_types_it_also_when_it_is_done_again() {
    const SECRET: &str = "4111111111111111";
    let host = Host::with(PHONE).await;
    let mut order = json!({
        "goal": "type it",
        "steps": [
            { "tool": "launch_app", "arguments": { "app": "com.fingertip.signin", "fresh": true } },
            { "tool": "input_text", "arguments": { "element": "text_field \"Email\"", "text": "${card}" } },
            { "tool": "input_text", "arguments": { "text": "!" } },
            { "tool": "find_text", "arguments": { "text": "4111", "source": "tree" } },
        ],
        "inputs": { "card": { "secret": SECRET } },
    });
    for _ in 0..2 {
        let id = start(&host, order).await;
        let history = ended(&host, &id).await;
        assert_eq!(history.status(), "succeeded", "{}", history.told());
        assert!(!json!(history.events).to_string().contains("4111111"), "{}", json!(history.events));
        let typed = history.of("effect").find(|effect| effect["step"] == 2).expect("it is typed");
        let entered = &typed["data"]["result"]["entered"];
        assert_eq!((&entered["text"], &entered["length"]), (&Value::Null, &json!(SECRET.len())), "{entered}");
        let (status, script) = host.get(&format!("/task/{id}/script")).await;
        assert_eq!(status, 200, "{script}");
        assert!(!script.to_string().contains("4111111"), "{script}");
        order = script.get("script").unwrap_or(&script).clone();
        assert_eq!(order["inputs"]["card"]["secret"], "", "it is asked for: {order}");
        order["inputs"]["card"]["secret"] = SECRET.into();
    }
}

/// A host is killed while a tap is on its way. What it was done to is gone afterwards, and a person may have been at the phone.
#[tokio::test]
async fn what_is_gone_after_a_restart_is_asked_about() {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let host = Host::with(&e2e::host::wda_devices(&[("phone", &sim.url())])).await;
    let open = json!({ "tool": "launch_app", "arguments": { "app": "com.fingertip.settings", "fresh": true } });
    let tap = json!({ "tool": "tap", "arguments": { "element": "cell \"General\"" } });
    sim.faults().hang_next("POST /actions");
    let id = start(&host, json!({ "steps": [open, tap] })).await;
    event(&host, &id, |event| event["kind"] == "intent" && event["step"] == 2).await;
    // It is logged when it comes in, and hangs.
    while !sim.requests().iter().any(|request| request.path.ends_with("/actions")) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let setup = host.kill().await;
    sim.faults().release();
    let host = Host::start(setup).await;
    let asked = until(&host, &id, &["needs_human"]).await;
    assert_eq!(asked["question"]["reason"], "outcome_unknown", "{asked}");
    answer(&host, &id, "done").await;
    let history = ended(&host, &id).await;
    history.assert_complete();
    assert_eq!((history.status(), history.uses("tap")), ("succeeded", (1, 1)), "{}", history.told());
}

#[tokio::test]
async fn a_key_makes_one_task() {
    let host = Host::with(PHONE).await;
    let order = json!({ "steps": [launch("settings")], "idempotency_key": "once" });
    let first = start(&host, order.clone()).await;
    assert_eq!(start(&host, order.clone()).await, first);
    ended(&host, &first).await;
    assert_eq!(start(&host, order.clone()).await, first, "also after its end");
    let mut other = order.clone();
    other["steps"] = json!([launch("notes")]);
    let (status, error) = host.post("/agent/task", other).await;
    assert_eq!((status, &error["code"]), (400, &json!("invalid_arguments")), "{error}");
    // Another caller's key is another key.
    let (status, theirs) = host.post_as("ann", "/agent/task", order.clone()).await;
    assert_eq!(status, 202);
    assert_ne!(theirs["task_id"], json!(first));
    ended(&host, theirs["task_id"].as_str().expect("a name")).await;
    let host = Host::start(host.kill().await).await;
    assert_eq!(start(&host, order.clone()).await, first, "also after a restart");
    // The same request with its fields in another order.
    let step = &order["steps"][0];
    let arguments: Vec<String> = step["arguments"]
        .as_object()
        .expect("fields")
        .iter()
        .rev()
        .map(|(name, value)| format!("{name:?}:{value}"))
        .collect();
    let text = format!(
        "{{\"idempotency_key\":\"once\",\"steps\":[{{\"arguments\":{{{}}},\"tool\":{}}}]}}",
        arguments.join(","),
        step["tool"]
    );
    let request = host.client().post(host.url("/agent/task")).header("content-type", "application/json").body(text);
    let answer = request.send().await.expect("answered").text().await.expect("a body");
    assert!(answer.contains(&first), "{answer}");
}

#[tokio::test]
async fn what_is_no_task_is_refused_on_both_doors() {
    let host = Host::with(PHONE).await;
    let mcp = Mcp::new(&host, "tests");
    let done = start(&host, json!({ "steps": [launch("settings")] })).await;
    ended(&host, &done).await;
    let step = launch("settings");
    let start_cases = [
        (json!({}), 400, "invalid_arguments"),
        (json!({ "goal": "  " }), 400, "invalid_arguments"),
        (json!({ "goal": "do it" }), 503, "model_unavailable"),
        (json!({ "goal": "x".repeat(1_000_000) }), 400, "invalid_arguments"),
        (json!({ "goal": "do it", "device_id": "nobody", "steps": [step] }), 404, "device_not_found"),
        (json!({ "goal": "x".repeat(1_000_000), "steps": [step] }), 400, "invalid_arguments"),
        (json!({ "steps": [{ "tool": "fly" }] }), 400, "invalid_arguments"),
        (json!({ "steps": [{ "tool": "start_task", "arguments": { "goal": "x" } }] }), 400, "invalid_arguments"),
        (json!({ "steps": [{ "tool": "tap", "arguments": { "x": "left" } }] }), 400, "invalid_arguments"),
        (json!({ "steps": [{ "tool": "tap", "arguments": { "text": "${who}" } }] }), 400, "invalid_arguments"),
        (
            json!({ "steps": [{ "tool": "tap", "arguments": { "x": 1, "y": 1 }, "expect": {} }] }),
            400,
            "invalid_arguments",
        ),
        (
            json!({ "steps": [{ "tool": "tap", "arguments": { "x": 1, "y": 1 }, "expects": {} }] }),
            400,
            "invalid_arguments",
        ),
        (
            json!({ "steps": [{ "tool": "tap", "arguments": { "x": 1, "y": 1, "device_id": "other" } }] }),
            400,
            "invalid_arguments",
        ),
        (
            json!({ "steps": [{ "tool": "tap", "arguments": { "text": "${name}" } }], "inputs": { "name": "a", "nam": "b" } }),
            400,
            "invalid_arguments",
        ),
        (json!({ "steps": [step], "inputs": { "a b": 1 } }), 400, "invalid_arguments"),
        (json!({ "steps": [step], "inputs": { "a": [1] } }), 400, "invalid_arguments"),
        (json!({ "steps": [step], "limits": { "steps": 0 } }), 400, "invalid_arguments"),
        (json!({ "steps": [step], "limits": { "steps": 100_000 } }), 400, "invalid_arguments"),
        (json!({ "steps": [step], "idempotency_key": "" }), 400, "invalid_arguments"),
        (json!({ "steps": [step], "colour": "red" }), 400, "invalid_arguments"),
    ];
    for (order, status, code) in start_cases {
        let rest = host.post("/agent/task", order.clone()).await;
        let tool = mcp.call("start_task", order.clone()).await;
        both(&order, rest, tool, status, code);
    }
    let long = start(&host, long_task()).await;
    event(&host, &long, is_step(1)).await;
    for (id, action, status, code) in [
        (done.as_str(), json!({ "action": "cancel" }), 409, "task_conflict"),
        (&done, json!({ "action": "answer", "answer": "x" }), 409, "task_conflict"),
        (&long, json!({ "action": "answer", "answer": "x" }), 409, "task_conflict"),
        (&long, json!({ "action": "answer" }), 400, "invalid_arguments"),
        (&long, json!({ "action": "resume" }), 409, "task_conflict"),
        (&long, json!({ "action": "dance" }), 400, "invalid_arguments"),
        ("nobody", json!({ "action": "cancel" }), 404, "task_not_found"),
    ] {
        let rest = host.post(&format!("/task/{id}/control"), action.clone()).await;
        let mut arguments = action.clone();
        arguments["task_id"] = id.into();
        let tool = mcp.call("control_task", arguments.clone()).await;
        both(&arguments, rest, tool, status, code);
    }
    let (rest, tool) = (host.get("/task/nobody").await, mcp.call("get_task", json!({ "task_id": "nobody" })).await);
    both(&json!("nobody"), rest, tool, 404, "task_not_found");
    control(&host, &long, json!({ "action": "cancel" })).await;
}

fn both(what: &Value, (status, rest): (u16, Value), (failed, tool): (bool, Value), wanted: u16, code: &str) {
    let what: String = what.to_string().chars().take(200).collect();
    assert_eq!((status, &rest["code"]), (wanted, &json!(code)), "{what}: {rest}");
    assert!(failed && tool["code"] == code, "{what}: {tool}");
    assert_eq!(rest["message"], tool["message"], "{what}");
    for body in [&rest, &tool] {
        let said = |field: &str| body[field].as_str().is_some_and(|text| text.len() > 8 && text.len() < 500);
        assert!(said("message") && said("hint"), "{what}: {body}");
        assert_eq!(body["outcome"], "not_done", "{what}");
    }
}

#[tokio::test]
async fn tasks_are_followed_and_listed() {
    let host = Host::with(&format!("{PHONE}[[plugin.device]]\nid = \"other\"\n")).await;
    let first = start(&host, json!({ "goal": "first", "device_id": "phone", "steps": [launch("settings")] })).await;
    let (_, answer) = host.get(&format!("/task/{first}?wait_ms=60000")).await;
    assert_eq!(answer["task"]["status"], "succeeded", "without a number it waits for the end: {answer}");
    let events = answer["events"].as_array().expect("events").len() as u64;
    assert_eq!((&answer["next"], &answer["events"][0]["n"]), (&json!(events), &json!(1)));
    let (_, rest) = host.get(&format!("/task/{first}?after={}&wait_ms=60000", events - 2)).await;
    assert_eq!((rest["events"].as_array().map(Vec::len), &rest["next"]), (Some(2), &json!(events)), "{rest}");
    let (_, none) = host.get(&format!("/task/{first}?after={events}&wait_ms=60000")).await;
    assert_eq!(
        (none["events"].as_array().map(Vec::len), &none["next"]),
        (Some(0), &json!(events)),
        "an ended task has no news"
    );
    let (status, none) = host.get(&format!("/task/{first}?after=99999999999")).await;
    assert_eq!(
        (status, none["events"].as_array().map(Vec::len)),
        (200, Some(0)),
        "nothing happened after that: {none}"
    );
    let mut order = long_task();
    order["device_id"] = "other".into();
    let second = start(&host, order).await;
    event(&host, &second, is_step(1)).await;
    let list = |query: &str| {
        let path = format!("/tasks{query}");
        let host = &host;
        async move {
            let (status, body) = host.get(&path).await;
            assert_eq!(status, 200, "{path}: {body}");
            let names =
                body["tasks"].as_array().expect("tasks").iter().map(|task| task["id"].as_str().expect("id").to_owned());
            names.collect::<Vec<_>>()
        }
    };
    assert_eq!(list("").await, [second.as_str(), &first], "the newest first");
    assert_eq!(list("?status=succeeded").await, [first.as_str()]);
    assert_eq!(list("?status=running").await, [second.as_str()]);
    assert_eq!(list("?device_id=phone").await, [first.as_str()]);
    assert_eq!(list("?limit=1").await, [second.as_str()]);
    assert_eq!(list(&format!("?before={second}")).await, [first.as_str()]);
    assert_eq!(list("?status=failed").await, Vec::<String>::new());
    for query in ["?status=lost", "?limit=0", "?limit=1000", "?colour=red"] {
        let (status, error) = host.get(&format!("/tasks{query}")).await;
        assert_eq!((status, &error["code"]), (400, &json!("invalid_arguments")), "{query}: {error}");
    }
    control(&host, &second, json!({ "action": "cancel" })).await;
    let (_, answer) = host.get(&format!("/task/{second}?wait_ms=60000")).await;
    assert_eq!(answer["task"]["status"], "cancelled");
}
