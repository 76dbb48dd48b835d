//! Boxes with refs on a picture, so that what a model sees and what it can name are one.
//!
//! Knows pixels and a small bitmap font for `e` and digits, and which elements have refs to see. Where a label goes is
//! decided in `labels`.

use super::Pixels;
use super::labels::{self, Area};
use crate::neutral::{Rect, Screen};
use crate::perception::geometry::{PixelSize, rect_to_pixels};
use crate::perception::outline::{Element, Outline};
use crate::perception::refs::Ref;
use crate::perception::render;

/// One box to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, in points.
    pub bounds: Rect,
    /// What stands at its corner, such as `e12`.
    pub label: String,
}

/// The marks of what can be acted on and reached now: the elements whose lines in the text form start with a ref. A box
/// is the visible part, whose middle is where a tap goes. Keys have no marks, as they have no lines; what is behind an
/// alert has none, since the alert must be answered first.
pub fn marks_of(outline: &Outline, refs: &[Ref]) -> Vec<Mark> {
    let elements = outline.elements();
    let keys = render::keys(elements);
    let alert = outline.alert().map(|alert| outline.subtree(alert));
    let in_front = |i: usize| alert.as_ref().is_none_or(|alert| alert[i]);
    let mark = |(i, element): (usize, &Element)| {
        let marked = element.actionable && element.is_reachable() && in_front(i) && !keys[i];
        let bounds = marked.then(|| element.visible_part(&outline.screen()))??;
        Some(Mark { bounds, label: refs.get(i)?.to_string() })
    };
    elements.iter().enumerate().filter_map(mark).collect()
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

fn colour(index: usize) -> [u8; 3] {
    COLOURS[index % COLOURS.len()]
}

/// How many pixels wide a dot of a glyph and a line of a box are.
fn dot(picture: &Pixels) -> i64 {
    match picture.width.max(picture.height) {
        1400.. => 3,
        600.. => 2,
        _ => 1,
    }
}

/// Width and height of a label, in pixels.
fn label_size(label: &str, dot: i64) -> (i64, i64) {
    ((label.chars().count() as i64 * 6 + 1) * dot, 9 * dot)
}

/// The whole pixels of a box; `None` for one that is nowhere. Casts of floats saturate: far outside stays outside.
fn area(rect: &Rect) -> Option<Area> {
    let edges = [rect.x, rect.y, rect.right(), rect.bottom()];
    edges.iter().all(|edge| edge.is_finite()).then(|| {
        let [x0, y0, x1, y1] = edges.map(|edge| edge.round() as i64);
        Area { x0, y0, x1, y1 }
    })
}

fn glyph(c: char) -> Option<&'static [u8; 7]> {
    match c {
        'e' => GLYPHS.first(),
        _ => c.to_digit(10).and_then(|digit| GLYPHS.get(digit as usize + 1)),
    }
}

impl Pixels {
    /// Draws the marks; `screen` is what the whole picture shows. Boxes are cut at the edges, labels lie over all boxes.
    pub fn draw_marks(&mut self, marks: &[Mark], screen: &Screen) {
        let size = PixelSize { width: self.width, height: self.height };
        let dot = dot(self);
        let drawn: Vec<(&Mark, Area)> =
            marks.iter().filter_map(|mark| Some((mark, area(&rect_to_pixels(&mark.bounds, screen, size))?))).collect();
        let boxes: Vec<Area> = drawn.iter().map(|(_, area)| *area).collect();
        let sizes: Vec<(i64, i64)> = drawn.iter().map(|(mark, _)| label_size(&mark.label, dot)).collect();
        let labels = labels::place(self, &boxes, &sizes);
        for (i, Area { x0, y0, x1, y1 }) in boxes.iter().copied().enumerate() {
            let front = labels::in_front(&boxes, i);
            let (inner_x, inner_y) = (x0.saturating_add(dot), y0.saturating_add(dot));
            for side in [
                Area { x0, y0, x1, y1: inner_y },
                Area { x0, y0: y1.saturating_sub(dot), x1, y1 },
                Area { x0, y0, x1: inner_x, y1 },
                Area { x0: x1.saturating_sub(dot), y0, x1, y1 },
            ] {
                self.fill(&side, &front, colour(i));
            }
        }
        for (i, ((mark, _), label)) in drawn.iter().zip(labels).enumerate() {
            self.label(&label, &mark.label, dot, colour(i));
        }
    }

    /// The label in white on its colour.
    fn label(&mut self, at: &Area, label: &str, dot: i64, colour: [u8; 3]) {
        self.fill(at, &[], colour);
        for (n, c) in label.chars().enumerate() {
            let Some(rows) = glyph(c) else { continue };
            for (row, bits) in rows.iter().enumerate() {
                for column in 0..5 {
                    if bits & (0b10000 >> column) != 0 {
                        let left = at.x0 + (n as i64 * 6 + 1 + column) * dot;
                        let top = at.y0 + (row as i64 + 1) * dot;
                        self.fill(&Area::at(left, top, (dot, dot)), &[], [255, 255, 255]);
                    }
                }
            }
        }
    }

    /// Fills the part of an area that lies inside the picture and outside of what is in front.
    fn fill(&mut self, area: &Area, front: &[Area], colour: [u8; 3]) {
        let clip = |v: i64, most: u32| v.clamp(0, i64::from(most));
        let channels = usize::from(self.channels);
        for y in clip(area.y0, self.height)..clip(area.y1, self.height) {
            let row = y as usize * self.width as usize;
            for x in clip(area.x0, self.width)..clip(area.x1, self.width) {
                if front.iter().any(|other| other.has(x, y)) {
                    continue;
                }
                let at = (row + x as usize) * channels;
                if let Some(pixel) = self.data.get_mut(at..at + 3) {
                    pixel.copy_from_slice(&colour);
                }
            }
        }
    }
}
