//! The one validation of arguments, for both doors and the command line.
//!
//! It knows JSON Schema as far as the catalogue uses it: types, enums, bounds, required and closed objects, nested. It does
//! not know any capability: what the schema cannot say (such as "either `x` and `y` or `element`") the capability checks.
//!
//! A refusal names the field, says what was expected and what came, and offers the nearest known name. It never repeats a
//! long value, and never what a caller wants typed: that may be a password.

mod schema;

use super::Error;
use serde_json::{Map, Number, Value};
use std::fmt;

pub use schema::{input_schema_for, output_schema_for, schema_for};

/// Longest value that a message repeats.
const ECHO_CHARS: usize = 40;

/// Fields whose values may be secret, so that no message repeats them.
const NEVER_ECHO: [&str; 5] = ["text", "answer", "inputs", "picture", "url"];

/// Checks `arguments` against `schema`. A null for an optional field counts as absent.
///
/// # Errors
/// [`Code::InvalidArguments`](super::Code::InvalidArguments) that names the field.
pub fn check(schema: &Map<String, Value>, arguments: &Map<String, Value>) -> Result<(), Error> {
    check_object(schema, arguments, &Path::Root, true)
}

/// Checks `arguments` and puts them into the form that a typed reader expects: no nulls for optional fields, and whole
/// numbers without a fraction where the schema asks for an integer (many clients send `3.0`).
///
/// # Errors
/// As [`check`].
pub fn accept(schema: &Map<String, Value>, mut arguments: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    check(schema, &arguments)?;
    tidy_object(schema, &mut arguments);
    Ok(arguments)
}

/// Reads the value of argument `name` from the text of a query or path, as the schema says: `true` and `false`, decimal
/// numbers, or the text itself.
///
/// # Errors
/// [`Code::InvalidArguments`](super::Code::InvalidArguments) if there is no such argument, or the text is not of its type.
pub fn from_text(schema: &Map<String, Value>, name: &str, text: &str) -> Result<Value, Error> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(wanted) = properties.and_then(|properties| properties.get(name)) else {
        return Err(unknown(name, properties, &Path::Root));
    };
    let field = Path::Field(&Path::Root, name);
    let wrong = |expected: &str| {
        let came = echo(&Value::from(text), &field);
        Error::invalid(format!("`{field}` must be {expected}, not {came}"), format!("Give `{field}` as {expected}."))
    };
    match types(wanted).first().copied() {
        Some("boolean") => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(wrong("true or false")),
        },
        Some(kind @ ("number" | "integer")) => decimal(text).map(Value::Number).ok_or_else(|| wrong(article(kind))),
        Some("array" | "object") => {
            Err(Error::invalid(format!("`{field}` does not fit into a query"), "Send it in a JSON body."))
        }
        _ => Ok(Value::from(text)),
    }
}

/// A number as JSON writes it: decimal, without NaN, infinity, hexadecimal or blanks. One that overflows is refused rather
/// than rounded to infinity.
fn decimal(text: &str) -> Option<Number> {
    if !text.ends_with(|last: char| last.is_ascii_digit()) || text.starts_with(char::is_whitespace) {
        return None;
    }
    let number = serde_json::from_str::<Number>(text).ok()?;
    if number.is_f64() { text.parse().ok().and_then(Number::from_f64) } else { Some(number) }
}

/// Where a value stands, for messages: `steps[2].tool`.
enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn may_echo(&self) -> bool {
        match self {
            Path::Root => true,
            Path::Field(parent, name) => !NEVER_ECHO.contains(name) && parent.may_echo(),
            Path::Item(parent, _) => parent.may_echo(),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Field(Path::Root, name) => write!(out, "{}", shorten(name)),
            Path::Field(parent, name) => write!(out, "{parent}.{}", shorten(name)),
            Path::Item(parent, index) => write!(out, "{parent}[{index}]"),
        }
    }
}

fn check_object(
    schema: &Map<String, Value>,
    object: &Map<String, Value>,
    path: &Path<'_>,
    root: bool,
) -> Result<(), Error> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    // Arguments are closed always: a field that nobody reads is a mistake that the caller must learn of.
    let (closed, others) = match schema.get("additionalProperties") {
        Some(Value::Bool(open)) => (!open, None),
        Some(others) => (false, Some(others)),
        None => (root, None),
    };
    for (name, value) in object {
        let field = Path::Field(path, name);
        match properties.and_then(|properties| properties.get(name)) {
            Some(wanted) => {
                if !value.is_null() || required.contains(&name.as_str()) {
                    check_value(wanted, value, &field)?;
                }
            }
            None if closed => return Err(unknown(name, properties, path)),
            None => others.map_or(Ok(()), |wanted| check_value(wanted, value, &field))?,
        }
    }
    for name in required {
        if !object.contains_key(name) {
            let field = Path::Field(path, name);
            let about = properties
                .and_then(|properties| properties.get(name)?.get("description")?.as_str())
                .map_or_else(String::new, |about| format!(": {}", about.trim_end_matches('.')));
            return Err(Error::invalid(format!("`{field}` is missing"), format!("Give `{field}`{about}.")));
        }
    }
    Ok(())
}

fn check_value(schema: &Value, value: &Value, path: &Path<'_>) -> Result<(), Error> {
    let Some(schema_object) = schema.as_object() else {
        return Ok(()); // `true`: anything
    };
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema_object.get(key).and_then(Value::as_array) {
            let mut first = None;
            for choice in choices {
                match check_value(choice, value, path) {
                    Ok(()) => return Ok(()),
                    // The choice of the right kind has the more useful complaint.
                    Err(error) if fits_type(choice, value) => first = Some(error),
                    Err(error) => first = first.or(Some(error)),
                }
            }
            return first.map_or(Ok(()), Err);
        }
    }
    if let Some(choices) = schema_object.get("enum").and_then(Value::as_array)
        && !choices.iter().any(|choice| same(choice, value))
    {
        return Err(not_among(path, choices, value));
    }
    if !fits_type(schema, value) {
        let expected = types(schema).iter().map(|kind| article(kind)).collect::<Vec<_>>().join(" or ");
        return Err(refusal(path, &expected, value));
    }
    if let Some(only) = schema_object.get("const")
        && !same(only, value)
    {
        return Err(not_among(path, std::slice::from_ref(only), value));
    }
    match value {
        Value::Number(number) => check_number(schema_object, number, path),
        Value::String(text) => check_text(schema_object, text, path),
        Value::Array(items) => check_array(schema_object, items, path),
        Value::Object(object) => check_object(schema_object, object, path, false),
        _ => Ok(()),
    }
}

fn check_number(schema: &Map<String, Value>, number: &Number, path: &Path<'_>) -> Result<(), Error> {
    let value = number.as_f64().filter(|value| value.is_finite());
    let Some(value) = value else {
        return Err(Error::invalid(
            format!("`{path}` must be a finite number"),
            format!("Give `{path}` a finite number."),
        ));
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let problem = match () {
        () if bound("minimum").is_some_and(|least| value < least) => bound("minimum").map(|b| format!("at least {b}")),
        () if bound("maximum").is_some_and(|most| value > most) => bound("maximum").map(|b| format!("at most {b}")),
        () if bound("exclusiveMinimum").is_some_and(|least| value <= least) => {
            bound("exclusiveMinimum").map(|b| format!("above {b}"))
        }
        () if bound("exclusiveMaximum").is_some_and(|most| value >= most) => {
            bound("exclusiveMaximum").map(|b| format!("below {b}"))
        }
        () => None,
    };
    problem.map_or(Ok(()), |expected| {
        let came = echo(&Value::Number(number.clone()), path);
        Err(Error::invalid(
            format!("`{path}` must be {expected}, not {came}"),
            format!("Give `{path}` a value that is {expected}."),
        ))
    })
}

fn check_text(schema: &Map<String, Value>, text: &str, path: &Path<'_>) -> Result<(), Error> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
    let (least, most) = (limit("minLength"), limit("maxLength"));
    if least.is_none() && most.is_none() {
        return Ok(());
    }
    let length = text.chars().count() as u64;
    let said = |expected: String| {
        Error::invalid(format!("`{path}` must have {expected} characters, not {length}"), format!("Change `{path}`."))
    };
    if least.is_some_and(|least| length < least) {
        if length == 0 {
            return Err(Error::invalid(format!("`{path}` must not be empty"), format!("Give `{path}` a text.")));
        }
        return Err(said(format!("at least {}", least.unwrap_or_default())));
    }
    if most.is_some_and(|most| length > most) {
        return Err(said(format!("at most {}", most.unwrap_or_default())));
    }
    Ok(())
}

fn check_array(schema: &Map<String, Value>, items: &[Value], path: &Path<'_>) -> Result<(), Error> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
    let length = items.len() as u64;
    let bad = match (limit("minItems"), limit("maxItems")) {
        (Some(least), _) if length < least => Some(format!("at least {least}")),
        (_, Some(most)) if length > most => Some(format!("at most {most}")),
        _ => None,
    };
    if let Some(expected) = bad {
        return Err(Error::invalid(
            format!("`{path}` must have {expected} items, not {length}"),
            format!("Change `{path}`."),
        ));
    }
    if let Some(wanted) = schema.get("items") {
        for (index, item) in items.iter().enumerate() {
            check_value(wanted, item, &Path::Item(path, index))?;
        }
    }
    Ok(())
}

fn tidy_object(schema: &Map<String, Value>, object: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    // A null that is left here passed the check, so it stands for an absent field, unless the schema wants nulls.
    object.retain(|name, value| {
        !value.is_null() || properties.get(name).is_none_or(|wanted| types(wanted).contains(&"null"))
    });
    for (name, value) in object {
        if let Some(wanted) = properties.get(name) {
            tidy_value(wanted, value);
        }
    }
}

fn tidy_value(schema: &Value, value: &mut Value) {
    let Some(schema_object) = schema.as_object() else { return };
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema_object.get(key).and_then(Value::as_array) {
            if let Some(choice) = choices.iter().find(|choice| check_value(choice, value, &Path::Root).is_ok()) {
                tidy_value(choice, value);
            }
            return;
        }
    }
    match value {
        Value::Number(number) if types(schema) == ["integer"] => {
            if let Some(whole) = as_whole(number) {
                *number = whole;
            }
        }
        Value::Array(items) => {
            if let Some(wanted) = schema_object.get("items") {
                items.iter_mut().for_each(|item| tidy_value(wanted, item));
            }
        }
        Value::Object(object) => tidy_object(schema_object, object),
        _ => {}
    }
}

/// The number without its zero fraction, if it is written with one and fits an integer exactly.
#[allow(clippy::cast_possible_truncation, reason = "guarded by the bounds")]
fn as_whole(number: &Number) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() <= EXACT).then(|| Number::from(value as i64))
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn fits_type(schema: &Value, value: &Value) -> bool {
    let is = |kind: &str| match (kind, value) {
        ("string", Value::String(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null) => true,
        ("integer", Value::Number(number)) => !number.is_f64() || as_whole(number).is_some(),
        _ => false,
    };
    match schema.get("type") {
        Some(Value::String(kind)) => is(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

/// Equal as JSON Schema sees it: 1 and 1.0 are the same.
fn same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && one.as_f64() == other.as_f64())
}

fn article(kind: &str) -> &'static str {
    match kind {
        "string" => "a text",
        "number" => "a number",
        "integer" => "a whole number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    }
}

fn echo(value: &Value, path: &Path<'_>) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) | Value::Number(_) => shorten(&value.to_string()),
        Value::String(text) if path.may_echo() => format!("the text {:?}", shorten(text)),
        Value::String(_) => "a text".into(),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= ECHO_CHARS {
        return text.to_owned();
    }
    text.chars().take(ECHO_CHARS).chain(['…']).collect()
}

fn refusal(path: &Path<'_>, expected: &str, value: &Value) -> Error {
    let came = echo(value, path);
    Error::invalid(format!("`{path}` must be {expected}, not {came}"), format!("Give `{path}` as {expected}."))
}

fn not_among(path: &Path<'_>, choices: &[Value], value: &Value) -> Error {
    let names: Vec<String> =
        choices.iter().map(|choice| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned)).collect();
    let near = value.as_str().and_then(|text| nearest(text, names.iter().map(String::as_str)));
    let hint = match near {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("Give `{path}` one of these values."),
    };
    Error::invalid(format!("`{path}` must be one of {}, not {}", names.join(", "), echo(value, path)), hint)
}

fn unknown(name: &str, properties: Option<&Map<String, Value>>, path: &Path<'_>) -> Error {
    let known: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let field = Path::Field(path, name);
    let hint = match (nearest(name, known.iter().copied()), known.is_empty()) {
        (_, true) => "Leave it out: there are no arguments here.".to_owned(),
        (Some(near), _) => format!("Did you mean `{near}`? Known here: {}.", known.join(", ")),
        (None, _) => format!("Known here: {}.", known.join(", ")),
    };
    Error::invalid(format!("there is no argument `{field}`"), hint)
}

/// The known name that a mistaken one probably stands for.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.8;
    let plain = |text: &str| -> String {
        text.chars().take(64).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let name = plain(name);
    known
        .map(|candidate| (strsim::jaro_winkler(&name, &plain(candidate)), candidate))
        .filter(|(score, _)| *score >= ALIKE)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests;
