//! Whether a screen changed between two pictures of it, and where.
//!
//! It compares coarse grey copies, so that the noise of a compressed picture is none, and forgives what changes by itself: the
//! status bar with its clock, a blinking caret, regions that never come to rest. What the change means is for others.

use super::picture::{PictureError, Pixels, Scaler, decode};
use crate::neutral::{Picture, PictureFormat, Rect, Screen};
use std::hash::{DefaultHasher, Hasher};

/// Cells a point: one for two points, in which a letter or a check mark still leaves its trace.
const CELLS: f64 = 0.5;
/// How much a cell's grey differs, of 255, before it counts: lossless pictures, and compressed ones.
const NOISE: (u8, u8) = (6, 26);
/// A change of fewer cells is none.
const FEWEST: usize = 3;
/// A caret is no wider and no higher than this, in points.
const CARET: (f64, f64) = (6.0, 48.0);
/// The status bar of a phone with and without a display that reaches its edge, in points.
const STATUS_BAR: (f64, f64) = (50.0, 20.0);

/// A coarse grey copy of a picture of the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    width: usize,
    height: usize,
    grey: Vec<u8>,
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
        let pixels = decode(&picture.bytes)?;
        let side = |points: f64, pixels: u32| ((points * CELLS).round() as u32).clamp(1, pixels);
        let (width, height) = match pixels.width > pixels.height {
            // The picture's own shape counts, should the screen have turned.
            true => (screen.width.max(screen.height), screen.width.min(screen.height)),
            false => (screen.width.min(screen.height), screen.width.max(screen.height)),
        };
        let small = Scaler::new().resize(&pixels, side(width, pixels.width), side(height, pixels.height))?;
        Ok(Glance {
            width: small.width as usize,
            height: small.height as usize,
            grey: grey(&small),
            lossy: picture.format == PictureFormat::Jpeg,
            hash,
            masked: (status_bar(width, height) * CELLS).round() as usize,
            screen: Screen { width, height, ..*screen },
        })
    }

    /// The hash of the picture that it was made from.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The cells that differ from `other`; `None` when the two have different shapes.
    fn differing(&self, other: &Glance) -> Option<Vec<bool>> {
        if (self.width, self.height) != (other.width, other.height) {
            return None;
        }
        let noise = if self.lossy || other.lossy { NOISE.1 } else { NOISE.0 };
        let mut cells: Vec<bool> =
            self.grey.iter().zip(&other.grey).map(|(one, other)| one.abs_diff(*other) > noise).collect();
        cells.iter_mut().take(self.masked * self.width).for_each(|cell| *cell = false);
        Some(cells)
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
        let (kx, ky) = (self.screen.width / self.width as f64, self.screen.height / self.height as f64);
        let bounds =
            Rect::new(left as f64 * kx, top as f64 * ky, (right - left) as f64 * kx, (bottom - top) as f64 * ky);
        if bounds.width <= CARET.0 && bounds.height <= CARET.1 {
            return None;
        }
        Some(Change { part: count as f64 / cells.len() as f64, bounds })
    }
}

fn grey(pixels: &Pixels) -> Vec<u8> {
    let of = |pixel: &[u8]| {
        let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(u32::from);
        ((red * 77 + green * 150 + blue * 29) >> 8) as u8
    };
    pixels.data.chunks_exact(usize::from(pixels.channels)).map(of).collect()
}

/// How high the status bar is. On its side a phone mostly shows none; what is there instead is content.
fn status_bar(width: f64, height: f64) -> f64 {
    match height / width {
        tall if tall > 2.0 => STATUS_BAR.0,
        upright if upright > 1.0 => STATUS_BAR.1,
        _ => 0.0,
    }
}

/// Which cells keep changing: a video, a spinner. They tell nothing of an action's effect.
#[derive(Clone, Debug, Default)]
pub struct Restless {
    counts: Vec<u16>,
    compared: u16,
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
            *self = Restless { counts: vec![0; cells.len()], compared: 0 };
        }
        self.compared = self.compared.saturating_add(1);
        for (count, _) in self.counts.iter_mut().zip(cells).filter(|(_, changed)| *changed) {
            *count = count.saturating_add(1);
        }
    }

    fn contains(&self, index: usize) -> bool {
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
        let (width, height) = (390, 844);
        let mut data = vec![255; width * height * 3];
        for (rect, grey) in parts {
            for y in rect.y as usize..rect.bottom() as usize {
                for x in rect.x as usize..rect.right() as usize {
                    data[(y * width + x) * 3..][..3].fill(*grey);
                }
            }
        }
        let pixels = Pixels::new(width as u32, height as u32, 3, data).unwrap();
        let encoded = pixels.encode(format, 60).unwrap();
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
