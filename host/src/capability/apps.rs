//! Starting, ending and listing apps.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On, brief},
    declare::{Declaration, Reply, capability, capability_with_image},
    values::{Acted, App},
};
use crate::{
    device::Operation,
    neutral::{self, Launch},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

const LAUNCH: Operation = Operation { name: "launch", limit: Duration::from_secs(60) };
const TERMINATE: Operation = Operation { name: "terminate", limit: Duration::from_secs(20) };
const APPS: Operation = Operation { name: "apps", limit: Duration::from_secs(20) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![
        capability_with_image(
            context,
            Declaration {
                name: "launch_app",
                title: "Launch an app",
                description: "Brings an app to the front by its id or its name, starting it where needed, and answers once it is there.",
                effect: Effect::Act,
                route: Route { method: Method::Post, path: "/devices/{device_id}/launch" },
            },
            launch_app,
        ),
        capability_with_image(
            context,
            Declaration {
                name: "terminate_app",
                title: "End an app",
                description: "Ends an app; what it has not saved may be lost.",
                effect: Effect::Destructive,
                route: Route { method: Method::Post, path: "/devices/{device_id}/terminate" },
            },
            terminate_app,
        ),
        capability(
            context,
            Declaration {
                name: "list_apps",
                title: "List apps",
                description: "Lists the apps of a phone with ids and names. complete is false when only a part of them can be seen, such as the running ones.",
                effect: Effect::Read,
                route: Route { method: Method::Get, path: "/devices/{device_id}/apps" },
            },
            list_apps,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct LaunchApp {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    /// Id or name.
    #[schemars(length(min = 1, max = 200))]
    app: String,
    /// End it first, so that it starts from its beginning.
    #[serde(default)]
    fresh: bool,
    /// Process arguments; imply fresh.
    #[serde(default)]
    arguments: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Launched {
    #[serde(flatten)]
    acted: Acted,
    app: App,
}

async fn launch_app(context: Arc<Context>, arguments: LaunchApp, caller: Caller) -> Result<Reply<Launched>, Error> {
    let target = context.target(&arguments.on)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Leave).await?;
    context.permits_app(&target, &arguments.app).await?;
    stage.prepare(Subject::Launch, None).await?;
    let launch = Launch {
        app: arguments.app,
        fresh: arguments.fresh || !arguments.arguments.is_empty(),
        arguments: arguments.arguments,
    };
    let name = launch.app.clone();
    let app = stage
        .send(LAUNCH, |driver, within| async move { driver.launch(&launch, within).await })
        .await
        .map_err(|error| about_app(error, &name))?;
    target.device.learn(|facts| facts.app = Some(app.clone()));
    context.permits_launched(&target, &app)?;
    let app = App::from(app);
    let moved = stage.front().is_some_and(|front| !front.is(&app));
    let (mut acted, image) = stage.finish(Subject::Launch).await?;
    acted.effect.app = moved.then(|| app.clone());
    Ok(Reply::observed(Launched { acted, app }, image))
}

/// Says which app it was about.
fn about_app(mut error: Error, app: &str) -> Error {
    if error.code == super::Code::AppNotFound {
        error.message = format!("there is no app {:?} on the device", brief(app));
    }
    error
}

#[derive(Deserialize, JsonSchema)]
struct TerminateApp {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    /// Id or name.
    #[schemars(length(min = 1, max = 200))]
    app: String,
}

#[derive(Serialize, JsonSchema)]
struct Terminated {
    #[serde(flatten)]
    acted: Acted,
    was_running: bool,
}

async fn terminate_app(
    context: Arc<Context>,
    arguments: TerminateApp,
    caller: Caller,
) -> Result<Reply<Terminated>, Error> {
    let target = context.target(&arguments.on)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    context.permits_app(&target, &arguments.app).await?;
    stage.prepare(Subject::Device, None).await?;
    let (name, app) = (arguments.app.clone(), arguments.app);
    let was_running = stage
        .send(TERMINATE, |driver, within| async move { driver.terminate(&app, within).await })
        .await
        .map_err(|error| about_app(error, &name))?;
    let (acted, image) = stage.finish(Subject::Device).await?;
    Ok(Reply::observed(Terminated { acted, was_running }, image))
}

#[derive(Serialize, JsonSchema)]
struct AppSeen {
    #[serde(flatten)]
    app: App,
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Apps {
    apps: Vec<AppSeen>,
    complete: bool,
}

async fn list_apps(context: Arc<Context>, on: On, _: Caller) -> Result<Apps, Error> {
    let target = context.target(&on)?;
    let neutral::AppList { mut apps, complete } =
        target.look(APPS, |driver, within| async move { driver.apps(within).await }).await?;
    apps.sort_by(|a, b| (&a.app.name, &a.app.id).cmp(&(&b.app.name, &b.app.id)));
    let apps = apps.into_iter().map(|entry| AppSeen { app: entry.app.into(), running: entry.running }).collect();
    Ok(Apps { apps, complete })
}
