//! The glyphs that plates hold, as numbers in which two of them are alike.
//!
//! Two discs with different glyphs are much alike as a whole; the glyph alone, at a size of its own, tells them apart. It
//! does not know how a plate is told from other ink.

use crate::{
    ink::Ink,
    plate::{Held, held},
    print::{EDGE_PART, Lay, MASS_PART, STRETCH, Sheet, dot, grid, sheet},
};

/// A plate, by what it holds.
#[derive(Clone)]
pub(crate) struct Plate {
    glyph: Option<Mark>,
}

/// Glyphs whose sizes' logarithms differ by less have the same size.
const SIZES: f32 = 0.2;

/// The glyph on a plate.
#[derive(Clone)]
struct Mark {
    aspect: f32,
    /// Natural logarithm of its longer side by the plate's.
    size: f32,
    mass: Vec<i16>,
    edges: Vec<i16>,
}

impl Plate {
    /// The plate that some ink in a box is, if it is one.
    pub(crate) fn of(ink: &Ink, bounds: [f32; 4]) -> Option<Plate> {
        let glyph = match held(ink)? {
            Held::Nothing => None,
            Held::Glyph(glyph) => Some(Mark::of(&glyph, bounds)?),
        };
        Some(Plate { glyph })
    }

    /// How alike the glyphs of two plates are.
    pub(crate) fn alike(&self, other: &Plate) -> f32 {
        match (&self.glyph, &other.glyph) {
            (None, None) => 1.0,
            (Some(one), Some(other)) => one.alike(other),
            _ => 0.0,
        }
    }
}

impl Mark {
    fn of(glyph: &Ink, [left, top, right, bottom]: [f32; 4]) -> Option<Mark> {
        let own = glyph.bounds()?;
        let (width, height) = (own[2] - own[0], own[3] - own[1]);
        let Sheet { mass, edges, .. } = sheet(&grid(glyph, own, Lay::Kept))?;
        let plate = (right - left).max(bottom - top);
        Some(Mark { aspect: (width / height).ln(), size: (width.max(height) / plate).ln(), mass, edges })
    }

    fn alike(&self, other: &Mark) -> f32 {
        let alike = dot(&self.edges, &other.edges) * EDGE_PART + dot(&self.mass, &other.mass) * MASS_PART;
        // A glyph that is much larger or narrower is another.
        let off = (self.aspect - other.aspect).abs().max((self.size - other.size).abs() - SIZES).max(0.0);
        (alike - STRETCH * off).max(0.0)
    }
}
