//! A scripted phone: a server that hands each request to a closure and keeps a list of them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What the server does with a request.
pub(crate) enum Then {
    /// Answers with this status and body.
    Answer(u16, String),
    /// Closes the connection without an answer.
    Close,
    /// Announces a longer body than it sends, and closes.
    Half(String),
    /// Never answers.
    Hang,
    /// Answers with this status and body, but not before this time is over.
    Wait(Duration, u16, String),
}

impl Then {
    /// The same answer from a phone on which no session is active.
    pub(crate) fn without_session(self) -> Then {
        match self {
            Then::Answer(status, body) => {
                Then::Answer(status, body.replace("\"sessionId\":\"S-1\"", "\"sessionId\":null"))
            }
            other => other,
        }
    }
}

/// One request: method and path, head, body.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<Request>>>,
    accepting: tokio::task::JoinHandle<()>,
    open: Arc<Mutex<Vec<tokio::task::JoinHandle<()>>>>,
}

type Script = dyn Fn(&Request) -> Then + Send + Sync;

impl Server {
    /// Starts one; `script` sees each request as `METHOD /path` with its body.
    pub(crate) async fn start(script: impl Fn(&Request) -> Then + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (script, list): (Arc<Script>, _) = (Arc::new(script), seen.clone());
        let open = Arc::new(Mutex::new(Vec::new()));
        let connections = open.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let connection = tokio::spawn(serve(stream, script.clone(), list.clone()));
                connections.lock().unwrap().push(connection);
            }
        });
        Server { address, seen, accepting, open }
    }

    /// Closes the port and every connection.
    pub(crate) async fn die(&mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
        let open = std::mem::take(&mut *self.open.lock().unwrap());
        for connection in open {
            connection.abort();
            let _ = connection.await;
        }
    }

    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    /// Their first lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.take().into_iter().map(|request| request.line).collect()
    }
}

async fn serve(mut stream: TcpStream, script: Arc<Script>, seen: Arc<Mutex<Vec<Request>>>) {
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut buffer).await.unwrap_or(0) == 0 {
                return;
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
        while buffer.len() < end + length {
            stream.read_buf(&mut buffer).await.unwrap();
        }
        let first =
            String::from_utf8_lossy(&buffer[..end]).lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
        let body = String::from_utf8_lossy(&buffer[end..end + length]).into_owned();
        buffer.drain(..end + length);
        let request = Request { line: first, head, body };
        seen.lock().unwrap().push(request.clone());
        let answer = |status: u16, length: usize, body: &str| {
            format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n{body}")
        };
        match script(&request) {
            Then::Answer(status, body) => {
                if stream.write_all(answer(status, body.len(), &body).as_bytes()).await.is_err() {
                    return;
                }
            }
            Then::Wait(time, status, body) => {
                tokio::time::sleep(time).await;
                if stream.write_all(answer(status, body.len(), &body).as_bytes()).await.is_err() {
                    return;
                }
            }
            Then::Close => return,
            Then::Half(body) => {
                stream.write_all(answer(200, body.len() + 100, &body).as_bytes()).await.unwrap();
                return;
            }
            Then::Hang => std::future::pending().await,
        }
    }
}
