//! Icons on real screens, found by eye and written down in `data/screens.txt`.
//!
//! The pictures are not part of the project: `FINGERTIP_CORPUS` names their folder, and without it there is nothing to do.
//! With `MISSES` set, what is not first is printed too.

use fingertip_pixels::{decode_jpeg, decode_png, jpeg_size};
use fingertip_shapes::{Area, Picture, Shapes, View};
use std::path::Path;

/// An icon's middle may be found so many points beside where the eye put it.
const NEAR: f32 = 16.0;

struct Screen {
    file: String,
    scale: f32,
    mirrored: bool,
    /// Concepts and where each is.
    shown: Vec<(String, Vec<[f32; 2]>)>,
    also: Vec<String>,
}

/// The screens, and what is looked for where it is not.
fn listed() -> (Vec<Screen>, Vec<String>) {
    let (mut screens, mut absent): (Vec<Screen>, Vec<String>) = (Vec::new(), Vec::new());
    let names = |list: &str| list.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    let number = |text: &str| text.parse::<f32>().expect("a number");
    for line in include_str!("data/screens.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some(line) = line.strip_prefix("  ") else {
            let words: Vec<&str> = line.split(' ').collect();
            if let [file, scale, rest @ ..] = words.as_slice() {
                let mirrored = !rest.is_empty();
                let (file, scale) = ((*file).to_owned(), number(scale));
                screens.push(Screen { file, scale, mirrored, shown: Vec::new(), also: Vec::new() });
            }
            continue;
        };
        let screen = screens.last_mut().expect("a screen stands before what it shows");
        match line.split_once(": ") {
            None => absent.extend(names(line)),
            Some(("also", concepts)) => screen.also = names(concepts),
            Some((concept, places)) => {
                let place = |place: &str| {
                    let (x, y) = place.trim().split_once(' ').expect("two numbers");
                    [number(x), number(y)]
                };
                screen.shown.push((concept.to_owned(), places.split(',').map(place).collect()));
            }
        }
    }
    (screens, absent)
}

struct Decoded {
    width: u32,
    height: u32,
    channels: u8,
    data: Vec<u8>,
}

fn decoded(file: &Path) -> Decoded {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if bytes.starts_with(&[0xff, 0xd8]) {
        let (width, height) = jpeg_size(&bytes).expect("a JPEG");
        return Decoded { width, height, channels: 3, data: decode_jpeg(&bytes).expect("a JPEG") };
    }
    let raw = decode_png(&bytes, 1 << 28).expect("a PNG");
    Decoded { width: raw.width, height: raw.height, channels: raw.channels, data: raw.data }
}

#[test]
fn icons_of_real_screens_are_found_and_absent_ones_are_not() {
    let Some(corpus) = std::env::var_os("FINGERTIP_CORPUS") else {
        println!("FINGERTIP_CORPUS is not set: no screens to look at");
        return;
    };
    let (screens, absent) = listed();
    let verbose = std::env::var_os("MISSES").is_some();
    let (mut cases, mut tops, mut threes, mut accepted) = (0, 0, 0, 0);
    let (mut looked_for, mut false_hits) = (0, 0);
    for screen in &screens {
        let Decoded { width, height, channels, data } = &decoded(&Path::new(&corpus).join(&screen.file));
        let picture = Picture { width: *width, height: *height, channels: *channels, data };
        let view = View { picture, scale: screen.scale, mirrored: screen.mirrored, ignore: &[] };
        let look = Shapes::bundled().look(&view).expect("a screen can be looked at");
        for (concept, places) in &screen.shown {
            let right = |area: &Area| {
                let (x, y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
                places.iter().any(|[left, top]| (x - left).hypot(y - top) <= NEAR * screen.scale)
            };
            let found = look.find(concept).expect("a concept of the table");
            let place = found.accepted.iter().chain(&found.near).position(|hit| right(&hit.area));
            cases += 1;
            tops += usize::from(place == Some(0));
            threes += usize::from(place.is_some_and(|place| place < 3));
            let taken = found.accepted.first().is_some_and(|hit| right(&hit.area));
            accepted += usize::from(taken);
            if verbose && !taken {
                let first = found.accepted.first().or(found.near.first());
                let first = first.map(|hit| (hit.score, hit.area));
                println!("{}: {concept} is at place {place:?}; first is {first:?}", screen.file);
            }
        }
        let listed = |name: &String| screen.also.contains(name) || screen.shown.iter().any(|(shown, _)| shown == name);
        for concept in absent.iter().filter(|name| !listed(name)) {
            looked_for += 1;
            if let Some(hit) = look.find(concept).expect("a concept of the table").accepted.first() {
                false_hits += 1;
                println!("{}: {concept} is not there: {:.2} at {:?}", screen.file, hit.score, hit.area);
            }
        }
    }
    let share = |part: usize, of: usize| part as f32 / of as f32;
    println!(
        "{cases} cases: first {:.3}, in three {:.3}, accepted {:.3}; {looked_for} absent: {false_hits} false hits, {:.4}",
        share(tops, cases),
        share(threes, cases),
        share(accepted, cases),
        share(false_hits, looked_for)
    );
    assert!(share(tops, cases) >= 0.92 && share(threes, cases) >= 0.94);
    assert!(share(false_hits, looked_for) <= 0.01);
}
