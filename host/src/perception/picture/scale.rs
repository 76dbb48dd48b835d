//! Which size a picture is given, and giving it.
//!
//! Knows sizes and the resizer, whose buffers it keeps. Never makes a picture larger.

use super::encode::{QUALITY, media_type};
use super::{Encoded, Mark, PictureError, Pixels, decode, probe};
use crate::neutral::{PictureFormat, Screen};
use crate::perception::geometry::PixelSize;

/// Longest side, in pixels, of a picture whose scale nobody asked for.
pub const LONG_SIDE: f64 = 1568.0;

/// Pixels a point when nobody asks for a scale: one, or less where the long side would pass [`LONG_SIDE`].
pub fn default_scale(screen: &Screen) -> f64 {
    let long = screen.width.max(screen.height);
    if long > 0.0 && long.is_finite() { (LONG_SIDE / long).min(1.0) } else { 1.0 }
}

/// The size in pixels of a picture of `screen` at `scale` pixels a point (`None`: [`default_scale`]), never above the
/// picture's own size `own`. A screen without a size counts as one whose point is a pixel of the picture.
pub fn target_size(screen: &Screen, own: PixelSize, scale: Option<f64>) -> PixelSize {
    let sound = screen.width >= 1.0 && screen.height >= 1.0 && screen.width.is_finite() && screen.height.is_finite();
    let (width, height) =
        if sound { (screen.width, screen.height) } else { (f64::from(own.width), f64::from(own.height)) };
    let scale = scale.filter(|s| s.is_finite() && *s > 0.0).unwrap_or_else(|| (LONG_SIDE / width.max(height)).min(1.0));
    let most = f64::min(f64::from(own.width) / width, f64::from(own.height) / height);
    if scale >= most {
        return own;
    }
    let side = |points: f64, own: u32| ((points * scale).round() as u32).clamp(1, own.max(1));
    PixelSize { width: side(width, own.width), height: side(height, own.height) }
}

/// What a picture should become.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Its size in pixels; `None` leaves it as it is. Nothing is made larger.
    pub size: Option<PixelSize>,
    /// How it should be encoded.
    pub format: PictureFormat,
    /// Most bytes; then JPEG, then lower quality, then smaller.
    pub max_bytes: Option<usize>,
    /// Boxes with labels to draw, in points of the screen that the whole picture shows.
    pub marks: &'a [Mark],
    /// That screen; needed for marks only.
    pub screen: Option<&'a Screen>,
}

/// Scales pictures, reusing its buffers from one to the next. One for each thread that scales.
#[derive(Default)]
pub struct Scaler {
    resizer: fingertip_pixels::Scaler,
}

impl Scaler {
    /// A new one.
    pub fn new() -> Scaler {
        Scaler::default()
    }

    /// The pixels at this size (not larger than they are; a bilinear filter wide enough to miss nothing).
    pub fn resize(&mut self, pixels: &Pixels, width: u32, height: u32) -> Result<Pixels, PictureError> {
        let (width, height) = (width.clamp(1, pixels.width), height.clamp(1, pixels.height));
        if (width, height) == (pixels.width, pixels.height) {
            return Ok(pixels.clone());
        }
        let data = self.resizer.resize(pixels.view(), width, height).map_err(PictureError::Encoding)?;
        Pixels::new(width, height, pixels.channels, data)
    }

    /// Decodes `bytes` and makes of it what is wanted. A picture that is so already is passed through untouched.
    pub fn scaled(&mut self, bytes: &[u8], wanted: &Wanted<'_>) -> Result<Encoded, PictureError> {
        let (format, width, height) = probe(bytes)?;
        let size = wanted.size.unwrap_or(PixelSize { width, height });
        let same_size = size.width >= width && size.height >= height;
        let fits = wanted.max_bytes.is_none_or(|max| bytes.len() <= max);
        if same_size && fits && format == wanted.format && wanted.marks.is_empty() {
            return Ok(Encoded { media_type: media_type(format), format, bytes: bytes.to_vec(), width, height });
        }
        let mut pixels = decode(bytes)?;
        if !same_size {
            pixels = self.resize(&pixels, size.width, size.height)?;
        }
        self.finish(pixels, wanted)
    }

    /// Draws the marks and encodes.
    pub fn finish(&mut self, mut pixels: Pixels, wanted: &Wanted<'_>) -> Result<Encoded, PictureError> {
        if let (false, Some(screen)) = (wanted.marks.is_empty(), wanted.screen) {
            pixels.draw_marks(wanted.marks, screen);
        }
        match wanted.max_bytes {
            Some(max_bytes) => self.fit(&pixels, wanted.format, max_bytes),
            None => pixels.encode(wanted.format, QUALITY),
        }
    }
}
