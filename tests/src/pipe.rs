//! An MCP client on the pipes of `fingertip mcp`, in both eras of the protocol.
//!
//! It knows JSON-RPC in lines. It knows no tool.

use crate::host::Setup;
use serde_json::{Value, json};
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout},
};

/// How long an answer may take on a busy machine before the test gives up.
const LONG: Duration = Duration::from_secs(60);

/// `fingertip mcp`, spoken to over its pipes.
pub struct Pipe {
    child: Child,
    /// Its standard input, for lines that are no messages.
    pub input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    next: u64,
    /// Whether it speaks the newer era.
    pub modern: bool,
}

impl Pipe {
    /// Starts it; it joins the setup's server where one runs.
    pub fn start(setup: &Setup, modern: bool) -> Pipe {
        let mut command = setup.command();
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        Pipe { child, input, output: BufReader::new(output).lines(), next: 1, modern }
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.expect("written");
        self.input.flush().await.expect("written");
    }

    /// The next message; every line on standard output is one.
    pub async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(LONG, self.output.next_line()).await.expect("in time").expect("text");
        let line = line.expect("the process lives");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// One request: the whole answer.
    pub async fn request(&mut self, method: &str, mut params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        if self.modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "pipe", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The older era's handshake.
    pub async fn initialize(&mut self) -> Value {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "pipe", "version": "1" } });
        let answer = self.request("initialize", params).await;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        answer
    }

    /// Calls a tool: whether it failed, and the structured answer.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> (bool, Value) {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        let result = &answer["result"];
        assert!(result.is_object(), "{tool}: {answer}");
        (result["isError"] == true, result["structuredContent"].clone())
    }

    /// Closes the input: how the process ended, and what it still wrote to standard error.
    pub async fn end(self) -> (Option<i32>, String) {
        let Pipe { mut child, input, mut output, .. } = self;
        drop(input);
        let ended = tokio::time::timeout(LONG, child.wait()).await.expect("it ends").expect("waited");
        assert_eq!(output.next_line().await.expect("text"), None, "more on standard output");
        let mut log = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut log).await.expect("text");
        (ended.code(), log)
    }
}
