//! PNG and JPEG to pixels.
//!
//! Knows the two formats by their first bytes; what a caller believes about the format does not matter. Refuses absurd
//! headers before it allocates.

use super::{PictureError, Pixels};
use crate::neutral::PictureFormat;

/// Most pixels of a picture that is decoded.
pub const MAX_PIXELS: u64 = 100_000_000;

/// Fewest pixels a side of a screen's picture.
pub const LEAST_SIDE: u32 = 16;

/// Format and size in pixels as the first bytes say, without decoding.
pub fn probe(bytes: &[u8]) -> Result<(PictureFormat, u32, u32), PictureError> {
    let format = format(bytes)?;
    let (width, height) = match format {
        PictureFormat::Png => {
            // IHDR is always the first chunk: 8 bytes of signature, length, name, then width and height.
            let number = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes);
            match (number(16), number(20)) {
                (Some(width), Some(height)) if bytes.get(12..16) == Some(b"IHDR") => (width, height),
                _ => return Err(PictureError::Damaged("it ends within its header".into())),
            }
        }
        PictureFormat::Jpeg => fingertip_pixels::jpeg_size(bytes).map_err(PictureError::Damaged)?,
    };
    if width == 0 || height == 0 {
        return Err(PictureError::NoPixels);
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(PictureError::TooLarge { width, height, most: MAX_PIXELS });
    }
    Ok((format, width, height))
}

fn format(bytes: &[u8]) -> Result<PictureFormat, PictureError> {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
    const JPEG: &[u8] = &[0xFF, 0xD8, 0xFF];
    if bytes.is_empty() {
        Err(PictureError::Empty)
    } else if bytes.starts_with(PNG) {
        Ok(PictureFormat::Png)
    } else if bytes.starts_with(JPEG) {
        Ok(PictureFormat::Jpeg)
    } else if PNG.starts_with(bytes) || JPEG.starts_with(bytes) {
        Err(PictureError::Damaged("it ends within its header".into()))
    } else {
        Err(PictureError::NotAPicture)
    }
}

/// Decodes the picture of a screen in which something is looked for: neither a speck nor so large that looking takes minutes.
pub fn decode_screen(bytes: &[u8]) -> Result<Pixels, PictureError> {
    let (_, width, height) = probe(bytes)?;
    if width.min(height) < LEAST_SIDE {
        return Err(PictureError::TooSmall { width, height });
    }
    if u64::from(width) * u64::from(height) > fingertip_pixels::MOST_PIXELS {
        return Err(PictureError::TooLarge { width, height, most: fingertip_pixels::MOST_PIXELS });
    }
    decode(bytes)
}

/// Decodes a PNG or JPEG picture. Palettes, grey and 16 bits a channel become 8-bit RGB or RGBA.
pub fn decode(bytes: &[u8]) -> Result<Pixels, PictureError> {
    let (format, width, height) = probe(bytes)?;
    match format {
        PictureFormat::Png => {
            let raw = fingertip_pixels::decode_png(bytes, MAX_PIXELS as usize * 8).map_err(PictureError::Damaged)?;
            Pixels::new(raw.width, raw.height, raw.channels, raw.data)
        }
        PictureFormat::Jpeg => {
            let data = fingertip_pixels::decode_jpeg(bytes).map_err(PictureError::Damaged)?;
            Pixels::new(width, height, 3, data)
        }
    }
}
