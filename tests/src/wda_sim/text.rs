//! Typing: what the server does with texts and single keys, and what it does when nothing has the keyboard.

use super::Sim;
use super::elements;
use super::errors::{Failure, Result};
use super::router::{Answer, Call};
use driver_api::ErrorKind;
use serde_json::Value;

/// Types on the phone. Without a focused field the text is lost, or refused by releases that look for the keyboard first.
pub(crate) fn type_text(sim: &Sim, text: &str) -> Result<()> {
    let no_keyboard = || Failure::invalid_state("The on-screen keyboard must be present to send keys");
    let mut phone = sim.phone();
    if phone.focused().is_none() {
        return if sim.options.demands_keyboard() { Err(no_keyboard()) } else { Ok(()) };
    }
    let text = text.replace('\r', "\n").replace('\u{7f}', "\u{8}");
    match phone.type_text(&text) {
        Ok(()) => Ok(()),
        Err(error) if error.kind == ErrorKind::NothingFocused => Ok(()),
        Err(error) => Err(Failure::invalid_state(error.message)),
    }
}

/// `POST /wda/keys`: the parts are joined.
pub(crate) fn keys(sim: &Sim, call: &Call) -> Result<Answer> {
    elements::front(sim)?;
    let Some(Value::Array(parts)) = call.arguments.get("value") else {
        // What comes of sending the array's method to something else.
        return Err(Failure::unknown(
            "-[__NSCFString componentsJoinedByString:]: unrecognized selector sent to instance",
        ));
    };
    let text: String = parts.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned)).collect();
    type_text(sim, &text)?;
    Ok(Answer::nothing())
}

/// `POST /wda/element/el/keyboardInput`.
pub(crate) fn keyboard_input(sim: &Sim, call: &Call) -> Result<Answer> {
    elements::front(sim)?;
    if let Some(element) = call.element.as_deref().filter(|element| *element != "0") {
        elements::resolve(sim, element)?;
    }
    let Some(Value::Array(keys)) = call.arguments.get("keys") else {
        return Err(Failure::invalid_argument("The 'keys' argument must be an array"));
    };
    let mut text = String::new();
    for key in keys {
        let name = key.as_str().or_else(|| key["key"].as_str()).unwrap_or_default();
        match name {
            "XCUIKeyboardKeyReturn" | "XCUIKeyboardKeyEnter" => text.push('\n'),
            "XCUIKeyboardKeyDelete" => text.push('\u{8}'),
            "XCUIKeyboardKeyForwardDelete" => text.push('\u{7f}'),
            "XCUIKeyboardKeyTab" => text.push('\t'),
            "XCUIKeyboardKeySpace" => text.push(' '),
            "" => {
                return Err(Failure::invalid_argument(
                    "All items of the 'keys' array must be either strings or objects",
                ));
            }
            name if name.starts_with("XCUIKeyboardKey") => {}
            name => text.push_str(name),
        }
    }
    type_text(sim, &text)?;
    Ok(Answer::nothing())
}

/// `POST /wda/keyboard/dismiss`.
pub(crate) fn dismiss(sim: &Sim, _: &Call) -> Result<Answer> {
    elements::front(sim)?;
    let mut phone = sim.phone();
    if !phone.keyboard_up() || phone.hide_keyboard() {
        return Ok(Answer::nothing());
    }
    Err(Failure::invalid_state(
        "Did not know how to dismiss the keyboard. Try to dismiss it in the way supported by your application under test.",
    ))
}
