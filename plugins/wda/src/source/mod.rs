//! What is on the screen: from a source in either format to the neutral tree.
//!
//! It knows the formats and forgives most of what is wrong with a document. It speaks to no phone.

pub(crate) mod json;
pub(crate) mod node;
pub(crate) mod raw;
pub(crate) mod role;
pub(crate) mod token;
pub(crate) mod xml;

#[cfg(test)]
mod tests;

use driver_api::{Error, ErrorKind, Result, Tree};

/// A tree and how many levels it has.
pub(crate) type Read = (Tree, u32);

/// The tree in a JSON document; `None` when there is nothing usable in it.
pub(crate) fn from_json(bytes: &[u8]) -> Option<Read> {
    node::tree(json::read(bytes, false)).or_else(|| node::tree(json::read(bytes, true)))
}

/// The tree in an XML document; `None` when there is nothing usable in it.
pub(crate) fn from_xml(bytes: &[u8]) -> Option<Read> {
    node::tree(xml::read(bytes))
}

/// The tree in an answer of the phone or in a file, whatever its format and wrapping.
pub(crate) fn from_any(bytes: &[u8]) -> Option<Read> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace())? {
        b'<' => from_xml(bytes),
        b'{' | b'[' | b'"' => {
            let wrapped = || unwrapped(json::wrapped_text(bytes)?.as_bytes());
            from_json(bytes).or_else(wrapped).or_else(|| after_words(bytes))
        }
        _ => after_words(bytes),
    }
}

/// A document after words of a console.
fn after_words(bytes: &[u8]) -> Option<Read> {
    let starts: [&[u8]; 3] = [b"<?xml", b"<XCUIElementType", b"<AppiumAUT"];
    let start =
        starts.iter().filter_map(|start| bytes.windows(start.len()).position(|window| window == *start)).min()?;
    // A document inside a text has its quotes escaped, and is no document.
    from_xml(&bytes[start..])
}

fn unwrapped(bytes: &[u8]) -> Option<Read> {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace())? {
        b'<' => from_xml(bytes),
        b'{' | b'[' => from_json(bytes),
        _ => None,
    }
}

/// Reads a page source that somebody saved.
pub(crate) fn read_capture(bytes: &[u8]) -> Result<Tree> {
    let wide = match bytes {
        [0xFF, 0xFE, rest @ ..] => Some(utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Some(utf16(rest, u16::from_be_bytes)),
        _ => None,
    };
    let bytes = wide.as_deref().map_or(bytes, str::as_bytes);
    from_any(bytes).map(|(tree, _)| tree).ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidArgument,
            "the file holds no page source of an iPhone, neither as XML nor as JSON, or an empty one",
        )
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}
