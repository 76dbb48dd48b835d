//! The REST door: every route of the catalogue.
//!
//! It knows HTTP and the catalogue's shape; it does not know what a capability does, and decides nothing.

use super::{
    accept::{Accept, Wanted},
    calls::Calls,
    guard::{self, Identity, RequestId},
    metrics::Door,
    problem::Problem,
    request,
};
use crate::capability::{Answer, Caller, Capability, Catalogue, Code, Error, Method};
use axum::{
    Extension, Router,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{MethodFilter, MethodRouter},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// The media type of an answer.
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The routes of the catalogue.
pub fn router(calls: &Arc<Calls>) -> Router {
    let mut routes: BTreeMap<&str, MethodRouter> = BTreeMap::new();
    for capability in calls.catalogue().iter() {
        let filter = match capability.route.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
        };
        let (calls, name) = (calls.clone(), capability.name);
        let handler =
            move |Extension(identity): Extension<Identity>, Extension(id): Extension<RequestId>, request: Request| {
                let calls = calls.clone();
                async move {
                    match handle(&calls, name, &identity, request).await {
                        Ok(response) => response,
                        Err(problem) => {
                            if problem.code() == Code::Cancelled {
                                tracing::debug!(tool = name, "cancelled");
                            }
                            problem.respond(&id.0)
                        }
                    }
                }
            };
        let route = routes.remove(capability.route.path).unwrap_or_default();
        routes.insert(capability.route.path, route.on(filter, handler));
    }
    routes.into_iter().fold(Router::new(), |router, (path, route)| router.route(path, route))
}

async fn handle(calls: &Calls, name: &'static str, identity: &Identity, request: Request) -> Result<Response, Problem> {
    let Some(capability) = calls.catalogue().get(name) else { unreachable!("routes are made from the catalogue") };
    let caller = caller(identity, request.headers())?;
    let wanted = if capability.has_image { Accept::of(request.headers()).wanted() } else { Wanted::Json };
    let mut arguments = request::read(capability, request).await?;
    if let Some(format) = wanted.only_format() {
        ask_for_format(capability, &mut arguments, format);
    }
    let answer = calls.run(Door::Rest, capability, arguments, caller).await?;
    Ok(respond(calls.catalogue(), capability, answer, wanted))
}

/// Who calls: a joined process says it, everyone else is its token and the name it gives itself.
pub fn caller(identity: &Identity, headers: &HeaderMap) -> Result<Caller, Problem> {
    let client = match headers.get(guard::CLIENT) {
        None => "rest",
        Some(name) => name.to_str().ok().filter(|name| guard::is_sane(name, 64)).ok_or_else(|| {
            Problem::new(Error::invalid(
                "the name in X-Client-Id is not usable",
                "Use up to 64 letters, digits, spaces and `._-:/@+`.",
            ))
        })?,
    };
    let client = if identity.joined { client.to_owned() } else { format!("{}/{client}", identity.token) };
    Ok(Caller { session: identity.session.clone(), client, picture_limit: None })
}

/// Passes the picture format that a caller can read on to the capability, unless the caller named one itself.
fn ask_for_format(capability: &Capability, arguments: &mut Map<String, Value>, format: &str) {
    let choices = capability.input.get("properties").and_then(|fields| fields.get("format")?.get("enum")?.as_array());
    if choices.is_some_and(|choices| choices.iter().any(|choice| choice == format)) {
        arguments.entry("format").or_insert_with(|| Value::from(format));
    }
}

fn respond(catalogue: &Catalogue, capability: &Capability, answer: Answer, wanted: Wanted) -> Response {
    match answer.image {
        Some(image) if wanted != Wanted::Json => {
            let mut response = ([(header::CONTENT_TYPE, image.media_type)], image.bytes).into_response();
            for (name, field) in [("x-frame-id", "frame"), ("x-scale", "scale"), ("x-orientation", "orientation")] {
                let value = answer.body.get(field).and_then(header_value);
                if let Some(value) = value {
                    response.headers_mut().insert(HeaderName::from_static(name), value);
                }
            }
            response
        }
        image => {
            let (status, location) = accepted(catalogue, capability, &answer.body);
            let mut response = as_json(Answer { image, ..answer });
            *response.status_mut() = status;
            if let Some(location) = location {
                response.headers_mut().insert(header::LOCATION, location);
            }
            response
        }
    }
}

/// An answer as JSON, with its picture inside.
pub fn as_json(answer: Answer) -> Response {
    let mut body = answer.body;
    if let Some(image) = answer.image {
        let data = BASE64_STANDARD.encode(&image.bytes);
        body.insert("picture".into(), json!({"media_type": image.media_type, "data": data}));
    }
    let text = serde_json::to_vec(&body).unwrap_or_else(|_| unreachable!("a JSON object can be written"));
    ([(header::CONTENT_TYPE, JSON)], text).into_response()
}

fn header_value(value: &Value) -> Option<HeaderValue> {
    match value {
        Value::String(text) => HeaderValue::from_str(text).ok(),
        Value::Number(number) => HeaderValue::from_str(&number.to_string()).ok(),
        _ => None,
    }
}

/// Whether an answer only says that work has begun, and where to look for it.
fn accepted(
    catalogue: &Catalogue,
    capability: &Capability,
    body: &Map<String, Value>,
) -> (StatusCode, Option<HeaderValue>) {
    if capability.name != "start_task" {
        return (StatusCode::OK, None);
    }
    let path = catalogue.get("get_task").map_or("/task/{task_id}", |capability| capability.route.path);
    let id = body.get("task_id").and_then(Value::as_str).unwrap_or_default();
    (StatusCode::ACCEPTED, HeaderValue::from_str(&path.replace("{task_id}", id)).ok())
}

/// The answer to a request for no route at all.
pub async fn no_route(Extension(id): Extension<RequestId>, request: Request) -> Response {
    let path: String = request.uri().path().chars().take(80).collect();
    let error = Error::new(Code::NotFound, format!("there is nothing at {path}"), "GET /docs lists what there is.");
    Problem::new(error).respond(&id.0)
}

/// The answer to a request with the wrong verb.
pub async fn wrong_method(Extension(id): Extension<RequestId>, request: Request) -> Response {
    let (method, path) = (request.method().as_str(), request.uri().path());
    let path: String = path.chars().take(80).collect();
    let error = Error::new(
        Code::NotFound,
        format!("{path} does not answer to {}", method.chars().take(20).collect::<String>()),
        "GET /docs lists each route with its verb; the Allow header of this answer has the verbs of this one.",
    );
    Problem::new(error).with_status(StatusCode::METHOD_NOT_ALLOWED).respond(&id.0)
}
