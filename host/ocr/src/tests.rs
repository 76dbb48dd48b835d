//! Pictures that are no screens, and lines in ten scripts drawn for the purpose.

use crate::{OcrError, Picture, Reader, Reading};
use proptest::prelude::*;
use std::sync::LazyLock;

static READER: LazyLock<Reader> = LazyLock::new(Reader::new);

fn read(width: u32, height: u32, channels: u8, pixel: impl Fn(u32, u32) -> u8) -> Result<Reading, OcrError> {
    let mut data = Vec::with_capacity((width * height * u32::from(channels)) as usize);
    for y in 0..height {
        for x in 0..width {
            let value = pixel(x, y);
            data.extend(std::iter::repeat_n(value, channels.into()));
        }
    }
    READER.read(&Picture { width, height, channels, data: &data }, None)
}

#[test]
fn tiny_and_flat_pictures_have_no_lines() {
    for (width, height) in [(1, 1), (1, 5_000), (5_000, 1), (31, 33), (5_000, 3)] {
        assert_eq!(read(width, height, 3, |_, _| 0).unwrap().lines, [], "{width}×{height}");
    }
    assert_eq!(read(400, 800, 4, |_, _| 255).unwrap().lines, []);
}

#[test]
fn noise_and_stripes_are_not_called_unread_text() {
    let noise =
        |x: u32, y: u32| (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519)).wrapping_mul(3_266_489_917);
    for (name, picture) in [
        ("noise", read(500, 500, 3, |x, y| (noise(x, y) >> 24) as u8)),
        ("blocks of noise", read(500, 500, 3, |x, y| (noise(x / 9, y / 9) >> 24) as u8)),
        ("stripes", read(500, 500, 3, |x, y| if (x / 6 + y / 40) % 2 == 0 { 20 } else { 230 })),
        ("a gradient", read(500, 500, 3, |x, y| ((x + y) / 4) as u8)),
    ] {
        let lines = picture.unwrap().lines;
        assert!(lines.iter().all(|line| line.readable), "{name}: {lines:?}");
    }
}

#[test]
fn readers_can_be_used_from_any_thread() {
    fn check<T: Send + Sync>() {}
    check::<Reader>();
    check::<Reading>();
    check::<OcrError>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn lines_lie_within_pictures_of_any_size(
        (width, height) in prop_oneof![(1u32..420, 1u32..420), (1u32..2_500, 1u32..40), (1u32..40, 1u32..2_500)],
        seed in any::<u32>(),
        coarse in 1u32..40,
    ) {
        let value = |x: u32, y: u32| ((x / coarse).wrapping_mul(seed | 1) ^ (y / coarse).wrapping_mul(40_503)).wrapping_mul(2_654_435_761);
        for line in read(width, height, 3, |x, y| (value(x, y) >> 24) as u8).unwrap().lines {
            let bounds = line.bounds;
            prop_assert!(bounds.x >= 0.0 && bounds.y >= 0.0 && bounds.width > 0.0 && bounds.height > 0.0);
            prop_assert!(bounds.x + bounds.width <= f64::from(width) && bounds.y + bounds.height <= f64::from(height));
            prop_assert_eq!(line.letters.len(), line.text.chars().count());
            for word in &line.words {
                prop_assert!(word.bounds.x >= 0.0 && word.bounds.x + word.bounds.width <= f64::from(width));
            }
        }
    }
}
