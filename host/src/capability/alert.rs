//! Answering the alert in front.
//!
//! It knows which button a caller means. What an alert asks, and whether it should be answered so, it does not judge.

use super::{
    Caller, Capability, Code, Context, Effect, Error, Method, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On, Target, brief},
    declare::{Declaration, Reply, capability_with_image},
    look,
    values::{Acted, AlertSeen},
};
use crate::{neutral::Alert, perception::text::fold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "answer_alert",
            title: "Answer an alert",
            description: "Presses a button of the alert in front: by its label, or accept or dismiss where it has at most two.",
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
    let alert = look::alert(&target).await?;
    let Some(alert) = alert else {
        return Err(Error::new(Code::ElementNotFound, "no alert is in front", "Look at the screen and go on.")
            .on_device(target.id()));
    };
    let button = choose(&alert.buttons, &wanted).ok_or_else(|| no_such_button(&target, &alert, &wanted))?.to_owned();
    stage.prepare(Subject::Alert, None).await?;
    stage.answer(button).await?;
    let (acted, image) = stage.finish(Subject::Alert).await?;
    Ok(Reply::observed(Answered { acted, alert: alert.into() }, image))
}

/// What a button that leaves everything as it is says, on phones in widespread languages.
const DISMISSIVE: [&str; 26] = [
    "cancel",
    "don't allow",
    "deny",
    "not now",
    "no",
    "later",
    "abbrechen",
    "nicht erlauben",
    "ablehnen",
    "annuler",
    "refuser",
    "cancelar",
    "no permitir",
    "não permitir",
    "annulla",
    "non consentire",
    "annuleer",
    "avbryt",
    "anuluj",
    "отмена",
    "запретить",
    "iptal",
    "取消",
    "不允许",
    "キャンセル",
    "許可しない",
];

/// The label of the button that is meant. A single button is both; of two, one says no, or else stands first, where platforms put
/// it. With more it is the caller's to say which: to allow once, always, or never is no yes or no.
fn choose<'a>(buttons: &'a [String], wanted: &Wanted) -> Option<&'a str> {
    let mut refusals = buttons.iter().filter(|button| says_no(button));
    let button = match wanted {
        Wanted::Action(action) => match (buttons, refusals.next(), refusals.next(), action) {
            ([only], ..) => Some(only),
            (_, Some(no), None, Action::Dismiss) => Some(no),
            ([one, other], Some(no), None, Action::Accept) => Some(if one == no { other } else { one }),
            ([first, _], None, None, Action::Dismiss) => Some(first),
            ([_, last], None, None, Action::Accept) => Some(last),
            _ => None,
        },
        // People type plain apostrophes where alerts have printed ones.
        Wanted::Button(label) => buttons.iter().find(|button| *button == label).or_else(|| {
            let label = fold(label);
            buttons.iter().find(|button| fold(button) == label)
        }),
    };
    button.map(String::as_str)
}

/// Whether a button with this label leaves everything as it is.
pub fn says_no(label: &str) -> bool {
    DISMISSIVE.contains(&fold(label).as_str())
}

/// The button of these that a call of `answer_alert` presses, by its arguments.
pub fn pressed<'a>(buttons: &'a [String], button: Option<&str>, action: Option<&str>) -> Option<&'a str> {
    let wanted = match (button, action) {
        (Some(button), _) => Wanted::Button(button.to_owned()),
        (None, Some("accept")) => Wanted::Action(Action::Accept),
        (None, Some("dismiss")) => Wanted::Action(Action::Dismiss),
        _ => return None,
    };
    choose(buttons, &wanted)
}

fn no_such_button(target: &Target, alert: &Alert, wanted: &Wanted) -> Error {
    let message = match wanted {
        Wanted::Button(label) => format!("the alert has no button {:?}", brief(label)),
        Wanted::Action(_) if alert.buttons.is_empty() => "the alert has no button with a label".to_owned(),
        Wanted::Action(_) => "which of the alert's buttons is meant cannot be told".to_owned(),
    };
    let hint = match alert.buttons.as_slice() {
        [] => "Look at a picture of the screen and tap by coordinates.".to_owned(),
        buttons => format!("Pass one of its buttons: {}.", buttons.join(", ")),
    };
    let several = matches!(wanted, Wanted::Action(_)) && !alert.buttons.is_empty();
    let code = if several { Code::ElementAmbiguous } else { Code::ElementNotFound };
    Error::new(code, message, hint)
        .details(json!({ "text": alert.text, "buttons": alert.buttons }))
        .on_device(target.id())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(buttons: &[&str], wanted: &Wanted) -> Option<String> {
        let buttons: Vec<String> = buttons.iter().map(|button| (*button).to_owned()).collect();
        choose(&buttons, wanted).map(str::to_owned)
    }

    #[test]
    fn accept_and_dismiss_press_what_they_say_or_nothing() {
        for (buttons, accept, dismiss) in [
            (&["Cancel", "OK"][..], Some("OK"), Some("Cancel")),
            (&["Later", "Install"], Some("Install"), Some("Later")),
            (&["Einstellungen", "Schließen"], Some("Schließen"), Some("Einstellungen")),
            // A sheet has its refusal last.
            (&["Delete Photo", "Cancel"], Some("Delete Photo"), Some("Cancel")),
            (&["Allow Once", "Allow While Using App", "Don\u{2019}t Allow"], None, Some("Don\u{2019}t Allow")),
            (&["不允许", "允许"], Some("允许"), Some("不允许")),
            (&["One", "Two", "Three"], None, None),
            (&["No", "Cancel"], None, None),
        ] {
            assert_eq!(chosen(buttons, &Wanted::Action(Action::Accept)).as_deref(), accept, "{buttons:?}");
            assert_eq!(chosen(buttons, &Wanted::Action(Action::Dismiss)).as_deref(), dismiss, "{buttons:?}");
        }
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
