//! W3C actions as the server understands them: from the request's sources to fingers, and from fingers to the touch that a
//! phone would see. It touches nothing itself.

use super::errors::{Failure, Result};
use super::log::Touch;
use driver_api::{Finger, PathPoint, Point, Swipe};
use serde_json::Value;
use std::{collections::HashSet, time::Duration};

/// A finger that rests at least this long presses rather than taps.
const PRESS: u64 = 500;
/// Two taps closer than this are a double tap.
const BETWEEN_TAPS: u64 = 350;
/// A finger that moves less than this has not moved.
const SLOP: f64 = 8.0;

/// What a request asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Performance {
    pub(crate) fingers: Vec<Finger>,
    pub(crate) text: String,
}

/// Reads the sources. `center` finds the middle of an element.
pub(crate) fn read(sources: &Value, center: &dyn Fn(&str) -> Result<Point>, pause_first: bool) -> Result<Performance> {
    let fault = |text: &str| Err(Failure::unknown_domain(text));
    let Some(sources) = sources.as_array().filter(|sources| !sources.is_empty()) else {
        return fault("The 'actions' array must contain at least one item");
    };
    let mut performance = Performance::default();
    let mut ids = HashSet::new();
    for source in sources {
        let id = source["id"].as_str().unwrap_or_default();
        if id.is_empty() || !ids.insert(id) {
            return fault("Every action source must have a unique non-empty 'id'");
        }
        let Some(items) = source["actions"].as_array().filter(|items| !items.is_empty()) else {
            return fault(&format!("The action source '{id}' must have at least one action"));
        };
        match source["type"].as_str() {
            Some("pointer") => {
                let pointer = source["parameters"]["pointerType"].as_str().unwrap_or("mouse");
                if pointer != "touch" {
                    return fault(&format!("Pointer type '{pointer}' is not supported. Only touch is supported"));
                }
                performance.fingers.extend(fingers(items, center, pause_first)?);
            }
            Some("key") => performance.text.push_str(&keys(items)?),
            other => {
                let kind = other.unwrap_or("null");
                return fault(&format!(
                    "Only actions of 'pointer' and 'key' types are supported. '{kind}' is given instead"
                ));
            }
        }
    }
    Ok(performance)
}

fn milliseconds(item: &Value) -> Result<u64> {
    let duration = item["duration"].as_f64().unwrap_or(0.0);
    if !(0.0..1e9).contains(&duration) {
        return Err(Failure::unknown_domain(&format!("'duration' value '{duration}' must be a non-negative number")));
    }
    Ok(duration as u64)
}

fn fingers(items: &[Value], center: &dyn Fn(&str) -> Result<Point>, pause_first: bool) -> Result<Vec<Finger>> {
    let fault = |text: String| Err(Failure::unknown_domain(&text));
    // A cancelled item was never there.
    let mut kept: Vec<&Value> = Vec::new();
    for item in items {
        if item["type"] == "pointerCancel" {
            kept.pop();
        } else {
            kept.push(item);
        }
    }
    let first = kept.iter().find(|item| !(pause_first && item["type"] == "pause"));
    if first.is_none_or(|item| item["type"] != "pointerMove") {
        return fault("The first action item of a pointer source must be 'pointerMove'".to_owned());
    }
    let mut time = 0;
    let mut at: Option<Point> = None;
    let mut down: Vec<Finger> = Vec::new();
    let mut done: Vec<Finger> = Vec::new();
    for (number, item) in kept.iter().enumerate() {
        match item["type"].as_str().unwrap_or_default() {
            "pause" => {
                time += milliseconds(item)?;
                // The finger stays where it is for that long.
                for finger in &mut down {
                    if let Some(last) = finger.path.last().copied() {
                        finger.path.push(PathPoint { at_ms: time, point: last.point });
                    }
                }
            }
            "pointerMove" => {
                time += milliseconds(item)?;
                let point = target(item, at, center)?;
                at = Some(point);
                let moving = !down.is_empty();
                for finger in &mut down {
                    finger.path.push(PathPoint { at_ms: time, point });
                }
                // The touch begins with the first move. If it is not followed by the press at once, the press opens a
                // second finger beside it: this is how the server is, and why clients must write move, down.
                let next = kept.get(number + 1).map(|item| &item["type"]);
                if !moving && done.is_empty() && next.is_some_and(|next| next != "pointerDown") {
                    down.push(Finger { path: vec![PathPoint { at_ms: time, point }] });
                }
            }
            "pointerDown" => {
                let Some(point) = at else { return fault("'pointerDown' needs a position before it".to_owned()) };
                down.push(Finger { path: vec![PathPoint { at_ms: time, point }] });
            }
            "pointerUp" => {
                if down.is_empty() {
                    return fault("'pointerUp' must follow a 'pointerDown'".to_owned());
                }
                for mut finger in down.drain(..) {
                    if let Some(last) =
                        finger.path.last().copied().filter(|last| last.at_ms < time || finger.path.len() == 1)
                    {
                        finger.path.push(PathPoint { at_ms: time, point: last.point });
                    }
                    done.push(finger);
                }
            }
            other => return fault(format!("Unexpected action item type '{other}'")),
        }
    }
    done.append(&mut down);
    Ok(done)
}

fn target(item: &Value, at: Option<Point>, center: &dyn Fn(&str) -> Result<Point>) -> Result<Point> {
    let (x, y) = (item["x"].as_f64(), item["y"].as_f64());
    let offset = Point::new(x.unwrap_or(0.0), y.unwrap_or(0.0));
    let plus = |base: Point| Point::new(base.x + offset.x, base.y + offset.y);
    let origin = &item["origin"];
    let element = origin["element-6066-11e4-a52e-4f735466cecf"].as_str().or(origin["ELEMENT"].as_str());
    match (element, origin.as_str()) {
        (Some(element), _) => center(element).map(plus),
        (None, None | Some("viewport")) => match (x, y) {
            (Some(_), Some(_)) => Ok(offset),
            _ => Err(Failure::unknown_domain("Both 'x' and 'y' coordinates are required for 'pointerMove'")),
        },
        (None, Some("pointer")) => {
            let base = at.ok_or_else(|| Failure::unknown_domain("There is no position to move from"))?;
            Ok(plus(base))
        }
        (None, Some(element)) => center(element).map(plus),
    }
}

fn keys(items: &[Value]) -> Result<String> {
    let mut text = String::new();
    let mut pressed: Vec<&str> = Vec::new();
    for item in items {
        let value = item["value"].as_str().unwrap_or_default();
        match item["type"].as_str().unwrap_or_default() {
            "keyDown" => {
                pressed.push(value);
                for letter in value.chars() {
                    match letter {
                        '\u{e003}' => text.push('\u{8}'),
                        '\u{e017}' => text.push('\u{7f}'),
                        '\u{e004}' => text.push('\t'),
                        '\u{e006}' | '\u{e007}' => text.push('\n'),
                        '\u{e00c}' => text.push('\u{1b}'),
                        '\u{e00d}' => text.push(' '),
                        '\u{e01a}'..='\u{e029}' => {
                            text.push(b"0123456789*+,-./"[letter as usize - 0xe01a] as char);
                        }
                        '\u{e000}'..='\u{e05d}' => {}
                        letter => text.push(letter),
                    }
                }
            }
            "keyUp" => {
                let Some(at) = pressed.iter().rposition(|key| *key == value) else {
                    return Err(Failure::unknown_domain(&format!("'keyUp' for '{value}' has no 'keyDown' before it")));
                };
                pressed.remove(at);
            }
            "pause" => {
                milliseconds(item)?;
            }
            other => return Err(Failure::unknown_domain(&format!("Unexpected key action item type '{other}'"))),
        }
    }
    match pressed.first() {
        None => Ok(text),
        Some(key) => Err(Failure::unknown_domain(&format!("'keyDown' for '{key}' has no 'keyUp' after it"))),
    }
}

/// What the phone sees of these fingers: those that are down together are one gesture, the others come one after another.
pub(crate) fn touches(mut fingers: Vec<Finger>) -> Vec<Touch> {
    fingers.retain(|finger| !finger.path.is_empty());
    fingers.sort_by_key(|finger| finger.path[0].at_ms);
    let end = |finger: &Finger| finger.path.last().map_or(0, |last| last.at_ms);
    let mut groups: Vec<Vec<Finger>> = Vec::new();
    for finger in fingers {
        let start = finger.path[0].at_ms;
        match groups.last_mut() {
            Some(group) if group.iter().any(|other| end(other) > start || other.path[0].at_ms == start) => {
                group.push(finger);
            }
            _ => groups.push(vec![finger]),
        }
    }
    let mut list: Vec<Touch> = Vec::new();
    let mut last_tap: Option<u64> = None;
    for mut group in groups {
        if group.len() > 1 {
            list.push(Touch::Gesture(group));
            last_tap = None;
            continue;
        }
        let finger = group.remove(0);
        let (start, stop) = (finger.path[0].at_ms, end(&finger));
        let touch = one(finger);
        match (&touch, list.last_mut(), last_tap) {
            (Touch::Tap { at }, Some(before @ Touch::Tap { .. }), Some(earlier)) if start - earlier < BETWEEN_TAPS => {
                let Touch::Tap { at: first } = *before else { continue };
                if distance(first, *at) < 4.0 * SLOP {
                    *before = Touch::DoubleTap { at: first };
                    last_tap = None;
                    continue;
                }
                list.push(touch);
                last_tap = Some(stop);
            }
            _ => {
                last_tap = matches!(touch, Touch::Tap { .. }).then_some(stop);
                list.push(touch);
            }
        }
    }
    list
}

fn distance(from: Point, to: Point) -> f64 {
    (from.x - to.x).hypot(from.y - to.y)
}

fn one(finger: Finger) -> Touch {
    let first = finger.path[0];
    let last = finger.path[finger.path.len() - 1];
    let moved = |place: &&PathPoint| distance(place.point, first.point) >= SLOP;
    let Some(away) = finger.path.iter().find(moved) else {
        let held = last.at_ms - first.at_ms;
        if held >= PRESS {
            return Touch::LongPress { at: first.point, hold: Duration::from_millis(held) };
        }
        return Touch::Tap { at: first.point };
    };
    // It rests, goes to one place in a straight line, and is lifted there.
    let rest = finger.path.iter().take_while(|place| !moved(place)).last().map_or(first.at_ms, |place| place.at_ms);
    if *away == last {
        return Touch::Swipe(Swipe {
            from: first.point,
            to: last.point,
            hold: Duration::from_millis(rest - first.at_ms),
            duration: Duration::from_millis(last.at_ms - rest),
        });
    }
    Touch::Gesture(vec![finger])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nowhere(_: &str) -> Result<Point> {
        Err(Failure::stale("x"))
    }

    fn pointer(items: Value) -> Value {
        json!([{ "type": "pointer", "id": "f", "parameters": { "pointerType": "touch" }, "actions": items }])
    }

    fn seen(items: Value) -> Vec<Touch> {
        let center = |_: &str| Ok(Point::new(100.0, 50.0));
        touches(read(&pointer(items), &center, true).unwrap_or_else(|failure| panic!("{failure:?}")).fingers)
    }

    fn go(x: i32, y: i32, duration: u32) -> Value {
        json!({ "type": "pointerMove", "x": x, "y": y, "duration": duration })
    }

    fn pause(duration: u32) -> Value {
        json!({ "type": "pause", "duration": duration })
    }

    fn down() -> Value {
        json!({ "type": "pointerDown", "button": 0 })
    }

    fn up() -> Value {
        json!({ "type": "pointerUp", "button": 0 })
    }

    #[test]
    fn one_finger() {
        let at = Point::new(10.0, 20.0);
        let to = Point::new(10.0, 220.0);
        let ms = Duration::from_millis;
        assert_eq!(seen(json!([go(10, 20, 0), down(), pause(100), up()])), [Touch::Tap { at }]);
        assert_eq!(seen(json!([go(10, 20, 0), down(), up()])), [Touch::Tap { at }]);
        assert_eq!(seen(json!([go(10, 20, 0), down(), pause(800), up()])), [Touch::LongPress { at, hold: ms(800) }]);
        let swipe = |hold, duration| [Touch::Swipe(Swipe { from: at, to, hold: ms(hold), duration: ms(duration) })];
        assert_eq!(seen(json!([go(10, 20, 0), down(), go(10, 220, 1000), up()])), swipe(0, 1000));
        assert_eq!(seen(json!([go(10, 20, 0), down(), pause(600), go(10, 220, 300), up()])), swipe(600, 300));
        assert!(matches!(
            seen(json!([go(10, 20, 0), down(), go(10, 220, 300), pause(100), up()]))[..],
            [Touch::Gesture(_)]
        ));
    }

    #[test]
    fn taps_close_together_are_a_double_tap() {
        let at = Point::new(10.0, 20.0);
        let twice = |gap: u32| json!([go(10, 20, 0), down(), pause(50), up(), pause(gap), down(), pause(50), up()]);
        assert_eq!(seen(twice(100)), [Touch::DoubleTap { at }]);
        assert_eq!(seen(twice(900)), [Touch::Tap { at }, Touch::Tap { at }]);
    }

    #[test]
    fn origins() {
        let from = |origin: Value| json!({ "type": "pointerMove", "x": 5, "y": 6, "origin": origin });
        let at = Point::new(105.0, 56.0);
        let element = json!({ "element-6066-11e4-a52e-4f735466cecf": "E" });
        for origin in [json!("E"), json!({ "ELEMENT": "E" }), element] {
            assert_eq!(seen(json!([from(origin), down(), up()])), [Touch::Tap { at }]);
        }
        let relative = json!([go(10, 20, 0), down(), from(json!("pointer")), from(json!("pointer")), up()]);
        let Touch::Gesture(fingers) = &seen(relative)[0] else { return };
        assert_eq!(fingers[0].path.last().map(|place| place.point), Some(Point::new(20.0, 32.0)));
    }

    #[test]
    fn a_pause_between_move_and_down_is_a_second_finger() {
        let touches = seen(json!([go(10, 20, 0), pause(100), down(), pause(50), up()]));
        let [Touch::Gesture(fingers)] = &touches[..] else { panic!("{touches:?}") };
        assert_eq!(fingers.len(), 2);
    }

    #[test]
    fn two_sources_are_one_gesture() {
        let source = |id: &str, x: i32| {
            json!({ "type": "pointer", "id": id, "parameters": { "pointerType": "touch" },
                    "actions": [go(x, 20, 0), down(), go(x * 2, 20, 200), up()] })
        };
        let read = read(&json!([source("a", 10), source("b", 100)]), &nowhere, true);
        let touches = touches(read.map(|read| read.fingers).unwrap_or_default());
        let [Touch::Gesture(fingers)] = &touches[..] else { panic!("{touches:?}") };
        assert_eq!(fingers.len(), 2);
    }

    #[test]
    fn keys_are_joined() {
        let key = |kind: &str, value: &str| json!({ "type": kind, "value": value });
        let source = |items: Value| json!([{ "type": "key", "id": "k", "actions": items }]);
        let typed = |items: Value| read(&source(items), &nowhere, true).map(|read| read.text);
        let items =
            json!([key("keyDown", "h"), key("keyUp", "h"), key("keyDown", "\u{e007}"), key("keyUp", "\u{e007}")]);
        assert_eq!(typed(items), Ok("h\n".to_owned()));
        assert!(typed(json!([key("keyDown", "h")])).is_err());
        assert!(typed(json!([key("keyUp", "h")])).is_err());
    }

    #[test]
    fn what_is_refused_is_an_unknown_error() {
        let bad = [
            json!([]),
            json!([{ "type": "none", "id": "n", "actions": [pause(1)] }]),
            json!([{ "type": "pointer", "id": "f", "actions": [go(1, 1, 0)] }]),
            json!([{ "type": "pointer", "id": "", "parameters": { "pointerType": "touch" }, "actions": [go(1, 1, 0)] }]),
            pointer(json!([])),
            pointer(json!([down(), up()])),
            pointer(json!([{ "type": "pointerMove", "x": 1 }, down(), up()])),
            pointer(json!([go(1, 1, 0), down(), up(), up()])),
            pointer(json!([go(1, 1, 0), down(), { "type": "pause", "duration": -1 }, up()])),
            pointer(json!([go(1, 1, 0), { "type": "scroll" }])),
        ];
        for actions in bad {
            let read = read(&actions, &nowhere, true);
            assert!(matches!(&read, Err(failure) if failure.status == 500), "{actions}: {read:?}");
        }
        // A pause before the first move came later.
        let early = pointer(json!([pause(10), go(1, 1, 0), down(), up()]));
        assert!(read(&early, &nowhere, true).is_ok());
        assert!(read(&early, &nowhere, false).is_err());
    }
}
