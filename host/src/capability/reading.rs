//! Text and icons in a phone's picture, looked for on threads of their own: neither another call nor the phone's turn waits for it.
//!
//! It knows when a picture must be read. How that is done is `perception::ocr` and `perception::shapes`.

use super::{Code, Context, Error, context::Target, look};
use crate::{
    neutral::Picture,
    perception::{
        change,
        ocr::{Added, Ocr, OcrError, Page},
        picture,
        shapes::{self, FoundShapes, Sight},
    },
};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
    task::JoinHandle,
};

/// How many pictures are read at once: one takes all cores for most of its time, and a hundred megabytes.
const AT_ONCE: usize = 1;
/// How long the thread that reads is kept when there is nothing to read. Each new one would keep memory of its own.
const KEPT: Duration = Duration::from_secs(3600);

/// Reads pictures for all devices.
pub(super) struct Readings {
    ocr: Arc<Ocr>,
    shapes: Arc<shapes::Sights>,
    turns: Arc<Semaphore>,
    /// Has the one thread that reads, and nothing else to do; none where the system gives no thread.
    runtime: Option<Runtime>,
}

impl Drop for Readings {
    fn drop(&mut self) {
        // What is being read is lost work, and whoever drops this must not wait for it.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Readings {
    /// Reads with these text recognisers too.
    pub(super) fn new(added: Vec<Added>) -> Self {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        let threads = Builder::new_current_thread().max_blocking_threads(AT_ONCE).thread_keep_alive(KEPT).build();
        Readings { ocr: Arc::new(Ocr::new(added)), shapes: Arc::default(), turns, runtime: threads.ok() }
    }

    fn spawn<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        match &self.runtime {
            Some(runtime) => runtime.spawn_blocking(work),
            None => tokio::task::spawn_blocking(work),
        }
    }

    /// Loads the added text recognisers on a thread of its own, so that the log tells of a broken one before it is missed.
    pub(super) fn load_added(&self) {
        if self.ocr.has_added() {
            let ocr = self.ocr.clone();
            self.spawn(move || ocr.broken().len());
        }
    }
}

/// Why there are no lines.
pub(super) enum Unread {
    /// This build cannot read.
    Off,
    /// No picture, or none that can be read.
    Failed(Error),
}

/// A picture of the phone's screen as it is now.
struct Taken {
    picture: Picture,
    /// Its pixels a point.
    scale: f64,
}

impl Taken {
    async fn now(target: &Target) -> Result<Taken, Error> {
        let picture = look::picture(target).await?;
        let points = look::width_of(target, &picture).await.ok_or_else(|| {
            look::failed(target, "the picture lies the other way than the phone says its screen does, so that no place in it can be told")
        })?;
        Ok(Taken { scale: f64::from(picture.width) / points.max(1.0), picture })
    }

    /// Of all that the places in it depend on: a phone that was turned may show the same picture on another screen.
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (change::hash(&self.picture.bytes), self.scale.to_bits()).hash(&mut hasher);
        hasher.finish()
    }
}

/// The text of the phone's screen as it is now.
pub(super) async fn page(context: &Context, target: &Target) -> Result<Arc<Page>, Unread> {
    if !Ocr::AVAILABLE {
        return Err(Unread::Off);
    }
    read(context, target, &Taken::now(target).await.map_err(Unread::Failed)?).await
}

async fn read(context: &Context, target: &Target, taken: &Taken) -> Result<Arc<Page>, Unread> {
    let (key, scale) = (taken.key(), taken.scale);
    if let Some(page) = context.readings.ocr.known(target.id(), key) {
        return Ok(page);
    }
    let (ocr, screen, bytes) = (context.readings.ocr.clone(), target.id().to_owned(), taken.picture.bytes.clone());
    let read = apart(context, target, move || {
        // Another call may have read it meanwhile.
        if let Some(page) = ocr.known(&screen, key) {
            return Ok(page);
        }
        let pixels = picture::decode_screen(&bytes).map_err(|error| OcrError::Failed(error.to_string()))?;
        ocr.read(&screen, key, &pixels, scale)
    });
    read.await.map_err(Unread::Failed)?.map_err(|error| match error {
        OcrError::Off => Unread::Off,
        OcrError::Failed(_) => Unread::Failed(look::failed(target, &error.to_string())),
    })
}

/// What was read of the text of this picture, if it was.
pub(super) fn page_of(context: &Context, target: &Target, key: u64) -> Arc<Page> {
    context.readings.ocr.known(target.id(), key).unwrap_or_default()
}

/// The icons of the phone's screen as it is now.
pub(super) async fn sight(context: &Context, target: &Target, mirrored: bool) -> Result<Arc<Sight>, Error> {
    look_at(context, target, &Taken::now(target).await?, mirrored).await
}

async fn look_at(context: &Context, target: &Target, taken: &Taken, mirrored: bool) -> Result<Arc<Sight>, Error> {
    let (key, scale) = (taken.key(), taken.scale);
    if let Some(sight) = context.readings.shapes.known(target.id(), key, mirrored) {
        return Ok(sight);
    }
    let (shapes, screen, bytes) =
        (context.readings.shapes.clone(), target.id().to_owned(), taken.picture.bytes.clone());
    let looked = apart(context, target, move || {
        if let Some(sight) = shapes.known(&screen, key, mirrored) {
            return Ok(sight);
        }
        let pixels = picture::decode_screen(&bytes).map_err(|error| error.to_string())?;
        Ok(shapes.keep(&screen, Sight::of(&pixels, key, scale, mirrored)?))
    });
    looked.await?.map_err(|error: String| look::failed(target, &error))
}

/// All that the picture of the phone's screen shows as it is now: its icons, and where it is `read` its text.
pub(super) async fn all(
    context: &Context,
    target: &Target,
    mirrored: bool,
    with_text: bool,
) -> Result<(Arc<Sight>, Option<Result<Arc<Page>, Unread>>), Error> {
    let taken = Taken::now(target).await?;
    let page = match with_text {
        true => Some(read(context, target, &taken).await),
        false => None,
    };
    Ok((look_at(context, target, &taken, mirrored).await?, page))
}

/// Where the phone's screen shows what a reference picture shows, whether the screen is black all over, and its picture's key.
pub(super) async fn reference(
    context: &Context,
    target: &Target,
    reference: &[u8],
) -> Result<(FoundShapes, bool, u64), Error> {
    let unfit =
        |error: String| Error::invalid(format!("picture: {error}"), "Pass a PNG or JPEG of the icon alone, in base64.");
    let reference = picture::decode(reference).map_err(|error| unfit(error.to_string()))?;
    let taken = Taken::now(target).await?;
    let key = taken.key();
    let Taken { picture, scale } = taken;
    let found = apart(context, target, move || {
        let pixels = picture::decode_screen(&picture.bytes).map_err(|error| error.to_string())?;
        Ok::<_, String>((shapes::find_reference(&pixels, &reference, scale), pixels.is_black()))
    });
    let (found, black) = found.await?.map_err(|error| look::failed(target, &error))?;
    Ok((found.map_err(unfit)?, black, key))
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
    let work = context.readings.spawn(move || {
        let _turn = turn;
        work()
    });
    let done = tokio::time::timeout_at(target.deadline, work).await.map_err(|_| late())?;
    done.map_err(|_| look::failed(target, "reading the picture broke off"))
}
