//! Text in pictures: where lines stand and what they say, offline and on the processor alone.
//!
//! A [`Reader`] takes a [`Picture`] and gives a [`Reading`]: its lines, and what is needed to read the next picture of the
//! same screen by looking only at what changed. A line in a script that no recogniser here reads is reported with its
//! place, as not readable. Reading takes up to a second of two cores, so callers put it on a thread of its own; nothing
//! here knows of threads other than the two that it computes with, nor of devices, trees or what a text is wanted for.
//!
//! Here, and not in the host, so that a dev build can optimise it fully and compiles it once.

#![forbid(unsafe_code)]

mod area;
mod blank;
mod change;
mod ctc;
mod detect;
mod dictionary;
mod direction;
mod envelope;
mod error;
mod grid;
mod map;
mod models;
mod order;
mod picture;
mod reader;
mod recognise;
mod scale;
mod script;

#[cfg(test)]
mod tests;

pub use area::Area;
pub use error::OcrError;
pub use fingertip_pixels::View as Picture;
pub use reader::{Extra, Line, Reader, Reading, Word};
