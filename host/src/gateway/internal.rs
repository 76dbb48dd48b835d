//! The routes for processes of this machine that have joined this server. They are no part of the REST door: only the secret
//! of the running server opens them.
//!
//! It knows how `remote` calls; it does not know any capability.

use super::{
    calls::Calls,
    guard::{self, Identity, RequestId},
    metrics::Door,
    problem::Problem,
    remote, request, rest,
};
use crate::capability::{Caller, Code, Error};
use axum::{
    Extension, Router,
    extract::{Path, Request},
    response::{IntoResponse, Response},
    routing::post,
};
use std::sync::Arc;

/// The routes.
pub fn router(calls: &Arc<Calls>, on_session_end: Arc<dyn Fn(&str) + Send + Sync>) -> Router {
    let calls = calls.clone();
    let call = move |Extension(identity): Extension<Identity>,
                     Extension(id): Extension<RequestId>,
                     Path(name): Path<String>,
                     request: Request| {
        let calls = calls.clone();
        async move { call(&calls, &identity, &name, request).await.unwrap_or_else(|problem| problem.respond(&id.0)) }
    };
    let end = move |Extension(identity): Extension<Identity>, Extension(id): Extension<RequestId>, request: Request| {
        let session = identity.session.as_deref().filter(|_| identity.joined);
        if let Some(session) = session {
            on_session_end(session);
        }
        let found = session.is_some();
        async move { if found { "{}".into_response() } else { rest::no_route(Extension(id), request).await } }
    };
    Router::new().route(&format!("{}/{{name}}", remote::CALL), post(call)).route(remote::SESSION_END, post(end))
}

async fn call(calls: &Calls, identity: &Identity, name: &str, request: Request) -> Result<Response, Problem> {
    let capability = calls.catalogue().get(name).filter(|_| identity.joined);
    let Some(capability) = capability else {
        let error =
            Error::new(Code::NotFound, "there is no such tool on the running server", "Stop it and start it again.");
        return Err(error.into());
    };
    let limit = request.headers().get(guard::PICTURE_LIMIT).and_then(|limit| limit.to_str().ok()?.parse().ok());
    let caller = Caller { picture_limit: limit, ..rest::caller(identity, request.headers())? };
    let (parts, body) = request.into_parts();
    let body = request::json_body(&parts, body).await?;
    let arguments = request::object(&body)?;
    let answer = calls.run(Door::Rest, capability, arguments, caller).await?;
    Ok(rest::as_json(answer))
}
