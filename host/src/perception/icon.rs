//! find_icon in a tree: which element is the icon that a name or a plain description means.
//!
//! Knows roles, labels and identifiers, and the words of the table of concepts. Does not know shapes, which may be found
//! by the same table in the picture.
//!
//! | score | why |
//! | --- | --- |
//! | 0.99 | the element's label or identifier is the query |
//! | 0.96 | its label or identifier is a name of the concept that the query means |
//! | 0.90 | the identifier holds such a name among a few other words (`btn_settings`, `ic_search_24dp`) |
//! | 0.85 | the label holds it among at most three words |
//! | 0.75 | a longer label or identifier holds it |
//! | 0.55 | it is like the query (edit distance): never a match, only near |
//!
//! What looks like an icon (an image, an icon, a button or tab without a text inside) scores in full, another control
//! 0.05 less, a mere text 0.35 less. What cannot be reached scores 0.05 less.

use super::outline::Outline;
use super::text::{find_words, fold, is_cjk, likeness, squeeze};
use crate::neutral::{Node, Point, Rect, Role, Tree};
use std::sync::OnceLock;

/// Score from which an element is a match; below it is only near.
pub const ACCEPT: f64 = 0.7;

/// Score from which an element is called so, and does not only hold the word among others.
pub const CALLED: f64 = 0.9;

/// An element that is probably the icon.
#[derive(Clone, Debug, PartialEq)]
pub struct IconMatch {
    /// The concept's name, or the element's own where the query is no known concept.
    pub name: String,
    /// Where it is, in points.
    pub bounds: Option<Rect>,
    /// The middle of its part on the screen, in points.
    pub center: Option<Point>,
    /// How likely it is the one, from 0 to 1; see the module's table.
    pub score: f64,
    /// Whether it is on the screen.
    pub on_screen: bool,
    /// Index of the element that tells it, in the outline.
    pub element: Option<usize>,
}

/// The answer of [`find_icon`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundIcons {
    /// Best first.
    pub matches: Vec<IconMatch>,
    /// Below the threshold, best first, at most five.
    pub near: Vec<IconMatch>,
}

/// Words that say that something is an icon, not which one.
const FILLERS: &[&str] = &[
    "icon",
    "icons",
    "button",
    "btn",
    "the",
    "a",
    "an",
    "symbol",
    "glyph",
    "logo",
    "img",
    "ic",
    "iv",
    "image view",
    "imageview",
    "tab",
    "toolbar",
    "action",
    "nav",
    "fab",
    "of",
    "to",
    "for",
    "24dp",
    "24px",
    "16",
    "24",
    "32",
    "48",
    "black",
    "white",
    "filled",
    "outline",
    "outlined",
    "fill",
    "circle",
    "round",
    "rounded",
    "regular",
    "bold",
    "light",
    "dark",
    "small",
    "large",
    "id",
    "item",
    "view",
];

/// A name as words: `btnSettings_24dp` is `btn settings 24dp`.
fn words(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut lower = false;
    for c in text.chars() {
        if c.is_uppercase() && lower {
            spaced.push(' ');
        }
        lower = c.is_lowercase();
        spaced.push(if matches!(c, '_' | '.' | '/' | ':' | '-' | '(' | ')' | ',') { ' ' } else { c });
    }
    fold(&spaced)
}

/// The words without those that only say that it is an icon; all of them when nothing else is left.
fn telling(text: &str) -> String {
    let kept: Vec<&str> = text.split(' ').filter(|word| !FILLERS.contains(word)).collect();
    if kept.is_empty() { text.to_owned() } else { kept.join(" ") }
}

/// Words that mean an icon only where they stand alone: in longer texts they say where something is.
const ALONE: &[&str] = &["at", "left", "right"];

/// Whether a word tells its concept among other words too.
fn tells_among_others(word: &str) -> bool {
    !is_letter(word) && !ALONE.contains(&word)
}

fn is_letter(word: &str) -> bool {
    word.chars().nth(1).is_none()
}

/// A concept of the table, its words folded as queries and names are.
struct Known {
    name: &'static str,
    /// Its name first.
    words: Vec<String>,
}

fn known() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let known = |concept: &fingertip_shapes::Concept| Known {
            name: concept.name,
            words: std::iter::once(&concept.name).chain(&concept.words).map(|word| words(word)).collect(),
        };
        fingertip_shapes::concepts().iter().map(known).collect()
    })
}

/// The concepts one of whose words is the query, those that it means most likely first.
fn named(query: &str) -> Vec<&'static Known> {
    let mut named: Vec<(usize, &Known)> = known()
        .iter()
        .filter_map(|concept| Some((concept.words.iter().position(|word| word == query)?, concept)))
        .collect();
    named.sort_by_key(|(place, _)| *place);
    named.into_iter().map(|(_, concept)| concept).collect()
}

/// The concepts whose words stand in a longer query (`settings gear`, `gear on the top right`), the likeliest first and at
/// most three.
fn held_in(query: &str) -> Vec<&'static Known> {
    let mut held: Vec<(usize, usize, &Known)> = known()
        .iter()
        .filter_map(|concept| {
            let told = concept.words.iter().filter(|word| tells_among_others(word));
            let at = told.filter_map(|word| Some((word.chars().count(), find_words(query, word)?)));
            let (length, at) = at.max_by_key(|(length, at)| (*length, std::cmp::Reverse(*at)))?;
            Some((length, at, concept))
        })
        .collect();
    held.sort_by_key(|(length, at, _)| (std::cmp::Reverse(*length), *at));
    // A longer word is the better guess: in "alarm clock" it is not the clock.
    let longest = held.first().map_or(0, |(length, _, _)| *length);
    let near = held.into_iter().filter(|(length, _, _)| *length * 3 >= longest * 2);
    near.map(|(_, _, concept)| concept).take(3).collect()
}

/// What a query asks for: its telling words, and the concepts that they may mean, the likeliest first.
fn asked(query: &str) -> (String, Vec<&'static Known>) {
    let all = words(query);
    // "Dark mode" and "add circle" are names, though half of their words say little elsewhere.
    let exact = named(&all);
    if !exact.is_empty() {
        return (all, exact);
    }
    let text = telling(&all);
    let guesses = [named(&text), held_in(&text), held_in(&all)];
    let concepts = guesses.into_iter().find(|guess| !guess.is_empty()).unwrap_or_default();
    (text, concepts)
}

/// How well a name tells one of the wanted words.
fn name_score(name: &str, is_identifier: bool, query: &str, wanted: &[String]) -> f64 {
    if name.is_empty() {
        return 0.0;
    }
    let core = telling(name);
    if name == query || core == query {
        return 0.99;
    }
    let mut best: f64 = 0.0;
    for word in wanted.iter().map(String::as_str).chain(std::iter::once(query)) {
        let may_be_held = tells_among_others(word) || (word == query && !is_letter(word));
        if core == word || name == word {
            best = best.max(0.96);
        } else if may_be_held && find_words(name, word).is_some() {
            let others = if name.chars().any(is_cjk) { name.chars().count() / 3 } else { core.split(' ').count() };
            let few = others < 3 + word.split(' ').count();
            best = best.max(match (is_identifier, few) {
                (true, true) => 0.90,
                (false, true) => 0.85,
                _ => 0.75,
            });
        }
    }
    if best == 0.0 {
        let alike = likeness(&core, query);
        if alike >= 0.7 {
            best = 0.55 * alike;
        }
    }
    best
}

fn role_penalty(node: &Node, has_text_inside: bool) -> f64 {
    match node.role {
        Role::Image | Role::Icon => 0.0,
        Role::Button | Role::Tab | Role::Key if !has_text_inside => 0.0,
        Role::Other if !has_text_inside => 0.02,
        Role::Button | Role::Tab | Role::Key | Role::Link | Role::Switch => 0.05,
        Role::Cell | Role::TextField | Role::SecureField => 0.12,
        Role::Text => 0.35,
        _ => 0.3,
    }
}

/// Looks for the icon that `query` names or describes. `threshold` (default [`ACCEPT`]) parts matches from near ones.
pub fn find_icon(tree: &Tree, outline: &Outline, query: &str, threshold: Option<f64>, limit: usize) -> FoundIcons {
    let threshold = threshold.filter(|t| t.is_finite()).unwrap_or(ACCEPT).clamp(0.0, 1.0);
    let (query, concepts) = asked(query);
    if query.is_empty() {
        return FoundIcons::default();
    }
    let mut has_text = vec![false; tree.nodes.len()];
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        let says = node.role == Role::Text
            && node.label.as_ref().or(node.value.as_ref()).is_some_and(|t| !t.trim().is_empty());
        if let Some(parent) = node.parent.map(|p| p as usize).filter(|p| *p < i) {
            has_text[parent] |= says || has_text[i];
        }
    }
    let screen = outline.screen();
    let mut found: Vec<IconMatch> = Vec::new();
    for (i, node) in tree.nodes.iter().enumerate() {
        if matches!(
            node.role,
            Role::Window | Role::Alert | Role::Keyboard | Role::List | Role::WebView | Role::Sheet | Role::NavBar
        ) {
            continue;
        }
        let label = node.label.as_ref().map(|l| words(l)).filter(|l| l.chars().count() <= 80).unwrap_or_default();
        let identifier =
            node.identifier.as_ref().map(|id| words(id.rsplit('/').next().unwrap_or(id))).unwrap_or_default();
        if label.is_empty() && identifier.is_empty() {
            continue;
        }
        let mut best = (0.0f64, None);
        let unknown: &[String] = &[];
        let sets = concepts.iter().map(|concept| concept.words.as_slice());
        for (rank, words) in sets.chain(concepts.is_empty().then_some(unknown)).enumerate() {
            let score = name_score(&label, false, &query, words).max(name_score(&identifier, true, &query, words));
            // The second guess at what the query means is a little less likely.
            let score = score - 0.03 * rank as f64;
            if score > best.0 {
                best = (score, concepts.get(rank));
            }
        }
        if best.0 <= 0.0 {
            continue;
        }
        let element = outline.element_of(i);
        let bounds = super::fold::usable(node.bounds).filter(|b| b.area() > 0.0);
        let on_screen = bounds.is_some_and(|b| b.intersection(&screen).is_some());
        let reachable = on_screen
            && outline.is_visible(node)
            && element.and_then(|e| outline.get(e)).is_none_or(|e| e.covered_by.is_none());
        let score = (best.0 - role_penalty(node, has_text[i]) - if reachable { 0.0 } else { 0.05 }).max(0.0);
        if score < 0.3 {
            continue;
        }
        let own = node.label.as_ref().or(node.identifier.as_ref()).map(|text| squeeze(text)).unwrap_or_default();
        found.push(IconMatch {
            name: best.1.map_or(own, |concept| concept.name.to_owned()),
            bounds,
            center: bounds.map(|b| super::find::seen(outline, element, b).center()),
            score,
            on_screen,
            element,
        });
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.on_screen.cmp(&a.on_screen)));
    let mut told = std::collections::HashSet::new();
    found.retain(|icon| icon.element.is_none() || told.insert(icon.element));
    let at = found.partition_point(|icon| icon.score >= threshold);
    let mut near = found.split_off(at);
    near.truncate(5);
    found.truncate(limit);
    FoundIcons { matches: found, near }
}

/// The names of the concepts that a query may mean, the likeliest first; the query itself where none is known.
pub fn meant(query: &str) -> Vec<String> {
    let (query, concepts) = asked(query);
    if concepts.is_empty() { vec![query] } else { concepts.iter().map(|concept| concept.name.to_owned()).collect() }
}
