//! A small MCP client that speaks the wire form, so that tests see what a client sees.
//!
//! It knows JSON-RPC and both eras of the protocol over HTTP. It knows no tool.

use crate::host::Host;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

const MODERN: &str = "2026-07-28";
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A client of the stateless era, named so that leases can tell callers apart.
pub struct Mcp<'a> {
    host: &'a Host,
    name: String,
}

impl<'a> Mcp<'a> {
    /// A client of this server.
    pub fn new(host: &'a Host, name: &str) -> Self {
        Mcp { host, name: name.to_owned() }
    }

    /// One request: the whole JSON-RPC answer.
    pub async fn request(&self, method: &str, params: Value) -> Value {
        let text = self.request_text(method, params).await;
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"))
    }

    /// One request: the answer as it came.
    pub async fn request_text(&self, method: &str, mut params: Value) -> String {
        // What a test wants to say of itself, such as its progress token, stays.
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
        meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": self.name, "version": "1" });
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let mut request = self
            .host
            .client()
            .post(self.host.url("/mcp"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", MODERN)
            .header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
        let response = request.body(body.to_string()).send().await.expect("the server answers");
        response.text().await.expect("a body")
    }

    /// Calls a tool: whether it failed, and the structured answer.
    pub async fn call(&self, tool: &str, arguments: Value) -> (bool, Value) {
        let answer = self.call_raw(tool, arguments).await;
        let result = &answer["result"];
        assert!(result.is_object(), "{tool} was answered with {answer}");
        (result["isError"].as_bool().unwrap_or(false), result["structuredContent"].clone())
    }

    /// Calls a tool: the whole JSON-RPC answer.
    pub async fn call_raw(&self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The list of tools.
    pub async fn tools(&self) -> Value {
        self.request("tools/list", json!({})).await["result"]["tools"].clone()
    }
}
