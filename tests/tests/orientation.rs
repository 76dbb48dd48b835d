//! An orientation that the phone's picture, its elements and what it says disagree about is reported and never guessed. The
//! iPhone is *simulated*.

use base64::{Engine, engine::general_purpose::STANDARD};
use driver_api::Orientation;
use e2e::{
    host::{Host, wda_devices},
    wda_sim::{Generation, SimOptions, Source, WdaSim},
};
use serde_json::{Value, json};

fn has_note(answer: &Value) -> bool {
    let notes = answer["notes"].as_array().expect("notes");
    notes.iter().any(|note| note["code"] == "orientation_unclear")
}

#[tokio::test]
async fn a_picture_that_lies_across_is_told_and_nothing_read_off_it_is_tapped() {
    let sim = WdaSim::start(SimOptions::of(Generation::V16)).await.unwrap();
    let host = Host::with(&wda_devices(&[("iphone", &sim.url())])).await;
    let (_, sound) = host.post("/devices/iphone/screenshot", json!({})).await;
    assert!(!has_note(&sound) && sound["orientation"] == "portrait", "{sound}");

    // A picture of the phone on its side, while everything else says that it stands.
    sim.phone().set_orientation(Orientation::LandscapeLeft).unwrap();
    let lying = sim.phone().picture();
    sim.phone().set_orientation(Orientation::Portrait).unwrap();
    assert!(lying.width > lying.height);
    sim.faults().answer(
        "GET /screenshot",
        200,
        json!({"value": STANDARD.encode(&lying.bytes), "sessionId": null}).to_string(),
    );
    let (status, across) = host.post("/devices/iphone/screenshot", json!({})).await;
    assert_eq!(status, 200, "{across}");
    assert!(has_note(&across), "{across}");
    // The picture keeps its shape, …
    assert_eq!((&across["width"], &across["height"]), (&json!(844), &json!(390)));
    // … and a place read off it is not turned into one on a screen that lies otherwise.
    sim.clear_log();
    let tap = json!({"x": 700, "y": 100, "space": "image", "frame": across["frame"]});
    let (_, refused) = host.post("/devices/iphone/tap", tap).await;
    assert_eq!((&refused["code"], &refused["outcome"]), (&json!("stale_frame"), &json!("not_done")), "{refused}");
    assert!(sim.touches().is_empty());
    sim.faults().clear_all();
    let (_, sound) = host.post("/devices/iphone/screenshot", json!({})).await;
    assert!(!has_note(&sound), "{sound}");
}

#[tokio::test]
async fn elements_that_lie_across_are_told() {
    let sim = WdaSim::start(SimOptions::of(Generation::V16)).await.unwrap();
    let host = Host::with(&wda_devices(&[("iphone", &sim.url())])).await;
    let (_, sound) = host.get("/devices/iphone/tree").await;
    assert!(!has_note(&sound), "{sound}");
    sim.faults().set_source(Some(Source::Json(json!({
        "type": "Application", "label": "Shop", "rect": {"x": 0, "y": 0, "width": 844, "height": 390},
        "children": [{"type": "Button", "label": "Buy", "rect": {"x": 700, "y": 20, "width": 100, "height": 40}}],
    }))));
    for what in [host.get("/devices/iphone/tree").await, host.post("/devices/iphone/describe", json!({})).await] {
        assert!(has_note(&what.1), "{what:?}");
    }
}

#[tokio::test]
async fn a_phone_that_was_turned_is_no_disagreement() {
    let sim = WdaSim::start(SimOptions::of(Generation::V16)).await.unwrap();
    let host = Host::with(&wda_devices(&[("iphone", &sim.url())])).await;
    let (_, upright) = host.post("/devices/iphone/screenshot", json!({})).await;
    for orientation in [Orientation::LandscapeRight, Orientation::Portrait, Orientation::LandscapeLeft] {
        sim.phone().set_orientation(orientation).unwrap();
        let (_, shot) = host.post("/devices/iphone/screenshot", json!({})).await;
        assert!(!has_note(&shot) && shot["orientation"] == orientation.name(), "{shot}");
        let (_, tree) = host.get("/devices/iphone/tree").await;
        assert!(!has_note(&tree), "{tree}");
    }
    let tap = json!({"x": 5, "y": 5, "space": "image", "frame": upright["frame"]});
    let (_, refused) = host.post("/devices/iphone/tap", tap).await;
    assert_eq!(refused["code"], "stale_frame", "{refused}");
}
