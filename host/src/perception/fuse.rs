//! find_text over a tree and the lines read from a picture: one list, ordered by how close a match is and not by where it comes
//! from.
//!
//! Knows matches in a tree and lines with their places. Does not know how either was read. A line that lies on an element takes
//! its place in the outline, so that it can be acted on as the element.

use super::{
    find::{self, Found, Match, NearText, Source, TextMatch},
    ocr::TextLine,
    outline::Outline,
    text::{fold, squeeze},
};
use crate::neutral::{Point, Rect};

/// From this score a text of the tree is the one that was meant, and the picture need not be read.
pub const EQUAL: f64 = 0.98;

/// A line of one sign may as well be an icon.
const ONE_SIGN: f64 = 0.35;
/// A phrase over several lines, or one that was read without its blanks, is a little less sure.
const JOINED: f64 = 0.03;
/// An element that fills more of the screen than this is not what a line is a part of: its middle is somewhere else.
const TOO_LARGE: f64 = 0.15;

/// Looks for `query` in lines alone.
pub fn find_in_lines(lines: &[TextLine], query: &str, how: Match, limit: usize) -> Found {
    let folded = fold(query);
    let mut matches: Vec<TextMatch> = Vec::new();
    for line in lines.iter().filter(|line| line.readable) {
        let one_sign = squeeze(&line.text).chars().count() == 1;
        let found = in_line(line, query, &folded, how).into_iter();
        matches.extend(
            found.map(|found| TextMatch { score: found.score - if one_sign { ONE_SIGN } else { 0.0 }, ..found }),
        );
    }
    if matches.is_empty() && folded.contains(' ') {
        matches = over_lines(lines, &folded, how);
    }
    matches.sort_by(|a, b| b.score.total_cmp(&a.score));
    matches.truncate(limit);
    let near = if matches.is_empty() { near(lines, &folded) } else { Vec::new() };
    Found { matches, near, may_scroll: false }
}

/// Joins what was found in the tree with what is found for the same query in the lines.
pub fn find_text(
    by_tree: Found,
    outline: &Outline,
    lines: &[TextLine],
    query: &str,
    how: Match,
    limit: usize,
) -> Found {
    let by_picture = find_in_lines(lines, query, how, usize::MAX);
    let mut all = by_tree.matches;
    for mut found in by_picture.matches {
        found.element = element_of(outline, lines, &found);
        if squeeze(&found.text).chars().count() == 1 && found.element.is_some() {
            found.score += ONE_SIGN;
        }
        // What the tree tells in the same place is told once, by the closer of the two.
        let center = found.center;
        let twin = all.iter_mut().find(|told| {
            told.source == Source::Tree
                && told.on_screen
                && (told.element.is_some() && told.element == found.element
                    || told.bounds.zip(center).is_some_and(|(bounds, center)| bounds.contains(center)))
        });
        match twin {
            Some(told) if told.score >= found.score => {}
            Some(told) => {
                found.element = found.element.or(told.element);
                *told = found;
            }
            None => all.push(found),
        }
    }
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.on_screen.cmp(&a.on_screen)));
    all.truncate(limit);
    let mut near = Vec::new();
    if all.is_empty() {
        near = by_tree.near;
        near.extend(by_picture.near.into_iter().filter(|near| near.score > 0.0));
        near.sort_by(|a, b| b.score.total_cmp(&a.score));
        near.dedup_by(|a, b| fold(&a.text) == fold(&b.text));
        near.truncate(5);
    }
    Found { matches: all, near, may_scroll: by_tree.may_scroll }
}

/// An element may be so many times an icon's area and still be the icon's own.
const LARGER: f64 = 8.0;

/// The element that something at this place is a part of: one that can be acted on or says something itself. A canvas does neither.
pub fn on_element(outline: &Outline, at: Point) -> Option<usize> {
    let index = outline.at(at)?;
    let element = outline.get(index)?;
    let small = element.bounds?.area() <= TOO_LARGE * outline.screen().area();
    (small && (element.actionable || !element.name().is_empty())).then_some(index)
}

/// The element that a line stands for: one whose words hold it, or the only line on one that can be acted on. A tap on the element
/// would go elsewhere than to one of several lines.
fn element_of(outline: &Outline, lines: &[TextLine], found: &TextMatch) -> Option<usize> {
    let index = on_element(outline, found.center?)?;
    let element = outline.get(index)?;
    let bounds = element.bounds?;
    let alone = lines.iter().filter(|line| bounds.contains(line.bounds.center())).count() <= 1;
    let near =
        element.tap_point(&outline.screen()).is_some_and(|point| found.bounds.is_some_and(|b| b.contains(point)));
    let says = fold(element.name()).contains(&fold(&found.text));
    (alone || near || says).then_some(index)
}

/// The element that an icon stands for: one of an icon's size.
pub fn icon_element(outline: &Outline, icon: &Rect) -> Option<usize> {
    let index = on_element(outline, icon.center())?;
    let area = outline.get(index)?.bounds?.area();
    (area <= LARGER * icon.area().max(1.0)).then_some(index)
}

/// Where a query stands in one line, each time that it does.
fn in_line(line: &TextLine, query: &str, folded: &str, how: Match) -> Vec<TextMatch> {
    let text = fold(&line.text);
    let equal = squeeze(&line.text) == squeeze(query);
    let whole = |score: f64| vec![found(line.text.clone(), line.bounds, score)];
    match find::score(&text, folded, equal, how) {
        Some(score) => {
            let places = places(line, &text, folded);
            if places.is_empty() {
                whole(score)
            } else {
                places.into_iter().map(|at| found(line.text.clone(), at, score)).collect()
            }
        }
        // Blanks are lost round small signs.
        None if folded.contains(' ') && how != Match::Exact => {
            let (text, query) = (without_blanks(&text), without_blanks(folded));
            find::score(&text, &query, false, Match::Contains).map_or_else(Vec::new, |score| whole(score - JOINED))
        }
        None => Vec::new(),
    }
}

fn found(text: String, bounds: Rect, score: f64) -> TextMatch {
    let center = Some(bounds.center());
    TextMatch { source: Source::Ocr, text, bounds: Some(bounds), center, score, on_screen: true, element: None }
}

/// Where the query stands within its line, by the characters that fold to it: as whole words, or else within words.
fn places(line: &TextLine, text: &str, query: &str) -> Vec<Rect> {
    // Which character of the line each folded one comes from; blanks that fold away have none.
    let mut folded = String::new();
    let mut from: Vec<usize> = Vec::new();
    for (index, c) in line.text.chars().enumerate() {
        let one = if c.is_whitespace() { " ".to_owned() } else { fold(&c.to_string()) };
        from.extend(std::iter::repeat_n(index, one.len()));
        folded.push_str(&one);
    }
    if folded != *text || query.is_empty() {
        return Vec::new();
    }
    let all = || text.match_indices(query).map(|(at, _)| at);
    let words: Vec<usize> = all().filter(|at| is_word(text, *at, query.len())).collect();
    let starts = if words.is_empty() { all().collect() } else { words };
    let edges = starts.into_iter().filter_map(|at| Some((*from.get(at)?, *from.get(at + query.len() - 1)?)));
    edges.map(|(first, last)| line.part(first..last + 1)).collect()
}

/// Whether what stands there is a word of its own.
fn is_word(text: &str, at: usize, length: usize) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !part(text[..at].chars().next_back()) && !part(text[at + length..].chars().next())
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A phrase that goes on from one line to the next: beside it in the same row, or below it where a paragraph breaks.
fn over_lines(lines: &[TextLine], query: &str, how: Match) -> Vec<TextMatch> {
    let readable: Vec<&TextLine> = lines.iter().filter(|line| line.readable).collect();
    let mut matches = Vec::new();
    for one in &readable {
        for other in readable.iter().filter(|other| follows(one, other)) {
            let joined = format!("{} {}", one.text, other.text);
            let text = fold(&joined);
            // A match within one of them has been looked for.
            if let Some(score) = find::score(&text, query, false, how) {
                matches.push(found(joined, around(&one.bounds, &other.bounds), score - JOINED));
            }
        }
    }
    matches
}

fn follows(one: &TextLine, other: &TextLine) -> bool {
    let (a, b) = (&one.bounds, &other.bounds);
    let height = a.height.max(b.height);
    let same_row = (a.center().y - b.center().y).abs() < 0.4 * height;
    let beside = same_row && b.x >= a.right() - 0.3 * height && b.x - a.right() < 1.5 * height;
    let alike = (a.height - b.height).abs() < 0.35 * height;
    let below = alike && (a.x - b.x).abs() < height && b.y >= a.center().y && b.y - a.bottom() < 0.9 * height;
    beside || below
}

fn around(a: &Rect, b: &Rect) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect::new(x, y, a.right().max(b.right()) - x, a.bottom().max(b.bottom()) - y)
}

fn near(lines: &[TextLine], query: &str) -> Vec<NearText> {
    let readable = lines.iter().filter(|line| line.readable);
    let alike = readable.map(|line| NearText {
        text: line.text.clone(),
        score: find::fuzzy(&fold(&line.text), query),
        element: None,
    });
    let mut near: Vec<NearText> = alike.filter(|near| near.score >= 0.5).collect();
    near.sort_by(|a, b| b.score.total_cmp(&a.score));
    near.truncate(5);
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neutral::{Node, Orientation, Role, Screen, Tree};

    const SCREEN: Screen = Screen { width: 390.0, height: 844.0, scale: 3.0, orientation: Orientation::Portrait };

    fn line(text: &str, x: f64, y: f64) -> TextLine {
        TextLine::new(text, Rect::new(x, y, text.chars().count() as f64 * 8.0, 16.0))
    }

    fn node(role: Role, label: &str, bounds: Rect) -> Node {
        Node { label: Some(label.to_owned()), bounds: Some(bounds), ..Node::new(role) }
    }

    fn both(tree: &Tree, lines: &[TextLine], query: &str) -> Found {
        let outline = Outline::new(tree, &SCREEN);
        let by_tree = find::find_text(tree, &outline, query, Match::Contains, usize::MAX);
        find_text(by_tree, &outline, lines, query, Match::Contains, 10)
    }

    fn texts(found: &Found) -> Vec<&str> {
        found.matches.iter().map(|found| found.text.as_str()).collect()
    }

    #[test]
    fn a_line_that_equals_the_query_beats_a_long_label_that_holds_it() {
        let long = "Wi-Fi and Bluetooth settings are managed by your organisation, ask somebody";
        let nodes = vec![node(Role::Text, long, Rect::new(0.0, 100.0, 390.0, 40.0))];
        let tree = Tree { nodes, ..Tree::default() };
        let lines = [line("Bluetooth", 20.0, 300.0), line("Wi-Fi and Bluetooth settings are managed by", 0.0, 104.0)];
        let found = both(&tree, &lines, "bluetooth");
        assert_eq!(texts(&found)[0], "Bluetooth");
        assert_eq!(found.matches[0].source, Source::Ocr);
        assert_eq!(found.matches.len(), 2, "what both tell in one place is told once: {found:?}");
    }

    #[test]
    fn a_line_on_an_element_takes_its_place() {
        let tree =
            Tree { nodes: vec![node(Role::Button, "btn_7", Rect::new(20.0, 300.0, 200.0, 44.0))], ..Tree::default() };
        let found = both(&tree, &[line("Buy now", 40.0, 310.0)], "buy now");
        assert_eq!(found.matches[0].element, Some(0));
    }

    #[test]
    fn phrases_go_over_boxes_and_blanks_may_be_lost() {
        let lines =
            [line("Forgot your", 20.0, 100.0), line("password?", 115.0, 100.0), line("Terms&conditions", 20.0, 400.0)];
        assert_eq!(texts(&find_in_lines(&lines, "your password", Match::Contains, 5)), ["Forgot your password?"]);
        assert_eq!(texts(&find_in_lines(&lines, "terms & conditions", Match::Contains, 5)), ["Terms&conditions"]);
        let wrapped = [line("Sign in to see your", 20.0, 100.0), line("orders", 20.0, 120.0)];
        assert_eq!(texts(&find_in_lines(&wrapped, "your orders", Match::Contains, 5)), ["Sign in to see your orders"]);
        assert!(texts(&find_in_lines(&wrapped, "orders sign", Match::Contains, 5)).is_empty());
    }

    #[test]
    fn one_sign_alone_is_no_good_match_and_what_is_not_there_is_near() {
        let found = both(&Tree::default(), &[line("Q", 20.0, 100.0)], "q");
        assert!(found.matches[0].score < 0.7, "{found:?}");
        let found =
            find_in_lines(&[line("Settings", 0.0, 0.0), line("Share", 0.0, 40.0)], "setings", Match::Contains, 5);
        assert!(found.matches.is_empty());
        assert_eq!(found.near[0].text, "Settings");
    }

    #[test]
    fn a_part_of_a_line_is_placed_where_it_stands() {
        let letters: Vec<(f64, f64)> = (0..11).map(|n| (f64::from(n) * 10.0, f64::from(n) * 10.0 + 9.0)).collect();
        let line = TextLine { letters, ..TextLine::new("Straße 12ab", Rect::new(0.0, 50.0, 110.0, 16.0)) };
        let found = find_in_lines(std::slice::from_ref(&line), "12AB", Match::Contains, 5);
        assert_eq!(found.matches[0].bounds, Some(Rect::new(70.0, 50.0, 39.0, 16.0)));
    }
}
