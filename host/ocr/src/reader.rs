//! Reading a picture: detector, recognisers and verdicts put together, and what is kept from one picture to the next.
//!
//! Knows the order of the steps. What each step does is known to its module.

use crate::change::{Change, Marks};
use crate::detect::detect;
use crate::dictionary::Dictionary;
use crate::direction;
use crate::grid::{Grid, STEP};
use crate::models::{DICTIONARY, Network, THREADS, Threads};
use crate::order;
use crate::recognise::{Hands, Letter, Raw, Recogniser};
use crate::scale::Scaler;
use crate::script::{self, Verdict};
use crate::{Area, OcrError, Picture};
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows of the detector's map around a change that are looked at again, so that letters there look as they do in the
/// whole picture.
const AROUND: usize = 32;

/// Of all rows, from which share on the whole picture is read anew.
const MOST_ANEW: f64 = 0.7;

/// Most that is read of one picture: the widths of its lines, each as a share of the line's height, together. A screen has
/// some hundreds, a long page full of print some thousands; more would hold up whoever asks, and all who wait for their turn.
const MOST_WIDTH: f64 = 8_000.0;

/// From this score, and this share of the ink read, the first recogniser's reading stands without asking the added ones.
const SURE: f32 = 0.95;

/// A recogniser for more scripts, given as files.
#[derive(Clone, Debug)]
pub struct Extra {
    /// What it is called in messages.
    pub name: String,
    /// The network as `.rten` or `.onnx`: a line's picture in, likelihoods of characters out.
    pub model: Vec<u8>,
    /// Its characters, one a line.
    pub dictionary: String,
}

/// A line of text in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it says; empty or a guess where it is not readable.
    pub text: String,
    /// Where it stands.
    pub bounds: Area,
    /// How sure the reading is, from 0 to 1: the mean over its characters.
    pub score: f32,
    /// Its words.
    pub words: Vec<Word>,
    /// False where it is surely text, but in a script that no recogniser here reads.
    pub readable: bool,
    /// Left and right edge of each character of `text`.
    pub letters: Vec<(f64, f64)>,
}

/// A word of a line: what stands between spaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub bounds: Area,
}

/// What was read of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Its lines, row by row and each row from the left.
    pub lines: Vec<Line>,
    marks: Marks,
}

/// Reads pictures. The networks that come with this crate are loaded with the first of them.
#[derive(Default)]
pub struct Reader {
    extras: Vec<Recogniser<Box<Network>, Box<Dictionary>>>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("extras", &self.extras.len()).finish()
    }
}

static DEFAULT_DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| Dictionary::new(DICTIONARY));

/// A letter of Greek texts that no formula has.
const GREEK: &str = "ά";

static HAS_GREEK: LazyLock<bool> = LazyLock::new(|| DEFAULT_DICTIONARY.has(GREEK));

/// A line found by the detector, before it is read.
struct Spot {
    area: Area,
    likelihood: f32,
}

impl Line {
    /// Where a part of the text stands, given as a range of its bytes; the whole line when that is not within it.
    pub fn part(&self, bytes: Range<usize>) -> Area {
        let within = self.text.char_indices().zip(&self.letters).filter(|((at, _), _)| bytes.contains(at));
        let edges = within.map(|(_, edges)| *edges).reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
        match edges {
            Some((left, right)) => Area::between(left, self.bounds.y, right, self.bounds.bottom()),
            None => self.bounds,
        }
    }
}

impl Reader {
    /// A reader with the recogniser that comes with this crate.
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Adds a recogniser, which is asked for lines that those before it do not read for sure.
    ///
    /// # Errors
    /// When its network cannot be loaded, or is not one for its dictionary. The reader is then as it was.
    pub fn add(&mut self, extra: Extra) -> Result<(), OcrError> {
        let Extra { name, model, dictionary } = extra;
        let failed = |reason| OcrError::Recogniser { name: name.clone(), reason };
        if dictionary.trim().is_empty() {
            return Err(failed("its dictionary is empty".into()));
        }
        let network = Box::new(Network::from_bytes(model).map_err(failed)?);
        let recogniser = Recogniser { network, dictionary: Box::new(Dictionary::new(&dictionary)) };
        recogniser.check().map_err(failed)?;
        self.extras.push(recogniser);
        Ok(())
    }

    /// Reads a picture. Given what was read of an earlier one of the same size, only what changed is read again.
    ///
    /// # Errors
    /// When the picture is empty, too large or not what its size says, or a network fails.
    pub fn read(&self, picture: &Picture<'_>, previous: Option<&Reading>) -> Result<Reading, OcrError> {
        crate::picture::check(picture)?;
        let marks = Marks::of(picture);
        let known = previous.and_then(|reading| Some((reading, marks.since(&reading.marks)?)));
        if let Some((reading, change)) = &known
            && change.is_none()
        {
            return Ok((*reading).clone());
        }
        let grid = Grid::of(picture.width, picture.height);
        let mut pass = Pass { reader: self, picture, grid, scaler: Scaler::default() };
        let mut lines = match known {
            Some((reading, change)) => match pass.changed(reading, &change)? {
                Some(lines) => lines,
                None => pass.whole()?,
            },
            None => pass.whole()?,
        };
        order::sort(&mut lines, |line| &line.bounds);
        Ok(Reading { lines, marks })
    }
}

/// One picture being read.
struct Pass<'a> {
    reader: &'a Reader,
    picture: &'a Picture<'a>,
    grid: Grid,
    scaler: Scaler,
}

impl Pass<'_> {
    fn whole(&mut self) -> Result<Vec<Line>, OcrError> {
        let spots = self.spots(0..self.grid.height)?;
        self.lines(&spots)
    }

    /// Lines kept where nothing changed and read anew elsewhere; nothing when the whole picture is better read anew.
    fn changed(&mut self, reading: &Reading, change: &Change) -> Result<Option<Vec<Line>>, OcrError> {
        let (gone, mut kept): (Vec<&Line>, Vec<&Line>) =
            reading.lines.iter().partition(|line| change.meets(&line.bounds));
        let strips = self.strips(change, &reading.lines);
        let rows: usize = strips.iter().map(|strip| strip.len()).sum();
        if rows as f64 > self.grid.height as f64 * MOST_ANEW {
            return Ok(None);
        }
        let mut fresh = Vec::new();
        for strip in strips {
            for spot in self.spots(strip.clone())? {
                // A line may now end where it went on before; its rest is new although nothing changed there.
                let anew = change.meets(&spot.area) || gone.iter().any(|line| line.bounds.meets(&spot.area));
                if !anew {
                    continue;
                }
                if self.is_cut(&spot.area, &strip) {
                    return Ok(None);
                }
                kept.retain(|line| line.bounds.common(&spot.area).size() < line.bounds.size() / 2.0);
                fresh.push(spot);
            }
        }
        let mut lines = self.lines(&fresh)?;
        lines.extend(kept.into_iter().cloned());
        Ok(Some(lines))
    }

    /// Whether a line found in a strip may go on beyond it.
    fn is_cut(&self, area: &Area, strip: &Range<usize>) -> bool {
        let (top, bottom) = (strip.start as f64 * self.grid.pace.1, strip.end as f64 * self.grid.pace.1);
        (strip.start > 0 && area.y <= top) || (strip.end < self.grid.height && area.bottom() >= bottom)
    }

    /// Rows of the grid that hold the changes and every line that reaches into them.
    fn strips(&self, change: &Change, lines: &[Line]) -> Vec<Range<usize>> {
        let pace = self.grid.pace.1;
        let mut strips: Vec<Range<usize>> = Vec::new();
        for band in change.bands() {
            let (mut top, mut bottom) = (band.start as f64, band.end as f64);
            for line in lines {
                if line.bounds.y < band.end as f64 && line.bounds.bottom() > band.start as f64 {
                    top = top.min(line.bounds.y);
                    bottom = bottom.max(line.bounds.bottom());
                }
            }
            let start = ((top / pace) as usize).saturating_sub(AROUND) / STEP * STEP;
            let end = ((bottom / pace).ceil() as usize + AROUND).next_multiple_of(STEP).min(self.grid.height);
            match strips.last_mut() {
                Some(strip) if strip.end >= start => {
                    strip.start = strip.start.min(start);
                    strip.end = strip.end.max(end);
                }
                _ => strips.push(start..end),
            }
        }
        strips
    }

    fn spots(&mut self, rows: Range<usize>) -> Result<Vec<Spot>, OcrError> {
        let map = detect(Network::detector()?, &mut self.scaler, self.picture, &self.grid, rows.clone())?;
        let (across, down) = self.grid.pace;
        let spot = |found: crate::map::Found| Spot {
            area: Area::between(
                found.left * across,
                (found.top + rows.start as f64) * down,
                (found.right * across).min(f64::from(self.picture.width)),
                ((found.bottom + rows.start as f64) * down).min(f64::from(self.picture.height)),
            ),
            likelihood: found.likelihood,
        };
        let mut spots: Vec<Spot> = map.boxes().into_iter().map(spot).collect();
        let width = |spot: &Spot| spot.area.width / spot.area.height;
        if spots.iter().map(width).sum::<f64>() > MOST_WIDTH {
            // Those that are most surely text.
            spots.sort_by(|one, two| two.likelihood.total_cmp(&one.likelihood));
            let mut left = MOST_WIDTH;
            spots.retain(|spot| {
                left -= width(spot);
                left >= 0.0
            });
        }
        Ok(spots)
    }

    /// Reads the lines at these spots, as many at a time as there are threads.
    fn lines(&self, spots: &[Spot]) -> Result<Vec<Line>, OcrError> {
        // The longest first, so that no worker is left with a long one at the end.
        let mut longest: Vec<&Spot> = spots.iter().collect();
        longest.sort_by(|one, two| (two.area.width / two.area.height).total_cmp(&(one.area.width / one.area.height)));
        let next = AtomicUsize::new(0);
        let work = |index: usize| {
            let mut hands = Hands { scaler: Scaler::default(), threads: Threads::one(index) };
            let mut lines = Vec::new();
            while let Some(spot) = longest.get(next.fetch_add(1, Ordering::Relaxed)) {
                lines.extend(self.line(&mut hands, spot)?);
            }
            Ok(lines)
        };
        let work = &work;
        let workers = THREADS.min(spots.len());
        let parts: Vec<Result<Vec<Line>, OcrError>> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|index| scope.spawn(move || work(index))).collect();
            let mut parts = vec![work(0)];
            for other in others {
                let part = other.join();
                parts.push(part.unwrap_or_else(|_| Err(OcrError::Model("a worker of the recogniser failed".into()))));
            }
            parts
        });
        let mut lines = Vec::with_capacity(spots.len());
        for part in parts {
            lines.extend(part?);
        }
        Ok(lines)
    }

    fn line(&self, hands: &mut Hands, spot: &Spot) -> Result<Option<Line>, OcrError> {
        let first = Recogniser { network: Network::recogniser()?, dictionary: &*DEFAULT_DICTIONARY };
        let mut raw = first.read(hands, self.picture, &spot.area)?;
        let mut has_greek = *HAS_GREEK;
        if raw.score < SURE || f64::from(SURE) > raw.covered {
            for extra in &self.reader.extras {
                let other = extra.read(hands, self.picture, &spot.area)?;
                if f64::from(other.score) * other.covered > f64::from(raw.score) * raw.covered {
                    raw = other;
                    has_greek = extra.dictionary.has(GREEK);
                }
            }
        }
        let place = script::Place::of(&spot.area, f64::from(self.picture.width), f64::from(self.picture.height));
        Ok(match script::judge(&mut raw, &spot.area, spot.likelihood, place, has_greek) {
            Verdict::Text => Some(line(raw, spot.area, true)),
            Verdict::Unread => Some(line(raw, spot.area, false)),
            Verdict::Nothing => None,
        })
    }
}

fn line(raw: Raw, bounds: Area, readable: bool) -> Line {
    let Raw { mut letters, score, .. } = raw;
    direction::reorder(&mut letters, |letter| &letter.text);
    let is_space = |letter: &Letter| letter.text.trim().is_empty();
    while letters.last().is_some_and(is_space) {
        letters.pop();
    }
    let blank = letters.iter().take_while(|letter| is_space(letter)).count();
    letters.drain(..blank);
    let mut words = Vec::new();
    for part in letters.split(is_space).filter(|part| !part.is_empty()) {
        let left = part.iter().map(|letter| letter.left).fold(f64::INFINITY, f64::min);
        let right = part.iter().map(|letter| letter.right).fold(0.0, f64::max);
        words.push(Word {
            text: part.iter().map(|letter| letter.text.as_str()).collect(),
            bounds: Area::between(left, bounds.y, right, bounds.bottom()),
        });
    }
    let mut text = String::new();
    let mut edges = Vec::new();
    for letter in letters {
        edges.extend(letter.text.chars().map(|_| (letter.left, letter.right)));
        text += &letter.text;
    }
    Line { text, bounds, score, words, readable, letters: edges }
}
