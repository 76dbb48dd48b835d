//! Boxes with refs on a picture, so that what a model sees and what it can name are one.
//!
//! Knows pixels and a small bitmap font for `e` and digits. Does not know why an element is marked.

use super::Pixels;
use crate::neutral::{Rect, Screen};
use crate::perception::geometry::{PixelSize, rect_to_pixels};
use crate::perception::outline::Outline;
use crate::perception::refs::Ref;

/// One box to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, in points.
    pub bounds: Rect,
    /// What stands at its corner, such as `e12`.
    pub label: String,
}

/// The marks of what can be acted on and reached now: the elements whose lines in the text form start with a ref.
pub fn marks_of(outline: &Outline, refs: &[Ref]) -> Vec<Mark> {
    let elements = outline.elements().iter().zip(refs);
    elements
        .filter(|(element, _)| {
            element.actionable && element.is_reachable() && element.role != crate::neutral::Role::Key
        })
        .filter_map(|(element, name)| Some(Mark { bounds: element.bounds?, label: name.to_string() }))
        .collect()
}

/// Five by seven dots: rows from the top, the highest of five bits on the left. `e`, then the digits.
const GLYPHS: [[u8; 7]; 11] = [
    [0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
    [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
    [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
];

/// Colours that stand out on light and dark, taken in turn so that neighbours differ.
const COLOURS: [[u8; 3]; 6] =
    [[214, 39, 40], [31, 119, 180], [44, 140, 44], [148, 80, 189], [200, 90, 0], [0, 128, 128]];

fn glyph(c: char) -> Option<&'static [u8; 7]> {
    match c {
        'e' => GLYPHS.first(),
        _ => c.to_digit(10).and_then(|digit| GLYPHS.get(digit as usize + 1)),
    }
}

impl Pixels {
    /// Draws the marks; `screen` is what the whole picture shows. Boxes are cut at the edges.
    pub fn draw_marks(&mut self, marks: &[Mark], screen: &Screen) {
        let size = PixelSize { width: self.width, height: self.height };
        let dot = if self.width.max(self.height) >= 1400 {
            3
        } else if self.width.max(self.height) >= 600 {
            2
        } else {
            1
        };
        for (i, mark) in marks.iter().enumerate() {
            let rect = rect_to_pixels(&mark.bounds, screen, size);
            if ![rect.x, rect.y, rect.width, rect.height].iter().all(|v| v.is_finite()) {
                continue;
            }
            let colour = COLOURS[i % COLOURS.len()];
            // The cast of a float saturates, so that a box far outside stays outside.
            let (x0, y0) = (rect.x.round() as i64, rect.y.round() as i64);
            let (x1, y1) = (rect.right().round() as i64, rect.bottom().round() as i64);
            let line = i64::from(dot);
            self.fill(x0, y0, x1, y0.saturating_add(line), colour);
            self.fill(x0, y1.saturating_sub(line), x1, y1, colour);
            self.fill(x0, y0, x0.saturating_add(line), y1, colour);
            self.fill(x1.saturating_sub(line), y0, x1, y1, colour);
            self.label(
                x0.clamp(0, i64::from(self.width)),
                y0.clamp(0, i64::from(self.height)),
                &mark.label,
                i64::from(dot),
                colour,
            );
        }
    }

    /// The label in white on its colour, moved into the picture where it would stick out.
    fn label(&mut self, x: i64, y: i64, label: &str, dot: i64, colour: [u8; 3]) {
        let width = (label.chars().count() as i64 * 6 + 1) * dot;
        let height = 9 * dot;
        let x = x.min(i64::from(self.width) - width).max(0);
        let y = y.min(i64::from(self.height) - height).max(0);
        self.fill(x, y, x + width, y + height, colour);
        for (n, c) in label.chars().enumerate() {
            let Some(rows) = glyph(c) else { continue };
            for (row, bits) in rows.iter().enumerate() {
                for column in 0..5 {
                    if bits & (0b10000 >> column) != 0 {
                        let left = x + (n as i64 * 6 + 1 + column) * dot;
                        let top = y + (row as i64 + 1) * dot;
                        self.fill(left, top, left + dot, top + dot, [255, 255, 255]);
                    }
                }
            }
        }
    }

    /// Fills the part of a box that lies inside the picture.
    fn fill(&mut self, x0: i64, y0: i64, x1: i64, y1: i64, colour: [u8; 3]) {
        let clip = |v: i64, most: u32| v.clamp(0, i64::from(most)) as usize;
        let (x0, x1) = (clip(x0, self.width), clip(x1, self.width));
        let (y0, y1) = (clip(y0, self.height), clip(y1, self.height));
        let channels = usize::from(self.channels);
        for y in y0..y1 {
            let row = y * self.width as usize;
            for x in x0..x1 {
                let at = (row + x) * channels;
                if let Some(pixel) = self.data.get_mut(at..at + 3) {
                    pixel.copy_from_slice(&colour);
                }
            }
        }
    }
}
