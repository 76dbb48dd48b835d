//! A tap on the middle of any element of any frame hits that element: the real model of the phone, the real outline and the
//! real arithmetic of points, pixels and fractions.

use driver_api::{Launch, Orientation, Point, Rect, Swipe};
use fingertip::perception::{
    geometry::{PixelSize, Space, to_fraction, to_pixel, to_point},
    outline::Outline,
    picture::target_size,
};
use proptest::prelude::*;
use std::time::Duration;
use virtual_phone::{Phone, PhoneOptions};

/// A screen of the phone: the app, its arguments, and what is done there.
#[derive(Clone, Copy, Debug)]
enum Then {
    Nothing,
    ScrollTo(f64),
    FocusEmail,
    Alert,
}

const SCREENS: [(&str, Then); 10] = [
    ("Home", Then::Nothing),
    ("Settings", Then::Nothing),
    ("Settings", Then::ScrollTo(173.0)),
    ("Contacts", Then::Nothing),
    ("Contacts", Then::ScrollTo(333.3)),
    ("Notes", Then::Nothing),
    ("com.fingertip.signin", Then::Nothing),
    ("com.fingertip.signin", Then::FocusEmail),
    ("Browser", Then::Nothing),
    ("Settings", Then::Alert),
];

fn phone(options: &PhoneOptions, orientation: Orientation, (app, then): (&str, Then)) -> Phone {
    let mut phone = Phone::new(options.clone());
    phone.set_orientation(orientation).expect("turned");
    phone.launch(&Launch { app: app.to_owned(), ..Launch::default() }).expect("launched");
    let middle = phone.screen().bounds().center();
    match then {
        Then::Nothing => {}
        Then::ScrollTo(by) => {
            let to = Point::new(middle.x, middle.y - by.min(middle.y - 60.0));
            phone.swipe(Swipe { from: middle, to, hold: Duration::ZERO, duration: Duration::from_millis(300) });
        }
        Then::FocusEmail => {
            let tree = phone.tree();
            let email = tree.nodes.iter().find(|node| node.label.as_deref() == Some("Email")).expect("a field");
            phone.tap(email.bounds.expect("bounds").center());
            // The key that deletes must have something to delete.
            phone.type_text("an").expect("typed");
            assert!(phone.keyboard_up());
        }
        Then::Alert => phone.raise_alert(driver_api::Alert {
            text: "Allow this?".to_owned(),
            buttons: vec!["No".to_owned(), "Yes".to_owned()],
        }),
    }
    phone
}

/// The elements of a frame that a tap on their middle must hit, each with the part that can be seen.
fn targets(phone: &mut Phone) -> Vec<(usize, Rect, Vec<String>)> {
    let (tree, screen) = (phone.tree(), phone.screen());
    let outline = Outline::new(&tree, &screen);
    let bounds = screen.bounds();
    let part = |index: usize| {
        let element = &outline.elements()[index];
        (element.actionable && element.enabled && element.is_reachable()).then(|| element.visible_part(&bounds))?
    };
    (0..outline.elements().len())
        .filter_map(|index| Some((index, part(index)?)))
        // An alert takes every touch.
        .filter(|(index, _)| outline.alert().is_none_or(|alert| outline.is_within(*index, alert)))
        .map(|(index, part)| {
            let told = tree.nodes.iter().enumerate().filter(|(node, _)| outline.element_of(*node) == Some(index));
            let names = told.flat_map(|(_, node)| [node.label.clone(), node.identifier.clone()]).flatten();
            (index, part, names.collect())
        })
        .collect()
}

fn orientations() -> impl Strategy<Value = Orientation> {
    prop::sample::select(vec![
        Orientation::Portrait,
        Orientation::LandscapeLeft,
        Orientation::LandscapeRight,
        Orientation::PortraitUpsideDown,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tap_on_the_middle_of_any_element_of_any_frame_hits_it(
        screen in prop::sample::select(SCREENS.to_vec()),
        orientation in orientations(),
        scale in prop::sample::select(vec![1.0, 2.0, 3.0, 2.625]),
        (width, height) in (320u32..=440, 568u32..=956),
        // Of the picture that the caller gets: any size up to the phone's own, mostly odd ones.
        part in 0.2f64..1.2,
        space in prop::sample::select(vec![Space::Point, Space::Image, Space::Fraction]),
    ) {
        let options = PhoneOptions { width: width.into(), height: height.into(), scale, manual_clock: true, ..PhoneOptions::default() };
        let mut first = phone(&options, orientation, screen);
        let shown = first.screen();
        prop_assert_eq!(shown.orientation, orientation);
        let (own_width, own_height, _) = first.pixels();
        let picture = target_size(&shown, PixelSize { width: own_width, height: own_height }, Some(part * scale));
        let targets = targets(&mut first);
        prop_assert!(!targets.is_empty(), "{:?} has nothing to tap", screen);
        for (index, seen, names) in targets {
            let middle = seen.center();
            let given: Vec<(f64, f64)> = match space {
                Space::Point => vec![(middle.x, middle.y)],
                Space::Fraction => to_fraction(middle, &shown).map(|at| vec![(at.x, at.y)]).expect("on the screen"),
                Space::Image => {
                    let at = to_pixel(middle, &shown, picture).expect("on the screen");
                    // As it is, and as a model reads it: a whole pixel, where what can be seen has more than one.
                    let (pixel_x, pixel_y) = (shown.width / f64::from(picture.width), shown.height / f64::from(picture.height));
                    let readable = seen.width > 2.0 * pixel_x && seen.height > 2.0 * pixel_y;
                    let whole = readable.then_some((at.x.floor(), at.y.floor()));
                    [Some((at.x, at.y)), whole].into_iter().flatten().collect()
                }
            };
            for (x, y) in given {
                let at = to_point(space, x, y, &shown, Some(picture)).expect("on the screen");
                let mut phone = phone(&options, orientation, screen);
                let (before, keys) = (phone.revision(), phone.keyboard_up());
                phone.tap(at);
                let touch = phone.touches().last().expect("a touch");
                prop_assert_eq!(&touch.points, &vec![at]);
                let hit = match &touch.target {
                    Some(target) => names.contains(target),
                    // The log names no keys; they write.
                    None => keys && phone.revision() > before,
                };
                prop_assert!(
                    hit,
                    "{:?} {:?} {}×{}: element {} {:?} at {:?} was not hit at {:?}, but {:?}",
                    screen, space, picture.width, picture.height, index, names, middle, at, touch.target
                );
            }
        }
    }
}
