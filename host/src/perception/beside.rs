//! What a picture tells beside the tree of the same screen: names of elements that have none, and what lies on no element at all.
//!
//! Knows outlines, and the lines and icons of a picture. Does not know how these were read, nor refs.

use super::{
    fuse::on_element,
    ocr::TextLine,
    outline::{Element, Outline},
    shapes::Shape,
    text::{fold, likeness, squeeze},
    visual::{Looks, Visual},
};
use crate::neutral::{Point, Rect};
use std::collections::BTreeMap;

/// The share of a screen's height that its status bar may take.
const STATUS_BAR: f64 = 0.07;
/// The share in which its smaller signs stand. On low screens the bar below it begins already at the other one.
const SIGNS: f64 = 0.04;
/// A line that is so much like an element's words is what the element says.
const SAME_WORDS: f64 = 0.7;
/// From so many signs on, a text that stands elsewhere in the tree is not told again: trees and pictures may be some points apart.
const TELLING: usize = 4;
/// An icon that is there more often is told once: it is a pattern.
const OFTEN: usize = 3;
/// So many letters of their own in the lower half of a screen are a keyboard.
const KEYS: usize = 12;

/// What a picture tells beside the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// What elements without words show, by their index in the outline.
    pub names: BTreeMap<usize, Vec<Looks>>,
    /// What lies on no element that says it, in reading order.
    pub alone: Vec<Visual>,
    /// Whether a keyboard is to be seen.
    pub keyboard: bool,
}

/// What is there of a picture's lines and surely known icons that the tree does not tell; `key` is what the picture is remembered by.
pub fn beside(outline: &Outline, lines: &[TextLine], icons: &[Shape], key: u64) -> Beside {
    let screen = outline.screen();
    let keyboard = if outline.keyboard().is_none() { keyboard(lines, &screen) } else { None };
    let typed_on = |at: Point| keyboard.is_some_and(|top| at.y >= top);
    // Behind an alert nothing can be acted on.
    let alert = outline.alert().and_then(|index| outline.get(index)?.bounds);
    let is_behind = |at: Point| alert.is_some_and(|alert| !alert.contains(at));
    let mut all = Beside { keyboard: keyboard.is_some(), ..Beside::default() };
    for line in lines.iter().filter(|line| line.readable && !is_status(line, &screen)) {
        let (text, bounds) = (without_arrow(line), line.words_only());
        if !tells_something(text) || typed_on(bounds.center()) || is_behind(bounds.center()) {
            continue;
        }
        match outline_tells(outline, bounds.center(), Some(text)) {
            Told::Said => {}
            Told::Nameless(index) => all.names.entry(index).or_default().push(Looks::line(text)),
            Told::Nothing => {
                let places = Looks::in_lines(lines, &line.text, text);
                let looks = Looks::Text { line: line.text.clone(), part: text.to_owned() };
                all.alone.push(Visual::one_of(looks, bounds, &places, lines, key));
            }
        }
    }
    let in_text = |at: Point| lines.iter().any(|line| line.text.chars().count() > 2 && line.words_only().contains(at));
    let below_status = |at: Point| at.y > screen.height * STATUS_BAR * 0.7;
    for icon in telling(icons) {
        let at = icon.bounds.center();
        if !below_status(at) || in_text(at) || typed_on(at) || is_behind(at) {
            continue;
        }
        let looks = Looks::Icon { name: icon.name.clone(), mirrored: outline.is_right_to_left() };
        match outline_tells(outline, at, None) {
            Told::Said => {}
            Told::Nameless(index) => all.names.entry(index).or_default().push(looks),
            Told::Nothing => {
                let places: Vec<Rect> =
                    icons.iter().filter(|other| other.name == icon.name).map(|i| i.bounds).collect();
                all.alone.push(Visual::one_of(looks, icon.bounds, &places, lines, key));
            }
        }
    }
    in_reading_order(&mut all.alone);
    all
}

/// The icons without those that only adorn: the arrow at the end of each row, a pattern's pieces but the first.
fn telling(icons: &[Shape]) -> impl Iterator<Item = &Shape> {
    let same = move |icon: &Shape| {
        icons.iter().filter(|other| other.name == icon.name).map(|other| other.bounds).collect::<Vec<_>>()
    };
    icons.iter().filter(move |icon| {
        let same = same(icon);
        let first = same.first() == Some(&icon.bounds);
        let column = same.iter().filter(|other| (other.center().x - icon.bounds.center().x).abs() < 4.0).count();
        let arrow = matches!(icon.name.as_str(), "forward" | "drag handle") && column > 1;
        !arrow && (same.len() <= OFTEN || first)
    })
}

/// Where the keyboard begins that a picture shows by its keys.
fn keyboard(lines: &[TextLine], screen: &Rect) -> Option<f64> {
    let is_key = |line: &&TextLine| {
        let mut letters = line.text.trim().chars();
        let letter = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
        letter && letters.next().is_none() && line.bounds.center().y > screen.height / 2.0
    };
    let keys: Vec<&TextLine> = lines.iter().filter(is_key).collect();
    let top = keys.iter().map(|key| key.bounds.y).fold(f64::MAX, f64::min);
    (keys.len() >= KEYS).then_some(top)
}

/// A line without the arrow at the end of a row.
fn without_arrow(line: &TextLine) -> &str {
    line.text.trim().trim_end_matches(['>', '›', '〉', '＞', '❯']).trim_end()
}

/// Whether there is something to act on that has no words, and is small enough to be an icon.
pub fn has_nameless(outline: &Outline) -> bool {
    let elements = outline.elements().iter().filter(|element| element.is_reachable() && element.actionable);
    elements
        .filter(|element| is_nameless(element))
        .any(|element| element.bounds.is_some_and(|bounds| bounds.height < 100.0))
}

fn is_nameless(element: &Element) -> bool {
    element.name().is_empty() && element.value.is_none()
}

/// What the tree says of something that a picture shows at a place.
enum Told {
    /// It is told, or stands for an element that has words.
    Said,
    /// It lies on an element that can be acted on and has no words.
    Nameless(usize),
    /// Nothing.
    Nothing,
}

fn outline_tells(outline: &Outline, at: Point, text: Option<&str>) -> Told {
    let here = |element: &&Element| element.bounds.is_some_and(|bounds| bounds.contains(at)) && !element.hidden;
    let elsewhere = |element: &&Element, text: &str| {
        element.is_reachable() && text.chars().count() >= TELLING && fold(element.name()).contains(&fold(text))
    };
    let said = |text: &str| {
        outline.elements().iter().any(|element| here(&element) && says(element, text) || elsewhere(&element, text))
    };
    if text.is_some_and(said) {
        return Told::Said;
    }
    match on_element(outline, at).and_then(|index| Some((index, outline.get(index)?))) {
        Some((index, element)) if is_nameless(element) => Told::Nameless(index),
        // An icon on a row is no part of its words; a line on a button is drawn otherwise than it is called.
        Some((_, element))
            if text.is_some() || element.bounds.is_some_and(|bounds| bounds.width < 3.0 * bounds.height) =>
        {
            Told::Said
        }
        _ => Told::Nothing,
    }
}

/// Whether an element's words are those of a line, or hold them.
fn says(element: &Element, line: &str) -> bool {
    let line = fold(&squeeze(line));
    let own = [&element.label, &element.value, &element.placeholder].into_iter().flatten().chain(&element.parts);
    own.map(|text| fold(text)).any(|own| {
        own.contains(&line) || (own.chars().count() > 2 && line.contains(&own)) || likeness(&own, &line) >= SAME_WORDS
    })
}

/// Whether a line is more than a single sign, which in a picture is mostly an icon, or stands for somebody. A digit is a key.
fn tells_something(text: &str) -> bool {
    let mut signs = text.chars().filter(|c| c.is_alphanumeric());
    signs.next().is_some_and(|first| first.is_ascii_digit() || signs.next().is_some())
}

/// Whether a line is the clock or another sign at the top of all screens.
fn is_status(line: &TextLine, screen: &Rect) -> bool {
    let text = line.text.trim();
    let signs = text.chars().count();
    let clock =
        signs <= 10 && text.split_once(':').is_some_and(|(hour, _)| hour.ends_with(|c: char| c.is_ascii_digit()));
    let at = line.bounds.center().y / screen.height.max(1.0);
    at < STATUS_BAR && (clock || text.ends_with('%')) || at < SIGNS && signs <= 4
}

/// Row by row, and from left to right in each.
fn in_reading_order(seen: &mut [Visual]) {
    seen.sort_by(|a, b| a.bounds.center().y.total_cmp(&b.bounds.center().y));
    let mut start = 0;
    while start < seen.len() {
        let first = seen[start].bounds;
        let row =
            seen[start..].iter().take_while(|next| next.bounds.center().y < first.y + first.height.max(8.0)).count();
        let end = start + row.max(1);
        seen[start..end].sort_by(|a, b| a.bounds.x.total_cmp(&b.bounds.x));
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neutral::{Node, Orientation, Role, Screen, Tree};

    const SCREEN: Screen = Screen { width: 390.0, height: 844.0, scale: 3.0, orientation: Orientation::Portrait };

    fn line(text: &str, x: f64, y: f64) -> TextLine {
        TextLine::new(text, Rect::new(x, y, text.chars().count() as f64 * 8.0, 16.0))
    }

    fn icon(name: &str, x: f64, y: f64) -> Shape {
        Shape { name: name.to_owned(), bounds: Rect::new(x, y, 20.0, 20.0), score: 0.95 }
    }

    fn outline(nodes: Vec<Node>) -> Outline {
        Outline::new(&Tree { nodes, ..Tree::default() }, &SCREEN)
    }

    fn node(role: Role, label: &str, bounds: Rect) -> Node {
        let label = (!label.is_empty()).then(|| label.to_owned());
        Node { label, bounds: Some(bounds), ..Node::new(role) }
    }

    fn words(seen: &[Visual]) -> Vec<String> {
        seen.iter().map(|seen| seen.looks.words()).collect()
    }

    #[test]
    fn what_the_tree_tells_is_not_told_again() {
        let outline = outline(vec![
            node(Role::Button, "Sign in", Rect::new(20.0, 300.0, 350.0, 44.0)),
            node(Role::Button, "", Rect::new(330.0, 60.0, 40.0, 40.0)),
        ]);
        let lines = [line("Sign in", 160.0, 314.0), line("Score 12", 20.0, 500.0), line("9:41", 20.0, 20.0)];
        let beside = beside(&outline, &lines, &[icon("share", 340.0, 70.0), icon("settings", 20.0, 700.0)], 1);
        assert_eq!(words(&beside.alone), ["text \"Score 12\"", "icon \"settings\""]);
        let names: Vec<String> = beside.names.values().flatten().map(Looks::words).collect();
        assert_eq!(names, ["icon \"share\""], "the button without words gets a name");
        assert!(has_nameless(&outline));
    }

    #[test]
    fn rows_are_read_from_left_to_right_and_adornments_left_out() {
        let arrows = (0..4).map(|row| icon("forward", 360.0, 300.0 + 44.0 * f64::from(row)));
        let tiles = (0..9).map(|tile| icon("help", 20.0 + 30.0 * f64::from(tile), 600.0));
        let icons: Vec<Shape> = arrows.chain(tiles).collect();
        let lines = [line("On >", 300.0, 303.0), line("Wi-Fi", 20.0, 300.0)];
        let seen = beside(&outline(Vec::new()), &lines, &icons, 1).alone;
        assert_eq!(words(&seen), ["text \"Wi-Fi\"", "text \"On\"", "icon \"help\""]);
    }

    #[test]
    fn a_keyboard_is_known_by_its_keys_which_are_not_told() {
        let mut lines: Vec<TextLine> = ('a'..='z')
            .zip(0..)
            .map(|(c, i)| line(&c.to_string(), 30.0 * f64::from(i % 10), 600.0 + 50.0 * f64::from(i / 10)))
            .collect();
        lines.push(line("space", 150.0, 760.0));
        lines.push(line("To:", 20.0, 120.0));
        let beside = beside(&outline(Vec::new()), &lines, &[], 1);
        assert!(beside.keyboard);
        assert_eq!(words(&beside.alone), ["text \"To:\""]);
    }
}
