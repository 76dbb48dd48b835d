//! A small catalogue that does everything that a door must cope with: it looks, acts, panics, is slow, draws, and fails with
//! every code.

use super::capability::{
    Answer, Caller, Capability, Catalogue, Code, Effect, Error, Image, Method, Outcome, Route, arguments,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

/// What the fixture saw.
#[derive(Default)]
pub struct Seen {
    pub begun: AtomicUsize,
    pub dropped: AtomicUsize,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Look {
    device_id: Option<String>,
    /// At most this many tokens.
    #[schemars(range(min = 1))]
    max_tokens: Option<u32>,
    interactive_only: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Tap {
    /// Which device.
    device_id: Option<String>,
    /// Across.
    x: f64,
    /// Down.
    y: f64,
    label: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Shot {
    #[allow(dead_code)]
    device_id: Option<String>,
    format: Option<Format>,
    /// Size of the picture, for tests.
    bytes: Option<usize>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Format {
    Jpeg,
    Png,
}

#[derive(Deserialize, JsonSchema)]
struct Wait {
    #[allow(dead_code)]
    device_id: Option<String>,
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Fail {
    code: Code,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Goal {
    goal: String,
}

#[derive(Deserialize, JsonSchema)]
struct Task {
    task_id: String,
    wait_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[allow(dead_code)]
struct Tapped {
    device_id: String,
    x: f64,
}

fn schema(fields: Value) -> Map<String, Value> {
    let Value::Object(schema) = json!({"type": "object", "properties": fields}) else { unreachable!() };
    schema
}

fn body(body: Value) -> Answer {
    let Value::Object(body) = body else { panic!("not an object") };
    Answer { body, image: None }
}

fn capability<T, F>(
    name: &'static str,
    effect: Effect,
    route: (Method, &'static str),
    output: Map<String, Value>,
    run: impl Fn(T, Caller) -> F + Send + Sync + Clone + 'static,
) -> Capability
where
    T: DeserializeOwned + JsonSchema + Send + 'static,
    F: Future<Output = Result<Answer, Error>> + Send + 'static,
{
    let title = match name {
        "tap" => "Tap",
        _ => "A tool",
    };
    Capability {
        name,
        title,
        description: "A tool of the tests, with <brackets> & \"quotes\".",
        effect,
        route: Route { method: route.0, path: route.1 },
        input: arguments::input_schema_for::<T>(),
        output,
        has_image: name == "take_screenshot",
        tool: true,
        invoke: Arc::new(move |arguments, caller| {
            let read = serde_json::from_value(Value::Object(arguments));
            let run = run.clone();
            Box::pin(async move {
                let read = read.map_err(|error| Error::invalid(error.to_string(), "Mend it."))?;
                run(read, caller).await
            })
        }),
    }
}

fn on_device(device_id: Option<String>) -> Result<String, Error> {
    match device_id.as_deref() {
        None | Some("phone-1") => Ok("phone-1".into()),
        Some("offline") => {
            Err(Error::new(Code::DeviceOffline, "the device is offline", "Plug it in.").on_device("offline"))
        }
        Some("busy") => Err(Error::new(Code::DeviceBusy, "the device is busy", "Wait.")
            .on_device("busy")
            .details(json!({"holder": "ann", "expires_at": "2999-01-01T00:00:00Z"}))),
        Some(other) => Err(Error::new(Code::DeviceNotFound, format!("there is no device {other:?}"), "List them.")),
    }
}

struct OnDrop(Arc<Seen>, bool);
impl Drop for OnDrop {
    fn drop(&mut self) {
        if !self.1 {
            self.0.dropped.fetch_add(1, SeqCst);
        }
    }
}

/// The catalogue.
pub fn catalogue() -> (Catalogue, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let (slow, taps) = (seen.clone(), seen.clone());
    let (get, post) = (Method::Get, Method::Post);
    let text = json!({"type": "string"});
    let capabilities = vec![
        capability(
            "list_devices",
            Effect::Read,
            (get, "/devices"),
            schema(json!({"devices": {"type": "array"}})),
            |_: Nothing, _| async { Ok(body(json!({"devices": [{"id": "phone-1"}]}))) },
        ),
        capability(
            "get_ui_tree",
            Effect::Read,
            (get, "/devices/{device_id}/tree"),
            schema(json!({"frame": text, "text": text, "max_tokens": {}})),
            |look: Look, _| async move {
                on_device(look.device_id)?;
                Ok(body(
                    json!({"frame": "f1", "text": "<screen frame=\"f1\">\nbutton \"OK\"\n</screen>", "max_tokens": look.max_tokens}),
                ))
            },
        ),
        capability(
            "tap",
            Effect::Act,
            (post, "/devices/{device_id}/tap"),
            arguments::output_schema_for::<Tapped>(),
            move |tap: Tap, _| {
                taps.begun.fetch_add(1, SeqCst);
                async move {
                    let device_id = on_device(tap.device_id)?;
                    Ok(body(json!({"device_id": device_id, "x": tap.x})))
                }
            },
        ),
        capability(
            "take_screenshot",
            Effect::Read,
            (post, "/devices/{device_id}/screenshot"),
            schema(json!({"frame": text, "scale": {"type": "number"}})),
            |shot: Shot, _| async move {
                let media_type = if shot.format == Some(Format::Png) { "image/png" } else { "image/jpeg" };
                let bytes = vec![7; shot.bytes.unwrap_or(10)].into();
                let mut answer = body(json!({"frame": "f2", "scale": 1.5, "orientation": "portrait"}));
                answer.image = Some(Image { media_type, bytes });
                Ok(answer)
            },
        ),
        capability(
            "explode",
            Effect::Act,
            (post, "/devices/{device_id}/explode"),
            schema(json!({})),
            |_: Look, _| async { panic!("the fixture panics on purpose") },
        ),
        capability(
            "wait_for",
            Effect::Read,
            (post, "/devices/{device_id}/wait"),
            schema(json!({"waited_ms": {"type": "integer"}})),
            move |wait: Wait, _| {
                let seen = slow.clone();
                async move {
                    seen.begun.fetch_add(1, SeqCst);
                    let mut guard = OnDrop(seen, false);
                    tokio::time::sleep(Duration::from_millis(wait.ms)).await;
                    guard.1 = true;
                    Ok(body(json!({"waited_ms": wait.ms})))
                }
            },
        ),
        capability("fail", Effect::Act, (post, "/fail"), schema(json!({})), |fail: Fail, _| async move {
            Err(Error::new(fail.code, "it failed", "Try something else.")
                .outcome(Outcome::Unknown)
                .on_device("phone-1")
                .details(json!({"why": [1, 2]})))
        }),
        capability(
            "whoami",
            Effect::Read,
            (get, "/whoami"),
            schema(json!({"client": text})),
            |_: Nothing, caller: Caller| async move {
                Ok(body(
                    json!({"session": caller.session, "client": caller.client, "picture_limit": caller.picture_limit}),
                ))
            },
        ),
        capability(
            "start_task",
            Effect::Act,
            (post, "/agent/task"),
            schema(json!({"task_id": text})),
            |_: Goal, _| async { Ok(body(json!({"task_id": "t-1", "status": "queued"}))) },
        ),
        capability(
            "get_task",
            Effect::Read,
            (get, "/task/{task_id}"),
            schema(json!({"task": {"type": "object"}})),
            |task: Task, _| async move { Ok(body(json!({"task": {"id": task.task_id, "wait_ms": task.wait_ms}}))) },
        ),
    ];
    (Catalogue::new(capabilities), seen)
}
