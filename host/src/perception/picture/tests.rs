//! Pictures of every bad kind, and what becomes of good ones.

use super::*;
use crate::neutral::{Orientation, PictureFormat, Rect, Screen};
use crate::perception::geometry::PixelSize;

fn screen(width: f64, height: f64, scale: f64) -> Screen {
    Screen { width, height, scale, orientation: Orientation::Portrait }
}

fn gradient(width: u32, height: u32, channels: u8) -> Pixels {
    let mut data = Vec::new();
    for y in 0..height {
        for x in 0..width {
            data.extend([(x * 255 / width) as u8, (y * 255 / height) as u8, 128]);
            if channels == 4 {
                data.push(255);
            }
        }
    }
    Pixels::new(width, height, channels, data).unwrap()
}

fn noise(width: u32, height: u32) -> Pixels {
    let mut seed = 7u32;
    let data = (0..width as usize * height as usize * 3)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        })
        .collect();
    Pixels::new(width, height, 3, data).unwrap()
}

fn wanted(size: Option<PixelSize>, format: PictureFormat) -> Wanted<'static> {
    Wanted { size, format, max_bytes: None, marks: &[], screen: None }
}

#[test]
fn bad_pictures_are_refused_with_a_clear_sentence() {
    let png = gradient(20, 20, 4).encode(PictureFormat::Png, 0).unwrap().bytes;
    let jpeg = gradient(20, 20, 3).encode(PictureFormat::Jpeg, 80).unwrap().bytes;
    assert_eq!(decode(b""), Err(PictureError::Empty));
    assert_eq!(decode(b"{\"value\": null}"), Err(PictureError::NotAPicture));
    assert!(matches!(decode(&png[..3]), Err(PictureError::Damaged(_))));
    assert!(matches!(decode(&png[..20]), Err(PictureError::Damaged(_))));
    assert!(matches!(decode(&png[..png.len() / 2]), Err(PictureError::Damaged(_))));
    assert!(matches!(decode(&jpeg[..10]), Err(PictureError::Damaged(_))));
    let mut absurd = png.clone();
    absurd[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    absurd[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    assert_eq!(decode(&absurd), Err(PictureError::TooLarge { width: 60_000, height: 60_000, most: MAX_PIXELS }));
    absurd[16..20].copy_from_slice(&0u32.to_be_bytes());
    assert_eq!(decode(&absurd), Err(PictureError::NoPixels));
}

#[test]
fn both_formats_come_back_as_they_went() {
    for channels in [3, 4] {
        let pixels = gradient(31, 17, channels);
        let png = pixels.encode(PictureFormat::Png, 0).unwrap();
        assert_eq!(decode(&png.bytes).unwrap(), pixels);
        let jpeg = pixels.encode(PictureFormat::Jpeg, 95).unwrap();
        let back = decode(&jpeg.bytes).unwrap();
        assert_eq!((back.width, back.height, back.channels), (31, 17, 3));
        assert!(back.data[0].abs_diff(pixels.data[0]) < 12);
    }
    let one = gradient(1, 1, 3).encode(PictureFormat::Png, 0).unwrap();
    assert_eq!(decode(&one.bytes).unwrap().width, 1);
}

#[test]
fn grey_and_sixteen_bit_pictures_become_rgb() {
    for (color, depth, data) in [
        (png::ColorType::Grayscale, png::BitDepth::Eight, vec![0u8, 255]),
        (png::ColorType::GrayscaleAlpha, png::BitDepth::Eight, vec![0, 255, 255, 255]),
        (png::ColorType::Rgb, png::BitDepth::Sixteen, vec![0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255]),
    ] {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(&data).unwrap();
        let pixels = decode(&bytes).unwrap();
        let step = usize::from(pixels.channels);
        assert_eq!(&pixels.data[..3], [0, 0, 0]);
        assert_eq!(&pixels.data[step..step + 3], [255, 255, 255]);
    }
}

#[test]
fn the_default_size_is_one_pixel_a_point() {
    let own = PixelSize { width: 1170, height: 2532 };
    let phone = screen(390.0, 844.0, 3.0);
    assert_eq!(target_size(&phone, own, None), PixelSize { width: 390, height: 844 });
    assert_eq!(target_size(&phone, own, Some(2.0)), PixelSize { width: 780, height: 1688 });
    assert_eq!(target_size(&phone, own, Some(99.0)), own, "not more than it has");
    let large = screen(2048.0, 2732.0, 1.0);
    let size = target_size(&large, PixelSize { width: 2048, height: 2732 }, None);
    assert_eq!(size.height, 1568);
    assert!((default_scale(&large) - 1568.0 / 2732.0).abs() < 1e-9);
    assert_eq!(target_size(&screen(0.0, 0.0, 1.0), own, None).height, 1568);
}

#[test]
fn a_screenshot_is_scaled_and_one_that_fits_is_passed_through() {
    let png = gradient(300, 600, 4).encode(PictureFormat::Png, 0).unwrap();
    let mut scaler = Scaler::new();
    let small =
        scaler.scaled(&png.bytes, &wanted(Some(PixelSize { width: 100, height: 200 }), PictureFormat::Jpeg)).unwrap();
    assert_eq!((small.width, small.height, small.media_type), (100, 200, "image/jpeg"));
    let same = scaler.scaled(&png.bytes, &wanted(None, PictureFormat::Png)).unwrap();
    assert_eq!(same.bytes, png.bytes);
    let larger =
        scaler.scaled(&png.bytes, &wanted(Some(PixelSize { width: 900, height: 1800 }), PictureFormat::Jpeg)).unwrap();
    assert_eq!(larger.width, 300);
}

#[test]
fn a_bound_on_bytes_holds_for_noise() {
    let mut scaler = Scaler::new();
    let noisy = noise(600, 800);
    for max in [300_000, 60_000, 10_000, 1_000] {
        let out = scaler.fit(&noisy, PictureFormat::Png, max).unwrap();
        assert!(out.bytes.len() <= max, "{} > {max}", out.bytes.len());
        assert_eq!(out.format, PictureFormat::Jpeg);
        let back = decode(&out.bytes).unwrap();
        assert_eq!((back.width, back.height), (out.width, out.height));
    }
    let roomy = scaler.fit(&gradient(40, 40, 3), PictureFormat::Png, 1_000_000).unwrap();
    assert_eq!(roomy.format, PictureFormat::Png);
    assert!(matches!(scaler.fit(&noisy, PictureFormat::Jpeg, 10), Err(PictureError::DoesNotFit { .. })));
}

#[test]
fn black_is_told_from_dark() {
    let mut black = Pixels::new(50, 50, 4, [0, 0, 0, 255].repeat(2500)).unwrap();
    assert!(black.is_black());
    black.data[4 * 777 + 1] = 60;
    assert!(!black.is_black());
    assert!(Pixels::new(2, 1, 3, vec![3; 6]).unwrap().is_black());
}

#[test]
fn marks_are_drawn_and_cut_at_the_edges() {
    let phone = screen(100.0, 200.0, 2.0);
    let mut pixels = Pixels::new(200, 400, 3, vec![255; 240_000]).unwrap();
    let mark =
        |x: f64, y: f64, w: f64, h: f64, label: &str| Mark { bounds: Rect::new(x, y, w, h), label: label.into() };
    pixels.draw_marks(
        &[
            mark(10.0, 50.0, 50.0, 20.0, "e12"),
            mark(-50.0, -50.0, 1e9, 1e9, "e3"),
            mark(99.0, 199.0, 10.0, 10.0, "e4567890"),
            mark(f64::NAN, 0.0, 1.0, 1.0, "e5"),
            mark(1e300, 1e300, 1e300, 1e300, "?"),
        ],
        &phone,
    );
    // The left edge of the first box, below its label.
    let at = (130 * 200 + 20) * 3;
    assert_eq!(&pixels.data[at..at + 3], [214, 39, 40]);
    // The label's text is white on the colour.
    let label: Vec<&[u8]> =
        (100..109).flat_map(|y| pixels.data[(y * 200 + 20) * 3..(y * 200 + 39) * 3].chunks(3)).collect();
    assert!(label.contains(&[255u8, 255, 255].as_slice()) && label.contains(&[214u8, 39, 40].as_slice()));
}

#[test]
fn pixels_know_their_length() {
    assert!(Pixels::new(2, 2, 3, vec![0; 11]).is_err());
    assert_eq!(Pixels::new(0, 2, 3, vec![]), Err(PictureError::NoPixels));
    assert!(Pixels::new(1, 1, 2, vec![0, 0]).is_err());
}
