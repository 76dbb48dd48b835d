//! From the elements as the phone wrote them to the neutral tree.
//!
//! It knows what the attributes mean together: a placeholder is no value, a secure field's content stays here, a switch's
//! value is a state, a window measured in pixels has no position. It does not know which format they came in.

use super::{
    raw::{Raw, truth},
    role::{self, Note},
};
use driver_api::{App, Node, Rect, Role, Tree, TreeFlaw};

/// More elements than any agent could use; what comes after is left out and the tree says so.
pub(crate) const MOST: usize = 20_000;

/// A document that opens more than this at once is not a tree but an attack on the memory.
pub(crate) const DEEPEST: usize = 100_000;

/// What a reader of one of the formats collected.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// In pre-order.
    pub(crate) raws: Vec<Raw>,
    /// The document ended too early or is not well-formed.
    pub(crate) damaged: bool,
    /// There were more than [`MOST`].
    pub(crate) cut: bool,
}

impl Collected {
    /// A new element under `parent`, or `None` when there are enough.
    pub(crate) fn push(&mut self, parent: Option<u32>) -> Option<u32> {
        if self.raws.len() >= MOST {
            self.cut = true;
            return None;
        }
        self.raws.push(Raw::new(parent));
        u32::try_from(self.raws.len() - 1).ok()
    }
}

/// What a node hands down to its children.
#[derive(Clone, Copy, Default)]
struct Inherited {
    keyboard: bool,
    tab_bar: bool,
    /// The secure field above, as an index into the raw elements.
    secure: Option<usize>,
    /// Inside a window that is measured in pixels.
    pixels: Option<Rect>,
    app: Option<Rect>,
    level: u32,
}

/// The tree and how many levels it has; `None` when there is nothing in it that anybody could use.
pub(crate) fn tree(collected: Collected) -> Option<(Tree, u32)> {
    let Collected { raws, damaged, cut } = collected;
    // Where each raw element went: an element's own node, or for a wrapper that of the element above.
    let mut places: Vec<Option<u32>> = Vec::with_capacity(raws.len());
    let mut inherited: Vec<Inherited> = Vec::with_capacity(raws.len());
    let mut nodes: Vec<Node> = Vec::with_capacity(raws.len());
    let (mut app, mut levels, mut broken_root) = (None, 0, false);
    for (index, raw) in raws.iter().enumerate() {
        let above = raw.parent.map(|parent| inherited[parent as usize]).unwrap_or_default();
        let parent = raw.parent.and_then(|parent| places[parent as usize]);
        if !raw.is_element() {
            places.push(parent);
            inherited.push(above);
            continue;
        }
        let note = raw.kind.or(raw.role).map_or(Note::Plain, |kind| kind.note);
        let (mut node, below) = node(&raws, index, above);
        node.parent = parent;
        if note == Note::Application && app.is_none() {
            app = raw.bundle_id.clone().map(|id| App { id, name: node.label.clone() });
        }
        broken_root |= parent.is_none() && note == Note::Any && node.bounds.is_none();
        levels = levels.max(below.level);
        places.push(u32::try_from(nodes.len()).ok());
        inherited.push(below);
        nodes.push(node);
    }
    let told = raws.iter().any(|raw| raw.is_element() && raw.kind.or(raw.role).is_some());
    let placed = nodes.iter().any(|node| node.bounds.is_some_and(|bounds| bounds.area() > 0.0));
    let named = nodes.iter().any(|node| node.label.is_some());
    if !told || !(placed || named) || (broken_root && !placed) {
        return None;
    }
    let mut flaws = Vec::new();
    if cut {
        flaws.push(TreeFlaw::Cut);
    }
    if damaged || broken_root {
        flaws.push(TreeFlaw::Damaged);
    }
    Some((Tree { nodes, flaws, app }, levels))
}

/// A single element outside of a tree.
pub(crate) fn single(raw: Raw) -> Node {
    node(&[raw], 0, Inherited::default()).0
}

fn node(raws: &[Raw], index: usize, above: Inherited) -> (Node, Inherited) {
    let raw = &raws[index];
    let kind = raw.kind.or(raw.role);
    let note = kind.map_or(Note::Plain, |kind| kind.note);
    let mut node = Node::new(role_of(raw, note, above));
    let mut below = Inherited { level: above.level + 1, tab_bar: false, ..above };

    node.enabled = raw.enabled.unwrap_or_else(|| !raw.has_trait("NotEnabled"));
    node.visible = raw.visible.unwrap_or(true);
    node.focused = raw.focused;
    node.selected = raw.selected || raw.has_trait("Selected");
    texts(raw, note, &mut node);
    if let Some(secret) = above.secure {
        hide(&raws[secret], &mut node);
    }

    node.bounds = match above.pixels {
        Some(window) => raw.bounds().filter(|bounds| same_size(bounds, &window)).and(above.app),
        None => raw.bounds(),
    };
    match note {
        Note::Application => below.app = node.bounds,
        Note::TabBar => below.tab_bar = true,
        // Containers that say nothing of themselves may stand between a bar and its buttons.
        Note::Plain if node.role == Role::Other => below.tab_bar = above.tab_bar,
        _ => {}
    }
    if let (Role::Window, Note::Plain, Some(app), Some(bounds)) = (node.role, note, above.app, node.bounds)
        && in_pixels(&bounds, &app)
    {
        below.pixels = Some(bounds);
        node.bounds = Some(app);
    }
    below.keyboard |= node.role == Role::Keyboard;
    if node.role == Role::SecureField {
        below.secure = Some(index);
    }
    (node, below)
}

fn role_of(raw: &Raw, note: Note, above: Inherited) -> Role {
    if raw.secure {
        return Role::SecureField;
    }
    let role = raw.kind.or(raw.role).map_or(Role::Other, |kind| kind.role);
    match role {
        Role::Button if above.keyboard => Role::Key,
        Role::Button if above.tab_bar => Role::Tab,
        Role::Button if raw.has_trait("ToggleButton") => Role::Switch,
        Role::Other if note == Note::Plain => raw.traits.as_deref().and_then(role::by_traits).unwrap_or(Role::Other),
        role => role,
    }
}

fn texts(raw: &Raw, note: Note, node: &mut Node) {
    node.label = raw.label.clone();
    node.identifier = match &raw.identifier {
        Some(identifier) => identifier.clone(),
        // The name is the identifier where there is one, else the label.
        None => raw.name.clone().filter(|name| Some(name) != raw.label.as_ref()),
    };
    node.placeholder = raw.placeholder.clone();
    node.value = raw.value.clone().filter(|value| Some(value) != raw.placeholder.as_ref());
    match node.role {
        Role::SecureField => {
            if node.label == raw.value && raw.value != raw.placeholder {
                node.label = None;
            }
            if node.identifier == raw.value && raw.value != raw.placeholder {
                node.identifier = None;
            }
            node.value = node.value.as_deref().map(dots);
        }
        Role::Switch => {
            node.checked = raw.value.as_deref().and_then(truth);
            if node.checked.is_some() {
                node.value = None;
            }
        }
        Role::Button | Role::Tab | Role::Cell | Role::Icon | Role::Key
            if raw.value.as_deref().is_some_and(|value| value == "1") =>
        {
            // The phone writes 1 for what is chosen.
            if node.role != Role::Icon {
                node.selected = true;
                node.value = None;
            }
        }
        Role::TextField | Role::Slider => {}
        // Static text repeats its label as its value.
        _ => node.value = node.value.take().filter(|value| Some(value) != node.label.as_ref()),
    }
    if note == Note::Radio {
        node.checked = Some(node.selected);
    }
    if node.role == Role::Text && node.label.is_none() {
        node.label = node.value.take();
    }
}

/// One `•` for each character.
pub(crate) fn dots(text: &str) -> String {
    text.chars().map(|_| '•').collect()
}

/// Takes a secure field's content out of what lies inside the field.
fn hide(field: &Raw, node: &mut Node) {
    let Some(secret) = field.value.as_ref().filter(|value| Some(*value) != field.placeholder.as_ref()) else { return };
    for text in [&mut node.label, &mut node.value, &mut node.identifier] {
        if text.as_ref() == Some(secret) {
            *text = Some(dots(secret));
        }
    }
}

fn same_size(one: &Rect, other: &Rect) -> bool {
    (one.width - other.width).abs() <= 1.0 && (one.height - other.height).abs() <= 1.0
}

/// Whether the window has the app's size times two or three: some systems write windows in pixels and the app in points.
fn in_pixels(window: &Rect, app: &Rect) -> bool {
    [2.0, 3.0].iter().any(|scale| {
        app.area() > 0.0
            && (window.width - app.width * scale).abs() <= 2.0 * scale
            && (window.height - app.height * scale).abs() <= 2.0 * scale
    })
}
