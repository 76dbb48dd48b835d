//! Elements that only a picture shows: a line of text or an icon on a game, a canvas, an unlabelled button. They get refs as the
//! elements of a tree do.
//!
//! Knows what was seen where, and which of the things seen later is the same. Does not know how pictures are read, nor devices.

use super::{find::Match, fuse, locator::quote, ocr::TextLine, refs::Ref, text::fold};
use crate::neutral::Rect;
use std::{collections::VecDeque, sync::Arc};

/// How many are remembered.
const KEPT: usize = 4096;
/// How many bytes of reference pictures are remembered.
const PICTURES: usize = 8 << 20;

/// What something looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum Looks {
    /// A text.
    Text {
        /// The whole line.
        line: String,
        /// The part of it that is meant.
        part: String,
    },
    /// An icon.
    Icon {
        /// The concept's name.
        name: String,
        /// Whether it was looked for on a screen that reads from right to left, where arrows point the other way.
        mirrored: bool,
    },
    /// What a reference picture shows: an encoded PNG or JPEG.
    Picture(Arc<[u8]>),
}

impl Looks {
    /// A whole line of text.
    pub fn line(text: &str) -> Looks {
        Looks::Text { line: text.to_owned(), part: text.to_owned() }
    }

    /// What is meant of a line of text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Looks::Text { part, .. } => Some(part),
            _ => None,
        }
    }

    /// In words, such as `text "Play"` or `icon "settings"`.
    pub fn words(&self) -> String {
        match self {
            Looks::Text { part, .. } => format!("text {}", quote(part)),
            Looks::Icon { name, .. } => format!("icon {}", quote(name)),
            Looks::Picture(_) => "what the reference picture shows".to_owned(),
        }
    }

    /// The places of a reading that look so.
    pub fn in_lines(lines: &[TextLine], line: &str, part: &str) -> Vec<Rect> {
        let found = fuse::find_in_lines(lines, part, Match::Contains, usize::MAX);
        let line = fold(line);
        found.matches.into_iter().filter(|found| fold(&found.text) == line).filter_map(|found| found.bounds).collect()
    }
}

/// What tells something from others that look the same.
#[derive(Clone, Debug, PartialEq)]
pub enum Around {
    /// It was the only one. These texts stood around it, with their numbers left out: counters count on.
    Only(Vec<String>),
    /// It was one of several, and these texts stood around it and not around most others.
    Own(Vec<String>),
    /// It was one of several between which only the picture tells, by its key.
    Picture(u64),
}

/// Something that was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Visual {
    /// What it looks like.
    pub looks: Looks,
    /// Where, in points.
    pub bounds: Rect,
    /// What tells it from others.
    pub around: Around,
}

/// Which of the places that look so now is the one that was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Same {
    /// This one.
    Here(Rect),
    /// So many look alike, and none of them is clearly the one.
    Several(usize),
    /// None.
    Gone,
}

impl Visual {
    /// Something at `bounds`, one of `places` that all look so on a page with these lines, in the picture of this key.
    pub fn one_of(looks: Looks, bounds: Rect, places: &[Rect], lines: &[TextLine], key: u64) -> Visual {
        let texts = around(lines, &bounds);
        let around = match places.len() {
            0 | 1 => Around::Only(texts.iter().map(|text| without_numbers(text)).collect()),
            _ => {
                let apart = places.iter().filter(|place| place.intersection(&bounds).is_none());
                let others: Vec<Vec<String>> = apart.map(|place| around(lines, place)).collect();
                let common =
                    |text: &String| 2 * others.iter().filter(|other| other.contains(text)).count() > others.len();
                let own: Vec<String> = texts.into_iter().filter(|text| !common(text)).collect();
                if own.is_empty() { Around::Picture(key) } else { Around::Own(own) }
            }
        };
        Visual { looks, bounds, around }
    }

    /// Which of these places, all of which look so, is where this is now, on a page with these lines: the one around which most of
    /// the same texts stand. Where it was says nothing: in its place may stand another one.
    pub fn among(&self, places: &[Rect], lines: &[TextLine], key: u64) -> Same {
        let most = |texts: &[String], now: &[String]| {
            2 * texts.iter().filter(|text| now.contains(text)).count() > texts.len() || texts.is_empty()
        };
        let fits = |place: &&Rect| match &self.around {
            Around::Only(texts) => {
                most(texts, &around(lines, place).iter().map(|text| without_numbers(text)).collect::<Vec<_>>())
            }
            Around::Own(texts) => most(texts, &around(lines, place)),
            Around::Picture(own) => *own == key && self.is_at(place),
        };
        let fitting: Vec<Rect> = places.iter().filter(fits).copied().collect();
        match fitting[..] {
            [only] => Same::Here(only),
            _ if places.is_empty() => Same::Gone,
            _ => Same::Several(places.len()),
        }
    }

    fn is_at(&self, place: &Rect) -> bool {
        place.intersection(&self.bounds).is_some()
    }
}

/// The texts in the row of a place, or else the nearest above and below it, folded.
fn around(lines: &[TextLine], place: &Rect) -> Vec<String> {
    let others = || lines.iter().filter(|line| line.readable && !line.bounds.contains(place.center()));
    let in_row = |line: &&TextLine| {
        let at = line.bounds.center().y;
        (place.y..place.bottom()).contains(&at) || (line.bounds.y..line.bounds.bottom()).contains(&place.center().y)
    };
    let row: Vec<String> = others().filter(in_row).map(|line| fold(&line.text)).collect();
    if !row.is_empty() {
        return row;
    }
    let off = |line: &&TextLine| line.bounds.center().y - place.center().y;
    let above = others().filter(|line| off(line) < 0.0).max_by(|a, b| off(a).total_cmp(&off(b)));
    let below = others().filter(|line| off(line) > 0.0).min_by(|a, b| off(a).total_cmp(&off(b)));
    above.into_iter().chain(below).map(|line| fold(&line.text)).collect()
}

fn without_numbers(text: &str) -> String {
    text.chars().filter(|c| !c.is_numeric()).collect()
}

/// What was seen on one device, by its refs; the oldest are forgotten.
#[derive(Default)]
pub struct Visuals {
    seen: VecDeque<(Ref, Visual)>,
}

impl Visuals {
    /// The ref of what was seen: the one that it has, where it was seen in the same place before, or a `fresh` one.
    pub fn name(&mut self, visual: Visual, fresh: impl FnOnce() -> Ref) -> Ref {
        let known = self.seen.iter().position(|(_, before)| {
            before.looks == visual.looks && before.around == visual.around && before.is_at(&visual.bounds)
        });
        let name = known.and_then(|at| self.seen.remove(at)).map_or_else(fresh, |(name, _)| name);
        self.seen.push_back((name, visual));
        self.forget();
        name
    }

    /// What this ref stands for.
    pub fn get(&self, name: Ref) -> Option<&Visual> {
        self.seen.iter().find(|(own, _)| *own == name).map(|(_, visual)| visual)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.seen.clear();
    }

    fn forget(&mut self) {
        let size = |visual: &Visual| match &visual.looks {
            Looks::Picture(bytes) => bytes.len(),
            _ => 0,
        };
        let mut pictures: usize = self.seen.iter().map(|(_, visual)| size(visual)).sum();
        while self.seen.len() > KEPT || (pictures > PICTURES && self.seen.len() > 1) {
            let Some((_, oldest)) = self.seen.pop_front() else { return };
            pictures -= size(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perception::refs::RefBook;

    fn at(x: f64, y: f64) -> Rect {
        Rect::new(x, y, 40.0, 16.0)
    }

    fn text(line: &str, bounds: Rect) -> Visual {
        Visual { looks: Looks::line(line), bounds, around: Around::Only(Vec::new()) }
    }

    #[test]
    fn the_same_thing_in_the_same_place_keeps_its_ref_and_no_ref_is_given_twice() {
        let (mut seen, mut book) = (Visuals::default(), RefBook::new());
        let play = seen.name(text("Play", at(10.0, 10.0)), || book.fresh());
        assert_eq!(seen.name(text("Play", at(12.0, 11.0)), || book.fresh()), play);
        let other = seen.name(text("Play", at(10.0, 400.0)), || book.fresh());
        let quit = seen.name(text("Quit", at(10.0, 10.0)), || book.fresh());
        assert!(play != other && play != quit && other != quit);
        assert_eq!(seen.get(play).map(|seen| seen.bounds), Some(at(12.0, 11.0)), "it is where it was seen last");
        seen.clear();
        let again = seen.name(text("Play", at(10.0, 10.0)), || book.fresh());
        assert!(again > quit && seen.get(play).is_none());
    }

    fn page(rows: &[&[&str]], pitch: f64) -> (Vec<TextLine>, Vec<Rect>) {
        let rows = rows.iter().enumerate();
        let lines = rows.flat_map(|(row, texts)| {
            let place = move |column: usize| at(10.0 + 120.0 * column as f64, 100.0 + pitch * row as f64);
            texts.iter().enumerate().map(move |(column, text)| TextLine::new(text, place(column)))
        });
        let lines: Vec<TextLine> = lines.collect();
        let places = Looks::in_lines(&lines, "Delete", "Delete");
        (lines, places)
    }

    fn delete(page: &(Vec<TextLine>, Vec<Rect>), which: usize) -> Visual {
        Visual::one_of(Looks::line("Delete"), page.1[which], &page.1, &page.0, 1)
    }

    #[test]
    fn the_only_one_is_itself_where_the_same_stands_around_it() {
        let play = text("Play", at(10.0, 10.0));
        let among = |places: &[Rect]| play.among(places, &[], 1);
        assert_eq!(among(&[]), Same::Gone);
        assert_eq!(among(&[at(10.0, 700.0)]), Same::Here(at(10.0, 700.0)), "it was scrolled");
        assert_eq!(among(&[at(10.0, 300.0), at(10.0, 10.0)]), Same::Several(2));
        let carla = delete(&page(&[&["Carla", "Delete"]], 60.0), 0);
        let (lines, places) = page(&[&["Dora", "Delete"]], 60.0);
        assert_eq!(carla.among(&places, &lines, 2), Same::Several(1), "another one, in its place");
        let counted = delete(&page(&[&["Moves: 9"], &["Delete"], &["Best: 3"]], 60.0), 0);
        let (lines, places) = page(&[&["Moves: 10"], &["Delete"], &["Best: 3"]], 60.0);
        assert_eq!(counted.among(&places, &lines, 2), Same::Here(places[0]), "counters count on");
    }

    #[test]
    fn one_of_many_is_known_by_what_stands_around_it_alone() {
        let beside = |names: &[&str]| -> Vec<Vec<String>> {
            names.iter().map(|name| [name, "Edit", "Delete"].map(str::to_owned).to_vec()).collect()
        };
        let above = |names: &[&str]| -> Vec<Vec<String>> {
            names.iter().flat_map(|name| [vec![(*name).to_owned()], vec!["Delete".to_owned()]]).collect()
        };
        let made = |rows: Vec<Vec<String>>| {
            let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
            page(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), 30.0)
        };
        for layout in [&beside as &dyn Fn(&[&str]) -> Vec<Vec<String>>, &above] {
            let carla = delete(&made(layout(&["Anna", "Bert", "Carla", "Dora", "Emil"])), 2);
            let (lines, places) = made(layout(&["Bert", "Carla", "Dora", "Emil"]));
            assert_eq!(carla.among(&places, &lines, 2), Same::Here(places[1]), "the first row went away");
            let (lines, places) = made(layout(&["Anna", "Bert", "Dora", "Emil"]));
            assert_eq!(carla.among(&places, &lines, 2), Same::Several(4), "it went away itself");
            let mut seen = Visuals::default();
            let mut book = RefBook::new();
            let first = seen.name(carla, || book.fresh());
            let dora = delete(&(lines, places), 2);
            assert_ne!(seen.name(dora, || book.fresh()), first, "in its place, and another one");
        }
        let same = page(&[&["Item", "Delete"], &["Item", "Delete"]], 60.0);
        assert_eq!(delete(&same, 1).around, Around::Picture(1));
    }

    #[test]
    fn of_several_without_texts_only_the_same_picture_tells() {
        let icon = Visual { around: Around::Picture(7), ..text("x", at(10.0, 10.0)) };
        let places = [at(10.0, 10.0), at(10.0, 70.0)];
        assert_eq!(icon.among(&places, &[], 7), Same::Here(places[0]));
        assert_eq!(icon.among(&places, &[], 8), Same::Several(2));
    }

    #[test]
    fn a_part_of_a_line_is_found_only_in_that_line() {
        let lines = [TextLine::new("Play again", at(0.0, 0.0)), TextLine::new("Play", at(0.0, 50.0))];
        assert_eq!(Looks::in_lines(&lines, "play", "Play"), [at(0.0, 50.0)]);
        assert_eq!(Looks::in_lines(&lines, "Play again", "again").len(), 1);
        assert!(Looks::in_lines(&lines, "Pay", "Pay").is_empty());
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let (mut seen, mut book) = (Visuals::default(), RefBook::new());
        let names: Vec<Ref> =
            (0..KEPT + 10).map(|i| seen.name(text(&format!("{i}"), at(0.0, 0.0)), || book.fresh())).collect();
        assert!(seen.get(names[0]).is_none() && seen.get(names[10]).is_some());
        let looks = |byte| Looks::Picture(vec![byte; PICTURES / 2].into());
        let picture = |byte| Visual { looks: looks(byte), ..text("", at(0.0, 0.0)) };
        let first = seen.name(picture(1), || book.fresh());
        let rest = [2, 3].map(|byte| seen.name(picture(byte), || book.fresh()));
        assert!(seen.get(first).is_none() && rest.iter().all(|name| seen.get(*name).is_some()));
    }
}
