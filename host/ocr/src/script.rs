//! Whether what was read of a line is to be believed, and if not, whether it is text in a script that is not read here.
//!
//! Knows how surely and how completely a line was read, how sure the detector was, and the line's shape. The limits were
//! set by looking at rendered lines in nineteen scripts and languages (the example `scripts` draws and counts them) and at
//! real screens. Recognisers pass over the letters of a script that they do not have: most of what is written then has no
//! letter beside it, or they guess with little likelihood. Icons and photographs, too, are read badly, but they are square,
//! or the detector is less sure of them. Of Greek they have the letters of formulas, without accents, and so read holes.

use crate::Area;
use crate::recognise::{Letter, Raw};

/// Below this mean likelihood of its letters nothing was read.
const READ: f32 = 0.5;

/// A line with no letter at all: how sure the detector must be, and the least width as a share of the height.
const EMPTY: (f32, f64) = (0.62, 1.5);

/// The same for one so short that it may be an icon.
const SHORT: (f32, f64) = (0.75, 1.25);

/// The same for a line of which only parts were read.
const SPARSE: (f32, f64) = (0.68, 1.5);

/// The same for one so long that it is no icon.
const SPARSE_LONG: (f32, f64) = (0.62, 4.0);

/// The same for a line that was read as a whole, but with letters that are guesses.
const VAGUE: (f32, f64) = (0.75, 1.3);

/// Only parts of a line were read when letters lie beside less than this share of its ink.
const SPARSE_INK: f64 = 0.6;

/// Unless the letters are certain: then the rest is an icon beside them, as long as it is not nearly everything.
const CERTAIN: (f32, f64) = (0.97, 0.3);

/// Below this mean likelihood letters and digits are guesses; in lines lower than so many pixels, where letters that are
/// known look blurred too, below the second.
const VAGUE_SCORE: (f32, f32) = (0.84, 0.66);
const LOW: f64 = 32.0;

/// A sign beyond ASCII that is this likely is there: the line holds stars or arrows, beside which icons are read as letters.
const SIGN: f32 = 0.6;

/// The row of the clock and of icons takes this share of a screen's height.
const STATUS_ROW: f64 = 0.04;

/// Letters this likely are kept of a line that is not read.
const KEPT: f32 = 0.8;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Text that was read.
    Text,
    /// Text in a script that no recogniser here reads.
    Unread,
    /// No text, or nothing that can be told from none.
    Nothing,
}

/// Where a line stands in its picture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// It reaches to the picture's edge, where letters are cut and no script can be told.
    cut: bool,
    /// It stands where phones show small icons in a row, which look like a word.
    icons: bool,
}

impl Place {
    pub(crate) fn of(area: &Area, width: f64, height: f64) -> Place {
        Place {
            cut: area.x <= 0.0 || area.y <= 0.0 || area.right() >= width || area.bottom() >= height,
            icons: area.y + area.height / 2.0 < height * STATUS_ROW,
        }
    }
}

/// Judges a line. Of one that is not read only letters that are surely there are kept.
pub(crate) fn judge(raw: &mut Raw, area: &Area, likelihood: f32, place: Place, has_greek: bool) -> Verdict {
    let written = raw.letters.iter().any(|letter| !letter.text.trim().is_empty());
    let is = |(sure, aspect): (f32, f64)| {
        !place.cut && !place.icons && likelihood >= sure && area.width >= area.height * aspect
    };
    let certain = raw.score >= CERTAIN.0 && raw.covered >= CERTAIN.1;
    if !written {
        raw.letters.clear();
        return if is(EMPTY) || is(SHORT) { Verdict::Unread } else { Verdict::Nothing };
    }
    let sparse = raw.covered < SPARSE_INK && !certain && (is(SPARSE) || is(SPARSE_LONG));
    if sparse || !has_greek && !place.cut && is_greek(&raw.letters) {
        raw.letters.retain(|letter| letter.likelihood >= KEPT);
        return Verdict::Unread;
    }
    if is_vague(&raw.letters, area.height) && is(VAGUE) {
        raw.letters.clear();
        return Verdict::Unread;
    }
    if raw.score >= READ { Verdict::Text } else { Verdict::Nothing }
}

/// Whether the letters and digits are guesses.
fn is_vague(letters: &[Letter], height: f64) -> bool {
    let is_plain = |letter: &&Letter| letter.text.chars().all(char::is_alphanumeric);
    let (plain, others): (Vec<&Letter>, Vec<&Letter>) = letters.iter().partition(is_plain);
    let least = if height < LOW { VAGUE_SCORE.1 } else { VAGUE_SCORE.0 };
    let mean = plain.iter().map(|letter| letter.likelihood).sum::<f32>() / plain.len() as f32;
    mean < least && !others.iter().any(|letter| letter.likelihood >= SIGN && !letter.text.is_ascii())
}

/// Whether a word has two Greek letters: one alone is a sign of a formula or a unit.
fn is_greek(letters: &[Letter]) -> bool {
    let is_greek = |letter: &Letter| letter.text.chars().any(|ch| matches!(ch, '\u{370}'..='\u{3ff}'));
    let words = letters.split(|letter| !letter.text.chars().any(char::is_alphabetic));
    words.into_iter().any(|word| word.iter().filter(|letter| is_greek(letter)).count() >= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str, score: f32, covered: f64, likelihood: f32, width: f64) -> Verdict {
        let letter = |ch: char| Letter { text: ch.into(), left: 0.0, right: 1.0, likelihood: score };
        let mut raw = Raw { letters: text.chars().map(letter).collect(), score, covered };
        judge(&mut raw, &Area { x: 9.0, y: 9.0, width, height: 50.0 }, likelihood, Place::default(), false)
    }

    #[test]
    fn sure_letters_are_text_also_beside_an_icon() {
        assert_eq!(verdict("Settings", 0.99, 1.0, 0.8, 200.0), Verdict::Text);
        assert_eq!(verdict("100%", 0.99, 0.55, 0.75, 200.0), Verdict::Text);
        assert_eq!(verdict("X", 0.75, 1.0, 0.7, 50.0), Verdict::Text);
        assert_eq!(verdict("4.5 ★★★★★", 0.77, 1.0, 0.85, 300.0), Verdict::Text);
        assert_eq!(verdict("∆t = 5 μs", 0.95, 1.0, 0.85, 300.0), Verdict::Text);
    }

    #[test]
    fn letters_with_holes_between_them_are_unread() {
        assert_eq!(verdict("Kντρο ελγχο", 0.97, 1.0, 0.85, 400.0), Verdict::Unread);
        assert_eq!(verdict("1773", 0.82, 1.0, 0.82, 130.0), Verdict::Unread);
    }

    #[test]
    fn long_lines_without_sure_letters_are_unread_and_icons_are_nothing() {
        assert_eq!(verdict("", 0.0, 0.0, 0.8, 200.0), Verdict::Unread);
        assert_eq!(verdict("  ", 0.0, 0.0, 0.8, 200.0), Verdict::Unread);
        assert_eq!(verdict("12", 0.96, 0.26, 0.85, 400.0), Verdict::Unread);
        assert_eq!(verdict("ascvn", 0.61, 1.0, 0.85, 150.0), Verdict::Unread);
        assert_eq!(verdict("", 0.0, 0.0, 0.8, 50.0), Verdict::Nothing);
        assert_eq!(verdict("E", 0.3, 1.0, 0.7, 50.0), Verdict::Nothing);
        assert_eq!(verdict("VA", 0.4, 0.8, 0.57, 140.0), Verdict::Nothing);
    }
}
