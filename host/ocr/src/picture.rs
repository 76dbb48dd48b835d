//! The picture as it is handed in.
//!
//! Knows sizes and bytes; how it was decoded and from which screen it is, is the caller's.

use crate::OcrError;

/// Most pixels that are read: a screen has a few million, a long stitched page some tens of millions.
const MOST_PIXELS: u64 = 100_000_000;

/// Rows of pixels from the top left, three (RGB) or four (RGBA) bytes each. The fourth is not looked at.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Bytes a pixel: 3 or 4.
    pub channels: u8,
    /// `width * height * channels` bytes.
    pub data: &'a [u8],
}

impl Picture<'_> {
    /// Whether it can be read at all; looked at before anything is allocated for it.
    pub(crate) fn check(&self) -> Result<(), OcrError> {
        let Picture { width, height, channels, data } = *self;
        if width == 0 || height == 0 {
            return Err(OcrError::Empty { width, height });
        }
        let pixels = u64::from(width) * u64::from(height);
        if pixels > MOST_PIXELS {
            return Err(OcrError::TooLarge { width, height, most: MOST_PIXELS });
        }
        if channels != 3 && channels != 4 {
            return Err(OcrError::Channels { channels });
        }
        let (expected, actual) = (pixels * u64::from(channels), data.len() as u64);
        if expected == actual { Ok(()) } else { Err(OcrError::Length { expected, actual }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_pictures_are_refused_by_name() {
        let check =
            |width, height, channels, bytes: usize| Picture { width, height, channels, data: &vec![0; bytes] }.check();
        assert_eq!(check(0, 5, 3, 0), Err(OcrError::Empty { width: 0, height: 5 }));
        assert_eq!(check(2, 2, 1, 4), Err(OcrError::Channels { channels: 1 }));
        assert_eq!(check(2, 2, 3, 11), Err(OcrError::Length { expected: 12, actual: 11 }));
        assert!(matches!(check(u32::MAX, u32::MAX, 4, 0), Err(OcrError::TooLarge { .. })));
        assert_eq!(check(1, 1, 3, 3), Ok(()));
    }
}
