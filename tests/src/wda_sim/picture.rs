//! Pictures for the wire: base64, a part of a picture, and JPEG for the stream.

use base64::Engine;
use driver_api::{Picture, Rect};
use serde_json::Value;
use std::io;

/// Text of the bytes.
pub(crate) fn base64(bytes: impl AsRef<[u8]>) -> Value {
    base64::engine::general_purpose::STANDARD.encode(bytes).into()
}

/// Pixels of a picture.
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    channels: usize,
    bytes: Vec<u8>,
}

/// Decodes the phone's picture.
pub(crate) fn decode(picture: &Picture) -> io::Result<Pixels> {
    let mut decoder = png::Decoder::new(io::Cursor::new(&picture.bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(io::Error::other)?;
    let size = reader.output_buffer_size().ok_or_else(|| io::Error::other("too large"))?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(io::Error::other)?;
    bytes.truncate(info.buffer_size());
    let (width, height) = (info.width as usize, info.height as usize);
    Ok(Pixels { width, height, channels: info.color_type.samples(), bytes })
}

impl Pixels {
    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let start = (y.min(self.height - 1) * self.width + x.min(self.width - 1)) * self.channels;
        let pixel = &self.bytes[start..start + self.channels];
        match pixel {
            [gray] | [gray, _] => [*gray; 3],
            [red, green, blue, ..] => [*red, *green, *blue],
            [] => [0; 3],
        }
    }

    /// A JPEG of every pixel at `percent` of the size.
    pub(crate) fn jpeg(&self, percent: f64, quality: u8) -> io::Result<Vec<u8>> {
        let part = (percent / 100.0).clamp(0.05, 1.0);
        let width = ((self.width as f64 * part) as usize).max(1);
        let height = ((self.height as f64 * part) as usize).max(1);
        let mut pixels = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                pixels.extend(self.at((x as f64 / part) as usize, (y as f64 / part) as usize));
            }
        }
        let mut bytes = Vec::new();
        jpeg_encoder::Encoder::new(&mut bytes, quality)
            .encode(&pixels, width as u16, height as u16, jpeg_encoder::ColorType::Rgb)
            .map_err(io::Error::other)?;
        Ok(bytes)
    }
}

/// The PNG of a part, given in points.
pub(crate) fn cut(picture: &Picture, part: Rect, scale: f64) -> io::Result<Vec<u8>> {
    let pixels = decode(picture)?;
    let (left, top) = ((part.x * scale) as usize, (part.y * scale) as usize);
    let width = ((part.width * scale) as usize).clamp(1, pixels.width);
    let height = ((part.height * scale) as usize).clamp(1, pixels.height);
    let mut data = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            data.extend(pixels.at(left + x, top + y));
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&data).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)?;
    Ok(bytes)
}
