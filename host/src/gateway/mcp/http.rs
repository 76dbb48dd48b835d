//! MCP over Streamable HTTP.
//!
//! It knows the SDK's HTTP service and makes its refusals as clear as the other door's; it does not know tools.

use super::{Connection, Shared, sessions::Sessions};
use crate::{
    capability::{Code, Error},
    gateway::{
        guard::{self, RequestId},
        problem::{self, Problem},
        request,
    },
};
use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The service behind `/mcp`.
#[derive(Clone)]
pub struct Service {
    inner: StreamableHttpService<Connection, Sessions>,
}

/// Makes the service. `hosts` are those that the guard knows too; `on_session_end` is told of each session that ends.
pub fn service(
    shared: Arc<Shared>,
    hosts: &[String],
    on_session_end: Arc<dyn Fn(&str) + Send + Sync>,
    stop: &CancellationToken,
) -> Service {
    with_sessions(shared, hosts, Sessions::new(on_session_end), stop)
}

/// [`service`] with these sessions.
pub(super) fn with_sessions(
    shared: Arc<Shared>,
    hosts: &[String],
    sessions: Sessions,
    stop: &CancellationToken,
) -> Service {
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_max_request_body_bytes(request::MOST_BYTES)
        .with_cancellation_token(stop.child_token());
    // The guard has checked Host and Origin; the SDK checks them again, so that a gap in one is closed by the other.
    let known = guard::hosts(hosts);
    let config = if hosts.iter().any(|host| host == "*") {
        config.disable_allowed_hosts()
    } else {
        config.with_allowed_hosts(known.iter().map(|(host, port)| match port {
            Some(port) => format!("{host}:{port}"),
            None => host.clone(),
        }))
    };
    let origins = known.iter().flat_map(|(host, port)| {
        let port = port.map_or_else(|| "*".to_owned(), |port| port.to_string());
        ["http", "https"].map(|scheme| format!("{scheme}://{host}:{port}"))
    });
    let config = config.with_allowed_origins(origins).enforce_origin_validation();
    let gone = stop.child_token();
    let connection = Connection { shared, session: None, gone };
    Service { inner: StreamableHttpService::new(move || Ok(connection.clone()), Arc::new(sessions), config) }
}

impl Service {
    /// Answers one request.
    pub async fn handle(self, request: Request) -> Response {
        let id = request.extensions().get::<RequestId>().cloned().unwrap_or_else(RequestId::new);
        match self.answer(request).await {
            Ok(response) => response,
            Err(problem) => problem.respond(&id.0),
        }
    }

    async fn answer(self, request: Request) -> Result<Response, Problem> {
        let (mut parts, body) = request.into_parts();
        let (post, delete) = (parts.method == Method::POST, parts.method == Method::DELETE);
        let body = if post { request::json_body(&parts, body).await? } else { Bytes::new() };
        widen(&mut parts.headers, post);
        let request = Request::from_parts(parts, Body::from(body.clone()));
        let mut response = self.inner.handle(request).await.map(Body::new);
        if delete && response.status().is_success() {
            // The session has ended already; "accepted" makes some clients complain.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        if response.status().is_success() || is_json(response.headers()) {
            return Ok(response);
        }
        Ok(clear(response, &body))
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// A caller that takes anything takes both forms of answer, and JSON is JSON by whatever name; the SDK asks for the names.
fn widen(headers: &mut HeaderMap, post: bool) {
    let any = match headers.get(header::ACCEPT) {
        None => true,
        Some(accept) => {
            accept.to_str().is_ok_and(|accept| accept.split(',').any(|kind| kind.trim().starts_with("*/*")))
        }
    };
    if post {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    if any && post {
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    }
}

/// Says in the protocol's own form what the SDK says in bare text, and in which the words are not for callers.
fn clear(response: Response, body: &Bytes) -> Response {
    let (mut parts, _) = response.into_parts();
    let (number, code, message, hint) = match parts.status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if serde_json::from_slice::<Value>(body).is_err() => {
            (-32700, Code::InvalidArguments, "the body is not valid JSON", "Send one JSON-RPC message.")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            (-32600, Code::InvalidArguments, "the body is not a JSON-RPC message", "Send one JSON-RPC message.")
        }
        StatusCode::NOT_ACCEPTABLE => (
            -32600,
            Code::InvalidArguments,
            "the Accept header leaves no form for the answer",
            "Send `Accept: application/json, text/event-stream`.",
        ),
        StatusCode::NOT_FOUND => (-32001, Code::NotFound, "this session has ended", "Initialize a new one."),
        StatusCode::METHOD_NOT_ALLOWED => {
            (-32600, Code::NotFound, "this verb is not used here", "POST a JSON-RPC message.")
        }
        StatusCode::FORBIDDEN => (-32600, Code::Forbidden, "this caller is not let in", "Call from this machine."),
        status if status.is_server_error() => {
            (-32603, Code::Internal, "the server could not answer", "Try again; the server's log has the cause.")
        }
        _ => (
            -32600,
            Code::InvalidArguments,
            "the request does not fit the protocol",
            "Initialize first, then name the session.",
        ),
    };
    if parts.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        parts.status = StatusCode::BAD_REQUEST;
    }
    let error = Error::new(code, message, hint);
    let data = problem::body(&error, &RequestId::new().0);
    let body = json!({
        "jsonrpc": "2.0",
        "id": Value::Null,
        "error": {"code": number, "message": format!("{message}. {hint}"), "data": data}
    });
    for name in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
        parts.headers.remove(name);
    }
    let mut response = (parts.status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response();
    response.headers_mut().extend(parts.headers);
    response
}
