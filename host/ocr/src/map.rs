//! The detector's map and the boxes of text in it.
//!
//! Knows likelihoods on a grid: which places belong together, and the box around them. Does not know pictures.

/// Likelihood from which a place belongs to a text, of 255.
const TEXT: u8 = 76;

/// Mean likelihood within a box from which it is a text, of 255.
const BOX: f64 = 0.35 * 255.0;

/// The detector marks the inner part of a line; this brings its box to the letters' edges.
const UNCLIP: f64 = 1.6;

/// Boxes with a shorter side than this are specks.
const LEAST: usize = 3;

/// How likely each place shows text, from 0 to 255, in rows.
pub(crate) struct Map {
    width: usize,
    height: usize,
    data: Vec<u8>,
}

/// A box of text, in places of the map, that reaches to the letters' edges and not beyond the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
    /// Mean likelihood within, from 0 to 1.
    pub(crate) likelihood: f32,
}

/// A piece of one row that is text throughout.
struct Run {
    row: usize,
    start: usize,
    end: usize,
}

impl Map {
    pub(crate) fn new(width: usize, height: usize) -> Map {
        Map { width, height, data: vec![0; width * height] }
    }

    /// Writes likelihoods from 0 to 1 into a row.
    pub(crate) fn write(&mut self, x: usize, y: usize, values: &[f32]) {
        let at = y * self.width + x;
        for (to, value) in self.data[at..at + values.len()].iter_mut().zip(values) {
            *to = (value * 255.0) as u8;
        }
    }

    /// Boxes of what hangs together.
    pub(crate) fn boxes(&self) -> Vec<Found> {
        let runs = self.runs();
        let mut found = Vec::new();
        for Bounds { left, top, right, bottom } in joined(&runs) {
            if right - left < LEAST || bottom - top < LEAST {
                continue;
            }
            let likelihood = self.mean(left, top, right, bottom);
            if likelihood < BOX {
                continue;
            }
            let (width, height) = ((right - left) as f64, (bottom - top) as f64);
            let by = width * height * UNCLIP / (2.0 * (width + height));
            found.push(Found {
                left: (left as f64 - by).max(0.0),
                top: (top as f64 - by).max(0.0),
                right: (right as f64 + by).min(self.width as f64),
                bottom: (bottom as f64 + by).min(self.height as f64),
                likelihood: (likelihood / 255.0) as f32,
            });
        }
        found
    }

    /// The runs of places that are text or have one to the left, above, or both: that closes cracks of one place.
    fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut above = vec![false; self.width];
        let mut here = vec![false; self.width];
        for (row, values) in self.data.chunks_exact(self.width.max(1)).enumerate() {
            for (to, value) in here.iter_mut().zip(values) {
                *to = *value > TEXT;
            }
            let text = |x: usize| here[x] || above[x] || (x > 0 && (here[x - 1] || above[x - 1]));
            let mut start = None;
            for x in 0..self.width {
                match (text(x), start) {
                    (true, None) => start = Some(x),
                    (false, Some(from)) => {
                        runs.push(Run { row, start: from, end: x });
                        start = None;
                    }
                    _ => {}
                }
            }
            if let Some(from) = start {
                runs.push(Run { row, start: from, end: self.width });
            }
            std::mem::swap(&mut above, &mut here);
        }
        runs
    }

    fn mean(&self, left: usize, top: usize, right: usize, bottom: usize) -> f64 {
        let rows = self.data.chunks_exact(self.width).skip(top).take(bottom - top);
        let sum: u64 = rows.flat_map(|row| &row[left..right]).map(|value| u64::from(*value)).sum();
        sum as f64 / ((right - left) * (bottom - top)) as f64
    }
}

struct Bounds {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

/// The bounds of runs that touch, corners included.
fn joined(runs: &[Run]) -> Vec<Bounds> {
    let mut leader: Vec<usize> = (0..runs.len()).collect();
    fn lead(leader: &mut [usize], mut of: usize) -> usize {
        while leader[of] != of {
            leader[of] = leader[leader[of]];
            of = leader[of];
        }
        of
    }
    // Runs come row by row and from the left, so two pointers see every pair of neighbours.
    let mut above = 0;
    for (index, run) in runs.iter().enumerate() {
        while runs[above].row + 1 < run.row || (runs[above].row + 1 == run.row && runs[above].end < run.start) {
            above += 1;
        }
        let mut other = above;
        while runs[other].row + 1 == run.row && runs[other].start <= run.end {
            let (one, two) = (lead(&mut leader, other), lead(&mut leader, index));
            leader[one.max(two)] = one.min(two);
            other += 1;
        }
    }
    let mut bounds: Vec<Option<Bounds>> = (0..runs.len()).map(|_| None).collect();
    for (index, run) in runs.iter().enumerate() {
        let of = lead(&mut leader, index);
        let all =
            bounds[of].get_or_insert(Bounds { left: run.start, top: run.row, right: run.end, bottom: run.row + 1 });
        all.left = all.left.min(run.start);
        all.right = all.right.max(run.end);
        all.bottom = all.bottom.max(run.row + 1);
    }
    bounds.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn map(rows: &[&str]) -> Map {
        let mut map = Map::new(rows[0].len(), rows.len());
        for (y, row) in rows.iter().enumerate() {
            let values: Vec<f32> = row.chars().map(|c| if c == '#' { 0.9 } else { 0.0 }).collect();
            map.write(0, y, &values);
        }
        map
    }

    #[test]
    fn what_touches_is_one_box_and_a_gap_makes_two() {
        let map = map(&[
            "..............",
            ".####....####.",
            ".####....####.",
            ".####....####.",
            ".####....####.",
            "..............",
        ]);
        let boxes = map.boxes();
        assert_eq!(boxes.len(), 2, "{boxes:?}");
        assert!(boxes.iter().all(|found| found.likelihood > 0.5));
        assert!(boxes[0].left <= 1.0 && boxes[0].right >= 5.0);
    }

    #[test]
    fn a_shape_that_closes_late_is_one() {
        let runs = map(&["#....#", "#....#", "######"]).runs();
        assert_eq!(joined(&runs).len(), 1);
    }

    #[test]
    fn specks_are_left_out() {
        assert!(map(&["......", "..#...", "......"]).boxes().is_empty());
    }

    proptest! {
        #[test]
        fn boxes_lie_within_any_map(width in 1usize..60, height in 1usize..60, seed in any::<u64>(), dense in 1u64..10) {
            let mut map = Map::new(width, height);
            let mut state = seed | 1;
            for y in 0..height {
                let row: Vec<f32> = (0..width).map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    if (state >> 33) % 10 < dense { (state >> 40) as f32 / (1u64 << 24) as f32 } else { 0.0 }
                }).collect();
                map.write(0, y, &row);
            }
            for found in map.boxes() {
                prop_assert!(found.left >= 0.0 && found.top >= 0.0);
                prop_assert!(found.right <= width as f64 && found.bottom <= height as f64);
                prop_assert!(found.left < found.right && found.top < found.bottom);
                prop_assert!((0.0..=1.0).contains(&found.likelihood));
            }
        }

        #[test]
        fn odd_likelihoods_do_no_harm(values in proptest::collection::vec(any::<f32>(), 64)) {
            let mut map = Map::new(8, 8);
            for (y, row) in values.chunks(8).enumerate() {
                map.write(0, y, row);
            }
            map.boxes();
        }
    }
}
