//! The picture as it is handed in.
//!
//! Knows sizes and bytes; how it was decoded and from which screen it is, is the caller's.

use crate::{OcrError, Picture};
use fingertip_pixels::MOST_PIXELS;

/// Whether a picture can be read at all, in RGB or RGBA; looked at before anything is allocated for it.
pub(crate) fn check(picture: &Picture<'_>) -> Result<(), OcrError> {
    let Picture { width, height, channels, data } = *picture;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_pictures_are_refused_by_name() {
        let check = |width, height, channels, bytes: usize| {
            super::check(&Picture { width, height, channels, data: &vec![0; bytes] })
        };
        assert_eq!(check(0, 5, 3, 0), Err(OcrError::Empty { width: 0, height: 5 }));
        assert_eq!(check(2, 2, 1, 4), Err(OcrError::Channels { channels: 1 }));
        assert_eq!(check(2, 2, 3, 11), Err(OcrError::Length { expected: 12, actual: 11 }));
        assert!(matches!(check(u32::MAX, u32::MAX, 4, 0), Err(OcrError::TooLarge { .. })));
        assert!(matches!(check(8_000, 8_000, 3, 0), Err(OcrError::TooLarge { .. })));
        // A tablet, and a page of several screens in one picture; the length is what is wrong with these.
        assert!(matches!(check(2_064, 2_752, 3, 0), Err(OcrError::Length { .. })));
        assert!(matches!(check(1_440, 12_000, 3, 0), Err(OcrError::Length { .. })));
        assert_eq!(check(1, 1, 3, 3), Ok(()));
    }
}
