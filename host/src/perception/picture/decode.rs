//! PNG and JPEG to pixels.
//!
//! Knows the two formats by their first bytes; what a caller believes about the format does not matter. Refuses absurd
//! headers before it allocates.

use super::{PictureError, Pixels};
use crate::neutral::PictureFormat;
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Most pixels of a picture that is decoded.
pub const MAX_PIXELS: u64 = 100_000_000;

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
        PictureFormat::Jpeg => {
            let mut decoder = jpeg(bytes);
            decoder.decode_headers().map_err(|error| PictureError::Damaged(error.to_string()))?;
            decoder
                .dimensions()
                .map(|(width, height)| (width as u32, height as u32))
                .ok_or_else(|| PictureError::Damaged("it has no size".into()))?
        }
    };
    if width == 0 || height == 0 {
        return Err(PictureError::NoPixels);
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(PictureError::TooLarge { width, height });
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

fn jpeg(bytes: &[u8]) -> JpegDecoder<ZCursor<&[u8]>> {
    let options = DecoderOptions::new_fast().jpeg_set_out_colorspace(ColorSpace::RGB).set_max_width(65_535).set_max_height(65_535);
    JpegDecoder::new_with_options(ZCursor::new(bytes), options)
}

/// Decodes a PNG or JPEG picture. Palettes, grey and 16 bits a channel become 8-bit RGB or RGBA.
pub fn decode(bytes: &[u8]) -> Result<Pixels, PictureError> {
    let (format, width, height) = probe(bytes)?;
    match format {
        PictureFormat::Png => png(bytes),
        PictureFormat::Jpeg => {
            let data = jpeg(bytes).decode().map_err(|error| PictureError::Damaged(error.to_string()))?;
            Pixels::new(width, height, 3, data)
        }
    }
}

fn png(bytes: &[u8]) -> Result<Pixels, PictureError> {
    let damaged = |error: png::DecodingError| PictureError::Damaged(error.to_string());
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MAX_PIXELS as usize * 8 });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(damaged)?;
    let size = reader.output_buffer_size().ok_or(PictureError::NoPixels)?;
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(damaged)?;
    data.truncate(info.buffer_size());
    let (width, height) = (info.width, info.height);
    match info.color_type {
        png::ColorType::Rgb => Pixels::new(width, height, 3, data),
        png::ColorType::Rgba => Pixels::new(width, height, 4, data),
        png::ColorType::Grayscale | png::ColorType::Indexed => {
            Pixels::new(width, height, 3, data.iter().flat_map(|v| [*v, *v, *v]).collect())
        }
        png::ColorType::GrayscaleAlpha => {
            let wide = data.as_chunks::<2>().0.iter().flat_map(|[v, a]| [*v, *v, *v, *a]).collect();
            Pixels::new(width, height, 4, wide)
        }
    }
}
