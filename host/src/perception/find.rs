//! find_text in a tree: which texts match a query, how closely, and what is near when nothing does.
//!
//! Knows texts of tree nodes and their boxes. Does not know pictures; lines read from a picture can be joined to the
//! matches later, since a score means the same whatever the text came from.
//!
//! | score | the text |
//! | --- | --- |
//! | 1.00 | equals the query |
//! | 0.98 | equals it but for case, accents, width and blanks |
//! | 0.80–0.92 | begins with it as whole words |
//! | 0.70–0.88 | holds it as whole words |
//! | 0.50–0.68 | holds it inside a word |
//! | up to 0.69 | is like it (fuzzy only), by edit distance |
//!
//! Within a range a text scores higher the more of it the query makes up: a long joined label that merely contains the
//! words never beats a short one. What cannot be reached (off the screen, hidden, covered) scores 0.05 less.

use super::outline::{Outline, Place};
use super::text::{find_words, fold, likeness, squeeze};
use crate::neutral::{Point, Rect, Role, Tree};

/// How closely a text must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// The text holds the query, but for case, accents and blanks.
    #[default]
    Contains,
    /// The text equals the query, but for case, accents and blanks.
    Exact,
    /// Contains, or is like it.
    Fuzzy,
}

/// What told a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The phone's tree.
    Tree,
    /// The picture.
    Ocr,
}

impl Source {
    /// As callers are told.
    pub fn name(self) -> &'static str {
        match self {
            Source::Tree => "tree",
            Source::Ocr => "ocr",
        }
    }
}

/// One text that matches.
#[derive(Clone, Debug, PartialEq)]
pub struct TextMatch {
    /// What told it.
    pub source: Source,
    /// The text as it is shown.
    pub text: String,
    /// Where it is, in points; `None` when the phone gave no usable position.
    pub bounds: Option<Rect>,
    /// The middle of its part on the screen, in points; of its bounds when it is off the screen.
    pub center: Option<Point>,
    /// How close the match is, from 0 to 1.
    pub score: f64,
    /// Whether it is on the screen.
    pub on_screen: bool,
    /// Index of the element that tells it, in the outline.
    pub element: Option<usize>,
}

/// A text that does not match but may have been meant.
#[derive(Clone, Debug, PartialEq)]
pub struct NearText {
    /// The text as it is shown.
    pub text: String,
    /// How alike it is, from 0 to 1.
    pub score: f64,
    /// Index of the element that tells it, in the outline.
    pub element: Option<usize>,
}

/// The answer of [`find_text`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Best first; of equals the one on the screen, then in reading order.
    pub matches: Vec<TextMatch>,
    /// When nothing matches: the nearest texts, best first, at most five.
    pub near: Vec<NearText>,
    /// Whether scrolling may reveal more: the tree tells of elements off the screen, or a list is shown.
    pub may_scroll: bool,
}

/// How closely `text` matches `query` (both folded, `equal` where they were the same before), by the table of this
/// module; `None` when it does not.
pub(super) fn score(text: &str, query: &str, equal: bool, how: Match) -> Option<f64> {
    if text.is_empty() || query.is_empty() {
        return None;
    }
    if text == query {
        return Some(if equal { 1.0 } else { 0.98 });
    }
    if how == Match::Exact {
        return None;
    }
    let share = query.chars().count() as f64 / text.chars().count().max(1) as f64;
    if let Some(at) = find_words(text, query) {
        return Some(if at == 0 { 0.80 + 0.12 * share } else { 0.70 + 0.18 * share });
    }
    if text.contains(query) {
        return Some(0.50 + 0.18 * share);
    }
    if how != Match::Fuzzy {
        return None;
    }
    let alike = fuzzy(text, query);
    (alike >= 0.72).then_some(alike * 0.69)
}

/// How alike, comparing the query with the whole text and with each run of as many words in it.
pub(super) fn fuzzy(text: &str, query: &str) -> f64 {
    let mut best = likeness(text, query);
    let count = query.split(' ').count();
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1)).take(64).collect();
    if starts.len() > count {
        for (n, start) in starts.iter().enumerate() {
            let end = starts.get(n + count).map_or(text.len(), |end| end - 1);
            // A part of a longer text is a weaker find than the whole.
            best = best.max(likeness(&text[*start..end], query) * 0.95);
            if n + count >= starts.len() {
                break;
            }
        }
    }
    best
}

struct Candidate {
    text: String,
    folded: String,
    node: usize,
    place: Place,
    reachable: bool,
    element: Option<usize>,
}

/// Looks for `query` in the texts of `tree` (labels, values and placeholders; a secure field's value is never searched).
/// `outline` must be the outline of that tree. At most `limit` matches.
pub fn find_text(tree: &Tree, outline: &Outline, query: &str, how: Match, limit: usize) -> Found {
    let folded_query = fold(query);
    let plain_query = squeeze(query);
    let candidates = candidates(tree, outline);
    let mut scored: Vec<(f64, usize)> = Vec::new();
    for (i, candidate) in candidates.iter().enumerate() {
        if let Some(score) = score(&candidate.folded, &folded_query, candidate.text == plain_query, how) {
            let score = if candidate.reachable { score } else { (score - 0.05).max(0.0) };
            scored.push((score, i));
        }
    }
    scored.sort_by(|a, b| {
        let on = |i: usize| candidates[i].place == Place::On;
        b.0.total_cmp(&a.0).then(on(b.1).cmp(&on(a.1))).then(a.1.cmp(&b.1))
    });
    let mut matches: Vec<TextMatch> = Vec::new();
    // A row, its text and a wrapper tell one text: of those told by one element the first in order of score is kept.
    let mut told: std::collections::HashSet<(Option<usize>, &str)> = std::collections::HashSet::new();
    for (score, i) in scored {
        let candidate = &candidates[i];
        if matches.len() >= limit {
            break;
        }
        if candidate.element.is_some() && !told.insert((candidate.element, &candidate.folded)) {
            continue;
        }
        let bounds = super::fold::usable(tree.nodes[candidate.node].bounds);
        matches.push(TextMatch {
            source: Source::Tree,
            text: candidate.text.clone(),
            bounds,
            center: bounds.map(|b| seen(outline, candidate.element, b).center()),
            score,
            on_screen: candidate.place == Place::On,
            element: candidate.element,
        });
    }
    let near = if matches.is_empty() { near(&candidates, &folded_query) } else { Vec::new() };
    Found { matches, near, may_scroll: may_scroll(tree, outline) }
}

/// The part of `bounds`, which `element` tells, that a finger can reach; all of it where that is nothing.
pub(super) fn seen(outline: &Outline, element: Option<usize>, bounds: Rect) -> Rect {
    let screen = outline.screen();
    let open = element.and_then(|element| outline.get(element)).and_then(|element| element.visible_part(&screen));
    open.and_then(|open| open.intersection(&bounds)).or_else(|| bounds.intersection(&screen)).unwrap_or(bounds)
}

fn candidates(tree: &Tree, outline: &Outline) -> Vec<Candidate> {
    let screen = outline.screen();
    let mut candidates = Vec::new();
    for (node, item) in tree.nodes.iter().enumerate() {
        if item.role == Role::Window {
            continue;
        }
        let element = outline.element_of(node);
        let value = item.value.as_ref().filter(|_| item.role != Role::SecureField);
        let mut seen: [Option<&String>; 3] = [None; 3];
        for (slot, text) in [item.label.as_ref(), value, item.placeholder.as_ref()].into_iter().enumerate() {
            let Some(text) = text else { continue };
            if seen.contains(&Some(text)) {
                continue;
            }
            seen[slot] = Some(text);
            let shown = squeeze(text);
            if shown.is_empty() {
                continue;
            }
            let bounds = super::fold::usable(item.bounds).filter(|b| b.area() > 0.0);
            let place = match (bounds, element.and_then(|e| outline.get(e))) {
                (Some(bounds), _) if bounds.intersection(&screen).is_some() => Place::On,
                (Some(_), Some(element)) if element.place != Place::On => element.place,
                _ => Place::Nowhere,
            };
            let reachable = place == Place::On
                && outline.is_visible(item)
                && element.and_then(|e| outline.get(e)).is_none_or(|e| e.covered_by.is_none());
            candidates.push(Candidate { folded: fold(&shown), text: shown, node, place, reachable, element });
        }
    }
    candidates
}

fn near(candidates: &[Candidate], query: &str) -> Vec<NearText> {
    let mut near: Vec<NearText> = Vec::new();
    let mut seen: std::collections::HashSet<&str> = std::collections::HashSet::new();
    for candidate in candidates {
        let alike = fuzzy(&candidate.folded, query);
        let inside = !candidate.folded.is_empty()
            && candidate.folded.chars().count() > 2
            && find_words(query, &candidate.folded).is_some();
        let alike = alike.max(if inside { 0.6 } else { 0.0 });
        if alike >= 0.5 && seen.insert(&candidate.folded) {
            near.push(NearText { text: candidate.text.clone(), score: alike, element: candidate.element });
        }
    }
    near.sort_by(|a, b| b.score.total_cmp(&a.score));
    near.truncate(5);
    near
}

/// Whether more may come into view by scrolling.
fn may_scroll(tree: &Tree, outline: &Outline) -> bool {
    outline.off_screen().total() > 0
        || tree.nodes.iter().any(|node| {
            matches!(node.role, Role::List | Role::WebView)
                && outline.is_visible(node)
                && super::fold::usable(node.bounds).is_some_and(|b| b.intersection(&outline.screen()).is_some())
        })
}
