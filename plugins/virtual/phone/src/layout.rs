//! The layout pass: a builder that apps fill with elements, and its result, from which come the picture, the tree and the
//! answer to what a touch hits. It knows no app.

use crate::action::Field;
use crate::element::{Element, Layer};
use crate::theme::Theme;
use driver_api::{Node, Point, Rect, Role, Screen};
use std::collections::HashMap;

/// How far lists are scrolled, in points, by the name of the list.
pub(crate) type Offsets = HashMap<&'static str, f64>;

/// A part of the screen whose content is higher than it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scroll {
    pub(crate) name: &'static str,
    pub(crate) viewport: Rect,
    pub(crate) layer: Layer,
    /// How far the content can be moved up, in points.
    pub(crate) max: f64,
}

/// What a touch is looking for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Tap,
    Hold,
    Double,
}

/// A finished layout.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) screen: Screen,
    /// In pre-order.
    pub(crate) elements: Vec<Element>,
    /// Indices of the elements from the lowest to the highest.
    pub(crate) order: Vec<u32>,
    pub(crate) scrolls: Vec<Scroll>,
}

impl Layout {
    /// The topmost element at a point that reacts to such a touch; `None` where the touch does nothing.
    pub(crate) fn hit(&self, at: Point, want: Want) -> Option<usize> {
        for index in self.order.iter().rev().map(|index| *index as usize) {
            let element = &self.elements[index];
            if !element.touched(at) {
                continue;
            }
            let wanted = match want {
                Want::Tap => &element.tap,
                Want::Hold => &element.hold,
                Want::Double => &element.double,
            };
            if element.acts() {
                // What is disabled takes the touch and does nothing with it.
                return (element.enabled && wanted.is_some()).then_some(index);
            }
            if element.opaque {
                return None;
            }
        }
        None
    }

    /// The list that moves when a finger goes down here.
    pub(crate) fn scroll_at(&self, at: Point) -> Option<&Scroll> {
        let cover = self.order.iter().rev().map(|index| &self.elements[*index as usize]);
        let mut layer = Layer::Content;
        for element in cover {
            if element.opaque && element.touched(at) {
                layer = element.layer;
                break;
            }
        }
        self.scrolls.iter().rev().find(|scroll| scroll.viewport.contains(at) && scroll.layer >= layer)
    }

    /// The nodes of the tree, and for each the index of its element.
    pub(crate) fn nodes(&self) -> (Vec<Node>, Vec<usize>) {
        let screen = self.screen.bounds();
        let keyboard = self.elements.iter().find(|element| element.role == Role::Keyboard).map(|element| element.rect);
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.elements.len());
        let mut nodes = Vec::with_capacity(self.elements.len());
        let mut sources = Vec::with_capacity(self.elements.len());
        for (index, element) in self.elements.iter().enumerate() {
            // A child of decoration belongs to the decoration's parent.
            let parent = element.parent.and_then(|parent| places[parent as usize]);
            if !element.in_tree {
                places.push(parent);
                continue;
            }
            places.push(Some(nodes.len() as u32));
            let seen = element.seen().and_then(|seen| seen.intersection(&screen));
            let covered = match (&keyboard, &seen) {
                (Some(keyboard), Some(seen)) if element.layer < Layer::Keyboard => {
                    keyboard.intersection(seen).is_some_and(|part| part.area() >= seen.area() - 0.01)
                }
                _ => false,
            };
            sources.push(index);
            nodes.push(Node {
                parent,
                role: element.role,
                label: element.label.clone(),
                value: element.value.clone(),
                placeholder: element.placeholder.clone(),
                identifier: element.identifier.clone(),
                bounds: Some(element.rect),
                enabled: element.enabled,
                visible: seen.is_some() && !covered,
                focused: element.focused,
                selected: element.selected,
                checked: element.checked,
            });
        }
        (nodes, sources)
    }
}

/// What the screen leaves free of the clock, the home bar and, in landscape, the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Insets {
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    pub(crate) side: f64,
}

impl Insets {
    pub(crate) fn of(screen: &Screen) -> Insets {
        if screen.orientation.is_landscape() {
            Insets { top: 24.0, bottom: 21.0, side: 44.0 }
        } else {
            Insets { top: 47.0, bottom: 34.0, side: 0.0 }
        }
    }
}

/// Builds a layout.
pub(crate) struct Ui<'a> {
    pub(crate) screen: Screen,
    pub(crate) safe: Insets,
    pub(crate) theme: &'static Theme,
    pub(crate) dark: bool,
    pub(crate) focus: Option<Field>,
    /// How much of the screen's bottom the keyboard covers, in points.
    pub(crate) keyboard: f64,
    offsets: &'a Offsets,
    elements: Vec<Element>,
    parents: Vec<u32>,
    clips: Vec<Rect>,
    layer: Layer,
    scrolls: Vec<Scroll>,
}

impl<'a> Ui<'a> {
    pub(crate) fn new(screen: Screen, dark: bool, focus: Option<Field>, keyboard: f64, offsets: &'a Offsets) -> Self {
        Ui {
            screen,
            safe: Insets::of(&screen),
            theme: Theme::of(dark),
            dark,
            focus,
            keyboard,
            offsets,
            elements: Vec::new(),
            parents: Vec::new(),
            clips: vec![screen.bounds()],
            layer: Layer::Content,
            scrolls: Vec::new(),
        }
    }

    /// The whole screen.
    pub(crate) fn all(&self) -> Rect {
        self.screen.bounds()
    }

    fn clip(&self) -> Rect {
        self.clips[self.clips.len() - 1]
    }

    /// Whether any of this rectangle can be seen where elements are added now.
    pub(crate) fn sees(&self, rect: &Rect) -> bool {
        rect.intersection(&self.clip()).is_some()
    }

    /// Adds an element under the open one.
    pub(crate) fn add(&mut self, mut element: Element) -> u32 {
        element.parent = self.parents.last().copied();
        element.clip = self.clip();
        element.layer = self.layer;
        if !self.sees(&element.rect) {
            element.shapes.clear();
        }
        self.elements.push(element);
        (self.elements.len() - 1) as u32
    }

    /// Adds an element and puts what `inside` adds under it.
    pub(crate) fn with<R>(&mut self, element: Element, inside: impl FnOnce(&mut Self) -> R) -> R {
        let index = self.add(element);
        self.parents.push(index);
        let result = inside(self);
        self.parents.pop();
        result
    }

    /// Adds an element that stays open, for chains too deep for nested calls. [`Ui::end`] closes it.
    pub(crate) fn begin(&mut self, element: Element) {
        let index = self.add(element);
        self.parents.push(index);
    }

    /// Closes the last `count` elements opened by [`Ui::begin`].
    pub(crate) fn end(&mut self, count: usize) {
        self.parents.truncate(self.parents.len() - count);
    }

    /// Puts what `inside` adds on another layer.
    pub(crate) fn on<R>(&mut self, layer: Layer, inside: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.layer, layer);
        let result = inside(self);
        self.layer = before;
        result
    }

    /// A part of the screen that scrolls. `inside` gets the y at which the content starts and answers the y at which it ends.
    pub(crate) fn scroll(
        &mut self,
        name: &'static str,
        viewport: Rect,
        element: Element,
        inside: impl FnOnce(&mut Self, f64) -> f64,
    ) {
        let offset = self.offsets.get(name).copied().unwrap_or(0.0);
        self.clips.push(self.clip().intersection(&viewport).unwrap_or_default());
        let start = viewport.y - offset;
        let end = self.with(element, |ui| inside(ui, start));
        self.clips.pop();
        // What the keyboard covers can be scrolled up from under it.
        let covered = (viewport.bottom() - (self.screen.height - self.keyboard)).max(0.0);
        let covered = if self.keyboard > 0.0 { covered } else { 0.0 };
        let max = (end - start - viewport.height + covered).max(0.0);
        self.scrolls.push(Scroll { name, viewport, layer: self.layer, max });
    }

    /// The finished layout.
    pub(crate) fn finish(self) -> Layout {
        let mut order: Vec<u32> = (0..self.elements.len() as u32).collect();
        order.sort_by_key(|index| self.elements[*index as usize].layer);
        Layout { screen: self.screen, elements: self.elements, order, scrolls: self.scrolls }
    }
}
