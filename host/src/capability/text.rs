//! Typing, and reading back what stands there.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    context::{Act, On, Target},
    convert,
    declare::{Declaration, capability},
    look,
    target::Coordinates,
    touch::Aim,
    values::{self, Acted},
};
use crate::{
    device::{Feature, Operation, Permit},
    neutral::{Node, Role},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

const FOCUS: Operation = Operation { name: "tap", limit: Duration::from_secs(20) };
const READ_BACK: Operation = Operation { name: "read back", limit: Duration::from_secs(20) };
/// How long a field that was tapped may take to get the focus.
const FOCUS_WAIT: Duration = Duration::from_millis(1500);
/// How often it is asked meanwhile.
const FOCUS_STEP: Duration = Duration::from_millis(100);

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability(
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

async fn input_text(context: Arc<Context>, arguments: InputText, caller: Caller) -> Result<Typed, Error> {
    let target = context.target(&arguments.on)?;
    let permit = target.permit(&caller, &arguments.act)?;
    if arguments.element.is_some() || arguments.x.is_some() || arguments.y.is_some() {
        let aim = Aim { x: arguments.x, y: arguments.y, element: arguments.element.as_deref(), text: None };
        let point = aim.point(&context, &target, &arguments.coordinates).await?;
        target
            .device
            .act(permit.clone(), FOCUS, target.deadline, move |driver, within| async move {
                driver.tap(point, within).await
            })
            .await
            .map_err(|error| convert::error(&target.device, error))?;
        wait_for_focus(&context, &target).await?;
    }
    let before = focused(&context, &target).await?;
    let mut deleted = 0;
    if arguments.clear {
        deleted = before.as_ref().map_or(0, |node| length(node.value.as_deref().unwrap_or_default()));
        if deleted > 0 {
            enter(&target, &permit, "\u{8}".repeat(deleted)).await?;
        }
    }
    if !arguments.text.is_empty() {
        enter(&target, &permit, arguments.text.clone()).await?;
    }
    // Read before return is pressed, which may leave the screen.
    let after = focused(&context, &target).await?;
    let entered = compare(before.as_ref(), after.as_ref(), deleted > 0, &arguments);
    if arguments.submit {
        enter(&target, &permit, "\n".to_owned()).await?;
    }
    Ok(Typed { acted: Acted { device_id: target.id().to_owned(), effect: values::Effect::unknown() }, entered })
}

async fn enter(target: &Target, permit: &Permit, text: String) -> Result<(), Error> {
    let characters = u32::try_from(length(&text)).unwrap_or(u32::MAX);
    let limit = Duration::from_secs(20) + Duration::from_millis(100) * characters;
    target
        .device
        .act(permit.clone(), Operation { name: "type", limit }, target.deadline, move |driver, within| async move {
            driver.input(&text, within).await
        })
        .await
        .map_err(|error| convert::error(&target.device, error))
}

/// Characters as people count them would need a table; scalar values are what the keyboard deletes one by one.
fn length(text: &str) -> usize {
    text.chars().count()
}

/// The field that has the keyboard's focus.
async fn focused(context: &Context, target: &Target) -> Result<Option<Node>, Error> {
    if target.device.has(Feature::ElementAtFocus) {
        return target
            .device
            .look(READ_BACK, target.deadline, |driver, within| async move { driver.element_at_focus(within).await })
            .await
            .map_err(|error| convert::error(&target.device, error));
    }
    let seen = look::see(context, target).await?;
    Ok(seen.tree.nodes.into_iter().find(|node| node.focused))
}

/// Waits until something has the focus. Where nothing ever has, typing itself tells.
async fn wait_for_focus(context: &Context, target: &Target) -> Result<(), Error> {
    let until = (tokio::time::Instant::now() + FOCUS_WAIT).min(target.deadline);
    while focused(context, target).await?.is_none() && tokio::time::Instant::now() + FOCUS_STEP < until {
        tokio::time::sleep(FOCUS_STEP).await;
    }
    Ok(())
}

/// What stands in the field, against what should.
fn compare(before: Option<&Node>, after: Option<&Node>, cleared: bool, arguments: &InputText) -> Entered {
    let Some(after) = after else {
        // Nothing has the focus any more, so that nothing can be read.
        return Entered { text: None, length: None, verified: false };
    };
    let now = after.value.as_deref().unwrap_or_default();
    let had =
        if cleared || arguments.clear { "" } else { before.and_then(|node| node.value.as_deref()).unwrap_or_default() };
    if after.role == Role::SecureField {
        let verified = length(now) == length(had) + length(&arguments.text);
        return Entered { text: None, length: Some(length(now)), verified };
    }
    // The cursor may stand anywhere in what was there before.
    let verified = now.contains(arguments.text.as_str()) && length(now) == length(had) + length(&arguments.text);
    if arguments.secret {
        Entered { text: None, length: Some(length(now)), verified }
    } else {
        Entered { text: Some(now.to_owned()), length: None, verified }
    }
}
