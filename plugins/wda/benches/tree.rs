//! How long a page source of 1,000 elements takes to become a neutral tree, from its bytes.

use driver_api::{Plugin, PluginConfig};
use fingertip_wda::WdaPlugin;
use std::fmt::Write;

const ELEMENTS: usize = 1_000;

fn main() {
    divan::main();
}

fn plugin() -> WdaPlugin {
    WdaPlugin::new(PluginConfig::default()).expect("an empty configuration")
}

/// As the phone writes it: rows of four elements in a list.
#[divan::bench]
fn json(bencher: divan::Bencher<'_, '_>) {
    let mut rows = String::new();
    for row in 0..ELEMENTS / 4 {
        let node = |kind: &str, label: &str, children: &str| {
            format!(
                r#"{{"isEnabled":"1","isVisible":"1","isAccessible":"0","isFocused":"0","frame":"{{{{0, {row}}}, {{390, 44}}}}","rect":{{"y":{row},"x":0,"width":390,"height":44}},"value":null,"label":"{label} {row}","type":"{kind}","name":"{label} {row}","traits":"StaticText, Header","rawIdentifier":"row-{row}"{children}}}"#
            )
        };
        let inner =
            [node("StaticText", "Title", ""), node("Image", "Picture", ""), node("Button", "More", "")].join(",");
        let comma = if row == 0 { "" } else { "," };
        write!(rows, "{comma}{}", node("Cell", "Row", &format!(",\"children\":[{inner}]")))
            .expect("a String takes all");
    }
    let document = format!(
        r#"{{"sessionId":"A","value":{{"type":"Application","children":[{rows}],"rect":{{"x":0,"y":0,"width":390,"height":844}}}}}}"#
    );
    let plugin = plugin();
    bencher.bench(|| plugin.read_capture(document.as_bytes()).expect("a tree"));
}

/// The same elements in the other format.
#[divan::bench]
fn xml(bencher: divan::Bencher<'_, '_>) {
    let mut rows = String::new();
    for row in 0..ELEMENTS / 4 {
        let open = |kind: &str, label: &str, end: &str| {
            format!(
                r#"<XCUIElementType{kind} type="XCUIElementType{kind}" name="row-{row}" label="{label} {row}" enabled="true" visible="true" accessible="false" x="0" y="{row}" width="390" height="44" index="{row}" traits="StaticText, Header"{end}>"#
            )
        };
        write!(
            rows,
            "{}{}{}{}</XCUIElementTypeCell>",
            open("Cell", "Row", ""),
            open("StaticText", "Title", "/"),
            open("Image", "Picture", "/"),
            open("Button", "More", "/")
        )
        .expect("a String takes all");
    }
    let document = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><XCUIElementTypeApplication x="0" y="0" width="390" height="844">{rows}</XCUIElementTypeApplication>"#
    );
    let plugin = plugin();
    bencher.bench(|| plugin.read_capture(document.as_bytes()).expect("a tree"));
}
