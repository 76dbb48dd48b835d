//! The touch routes: what they ask for in points, done on the phone and written into the log.

use super::actions;
use super::errors::{Failure, Result};
use super::log::Touch;
use super::router::{Answer, Call};
use super::{Sim, elements, text};
use driver_api::{Finger, PathPoint, Point, Rect, Swipe};
use serde_json::Value;
use std::time::Duration;

/// Does it and remembers it.
pub(crate) fn perform(sim: &Sim, touch: Touch) -> Result<()> {
    sim.log.touch(touch.clone());
    let mut phone = sim.phone();
    match touch {
        Touch::Tap { at } => phone.tap(at),
        Touch::DoubleTap { at } => phone.double_tap(at),
        Touch::LongPress { at, hold } => phone.long_press(at, hold),
        Touch::Swipe(swipe) => phone.swipe(swipe),
        Touch::Gesture(fingers) => phone.gesture(&fingers).map_err(|error| Failure::unknown_domain(&error.message))?,
    }
    Ok(())
}

fn seconds(value: f64, name: &str) -> Result<Duration> {
    Duration::try_from_secs_f64(value).map_err(|_| Failure::invalid_argument(format!("'{name}' is not a duration")))
}

/// The rectangle that positions count from: the element's, or the whole screen.
fn area(sim: &Sim, call: &Call) -> Result<Rect> {
    let Some(element) = &call.element else {
        elements::front(sim)?;
        return Ok(sim.phone().screen().bounds());
    };
    let (snapshot, at) = elements::resolve(sim, element)?;
    let element = &snapshot.elements[at];
    let not_visible = || {
        Failure::invalid_argument(format!(
            "The element '{}' is not visible on the screen and thus is not interactable",
            element.describe()
        ))
    };
    element.frame.filter(|frame| frame.area() > 0.0).ok_or_else(not_visible)
}

/// `x` and `y` within the area, or its middle.
fn place(sim: &Sim, call: &Call) -> Result<Point> {
    let area = area(sim, call)?;
    let coordinate = |name: &str| -> Result<Option<f64>> {
        match call.arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number)),
                None => Err(Failure::invalid_argument(format!("'{name}' must be a number"))),
            },
        }
    };
    match (coordinate("x")?, coordinate("y")?) {
        (Some(x), Some(y)) => Ok(Point::new(area.x + x, area.y + y)),
        (None, None) => Ok(area.center()),
        _ => Err(Failure::invalid_argument("Both 'x' and 'y' coordinates must be provided")),
    }
}

/// `/wda/tap` and its element form.
pub(crate) fn tap(sim: &Sim, call: &Call) -> Result<Answer> {
    let at = place(sim, call)?;
    perform(sim, Touch::Tap { at })?;
    Ok(Answer::nothing())
}

/// `/wda/doubleTap`.
pub(crate) fn double_tap(sim: &Sim, call: &Call) -> Result<Answer> {
    let at = place(sim, call)?;
    perform(sim, Touch::DoubleTap { at })?;
    Ok(Answer::nothing())
}

/// `/wda/touchAndHold`.
pub(crate) fn hold(sim: &Sim, call: &Call) -> Result<Answer> {
    let at = place(sim, call)?;
    let hold = seconds(call.number("duration")?, "duration")?;
    perform(sim, Touch::LongPress { at, hold })?;
    Ok(Answer::nothing())
}

/// `/wda/forceTouch`.
pub(crate) fn force(sim: &Sim, call: &Call) -> Result<Answer> {
    let at = place(sim, call)?;
    let hold = seconds(call.number_or("duration", 1.0), "duration")?;
    perform(sim, Touch::LongPress { at, hold })?;
    Ok(Answer::nothing())
}

/// `/wda/tapWithNumberOfTaps`.
pub(crate) fn several_taps(sim: &Sim, call: &Call) -> Result<Answer> {
    let (taps, fingers) = (call.number("numberOfTaps")? as u64, call.number("numberOfTouches")? as usize);
    let at = place(sim, call)?;
    match (taps, fingers) {
        (2, 1) => perform(sim, Touch::DoubleTap { at })?,
        (_, 1) => {
            for _ in 0..taps {
                perform(sim, Touch::Tap { at })?;
            }
        }
        _ => {
            for _ in 0..taps {
                perform(sim, Touch::Gesture(beside(at, fingers)))?;
            }
        }
    }
    Ok(Answer::nothing())
}

/// `/wda/twoFingerTap`.
pub(crate) fn two_fingers(sim: &Sim, call: &Call) -> Result<Answer> {
    let at = place(sim, call)?;
    perform(sim, Touch::Gesture(beside(at, 2)))?;
    Ok(Answer::nothing())
}

/// Fingers that tap side by side.
fn beside(at: Point, fingers: usize) -> Vec<Finger> {
    (0..fingers.min(10))
        .map(|number| {
            let point = Point::new(at.x + 20.0 * number as f64, at.y);
            Finger { path: vec![PathPoint { at_ms: 0, point }, PathPoint { at_ms: 50, point }] }
        })
        .collect()
}

fn from_to(call: &Call, area: Rect) -> Result<(Point, Point)> {
    let point =
        |x: &str, y: &str| -> Result<Point> { Ok(Point::new(area.x + call.number(x)?, area.y + call.number(y)?)) };
    Ok((point("fromX", "fromY")?, point("toX", "toY")?))
}

/// How fast the test framework drags, in points a second.
const DRAG: f64 = 600.0;

fn drag_time(from: Point, to: Point, velocity: f64) -> Duration {
    let velocity = if velocity > 1.0 { velocity } else { DRAG };
    Duration::from_secs_f64((to.x - from.x).hypot(to.y - from.y) / velocity)
}

/// `/wda/dragfromtoforduration`: the duration is the press before the move.
pub(crate) fn drag(sim: &Sim, call: &Call) -> Result<Answer> {
    let (from, to) = from_to(call, area(sim, call)?)?;
    let hold = seconds(call.number("duration")?, "duration")?;
    perform(sim, Touch::Swipe(Swipe { from, to, hold, duration: drag_time(from, to, DRAG) }))?;
    Ok(Answer::nothing())
}

/// `/wda/pressAndDragWithVelocity`: the finger rests also at the end.
pub(crate) fn press_and_drag(sim: &Sim, call: &Call) -> Result<Answer> {
    let (from, to) = from_to(call, area(sim, call)?)?;
    let press = seconds(call.number("pressDuration")?, "pressDuration")?;
    let rest = seconds(call.number("holdDuration")?, "holdDuration")?;
    let drag = drag_time(from, to, call.number("velocity")?);
    if rest.is_zero() {
        perform(sim, Touch::Swipe(Swipe { from, to, hold: press, duration: drag }))?;
    } else {
        let place = |at: Duration, point: Point| PathPoint { at_ms: at.as_millis() as u64, point };
        let path = vec![
            place(Duration::ZERO, from),
            place(press, from),
            place(press + drag, to),
            place(press + drag + rest, to),
        ];
        perform(sim, Touch::Gesture(vec![Finger { path }]))?;
    }
    Ok(Answer::nothing())
}

/// Which way the finger goes for a swipe direction.
fn toward(direction: &str) -> Result<(f64, f64)> {
    match direction.to_lowercase().as_str() {
        "up" => Ok((0.0, -1.0)),
        "down" => Ok((0.0, 1.0)),
        "left" => Ok((-1.0, 0.0)),
        "right" => Ok((1.0, 0.0)),
        _ => Err(Failure::invalid_argument(format!(
            "Unsupported swipe direction '{direction}'. Only the following directions are supported: up, down, left, right"
        ))),
    }
}

/// `/wda/swipe`: half the area's length through its middle.
pub(crate) fn swipe(sim: &Sim, call: &Call) -> Result<Answer> {
    let (x, y) = toward(call.text("direction")?)?;
    let area = visible(sim, area(sim, call)?)?;
    let middle = area.center();
    let (dx, dy) = (x * area.width / 4.0, y * area.height / 4.0);
    let from = Point::new(middle.x - dx, middle.y - dy);
    let to = Point::new(middle.x + dx, middle.y + dy);
    let duration = drag_time(from, to, call.number_or("velocity", 1500.0));
    perform(sim, Touch::Swipe(Swipe { from, to, hold: Duration::ZERO, duration }))?;
    Ok(Answer::nothing())
}

fn visible(sim: &Sim, area: Rect) -> Result<Rect> {
    let screen = sim.phone().screen().bounds();
    area.intersection(&screen).ok_or_else(|| Failure::not_visible("The element is not visible on the screen"))
}

/// `/wda/scroll`: by a direction and a part of the area, or until a child is visible.
pub(crate) fn scroll(sim: &Sim, call: &Call) -> Result<Answer> {
    if call.arguments.get("toVisible").and_then(Value::as_bool) == Some(true) {
        return scroll_to(sim, call);
    }
    for (name, using) in [("name", "accessibility id"), ("predicateString", "predicate string")] {
        if let Some(value) = call.arguments.get(name).and_then(Value::as_str) {
            let (snapshot, root) = match &call.element {
                Some(element) => elements::resolve(sim, element)?,
                None => (elements::snapshot(sim)?, 0),
            };
            let found = super::selector::select(&snapshot, using, value, root)?;
            let at = found.first().ok_or_else(|| Failure::no_such_element(using, value))?;
            elements::scroll_into_view(sim, snapshot.elements[*at].key)?;
            return Ok(Answer::nothing());
        }
    }
    let Some(direction) = call.arguments.get("direction").and_then(Value::as_str) else {
        return Err(Failure::invalid_argument("Unsupported scroll type"));
    };
    // The content goes the other way than the finger: scrolling down shows what is below.
    let (x, y) = toward(direction)?;
    let distance = call.number_or("distance", 1.0).clamp(0.0, 10.0);
    let area = visible(sim, area(sim, call)?)?;
    let inner = Rect::new(area.x + 8.0, area.y + 8.0, area.width - 16.0, area.height - 16.0);
    let middle = inner.center();
    let mut left = distance;
    while left > 0.0 {
        let part = left.min(0.5);
        let (dx, dy) = (x * inner.width * part / 2.0, y * inner.height * part / 2.0);
        let from = Point::new(middle.x + dx, middle.y + dy);
        let to = Point::new(middle.x - dx, middle.y - dy);
        elements::drag_slowly(sim, from, to)?;
        left -= part;
    }
    Ok(Answer::nothing())
}

/// `/wda/element/el/scrollTo`.
pub(crate) fn scroll_to(sim: &Sim, call: &Call) -> Result<Answer> {
    let element = call.element.as_deref().ok_or_else(|| Failure::invalid_argument("An element is needed"))?;
    let (snapshot, at) = elements::resolve(sim, element)?;
    elements::scroll_into_view(sim, snapshot.elements[at].key)?;
    Ok(Answer::nothing())
}

/// `/wda/pinch`: two fingers on a level line, apart or together.
pub(crate) fn pinch(sim: &Sim, call: &Call) -> Result<Answer> {
    let (scale, velocity) = (call.number("scale")?, call.number("velocity")?);
    if scale <= 0.0 || (scale < 1.0) != (velocity < 0.0) {
        return Err(Failure::unknown(
            "Invalid parameter not satisfying: scale must be greater than zero, and velocity negative if scale is below 1",
        ));
    }
    let area = visible(sim, area(sim, call)?)?;
    let middle = area.center();
    let wide = (area.width / 2.0 - 10.0).max(20.0);
    let (start, end) = if scale > 1.0 { ((wide / scale).max(10.0), wide) } else { (wide, (wide * scale).max(10.0)) };
    let finger = |side: f64| {
        let at = |ms: u64, off: f64| PathPoint { at_ms: ms, point: Point::new(middle.x + side * off, middle.y) };
        Finger { path: vec![at(0, start), at(400, end)] }
    };
    perform(sim, Touch::Gesture(vec![finger(-1.0), finger(1.0)]))?;
    Ok(Answer::nothing())
}

/// `/wda/rotate`: two fingers turn around the middle.
pub(crate) fn rotate(sim: &Sim, call: &Call) -> Result<Answer> {
    let angle = call.number("rotation")?;
    call.number("velocity")?;
    let area = visible(sim, area(sim, call)?)?;
    let middle = area.center();
    let radius = (area.width.min(area.height) / 2.0 - 10.0).max(20.0);
    let finger = |start: f64| {
        let at = |step: u64| {
            let turned = start + angle * step as f64 / 8.0;
            let point = Point::new(middle.x + radius * turned.cos(), middle.y + radius * turned.sin());
            PathPoint { at_ms: step * 50, point }
        };
        Finger { path: (0..=8).map(at).collect() }
    };
    perform(sim, Touch::Gesture(vec![finger(0.0), finger(std::f64::consts::PI)]))?;
    Ok(Answer::nothing())
}

/// `/actions`.
pub(crate) fn w3c(sim: &Sim, call: &Call) -> Result<Answer> {
    elements::front(sim)?;
    let center = |id: &str| -> Result<Point> {
        let (snapshot, at) = elements::resolve(sim, id)?;
        let frame = snapshot.elements[at].frame.ok_or_else(|| Failure::unknown_domain("The element has no frame"))?;
        Ok(frame.center())
    };
    let sources = call.arguments.get("actions").unwrap_or(&Value::Null);
    let performance = actions::read(sources, &center, sim.options.generation.has(16, 12, 2))?;
    for touch in actions::touches(performance.fingers) {
        perform(sim, touch)?;
    }
    if !performance.text.is_empty() {
        text::type_text(sim, &performance.text)?;
    }
    Ok(Answer::nothing())
}
