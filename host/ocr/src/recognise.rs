//! What lines say: cuts them out of the picture, runs a recogniser over them and places what it read.
//!
//! Knows a recogniser's input and output. Whether what was read is to be believed is known to `script`.

use crate::blank::Ink;
use crate::ctc;
use crate::dictionary::Dictionary;
use crate::models::{Network, Threads};
use crate::scale::Scaler;
use crate::{Area, OcrError, Picture};
use rten_tensor::{AsView, Layout, NdTensor};
use std::ops::RangeInclusive;

/// Height of a recogniser's input, unless its file says another.
const HEIGHT: usize = 48;

/// Heights that are believed: what is lower shows no letters, what is higher takes more time than it tells.
const HEIGHTS: RangeInclusive<usize> = 16..=128;

/// The input's width is a multiple of this.
const STEP: usize = 32;

/// Widest input as a share of its height; what is longer is cut at a blank. It bounds memory, and recognisers were trained
/// on shorter lines.
const WIDEST: f64 = 1_280.0 / 48.0;

/// From which share of the widest input on a blank is looked for.
const EARLIEST: f64 = 0.6;

/// A blank of this share of the line's height at a cut stands for a space.
const SPACE: f64 = 0.2;

/// How far to each side a letter may reach, as a share of the line's height with its margins.
const NEARBY: f64 = 0.45;

/// A character of a line, and where it stands along the line in the picture's pixels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Letter {
    pub(crate) text: String,
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) likelihood: f32,
}

/// What was read of a line.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Raw {
    /// From the left.
    pub(crate) letters: Vec<Letter>,
    /// Mean likelihood of the letters, spaces apart; 0 without any.
    pub(crate) score: f32,
    /// Of what is written there, the share that has a letter nearby.
    pub(crate) covered: f64,
}

/// What one worker works with.
pub(crate) struct Hands {
    pub(crate) scaler: Scaler,
    pub(crate) threads: Threads,
}

/// A network and its characters.
pub(crate) struct Recogniser<N, D> {
    pub(crate) network: N,
    pub(crate) dictionary: D,
}

impl<N: AsRef<Network>, D: AsRef<Dictionary>> Recogniser<N, D> {
    /// Runs it over nothing, short and long: whether it reads lines of any length, and whether network and dictionary belong
    /// together, shows only then.
    pub(crate) fn check(&self) -> Result<(), String> {
        let height = self.height();
        if !HEIGHTS.contains(&height) {
            return Err(format!("its input is {height} pixels high, where lines are read at {HEIGHTS:?}"));
        }
        let mut hands = Hands { scaler: Scaler::default(), threads: Threads::one(0) };
        for width in [STEP, 10 * STEP] {
            let data = vec![0; 3 * width * height];
            let picture = Picture { width: width as u32, height: height as u32, channels: 3, data: &data };
            let area = Area::between(0.0, 0.0, width as f64, height as f64);
            self.read(&mut hands, &picture, &area).map_err(|error| match error {
                OcrError::Model(reason) => reason,
                error => error.to_string(),
            })?;
        }
        Ok(())
    }

    fn height(&self) -> usize {
        self.network.as_ref().height().unwrap_or(HEIGHT)
    }

    /// Reads the line within an area of the picture.
    pub(crate) fn read(&self, hands: &mut Hands, picture: &Picture<'_>, area: &Area) -> Result<Raw, OcrError> {
        if area.width <= 0.0 || area.height <= 0.0 {
            return Ok(Raw::default());
        }
        let ink = Ink::of(picture, area);
        let mut letters: Vec<Letter> = Vec::new();
        let mut left = area.x;
        let longest = WIDEST * area.height;
        loop {
            let (right, blank) = match area.right() - left > longest {
                true => ink.widest_blank(left + longest * EARLIEST, left + longest),
                false => (area.right(), 0.0),
            };
            let piece = Area::between(left, area.y, right, area.bottom());
            letters.extend(self.piece(hands, picture, &piece)?);
            if right >= area.right() {
                break;
            }
            if blank >= SPACE * area.height {
                let (from, to) = (right - blank / 2.0, right + blank / 2.0);
                letters.push(Letter { text: " ".into(), left: from, right: to, likelihood: 1.0 });
            }
            left = right;
        }
        let written = || letters.iter().filter(|letter| !letter.text.trim().is_empty());
        let score = written().map(|letter| letter.likelihood).sum::<f32>().max(0.0) / written().count().max(1) as f32;
        let reach = NEARBY * area.height;
        let covered = ink.covered(written().map(|letter| {
            let middle = (letter.left + letter.right) / 2.0;
            (middle - reach, middle + reach)
        }));
        for letter in &mut letters {
            (letter.left, letter.right) = ink.trimmed(letter.left, letter.right);
        }
        Ok(Raw { letters, score, covered })
    }

    fn piece(&self, hands: &mut Hands, picture: &Picture<'_>, piece: &Area) -> Result<Vec<Letter>, OcrError> {
        let height = self.height();
        let width = ((piece.width * height as f64 / piece.height).round() as usize).max(1);
        let outer = width.next_multiple_of(STEP);
        let planes = hands.scaler.planes(picture, piece, (width, height), (outer, height))?;
        let output: NdTensor<f32, 3> = self.network.as_ref().run(&planes, &hands.threads)?;
        let [_, steps, classes] = output.shape();
        let known = self.dictionary.as_ref().classes();
        if classes != known {
            return Err(OcrError::Model(format!(
                "the network tells {classes} classes apart, and its dictionary of {} characters makes {known} with the blank \
                 and the space",
                known - 2
            )));
        }
        let read = ctc::letters(&output.to_vec(), classes);
        // Pixels of the picture a step.
        let pace = outer as f64 / width as f64 * piece.width / steps.max(1) as f64;
        Ok(self.placed(&read, piece, pace))
    }

    /// Letters reach to the middle between them and their neighbours, and at the ends as far as on their other side.
    fn placed(&self, read: &[ctc::Letter], piece: &Area, pace: f64) -> Vec<Letter> {
        let at = |index: usize| read.get(index).map(|letter| piece.x + letter.at * pace);
        let mut letters = Vec::with_capacity(read.len());
        for (index, letter) in read.iter().enumerate() {
            let middle = piece.x + letter.at * pace;
            let before = index.checked_sub(1).and_then(at).map(|other| (middle - other) / 2.0);
            let after = at(index + 1).map(|other| (other - middle) / 2.0);
            let usual = piece.height * 0.3;
            // Not far beyond a letter's own width where a wide gap follows.
            let reach = |side: Option<f64>, other: Option<f64>| side.or(other).unwrap_or(usual).min(piece.height * 0.6);
            letters.push(Letter {
                text: self.dictionary.as_ref().get(letter.class).unwrap_or_default().to_owned(),
                left: (middle - reach(before, after)).max(piece.x),
                right: (middle + reach(after, before)).min(piece.right()).max(piece.x),
                likelihood: letter.likelihood,
            });
        }
        letters
    }
}
