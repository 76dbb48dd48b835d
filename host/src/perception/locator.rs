//! How an element is named in an argument: by its ref (`e12`) or by its own words as the tree prints them.
//!
//! ```text
//! e12
//! button "Sign in"
//! text_field #email
//! cell "Wi-Fi" [2]
//! "Just the text"
//! ```
//!
//! Words are a role, a text in quotes, `#identifier` and `[n]` (the n-th match, from 1), each of which may be left out.
//! In a text `\"` and `\\` stand for the sign itself; an identifier with blanks or quotes is quoted the same way.
//! Knows outlines. Does not know how refs are given or what is done with the element.

use super::outline::{Element, Outline};
use super::refs::Ref;
use super::text::{fold, likeness, shorten, squeeze};
use crate::neutral::Role;
use std::fmt;
use std::fmt::Write as _;

/// How a caller named an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locator {
    /// By its ref.
    Ref(Ref),
    /// By its words.
    Words(Words),
}

/// The words of an element; at least one of role, text and identifier is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What it is.
    pub role: Option<Role>,
    /// Its label, or a text inside it, or its placeholder or value.
    pub text: Option<String>,
    /// The developer's name for it.
    pub identifier: Option<String>,
    /// Which of several matches, from 1.
    pub nth: Option<usize>,
}

/// An element that was probably meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Its index in the outline.
    pub index: usize,
    /// How alike its words are, from 0 to 1.
    pub score: f64,
}

/// What the words stand for.
#[derive(Clone, Debug, PartialEq)]
pub enum Matched {
    /// One element.
    One(usize),
    /// No element; the nearest ones, best first (at most five).
    None {
        /// The nearest ones.
        near: Vec<Near>,
    },
    /// Several elements, in reading order; `[n]` picks one.
    Several(Vec<usize>),
}

const ROLES: [Role; 20] = [
    Role::Button,
    Role::Text,
    Role::TextField,
    Role::SecureField,
    Role::Switch,
    Role::Slider,
    Role::Cell,
    Role::List,
    Role::Image,
    Role::Icon,
    Role::Link,
    Role::Tab,
    Role::NavBar,
    Role::Alert,
    Role::Sheet,
    Role::Keyboard,
    Role::Key,
    Role::WebView,
    Role::Window,
    Role::Other,
];

/// The role of this name, such as `text_field`.
pub fn role_named(name: &str) -> Option<Role> {
    ROLES.into_iter().find(|role| role.name() == name)
}

const FORMS: &str = "An element is its ref (e12) or its words: a role, a text in quotes, #identifier and [n] for the n-th \
match, such as button \"Sign in\", text_field #email or cell \"Wi-Fi\" [2].";

impl Locator {
    /// Reads a ref or words. The error is one or two sentences for the caller.
    pub fn parse(text: &str) -> Result<Locator, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(format!("The element is empty. {FORMS}"));
        }
        // A whole line of the tree, pasted, begins with the ref.
        let first = text.split(char::is_whitespace).next().unwrap_or(text);
        if let Ok(name) = first.parse() {
            return Ok(Locator::Ref(name));
        }
        Words::parse(text).map(Locator::Words)
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Locator::Ref(name) => name.fmt(f),
            Locator::Words(words) => words.fmt(f),
        }
    }
}

/// The text in quotes as [`Locator::parse`] reads it back.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

fn is_bare(identifier: &str) -> bool {
    !identifier.is_empty()
        && !identifier.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\\' | '[' | ']'))
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if let Some(role) = self.role {
            f.write_str(role.name())?;
            gap = " ";
        }
        if let Some(text) = &self.text {
            write!(f, "{gap}{}", quote(text))?;
            gap = " ";
        }
        if let Some(identifier) = &self.identifier {
            if is_bare(identifier) {
                write!(f, "{gap}#{identifier}")?;
            } else {
                write!(f, "{gap}#{}", quote(identifier))?;
            }
            gap = " ";
        }
        if let Some(nth) = self.nth {
            write!(f, "{gap}[{nth}]")?;
        }
        Ok(())
    }
}

/// Reads a quoted text that starts at the beginning of `rest`; gives the text and what follows.
fn unquote(rest: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, &rest[at + 1..])),
            '\\' => out.push(chars.next()?.1),
            c => out.push(c),
        }
    }
    None
}

impl Words {
    /// Reads words.
    pub fn parse(text: &str) -> Result<Words, String> {
        let mut words = Words::default();
        let mut rest = text.trim();
        let quoted = |part: &'static str| format!("The {part} has no closing quote in: {}. {FORMS}", shorten(text, 80));
        while let Some(first) = rest.chars().next() {
            let after;
            match first {
                '"' if words.text.is_none() => {
                    let (label, next) = unquote(rest).ok_or_else(|| quoted("text"))?;
                    words.text = Some(label);
                    after = next;
                }
                '#' if words.identifier.is_none() => {
                    let body = &rest[1..];
                    let identifier;
                    if body.starts_with('"') {
                        (identifier, after) = unquote(body).ok_or_else(|| quoted("identifier"))?;
                    } else {
                        let end = body.find(char::is_whitespace).unwrap_or(body.len());
                        identifier = body[..end].to_owned();
                        after = &body[end..];
                    }
                    if identifier.is_empty() {
                        return Err(format!("Nothing follows # in: {}. {FORMS}", shorten(text, 80)));
                    }
                    words.identifier = Some(identifier);
                }
                '[' if words.nth.is_none() => {
                    let end = rest.find(']').unwrap_or(0);
                    words.nth = rest.get(1..end).and_then(|n| n.trim().parse().ok()).filter(|n| *n > 0);
                    if words.nth.is_none() {
                        return Err(format!("[n] counts matches from 1, in: {}. {FORMS}", shorten(text, 80)));
                    }
                    after = &rest[end + 1..];
                }
                _ => {
                    let end =
                        rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '#' | '[')).unwrap_or(rest.len());
                    let word = &rest[..end];
                    let untouched = words == Words::default();
                    match role_named(word) {
                        Some(role) if untouched => words.role = Some(role),
                        _ if untouched => {
                            return Err(format!("\"{}\" is neither a ref nor a role. {FORMS}", shorten(text, 40)));
                        }
                        _ => {
                            return Err(format!(
                                "\"{}\" does not fit in: {}. {FORMS}",
                                shorten(rest, 40),
                                shorten(text, 80)
                            ));
                        }
                    }
                    after = &rest[end..];
                }
            }
            rest = after.trim_start();
        }
        if words.role.is_none() && words.text.is_none() && words.identifier.is_none() {
            return Err(format!("[n] alone names no element. {FORMS}"));
        }
        Ok(words)
    }

    /// The elements of `outline` that these words name. An equal text beats one that differs in case or accents, a label
    /// beats a text inside, a value or a placeholder; a text that merely contains the words is only *near*. Of several,
    /// the only one that can be reached is meant, unless `[n]` picks one.
    pub fn find(&self, outline: &Outline) -> Matched {
        let elements = outline.elements();
        let fits = |element: &Element| {
            self.role.is_none_or(|role| role == element.role)
                && self
                    .identifier
                    .as_ref()
                    .is_none_or(|id| element.identifier.as_ref() == Some(id) || element.label.as_ref() == Some(id))
        };
        let mut best = u8::MAX;
        let mut found: Vec<usize> = Vec::new();
        let wanted = self.text.as_deref().map(Wanted::new);
        for (i, element) in elements.iter().enumerate() {
            if !fits(element) {
                continue;
            }
            let Some(tier) = wanted.as_ref().map_or(Some(0), |wanted| wanted.tier(element)) else { continue };
            if tier < best {
                best = tier;
                found.clear();
            }
            if tier == best {
                found.push(i);
            }
        }
        if let Some(nth) = self.nth {
            if let Some(index) = found.get(nth - 1) {
                return Matched::One(*index);
            }
            let near = found.iter().map(|index| Near { index: *index, score: 1.0 }).take(5).collect::<Vec<_>>();
            return Matched::None { near: if near.is_empty() { self.near(outline) } else { near } };
        }
        match found.as_slice() {
            [] => Matched::None { near: self.near(outline) },
            [one] => Matched::One(*one),
            several => {
                let mut reachable = several.iter().filter(|i| elements[**i].is_reachable());
                match (reachable.next(), reachable.next()) {
                    (Some(one), None) => Matched::One(*one),
                    _ => Matched::Several(found),
                }
            }
        }
    }

    fn near(&self, outline: &Outline) -> Vec<Near> {
        let wanted = self.text.as_deref().or(self.identifier.as_deref()).map(fold).unwrap_or_default();
        let mut near: Vec<Near> = Vec::new();
        for (index, element) in outline.elements().iter().enumerate() {
            let texts = texts_of(element).chain(element.identifier.as_deref());
            let alike = texts
                .map(|text| {
                    let text = fold(text);
                    let inside = !wanted.is_empty() && text.contains(&wanted);
                    likeness(&wanted, &text).max(if inside { 0.8 } else { 0.0 })
                })
                .fold(0.0, f64::max);
            let role = match self.role {
                Some(role) if role == element.role => 1.0,
                Some(_) => 0.7,
                None => 0.9,
            };
            let score = if wanted.is_empty() { 0.0 } else { alike * role };
            if score >= 0.4 {
                near.push(Near { index, score });
            }
        }
        near.sort_by(|a, b| b.score.total_cmp(&a.score));
        near.truncate(5);
        near
    }
}

/// A text to look for, in the forms that are compared.
struct Wanted {
    plain: String,
    folded: String,
    /// The text before a closing `…`, for labels that were shortened when printed.
    prefix: Option<String>,
}

impl Wanted {
    fn new(text: &str) -> Wanted {
        let plain = squeeze(&unescape(text));
        let prefix = plain.strip_suffix('…').map(str::trim_end).filter(|p| !p.is_empty()).map(str::to_owned);
        Wanted { folded: fold(&plain), plain, prefix }
    }

    /// 0 is the label itself, 1 the label but for case and accents, 2 another text of the element.
    fn tier(&self, element: &Element) -> Option<u8> {
        if let Some(label) = &element.label {
            if *label == self.plain || self.prefix.as_ref().is_some_and(|prefix| label.starts_with(prefix)) {
                return Some(0);
            }
            if element.signature.name == self.folded && !self.folded.is_empty() {
                return Some(1);
            }
        }
        if self.plain.is_empty() {
            return None;
        }
        let other = element.parts.iter().chain(&element.value).chain(&element.placeholder);
        other.into_iter().any(|text| fold(text) == self.folded).then_some(2)
    }
}

fn texts_of(element: &Element) -> impl Iterator<Item = &str> {
    element
        .label
        .iter()
        .chain(&element.parts)
        .chain(element.value.as_ref().filter(|_| element.role != Role::SecureField))
        .chain(&element.placeholder)
        .map(String::as_str)
}

/// Undoes the escape of the screen's own tags; see [`escape`].
fn unescape(text: &str) -> String {
    if text.contains("&lt;") { text.replace("&lt;", "<") } else { text.to_owned() }
}

/// Escapes what could be taken for the tags round a screen's text: `<screen` and `</screen` become `&lt;screen` and
/// `&lt;/screen`, whatever their case and blanks.
pub fn escape(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains(['<', '＜', '﹤']) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let tag = matches!(c, '<' | '＜' | '﹤') && {
            let rest = text[at + c.len_utf8()..]
                .trim_start_matches(|c: char| c.is_whitespace() || c == '/' || c == '\u{200B}');
            rest.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("screen"))
        };
        if tag { out.push_str("&lt;") } else { out.push(c) }
    }
    out.into()
}

/// The words of an element by itself, not compared with others: for messages.
pub fn plain_words(element: &Element) -> String {
    let mut out = element.role.name().to_owned();
    let name = element.name();
    if !name.is_empty() {
        let _ = write!(out, " {}", quote(&shorten(name, 80)));
    } else if let Some(identifier) = &element.identifier {
        let _ = write!(out, " {}", Words { identifier: Some(identifier.clone()), ..Words::default() });
    }
    out
}

/// The shortest words that name the element `index` of `outline` and no other; empty for an index outside it.
pub fn words(outline: &Outline, index: usize) -> String {
    let Some(element) = outline.get(index) else { return String::new() };
    let name = element.name();
    let text = (!name.is_empty()).then(|| name.to_owned());
    let identifier = element.identifier.clone();
    let role = Some(element.role);
    let mut forms = Vec::new();
    if matches!(element.role, Role::Text | Role::Other) && text.is_some() {
        forms.push(Words { text: text.clone(), ..Words::default() });
    }
    if text.is_some() {
        forms.push(Words { role, text: text.clone(), ..Words::default() });
    }
    if identifier.is_some() {
        forms.push(Words { role, identifier: identifier.clone(), ..Words::default() });
        if text.is_some() {
            forms.push(Words { role, text: text.clone(), identifier: identifier.clone(), nth: None });
        }
    }
    forms.push(Words { role, ..Words::default() });
    for form in &forms {
        if form.find(outline) == Matched::One(index) {
            return form.to_string();
        }
    }
    // Nothing is unique: count among those that match the first form which matches this one at all.
    for form in forms {
        if let Matched::Several(all) = form.find(outline)
            && let Some(at) = all.iter().position(|other| *other == index)
        {
            return Words { nth: Some(at + 1), role, ..form }.counted_to_string(outline, index);
        }
    }
    // A reachable twin hides this one from words without a number.
    let mut form = Words { role, text, identifier: None, nth: Some(1) };
    for nth in 1..=outline.elements().len() {
        form.nth = Some(nth);
        match form.find(outline) {
            Matched::One(found) if found == index => return form.to_string(),
            Matched::One(_) => {}
            _ => break,
        }
    }
    // Another element has its words as a label: count all of its role.
    let nth = outline.elements()[..index].iter().filter(|other| other.role == element.role).count() + 1;
    Words { role, nth: Some(nth), ..Words::default() }.to_string()
}

impl Words {
    /// Prints the words; where naming the role changed the count, counts again.
    fn counted_to_string(&self, outline: &Outline, index: usize) -> String {
        let mut words = self.clone();
        for nth in 1..=outline.elements().len() {
            if words.find(outline) == Matched::One(index) {
                break;
            }
            words.nth = Some(nth);
        }
        words.to_string()
    }
}
