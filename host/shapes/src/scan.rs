//! Looks for a reference picture at any place and size: coarse over everything, then fine at the best places.
//!
//! Knows numbers in rows; does not know icons. How alike two patches are is their correlation once each one's mean is
//! taken off, which neither brightness nor contrast changes.

use crate::Picture;
use crate::picture::{Area, Copy};

/// Longer side of the reference in the coarse scan.
const COARSE: usize = 16;
/// Grid on which places are compared finely.
const SIDE: usize = 32;
/// Sizes tried, from half to twice: each 9 % larger than the one before.
const STEP: f32 = 1.09;
/// Correlation from which a place of the coarse scan is looked at, and how many such places are.
const WORTH: f32 = 0.6;
const MOST: usize = 40;

/// A place that was found: where, in pixels of the picture, and how alike it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) area: Area,
    pub(crate) alike: f32,
}

/// Brightness of each pixel.
struct Grey {
    width: usize,
    height: usize,
    values: Vec<i16>,
}

fn grey(copy: &Copy) -> Grey {
    let values = copy
        .pixels
        .iter()
        .map(|[r, g, b]| ((i32::from(*r) * 77 + i32::from(*g) * 150 + i32::from(*b) * 29) >> 8) as i16)
        .collect();
    Grey { width: copy.width, height: copy.height, values }
}

/// Sums over rectangles from the top left: of the values, and of their squares.
struct Sums {
    stride: usize,
    plain: Vec<u32>,
    squares: Vec<u64>,
}

impl Sums {
    fn of(grey: &Grey) -> Sums {
        let stride = grey.width + 1;
        let mut plain = vec![0u32; stride * (grey.height + 1)];
        let mut squares = vec![0u64; stride * (grey.height + 1)];
        for y in 0..grey.height {
            let (mut sum, mut square) = (0u32, 0u64);
            for x in 0..grey.width {
                let value = grey.values[y * grey.width + x] as u32;
                sum += value;
                square += u64::from(value * value);
                let at = (y + 1) * stride + x + 1;
                plain[at] = plain[at - stride] + sum;
                squares[at] = squares[at - stride] + square;
            }
        }
        Sums { stride, plain, squares }
    }

    /// Sum of squares about the mean, in the rectangle.
    fn spread(&self, x: usize, y: usize, width: usize, height: usize) -> f32 {
        let (a, b) = (y * self.stride + x, (y + height) * self.stride + x);
        let sum = (self.plain[b + width] + self.plain[a]) - (self.plain[b] + self.plain[a + width]);
        let square = (self.squares[b + width] + self.squares[a]) - (self.squares[b] + self.squares[a + width]);
        square as f32 - (f64::from(sum) * f64::from(sum) / (width * height) as f64) as f32
    }
}

/// The reference as a grid of colours, each channel's mean taken off, with length 1; and as brightness alone.
struct Wanted {
    colour: Option<Vec<f32>>,
    grey: Vec<f32>,
    width: f32,
    height: f32,
}

/// Places that look like the reference, best first; nothing if the reference is plain.
pub(crate) fn find(picture: &Picture<'_>, reference: &Picture<'_>) -> Option<Vec<Place>> {
    let (width, height) = (reference.width as f32, reference.height as f32);
    let long = width.max(height);
    let template = Copy::of(reference, 1.0);
    let whole = Area { x: 0.0, y: 0.0, width, height };
    let cells = sample(&template, &whole);
    let wanted = Wanted {
        colour: coloured(&cells).then(|| centred(&cells, 3)).flatten(),
        grey: centred(&dull(&cells), 1)?,
        width,
        height,
    };
    let mut sizes: Vec<f32> = Vec::new();
    let mut by = 0.5;
    while by < 2.05 {
        let side = long * by;
        if side >= 12.0 && width * by <= picture.width as f32 && height * by <= picture.height as f32 {
            sizes.push(by);
        }
        by *= STEP;
    }
    // Small sizes are the long ones to scan: deal them out evenly.
    let scan = |odd: usize| -> Vec<Place> {
        sizes.iter().skip(odd).step_by(2).flat_map(|by| coarse(picture, reference, *by)).collect()
    };
    let mut places = std::thread::scope(|scope| {
        let other = scope.spawn(|| scan(1));
        let mut places = scan(0);
        places.extend(other.join().unwrap_or_default());
        places
    });
    places.sort_by(|a, b| b.alike.total_cmp(&a.alike));
    let places = apart(places, 0.6, MOST);
    // Fine pictures are looked at at half size when the reference is large.
    let shrink = (2.0 * SIDE as f32 / long).min(1.0);
    let copy = Copy::of(picture, shrink);
    let mut fine: Vec<Place> = places.iter().map(|place| refine(&copy, &wanted, place, shrink)).collect();
    fine.sort_by(|a, b| b.alike.total_cmp(&a.alike));
    Some(apart(fine, 0.4, MOST))
}

/// The places that do not share more than a part of their size with a better one.
fn apart(places: Vec<Place>, part: f32, most: usize) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
    for place in places {
        let covered = |other: &Place| place.area.shared(&other.area) > part * place.area.size().min(other.area.size());
        if !kept.iter().any(covered) {
            kept.push(place);
            if kept.len() >= most {
                break;
            }
        }
    }
    kept
}

/// All places at one size where the brightness correlates, either way round.
fn coarse(picture: &Picture<'_>, reference: &Picture<'_>, by: f32) -> Vec<Place> {
    let long = reference.width.max(reference.height) as f32;
    let shrink = (COARSE as f32 / (long * by)).min(1.0);
    let small = grey(&Copy::of(picture, shrink));
    let template = grey(&Copy::of(reference, (COARSE as f32 / long).min(1.0)));
    let (width, height) = (template.width, template.height);
    if small.width < width || small.height < height {
        return Vec::new();
    }
    let count = (width * height) as i32;
    let mean = template.values.iter().map(|v| i32::from(*v)).sum::<i32>() / count;
    let centred: Vec<i16> = template.values.iter().map(|v| v - mean as i16).collect();
    let own: f32 = centred.iter().map(|v| f32::from(*v) * f32::from(*v)).sum();
    if own < 1.0 {
        return Vec::new();
    }
    // The whole-number mean leaves a little behind; it is taken off each sum.
    let left: i32 = centred.iter().map(|v| i32::from(*v)).sum();
    let sums = Sums::of(&small);
    let least = (6.0 * 6.0 * count as f32).min(own * 0.02);
    let mut found = Vec::new();
    let mut row = vec![0f32; small.width - width + 1];
    let mut before = row.clone();
    let mut before_that = row.clone();
    let mut emit = |y: usize, line: &[f32], above: &[f32], below: &[f32]| {
        for x in 0..line.len() {
            let value = line[x];
            if value < WORTH {
                continue;
            }
            let around = x.saturating_sub(1)..(x + 2).min(line.len());
            let top = around.clone().all(|i| line[i] <= value && above[i] <= value && below[i] <= value);
            if top {
                let area = Area { x: x as f32, y: y as f32, width: width as f32, height: height as f32 };
                found.push(Place { area: area.scaled(1.0 / shrink), alike: value });
            }
        }
    };
    let rows = small.height - height + 1;
    let blank = vec![0f32; row.len()];
    for y in 0..=rows {
        row.fill(0.0);
        if y < rows {
            for (x, out) in row.iter_mut().enumerate() {
                let spread = sums.spread(x, y, width, height);
                if spread < least {
                    continue;
                }
                let mut sum = 0i32;
                for (j, line) in centred.chunks_exact(width).enumerate() {
                    let start = (y + j) * small.width + x;
                    let patch = &small.values[start..start + width];
                    sum += line.iter().zip(patch).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>();
                }
                let mean = sums_mean(&sums, x, y, width, height);
                *out = ((sum as f32 - left as f32 * mean) / (spread * own).sqrt()).abs();
            }
        }
        if y > 0 {
            emit(y - 1, &before, if y > 1 { &before_that } else { &blank }, &row);
        }
        std::mem::swap(&mut before_that, &mut before);
        std::mem::swap(&mut before, &mut row);
    }
    found.sort_by(|a, b| b.alike.total_cmp(&a.alike));
    found.truncate(4 * MOST);
    found
}

fn sums_mean(sums: &Sums, x: usize, y: usize, width: usize, height: usize) -> f32 {
    let (a, b) = (y * sums.stride + x, (y + height) * sums.stride + x);
    let sum = (sums.plain[b + width] + sums.plain[a]) - (sums.plain[b] + sums.plain[a + width]);
    sum as f32 / (width * height) as f32
}

/// Moves and resizes a place by ever smaller steps as long as it becomes more alike.
fn refine(copy: &Copy, wanted: &Wanted, place: &Place, shrink: f32) -> Place {
    let (mut x, mut y) = (place.area.x + place.area.width / 2.0, place.area.y + place.area.height / 2.0);
    let mut size = place.area.width / wanted.width;
    let area = |x: f32, y: f32, size: f32| Area {
        x: x - size * wanted.width / 2.0,
        y: y - size * wanted.height / 2.0,
        width: size * wanted.width,
        height: size * wanted.height,
    };
    let alike = |x: f32, y: f32, size: f32| alike(copy, wanted, &area(x, y, size).scaled(shrink));
    let mut best = alike(x, y, size);
    let mut move_by = place.area.width.max(place.area.height) / COARSE as f32;
    let mut grow_by = 0.05;
    for _ in 0..6 {
        let mut better = true;
        for _ in 0..4 {
            if !better {
                break;
            }
            better = false;
            let tries = [
                (move_by, 0.0, 1.0),
                (-move_by, 0.0, 1.0),
                (0.0, move_by, 1.0),
                (0.0, -move_by, 1.0),
                (0.0, 0.0, 1.0 + grow_by),
                (0.0, 0.0, 1.0 / (1.0 + grow_by)),
            ];
            for (dx, dy, grow) in tries {
                let now = alike(x + dx, y + dy, size * grow);
                if now > best {
                    (best, x, y, size, better) = (now, x + dx, y + dy, size * grow, true);
                }
            }
        }
        move_by /= 2.0;
        grow_by /= 2.0;
    }
    Place { area: area(x, y, size), alike: best }
}

fn alike(copy: &Copy, wanted: &Wanted, area: &Area) -> f32 {
    let cells = sample(copy, area);
    let against = |own: &[f32], other: Option<Vec<f32>>| {
        other.map_or(0.0, |other| own.iter().zip(&other).map(|(a, b)| a * b).sum::<f32>())
    };
    match &wanted.colour {
        Some(own) => against(own, centred(&cells, 3)).max(0.0),
        None => against(&wanted.grey, centred(&dull(&cells), 1)).abs(),
    }
}

/// A grid of colours over an area, each the mean of four places.
fn sample(copy: &Copy, area: &Area) -> Vec<f32> {
    let mut cells = Vec::with_capacity(SIDE * SIDE * 3);
    let place = |at: f32, most: usize| (at.max(0.0) as usize).min(most - 1);
    let columns: Vec<usize> =
        (0..2 * SIDE).map(|i| place(area.x + (i as f32 + 0.5) / (2 * SIDE) as f32 * area.width, copy.width)).collect();
    for row in 0..SIDE {
        let lines = [0, 1].map(|j| {
            let y = area.y + ((2 * row + j) as f32 + 0.5) / (2 * SIDE) as f32 * area.height;
            place(y, copy.height) * copy.width
        });
        for pair in columns.chunks_exact(2) {
            let four = [lines[0] + pair[0], lines[0] + pair[1], lines[1] + pair[0], lines[1] + pair[1]];
            for c in 0..3 {
                cells.push(four.iter().map(|at| f32::from(copy.pixels[*at][c])).sum::<f32>() / 4.0);
            }
        }
    }
    cells
}

fn dull(cells: &[f32]) -> Vec<f32> {
    cells.chunks_exact(3).map(|c| 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]).collect()
}

/// Whether the cells have colours that are more than a tint of grey.
fn coloured(cells: &[f32]) -> bool {
    let vivid = |c: &&[f32]| c[0].max(c[1]).max(c[2]) - c[0].min(c[1]).min(c[2]) > 40.0;
    cells.chunks_exact(3).filter(vivid).count() * 20 > SIDE * SIDE
}

/// The cells with each channel's mean taken off and length 1, unless they are plain.
fn centred(cells: &[f32], channels: usize) -> Option<Vec<f32>> {
    let count = (cells.len() / channels) as f32;
    let mut means = [0f32; 3];
    for (i, value) in cells.iter().enumerate() {
        means[i % channels] += value / count;
    }
    let mut centred: Vec<f32> = cells.iter().enumerate().map(|(i, value)| value - means[i % channels]).collect();
    let length = centred.iter().map(|v| v * v).sum::<f32>().sqrt();
    if length < 3.0 * count.sqrt() {
        return None;
    }
    centred.iter_mut().for_each(|v| *v /= length);
    Some(centred)
}
