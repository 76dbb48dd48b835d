//! What callers have seen of each device: the frames that they may refer to, and the refs of elements.
//!
//! Kept in memory and bounded. Refs end with the device's connection; frames with a rotation, or when 32 newer ones exist.

use super::{Code, Error, context::brief};
use crate::{
    device::Device,
    neutral::Screen,
    perception::{
        outline::Outline,
        refs::{Ref, RefBook},
    },
};
use serde_json::json;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many frames of a device are kept.
const FRAMES: usize = 32;

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

#[derive(Default)]
struct Sight {
    epoch: u64,
    frames: VecDeque<Frame>,
    frame_count: u64,
    refs: RefBook,
    /// Of the picture at which the screen came to rest after the last action that was checked.
    rested: Option<u64>,
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
                stale(format!(
                    "frame {name} was {} × {} points ({}), the screen is now {} × {} ({})",
                    frame.screen.width,
                    frame.screen.height,
                    frame.screen.orientation.name(),
                    now.width,
                    now.height,
                    now.orientation.name()
                ))
                .map_err(|error: Error| {
                    error.details(json!({
                        "width": now.width, "height": now.height, "orientation": now.orientation.name()
                    }))
                })
            }
            _ => Ok(frame),
        }
    }

    /// The hash of the picture at which the last action that was checked left the screen.
    pub(super) fn rested(&self, device: &Device) -> Option<u64> {
        lock(&self.of(device)).rested
    }

    /// Remembers at which picture the screen came to rest, or that it did not.
    pub(super) fn rests(&self, device: &Device, picture: Option<u64>) {
        lock(&self.of(device)).rested = picture;
    }

    /// A ref for each element of an outline.
    pub(super) fn refs(&self, device: &Device, outline: &Outline) -> Vec<Ref> {
        self.with_book(device, |book| book.assign(outline))
    }

    /// Works with the device's refs.
    pub(super) fn with_book<T>(&self, device: &Device, work: impl FnOnce(&mut RefBook) -> T) -> T {
        let epoch = device.epoch();
        let sight = self.of(device);
        let mut sight = lock(&sight);
        if sight.epoch != epoch {
            // What was on the screen of an earlier connection is gone.
            sight.refs.clear();
            sight.epoch = epoch;
        }
        work(&mut sight.refs)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change leaves the content sound.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
