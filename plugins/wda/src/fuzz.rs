//! What the fuzz targets and the property tests run: a reader, on any bytes, and what must hold of what it read.
//!
//! It knows what is promised. Where the bytes come from is for its callers.

use crate::{
    source,
    stream::parts::{self, Parts},
    usb::{list, packet},
};
use driver_api::Tree;

/// A JSON page source.
pub fn json_tree(bytes: &[u8]) {
    if let Some((tree, _)) = source::from_json(bytes) {
        check(&tree);
    }
    let _ = source::read_capture(bytes);
}

/// An XML page source.
pub fn xml_tree(bytes: &[u8]) {
    if let Some((tree, _)) = source::from_xml(bytes) {
        check(&tree);
    }
    let _ = source::read_capture(bytes);
}

fn check(tree: &Tree) {
    assert!(!tree.nodes.is_empty() && tree.nodes.len() <= source::node::MOST);
    for (index, node) in tree.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| (parent as usize) < index), "a parent stands before its children");
        if let Some(bounds) = node.bounds {
            assert!([bounds.x, bounds.y, bounds.width, bounds.height].iter().all(|number| number.is_finite()));
            assert!(bounds.width >= 0.0 && bounds.height >= 0.0);
        }
    }
}

/// A stream of pictures; the first byte says in what chunks it comes, the second whether it begins with a good head.
pub fn stream(bytes: &[u8]) {
    let [size, headed, bytes @ ..] = bytes else { return };
    let mut parts = Parts::default();
    if headed % 2 == 0 {
        parts.push(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n");
    }
    for chunk in bytes.chunks(usize::from(*size).max(1) * 16) {
        parts.push(chunk);
        loop {
            match parts.next() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        assert!(parts.kept() <= parts::HEAD + parts::PART + chunk.len() + 2);
    }
}

/// Packets of the USB multiplexer, one after the other.
pub fn usbmux(mut bytes: &[u8]) {
    while let Some((head, rest)) = bytes.split_first_chunk::<16>() {
        let Ok(length) = packet::length(*head) else { return };
        assert!(length <= 1 << 20);
        let body = &rest[..length.min(rest.len())];
        if let Ok(content) = list::decode(body) {
            let _ = crate::usb::report(&content);
        }
        bytes = &rest[body.len()..];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        // `PROPTEST_CASES=100000 cargo test --release -p fingertip-wda fuzz` runs many.
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..800)) {
            super::json_tree(&bytes);
            super::xml_tree(&bytes);
            super::stream(&bytes);
            super::usbmux(&bytes);
        }

        #[test]
        fn packets_with_sound_heads_and_any_body(body in prop::collection::vec(any::<u8>(), 0..400)) {
            let length = (body.len() as u32 + 16).to_le_bytes();
            super::usbmux(&[&length[..], &[0; 12], &body].concat());
        }
    }
}
