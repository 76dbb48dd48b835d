//! The form that a task's result must have.
//!
//! Knows JSON Schema by a library; schemas that would have to be fetched are refused.

use super::refs;
use crate::capability::Error;
use jsonschema::Validator;
use serde_json::Value;

/// The most bytes of a schema.
const MOST: usize = 64 << 10;
/// The most complaints of one check.
const COMPLAINTS: usize = 3;

/// A schema that can be checked against.
pub(super) struct Form {
    validator: Validator,
    told: Value,
}

impl Form {
    /// Reads a schema.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn new(schema: &Value) -> Result<Form, Error> {
        if schema.to_string().len() > MOST {
            return Err(Error::invalid(format!("output_schema has more than {MOST} bytes"), "Ask for less."));
        }
        let validator = jsonschema::validator_for(schema).map_err(|error| {
            let message: String =
                format!("output_schema is no usable JSON Schema: {error}").chars().take(300).collect();
            Error::invalid(message, "Correct it; a $ref may only point into the schema itself.")
        })?;
        Ok(Form { validator, told: refs::written_out(schema)? })
    }

    /// The schema as a model is told it: wherever it stands within another, nothing in it refers to a place outside of it.
    pub(super) fn told(&self) -> &Value {
        &self.told
    }

    /// Whether a value fits.
    ///
    /// # Errors
    /// What does not, for whoever made the value.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        let complaint = |error: jsonschema::ValidationError<'_>| {
            let place = error.instance_path().to_string();
            let text: String = error.to_string().chars().take(160).collect();
            if place.is_empty() { text } else { format!("{place}: {text}") }
        };
        let complaints: Vec<String> = self.validator.iter_errors(value).take(COMPLAINTS).map(complaint).collect();
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_held_against_the_schema() {
        let schema = json!({
            "type": "object",
            "properties": { "price": { "type": "number", "minimum": 0 }, "name": { "$ref": "#/$defs/name" } },
            "required": ["price"],
            "$defs": { "name": { "type": "string", "pattern": "^[A-Z]" } },
        });
        let form = Form::new(&schema).map_err(|error| error.message).unwrap();
        assert_eq!(form.check(&json!({ "price": 1.5, "name": "Ada" })), Ok(()));
        for (value, part) in [
            (json!({ "name": "Ada" }), "price"),
            (json!({ "price": -1 }), "/price"),
            (json!({ "price": 1, "name": "ada" }), "/name"),
        ] {
            assert!(form.check(&value).unwrap_err().contains(part), "{value}");
        }
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for schema in [
            json!({ "type": "nothing" }),
            json!({ "$ref": "https://example.com/schema.json" }),
            json!({ "pattern": "(" }),
            json!(3),
            json!({ "properties": { "child": { "$ref": "#" } } }),
        ] {
            let error = Form::new(&schema).err().unwrap_or_else(|| panic!("{schema} was taken"));
            assert!(error.message.starts_with("output_schema"), "{}", error.message);
        }
    }
}
