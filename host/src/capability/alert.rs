//! Answering the alert in front.
//!
//! It knows which button a caller means. What an alert asks, and whether it should be answered so, it does not judge.

use super::{
    Caller, Capability, Code, Context, Effect, Error, Method, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On, Target, brief},
    declare::{Declaration, Reply, capability_with_image},
    look::AlertSeen,
    values::Acted,
};
use crate::{device::Operation, neutral::Alert, perception::text::fold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{sync::Arc, time::Duration};

const READ: Operation = Operation { name: "alert", limit: Duration::from_secs(20) };
const ANSWER: Operation = Operation { name: "answer alert", limit: Duration::from_secs(20) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "answer_alert",
            title: "Answer an alert",
            description: "Presses a button of the alert in front: by its label, or accept (the last) or dismiss (the first).",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/alert" },
        },
        answer_alert,
    )]
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Accept,
    Dismiss,
}

#[derive(Deserialize, JsonSchema)]
struct AnswerAlert {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    #[schemars(length(min = 1, max = 200))]
    button: Option<String>,
    action: Option<Action>,
}

#[derive(Serialize, JsonSchema)]
struct Answered {
    #[serde(flatten)]
    acted: Acted,
    /// As it was.
    alert: AlertSeen,
}

/// What to press.
enum Wanted {
    Button(String),
    Action(Action),
}

async fn answer_alert(context: Arc<Context>, arguments: AnswerAlert, caller: Caller) -> Result<Reply<Answered>, Error> {
    let target = context.target(&arguments.on)?;
    let wanted = match (arguments.button, arguments.action) {
        (Some(button), None) => Wanted::Button(button),
        (None, Some(action)) => Wanted::Action(action),
        _ => {
            return Err(Error::invalid(
                "the call does not say in one way which button",
                "Pass either button, or action accept or dismiss.",
            ));
        }
    };
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Answer).await?;
    let alert = target.look(READ, |driver, within| async move { driver.alert(within).await }).await?;
    let Some(alert) = alert else {
        return Err(Error::new(Code::ElementNotFound, "no alert is in front", "Look at the screen and go on.")
            .on_device(target.id()));
    };
    let button = choose(&alert, &wanted).ok_or_else(|| no_such_button(&target, &alert, &wanted))?.to_owned();
    stage.prepare(Subject::Alert, None).await?;
    stage.send(ANSWER, move |driver, within| async move { driver.answer_alert(&button, within).await }).await?;
    let (acted, image) = stage.finish(Subject::Alert).await?;
    Ok(Reply::observed(Answered { acted, alert: alert.into() }, image))
}

/// The label of the button that is meant. Platforms put what agrees last; a single button is both.
fn choose<'a>(alert: &'a Alert, wanted: &Wanted) -> Option<&'a str> {
    let button = match wanted {
        Wanted::Action(Action::Accept) => alert.buttons.last(),
        Wanted::Action(Action::Dismiss) => alert.buttons.first(),
        // People type plain apostrophes where alerts have printed ones.
        Wanted::Button(label) => alert.buttons.iter().find(|button| *button == label).or_else(|| {
            let label = fold(label);
            alert.buttons.iter().find(|button| fold(button) == label)
        }),
    };
    button.map(String::as_str)
}

fn no_such_button(target: &Target, alert: &Alert, wanted: &Wanted) -> Error {
    let message = match wanted {
        Wanted::Button(label) => format!("the alert has no button {:?}", brief(label)),
        Wanted::Action(_) => "the alert has no button with a label".to_owned(),
    };
    let hint = match alert.buttons.as_slice() {
        [] => "Look at a picture of the screen and tap by coordinates.".to_owned(),
        buttons => format!("Pass one of its buttons: {}.", buttons.join(", ")),
    };
    Error::new(Code::ElementNotFound, message, hint)
        .details(json!({ "text": alert.text, "buttons": alert.buttons }))
        .on_device(target.id())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(buttons: &[&str], wanted: &Wanted) -> Option<String> {
        let alert = Alert { text: String::new(), buttons: buttons.iter().map(|button| (*button).to_owned()).collect() };
        choose(&alert, wanted).map(str::to_owned)
    }

    #[test]
    fn accept_is_the_last_button_and_dismiss_the_first() {
        let three = ["Never", "Once", "Always"];
        assert_eq!(chosen(&three, &Wanted::Action(Action::Accept)).as_deref(), Some("Always"));
        assert_eq!(chosen(&three, &Wanted::Action(Action::Dismiss)).as_deref(), Some("Never"));
        for action in [Action::Accept, Action::Dismiss] {
            assert_eq!(chosen(&["OK"], &Wanted::Action(action)).as_deref(), Some("OK"));
            assert_eq!(chosen(&[], &Wanted::Action(action)), None);
        }
    }

    #[test]
    fn labels_are_meant_exactly_first() {
        let button = |label: &str| Wanted::Button(label.to_owned());
        assert_eq!(chosen(&["ok", "OK"], &button("OK")).as_deref(), Some("OK"));
        assert_eq!(
            chosen(&["Don\u{2019}t Allow", "Allow"], &button("don't allow")).as_deref(),
            Some("Don\u{2019}t Allow")
        );
        assert_eq!(chosen(&["Don\u{2019}t Allow", "Allow"], &button("allow")).as_deref(), Some("Allow"));
        assert_eq!(chosen(&["Cancel"], &button("Canc")), None);
    }
}
