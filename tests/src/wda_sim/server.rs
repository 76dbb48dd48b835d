//! HTTP/1.1 as the phone's server speaks it, with its quirks: a body needs `Content-Length`, nobody waits for `Expect`,
//! pipelined requests are answered in order. It knows bytes and connections, no route and no phone.

use super::Sim;
use super::errors::Failure;
use super::generation::Generation;
use super::router::{self, Incoming, Reply, Way};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};

const MAX_HEAD: usize = 16 * 1024;
const MAX_BODY: u64 = 1 << 30;
/// How long an incomplete request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Accepts connections until the simulator ends; closes and reopens the port as the faults say.
pub(crate) async fn serve(sim: Arc<Sim>, listener: TcpListener, address: SocketAddr) {
    let mut refusals = sim.faults.refusals();
    let mut listener = Some(listener);
    let mut connections = JoinSet::new();
    let mut number = 0;
    loop {
        let refuse = *refusals.borrow_and_update();
        if refuse && listener.is_some() {
            listener = None;
            connections.shutdown().await;
            sim.faults.now_refusing(true);
        } else if !refuse && listener.is_none() {
            // Someone else may have taken the port; it is tried until it is free.
            match TcpListener::bind(address).await {
                Ok(again) => {
                    listener = Some(again);
                    sim.faults.now_refusing(false);
                }
                Err(error) => {
                    tracing::warn!(%error, %address, "the port cannot be opened again yet");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            continue;
        }
        let accepted = async {
            match &listener {
                Some(listener) => listener.accept().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = refusals.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            accepted = accepted => {
                if let Ok((stream, _)) = accepted {
                    number += 1;
                    connections.spawn(connection(sim.clone(), stream, number));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Why a request cannot be read.
enum Trouble {
    /// There is no more: closed, broken, or too slow.
    Gone,
    /// It is answered with an error and the connection ends.
    Refused(Failure),
}

impl From<io::Error> for Trouble {
    fn from(_: io::Error) -> Trouble {
        Trouble::Gone
    }
}

struct Head {
    method: String,
    target: String,
    length: u64,
    close: bool,
}

async fn connection(sim: Arc<Sim>, mut stream: TcpStream, number: u64) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let mut buffer = Vec::new();
    loop {
        let (head, body) = match request(&mut stream, &mut buffer, sim.options.generation).await {
            Ok(request) => request,
            Err(Trouble::Gone) => return,
            Err(Trouble::Refused(failure)) => {
                let reply = Reply::failure(&sim, &failure);
                if stream.write_all(&bytes(&reply)).await.is_ok() {
                    linger(&mut stream).await;
                }
                return;
            }
        };
        let without_body = head.method == "HEAD";
        let incoming = Incoming { method: head.method, target: head.target, body, connection: number };
        let mut reply = router::answer(&sim, incoming).await;
        let mut out = bytes(&reply);
        match reply.way {
            Way::Whole if without_body => out.truncate(out.len() - reply.body.len()),
            Way::Whole => {}
            Way::Half => out.truncate(out.len() - reply.body.len() / 2 - reply.body.len() % 2),
            Way::Closed => return,
            Way::Reset => {
                drop(stream.set_zero_linger());
                return;
            }
        }
        let written = stream.write_all(&out).await;
        if let Some(last) = reply.last.take() {
            drop(last(&sim));
        }
        if written.is_err() {
            return;
        }
        if head.close || reply.way == Way::Half {
            linger(&mut stream).await;
            return;
        }
    }
}

/// Ends the connection so that what was sent still arrives: what the client is still sending is read and dropped.
async fn linger(stream: &mut TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let drain = async {
        let mut rest = [0; 4096];
        while matches!(stream.read(&mut rest).await, Ok(read) if read > 0) {}
    };
    drop(timeout(Duration::from_millis(500), drain).await);
}

/// Reads one request. What comes after it stays in the buffer.
async fn request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    generation: Generation,
) -> Result<(Head, Vec<u8>), Trouble> {
    // An idle connection may stay; a request that has begun must come to an end.
    if buffer.is_empty() && stream.read_buf(buffer).await? == 0 {
        return Err(Trouble::Gone);
    }
    let deadline = generation.has(16, 9, 0).then(|| Instant::now() + PATIENCE);
    let reading = read_rest(stream, buffer, generation);
    match deadline {
        Some(deadline) => timeout_at(deadline, reading).await.unwrap_or(Err(Trouble::Gone)),
        None => reading.await,
    }
}

async fn read_rest(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    generation: Generation,
) -> Result<(Head, Vec<u8>), Trouble> {
    let end = loop {
        // Line ends before a request do not count.
        while buffer.starts_with(b"\r\n") {
            buffer.drain(..2);
        }
        let end = buffer.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end.filter(|end| *end <= MAX_HEAD) {
            break end;
        }
        if end.is_some() || buffer.len() > MAX_HEAD {
            return Err(Trouble::Refused(Failure::invalid_argument("The request header is too large")));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Err(Trouble::Gone);
        }
    };
    let head = parse(&buffer[..end], generation).map_err(Trouble::Refused)?;
    buffer.drain(..end + 4);
    if head.length > MAX_BODY {
        return Err(Trouble::Refused(Failure::invalid_argument("The request body is too large")));
    }
    let length = head.length as usize;
    while buffer.len() < length {
        if stream.read_buf(buffer).await? == 0 {
            return Err(Trouble::Gone);
        }
    }
    let rest = buffer.split_off(length);
    let body = std::mem::replace(buffer, rest);
    Ok((head, body))
}

fn parse(head: &[u8], generation: Generation) -> Result<Head, Failure> {
    let refuse = |text: &str| Err(Failure::invalid_argument(text));
    let text = String::from_utf8_lossy(head);
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return refuse("Malformed request line");
    };
    if !version.starts_with("HTTP/1.") || method.is_empty() || !target.starts_with(['/', '*']) {
        return refuse("Malformed request line");
    }
    let mut length = None;
    let mut close = version == "HTTP/1.0";
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            if generation.has(16, 9, 3) {
                return refuse("Malformed header field");
            }
            continue;
        };
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "content-length" => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let number = value.parse::<u64>().ok().filter(|_| digits);
                let same = length.is_none_or(|length| Some(length) == number);
                match number.filter(|_| same) {
                    Some(number) => length = Some(number),
                    None if generation.has(16, 9, 3) => return refuse("Malformed Content-Length"),
                    None => length = Some(0),
                }
            }
            // Older releases do not look at it: the body is then read as the next request.
            "transfer-encoding" if generation.refuses_chunked() => {
                return refuse("Transfer-Encoding is not supported. Content-Length is required");
            }
            "connection" if value.eq_ignore_ascii_case("close") => close = true,
            "connection" if value.eq_ignore_ascii_case("keep-alive") => close = false,
            _ => {}
        }
    }
    Ok(Head { method: method.to_owned(), target: target.to_owned(), length: length.unwrap_or(0), close })
}

fn bytes(reply: &Reply) -> Vec<u8> {
    let reason = match reply.status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Unknown",
    };
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nServer: WebDriverAgent/1.0\r\nAccess-Control-Allow-Origin: *\r\n\
         Access-Control-Allow-Headers: Content-Type, X-Requested-With\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
        reply.status,
        reply.content_type,
        reply.body.len()
    );
    let mut out = Vec::with_capacity(head.len() + reply.body.len());
    out.extend(head.as_bytes());
    out.extend(&reply.body);
    out
}

/// The two-second monitor that answers alerts by itself.
pub(crate) async fn watch_alerts(sim: Arc<Sim>, period: Duration, mut end: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(period);
    loop {
        tokio::select! {
            _ = ticks.tick() => super::alerts::answer_by_default(&sim),
            changed = end.changed() => if changed.is_err() { return },
        }
    }
}
