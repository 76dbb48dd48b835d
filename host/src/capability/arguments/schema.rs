//! JSON Schemas of argument and result types, in the short and plain form that models read and strict clients accept.
//!
//! It knows what `schemars` writes and what clients trip over; it does not know any capability.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of arguments of type `T`: an object at the root, everything inlined, optional fields as plain fields that are
/// not required, no `title`, no `format` (some clients warn at `uint32`), no `$schema`. Every object that names its fields is
/// closed, also where `T` could not say so (serde cannot close a type with flattened fields), and the root has no
/// description, which the capability gives.
pub fn input_schema_for<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = Value::Object(schema_for::<T>());
    close(&mut schema);
    let Value::Object(mut schema) = schema else { unreachable!("made of an object") };
    schema.remove("description");
    schema.entry("additionalProperties").or_insert(json!(false));
    schema
}

/// The schema of results of type `T`, as they are written: a field that may be left out is not required, one that may be
/// null says so. Strict clients refuse an answer that its schema does not admit. In the same plain form as
/// [`input_schema_for`], but open, so that a field can be added.
pub fn output_schema_for<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize(), Nulls::Kept);
    schema.remove("description");
    schema
}

/// [`input_schema_for`] that closes only what `T` itself closes, and keeps the description of `T`.
pub fn schema_for<T: JsonSchema>() -> Map<String, Value> {
    generate::<T>(SchemaSettings::draft2020_12().for_deserialize(), Nulls::Dropped)
}

/// Whether null is one of the values of an optional field.
#[derive(Clone, Copy, PartialEq)]
enum Nulls {
    Kept,
    Dropped,
}

fn generate<T: JsonSchema>(mut settings: SchemaSettings, nulls: Nulls) -> Map<String, Value> {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema, nulls);
    match schema {
        Value::Object(mut object) => {
            object.entry("type").or_insert_with(|| json!("object"));
            object
        }
        _ => Map::from_iter([("type".to_owned(), json!("object"))]),
    }
}

fn tidy(schema: &mut Value, nulls: Nulls) {
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["$schema", "$defs", "title", "format"] {
        object.remove(key);
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    // What flattening leaves: after it the fields stand in one list, so the plainer word says the same.
    if object.remove("unevaluatedProperties") == Some(json!(false)) {
        object.insert("additionalProperties".into(), json!(false));
    }
    // Open is what an object is anyway.
    if object.get("additionalProperties") == Some(&json!(true)) {
        object.remove("additionalProperties");
    }
    let drop_nulls = nulls == Nulls::Dropped;
    if let Some(Value::Array(kinds)) = object.get_mut("type").filter(|_| drop_nulls) {
        kinds.retain(|kind| kind != "null");
        if let [only] = &kinds[..] {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum").filter(|_| drop_nulls) {
        values.retain(|value| !value.is_null());
    }
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                fields.values_mut().for_each(|field| tidy(field, nulls));
            }
            ("items" | "additionalProperties", inner) => tidy(inner, nulls),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(inner)) => {
                inner.iter_mut().for_each(|choice| tidy(choice, nulls));
            }
            _ => {}
        }
    }
    for key in ["anyOf", "oneOf"] {
        merge_choices(object, key, nulls);
    }
}

/// Turns "this or null" into this where nulls are dropped, and a choice of constants into an enum.
fn merge_choices(object: &mut Map<String, Value>, key: &str, nulls: Nulls) {
    let Some(Value::Array(choices)) = object.get_mut(key) else { return };
    if nulls == Nulls::Dropped {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
    }
    if let [only] = &mut choices[..] {
        let only = only.take();
        object.remove(key);
        if let Value::Object(only) = only {
            for (name, value) in only {
                // The field's own description is about the field, the type's about the type.
                object.entry(name).or_insert(value);
            }
        }
        return;
    }
    let constants: Option<Vec<Value>> = choices
        .iter()
        .map(|choice| match (choice.get("const"), choice.get("enum")) {
            (Some(only), _) => Some(vec![only.clone()]),
            (_, Some(Value::Array(several))) => Some(several.clone()),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|values| values.concat());
    if let Some(constants) = constants.filter(|values| values.iter().all(Value::is_string) && !values.is_empty()) {
        object.remove(key);
        object.insert("type".into(), json!("string"));
        object.insert("enum".into(), Value::Array(constants));
    }
}

fn close(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.contains_key("properties") {
        object.entry("additionalProperties").or_insert(json!(false));
    }
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => fields.values_mut().for_each(close),
            ("items", inner) => close(inner),
            ("anyOf" | "oneOf", Value::Array(inner)) => inner.iter_mut().for_each(close),
            _ => {}
        }
    }
}
