//! One screen, looked at: its glyphs, and what each could be.
//!
//! Knows how a glyph is told from what is behind it, and how candidates compete. Does not know devices or trees.

use crate::{
    blobs::{self, Blob, Cut},
    concepts::concepts,
    ink::Ink,
    picture::{Area, Copy},
    plate::{self, Held},
    print::{LEAST, Print},
    table::Table,
};

/// Pixels a point at which screens are looked at; finer pictures are made smaller.
pub(crate) const FINE: f32 = 2.0;
/// A glyph must differ from what is behind it by as much.
const CONTRAST: u8 = 20;

/// A longer side of fewer pixels of the copy is too coarse.
const COARSE: f32 = 10.5;

/// The least size of a plate whose glyph is looked at by itself, in points.
const PLATE: f32 = 24.0;

/// Being ahead by more does not make it surer.
const AHEAD: f32 = 0.12;
/// Shapes that are as alike are the same.
const TWIN: f32 = 0.92;
/// Another concept that is better by more takes the place.
const MARGIN: f32 = 0.03;
/// Sureness from which a place is taken for the icon.
pub const ACCEPT: f32 = 0.85;

/// A small thing on a screen and how much it is like each concept.
pub(crate) struct Glyph {
    /// In pixels of the picture.
    pub(crate) area: Area,
    /// Whether it has the size of an icon among text.
    pub(crate) small: bool,
    /// Whether it has too few pixels to show what it is.
    pub(crate) coarse: bool,
    /// Whether it is a piece of a larger glyph that shows something itself: a line of a menu icon.
    pub(crate) part: bool,
    /// The best score of each concept's shapes, and which shape has it; the last is that of letters.
    pub(crate) scores: Vec<(f32, u16)>,
}

/// The pixels on the rim of a part of the copy.
fn rim(copy: &Copy, blob: &Blob) -> Vec<[u8; 3]> {
    let pixel = |x: usize, y: usize| copy.pixels[y * copy.width + x];
    let mut rim: Vec<[u8; 3]> = Vec::with_capacity(2 * (blob.width() + blob.height()));
    rim.extend((blob.left..blob.right).flat_map(|x| [pixel(x, blob.top), pixel(x, blob.bottom - 1)]));
    rim.extend((blob.top..blob.bottom).flat_map(|y| [pixel(blob.left, y), pixel(blob.right - 1, y)]));
    rim
}

/// The middle value of each channel.
fn middle(pixels: &[[u8; 3]]) -> [u8; 3] {
    std::array::from_fn(|c| {
        let mut values: Vec<u8> = pixels.iter().map(|p| p[c]).collect();
        let half = values.len() / 2;
        *values.select_nth_unstable(half).1
    })
}

/// Ink of something white over something that is not plain: how white each pixel is.
fn white_ink(copy: &Copy, blob: &Blob) -> Option<Ink> {
    let rim = rim(copy, blob);
    let around = middle(&rim);
    let apart = |p: &[u8; 3]| p.iter().zip(&around).map(|(a, b)| usize::from(a.abs_diff(*b))).sum::<usize>();
    let busy = rim.iter().map(apart).sum::<usize>() > 3 * 6 * rim.len();
    if !busy {
        return None;
    }
    let (width, height) = (blob.width(), blob.height());
    let mut values = Vec::with_capacity(width * height);
    for y in blob.top..blob.bottom {
        let row = &copy.pixels[y * copy.width + blob.left..y * copy.width + blob.right];
        values.extend(row.iter().map(|p| (f32::from(p[0].min(p[1]).min(p[2])) - 180.0).clamp(0.0, 60.0) / 60.0));
    }
    Some(Ink { width, height, values })
}

/// Ink in a part of the copy: how far each pixel is from the colour around.
pub(crate) fn ink(copy: &Copy, blob: &Blob) -> Option<Ink> {
    let (width, height) = (blob.width(), blob.height());
    let middle = middle(&rim(copy, blob));
    let mut far = vec![0u8; width * height];
    let mut counts = [0usize; 256];
    for (y, row) in far.chunks_exact_mut(width).enumerate() {
        let start = (blob.top + y) * copy.width + blob.left;
        for (value, p) in row.iter_mut().zip(&copy.pixels[start..start + width]) {
            *value = p[0].abs_diff(middle[0]).max(p[1].abs_diff(middle[1])).max(p[2].abs_diff(middle[2]));
            counts[usize::from(*value)] += 1;
        }
    }
    let most = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    // What is full ink: the upper part of what stands out, not a single bright pixel.
    let low = most / 3;
    let standing: usize = counts[low + 1..].iter().sum();
    let mut left = standing / 4;
    let mut full = most;
    while full > low && counts[full] <= left {
        left -= counts[full];
        full -= 1;
    }
    if full < usize::from(CONTRAST) {
        return None;
    }
    let values = far.iter().map(|v| (f32::from(*v) / full as f32).min(1.0)).map(|v| if v < 0.1 { 0.0 } else { v });
    Some(Ink { width, height, values: values.collect() })
}

/// How much a print is like each concept; `flipped` is the print the other way round, on a mirrored screen.
pub(crate) fn scores(table: &Table, print: &Print, flipped: Option<&Print>) -> Vec<(f32, u16)> {
    let mut scores = vec![(0f32, 0); concepts().len() + 1];
    for (index, shape) in table.shapes.iter().enumerate() {
        let own = if shape.mirrors { flipped.unwrap_or(print) } else { print };
        let best = &mut scores[shape.concept.unwrap_or(concepts().len())];
        let Some(score) = shape.print.alike(own, best.0) else { continue };
        if score > best.0 {
            *best = (score, index as u16);
        }
    }
    scores
}

/// Looks at each blob, on two threads; `to` leads from the copy's
/// pixels to the picture's, across and down; `scale` is the copy's pixels a point.
pub(crate) fn glyphs(table: &Table, copy: &Copy, cut: &Cut, to: [f32; 2], scale: f32, mirrored: bool) -> Vec<Glyph> {
    let glyph = |blob: &Blob, ink: &Ink| -> Option<Glyph> {
        let [left, top, right, bottom] = ink.bounds()?;
        // What has text's proportions once its faint rim is cut away.
        if !blobs::is_icon_size((right - left) / scale, (bottom - top) / scale) {
            return None;
        }
        let print = Print::of(ink)?;
        let flipped = if mirrored { Print::of(&ink.mirrored()) } else { None };
        let scores = scores(table, &print, flipped.as_ref());
        let longest = (right - left).max(bottom - top);
        let small = (10.0..=30.0).contains(&(longest / scale));
        let area = Area {
            x: (blob.left as f32 + left) * to[0],
            y: (blob.top as f32 + top) * to[1],
            width: (right - left) * to[0],
            height: (bottom - top) * to[1],
        };
        Some(Glyph { area, small, coarse: longest < COARSE, part: false, scores })
    };
    // A glyph, and apart from it what it holds if it is a plate: where edges are soft, both are one thing.
    let look = |(blob, white): (&Blob, bool)| -> [Option<Glyph>; 2] {
        let Some(ink) = (if white { white_ink(copy, blob) } else { ink(copy, blob) }) else { return [None, None] };
        let held = match plate::held(&ink) {
            Some(Held::Glyph(held)) if blob.width().max(blob.height()) as f32 >= PLATE * scale => glyph(blob, &held),
            _ => None,
        };
        [glyph(blob, &ink), held]
    };
    // Every other one each: neighbours take alike long.
    let all: Vec<(&Blob, bool)> =
        cut.blobs.iter().map(|blob| (blob, false)).chain(cut.whites.iter().map(|blob| (blob, true))).collect();
    let half = |odd: usize| all.iter().copied().skip(odd).step_by(2).map(look).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut looked = half(0);
        looked.extend(other.join().unwrap_or_default());
        let (glyphs, held): (Vec<_>, Vec<_>) = looked.into_iter().map(|[glyph, held]| (glyph, held)).unzip();
        let mut glyphs: Vec<Glyph> = glyphs.into_iter().flatten().collect();
        for held in held.into_iter().flatten() {
            let own = held.area;
            // The meridians of a globe are no grid.
            let of_known = |whole: &Glyph| {
                whole.area.shared(&own) > 0.9 * own.size() && whole.area.size() > own.size() && is_known(table, whole)
            };
            let same = |other: &Glyph| other.area.shared(&own) > 0.7 * own.size().max(other.area.size());
            if !glyphs.iter().any(|other| same(other) || of_known(other)) {
                glyphs.push(held);
            }
        }
        mark_parts(table, &mut glyphs);
        glyphs
    })
}

/// Whether a glyph is like the shape of some concept, and not just a plain disc, ring or box.
fn is_known(table: &Table, glyph: &Glyph) -> bool {
    best(glyph).0 >= ACCEPT && !is_plain(table, glyph)
}

/// Whether what a glyph is most like is a plain disc, ring, box or bar.
pub(crate) fn is_plain(table: &Table, glyph: &Glyph) -> bool {
    table.shapes.get(usize::from(best(glyph).1)).is_some_and(|shape| shape.print.plain || shape.print.is_bar())
}

/// The best score of all concepts, and the shape that has it.
fn best(glyph: &Glyph) -> (f32, u16) {
    let of_concepts = glyph.scores.iter().take(concepts().len()).copied();
    of_concepts.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
}

/// Marks the pieces of larger glyphs. What stands in the middle of a ring or a box is none: the cross in a circle is a
/// cross too.
fn mark_parts(table: &Table, glyphs: &mut [Glyph]) {
    let wholes: Vec<Area> = glyphs.iter().filter(|glyph| is_known(table, glyph)).map(|glyph| glyph.area).collect();
    for glyph in glyphs {
        let own = glyph.area;
        glyph.part = wholes.iter().any(|whole| {
            let inside = own.shared(whole) > 0.85 * own.size() && whole.size() > 1.3 * own.size();
            let off = |at: f32, length: f32, whole_at: f32, whole_length: f32| {
                (at + length / 2.0 - whole_at - whole_length / 2.0).abs() > 0.1 * whole_length
            };
            let aside = off(own.x, own.width, whole.x, whole.width) || off(own.y, own.height, whole.y, whole.height);
            let long = own.width.max(own.height) / whole.width.max(whole.height);
            // Rings and boxes are about as wide as high.
            let round = (0.75..=1.34).contains(&(whole.width / whole.height));
            inside && (aside || !round || !(0.25..=0.8).contains(&long))
        });
    }
}

/// The concepts that a glyph is most like, in the table's order.
pub(crate) fn likeliest(glyph: &Glyph) -> Vec<usize> {
    let least = best(glyph).0.max(LEAST) - MARGIN;
    (0..concepts().len()).filter(|concept| glyph.scores[*concept].0 >= least).collect()
}

/// How sure it is that a glyph shows a concept, from 0 to 1, and which shape says so.
///
/// Two shapes may be equally like a glyph because they are alike themselves (back and a chevron to the left): such do not
/// compete. Of all others the concept must be ahead; how far ahead says as much as how alike it is.
pub(crate) fn sure(table: &Table, glyph: &Glyph, concept: usize) -> Option<(f32, u16)> {
    let (own, shape) = *glyph.scores.get(concept)?;
    if own < LEAST {
        return None;
    }
    let print = &table.shapes.get(usize::from(shape))?.print;
    let (mut best, mut rival) = (own, 0f32);
    for (index, (score, other)) in glyph.scores.iter().enumerate() {
        if index == concept || *score < own - AHEAD {
            continue;
        }
        best = best.max(*score);
        let twin = table.shapes.get(usize::from(*other)).is_some_and(|other| other.print.alike(print, TWIN).is_some());
        if !twin {
            rival = rival.max(*score);
        }
    }
    let ahead = (own - rival).min(AHEAD);
    let sure = own + 0.6 * (ahead - 0.05);
    // What another shape shows clearly better is that.
    let behind = best - own;
    let sure = if behind > MARGIN { sure.min(ACCEPT - 0.01) - behind } else { sure };
    // Dots, pictures of people and buttons are discs and boxes too; those that are icons have an icon's size.
    let sure = if print.plain && !glyph.small { sure.min(ACCEPT - 0.01) } else { sure };
    let sure = if glyph.part || glyph.coarse { sure.min(ACCEPT - 0.01) } else { sure };
    Some((sure.clamp(0.0, 1.0), shape))
}
