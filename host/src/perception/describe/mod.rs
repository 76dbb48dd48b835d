//! A short description of a screen: what it is, what can be done, what can be read, what cannot be seen.
//!
//! Knows outlines, refs, the token estimate, and what a picture tells beside the tree. Does not know how a picture is read, nor models.

mod blind;
mod facts;

pub use blind::blind_regions;
pub use facts::{alert, title};

use super::beside::Beside;
use super::locator::{escape, quote, words};
use super::outline::{Element, OffScreen, Outline};
use super::refs::Ref;
use super::render::line;
use super::text::{shorten, squeeze};
use super::tokens::estimate_tokens;
use super::visual::{Looks, Visual};
use crate::neutral::{App, Rect, Role, Tree};
use facts::{is_told, progress, selected_tab};
use serde::Serialize;
use std::{collections::BTreeMap, fmt::Write as _};

/// The share of a screen's height in which the bars at its top and its bottom lie.
const BARS: f64 = 0.12;
/// Lines of a picture that are shorter than this, in signs, are more likely controls than those that are longer.
const SHORT: usize = 25;

/// The bound on a description's tokens when none is given.
pub const DEFAULT_TOKENS: usize = 400;

/// An alert that is in front.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AlertText {
    /// What it says, lines joined by newlines.
    pub text: String,
    /// The labels of its buttons, in reading order.
    pub buttons: Vec<String>,
}

/// Something that can be acted on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Action {
    /// Its ref.
    pub r#ref: Ref,
    /// Its own words, as an element argument takes them.
    pub element: String,
    /// What it is.
    pub role: Role,
    /// Its state in words, such as `on`, `selected`, `disabled`; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// What the picture shows on it, where it has no words of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks: Option<String>,
}

/// Something that only the picture shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seen {
    /// Its ref.
    pub r#ref: Ref,
    /// What it looks like, such as `text "Play"` or `icon "settings"`.
    pub looks: String,
    /// The text, where it is one.
    #[serde(skip)]
    pub text: Option<String>,
    /// Where, in points.
    pub bounds: Rect,
}

/// What is on the screen, in short.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Description {
    /// The whole in at most `max_tokens` tokens, with the tags around it.
    pub description: String,
    /// The app in front, where the tree says so.
    pub app: Option<App>,
    /// The screen's title.
    pub title: Option<String>,
    /// The alert in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alert: Option<AlertText>,
    /// Whether the on-screen keyboard is up.
    pub keyboard: bool,
    /// What can be acted on and reached now, in reading order, as far as the description tells it.
    pub actions: Vec<Action>,
    /// Texts that are only read, in reading order, as far as the description tells them.
    pub texts: Vec<String>,
    /// What only the picture shows, in reading order, as far as the description tells it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Seen>,
    /// The chosen tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected_tab: Option<String>,
    /// What is under way, such as `In progress` or `40 %`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// How many elements lie off the screen.
    pub off_screen: OffScreen,
    /// Large regions of which the tree tells nothing, in points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blind: Vec<Rect>,
    /// How many things to act on and texts the bound left no room for.
    pub omitted: usize,
}

/// A text with a bound on its tokens.
struct Budget {
    text: String,
    left: usize,
}

impl Budget {
    /// Adds `text` if it fits.
    fn add(&mut self, text: &str) -> bool {
        let cost = estimate_tokens(text) + 1;
        let fits = cost <= self.left;
        if fits {
            self.left -= cost;
            self.text.push_str(text);
        }
        fits
    }
}

/// What a description is made of.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// Its outline.
    pub outline: &'a Outline,
    /// The refs of the outline's elements.
    pub refs: &'a [Ref],
    /// What the picture tells beside the tree, where it was looked at.
    pub beside: &'a Beside,
    /// The refs of what lies alone in the picture.
    pub alone: &'a [Ref],
    /// What a vision model says of the picture.
    pub said: Option<&'a str>,
}

static NOTHING: Beside = Beside { names: BTreeMap::new(), alone: Vec::new(), keyboard: false };

impl<'a> Shown<'a> {
    /// What the tree alone tells.
    pub fn by_tree(tree: &'a Tree, outline: &'a Outline, refs: &'a [Ref]) -> Shown<'a> {
        Shown { tree, outline, refs, beside: &NOTHING, alone: &[], said: None }
    }
}

/// Describes the screen in at most `max_tokens` tokens (by the estimate).
pub fn describe(shown: &Shown<'_>, frame: &str, max_tokens: usize) -> Description {
    let Shown { tree, outline, beside, .. } = *shown;
    let elements = outline.elements();
    let mut out = Description {
        app: tree.app.clone(),
        title: title(outline).or_else(|| facts::title_in_picture(&beside.alone, &outline.screen())),
        alert: alert(outline),
        keyboard: outline.keyboard().is_some() || beside.keyboard,
        selected_tab: selected_tab(outline),
        progress: progress(outline),
        off_screen: outline.off_screen(),
        blind: blind_regions(tree, outline),
        ..Description::default()
    };
    let head = format!("<screen frame=\"{}\">\n", escape(frame).replace('"', "'"));
    let tail = "</screen>";
    let frame_cost = estimate_tokens(&head) + estimate_tokens(tail) + 2;
    if frame_cost >= max_tokens {
        out.omitted = elements.iter().filter(|element| element.is_reachable()).count();
        return out;
    }
    let mut budget = Budget { text: head, left: max_tokens - frame_cost };
    header(&mut budget, &out);
    if let Some(said) = shown.said {
        budget.add(&format!("a vision model says {}\n", quote(&escape(said))));
    }
    // What must come at the end is paid for first.
    let mut ending = String::new();
    let off = out.off_screen;
    let ways: Vec<String> = [(off.above, "above"), (off.below, "below"), (off.left, "left"), (off.right, "right")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, way)| format!("{count} {way}"))
        .collect();
    if !ways.is_empty() {
        let _ = writeln!(ending, "off screen: {}", ways.join(", "));
    }
    for region in &out.blind {
        let _ = writeln!(
            ending,
            "not in the tree: {:.0}×{:.0} at ({:.0}, {:.0})",
            region.width, region.height, region.x, region.y
        );
    }
    let ending_cost = estimate_tokens(&ending);
    if ending_cost + 12 <= budget.left {
        budget.left -= ending_cost;
    } else {
        ending.clear();
    }
    let reserve = 12.min(budget.left);
    budget.left -= reserve;
    body(&mut budget, shown, &mut out);
    budget.left += reserve;
    if out.omitted > 0 {
        budget.add(&format!("… {} more\n", out.omitted));
    }
    budget.text.push_str(&ending);
    budget.text.push_str(tail);
    out.description = budget.text;
    out
}

fn header(budget: &mut Budget, out: &Description) {
    if let Some(app) = &out.app {
        let name = app.name.as_deref().unwrap_or(&app.id);
        budget.add(&format!("app {}\n", quote(&escape(&shorten(name, 60)))));
    }
    if let Some(title) = &out.title {
        budget.add(&format!("title {}\n", quote(&escape(&shorten(&squeeze(title), 80)))));
    }
    if let Some(alert) = &out.alert {
        let text = squeeze(&alert.text);
        let buttons: Vec<String> = alert.buttons.iter().take(6).map(|b| quote(&escape(&shorten(b, 40)))).collect();
        budget.add(&format!("alert in front {} buttons {}\n", quote(&escape(&shorten(&text, 200))), buttons.join(" ")));
    }
    if let Some(tab) = &out.selected_tab {
        budget.add(&format!("tab {} selected\n", quote(&escape(&shorten(tab, 40)))));
    }
    if let Some(progress) = &out.progress {
        budget.add(&format!("progress {}\n", quote(&escape(&shorten(progress, 60)))));
    }
    if out.keyboard {
        budget.add("keyboard up\n");
    }
}

/// What can be acted on, then what only the picture shows, then the texts. Those that come later are sure of a part of the room.
fn body(budget: &mut Budget, shown: &Shown<'_>, out: &mut Description) {
    let outline = shown.outline;
    let acting = to_act_on(outline);
    let reading = to_read(outline, out.title.as_deref());
    let mut seen: Vec<(Ref, &Visual)> = shown.alone.iter().copied().zip(&shown.beside.alone).collect();
    if let Some(title) = seen.iter().position(|(_, seen)| is_title(seen, out.title.as_deref())) {
        seen.remove(title);
    }
    let text_cost = |i: &usize| estimate_tokens(outline.elements()[*i].name()) + 2;
    let kept_for_texts = reading.iter().map(text_cost).sum::<usize>().min(budget.left / 3);
    let seen_cost = |(_, seen): &(Ref, &Visual)| estimate_tokens(&seen.looks.words()) + 4;
    let kept_for_seen = seen.iter().map(seen_cost).sum::<usize>().min((budget.left - kept_for_texts) / 2);
    budget.left -= kept_for_texts + kept_for_seen;
    tell_actions(budget, shown, &acting, out);
    budget.left += kept_for_seen;
    tell_seen(budget, &seen, &outline.screen(), out);
    budget.left += kept_for_texts;
    tell_texts(budget, outline, &reading, out);
}

/// What can be acted on and reached, by index.
fn to_act_on(outline: &Outline) -> Vec<usize> {
    let elements = outline.elements();
    let alert_inside = outline.alert().map(|at| outline.subtree(at));
    // Behind an alert nothing can be acted on: only the alert's own controls count.
    let in_front = |i: usize| alert_inside.as_ref().is_none_or(|inside| inside[i]);
    (0..elements.len())
        .filter(|i| {
            elements[*i].actionable && elements[*i].is_reachable() && elements[*i].role != Role::Key && in_front(*i)
        })
        // A row's chevron and other things that can neither be named nor told apart say nothing in a summary.
        .filter(|i| !elements[*i].name().is_empty() || elements[*i].identifier.is_some() || elements[*i].enabled)
        .collect()
}

/// What can only be read, by index.
fn to_read(outline: &Outline, title: Option<&str>) -> Vec<usize> {
    let elements = outline.elements();
    (0..elements.len())
        .filter(|i| !elements[*i].actionable && elements[*i].is_reachable() && !elements[*i].name().is_empty())
        .filter(|i| !matches!(elements[*i].role, Role::Alert | Role::Keyboard | Role::Key | Role::Window))
        .filter(|i| elements[*i].label.as_deref() != title && is_told(elements[*i].name()))
        .collect()
}

fn is_title(seen: &Visual, title: Option<&str>) -> bool {
    title.is_some() && seen.looks.as_text() == title
}

fn tell_actions(budget: &mut Budget, shown: &Shown<'_>, acting: &[usize], out: &mut Description) {
    let Shown { outline, refs, beside, .. } = *shown;
    let mut heading = "act on:\n";
    for &i in acting {
        let Some(name) = refs.get(i) else { continue };
        let looks = beside.names.get(&i).map(|looks| looks.iter().map(Looks::words).collect::<Vec<_>>().join(", "));
        let told = line(outline, refs, i);
        let told = shorten(&told, 120);
        let shows = looks.as_ref().map_or(String::new(), |looks| format!(" ({})", escape(&shorten(looks, 80))));
        if budget.add(&format!("{heading}{told}{shows}\n")) {
            heading = "";
            let element = &outline.elements()[i];
            out.actions.push(Action {
                r#ref: *name,
                element: words(outline, i),
                role: element.role,
                state: state(element),
                looks,
            });
        } else {
            out.omitted += 1;
        }
    }
}

/// In reading order; where there is no room for all, what is likely to be a control comes before long lines.
fn tell_seen(budget: &mut Budget, seen: &[(Ref, &Visual)], screen: &Rect, out: &mut Description) {
    const HEADING: &str = "only in the picture:\n";
    let told = |(name, seen): &(Ref, &Visual)| match seen.looks.as_text() {
        Some(text) => format!("{name} {}\n", quote(&escape(&shorten(text, 120)))),
        None => format!("{name} {}\n", escape(&seen.looks.words())),
    };
    let mut order: Vec<usize> = (0..seen.len()).collect();
    order.sort_by_key(|at| rank(seen[*at].1, screen));
    let mut room = budget.left.saturating_sub(estimate_tokens(HEADING) + 1);
    let mut kept = vec![false; seen.len()];
    for at in order {
        let cost = estimate_tokens(&told(&seen[at])) + 1;
        kept[at] = cost <= room;
        room -= if kept[at] { cost } else { 0 };
    }
    let mut heading = HEADING;
    for (one, _) in seen.iter().zip(&kept).filter(|(_, kept)| **kept) {
        if budget.add(&format!("{heading}{}", told(one))) {
            heading = "";
            let (looks, text) = (one.1.looks.words(), one.1.looks.as_text().map(str::to_owned));
            out.seen.push(Seen { r#ref: one.0, looks, text, bounds: one.1.bounds });
        }
    }
    out.omitted += seen.len() - out.seen.len();
}

/// How early something in a picture is told where there is no room for all: bars hold what leads on, and long lines only tell.
fn rank(seen: &Visual, screen: &Rect) -> usize {
    let at = seen.bounds.center().y / screen.height.max(1.0);
    let longer = seen.looks.as_text().map_or(0, |text| text.chars().count() / SHORT);
    let in_bar = !(BARS..1.0 - BARS).contains(&at);
    if in_bar && longer == 0 { 0 } else { 1 + longer }
}

fn tell_texts(budget: &mut Budget, outline: &Outline, reading: &[usize], out: &mut Description) {
    let mut heading = "read:\n";
    for &i in reading {
        let element = &outline.elements()[i];
        let mut text = quote(&escape(&shorten(element.name(), 120)));
        if let Some(value) = element.value.as_ref().filter(|value| Some(*value) != element.label.as_ref()) {
            let _ = write!(text, " = {}", quote(&escape(&shorten(value, 60))));
        }
        if budget.add(&format!("{heading}{text}\n")) {
            heading = "";
            out.texts.push(element.name().to_owned());
        } else {
            out.omitted += 1;
        }
    }
}

fn state(element: &Element) -> String {
    [
        (element.checked == Some(true), "on"),
        (element.checked == Some(false), "off"),
        (element.selected, "selected"),
        (element.focused, "focused"),
        (!element.enabled, "disabled"),
    ]
    .into_iter()
    .filter(|(is, _)| *is)
    .map(|(_, word)| word)
    .collect::<Vec<_>>()
    .join(" ")
}
