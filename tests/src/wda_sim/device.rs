//! The routes for apps, buttons, the lock, orientation, pasteboard and what the device says of itself.

use super::Sim;
use super::elements;
use super::errors::{Failure, Result};
use super::picture;
use super::router::{Answer, Call};
use super::session::{RUNNER, SPRINGBOARD, phone_name};
use base64::Engine;
use driver_api::{Button, Launch, Orientation};
use serde_json::{Value, json};
use std::time::Duration;

/// Brings an app to the front by its wire name, in the words of a failure if it cannot.
pub(crate) fn bring(sim: &Sim, bundle: &str, fresh: bool, arguments: Vec<String>) -> Result<(), String> {
    let mut agent = sim.agent();
    let mut phone = sim.phone();
    if phone_name(bundle) == phone_name(SPRINGBOARD) {
        agent.runner_in_front = false;
        phone.home();
        return Ok(());
    }
    if bundle == RUNNER {
        agent.runner_in_front = true;
        return Ok(());
    }
    let app = phone_name(bundle).to_owned();
    let ran = phone.app_running(&app);
    // The phone also takes the names that people see; the server knows ids only.
    let installed = phone.apps().apps.iter().any(|entry| entry.app.id == app);
    if !installed {
        let unknown = driver_api::Error::new(driver_api::ErrorKind::AppNotFound, "no such app");
        return Err(Failure::launch_text(bundle, &unknown));
    }
    let launch = Launch { app, fresh, arguments };
    phone.launch(&launch).map_err(|error| Failure::launch_text(bundle, &error))?;
    agent.runner_in_front = false;
    if fresh || !ran {
        let known = agent.wire_name(&launch.app);
        agent.forget_pid(&known);
    }
    agent.called(bundle);
    agent.expect(bundle, true);
    Ok(())
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// `POST /wda/apps/launch`: an app that runs is only brought to the front.
pub(crate) fn launch(sim: &Sim, call: &Call) -> Result<Answer> {
    let bundle = call.text("bundleId")?;
    bring(sim, bundle, false, strings(call.arguments.get("arguments"))).map_err(Failure::invalid_argument)?;
    Ok(Answer::nothing())
}

/// `POST /wda/apps/activate`.
pub(crate) fn activate(sim: &Sim, call: &Call) -> Result<Answer> {
    bring(sim, call.text("bundleId")?, false, Vec::new()).map_err(Failure::invalid_argument)?;
    Ok(Answer::nothing())
}

/// `POST /wda/apps/launchUnattached`.
pub(crate) fn launch_unattached(sim: &Sim, call: &Call) -> Result<Answer> {
    bring(sim, call.text("bundleId")?, false, Vec::new()).map_err(Failure::unknown)?;
    Ok(Answer::nothing())
}

/// `POST /wda/apps/terminate`: whether it ran.
pub(crate) fn terminate(sim: &Sim, call: &Call) -> Result<Answer> {
    let bundle = call.text("bundleId")?;
    if phone_name(bundle) == phone_name(SPRINGBOARD) {
        return Err(Failure::unknown_domain(&format!("{SPRINGBOARD} cannot be terminated")));
    }
    Ok(Value::from(end(sim, bundle)).into())
}

/// Ends an app as the server does, so that its end is no crash.
pub(crate) fn end(sim: &Sim, bundle: &str) -> bool {
    let mut agent = sim.agent();
    agent.expect(bundle, false);
    if bundle == RUNNER {
        return std::mem::take(&mut agent.runner_in_front);
    }
    let ended = sim.phone().terminate(phone_name(bundle)).unwrap_or(false);
    if ended {
        let known = agent.wire_name(phone_name(bundle));
        agent.forget_pid(&known);
    }
    ended
}

/// `POST /wda/apps/state`: 1 not running, 3 in the background, 4 in front.
pub(crate) fn app_state(sim: &Sim, call: &Call) -> Result<Answer> {
    let bundle = call.text("bundleId")?;
    let agent = sim.agent();
    let phone = sim.phone();
    let front = elements::in_front(&agent, &phone);
    let state = if phone_name(&front) == phone_name(bundle) {
        4
    } else if phone_name(bundle) == phone_name(SPRINGBOARD) || bundle == RUNNER || phone.app_running(phone_name(bundle))
    {
        3
    } else {
        1
    };
    Ok(Value::from(state).into())
}

/// `GET /wda/apps/list`: those that are on the screen.
pub(crate) fn app_list(sim: &Sim, _: &Call) -> Result<Answer> {
    let mut agent = sim.agent();
    let bundle = elements::in_front(&agent, &sim.phone());
    let pid = agent.pid(&bundle);
    Ok(json!([{ "pid": pid, "bundleId": bundle }]).into())
}

/// `GET /wda/activeAppInfo`.
pub(crate) fn active_app(sim: &Sim, _: &Call) -> Result<Answer> {
    let bundle = elements::front(sim)?;
    let pid = sim.agent().pid(&bundle);
    Ok(json!({ "pid": pid, "bundleId": bundle, "name": "", "processArguments": { "args": [], "env": {} } }).into())
}

/// `POST /wda/deactivateApp`: home, wait, back.
pub(crate) fn deactivate(sim: &Sim, call: &Call) -> Result<Answer> {
    let bundle = elements::front(sim)?;
    let wait = Duration::try_from_secs_f64(call.number_or("duration", 3.0))
        .map_err(|_| Failure::invalid_argument("'duration' is not a duration"))?;
    sim.phone().home();
    let back = move |sim: &Sim| bring(sim, &bundle, false, Vec::new()).map_err(Failure::unknown);
    Ok(Answer::nothing().after(wait, back))
}

/// `POST /wda/homescreen`.
pub(crate) fn home(sim: &Sim, _: &Call) -> Result<Answer> {
    sim.agent().runner_in_front = false;
    sim.phone().home();
    Ok(Answer::nothing())
}

/// `POST /wda/pressButton`.
pub(crate) fn press_button(sim: &Sim, call: &Call) -> Result<Answer> {
    let name = call.text("name")?;
    match name.to_lowercase().as_str() {
        "home" => return home(sim, call),
        "volumeup" => sim.phone().press(Button::VolumeUp),
        "volumedown" => sim.phone().press(Button::VolumeDown),
        "action" | "camera" if sim.options.generation.has(8, 0, 0) => {}
        _ => {
            return Err(Failure::unknown_domain(&format!(
                "The button '{name}' is not supported. The device under test only supports the following buttons: home, \
                 volumeUp, volumeDown"
            )));
        }
    }
    Ok(Answer::nothing())
}

/// `POST /wda/performIoHidEvent`.
pub(crate) fn hid_event(sim: &Sim, call: &Call) -> Result<Answer> {
    let (page, usage) = (call.number("page")? as u32, call.number("usage")? as u32);
    call.number("duration")?;
    match (page, usage) {
        (0x0c, 0x40) => return home(sim, call),
        (0x0c, 0x30) => {
            let mut phone = sim.phone();
            if phone.is_locked() { phone.home() } else { phone.lock() }
        }
        (0x0c, 0xe9) => sim.phone().press(Button::VolumeUp),
        (0x0c, 0xea) => sim.phone().press(Button::VolumeDown),
        (0x07, 0x28) => super::text::type_text(sim, "\n")?,
        (0x07, 0x2a) => super::text::type_text(sim, "\u{8}")?,
        _ => {}
    }
    Ok(Answer::nothing())
}

/// `POST /wda/lock`.
pub(crate) fn lock(sim: &Sim, _: &Call) -> Result<Answer> {
    sim.phone().lock();
    Ok(Answer::nothing())
}

/// `POST /wda/unlock`: fails after a while when a passcode is asked for.
pub(crate) fn unlock(sim: &Sim, _: &Call) -> Result<Answer> {
    let mut phone = sim.phone();
    if !phone.is_locked() || (phone.unlock().is_ok() && !phone.is_locked()) {
        return Ok(Answer::nothing());
    }
    let late = |_: &Sim| Err(Failure::unknown_domain("Timed out while waiting until the screen gets unlocked"));
    Ok(Answer::nothing().after(sim.options.unlock_wait, late))
}

/// `GET /wda/locked`.
pub(crate) fn locked(sim: &Sim, _: &Call) -> Result<Answer> {
    Ok(Value::from(sim.phone().is_locked()).into())
}

/// `GET /orientation`: the two senses look the same.
pub(crate) fn orientation(sim: &Sim, _: &Call) -> Result<Answer> {
    elements::front(sim)?;
    let landscape = sim.phone().screen().orientation.is_landscape();
    Ok(Value::from(if landscape { "LANDSCAPE" } else { "PORTRAIT" }).into())
}

/// `POST /orientation`.
pub(crate) fn set_orientation(sim: &Sim, call: &Call) -> Result<Answer> {
    elements::front(sim)?;
    let orientation = match call.text("orientation")? {
        "PORTRAIT" => Orientation::Portrait,
        "LANDSCAPE" => Orientation::LandscapeLeft,
        "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT" => Orientation::LandscapeRight,
        "UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN" => Orientation::PortraitUpsideDown,
        other => return Err(Failure::invalid_argument(format!("'{other}' is not a supported orientation"))),
    };
    turn(sim, orientation)?;
    Ok(Answer::nothing())
}

fn turn(sim: &Sim, orientation: Orientation) -> Result<()> {
    sim.phone().set_orientation(orientation).map_err(|_| Failure::unknown_domain("Unable To Rotate Device"))
}

/// `GET /rotation`.
pub(crate) fn rotation(sim: &Sim, _: &Call) -> Result<Answer> {
    elements::front(sim)?;
    let z = match sim.phone().screen().orientation {
        Orientation::Portrait => 0,
        Orientation::LandscapeLeft => 90,
        Orientation::PortraitUpsideDown => 180,
        Orientation::LandscapeRight => 270,
    };
    Ok(json!({ "x": 0, "y": 0, "z": z }).into())
}

/// `POST /rotation`.
pub(crate) fn set_rotation(sim: &Sim, call: &Call) -> Result<Answer> {
    elements::front(sim)?;
    let orientation = match (call.number("x")?, call.number("y")?, call.number("z")?) {
        (0.0, 0.0, 0.0) => Orientation::Portrait,
        (0.0, 0.0, 90.0) => Orientation::LandscapeLeft,
        (0.0, 0.0, 180.0) => Orientation::PortraitUpsideDown,
        (0.0, 0.0, 270.0) => Orientation::LandscapeRight,
        _ => return Err(Failure::invalid_argument("The rotation is not supported")),
    };
    turn(sim, orientation)?;
    rotation(sim, call)
}

/// `GET /wda/deviceOrientation`.
pub(crate) fn device_orientation(sim: &Sim, _: &Call) -> Result<Answer> {
    let name = match sim.phone().screen().orientation {
        Orientation::Portrait => "UIDeviceOrientationPortrait",
        Orientation::LandscapeLeft => "UIDeviceOrientationLandscapeLeft",
        Orientation::LandscapeRight => "UIDeviceOrientationLandscapeRight",
        Orientation::PortraitUpsideDown => "UIDeviceOrientationPortraitUpsideDown",
    };
    Ok(Value::from(name).into())
}

/// `GET /wda/screen`: the size is that of the upright home screen, whatever the app in front does.
pub(crate) fn screen(sim: &Sim, _: &Call) -> Result<Answer> {
    let screen = sim.phone().screen();
    let (width, height) = upright(&screen);
    let mut value = json!({
        "screenSize": { "width": width, "height": height },
        "statusBarSize": { "width": width, "height": 47 },
        "scale": number(screen.scale),
    });
    if sim.options.generation.has(16, 10, 0) {
        value["displayId"] = 1.into();
    }
    Ok(value.into())
}

fn upright(screen: &driver_api::Screen) -> (Value, Value) {
    (number(screen.width.min(screen.height)), number(screen.width.max(screen.height)))
}

/// A whole number without a fraction, as the phone's own writer writes it.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 { (value as i64).into() } else { value.into() }
}

/// `GET /wda/screens`.
pub(crate) fn screens(sim: &Sim, _: &Call) -> Result<Answer> {
    let screen = sim.phone().screen();
    let (width, height) = upright(&screen);
    let bounds = json!({ "x": 0, "y": 0, "width": width, "height": height });
    Ok(json!([{ "displayId": 1, "isMain": true, "scale": number(screen.scale), "bounds": bounds, "traits": "" }])
        .into())
}

/// `GET /screenshot`.
pub(crate) fn screenshot(sim: &Sim, _: &Call) -> Result<Answer> {
    let picture = sim.phone().picture();
    Ok(picture::base64(&picture.bytes).into())
}

/// `GET /wda/device/info`.
pub(crate) fn info(sim: &Sim, _: &Call) -> Result<Answer> {
    Ok(json!({
        "currentLocale": "en_US",
        "timeZone": "GMT+0000",
        "name": "iPhone",
        "model": "iPhone",
        "uuid": "5A3C1D2E-0000-4000-8000-000000000001",
        "userInterfaceIdiom": 0,
        "userInterfaceStyle": if sim.options.phone.dark { "dark" } else { "light" },
        "isSimulator": false,
        "thermalState": 0,
    })
    .into())
}

/// `GET /wda/batteryInfo`.
pub(crate) fn battery(sim: &Sim, _: &Call) -> Result<Answer> {
    let level = sim.phone().state().battery;
    let state = if level.is_some() { 1 } else { 0 };
    Ok(json!({ "level": level.unwrap_or(-1.0), "state": state }).into())
}

/// `POST /wda/device/appearance`: the phone keeps its own; only the name is checked.
pub(crate) fn appearance(_: &Sim, call: &Call) -> Result<Answer> {
    match call.text("name")?.to_lowercase().as_str() {
        "light" | "dark" => Ok(Answer::nothing()),
        other => Err(Failure::invalid_argument(format!("The appearance '{other}' is not supported"))),
    }
}

/// Whether the pasteboard can be reached.
fn pasteboard_open(sim: &Sim) -> bool {
    !sim.options.strict_pasteboard || sim.agent().runner_in_front
}

/// `POST /wda/setPasteboard`.
pub(crate) fn set_pasteboard(sim: &Sim, call: &Call) -> Result<Answer> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(call.text("content")?)
        .map_err(|_| Failure::invalid_argument("Cannot decode the pasteboard content from base64"))?;
    let kind = call.arguments.get("contentType").and_then(Value::as_str).unwrap_or("plaintext");
    match kind.to_lowercase().as_str() {
        "plaintext" | "url" => {
            let text = String::from_utf8(bytes).map_err(|_| Failure::invalid_argument("The content is not a text"))?;
            if pasteboard_open(sim) {
                sim.phone().set_clipboard(&text);
            }
        }
        "image" => {}
        _ => return Err(Failure::unsupported(format!("Unsupported content type: {kind}"))),
    }
    Ok(Answer::nothing())
}

/// `POST /wda/getPasteboard`.
pub(crate) fn get_pasteboard(sim: &Sim, _: &Call) -> Result<Answer> {
    if !pasteboard_open(sim) {
        return Ok(Value::from("").into());
    }
    Ok(picture::base64(sim.phone().clipboard()).into())
}

/// `POST /url`.
pub(crate) fn open_url(sim: &Sim, call: &Call) -> Result<Answer> {
    let url = call.text("url")?;
    sim.phone().open_url(url).map_err(|error| Failure::unknown_domain(&error.message))?;
    let mut agent = sim.agent();
    agent.runner_in_front = false;
    Ok(Answer::nothing())
}

/// `POST /wda/siri/activate`: understands only `open …`.
pub(crate) fn siri(sim: &Sim, call: &Call) -> Result<Answer> {
    let said = call.text("text")?;
    let Some(name) = said.strip_prefix("open ") else { return Ok(Answer::nothing()) };
    if name.starts_with("WebDriverAgentRunner") {
        sim.agent().runner_in_front = true;
        return Ok(Answer::nothing());
    }
    let id = sim.phone().apps().apps.into_iter().find(|entry| entry.app.name.as_deref() == Some(name));
    if let Some(entry) = id {
        drop(bring(sim, &entry.app.id, false, Vec::new()));
    }
    Ok(Answer::nothing())
}

/// `GET` and `POST /wda/simulatedLocation`, and other things that the phone does not have.
pub(crate) fn not_here(_: &Sim, _: &Call) -> Result<Answer> {
    Err(Failure::unsupported("This is not supported by the simulated device"))
}
