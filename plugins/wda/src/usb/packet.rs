//! Packets of the USB multiplexer: a head of 16 bytes, then a property list.
//!
//! It knows their form and its limits. What they say is for [`mux`](super::mux). The library that speaks the phone's own
//! services has a reader for these too, but one that trusts the stated length.

use plist::Dictionary;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Of the head, which counts itself.
const HEAD: usize = 16;
/// No packet is larger: the largest are a pairing record and a list of a hub's phones.
const LARGEST: usize = 1 << 20;
/// No property list of the multiplexer is nested more deeply by far; reading one costs stack.
const DEEPEST: usize = 32;
/// The protocol's version with property lists, and the kind of packet that holds one.
const VERSION: u32 = 1;
const PLIST: u32 = 8;

/// A packet with this content.
pub(crate) fn encode(content: &Dictionary) -> io::Result<Vec<u8>> {
    let mut packet = vec![0; HEAD];
    plist::to_writer_xml(&mut packet, content).map_err(io::Error::other)?;
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
        _ => Err(malformed("a packet has an impossible length")),
    }
}

/// The content of a packet's body.
pub(crate) fn decode(body: &[u8]) -> io::Result<Dictionary> {
    if depth(body) > DEEPEST {
        return Err(malformed("a packet is nested too deeply"));
    }
    plist::from_bytes(body).map_err(|_| malformed("a packet is no property list"))
}

/// How many elements at most are open at once.
fn depth(xml: &[u8]) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for tag in xml.split(|byte| *byte == b'<').skip(1) {
        match tag.first() {
            Some(b'/') => open = open.saturating_sub(1),
            Some(b'?' | b'!') | None => {}
            Some(_) => {
                let name = &tag[..tag.iter().position(|byte| *byte == b'>').unwrap_or(tag.len())];
                if !name.ends_with(b"/") {
                    open += 1;
                    deepest = deepest.max(open);
                }
            }
        }
    }
    deepest
}

fn malformed(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
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
    decode(&body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut content = Dictionary::new();
        content.insert("MessageType".to_owned(), "Listen".into());
        let packet = encode(&content).unwrap();
        let head: [u8; HEAD] = packet[..HEAD].try_into().unwrap();
        assert_eq!(head[4..], [1, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(length(head).unwrap(), packet.len() - HEAD);
        assert_eq!(decode(&packet[HEAD..]).unwrap(), content);
    }

    #[test]
    fn lengths_that_cannot_be_are_refused() {
        for stated in [0, 15, LARGEST as u32 + 17, 1 << 31, u32::MAX] {
            let mut head = [0; HEAD];
            head[..4].copy_from_slice(&stated.to_le_bytes());
            assert_eq!(length(head).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn no_nesting_is_too_deep_for_the_stack() {
        for text in ["<array>", "<dict><key>a</key>", "<plist><dict><key>k</key><array>"] {
            assert!(decode(text.repeat(LARGEST / text.len()).as_bytes()).is_err());
        }
        let fine = format!("<plist>{}{}</plist>", "<array>".repeat(20), "</array>".repeat(20));
        assert!(depth(fine.as_bytes()) == 21 && decode(fine.as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), binary: bool) {
            let bytes = if binary { [b"bplist00".as_slice(), &bytes].concat() } else { bytes };
            let _ = decode(&bytes);
        }

        #[test]
        fn no_soup_of_tags_panics(parts in prop::collection::vec(prop::sample::select(vec![
            "<plist>", "</plist>", "<dict>", "</dict>", "<key>a</key>", "<array>", "</array>", "<integer>9</integer>",
            "<integer>x</integer>", "<string>", "</string>", "<data>AAAA</data>", "<true/>", "<date>1</date>", "&#x0;", "<", "]]>",
        ]), 0..80)) {
            let _ = decode(parts.concat().as_bytes());
        }
    }
}
