//! Buttons of the device and of its keyboard.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On},
    declare::{Declaration, Reply, capability_with_image},
    values::{Acted, State},
};
use crate::{device::Operation, neutral};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{sync::Arc, time::Duration};

const PRESS: Operation = Operation { name: "press", limit: Duration::from_secs(20) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "press_button",
            title: "Press a button",
            description: "Presses a button: home, back, lock, unlock, volume_up, volume_down, app_switcher, enter (the keyboard's return key), hide_keyboard.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/press" },
        },
        press_button,
    )]
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Button {
    Home,
    Back,
    Lock,
    Unlock,
    VolumeUp,
    VolumeDown,
    AppSwitcher,
    Enter,
    HideKeyboard,
}

#[derive(Deserialize, JsonSchema)]
struct PressButton {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    button: Button,
}

async fn press_button(context: Arc<Context>, arguments: PressButton, caller: Caller) -> Result<Reply<Acted>, Error> {
    let target = context.target(&arguments.on)?;
    let button = arguments.button;
    let purpose = if matches!(button, Button::Home | Button::Lock) { Purpose::Leave } else { Purpose::Act };
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, purpose).await?;
    stage.prepare(Subject::Device, None).await?;
    stage
        .send(PRESS, move |driver, within| async move {
            match button {
                Button::Home => driver.home(within).await,
                Button::Lock => driver.lock(within).await,
                Button::Unlock => driver.unlock(within).await,
                Button::HideKeyboard => driver.hide_keyboard(within).await,
                Button::Back => driver.press_button(neutral::Button::Back, within).await,
                Button::VolumeUp => driver.press_button(neutral::Button::VolumeUp, within).await,
                Button::VolumeDown => driver.press_button(neutral::Button::VolumeDown, within).await,
                Button::AppSwitcher => driver.press_button(neutral::Button::AppSwitcher, within).await,
                Button::Enter => driver.press_button(neutral::Button::Enter, within).await,
            }
        })
        .await?;
    match button {
        Button::Lock => target.device.learn(|facts| facts.state.locked = Some(true)),
        Button::Unlock => target.device.learn(|facts| facts.state.locked = Some(false)),
        _ => {}
    }
    let (acted, image) = stage.finish(Subject::Device).await?;
    if matches!(button, Button::Home) && acted.effect.state == State::Unknown {
        // Which app is in front now is not known until somebody looks.
        target.device.learn(|facts| facts.app = None);
    }
    Ok(Reply::observed(acted, image))
}
