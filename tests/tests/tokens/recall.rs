//! Whether what a tree holds can be read in its text form. It is decided from the neutral tree and the printed lines alone,
//! not from what the outline made of the tree, so that a rule of the outline that drops something shows.
//!
//! The rules:
//!
//! - *To act on* is a node of a control's role, or one that is on or off, with a part on the screen, seen or not. It can be
//!   read if a line with a ref has its words and its tap point is the middle of what can be seen of the node (to 2.5 points; any
//!   place on it where a keyboard, an alert or a sheet may cover a part), or, for a key, if its name stands among the keys of
//!   the keyboard's line. Two controls of one name in one place, such as a cell and the
//!   button that fills it, are told by one line.
//! - A control that is disabled *and* that the phone calls invisible, inside another control, is an ornament (the chevron of
//!   a row): nothing can be done with it, and its row's line stands for it.
//! - A *visible text* is what a person can read of a node that lies on the screen and that the phone calls visible: its
//!   label, else its value, else its placeholder. Windows have none, nor have secure fields. It can be read if the text
//!   form has it as whole words, blanks counting as one and letters of either case being equal. Of texts over 200
//!   characters the first 199.
//! - A *state* is on, off, selected, a value beside the label, a placeholder of what is empty, and, for what can be acted
//!   on, disabled. What can neither be acted on nor seen has none. It can be read if it stands on the line of the node, or
//!   of the control that the node is a part of.

use driver_api::{Node, Orientation, Point, Rect, Role, Screen, Tree};

/// How much was looked for, and what was not found.
#[derive(Default)]
pub(crate) struct Recall {
    pub(crate) acting: usize,
    pub(crate) texts: usize,
    pub(crate) states: usize,
    pub(crate) misses: Vec<String>,
}

/// A printed line, taken apart.
#[derive(Debug)]
struct Line {
    /// Outside of quotes, as words.
    words: Vec<String>,
    /// All of it without escapes, blanks and case.
    flat: String,
    has_ref: bool,
    point: Option<(f64, f64)>,
}

/// The screen that the tree's root fills.
pub(crate) fn screen(tree: &Tree) -> Screen {
    let roots = tree.nodes.iter().filter(|node| node.parent.is_none()).filter_map(|node| node.bounds);
    let (mut width, mut height) = (1.0, 1.0);
    for root in roots.filter(|root| root.width >= 1.0 && root.height >= 1.0) {
        (width, height) =
            (f64::max(width, root.width.max(root.right())), f64::max(height, root.height.max(root.bottom())));
    }
    let orientation = if width > height { Orientation::LandscapeLeft } else { Orientation::Portrait };
    Screen { width, height, scale: 1.0, orientation }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().replace('\u{FFFC}', "")
}

/// The text as far as lines carry it.
fn wanted(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let long = text.chars().count() > 200;
    let text: String = if long { text.chars().take(199).collect() } else { text };
    flat(&text)
}

/// Whether the text stands there as whole words. (Letters beyond ASCII may be written without blanks between words.)
fn has(flat: &str, text: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    flat.match_indices(text).any(|(start, _)| {
        let (before, after) = (&flat[..start], &flat[start + text.len()..]);
        let joined_before = letter(before.chars().next_back()) && letter(text.chars().next());
        // The end of a text that is cut may be within a word.
        let joined_after = letter(text.chars().next_back()) && letter(after.chars().next()) && text.len() < 190;
        !joined_before && !joined_after
    })
}

fn line(text: &str) -> Line {
    let (text, point) = match text.rsplit_once(" @").and_then(|(rest, at)| Some((rest, at.split_once(',')?))) {
        Some((rest, (x, y))) => match (x.parse(), y.parse()) {
            (Ok(x), Ok(y)) => (rest, Some((x, y))),
            _ => (text, None),
        },
        None => (text, None),
    };
    let (mut bare, mut plain, mut quoted, mut escaped) = (String::new(), String::new(), false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => {
                escaped = true;
                continue;
            }
            '"' => {
                quoted = !quoted;
                bare.push(' ');
                plain.push('\u{1}');
                continue;
            }
            _ => {}
        }
        plain.push(c);
        if !quoted {
            bare.push(c);
        }
    }
    let words: Vec<String> = bare.split_whitespace().map(str::to_owned).collect();
    let is_ref =
        |word: &String| word.strip_prefix('e').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    Line { has_ref: words.first().is_some_and(is_ref), words, flat: flat(&plain.replace("&lt;", "<")), point }
}

fn is_control(node: &Node) -> bool {
    use Role::*;
    node.checked.is_some()
        || matches!(node.role, Button | TextField | SecureField | Switch | Slider | Cell | Icon | Link | Tab | Key)
}

fn filled(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !flat(text).is_empty())
}

/// What a person could read there.
fn words(node: &Node) -> Option<&str> {
    filled(&node.label).or(filled(&node.value)).or(filled(&node.placeholder))
}

impl Recall {
    pub(crate) fn add(&mut self, name: &str, tree: &Tree, text: &str, pointed: &str) {
        let screen = screen(tree).bounds();
        let lines: Vec<Line> = pointed.lines().skip(1).map(line).collect();
        let all = flat(&text.lines().skip(1).map(|text| line(text).flat).collect::<Vec<_>>().join("\u{1} "));
        let part = |node: &Node| node.bounds.filter(|b| b.x.is_finite() && b.y.is_finite())?.intersection(&screen);
        let above = |node: &Node| {
            std::iter::successors(node.parent, |p| tree.nodes[*p as usize].parent).map(|p| &tree.nodes[p as usize])
        };
        // What can be seen of it: lists and pages show only what is inside them.
        let seen = |node: &Node| {
            let scrolls = |node: &&Node| matches!(node.role, Role::List | Role::WebView);
            let clip = |part: Rect, list: Rect| part.intersection(&list).unwrap_or(part);
            Some(above(node).filter(scrolls).filter_map(|list| list.bounds).fold(part(node)?, clip))
        };
        let over = |part: &Rect| {
            let overlay = |node: &&Node| matches!(node.role, Role::Keyboard | Role::Alert | Role::Sheet);
            let cuts = |cover: Rect| cover.intersection(part).is_some_and(|both| both.area() < part.area() * 0.999);
            tree.nodes.iter().filter(overlay).filter_map(|node| node.bounds).any(cuts)
        };
        let at = |node: &Node| -> Vec<&Line> {
            let Some(seen) = seen(node) else { return Vec::new() };
            let (middle, cut) = (seen.center(), over(&seen));
            let near = |(x, y): (f64, f64)| {
                (x + 0.5 - middle.x).abs() <= 2.5 && (y + 0.5 - middle.y).abs() <= 2.5
                    || cut && seen.contains(Point::new(x + 0.5, y + 0.5))
            };
            lines.iter().filter(|line| line.point.is_some_and(near)).collect()
        };
        let keys = lines.iter().find(|line| line.words.iter().any(|word| word == "keys:"));
        let is_key = |node: &Node| {
            matches!(node.role, Role::Key | Role::Button) && above(node).any(|node| node.role == Role::Keyboard)
        };
        let mut seen_texts = Vec::new();
        for (index, node) in tree.nodes.iter().enumerate() {
            let Some(visible) = part(node) else { continue };
            let what = || {
                format!(
                    "{name}: node {index} {:?} {:?} {:?} #{:?} {visible:?}",
                    node.role, node.label, node.value, node.identifier
                )
            };
            let ornament = is_control(node) && !node.enabled && !node.visible && above(node).any(is_control);
            if is_control(node) && !ornament {
                self.acting += 1;
                let said = words(node).filter(|_| node.role != Role::SecureField).map(wanted);
                let told = |line: &&Line| line.has_ref && said.as_ref().is_none_or(|said| has(&line.flat, said));
                let key = || {
                    let name = words(node).or(node.identifier.as_deref()).map(wanted);
                    is_key(node) && keys.is_some_and(|line| name.is_none_or(|name| has(&line.flat, &name)))
                };
                if !at(node).iter().any(told) && !key() {
                    self.misses.push(format!("to act on: {}", what()));
                }
            }
            if node.visible
                && node.role != Role::Window
                && node.role != Role::SecureField
                && let Some(words) = words(node).map(wanted)
                && !seen_texts.contains(&words)
            {
                self.texts += 1;
                if !has(&all, &words) {
                    self.misses.push(format!("text: {}", what()));
                }
                seen_texts.push(words);
            }
            if ornament || !(node.visible || is_control(node)) {
                continue;
            }
            // The node's own line, or that of the control around it.
            let mut holders = at(node);
            for above in above(node) {
                holders.extend(at(above));
                if is_control(above) {
                    break;
                }
            }
            holders.extend(keys.filter(|_| is_key(node)));
            let mut state = |state: &str, holds: &dyn Fn(&Line) -> bool| {
                self.states += 1;
                if !holders.iter().any(|line| holds(line)) {
                    self.misses.push(format!("state {state}: {}", what()));
                }
            };
            let word = |word: &'static str| move |line: &Line| line.words.iter().any(|w| w == word);
            match node.checked {
                Some(true) => state("on", &word("on")),
                Some(false) => state("off", &word("off")),
                None => {}
            }
            if node.selected {
                state("selected", &word("selected"));
            }
            if !node.enabled && is_control(node) {
                state("disabled", &word("disabled"));
            }
            let empty = filled(&node.value).is_none();
            if let (Some(placeholder), true) = (filled(&node.placeholder), empty) {
                state("placeholder", &|line: &Line| has(&line.flat, &wanted(placeholder)));
            }
            let told_otherwise =
                node.value == node.label || node.value == node.placeholder || node.role == Role::Window;
            if let (Some(value), false) = (filled(&node.value), told_otherwise) {
                state("value", &|line: &Line| has(&line.flat, &wanted(value)));
            }
        }
    }
}
