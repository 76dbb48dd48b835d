//! What callers have seen of each device: the frames that they may refer to, and the refs of elements.
//!
//! Kept in memory and bounded. Refs end with the device's connection; frames with a rotation, or when 32 newer ones exist.

use super::{Code, Error, context::brief};
use crate::{
    device::Device,
    neutral::Screen,
    perception::{
        change::Glance,
        outline::Outline,
        refs::{Ref, RefBook},
        visual::{Visual, Visuals},
    },
};
use serde_json::json;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::time::Instant;

/// How many frames of a device are kept.
const FRAMES: usize = 32;
/// Of how many pictures it is remembered what they show: a quarter of a megabyte each.
const GLANCES: usize = 3;

/// One observation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    number: u64,
    /// The screen as it was.
    pub(super) screen: Screen,
    /// Size in pixels of the picture that the caller got.
    pub(super) picture: Option<(u32, u32)>,
    /// What the phone showed, for telling whether it has changed since.
    pub(super) shown: Shown,
}

/// A hash of what the phone showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Of the picture as the phone sent it.
    Picture(u64),
    /// Of the tree.
    Tree(u64),
}

impl Frame {
    /// `f<n>`.
    pub(super) fn name(&self) -> String {
        format!("f{}", self.number)
    }
}

/// How an action left the screen.
#[derive(Clone, Debug)]
pub(super) struct Left {
    /// What it showed at the end.
    pub(super) glance: Arc<Glance>,
    /// Whether it moved still.
    pub(super) moving: bool,
    /// When that was.
    pub(super) at: Instant,
}

#[derive(Default)]
struct Sight {
    epoch: u64,
    frames: VecDeque<Frame>,
    frame_count: u64,
    refs: RefBook,
    /// What only pictures showed, under refs of the same book.
    visuals: Visuals,
    /// How the last action that was checked left the screen.
    left: Option<Left>,
    /// What the latest pictures that callers got show, by the numbers of their frames.
    glances: VecDeque<(u64, Arc<Glance>)>,
}

/// What has been seen of all devices.
#[derive(Default)]
pub(super) struct Sights {
    by_device: Mutex<HashMap<String, Arc<Mutex<Sight>>>>,
}

impl Sights {
    fn of(&self, device: &Device) -> Arc<Mutex<Sight>> {
        let mut all = lock(&self.by_device);
        all.entry(device.id().to_owned()).or_default().clone()
    }

    /// A new frame of this device.
    pub(super) fn frame(&self, device: &Device, screen: Screen, picture: Option<(u32, u32)>, shown: Shown) -> Frame {
        let sight = self.of(device);
        let mut sight = lock(&sight);
        sight.frame_count += 1;
        let frame = Frame { number: sight.frame_count, screen, picture, shown };
        sight.frames.push_back(frame);
        if sight.frames.len() > FRAMES {
            sight.frames.pop_front();
        }
        frame
    }

    /// The frame that a caller names, if it still fits the screen as it is now.
    ///
    /// # Errors
    /// [`Code::StaleFrame`].
    pub(super) fn find(&self, device: &Device, name: &str) -> Result<Frame, Error> {
        let sight = self.of(device);
        let frame = lock(&sight).frames.iter().find(|frame| frame.name() == name).copied();
        let stale = |what: String| {
            Err(Error::new(Code::StaleFrame, what, "Look at the screen again and use the new frame.")
                .on_device(device.id()))
        };
        let Some(frame) = frame else {
            return stale(format!("frame {:?} is unknown, or more than {FRAMES} frames old", brief(name)));
        };
        match device.facts().screen {
            Some(now)
                if (now.width, now.height, now.orientation)
                    != (frame.screen.width, frame.screen.height, frame.screen.orientation) =>
            {
                Err(turned(&format!("frame {name}"), &frame.screen, &now).on_device(device.id()))
            }
            _ => Ok(frame),
        }
    }

    /// How the last action left the screen, if it was checked.
    pub(super) fn left(&self, device: &Device) -> Option<Left> {
        lock(&self.of(device)).left.clone()
    }

    /// Remembers how an action leaves the screen, or that nobody knows.
    pub(super) fn leave(&self, device: &Device, left: Option<Left>) {
        lock(&self.of(device)).left = left;
    }

    /// What the picture of this frame showed, if it is one of the latest.
    pub(super) fn glance(&self, device: &Device, frame: &Frame) -> Option<Arc<Glance>> {
        let sight = self.of(device);
        let sight = lock(&sight);
        sight.glances.iter().find(|(number, _)| *number == frame.number).map(|(_, glance)| glance.clone())
    }

    /// Remembers what the picture of this frame shows.
    pub(super) fn shows(&self, device: &Device, frame: &Frame, glance: Glance) {
        let sight = self.of(device);
        let mut sight = lock(&sight);
        sight.glances.push_back((frame.number, Arc::new(glance)));
        if sight.glances.len() > GLANCES {
            sight.glances.pop_front();
        }
    }

    /// A ref for each element of an outline.
    pub(super) fn refs(&self, device: &Device, outline: &Outline) -> Vec<Ref> {
        self.with_book(device, |book| book.assign(outline))
    }

    /// A ref for each thing that only a picture shows.
    pub(super) fn visual_refs(&self, device: &Device, seen: impl IntoIterator<Item = Visual>) -> Vec<Ref> {
        self.current(device, |Sight { refs, visuals, .. }| {
            seen.into_iter().map(|visual| visuals.name(visual, || refs.fresh())).collect()
        })
    }

    /// What a ref stands for that only a picture shows.
    pub(super) fn visual(&self, device: &Device, name: Ref) -> Option<Visual> {
        self.current(device, |sight| sight.visuals.get(name).cloned())
    }

    /// Works with the device's refs.
    pub(super) fn with_book<T>(&self, device: &Device, work: impl FnOnce(&mut RefBook) -> T) -> T {
        self.current(device, |sight| work(&mut sight.refs))
    }

    /// Works with what was seen in the device's connection as it is now.
    fn current<T>(&self, device: &Device, work: impl FnOnce(&mut Sight) -> T) -> T {
        let epoch = device.epoch();
        let sight = self.of(device);
        let mut sight = lock(&sight);
        if sight.epoch != epoch {
            // What was on the screen of an earlier connection is gone.
            sight.refs.clear();
            sight.visuals.clear();
            sight.epoch = epoch;
        }
        work(&mut sight)
    }
}

/// What was read from a screen that has been turned or resized since holds no more.
pub(super) fn turned(what: &str, then: &Screen, now: &Screen) -> Error {
    Error::new(
        Code::StaleFrame,
        format!(
            "{what} was {} × {} points ({}), the screen is now {} × {} ({})",
            then.width,
            then.height,
            then.orientation.name(),
            now.width,
            now.height,
            now.orientation.name()
        ),
        "Look at the screen again and use the new frame.",
    )
    .details(json!({ "width": now.width, "height": now.height, "orientation": now.orientation.name() }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change leaves the content sound.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
