//! An outline with refs as text for a model, or as JSON, in a bounded number of tokens.
//!
//! ```text
//! <screen frame="f12">
//! e1 nav_bar "Settings"
//! e2 cell "Wi-Fi" "Office"
//! e3 cell "Airplane Mode"
//!  e4 switch "Airplane Mode" off
//! e5 text_field #email placeholder "E-mail" focused
//! e6 "A text that is only read"
//! … 37 more below
//! </screen>
//! ```
//!
//! One element a line; one blank for each element around it. A line starts with the element's ref, then come its words
//! as [`super::locator`] reads them: the role (left out for what is only read and named by its text alone), the text,
//! or the identifier where it has none. Further texts in quotes are read inside the element. `= "…"` is its value.
//! Keys stand on their keyboard's line. Texts over 200 characters are cut with `…`.
//!
//! Knows outlines, refs and the token estimate. Does not know frames' content, doors or their envelopes.

use super::locator::{Words, escape, quote};
use super::outline::{Element, OffScreen, Outline, Place};
use super::refs::Ref;
use super::text::shorten;
use super::tokens::estimate_tokens;
use crate::neutral::{Point, Rect, Role};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Longest text on a line, in characters.
pub const LONGEST: usize = 200;

/// What to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The most tokens of the whole text, by the estimate; `None` for no bound.
    pub max_tokens: Option<usize>,
    /// Only this element and what lies inside it.
    pub within: Option<usize>,
    /// Only what can be acted on, and what holds it.
    pub interactive_only: bool,
    /// The tap point of each element, as `@x,y` in whole points.
    pub points: bool,
}

/// What was left out, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// All elements left out.
    pub count: usize,
    /// Of these, off the screen, by direction.
    #[serde(skip_serializing_if = "is_default")]
    pub off_screen: OffScreen,
    /// Of these, because the bound on tokens was reached.
    #[serde(skip_serializing_if = "is_default")]
    pub over_limit: usize,
    /// Of these, because only what can be acted on was asked for.
    #[serde(skip_serializing_if = "is_default")]
    pub not_interactive: usize,
    /// Of these, because the phone says that they cannot be seen.
    #[serde(skip_serializing_if = "is_default")]
    pub hidden: usize,
    /// Texts that were cut after 200 characters.
    #[serde(skip_serializing_if = "is_default")]
    pub shortened: usize,
}

/// What an answer need not say.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A text and what it leaves out.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The text with the tags around it.
    pub text: String,
    /// Its tokens, by the estimate.
    pub tokens: usize,
    /// What was left out.
    pub omitted: Omitted,
    /// The elements that have a line or stand on one, as indices of the outline.
    pub shown: Vec<usize>,
}

/// One element in the JSON form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JsonElement {
    /// Its ref.
    pub r#ref: Ref,
    /// What it is.
    pub role: Role,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Further texts inside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// Its content; bullets for a secure field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What it shows while it is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// The developer's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Where it is, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// The middle of its bounds, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<Point>,
    /// Whether a tap or typing means something to it.
    pub actionable: bool,
    /// Whether it reacts.
    pub enabled: bool,
    /// Whether it is the chosen one.
    #[serde(skip_serializing_if = "is_false")]
    pub selected: bool,
    /// Whether typed text goes to it.
    #[serde(skip_serializing_if = "is_false")]
    pub focused: bool,
    /// On or off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Whether something in front fully covers it.
    #[serde(skip_serializing_if = "is_false")]
    pub covered: bool,
    /// Whether the phone says that it cannot be seen.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// Where it lies when not on the screen: above, below, left, right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_screen: Option<&'static str>,
    /// The ref of the element that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Ref>,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// The direction's name on every door; `None` for what is on the screen or nowhere.
pub fn direction(place: Place) -> Option<&'static str> {
    match place {
        Place::Above => Some("above"),
        Place::Below => Some("below"),
        Place::Left => Some("left"),
        Place::Right => Some("right"),
        Place::On | Place::Nowhere => None,
    }
}

/// Whether a container's line says nothing that its content does not.
fn is_bare_frame(element: &Element) -> bool {
    matches!(element.role, Role::List | Role::NavBar | Role::WebView)
        && element.name().is_empty()
        && element.value.is_none()
        && element.checked.is_none()
        && !element.selected
        && !element.focused
}

/// Whether an element belongs to a text form of what is on the screen now.
fn is_shown(element: &Element) -> bool {
    match element.place {
        Place::On => true,
        // Something may be there though the phone does not know where, such as an alert with infinite coordinates.
        Place::Nowhere => !element.hidden && element.bounds.is_none(),
        _ => false,
    }
}

/// The text form of `outline`, whose elements have the refs `refs` (as [`super::refs::RefBook::assign`] gives them).
pub fn text(outline: &Outline, refs: &[Ref], frame: &str, options: &Options) -> Rendered {
    let elements = outline.elements();
    let inside = options.within.map(|within| outline.subtree(within));
    let inside = |i: usize| inside.as_ref().is_none_or(|inside| inside.get(i).copied().unwrap_or(false));
    let mut omitted =
        Omitted { hidden: if options.within.is_none() { outline.hidden() } else { 0 }, ..Omitted::default() };
    let keyboards = on_keyboard(elements, &inside);
    let acts_inside = holds_actions(elements);
    let mut wanted: Vec<usize> = Vec::new();
    for (i, element) in elements.iter().enumerate() {
        if !inside(i) {
            continue;
        }
        if !is_shown(element) {
            match element.place {
                Place::Above => omitted.off_screen.above += 1,
                Place::Below => omitted.off_screen.below += 1,
                Place::Left => omitted.off_screen.left += 1,
                Place::Right => omitted.off_screen.right += 1,
                _ => omitted.hidden += 1,
            }
        } else if options.interactive_only && !element.actionable && !acts_inside[i] {
            omitted.not_interactive += 1;
        } else if !(is_bare_frame(element) || keyboards[i].is_some() && is_key(element)) {
            wanted.push(i);
        }
    }
    let bare = unambiguous_texts(elements);
    let mut lines: Vec<(usize, String)> = Vec::with_capacity(wanted.len());
    for &i in &wanted {
        let mut line = String::new();
        write_line(&mut line, elements, i, refs, &bare, options, &mut omitted, outline);
        if elements[i].role == Role::Keyboard {
            write_keys(&mut line, elements, i, &keyboards);
        }
        lines.push((i, line));
    }
    let head = format!("<screen frame=\"{}\">\n", escape(frame).replace('"', "'"));
    let tail = "</screen>";
    let room =
        options.max_tokens.map(|max| max.saturating_sub(estimate_tokens(&head) + estimate_tokens(tail) + FOOTER));
    let kept = choose(elements, &lines, room);
    let mut out = head;
    let mut shown = Vec::with_capacity(lines.len());
    let mut printed = vec![false; elements.len()];
    let mut depth = vec![0usize; elements.len()];
    let mut next = 0;
    for (i, element) in elements.iter().enumerate() {
        let own = lines.get(next).is_some_and(|(line, _)| *line == i);
        depth[i] = element.parent.map_or(0, |p| depth[p] + usize::from(printed[p]));
        if !own {
            // A key is shown if its keyboard's line is.
            if keyboards[i].is_some_and(|board| printed[board]) && is_key(element) && is_shown(element) {
                shown.push(i);
            }
            continue;
        }
        if kept[next] {
            printed[i] = true;
            shown.push(i);
            for _ in 0..depth[i].min(DEEPEST) {
                out.push(' ');
            }
            out.push_str(&lines[next].1);
            out.push('\n');
        } else {
            omitted.over_limit += 1;
        }
        next += 1;
    }
    omitted.count = omitted.off_screen.total() + omitted.over_limit + omitted.not_interactive + omitted.hidden;
    write_footer(&mut out, &omitted);
    if printed.iter().all(|printed| !printed) && omitted.count == 0 {
        out.push_str("(nothing to read or to act on)\n");
    }
    out.push_str(tail);
    if let Some(max) = options.max_tokens
        && estimate_tokens(&out) > max
    {
        // Not even the frame fits: the bound holds, whatever it was.
        out = "<screen></screen>".to_owned();
        shown.clear();
        if estimate_tokens(&out) > max {
            out.clear();
        }
    }
    Rendered { tokens: estimate_tokens(&out), text: out, omitted, shown }
}

/// Tokens kept free for the lines that say what was left out.
const FOOTER: usize = 24;
/// Deepest indentation; a line further in is not moved further.
const DEEPEST: usize = 12;

/// Whether an element of a keyboard stands on the keyboard's line.
fn is_key(element: &Element) -> bool {
    let says_more = !element.parts.is_empty() || element.value.is_some() || element.placeholder.is_some();
    let has_state = element.checked.is_some() || element.selected || !element.enabled;
    matches!(element.role, Role::Key | Role::Button) && !has_state && !says_more
}

/// For each element whether it stands on its keyboard's line and has none of its own.
pub(super) fn keys(elements: &[Element]) -> Vec<bool> {
    let keyboards = on_keyboard(elements, &|_| true);
    elements.iter().zip(keyboards).map(|(element, board)| board.is_some() && is_key(element)).collect()
}

/// For each element the keyboard with a line on which it lies.
fn on_keyboard(elements: &[Element], inside: &dyn Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut board = vec![None; elements.len()];
    for (i, element) in elements.iter().enumerate() {
        let own = element.role == Role::Keyboard && is_shown(element) && inside(i);
        board[i] = if own { Some(i) } else { element.parent.and_then(|p| board[p]) };
    }
    board
}

fn holds_actions(elements: &[Element]) -> Vec<bool> {
    let mut holds = vec![false; elements.len()];
    for (i, element) in elements.iter().enumerate().rev() {
        if let Some(parent) = element.parent
            && (holds[i] || (element.actionable && is_shown(element)))
        {
            holds[parent] = true;
        }
    }
    holds
}

/// Which texts can be named by their words alone.
fn unambiguous_texts(elements: &[Element]) -> HashMap<&str, usize> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for element in elements.iter().filter(|element| is_shown(element)) {
        if let Some(label) = &element.label {
            *count.entry(label).or_default() += 1;
        }
    }
    count
}

/// Which lines fit into `room` tokens: those of what is in front first, then what can be acted on, then the rest, each
/// from the top.
fn choose(elements: &[Element], lines: &[(usize, String)], room: Option<usize>) -> Vec<bool> {
    let Some(mut room) = room else { return vec![true; lines.len()] };
    let cost: Vec<usize> =
        lines.iter().map(|(i, line)| estimate_tokens(line) + 1 + elements[*i].depth.min(1)).collect();
    if cost.iter().sum::<usize>() <= room {
        return vec![true; lines.len()];
    }
    let mut in_front = vec![false; elements.len()];
    for (i, element) in elements.iter().enumerate() {
        in_front[i] = matches!(element.role, Role::Alert | Role::Sheet) || element.parent.is_some_and(|p| in_front[p]);
    }
    let rank = |i: usize| {
        let element = &elements[i];
        match () {
            () if in_front[i] => 0,
            () if element.focused || element.selected => 1,
            () if element.actionable && element.is_reachable() => 2,
            () if element.role == Role::NavBar => 2,
            () if element.is_reachable() => 3,
            () => 4,
        }
    };
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|line| (rank(lines[*line].0), *line));
    let mut kept = vec![false; lines.len()];
    for line in order {
        if cost[line] > room {
            // A long line must not keep shorter ones of the same rank out, but lower ranks must not jump ahead.
            continue;
        }
        room -= cost[line];
        kept[line] = true;
    }
    kept
}

#[allow(clippy::too_many_arguments, reason = "one line's ingredients; a struct for one call would only rename them")]
fn write_line(
    line: &mut String,
    elements: &[Element],
    i: usize,
    refs: &[Ref],
    bare: &HashMap<&str, usize>,
    options: &Options,
    omitted: &mut Omitted,
    outline: &Outline,
) {
    let element = &elements[i];
    let label = element.label.as_deref();
    // A role that says nothing is left out where the text alone names the element.
    let mere = matches!(element.role, Role::Text | Role::Other) && !element.actionable;
    let is_bare = mere && label.is_some_and(|l| bare.get(l) == Some(&1));
    if let Some(name) = refs.get(i) {
        let _ = write!(line, "{name} ");
    }
    if !is_bare {
        line.push_str(element.role.name());
    }
    if label.is_none()
        && element.parts.is_empty()
        && let Some(identifier) = &element.identifier
    {
        let words = Words { identifier: Some(shorten(identifier, 80).into_owned()), ..Words::default() };
        let _ = write!(line, " {}", escape(&words.to_string()));
    }
    let mut text = |line: &mut String, before: &str, text: &str| {
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        let short = shorten(text, LONGEST);
        if matches!(short, std::borrow::Cow::Owned(_)) {
            omitted.shortened += 1;
        }
        line.push_str(before);
        line.push_str(&quote(&escape(&short)));
    };
    if let Some(label) = label {
        text(line, "", label);
    }
    for part in &element.parts {
        text(line, "", part);
    }
    if let Some(value) = &element.value {
        text(line, "= ", value);
    } else if let Some(placeholder) = &element.placeholder {
        text(line, "placeholder ", placeholder);
    }
    for (is, word) in [
        (element.checked == Some(true), " on"),
        (element.checked == Some(false), " off"),
        (element.selected, " selected"),
        (element.focused, " focused"),
        (!element.enabled, " disabled"),
        (element.covered_by.is_some(), " covered"),
        (element.hidden, " hidden"),
        (element.bounds.is_none() && element.actionable, " unplaced"),
    ] {
        if is {
            line.push_str(word);
        }
    }
    if options.points
        && let Some(point) = element.tap_point(&outline.screen())
    {
        let _ = write!(line, " @{},{}", point.x.floor(), point.y.floor());
    }
}

/// The line of the element `index` as it stands in the text form, without indentation and points.
pub fn line(outline: &Outline, refs: &[Ref], index: usize) -> String {
    let mut line = String::new();
    if index < outline.elements().len() {
        let bare = HashMap::new();
        write_line(
            &mut line,
            outline.elements(),
            index,
            refs,
            &bare,
            &Options::default(),
            &mut Omitted::default(),
            outline,
        );
    }
    line
}

/// The keys of the keyboard `board`, on its line.
fn write_keys(line: &mut String, elements: &[Element], board: usize, on: &[Option<usize>]) {
    let mut first = true;
    for (i, element) in elements.iter().enumerate().skip(board + 1) {
        if on[i] != Some(board) || !is_key(element) || !is_shown(element) {
            continue;
        }
        let name =
            if element.name().is_empty() { element.identifier.as_deref().unwrap_or("?") } else { element.name() };
        line.push_str(if first { " keys: " } else { " " });
        first = false;
        if name.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '<')) {
            line.push_str(&quote(&escape(&shorten(name, LONGEST))));
        } else {
            line.push_str(&shorten(name, LONGEST));
        }
    }
}

fn write_footer(out: &mut String, omitted: &Omitted) {
    let off = omitted.off_screen;
    let parts: Vec<String> = [(off.above, "above"), (off.below, "below"), (off.left, "left"), (off.right, "right")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, way)| format!("{count} more {way}"))
        .collect();
    if !parts.is_empty() {
        let _ = writeln!(out, "… {}", parts.join(", "));
    }
    if omitted.over_limit > 0 {
        let _ = writeln!(out, "… {} left out by max_tokens", omitted.over_limit);
    }
}

/// The JSON form of `outline`: every element, also those off the screen, in reading order.
pub fn json(outline: &Outline, refs: &[Ref], options: &Options) -> (Vec<JsonElement>, Omitted) {
    let elements = outline.elements();
    let inside = options.within.map(|within| outline.subtree(within));
    let mut omitted = Omitted { hidden: outline.hidden(), ..Omitted::default() };
    let mut out = Vec::new();
    let mut spent = 0usize;
    let mut full = false;
    for (i, element) in elements.iter().enumerate() {
        if !inside.as_ref().is_none_or(|inside| inside[i]) {
            continue;
        }
        if options.interactive_only && !element.actionable {
            omitted.not_interactive += 1;
            continue;
        }
        let Some(name) = refs.get(i) else { continue };
        let json = JsonElement {
            r#ref: *name,
            role: element.role,
            label: element.label.clone(),
            texts: element.parts.clone(),
            value: element.value.clone(),
            placeholder: element.placeholder.clone(),
            identifier: element.identifier.clone(),
            bounds: element.bounds,
            center: element.bounds.map(|bounds| bounds.center()),
            actionable: element.actionable,
            enabled: element.enabled,
            selected: element.selected,
            focused: element.focused,
            checked: element.checked,
            covered: element.covered_by.is_some(),
            hidden: element.hidden,
            off_screen: direction(element.place),
            parent: element.parent.and_then(|p| refs.get(p)).copied(),
        };
        if let Some(max) = options.max_tokens {
            let cost = serde_json::to_string(&json).map_or(0, |text| estimate_tokens(&text) + 1);
            full = full || spent + cost > max;
            if full {
                omitted.over_limit += 1;
                continue;
            }
            spent += cost;
        }
        out.push(json);
    }
    omitted.count = omitted.over_limit + omitted.not_interactive + omitted.hidden;
    (out, omitted)
}
