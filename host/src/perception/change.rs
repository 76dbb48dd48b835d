//! Whether a screen changed between two pictures of it, and where.
//!
//! It compares coarse copies in colour, so that the noise of a compressed picture is none, and forgives what changes by itself:
//! the status bar with its clock, a blinking caret, regions that never come to rest. What the change means is for others.

use super::picture::{PictureError, Pixels, Scaler, decode};
use crate::neutral::{Picture, PictureFormat, Point, Rect, Screen};
use std::hash::{DefaultHasher, Hasher};

/// Cells a point: one for two points, in which a letter or a check mark still leaves its trace.
const CELLS: f64 = 0.5;
/// How much a colour of a cell differs, of 255, before it counts in lossless pictures.
const NOISE: u8 = 6;
/// The same of its grey in compressed ones, whose noise stands in single cells and most of all in their colours.
const COMPRESSED: u8 = 28;
/// A faint change of a whole area is told from that noise by the mean over a block of so many cells a side: …
const BLOCK: usize = 8;
/// … it differs by so much, in grey and in either colour, while …
const FAINT: [i32; 3] = [4, 10, 10];
/// … at least half of the cells differ by more than this in the same direction.
const TREND: i32 = 2;
/// A change of fewer cells is none.
const FEWEST: usize = 3;
/// A caret is no wider and no higher than this, in points.
const CARET: (f64, f64) = (6.0, 48.0);
/// The status bar of a phone with and without a display that reaches its edge, in points.
const STATUS_BAR: (f64, f64) = (50.0, 20.0);

/// A coarse copy of a picture of the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    width: usize,
    height: usize,
    /// Row by row.
    cells: Vec<Colour>,
    lossy: bool,
    /// Of the picture's own bytes.
    hash: u64,
    /// The upper cells that are not compared.
    masked: usize,
    screen: Screen,
}

/// What changed between two glances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Which part of the screen changed, from 0 to 1.
    pub part: f64,
    /// Where it lies, in points.
    pub bounds: Rect,
}

/// A hash of a picture's bytes: pictures with the same bytes need not be looked at twice.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

impl Glance {
    /// A coarse copy of this picture.
    ///
    /// # Errors
    /// When the picture cannot be decoded.
    pub fn new(picture: &Picture, screen: &Screen) -> Result<Glance, PictureError> {
        Glance::of(picture, hash(&picture.bytes), screen)
    }

    /// As [`new`](Glance::new), for a caller that knows the [`hash`] of the picture's bytes already.
    ///
    /// # Errors
    /// When the picture cannot be decoded.
    pub fn of(picture: &Picture, hash: u64, screen: &Screen) -> Result<Glance, PictureError> {
        Glance::of_pixels(&decode(&picture.bytes)?, picture.format, hash, screen)
    }

    /// The same of a picture that is decoded already, at any scale.
    ///
    /// # Errors
    /// When it cannot be resized.
    pub fn of_pixels(
        pixels: &Pixels,
        format: PictureFormat,
        hash: u64,
        screen: &Screen,
    ) -> Result<Glance, PictureError> {
        let side = |points: f64, pixels: u32| ((points * CELLS).round() as u32).clamp(1, pixels);
        let (width, height) = match pixels.width > pixels.height {
            // The picture's own shape counts, should the screen have turned.
            true => (screen.width.max(screen.height), screen.width.min(screen.height)),
            false => (screen.width.min(screen.height), screen.width.max(screen.height)),
        };
        let small = Scaler::new().resize(pixels, side(width, pixels.width), side(height, pixels.height))?;
        Ok(Glance {
            width: small.width as usize,
            height: small.height as usize,
            cells: small
                .data
                .chunks_exact(usize::from(small.channels))
                .map(|cell| [cell[0], cell[1], cell[2]])
                .collect(),
            lossy: format == PictureFormat::Jpeg,
            hash,
            masked: (status_bar(width, height) * CELLS).round() as usize,
            screen: Screen { width, height, ..*screen },
        })
    }

    /// The hash of the picture that it was made from.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether it is wider than high.
    pub fn is_wide(&self) -> bool {
        self.width > self.height
    }

    /// The cells that differ from `other`; `None` when the two have different shapes.
    fn differing(&self, other: &Glance) -> Option<Vec<bool>> {
        if (self.width, self.height) != (other.width, other.height) {
            return None;
        }
        let lossy = self.lossy || other.lossy;
        let differs = |(one, other): (&Colour, &Colour)| match lossy {
            true => grey(one).abs_diff(grey(other)) > COMPRESSED,
            false => widest(one, other) > NOISE,
        };
        let mut cells: Vec<bool> = self.cells.iter().zip(&other.cells).map(differs).collect();
        // Compressed once and not at all, a picture differs in this way all over.
        if self.lossy && other.lossy {
            self.mark_faint(other, &mut cells);
        }
        cells.iter_mut().take(self.masked * self.width).for_each(|cell| *cell = false);
        Some(cells)
    }

    /// Marks the blocks that differ a little all over: a row that is highlighted, a page that is dimmed.
    fn mark_faint(&self, other: &Glance, cells: &mut [bool]) {
        for top in (self.masked..self.height).step_by(BLOCK) {
            for left in (0..self.width).step_by(BLOCK) {
                let (bottom, right) = ((top + BLOCK).min(self.height), (left + BLOCK).min(self.width));
                let block = || (top..bottom).flat_map(|y| (left..right).map(move |x| y * self.width + x));
                let count = ((bottom - top) * (right - left)) as i32;
                let faint = (0..3).any(|channel| {
                    let difference =
                        |index: usize| parts(&self.cells[index])[channel] - parts(&other.cells[index])[channel];
                    let sum: i32 = block().map(difference).sum();
                    let along = |index: &usize| difference(*index) * sum.signum() > TREND;
                    sum.abs() > FAINT[channel] * count && block().filter(along).count() as i32 * 2 >= count
                });
                if faint {
                    block().for_each(|index| cells[index] = true);
                }
            }
        }
    }

    /// What changed from `before` to this, apart from cells that are restless; `None` when nothing that counts did.
    pub fn since(&self, before: &Glance, restless: &Restless) -> Option<Change> {
        if self.hash == before.hash {
            return None;
        }
        match self.differing(before) {
            Some(cells) => self.change(&cells, |index| !restless.contains(index)),
            // The screen was turned.
            None => Some(Change { part: 1.0, bounds: self.screen.bounds() }),
        }
    }

    /// The size of a cell, in points.
    fn cell(&self) -> (f64, f64) {
        (self.screen.width / self.width as f64, self.screen.height / self.height as f64)
    }

    fn change(&self, cells: &[bool], counts: impl Fn(usize) -> bool) -> Option<Change> {
        let (mut left, mut top, mut right, mut bottom, mut count) = (usize::MAX, usize::MAX, 0, 0, 0_usize);
        for (index, _) in cells.iter().enumerate().filter(|(index, cell)| **cell && counts(*index)) {
            let (x, y) = (index % self.width, index / self.width);
            (left, top, right, bottom) = (left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1));
            count += 1;
        }
        if count < FEWEST {
            return None;
        }
        let (kx, ky) = self.cell();
        let bounds =
            Rect::new(left as f64 * kx, top as f64 * ky, (right - left) as f64 * kx, (bottom - top) as f64 * ky);
        if bounds.width <= CARET.0 && bounds.height <= CARET.1 {
            return None;
        }
        Some(Change { part: count as f64 / cells.len() as f64, bounds })
    }
}

/// Red, green and blue.
type Colour = [u8; 3];

fn grey(colour: &Colour) -> u8 {
    let [red, green, blue] = colour.map(u32::from);
    ((red * 77 + green * 150 + blue * 29) >> 8) as u8
}

/// How bright a colour is, and how much redder and bluer than grey.
fn parts(colour: &Colour) -> [i32; 3] {
    let grey = i32::from(grey(colour));
    [grey, i32::from(colour[0]) - grey, i32::from(colour[2]) - grey]
}

/// How far two colours lie apart in the channel in which they do most.
fn widest(one: &Colour, other: &Colour) -> u8 {
    one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).max().unwrap_or_default()
}

/// How high the status bar is. On its side a phone shows a low one, or none.
fn status_bar(width: f64, height: f64) -> f64 {
    if height / width > 2.0 { STATUS_BAR.0 } else { STATUS_BAR.1 }
}

/// Which cells keep changing: a video, a spinner. They tell nothing of an action's effect.
#[derive(Clone, Debug, Default)]
pub struct Restless {
    counts: Vec<u16>,
    compared: u16,
    /// The cells of the area that moved before the action.
    moved: Vec<bool>,
}

/// After so many comparisons a cell can be told to be restless, …
const ENOUGH: u16 = 4;
/// … if it changed in this part of them.
const OFTEN: f64 = 0.5;

impl Restless {
    /// Takes notice of what changed from one glance to the next.
    pub fn learn(&mut self, before: &Glance, after: &Glance) {
        let Some(cells) = after.differing(before) else { return };
        // A screen that was turned is another one.
        if self.counts.len() != cells.len() {
            *self = Restless { counts: vec![0; cells.len()], compared: 0, moved: std::mem::take(&mut self.moved) };
        }
        self.compared = self.compared.saturating_add(1);
        for (count, _) in self.counts.iter_mut().zip(cells).filter(|(_, changed)| *changed) {
            *count = count.saturating_add(1);
        }
    }

    /// Takes notice of where the screen moved before an action: nothing in that area comes of the action for sure.
    pub fn moved(&mut self, earlier: &Glance, before: &Glance) {
        let Some(cells) = before.differing(earlier) else { return };
        let Some(Change { bounds, .. }) = before.change(&cells, |_| true) else { return };
        let (kx, ky) = before.cell();
        self.moved = (0..cells.len())
            .map(|index| {
                let (x, y) = (index % before.width, index / before.width);
                bounds.contains(Point::new((x as f64 + 0.5) * kx, (y as f64 + 0.5) * ky))
            })
            .collect();
    }

    fn contains(&self, index: usize) -> bool {
        if self.moved.get(index).is_some_and(|moved| *moved) {
            return true;
        }
        self.compared >= ENOUGH
            && self.counts.get(index).is_some_and(|count| f64::from(*count) >= OFTEN * f64::from(self.compared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neutral::Orientation;

    const SCREEN: Screen = Screen { width: 390.0, height: 844.0, scale: 1.0, orientation: Orientation::Portrait };

    /// A white screen at one pixel a point, with these rectangles in these greys.
    fn glance(parts: &[(Rect, u8)], format: PictureFormat) -> Glance {
        let parts: Vec<(Rect, Colour)> = parts.iter().map(|(rect, grey)| (*rect, [*grey; 3])).collect();
        coloured(&parts, format, 60)
    }

    /// The same in colours, and compressed at this quality.
    fn coloured(parts: &[(Rect, Colour)], format: PictureFormat, quality: u8) -> Glance {
        let (width, height) = (390, 844);
        let mut data = vec![255; width * height * 3];
        for (rect, colour) in parts {
            for y in rect.y as usize..rect.bottom() as usize {
                for x in rect.x as usize..rect.right() as usize {
                    data[(y * width + x) * 3..][..3].copy_from_slice(colour);
                }
            }
        }
        let pixels = Pixels::new(width as u32, height as u32, 3, data).unwrap();
        let encoded = pixels.encode(format, quality).unwrap();
        let picture = Picture { bytes: encoded.bytes.into(), format, width: width as u32, height: height as u32 };
        Glance::new(&picture, &SCREEN).unwrap()
    }

    fn changed(before: &[(Rect, u8)], after: &[(Rect, u8)]) -> Option<Change> {
        glance(after, PictureFormat::Png).since(&glance(before, PictureFormat::Png), &Restless::default())
    }

    #[test]
    fn small_things_that_people_see_are_changes() {
        let button = Rect::new(100.0, 400.0, 200.0, 44.0);
        assert_eq!(changed(&[(button, 200)], &[(button, 200)]), None);
        for (what, rect) in [
            ("a switch", Rect::new(320.0, 300.0, 51.0, 31.0)),
            ("a letter", Rect::new(120.0, 500.0, 9.0, 12.0)),
            ("a check mark", Rect::new(360.0, 610.0, 14.0, 14.0)),
            ("a line under a tab", Rect::new(10.0, 700.0, 80.0, 2.0)),
        ] {
            let change = changed(&[], &[(rect, 60)]).unwrap_or_else(|| panic!("{what}"));
            assert!(change.bounds.intersection(&rect).is_some() && change.part < 0.05, "{what}: {change:?}");
        }
        let page = changed(&[], &[(Rect::new(0.0, 100.0, 390.0, 700.0), 0)]).unwrap();
        assert!(page.part > 0.7, "{page:?}");
    }

    #[test]
    fn the_clock_and_a_caret_are_none() {
        assert_eq!(changed(&[], &[(Rect::new(40.0, 18.0, 60.0, 20.0), 0)]), None);
        assert_eq!(changed(&[], &[(Rect::new(200.0, 400.0, 2.0, 22.0), 0)]), None);
        // Both beside a real change do not hide it.
        let both = [(Rect::new(40.0, 18.0, 60.0, 20.0), 0), (Rect::new(200.0, 400.0, 40.0, 22.0), 0)];
        assert!(changed(&[], &both).is_some());
    }

    #[test]
    fn the_noise_of_compression_is_none() {
        let parts = [(Rect::new(0.0, 100.0, 390.0, 300.0), 128), (Rect::new(50.0, 500.0, 90.0, 40.0), 20)];
        let (png, jpeg) = (glance(&parts, PictureFormat::Png), glance(&parts, PictureFormat::Jpeg));
        assert_eq!(jpeg.since(&png, &Restless::default()), None);
    }

    /// Many small parts in strong colours: much that rings when it is compressed.
    fn busy() -> Vec<(Rect, Colour)> {
        let part = |n: usize| {
            let (x, y) = ((n * 37 % 350) as f64, (60 + n * 53 % 700) as f64);
            let size = (6 + n % 31) as f64;
            let colour = [n * 91 % 256, n * 57 % 256, n * 23 % 256].map(|value| value as u8);
            (Rect::new(x, y, size, size / 2.0 + 3.0), colour)
        };
        (0..160).map(part).collect()
    }

    #[test]
    fn the_noise_of_compressed_colours_is_none_at_any_usual_quality() {
        let png = coloured(&busy(), PictureFormat::Png, 0);
        for quality in [30, 45, 60, 75, 90] {
            let jpeg = coloured(&busy(), PictureFormat::Jpeg, quality);
            assert_eq!(jpeg.since(&png, &Restless::default()), None, "{quality}");
        }
        for quality in [30, 50, 70, 80] {
            let [one, other] = [quality, quality - 8].map(|quality| coloured(&busy(), PictureFormat::Jpeg, quality));
            assert_eq!(one.since(&other, &Restless::default()), None, "{quality}");
        }
    }

    #[test]
    fn faint_and_merely_coloured_changes_are_seen_in_compressed_pictures_too() {
        let row = Rect::new(0.0, 300.0, 390.0, 44.0);
        let knob = Rect::new(320.0, 306.0, 51.0, 31.0);
        for (what, rect, before, after) in [
            ("a row is highlighted", row, [255; 3], [246; 3]),
            ("the page is dimmed a little", Rect::new(0.0, 60.0, 390.0, 700.0), [255; 3], [248; 3]),
            ("red turns green of the same grey", knob, [200, 60, 60], [60, 126, 112]),
            ("a blue sign", Rect::new(200.0, 500.0, 20.0, 20.0), [255; 3], [255, 255, 120]),
        ] {
            for format in [PictureFormat::Png, PictureFormat::Jpeg] {
                let [before, after] = [before, after].map(|colour| {
                    let mut parts = vec![(rect, colour)];
                    parts.extend(busy().into_iter().filter(|(part, _)| part.intersection(&rect).is_none()));
                    coloured(&parts, format, 50)
                });
                let change = after.since(&before, &Restless::default());
                assert!(change.is_some_and(|change| change.bounds.intersection(&rect).is_some()), "{what}: {format:?}");
            }
        }
    }

    #[test]
    fn a_caret_is_none_in_compressed_pictures_either() {
        let caret = (Rect::new(200.0, 400.0, 2.0, 22.0), [0; 3]);
        let with: Vec<_> = busy().into_iter().chain([caret]).collect();
        for quality in [40, 60, 80] {
            let [before, after] = [&busy(), &with].map(|parts| coloured(parts, PictureFormat::Jpeg, quality));
            assert_eq!(after.since(&before, &Restless::default()), None, "{quality}");
        }
    }

    #[test]
    fn where_it_moved_before_nothing_is_an_effect_for_sure() {
        let list = Rect::new(0.0, 100.0, 390.0, 400.0);
        let [one, two, three] = [10, 90, 170].map(|grey| glance(&[(list, grey)], PictureFormat::Png));
        let mut restless = Restless::default();
        restless.moved(&one, &two);
        assert_eq!(three.since(&two, &restless), None);
        let beside = glance(&[(list, 170), (Rect::new(100.0, 600.0, 60.0, 30.0), 0)], PictureFormat::Png);
        assert!(beside.since(&two, &restless).is_some());
    }

    #[test]
    fn what_never_rests_tells_nothing_but_what_changes_beside_it_does() {
        let video = Rect::new(0.0, 100.0, 390.0, 200.0);
        let frames: Vec<Glance> =
            [10, 200, 40, 170, 90, 250].map(|grey| glance(&[(video, grey)], PictureFormat::Png)).to_vec();
        let mut restless = Restless::default();
        for pair in frames.windows(2) {
            restless.learn(&pair[0], &pair[1]);
        }
        assert_eq!(frames[5].since(&frames[0], &restless), None);
        let beside = glance(&[(video, 30), (Rect::new(100.0, 600.0, 60.0, 30.0), 0)], PictureFormat::Png);
        assert!(beside.since(&frames[0], &restless).is_some());
    }

    #[test]
    fn a_turned_screen_is_another() {
        let upright = glance(&[], PictureFormat::Png);
        let pixels = Pixels::new(844, 390, 3, vec![255; 844 * 390 * 3]).unwrap();
        let bytes = pixels.encode(PictureFormat::Png, 0).unwrap().bytes.into();
        let lying = Picture { bytes, format: PictureFormat::Png, width: 844, height: 390 };
        let lying = Glance::new(&lying, &SCREEN).unwrap();
        assert_eq!(lying.since(&upright, &Restless::default()).unwrap().part, 1.0);
    }
}
