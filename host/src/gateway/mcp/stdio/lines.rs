//! Answers the lines that the SDK would drop without a word, and passes on all others.
//!
//! It knows lines, JSON and the form of an error; it does not know methods or tools.

use super::id::IdScan;
use crate::{
    capability::Error,
    gateway::{guard::RequestId, problem, request::MOST_BYTES},
};
use serde_json::{Value, error::Category, json};
use std::{
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    sync::Mutex,
    task::JoinHandle,
};

/// How much is read at a time, and how much memory is kept while nothing comes.
const PIECE: usize = 16 << 10;

const MALFORMED: i32 = -32700;
const TOO_LARGE: i32 = -32600;

/// Input of which only the lines that are JSON come out. Each other one gets an error as its answer, since its client
/// would wait for ever otherwise; blank ones do not.
pub struct Lines<R, W> {
    input: R,
    output: Arc<Mutex<W>>,
    buffer: Vec<u8>,
    /// Where in the buffer what has not come out yet begins.
    start: usize,
    /// Up to where it may come out: it has been judged.
    good: usize,
    /// Up to where there is no end of a line behind `good`.
    seen: usize,
    /// What is remembered of a line that is too long, of which the rest is thrown away as it comes.
    too_long: Option<IdScan>,
    /// The answer that is being written. No more is read meanwhile, so that a client which does not listen cannot pile
    /// up answers. It is a task of its own, since the SDK may wait for the output without asking for input.
    answering: Option<JoinHandle<()>>,
    ended: bool,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    /// Reads from the input and answers on the output, which is flushed and unlocked after each line.
    pub fn new(input: R, output: Arc<Mutex<W>>) -> Self {
        Lines {
            input,
            output,
            buffer: Vec::with_capacity(PIECE),
            start: 0,
            good: 0,
            seen: 0,
            too_long: None,
            answering: None,
            ended: false,
        }
    }

    /// Judges the line that begins at `start` and whose end is just before `end`.
    fn judge(&mut self, end: usize) {
        let line = &self.buffer[self.start..end - 1];
        let refusal = if let Some(mut id) = self.too_long.take() {
            id.feed(line);
            Some(too_large(id))
        } else if line.len() > MOST_BYTES {
            let mut id = IdScan::default();
            id.feed(line);
            Some(too_large(id))
        } else if line.iter().all(u8::is_ascii_whitespace) {
            None
        } else {
            match malformed(line) {
                None => {
                    (self.good, self.seen) = (end, end);
                    return;
                }
                refusal => refusal,
            }
        };
        (self.start, self.good, self.seen) = (end, end, end);
        if let Some(refusal) = refusal {
            self.answer(refusal);
        }
    }

    fn answer(&mut self, refusal: String) {
        let output = self.output.clone();
        self.answering = Some(tokio::spawn(async move {
            let mut output = output.lock().await;
            let written = async {
                output.write_all(refusal.as_bytes()).await?;
                output.flush().await
            };
            if let Err(error) = written.await {
                tracing::debug!(%error, "an answer to an unreadable line was not written");
            }
        }));
    }

    /// Makes room behind an unfinished line; one that is too long already is forgotten.
    fn make_room(&mut self) {
        self.seen = self.buffer.len();
        if self.too_long.is_some() || self.seen - self.start > MOST_BYTES {
            self.too_long.get_or_insert_default().feed(&self.buffer[self.start..]);
            self.start = self.seen;
        }
        self.buffer.drain(..self.start);
        self.seen -= self.start;
        (self.start, self.good) = (0, 0);
        if self.buffer.is_empty() {
            self.buffer.shrink_to(PIECE);
        }
        if self.buffer.capacity() - self.buffer.len() < PIECE / 2 {
            self.buffer.reserve(PIECE);
        }
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> AsyncRead for Lines<R, W> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if let Some(answering) = &mut this.answering {
                let _ = ready!(Pin::new(answering).poll(context));
                this.answering = None;
            }
            if this.start < this.good {
                let end = this.good.min(this.start + out.remaining());
                out.put_slice(&this.buffer[this.start..end]);
                this.start = end;
                return Poll::Ready(Ok(()));
            }
            if let Some(length) = this.buffer[this.seen..].iter().position(|byte| *byte == b'\n') {
                this.judge(this.seen + length + 1);
                continue;
            }
            if this.ended {
                // A last line without its end is no message, by the protocol; one that is too long is refused anyway.
                let Some(id) = this.too_long.take() else { return Poll::Ready(Ok(())) };
                this.answer(too_large(id));
                continue;
            }
            this.make_room();
            this.ended = ready!(pin!(this.input.read_buf(&mut this.buffer)).poll(context))? == 0;
        }
    }
}

/// The answer to a line that is not JSON.
fn malformed(line: &[u8]) -> Option<String> {
    // As the SDK does.
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let error = serde_json::from_slice::<Value>(text).err()?;
    let message = match error.classify() {
        _ if std::str::from_utf8(text).is_err() => "the message is not valid UTF-8".to_owned(),
        Category::Eof => "the message ends in the middle of a JSON value".to_owned(),
        _ if error.to_string().starts_with("number out of range") => {
            format!("the message has a number that is not finite at column {}", error.column())
        }
        _ if error.to_string().starts_with("recursion limit") => "the message is nested too deeply".to_owned(),
        _ => format!("the message is not valid JSON at column {}", error.column()),
    };
    let error = Error::invalid(message, "Send one JSON-RPC message on each line.");
    Some(refusal(MALFORMED, &error, IdScan::of(text)))
}

/// The answer to a line that is too long.
fn too_large(id: IdScan) -> String {
    let message = format!("the message is larger than {} MiB", MOST_BYTES >> 20);
    refusal(TOO_LARGE, &Error::invalid(message, "Send less; a picture may be scaled down first."), id.finish())
}

/// An error of the protocol as a line.
fn refusal(number: i32, error: &Error, id: Value) -> String {
    let data = problem::body(error, &RequestId::new().0);
    let message = format!("{}. {}", error.message, error.hint);
    let answer = json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": number, "message": message, "data": data}
    });
    format!("{answer}\n")
}
