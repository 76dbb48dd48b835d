//! Plates: discs, rings and boxes that hold a smaller glyph, as buttons, badges and many icons are.
//!
//! Knows which ink lies inside other ink. Does not know what a glyph means.

use crate::ink::Ink;

/// Ink from which a pixel belongs to a shape.
const INK: f32 = 0.5;
/// The least part of its box that a plate covers, holes included; a disc covers 0.79.
const COVER: f32 = 0.7;
/// A ring holds more than this part of its plate, a solid plate less.
const RING: f32 = 0.5;
/// Glyphs on less of the plate's box than this are none but noise.
const SPECK: f32 = 0.015;

/// What a plate holds.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// Nothing: a plain disc, ring or box.
    Nothing,
    /// A glyph, drawn on the ring's clear ground or cut out of the solid plate. The ink has the size of the whole.
    Glyph(Ink),
}

/// What the ink holds if it is a plate.
pub(crate) fn held(ink: &Ink) -> Option<Held> {
    let [left, top, right, bottom] = ink.bounds()?;
    let (width, height) = (ink.width, ink.height);
    let outside = flood(ink, edge(width, height), |at| ink.values[at] < INK);
    // The plate itself is the ink that what is outside touches.
    let rim = (0..width * height).filter(|at| {
        let on_edge = at % width == 0 || at / width == 0 || at % width + 1 == width || at / width + 1 == height;
        on_edge || around(*at, width, height).any(|next| outside[next])
    });
    let body = flood(ink, rim, |at| ink.values[at] >= INK);
    let enclosed = |at: usize| !outside[at] && !body[at];
    let count = |is: &dyn Fn(usize) -> bool| (0..width * height).filter(|at| is(*at)).count() as f32;
    let (held, solid) = (count(&enclosed), count(&|at| body[at]));
    let size = (right - left) * (bottom - top);
    if held + solid < COVER * size {
        return None;
    }
    let ring = held > RING * (held + solid);
    let value = |at: usize| match (enclosed(at), ring) {
        (false, _) => 0.0,
        (true, true) => ink.values[at],
        (true, false) => 1.0 - ink.values[at],
    };
    let mut glyph = Ink { width, height, values: (0..width * height).map(value).collect() };
    if ring {
        glyph.clear_beside(&body);
    }
    let drawn = glyph.values.iter().sum::<f32>();
    Some(if drawn < SPECK * size { Held::Nothing } else { Held::Glyph(glyph) })
}

impl Ink {
    /// Takes the soft edge of a ring out of what lies within.
    fn clear_beside(&mut self, body: &[bool]) {
        for at in 0..self.values.len() {
            if self.values[at] < INK && around(at, self.width, self.height).any(|next| body[next]) {
                self.values[at] = 0.0;
            }
        }
    }
}

fn edge(width: usize, height: usize) -> impl Iterator<Item = usize> {
    let ends = [0, height.saturating_sub(1)].into_iter().flat_map(move |y| (0..width).map(move |x| y * width + x));
    let sides = [0, width.saturating_sub(1)].into_iter().flat_map(move |x| (0..height).map(move |y| y * width + x));
    ends.chain(sides)
}

/// The places beside one, across and down.
fn around(at: usize, width: usize, height: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (at % width, at / width);
    let left = (x > 0).then(|| at - 1);
    let right = (x + 1 < width).then_some(at + 1);
    let above = (y > 0).then(|| at - width);
    let below = (y + 1 < height).then_some(at + width);
    [left, right, above, below].into_iter().flatten()
}

/// The places that can be reached from some over places that `is` holds for.
fn flood(ink: &Ink, from: impl Iterator<Item = usize>, is: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut reached = vec![false; ink.values.len()];
    let mut open: Vec<usize> = from.filter(|at| is(*at)).collect();
    open.iter().for_each(|at| reached[*at] = true);
    while let Some(at) = open.pop() {
        for next in around(at, ink.width, ink.height) {
            if !reached[next] && is(next) {
                reached[next] = true;
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(has: impl Fn(f32, f32) -> bool) -> Ink {
        let place = |at: usize| (at as f32 + 0.5) / 20.0 - 1.0;
        Ink {
            width: 40,
            height: 40,
            values: (0..1600).map(|at| f32::from(u8::from(has(place(at % 40), place(at / 40))))).collect(),
        }
    }

    fn bar(x: f32, y: f32) -> bool {
        x.abs() < 0.12 && y.abs() < 0.4
    }

    fn glyph(ink: &Ink) -> Option<Ink> {
        match held(ink) {
            Some(Held::Glyph(glyph)) => Some(glyph),
            _ => None,
        }
    }

    #[test]
    fn a_ring_and_a_disc_hold_the_same_glyph() {
        let disc = |x: f32, y: f32| x.hypot(y) < 0.95;
        let ring = |x: f32, y: f32| disc(x, y) && x.hypot(y) > 0.8;
        let (on_ring, cut_out) = (ink(|x, y| ring(x, y) || bar(x, y)), ink(|x, y| disc(x, y) && !bar(x, y)));
        let bounds = |ink: &Ink| glyph(ink).and_then(|glyph| glyph.bounds());
        assert_eq!(bounds(&on_ring), bounds(&cut_out));
        assert_eq!(bounds(&on_ring), ink(bar).bounds());
        assert!(matches!(held(&ink(ring)), Some(Held::Nothing)));
        assert!(matches!(held(&ink(disc)), Some(Held::Nothing)));
        assert!(held(&ink(bar)).is_some(), "a bar is a box");
        assert!(held(&ink(|x, y| bar(x, y) || bar(y, x))).is_none(), "a cross is no plate");
    }
}
