//! Each bundled set of drawings, found by the others alone: what an app's own icons are to the table.
//!
//! With `MISSES` set, what is not first, and what is found in another's place, is printed too.

mod sheet;

use fingertip_shapes::{Shapes, View};
use sheet::{Icon, Paper, kin, middle_in, sheet};
use std::path::Path;

/// One outline and one filled drawing of each concept that a set shows.
fn icons_of(set: &str) -> Vec<Icon> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/icons/icons.json");
    let text = std::fs::read_to_string(file).expect("the bundled drawings");
    let table: serde_json::Value = serde_json::from_str(&text).expect("the bundled drawings");
    let mut icons: Vec<Icon> = Vec::new();
    for concept in table["concepts"].as_array().expect("a list") {
        let name = concept["name"].as_str().expect("a name");
        for filled in [false, true] {
            let fits = |shape: &&serde_json::Value| shape["set"] == set && shape["filled"] == filled;
            let Some(shape) = concept["shapes"].as_array().expect("a list").iter().find(fits) else { continue };
            let side = |index: usize| shape["size"][index].as_f64().expect("a number") as f32;
            icons.push(Icon {
                concept: name.to_owned(),
                name: shape["name"].as_str().expect("a name").to_owned(),
                filled,
                size: [side(0), side(1)],
                body: shape["body"].as_str().expect("a drawing").to_owned(),
            });
        }
    }
    icons
}

/// What pages look like, and their pixels a point.
const PAPERS: [(Paper, f32); 5] =
    [(Paper::Light, 3.0), (Paper::Tiles, 2.0), (Paper::Dark, 1.0), (Paper::Gradient, 2.625), (Paper::Photo, 3.0)];

#[derive(Default)]
struct Counts {
    cases: usize,
    tops: usize,
    threes: usize,
    accepted: usize,
    absent: usize,
    false_hits: usize,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.cases += other.cases;
        self.tops += other.tops;
        self.threes += other.threes;
        self.accepted += other.accepted;
        self.absent += other.absent;
        self.false_hits += other.false_hits;
    }

    fn print(&self, of: &str) {
        let share = |part: usize| part as f32 / self.cases.max(1) as f32;
        let [tops, threes, accepted] = [self.tops, self.threes, self.accepted].map(share);
        let wrong = self.false_hits as f32 / self.absent.max(1) as f32;
        println!(
            "{of}: {} cases: first {tops:.3}, in three {threes:.3}, accepted {accepted:.3}; {} absent: {wrong:.4} false",
            self.cases, self.absent
        );
    }
}

/// Every other icon of one form on a page: what is found of them, and of those that are not on it.
fn page(shapes: &Shapes, icons: &[Icon], half: usize, filled: bool, paper: Paper, scale: f32) -> Counts {
    let of_form: Vec<usize> = (0..icons.len()).filter(|index| icons[*index].filled == filled).collect();
    let shown: Vec<usize> = of_form.iter().copied().skip(half).step_by(2).collect();
    let sheet = sheet(icons, &shown, paper, scale, 24.0);
    let look = shapes
        .look(&View { picture: sheet.picture(), scale, mirrored: false, ignore: &[] })
        .expect("a sheet can be looked at");
    let verbose = std::env::var_os("MISSES").is_some();
    let mut counts = Counts::default();
    for index in &of_form {
        let icon = &icons[*index];
        let known = shapes.shape_count(&icon.concept).is_some_and(|(outline, filled)| outline + filled > 0);
        if !known {
            continue;
        }
        let found = look.find(&icon.concept).expect("a concept of the table");
        if shown.contains(index) {
            let right = |hit: &fingertip_shapes::Hit| {
                let own = sheet.places.iter().filter(|(other, _)| icons[*other].concept == icon.concept);
                own.into_iter().any(|(_, place)| middle_in(&hit.area, place))
            };
            let place = found.accepted.iter().chain(&found.near).position(right);
            counts.cases += 1;
            counts.tops += usize::from(place == Some(0));
            counts.threes += usize::from(place.is_some_and(|place| place < 3));
            counts.accepted += usize::from(found.accepted.first().is_some_and(right));
            if verbose && place != Some(0) {
                println!("  {paper:?} misses {} ({}), place {place:?}", icon.concept, icon.name);
            }
        } else if !sheet.places.iter().any(|(other, _)| kin(&icons[*other].concept, &icon.concept)) {
            counts.absent += 1;
            if let Some(hit) = found.accepted.first() {
                counts.false_hits += 1;
                let at = sheet.places.iter().find(|(_, place)| middle_in(&hit.area, place));
                let at = at.map_or("nothing", |(other, _)| icons[*other].name.as_str());
                if verbose {
                    println!("  {paper:?} takes {at} for {} ({:.2})", icon.concept, hit.score);
                }
            }
        }
    }
    counts
}

#[test]
fn each_set_is_found_by_the_others() {
    let mut all = Counts::default();
    for set in ["f7", "ms", "tabler", "ph"] {
        let (shapes, icons) = (Shapes::without(set), icons_of(set));
        let mut counts = Counts::default();
        for (paper, scale) in PAPERS {
            for (half, filled) in [(0, false), (1, false), (0, true), (1, true)] {
                counts.add(&page(&shapes, &icons, half, filled, paper, scale));
            }
        }
        counts.print(set);
        all.add(&counts);
    }
    all.print("all");
    assert!(all.tops as f32 >= 0.72 * all.cases as f32);
    assert!(all.false_hits as f32 <= 0.05 * all.absent as f32);
}
