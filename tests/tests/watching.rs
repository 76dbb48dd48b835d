//! Tasks as those see them who wait for them: the stream of events, progress of a call that waits, and `fingertip task`.
//!
//! It knows what the virtual phone's apps show. How a task is worked on is tested elsewhere.

use e2e::{
    host::{Host, Setup, virtual_device},
    mcp::Mcp,
    pipe::Pipe,
};
use serde_json::{Value, json};
use std::{process::Stdio, time::Duration};
use tokio::io::{AsyncBufReadExt, BufReader};

const LONG: Duration = Duration::from_secs(60);

fn one_phone() -> Setup {
    Setup::new(&virtual_device("phone"))
}

/// A script that takes a while and always succeeds.
fn unhurried(rounds: u32) -> Value {
    let round = json!([{ "tool": "press_button", "arguments": { "button": "home" } }, { "tool": "wait_for", "arguments": { "idle": true } }]);
    json!([{ "steps": round, "repeat": rounds }])
}

async fn started(host: &Host, steps: &Value) -> String {
    let (status, body) = host.post("/agent/task", json!({ "steps": steps })).await;
    assert_eq!(status, 202, "{body}");
    body["task_id"].as_str().expect("a name").to_owned()
}

/// A stream of events: status and text, when it has ended.
async fn stream(host: &Host, path: &str, last: Option<&str>) -> (u16, String) {
    let mut request = host.client().get(host.url(path));
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    let response = request.send().await.expect("answered");
    let (status, kind) = (response.status().as_u16(), response.headers().get("content-type").cloned());
    if status == 200 {
        assert_eq!(kind.expect("a type"), "text/event-stream");
    }
    let text = tokio::time::timeout(LONG, response.text()).await.expect("it ends").expect("text");
    (status, text)
}

/// The events of a stream: id, kind, data.
fn events(text: &str) -> Vec<(u64, String, Value)> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {block}")).to_owned()
    };
    let blocks = text.split("\n\n").filter(|block| block.starts_with("id: "));
    let event = |block: &str| {
        let data = serde_json::from_str(&field(block, "data")).expect("JSON");
        (field(block, "id").parse().expect("a number"), field(block, "event"), data)
    };
    blocks.map(event).collect()
}

#[tokio::test]
async fn a_stream_tells_each_event_once_and_ends_with_the_task() {
    let host = Host::with_virtual_phone().await;
    let id = started(&host, &unhurried(3)).await;
    let path = format!("/task/{id}/events");
    // It begins while the task is at work.
    let (status, text) = stream(&host, &path, None).await;
    assert_eq!(status, 200, "{text}");
    let told = events(&text);
    let numbers: Vec<u64> = told.iter().map(|(id, ..)| *id).collect();
    assert_eq!(numbers, (1..=told.len() as u64).collect::<Vec<_>>());
    assert_eq!(told.last().map(|(_, kind, _)| kind.as_str()), Some("finished"), "{text}");
    let (_, body) = host.get(&format!("/task/{id}")).await;
    let listed = body["events"].as_array().expect("events");
    assert_eq!(told.iter().map(|(.., data)| data).collect::<Vec<_>>(), listed.iter().collect::<Vec<_>>());
    for (_, kind, data) in &told {
        assert_eq!(data["kind"], *kind);
    }
    // Whoever comes back is told what came since, by the header before the address.
    let (_, text) = stream(&host, &format!("{path}?after=1"), Some("4")).await;
    assert_eq!(events(&text), told[4..]);
    let (_, text) = stream(&host, &format!("{path}?after=2"), None).await;
    assert_eq!(events(&text), told[2..]);
    let last = told.len().to_string();
    assert_eq!(stream(&host, &path, Some(&last)).await, (204, String::new()), "a browser would come back for ever");
}

#[tokio::test]
async fn a_stream_is_refused_as_other_calls_are() {
    let host = Host::with_virtual_phone().await;
    let id = started(&host, &unhurried(1)).await;
    let nowhere = "/task/01m8qdcm7dgzx19rnbvrh8xkj8/events".to_owned();
    for (path, last, status, code) in [
        (nowhere, None, 404, "task_not_found"),
        (format!("/task/{id}/events"), Some("-1"), 400, "invalid_arguments"),
        (format!("/task/{id}/events"), Some("last"), 400, "invalid_arguments"),
        (format!("/task/{id}/events?after=x"), None, 400, "invalid_arguments"),
        (format!("/task/{id}/events?wait_ms=5"), None, 400, "invalid_arguments"),
        (format!("/task/{id}/events?before=5"), None, 400, "invalid_arguments"),
    ] {
        let (came, text) = stream(&host, &path, last).await;
        let body: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{path}: {text}"));
        assert_eq!((came, &body["code"], &body["status"]), (status, &json!(code), &json!(status)), "{path} {last:?}");
    }
    let (status, body) = host.post(&format!("/task/{id}/events"), json!({})).await;
    assert_eq!((status, &body["code"]), (405, &json!("not_found")));
    let (_, document) = host.get("/openapi.json").await;
    assert!(
        document["paths"]["/task/{task_id}/events"]["get"]["responses"]["200"]["content"]["text/event-stream"]
            .is_object()
    );
}

/// A stream has no end of its own while its task rests: it must not keep the server from ending.
#[tokio::test]
async fn streams_end_with_the_server() {
    let host = Host::with_virtual_phone().await;
    let id = started(&host, &unhurried(50)).await;
    let (status, body) = host.post(&format!("/task/{id}/control"), json!({ "action": "pause" })).await;
    assert_eq!(status, 200, "{body}");
    let mut response = host.client().get(host.url(&format!("/task/{id}/events"))).send().await.expect("answered");
    let first = response.chunk().await.expect("a piece").expect("a piece");
    assert!(String::from_utf8_lossy(&first).contains("event: created"), "{first:?}");
    let rest = tokio::spawn(async move { response.text().await });
    host.stop().await;
    let rest = tokio::time::timeout(LONG, rest).await.expect("it ends").expect("not cancelled").expect("it ends well");
    assert!(rest.ends_with(": the server stops\n\n"), "{rest}");
}

/// What a client with a progress token is told: the notifications, and the answer at last.
fn assert_progress(messages: &[Value], token: &Value) {
    let (answer, told) = messages.split_last().expect("an answer");
    assert_eq!(answer["result"]["structuredContent"]["task"]["status"], "succeeded", "{answer}");
    assert!(!told.is_empty(), "nothing was told meanwhile");
    let mut before = 0.0;
    for message in told {
        assert_eq!(message["method"], "notifications/progress", "{message}");
        let params = &message["params"];
        assert_eq!(&params["progressToken"], token, "{message}");
        let progress = params["progress"].as_f64().expect("a number");
        assert!(progress > before, "{message} after {before}");
        before = progress;
        let text = params["message"].as_str().unwrap_or_default();
        assert!(
            text.starts_with("step ") && (text.contains("press button home") || text.contains("wait for")),
            "{text}"
        );
    }
}

#[tokio::test]
async fn progress_is_told_over_http() {
    let host = Host::with_virtual_phone().await;
    let mcp = Mcp::new(&host, "watcher");
    let (failed, body) = mcp.call("start_task", json!({ "steps": unhurried(3) })).await;
    assert!(!failed, "{body}");
    let arguments = json!({ "task_id": body["task_id"], "wait_ms": 60_000 });
    let params = json!({ "name": "get_task", "arguments": arguments, "_meta": { "progressToken": "t" } });
    let text = mcp.request_text("tools/call", params).await;
    let messages: Vec<Value> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .filter(|data| !data.trim().is_empty())
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect();
    assert_progress(&messages, &json!("t"));
    // Without a token nothing is told, and the answer is one piece of JSON.
    let (_, body) = mcp.call("start_task", json!({ "steps": unhurried(2) })).await;
    let answer = mcp.call_raw("get_task", json!({ "task_id": body["task_id"], "wait_ms": 60_000 })).await;
    assert_eq!(answer["result"]["structuredContent"]["task"]["status"], "succeeded", "{answer}");
}

#[tokio::test]
async fn progress_is_told_over_pipes() {
    let host = one_phone().serve().await;
    // Once in a server that was joined, once in a host of its own.
    watch_over_pipes(Pipe::start(&host.setup, false)).await;
    let setup = host.stop().await;
    watch_over_pipes(Pipe::start(&setup, false)).await;
}

async fn watch_over_pipes(mut client: Pipe) {
    client.initialize().await;
    let (failed, body) = client.call("start_task", json!({ "steps": unhurried(3) })).await;
    assert!(!failed, "{body}");
    let arguments = json!({ "task_id": body["task_id"], "wait_ms": 60_000 });
    let params = json!({ "name": "get_task", "arguments": arguments, "_meta": { "progressToken": 7 } });
    client.send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params })).await;
    let mut messages = vec![client.receive().await];
    while messages.last().is_some_and(|message| message["id"] != 99) {
        messages.push(client.receive().await);
    }
    assert_progress(&messages, &json!(7));
    let (_, body) = client.call("start_task", json!({ "steps": unhurried(1) })).await;
    // The next message is the answer: nothing is told to those who did not ask.
    let (failed, body) = client.call("get_task", json!({ "task_id": body["task_id"], "wait_ms": 60_000 })).await;
    assert!(!failed && body["task"]["status"] == "succeeded", "{body}");
    assert_eq!(client.end().await.0, Some(0));
}

/// What a command printed and how it ended.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn of(output: std::process::Output) -> Ended {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("not JSON: {:?}\n{}", self.out, self.err))
    }

    /// The task that `task run` started.
    fn task(&self) -> &str {
        let named = self.err.lines().find_map(|line| line.strip_prefix("task "));
        named.unwrap_or_else(|| panic!("no task in {}", self.err))
    }
}

async fn task(setup: &Setup, arguments: &[&str]) -> Ended {
    Ended::of(setup.run(&[&["task"], arguments].concat()).await)
}

fn written(setup: &Setup, name: &str, content: &Value) -> String {
    let file = setup.folder().join(name);
    std::fs::write(&file, content.to_string()).expect("writable");
    file.display().to_string()
}

/// The example of the README.
fn example() -> Value {
    let readme = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = std::fs::read_to_string(readme).expect("the README");
    let (_, tasks) = text.split_once("\n## Tasks\n").expect("a section");
    let (_, example) = tasks.split_once("```json\n").expect("an example");
    serde_json::from_str(example.split_once("```").expect("its end").0).expect("JSON")
}

const PASSWORD: &str = "lovelace1";

/// The same commands with a server and without one.
#[tokio::test]
async fn scripts_are_run_from_the_command_line() {
    let setup = one_phone().with_env("FINGERTIP_SECRET_PASSWORD", PASSWORD);
    drive(&setup).await;
    let host = setup.serve().await;
    drive(&host.setup).await;
    assert!(!host.log().contains(PASSWORD));
}

async fn drive(setup: &Setup) {
    let script = written(setup, "example.json", &example());
    let done = task(setup, &["run", "--steps", &script, "--input", "name=Clara Dubois"]).await;
    assert_eq!(done.code, Some(0), "{}", done.err);
    // The script may repeat more often than it did.
    let steps = done.json()["steps"].as_u64().expect("a number");
    assert!(steps > 5 && done.err.contains(&format!("succeeded: {steps} steps")), "{} {}", done.out, done.err);
    assert!(done.err.contains("launch app Sign-in  changed\n") && done.err.contains("succeeded"), "{}", done.err);
    assert!(!done.err.contains(PASSWORD) && !done.out.contains(PASSWORD), "{} {}", done.out, done.err);

    let miss = written(setup, "miss.json", &json!([{ "tool": "tap", "arguments": { "text": "No such text" } }]));
    let failed = task(setup, &["run", "Find it", "--steps", &miss, "--device", "phone"]).await;
    assert_eq!((failed.code, failed.out.as_str()), (Some(1), ""), "{}", failed.err);
    assert!(failed.err.contains("No such text\" is not on the screen. "), "no reason with what to do: {}", failed.err);
    let whole = task(setup, &["run", "--steps", &miss, "--json"]).await;
    assert_eq!((whole.code, &whole.json()["status"]), (Some(1), &json!("failed")));

    let shown = task(setup, &["show", done.task(), "--events"]).await;
    for part in ["status    succeeded", "   1 launch app Sign-in  done, changed", "step_started of step 1"] {
        assert!(shown.out.contains(part), "{part:?} is missing in\n{}", shown.out);
    }
    assert!(!shown.out.contains(PASSWORD), "{}", shown.out);
    let shown = task(setup, &["show", failed.task(), "--json"]).await.json();
    assert_eq!((&shown["goal"], &shown["status"]), (&json!("Find it"), &json!("failed")));
    let listed = task(setup, &["list", "--status", "failed"]).await;
    assert!(listed.out.contains(failed.task()) && !listed.out.contains(done.task()), "{}", listed.out);
    let listed = task(setup, &["list", "--device", "phone", "--limit", "2", "--json"]).await.json();
    assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(2));

    // What was saved does the same again.
    let file = setup.folder().join("saved.json").display().to_string();
    let saved = task(setup, &["save", done.task(), "--out", &file]).await;
    assert_eq!(saved.code, Some(0), "{}", saved.err);
    assert!(!std::fs::read_to_string(&file).expect("saved").contains(PASSWORD));
    let again = task(setup, &["run", "--steps", &file]).await;
    assert_eq!(again.code, Some(0), "{}", again.err);

    for (arguments, part) in [
        (vec!["show", "nothing"], "there is no task"),
        (vec!["cancel", done.task()], "already succeeded"),
        (vec!["answer", done.task(), "yes"], "already succeeded"),
        (vec!["pause", "nothing"], "there is no task"),
        (vec!["list", "--status", "done"], "succeeded"),
        (vec!["run"], "--steps FILE"),
        (vec!["run", "Do something"], "model"),
        (vec!["run", "--steps", "nowhere.json"], "nowhere.json"),
        (vec!["run", "--steps", &miss, "--input", "x"], "NAME=VALUE"),
        (vec!["run", "--steps", &script, "--input", "nam=Clara Dubois"], "Did you mean `name`?"),
        (vec!["run", "--steps", &miss, "--secret", "unknown"], "FINGERTIP_SECRET_UNKNOWN"),
        (vec!["run", "--steps", &miss, "--device", "other"], "other"),
        (vec!["run", "--steps", &miss, "--limit-steps", "100000"], "limits.steps"),
    ] {
        let refused = task(setup, &arguments).await;
        assert_eq!(refused.code, Some(1), "{arguments:?}");
        assert!(refused.err.contains(part), "{arguments:?}: {}", refused.err);
    }
}

/// `task run` beside the test, which reads what it tells until something is told.
struct Running {
    child: tokio::process::Child,
    lines: tokio::io::Lines<BufReader<tokio::process::ChildStderr>>,
    told: String,
}

impl Running {
    fn start(setup: &Setup, steps: &str) -> Running {
        let mut command = setup.command();
        command.args(["task", "run", "--steps", steps]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        Running { child, lines, told: String::new() }
    }

    /// Waits for a line with this in it.
    async fn until(&mut self, part: &str) -> String {
        loop {
            let line = tokio::time::timeout(LONG, self.lines.next_line()).await.expect("in time").expect("text");
            let Some(line) = line else { panic!("{part:?} was not told:\n{}", self.told) };
            self.told.push_str(&line);
            self.told.push('\n');
            if line.contains(part) {
                return line;
            }
        }
    }

    async fn id(&mut self) -> String {
        self.until("task ").await.trim_start_matches("task ").to_owned()
    }

    async fn interrupt(&self) {
        let pid = self.child.id().expect("it runs").to_string();
        tokio::process::Command::new("kill").args(["-INT", &pid]).status().await.expect("told");
    }

    async fn end(mut self) -> Ended {
        let ended = tokio::time::timeout(LONG, async {
            while let Some(line) = self.lines.next_line().await.expect("text") {
                self.told.push_str(&line);
                self.told.push('\n');
            }
            self.child.wait_with_output().await.expect("waited")
        });
        let output = ended.await.expect("it ends");
        Ended { err: self.told, ..Ended::of(output) }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_command_leaves_its_task() {
    let setup = one_phone();
    let steps = written(&setup, "steps.json", &unhurried(4));
    // Without a server it is left where it is, until somebody takes it up: here the host of an MCP client.
    let mut run = Running::start(&setup, &steps);
    let id = run.id().await;
    run.until("   1 press button home").await;
    run.interrupt().await;
    let ended = run.end().await;
    assert!(ended.code == Some(1) && ended.err.contains("the next `fingertip"), "{}", ended.err);
    let shown = task(&setup, &["show", &id, "--json"]).await.json();
    assert_eq!(shown["status"], "running", "{shown}");
    for arguments in [&["show", &id][..], &["list"]] {
        let told = task(&setup, arguments).await;
        assert!(told.out.contains("running (not worked on: no server runs)"), "{}", told.out);
    }
    let paused = task(&setup, &["pause", &id]).await;
    assert!(paused.code == Some(0) && paused.err.contains("is paused; it stays so"), "{}", paused.err);
    let resumed = task(&setup, &["resume", &id]).await;
    assert!(resumed.code == Some(0) && resumed.err.contains("is left where it is: no server"), "{}", resumed.err);
    let mut client = Pipe::start(&setup, false);
    client.initialize().await;
    let (failed, body) = client.call("get_task", json!({ "task_id": id, "wait_ms": 60_000 })).await;
    assert!(!failed && body["task"]["status"] == "succeeded", "{body}");
    assert_eq!(client.end().await.0, Some(0));

    // With one it goes on there.
    let host = setup.serve().await;
    let mut run = Running::start(&host.setup, &steps);
    let id = run.id().await;
    run.until("   1 press button home").await;
    run.interrupt().await;
    let ended = run.end().await;
    assert!(ended.code == Some(1) && ended.err.contains("goes on in the running server"), "{}", ended.err);
    host.until(&format!("/task/{id}"), |body| body["task"]["status"] == "succeeded").await;
}

#[tokio::test]
async fn tasks_are_steered_and_answered_from_the_command_line() {
    let host = one_phone().serve().await;
    let steps = written(&host.setup, "steps.json", &unhurried(100));
    let mut run = Running::start(&host.setup, &steps);
    let id = run.id().await;
    for (action, told) in [("pause", "is paused"), ("resume", "is running"), ("cancel", "is cancelled")] {
        let done = task(&host.setup, &[action, &id]).await;
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(done.err.contains(told) || action == "resume", "{action}: {}", done.err);
    }
    let ended = run.end().await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{}", ended.err);
    for part in ["is paused", "goes on", "was cancelled"] {
        assert!(ended.err.contains(part), "{part}: {}", ended.err);
    }
    assert!(!ended.err.contains("is there again"), "the device was never away: {}", ended.err);

    // A secret is not kept: whoever goes on with a task asks for it anew.
    let steps = json!([
        { "tool": "launch_app", "arguments": { "app": "Sign-in", "fresh": true } },
        { "steps": unhurried(1), "repeat": 3 },
        { "tool": "launch_app", "arguments": { "app": "Sign-in" }, "expect": { "text": "Email" } },
        { "tool": "input_text", "arguments": { "element": "secure_field \"Password\"", "text": "${pin}", "secret": true } },
    ]);
    let asked = json!({ "steps": steps, "inputs": { "pin": { "secret": PASSWORD } } });
    let (_, body) = host.post("/agent/task", asked).await;
    let id = body["task_id"].as_str().expect("a name").to_owned();
    let host = host.kill().await.serve().await;
    host.until(&format!("/task/{id}"), |body| body["task"]["status"] == "needs_human").await;
    let shown = task(&host.setup, &["show", &id]).await;
    assert!(shown.out.contains("asks") && shown.out.contains("pin"), "{}", shown.out);
    let missing = task(&host.setup, &["answer", &id]).await;
    assert!(missing.code == Some(1) && missing.err.contains("task answer"), "{}", missing.err);
    let answered = task(&host.setup, &["answer", &id, PASSWORD]).await;
    assert_eq!(answered.code, Some(0), "{}", answered.err);
    let body = host.until(&format!("/task/{id}"), |body| body["task"]["result"].is_object()).await;
    assert!(!body.to_string().contains(PASSWORD), "{body}");
}

/// A question is put to whoever runs the task; where nobody is at a terminal, by the command that answers it.
#[tokio::test]
async fn a_question_says_how_it_is_answered() {
    let host = Host::with(&format!(
        "{}[plugin.device.options]\nlocked = true\npasscode = \"1234\"\n",
        virtual_device("phone")
    ))
    .await;
    let steps = json!([{ "tool": "launch_app", "arguments": { "app": "Settings" } }]);
    let steps = written(&host.setup, "steps.json", &steps);
    let mut run = Running::start(&host.setup, &steps);
    let id = run.id().await;
    run.until("asks: The phone is locked").await;
    let how = run.until("to answer: ").await;
    assert!(how.contains(&format!("task answer {id} ")) && how.contains("--config"), "{how}");
    // Somebody enters the passcode by hand: the task has given the phone back meanwhile.
    let (_, body) = host.post("/devices/phone/press", json!({ "button": "unlock" })).await;
    assert_eq!(body["code"], "device_locked", "{body}");
    for digit in 1..=4 {
        let (status, body) = host.post("/devices/phone/tap", json!({ "element": format!("button \"{digit}\"") })).await;
        assert_eq!(status, 200, "{body}");
    }
    let (status, body) = host.post("/devices/phone/disconnect", json!({})).await;
    assert_eq!(status, 200, "{body}");
    let answered = task(&host.setup, &["answer", &id, "it is open"]).await;
    assert_eq!(answered.code, Some(0), "{}", answered.err);
    let ended = run.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("was answered") && !ended.err.contains("is there again"), "{}", ended.err);
}

/// Whoever answers an alert knows its buttons, also when the first answer was none of them.
#[tokio::test]
async fn a_question_about_an_alert_names_its_buttons() {
    let host = one_phone().serve().await;
    let steps = json!([
        { "tool": "launch_app", "arguments": { "app": "Settings", "fresh": true } },
        { "tool": "scroll_to", "arguments": { "element": "cell \"Privacy\"" } },
        { "tool": "tap", "arguments": { "element": "cell \"Privacy\"" }, "expect": { "text": "Camera" } },
        { "tool": "tap", "arguments": { "element": "cell \"Camera\"" }, "expect": { "text": "access the camera" } },
        { "tool": "tap", "arguments": { "element": "button \"Settings\"" }, "expect": { "text": "Airplane Mode" } },
    ]);
    let steps = written(&host.setup, "steps.json", &steps);
    let mut run = Running::start(&host.setup, &steps);
    let id = run.id().await;
    let asked = run.until("asks: ").await;
    assert!(asked.contains("Its buttons: \"") && asked.contains("\"Allow\""), "{asked}");
    let shown = task(&host.setup, &["show", &id]).await;
    assert!(shown.out.contains("asks") && shown.out.contains("\"Allow\""), "{}", shown.out);
    assert_eq!(task(&host.setup, &["answer", &id, "Alow"]).await.code, Some(0));
    let asked = run.until("asks: There is no button \"Alow\". ").await;
    assert!(asked.contains("\"Allow\""), "{asked}");
    assert_eq!(task(&host.setup, &["answer", &id, "Allow"]).await.code, Some(0));
    let ended = run.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

/// The key of the model is the server's: a second terminal has none. Where no server runs, it is needed for what works on tasks.
#[tokio::test]
async fn a_key_is_needed_by_who_hosts() {
    const VARIABLE: &str = "E2E_MODEL_KEY";
    let agent =
        format!("[agent]\nmodel = \"scripted\"\nbase_url = \"http://127.0.0.1:1/v1\"\napi_key_env = {VARIABLE:?}\n");
    let setup = Setup::new(&format!("{agent}{}", virtual_device("phone"))).with_env(VARIABLE, "a-key");
    let host = setup.serve().await;
    let keyless = async |setup: &Setup, arguments: &[&str]| {
        let output = setup.command().env_remove(VARIABLE).args(arguments).output().await.expect("it starts");
        Ended::of(output)
    };
    let steps = written(&host.setup, "steps.json", &unhurried(1));
    for arguments in [&["task", "run", "--steps", &steps][..], &["task", "list"], &["devices"]] {
        let done = keyless(&host.setup, arguments).await;
        assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.err);
    }
    let setup = host.stop().await;
    for arguments in [&["task", "list"][..], &["devices"], &["call", "press_button", "--json", r#"{"button": "home"}"#]]
    {
        let done = keyless(&setup, arguments).await;
        assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.err);
    }
    for arguments in [&["task", "run", "--steps", &steps][..], &["mcp"], &["serve"]] {
        let refused = keyless(&setup, arguments).await;
        assert!(refused.code == Some(1) && refused.err.contains("holds no key"), "{arguments:?}: {}", refused.err);
    }
}
