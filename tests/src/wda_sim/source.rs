//! The phone's neutral tree as the server's elements, and these as XML, JSON or text. Both forms come from one list, so that
//! they cannot disagree. Nothing here touches the phone or looks for an element.

use super::generation::Generation;
use driver_api::{Node, Rect, Role, Tree};
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    fmt::Write,
    hash::{DefaultHasher, Hash, Hasher},
};

/// What the text of every type name begins with in XML and in searches.
pub(crate) const PREFIX: &str = "XCUIElementType";

/// One element as the server tells it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element {
    pub(crate) parent: Option<usize>,
    /// Its place among its siblings.
    pub(crate) index: usize,
    pub(crate) depth: usize,
    /// Without the prefix.
    pub(crate) kind: &'static str,
    pub(crate) identifier: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) placeholder: Option<String>,
    /// Whether `value` is only the placeholder of an empty field.
    pub(crate) empty: bool,
    pub(crate) frame: Option<Rect>,
    pub(crate) enabled: bool,
    pub(crate) visible: bool,
    pub(crate) accessible: bool,
    pub(crate) focused: bool,
    pub(crate) selected: bool,
    /// The same for the same element of the next tree.
    pub(crate) key: u64,
}

impl Element {
    /// Identifier, else label.
    pub(crate) fn name(&self) -> Option<&str> {
        self.identifier.as_deref().or(self.label.as_deref())
    }

    /// `x`, `y`, width and height, rounded outwards to whole points.
    pub(crate) fn rect(&self) -> [i64; 4] {
        let Some(frame) = self.frame else { return [-1, -1, 0, 0] };
        let (x, y) = (frame.x.floor(), frame.y.floor());
        [x as i64, y as i64, (frame.right().ceil() - x) as i64, (frame.bottom().ceil() - y) as i64]
    }

    pub(crate) fn rect_value(&self) -> Value {
        let [x, y, width, height] = self.rect();
        json!({ "x": x, "y": y, "width": width, "height": height })
    }

    pub(crate) fn frame_text(&self) -> String {
        let [x, y, width, height] = self.rect();
        format!("{{{{{x}, {y}}}, {{{width}, {height}}}}}")
    }

    fn native_frame_text(&self) -> String {
        let Some(frame) = self.frame else { return "{{inf, inf}, {0, 0}}".to_owned() };
        format!("{{{{{}, {}}}, {{{}, {}}}}}", frame.x, frame.y, frame.width, frame.height)
    }

    pub(crate) fn is_field(&self) -> bool {
        matches!(self.kind, "TextField" | "SearchField" | "SecureTextField" | "TextView")
    }

    fn has_range(&self) -> bool {
        matches!(self.kind, "Slider" | "Stepper")
    }

    pub(crate) fn scrolls(&self) -> bool {
        matches!(self.kind, "Table" | "CollectionView" | "ScrollView" | "WebView" | "TextView")
    }

    /// What the accessibility service says it is, besides its type.
    pub(crate) fn traits(&self) -> String {
        let mut traits: Vec<&str> = match self.kind {
            "Button" | "Cell" => vec!["Button"],
            "StaticText" => vec!["StaticText"],
            "Link" => vec!["Link"],
            "Image" => vec!["Image"],
            "Key" => vec!["KeyboardKey"],
            "SearchField" => vec!["SearchField"],
            "Switch" => vec!["Button", "ToggleButton"],
            "Slider" => vec!["Adjustable"],
            "TabBar" => vec!["TabBar"],
            _ => Vec::new(),
        };
        if self.selected {
            traits.push("Selected");
        }
        if !self.enabled {
            traits.push("NotEnabled");
        }
        traits.join(", ")
    }

    /// One line for error messages.
    pub(crate) fn describe(&self) -> String {
        format!("{} {}", self.kind, self.name().unwrap_or("(no name)"))
    }
}

/// All elements of one moment, in pre-order. The first is the application.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) elements: Vec<Element>,
    pub(crate) pid: u32,
    pub(crate) bundle: String,
}

/// What is asked of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form<'a> {
    pub(crate) generation: Generation,
    pub(crate) excluded: Vec<&'a str>,
    pub(crate) scope: Option<&'a str>,
    pub(crate) settings: Map<String, Value>,
}

impl Form<'_> {
    fn wants(&self, setting: &str) -> bool {
        self.settings.get(setting).and_then(Value::as_bool).unwrap_or(false)
    }
}

impl Snapshot {
    /// The elements of `tree` under one application, without those deeper than `depth` levels below it.
    pub(crate) fn new(
        tree: &Tree,
        app: &driver_api::App,
        screen: Rect,
        depth: usize,
        pid: u32,
        bundle: String,
    ) -> Snapshot {
        let tab_bars: Vec<u32> =
            tree.nodes.iter().filter(|node| node.role == Role::Tab).filter_map(|node| node.parent).collect();
        let mut application = Node::new(Role::Window);
        application.label = app.name.clone();
        application.bounds = Some(screen);
        let mut root = element(&application, "Application", screen);
        root.key = hash(&("application", &app.id));
        let mut elements = vec![root];
        // Where each node of the tree went; those that are too deep went nowhere.
        let mut places: Vec<Option<usize>> = Vec::with_capacity(tree.nodes.len());
        let mut children: HashMap<usize, usize> = HashMap::new();
        let mut seen: HashMap<u64, usize> = HashMap::new();
        for (number, node) in tree.nodes.iter().enumerate() {
            let parent = match node.parent {
                None => Some(0),
                Some(parent) => places.get(parent as usize).copied().flatten(),
            };
            let Some(parent) = parent.filter(|parent| elements[*parent].depth < depth) else {
                places.push(None);
                continue;
            };
            let mut element = element(node, kind(node, tab_bars.contains(&(number as u32))), screen);
            element.parent = Some(parent);
            element.depth = elements[parent].depth + 1;
            let index = children.entry(parent).or_default();
            element.index = *index;
            *index += 1;
            let alike = hash(&(elements[parent].key, element.kind, &element.identifier, &element.label));
            let times = seen.entry(alike).or_default();
            element.key = hash(&(alike, *times));
            *times += 1;
            places.push(Some(elements.len()));
            elements.push(element);
        }
        Snapshot { elements, pid, bundle }
    }

    /// Where the element with this key is now.
    pub(crate) fn place(&self, key: u64) -> Option<usize> {
        self.elements.iter().position(|element| element.key == key)
    }

    /// The places of everything below `root`, in pre-order, without itself.
    pub(crate) fn below(&self, root: usize) -> std::ops::Range<usize> {
        let depth = self.elements[root].depth;
        let end = (root + 1..self.elements.len()).find(|at| self.elements[*at].depth <= depth);
        root + 1..end.unwrap_or(self.elements.len())
    }

    /// The XML document.
    pub(crate) fn xml(&self, form: &Form<'_>) -> String {
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let indent = usize::from(form.scope.is_some());
        if let Some(scope) = form.scope {
            let _ = writeln!(text, "<{scope}>");
        }
        let mut open: Vec<usize> = Vec::new();
        for (at, element) in self.elements.iter().enumerate() {
            while open.len() > element.depth {
                self.close(&mut text, &mut open, indent);
            }
            let _ = write!(text, "{}<{PREFIX}{}", "  ".repeat(element.depth + indent), element.kind);
            for (name, value) in self.attributes(at, form) {
                if !form.excluded.iter().any(|excluded| excluded.eq_ignore_ascii_case(name)) {
                    let _ = write!(text, " {name}=\"");
                    escape(&mut text, &value);
                    text.push('"');
                }
            }
            let leaf = self.elements.get(at + 1).is_none_or(|next| next.depth <= element.depth);
            text.push_str(if leaf { "/>\n" } else { ">\n" });
            if !leaf {
                open.push(at);
            }
        }
        while !open.is_empty() {
            self.close(&mut text, &mut open, indent);
        }
        if let Some(scope) = form.scope {
            let _ = writeln!(text, "</{scope}>");
        }
        text
    }

    fn close(&self, text: &mut String, open: &mut Vec<usize>, indent: usize) {
        if let Some(at) = open.pop() {
            let element = &self.elements[at];
            let _ = writeln!(text, "{}</{PREFIX}{}>", "  ".repeat(element.depth + indent), element.kind);
        }
    }

    /// The attributes of an XML element in the server's order.
    fn attributes(&self, at: usize, form: &Form<'_>) -> Vec<(&'static str, String)> {
        let element = &self.elements[at];
        let has = |major, minor| form.generation.has(major, minor, 0);
        let mut list = vec![("type", format!("{PREFIX}{}", element.kind))];
        list.extend(element.value.clone().map(|value| ("value", value)));
        list.extend(element.name().map(|name| ("name", name.to_owned())));
        match &element.label {
            Some(label) => list.push(("label", label.clone())),
            None if element.is_field() => list.push(("label", String::new())),
            None => {}
        }
        list.push(("enabled", element.enabled.to_string()));
        list.push(("visible", element.visible.to_string()));
        list.push(("accessible", element.accessible.to_string()));
        if form.wants("includeNativeAccessibilityElementInPageSource") {
            list.push(("nativeAccessibilityElement", element.accessible.to_string()));
        }
        let [x, y, width, height] = element.rect();
        list.push(("x", x.to_string()));
        list.push(("y", y.to_string()));
        list.push(("width", width.to_string()));
        list.push(("height", height.to_string()));
        list.push(("index", element.index.to_string()));
        if form.wants("includeHittableInPageSource") {
            list.push(("hittable", element.visible.to_string()));
        }
        if has(9, 8) {
            if element.is_field() {
                list.extend(element.placeholder.clone().map(|text| ("placeholderValue", text)));
            }
            list.push(("traits", element.traits()));
        }
        if form.wants("includeNativeFrameInPageSource") {
            list.push(("nativeFrame", element.native_frame_text()));
        }
        if form.wants("includeMinMaxValueInPageSource") && element.has_range() {
            list.push(("minValue", "0".to_owned()));
            list.push(("maxValue", "1".to_owned()));
        }
        if element.parent.is_none() && has(10, 1) {
            list.push(("processId", self.pid.to_string()));
            list.push(("bundleId", self.bundle.clone()));
        }
        list
    }

    /// The JSON tree, of everything or of what `keep` keeps; the children of what is left out move up.
    pub(crate) fn json(&self, form: &Form<'_>, keep: impl Fn(&Element) -> bool) -> Value {
        let mut children: Vec<Vec<Value>> = vec![Vec::new(); self.elements.len()];
        for at in (0..self.elements.len()).rev() {
            let element = &self.elements[at];
            // They were collected from the last to the first.
            let mut own = std::mem::take(&mut children[at]);
            if let (Some(parent), false) = (element.parent, keep(element)) {
                children[parent].append(&mut own);
                continue;
            }
            own.reverse();
            let node = self.json_node(element, form, own);
            match element.parent {
                Some(parent) => children[parent].push(node),
                None => return node,
            }
        }
        json!({})
    }

    fn json_node(&self, element: &Element, form: &Form<'_>, children: Vec<Value>) -> Value {
        let flag = |on: bool| Value::from(if on { "1" } else { "0" });
        let has = |major, minor| form.generation.has(major, minor, 0);
        let mut node = Map::new();
        let mut put = |name: &str, value: Value| node.insert(name.to_owned(), value);
        put("type", element.kind.into());
        put("rawIdentifier", element.identifier.clone().into());
        put("name", element.name().into());
        put("value", element.value.clone().into());
        put("label", element.label.clone().into());
        put("rect", element.rect_value());
        if has(11, 1) {
            put("customActions", Value::Null);
        }
        let mut optional = |name: &str, key: &str, value: Value| {
            if !(form.generation.has(8, 12, 2) && form.excluded.contains(&name)) {
                node.insert(key.to_owned(), value);
            }
        };
        optional("frame", "frame", element.frame_text().into());
        optional("enabled", "isEnabled", flag(element.enabled));
        optional("visible", "isVisible", flag(element.visible));
        if has(5, 0) {
            optional("accessible", "isAccessible", flag(element.accessible));
            optional("focused", "isFocused", flag(element.focused));
        }
        if has(9, 8) {
            optional("nativeFrame", "nativeFrame", element.native_frame_text().into());
            optional("traits", "traits", element.traits().into());
            if element.is_field() {
                optional("placeholderValue", "placeholderValue", element.placeholder.clone().into());
            }
            if element.has_range() {
                optional("minValue", "minValue", "0".into());
                optional("maxValue", "maxValue", "1".into());
            }
        }
        if has(10, 0) {
            optional("nativeAccessibilityElement", "isNativeAccessibilityElement", flag(element.accessible));
        }
        if !children.is_empty() {
            node.insert("children".to_owned(), children.into());
        }
        node.into()
    }

    /// The debug text of the test framework.
    pub(crate) fn description(&self) -> String {
        let mut text = String::from("Element subtree:\n");
        for element in &self.elements {
            let arrow = if element.parent.is_none() { " →" } else { "" };
            let _ =
                write!(text, "{arrow}{}{}, {}", "  ".repeat(element.depth), element.kind, element.native_frame_text());
            if let Some(identifier) = &element.identifier {
                let _ = write!(text, ", identifier: '{identifier}'");
            }
            if let Some(label) = &element.label {
                let _ = write!(text, ", label: '{label}'");
            }
            if let Some(value) = &element.value {
                let _ = write!(text, ", value: {value}");
            }
            text.push('\n');
        }
        text
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn element(node: &Node, kind: &'static str, screen: Rect) -> Element {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let label = filled(&node.label);
    let own = filled(&node.value);
    let field = matches!(node.role, Role::TextField | Role::SecureField);
    let empty = field && own.is_none();
    let value = match node.role {
        Role::Text => own.or_else(|| label.clone()),
        Role::Button | Role::Tab => own.or_else(|| node.selected.then(|| "1".to_owned())),
        Role::Switch => node.checked.map(|on| if on { "1" } else { "0" }.to_owned()).or(own),
        Role::TextField | Role::SecureField => own.or_else(|| filled(&node.placeholder)),
        _ => own,
    };
    let seen = node.bounds.is_some_and(|bounds| bounds.intersection(&screen).is_some());
    let tells = matches!(
        kind,
        "Button"
            | "StaticText"
            | "TextField"
            | "SearchField"
            | "SecureTextField"
            | "TextView"
            | "Switch"
            | "Slider"
            | "Icon"
            | "Link"
            | "Key"
            | "Image"
    ) || (kind == "Cell" && label.is_some());
    Element {
        parent: None,
        index: 0,
        depth: 0,
        kind,
        accessible: tells,
        identifier: filled(&node.identifier),
        label,
        value,
        placeholder: filled(&node.placeholder),
        empty,
        frame: node.bounds,
        enabled: node.enabled,
        visible: node.visible && seen,
        focused: node.focused,
        selected: node.selected,
        key: 0,
    }
}

/// The element's type. The neutral roles are fewer than the server's types: a field whose names speak of searching is a
/// search field, one that is a body of text is a text view, and what holds tabs is their bar.
fn kind(node: &Node, holds_tabs: bool) -> &'static str {
    let speaks_of = |word: &str| {
        [&node.identifier, &node.placeholder, &node.label]
            .into_iter()
            .flatten()
            .any(|text| text.to_lowercase().contains(word))
    };
    match node.role {
        Role::Button | Role::Tab => "Button",
        Role::Text => "StaticText",
        Role::TextField if speaks_of("search") => "SearchField",
        Role::TextField if speaks_of("body") => "TextView",
        Role::TextField => "TextField",
        Role::SecureField => "SecureTextField",
        Role::Switch => "Switch",
        Role::Slider => "Slider",
        Role::Cell => "Cell",
        Role::List => "Table",
        Role::Image => "Image",
        Role::Icon => "Icon",
        Role::Link => "Link",
        Role::NavBar => "NavigationBar",
        Role::Alert => "Alert",
        Role::Sheet => "Sheet",
        Role::Keyboard => "Keyboard",
        // On a real keyboard only what writes a character is a key.
        Role::Key if speaks_of("space") => "Key",
        Role::Key if node.label.as_ref().is_some_and(|label| label.chars().nth(1).is_some()) => "Button",
        Role::Key => "Key",
        Role::WebView => "WebView",
        Role::Window => "Window",
        _ if holds_tabs => "TabBar",
        _ => "Other",
    }
}

/// Every type that a search may name.
pub(crate) fn is_kind(name: &str) -> bool {
    const KINDS: &[&str] = &[
        "Any",
        "Other",
        "Application",
        "Group",
        "Window",
        "Sheet",
        "Drawer",
        "Alert",
        "Dialog",
        "Button",
        "RadioButton",
        "RadioGroup",
        "CheckBox",
        "DisclosureTriangle",
        "PopUpButton",
        "ComboBox",
        "MenuButton",
        "ToolbarButton",
        "Popover",
        "Keyboard",
        "Key",
        "NavigationBar",
        "TabBar",
        "TabGroup",
        "Toolbar",
        "StatusBar",
        "Table",
        "TableRow",
        "TableColumn",
        "Outline",
        "OutlineRow",
        "Browser",
        "CollectionView",
        "Slider",
        "PageIndicator",
        "ProgressIndicator",
        "ActivityIndicator",
        "SegmentedControl",
        "Picker",
        "PickerWheel",
        "Switch",
        "Toggle",
        "Link",
        "Image",
        "Icon",
        "SearchField",
        "ScrollView",
        "ScrollBar",
        "StaticText",
        "TextField",
        "SecureTextField",
        "DatePicker",
        "TextView",
        "Menu",
        "MenuItem",
        "MenuBar",
        "MenuBarItem",
        "Map",
        "WebView",
        "IncrementArrow",
        "DecrementArrow",
        "Timeline",
        "RatingIndicator",
        "ValueIndicator",
        "SplitGroup",
        "Splitter",
        "RelevanceIndicator",
        "ColorWell",
        "HelpTag",
        "Matte",
        "DockItem",
        "Ruler",
        "RulerMarker",
        "Grid",
        "LevelIndicator",
        "Cell",
        "LayoutArea",
        "LayoutItem",
        "Handle",
        "Stepper",
        "Tab",
        "TouchBar",
    ];
    name.strip_prefix(PREFIX).is_some_and(|kind| KINDS.contains(&kind) || kind == "StatusItem")
}

/// Escapes for an attribute; characters that XML does not have are left out.
fn escape(text: &mut String, value: &str) {
    for letter in value.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\n' => text.push_str("&#10;"),
            '\r' => text.push_str("&#13;"),
            '\t' => text.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            letter => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driver_api::App;

    fn sample() -> Tree {
        let node = |parent: Option<u32>, role: Role, label: Option<&str>| {
            let mut node = Node::new(role);
            node.parent = parent;
            node.label = label.map(str::to_owned);
            node.bounds = Some(Rect::new(16.0, 200.5, 100.0, 44.0));
            node
        };
        let mut field = node(Some(0), Role::TextField, None);
        field.placeholder = Some("Your \"name\" & <more>\n".into());
        field.identifier = Some("name".into());
        let mut switch = node(Some(1), Role::Switch, Some("Wi-Fi \u{1}😀"));
        switch.checked = Some(true);
        let mut nowhere = node(Some(1), Role::Text, Some("General"));
        nowhere.bounds = None;
        let nodes = vec![
            node(None, Role::Window, None),
            node(Some(0), Role::List, None),
            switch,
            nowhere,
            Node { parent: Some(0), ..field },
        ];
        Tree { nodes, ..Tree::default() }
    }

    fn snapshot(depth: usize) -> Snapshot {
        let app = App { id: "com.x".into(), name: Some("X".into()) };
        Snapshot::new(&sample(), &app, Rect::new(0.0, 0.0, 390.0, 844.0), depth, 321, "com.x".into())
    }

    #[test]
    fn xml_is_written_as_the_server_writes_it() {
        let text = snapshot(50).xml(&Form { scope: Some("AppiumAUT"), ..Form::default() });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        assert_eq!(lines[1], "<AppiumAUT>");
        assert_eq!(
            lines[2],
            "  <XCUIElementTypeApplication type=\"XCUIElementTypeApplication\" name=\"X\" label=\"X\" enabled=\"true\" \
             visible=\"true\" accessible=\"false\" x=\"0\" y=\"0\" width=\"390\" height=\"844\" index=\"0\" traits=\"\" \
             processId=\"321\" bundleId=\"com.x\">"
        );
        assert_eq!(
            lines[5],
            "        <XCUIElementTypeSwitch type=\"XCUIElementTypeSwitch\" value=\"1\" name=\"Wi-Fi 😀\" label=\"Wi-Fi 😀\" \
             enabled=\"true\" visible=\"true\" accessible=\"true\" x=\"16\" y=\"200\" width=\"100\" height=\"45\" \
             index=\"0\" traits=\"Button, ToggleButton\"/>"
        );
        assert!(lines[6].contains("x=\"-1\" y=\"-1\" width=\"0\" height=\"0\""));
        let placeholder = "Your &quot;name&quot; &amp; &lt;more&gt;&#10;";
        assert!(lines[8].contains(&format!("value=\"{placeholder}\" name=\"name\" label=\"\"")), "{}", lines[8]);
        assert!(lines[8].contains(&format!("index=\"1\" placeholderValue=\"{placeholder}\" traits=\"\"/>")));
        assert_eq!(lines.last(), Some(&"</AppiumAUT>"));
    }

    #[test]
    fn json_has_flags_as_text_and_children_only_where_there_are_some() {
        let tree = snapshot(50).json(&Form::default(), |_| true);
        let list = &tree["children"][0]["children"][0];
        assert_eq!(list["type"], "Table");
        assert_eq!(list["children"][0]["isVisible"], "1");
        assert_eq!(list["children"][0]["rect"], json!({ "x": 16, "y": 200, "width": 100, "height": 45 }));
        assert_eq!(list["children"][0]["frame"], "{{16, 200}, {100, 45}}");
        assert_eq!(list["children"][0]["nativeFrame"], "{{16, 200.5}, {100, 44}}");
        assert_eq!(list["children"][0]["rawIdentifier"], Value::Null);
        assert!(list["children"][0].get("children").is_none());
        assert_eq!(list["children"][1]["value"], "General");
        let excluded = Form { excluded: vec!["visible", "frame"], ..Form::default() };
        let tree = snapshot(50).json(&excluded, |_| true);
        assert!(tree.get("isVisible").is_none() && tree.get("frame").is_none() && tree.get("isEnabled").is_some());
    }

    #[test]
    fn old_releases_tell_less() {
        let form = Form { generation: Generation::V4, ..Form::default() };
        let tree = snapshot(50).json(&form, |_| true);
        assert!(tree.get("isFocused").is_none() && tree.get("traits").is_none());
        let xml = snapshot(50).xml(&form);
        assert!(!xml.contains("traits=") && !xml.contains("bundleId="));
    }

    #[test]
    fn what_is_deeper_than_the_limit_is_left_out() {
        let kinds = |depth| snapshot(depth).elements.iter().map(|element| element.kind).collect::<Vec<_>>();
        assert_eq!(kinds(50).len(), 6);
        assert_eq!(kinds(2), ["Application", "Window", "Table", "TextField"]);
        assert_eq!(kinds(0), ["Application"]);
    }

    #[test]
    fn keys_tell_equal_siblings_apart_and_stay() {
        let mut tree = sample();
        tree.nodes.push(tree.nodes[4].clone());
        let app = App { id: "com.x".into(), name: None };
        let once = Snapshot::new(&tree, &app, Rect::new(0.0, 0.0, 390.0, 844.0), 50, 1, String::new());
        let twice = Snapshot::new(&tree, &app, Rect::new(0.0, 0.0, 390.0, 844.0), 50, 1, String::new());
        let keys: std::collections::HashSet<u64> = once.elements.iter().map(|element| element.key).collect();
        assert_eq!(keys.len(), once.elements.len());
        assert_eq!(once.elements, twice.elements);
    }
}
