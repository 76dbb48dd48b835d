//! How two fingers pinch.
//!
//! It knows points and rectangles, and nothing of what is below the fingers.

use crate::neutral::{Finger, PathPoint, Point, Rect};
use std::time::Duration;

/// Fingers further from the middle than this would need two hands.
const FURTHEST: f64 = 150.0;
/// Of the room round the middle; the rest keeps fingers off the edges.
const SHARE: f64 = 0.9;
/// Less room than this is none: fingers have a width.
const LEAST: f64 = 20.0;

/// Two fingers round `middle`, on opposite sides of it, whose distance grows by `factor`. They stay within `area`; `None` where
/// that has no room for them.
pub(super) fn fingers(middle: Point, area: Rect, factor: f64, duration: Duration) -> Option<Vec<Finger>> {
    let across = (middle.x - area.x).min(area.right() - middle.x) * SHARE;
    let along = (middle.y - area.y).min(area.bottom() - middle.y) * SHARE;
    let room = across.max(along).min(FURTHEST);
    if room < LEAST {
        return None;
    }
    let (x, y) = if across >= along { (1.0, 0.0) } else { (0.0, 1.0) };
    // The wider of both ends uses the room.
    let (from, to) = if factor > 1.0 { (room / factor, room) } else { (room, room * factor) };
    let at = |far: f64| Point::new(middle.x + x * far, middle.y + y * far);
    let end = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let finger = |side: f64| Finger {
        path: vec![PathPoint { at_ms: 0, point: at(side * from) }, PathPoint { at_ms: end, point: at(side * to) }],
    };
    Some(vec![finger(-1.0), finger(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_grows_by_the_factor_within_the_area() {
        let screen = Rect::new(0.0, 0.0, 390.0, 844.0);
        let photo = Rect::new(16.0, 300.0, 120.0, 60.0);
        for (middle, area) in
            [(Point::new(195.0, 422.0), screen), (Point::new(380.0, 100.0), screen), (photo.center(), photo)]
        {
            for factor in [0.1, 0.5, 1.0, 2.0, 10.0] {
                let fingers = fingers(middle, area, factor, Duration::from_millis(300)).expect("room");
                let [a, b] = fingers.as_slice() else { panic!("two fingers") };
                let far =
                    |n: usize| (a.path[n].point.x - b.path[n].point.x).hypot(a.path[n].point.y - b.path[n].point.y);
                assert!((far(1) / far(0) - factor).abs() < 1e-9, "{factor}: {fingers:?}");
                for place in a.path.iter().chain(&b.path) {
                    assert!(area.contains(place.point), "{factor}: {place:?} is outside {area:?}");
                }
                assert_eq!((a.path[0].at_ms, a.path[1].at_ms), (0, 300));
            }
        }
    }

    #[test]
    fn a_corner_has_no_room() {
        let screen = Rect::new(0.0, 0.0, 390.0, 844.0);
        assert_eq!(fingers(Point::new(5.0, 5.0), screen, 2.0, Duration::from_millis(300)), None);
    }
}
