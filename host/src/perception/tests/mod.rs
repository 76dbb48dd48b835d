//! What the layer promises, on hand-made and arbitrary trees.

mod describing;
mod finding;
mod marking;
mod naming;
mod outlining;
mod properties;
mod rendering;
mod screens;

use super::outline::Outline;
use super::refs::{Ref, RefBook};
use crate::neutral::{Node, Orientation, Rect, Role, Screen, Tree};

pub(super) const SCREEN: Screen =
    Screen { width: 390.0, height: 844.0, scale: 3.0, orientation: Orientation::Portrait };

/// Builds a tree in pre-order: each call adds a node under the given parent and gives its index.
#[derive(Default)]
pub(super) struct Build {
    pub(super) tree: Tree,
}

impl Build {
    pub(super) fn add(
        &mut self,
        parent: Option<usize>,
        role: Role,
        label: &str,
        bounds: (f64, f64, f64, f64),
    ) -> usize {
        let mut node = Node::new(role);
        node.parent = parent.map(|p| p as u32);
        node.label = (!label.is_empty()).then(|| label.to_owned());
        node.bounds = Some(Rect::new(bounds.0, bounds.1, bounds.2, bounds.3));
        self.tree.nodes.push(node);
        self.tree.nodes.len() - 1
    }

    pub(super) fn node(&mut self, index: usize) -> &mut Node {
        &mut self.tree.nodes[index]
    }

    pub(super) fn outline(&self) -> Outline {
        Outline::new(&self.tree, &SCREEN)
    }
}

/// The outline with fresh refs.
pub(super) fn named(tree: &Tree) -> (Outline, Vec<Ref>) {
    let outline = Outline::new(tree, &SCREEN);
    let refs = RefBook::new().assign(&outline);
    (outline, refs)
}
