//! Turning what the screen shows.
//!
//! It knows that frames from before a turn are of another screen. Whether an app turns at all is the app's business.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Outcome, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On, Target},
    declare::{Declaration, Reply, capability_with_image},
    look,
    values::{Acted, Screen, State},
};
use crate::{
    device::{Feature, Operation},
    neutral,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

const TURN: Operation = Operation { name: "turn", limit: Duration::from_secs(20) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "set_orientation",
            title: "Turn the screen",
            description: "Turns the screen; coordinates from before do not hold any more. screen tells how it is now.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/orientation" },
        },
        set_orientation,
    )]
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Orientation {
    Portrait,
    LandscapeLeft,
    LandscapeRight,
    PortraitUpsideDown,
}

impl From<Orientation> for neutral::Orientation {
    fn from(orientation: Orientation) -> Self {
        match orientation {
            Orientation::Portrait => neutral::Orientation::Portrait,
            Orientation::LandscapeLeft => neutral::Orientation::LandscapeLeft,
            Orientation::LandscapeRight => neutral::Orientation::LandscapeRight,
            Orientation::PortraitUpsideDown => neutral::Orientation::PortraitUpsideDown,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct SetOrientation {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    orientation: Orientation,
}

#[derive(Serialize, JsonSchema)]
struct Turned {
    #[serde(flatten)]
    acted: Acted,
    /// As it is afterwards; null where the device cannot tell.
    screen: Option<Screen>,
}

async fn set_orientation(
    context: Arc<Context>,
    arguments: SetOrientation,
    caller: Caller,
) -> Result<Reply<Turned>, Error> {
    let target = context.target(&arguments.on)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    stage.prepare(Subject::Device, None).await?;
    let wanted = neutral::Orientation::from(arguments.orientation);
    let before = target.screen().map(|screen| screen.orientation);
    stage.send(TURN, move |driver, within| async move { driver.set_orientation(wanted, within).await }).await?;
    let screen = screen_after(&target, wanted).await.map_err(|error| error.outcome(Outcome::Done))?;
    let (mut acted, image) = stage.finish(Subject::Device).await?;
    // A picture turned by half a circle looks the same.
    let other = before.zip(screen).is_some_and(|(before, screen)| before != screen.orientation);
    if other && acted.effect.state == State::Unchanged {
        acted.effect.state = State::Changed;
    }
    Ok(Reply::observed(Turned { acted, screen: screen.map(Screen::from) }, image))
}

/// The screen as the phone tells it, which may not have turned. Only a phone that cannot tell is believed to have done what
/// it was told.
async fn screen_after(target: &Target, wanted: neutral::Orientation) -> Result<Option<neutral::Screen>, Error> {
    if target.device.has(Feature::ScreenInfo) {
        return look::ask_screen(target).await.map(Some);
    }
    let turned = target.screen().map(|screen| turned(screen, wanted));
    target.device.learn(|facts| facts.screen = turned);
    Ok(turned)
}

fn turned(screen: neutral::Screen, wanted: neutral::Orientation) -> neutral::Screen {
    let (short, long) = (screen.width.min(screen.height), screen.width.max(screen.height));
    let (width, height) = if wanted.is_landscape() { (long, short) } else { (short, long) };
    neutral::Screen { width, height, orientation: wanted, ..screen }
}
