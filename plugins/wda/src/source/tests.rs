//! Documents of every kind and condition. What people captured on real phones is read from the folder that
//! `FINGERTIP_CORPUS` names, and skipped without it.

use super::*;
use driver_api::{App, Node, Rect, Role, TreeFlaw};
use proptest::prelude::*;
use std::{fmt::Write, fs, path::PathBuf};

fn tree(text: &str) -> Tree {
    from_any(text.as_bytes()).unwrap_or_else(|| panic!("nothing usable in {text}")).0
}

fn only(attributes: &str) -> Node {
    tree(&format!("<XCUIElementType{attributes} x=\"1\" y=\"2\" width=\"3\" height=\"4\"/>")).nodes.remove(0)
}

fn corpus(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let Some(root) = std::env::var_os("FINGERTIP_CORPUS") else {
        eprintln!("FINGERTIP_CORPUS is not set; captures are not read");
        return Vec::new();
    };
    let files = fs::read_dir(PathBuf::from(root).join(folder)).unwrap();
    files.map(|file| file.unwrap().path()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// What must hold of every tree.
fn check(tree: &Tree) {
    for (index, node) in tree.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| (parent as usize) < index));
        if let Some(bounds) = node.bounds {
            assert!([bounds.x, bounds.y, bounds.width, bounds.height].iter().all(|number| number.is_finite()));
            assert!(bounds.width >= 0.0 && bounds.height >= 0.0);
        }
        assert!(node.role != Role::SecureField || node.value.iter().all(|value| value.chars().all(|sign| sign == '•')));
        assert!(node.value.is_none() || node.value != node.placeholder);
    }
}

#[test]
fn captures_of_real_phones() {
    for (path, bytes) in corpus("ios-xml").into_iter().chain(corpus("ios-json")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let read = from_any(&bytes);
        match (&read, name.as_str()) {
            (None, "empty-appiumaut.xml") => {}
            (None, _) => panic!("{name} is not readable"),
            (Some((tree, _)), _) => {
                check(tree);
                println!("{name}: {} nodes, {:?}, {:?}", tree.nodes.len(), tree.flaws, tree.app);
                let damaged = tree.flaws.contains(&TreeFlaw::Damaged);
                assert!(damaged || !name.contains("cut-off"), "{name}");
                assert_eq!(
                    damaged,
                    name.contains("cut-off")
                        || (name.contains("-zh") && name != "ios-cell-long-label-zh-fragment.xml")
                        || name.starts_with("searchfield"),
                    "{name}"
                );
            }
        }
        // A connection can break anywhere.
        for length in (0..bytes.len()).step_by(397) {
            if let Some((tree, _)) = from_any(&bytes[..length]) {
                check(&tree);
                // A fragment of several roots can be whole up to the end of one.
                let ends = bytes[..length].trim_ascii_end().ends_with(b">");
                assert!(tree.flaws.contains(&TreeFlaw::Damaged) || ends, "{name} cut at {length}");
            }
        }
    }
    for (path, bytes) in corpus("android-xml") {
        assert_eq!(read_capture(&bytes).unwrap_err().kind, ErrorKind::InvalidArgument, "{}", path.display());
    }
}

#[test]
fn both_formats_say_the_same() {
    let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
      <AppiumAUT><XCUIElementTypeApplication type="XCUIElementTypeApplication" name="Shop" label="Shop" enabled="true" visible="true" x="0" y="0" width="390" height="844" bundleId="com.example.shop">
        <XCUIElementTypeButton type="XCUIElementTypeButton" name="go" label="Go &amp; buy" enabled="false" visible="true" x="10" y="20" width="100" height="44" traits="Button, NotEnabled"/>
        <XCUIElementTypeSwitch type="XCUIElementTypeSwitch" value="1" name="Wi-Fi" label="Wi-Fi" enabled="true" visible="false" x="10" y="70" width="51" height="31"/>
      </XCUIElementTypeApplication></AppiumAUT>"#;
    let json = r#"{"sessionId":"A","value":{"children":[
        {"rect":{"y":20,"x":10,"height":44,"width":100},"label":"Go & buy","rawIdentifier":"go","name":"go","isEnabled":"0","isVisible":true,"frame":"{{10, 20}, {100, 44}}","type":"Button"},
        {"isEnabled":1,"isVisible":"0","value":"1","label":"Wi-Fi","name":"Wi-Fi","rawIdentifier":null,"frame":"{{10, 70}, {51, 31}}","type":"XCUIElementTypeSwitch"}],
      "isEnabled":"1","isVisible":"true","label":"Shop","name":"Shop","bundleId":"com.example.shop","rect":{"x":0,"y":0,"width":390,"height":844},"type":"Application","rawIdentifier":null}}"#;
    let (xml, json) = (tree(xml), tree(json));
    assert_eq!(xml, json);
    assert!(xml.flaws.is_empty());
    assert_eq!(xml.app, Some(App { id: "com.example.shop".to_owned(), name: Some("Shop".to_owned()) }));
    let [app, button, switch] = &xml.nodes[..] else { panic!() };
    assert_eq!((app.role, app.parent, app.identifier.as_deref()), (Role::Window, None, None));
    assert_eq!((button.role, button.parent, button.enabled), (Role::Button, Some(0), false));
    assert_eq!((button.label.as_deref(), button.identifier.as_deref()), (Some("Go & buy"), Some("go")));
    assert_eq!(button.bounds, Some(Rect::new(10.0, 20.0, 100.0, 44.0)));
    assert_eq!((switch.checked, switch.value.as_deref(), switch.visible), (Some(true), None, false));
}

#[test]
fn row_66_a_placeholder_is_no_value() {
    let empty = only(r#"TextField value="Email" name="Email" label="" placeholderValue="Email""#);
    assert_eq!((empty.value, empty.placeholder.as_deref()), (None, Some("Email")));
    let filled = only(r#"TextField value="a@b.c" label="" placeholderValue="Email""#);
    assert_eq!(filled.value.as_deref(), Some("a@b.c"));
    assert_eq!(only(r#"TextField value="&#xFFFC;&#xFFFC;" placeholderValue="Search""#).value, None);
}

#[test]
fn row_101_a_secure_fields_content_stays_here() {
    for document in [
        r#"<XCUIElementTypeSecureTextField value="hünter2" name="hünter2" label="hünter2" placeholderValue="Password" x="0" y="0" width="9" height="9"><XCUIElementTypeStaticText value="hünter2" label="hünter2"/></XCUIElementTypeSecureTextField>"#,
        r#"{"type":"SecureTextField","children":[{"type":"StaticText","label":"hünter2"}],"rect":{"x":0,"y":0,"width":9,"height":9},"value":"hünter2","label":null}"#,
        r#"[{"subrole":"AXSecureTextField","AXValue":"hünter2","AXFrame":"{{0, 0}, {9, 9}}","type":"TextField","children":[]}]"#,
    ] {
        let tree = tree(document);
        assert!(!format!("{tree:?}").contains("nter2"), "{tree:?}");
        assert_eq!((tree.nodes[0].role, tree.nodes[0].value.as_deref()), (Role::SecureField, Some("•••••••")));
    }
    let empty = only(r#"SecureTextField value="Password" placeholderValue="Password""#);
    assert_eq!((empty.value, empty.placeholder.as_deref()), (None, Some("Password")));
}

#[test]
fn states_come_from_values_and_traits() {
    assert!(only(r#"Button label="A" value="1""#).selected);
    assert!(only(r#"Cell label="A" traits="Selected, Button""#).selected);
    assert_eq!(only(r#"Button label="A" value="0" traits="ToggleButton""#).checked, Some(false));
    assert_eq!(only(r#"Slider label="A" value="50%""#).value.as_deref(), Some("50%"));
    assert_eq!(only(r#"StaticText label="A" value="A""#).value, None);
    assert_eq!(only(r#"StaticText value="A""#).label.as_deref(), Some("A"));
    assert_eq!(only(r#"Other label="A" traits="Link, StaticText""#).role, Role::Link);
    assert!(!only(r#"Button label="A" traits="NotEnabled""#).enabled);
    assert!(only(r#"TextField label="A" hasKeyboardFocus="true""#).focused);
}

#[test]
fn buttons_of_bars_and_keyboards_are_tabs_and_keys() {
    let tree = tree(
        r#"<XCUIElementTypeApplication x="0" y="0" width="9" height="9">
          <XCUIElementTypeTabBar><XCUIElementTypeOther><XCUIElementTypeButton label="Home"/></XCUIElementTypeOther></XCUIElementTypeTabBar>
          <XCUIElementTypeKeyboard><XCUIElementTypeOther><XCUIElementTypeButton label="shift"/></XCUIElementTypeOther></XCUIElementTypeKeyboard>
          <XCUIElementTypeButton label="plain"/></XCUIElementTypeApplication>"#,
    );
    let role = |label: &str| tree.nodes.iter().find(|node| node.label.as_deref() == Some(label)).unwrap().role;
    assert_eq!((role("Home"), role("shift"), role("plain")), (Role::Tab, Role::Key, Role::Button));
}

#[test]
fn row_54_windows_in_pixels_have_no_places_for_fingers() {
    let tree = tree(
        r#"<XCUIElementTypeApplication x="0" y="0" width="390" height="844">
          <XCUIElementTypeWindow x="0" y="0" width="1170" height="2532"><XCUIElementTypeOther x="0" y="0" width="1170" height="2532"/>
            <XCUIElementTypeButton label="A" x="30" y="60" width="300" height="132"/></XCUIElementTypeWindow>
          <XCUIElementTypeWindow x="0" y="0" width="390" height="844"><XCUIElementTypeButton label="B" x="1" y="2" width="3" height="4"/></XCUIElementTypeWindow></XCUIElementTypeApplication>"#,
    );
    let bounds: Vec<_> = tree.nodes.iter().map(|node| node.bounds).collect();
    let app = Some(Rect::new(0.0, 0.0, 390.0, 844.0));
    assert_eq!(bounds, [app, app, app, None, app, Some(Rect::new(1.0, 2.0, 3.0, 4.0))]);
}

#[test]
fn row_61_infinite_places_are_no_places() {
    let tree = tree(
        r#"<XCUIElementTypeAny x="inf" y="inf" width="0" height="0"><XCUIElementTypeButton label="A" x="1" y="1" width="1" height="1"/></XCUIElementTypeAny>"#,
    );
    assert_eq!(tree.nodes[0].bounds, None);
    assert_eq!(tree.flaws, [TreeFlaw::Damaged]);
}

#[test]
fn row_38_a_broken_snapshot_is_no_tree() {
    for text in [
        "",
        "   ",
        "{}",
        "[]",
        "nonsense",
        "<html><body>hello</body></html>",
        r#"{"value":null}"#,
        r#"{"value":{"error":"unknown error","message":"x","traceback":""}}"#,
        r#"{"value":{"screenSize":{"width":390,"height":844},"scale":3}}"#,
        r#"<AppiumAUT></AppiumAUT>"#,
        r#"<AppiumAUT><XCUIElementTypeAny type="XCUIElementTypeAny" x="-1" y="-1" width="0" height="0"/></AppiumAUT>"#,
        r#"{"value":{"type":"Any","rect":{"x":-1,"y":-1,"width":0,"height":0},"label":"x"}}"#,
        r#"<hierarchy rotation="0"><node index="0" text="a" class="android.widget.Button" bounds="[0,0][1,1]"/></hierarchy>"#,
    ] {
        assert_eq!(from_any(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn row_39_signs_that_are_none_do_not_stop_the_reader() {
    let mut bytes = br#"<XCUIElementTypeButton label="a"#.to_vec();
    bytes.extend([0xED, 0xA0, 0xBD]);
    bytes.extend(br#"&#55357;&#0;b" x="0" y="0" width="1" height="1"/>"#);
    let (tree, _) = from_any(&bytes).unwrap();
    let label = tree.nodes[0].label.clone().unwrap();
    assert!(label.starts_with('a') && label.ends_with('b') && label.contains('\u{FFFD}'), "{label:?}");
    let tree = self::tree(
        r#"{"type":"Button","label":"a\ud83db \ud83d\ude00\u0000","rect":{"x":0,"y":0,"width":1,"height":1}}"#,
    );
    assert_eq!(tree.nodes[0].label.as_deref(), Some("a\u{FFFD}b 😀"));
}

#[test]
fn row_31_nothing_is_lost_however_deep_it_is_nested() {
    let document = deep_json(40);
    let found = tree(&document);
    assert_eq!(found.nodes.len(), document.matches("\"type\"").count());
    let parents = |tree: &Tree| tree.nodes.iter().map(|node| node.parent).collect::<Vec<_>>();
    assert_eq!(parents(&found), parents(&tree(&deep_xml(40))));
}

#[test]
fn row_32_a_control_of_no_particular_type_stays() {
    let kept = only(r#"Other label="Retry" name="retry" traits="Button""#);
    assert_eq!((kept.role, kept.label.as_deref()), (Role::Button, Some("Retry")));
    let plain = only(r#"Other label="Retry" name="retry""#);
    assert_eq!((plain.role, plain.label.as_deref()), (Role::Other, Some("Retry")));
}

#[test]
fn row_43_emoji_arrive_whole_in_both_formats() {
    let family = "Fam 👨‍👩‍👧‍👦 🇩🇪 🏽";
    assert_eq!(only(&format!("Button label=\"{family}\"")).label.as_deref(), Some(family));
    let escaped: String = family.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    let json = format!(r#"{{"type":"Button","label":"{escaped}","rect":{{"x":0,"y":0,"width":1,"height":1}}}}"#);
    assert_eq!(tree(&json).nodes[0].label.as_deref(), Some(family));
}

#[test]
fn wrappings_of_files() {
    let plain = r#"<XCUIElementTypeButton label="A" x="0" y="0" width="1" height="1"/>"#;
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(plain.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let quoted = serde_json::to_string(plain).unwrap();
    for bytes in [
        plain.as_bytes().to_vec(),
        format!("\u{feff}{plain}").into_bytes(),
        format!("[debug] source:\n{plain}").into_bytes(),
        quoted.clone().into_bytes(),
        format!("{{\"sessionId\":\"A\",\"value\":{quoted}}}").into_bytes(),
        wide,
    ] {
        assert_eq!(read_capture(&bytes).unwrap().nodes[0].label.as_deref(), Some("A"));
    }
}

#[test]
fn several_roots_are_kept_and_missing_ends_forgiven() {
    let tree = tree(
        "<XCUIElementTypeWindow x='0' y='0' width='9' height='9'><XCUIElementTypeButton label='A'/> 。。。 \n<XCUIElementTypeWindow x='0' y='0' width='9' height='9'/></XCUIElementTypeOther>",
    );
    assert_eq!(tree.nodes.len(), 3);
    assert_eq!(tree.flaws, [TreeFlaw::Damaged]);
    let array =
        self::tree(r#"[{"type":"Window","rect":{"x":0,"y":0,"width":9,"height":9}},[{"type":"Button","label":"A"}]]"#);
    assert_eq!(array.nodes.iter().map(|node| node.parent).collect::<Vec<_>>(), [None, None]);
    assert!(array.flaws.is_empty());
}

fn deep_xml(depth: usize) -> String {
    let open = "<XCUIElementTypeOther type=\"XCUIElementTypeOther\" x=\"0\" y=\"0\" width=\"9\" height=\"9\">";
    format!("{}<XCUIElementTypeButton label=\"A\"/>{}", open.repeat(depth), "</XCUIElementTypeOther>".repeat(depth))
}

fn deep_json(depth: usize) -> String {
    let open = r#"{"rect":{"x":0,"y":0,"width":9,"height":9},"children":["#;
    format!(r#"{{"value":{}{{"type":"Button"}}{}}}"#, open.repeat(depth), r#"],"type":"Other"}"#.repeat(depth))
}

#[test]
fn row_34_no_depth_is_too_deep() {
    for document in [deep_xml(3_000), deep_json(3_000)] {
        let (tree, levels) = from_any(document.as_bytes()).unwrap();
        assert_eq!((tree.nodes.len(), levels, tree.nodes[3_000].parent), (3_001, 3_001, Some(2_999)));
        assert!(tree.flaws.is_empty());
    }
    for document in [
        deep_xml(30_000),
        deep_json(30_000),
        "[".repeat(1_000_000),
        "{\"value\":".repeat(300_000),
        "<a>".repeat(300_000),
    ] {
        if let Some((tree, _)) = from_any(document.as_bytes()) {
            assert!(tree.nodes.len() >= node::MOST - 1, "{}", tree.nodes.len());
            assert_eq!(tree.flaws, [TreeFlaw::Cut]);
        }
    }
}

#[test]
fn five_thousand_nodes() {
    let (mut xml, mut json) = ("<AppiumAUT>".to_owned(), "{\"value\":{\"type\":\"Table\",\"children\":[".to_owned());
    xml.push_str("<XCUIElementTypeTable x=\"0\" y=\"0\" width=\"9\" height=\"9\">");
    for index in 0..5_000 {
        write!(
            xml,
            "<XCUIElementTypeCell name=\"c{index}\" label=\"Cell {index}\" x=\"0\" y=\"{index}\" width=\"9\" height=\"1\"/>"
        )
        .unwrap();
        let comma = if index == 0 { "" } else { "," };
        write!(json, "{comma}{{\"type\":\"Cell\",\"label\":\"Cell {index}\",\"rawIdentifier\":\"c{index}\",\"rect\":{{\"x\":0,\"y\":{index},\"width\":9,\"height\":1}}}}").unwrap();
    }
    xml.push_str("</XCUIElementTypeTable></AppiumAUT>");
    json.push_str("],\"rect\":{\"x\":0,\"y\":0,\"width\":9,\"height\":9}}}");
    let (xml, json) = (tree(&xml), tree(&json));
    assert_eq!(xml.nodes.len(), 5_001);
    assert_eq!(xml, json);
}

proptest! {
    #[test]
    fn no_cut_panics_or_hides_itself(cut in 0.0..1.0_f64, json: bool) {
        let text = if json { deep_json(20) } else { deep_xml(20) };
        let length = (text.len() as f64 * cut) as usize;
        if let Some((tree, _)) = from_any(&text.as_bytes()[..length]) {
            check(&tree);
            prop_assert!(tree.flaws.contains(&TreeFlaw::Damaged));
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), json: bool) {
        let head: &[u8] = if json { b"{\"type\":\"A\",\"label\":\"" } else { b"<XCUIElementTypeA label=\"" };
        for bytes in [bytes.clone(), [head, &bytes].concat()] {
            if let Some((tree, _)) = from_any(&bytes) {
                check(&tree);
            }
        }
    }

    #[test]
    fn no_soup_of_tokens_panics(parts in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", "\"", ",", ":", "\"children\":[", "\"type\":\"Button\"", "\"value\":", "\"rect\":{", "\"x\":1", "null", "\\u", "\\ud83d",
        "<XCUIElementTypeOther ", "</XCUIElementTypeOther>", "/>", ">", "<", "&", "&#x", ";", " x=\"inf\"", " label='", "<!--", "-->", "<![CDATA[", "]]>", "<?",
    ]), 0..60)) {
        if let Some((tree, _)) = from_any(parts.concat().as_bytes()) {
            check(&tree);
        }
    }
}
