//! The alert routes, and the server's habit of answering alerts by itself when a session asked for that.

use super::Sim;
use super::errors::{Failure, Result};
use super::router::{Answer, Call};
use serde_json::Value;

fn alert(sim: &Sim) -> Result<driver_api::Alert> {
    super::elements::front(sim)?;
    sim.phone().alert().ok_or_else(Failure::no_alert)
}

/// `GET /alert/text`.
pub(crate) fn text(sim: &Sim, _: &Call) -> Result<Answer> {
    Ok(Value::from(alert(sim)?.text).into())
}

/// `POST /alert/text`: the phone's alerts have no field.
pub(crate) fn set_text(sim: &Sim, call: &Call) -> Result<Answer> {
    if !call.arguments.contains_key("value") {
        return Err(Failure::invalid_argument("Missing 'value' parameter"));
    }
    alert(sim)?;
    Err(Failure::unsupported("The alert contains no input fields"))
}

/// `GET /wda/alert/buttons`.
pub(crate) fn buttons(sim: &Sim, _: &Call) -> Result<Answer> {
    Ok(Value::from(alert(sim)?.buttons).into())
}

/// `POST /alert/accept`: the named button, or the last.
pub(crate) fn accept(sim: &Sim, call: &Call) -> Result<Answer> {
    answer(sim, call, |buttons| buttons.last())
}

/// `POST /alert/dismiss`: the named button, or the first.
pub(crate) fn dismiss(sim: &Sim, call: &Call) -> Result<Answer> {
    answer(sim, call, |buttons| buttons.first())
}

fn answer(sim: &Sim, call: &Call, usual: fn(&[String]) -> Option<&String>) -> Result<Answer> {
    let alert = alert(sim)?;
    let named = call.arguments.get("name").and_then(Value::as_str);
    let button = match named {
        Some(name) => alert.buttons.iter().find(|button| *button == name),
        None => usual(&alert.buttons),
    };
    let missing = || {
        let which = named.map_or("The default button".to_owned(), |name| format!("Button with label '{name}'"));
        Failure::invalid_state(format!("{which} is not found on the alert"))
    };
    press(sim, button.ok_or_else(missing)?)?;
    Ok(Answer::nothing())
}

fn press(sim: &Sim, button: &str) -> Result<()> {
    sim.phone().answer_alert(button).map_err(|error| Failure::invalid_state(error.message))
}

/// What the monitor does every two seconds.
pub(crate) fn answer_by_default(sim: &Sim) {
    let choice = {
        let agent = sim.agent();
        if agent.session.is_none() {
            return;
        }
        agent.text("defaultAlertAction").to_owned()
    };
    let Some(alert) = sim.phone().alert() else { return };
    let button = match choice.as_str() {
        "accept" => alert.buttons.last(),
        "dismiss" => alert.buttons.first(),
        _ => None,
    };
    if let Some(button) = button {
        tracing::debug!(button, "answering the alert by default");
        drop(press(sim, button));
    }
}
