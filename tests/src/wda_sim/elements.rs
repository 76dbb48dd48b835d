//! The element routes, and the snapshots that they and the page source are made from: what is in front, where a remembered
//! element is now, how it comes into view.

use super::device::number;
use super::errors::{Failure, Result};
use super::log::Touch;
use super::router::{Answer, Call};
use super::selector;
use super::session::{self, Agent, RUNNER, SPRINGBOARD};
use super::source::{PREFIX, Snapshot};
use super::{Sim, text, touch};
use driver_api::{App, Point, Rect, Swipe, Tree};
use serde_json::{Map, Value, json};
use std::time::Duration;
use virtual_phone::Phone;

/// The name under which W3C clients look for an element's id.
const W3C_KEY: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Deeper snapshots fail on a real phone.
const DEEPEST: f64 = 62.0;

/// The wire name of the app that commands go to.
pub(crate) fn front(sim: &Sim) -> Result<String> {
    let agent = sim.agent();
    front_of(&agent, &sim.phone())
}

fn front_of(agent: &Agent, phone: &Phone) -> Result<String> {
    if let Some(tested) = agent.tested()
        && tested.expected
        && session::phone_name(&tested.bundle) != session::phone_name(SPRINGBOARD)
        && !phone.app_running(session::phone_name(&tested.bundle))
    {
        return Err(Failure::crashed(&tested.bundle));
    }
    Ok(in_front(agent, phone))
}

/// The same without a complaint about an app that died.
pub(crate) fn in_front(agent: &Agent, phone: &Phone) -> String {
    if agent.runner_in_front {
        RUNNER.to_owned()
    } else if phone.is_locked() {
        SPRINGBOARD.to_owned()
    } else {
        agent.wire_name(&phone.active_app().id)
    }
}

/// All elements now.
pub(crate) fn snapshot(sim: &Sim) -> Result<Snapshot> {
    let mut agent = sim.agent();
    let mut phone = sim.phone();
    let bundle = front_of(&agent, &phone)?;
    let depth = agent.number("snapshotMaxDepth");
    if depth > DEEPEST {
        return Err(Failure::snapshot("kAXErrorIllegalArgument"));
    }
    let screen = phone.screen().bounds();
    let (tree, app) = if agent.runner_in_front {
        (Tree::default(), App { id: RUNNER.to_owned(), name: Some("WebDriverAgentRunner-Runner".to_owned()) })
    } else {
        (phone.tree(), phone.active_app())
    };
    let pid = agent.pid(&bundle);
    Ok(Snapshot::new(&tree, &app, screen, depth.max(0.0) as usize, pid, bundle))
}

/// Where the element of this id is now.
pub(crate) fn resolve(sim: &Sim, id: &str) -> Result<(Snapshot, usize)> {
    let remembered = sim.agent().remembered(id).cloned().ok_or_else(|| Failure::stale(id))?;
    let snapshot = snapshot(sim)?;
    let at = snapshot.place(remembered.key).ok_or_else(|| Failure::stale(&remembered.what))?;
    Ok((snapshot, at))
}

/// What is answered for a found element.
fn handed_out(sim: &Sim, snapshot: &Snapshot, at: usize) -> Result<Value> {
    let element = &snapshot.elements[at];
    let mut agent = sim.agent();
    let id = agent.remember(element.key, element.describe());
    let mut found = Map::new();
    found.insert("ELEMENT".to_owned(), id.clone().into());
    found.insert(W3C_KEY.to_owned(), id.into());
    let compact = agent.settings.get("shouldUseCompactResponses").and_then(Value::as_bool).unwrap_or(true);
    if !compact {
        for name in agent.text("elementResponseAttributes").split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let value = match name {
                "name" => format!("{PREFIX}{}", element.kind).into(),
                "text" => shown_text(snapshot, at).into(),
                "rect" => element.rect_value(),
                "enabled" => element.enabled.into(),
                "displayed" => element.visible.into(),
                "selected" => element.selected.into(),
                other => attribute_of(snapshot, at, other.strip_prefix("attribute/").unwrap_or(other))?,
            };
            found.insert(name.to_owned(), value);
        }
    }
    Ok(found.into())
}

fn search(sim: &Sim, call: &Call) -> Result<(Snapshot, Vec<usize>)> {
    let (using, value) = (call.text("using")?, call.text("value")?);
    let (snapshot, root) = match &call.element {
        Some(element) => resolve(sim, element)?,
        None => (snapshot(sim)?, 0),
    };
    let found = selector::select(&snapshot, using, value, root)?;
    Ok((snapshot, found))
}

/// `POST /element`.
pub(crate) fn find(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, found) = search(sim, call)?;
    match found.first() {
        Some(at) => Ok(handed_out(sim, &snapshot, *at)?.into()),
        None => Err(Failure::no_such_element(call.text("using")?, call.text("value")?)),
    }
}

/// `POST /elements`.
pub(crate) fn find_all(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, found) = search(sim, call)?;
    let list = found.into_iter().map(|at| handed_out(sim, &snapshot, at)).collect::<Result<Vec<_>>>()?;
    Ok(Value::from(list).into())
}

/// `GET /element/active`.
pub(crate) fn active(sim: &Sim, _: &Call) -> Result<Answer> {
    let snapshot = snapshot(sim)?;
    match snapshot.elements.iter().position(|element| element.focused) {
        Some(at) => Ok(handed_out(sim, &snapshot, at)?.into()),
        None => Err(Failure::no_such_element("predicate string", "hasKeyboardFocus == YES")),
    }
}

/// `GET /wda/element/el/getVisibleCells`.
pub(crate) fn visible_cells(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, root) = own(sim, call)?;
    let cells = snapshot.below(root).filter(|at| {
        let element = &snapshot.elements[*at];
        element.kind == "Cell" && element.visible
    });
    let list = cells.map(|at| handed_out(sim, &snapshot, at)).collect::<Result<Vec<_>>>()?;
    Ok(Value::from(list).into())
}

/// The element that the route names.
pub(crate) fn own(sim: &Sim, call: &Call) -> Result<(Snapshot, usize)> {
    resolve(sim, call.element.as_deref().unwrap_or_default())
}

/// `GET /element/el/rect`.
pub(crate) fn rect(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    Ok(snapshot.elements[at].rect_value().into())
}

fn shown_text(snapshot: &Snapshot, at: usize) -> String {
    let element = &snapshot.elements[at];
    element.value.clone().or_else(|| element.label.clone()).unwrap_or_default()
}

/// `GET /element/el/text`.
pub(crate) fn shown(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    Ok(Value::from(shown_text(&snapshot, at)).into())
}

/// `GET /element/el/name`: the type, as in WebDriver's tag name.
pub(crate) fn tag(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    Ok(Value::from(format!("{PREFIX}{}", snapshot.elements[at].kind)).into())
}

/// `GET /element/el/enabled`.
pub(crate) fn enabled(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    Ok(Value::from(snapshot.elements[at].enabled).into())
}

/// `GET /element/el/displayed`.
pub(crate) fn displayed(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    Ok(Value::from(snapshot.elements[at].visible).into())
}

/// `GET /element/el/selected`.
pub(crate) fn selected(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    Ok(Value::from(snapshot.elements[at].selected).into())
}

/// `GET /wda/element/el/accessible`.
pub(crate) fn accessible(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    Ok(Value::from(snapshot.elements[at].accessible).into())
}

/// `GET /wda/element/el/accessibilityContainer`.
pub(crate) fn container(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    let holds = snapshot.below(at).any(|below| snapshot.elements[below].accessible);
    Ok(Value::from(holds && !snapshot.elements[at].accessible).into())
}

/// `GET /element/el/attribute/NAME`.
pub(crate) fn attribute(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    attribute_of(&snapshot, at, call.name.as_deref().unwrap_or_default()).map(Answer::from)
}

fn attribute_of(snapshot: &Snapshot, at: usize, name: &str) -> Result<Value> {
    let element = &snapshot.elements[at];
    Ok(match name {
        "type" => format!("{PREFIX}{}", element.kind).into(),
        "name" => element.name().into(),
        "label" => element.label.clone().into(),
        "value" => element.value.clone().into(),
        "placeholderValue" => element.placeholder.clone().into(),
        "rawIdentifier" => element.identifier.clone().into(),
        "enabled" => element.enabled.into(),
        "visible" | "hittable" => element.visible.into(),
        "accessible" | "nativeAccessibilityElement" => element.accessible.into(),
        "accessibilityContainer" => (!element.accessible).into(),
        "selected" => element.selected.into(),
        "focused" => element.focused.into(),
        "index" => element.index.into(),
        "rect" => element.rect_value(),
        "frame" | "nativeFrame" => element.frame_text().into(),
        "traits" => element.traits().into(),
        "UID" => format!("{:016X}", element.key).into(),
        "minValue" | "maxValue" | "customActions" => Value::Null,
        _ => {
            return Err(Failure::unknown(format!(
                "Invalid accessibility attribute '{name}' requested. Only the following attributes are supported: UID, \
                 accessible, enabled, frame, index, label, name, rect, selected, type, value, visible"
            )));
        }
    })
}

/// `GET /element/el/screenshot`: the element's part of the picture.
pub(crate) fn screenshot(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    let (picture, screen) = {
        let mut phone = sim.phone();
        (phone.picture(), phone.screen())
    };
    let failed = |_| Failure::unknown("The element's screenshot cannot be taken");
    let frame = snapshot.elements[at].frame.and_then(|frame| frame.intersection(&screen.bounds()));
    let frame = frame.ok_or_else(|| Failure::unknown("The element is outside the screen"))?;
    super::picture::cut(&picture, frame, screen.scale).map(super::picture::base64).map_err(failed).map(Answer::from)
}

/// `POST /element/el/click`: scrolls to it if it is out of sight, and taps its middle.
pub(crate) fn click(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    tap_element(sim, &snapshot, at)?;
    Ok(Answer::nothing())
}

fn tap_element(sim: &Sim, snapshot: &Snapshot, at: usize) -> Result<()> {
    let element = &snapshot.elements[at];
    let screen = sim.phone().screen().bounds();
    let inside = |frame: &Rect| frame.area() > 0.0 && screen.contains(frame.center());
    let frame = match element.frame.filter(inside) {
        Some(frame) => frame,
        None => scroll_into_view(sim, element.key)?,
    };
    touch::perform(sim, Touch::Tap { at: frame.center() })
}

/// `POST /element/el/value`: focuses the field and types; moves a slider.
pub(crate) fn set_value(sim: &Sim, call: &Call) -> Result<Answer> {
    let value = match (call.arguments.get("value"), call.arguments.get("text")) {
        (Some(Value::Array(parts)), _) => parts.iter().filter_map(Value::as_str).collect::<String>(),
        (Some(Value::String(text)), _) | (None, Some(Value::String(text))) => text.clone(),
        (Some(Value::Number(number)), _) => number.to_string(),
        _ => return Err(Failure::invalid_argument("Neither 'value' nor 'text' parameter is provided")),
    };
    let (snapshot, at) = own(sim, call)?;
    let element = &snapshot.elements[at];
    if element.kind == "Slider" {
        let to: f64 = value
            .parse()
            .ok()
            .filter(|to| (0.0..=1.0).contains(to))
            .ok_or_else(|| Failure::invalid_argument("Value of slider should be in 0..1 range"))?;
        let frame = element.frame.ok_or_else(|| Failure::invalid_state("The slider has no frame"))?;
        let y = frame.center().y;
        let now = element.value.as_deref().and_then(part).unwrap_or(0.5);
        let x = |part: f64| frame.x + 1.0 + part * (frame.width - 2.0);
        drag_slowly(sim, Point::new(x(now), y), Point::new(x(to), y))?;
        return Ok(Answer::nothing());
    }
    focus(sim, &snapshot, at)?;
    text::type_text(sim, &value)?;
    Ok(Answer::nothing())
}

/// `40%` or `0.4`.
fn part(value: &str) -> Option<f64> {
    match value.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => value.parse().ok(),
    }
}

fn focus(sim: &Sim, snapshot: &Snapshot, at: usize) -> Result<()> {
    if !snapshot.elements[at].focused {
        tap_element(sim, snapshot, at)?;
    }
    Ok(())
}

/// `POST /element/el/clear`: as many deletions as there are letters.
pub(crate) fn clear(sim: &Sim, call: &Call) -> Result<Answer> {
    let (snapshot, at) = own(sim, call)?;
    let element = &snapshot.elements[at];
    if !element.is_field() {
        return Err(Failure::invalid_argument(format!("The value of '{}' is not a text", element.describe())));
    }
    let letters = element.value.as_deref().unwrap_or_default().chars().count();
    if element.empty {
        return Ok(Answer::nothing());
    }
    focus(sim, &snapshot, at)?;
    text::type_text(sim, &"\u{8}".repeat(letters))?;
    let (snapshot, at) = own(sim, call)?;
    let element = &snapshot.elements[at];
    if element.empty { Ok(Answer::nothing()) } else { Err(Failure::invalid_state("The element could not be cleared")) }
}

/// A drag that ends at rest, so that nothing rolls on.
pub(crate) fn drag_slowly(sim: &Sim, from: Point, to: Point) -> Result<()> {
    let swipe = Swipe { from, to, hold: Duration::from_millis(200), duration: Duration::from_millis(900) };
    touch::perform(sim, Touch::Swipe(swipe))
}

/// Scrolls what the element is in until its middle is visible, and says where it is then.
pub(crate) fn scroll_into_view(sim: &Sim, key: u64) -> Result<Rect> {
    let mut before = None;
    for _ in 0..25 {
        let snapshot = snapshot(sim)?;
        let at = snapshot.place(key).ok_or_else(|| Failure::stale("element"))?;
        let frame = snapshot.elements[at].frame.unwrap_or_default();
        let parents = std::iter::successors(snapshot.elements[at].parent, |at| snapshot.elements[*at].parent);
        let scroller = parents.into_iter().find(|at| snapshot.elements[*at].scrolls()).unwrap_or(0);
        let screen = snapshot.elements[0].frame.unwrap_or_default();
        let view = snapshot.elements[scroller].frame.and_then(|view| view.intersection(&screen)).unwrap_or(screen);
        let middle = frame.center();
        if view.contains(middle) && snapshot.elements[at].visible {
            return Ok(frame);
        }
        if before == Some((frame.x, frame.y)) {
            break;
        }
        before = Some((frame.x, frame.y));
        let center = view.center();
        let limit = |way: f64, room: f64| way.clamp(-room * 0.7, room * 0.7);
        let way = Point::new(limit(center.x - middle.x, view.width), limit(center.y - middle.y, view.height));
        let (dx, dy) = if way.y.abs() >= way.x.abs() { (0.0, way.y) } else { (way.x, 0.0) };
        let from = Point::new(center.x - dx / 2.0, center.y - dy / 2.0);
        let to = Point::new(center.x + dx / 2.0, center.y + dy / 2.0);
        drag_slowly(sim, from, to)?;
    }
    Err(Failure::not_visible("Failed to perform scroll with visible cell due to max scroll count reached"))
}

/// `GET /window/size`.
pub(crate) fn window_size(sim: &Sim, _: &Call) -> Result<Answer> {
    front(sim)?;
    let screen = sim.phone().screen();
    Ok(json!({ "width": number(screen.width), "height": number(screen.height) }).into())
}

/// `GET /window/rect`.
pub(crate) fn window_rect(sim: &Sim, _: &Call) -> Result<Answer> {
    front(sim)?;
    let screen = sim.phone().screen();
    Ok(json!({ "x": 0, "y": 0, "width": number(screen.width), "height": number(screen.height) }).into())
}
