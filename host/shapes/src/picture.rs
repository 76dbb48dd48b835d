//! Pictures as they come, and smaller copies of them that are looked at.
//!
//! Knows bytes, sizes and averages; does not know what is looked for.

use crate::{Picture, error::Error};

/// More pixels than any phone or tablet has; a picture of 8000 by 8000 is refused.
pub const MAX_PIXELS: u64 = fingertip_pixels::MOST_PIXELS;

/// Says what is wrong with a picture, if something is: grey, RGB and RGBA are taken.
pub(crate) fn check(picture: &Picture<'_>) -> Result<(), Error> {
    let Picture { width, height, channels, data } = *picture;
    if !matches!(channels, 1 | 3 | 4) {
        return Err(Error::Channels(channels));
    }
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err(Error::Empty);
    }
    if pixels > MAX_PIXELS {
        return Err(Error::TooLarge(pixels));
    }
    let expected = pixels * u64::from(channels);
    if expected != data.len() as u64 {
        return Err(Error::Length { width, height, channels, expected, found: data.len() as u64 });
    }
    Ok(())
}

/// The bytes of a part of a checked picture; the part lies inside it.
pub(crate) fn part(picture: &Picture<'_>, left: u32, top: u32, right: u32, bottom: u32) -> Vec<u8> {
    let bytes = usize::from(picture.channels);
    let row = |y: u32| {
        let start = (y as usize * picture.width as usize + left as usize) * bytes;
        &picture.data[start..start + (right - left) as usize * bytes]
    };
    (top..bottom).flat_map(|y| row(y).iter().copied()).collect()
}

/// A part of a picture, in pixels of the picture from its top left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Area {
    /// Width times height.
    pub fn size(&self) -> f32 {
        self.width.max(0.0) * self.height.max(0.0)
    }

    /// The size of what two areas share.
    pub fn shared(&self, other: &Area) -> f32 {
        let width = (self.x + self.width).min(other.x + other.width) - self.x.max(other.x);
        let height = (self.y + self.height).min(other.y + other.height) - self.y.max(other.y);
        width.max(0.0) * height.max(0.0)
    }

    pub(crate) fn scaled(&self, by: f32) -> Area {
        Area { x: self.x * by, y: self.y * by, width: self.width * by, height: self.height * by }
    }
}

/// A copy in RGB at the size that is looked at.
pub(crate) struct Copy {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[u8; 3]>,
}

impl Copy {
    /// The picture at `by` times its size (at most 1), each pixel the mean of those that it stands for.
    pub(crate) fn of(picture: &Picture<'_>, by: f32) -> Copy {
        let (from_width, from_height) = (picture.width as usize, picture.height as usize);
        let by = by.min(1.0);
        let width = ((from_width as f32 * by).round() as usize).clamp(1, from_width);
        let height = ((from_height as f32 * by).round() as usize).clamp(1, from_height);
        match picture.channels {
            1 => smaller::<1>(picture, width, height),
            4 => smaller::<4>(picture, width, height),
            _ => smaller::<3>(picture, width, height),
        }
    }
}

/// The copy of a picture whose pixels have so many bytes.
fn smaller<const BYTES: usize>(picture: &Picture<'_>, width: usize, height: usize) -> Copy {
    let (from_width, from_height) = (picture.width as usize, picture.height as usize);
    let colour =
        |pixel: &[u8; BYTES]| [pixel[0], pixel[if BYTES > 1 { 1 } else { 0 }], pixel[if BYTES > 2 { 2 } else { 0 }]];
    if (width, height) == (from_width, from_height) {
        return Copy { width, height, pixels: picture.data.as_chunks::<BYTES>().0.iter().map(colour).collect() };
    }
    // First down, then across: each output is a weighted sum of the inputs that it covers. Weights are in 1/256; between
    // the two rounds 8 bits of fraction are kept, so that sums fit in 32 bits.
    let down = spans(from_height, height);
    let across = spans(from_width, width);
    let mut pixels = vec![[0u8; 3]; width * height];
    let rows = |spans: &[Span], out: &mut [[u8; 3]]| {
        let mut sums = vec![0u16; from_width * BYTES];
        for (span, out) in spans.iter().zip(out.chunks_exact_mut(width)) {
            sums.fill(0);
            for (i, weight) in span.weights.iter().enumerate() {
                let start = (span.first + i) * from_width * BYTES;
                let weight = *weight as u16;
                for (sum, value) in sums.iter_mut().zip(&picture.data[start..start + from_width * BYTES]) {
                    *sum += u16::from(*value) * weight;
                }
            }
            let sums = sums.as_chunks::<BYTES>().0;
            for (out, span) in out.iter_mut().zip(&across) {
                let mut sum = [32768u32; 3];
                for (pixel, weight) in sums[span.first..].iter().zip(&span.weights) {
                    sum[0] += u32::from(pixel[0]) * weight;
                    if BYTES > 2 {
                        sum[1] += u32::from(pixel[1]) * weight;
                        sum[2] += u32::from(pixel[2]) * weight;
                    }
                }
                *out = if BYTES > 2 { sum.map(|s| (s >> 16) as u8) } else { [(sum[0] >> 16) as u8; 3] };
            }
        }
    };
    let half = height / 2;
    let (upper, lower) = pixels.split_at_mut(half * width);
    std::thread::scope(|scope| {
        scope.spawn(|| rows(&down[..half], upper));
        rows(&down[half..], lower);
    });
    Copy { width, height, pixels }
}

/// Which inputs an output covers, with weights that add up to 256.
struct Span {
    first: usize,
    weights: Vec<u32>,
}

fn spans(from: usize, to: usize) -> Vec<Span> {
    let step = from as f32 / to as f32;
    (0..to)
        .map(|i| {
            let (start, end) = (i as f32 * step, ((i + 1) as f32 * step).min(from as f32));
            let first = (start as usize).min(from - 1);
            let last = (end.ceil() as usize).clamp(first + 1, from);
            let part = |at: usize| (end.min(at as f32 + 1.0) - start.max(at as f32)).max(0.0);
            let total: f32 = (first..last).map(part).sum::<f32>().max(f32::MIN_POSITIVE);
            let mut weights: Vec<u32> = (first..last).map(|at| (part(at) / total * 256.0) as u32).collect();
            let missing = 256u32.saturating_sub(weights.iter().sum());
            if let Some(middle) = weights.get_mut((last - first) / 2) {
                *middle += missing;
            }
            Span { first, weights }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_copies_hold_the_means() {
        let data: Vec<u8> = (0..6 * 4).flat_map(|at| [if at % 2 == 0 { 200 } else { 100 }, 7, 255, 0]).collect();
        let picture = Picture { width: 6, height: 4, channels: 4, data: &data };
        assert_eq!(check(&picture), Ok(()));
        let half = Copy::of(&picture, 0.5);
        assert_eq!((half.width, half.height), (3, 2));
        assert!(half.pixels.iter().all(|pixel| *pixel == [150, 7, 255]), "{:?}", half.pixels);
        let whole = Copy::of(&picture, 3.0);
        assert_eq!(whole.pixels[1], [100, 7, 255]);
        let grey = Picture { width: 3, height: 1, channels: 1, data: &[0, 90, 255] };
        assert_eq!(Copy::of(&grey, 0.4).pixels, [[115; 3]]);
        assert_eq!(part(&picture, 4, 3, 6, 4), &data[22 * 4..]);
    }
}
