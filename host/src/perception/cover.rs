//! What lies in front of what: keyboards, alerts, sheets and windows over earlier elements.
//!
//! Knows order and boxes. Does not know pixels: a transparent layer and a solid one look alike in a tree, so a mere
//! container covers nothing, and of a later window only what it shows counts.

use super::outline::{Element, Outline, Place};
use crate::neutral::{Point, Rect, Role, Tree};

/// Most boxes of later windows that are compared; a tree with more is not a screen that people use.
const MOST: usize = 256;

/// A box in front of everything that comes before it in the tree.
struct Layer {
    element: usize,
    bounds: Rect,
    /// Elements before this one lie behind it. For a window's content: those before the window.
    from: usize,
}

fn is_overlay(role: Role) -> bool {
    matches!(role, Role::Keyboard | Role::Alert | Role::Sheet)
}

fn shown(element: &Element) -> Option<Rect> {
    element.bounds.filter(|_| element.place == Place::On && !element.hidden)
}

/// A part of an element that is lower or narrower than this, in points, is too little for a finger.
const SLIVER: f64 = 8.0;

/// Marks the elements that something later covers: all of them, or all but a sliver. Of the others the part that is left is kept.
pub(super) fn mark(tree: &Tree, outline: &mut Outline) {
    let layers = layers(tree, outline);
    if layers.is_empty() {
        return;
    }
    let screen = outline.screen();
    for layer in &layers {
        for index in 0..layer.from.min(outline.elements().len()) {
            let element = &outline.elements()[index];
            // Phones call what lies under a keyboard invisible, and then it is covered all the same.
            let on_screen = element.bounds.filter(|_| element.place == Place::On);
            let Some(visible) = on_screen.and_then(|bounds| bounds.intersection(&screen)) else { continue };
            let inside = visible.x >= layer.bounds.x - 0.5
                && visible.y >= layer.bounds.y - 0.5
                && visible.right() <= layer.bounds.right() + 0.5
                && visible.bottom() <= layer.bounds.bottom() + 0.5;
            if inside && element.covered_by.is_none() && !outline.is_within(layer.element, index) {
                outline.elements_mut()[index].covered_by = Some(layer.element);
            }
        }
    }
    for layer in &layers {
        if !is_overlay(outline.elements()[layer.element].role) {
            continue;
        }
        for index in 0..layer.element {
            let element = &outline.elements()[index];
            if element.covered_by.is_some() || !element.actionable || outline.is_within(layer.element, index) {
                continue;
            }
            let Some(part) = element.visible_part(&screen) else { continue };
            if part.intersection(&layer.bounds).is_none() {
                continue;
            }
            let element = &mut outline.elements_mut()[index];
            match left_over(&part, &layer.bounds) {
                Some(left) => element.clipped = Some(left),
                None => element.covered_by = Some(layer.element),
            }
        }
    }
}

/// The largest part beside a cover, if a finger has room on it. Something small may have been no larger before.
fn left_over(part: &Rect, cover: &Rect) -> Option<Rect> {
    let beside = [
        Rect::new(part.x, part.y, part.width, cover.y - part.y),
        Rect::new(part.x, cover.bottom(), part.width, part.bottom() - cover.bottom()),
        Rect::new(part.x, part.y, cover.x - part.x, part.height),
        Rect::new(cover.right(), part.y, part.right() - cover.right(), part.height),
    ];
    let room = |rect: &Rect| rect.width >= SLIVER.min(part.width) && rect.height >= SLIVER.min(part.height);
    beside.into_iter().filter(room).max_by(|a, b| a.area().total_cmp(&b.area()))
}

fn layers(tree: &Tree, outline: &Outline) -> Vec<Layer> {
    let elements = outline.elements();
    let mut layers = Vec::new();
    // The window of each node, for nodes of windows that come after another one.
    let mut window_of: Vec<Option<usize>> = Vec::with_capacity(tree.nodes.len());
    let mut windows = 0usize;
    for (i, node) in tree.nodes.iter().enumerate() {
        let above = node.parent.map(|p| p as usize).filter(|p| *p < i).and_then(|p| window_of[p]);
        let own = if node.role == Role::Window && i > 0 {
            windows += 1;
            Some(i)
        } else {
            above
        };
        window_of.push(own);
    }
    for (index, element) in elements.iter().enumerate() {
        let Some(bounds) = shown(element) else { continue };
        if is_overlay(element.role) {
            layers.push(Layer { element: index, bounds, from: index });
        } else if windows > 1
            && layers.len() < MOST
            && element.actionable
            && let Some(window) = window_of[element.node]
        {
            let from = elements.partition_point(|other| other.node < window);
            if from > 0 {
                layers.push(Layer { element: index, bounds, from });
            }
        }
    }
    layers
}

impl Outline {
    /// The keyboard, alert or sheet that lies over `point` in front of the element `index`, if there is one: a tap there
    /// would not reach the element.
    pub fn in_front_at(&self, index: usize, point: Point) -> Option<usize> {
        let element = self.get(index)?;
        if let Some(cover) = element.covered_by {
            return Some(cover);
        }
        self.elements()
            .iter()
            .enumerate()
            .skip(index + 1)
            .filter(|(_, other)| is_overlay(other.role))
            .filter(|(_, other)| shown(other).is_some_and(|bounds| bounds.contains(point)))
            .find(|(i, _)| !self.is_within(*i, index))
            .map(|(i, _)| i)
    }

    /// The alert in front, if one is up: the last one that is shown.
    pub fn alert(&self) -> Option<usize> {
        self.elements().iter().rposition(|element| {
            element.role == Role::Alert && !element.hidden && matches!(element.place, Place::On | Place::Nowhere)
        })
    }

    /// The on-screen keyboard, if one is up.
    pub fn keyboard(&self) -> Option<usize> {
        self.elements().iter().rposition(|element| {
            element.role == Role::Keyboard && shown(element).is_some_and(|bounds| bounds.height > 1.0)
        })
    }
}
