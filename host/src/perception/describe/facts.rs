//! What a screen is, told by its tree: its title, the alert in front, the chosen tab, what is under way.
//!
//! Knows outlines. Does not know how these are put into words.

use super::AlertText;
use crate::neutral::{Rect, Role};
use crate::perception::{
    outline::{Outline, Place},
    text::{find_words, fold},
    visual::Visual,
};

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

/// The title that only a picture shows: a line alone in the middle of the bar at the top, or else the first near the top that is
/// clearly larger than most.
pub(super) fn title_in_picture(seen: &[Visual], screen: &Rect) -> Option<String> {
    let lines = || seen.iter().filter_map(|seen| Some((seen.looks.as_text()?, seen.bounds)));
    let mut heights: Vec<f64> = lines().map(|(_, bounds)| bounds.height).collect();
    heights.sort_by(f64::total_cmp);
    let usual = *heights.get(heights.len() / 2)?;
    let titles = || lines().filter(|(line, _)| line.chars().count() <= 40 && line.chars().any(char::is_alphabetic));
    let in_bar = |bounds: &Rect| {
        let aside = (bounds.center().x - screen.center().x).abs();
        bounds.center().y < screen.height * 0.14 && aside < screen.width * 0.06 && bounds.height > 0.9 * usual
    };
    let large = |bounds: &Rect| bounds.center().y < screen.height * 0.25 && bounds.height > 1.25 * usual;
    let in_bar = titles().find(|(_, bounds)| in_bar(bounds));
    in_bar.or_else(|| titles().find(|(_, bounds)| large(bounds))).map(|(line, _)| line.to_owned())
}

/// Whether a text says something to a reader: an icon font's private characters and scroll bars do not.
pub(super) fn is_told(text: &str) -> bool {
    text.chars().any(|c| {
        c.is_alphanumeric() || (!c.is_ascii() && !matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{200B}'..='\u{200F}'))
    }) && find_words(&fold(text), "scroll bar").is_none()
}

/// The chosen tab.
pub(super) fn selected_tab(outline: &Outline) -> Option<String> {
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

/// What is under way.
pub(super) fn progress(outline: &Outline) -> Option<String> {
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
