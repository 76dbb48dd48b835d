//! Values that a task is given beside its steps: `${name}` in an argument stands for one.
//!
//! Knows names, values and which of them are secret. A secret stands in no event: it is kept in memory only, and a task that
//! goes on after a restart asks for it anew.

use crate::capability::{Error, arguments};
use serde_json::{Map, Value};

/// The most inputs of a task, and of bytes in one.
const MOST: usize = 100;
const LONGEST: usize = 16 << 10;

/// The inputs of a task, and which of them are secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Inputs {
    /// What may be shown and stored.
    pub plain: Map<String, Value>,
    /// What may not.
    pub secret: Map<String, Value>,
}

impl Inputs {
    /// Reads what a caller gave: a text, a number, true or false, or `{"secret": "…"}`.
    pub(super) fn read(given: Map<String, Value>) -> Result<Inputs, Error> {
        let mut inputs = Inputs::default();
        if given.len() > MOST {
            return Err(Error::invalid(
                format!("{} inputs are given, at most {MOST} are taken", given.len()),
                "Give fewer.",
            ));
        }
        for (name, value) in given {
            if !is_name(&name) {
                let hint = "A name has up to 64 letters, digits and `_`, and does not begin with a digit.";
                return Err(Error::invalid(format!("inputs: {:?} is no name of an input", short(&name)), hint));
            }
            let (value, secret) = match value {
                Value::Object(mut object) if object.len() == 1 && object.contains_key("secret") => {
                    (object.remove("secret").unwrap_or_default(), true)
                }
                other => (other, false),
            };
            if !(value.is_string() || value.is_number() || value.is_boolean()) {
                let hint = "Give a text, a number, true or false, or {\"secret\": \"…\"} for what must not be shown.";
                return Err(Error::invalid(format!("inputs.{name} has a value that cannot be used"), hint));
            }
            if value.as_str().is_some_and(|text| text.len() > LONGEST) {
                return Err(Error::invalid(
                    format!("inputs.{name} has more than {LONGEST} bytes"),
                    "Give a shorter text.",
                ));
            }
            if secret { &mut inputs.secret } else { &mut inputs.plain }.insert(name, value);
        }
        Ok(inputs)
    }

    /// Refuses an input that none of these steps uses: its name is mistyped, and the value meant for another would be passed over.
    pub(super) fn check_used(&self, steps: &[Value]) -> Result<(), Error> {
        let text = Value::from(steps).to_string();
        let mut names = used(&text);
        let Some(stray) = self.plain.keys().chain(self.secret.keys()).find(|name| !names.contains(&name.as_str()))
        else {
            return Ok(());
        };
        names.sort_unstable();
        names.dedup();
        let near = arguments::nearest(stray, names.iter().copied());
        let hint = match (near, names.is_empty()) {
            (Some(near), _) => format!("Did you mean `{near}`? The steps use: {}.", names.join(", ")),
            (None, false) => format!("Leave it out. The steps use: {}.", names.join(", ")),
            (None, true) => format!("Leave it out, or write ${{{stray}}} where its value belongs."),
        };
        Err(Error::invalid(format!("there is no input `{stray}` in the steps"), hint))
    }

    /// Makes an input secret.
    pub(super) fn hide(&mut self, name: &str) {
        if let Some(value) = self.plain.remove(name) {
            self.secret.insert(name.to_owned(), value);
        }
    }

    /// Takes a text in as a secret input of its own, and gives its name.
    pub(super) fn add_secret(&mut self, text: String) -> String {
        let free = |name: &String| !self.plain.contains_key(name) && !self.secret.contains_key(name);
        let name = (1..).map(|n| format!("secret_{n}")).find(free).unwrap_or_default();
        self.secret.insert(name.clone(), text.into());
        name
    }

    /// The texts that nothing may show.
    pub(super) fn secret_texts(&self) -> Vec<String> {
        self.secret.values().map(text_of).filter(|text| !text.is_empty()).collect()
    }

    /// The name of the plain input that is this text.
    pub(super) fn named(plain: &Map<String, Value>, text: &str) -> Option<String> {
        plain.iter().find(|(_, value)| value.as_str().is_some_and(|value| value == text)).map(|(name, _)| name.clone())
    }

    /// Whether a text uses a secret.
    pub(super) fn uses_secret(&self, text: &str) -> bool {
        used(text).iter().any(|name| self.secret.contains_key(*name))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.plain.get(name).or_else(|| self.secret.get(name))
    }

    /// The value with its inputs filled in. A text that is nothing but `${name}` becomes the input itself, so that a number stays
    /// one; `$${` stands for `${`.
    ///
    /// # Errors
    /// The name of an input that is not given.
    pub(super) fn fill(&self, value: &Value) -> Result<Value, String> {
        match value {
            Value::String(text) => self.fill_text(text),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(object) => Ok(Value::Object(self.fill_object(object)?)),
            other => Ok(other.clone()),
        }
    }

    /// The same for an object.
    ///
    /// # Errors
    /// As [`Inputs::fill`].
    pub(super) fn fill_object(&self, object: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        object.iter().map(|(name, value)| Ok((name.clone(), self.fill(value)?))).collect()
    }

    fn fill_text(&self, text: &str) -> Result<Value, String> {
        let parts = parts(text);
        if let [Part::Input(name)] = parts.as_slice() {
            return self.get(name).cloned().ok_or_else(|| (*name).to_owned());
        }
        let mut filled = String::with_capacity(text.len());
        for part in parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Input(name) => filled.push_str(&text_of(self.get(name).ok_or_else(|| name.to_owned())?)),
            }
        }
        Ok(filled.into())
    }
}

pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[derive(Debug, PartialEq)]
enum Part<'a> {
    Text(&'a str),
    Input(&'a str),
}

/// What a text is made of. `${` that begins no name is text.
fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let name = after.find('}').map(|end| &after[..end]).filter(|name| is_name(name));
        let (shown, next) = match (before.strip_suffix('$'), name) {
            (Some(before), _) => {
                parts.push(Part::Text(before));
                (Part::Text("${"), after)
            }
            (None, Some(name)) => {
                parts.push(Part::Text(before));
                (Part::Input(name), &after[name.len() + 1..])
            }
            (None, None) => (Part::Text(&rest[..at + 2]), after),
        };
        parts.push(shown);
        rest = next;
    }
    parts.push(Part::Text(rest));
    parts.retain(|part| *part != Part::Text(""));
    parts
}

/// A text that says itself, whatever stands in it.
pub(super) fn escaped(text: &str) -> String {
    text.replace("${", "$${")
}

/// The names of the inputs that a text uses.
pub(super) fn used(text: &str) -> Vec<&str> {
    let name = |part| if let Part::Input(name) = part { Some(name) } else { None };
    parts(text).into_iter().filter_map(name).collect()
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(plain) && !name.starts_with(|first: char| first.is_ascii_digit())
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn inputs() -> Inputs {
        let given = json!({ "name": "Ada", "count": 3, "on": true, "pin": { "secret": "1234" } });
        Inputs::read(given.as_object().unwrap().clone()).unwrap()
    }

    #[test]
    fn inputs_are_filled_in_wherever_they_stand() {
        for (written, filled) in [
            (json!("${name}"), json!("Ada")),
            (json!("${count}"), json!(3)),
            (json!("cell \"${name}\" [${count}]"), json!("cell \"Ada\" [3]")),
            (json!({ "a": ["${on}", { "b": "x${pin}y" }] }), json!({ "a": [true, { "b": "x1234y" }] })),
            (json!("$${name} costs $5 ${ and ${}"), json!("${name} costs $5 ${ and ${}")),
            (json!("${name}${name}"), json!("AdaAda")),
            (json!("äö${name}ü"), json!("äöAdaü")),
        ] {
            assert_eq!(inputs().fill(&written), Ok(filled), "{written}");
        }
        assert_eq!(inputs().fill(&json!(["${nobody}"])), Err("nobody".to_owned()));
    }

    #[test]
    fn what_is_no_input_is_refused() {
        for given in [
            json!({ "a b": 1 }),
            json!({ "1a": 1 }),
            json!({ "a": [1] }),
            json!({ "a": null }),
            json!({ "a": { "secret": {} } }),
        ] {
            let given = given.as_object().unwrap().clone();
            assert!(Inputs::read(given.clone()).is_err(), "{given:?}");
        }
    }

    #[test]
    fn an_input_that_no_step_uses_is_refused() {
        let steps = json!([{ "tool": "tap", "arguments": { "text": "${name} ${count}" } }, { "steps": [{ "expect": "${on}" }] }]);
        let refused = inputs().check_used(steps.as_array().unwrap()).unwrap_err();
        assert_eq!(refused.message, "there is no input `pin` in the steps");
        assert_eq!(refused.hint, "Leave it out. The steps use: count, name, on.");
        let mistyped = Inputs::read(json!({ "nam": 1 }).as_object().unwrap().clone()).unwrap();
        let refused = mistyped.check_used(steps.as_array().unwrap()).unwrap_err();
        assert_eq!(refused.hint, "Did you mean `name`? The steps use: count, name, on.");
        assert!(mistyped.check_used(&[json!("$${nam}")]).unwrap_err().hint.contains("write ${nam}"));
        assert_eq!(mistyped.check_used(&[json!("${nam}")]).map_err(|error| error.message), Ok(()));
    }

    proptest! {
        #[test]
        fn text_without_inputs_stays_as_it_is(text in "[a-z$}ü ]{0,20}") {
            prop_assert_eq!(inputs().fill(&json!(text.clone())), Ok(json!(text)));
        }

        #[test]
        fn any_text_is_taken_apart(text in "[$\\{\\}a-cü]{0,20}") {
            let _ = inputs().fill(&json!(text));
        }
    }
}
