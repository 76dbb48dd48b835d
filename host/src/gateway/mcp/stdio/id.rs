//! Finds the id of a message that cannot be read as a whole.
//!
//! It knows just enough of JSON to tell strings and levels apart; it does not know whether the rest is valid.

use serde_json::Value;

/// The longest id that is remembered, in bytes as sent.
const MOST_BYTES: usize = 256;

/// Looks for `"id": <number or string>` at the top level of an object that comes in pieces. An id further down, which
/// an argument may have, is not the message's: an answer to it would end another call.
#[derive(Debug, Default)]
pub struct IdScan {
    found: Option<Value>,
    depth: usize,
    place: Place,
    string: bool,
    escaped: bool,
    /// The name, string or number at the top level that is being read.
    token: Vec<u8>,
}

/// Where on the top level the scan is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Elsewhere,
    /// Behind the string `"id"`, which is a name if a colon follows.
    AfterName,
    /// Behind the colon.
    AtValue,
}

impl IdScan {
    /// The id in a line that is all there.
    pub fn of(line: &[u8]) -> Value {
        let mut scan = IdScan::default();
        scan.feed(line);
        scan.finish()
    }

    /// Reads on.
    pub fn feed(&mut self, piece: &[u8]) {
        for &byte in piece {
            if self.found.is_some() {
                return;
            }
            if self.string { self.inside(byte) } else { self.outside(byte) }
        }
    }

    /// The id, or null if there was none.
    pub fn finish(mut self) -> Value {
        if !self.string {
            self.end_number();
        }
        self.found.unwrap_or(Value::Null)
    }

    fn inside(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => {
                self.string = false;
                self.end_string();
            }
            _ => {}
        }
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.string = true;
                self.token.clear();
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.place = Place::Elsewhere;
            }
            b'}' | b']' | b',' => {
                self.end_number();
                self.place = Place::Elsewhere;
                if byte != b',' {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            b':' if self.place == Place::AfterName => {
                self.place = Place::AtValue;
                self.token.clear();
            }
            _ if byte.is_ascii_whitespace() => {}
            _ if self.place == Place::AtValue => self.keep(byte),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        // One more than allowed, so that what is too long can be told from what just fits.
        if self.depth == 1 && self.token.len() <= MOST_BYTES {
            self.token.push(byte);
        }
    }

    fn end_string(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.place == Place::AtValue {
            self.found = self.parsed().filter(Value::is_string);
        }
        self.place = if self.token == b"\"id\"" { Place::AfterName } else { Place::Elsewhere };
    }

    fn end_number(&mut self) {
        if self.depth == 1 && self.place == Place::AtValue {
            self.found = self.parsed().filter(Value::is_number);
        }
    }

    fn parsed(&self) -> Option<Value> {
        (self.token.len() <= MOST_BYTES).then(|| serde_json::from_slice(&self.token).ok())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_id_is_found_where_it_is_the_messages() {
        let long = format!(r#"{{"id":"{}""#, "a".repeat(300));
        for (line, id) in [
            (r#"{"id":7,"params":{"x":NaN}}"#, json!(7)),
            (r#"{"params":{"x":1e999,"id":3},"id" : "a\"b" }"#, json!("a\"b")),
            (r#"{"params":[{"id":3}],"y":NaN,"id":-1}"#, json!(-1)),
            (r#"{"method":"id","text":"}\"{","id":12"#, json!(12)),
            (r#"{"id":null,"id":5}"#, json!(5)),
            (r#"{"text":"\"id\":4","id":6"#, json!(6)),
            (r#"{"id":1e999}"#, Value::Null),
            (r#"{"id":true}"#, Value::Null),
            (r#"{"id":{"id":1}}"#, Value::Null),
            (r#"{"id":[1]}"#, Value::Null),
            (r#"{"params":{"id":3}"#, Value::Null),
            (r#"[{"id":3}"#, Value::Null),
            (r#"{"id":"unfinished"#, Value::Null),
            (r#"{"identity":1,"ID":2}"#, Value::Null),
            (r#"}}}"id":1"#, Value::Null),
            (&long, Value::Null),
            ("id: 5", Value::Null),
            ("", Value::Null),
        ] {
            assert_eq!(IdScan::of(line.as_bytes()), id, "{line}");
            let mut scan = IdScan::default();
            line.as_bytes().chunks(1).for_each(|piece| scan.feed(piece));
            assert_eq!(scan.finish(), id, "{line} in pieces");
        }
        assert_eq!(IdScan::of(b"{\"id\":\"\xff\""), Value::Null);
    }
}
