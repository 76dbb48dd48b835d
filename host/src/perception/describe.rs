//! A short description of a screen from its tree: what it is, what can be done, what can be read, what cannot be seen.
//!
//! Knows outlines, refs and the token estimate. Does not know pictures or models; what a picture tells of a blind region
//! can be added by whoever looks at pictures.

use super::locator::{escape, quote, words};
use super::outline::{OffScreen, Outline, Place};
use super::refs::Ref;
use super::render::line;
use super::text::{find_words, fold, shorten};
use super::tokens::estimate_tokens;
use crate::neutral::{App, Rect, Role, Tree};
use serde::Serialize;
use std::fmt::Write as _;

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

/// The alert in front, read from the outline.
pub fn alert(outline: &Outline) -> Option<AlertText> {
    let at = outline.alert()?;
    let inside = outline.subtree(at);
    let mut alert = AlertText::default();
    let mut texts: Vec<&str> = Vec::new();
    for (i, element) in outline.elements().iter().enumerate() {
        if !inside[i] {
            continue;
        }
        if element.actionable && !matches!(element.role, Role::TextField | Role::SecureField | Role::Key) {
            if !element.name().is_empty() {
                alert.buttons.push(element.name().to_owned());
            }
        } else {
            texts.extend(element.label.iter().chain(&element.parts).chain(&element.value).map(String::as_str));
        }
    }
    texts.dedup();
    alert.text = texts.join("\n");
    Some(alert)
}

/// Large regions of the screen of which the tree tells nothing: nodes over a quarter of it whose subtree has no text and
/// nothing to act on, and over which nothing else lies. At most four, largest first.
pub fn blind_regions(tree: &Tree, outline: &Outline) -> Vec<Rect> {
    let screen = outline.screen();
    let n = tree.nodes.len();
    let mut says = vec![false; n];
    for element in outline.elements() {
        let named = !element.name().is_empty() || element.value.is_some();
        says[element.node] = says[element.node] || (named && element.role != Role::WebView) || element.actionable;
    }
    let parent = |i: usize| tree.nodes[i].parent.map(|p| p as usize).filter(|p| *p < i);
    for i in (0..n).rev() {
        let told = outline
            .element_of(i)
            .and_then(|e| outline.get(e))
            .is_some_and(|e| e.node != i && says[e.node] && is_text(tree, i));
        says[i] = says[i] || told;
        if let (true, Some(p)) = (says[i], parent(i)) {
            says[p] = true;
        }
    }
    let mut regions: Vec<Rect> = Vec::new();
    for i in 0..n {
        let node = &tree.nodes[i];
        // Only the outermost of nested mute nodes, and not the whole of a control that has a name.
        if says[i]
            || !outline.is_visible(node)
            || parent(i).is_some_and(|p| !says[p] && big(tree, p, &screen).is_some())
        {
            continue;
        }
        let Some(region) = big(tree, i, &screen) else { continue };
        let busy = outline.elements().iter().any(|element| {
            element.is_reachable()
                && (element.actionable || !element.name().is_empty())
                && element.node != i
                && element.bounds.is_some_and(|b| region.contains(b.center()) && b.area() < region.area())
        });
        let in_control = outline
            .element_of(i)
            .and_then(|e| outline.get(e))
            .is_some_and(|e| e.actionable && !e.name().is_empty() || e.role == Role::Keyboard);
        if !busy && !in_control && !regions.contains(&region) {
            regions.push(region);
        }
        if regions.len() >= 16 {
            break;
        }
    }
    regions.sort_by(|a, b| b.area().total_cmp(&a.area()));
    regions.truncate(4);
    regions
}

fn is_text(tree: &Tree, i: usize) -> bool {
    tree.nodes[i].label.as_ref().or(tree.nodes[i].value.as_ref()).is_some_and(|text| !text.trim().is_empty())
}

fn big(tree: &Tree, i: usize, screen: &Rect) -> Option<Rect> {
    let visible = super::fold::usable(tree.nodes[i].bounds)?.intersection(screen)?;
    (visible.area() >= screen.area() * 0.25).then_some(visible)
}

/// The screen's title: the label of the bar at the top, the text in it, or the largest text near the top.
pub fn title(outline: &Outline) -> Option<String> {
    let elements = outline.elements();
    let reachable = |i: usize| elements[i].is_reachable();
    if let Some(bar) = (0..elements.len()).rev().find(|i| elements[*i].role == Role::NavBar && reachable(*i)) {
        if let Some(label) = &elements[bar].label {
            return Some(label.clone());
        }
        let inside = outline.subtree(bar);
        let text =
            (0..elements.len()).find(|i| inside[*i] && elements[*i].role == Role::Text && elements[*i].label.is_some());
        if let Some(text) = text {
            return elements[text].label.clone();
        }
    }
    let screen = outline.screen();
    let top = |i: usize| elements[i].bounds.map_or(f64::MAX, |b| b.y);
    // A text in a row or a button is not a title, however high it stands.
    let mut in_control = vec![false; elements.len()];
    for (i, element) in elements.iter().enumerate() {
        in_control[i] = element.actionable || element.parent.is_some_and(|p| in_control[p]);
    }
    let heading = (0..elements.len())
        .filter(|i| reachable(*i) && elements[*i].role == Role::Text && !in_control[*i])
        .filter(|i| elements[*i].label.as_ref().is_some_and(|l| l.chars().count() <= 60 && is_told(l)))
        .filter(|i| elements[*i].bounds.is_some_and(|b| b.center().y < screen.height * 0.25 && b.height >= 16.0))
        .min_by(|a, b| top(*a).total_cmp(&top(*b)))?;
    elements[heading].label.clone()
}

/// Whether a text says something to a reader: an icon font's private characters and scroll bars do not.
fn is_told(text: &str) -> bool {
    text.chars().any(|c| {
        c.is_alphanumeric() || (!c.is_ascii() && !matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{200B}'..='\u{200F}'))
    }) && find_words(&fold(text), "scroll bar").is_none()
}

fn selected_tab(outline: &Outline) -> Option<String> {
    let bottom = outline.screen().height * 0.85;
    let shown = || {
        outline
            .elements()
            .iter()
            .filter(|element| element.selected && element.place == Place::On && !element.name().is_empty())
    };
    shown()
        .find(|element| element.role == Role::Tab)
        .or_else(|| {
            shown()
                .find(|e| e.role == Role::Button && e.bounds.is_some_and(|b| b.center().y > bottom && b.height < 120.0))
        })
        .map(|element| element.name().to_owned())
}

fn progress(outline: &Outline) -> Option<String> {
    const SIGNS: [&str; 6] = ["progress", "loading", "please wait", "加载中", "进度", "読み込み中"];
    outline.elements().iter().filter(|element| element.is_reachable() && !element.actionable).find_map(|element| {
        let name = fold(element.name());
        let percent = element
            .value
            .as_deref()
            .filter(|v| v.trim_end().strip_suffix('%').is_some_and(|n| n.trim().parse::<f64>().is_ok()));
        let says = SIGNS.iter().any(|sign| find_words(&name, sign).is_some()) && name.chars().count() <= 40;
        match (percent, says) {
            (Some(percent), true) => Some(format!("{} {percent}", element.name()).trim().to_owned()),
            (None, true) => Some(element.name().to_owned()),
            _ => None,
        }
    })
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

/// Describes the screen in at most `max_tokens` tokens (by the estimate). `refs` are those of `outline`, which must be
/// the outline of `tree`.
pub fn describe(tree: &Tree, outline: &Outline, refs: &[Ref], frame: &str, max_tokens: usize) -> Description {
    let elements = outline.elements();
    let mut out = Description {
        app: tree.app.clone(),
        title: title(outline),
        alert: alert(outline),
        keyboard: outline.keyboard().is_some(),
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
    body(&mut budget, outline, refs, &mut out);
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
        budget.add(&format!("title {}\n", quote(&escape(&shorten(&super::text::squeeze(title), 80)))));
    }
    if let Some(alert) = &out.alert {
        let text = super::text::squeeze(&alert.text);
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

/// What can be acted on, in two thirds of the room if there are texts too, then the texts.
fn body(budget: &mut Budget, outline: &Outline, refs: &[Ref], out: &mut Description) {
    let elements = outline.elements();
    let alert_inside = outline.alert().map(|at| outline.subtree(at));
    // Behind an alert nothing can be acted on: only the alert's own controls count.
    let in_front = |i: usize| alert_inside.as_ref().is_none_or(|inside| inside[i]);
    let acting: Vec<usize> = (0..elements.len())
        .filter(|i| {
            elements[*i].actionable && elements[*i].is_reachable() && elements[*i].role != Role::Key && in_front(*i)
        })
        // A row's chevron and other things that can neither be named nor told apart say nothing in a summary.
        .filter(|i| !elements[*i].name().is_empty() || elements[*i].identifier.is_some() || elements[*i].enabled)
        .collect();
    let reading: Vec<usize> = (0..elements.len())
        .filter(|i| !elements[*i].actionable && elements[*i].is_reachable() && !elements[*i].name().is_empty())
        .filter(|i| !matches!(elements[*i].role, Role::Alert | Role::Keyboard | Role::Key | Role::Window))
        .filter(|i| elements[*i].label != out.title && is_told(elements[*i].name()))
        .collect();
    let texts_cost: usize = reading.iter().map(|i| estimate_tokens(elements[*i].name()) + 2).sum();
    let kept_for_texts = texts_cost.min(budget.left / 3);
    budget.left -= kept_for_texts;
    let mut first = true;
    for i in acting {
        let Some(name) = refs.get(i) else { continue };
        let told = line(outline, refs, i);
        let told = shorten(&told, 120);
        let text = if first { format!("act on:\n{told}\n") } else { format!("{told}\n") };
        if budget.add(&text) {
            first = false;
            out.actions.push(Action {
                r#ref: *name,
                element: words(outline, i),
                role: elements[i].role,
                state: state(&elements[i]),
            });
        } else {
            out.omitted += 1;
        }
    }
    budget.left += kept_for_texts;
    first = true;
    for i in reading {
        let element = &elements[i];
        let mut text = quote(&escape(&shorten(element.name(), 120)));
        if let Some(value) = element.value.as_ref().filter(|value| Some(*value) != element.label.as_ref()) {
            let _ = write!(text, " = {}", quote(&escape(&shorten(value, 60))));
        }
        let text = if first { format!("read:\n{text}\n") } else { format!("{text}\n") };
        if budget.add(&text) {
            first = false;
            out.texts.push(element.name().to_owned());
        } else {
            out.omitted += 1;
        }
    }
}

fn state(element: &super::outline::Element) -> String {
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
