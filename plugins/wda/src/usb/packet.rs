//! Packets of the USB multiplexer: a head of 16 bytes, then a property list.
//!
//! It knows their form and how long one may be. What they say is for [`mux`](super::mux).

use super::list;
use plist::Dictionary;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Of the head, which counts itself.
const HEAD: usize = 16;
/// No packet is larger: the largest are a pairing record and a list of a hub's phones.
const LARGEST: usize = 1 << 20;
/// The protocol's version with property lists, and the kind of packet that holds one.
const VERSION: u32 = 1;
const PLIST: u32 = 8;

/// A packet with this content.
pub(crate) fn encode(content: &Dictionary) -> io::Result<Vec<u8>> {
    let mut packet = vec![0; HEAD];
    list::encode(content, &mut packet)?;
    let length = u32::try_from(packet.len()).map_err(io::Error::other)?;
    for (place, number) in packet.chunks_exact_mut(4).zip([length, VERSION, PLIST, 1]) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    Ok(packet)
}

/// How many bytes follow a head.
pub(crate) fn length(head: [u8; HEAD]) -> io::Result<usize> {
    let [a, b, c, d, ..] = head;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    match length.checked_sub(HEAD) {
        Some(length) if length <= LARGEST => Ok(length),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "a packet has an impossible length")),
    }
}

/// Sends a packet.
pub(crate) async fn write(to: &mut (impl AsyncWrite + Unpin), content: &Dictionary) -> io::Result<()> {
    to.write_all(&encode(content)?).await
}

/// Reads the next packet, and not a byte more.
pub(crate) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Dictionary> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head).await?;
    let mut body = vec![0; length(head)?];
    from.read_exact(&mut body).await?;
    list::decode(&body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let content = list::dictionary([("MessageType", "Listen".into())]);
        let packet = encode(&content).unwrap();
        let head: [u8; HEAD] = packet[..HEAD].try_into().unwrap();
        assert_eq!(head[4..], [1, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(length(head).unwrap(), packet.len() - HEAD);
        assert_eq!(list::decode(&packet[HEAD..]).unwrap(), content);
    }

    #[test]
    fn lengths_that_cannot_be_are_refused() {
        for stated in [0, 15, LARGEST as u32 + 17, 1 << 31, u32::MAX] {
            let mut head = [0; HEAD];
            head[..4].copy_from_slice(&stated.to_le_bytes());
            assert_eq!(length(head).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
