//! Pictures of any size and content are looked at or refused; nothing panics and nothing lies outside the picture.

use fingertip_shapes::{Area, Error, Picture, Shapes, View, find_reference};
use proptest::prelude::*;

fn look(width: u32, height: u32, channels: u8, data: &[u8], scale: f32) -> Result<Vec<Area>, Error> {
    let picture = Picture { width, height, channels, data };
    let view = View { picture, scale, mirrored: width.is_multiple_of(2), ignore: &[] };
    let look = Shapes::bundled().look(&view)?;
    for name in ["search", "close", "back"] {
        let found = look.find(name)?;
        for hit in found.accepted.iter().chain(&found.near) {
            assert!((0.0..=1.0).contains(&hit.score), "{hit:?}");
        }
    }
    assert!(look.icons().iter().all(fingertip_shapes::Hit::is_sure));
    Ok(look.glyphs())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_and_stripes_of_any_size_do_no_harm(
        width in 1u32..260,
        height in 1u32..260,
        channels in prop::sample::select(vec![1u8, 3, 4]),
        scale in 0.25f32..8.0,
        grain in 1u32..40,
        seed in any::<u32>(),
    ) {
        let mut data = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let block = (x / grain).wrapping_mul(0x9e37_79b1) ^ (y / grain).wrapping_mul(0x85eb_ca6b) ^ seed;
                let value = (block.wrapping_mul(0xc2b2_ae35) >> 24) as u8;
                data.extend(std::iter::repeat_n(value, usize::from(channels)));
            }
        }
        for area in look(width, height, channels, &data, scale).expect("a picture") {
            prop_assert!(area.x >= -0.5 && area.y >= -0.5, "{area:?}");
            prop_assert!(area.x + area.width <= width as f32 + 0.5, "{area:?} in {width}");
            prop_assert!(area.y + area.height <= height as f32 + 0.5, "{area:?} in {height}");
        }
        let picture = Picture { width, height, channels, data: &data };
        let view = View { picture, scale, mirrored: false, ignore: &[] };
        let area = Area { x: width as f32 / 3.0, y: -4.0, width: height as f32, height: 1e9 };
        Shapes::bundled().icon_in(&view, &area).expect("a picture");
        let side = grain.min(width).min(height);
        let small = vec![seed as u8; side as usize * side as usize];
        let reference = Picture { width: side, height: side, channels: 1, data: &small };
        prop_assert!(find_reference(&picture, &reference).is_err(), "a plain reference");
        let _ = find_reference(&picture, &picture);
    }
}

#[test]
fn what_cannot_be_looked_at_is_refused_with_a_reason() {
    assert_eq!(look(0, 10, 3, &[], 2.0), Err(Error::Empty));
    assert_eq!(look(8_000, 8_000, 3, &[], 2.0), Err(Error::TooLarge(64_000_000)));
    assert_eq!(look(2, 2, 2, &[0; 8], 2.0), Err(Error::Channels(2)));
    assert_eq!(
        look(2, 2, 3, &[0; 11], 2.0),
        Err(Error::Length { width: 2, height: 2, channels: 3, expected: 12, found: 11 })
    );
    assert!(matches!(look(1, 1, 3, &[0; 3], f32::NAN), Err(Error::Scale(_))));
    assert_eq!(look(1, 1, 3, &[0; 3], 3.0), Ok(Vec::new()));
    assert_eq!(look(u32::MAX, u32::MAX, 4, &[], 3.0), Err(Error::TooLarge(u64::from(u32::MAX) * u64::from(u32::MAX))));
    let picture = Picture { width: 40, height: 40, channels: 1, data: &[0; 1600] };
    let view = View { picture, scale: 2.0, mirrored: false, ignore: &[] };
    let unknown = Shapes::bundled().find(&view, "no such thing");
    assert_eq!(unknown, Err(Error::Unknown("no such thing".to_owned())));
    let nowhere = Area { x: f32::NAN, y: f32::INFINITY, width: -1.0, height: 0.0 };
    assert_eq!(Shapes::bundled().icon_in(&view, &nowhere), Ok(None));
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Shapes>();
    shared::<fingertip_shapes::Look<'static>>();
    shared::<Error>();
}
