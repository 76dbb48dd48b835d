//! The catalogue of a server that runs already on this machine: each call is handed to it.
//!
//! One process owns the phones; `fingertip mcp`, `call` and `devices` join it in this way. It knows the server's own routes
//! for joining; it does not know any capability.

use super::guard;
use crate::capability::{Answer, Caller, Capability, Catalogue, Code, Effect, Error, Image, Outcome};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures_util::FutureExt;
use reqwest::{Client, ClientBuilder, RequestBuilder, Response};
use serde_json::{Map, Value};
use std::{net::SocketAddr, sync::Arc, time::Duration};

/// The route for calls of joined processes: takes the argument object as it is, device or not.
pub(super) const CALL: &str = "/internal/call";
/// The route by which a joined process says that its session has ended.
pub(super) const SESSION_END: &str = "/internal/session-end";

/// A little more than the server's own hard stop.
const TIMEOUT: Duration = Duration::from_secs(140);
/// The server is on this machine.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

struct Server {
    client: Client,
    address: SocketAddr,
    secret: String,
    session: Option<String>,
}

/// The tools of `local`, run by the server at `address`. `session` names the holder of leases, where there is one.
pub fn join(local: &Catalogue, address: SocketAddr, secret: &str, session: Option<String>) -> Catalogue {
    let server = Arc::new(Server { client: client(), address, secret: secret.to_owned(), session });
    let capabilities = local.iter().map(|capability| {
        let (server, name, effect) = (server.clone(), capability.name, capability.effect);
        let invoke = move |arguments: Map<String, Value>, caller: Caller| {
            let server = server.clone();
            async move { server.call(name, effect, &arguments, &caller).await }.boxed()
        };
        Capability { invoke: Arc::new(invoke), ..capability.clone() }
    });
    Catalogue::new(capabilities.collect())
}

/// Tells the server that a session has ended, so that its leases end too. A server that is gone has none.
pub async fn end_session(address: SocketAddr, secret: &str, session: &str) {
    let server = Server { client: client(), address, secret: secret.to_owned(), session: Some(session.to_owned()) };
    let request = server.post(SESSION_END).timeout(CONNECT_TIMEOUT).body("{}");
    if let Err(error) = request.send().await {
        tracing::debug!(%error, "the server could not be told of the session's end");
    }
}

fn client() -> Client {
    http().connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).build().unwrap_or_default()
}

/// A client for servers of this machine.
pub(super) fn http() -> ClientBuilder {
    // Where the iPhone driver is built along, cargo gives this crate an HTTP client that can speak TLS too, which wants to
    // know by whose cryptography before it is made. Only a second call could fail.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().tcp_nodelay(true)
}

impl Server {
    fn post(&self, path: &str) -> RequestBuilder {
        let request = self.client.post(format!("http://{}{path}", self.address));
        let request = request.header(guard::JOIN, &self.secret).header("content-type", "application/json");
        match &self.session {
            Some(session) => request.header(guard::SESSION, session),
            None => request,
        }
    }

    async fn call(
        &self,
        name: &str,
        effect: Effect,
        arguments: &Map<String, Value>,
        caller: &Caller,
    ) -> Result<Answer, Error> {
        let body = serde_json::to_vec(arguments).unwrap_or_default();
        let mut request = self.post(&format!("{CALL}/{name}")).header(guard::CLIENT, &caller.client).body(body);
        if let Some(limit) = caller.picture_limit {
            request = request.header(guard::PICTURE_LIMIT, limit);
        }
        let response = request.send().await.map_err(|error| gone(effect, error.is_connect()))?;
        let good = response.status().is_success();
        let body = read(response).await.ok_or_else(|| gone(effect, false))?;
        if good {
            answer(body)
        } else {
            Err(serde_json::from_value(Value::Object(body)).unwrap_or_else(|_| odd(effect)))
        }
    }
}

async fn read(response: Response) -> Option<Map<String, Value>> {
    let bytes = response.bytes().await.ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn answer(mut body: Map<String, Value>) -> Result<Answer, Error> {
    let image = match body.remove("picture") {
        None => None,
        Some(picture) => Some(image(&picture).ok_or_else(|| odd(Effect::Read))?),
    };
    Ok(Answer { body, image })
}

fn image(picture: &Value) -> Option<Image> {
    let media_type = match picture.get("media_type")?.as_str()? {
        "image/png" => "image/png",
        "image/jpeg" => "image/jpeg",
        _ => return None,
    };
    let bytes = BASE64_STANDARD.decode(picture.get("data")?.as_str()?).ok()?;
    Some(Image { media_type, bytes: bytes.into() })
}

fn gone(effect: Effect, never_sent: bool) -> Error {
    let error = Error::new(
        Code::Internal,
        "the Fingertip server that this process had joined is gone",
        "Start this command again: it then finds the new server, or runs the phones itself.",
    );
    if never_sent { error } else { error.outcome(when_unsure(effect)) }
}

fn odd(effect: Effect) -> Error {
    Error::new(
        Code::Internal,
        "the Fingertip server that this process had joined gave an answer that cannot be read",
        "Start this command again; the server may be of another version.",
    )
    .outcome(when_unsure(effect))
}

fn when_unsure(effect: Effect) -> Outcome {
    match effect {
        Effect::Read => Outcome::NotDone,
        Effect::Act | Effect::Destructive => Outcome::Unknown,
    }
}
