//! Both doors: MCP and REST, made from the catalogue.
//!
//! This layer knows wire formats: routes, statuses, tools, sessions, pages. Below it, it knows only `capability`, and it
//! decides nothing: what a call means, who may act and what an error says is all the catalogue's.
//!
//! | file | what |
//! | --- | --- |
//! | `guard` | who may come in: Host, Origin, token, joining processes |
//! | `rest`, `request`, `accept` | routes, and what callers send and want |
//! | `events` | what happens to a task, as it happens |
//! | `mcp` | tools over stdio and Streamable HTTP |
//! | `problem` | errors, and the table of statuses |
//! | `calls`, `metrics` | one call from either door, bounded and counted |
//! | `openapi`, `pages` | documents |
//! | `remote` | the catalogue of a server that runs already |

mod accept;
mod calls;
mod events;
mod guard;
mod internal;
mod mcp;
mod metrics;
pub mod openapi;
mod pages;
mod problem;
mod remote;
mod request;
mod rest;
#[cfg(test)]
mod tests;

pub use mcp::serve_stdio;
pub use problem::{name as code_name, status};
pub use remote::{end_session, join};

use crate::capability::Catalogue;
use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware,
    response::{Html, IntoResponse, Response},
    routing::{any, get},
    serve::ListenerExt,
};
use calls::Calls;
use guard::Guard;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long running calls may go on once the server is told to stop.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// What the doors are made from.
pub struct GatewayOptions {
    /// What may be called.
    pub catalogue: Catalogue,
    /// Which plugins are loaded, for operators.
    pub plugins: Arc<dyn Fn() -> Value + Send + Sync>,
    /// Whether calls can be taken.
    pub ready: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Told of each session that has ended, by the name it had as a caller's session.
    pub on_session_end: Arc<dyn Fn(&str) + Send + Sync>,
    /// The bearer token, if callers need one.
    pub token: Option<String>,
    /// Host names besides the loopback ones, with or without a port; `*` allows all.
    pub allowed_hosts: Vec<String>,
    /// The secret by which processes of this machine join.
    pub join_secret: Option<String>,
}

/// Both doors.
pub struct Gateway {
    options: GatewayOptions,
    calls: Arc<Calls>,
    stop: CancellationToken,
}

impl Gateway {
    /// Doors made from these parts.
    pub fn new(options: GatewayOptions) -> Self {
        let calls = Arc::new(Calls::new(options.catalogue.clone()));
        Gateway { options, calls, stop: CancellationToken::new() }
    }

    /// The routes of both doors, with the guard before them.
    pub fn router(self) -> Router {
        let Gateway { options, calls, stop } = self;
        let catalogue = options.catalogue;
        let openapi: Arc<str> = openapi::document(&catalogue).to_string().into();
        let (docs, landing): (Arc<str>, Arc<str>) = (pages::docs(&catalogue).into(), pages::landing(&catalogue).into());
        let (metrics, refusals) = (calls.metrics().clone(), calls.metrics().clone());
        let (ready, plugins) = (options.ready, options.plugins);
        let shared = Arc::new(mcp::Shared::new(calls.clone()));
        let mcp = mcp::service(shared, &options.allowed_hosts, options.on_session_end.clone(), &stop);
        let guard_options = guard::Options {
            token: options.token,
            allowed_hosts: options.allowed_hosts,
            join_secret: options.join_secret,
        };
        let guard = Arc::new(Guard::new(guard_options, move |code| refusals.refused(code)));
        rest::router(&calls)
            .merge(events::router(&calls, &stop))
            .merge(internal::router(&calls, options.on_session_end))
            .route("/mcp", any(move |request: Request| mcp.clone().handle(request)))
            .route("/", get(move || std::future::ready(page(&landing))))
            .route("/docs", get(move || std::future::ready(page(&docs))))
            .route("/openapi.json", get(move || std::future::ready(json_text(openapi.to_string()))))
            .route("/plugins", get(move || std::future::ready(json_text(plugins().to_string()))))
            .route("/metrics", get(move || std::future::ready(metrics.text())))
            .route("/healthz", get(|| std::future::ready(json_text(json!({"ok": true}).to_string()))))
            .route(
                "/readyz",
                get(move || {
                    let ready = ready() && !stop.is_cancelled();
                    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
                    std::future::ready((status, json_text(json!({"ready": ready}).to_string())))
                }),
            )
            .fallback(rest::no_route)
            .method_not_allowed_fallback(rest::wrong_method)
            .layer(middleware::from_fn_with_state(guard, Guard::stand))
    }

    /// Serves until `stop`, then lets running calls end for a short while.
    ///
    /// # Errors
    /// The listener broke.
    pub async fn serve(mut self, listener: TcpListener, stop: CancellationToken) -> std::io::Result<()> {
        self.stop = stop.clone();
        // Without this, small answers wait for the peer's delayed acknowledgement: 40 ms each.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "no TCP_NODELAY");
            }
        });
        let serve = axum::serve(listener, self.router()).with_graceful_shutdown(stop.clone().cancelled_owned());
        tokio::select! {
            served = serve.into_future() => served,
            () = async { stop.cancelled().await; tokio::time::sleep(SHUTDOWN).await } => Ok(()),
        }
    }
}

fn json_text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn page(text: &Arc<str>) -> Response {
    // The pages load nothing; the browser is told to hold them to that.
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(text.to_string())).into_response()
}
