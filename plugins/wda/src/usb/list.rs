//! Property lists from outside, read within limits.
//!
//! It knows how much any honest list holds. A list is small on the wire and can be large in memory: nested without end, or in the
//! binary form naming the same part again and again. What a list says is for others.

use plist::{Dictionary, Value};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::{cell::Cell, fmt, io};

/// No list that is read here is nested more deeply by far; reading one costs stack.
const DEEPEST: usize = 32;
/// Values in one list: some thousand apps with a handful of words each.
const MOST: usize = 200_000;
/// Bytes of all texts and data in one list.
const LARGEST: usize = 32 << 20;

/// The dictionary in a list of either form.
pub(crate) fn decode(bytes: &[u8]) -> io::Result<Dictionary> {
    match plist::from_bytes::<Limited>(bytes) {
        Ok(Limited(Value::Dictionary(content))) => Ok(content),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "no property list, or one beyond all limits")),
    }
}

/// A list in its usual form.
pub(crate) fn encode(content: &Dictionary, to: &mut Vec<u8>) -> io::Result<()> {
    plist::to_writer_xml(to, content).map_err(io::Error::other)
}

/// A dictionary of these entries.
pub(crate) fn dictionary<const N: usize>(entries: [(&str, Value); N]) -> Dictionary {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

struct Limited(Value);

impl<'de> Deserialize<'de> for Limited {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let left = Left { values: Cell::new(MOST), bytes: Cell::new(LARGEST) };
        Part { depth: 0, left: &left }.deserialize(deserializer).map(Limited)
    }
}

/// What may still come.
struct Left {
    values: Cell<usize>,
    bytes: Cell<usize>,
}

impl Left {
    fn take<E: de::Error>(&self, bytes: usize) -> Result<(), E> {
        let values = self.values.get().checked_sub(1).ok_or_else(|| E::custom("too many values"))?;
        let bytes = self.bytes.get().checked_sub(bytes).ok_or_else(|| E::custom("too many bytes"))?;
        self.values.set(values);
        self.bytes.set(bytes);
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Part<'a> {
    depth: usize,
    left: &'a Left,
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > DEEPEST {
            return Err(de::Error::custom("nested too deeply"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a property list")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        self.left.take(0).map(|()| Value::Boolean(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        self.left.take(0).map(|()| Value::Integer(value.into()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        self.left.take(0).map(|()| Value::Integer(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        self.left.take(0).map(|()| Value::Real(value))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        self.left.take(text.len()).map(|()| Value::String(text.to_owned()))
    }

    fn visit_bytes<E: de::Error>(self, data: &[u8]) -> Result<Value, E> {
        self.left.take(data.len()).map(|()| Value::Data(data.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.left.take(0)?;
        let inner = Part { depth: self.depth + 1, ..self };
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.left.take(0)?;
        let inner = Part { depth: self.depth + 1, ..self };
        let mut all = Dictionary::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.left.take(key.len())?;
            all.insert(key, entries.next_value_seed(inner)?);
        }
        Ok(Value::Dictionary(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_can_be_read_in_both_forms() {
        let content = dictionary([
            ("Text", "Läden".into()),
            ("Number", Value::from(7_u64)),
            ("Negative", Value::from(-7_i64)),
            ("Real", Value::Real(0.5)),
            ("Truth", true.into()),
            ("Data", Value::Data(vec![0, 255])),
            ("List", Value::Array(vec!["a".into(), Value::Dictionary(dictionary([("b", "c".into())]))])),
        ]);
        let (mut xml, mut binary) = (Vec::new(), Vec::new());
        encode(&content, &mut xml).unwrap();
        plist::to_writer_binary(&mut binary, &content).unwrap();
        assert_eq!(decode(&xml).unwrap(), content);
        assert_eq!(decode(&binary).unwrap(), content);
    }

    /// Arrays of which each names the next twice: some bytes that stand for two to the power of their number.
    pub(crate) fn bomb(levels: u8) -> Vec<u8> {
        let mut file = b"bplist00".to_vec();
        let mut offsets = Vec::new();
        for level in 0..levels {
            offsets.push(file.len() as u8);
            file.extend([0xA2, level + 1, level + 1]);
        }
        offsets.push(file.len() as u8);
        file.extend([0x51, b'x']);
        let table = file.len() as u64;
        file.extend(&offsets);
        file.extend([0, 0, 0, 0, 0, 0, 1, 1]);
        file.extend((u64::from(levels) + 1).to_be_bytes());
        file.extend(0_u64.to_be_bytes());
        file.extend(table.to_be_bytes());
        file
    }

    #[test]
    fn no_nesting_is_too_deep_for_the_stack_and_no_list_too_large_for_the_memory() {
        let many = 100_000;
        for text in [
            "<array>".repeat(many),
            "<dict><key>a</key>".repeat(many),
            format!("<plist><dict><key>k</key>{}", "<array><!--</a>-->".repeat(many)),
            format!("<plist><dict><key>k</key>{}", "<array a=\"/>\">".repeat(many)),
            format!("<plist><dict><key>k</key><array>{}", "<true/>".repeat(MOST + 1)),
        ] {
            assert!(decode(text.as_bytes()).is_err());
        }
        for levels in [10, 24, 31, 60] {
            assert!(decode(&bomb(levels)).is_err());
        }
        let nested = |depth| {
            let (open, close) = ("<array>".repeat(depth), "</array>".repeat(depth));
            decode(format!("<plist><dict><key>k</key>{open}{close}</dict></plist>").as_bytes())
        };
        assert!(nested(DEEPEST).is_ok() && nested(DEEPEST + 1).is_err());
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
