//! Opening URLs.
//!
//! It knows what a URL is, and not which schemes are permitted or which app takes one.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On, brief},
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
    if !is_url(&url) {
        return Err(Error::invalid(
            format!("{:?} is not a URL with a scheme", brief(&url)),
            "Pass a whole URL such as https://example.com/.",
        ));
    }
    context.permits_url(&url)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    stage.prepare(Subject::Device, None).await?;
    stage.send(OPEN_URL, move |driver, within| async move { driver.open_url(&url, within).await }).await?;
    let (acted, image) = stage.finish(Subject::Device).await?;
    Ok(Reply::observed(acted, image))
}

/// Whether it begins with a scheme and holds nothing that a URL cannot. The rest is for the app that opens it.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme && !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::is_url;

    #[test]
    fn a_url_has_a_scheme_and_no_blanks() {
        for good in ["https://example.com/a?b=c#d", "tel:+15550100", "x-app.v1+y:open", "HTTP://EXAMPLE.COM"] {
            assert!(is_url(good), "{good}");
        }
        for bad in
            ["", "example.com", "//example.com", ":x", "1a:b", "a b:c", "https://exa mple", "tel:", "a:\u{7}", "ä:b"]
        {
            assert!(!is_url(bad), "{bad}");
        }
    }
}
