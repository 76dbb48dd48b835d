//! The text in a phone's picture, read on threads of its own: neither another call nor the phone's turn waits for it.
//!
//! It knows when a picture must be read. How that is done is `perception::ocr`.

use super::{Code, Context, Error, context::Target, look};
use crate::perception::{
    change,
    ocr::{Ocr, OcrError, TextLine},
    picture,
};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How many pictures are read at once: one takes both cores of a small machine.
const AT_ONCE: usize = 2;

/// Reads pictures for all devices.
pub(super) struct Readings {
    ocr: Arc<Ocr>,
    turns: Arc<Semaphore>,
}

impl Default for Readings {
    fn default() -> Self {
        Readings { ocr: Arc::default(), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// Why there are no lines.
pub(super) enum Unread {
    /// This build cannot read.
    Off,
    /// No picture, or none that can be read.
    Failed(Error),
}

/// The lines of the phone's screen as it is now.
pub(super) async fn lines(context: &Context, target: &Target) -> Result<Arc<Vec<TextLine>>, Unread> {
    if !Ocr::AVAILABLE {
        return Err(Unread::Off);
    }
    let taken = look::picture(target).await.map_err(Unread::Failed)?;
    let Readings { ocr, turns } = &context.readings;
    let hash = change::hash(&taken.bytes);
    if let Some(lines) = ocr.known(target.id(), hash) {
        return Ok(lines);
    }
    let late = || {
        Unread::Failed(
            Error::new(Code::Timeout, "the picture was not read in time", "Try again, with a longer timeout_ms.")
                .on_device(target.id()),
        )
    };
    let turn = tokio::time::timeout_at(target.deadline, turns.clone().acquire_owned()).await;
    let turn = turn.map_err(|_| late())?;
    let points = target.screen().map_or(f64::from(taken.width), |screen| screen.width);
    let (ocr, screen) = (ocr.clone(), target.id().to_owned());
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let pixels = picture::decode(&taken.bytes).map_err(|error| OcrError::Failed(error.to_string()))?;
        ocr.read(&screen, hash, &pixels, f64::from(pixels.width) / points.max(1.0))
    });
    let read = tokio::time::timeout_at(target.deadline, work).await.map_err(|_| late())?;
    let read = read.unwrap_or_else(|_| Err(OcrError::Failed("it broke off".to_owned())));
    read.map_err(|error| match error {
        OcrError::Off => Unread::Off,
        OcrError::Failed(_) => Unread::Failed(
            Error::new(Code::PerceptionFailed, error.to_string(), "Try again, or use source: tree.")
                .on_device(target.id()),
        ),
    })
}
