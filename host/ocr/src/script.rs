//! Whether what was read of a line is to be believed, and if not, whether it is text in a script that is not read here.
//!
//! Knows how surely and how completely a line was read, how sure the detector was, and the line's shape. The limits were
//! set by looking at rendered lines in ten scripts and at real screens. Recognisers pass over the letters of a script that
//! they do not have: most of what is written then has no letter beside it, or they guess with little likelihood. Icons and
//! photographs, too, are read badly, but they are square, or the detector is less sure of them.

use crate::Area;
use crate::recognise::Raw;

/// Below this mean likelihood of its letters nothing was read.
const READ: f32 = 0.5;

/// A line with no letter at all: how sure the detector must be, and the least width as a share of the height.
const EMPTY: (f32, f64) = (0.62, 1.5);

/// The same for one so short that it may be an icon.
const SHORT: (f32, f64) = (0.8, 1.25);

/// The same for a line of which only parts were read.
const SPARSE: (f32, f64) = (0.68, 1.5);

/// The same for a line that was read as a whole, but with letters that are guesses.
const VAGUE: (f32, f64) = (0.77, 1.5);

/// Only parts of a line were read when letters lie beside less than this share of its ink.
const SPARSE_INK: f64 = 0.6;

/// Unless the letters are certain: then the rest is an icon beside them, as long as it is not nearly everything.
const CERTAIN: (f32, f64) = (0.97, 0.3);

/// Below this mean likelihood letters are guesses.
const VAGUE_SCORE: f32 = 0.66;

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
pub(crate) fn judge(raw: &mut Raw, area: &Area, likelihood: f32, place: Place) -> Verdict {
    let written = raw.letters.iter().any(|letter| !letter.text.trim().is_empty());
    let is = |(sure, aspect): (f32, f64)| {
        !place.cut && !place.icons && likelihood >= sure && area.width >= area.height * aspect
    };
    let certain = raw.score >= CERTAIN.0 && raw.covered >= CERTAIN.1;
    if !written {
        raw.letters.clear();
        return if is(EMPTY) || is(SHORT) { Verdict::Unread } else { Verdict::Nothing };
    }
    if raw.covered < SPARSE_INK && !certain && is(SPARSE) {
        raw.letters.retain(|letter| letter.likelihood >= KEPT);
        return Verdict::Unread;
    }
    if raw.score < VAGUE_SCORE && is(VAGUE) {
        raw.letters.clear();
        return Verdict::Unread;
    }
    if raw.score >= READ { Verdict::Text } else { Verdict::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognise::Letter;

    fn verdict(text: &str, score: f32, covered: f64, likelihood: f32, width: f64) -> Verdict {
        let letter = |ch: char| Letter { text: ch.into(), left: 0.0, right: 1.0, likelihood: score };
        let mut raw = Raw { letters: text.chars().map(letter).collect(), score, covered };
        judge(&mut raw, &Area { x: 9.0, y: 9.0, width, height: 50.0 }, likelihood, Place::default())
    }

    #[test]
    fn sure_letters_are_text_also_beside_an_icon() {
        assert_eq!(verdict("Settings", 0.99, 1.0, 0.8, 200.0), Verdict::Text);
        assert_eq!(verdict("100%", 0.99, 0.55, 0.75, 200.0), Verdict::Text);
        assert_eq!(verdict("X", 0.75, 1.0, 0.7, 50.0), Verdict::Text);
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
