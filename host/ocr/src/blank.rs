//! Columns of a line where nothing is written.
//!
//! Knows how strongly the pixels of a column differ from each other. Used to cut lines that are too long for the
//! recogniser, and to bring the boxes of words to where ink begins.

use crate::{Area, Picture};

/// Of the strongest column, how much a column must have to count as written on.
const SHARE: u32 = 4;

/// Contrast below which nothing is written, whatever the strongest is.
const FAINT: u8 = 12;

/// Whether something is written in each column of pixels of an area.
pub(crate) struct Ink {
    left: usize,
    columns: Vec<bool>,
}

impl Ink {
    pub(crate) fn of(picture: &Picture<'_>, area: &Area) -> Ink {
        let channels = usize::from(picture.channels);
        let within = |value: f64, most: u32| value.clamp(0.0, f64::from(most)) as usize;
        let (left, right) = (within(area.x.floor(), picture.width), within(area.right().ceil(), picture.width));
        let (top, bottom) = (within(area.y.floor(), picture.height), within(area.bottom().ceil(), picture.height));
        let mut range = vec![(u8::MAX, u8::MIN); right.saturating_sub(left)];
        let rows = picture.data.chunks_exact(picture.width as usize * channels);
        for row in rows.skip(top).take(bottom.saturating_sub(top)) {
            for (range, pixel) in range.iter_mut().zip(row[left * channels..].chunks_exact(channels)) {
                // Blue letters differ from their ground in red, yellow ones in blue, all of them in this mean.
                let value = ((u16::from(pixel[0]) + 2 * u16::from(pixel[1]) + u16::from(pixel[2])) / 4) as u8;
                *range = (range.0.min(value), range.1.max(value));
            }
        }
        let contrast = |range: &(u8, u8)| range.1.saturating_sub(range.0);
        let strongest = range.iter().map(contrast).max().unwrap_or(0);
        let least = ((u32::from(strongest) / SHARE) as u8).max(FAINT);
        Ink { left, columns: range.iter().map(|range| contrast(range) >= least).collect() }
    }

    /// The middle of the widest blank within a stretch, and its width; the stretch's end where there is none.
    pub(crate) fn widest_blank(&self, from: f64, to: f64) -> (f64, f64) {
        let index = |x: f64| ((x - self.left as f64).max(0.0) as usize).min(self.columns.len());
        let (start, end) = (index(from), index(to));
        let mut widest = (to, 0.0);
        let mut blank = 0;
        for at in start..end {
            blank = if self.columns[at] { 0 } else { blank + 1 };
            // The later of equals, so that pieces are long.
            if blank as f64 >= widest.1 && blank > 0 {
                widest = ((self.left + at + 1) as f64 - blank as f64 / 2.0, blank as f64);
            }
        }
        widest
    }

    /// Of the columns with ink, the share that lies within one of these stretches; all of it where there is no ink.
    pub(crate) fn covered(&self, stretches: impl Iterator<Item = (f64, f64)>) -> f64 {
        let index = |x: f64| ((x - self.left as f64).max(0.0) as usize).min(self.columns.len());
        let mut rest = self.columns.clone();
        for (from, to) in stretches {
            let (start, end) = (index(from), index(to.ceil()));
            rest.get_mut(start..end).unwrap_or_default().fill(false);
        }
        let count = |columns: &[bool]| columns.iter().filter(|ink| **ink).count() as f64;
        match count(&self.columns) {
            0.0 => 1.0,
            all => 1.0 - count(&rest) / all,
        }
    }

    /// The same stretch without the blank at its ends; as it was where it is all blank.
    pub(crate) fn trimmed(&self, from: f64, to: f64) -> (f64, f64) {
        let index = |x: f64| ((x - self.left as f64).max(0.0) as usize).min(self.columns.len());
        let (start, end) = (index(from), index(to));
        let Some(columns) = self.columns.get(start..end) else { return (from, to) };
        let first = columns.iter().position(|ink| *ink);
        let last = columns.iter().rposition(|ink| *ink);
        match (first, last) {
            (Some(first), Some(last)) => {
                (from.max((self.left + start + first) as f64), to.min((self.left + start + last + 1) as f64))
            }
            _ => (from, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_found_and_trimmed() {
        let mut data = vec![255; 40 * 4 * 3];
        for y in 1..3 {
            for x in (5..15).chain(25..30) {
                data[(y * 40 + x) * 3..][..3].fill(0);
            }
        }
        let picture = Picture { width: 40, height: 4, channels: 3, data: &data };
        let ink = Ink::of(&picture, &Area::between(0.0, 0.0, 40.0, 4.0));
        assert_eq!(ink.widest_blank(8.0, 28.0), (20.0, 10.0));
        assert_eq!(ink.trimmed(0.0, 20.0), (5.0, 15.0));
        assert_eq!(ink.trimmed(16.0, 20.0), (16.0, 20.0));
    }
}
