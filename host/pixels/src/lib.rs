//! The loops over pixels: decoding, resizing and encoding.
//!
//! The codecs are generic code, which is compiled where it is used. Here, and not in the host, so that a dev build can
//! optimise it fully and compiles it once. It knows bytes and sizes; what a picture is for, and what is said of one that
//! cannot be read, is the host's.

#![forbid(unsafe_code)]

use fast_image_resize::{
    FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::{U8x3, U8x4},
};
use std::io::Cursor;
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

/// Most pixels of a picture in which something is looked for: four times what tablets have, and more than long pages that are
/// put together of several screens.
pub const MOST_PIXELS: u64 = 24_000_000;

/// Rows of pixels from the top left, three (RGB) or four (RGBA) bytes each.
pub struct Raw {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Bytes a pixel: 3 or 4.
    pub channels: u8,
    /// `width * height * channels` bytes.
    pub data: Vec<u8>,
}

/// The same, borrowed, in whatever order of bytes its reader takes: the codecs RGB and RGBA, others grey too.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Bytes a pixel.
    pub channels: u8,
    /// `width * height * channels` bytes.
    pub data: &'a [u8],
}

/// Decodes a PNG picture into 8-bit RGB or RGBA; `max_bytes` bounds what the decoder allocates.
///
/// # Errors
/// What the decoder says of the picture.
pub fn decode_png(bytes: &[u8], max_bytes: usize) -> Result<Raw, String> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: max_bytes });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().ok_or("it has no pixels")?;
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(|error| error.to_string())?;
    data.truncate(info.buffer_size());
    let (channels, data) = match info.color_type {
        png::ColorType::Rgb => (3, data),
        png::ColorType::Rgba => (4, data),
        png::ColorType::Grayscale | png::ColorType::Indexed => (3, data.iter().flat_map(|v| [*v, *v, *v]).collect()),
        png::ColorType::GrayscaleAlpha => {
            (4, data.as_chunks::<2>().0.iter().flat_map(|[v, a]| [*v, *v, *v, *a]).collect())
        }
    };
    Ok(Raw { width: info.width, height: info.height, channels, data })
}

fn jpeg(bytes: &[u8]) -> JpegDecoder<ZCursor<&[u8]>> {
    let options = DecoderOptions::new_fast()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(65_535)
        .set_max_height(65_535);
    JpegDecoder::new_with_options(ZCursor::new(bytes), options)
}

/// Width and height in pixels that a JPEG's header states.
///
/// # Errors
/// What the decoder says of the header.
pub fn jpeg_size(bytes: &[u8]) -> Result<(u32, u32), String> {
    let mut decoder = jpeg(bytes);
    decoder.decode_headers().map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    Ok((width as u32, height as u32))
}

/// Decodes a JPEG picture into RGB.
///
/// # Errors
/// What the decoder says of the picture.
pub fn decode_jpeg(bytes: &[u8]) -> Result<Vec<u8>, String> {
    // The decoder fills up what is missing with grey. Within the picture's data these two bytes stand at its end alone.
    let last = |marker: [u8; 2]| bytes.windows(2).rposition(|pair| pair == marker);
    if last([0xFF, 0xD9]) < last([0xFF, 0xDA]) {
        return Err("it ends before its end".to_owned());
    }
    jpeg(bytes).decode().map_err(|error| error.to_string())
}

/// Resizes with a bilinear filter wide enough to miss nothing. Keeps its buffers from one picture to the next.
#[derive(Default)]
pub struct Scaler(Resizer);

impl Scaler {
    /// The pixels at another size, with as many channels.
    ///
    /// # Errors
    /// When the data has another length than the sizes say.
    pub fn resize(&mut self, pixels: View<'_>, width: u32, height: u32) -> Result<Vec<u8>, String> {
        match pixels.channels {
            4 => self.typed::<U8x4>(pixels, width, height),
            _ => self.typed::<U8x3>(pixels, width, height),
        }
    }

    // By the pixel's type: the way that finds the type out at run time is compiled for all sixteen there are.
    fn typed<P: PixelTrait>(&mut self, pixels: View<'_>, width: u32, height: u32) -> Result<Vec<u8>, String> {
        let source = TypedImageRef::<P>::from_buffer(pixels.width, pixels.height, pixels.data)
            .map_err(|error| error.to_string())?;
        let mut data = vec![0; width as usize * height as usize * usize::from(pixels.channels)];
        let mut target = TypedImage::<P>::from_buffer(width, height, &mut data).map_err(|error| error.to_string())?;
        // A screenshot is opaque; its alpha channel is only carried along.
        let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear)).use_alpha(false);
        self.0.resize_typed(&source, &mut target, &options).map_err(|error| error.to_string())?;
        drop(target);
        Ok(data)
    }
}

/// Encodes as JPEG; `quality` from 1 to 100.
///
/// # Errors
/// When a side is over 65,535 pixels, or the encoder refuses.
pub fn encode_jpeg(pixels: View<'_>, quality: u8) -> Result<Vec<u8>, String> {
    let size = |side: u32| u16::try_from(side).map_err(|_| "JPEG reaches to 65,535 pixels a side".to_owned());
    let (width, height) = (size(pixels.width)?, size(pixels.height)?);
    let color = if pixels.channels == 4 { jpeg_encoder::ColorType::Rgba } else { jpeg_encoder::ColorType::Rgb };
    let mut bytes = Vec::with_capacity(pixels.data.len() / 16);
    let encoder = jpeg_encoder::Encoder::new(&mut bytes, quality.clamp(1, 100));
    encoder.encode(pixels.data, width, height, color).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Encodes as PNG, quickly rather than small.
///
/// # Errors
/// When the encoder refuses.
pub fn encode_png(pixels: View<'_>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(pixels.data.len() / 8);
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width, pixels.height);
    encoder.set_color(if pixels.channels == 4 { png::ColorType::Rgba } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
    writer.write_image_data(pixels.data).map_err(|error| error.to_string())?;
    writer.finish().map_err(|error| error.to_string())?;
    Ok(bytes)
}
