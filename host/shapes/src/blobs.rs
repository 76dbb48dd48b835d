//! Cuts a screen into the small things that stand out on it: what could be an icon, and what is a line of text.
//!
//! Edges are where neighbouring pixels differ. Edges that are near each other are one thing; how near is tried at several
//! gaps, because an icon's parts lie further apart than the icon lies from what is around it, or not. It does not know
//! which shapes there are.

use crate::picture::{Area, Copy};

/// Neighbours that differ by as much are an edge. Below lie the blocks of JPEG and the slopes of gradients.
const EDGE: u8 = 14;
/// The same of what stands out plainly, where the noise around it would join it to its neighbours.
const HARD_EDGE: u8 = 40;
const HARD_GAPS: [f32; 2] = [0.6, 3.6];
/// Least of red, green and blue of what counts as white.
const WHITE: u8 = 222;
/// Gaps that part things, in points.
const GAPS: [f32; 4] = [0.6, 2.0, 3.6, 6.0];
/// Sides of what could be an icon, in points.
const LONGEST: f32 = 62.0;
const SHORTEST: f32 = 5.5;
/// At most so many things are looked at, the most icon-like ones: a photograph has thousands.
const MOST: usize = 400;

/// Whether something of so many points is as large as icons are. What is more than three times as wide as high is a bar
/// or a row of dots if it is thin, and a word if it is not.
pub(crate) fn is_icon_size(width: f32, height: f32) -> bool {
    let (long, short) = (width.max(height), width.min(height));
    (SHORTEST..=LONGEST).contains(&long)
        && short >= 0.7
        && short * 16.0 >= long
        && (short <= 5.5 || long <= 3.2 * short)
}

/// A rectangle of pixels; right and bottom are outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) left: usize,
    pub(crate) top: usize,
    pub(crate) right: usize,
    pub(crate) bottom: usize,
}

impl Blob {
    pub(crate) fn width(&self) -> usize {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> usize {
        self.bottom - self.top
    }

    fn area(&self) -> Area {
        Area { x: self.left as f32, y: self.top as f32, width: self.width() as f32, height: self.height() as f32 }
    }

    fn join(&mut self, other: &Blob) {
        self.left = self.left.min(other.left);
        self.top = self.top.min(other.top);
        self.right = self.right.max(other.right);
        self.bottom = self.bottom.max(other.bottom);
    }
}

/// One bit a pixel.
#[derive(Clone)]
struct Bits {
    width: usize,
    height: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Bits {
    fn new(width: usize, height: usize) -> Bits {
        let words = width.div_ceil(64);
        Bits { width, height, words, bits: vec![0; words * height] }
    }

    fn row(&self, y: usize) -> &[u64] {
        &self.bits[y * self.words..(y + 1) * self.words]
    }

    /// Each bit spread by `by` pixels to all sides.
    fn spread(&self, by: usize) -> Bits {
        let mut across = self.clone();
        for _ in 0..by {
            for y in 0..self.height {
                let row = &mut across.bits[y * self.words..(y + 1) * self.words];
                let mut before = 0u64;
                for i in 0..row.len() {
                    let word = row[i];
                    let after = row.get(i + 1).copied().unwrap_or(0);
                    row[i] = word | word << 1 | word >> 1 | before >> 63 | after << 63;
                    before = word;
                }
            }
        }
        let mut spread = Bits::new(self.width, self.height);
        for y in 0..self.height {
            let (first, last) = (y.saturating_sub(by), (y + by).min(self.height - 1));
            let row = &mut spread.bits[y * self.words..(y + 1) * self.words];
            for from in first..=last {
                for (to, word) in row.iter_mut().zip(across.row(from)) {
                    *to |= word;
                }
            }
        }
        spread
    }
}

/// Where neighbouring pixels differ.
fn edges(copy: &Copy, least: u8) -> Bits {
    let mut edges = Bits::new(copy.width, copy.height);
    let differ = |a: [u8; 3], b: [u8; 3]| -> bool {
        a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])).max(a[2].abs_diff(b[2])) >= least
    };
    for y in 0..copy.height {
        let row = &copy.pixels[y * copy.width..(y + 1) * copy.width];
        let below = copy.pixels.get((y + 1) * copy.width..(y + 2) * copy.width);
        for x in 0..copy.width {
            let here = edges.words * y + x / 64;
            if x + 1 < copy.width && differ(row[x], row[x + 1]) {
                edges.bits[here] |= 1 << (x % 64);
                edges.bits[edges.words * y + (x + 1) / 64] |= 1 << ((x + 1) % 64);
            }
            if below.is_some_and(|below| differ(row[x], below[x])) {
                edges.bits[here] |= 1 << (x % 64);
                edges.bits[here + edges.words] |= 1 << (x % 64);
            }
        }
    }
    edges
}

/// Where pixels are white or nearly so.
fn whites(copy: &Copy) -> Bits {
    let mut whites = Bits::new(copy.width, copy.height);
    for (at, pixel) in copy.pixels.iter().enumerate() {
        let (x, y) = (at % copy.width, at / copy.width);
        if pixel[0].min(pixel[1]).min(pixel[2]) >= WHITE {
            whites.bits[whites.words * y + x / 64] |= 1 << (x % 64);
        }
    }
    whites
}

/// A stretch of set bits in a row: its first and its last pixel.
fn runs(row: &[u64], mut each: impl FnMut(usize, usize)) {
    let mut start = None;
    for (i, word) in row.iter().enumerate() {
        let mut at = 0;
        while at < 64 {
            let rest = word >> at;
            match start {
                None if rest == 0 => break,
                None => {
                    at += rest.trailing_zeros() as usize;
                    start = Some(i * 64 + at);
                }
                Some(first) => {
                    let ones = (!rest).trailing_zeros() as usize;
                    if at + ones >= 64 {
                        break;
                    }
                    at += ones;
                    each(first, i * 64 + at - 1);
                    start = None;
                }
            }
        }
    }
    if let Some(first) = start {
        each(first, row.len() * 64 - 1);
    }
}

/// The first and last set bit between two places, both included.
fn ends(row: &[u64], first: usize, last: usize) -> Option<(usize, usize)> {
    let masked = |i: usize| -> u64 {
        let mut word = row[i];
        if i == first / 64 {
            word &= u64::MAX << (first % 64);
        }
        if i == last / 64 {
            word &= u64::MAX >> (63 - last % 64);
        }
        word
    };
    let words = first / 64..=(last / 64).min(row.len() - 1);
    let low = words.clone().find(|i| masked(*i) != 0)?;
    let high = words.rev().find(|i| masked(*i) != 0)?;
    Some((low * 64 + masked(low).trailing_zeros() as usize, high * 64 + 63 - masked(high).leading_zeros() as usize))
}

fn root(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

/// Boxes around the edges that hang together when gaps up to `gap` pixels are bridged.
fn things(edges: &Bits, gap: usize) -> Vec<Blob> {
    let spread = edges.spread(gap.div_ceil(2));
    let mut parents: Vec<u32> = Vec::new();
    let mut boxes: Vec<Option<Blob>> = Vec::new();
    let mut above: Vec<(usize, usize, u32)> = Vec::new();
    let mut here: Vec<(usize, usize, u32)> = Vec::new();
    for y in 0..edges.height {
        here.clear();
        let own = edges.row(y);
        runs(spread.row(y), |first, last| {
            let id = parents.len() as u32;
            parents.push(id);
            boxes.push(ends(own, first, last).map(|(low, high)| Blob {
                left: low,
                top: y,
                right: (high + 1).min(edges.width),
                bottom: y + 1,
            }));
            here.push((first, last, id));
        });
        // Both rows are in order: walk them side by side.
        let mut from = 0;
        for (first, last, id) in &here {
            while from < above.len() && above[from].1 + 1 < *first {
                from += 1;
            }
            for (_, _, other) in above[from..].iter().take_while(|(start, _, _)| *start <= last + 1) {
                let (a, b) = (root(&mut parents, *id), root(&mut parents, *other));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
        std::mem::swap(&mut above, &mut here);
    }
    for at in 0..parents.len() {
        let to = root(&mut parents, at as u32) as usize;
        if to != at
            && let Some(blob) = boxes[at].take()
        {
            match &mut boxes[to] {
                Some(whole) => whole.join(&blob),
                empty => *empty = Some(blob),
            }
        }
    }
    boxes.into_iter().flatten().collect()
}

/// What stands out on a screen.
pub(crate) struct Cut {
    /// What could be icons by its edges, from the top left.
    pub(crate) blobs: Vec<Blob>,
    /// What could be icons because it is white: over a photograph edges are everywhere.
    pub(crate) whites: Vec<Blob>,
}

/// Cuts the copy up; `scale` is its pixels a point, `ignore` are areas of it that hold no icons.
pub(crate) fn cut(copy: &Copy, scale: f32, ignore: &[Area]) -> Cut {
    let soft = edges(copy, EDGE);
    let lines = text_lines(&things(&soft, pixels(GAPS[0], scale)), scale);
    let mut blobs = Vec::new();
    for gap in GAPS {
        add_blobs(&mut blobs, things(&soft, pixels(gap, scale)), scale, ignore, &lines);
    }
    let whites = white_blobs(copy, scale, ignore, &blobs, &lines);
    let hard = edges(copy, HARD_EDGE);
    for gap in HARD_GAPS {
        add_blobs(&mut blobs, things(&hard, pixels(gap, scale)), scale, ignore, &lines);
    }
    if blobs.len() > MOST {
        // Twenty points or so is what most icons have.
        let size = |blob: &Blob| ((blob.width().max(blob.height()) as f32 / scale).max(1.0) / 22.0).ln().abs();
        blobs.sort_by(|a, b| size(a).total_cmp(&size(b)));
        blobs.truncate(MOST);
    }
    blobs.sort_by_key(|blob| (blob.top, blob.left));
    Cut { blobs, whites }
}

/// A gap of so many points in pixels.
fn pixels(gap: f32, scale: f32) -> usize {
    ((gap * scale).round() as usize).max(1)
}

/// Adds what could be icons and is not among the blobs yet.
fn add_blobs(blobs: &mut Vec<Blob>, found: Vec<Blob>, scale: f32, ignore: &[Area], lines: &[Blob]) {
    for blob in found {
        if blobs.len() >= 4 * MOST {
            return;
        }
        // An edge marks the pixel on either side of it, so that a box is two pixels larger than what it holds.
        let (width, height) = ((blob.width() as f32 - 2.0) / scale, (blob.height() as f32 - 2.0) / scale);
        let area = blob.area();
        let hidden = |other: &Area| area.shared(other) > 0.6 * area.size();
        if is_icon_size(width, height)
            && !ignore.iter().any(hidden)
            && !lines.iter().any(|line| is_text(&blob, line))
            && !blobs.iter().any(|other| same(other, &blob))
        {
            blobs.push(blob);
        }
    }
}

/// White things that their edges did not show.
fn white_blobs(copy: &Copy, scale: f32, ignore: &[Area], known: &[Blob], lines: &[Blob]) -> Vec<Blob> {
    let bits = whites(copy);
    let mut found: Vec<Blob> = Vec::new();
    for gap in [GAPS[0], GAPS[2]] {
        for thing in things(&bits, pixels(gap, scale)) {
            // As the others, with a rim of a pixel around.
            let blob = Blob {
                left: thing.left.saturating_sub(1),
                top: thing.top.saturating_sub(1),
                right: (thing.right + 1).min(copy.width),
                bottom: (thing.bottom + 1).min(copy.height),
            };
            let (width, height) = ((blob.width() as f32 - 2.0) / scale, (blob.height() as f32 - 2.0) / scale);
            let area = blob.area();
            if !is_icon_size(width, height)
                || width.max(height) < 9.0
                || ignore.iter().any(|other| area.shared(other) > 0.6 * area.size())
                || lines.iter().any(|line| is_text(&blob, line))
                || known.iter().any(|other| area.shared(&other.area()) > 0.9 * area.size())
                || found.iter().any(|other| same(other, &blob))
                || found.len() >= MOST / 4
            {
                continue;
            }
            found.push(blob);
        }
    }
    found
}

fn same(a: &Blob, b: &Blob) -> bool {
    let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
    near(a.left, b.left) && near(a.top, b.top) && near(a.right, b.right) && near(a.bottom, b.bottom)
}

/// Whether a thing is part of a line of text, or a piece of one.
fn is_text(blob: &Blob, line: &Blob) -> bool {
    let area = blob.area();
    area.shared(&line.area()) > 0.65 * area.size()
}

/// Rows of at least four letters that stand close to each other.
fn text_lines(found: &[Blob], scale: f32) -> Vec<Blob> {
    let tall = |blob: &&Blob| {
        let height = (blob.height() as f32 - 2.0) / scale;
        (3.5..=26.0).contains(&height) && blob.width() as f32 / scale <= 60.0
    };
    let mut letters: Vec<Blob> = found.iter().filter(tall).copied().collect();
    letters.sort_by_key(|letter| (letter.left, letter.top));
    let mut next: Vec<Option<usize>> = vec![None; letters.len()];
    let mut has_before = vec![false; letters.len()];
    for i in 0..letters.len() {
        let a = letters[i];
        for (j, b) in letters.iter().enumerate().skip(i + 1) {
            let (low, high) = (a.height().min(b.height()) as f32, a.height().max(b.height()) as f32);
            let reach = (0.34 * low.max(0.7 * high)).max(1.5 * scale);
            if b.left as f32 > a.right as f32 + 0.34 * 26.0 * scale {
                break;
            }
            let together = a.bottom.min(b.bottom) as f32 - a.top.max(b.top) as f32;
            if b.left as f32 - a.right as f32 <= reach
                && b.left + 1 >= a.right.saturating_sub((0.2 * high) as usize)
                && low > 0.42 * high
                && together > 0.7 * low
            {
                next[i] = Some(j);
                has_before[j] = true;
                break;
            }
        }
    }
    let mut lines = Vec::new();
    for start in (0..letters.len()).filter(|i| !has_before[*i]) {
        let (mut line, mut count, mut at) = (letters[start], 1, start);
        while let Some(further) = next[at] {
            line.join(&letters[further]);
            count += 1;
            at = further;
        }
        // Letters that touch are one blob as wide as several: count by the width.
        let wide = line.width() as f32 > 2.6 * line.height() as f32;
        if (count >= 2 && wide) || count >= 4 {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize, height: usize, rectangles: &[[usize; 4]]) -> Copy {
        let mut pixels = vec![[255u8; 3]; width * height];
        for [left, top, right, bottom] in rectangles {
            for y in *top..*bottom {
                pixels[y * width + left..y * width + right].fill([20, 60, 90]);
            }
        }
        Copy { width, height, pixels }
    }

    #[test]
    fn near_parts_are_one_thing_and_far_ones_are_two() {
        let copy = page(200, 100, &[[20, 20, 50, 24], [20, 30, 50, 34], [120, 20, 150, 50]]);
        let blobs = cut(&copy, 2.0, &[]).blobs;
        let whole = Blob { left: 19, top: 19, right: 51, bottom: 35 };
        let single = Blob { left: 119, top: 19, right: 151, bottom: 51 };
        assert!(blobs.contains(&whole) && blobs.contains(&single), "{blobs:?}");
        assert!(blobs.iter().all(|blob| blob.width() < 60), "{blobs:?}");
        let hidden = Area { x: 110.0, y: 10.0, width: 60.0, height: 60.0 };
        assert!(!cut(&copy, 2.0, &[hidden]).blobs.contains(&single));
    }

    #[test]
    fn a_row_of_letters_is_text() {
        let letters: Vec<[usize; 4]> = (0..8).map(|n| [20 + n * 14, 20, 30 + n * 14, 40]).collect();
        assert_eq!(cut(&page(300, 100, &letters), 2.0, &[]).blobs, []);
        // The same, further apart, is a row of buttons.
        let buttons: Vec<[usize; 4]> = (0..5).map(|n| [20 + n * 50, 20, 40 + n * 50, 40]).collect();
        assert_eq!(cut(&page(300, 100, &buttons), 2.0, &[]).blobs.len(), 5);
    }

    #[test]
    fn runs_and_ends_are_those_of_the_bits() {
        let row = [u64::MAX << 60, 0b1011, 1 << 63];
        let mut found = Vec::new();
        runs(&row, |first, last| found.push((first, last)));
        assert_eq!(found, [(60, 65), (67, 67), (191, 191)]);
        assert_eq!(ends(&row, 61, 190), Some((61, 67)));
        assert_eq!(ends(&row, 70, 180), None);
    }
}
