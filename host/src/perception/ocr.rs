//! Text in pictures of screens, as lines in points, remembered from one picture to the next.
//!
//! Knows pictures and their scale, and screens by a name. Does not know devices, queries or trees. Reading takes up to a second
//! of both cores and holds its thread for so long: who must not wait asks on another one. Built without the feature `ocr` it
//! reads nothing and says so.

use super::{latest::Latest, picture::Pixels};
use crate::neutral::Rect;
use std::{ops::Range, sync::Arc};

/// Between two words of one line is less room than this share of the line's height.
#[cfg(any(feature = "ocr", test))]
const WIDE_GAP: f64 = 0.5;

/// Nor more than for so many of its letters.
#[cfg(any(feature = "ocr", test))]
const WIDE_SET: f64 = 1.2;

/// A line of text in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct TextLine {
    /// What it says; empty or a guess where it is not readable.
    pub text: String,
    /// Where it stands, in points.
    pub bounds: Rect,
    /// False where it is surely text, in a script that nothing here reads.
    pub readable: bool,
    /// Left and right edge of each character, in points.
    pub(super) letters: Vec<(f64, f64)>,
}

impl TextLine {
    /// A line of which only the whole is known.
    pub fn new(text: &str, bounds: Rect) -> TextLine {
        TextLine { text: text.to_owned(), bounds, readable: true, letters: Vec::new() }
    }

    /// Where its letters and digits stand. A line's box may hold an arrow or another icon at its end, which is read as a sign or
    /// not at all.
    pub fn words_only(&self) -> Rect {
        let letters: Vec<usize> =
            self.text.chars().enumerate().filter(|(_, c)| c.is_alphanumeric()).map(|(index, _)| index).collect();
        match (letters.first(), letters.last()) {
            (Some(first), Some(last)) => self.part(*first..last + 1),
            _ => self.bounds,
        }
    }

    /// The line, or its parts where there is more room between two words than a blank takes: a title beside the way back, an icon
    /// that was read as a sign before a text.
    #[cfg(any(feature = "ocr", test))]
    fn parted(self) -> Vec<TextLine> {
        // Some texts are set wide as a whole.
        let advance = self.bounds.width / self.letters.len().max(1) as f64;
        let wide = (WIDE_GAP * self.bounds.height).max(WIDE_SET * advance);
        let signs: Vec<char> = self.text.chars().collect();
        let gap = |at: usize| match (self.letters.get(at.wrapping_sub(1)), self.letters.get(at + 1)) {
            (Some(before), Some(after)) => after.0 - before.1,
            _ => 0.0,
        };
        let blanks = (0..signs.len()).filter(|at| signs[*at] == ' ' && gap(*at) > wide);
        let ends: Vec<usize> = blanks.chain([signs.len()]).collect();
        if ends.len() == 1 || signs.len() != self.letters.len() {
            return vec![self];
        }
        let mut start = 0;
        let part = |end: usize| {
            let range = start..end;
            start = end + 1;
            TextLine {
                text: signs[range.clone()].iter().collect(),
                bounds: self.part(range.clone()),
                letters: self.letters[range].to_vec(),
                ..self.clone()
            }
        };
        ends.into_iter().map(part).collect()
    }

    /// Where some of its characters stand, by their numbers; all of it where that is not known.
    pub fn part(&self, characters: Range<usize>) -> Rect {
        let edges = self.letters.get(characters).unwrap_or_default().iter().copied();
        match edges.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1))) {
            Some((left, right)) => Rect::new(left, self.bounds.y, right - left, self.bounds.height),
            None => self.bounds,
        }
    }
}

/// What a picture says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its lines, in reading order.
    pub lines: Vec<TextLine>,
    /// Whether the picture is black all over, so that there was nothing to read.
    pub black: bool,
    /// A sentence for each added recogniser without which it was read.
    pub broken: Vec<String>,
    /// What the picture is remembered by.
    pub key: u64,
}

impl Page {
    /// How many lines stand in a script that nothing here reads.
    pub fn unread(&self) -> usize {
        self.lines.iter().filter(|line| !line.readable).count()
    }
}

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OcrError {
    /// This build has no text recognition.
    #[error("this build has no text recognition")]
    Off,
    /// The picture or the recognition is at fault.
    #[error("the text in the picture could not be read: {0}")]
    Failed(String),
}

/// A recogniser's model, and its characters, one a line.
pub type Files = (Vec<u8>, String);

/// A text recogniser that the operator added.
pub struct Added {
    /// What it is called in messages: its file.
    pub name: String,
    /// Gives its files, or says why it cannot.
    pub files: Box<dyn Fn() -> Result<Files, String> + Send + Sync>,
}

/// What was read of one picture.
#[derive(Clone)]
struct Kept {
    page: Arc<Page>,
    #[cfg(feature = "ocr")]
    reading: Arc<fingertip_ocr::Reading>,
}

/// Reads pictures, and remembers what it read.
#[derive(Default)]
pub struct Ocr {
    added: Vec<Added>,
    #[cfg(feature = "ocr")]
    loaded: std::sync::OnceLock<Loaded>,
    kept: Latest<Kept>,
}

/// What reads, and what was added to it in vain.
#[cfg(feature = "ocr")]
struct Loaded {
    reader: fingertip_ocr::Reader,
    broken: Vec<String>,
}

impl Ocr {
    /// Whether this build can read.
    pub const AVAILABLE: bool = cfg!(feature = "ocr");

    /// One that reads with these recognisers too, in their order. They are loaded with the first picture.
    pub fn new(added: Vec<Added>) -> Ocr {
        Ocr { added, ..Ocr::default() }
    }

    /// Whether recognisers were added.
    pub fn has_added(&self) -> bool {
        !self.added.is_empty()
    }

    /// A sentence for each added recogniser that cannot be used. Loads them.
    pub fn broken(&self) -> &[String] {
        #[cfg(feature = "ocr")]
        return &self.loaded().broken;
        #[cfg(not(feature = "ocr"))]
        &[]
    }

    #[cfg(feature = "ocr")]
    fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| {
            let mut reader = fingertip_ocr::Reader::new();
            let mut broken = Vec::new();
            for Added { name, files } in &self.added {
                let files = files().map_err(|why| format!("the text recogniser {name} cannot be used: {why}"));
                let loaded = files.and_then(|(model, dictionary)| {
                    let extra = fingertip_ocr::Extra { name: name.clone(), model, dictionary };
                    reader.add(extra).map_err(|error| error.to_string())
                });
                if let Err(error) = loaded {
                    tracing::error!("{error}; correct it under [[perception.recogniser]], or leave it out");
                    broken.push(error);
                }
            }
            Loaded { reader, broken }
        })
    }

    /// What was read of this picture, if it is the last of its screen.
    pub fn known(&self, screen: &str, hash: u64) -> Option<Arc<Page>> {
        self.kept.of(screen, hash).map(|kept| kept.page)
    }

    /// Reads a picture of this many pixels a point. Of a screen whose last picture is remembered only what changed is read anew.
    ///
    /// # Errors
    /// When nothing can be read.
    #[cfg(feature = "ocr")]
    pub fn read(&self, screen: &str, hash: u64, pixels: &Pixels, scale: f64) -> Result<Arc<Page>, OcrError> {
        if let Some(page) = self.known(screen, hash) {
            return Ok(page);
        }
        let Loaded { reader, broken } = self.loaded();
        let previous = self.kept.last(screen).map(|kept| kept.reading);
        let reading =
            reader.read(&pixels.view(), previous.as_deref()).map_err(|error| OcrError::Failed(error.to_string()))?;
        let lines = reading.lines.iter().flat_map(|line| in_points(line, scale).parted()).collect();
        let page = Arc::new(Page { lines, black: pixels.is_black(), broken: broken.clone(), key: hash });
        self.kept.keep(screen, hash, Kept { page: page.clone(), reading: Arc::new(reading) });
        Ok(page)
    }

    /// Reads nothing, in this build.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "ocr"))]
    pub fn read(&self, _: &str, _: u64, _: &Pixels, _: f64) -> Result<Arc<Page>, OcrError> {
        Err(OcrError::Off)
    }
}

#[cfg(feature = "ocr")]
fn in_points(line: &fingertip_ocr::Line, scale: f64) -> TextLine {
    let bounds = line.bounds;
    TextLine {
        text: line.text.clone(),
        bounds: Rect::new(bounds.x / scale, bounds.y / scale, bounds.width / scale, bounds.height / scale),
        readable: line.readable,
        letters: line.letters.iter().map(|(left, right)| (left / scale, right / scale)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line whose letters are ten points wide, with so much more room at each `|`.
    fn line(marked: &str, room: f64) -> TextLine {
        let (mut x, mut letters) = (0.0, Vec::new());
        for c in marked.chars() {
            x += if c == '|' { room } else { 10.0 };
            if c != '|' {
                letters.push((x - 10.0, x));
            }
        }
        let text = marked.replace('|', "");
        TextLine { letters, ..TextLine::new(&text, Rect::new(0.0, 0.0, x, 20.0)) }
    }

    #[test]
    fn what_stands_apart_is_apart() {
        let texts = |line: TextLine| line.parted().into_iter().map(|part| part.text).collect::<Vec<_>>();
        assert_eq!(texts(line("Back |Language & Region", 15.0)), ["Back", "Language & Region"]);
        assert_eq!(texts(line("Q |Search settings| >", 12.0)), ["Q", "Search settings", ">"]);
        assert_eq!(texts(line("All |of it", 0.0)), ["All of it"]);
        assert_eq!(texts(TextLine::new("All of it", Rect::new(0.0, 0.0, 90.0, 20.0))), ["All of it"]);
        let parts = line("Back |Title", 15.0).parted();
        assert_eq!((parts[1].bounds.x, parts[1].bounds.width), (65.0, 50.0));
    }
}
