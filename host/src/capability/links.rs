//! Opening URLs.
//!
//! It knows what a URL is, and not which schemes are permitted or which app takes one.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On},
    declare::{Declaration, Reply, capability_with_image},
    values::Acted,
};
use crate::device::Operation;
use schemars::JsonSchema;
use serde::Deserialize;
use std::{sync::Arc, time::Duration};

/// An app may have to be started for it.
const OPEN_URL: Operation = Operation { name: "open url", limit: Duration::from_secs(60) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "open_url",
            title: "Open a URL",
            description: "Opens a URL in the app that takes it.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/open-url" },
        },
        open_url,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct OpenUrl {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    #[schemars(length(min = 1, max = 8000))]
    url: String,
}

async fn open_url(context: Arc<Context>, arguments: OpenUrl, caller: Caller) -> Result<Reply<Acted>, Error> {
    let target = context.target(&arguments.on)?;
    let url = arguments.url;
    context.permits_url(&url)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    stage.prepare(Subject::Device, None).await?;
    stage.send(OPEN_URL, move |driver, within| async move { driver.open_url(&url, within).await }).await?;
    let (acted, image) = stage.finish(Subject::Device).await?;
    Ok(Reply::observed(acted, image))
}
