//! The clipboard: reading it, and putting text on it.
//!
//! What stands on it goes to the caller and nowhere else: no message and no line of the log holds it.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    context::{Act, On},
    declare::{Declaration, capability},
};
use crate::device::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

const READ: Operation = Operation { name: "clipboard", limit: Duration::from_secs(20) };
const WRITE: Operation = Operation { name: "set clipboard", limit: Duration::from_secs(20) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability(
        context,
        Declaration {
            name: "clipboard",
            title: "Clipboard",
            description: "Puts text on the clipboard, or without text reads it.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/clipboard" },
        },
        clipboard,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct ClipboardArguments {
    #[serde(flatten)]
    on: On,
    #[schemars(length(max = 100_000))]
    text: Option<String>,
    /// From connect_device.
    lease: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Clipboard {
    text: String,
}

async fn clipboard(context: Arc<Context>, arguments: ClipboardArguments, caller: Caller) -> Result<Clipboard, Error> {
    let target = context.target(&arguments.on)?;
    let Some(text) = arguments.text else {
        let text = target.look(READ, |driver, within| async move { driver.clipboard(within).await }).await?;
        return Ok(Clipboard { text });
    };
    // The screen does not show it, so that there is no effect to be seen, and no alert is in its way.
    let mut act = Act::default();
    act.lease = arguments.lease;
    let permit = target.permit(&caller, &act)?;
    context.permits_acts_now(&target).await?;
    let put = text.clone();
    target.act(permit, WRITE, move |driver, within| async move { driver.set_clipboard(&put, within).await }).await?;
    Ok(Clipboard { text })
}
