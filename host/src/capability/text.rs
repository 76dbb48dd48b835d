//! Typing, and reading back what stands there.

use super::{
    Caller, Capability, Code, Context, Effect, Error, Method, Outcome, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On, Target, brief},
    declare::{Declaration, Reply, capability_with_image},
    look,
    target::Coordinates,
    touch::{Aim, Found},
    values::Acted,
};
use crate::{
    device::{Feature, Operation},
    neutral::{Node, Point, Role},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const FOCUS: Operation = Operation { name: "tap", limit: Duration::from_secs(20) };
const READ_BACK: Operation = Operation { name: "read back", limit: Duration::from_secs(20) };
/// How long a field that was tapped may take to get the focus.
const FOCUS_WAIT: Duration = Duration::from_millis(1500);
/// How long a field may take to show what was typed.
const LATER: Duration = Duration::from_millis(300);
/// How often it is asked meanwhile.
const FOCUS_STEP: Duration = Duration::from_millis(100);

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "input_text",
            title: "Type text",
            description: "Types text at the cursor of the field that has the focus, or of the field given by element or x and y, and reads back what stands there. clear empties the field first, submit presses return afterwards.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/input" },
        },
        input_text,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct InputText {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    #[schemars(length(max = 10_000))]
    text: String,
    /// Ref or words of the field.
    #[schemars(length(min = 1, max = 1000))]
    element: Option<String>,
    x: Option<f64>,
    y: Option<f64>,
    /// Empty the field first.
    #[serde(default)]
    clear: bool,
    /// Press return afterwards.
    #[serde(default)]
    submit: bool,
    /// Never show the text.
    #[serde(default)]
    secret: bool,
    #[serde(flatten)]
    coordinates: Coordinates,
}

/// What stands in the field.
#[derive(Serialize, JsonSchema)]
struct Entered {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// In characters; for secret text and secure fields in place of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
    /// Whether the field was read back and holds what was typed.
    verified: bool,
}

#[derive(Serialize, JsonSchema)]
struct Typed {
    #[serde(flatten)]
    acted: Acted,
    entered: Entered,
}

async fn input_text(context: Arc<Context>, arguments: InputText, caller: Caller) -> Result<Reply<Typed>, Error> {
    let target = context.target(&arguments.on)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    if arguments.secret {
        stage.hide(&arguments.text);
    }
    let mut typing = Typing { context: &context, target: &target, stage };
    let entered = typing.run(&arguments).await.map_err(|error| typing.stage.failed(error))?;
    let (acted, image) = typing.stage.finish(Subject::Focus).await?;
    Ok(Reply::observed(Typed { acted, entered }, image))
}

/// One call of the tool: a sequence of acts, of which some may have happened when a later one fails.
struct Typing<'a> {
    context: &'a Context,
    target: &'a Target,
    stage: Stage<'a>,
}

impl Typing<'_> {
    async fn run(&mut self, arguments: &InputText) -> Result<Entered, Error> {
        let aim = Aim { x: arguments.x, y: arguments.y, element: arguments.element.as_deref(), text: None };
        if aim.is_given() {
            let Found { point, seen } = aim.find(self.context, self.target, &arguments.coordinates).await?;
            self.stage.prepare(Subject::Point(point), seen.as_ref()).await?;
            self.focus(point).await?;
        } else {
            arguments.coordinates.none_given()?;
            self.stage.prepare(Subject::Focus, None).await?;
        }
        let before = focused(self.target).await?;
        let had = before.as_ref().and_then(|node| node.value.clone()).unwrap_or_default();
        if arguments.clear && !had.is_empty() {
            self.enter("\u{8}".repeat(length(&had))).await?;
        }
        if !arguments.text.is_empty() {
            self.enter(arguments.text.clone()).await?;
        }
        // Read before return is pressed, which may leave the screen. What cannot be read is not verified, but typed.
        let mut after = focused(self.target).await.unwrap_or_default();
        let kept = if arguments.clear { String::new() } else { had.clone() };
        let mut entered = compare(&kept, after.as_ref(), arguments);
        if !entered.verified && !arguments.text.is_empty() {
            // Some fields show what was typed a moment later.
            tokio::time::sleep(LATER.min(self.target.time_left() / 4)).await;
            let again = focused(self.target).await.unwrap_or_default();
            let steady = again == after;
            after = again;
            entered = compare(&kept, after.as_ref(), arguments);
            if let (false, true, Some(now)) = (entered.verified, steady, &after)
                && before.as_ref().is_some_and(|before| same(before, now) && stayed(before, now))
                && !is_lossy(&arguments.text, now.value.as_deref().unwrap_or_default())
                && let Some(repair) = repair(&kept, now, &arguments.text)
            {
                tracing::debug!("what was typed did not arrive whole; it is repaired once");
                self.enter(repair).await?;
                after = focused(self.target).await.unwrap_or_default();
                entered = compare(&kept, after.as_ref(), arguments);
            }
        }
        // Where the focus went on to another field, what became of this one cannot be read.
        let here =
            after.as_ref().zip(before.as_ref()).filter(|(after, before)| same(before, after) && stayed(before, after));
        let arrived = here.is_none_or(|(after, _)| after.value.as_deref().unwrap_or_default() != had);
        if !arguments.text.is_empty() && !arrived && !entered.verified {
            return Err(Error::new(
                Code::TextNotEntered,
                "the text was sent, but the field is as it was before",
                "Look at the screen: the field may not take text, or something may be in front of it.",
            )
            .outcome(Outcome::Unknown)
            .on_device(self.target.id()));
        }
        if arguments.submit {
            if let Some(stands) =
                entered.text.as_ref().filter(|stands| !entered.verified && !is_lossy(&arguments.text, stands))
            {
                return Err(Error::new(
                    Code::TextNotEntered,
                    "what stands in the field is not what was typed, so that return was not pressed",
                    "Look at the field under details.entered; type it anew with clear, or press_button enter to submit it as it is.",
                )
                .details(json!({ "entered": { "text": stands, "verified": false } }))
                .outcome(Outcome::Unknown)
                .on_device(self.target.id()));
            }
            self.enter("\n".to_owned()).await?;
        }
        Ok(entered)
    }

    /// Taps the field, and makes sure that it is this one that gets the focus: another may have had it before.
    async fn focus(&mut self, point: Point) -> Result<(), Error> {
        let before = focused(self.target).await?;
        self.stage.send(FOCUS, move |driver, within| async move { driver.tap(point, within).await }).await?;
        let until = (Instant::now() + FOCUS_WAIT).min(self.target.deadline);
        loop {
            let now = focused(self.target).await?;
            // The field itself, or one that has just got the focus: it may have moved to make room for the keyboard.
            let it = now.as_ref().is_some_and(|now| {
                now.bounds.is_some_and(|bounds| bounds.contains(point))
                    || before.as_ref().is_none_or(|before| !same(before, now))
            });
            if it {
                return Ok(());
            }
            if Instant::now() + FOCUS_STEP >= until {
                let holder = now.map_or("nothing has it".to_owned(), |now| format!("{} has it", named(&now)));
                return Err(Error::new(
                    Code::TextNotEntered,
                    format!("the tap did not give the focus to what is there; {holder}, and nothing was typed"),
                    "Pass the element of a text field, or the coordinates of one.",
                )
                .outcome(Outcome::Unknown)
                .on_device(self.target.id()));
            }
            tokio::time::sleep(FOCUS_STEP).await;
        }
    }

    async fn enter(&mut self, text: String) -> Result<(), Error> {
        let characters = u32::try_from(length(&text)).unwrap_or(u32::MAX);
        let limit = Duration::from_secs(20) + Duration::from_millis(100) * characters;
        let operation = Operation { name: "type", limit };
        self.stage.send(operation, move |driver, within| async move { driver.input(&text, within).await }).await
    }
}

/// Whether a field shows a text as well as it can: some phones tell other signs for those that they do not know.
fn is_lossy(text: &str, stands: &str) -> bool {
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    !text.is_ascii() && length(stands) >= length(text) && plain(stands).ends_with(&plain(text))
}

/// Whether two looks at what has the focus saw the same field, wherever it stood and whatever it held.
fn same(a: &Node, b: &Node) -> bool {
    (a.role, &a.identifier, &a.label, &a.placeholder) == (b.role, &b.identifier, &b.label, &b.placeholder)
}

/// Whether the field that has the focus is still in its place: a form may have gone on to the next, which looks the same.
fn stayed(before: &Node, now: &Node) -> bool {
    match (before.bounds, now.bounds) {
        (Some(before), Some(now)) => (before.x - now.x).abs() <= 2.0 && (before.y - now.y).abs() <= 2.0,
        _ => false,
    }
}

fn named(node: &Node) -> String {
    let name = node.label.as_deref().or(node.placeholder.as_deref()).or(node.identifier.as_deref());
    format!("{} {:?}", node.role.name(), brief(name.unwrap_or_default()))
}

/// Characters as people count them would need a table; scalar values are what the keyboard deletes one by one.
fn length(text: &str) -> usize {
    text.chars().count()
}

/// The field that has the keyboard's focus.
async fn focused(target: &Target) -> Result<Option<Node>, Error> {
    if target.device.has(Feature::ElementAtFocus) {
        return target.look(READ_BACK, |driver, within| async move { driver.element_at_focus(within).await }).await;
    }
    let seen = look::see(target).await?;
    Ok(seen.tree.nodes.into_iter().find(|node| node.focused))
}

/// What to type so that the field holds what it should: the rest of a text that broke off, or the text once more in a field that
/// held nothing else. `None` where what stands there leaves no sure way.
fn repair(kept: &str, after: &Node, text: &str) -> Option<String> {
    if after.role == Role::SecureField || text.is_empty() || text.contains(['\n', '\u{8}']) {
        return None;
    }
    // A field that tells neither a value nor what it shows while empty may hold anything.
    let now = match (&after.value, &after.placeholder) {
        (Some(value), _) => value.as_str(),
        (None, Some(_)) => "",
        (None, None) => return None,
    };
    if let Some(rest) = now.strip_prefix(kept).and_then(|arrived| text.strip_prefix(arrived)) {
        return Some(rest.to_owned()).filter(|rest| !rest.is_empty());
    }
    kept.is_empty().then(|| "\u{8}".repeat(length(now)) + text)
}

/// What stands in the field, against what should: what it kept, and the text.
fn compare(kept: &str, after: Option<&Node>, arguments: &InputText) -> Entered {
    let Some(after) = after else {
        // Nothing has the focus any more, so that nothing can be read.
        return Entered { text: None, length: None, verified: false };
    };
    let now = after.value.as_deref().unwrap_or_default();
    let whole = length(now) == length(kept) + length(&arguments.text);
    if after.role == Role::SecureField {
        // Some begin anew when they are entered again.
        let anew = length(now) == length(&arguments.text);
        return Entered { text: None, length: Some(length(now)), verified: whole || anew };
    }
    // The cursor may stand anywhere in what was there before.
    let verified = whole && now.contains(arguments.text.as_str());
    if arguments.secret {
        Entered { text: None, length: Some(length(now)), verified }
    } else {
        Entered { text: Some(now.to_owned()), length: None, verified }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(value: &str) -> Node {
        Node { value: Some(value.to_owned()), ..Node::new(Role::TextField) }
    }

    #[test]
    fn row_65_what_broke_off_is_typed_on_and_what_is_wrong_typed_anew() {
        for (kept, now, text, expected) in [
            ("", "h", "hello", Some("ello")),
            ("", "", "hello", Some("hello")),
            ("ab", "abhe", "hello", Some("llo")),
            ("", "hxllo", "hello", Some("\u{8}\u{8}\u{8}\u{8}\u{8}hello")),
            // Something stood there, and where the text went in it nobody knows.
            ("ab", "hello", "hello", None),
            ("", "hello", "hello", None),
            ("", "h", "hello\n", None),
        ] {
            assert_eq!(repair(kept, &field(now), text).as_deref(), expected, "{kept:?} {now:?} {text:?}");
        }
        let silent = Node { value: None, ..field("") };
        assert_eq!(repair("", &silent, "hello"), None);
        let secret = Node { role: Role::SecureField, ..field("•") };
        assert_eq!(repair("", &secret, "hunter2"), None);
    }
}
