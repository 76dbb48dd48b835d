//! Both doors over real sockets and pipes, with a catalogue made for the purpose.

mod doors;
mod fixture;
mod limits;
mod mcp;
mod remote;
mod rest;

use super::{Gateway, GatewayOptions};
use crate::capability;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A gateway that listens.
struct Server {
    address: SocketAddr,
    client: Client,
    seen: Arc<fixture::Seen>,
    ended: Arc<Mutex<Vec<String>>>,
    stop: CancellationToken,
    _stop: DropGuard,
}

impl Server {
    async fn start() -> Server {
        Server::with(|_| ()).await
    }

    async fn with(change: impl FnOnce(&mut GatewayOptions)) -> Server {
        let (catalogue, seen) = fixture::catalogue();
        let ended = Arc::new(Mutex::new(Vec::new()));
        let ends = ended.clone();
        let mut options = GatewayOptions {
            catalogue,
            plugins: Arc::new(|| json!([{"name": "virtual"}])),
            ready: Arc::new(|| true),
            on_session_end: Arc::new(move |session| ends.lock().unwrap().push(session.to_owned())),
            token: None,
            allowed_hosts: Vec::new(),
            join_secret: Some("join-secret".into()),
        };
        change(&mut options);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(Gateway::new(options).serve(listener, stop.clone()));
        let client = super::remote::http().build().unwrap();
        Server { address, client, seen, ended, stop: stop.clone(), _stop: stop.drop_guard() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.request(Method::POST, path).json(body)
    }

    fn ended(&self) -> Vec<String> {
        self.ended.lock().unwrap().clone()
    }
}

/// Sends, and gives the status and the JSON body.
async fn answer(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap())
}

/// Sends, and checks that the answer is a whole problem with this status and code.
async fn problem(request: RequestBuilder, status: u16, code: &str) -> Value {
    let response = request.send().await.unwrap();
    let seen = response.status();
    let headers = response.headers().clone();
    let text = response.text().await.unwrap();
    assert_eq!(seen, StatusCode::from_u16(status).unwrap(), "{text}");
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(headers["content-type"], "application/problem+json");
    assert_eq!(body["code"], code, "{body}");
    assert_eq!(body["status"], status);
    assert_eq!(body["request_id"], headers["x-request-id"].to_str().unwrap());
    for field in ["message", "hint", "outcome", "type", "title"] {
        assert!(body[field].as_str().is_some_and(|text| !text.is_empty()), "{field} in {body}");
    }
    assert!(body["retryable"].is_boolean());
    body
}
