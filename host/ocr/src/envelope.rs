//! Whether a file can be a whole network, told by its outermost form.
//!
//! Knows how `.rten` and `.onnx` files begin and where they end. Looked at before a loader sees the file: the loader goes round
//! and round in some files that are none or that broke off.

/// Of an `.onnx` file, the numbers of the fields that every one has: its version, the network, and what it is made of.
const FIELDS: [u64; 3] = [1, 7, 8];

/// What a whole file of either kind looks like from outside.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"RTEN") { is_whole_rten(bytes) } else { is_whole_onnx(bytes).unwrap_or(false) }
}

/// A header of four bytes, a version, and where three parts lie; the first ends before the last begins.
fn is_whole_rten(bytes: &[u8]) -> bool {
    let number = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (Some(start), Some(length), Some(tensors)) = (number(8), number(16), number(24)) else { return false };
    let most = bytes.len() as u64;
    start.checked_add(length).is_some_and(|end| end <= most) && tensors <= most
}

/// Fields one after the other, each a number and a value, up to the file's very end.
fn is_whole_onnx(mut bytes: &[u8]) -> Option<bool> {
    let mut found = [false; FIELDS.len()];
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let length = match tag & 7 {
            0 => {
                varint(&mut bytes)?;
                0
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)?).ok()?,
            5 => 4,
            _ => return None,
        };
        bytes = bytes.get(length..)?;
        for (found, number) in found.iter_mut().zip(FIELDS) {
            *found |= tag >> 3 == number;
        }
    }
    Some(found == [true; FIELDS.len()])
}

/// A number in pieces of seven bits.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INK: &[u8] = include_bytes!("../tests/added/ink.onnx");

    #[test]
    fn only_a_whole_file_is_one() {
        assert!(is_whole(INK));
        for part in 0..INK.len() {
            assert!(!is_whole(&INK[..part]), "{part}");
        }
        assert!(!is_whole(&[0xff; 4096]) && !is_whole(&[0; 64]) && !is_whole(b"RTEN"));
    }

    proptest! {
        #[test]
        fn anything_can_be_looked_at(bytes in proptest::collection::vec(any::<u8>(), 0..200), rten in any::<bool>()) {
            is_whole(&if rten { [b"RTEN".as_slice(), &bytes].concat() } else { bytes });
        }
    }
}
