//! What happens to a task, told as it happens: a stream of server-sent events.
//!
//! It is made from `get_task`, asked again and again for what comes after the last event. It knows the form of such streams and
//! the fields of that answer; it does not know what the events mean, and decides nothing.

use super::{
    calls::Calls,
    guard::{Identity, RequestId},
    metrics::Door,
    openapi,
    problem::{self, Problem},
    request, rest,
};
use crate::capability::{Answer, Caller, Capability, Catalogue, Code, Error};
use axum::{
    Extension, Router,
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::{convert::Infallible, fmt::Write, sync::Arc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// How many streams there may be at once: each keeps a connection for as long as its task goes on.
const MOST_STREAMS: usize = 256;
/// How long a stream is silent at most. A comment then shows both ends, and whatever stands between them, that it lives.
const SILENCE_MS: u64 = 15_000;
/// After how long a browser comes back to a stream that broke off.
const COME_BACK: &str = "retry: 1000\n\n";
/// The header in which a client says which event it saw last.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The tool that streams are made from, and the path of the stream; nothing where it is not offered.
fn source(catalogue: &Catalogue) -> Option<(&Capability, String)> {
    let capability = catalogue.get("get_task")?;
    Some((capability, format!("{}/events", capability.route.path)))
}

/// The route. Its streams end when the server is told to stop.
pub fn router(calls: &Arc<Calls>, stop: &CancellationToken) -> Router {
    let Some((_, path)) = source(calls.catalogue()) else { return Router::new() };
    let (calls, stop) = (calls.clone(), stop.clone());
    let places = Arc::new(Semaphore::new(MOST_STREAMS));
    let handler =
        move |Extension(identity): Extension<Identity>, Extension(id): Extension<RequestId>, request: Request| {
            let (calls, stop, places) = (calls.clone(), stop.clone(), places.clone());
            async move {
                let begun = begin(calls, stop, &places, &identity, &id, request).await;
                begun.unwrap_or_else(|problem| problem.respond(&id.0))
            }
        };
    Router::new().route(&path, get(handler))
}

async fn begin(
    calls: Arc<Calls>,
    stop: CancellationToken,
    places: &Arc<Semaphore>,
    identity: &Identity,
    id: &RequestId,
    request: Request,
) -> Result<Response, Problem> {
    let Some(capability) = calls.catalogue().get("get_task") else { unreachable!("the route is made from it") };
    let caller = rest::caller(identity, request.headers())?;
    let seen = last_seen(request.headers())?;
    let mut arguments = request::read(capability, request).await?;
    if arguments.contains_key("wait_ms") {
        return Err(Error::invalid("a stream waits by itself, without `wait_ms`", "Leave it out.").into());
    }
    // A browser that comes back asks at the same address as at first; what it has seen since stands in the header.
    if let Some(seen) = seen {
        arguments.insert("after".to_owned(), seen.into());
    }
    let Ok(place) = places.clone().try_acquire_owned() else {
        return Err(Error::new(
            Code::Overloaded,
            format!("{MOST_STREAMS} streams of events are open, which is the most"),
            "Close some, or ask get_task with `after` and `wait_ms`.",
        )
        .into());
    };
    arguments.entry("after").or_insert(0.into());
    let first = Page::of(calls.run(Door::Rest, capability, arguments.clone(), caller.clone()).await?);
    if first.is_last() {
        // This is how a browser is told not to come back.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let begun = format!("{COME_BACK}{}", first.text).into();
    let state = Following { calls, caller, arguments, id: id.clone(), stop, begun: Some(begun), _place: place };
    let state = state.after(first);
    let body = stream::unfold(Some(state), |state| async { state?.next().await });
    let mut response = Body::from_stream(body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies of one kind hold answers back unless they are told not to.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

fn last_seen(headers: &HeaderMap) -> Result<Option<u32>, Problem> {
    let Some(given) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let number = given.to_str().ok().and_then(|given| given.trim().parse().ok());
    number.map(Some).ok_or_else(|| {
        Problem::new(Error::invalid(
            "the Last-Event-ID is no number of an event",
            "Send the `id` of the last event that you saw, or leave the header out to begin with the first.",
        ))
    })
}

/// What one question brought.
struct Page {
    /// Its events, as they are sent.
    text: String,
    /// The number for the next question.
    next: Value,
    /// Whether nothing more will happen to the task.
    finished: bool,
}

impl Page {
    fn of(answer: Answer) -> Page {
        let body = answer.body;
        let mut text = String::new();
        for event in body.get("events").and_then(Value::as_array).into_iter().flatten() {
            let kind = event["kind"].as_str().unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = write!(text, "id: {}\nevent: {kind}\ndata: {event}\n\n", event["n"]);
        }
        let status = body.get("task").and_then(|task| task["status"].as_str()).unwrap_or_default();
        let finished = matches!(status, "succeeded" | "failed" | "cancelled");
        Page { text, next: body.get("next").cloned().unwrap_or(0.into()), finished }
    }

    /// An ended task has more events for as long as a question brings some.
    fn is_last(&self) -> bool {
        self.finished && self.text.is_empty()
    }
}

/// A stream on its way.
struct Following {
    calls: Arc<Calls>,
    caller: Caller,
    /// Those of the next question.
    arguments: Map<String, Value>,
    id: RequestId,
    stop: CancellationToken,
    /// What was found before the stream began.
    begun: Option<Bytes>,
    /// Given back with the stream.
    _place: OwnedSemaphorePermit,
}

impl Following {
    fn after(mut self, page: Page) -> Self {
        self.arguments.insert("after".to_owned(), page.next);
        self.arguments.insert("wait_ms".to_owned(), SILENCE_MS.into());
        self
    }

    /// The next piece, and what is left of the stream.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Option<Self>)> {
        if let Some(begun) = self.begun.take() {
            return Some((Ok(begun), Some(self)));
        }
        let asked = self.calls.catalogue().call("get_task", self.arguments.clone(), self.caller.clone());
        let answer = tokio::select! {
            answer = asked => answer,
            () = self.stop.cancelled() => return Some((Ok(": the server stops\n\n".into()), None)),
        };
        let (piece, rest) = match answer.map(Page::of) {
            Ok(page) if page.is_last() => return None,
            Ok(page) if page.text.is_empty() => (": nothing new\n\n".into(), Some(self.after(page))),
            Ok(mut page) => (std::mem::take(&mut page.text), Some(self.after(page))),
            Err(error) => {
                let body = Value::Object(problem::body(&error, &self.id.0));
                (format!("event: problem\ndata: {body}\n\n"), None)
            }
        };
        Some((Ok(piece.into()), rest))
    }
}

/// The route in the OpenAPI document: its path and operation.
pub fn documented(catalogue: &Catalogue) -> Option<(String, Value)> {
    let (capability, path) = source(catalogue)?;
    let field = |name: &str| capability.input.get("properties").and_then(|fields| fields.get(name));
    let seen =
        json!({"type": "integer", "minimum": 0, "description": "The id of the last event seen; goes before `after`."});
    let mut responses = json!({
        "200": {
            "description": "Each event as it happens: its number as `id`, its kind as `event`, and as `data` the JSON of an \
                event of get_task. The stream ends after the task's last event.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}}
        },
        "204": {"description": "The task has ended, and nothing happened after that event."}
    });
    for status in [400, 401, 403, 404, 429, 500] {
        responses[status.to_string()] = json!({"$ref": format!("#/components/responses/Problem{status}")});
    }
    let operation = json!({
        "operationId": "task_events",
        "summary": "Follow a task",
        "tags": ["tasks"],
        "parameters": [
            openapi::parameter("task_id", "path", true, field("task_id")),
            openapi::parameter("after", "query", false, field("after")),
            openapi::parameter("Last-Event-ID", "header", false, Some(&seen)),
        ],
        "responses": responses,
    });
    Some((path, json!({ "get": operation })))
}
