//! The elements of a tree that are worth showing, in reading order, with what is known of each.
//!
//! Knows the neutral tree and the screen. Does not know refs, tokens or output forms. Elements off the screen are kept,
//! with the direction in which they lie, so that a ref outlives scrolling; an output form sums them up.
//!
//! ```
//! use fingertip::neutral::{Node, Rect, Role, Screen, Orientation, Tree};
//! use fingertip::perception::outline::Outline;
//!
//! let screen = Screen { width: 390.0, height: 844.0, scale: 3.0, orientation: Orientation::Portrait };
//! let mut cell = Node::new(Role::Cell);
//! cell.bounds = Some(Rect::new(0.0, 100.0, 390.0, 44.0));
//! let mut text = Node::new(Role::Text);
//! text.parent = Some(0);
//! text.label = Some("Wi-Fi".into());
//! let outline = Outline::new(&Tree { nodes: vec![cell, text], ..Tree::default() }, &screen);
//! assert_eq!(outline.elements().len(), 1);
//! assert_eq!(outline.elements()[0].name(), "Wi-Fi");
//! ```

use super::cover;
use super::fold::{Fate, fold_tree};
use super::signature::{Signature, name_hash};
use super::text::fold;
use crate::neutral::{Point, Rect, Role, Screen, Tree};
use std::collections::HashMap;

/// Where an element lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Place {
    /// At least partly on the screen.
    #[default]
    On,
    /// Above the screen's top.
    Above,
    /// Below the screen's bottom.
    Below,
    /// Left of the screen.
    Left,
    /// Right of the screen.
    Right,
    /// The phone gave no usable position or no size.
    Nowhere,
}

/// One element: a node with a line of its own, and what was folded into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Index of its node in the tree.
    pub node: usize,
    /// What it is.
    pub role: Role,
    /// What it is called, on one line.
    pub label: Option<String>,
    /// Texts inside it that the label does not repeat, in reading order.
    pub parts: Vec<String>,
    /// Its content, apart from the label; bullets for a secure field.
    pub value: Option<String>,
    /// What an empty field shows.
    pub placeholder: Option<String>,
    /// The developer's name for it, where that differs from the label.
    pub identifier: Option<String>,
    /// Where it is, in points; `None` when the phone gave no usable position.
    pub bounds: Option<Rect>,
    /// The part of it that lies inside the lists and pages around it and beside a keyboard, alert or sheet in front; all of it
    /// where that would leave nothing.
    pub clipped: Option<Rect>,
    /// Where it lies with regard to the screen.
    pub place: Place,
    /// Whether it reacts.
    pub enabled: bool,
    /// Whether it is the chosen one among its siblings.
    pub selected: bool,
    /// Whether typed text goes to it.
    pub focused: bool,
    /// On or off, for things that can be switched.
    pub checked: Option<bool>,
    /// Whether a tap or typing means something to it.
    pub actionable: bool,
    /// Whether the phone says that it cannot be seen, though it lies on the screen.
    pub hidden: bool,
    /// The element that fully covers it: a keyboard, an alert, a sheet, or something in a window in front.
    pub covered_by: Option<usize>,
    /// The element that holds it; always smaller than its own index.
    pub parent: Option<usize>,
    /// How many elements hold it.
    pub depth: usize,
    /// What makes it itself, for finding it again.
    pub signature: Signature,
}

impl Element {
    /// Its label, or the first text inside, or its placeholder; empty when it has no words.
    pub fn name(&self) -> &str {
        self.label
            .as_deref()
            .or(self.parts.first().map(String::as_str))
            .or(self.placeholder.as_deref())
            .unwrap_or_default()
    }

    /// Whether it can be seen and reached: on the screen, not hidden, not covered.
    pub fn is_reachable(&self) -> bool {
        self.place == Place::On && !self.hidden && self.covered_by.is_none()
    }

    /// The part of it that can be seen, as far as a tree tells: on the screen, and inside the lists around it.
    pub fn visible_part(&self, screen: &Rect) -> Option<Rect> {
        let part = |bounds: Option<Rect>| bounds?.intersection(screen);
        part(self.clipped).or_else(|| part(self.bounds))
    }

    /// The middle of its visible part, in points: where a tap on it goes. `None` without a position or off the screen.
    pub fn tap_point(&self, screen: &Rect) -> Option<Point> {
        Some(self.visible_part(screen)?.center())
    }
}

/// How many elements lie off the screen, by direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct OffScreen {
    /// Above its top.
    pub above: usize,
    /// Below its bottom.
    pub below: usize,
    /// Left of it.
    pub left: usize,
    /// Right of it.
    pub right: usize,
}

impl OffScreen {
    /// All of them.
    pub fn total(&self) -> usize {
        self.above + self.below + self.left + self.right
    }
}

/// The elements of one screen.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    elements: Vec<Element>,
    screen: Rect,
    owner: Vec<u32>,
    off_screen: OffScreen,
    hidden: usize,
    hint_is_sound: bool,
}

const NO_OWNER: u32 = u32::MAX;

impl Outline {
    /// The outline of `tree` on `screen`. A damaged tree gives an outline of what can be read; an empty one an empty one.
    pub fn new(tree: &Tree, screen: &Screen) -> Outline {
        let (drafts, hint_is_sound) = fold_tree(tree, screen);
        let bounds = screen.bounds();
        let clips = clips(tree, &drafts);
        let mut at = vec![NO_OWNER; drafts.len()];
        let mut nearest = vec![NO_OWNER; drafts.len()];
        let mut elements: Vec<Element> = Vec::new();
        let mut off_screen = OffScreen::default();
        let mut hidden = 0;
        for (i, draft) in drafts.iter().enumerate() {
            let above = draft.parent.map_or(NO_OWNER, |p| nearest[p]);
            nearest[i] = above;
            if draft.fate == Fate::Hidden {
                hidden += 1;
            }
            if draft.fate != Fate::Kept {
                continue;
            }
            at[i] = elements.len() as u32;
            nearest[i] = at[i];
            let parent = (above != NO_OWNER).then_some(above as usize);
            let place = place(draft.bounds, &bounds);
            match place {
                Place::Above => off_screen.above += 1,
                Place::Below => off_screen.below += 1,
                Place::Left => off_screen.left += 1,
                Place::Right => off_screen.right += 1,
                Place::On | Place::Nowhere => {}
            }
            elements.push(Element {
                node: i,
                role: tree.nodes[i].role,
                label: draft.label.clone(),
                parts: draft.parts.clone(),
                value: draft.value.clone(),
                placeholder: draft.placeholder.clone(),
                identifier: draft.identifier.clone(),
                bounds: draft.bounds,
                clipped: draft.bounds.map(|own| clips[i].and_then(|clip| own.intersection(&clip)).unwrap_or(own)),
                place,
                enabled: draft.enabled,
                selected: draft.selected,
                focused: draft.focused,
                checked: draft.checked,
                actionable: draft.actionable,
                hidden: draft.hidden,
                covered_by: None,
                parent,
                depth: parent.map_or(0, |p| elements[p].depth + 1),
                signature: Signature {
                    role: tree.nodes[i].role,
                    name: String::new(),
                    identifier: draft.identifier.clone().unwrap_or_default(),
                    ancestor: 0,
                    elder: 0,
                    before: 0,
                    after: 0,
                    ordinal: 0,
                },
            });
        }
        let owner = owners(&drafts, &at, &nearest);
        let mut outline = Outline { elements, screen: bounds, owner, off_screen, hidden, hint_is_sound };
        sign(&mut outline.elements);
        cover::mark(tree, &mut outline);
        outline
    }

    /// All elements, each after the one that holds it.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    pub(super) fn elements_mut(&mut self) -> &mut [Element] {
        &mut self.elements
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<&Element> {
        self.elements.get(index)
    }

    /// The screen, in points.
    pub fn screen(&self) -> Rect {
        self.screen
    }

    /// How many elements lie off the screen.
    pub fn off_screen(&self) -> OffScreen {
        self.off_screen
    }

    /// How many nodes with text were left out because the phone says that they cannot be seen.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether a node of the tree can be seen by the phone's own opinion. That counts for nothing on a screen where nearly
    /// everything would be invisible.
    pub fn is_visible(&self, node: &crate::neutral::Node) -> bool {
        node.visible || !self.hint_is_sound
    }

    /// The element that tells node `node` of the tree: itself, or the one it was folded into, or the nearest above.
    pub fn element_of(&self, node: usize) -> Option<usize> {
        self.owner.get(node).copied().filter(|owner| *owner != NO_OWNER).map(|owner| owner as usize)
    }

    /// Whether `index` lies inside `ancestor` or is it.
    pub fn is_within(&self, index: usize, ancestor: usize) -> bool {
        let mut at = Some(index);
        while let Some(here) = at {
            if here == ancestor {
                return true;
            }
            if here < ancestor {
                return false;
            }
            at = self.elements.get(here).and_then(|element| element.parent);
        }
        false
    }

    /// For every element whether it lies inside `ancestor` or is it.
    pub fn subtree(&self, ancestor: usize) -> Vec<bool> {
        let mut inside = vec![false; self.elements.len()];
        for (i, element) in self.elements.iter().enumerate() {
            inside[i] = i == ancestor || element.parent.is_some_and(|p| inside[p]);
        }
        inside
    }

    /// Whether most of what the screen says is written from right to left, so that what points somewhere is mirrored.
    pub fn is_right_to_left(&self) -> bool {
        let letters = self.elements.iter().flat_map(|element| element.name().chars()).filter(|c| c.is_alphabetic());
        let (mut all, mut right) = (0_usize, 0_usize);
        for c in letters {
            all += 1;
            right +=
                usize::from(matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}'));
        }
        all > 0 && right * 2 > all
    }

    /// The smallest reachable element at `point` that can be acted on, else the smallest with words.
    pub fn at(&self, point: Point) -> Option<usize> {
        let mut best: Option<(bool, f64, usize)> = None;
        for (i, element) in self.elements.iter().enumerate() {
            let Some(bounds) = element.bounds.filter(|b| b.contains(point)) else { continue };
            if !element.is_reachable() {
                continue;
            }
            let better = best.is_none_or(|(acts, area, _)| (element.actionable, -bounds.area()) >= (acts, -area));
            if better {
                best = Some((element.actionable, bounds.area(), i));
            }
        }
        best.map(|(_, _, i)| i)
    }
}

/// For each node what the lists and pages around it leave of the plane; `None` for all of it. A row that ends under a bar
/// has its middle there, and a tap on that would press the bar.
fn clips(tree: &Tree, drafts: &[super::fold::Draft]) -> Vec<Option<Rect>> {
    let mut clips: Vec<Option<Rect>> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let clip = draft.parent.and_then(|parent| {
            let outer = clips[parent];
            let scrolls = matches!(tree.nodes[parent].role, Role::List | Role::WebView);
            let own = drafts[parent].bounds.filter(|bounds| scrolls && bounds.area() > 0.0);
            // One that lies outside of the other is not to be believed.
            own.map(|own| outer.and_then(|outer| outer.intersection(&own)).unwrap_or(own)).or(outer)
        });
        clips.push(clip);
    }
    clips
}

fn place(bounds: Option<Rect>, screen: &Rect) -> Place {
    let Some(bounds) = bounds.filter(|b| b.width > 0.0 && b.height > 0.0) else { return Place::Nowhere };
    if bounds.y >= screen.bottom() {
        Place::Below
    } else if bounds.bottom() <= screen.y {
        Place::Above
    } else if bounds.x >= screen.right() {
        Place::Right
    } else if bounds.right() <= screen.x {
        Place::Left
    } else {
        Place::On
    }
}

/// For each node the element that tells it.
fn owners(drafts: &[super::fold::Draft], at: &[u32], nearest: &[u32]) -> Vec<u32> {
    (0..drafts.len())
        .map(|i| {
            let mut node = i;
            // A chain of merges is short, but a damaged tree must not make it endless.
            for _ in 0..64 {
                match drafts[node].fate {
                    Fate::Merged(into) => node = into,
                    Fate::Kept => return at[node],
                    Fate::Nothing | Fate::Hidden => return nearest[node],
                }
            }
            nearest[i]
        })
        .collect()
}

/// Fills in the signatures.
fn sign(elements: &mut [Element]) {
    let names: Vec<String> = elements.iter().map(|element| fold(element.name())).collect();
    let hashes: Vec<u64> = names.iter().map(|name| name_hash(name)).collect();
    let mut before = vec![0u64; elements.len()];
    let mut after = vec![0u64; elements.len()];
    let mut last = 0;
    for (slot, hash) in before.iter_mut().zip(&hashes) {
        *slot = last;
        if *hash != 0 {
            last = *hash;
        }
    }
    last = 0;
    for (slot, hash) in after.iter_mut().zip(&hashes).rev() {
        *slot = last;
        if *hash != 0 {
            last = *hash;
        }
    }
    let mut named_above: Vec<(u64, u64)> = Vec::with_capacity(elements.len());
    let mut seen: HashMap<u64, u32> = HashMap::new();
    for (i, name) in names.into_iter().enumerate() {
        let (ancestor, elder) = elements[i].parent.map_or((0, 0), |p| match hashes[p] {
            0 => named_above[p],
            hash => (hash, named_above[p].0),
        });
        named_above.push((ancestor, elder));
        let signature = &mut elements[i].signature;
        signature.name = name;
        signature.ancestor = ancestor;
        signature.elder = elder;
        signature.before = before[i];
        signature.after = after[i];
        let count = seen.entry(signature.key()).or_default();
        signature.ordinal = *count;
        *count += 1;
    }
}
