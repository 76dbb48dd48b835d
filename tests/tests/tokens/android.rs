//! A dump of an Android screen as the neutral tree, so that the text form can be measured on it before there is a driver that
//! reads it. One pixel counts as one point.
//!
//! It knows the dump's attributes. It does not know how an Android driver will read them.

use driver_api::{Node, Rect, Role, Tree};
use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

/// The tree of a well-formed dump; `None` for any other.
pub(crate) fn tree(bytes: &[u8]) -> Option<Tree> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = Reader::from_str(text.trim_start_matches('\u{FEFF}'));
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<Option<u32>> = Vec::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                let own = node(&start, open.last().copied().flatten(), &mut nodes)?;
                open.push(own);
            }
            Event::Empty(start) => {
                node(&start, open.last().copied().flatten(), &mut nodes)?;
            }
            Event::End(_) => {
                open.pop()?;
            }
            Event::Eof => break,
            _ => {}
        }
    }
    (open.is_empty() && !nodes.is_empty()).then_some(Tree { nodes, flaws: Vec::new(), app: None })
}

/// Adds a node under `parent`, and tells under which one its children lie. What has no place is only a wrapper.
fn node(start: &BytesStart<'_>, parent: Option<u32>, nodes: &mut Vec<Node>) -> Option<Option<u32>> {
    let attributes: Vec<(String, String)> = start
        .attributes()
        .map(|attribute| {
            let attribute = attribute.ok()?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
            Some((attribute.key.as_ref().to_owned(), value.into_owned()))
        })
        .collect::<Option<_>>()?;
    let get = |name: &str| {
        let found = attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.trim().is_empty())
    };
    let is = |name: &str| get(name) == Some("true");
    let Some(bounds) = get("bounds").and_then(bounds) else { return Some(parent) };
    let class = get("class").unwrap_or_default();
    let role = role(class.rsplit('.').next().unwrap_or_default(), is("clickable"), is("password"));
    let mut node = Node::new(role);
    let (text, description) = (get("text"), get("content-desc"));
    let field = matches!(role, Role::TextField | Role::SecureField);
    node.label = if field { description } else { text.or(description) }.map(str::to_owned);
    node.value = text.filter(|text| field && Some(*text) != get("hint")).map(str::to_owned);
    node.placeholder = get("hint").map(str::to_owned);
    node.identifier = get("resource-id").map(|id| id.rsplit('/').next().unwrap_or(id).to_owned());
    node.enabled = get("enabled") != Some("false");
    node.visible = get("visible-to-user") != Some("false") && get("displayed") != Some("false");
    (node.selected, node.focused) = (is("selected"), is("focused") && field);
    node.checked = is("checkable").then(|| is("checked"));
    (node.parent, node.bounds) = (parent, Some(bounds));
    nodes.push(node);
    Some(Some(u32::try_from(nodes.len() - 1).ok()?))
}

/// `[left,top][right,bottom]`.
fn bounds(text: &str) -> Option<Rect> {
    let numbers: Vec<f64> = text
        .split(['[', ']', ','])
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let [left, top, right, bottom] = numbers[..] else { return None };
    Some(Rect::new(left, top, right - left, bottom - top))
}

fn role(class: &str, clickable: bool, password: bool) -> Role {
    match class {
        "EditText" | "AutoCompleteTextView" if password => Role::SecureField,
        "EditText" | "AutoCompleteTextView" => Role::TextField,
        "Switch" | "CheckBox" | "ToggleButton" | "CheckedTextView" | "RadioButton" | "SwitchCompat" => Role::Switch,
        "SeekBar" => Role::Slider,
        "RecyclerView" | "ListView" | "ScrollView" | "GridView" | "HorizontalScrollView" | "ViewPager" => Role::List,
        "WebView" => Role::WebView,
        "Button" | "ImageButton" => Role::Button,
        "ImageView" if clickable => Role::Button,
        "ImageView" => Role::Image,
        "TextView" if !clickable => Role::Text,
        _ if clickable => Role::Cell,
        _ => Role::Other,
    }
}
