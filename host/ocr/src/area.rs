//! Rectangles in pixels of a picture.
//!
//! Knows geometry alone.

/// A rectangle in pixels, from the top left of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    pub(crate) fn between(left: f64, top: f64, right: f64, bottom: f64) -> Area {
        Area { x: left, y: top, width: (right - left).max(0.0), height: (bottom - top).max(0.0) }
    }

    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    pub(crate) fn size(&self) -> f64 {
        self.width * self.height
    }

    /// What both cover; without extent where they do not meet.
    pub(crate) fn common(&self, other: &Area) -> Area {
        Area::between(
            self.x.max(other.x),
            self.y.max(other.y),
            self.right().min(other.right()),
            self.bottom().min(other.bottom()),
        )
    }

    pub(crate) fn meets(&self, other: &Area) -> bool {
        self.common(other).size() > 0.0
    }
}
