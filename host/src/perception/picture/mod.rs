//! Screenshots: decoding, scaling, marking and encoding, with bounds on size before anything is allocated.
//!
//! Knows encoded bytes and pixels. Does not know screens' content, frames or who asked. Sizes are in pixels.

mod black;
mod decode;
mod encode;
mod labels;
mod marks;
mod scale;

pub use decode::{LEAST_SIDE, MAX_PIXELS, decode, decode_screen, probe};
pub use encode::Encoded;
pub use marks::{Mark, marks_of};
pub use scale::{LONG_SIDE, Scaler, Wanted, default_scale, target_size};

use thiserror::Error;

/// Why a picture cannot be used. The sentences are for the caller.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PictureError {
    /// No bytes.
    #[error("the picture is empty")]
    Empty,
    /// Neither PNG nor JPEG.
    #[error("the bytes are not a PNG or JPEG picture")]
    NotAPicture,
    /// It ends before its end, or is damaged inside.
    #[error("the picture is cut off or damaged: {0}")]
    Damaged(String),
    /// More pixels than are ever decoded here.
    #[error("the picture is too large: {width}×{height} pixels, at most {most} in all; make it smaller")]
    TooLarge {
        /// As its header says.
        width: u32,
        /// As its header says.
        height: u32,
        /// How many pixels it may have.
        most: u64,
    },
    /// Fewer pixels a side than anything to be seen has.
    #[error(
        "the picture of {width}×{height} pixels is too small to show a screen, which has at least {LEAST_SIDE} a side"
    )]
    TooSmall {
        /// As its header says.
        width: u32,
        /// As its header says.
        height: u32,
    },
    /// It has no pixels, or none were asked for.
    #[error("a picture needs at least one pixel each way")]
    NoPixels,
    /// It cannot be made to fit.
    #[error("the picture cannot be made smaller than {smallest} bytes")]
    DoesNotFit {
        /// The smallest that could be reached, in bytes.
        smallest: usize,
    },
    /// An encoder or resizer refused.
    #[error("the picture could not be encoded: {0}")]
    Encoding(String),
}

/// Decoded pixels, row by row from the top left, three (RGB) or four (RGBA) bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// Bytes a pixel: 3 or 4.
    pub channels: u8,
    /// `width * height * channels` bytes.
    pub data: Vec<u8>,
}

impl Pixels {
    /// As the codecs and those who read pictures take them.
    pub(super) fn view(&self) -> fingertip_pixels::View<'_> {
        fingertip_pixels::View { width: self.width, height: self.height, channels: self.channels, data: &self.data }
    }

    /// Pixels of this size, or an error when `data` has another length.
    pub fn new(width: u32, height: u32, channels: u8, data: Vec<u8>) -> Result<Pixels, PictureError> {
        let want = u64::from(width) * u64::from(height) * u64::from(channels);
        if width == 0 || height == 0 || !(channels == 3 || channels == 4) {
            return Err(PictureError::NoPixels);
        }
        if data.len() as u64 != want {
            return Err(PictureError::Damaged(format!("{} bytes where {want} belong", data.len())));
        }
        Ok(Pixels { width, height, channels, data })
    }
}

#[cfg(test)]
mod tests;
