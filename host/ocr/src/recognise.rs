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

/// Height of a recogniser's input.
const HEIGHT: usize = 48;

/// The input's width is a multiple of this.
const STEP: usize = 32;

/// Widest input; what is longer is cut at a blank. It bounds memory, and recognisers were trained on shorter lines.
const WIDEST: f64 = 1_280.0;

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
    /// Runs it once over nothing: whether network and dictionary belong together shows only then.
    pub(crate) fn check(&self) -> Result<(), OcrError> {
        let data = vec![0; 3 * STEP * HEIGHT];
        let picture = Picture { width: STEP as u32, height: HEIGHT as u32, channels: 3, data: &data };
        let mut hands = Hands { scaler: Scaler::default(), threads: Threads::one(0) };
        self.read(&mut hands, &picture, &Area::between(0.0, 0.0, STEP as f64, HEIGHT as f64)).map(|_| ())
    }

    /// Reads the line within an area of the picture.
    pub(crate) fn read(&self, hands: &mut Hands, picture: &Picture<'_>, area: &Area) -> Result<Raw, OcrError> {
        if area.width <= 0.0 || area.height <= 0.0 {
            return Ok(Raw::default());
        }
        let ink = Ink::of(picture, area);
        let mut letters: Vec<Letter> = Vec::new();
        let mut left = area.x;
        let longest = WIDEST / HEIGHT as f64 * area.height;
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
        let width = ((piece.width * HEIGHT as f64 / piece.height).round() as usize).max(1);
        let outer = width.next_multiple_of(STEP);
        let planes = hands.scaler.planes(picture, piece, (width, HEIGHT), (outer, HEIGHT))?;
        let output: NdTensor<f32, 3> = self.network.as_ref().run(&planes, &hands.threads)?;
        let [_, steps, classes] = output.shape();
        if classes != self.dictionary.as_ref().classes() {
            let known = self.dictionary.as_ref().classes();
            return Err(OcrError::Model(format!("the recogniser has {classes} classes, its dictionary makes {known}")));
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
