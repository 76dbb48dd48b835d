//! Regions of a screen of which its tree tells nothing.
//!
//! Knows trees and outlines. Does not know what a picture shows there.

use crate::neutral::{Rect, Role, Tree};
use crate::perception::{fold::usable, outline::Outline};

/// Large regions of the screen of which the tree tells nothing: nodes over a quarter of it whose subtree has no text and
/// nothing to act on, and over which nothing else lies. At most four, largest first.
pub fn blind_regions(tree: &Tree, outline: &Outline) -> Vec<Rect> {
    let screen = outline.screen();
    let n = tree.nodes.len();
    let mut says = vec![false; n];
    for element in outline.elements() {
        let named = !element.name().is_empty() || element.value.is_some();
        says[element.node] = says[element.node] || (named && element.role != Role::WebView) || element.actionable;
    }
    let parent = |i: usize| tree.nodes[i].parent.map(|p| p as usize).filter(|p| *p < i);
    for i in (0..n).rev() {
        let told = outline
            .element_of(i)
            .and_then(|e| outline.get(e))
            .is_some_and(|e| e.node != i && says[e.node] && is_text(tree, i));
        says[i] = says[i] || told;
        if let (true, Some(p)) = (says[i], parent(i)) {
            says[p] = true;
        }
    }
    let mut regions: Vec<Rect> = Vec::new();
    for i in 0..n {
        let node = &tree.nodes[i];
        // Only the outermost of nested mute nodes, and not the whole of a control that has a name.
        if says[i]
            || !outline.is_visible(node)
            || parent(i).is_some_and(|p| !says[p] && big(tree, p, &screen).is_some())
        {
            continue;
        }
        let Some(region) = big(tree, i, &screen) else { continue };
        let busy = outline.elements().iter().any(|element| {
            element.is_reachable()
                && (element.actionable || !element.name().is_empty())
                && element.node != i
                && element.bounds.is_some_and(|b| region.contains(b.center()) && b.area() < region.area())
        });
        let in_control = outline
            .element_of(i)
            .and_then(|e| outline.get(e))
            .is_some_and(|e| e.actionable && !e.name().is_empty() || e.role == Role::Keyboard);
        if !busy && !in_control && !regions.contains(&region) {
            regions.push(region);
        }
        if regions.len() >= 16 {
            break;
        }
    }
    regions.sort_by(|a, b| b.area().total_cmp(&a.area()));
    regions.truncate(4);
    regions
}

fn is_text(tree: &Tree, i: usize) -> bool {
    tree.nodes[i].label.as_ref().or(tree.nodes[i].value.as_ref()).is_some_and(|text| !text.trim().is_empty())
}

fn big(tree: &Tree, i: usize, screen: &Rect) -> Option<Rect> {
    let visible = usable(tree.nodes[i].bounds)?.intersection(screen)?;
    (visible.area() >= screen.area() * 0.25).then_some(visible)
}
