//! Fingers: taps, swipes, long presses, gestures, as one request each.
//!
//! It knows how the protocol writes finger movements, now and in older servers. It does not know what lies under them.

use crate::{
    error::{Fault, Purpose},
    session::{SHORT, Session, Touch},
};
use driver_api::{Error, ErrorKind, Finger, Point, Result, Swipe};
use serde_json::{Value, json};
use std::time::Duration;

/// How long a tap's finger stays down.
const TAP: u64 = 50;

/// One short touch.
pub(crate) async fn tap(session: &Session, at: Point) -> Result<()> {
    check(&[at])?;
    let actions = json!([finger(1, vec![move_to(at, 0), down(), pause(TAP), up()])]);
    let at = json!({"x": at.x, "y": at.y});
    let mut way = session.known().touch;
    loop {
        let sent = match way {
            Touch::Actions => session.post("/actions", &json!({"actions": actions}), SHORT).await,
            Touch::Tap => session.post("/wda/tap", &at, SHORT).await,
            Touch::TapZero => session.post("/wda/tap/0", &at, SHORT).await,
        };
        // The next way is tried only after an answer that says that no finger touched.
        way = match (sent, way) {
            (Ok(_), _) => return Ok(()),
            (Err(Fault::Refused(refusal)), Touch::Actions | Touch::Tap) if refusal.is_unknown_command() => {
                let next = if way == Touch::Actions { Touch::Tap } else { Touch::TapZero };
                session.learn(|known| known.touch = next);
                next
            }
            (Err(Fault::Refused(refusal)), Touch::Actions) if refusal.is_bad_point() => Touch::Tap,
            (Err(fault), _) => return Err(fault.into_error(Purpose::Act)),
        };
    }
}

/// Two taps by the phone's own timing; two taps as finger actions are not reliably one double tap.
pub(crate) async fn double_tap(session: &Session, at: Point) -> Result<()> {
    check(&[at])?;
    let body = json!({"x": at.x, "y": at.y});
    session.post("/wda/doubleTap", &body, SHORT).await.map(drop).map_err(|fault| fault.into_error(Purpose::Act))
}

/// A finger that rests.
pub(crate) async fn long_press(session: &Session, at: Point, hold: Duration) -> Result<()> {
    check(&[at])?;
    let actions = json!([finger(1, vec![move_to(at, 0), down(), pause(millis(hold)), up()])]);
    let old = json!({"x": at.x, "y": at.y, "duration": hold.as_secs_f64()});
    moves(session, actions, Some(("/wda/touchAndHold", old)), hold).await
}

/// A finger that rests, if it is told to, and then moves.
pub(crate) async fn swipe(session: &Session, swipe: Swipe) -> Result<()> {
    check(&[swipe.from, swipe.to])?;
    let mut steps = vec![move_to(swipe.from, 0), down()];
    if !swipe.hold.is_zero() {
        steps.push(pause(millis(swipe.hold)));
    }
    steps.extend([move_to(swipe.to, millis(swipe.duration)), up()]);
    // The old command's duration is how long the finger rests, in seconds; how fast it moves cannot be told.
    let old = json!({
        "fromX": swipe.from.x, "fromY": swipe.from.y, "toX": swipe.to.x, "toY": swipe.to.y,
        "duration": swipe.hold.as_secs_f64(),
    });
    let actions = json!([finger(1, steps)]);
    moves(session, actions, Some(("/wda/dragfromtoforduration", old)), swipe.hold + swipe.duration).await
}

/// Several fingers.
pub(crate) async fn gesture(session: &Session, fingers: Vec<Finger>) -> Result<()> {
    let wrong = |what: &str| Err(Error::new(ErrorKind::InvalidArgument, format!("gesture: {what}")));
    if fingers.is_empty() {
        return wrong("there is no finger in it");
    }
    let (mut sources, mut longest) = (Vec::new(), 0);
    for (index, Finger { path }) in fingers.iter().enumerate() {
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return wrong("a finger has no path") };
        check(&path.iter().map(|place| place.point).collect::<Vec<_>>())?;
        // A wait before the finger goes down must be part of its first move.
        let mut steps = vec![move_to(first.point, first.at_ms), down()];
        for pair in path.windows(2) {
            let Some(time) = pair[1].at_ms.checked_sub(pair[0].at_ms) else {
                return wrong("a finger's times run backwards");
            };
            steps.push(if pair[0].point == pair[1].point { pause(time) } else { move_to(pair[1].point, time) });
        }
        if path.len() == 1 {
            steps.push(pause(TAP));
        }
        steps.push(up());
        longest = longest.max(last.at_ms);
        sources.push(finger(index + 1, steps));
    }
    moves(session, Value::Array(sources), None, Duration::from_millis(longest)).await
}

/// Sends finger actions, or what older servers have instead.
async fn moves(session: &Session, actions: Value, old: Option<(&str, Value)>, length: Duration) -> Result<()> {
    let limit = SHORT + length;
    let sent = match (&old, session.known().plain_moves) {
        (Some((path, body)), true) => session.post(path, body, limit).await,
        _ => match (session.post("/actions", &json!({"actions": actions}), limit).await, &old) {
            (Err(Fault::Refused(refusal)), Some((path, body))) if refusal.is_unknown_command() => {
                session.learn(|known| known.plain_moves = true);
                session.post(path, body, limit).await
            }
            (sent, _) => sent,
        },
    };
    sent.map(drop).map_err(|fault| fault.into_error(Purpose::Act))
}

fn check(points: &[Point]) -> Result<()> {
    match points.iter().all(|point| point.x.is_finite() && point.y.is_finite()) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::InvalidArgument, "a coordinate is not a number")),
    }
}

fn finger(number: usize, steps: Vec<Value>) -> Value {
    json!({"type": "pointer", "id": format!("finger{number}"), "parameters": {"pointerType": "touch"}, "actions": steps})
}

fn move_to(at: Point, millis: u64) -> Value {
    json!({"type": "pointerMove", "duration": millis, "origin": "viewport", "x": at.x, "y": at.y})
}

fn down() -> Value {
    json!({"type": "pointerDown", "button": 0})
}

fn pause(millis: u64) -> Value {
    json!({"type": "pause", "duration": millis})
}

fn up() -> Value {
    json!({"type": "pointerUp", "button": 0})
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
