//! What changed between two pictures of the same size, without keeping the first.
//!
//! Knows blocks of pixels and a number that stands for each. Does not know what the pixels show.

use crate::{Area, Picture};
use std::ops::Range;

/// Width and height of a block in pixels.
const BLOCK: (usize, usize) = (32, 16);

/// A number for every block of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    width: u32,
    height: u32,
    blocks: Vec<u64>,
}

/// The blocks that differ.
pub(crate) struct Change {
    across: usize,
    down: usize,
    differs: Vec<bool>,
}

fn mix(one: u64, two: u64) -> u64 {
    let product = u128::from(one ^ 0x9E37_79B9_7F4A_7C15) * u128::from(two ^ 0xD1B5_4A32_D192_ED03);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Goes over all bytes; what is asked of it is that a change is seen, not that nobody can make two pictures alike.
fn marked(mut mark: u64, bytes: &[u8]) -> u64 {
    let (pairs, rest) = bytes.as_chunks::<16>();
    for pair in pairs {
        let (halves, _) = pair.as_chunks::<8>();
        mark =
            mix(mark ^ u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])).wrapping_add(mark.rotate_left(29));
    }
    for byte in rest {
        mark = mix(mark, u64::from(*byte));
    }
    mark
}

impl Marks {
    pub(crate) fn of(picture: &Picture<'_>) -> Marks {
        let channels = usize::from(picture.channels);
        let (width, height) = (picture.width as usize, picture.height as usize);
        let across = width.div_ceil(BLOCK.0);
        let mut blocks = vec![u64::from(picture.channels); across * height.div_ceil(BLOCK.1)];
        let bands = picture.data.chunks(width * channels * BLOCK.1);
        for (band, marks) in bands.zip(blocks.chunks_exact_mut(across)) {
            for row in band.chunks_exact(width * channels) {
                for (bytes, mark) in row.chunks(BLOCK.0 * channels).zip(marks.iter_mut()) {
                    *mark = marked(*mark, bytes);
                }
            }
        }
        Marks { width: picture.width, height: picture.height, blocks }
    }

    /// What differs from an earlier picture; nothing to go by when that had another size.
    pub(crate) fn since(&self, earlier: &Marks) -> Option<Change> {
        if (self.width, self.height) != (earlier.width, earlier.height) {
            return None;
        }
        let differs = self.blocks.iter().zip(&earlier.blocks).map(|(one, two)| one != two).collect();
        let across = (self.width as usize).div_ceil(BLOCK.0);
        Some(Change { across, down: (self.height as usize).div_ceil(BLOCK.1), differs })
    }
}

impl Change {
    pub(crate) fn is_none(&self) -> bool {
        !self.differs.contains(&true)
    }

    /// Rows of pixels that hold a change, as bands from the top; the last may reach beyond the picture.
    pub(crate) fn bands(&self) -> Vec<Range<usize>> {
        let mut bands: Vec<Range<usize>> = Vec::new();
        for (row, blocks) in self.differs.chunks_exact(self.across.max(1)).enumerate() {
            if !blocks.contains(&true) {
                continue;
            }
            let (top, bottom) = (row * BLOCK.1, (row + 1) * BLOCK.1);
            match bands.last_mut() {
                Some(band) if band.end == top => band.end = bottom,
                _ => bands.push(top..bottom),
            }
        }
        bands
    }

    /// Whether any pixel block within this area differs.
    pub(crate) fn meets(&self, area: &Area) -> bool {
        let range = |from: f64, to: f64, size: usize, most: usize| {
            let first = ((from.max(0.0) as usize) / size).min(most);
            first..((to.max(0.0).ceil() as usize).div_ceil(size)).clamp(first, most)
        };
        let columns = range(area.x, area.right(), BLOCK.0, self.across);
        range(area.y, area.bottom(), BLOCK.1, self.down)
            .any(|row| self.differs[row * self.across..][columns.clone()].contains(&true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_changed_byte_is_seen_where_it_is(
            width in 1u32..200, height in 1u32..80, channels in 3u8..=4, at in any::<proptest::sample::Index>(), by in 1u8..
        ) {
            let mut data: Vec<u8> = (0..width * height * u32::from(channels)).map(|i| (i * 31 % 251) as u8).collect();
            let before = Marks::of(&Picture { width, height, channels, data: &data });
            let at = at.index(data.len());
            data[at] = data[at].wrapping_add(by);
            let after = Marks::of(&Picture { width, height, channels, data: &data });
            let change = after.since(&before).unwrap();
            prop_assert!(!change.is_none());
            let pixel = at / usize::from(channels);
            let (x, y) = ((pixel % width as usize) as f64, (pixel / width as usize) as f64);
            let there = Area { x, y, width: 1.0, height: 1.0 };
            prop_assert!(change.meets(&there));
            let bands = change.bands();
            prop_assert_eq!(bands.len(), 1);
            prop_assert!(bands[0].contains(&(y as usize)));
            let elsewhere = Area { x: (x + 64.0) % f64::from(width), y: (y + 32.0) % f64::from(height), ..there };
            if (elsewhere.x - x).abs() >= 32.0 || (elsewhere.y - y).abs() >= 16.0 {
                prop_assert!(!change.meets(&elsewhere));
            }
        }
    }
}
