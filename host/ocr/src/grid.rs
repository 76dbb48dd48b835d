//! The size at which the detector sees a picture, and how that is cut into tiles.
//!
//! Knows numbers alone: sizes, scales and tiles.

use std::ops::Range;

/// The detector's input has sides that are multiples of this.
pub(crate) const STEP: usize = 32;

/// Most pixels that the detector sees at once, margins apart. Its memory grows with them: about 200 bytes each.
const TILE_PIXELS: usize = 900_000;

/// Most pixels that the detector sees of one picture. A screen has under two million at these scales; the rest bounds the
/// time for pictures that are no screens.
const MOST_PIXELS: f64 = 4_000_000.0;

/// What a tile sees beyond its own edges, so that a letter there looks to it as it does to the neighbour.
const MARGIN: usize = 64;

/// Up to this width a picture is seen at its full size: letters are about as high as they are in points.
const FULL_WIDTH: f64 = 600.0;

/// From this width on it is seen at half its size: letters have two or three pixels a point.
const HALF_WIDTH: f64 = 1_000.0;

/// How the detector sees a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// Pixels of the picture a pixel of the detector, across and down.
    pub(crate) pace: (f64, f64),
    /// Width and height in the detector's pixels.
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// One run of the detector: what it sees and which of it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) sees: (Range<usize>, Range<usize>),
    pub(crate) counts: (Range<usize>, Range<usize>),
}

impl Grid {
    pub(crate) fn of(width: u32, height: u32) -> Grid {
        let (full_width, full_height) = (f64::from(width), f64::from(height));
        // A phone on its side is as fine as it is upright, so the shorter side tells how large letters are. A long page
        // cut into a flat strip would look like a small phone: its longer side then says more.
        let side = full_width.min(full_height).max(full_width.max(full_height) / 3.0);
        let share = ((side - FULL_WIDTH) / (HALF_WIDTH - FULL_WIDTH)).clamp(0.0, 1.0);
        let mut scale = 1.0 - share / 2.0;
        scale = scale.min((MOST_PIXELS / (full_width * full_height)).sqrt());
        let across = ((full_width * scale).round() as usize).max(1);
        let down = ((full_height * scale).round() as usize).max(1);
        Grid { pace: (full_width / across as f64, full_height / down as f64), width: across, height: down }
    }

    /// The runs that see these rows.
    pub(crate) fn tiles(&self, rows: Range<usize>) -> Vec<Tile> {
        let columns = parts(0..self.width, 1_024);
        let widest = columns.iter().map(|part| part.len()).max().unwrap_or(1).max(1);
        let rows_parts = parts(rows.clone(), (TILE_PIXELS / widest).max(STEP));
        let around = |part: &Range<usize>, all: &Range<usize>| {
            part.start.saturating_sub(MARGIN).max(all.start)..(part.end + MARGIN).min(all.end)
        };
        let mut tiles = Vec::with_capacity(columns.len() * rows_parts.len());
        for down in &rows_parts {
            for across in &columns {
                tiles.push(Tile {
                    sees: (around(across, &(0..self.width)), around(down, &rows)),
                    counts: (across.clone(), down.clone()),
                });
            }
        }
        tiles
    }
}

/// Cuts a range into as few nearly equal parts as reach no further than `most`, at multiples of the step.
fn parts(all: Range<usize>, most: usize) -> Vec<Range<usize>> {
    let count = all.len().div_ceil(most).max(1);
    let length = all.len().div_ceil(count).next_multiple_of(STEP);
    (all.start..all.end).step_by(length.max(1)).map(|start| start..(start + length).min(all.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_scale_follows_the_width() {
        assert_eq!(Grid::of(1_170, 2_532).width, 585);
        assert_eq!(Grid::of(2_532, 1_170).height, 585);
        assert_eq!(Grid::of(414, 736).width, 414);
        let between = Grid::of(800, 1_600).width;
        assert!((500..800).contains(&between), "{between}");
    }

    #[test]
    fn a_screen_is_one_tile_and_a_page_is_many() {
        let grid = Grid::of(1_170, 2_532);
        assert_eq!(grid.tiles(0..grid.height).len(), 1);
        let grid = Grid::of(8_000, 8_000);
        assert!(grid.tiles(0..grid.height).len() > 4);
    }

    proptest! {
        #[test]
        fn tiles_cover_all_of_any_picture_once(width in 1u32..12_000, height in 1u32..8_000) {
            let grid = Grid::of(width, height);
            let tiles = grid.tiles(0..grid.height);
            let mut covered = 0;
            for tile in &tiles {
                prop_assert!(tile.sees.0.start <= tile.counts.0.start && tile.sees.0.end >= tile.counts.0.end);
                prop_assert!(tile.sees.1.start <= tile.counts.1.start && tile.sees.1.end >= tile.counts.1.end);
                prop_assert!(tile.sees.0.end <= grid.width && tile.sees.1.end <= grid.height);
                let seen = (tile.sees.0.len() + STEP) * (tile.sees.1.len() + STEP);
                prop_assert!(seen < 2 * TILE_PIXELS, "{seen}");
                covered += tile.counts.0.len() * tile.counts.1.len();
            }
            prop_assert_eq!(covered, grid.width * grid.height);
        }
    }
}
