//! A client of usbmuxd as bare as can be, with a deadline on every read.

use plist::{Dictionary, Value};
use std::{
    io::{self, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// How long an answer may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// How long nothing must come where nothing may come.
pub(crate) const SILENCE: Duration = Duration::from_millis(100);

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    tag: u32,
}

/// A dictionary from its entries.
pub(crate) fn dict(entries: &[(&str, Value)]) -> Dictionary {
    entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

pub(crate) fn xml(body: &Dictionary) -> Vec<u8> {
    let mut out = Vec::new();
    plist::to_writer_xml(&mut out, body).expect("it can be written");
    out
}

pub(crate) fn packet(version: u32, message: u32, tag: u32, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for field in [16 + body.len() as u32, version, message, tag] {
        out.extend(field.to_le_bytes());
    }
    out.extend(body);
    out
}

pub(crate) fn number(answer: &Dictionary, key: &str) -> u64 {
    answer.get(key).and_then(Value::as_unsigned_integer).unwrap_or_else(|| panic!("no number {key} in {answer:?}"))
}

pub(crate) fn text<'a>(answer: &'a Dictionary, key: &str) -> &'a str {
    answer.get(key).and_then(Value::as_string).unwrap_or_else(|| panic!("no text {key} in {answer:?}"))
}

impl Client {
    pub(crate) fn open(address: &str) -> Client {
        let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("{address}: {error}"));
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_nodelay(true).expect("no delay");
        Client { stream, tag: 40 }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap_or_else(|error| panic!("{error}"));
    }

    /// One packet: its tag and what it says.
    pub(crate) fn read(&mut self) -> io::Result<(u32, Dictionary)> {
        let mut head = [0; 16];
        self.stream.read_exact(&mut head)?;
        let field = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four"));
        assert_eq!((field(4), field(8)), (1, 8), "version and message");
        let mut body = vec![0; field(0) as usize - 16];
        self.stream.read_exact(&mut body)?;
        let body = Value::from_reader_xml(body.as_slice()).map_err(io::Error::other)?;
        Ok((field(12), body.into_dictionary().expect("a dictionary")))
    }

    pub(crate) fn request(&mut self, kind: &str, more: &[(&str, Value)]) {
        self.tag += 1;
        let mut request = dict(&[("MessageType", kind.into()), ("ProgName", "test".into())]);
        request.extend(dict(more));
        let bytes = packet(1, 8, self.tag, &xml(&request));
        self.send(&bytes);
    }

    /// Asks and reads the answer, which carries the question's tag.
    pub(crate) fn ask(&mut self, kind: &str, more: &[(&str, Value)]) -> Dictionary {
        self.request(kind, more);
        let (tag, answer) = self.read().unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(tag, self.tag, "{kind}: {answer:?}");
        answer
    }

    /// Asks for a stream and says with which number that was answered.
    pub(crate) fn connect(&mut self, id: u32, port: u16) -> u64 {
        let answer = self.ask("Connect", &[("DeviceID", id.into()), ("PortNumber", port.swap_bytes().into())]);
        number(&answer, "Number")
    }

    /// An event, which carries no tag: its kind and the phone's number.
    pub(crate) fn event(&mut self) -> (String, u64) {
        let (tag, event) = self.read().unwrap_or_else(|error| panic!("no event: {error}"));
        assert_eq!(tag, 0, "{event:?}");
        (text(&event, "MessageType").to_owned(), number(&event, "DeviceID"))
    }

    /// Asks the agent on a stream for its status and reads the whole answer.
    pub(crate) fn status(&mut self) -> String {
        self.send(b"GET /status HTTP/1.1\r\nHost: phone\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap_or_else(|error| panic!("{error}"));
        answer
    }

    /// Whether the other side has ended the connection, and how; waits for that.
    pub(crate) fn ended(&mut self) -> io::Result<()> {
        match self.stream.read(&mut [0; 1]) {
            Ok(0) => Ok(()),
            Ok(_) => panic!("there is more"),
            Err(error) => Err(error),
        }
    }

    /// Whether nothing comes and nothing ends for a while.
    pub(crate) fn is_silent(&mut self) -> bool {
        self.stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
        let read = self.stream.read(&mut [0; 1]);
        self.stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        read.is_err_and(|error| matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
    }
}
