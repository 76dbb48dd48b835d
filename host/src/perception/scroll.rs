//! Where a finger scrolls a screen, and what of an element can be seen within what scrolls.
//!
//! Knows trees and boxes. Does not know fingers, devices, or how far a phone scrolls for a swipe.

use super::fold::usable;
use super::outline::{Outline, Place};
use crate::neutral::{Rect, Role, Tree};
use std::collections::HashSet;

/// A list that shows less than this in any direction is not worth a finger.
const LEAST: f64 = 60.0;
/// An element of which less than this is seen could not be hit.
const SLIVER: f64 = 10.0;
/// So much of what is shown stays where nothing moves.
const SAME: f64 = 0.8;

/// What lies beyond an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// Above, below, left or right.
    pub place: Place,
    /// How far its middle is from the middle of what scrolls, in points.
    pub distance: f64,
}

/// The area that scrolls: the list around the element `wanted`, else the largest list or web page that is shown, else the screen
/// without its bars and keyboard. `outline` must be the outline of `tree`.
pub fn area(tree: &Tree, outline: &Outline, wanted: Option<usize>) -> Rect {
    wanted
        .and_then(|wanted| around(tree, outline, wanted))
        .or_else(|| {
            let shown = (0..tree.nodes.len()).filter_map(|node| shown(tree, outline, node));
            shown.max_by(|one, other| one.area().total_cmp(&other.area()))
        })
        .unwrap_or_else(|| free(outline))
}

/// The part of an element at `bounds` that can be seen: within the list around it and free of bars. `element` is the one that
/// tells it, where there is one.
///
/// # Errors
/// Where it lies, when no part worth a finger can be seen.
pub fn visible(tree: &Tree, outline: &Outline, element: Option<usize>, bounds: Rect) -> Result<Rect, Beyond> {
    let around = element.and_then(|element| around(tree, outline, element));
    let area = around.unwrap_or(outline.screen());
    let seen = bounds.intersection(&area);
    let enough =
        |seen: &Rect| seen.width >= SLIVER.min(bounds.width) * 0.99 && seen.height >= SLIVER.min(bounds.height) * 0.99;
    // By the phone's own opinion, or because something is in front.
    let out_of_reach = element
        .and_then(|element| outline.get(element))
        .is_some_and(|element| element.place == Place::On && !element.is_reachable());
    // What a keyboard covers of it is no place for a finger.
    let open = element.and_then(|element| outline.get(element)).and_then(|element| element.clipped);
    let seen = seen.map(|seen| open.and_then(|open| open.intersection(&seen)).unwrap_or(seen));
    seen.filter(enough).filter(|_| !out_of_reach).ok_or_else(|| beyond(bounds, around.unwrap_or_else(|| free(outline))))
}

fn beyond(bounds: Rect, area: Rect) -> Beyond {
    let (at, middle) = (bounds.center(), area.center());
    let (right, down) = (at.x - middle.x, at.y - middle.y);
    let over_x = (bounds.right() - area.right()).max(area.x - bounds.x);
    let over_y = (bounds.bottom() - area.bottom()).max(area.y - bounds.y);
    // What lies inside and is out of reach all the same is behind a bar at the edge to which it is nearest.
    let along = if over_x.max(over_y) > 0.0 { over_y >= over_x } else { down.abs() >= right.abs() };
    match along {
        true if down < 0.0 => Beyond { place: Place::Above, distance: -down },
        true => Beyond { place: Place::Below, distance: down },
        false if right < 0.0 => Beyond { place: Place::Left, distance: -right },
        false => Beyond { place: Place::Right, distance: right },
    }
}

/// Whether what lies in `area` still lies there after a swipe, for when the picture looks the same: rows that are much alike
/// look the same after a swipe, and a clock goes on though nothing moved.
pub fn stays(before: &Outline, after: &Outline, area: Rect) -> bool {
    let inside = |outline: &Outline| -> HashSet<(Role, String, [u64; 4])> {
        let elements = outline.elements().iter().filter(|element| element.place == Place::On);
        let inside = elements.filter_map(|element| {
            let bounds = element.bounds.filter(|bounds| area.contains(bounds.center()))?;
            let corners = [bounds.x, bounds.y, bounds.width, bounds.height].map(f64::to_bits);
            Some((element.role, element.name().to_owned(), corners))
        });
        inside.collect()
    };
    let (before, after) = (inside(before), inside(after));
    let most = before.len().max(after.len());
    let same = before.intersection(&after).count();
    same as f64 >= SAME * most as f64
}

/// What is shown of the nearest list that holds the element.
fn around(tree: &Tree, outline: &Outline, element: usize) -> Option<Rect> {
    above(tree, outline.get(element)?.node).find_map(|node| shown(tree, outline, node))
}

/// The nodes that hold a node, the nearest first.
fn above(tree: &Tree, node: usize) -> impl Iterator<Item = usize> {
    let parent = |node: &usize| {
        let parent = tree.nodes.get(*node)?.parent? as usize;
        // A damaged tree must not make this endless.
        (parent < *node).then_some(parent)
    };
    std::iter::successors(parent(&node), parent)
}

fn scrolls(role: Role) -> bool {
    matches!(role, Role::List | Role::WebView)
}

/// The part of a list or web page that a finger can reach: free of bars, and within what scrolls around it.
fn shown(tree: &Tree, outline: &Outline, node: usize) -> Option<Rect> {
    let list = tree.nodes.get(node)?;
    let element = outline.element_of(node).and_then(|element| outline.get(element));
    let covered = element.is_some_and(|element| element.covered_by.is_some());
    if !scrolls(list.role) || covered || !outline.is_visible(list) {
        return None;
    }
    let own = usable(list.bounds)?.intersection(&free(outline))?;
    let around = above(tree, node).map(|node| &tree.nodes[node]).filter(|node| scrolls(node.role));
    let shown =
        around.filter_map(|node| usable(node.bounds)).try_fold(own, |shown, outer| shown.intersection(&outer))?;
    (shown.width >= LEAST && shown.height >= LEAST).then_some(shown)
}

/// The screen without the bars at its top and bottom and without the keyboard.
fn free(outline: &Outline) -> Rect {
    let screen = outline.screen();
    let (mut top, mut bottom) = (screen.y, screen.bottom());
    for element in outline.elements() {
        let Some(bounds) = element.bounds.filter(|_| element.place == Place::On && !element.hidden) else { continue };
        match element.role {
            Role::NavBar if bounds.y < screen.center().y => top = top.max(bounds.bottom()),
            Role::Tab if bounds.y > screen.center().y => bottom = bottom.min(bounds.y),
            Role::Keyboard if bounds.height > 1.0 => bottom = bottom.min(bounds.y),
            _ => {}
        }
    }
    if bottom - top < LEAST { screen } else { Rect::new(screen.x, top, screen.width, bottom - top) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neutral::{Node, Orientation, Screen};

    const SCREEN: Screen = Screen { width: 390.0, height: 844.0, scale: 3.0, orientation: Orientation::Portrait };

    /// A node below `parent`, with its role as its words.
    fn node(parent: Option<u32>, role: Role, bounds: (f64, f64, f64, f64)) -> Node {
        let bounds = Some(Rect::new(bounds.0, bounds.1, bounds.2, bounds.3));
        Node { parent, label: Some(role.name().to_owned()), bounds, ..Node::new(role) }
    }

    fn seen(nodes: Vec<Node>) -> (Tree, Outline) {
        let tree = Tree { nodes, ..Tree::default() };
        let outline = Outline::new(&tree, &SCREEN);
        (tree, outline)
    }

    /// A screen with bars, a long list below them, and a small one across in it.
    fn nested() -> (Tree, Outline) {
        seen(vec![
            node(None, Role::Window, (0.0, 0.0, 390.0, 844.0)),
            node(Some(0), Role::NavBar, (0.0, 0.0, 390.0, 90.0)),
            node(Some(0), Role::List, (0.0, 0.0, 390.0, 844.0)),
            node(Some(2), Role::List, (0.0, 100.0, 390.0, 120.0)),
            node(Some(3), Role::Image, (700.0, 110.0, 100.0, 100.0)),
            node(Some(2), Role::Cell, (0.0, 780.0, 390.0, 44.0)),
            node(Some(2), Role::Cell, (0.0, 1500.0, 390.0, 44.0)),
            node(Some(2), Role::Cell, (0.0, 300.0, 390.0, 44.0)),
            node(Some(0), Role::Tab, (0.0, 770.0, 195.0, 74.0)),
            Node { visible: false, ..node(Some(2), Role::Cell, (0.0, 700.0, 390.0, 44.0)) },
        ])
    }

    fn element(outline: &Outline, node: usize) -> Option<usize> {
        outline.elements().iter().position(|element| element.node == node)
    }

    #[test]
    fn the_largest_list_scrolls_between_the_bars() {
        let (tree, outline) = nested();
        assert_eq!(area(&tree, &outline, None), Rect::new(0.0, 90.0, 390.0, 680.0));
        assert_eq!(area(&tree, &outline, element(&outline, 6)), Rect::new(0.0, 90.0, 390.0, 680.0));
        // What lies in a list of its own is scrolled there.
        assert_eq!(area(&tree, &outline, element(&outline, 4)), Rect::new(0.0, 100.0, 390.0, 120.0));
    }

    #[test]
    fn without_a_list_the_screen_scrolls_between_its_bars() {
        let (tree, outline) = seen(vec![
            node(None, Role::Window, (0.0, 0.0, 390.0, 844.0)),
            node(Some(0), Role::NavBar, (0.0, 0.0, 390.0, 90.0)),
            node(Some(0), Role::Keyboard, (0.0, 500.0, 390.0, 344.0)),
        ]);
        assert_eq!(area(&tree, &outline, None), Rect::new(0.0, 90.0, 390.0, 410.0));
        let (tree, outline) = seen(Vec::new());
        assert_eq!(area(&tree, &outline, None), SCREEN.bounds());
    }

    #[test]
    fn what_cannot_be_seen_lies_somewhere() {
        let (tree, outline) = nested();
        let visible = |node: usize| {
            let bounds = tree.nodes[node].bounds.expect("it has some");
            visible(&tree, &outline, element(&outline, node), bounds).map_err(|beyond| (beyond.place, beyond.distance))
        };
        assert_eq!(visible(4), Err((Place::Right, 555.0)));
        assert_eq!(visible(5), Err((Place::Below, 372.0)), "it is on the screen, but below the tabs");
        assert_eq!(visible(6), Err((Place::Below, 1092.0)));
        assert_eq!(visible(9), Err((Place::Below, 292.0)), "the phone says that it cannot be seen");
        assert_eq!(visible(7), Ok(Rect::new(0.0, 300.0, 390.0, 44.0)));
    }

    #[test]
    fn a_long_table_scrolls_within_its_page() {
        let (tree, outline) = seen(vec![
            node(None, Role::Window, (0.0, 0.0, 390.0, 844.0)),
            node(Some(0), Role::WebView, (0.0, 100.0, 390.0, 660.0)),
            node(Some(1), Role::List, (0.0, -1140.0, 390.0, 22_000.0)),
            node(Some(2), Role::Cell, (0.0, 796.0, 390.0, 44.0)),
        ]);
        let row = element(&outline, 3);
        let page = Rect::new(0.0, 100.0, 390.0, 660.0);
        assert_eq!((area(&tree, &outline, row), area(&tree, &outline, None)), (page, page));
        // It lies on the screen, behind what is below the page, and is as wide as that.
        let lies = visible(&tree, &outline, row, Rect::new(0.0, 796.0, 390.0, 44.0));
        assert_eq!(lies, Err(Beyond { place: Place::Below, distance: 388.0 }));
    }

    #[test]
    fn rows_that_look_alike_do_not_stay_and_a_clock_does() {
        let rows = |first: usize, clock: &str| {
            let row = |n: usize| Node {
                label: Some(format!("Row {}", first + n)),
                ..node(Some(0), Role::Cell, (0.0, 100.0 + 44.0 * n as f64, 390.0, 44.0))
            };
            let clock = Node { label: Some(clock.to_owned()), ..node(None, Role::Text, (20.0, 560.0, 60.0, 20.0)) };
            let list = node(None, Role::List, (0.0, 100.0, 390.0, 600.0));
            seen(std::iter::once(list).chain((0..10).map(row)).chain([clock]).collect()).1
        };
        let area = Rect::new(0.0, 100.0, 390.0, 600.0);
        assert!(stays(&rows(1, "9:41"), &rows(1, "9:42"), area));
        assert!(!stays(&rows(1, "9:41"), &rows(10, "9:41"), area));
        let (_, nothing) = seen(Vec::new());
        assert!(stays(&nothing, &nothing, area), "only the picture tells");
    }
}
