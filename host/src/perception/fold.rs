//! Decides which nodes of a tree are worth a line of their own, which are told with another, and which say nothing.
//!
//! The rule: a node stays if it has text, can be acted on, or holds such a node and itself matters. No type is left out
//! for its name. What only repeats its parent goes into the parent; states and values are kept where they end up.
//!
//! Knows nodes, parents and texts. Does not know refs, output forms or what covers what. Walks lists, never recurses.

use super::text::{find_words, fold, squeeze};
use crate::neutral::{Node, Rect, Role, Screen, Tree};

/// What became of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It says nothing of its own.
    Nothing,
    /// The phone says that it cannot be seen, and nothing can be done with it.
    Hidden,
    /// It has a line of its own.
    Kept,
    /// It is told with the node of this index.
    Merged(usize),
}

/// What is known of one node while the tree is folded.
pub(super) struct Draft {
    pub(super) parent: Option<usize>,
    pub(super) label: Option<String>,
    pub(super) value: Option<String>,
    pub(super) placeholder: Option<String>,
    pub(super) identifier: Option<String>,
    /// Texts of merged nodes that its own label does not tell.
    pub(super) parts: Vec<String>,
    pub(super) bounds: Option<Rect>,
    pub(super) enabled: bool,
    pub(super) selected: bool,
    pub(super) focused: bool,
    pub(super) checked: Option<bool>,
    pub(super) actionable: bool,
    pub(super) hidden: bool,
    pub(super) fate: Fate,
    /// The nearest node above with a line of its own, as known when this one was met.
    up: Option<usize>,
    /// Label, or what stands for it, folded.
    name: String,
    /// Everything that can be read on its line, folded.
    read: String,
    /// Controls below it.
    controls: u32,
    /// Characters of its label that nodes below repeat.
    repeated: usize,
}

/// Longest joined label, in bytes, into which the texts below it are folded; above it the texts stay and the label goes.
const JOINED: usize = 400;
/// Most texts told on a control's line.
const PARTS: usize = 8;
/// How many lines above are searched for a text.
const REACH: usize = 6;

/// Whether a tap or typing means something to a node of this role.
pub(super) fn is_control(role: Role) -> bool {
    matches!(
        role,
        Role::Button
            | Role::TextField
            | Role::SecureField
            | Role::Switch
            | Role::Slider
            | Role::Cell
            | Role::Icon
            | Role::Link
            | Role::Tab
            | Role::Key
    )
}

/// Whether a container of this role says something by being there.
fn is_structure(role: Role) -> bool {
    matches!(role, Role::NavBar | Role::List | Role::Alert | Role::Sheet | Role::Keyboard | Role::WebView)
}

/// Whether texts inside a control of this role read as its own. (A control of role other is one that can be switched.)
fn takes_texts(role: Role) -> bool {
    matches!(role, Role::Cell | Role::Button | Role::Link | Role::Icon | Role::Tab | Role::Switch | Role::Other)
}

fn filled(text: Option<&String>) -> Option<String> {
    let text = squeeze(text?);
    (!text.is_empty()).then_some(text)
}

fn is_bit(value: &str) -> Option<bool> {
    match value {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    }
}

/// The bounds, if they are usable: finite, not negative, not absurd.
pub(super) fn usable(bounds: Option<Rect>) -> Option<Rect> {
    bounds.filter(|b| {
        [b.x, b.y, b.width, b.height].iter().all(|v| v.is_finite() && v.abs() < 1e6)
            && b.width >= 0.0
            && b.height >= 0.0
    })
}

fn draft(node: &Node, index: usize) -> Draft {
    let mut label = filled(node.label.as_ref());
    let mut value = filled(node.value.as_ref());
    let placeholder = filled(node.placeholder.as_ref());
    let mut checked = node.checked;
    if matches!(node.role, Role::Switch)
        && let Some(bit) = value.as_deref().and_then(is_bit)
    {
        checked = checked.or(Some(bit));
        value = None;
    }
    if node.role == Role::SecureField {
        value = node.value.as_ref().filter(|v| !v.is_empty()).map(|v| "•".repeat(v.chars().count().min(256)));
    } else if value.is_some() && (value == label || value == placeholder) {
        value = None;
    }
    if label.is_none() && !matches!(node.role, Role::TextField | Role::SecureField | Role::Slider | Role::Switch) {
        label = value.take();
    }
    let identifier = filled(node.identifier.as_ref()).filter(|id| Some(id) != label.as_ref());
    let name = label.as_deref().or(value.as_deref()).or(placeholder.as_deref()).map(fold).unwrap_or_default();
    Draft {
        parent: node.parent.map(|p| p as usize).filter(|p| *p < index),
        actionable: is_control(node.role) || checked.is_some(),
        label,
        value,
        placeholder,
        identifier,
        parts: Vec::new(),
        bounds: usable(node.bounds),
        enabled: node.enabled,
        selected: node.selected,
        focused: node.focused,
        checked,
        hidden: false,
        fate: Fate::Nothing,
        up: None,
        name,
        read: String::new(),
        controls: 0,
        repeated: 0,
    }
}

impl Draft {
    /// Whether a form of what is on the screen shows it: see `render`.
    fn is_shown(&self, screen: &Rect) -> bool {
        self.bounds.map_or(!self.hidden, |bounds| bounds.intersection(screen).is_some())
    }

    /// Whether it is chosen, focused or switched: states that no text tells.
    fn is_marked(&self) -> bool {
        self.selected || self.focused || self.checked.is_some()
    }

    /// Its own texts, as they are shown.
    fn texts(&self) -> impl Iterator<Item = &String> {
        let value = self.value.as_ref();
        [self.label.as_ref(), value, self.placeholder.as_ref().filter(|_| value.is_none())].into_iter().flatten()
    }

    fn joined(&self) -> String {
        let mut read = String::new();
        for text in self.texts() {
            if !read.is_empty() {
                read.push('\u{1}');
            }
            read.push_str(&fold(text));
        }
        read
    }
}

/// Whether two boxes are one place to a finger.
fn same_place(a: Option<Rect>, b: Option<Rect>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            let (a_mid, b_mid) = (a.center(), b.center());
            (a_mid.x - b_mid.x).abs() <= 2.0 && (a_mid.y - b_mid.y).abs() <= 2.0 && b.area() >= a.area() * 0.5
        }
        _ => false,
    }
}

/// Whether the phone's opinion on what can be seen makes sense: not when nearly all that lies on the screen is "invisible".
fn hint_is_sound(tree: &Tree, drafts: &[Draft], screen: &Rect) -> bool {
    let (mut all, mut unseen) = (0usize, 0usize);
    for (node, draft) in tree.nodes.iter().zip(drafts) {
        let says = draft.actionable || !draft.name.is_empty();
        if says && node.role != Role::Window && draft.bounds.is_some_and(|b| b.intersection(screen).is_some()) {
            all += 1;
            unseen += usize::from(!node.visible);
        }
    }
    all < 5 || unseen * 10 < all * 9
}

fn alive(drafts: &[Draft], mut at: Option<usize>) -> Option<usize> {
    while let Some(index) = at {
        if drafts[index].fate == Fate::Kept {
            return at;
        }
        at = drafts[index].up;
    }
    None
}

/// The fate of every node of `tree`, and whether the phone's opinion on visibility was taken into account.
pub(super) fn fold_tree(tree: &Tree, screen: &Screen) -> (Vec<Draft>, bool) {
    let mut drafts: Vec<Draft> = tree.nodes.iter().enumerate().map(|(i, node)| draft(node, i)).collect();
    let sound = hint_is_sound(tree, &drafts, &screen.bounds());
    for i in (0..drafts.len()).rev() {
        let below = drafts[i].controls + u32::from(drafts[i].actionable && drafts[i].enabled);
        if let Some(parent) = drafts[i].parent {
            drafts[parent].controls += below;
        }
    }
    for i in 0..drafts.len() {
        let node = &tree.nodes[i];
        drafts[i].hidden = sound && !node.visible;
        let up = match drafts[i].parent {
            Some(parent) if drafts[parent].fate == Fate::Kept => Some(parent),
            Some(parent) => drafts[parent].up,
            None => None,
        };
        let up = alive(&drafts, up);
        drafts[i].up = up;
        drafts[i].fate = fate(tree, &mut drafts, i, up, &screen.bounds());
        if drafts[i].fate == Fate::Kept {
            drafts[i].read = drafts[i].joined();
        }
    }
    drop_empty(tree, &mut drafts);
    (drafts, sound)
}

fn fate(tree: &Tree, drafts: &mut [Draft], i: usize, up: Option<usize>, screen: &Rect) -> Fate {
    let role = tree.nodes[i].role;
    let own = &drafts[i];
    let plain = !own.actionable && !own.is_marked();
    if role == Role::Window {
        return Fate::Nothing;
    }
    if plain && own.name.is_empty() {
        return if is_structure(role) { Fate::Kept } else { Fate::Nothing };
    }
    if plain && own.hidden && !is_structure(role) {
        return Fate::Hidden;
    }
    let Some(p) = up else { return Fate::Kept };
    // What is on the screen must not vanish into what is not.
    let seen = own.is_shown(screen);
    if seen && !drafts[p].is_shown(screen) {
        return Fate::Kept;
    }
    if let Some(fate) = same_as_parent(tree, drafts, i, p, screen) {
        return fate;
    }
    let own = &drafts[i];
    if !own.actionable && own.name.is_empty() && (drafts[p].actionable || drafts[p].selected >= own.selected) {
        // A mere part of something: what it knows of states belongs to the whole.
        return merge_states(drafts, i, p);
    }
    let inherits = !own.actionable && own.selected && drafts[p].selected && !own.focused && own.checked.is_none();
    // A control that can neither be seen nor used, such as a row's chevron, is told with the row.
    let ornament = own.actionable && !own.enabled && own.hidden && drafts[p].actionable && !own.is_marked();
    if !(plain || ornament || inherits) || is_structure(role) || own.name.is_empty() {
        return Fate::Kept;
    }
    if role == Role::Text && tree.nodes[p].role == Role::NavBar && drafts[p].label.is_none() && own.value.is_none() {
        // The bar's title is the text in it.
        drafts[p].label = drafts[i].label.clone();
        drafts[p].name = drafts[i].name.clone();
        drafts[p].read = drafts[p].joined();
        return Fate::Merged(p);
    }
    if let Some(above) = told_above(drafts, i, p, seen, screen) {
        return Fate::Merged(above);
    }
    let own = &drafts[i];
    let length: usize = own.texts().map(String::len).sum();
    if drafts[p].actionable
        && takes_texts(tree.nodes[p].role)
        && drafts[p].controls <= 3
        && drafts[p].parts.len() < PARTS
        && drafts[p].read.len() < JOINED
        && length < JOINED
    {
        let texts: Vec<String> = own.texts().cloned().collect();
        for text in texts {
            let folded = fold(&text);
            if find_words(&drafts[p].read, &folded).is_none() {
                drafts[p].read.push('\u{1}');
                drafts[p].read.push_str(&folded);
                drafts[p].parts.push(text);
            }
        }
        return Fate::Merged(p);
    }
    Fate::Kept
}

/// Folds node `i` into `p` with its states.
fn merge_states(drafts: &mut [Draft], i: usize, p: usize) -> Fate {
    let (selected, focused, checked) = (drafts[i].selected, drafts[i].focused, drafts[i].checked);
    let above = &mut drafts[p];
    above.selected |= selected;
    above.focused |= focused;
    above.checked = above.checked.or(checked);
    Fate::Merged(p)
}

/// What to do with a node named like the line above it, or lying in the very place of it.
fn same_as_parent(tree: &Tree, drafts: &mut [Draft], i: usize, p: usize, screen: &Rect) -> Option<Fate> {
    let (own, above) = (&drafts[i], &drafts[p]);
    let named_alike = !own.name.is_empty() && own.name == above.name;
    let nameless = own.name.is_empty() || above.name.is_empty();
    let own_plain = !own.actionable && own.value.is_none();
    if named_alike && own_plain && !is_structure(tree.nodes[i].role) {
        return Some(merge_states(drafts, i, p));
    }
    let above_is_frame = !above.actionable && !is_structure(tree.nodes[p].role) && above.value.is_none();
    let stays_seen = own.is_shown(screen) || !above.is_shown(screen);
    if named_alike && own.actionable && above_is_frame && stays_seen {
        // The frame goes; what it knew stays with the control inside.
        let (selected, focused, enabled) = (above.selected, above.focused, above.enabled);
        let own = &mut drafts[i];
        own.selected |= selected;
        own.focused |= focused;
        own.enabled &= enabled;
        drafts[p].fate = Fate::Merged(i);
        return Some(Fate::Kept);
    }
    let twins = own.actionable && above.actionable && same_place(above.bounds, own.bounds);
    if twins && (named_alike || nameless) {
        let (role, above_role) = (tree.nodes[i].role, tree.nodes[p].role);
        let finer = !takes_texts(role) && takes_texts(above_role);
        if finer && above.parts.is_empty() && stays_seen {
            let above_label = above.label.clone();
            let own = &mut drafts[i];
            own.label = own.label.take().or(above_label);
            own.name = own.label.as_deref().map(fold).unwrap_or_default();
            drafts[p].fate = Fate::Merged(i);
            return Some(Fate::Kept);
        }
        if takes_texts(role) && above.checked.is_none() {
            let (label, value, identifier) = (own.label.clone(), own.value.clone(), own.identifier.clone());
            let (selected, focused, checked, enabled) = (own.selected, own.focused, own.checked, own.enabled);
            let hidden = own.hidden;
            let above = &mut drafts[p];
            if above.label.is_none() && label.is_some() {
                above.name = label.as_deref().map(fold).unwrap_or_default();
                above.label = label;
            }
            above.value = above.value.take().or(value);
            above.identifier = above.identifier.take().or(identifier);
            above.selected |= selected;
            above.focused |= focused;
            above.checked = above.checked.or(checked);
            above.enabled &= enabled || hidden;
            above.read = above.joined();
            return Some(Fate::Merged(p));
        }
    }
    None
}

/// The line above that already tells the text of node `i`, at most [`REACH`] lines up.
/// What is `seen` must be told by what is.
fn told_above(drafts: &mut [Draft], i: usize, p: usize, seen: bool, screen: &Rect) -> Option<usize> {
    let name = std::mem::take(&mut drafts[i].name);
    let value = drafts[i].value.as_ref().filter(|_| drafts[i].label.is_some()).map(|value| fold(value));
    let mut at = Some(p);
    let mut found = None;
    for _ in 0..REACH {
        let Some(above) = at else { break };
        let read = &drafts[above].read;
        let tells = |text: &str| find_words(read, text).is_some();
        let above_seen = drafts[above].is_shown(screen);
        let fits = above_seen || !seen;
        if fits && tells(&name) && value.as_deref().is_none_or(tells) {
            if drafts[above].read.len() <= JOINED || drafts[above].actionable {
                found = Some(above);
                break;
            }
            if seen || !above_seen {
                drafts[above].repeated += name.len();
            }
        }
        at = alive(drafts, drafts[above].up);
    }
    drafts[i].name = name;
    found
}

/// Drops containers that hold nothing with a line of its own, and long labels that their content repeats.
fn drop_empty(tree: &Tree, drafts: &mut [Draft]) {
    let mut holds = vec![false; drafts.len()];
    for i in (0..drafts.len()).rev() {
        let draft = &mut drafts[i];
        if draft.fate == Fate::Kept {
            let frame = !draft.actionable && !draft.is_marked() && (draft.value.is_none() || draft.label.is_none());
            let empty = draft.name.is_empty() && !holds[i];
            let repeated = draft.repeated > 0 && draft.repeated * 10 >= draft.read.len() * 8;
            if frame && (empty || repeated && !is_structure(tree.nodes[i].role)) {
                draft.fate = Fate::Nothing;
            }
        }
        let says = drafts[i].fate == Fate::Kept || holds[i];
        if let (true, Some(parent)) = (says, drafts[i].parent) {
            holds[parent] = true;
        }
    }
}
