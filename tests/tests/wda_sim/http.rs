//! A raw HTTP client that shows what really goes over the wire. It helps with nothing: no retries, no redirects, no defaults.

use serde_json::Value;
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) text: String,
}

impl Reply {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The body's `value`.
    pub(crate) fn value(&self) -> Value {
        self.json()["value"].clone()
    }

    /// Status and error name.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status, self.value()["error"].as_str().unwrap_or_default().to_owned())
    }

    /// The value of an answer that must be a success.
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.value()
    }
}

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Connection {
        Connection::try_open(address).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn try_open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(Connection { stream, buffer: Vec::new() })
    }

    /// How long reading waits from now on.
    pub(crate) fn patience(&self, patience: Duration) {
        self.stream.set_read_timeout(Some(patience)).unwrap_or_else(|error| panic!("{error}"));
    }

    pub(crate) fn send(&mut self, bytes: &str) {
        self.stream.write_all(bytes.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    }

    fn more(&mut self) -> io::Result<()> {
        let mut chunk = [0; 64 * 1024];
        let read = self.stream.read(&mut chunk)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.extend(&chunk[..read]);
        Ok(())
    }

    /// Reads one answer. The error says how it ended before that.
    pub(crate) fn receive(&mut self) -> io::Result<Reply> {
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            self.more()?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
        self.buffer.drain(..end + 4);
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let length = length.and_then(|length| length.parse().ok()).unwrap_or_default();
        while self.buffer.len() < length {
            self.more()?;
        }
        let rest = self.buffer.split_off(length);
        let body = std::mem::replace(&mut self.buffer, rest);
        Ok(Reply { status, head, text: String::from_utf8_lossy(&body).into_owned() })
    }

    /// What was read and did not become an answer.
    pub(crate) fn rest(&self) -> usize {
        self.buffer.len()
    }

    pub(crate) fn try_call(&mut self, method: &str, path: &str, body: &str) -> io::Result<Reply> {
        self.send(&request(method, path, body));
        self.receive()
    }

    pub(crate) fn call(&mut self, method: &str, path: &str, body: &str) -> Reply {
        self.try_call(method, path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }
}

/// The bytes of a request.
pub(crate) fn request(method: &str, path: &str, body: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: phone\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
