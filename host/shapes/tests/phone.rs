//! The virtual phone draws icons of its own, which the table does not hold; its tree says where each is.

use driver_api::{Launch, Rect};
use fingertip_shapes::{Area, Picture, Shapes, View};
use virtual_phone::{Phone, PhoneOptions};

/// App, label or identifier of the element that holds the icon, and what the icon shows.
const SHOWN: &[(&str, &str, &str)] = &[
    ("Settings", "airplane", "airplane"),
    ("Settings", "wifi", "wifi"),
    ("Settings", "notifications", "notification"),
    ("Settings", "sounds", "speaker"),
    ("Settings", "general", "settings"),
    ("Settings", "display", "dark mode"),
    ("Settings", "about-phone", "profile"),
    ("Settings", "wifi", "forward"),
    ("Notes", "new-note", "compose"),
    ("Contacts", "Favourites", "star"),
    ("Contacts", "Contacts", "profile"),
    ("Contacts", "Recents", "clock"),
    ("Contacts", "search", "search"),
    ("Browser", "browser-start", "home"),
    ("Browser", "browser-back", "back"),
    ("Browser", "reload", "refresh"),
];

/// Shown at several places of a screen, any of which may come first: rows that lead further, the signal in the status bar.
const SEVERAL: &[&str] = &["forward", "wifi", "profile"];

/// What is looked for where it is not shown.
const ABSENT: &[&str] = &[
    "settings",
    "cart",
    "camera",
    "trophy",
    "gift",
    "bookmark",
    "download",
    "microphone",
    "play",
    "calendar",
    "map",
    "delete",
    "heart",
    "share",
    "attach",
    "filter",
    "eye",
    "lock",
    "print",
    "more vertical",
];

fn holds(bounds: &Rect, hit: &Area, scale: f32) -> bool {
    let x = f64::from((hit.x + hit.width / 2.0) / scale);
    let y = f64::from((hit.y + hit.height / 2.0) / scale);
    (bounds.x..bounds.x + bounds.width).contains(&x) && (bounds.y..bounds.y + bounds.height).contains(&y)
}

#[test]
fn the_phones_own_icons_are_found() {
    let shapes = Shapes::bundled();
    let (mut cases, mut tops, mut absent, mut false_hits) = (0, 0, 0, 0);
    for (dark, scale) in [(false, 3.0), (true, 3.0), (false, 2.0), (true, 2.0), (false, 1.0), (true, 1.0)] {
        let options = PhoneOptions { dark, scale, manual_clock: true, ..PhoneOptions::default() };
        let mut phone = Phone::new(options);
        for app in ["Settings", "Notes", "Contacts", "Browser"] {
            let launch = Launch { app: app.into(), fresh: true, arguments: Vec::new() };
            phone.launch(&launch).expect("the phone has the app");
            if app == "Browser" {
                phone.open_url("demo:article").expect("the browser opens it");
            }
            let tree = phone.tree();
            let (width, height, data) = phone.pixels();
            let channels = (data.len() / (width as usize * height as usize)) as u8;
            let scale = scale as f32;
            // Lines of text are known to whoever asks.
            let texts: Vec<Area> = tree
                .nodes
                .iter()
                .filter(|node| node.role == driver_api::Role::Text)
                .filter_map(|node| node.bounds)
                .map(|b| [b.x, b.y, b.width, b.height].map(|v| v as f32 * scale))
                .map(|[x, y, width, height]| Area { x, y, width, height })
                .collect();
            let view =
                View { picture: Picture { width, height, channels, data }, scale, mirrored: false, ignore: &texts };
            let look = shapes.look(&view).expect("a picture of the phone");
            for (_, element, concept) in SHOWN.iter().filter(|(of, _, _)| *of == app) {
                let is = |text: &Option<String>| text.as_deref() == Some(*element);
                let node = tree.nodes.iter().find(|node| is(&node.identifier) || is(&node.label));
                let Some(bounds) = node.and_then(|node| node.bounds) else { panic!("{app} has no {element}") };
                let found = look.find(concept).expect("a concept of the table");
                cases += 1;
                let first = found.accepted.first().or(found.near.first());
                let right = first.is_some_and(|hit| holds(&bounds, &hit.area, scale))
                    || SEVERAL.contains(concept) && found.accepted.iter().any(|hit| holds(&bounds, &hit.area, scale));
                tops += usize::from(right);
                if !right {
                    println!("{app} dark {dark} at {scale}: {concept} in {element} is not first: {first:?}");
                }
            }
            for concept in ABSENT.iter().filter(|name| !SHOWN.iter().any(|(of, _, shown)| *of == app && shown == *name))
            {
                absent += 1;
                if let Some(hit) = look.find(concept).expect("a concept of the table").accepted.first() {
                    false_hits += 1;
                    println!("{app} dark {dark} at {scale}: {concept} is not there: {hit:?}");
                }
            }
        }
    }
    let share = |part: usize, of: usize| part as f32 / of as f32;
    println!("{cases} cases: first {:.3}; {absent} absent: {false_hits} false hits", share(tops, cases));
    assert!(cases >= 60);
    assert!(share(tops, cases) >= 0.85);
    assert!(share(false_hits, absent) <= 0.03);
}
