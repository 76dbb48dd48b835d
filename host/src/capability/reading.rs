//! Text and icons in a phone's picture, looked for on threads of their own: neither another call nor the phone's turn waits for it.
//!
//! It knows when a picture must be read. How that is done is `perception::ocr` and `perception::shapes`.

use super::{Code, Context, Error, context::Target, look};
use crate::{
    neutral::Picture,
    perception::{
        change,
        ocr::{Added, Ocr, OcrError, TextLine},
        picture,
        shapes::{self, FoundShapes, Sight},
    },
};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How many pictures are read at once: one takes both cores of a small machine.
const AT_ONCE: usize = 2;

/// Reads pictures for all devices.
pub(super) struct Readings {
    ocr: Arc<Ocr>,
    shapes: Arc<shapes::Sights>,
    turns: Arc<Semaphore>,
}

impl Readings {
    /// Reads with these text recognisers too.
    pub(super) fn new(added: Vec<Added>) -> Self {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        Readings { ocr: Arc::new(Ocr::new(added)), shapes: Arc::default(), turns }
    }

    /// Loads the added text recognisers on a thread of its own, so that the log tells of a broken one before it is missed.
    pub(super) fn load_added(&self) {
        if self.ocr.has_added() {
            let ocr = self.ocr.clone();
            tokio::task::spawn_blocking(move || ocr.broken().len());
        }
    }

    /// A sentence for each added text recogniser that cannot be used, after something was read.
    pub(super) fn broken(&self) -> &[String] {
        if self.ocr.has_added() { self.ocr.broken() } else { &[] }
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
    let Readings { ocr, .. } = &context.readings;
    let hash = change::hash(&taken.bytes);
    if let Some(lines) = ocr.known(target.id(), hash) {
        return Ok(lines);
    }
    let scale = scale(target, &taken);
    let (ocr, screen) = (ocr.clone(), target.id().to_owned());
    let read = apart(context, target, move || {
        let pixels = picture::decode(&taken.bytes).map_err(|error| OcrError::Failed(error.to_string()))?;
        ocr.read(&screen, hash, &pixels, scale)
    });
    read.await.map_err(Unread::Failed)?.map_err(|error| match error {
        OcrError::Off => Unread::Off,
        OcrError::Failed(_) => Unread::Failed(failed(target, &error.to_string())),
    })
}

/// The icons of these concepts on the phone's screen as it is now.
pub(super) async fn icons(
    context: &Context,
    target: &Target,
    concepts: Vec<String>,
    mirrored: bool,
) -> Result<FoundShapes, Error> {
    let taken = look::picture(target).await?;
    let hash = change::hash(&taken.bytes);
    if let Some(sight) = context.readings.shapes.known(target.id(), hash) {
        return Ok(sight.find(&concepts));
    }
    let scale = scale(target, &taken);
    // What was read of this picture anyway is no icon.
    let lines = context.readings.ocr.known(target.id(), hash).unwrap_or_default();
    let (shapes, screen) = (context.readings.shapes.clone(), target.id().to_owned());
    let found = apart(context, target, move || {
        let pixels = picture::decode(&taken.bytes).map_err(|error| error.to_string())?;
        let sight = Sight::of(&pixels, scale, &lines, mirrored)?;
        Ok::<_, String>(shapes.keep(&screen, hash, sight).find(&concepts))
    });
    found.await?.map_err(|error| failed(target, &error))
}

/// Where the phone's screen shows what a reference picture shows.
pub(super) async fn reference(context: &Context, target: &Target, reference: Vec<u8>) -> Result<FoundShapes, Error> {
    let reference = picture::decode(&reference).map_err(|error| {
        Error::invalid(format!("picture: {error}"), "Pass a PNG or JPEG of the icon alone, in base64.")
    })?;
    let taken = look::picture(target).await?;
    let scale = scale(target, &taken);
    let found = apart(context, target, move || {
        let pixels = picture::decode(&taken.bytes).map_err(|error| error.to_string())?;
        shapes::find_reference(&pixels, &reference, scale)
    });
    found.await?.map_err(|error| {
        Error::invalid(format!("picture: {error}"), "Pass a picture of the icon with what it looks like.")
    })
}

/// Pixels a point of the phone's own picture.
fn scale(target: &Target, taken: &Picture) -> f64 {
    let points = target.screen().map_or(f64::from(taken.width), |screen| screen.width);
    f64::from(taken.width) / points.max(1.0)
}

fn failed(target: &Target, what: &str) -> Error {
    Error::new(Code::PerceptionFailed, what, "Try again; get_ui_tree works without a picture.").on_device(target.id())
}

/// Runs what takes long on a thread of its own, within the call's time and not too much at once. What runs on after that is only
/// lost work.
async fn apart<T: Send + 'static>(
    context: &Context,
    target: &Target,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let late = || {
        Error::new(Code::Timeout, "the picture was not read in time", "Try again, with a longer timeout_ms.")
            .on_device(target.id())
    };
    let turn = tokio::time::timeout_at(target.deadline, context.readings.turns.clone().acquire_owned()).await;
    let turn = turn.map_err(|_| late())?;
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    let done = tokio::time::timeout_at(target.deadline, work).await.map_err(|_| late())?;
    done.map_err(|_| failed(target, "reading the picture broke off"))
}
