//! Packets as they go over the wire: the muxer's, with a header of sixteen little-endian bytes, and those of the services on
//! the phone, with a big-endian length. It knows bytes, property lists, bounds and deadlines, and no request.

use plist::{Dictionary, Value};
use std::{io, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::timeout,
};

/// A longer packet ends its connection.
pub(super) const MAX_BODY: usize = 1 << 20;
/// Deeper lists are not read: dropping them takes the stack.
const MAX_DEPTH: usize = 32;
/// How long a packet may take once it has begun, and an answer until it is taken.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection may stay without asking anything.
pub(super) const IDLE: Duration = Duration::from_secs(600);
/// The header's length.
pub(super) const HEAD: usize = 16;
/// The only message whose body is a property list.
pub(super) const PLIST: u32 = 8;

/// One packet of a client of the muxer.
pub(super) struct Packet {
    pub(super) version: u32,
    pub(super) message: u32,
    pub(super) tag: u32,
    pub(super) body: Vec<u8>,
}

/// A dictionary from its entries.
pub(super) fn dict<const N: usize>(entries: [(&str, Value); N]) -> Dictionary {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A dictionary as XML.
pub(super) fn xml(dictionary: &Dictionary) -> Vec<u8> {
    let mut out = Vec::new();
    if let Err(error) = plist::to_writer_xml(&mut out, dictionary) {
        tracing::error!(%error, "a property list cannot be written");
    }
    out
}

/// The dictionary that a body holds. Binary lists are not taken, though real phones take them: no client sends them here.
pub(super) fn parse(body: &[u8]) -> Option<Dictionary> {
    if !body.starts_with(b"<") || depth(body) > MAX_DEPTH {
        return None;
    }
    Value::from_reader_xml(body).ok()?.into_dictionary()
}

fn depth(body: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for (at, _) in body.iter().enumerate().filter(|(_, byte)| **byte == b'<') {
        let tag = &body[at + 1..];
        if tag.starts_with(b"dict") || tag.starts_with(b"array") {
            depth += 1;
            deepest = deepest.max(depth);
        } else if tag.starts_with(b"/dict") || tag.starts_with(b"/array") {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

/// A packet of the muxer with any body.
pub(super) fn framed(tag: u32, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD + body.len());
    for field in [(HEAD + body.len()) as u32, 1, PLIST, tag] {
        out.extend(field.to_le_bytes());
    }
    out.extend(body);
    out
}

/// A packet of the muxer.
pub(super) fn packet(tag: u32, body: &Dictionary) -> Vec<u8> {
    framed(tag, &xml(body))
}

/// A packet of a service on the phone.
pub(super) fn message(body: &Dictionary) -> Vec<u8> {
    let body = xml(body);
    let mut out = (body.len() as u32).to_be_bytes().to_vec();
    out.extend(body);
    out
}

/// Reads one packet of the muxer and nothing behind it, since that may be meant for the phone.
pub(super) async fn read_packet(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Packet> {
    let mut head = [0; HEAD];
    begin(stream, &mut head).await?;
    let [length, version, message, tag] =
        std::array::from_fn(|at| u32::from_le_bytes(std::array::from_fn(|byte| head[4 * at + byte])));
    let length = (length as usize).checked_sub(HEAD).ok_or_else(|| invalid("a header with a length below its own"))?;
    Ok(Packet { version, message, tag, body: body(stream, length).await? })
}

/// Reads one packet of a service and nothing behind it. `None` if it is no dictionary.
pub(super) async fn read_message(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Dictionary>> {
    let mut head = [0; 4];
    begin(stream, &mut head).await?;
    let body = body(stream, u32::from_be_bytes(head) as usize).await?;
    Ok(parse(&body))
}

/// Writes all of it, if it is taken in time.
pub(super) async fn write(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    within(PATIENCE, async {
        stream.write_all(bytes).await?;
        stream.flush().await
    })
    .await
}

/// Reads and drops until the other side leaves, or for as long as an idle connection may stay.
pub(super) async fn hold(stream: &mut (impl AsyncRead + Unpin)) {
    let drain = async {
        let mut rest = [0; 4096];
        while matches!(stream.read(&mut rest).await, Ok(read) if read > 0) {}
    };
    drop(timeout(IDLE, drain).await);
}

/// The same result, or an error when it took too long.
pub(super) async fn within<T>(time: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(time, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

async fn begin(stream: &mut (impl AsyncRead + Unpin), head: &mut [u8]) -> io::Result<()> {
    within(IDLE, stream.read_exact(&mut head[..1])).await?;
    within(PATIENCE, stream.read_exact(&mut head[1..])).await?;
    Ok(())
}

async fn body(stream: &mut (impl AsyncRead + Unpin), length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(invalid("a packet that is too long"));
    }
    let mut body = vec![0; length];
    within(PATIENCE, stream.read_exact(&mut body)).await?;
    Ok(body)
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_survives_the_wire() {
        let sent = dict([("Number", 3.into()), ("Text", "a<b".into())]);
        assert_eq!(parse(&xml(&sent)), Some(sent));
    }

    #[test]
    fn deep_lists_and_other_values_are_not_read() {
        let deep = format!("<plist><dict><key>a</key>{}{}</dict></plist>", "<array>".repeat(40), "</array>".repeat(40));
        assert_eq!(parse(deep.as_bytes()), None);
        assert_eq!(parse(b"<plist><string>a</string></plist>"), None);
        assert_eq!(parse(b"bplist00"), None);
    }

    #[tokio::test]
    async fn lengths_are_bounded() {
        for length in [0_u32, 15, 1 << 31, (HEAD + MAX_BODY + 1) as u32] {
            let mut head = length.to_le_bytes().to_vec();
            head.extend([0; 12]);
            let error = read_packet(&mut head.as_slice()).await.err().expect("refused");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{length}");
        }
    }
}
