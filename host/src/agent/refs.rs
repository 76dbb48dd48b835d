//! A schema with what it refers to written out, for those who are shown only a part of it.
//!
//! Knows where JSON Schema has schemas, and where names or plain values. Whether it is a schema at all, others have checked.

use crate::capability::Error;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// The most bytes of the result, without those of its signs.
const MOST: usize = 64 << 10;
/// How deeply it may be nested; what reads it must not run out of stack.
const DEPTH: usize = 100;
/// What says only where a schema is, or what else there is to refer to.
const DROPPED: [&str; 7] = ["$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment"];
/// Values that may look like schemas.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];
/// Schemas by names, which may look like keywords.
const NAMED: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
/// What two schemas may both say without contradicting each other.
const WORDS: [&str; 3] = ["title", "description", "deprecated"];

/// The schema without references.
///
/// # Errors
/// For references that lead to themselves, or away from the schema, and for results that are too large.
pub(super) fn written_out(root: &Value) -> Result<Value, Error> {
    // Whoever refers to the root is within it.
    Writer { root, within: vec![String::new()], left: MOST }.schema(root, 0)
}

struct Writer<'a> {
    root: &'a Value,
    /// What is being written out just now.
    within: Vec<String>,
    left: usize,
}

impl Writer<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Result<Value, Error> {
        if depth > DEPTH {
            return Err(too_large());
        }
        self.pay(1 + schema.as_str().map_or(0, str::len))?;
        match schema {
            Value::Object(schema) => self.object(schema, depth + 1),
            Value::Array(list) => list.iter().map(|one| self.schema(one, depth + 1)).collect(),
            other => Ok(other.clone()),
        }
    }

    fn pay(&mut self, bytes: usize) -> Result<(), Error> {
        self.left = self.left.checked_sub(bytes).ok_or_else(too_large)?;
        Ok(())
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<Value, Error> {
        let mut own = Map::new();
        for (key, value) in schema {
            let written = match (key.as_str(), value) {
                ("$ref", Value::String(_)) => continue,
                ("$dynamicRef" | "$recursiveRef", Value::String(place)) => return Err(recursive(place)),
                (key, _) if DROPPED.contains(&key) => continue,
                (key, value) if VALUES.contains(&key) => {
                    self.pay(value.to_string().len())?;
                    value.clone()
                }
                (key, Value::Object(named)) if NAMED.contains(&key) => self.named(named, depth)?,
                (_, value) => self.schema(value, depth)?,
            };
            self.pay(key.len())?;
            own.insert(key.clone(), written);
        }
        match schema.get("$ref") {
            Some(Value::String(place)) => Ok(joined(self.referred(place, depth)?, own)),
            _ => Ok(own.into()),
        }
    }

    fn named(&mut self, named: &Map<String, Value>, depth: usize) -> Result<Value, Error> {
        let mut written = Map::new();
        for (name, schema) in named {
            self.pay(name.len())?;
            written.insert(name.clone(), self.schema(schema, depth)?);
        }
        Ok(written.into())
    }

    fn referred(&mut self, place: &str, depth: usize) -> Result<Value, Error> {
        let pointer =
            place.strip_prefix('#').map(|pointer| percent_decode_str(pointer).decode_utf8_lossy().into_owned());
        let root = self.root;
        let (Some(pointer), Some(target)) = (&pointer, pointer.as_ref().and_then(|pointer| root.pointer(pointer)))
        else {
            return Err(Error::invalid(
                format!("output_schema refers to {place:?}, which is no place in it"),
                "Refer to a place by its path, as in \"#/$defs/name\".",
            ));
        };
        if self.within.contains(pointer) {
            return Err(recursive(place));
        }
        self.within.push(pointer.clone());
        let written = self.schema(target, depth);
        self.within.pop();
        written
    }
}

/// What is referred to, with what stands beside the reference; both hold.
fn joined(target: Value, own: Map<String, Value>) -> Value {
    match target {
        target if own.is_empty() => target,
        Value::Object(mut target)
            if own.keys().all(|key| WORDS.contains(&key.as_str()) || !target.contains_key(key)) =>
        {
            target.extend(own);
            target.into()
        }
        target => json!({ "allOf": [target, own] }),
    }
}

fn recursive(place: &str) -> Error {
    Error::invalid(
        format!("output_schema leads back to itself by {place:?}, and a recursive schema cannot be given to a model"),
        "Write out as many levels as are needed.",
    )
}

fn too_large() -> Error {
    Error::invalid("output_schema is too large, or too deep, with what it refers to written out", "Ask for less.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_referred_to_is_written_out() {
        let name = json!({ "type": "string", "description": "A name." });
        let schema = json!({
            "properties": {
                "first": { "$ref": "#/$defs/name" },
                "last": { "$ref": "#/%24defs/name", "description": "The last name." },
                "short": { "$ref": "#/$defs/name", "type": ["string", "null"] },
                "all": { "type": "array", "items": { "$ref": "#/$defs/person" } },
                "again": { "$ref": "#/properties/first" },
                "$ref": { "const": { "$ref": "#/$defs/name" } },
            },
            "$defs": { "name": name, "person": { "properties": { "name": { "$ref": "#/$defs/name" } } } },
        });
        let written = written_out(&schema).unwrap_or_else(|error| panic!("{}", error.message));
        let expected = json!({
            "properties": {
                "first": name,
                "last": { "type": "string", "description": "The last name." },
                "short": { "allOf": [name, { "type": ["string", "null"] }] },
                "all": { "type": "array", "items": { "properties": { "name": name } } },
                "again": name,
                "$ref": { "const": { "$ref": "#/$defs/name" } },
            },
        });
        assert_eq!(written, expected);
    }

    #[test]
    fn what_cannot_be_written_out_is_refused() {
        let node = json!({ "properties": { "next": { "$ref": "#/$defs/node" } } });
        let mut bomb = json!({ "$defs": { "d0": { "type": "string" } }, "$ref": "#/$defs/d20" });
        for level in 1..=20 {
            let below = json!({ "$ref": format!("#/$defs/d{}", level - 1) });
            bomb["$defs"][format!("d{level}")] = json!({ "properties": { "a": below, "b": below } });
        }
        for (schema, part) in [
            (json!({ "$ref": "#" }), "recursive"),
            (json!({ "properties": { "child": { "$ref": "#" } } }), "recursive"),
            (json!({ "$ref": "#/$defs/node", "$defs": { "node": node } }), "recursive"),
            (json!({ "properties": { "a": { "items": { "$ref": "#/properties/a" } } } }), "recursive"),
            (json!({ "$ref": "#/$defs/none" }), "no place"),
            (json!({ "$ref": "other.json" }), "no place"),
            (bomb, "too large"),
        ] {
            let error = written_out(&schema).expect_err("no schema");
            assert!(error.message.contains(part), "{schema}: {}", error.message);
        }
    }
}
