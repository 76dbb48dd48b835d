//! One element as the phone wrote it, attribute by attribute, in whatever order they came.
//!
//! It knows the attribute names of both formats and the old generations' spellings, and nothing of the tree.

use super::role::{self, Kind};
use driver_api::{Rect, Role};

/// The attributes of one element; what was not given is `None`.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    pub(crate) parent: Option<u32>,
    pub(crate) kind: Option<Kind>,
    /// The kind by the accessibility role, used when there is no type.
    pub(crate) role: Option<Kind>,
    /// A secure field by its subrole, whatever its type says.
    pub(crate) secure: bool,
    pub(crate) name: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) placeholder: Option<String>,
    /// `Some(None)`: the phone said that there is none.
    pub(crate) identifier: Option<Option<String>>,
    pub(crate) enabled: Option<bool>,
    pub(crate) visible: Option<bool>,
    pub(crate) focused: bool,
    pub(crate) selected: bool,
    pub(crate) traits: Option<String>,
    pub(crate) bundle_id: Option<String>,
    x: Option<f64>,
    y: Option<f64>,
    width: Option<f64>,
    height: Option<f64>,
    /// The rectangle of a text such as `{{0, 20}, {320, 44}}`.
    frame: Option<[f64; 4]>,
}

/// No phone draws further out; larger numbers are a broken snapshot's.
const FAR: f64 = 1.0e6;

impl Raw {
    /// An empty element under `parent`.
    pub(crate) fn new(parent: Option<u32>) -> Self {
        Raw { parent, ..Raw::default() }
    }

    /// Takes an attribute that has a text, a number or a truth value; unknown names are skipped.
    pub(crate) fn set(&mut self, key: &str, text: &str) {
        match key {
            "type" | "class" if self.kind.is_none() => self.kind = Some(role::kind(text)),
            "role" => self.role = Some(role::kind(text)),
            "subrole" => match role::kind(text).role {
                Role::SecureField => self.secure = true,
                Role::Switch => self.kind = Some(role::kind(text)),
                _ => {}
            },
            "name" => self.name = clean(text),
            "label" | "AXLabel" => self.label = clean(text),
            "value" | "AXValue" => self.value = clean(text),
            "placeholderValue" => self.placeholder = clean(text),
            "rawIdentifier" | "AXUniqueId" | "uniqueId" | "identifier" => self.identifier = Some(clean(text)),
            "traits" => self.traits = clean(text),
            "bundleId" | "bundleID" => self.bundle_id = clean(text),
            "enabled" | "isEnabled" => self.enabled = truth(text),
            "visible" | "isVisible" => self.visible = truth(text),
            "focused" | "isFocused" | "hasKeyboardFocus" => self.focused |= truth(text) == Some(true),
            "selected" | "isSelected" => self.selected |= truth(text) == Some(true),
            "x" => self.x = number(text),
            "y" => self.y = number(text),
            "width" => self.width = number(text),
            "height" => self.height = number(text),
            "frame" | "AXFrame" | "rect" if self.frame.is_none() => self.frame = frame(text),
            _ => {}
        }
    }

    /// Takes an attribute that is `null`.
    pub(crate) fn set_null(&mut self, key: &str) {
        if key == "rawIdentifier" {
            self.identifier = Some(None);
        }
    }

    /// Whether this is an element rather than something that wraps one.
    pub(crate) fn is_element(&self) -> bool {
        let wrapper = self.kind.is_some_and(|kind| kind.note == role::Note::Wrapper);
        !wrapper && (self.kind.is_some() || self.role.is_some() || self.numbers().is_some())
    }

    fn numbers(&self) -> Option<[f64; 4]> {
        match (self.x, self.y, self.width, self.height) {
            (Some(x), Some(y), Some(width), Some(height)) => Some([x, y, width, height]),
            _ => self.frame,
        }
    }

    /// Where it is; `None` for what a broken snapshot says: infinite, negative, missing.
    pub(crate) fn bounds(&self) -> Option<Rect> {
        let [x, y, width, height] = self.numbers()?;
        let sound = [x, y, width, height].iter().all(|number| number.is_finite() && number.abs() <= FAR);
        let broken = x == -1.0 && y == -1.0 && width == 0.0 && height == 0.0;
        (sound && !broken && width >= 0.0 && height >= 0.0).then(|| Rect::new(x, y, width, height))
    }

    /// Whether a trait of this name was given.
    pub(crate) fn has_trait(&self, name: &str) -> bool {
        self.traits.as_deref().is_some_and(|traits| role::names(traits).any(|given| given == name))
    }
}

/// The text without signs that nobody can see; `None` when nothing is left of it.
pub(crate) fn clean(text: &str) -> Option<String> {
    let dirty = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\t');
    let kept = if text.contains(dirty) { text.chars().filter(|&sign| !dirty(sign)).collect() } else { text.to_owned() };
    // Lone object replacement signs stand for pictures inside a field.
    let blank = kept.chars().all(|sign| sign.is_whitespace() || sign == '\u{FFFC}');
    (!blank).then_some(kept)
}

/// The truth in any of the spellings that servers used.
pub(crate) fn truth(text: &str) -> Option<bool> {
    match text.trim() {
        "1" | "true" | "True" | "TRUE" | "YES" | "yes" => Some(true),
        "0" | "false" | "False" | "FALSE" | "NO" | "no" => Some(false),
        _ => None,
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

fn frame(text: &str) -> Option<[f64; 4]> {
    let mut numbers = text.split(['{', '}', ',', ' ', ':']).filter_map(|part| part.parse::<f64>().ok());
    let all = [numbers.next()?, numbers.next()?, numbers.next()?, numbers.next()?];
    numbers.next().is_none().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: &str, y: &str, width: &str, height: &str) -> Option<Rect> {
        let mut raw = Raw::default();
        raw.set("x", x);
        raw.set("y", y);
        raw.set("width", width);
        raw.set("height", height);
        raw.bounds()
    }

    #[test]
    fn broken_positions_are_none() {
        assert_eq!(at("-5", "0.5", "10", "20"), Some(Rect::new(-5.0, 0.5, 10.0, 20.0)));
        assert_eq!(at("inf", "inf", "0", "0"), None);
        assert_eq!(at("nan", "0", "1", "1"), None);
        assert_eq!(at("0", "0", "-1", "5"), None);
        assert_eq!(at("-1", "-1", "0", "0"), None);
        assert_eq!(at("1e300", "0", "1", "1"), None);
        assert_eq!(at("", "0", "1", "1"), None);
        assert_eq!(frame("NSRect: {{-35.9, -64}, {446.9, 795}}"), Some([-35.9, -64.0, 446.9, 795.0]));
    }

    #[test]
    fn signs_that_nobody_sees_are_dropped() {
        assert_eq!(clean("a\u{0}b\u{1b}\nc"), Some("ab\nc".to_owned()));
        assert_eq!(clean("\u{FFFC}\u{FFFC}"), None);
        assert_eq!(clean(" "), None);
        assert_eq!(truth("1"), Some(true));
        assert_eq!(truth("false"), Some(false));
    }
}
