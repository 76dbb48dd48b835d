//! Acting on what only the picture shows: refs of texts and icons on a page of which the *simulated* iPhone tells nothing.

use e2e::{
    host::Host,
    phones::{ok, phones, refused},
    wda_sim::{Source, Touch, WdaSim},
};
use serde_json::{Value, json};

const SETTINGS: &str = "com.fingertip.settings";

/// An iPhone that shows its settings and tells nothing of them.
async fn blind() -> (WdaSim, Host) {
    let (sim, host) = phones("").await;
    ok(&host, "iphone", "launch", json!({ "app": SETTINGS, "fresh": true })).await;
    let page = json!({ "type": "Application", "label": " ", "rect": {"x": 0, "y": 0, "width": 390, "height": 844} });
    sim.faults().set_source(Some(Source::Json(page)));
    (sim, host)
}

async fn ask(host: &Host, what: &str, mut arguments: Value) -> Value {
    arguments["timeout_ms"] = json!(120_000);
    ok(host, "iphone", what, arguments).await
}

async fn ref_of(host: &Host, what: &str, arguments: Value) -> String {
    let found = ask(host, what, arguments).await;
    found["matches"][0]["ref"].as_str().unwrap_or_else(|| panic!("a ref: {found}")).to_owned()
}

async fn shows(host: &Host, text: &str) -> bool {
    ask(host, "wait", json!({ "text": text })).await["met"] == json!(true)
}

#[tokio::test]
async fn texts_and_icons_that_only_the_picture_shows_are_tapped_by_their_refs() {
    let (_sim, host) = blind().await;
    let general = ref_of(&host, "find-text", json!({ "text": "General" })).await;
    assert_eq!(ref_of(&host, "find-text", json!({ "text": "General" })).await, general, "it is the same thing");
    let tapped = ask(&host, "tap", json!({ "element": general })).await;
    assert_eq!(tapped["effect"]["state"], "changed", "{tapped}");
    assert!(shows(&host, "About").await);
    let back = ref_of(&host, "find-icon", json!({ "name": "back" })).await;
    ask(&host, "tap", json!({ "element": back })).await;
    assert!(shows(&host, "Airplane Mode").await);
    // The same ref, later and after other screens; and the text itself.
    ask(&host, "tap", json!({ "element": general })).await;
    assert!(shows(&host, "About").await);
    ask(&host, "tap", json!({ "text": "About" })).await;
    assert!(ask(&host, "wait", json!({ "gone": "Keyboard" })).await["met"] == json!(true));
}

#[tokio::test]
async fn what_is_gone_or_there_twice_is_not_tapped() {
    let (sim, host) = blind().await;
    let notifications = ref_of(&host, "find-text", json!({ "text": "Notifications" })).await;
    let touches = || sim.touches().len();
    ask(&host, "tap", json!({ "text": "General" })).await;
    assert!(shows(&host, "About").await);
    let before = touches();
    let error = refused(&host, "iphone", "tap", json!({ "element": notifications }), "element_stale").await;
    assert!(error.to_string().contains("Notifications"), "{error}");
    let error = refused(&host, "iphone", "tap", json!({ "text": "Abuot" }), "element_not_found").await;
    assert!(error["details"]["near"].to_string().contains("About"), "{error}");
    // A ref of the picture is no element of the tree.
    let about = ref_of(&host, "find-text", json!({ "text": "About" })).await;
    refused(&host, "iphone", "scroll-to", json!({ "element": about }), "invalid_arguments").await;
    assert_eq!(touches(), before, "nothing was touched");
}

#[tokio::test]
async fn a_page_without_a_tree_is_described_by_its_picture() {
    let (sim, host) = blind().await;
    let told = ask(&host, "describe", json!({})).await;
    let seen: Vec<&str> =
        told["seen"].as_array().expect("seen").iter().filter_map(|one| one["looks"].as_str()).collect();
    for text in ["Airplane Mode", "Wi-Fi", "Bluetooth", "Notifications"] {
        assert!(seen.contains(&format!("text \"{text}\"").as_str()), "{text}: {told}");
    }
    assert_eq!(told["title"], "Settings", "{told}");
    let general = told["seen"].as_array().expect("seen").iter().find(|one| one["looks"] == "text \"General\"");
    let general = general.expect("it is there")["ref"].clone();
    let line = format!("{} \"General\"", general.as_str().expect("a ref"));
    assert!(told["description"].as_str().expect("a text").lines().any(|told| told == line), "{told}");
    ask(&host, "tap", json!({ "element": general })).await;
    assert!(shows(&host, "About").await);
    // Without any tree at all it is the same.
    sim.faults().set_source(Some(Source::Raw("no tree at all".to_owned())));
    let told = ask(&host, "describe", json!({ "max_tokens": 100 })).await;
    assert!(told["description"].as_str().expect("a text").contains("\"About\""), "{told}");
    assert!(told["frame"].as_str().is_some_and(|frame| frame.starts_with('f')), "{told}");
    // The device's own tree is told as ever, without a look at the picture.
    sim.faults().set_source(None);
    let told = ask(&host, "describe", json!({})).await;
    assert!(told.get("seen").is_none() && told["actions"].as_array().is_some_and(|all| !all.is_empty()), "{told}");
}

#[tokio::test]
async fn refs_of_the_picture_end_with_the_connection_as_all_refs_do() {
    let (_sim, host) = blind().await;
    let general = ref_of(&host, "find-text", json!({ "text": "General" })).await;
    ok(&host, "iphone", "disconnect", json!({})).await;
    let error = refused(&host, "iphone", "tap", json!({ "element": general }), "element_stale").await;
    assert!(error["message"].as_str().is_some_and(|text| text.contains("reconnects")), "{error}");
}

#[tokio::test]
async fn a_picture_that_is_not_read_in_time_is_no_page_without_the_text() {
    let (_sim, host) = blind().await;
    let hurried = json!({ "text": "General", "timeout_ms": 60 });
    refused(&host, "iphone", "find-text", hurried, "timeout").await;
    refused(&host, "iphone", "describe", json!({ "timeout_ms": 60 }), "timeout").await;
}

#[tokio::test]
async fn places_in_the_picture_are_those_of_a_phone_that_was_turned_by_hand() {
    let (sim, host) = blind().await;
    let bluetooth = ref_of(&host, "find-text", json!({ "text": "Bluetooth" })).await;
    sim.phone().set_orientation(driver_api::Orientation::LandscapeLeft).expect("it turns");
    let found = ask(&host, "find-text", json!({ "text": "Bluetooth", "source": "ocr" })).await;
    let tapped = ask(&host, "tap", json!({ "element": bluetooth })).await;
    assert_eq!(tapped["effect"]["state"], "changed", "{tapped}");
    let touches = sim.touches();
    let Some(Touch::Tap { at }) = touches.last() else { panic!("a tap: {touches:?}") };
    let off = |side: &str, at: f64| (found["matches"][0]["center"][side].as_f64().expect("a number") - at).abs();
    assert!(off("x", at.x) < 1.0 && off("y", at.y) < 1.0, "{at:?} is where it was found: {found}");
    let left = ask(&host, "wait", json!({ "gone": "Airplane Mode" })).await;
    assert_eq!(left["met"], json!(true), "the tap went to the row of Bluetooth: {left}");
}
