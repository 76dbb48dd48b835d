//! How long a page source of 1,000 elements takes to become a neutral tree, from its bytes.

use driver_api::{Plugin, PluginConfig};
use fingertip_wda::WdaPlugin;
use std::{
    fmt::Write,
    time::{Duration, Instant},
};

const ELEMENTS: usize = 1_000;

fn main() {
    beside_what_is_wanted();
    divan::main();
}

/// Both formats in turn, beside the time that is wanted and beside each other.
fn beside_what_is_wanted() {
    const ROUNDS: usize = 101;
    let (plugin, documents) = (plugin(), [json_document(), xml_document()]);
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..ROUNDS {
        for (document, times) in documents.iter().zip(&mut times) {
            let began = Instant::now();
            let tree = plugin.read_capture(document.as_bytes()).expect("a tree");
            times.push(began.elapsed());
            assert_eq!(tree.nodes.len(), ELEMENTS + 1);
        }
    }
    let [json, xml] = times.each_mut().map(|times| {
        times.sort();
        times[ROUNDS / 2].as_secs_f64() * 1000.0
    });
    println!("{ELEMENTS} elements as JSON: {json:.2} ms, {:.2} × the wanted 3 ms", json / 3.0);
    println!("{ELEMENTS} elements as XML: {xml:.2} ms, {:.2} × the wanted 5 ms, {:.2} × JSON", xml / 5.0, xml / json);
}

fn plugin() -> WdaPlugin {
    WdaPlugin::new(PluginConfig::default()).expect("an empty configuration")
}

/// As the phone writes it: rows of four elements in a list.
fn json_document() -> String {
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
    format!(
        r#"{{"sessionId":"A","value":{{"type":"Application","children":[{rows}],"rect":{{"x":0,"y":0,"width":390,"height":844}}}}}}"#
    )
}

/// The same elements in the other format.
fn xml_document() -> String {
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
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><XCUIElementTypeApplication x="0" y="0" width="390" height="844">{rows}</XCUIElementTypeApplication>"#
    )
}

#[divan::bench]
fn json(bencher: divan::Bencher<'_, '_>) {
    let (plugin, document) = (plugin(), json_document());
    bencher.bench(|| plugin.read_capture(document.as_bytes()).expect("a tree"));
}

#[divan::bench]
fn xml(bencher: divan::Bencher<'_, '_>) {
    let (plugin, document) = (plugin(), xml_document());
    bencher.bench(|| plugin.read_capture(document.as_bytes()).expect("a tree"));
}
