//! The print of a shape: a few hundred numbers in which two drawings of the same thing are alike.
//!
//! A print has two parts, both taken from the box of ink on a grid: the blurred ink itself, and which way its edges run.
//! The first tells where something is, the second what it looks like, whatever the strokes' weight. It does not know
//! screens or concepts.

use crate::{ink::Ink, mark::Plate};

/// Cells a side of the grid.
pub(crate) const GRID: usize = 24;
/// Cells left free around the ink.
const MARGIN: f32 = 2.0;
/// Blocks a side for the edges' directions, and directions.
const BLOCKS: usize = 8;
const WAYS: usize = 6;
const MASS: usize = GRID * GRID;
const EDGES: usize = BLOCKS * BLOCKS * WAYS;

/// How the box of ink is laid on the grid.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Lay {
    /// With its own proportions, the longer side filling the grid.
    Kept,
    /// Both sides filling the grid.
    Stretched,
}

/// One way to lay the ink out, as numbers with length 1.
#[derive(Clone)]
pub(crate) struct Sheet {
    /// The edges' directions in a quarter as many blocks, to rule out most others quickly.
    rough: Vec<i16>,
    pub(crate) mass: Vec<i16>,
    pub(crate) edges: Vec<i16>,
}

/// What is compared.
#[derive(Clone)]
pub(crate) struct Print {
    /// Natural logarithm of width by height of the box of ink.
    pub(crate) aspect: f32,
    /// Whether it is a plain disc, ring or box, as many things are that are no icons.
    pub(crate) plain: bool,
    kept: Sheet,
    stretched: Sheet,
    /// The stretched ink in 1/255, and which of its cells lie inside the outline: not reachable from outside.
    cells: Vec<u8>,
    inside: Vec<bool>,
    /// What it holds if it is a plate.
    plate: Option<Plate>,
}

/// The most that a number of a sheet is; products of two sheets add up to at most its square.
const UNIT: f32 = 8192.0;

impl Print {
    /// The print of some ink, or nothing where there is none.
    pub(crate) fn of(ink: &Ink) -> Option<Print> {
        let bounds = ink.bounds()?;
        let [left, top, right, bottom] = bounds;
        let kept = grid(ink, bounds, Lay::Kept);
        let stretched = grid(ink, bounds, Lay::Stretched);
        let inside = inside(&stretched);
        let held: Vec<f32> = stretched.iter().zip(&inside).filter(|(_, inside)| **inside).map(|(v, _)| *v).collect();
        let mean = held.iter().sum::<f32>() / held.len().max(1) as f32;
        let flat = held.iter().map(|v| (v - mean).powi(2)).sum::<f32>() < FLAT * held.len() as f32;
        Some(Print {
            plain: flat && held.len() > PLAIN,
            aspect: ((right - left) / (bottom - top)).ln(),
            kept: sheet(&kept)?,
            inside,
            plate: Plate::of(ink, bounds),
            cells: stretched.iter().map(|v| (v * 255.0) as u8).collect(),
            stretched: sheet(&stretched)?,
        })
    }

    /// Whether it is a bar: long, and full of ink.
    pub(crate) fn is_bar(&self) -> bool {
        let inner = (GRID as f32 - 2.0 * MARGIN).powi(2);
        let ink = self.cells.iter().map(|cell| f32::from(*cell)).sum::<f32>() / 255.0;
        self.aspect.abs() > BAR && ink > FULL * inner
    }

    /// How alike two are, from 0 to 1, if more than `least`.
    pub(crate) fn alike(&self, other: &Print, least: f32) -> Option<f32> {
        let apart = (self.aspect - other.aspect).abs();
        if apart > 0.6 {
            return None;
        }
        let least = least.max(LEAST);
        if dot(&self.stretched.rough, &other.stretched.rough).max(dot(&self.kept.rough, &other.kept.rough)) < ROUGH {
            return None;
        }
        // The edges decide most; where they alone rule it out, the rest need not be compared.
        let kept_edges = dot(&self.kept.edges, &other.kept.edges);
        let stretched_edges = dot(&self.stretched.edges, &other.stretched.edges);
        let mut alike = 0f32;
        if kept_edges * EDGE_PART + MASS_PART > least {
            alike = kept_edges * EDGE_PART + dot(&self.kept.mass, &other.kept.mass) * MASS_PART;
        }
        let off = STRETCH * apart;
        if stretched_edges * EDGE_PART + MASS_PART - off > least.max(alike) {
            let mass = dot(&self.stretched.mass, &other.stretched.mass);
            alike = alike.max(stretched_edges * EDGE_PART + mass * MASS_PART - off);
        }
        alike = alike.min(1.0);
        if alike > least {
            alike -= match (&self.plate, &other.plate) {
                (Some(own), Some(other)) => HELD * (SURE - own.alike(other)).max(0.0),
                _ => self.apart_inside(other),
            };
        }
        (alike > least).then_some(alike)
    }

    /// What is taken off for insides that differ; nothing where there is hardly any inside. A house with a door in it and one
    /// with a heart are much alike as a whole and not at all inside.
    fn apart_inside(&self, other: &Print) -> f32 {
        let both = self.inside.iter().zip(&other.inside).map(|(a, b)| *a && *b);
        let (mut count, mut sums) = (0f32, [0f32; 5]);
        for ((a, b), _) in self.cells.iter().zip(&other.cells).zip(both).filter(|(_, both)| *both) {
            let (a, b) = (f32::from(*a) / 255.0, f32::from(*b) / 255.0);
            count += 1.0;
            sums[0] += a;
            sums[1] += b;
            sums[2] += a * a;
            sums[3] += b * b;
            sums[4] += a * b;
        }
        if count < 60.0 {
            return 0.0;
        }
        let [a, b, aa, bb, ab] = sums.map(|sum| sum / count);
        let (va, vb) = (aa - a * a, bb - b * b);
        let alike = match (va < FLAT, vb < FLAT) {
            (true, true) => 1.0 - (a - b).abs(),
            (false, false) => (ab - a * b) / (va * vb).sqrt(),
            _ => 0.0,
        };
        // Of two solid shapes, discs or boxes, the inside is all there is to tell them apart.
        let solid = a.min(b) > 0.55 && count > 150.0;
        let weight = if solid { SOLID } else { INSIDE };
        weight * (SURE - alike).max(0.0)
    }
}

/// Likeness below this is none.
pub(crate) const LEAST: f32 = 0.5;
/// Rough likeness below which nothing finer is compared.
const ROUGH: f32 = 0.56;
/// How much the edges and the ink count, and what a logarithm of stretching takes off.
pub(crate) const EDGE_PART: f32 = 0.65;
pub(crate) const MASS_PART: f32 = 0.35;
pub(crate) const STRETCH: f32 = 0.35;
/// What a difference inside takes off the score, the same of solid shapes, and how alike insides are that are the same.
const INSIDE: f32 = 0.1;
const SOLID: f32 = 0.3;
/// The same of the glyphs that two plates hold.
const HELD: f32 = 0.2;
const SURE: f32 = 0.85;

/// Cells inside of a disc that fills the grid, less a few.
const PLAIN: usize = 250;
/// Logarithm of a bar's length by its width, at least, and how full of ink its box is.
const BAR: f32 = 1.0;
const FULL: f32 = 0.8;
/// Variance below which an inside is plain.
const FLAT: f32 = 0.006;

/// Cells that are not connected to the grid's rim over cells without ink, less a rim of one cell.
fn inside(cells: &[f32]) -> Vec<bool> {
    let mut outside = vec![false; MASS];
    let mut open: Vec<usize> = vec![0];
    outside[0] = true;
    while let Some(at) = open.pop() {
        let (x, y) = (at % GRID, at / GRID);
        let around = [
            (x > 0).then(|| at - 1),
            (x + 1 < GRID).then_some(at + 1),
            (y > 0).then(|| at - GRID),
            (y + 1 < GRID).then_some(at + GRID),
        ];
        for next in around.into_iter().flatten() {
            if !outside[next] && cells[next] < 0.3 {
                outside[next] = true;
                open.push(next);
            }
        }
    }
    let free = |x: usize, y: usize| !outside[y * GRID + x];
    (0..MASS)
        .map(|at| {
            let (x, y) = (at % GRID, at / GRID);
            x > 0
                && y > 0
                && x + 1 < GRID
                && y + 1 < GRID
                && (y - 1..=y + 1).all(|y| (x - 1..=x + 1).all(|x| free(x, y)))
        })
        .collect()
}

pub(crate) fn dot(a: &[i16], b: &[i16]) -> f32 {
    let sum: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sum as f32 / (UNIT * UNIT)
}

/// The ink's mean in each cell.
pub(crate) fn grid(ink: &Ink, bounds: [f32; 4], lay: Lay) -> Vec<f32> {
    let [left, top, right, bottom] = bounds;
    let (width, height) = (right - left, bottom - top);
    let inner = GRID as f32 - 2.0 * MARGIN;
    let (across, down) = match lay {
        Lay::Kept => (width.max(height) / inner, width.max(height) / inner),
        Lay::Stretched => (width / inner, height / inner),
    };
    let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
    let half = GRID as f32 / 2.0;
    let taps = |step: f32| (step.round() as usize).clamp(2, 3);
    let (taps_x, taps_y) = (taps(across), taps(down));
    let mut cells = Vec::with_capacity(MASS);
    for row in 0..GRID {
        for column in 0..GRID {
            let mut sum = 0.0;
            for j in 0..taps_y {
                let y = middle.1 + (row as f32 + (j as f32 + 0.5) / taps_y as f32 - half) * down;
                if y < top || y > bottom {
                    continue;
                }
                for i in 0..taps_x {
                    let x = middle.0 + (column as f32 + (i as f32 + 0.5) / taps_x as f32 - half) * across;
                    if x >= left && x <= right {
                        sum += between(ink, x - 0.5, y - 0.5);
                    }
                }
            }
            cells.push(sum / (taps_x * taps_y) as f32);
        }
    }
    cells
}

fn between(ink: &Ink, x: f32, y: f32) -> f32 {
    let (x0, y0) = (x.floor(), y.floor());
    let (fx, fy) = (x - x0, y - y0);
    let (x0, y0) = (x0 as isize, y0 as isize);
    let above = ink.at(x0, y0) * (1.0 - fx) + ink.at(x0 + 1, y0) * fx;
    let below = ink.at(x0, y0 + 1) * (1.0 - fx) + ink.at(x0 + 1, y0 + 1) * fx;
    above * (1.0 - fy) + below * fy
}

pub(crate) fn sheet(cells: &[f32]) -> Option<Sheet> {
    let soft = blur(&blur(cells));
    let mean = soft.iter().sum::<f32>() / MASS as f32;
    let mass: Vec<f32> = soft.iter().map(|v| v - mean).collect();
    let fine = edges(&blur(cells));
    Some(Sheet { mass: unit(&mass)?, rough: unit(&rough(&fine))?, edges: unit(&fine)? })
}

fn unit(values: &[f32]) -> Option<Vec<i16>> {
    let length = values.iter().map(|v| v * v).sum::<f32>().sqrt();
    (length > 1e-4).then(|| values.iter().map(|v| (v / length * UNIT).round() as i16).collect())
}

/// A soft blur: 1 2 1 across and down.
fn blur(cells: &[f32]) -> Vec<f32> {
    let pass = |from: &[f32], step: usize, along: fn(usize) -> usize| -> Vec<f32> {
        (0..MASS)
            .map(|i| {
                let place = along(i);
                let before = if place > 0 { from[i - step] } else { 0.0 };
                let after = if place + 1 < GRID { from[i + step] } else { 0.0 };
                (before + 2.0 * from[i] + after) / 4.0
            })
            .collect()
    };
    pass(&pass(cells, 1, |i| i % GRID), GRID, |i| i / GRID)
}

/// How much edge runs which way in each block; an edge's two sides count the same.
fn edges(cells: &[f32]) -> Vec<f32> {
    let mut sums = vec![0f32; EDGES];
    let at = |x: usize, y: usize| cells[y * GRID + x];
    let block = GRID as f32 / BLOCKS as f32;
    for y in 1..GRID - 1 {
        for x in 1..GRID - 1 {
            let (dx, dy) = (at(x + 1, y) - at(x - 1, y), at(x, y + 1) - at(x, y - 1));
            let strength = (dx * dx + dy * dy).sqrt();
            if strength < 0.02 {
                continue;
            }
            let way = dy.atan2(dx).rem_euclid(std::f32::consts::PI) / std::f32::consts::PI * WAYS as f32;
            let (low, part) = (way as usize % WAYS, way.fract());
            // Each place counts in the blocks around it, by how near their middles are.
            let (bx, by) = ((x as f32 + 0.5) / block - 0.5, (y as f32 + 0.5) / block - 0.5);
            for (row, weight_y) in near(by) {
                for (column, weight_x) in near(bx) {
                    let base = (row * BLOCKS + column) * WAYS;
                    let weight = strength * weight_x * weight_y;
                    sums[base + low] += weight * (1.0 - part);
                    sums[base + (low + 1) % WAYS] += weight * part;
                }
            }
        }
    }
    // Roots, so that one long edge does not outweigh all others.
    sums.iter_mut().for_each(|sum| *sum = sum.sqrt());
    let mean = sums.iter().sum::<f32>() / EDGES as f32;
    sums.iter_mut().for_each(|sum| *sum -= mean);
    sums
}

/// Four neighbouring blocks in one.
fn rough(fine: &[f32]) -> Vec<f32> {
    let half = BLOCKS / 2;
    let mut sums = vec![0f32; half * half * WAYS];
    for (at, value) in fine.iter().enumerate() {
        let (block, way) = (at / WAYS, at % WAYS);
        let (x, y) = (block % BLOCKS / 2, block / BLOCKS / 2);
        sums[(y * half + x) * WAYS + way] += value;
    }
    sums
}

fn near(place: f32) -> impl Iterator<Item = (usize, f32)> {
    let low = place.floor();
    let part = place - low;
    [(low, 1.0 - part), (low + 1.0, part)]
        .into_iter()
        .filter(|(at, _)| *at >= 0.0 && *at < BLOCKS as f32)
        .map(|(at, weight)| (at as usize, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(width: usize, height: usize, has: impl Fn(f32, f32) -> bool) -> Ink {
        let place = |at: usize, of: usize| (at as f32 + 0.5) / of as f32 * 2.0 - 1.0;
        let values = (0..width * height)
            .map(|at| f32::from(u8::from(has(place(at % width, width), place(at / width, height)))))
            .collect();
        Ink { width, height, values }
    }

    fn disc(radius: f32) -> impl Fn(f32, f32) -> bool {
        move |x, y| x * x + y * y < radius * radius
    }

    fn print(side: usize, has: impl Fn(f32, f32) -> bool) -> Print {
        Print::of(&ink(side, side, has)).expect("it has ink")
    }

    #[test]
    fn size_and_place_do_not_matter_and_shape_does() {
        let cross = |x: f32, y: f32| (x.abs() < 0.15 || y.abs() < 0.15) && x.abs().max(y.abs()) < 0.8;
        let turned = |x: f32, y: f32| cross((x + y) * 0.7, (x - y) * 0.7);
        let aside = |x: f32, y: f32| cross(x * 2.0 + 0.6, y * 2.0 - 0.9);
        let alike = |other: &Print| print(60, cross).alike(other, 0.0).unwrap_or(0.0);
        assert!(alike(&print(97, cross)) > 0.97);
        assert!(alike(&print(150, aside)) > 0.97);
        assert!(alike(&print(60, turned)) < 0.8);
        assert!(alike(&print(60, disc(0.8))) < 0.8);
    }

    #[test]
    fn discs_are_told_apart_by_what_they_hold() {
        let hole = |x: f32, y: f32| disc(0.9)(x, y) && !(x.abs() < 0.12 && y.abs() < 0.5);
        let bar = |x: f32, y: f32| disc(0.9)(x, y) && !(y.abs() < 0.12 && x.abs() < 0.5);
        let (hole, bar) = (print(72, hole), print(72, bar));
        assert!(hole.alike(&bar, 0.0).unwrap_or(0.0) < 0.85);
        assert!(hole.alike(&hole, 0.0).unwrap_or(0.0) > 0.99);
        assert!(print(72, disc(0.9)).plain && !hole.plain);
    }

    #[test]
    fn nothing_has_no_print() {
        assert!(Print::of(&ink(9, 9, |_, _| false)).is_none());
        assert!(Print::of(&Ink { width: 0, height: 0, values: Vec::new() }).is_none());
        assert!(Print::of(&ink(1, 1, |_, _| true)).is_some());
    }
}
