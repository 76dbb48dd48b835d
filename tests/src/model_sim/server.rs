//! HTTP/1.1, as far as a client of models needs it: one request on each connection, with `Content-Length`.
//!
//! Knows bytes and connections; what is answered `turn` says.

use super::{Script, Seen, turn::Reply};
use serde_json::Value;
use std::{future, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::sleep,
};

const JSON: &str = "application/json";

/// Answers until it is dropped, and all connections with it.
pub(crate) async fn serve(listener: TcpListener, script: Arc<Script>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    connections.spawn(connection(stream, script.clone()));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(mut stream: TcpStream, script: Arc<Script>) {
    let Some(seen) = request(&mut stream).await else { return };
    let (time, reply) = script.turn(seen.clone()).reply(&seen);
    sleep(time).await;
    let bytes = match reply {
        Reply::Whole { status, after, body } => head(JSON, status, after, body.len()) + &body,
        Reply::Page { body } => head("text/html", 200, None, body.len()) + &body,
        Reply::Half { body } => head(JSON, 200, None, body.len()) + &body[..body.len() / 2],
        Reply::Nothing => return future::pending().await,
    };
    // A client that left is none of the script's business.
    if stream.write_all(bytes.as_bytes()).await.is_ok() {
        drop(stream.shutdown().await);
    }
}

fn head(media_type: &str, status: u16, after: Option<u64>, length: usize) -> String {
    let after = after.map(|seconds| format!("Retry-After: {seconds}\r\n")).unwrap_or_default();
    format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n{after}Connection: \
         close\r\n\r\n"
    )
}

/// A whole request; nothing if the client leaves before.
async fn request(stream: &mut TcpStream) -> Option<Seen> {
    let mut all = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    let body_at = loop {
        if let Some(at) = all.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, &mut buffer, &mut all).await?;
    };
    let text = String::from_utf8_lossy(&all[..body_at]).into_owned();
    let path = text.split(' ').nth(1)?.to_owned();
    let header = |name: &str| {
        let (_, value) =
            text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(value.trim().to_owned())
    };
    let length: usize = header("content-length")?.parse().ok()?;
    while all.len() < body_at + length {
        more(stream, &mut buffer, &mut all).await?;
    }
    let body = serde_json::from_slice(&all[body_at..body_at + length]).unwrap_or(Value::Null);
    let key = ["authorization", "x-api-key", "x-goog-api-key"].into_iter().find_map(header);
    Some(Seen { path, key, body })
}

async fn more(stream: &mut TcpStream, buffer: &mut [u8], all: &mut Vec<u8>) -> Option<()> {
    let read = stream.read(buffer).await.ok().filter(|read| *read > 0)?;
    all.extend_from_slice(&buffer[..read]);
    Some(())
}
