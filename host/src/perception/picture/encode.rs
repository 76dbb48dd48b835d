//! Pixels to PNG and JPEG, and to a size in bytes.
//!
//! Knows encoders. Does not know what the bytes are for; a bound on them is the caller's.

use super::{PictureError, Pixels, Scaler};
use crate::neutral::PictureFormat;

/// An encoded picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// `image/jpeg` or `image/png`.
    pub media_type: &'static str,
    /// How it is encoded.
    pub format: PictureFormat,
    /// The encoded bytes.
    pub bytes: Vec<u8>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// JPEG quality of a picture that need not be small.
pub(super) const QUALITY: u8 = 80;
/// Lower qualities that are tried, in order, before the picture is made smaller.
const LOWER: [u8; 3] = [65, 50, 35];

/// The media type of a format.
pub(super) fn media_type(format: PictureFormat) -> &'static str {
    match format {
        PictureFormat::Png => "image/png",
        PictureFormat::Jpeg => "image/jpeg",
    }
}

impl Pixels {
    /// Encodes the pixels; `quality` from 1 to 100 matters to JPEG only.
    pub fn encode(&self, format: PictureFormat, quality: u8) -> Result<Encoded, PictureError> {
        let bytes = match format {
            PictureFormat::Png => fingertip_pixels::encode_png(self.view()),
            PictureFormat::Jpeg => fingertip_pixels::encode_jpeg(self.view(), quality),
        }
        .map_err(PictureError::Encoding)?;
        Ok(Encoded { media_type: media_type(format), format, bytes, width: self.width, height: self.height })
    }
}

impl Scaler {
    /// Encodes the pixels in at most `max_bytes`: in `format` if that fits, else as JPEG, then in lower quality, then
    /// smaller. The answer's width and height say what became of it.
    pub fn fit(&mut self, pixels: &Pixels, format: PictureFormat, max_bytes: usize) -> Result<Encoded, PictureError> {
        let mut last = pixels.encode(format, QUALITY)?;
        if last.bytes.len() <= max_bytes {
            return Ok(last);
        }
        if format != PictureFormat::Jpeg {
            last = pixels.encode(PictureFormat::Jpeg, QUALITY)?;
            if last.bytes.len() <= max_bytes {
                return Ok(last);
            }
        }
        for quality in LOWER {
            last = pixels.encode(PictureFormat::Jpeg, quality)?;
            if last.bytes.len() <= max_bytes {
                return Ok(last);
            }
        }
        // Bytes go about with the area; a little less each time, so that the second try nearly always fits.
        let mut size = (f64::from(pixels.width), f64::from(pixels.height));
        for _ in 0..24 {
            let over = max_bytes as f64 / last.bytes.len().max(1) as f64;
            let shrink = (over.sqrt() * 0.95).clamp(0.25, 0.9);
            size = (size.0 * shrink, size.1 * shrink);
            let (width, height) = ((size.0.round() as u32).max(1), (size.1.round() as u32).max(1));
            last = self.resize(pixels, width, height)?.encode(PictureFormat::Jpeg, 50)?;
            if last.bytes.len() <= max_bytes {
                return Ok(last);
            }
            if width == 1 && height == 1 {
                break;
            }
        }
        Err(PictureError::DoesNotFit { smallest: last.bytes.len() })
    }
}
