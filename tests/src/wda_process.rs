//! A *simulated* iPhone in a process of its own, which goes on when the test's host is killed and can be killed itself.
//!
//! It knows the command line of the example `wda-simulator`. What the phone does is the library's.

use serde_json::Value;
use std::{env, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// How long it may take to start or to answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A simulator that runs.
pub struct WdaProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    /// How many questions have an answer that was not read yet.
    asked: usize,
    port: u16,
}

impl WdaProcess {
    /// Starts one; port 0 takes a free one.
    pub async fn start(port: u16) -> WdaProcess {
        let program = env::current_exe().expect("a test has a program");
        let target = program.parent().and_then(|deps| deps.parent()).expect("target/debug");
        let file = target.join(format!("examples/wda-simulator{}", env::consts::EXE_SUFFIX));
        assert!(file.is_file(), "{} is missing: cargo build -p e2e --example wda-simulator", file.display());
        let mut child = Command::new(file)
            .args(["--ask", "--port", &port.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("started");
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut process = WdaProcess { child, stdin, stdout, asked: 0, port };
        process.port = loop {
            let line = process.line().await;
            if let Some((_, rest)) = line.split_once("ServerURLHere->") {
                let port = rest.split_once("<-").and_then(|(url, _)| url.rsplit(':').next());
                break port.and_then(|port| port.parse().ok()).expect("a port");
            }
        };
        process
    }

    async fn line(&mut self) -> String {
        let line = tokio::time::timeout(PATIENCE, self.stdout.next_line()).await.expect("it answers");
        line.expect("text").expect("it runs")
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What the phone's glass felt so far: `{"tap": {"x", "y"}}`, or something else.
    pub async fn touches(&mut self) -> Vec<Value> {
        self.stdin.write_all(b"touches\n").await.expect("it runs");
        self.asked += 1;
        // A test may have given up this call between its question and the answer: that one comes first.
        loop {
            let line = self.line().await;
            self.asked -= 1;
            if self.asked == 0 {
                return serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
            }
        }
    }

    /// Kills it: the port, for another start.
    pub async fn kill(mut self) -> u16 {
        self.child.kill().await.expect("killed");
        self.port
    }
}
