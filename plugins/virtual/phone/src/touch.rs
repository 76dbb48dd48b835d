//! The log of touches, and what a finger's path means. It knows no element.

use driver_api::{Finger, Point};
use serde::Serialize;
use std::time::Duration;

/// The kind of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TouchKind {
    /// One short touch.
    Tap,
    /// Two short touches.
    DoubleTap,
    /// One touch that is held.
    LongPress,
    /// A finger that moves.
    Swipe,
    /// Several fingers, or one with a bent path.
    Gesture,
}

/// One touch as it reached the phone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Touch {
    /// What kind.
    pub kind: TouchKind,
    /// Where, in points of the orientation at that time: one point for a tap, start and end for a swipe, the paths of all
    /// fingers one after the other for a gesture.
    pub points: Vec<Point>,
    /// When, in milliseconds since the phone was made.
    pub at_ms: u64,
    /// Label or identifier of the element that took it; `None` where nothing did, and for keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// So many touches are kept.
const KEPT: usize = 10_000;

/// The log.
#[derive(Debug, Default)]
pub(crate) struct Log {
    touches: Vec<Touch>,
    total: u64,
}

impl Log {
    pub(crate) fn add(&mut self, touch: Touch) {
        // Old ones go in one move for many touches, not one for each.
        if self.touches.len() >= 2 * KEPT {
            self.touches.drain(..KEPT);
        }
        self.touches.push(touch);
        self.total += 1;
    }

    /// The last ones, the oldest first.
    pub(crate) fn kept(&self) -> &[Touch] {
        &self.touches[self.touches.len().saturating_sub(KEPT)..]
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Touch> {
        self.touches.last_mut()
    }
}

/// A finger that moves less than this, in points, has not moved.
pub(crate) const SLOP: f64 = 8.0;
/// A finger that stays at least so long is held.
pub(crate) const HELD: Duration = Duration::from_millis(500);

pub(crate) fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

/// What several fingers did together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pinch {
    /// Middle of the first two fingers at the start and the end.
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// How much further apart they are at the end; 1 when the distance did not change.
    pub(crate) factor: f64,
}

/// Reads the first two of several fingers.
pub(crate) fn pinch(fingers: &[Finger]) -> Option<Pinch> {
    let ends = |finger: &Finger| Some((finger.path.first()?.point, finger.path.last()?.point));
    let ((a, c), (b, d)) = (ends(fingers.first()?)?, ends(fingers.get(1)?)?);
    let middle = |a: Point, b: Point| Point::new((a.x + b.x) / 2.0, (a.y + b.y) / 2.0);
    let (before, after) = (distance(a, b).max(1.0), distance(c, d).max(1.0));
    Some(Pinch { from: middle(a, b), to: middle(c, d), factor: after / before })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_keeps_the_last_ones_and_counts_all() {
        let mut log = Log::default();
        for n in 0..25_000_u64 {
            log.add(Touch { kind: TouchKind::Tap, points: vec![], at_ms: n, target: None });
        }
        assert_eq!((log.kept().len(), log.total()), (KEPT, 25_000));
        assert_eq!(log.kept().last().map(|touch| touch.at_ms), Some(24_999));
    }
}
