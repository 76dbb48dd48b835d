//! Pictures with refs drawn on them: the same refs as the tree's, in the places where the tree says. On the virtual phone,
//! and through the *simulated* iPhone.

use base64::{Engine, engine::general_purpose::STANDARD};
use driver_api::{Alert, Orientation, Rect, Screen};
use e2e::{
    host::Host,
    mcp::Mcp,
    phones::{BOTH, ok, phones},
    wda_sim::Source,
};
use fingertip::perception::picture::{Mark, Pixels, decode};
use serde_json::{Value, json};

fn pixels(base64: &Value) -> Pixels {
    decode(&STANDARD.decode(base64.as_str().expect("base64")).expect("base64")).expect("a picture")
}

/// What can be acted on and reached, as the tree tells it: bounds, ref, role.
async fn reachable(host: &Host, device: &str) -> Vec<(Rect, String, String)> {
    let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
    let (width, height) = (tree["screen"]["width"].as_f64().unwrap(), tree["screen"]["height"].as_f64().unwrap());
    let screen = Rect::new(0.0, 0.0, width, height);
    let elements = tree["elements"].as_array().expect("elements");
    let bounds_of = |element: &Value| serde_json::from_value::<Rect>(element["bounds"].clone()).expect("bounds");
    // What is seen of it: on the screen, and inside the lists around it.
    let seen = |element: &Value| {
        let mut part = bounds_of(element).intersection(&screen).expect("it is on the screen");
        let mut above = element["parent"].clone();
        while let Some(element) = elements.iter().find(|element| element["ref"] == above) {
            if element["role"] == "list" {
                part = part.intersection(&bounds_of(element)).expect("it is inside");
            }
            above = element["parent"].clone();
        }
        part
    };
    elements
        .iter()
        .filter(|element| {
            let is = |field: &str| element[field] == true;
            is("actionable") && !is("hidden") && !is("covered") && element["off_screen"].is_null()
        })
        .filter(|element| element["role"] != "key")
        .map(|element| {
            let text = |field: &str| element[field].as_str().expect("text").to_owned();
            (seen(element), text("ref"), text("role"))
        })
        .collect()
}

fn marks(elements: &[(Rect, String, String)]) -> Vec<Mark> {
    elements.iter().map(|(bounds, label, _)| Mark { bounds: *bounds, label: label.clone() }).collect()
}

/// Places at which two pictures of one size differ.
fn differing(a: &Pixels, b: &Pixels) -> Vec<(f64, f64)> {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let pixel = |pixels: &Pixels, n: usize| {
        let at = n * usize::from(pixels.channels);
        [pixels.data[at], pixels.data[at + 1], pixels.data[at + 2]]
    };
    (0..a.width as usize * a.height as usize)
        .filter(|n| pixel(a, *n) != pixel(b, *n))
        .map(|n| ((n % a.width as usize) as f64, (n / a.width as usize) as f64))
        .collect()
}

#[tokio::test]
async fn a_marked_picture_shows_the_trees_refs_where_the_tree_says_and_nothing_else() {
    let (sim, host) = phones("").await;
    let mcp = Mcp::new(&host, "agent");
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "Settings", "fresh": true })).await;
        for (scale, orientation) in [(1.0, Orientation::Portrait), (2.0, Orientation::LandscapeRight)] {
            if device == "iphone" {
                sim.phone().set_orientation(orientation).expect("turned");
            } else if orientation.is_landscape() {
                continue;
            }
            let plain = ok(&host, device, "screenshot", json!({ "format": "png", "scale": scale })).await;
            let wanted = json!({ "format": "png", "scale": scale, "marks": true });
            let marked = ok(&host, device, "screenshot", wanted.clone()).await;
            for field in ["width", "height", "scale", "orientation"] {
                assert_eq!(plain[field], marked[field], "{device} {field}");
            }
            assert_ne!(plain["frame"], marked["frame"]);
            let elements = reachable(&host, device).await;
            assert!(elements.len() >= 5, "{device}: {elements:?}");

            let (bare, drawn) = (pixels(&plain["picture"]["data"]), pixels(&marked["picture"]["data"]));
            let (width, height) = (f64::from(bare.width) / scale, f64::from(bare.height) / scale);
            let mut expected = bare.clone();
            expected.draw_marks(&marks(&elements), &Screen { width, height, scale, orientation });
            assert!(expected == drawn, "{device} {orientation:?}: other marks than the tree's elements have");

            // Boxes and labels only: what lies farther from every edge than a label is as it was.
            let changed = differing(&bare, &drawn);
            let near = 60.0 + 30.0 * scale;
            let in_reach = |(x, y): &(f64, f64)| {
                elements.iter().any(|(r, ..)| {
                    let grown = Rect::new(
                        r.x * scale - near,
                        r.y * scale - near,
                        r.width * scale + 2.0 * near,
                        r.height * scale + 2.0 * near,
                    );
                    grown.contains(driver_api::Point::new(*x, *y))
                })
            };
            assert!(changed.iter().all(in_reach), "{device}: something far from all elements is drawn");
            assert!(changed.len() * 3 < (bare.width * bare.height) as usize, "{device}: {} pixels", changed.len());
            // Each box: its left edge is there, at the lower half, where few labels are.
            for (r, name, _) in &elements {
                let (x, y) = ((r.x * scale).round(), ((r.y + r.height * 0.75) * scale).floor());
                assert!(changed.contains(&(x, y)), "{device} {name}: no edge at ({x}, {y})");
            }

            // The other door gives the same picture.
            let mut arguments = wanted;
            arguments["device_id"] = json!(device);
            let answer = mcp.call_raw("take_screenshot", arguments).await;
            let content = answer["result"]["content"].as_array().expect("content");
            let image = content.iter().find(|block| block["type"] == "image").expect("an image");
            assert_eq!(image["mimeType"], "image/png");
            assert!(pixels(&image["data"]) == drawn, "{device}: the doors differ");
        }
    }
}

#[tokio::test]
async fn refs_and_places_on_a_marked_picture_can_be_tapped() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "Settings", "fresh": true })).await;
        // The first look of all: the refs on the picture are given before any tree was asked for.
        let marked = ok(&host, device, "screenshot", json!({ "marks": true })).await;
        assert_eq!(marked["picture"]["media_type"], "image/jpeg");
        let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
        let general =
            tree["elements"].as_array().unwrap().iter().find(|element| element["label"] == "General").unwrap();
        let element = general["ref"].as_str().unwrap();
        let place = &general["center"];
        ok(&host, device, "tap", json!({ "element": element })).await;
        let there = ok(&host, device, "wait", json!({ "text": "About" })).await;
        assert_eq!(there["met"], true, "{device}: {there}");

        // A place read off the picture, by the frame that it came with.
        ok(&host, device, "launch", json!({ "app": "Settings", "fresh": true })).await;
        let marked = ok(&host, device, "screenshot", json!({ "marks": true, "scale": 2 })).await;
        let (x, y) = (place["x"].as_f64().unwrap() * 2.0, place["y"].as_f64().unwrap() * 2.0);
        ok(&host, device, "tap", json!({ "x": x, "y": y, "space": "image", "frame": marked["frame"] })).await;
        let there = ok(&host, device, "wait", json!({ "text": "About" })).await;
        assert_eq!(there["met"], true, "{device}: {there}");
    }
}

#[tokio::test]
async fn marks_cost_one_more_request_and_nothing_without_them() {
    let (sim, host) = phones("").await;
    ok(&host, "iphone", "launch", json!({ "app": "Settings" })).await;
    ok(&host, "iphone", "screenshot", json!({})).await;
    let asked = async |body: Value| -> Vec<String> {
        sim.clear_log();
        ok(&host, "iphone", "screenshot", body).await;
        sim.requests().iter().map(e2e::wda_sim::Request::name).collect()
    };
    assert_eq!(asked(json!({})).await, ["GET /screenshot"]);
    assert_eq!(asked(json!({ "marks": false })).await, ["GET /screenshot"]);
    assert_eq!(asked(json!({ "marks": true })).await, ["GET /screenshot", "GET /source"]);
}

#[tokio::test]
async fn only_what_can_be_reached_is_marked() {
    let (sim, host) = phones("").await;
    // With a keyboard up: the fields, and no key.
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "com.fingertip.signin", "fresh": true })).await;
        ok(&host, device, "tap", json!({ "element": "text_field \"Email\"" })).await;
        let plain = pixels(&ok(&host, device, "screenshot", json!({ "format": "png" })).await["picture"]["data"]);
        let answer = ok(&host, device, "screenshot", json!({ "format": "png", "marks": true })).await;
        let codes: Vec<&str> =
            answer["notes"].as_array().unwrap().iter().filter_map(|note| note["code"].as_str()).collect();
        assert!(codes.contains(&"keyboard_up"), "{device}: {codes:?}");
        let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
        let elements = tree["elements"].as_array().unwrap();
        let keyboard = elements.iter().find(|element| element["role"] == "keyboard").expect("a keyboard");
        let top = keyboard["bounds"]["y"].as_f64().expect("a number");
        let changed = differing(&plain, &pixels(&answer["picture"]["data"]));
        assert!(!changed.is_empty() && changed.iter().all(|(_, y)| *y < top), "{device}: keys are marked");
    }
    // With an alert up: its buttons only.
    ok(&host, "iphone", "launch", json!({ "app": "Settings", "fresh": true })).await;
    sim.phone().raise_alert(Alert { text: "Allow this?".to_owned(), buttons: vec!["No".to_owned(), "Yes".to_owned()] });
    let plain = pixels(&ok(&host, "iphone", "screenshot", json!({ "format": "png" })).await["picture"]["data"]);
    let answer = ok(&host, "iphone", "screenshot", json!({ "format": "png", "marks": true })).await;
    let (_, tree) = host.get("/devices/iphone/tree?format=json").await;
    let bounds = |element: &Value| serde_json::from_value::<Rect>(element["bounds"].clone()).expect("bounds");
    let elements = tree["elements"].as_array().unwrap();
    let alert = bounds(elements.iter().find(|element| element["role"] == "alert").expect("an alert"));
    let buttons: Vec<Rect> =
        elements.iter().filter(|element| element["label"] == "No" || element["label"] == "Yes").map(bounds).collect();
    assert_eq!(buttons.len(), 2, "{tree}");
    let changed = differing(&plain, &pixels(&answer["picture"]["data"]));
    for button in buttons {
        let edge = (button.x.round(), (button.y + button.height * 0.75).floor());
        assert!(changed.contains(&edge), "{button:?} has no edge at {edge:?}");
    }
    // A label may stand beside its button, but no row behind the alert is marked.
    let near = Rect::new(alert.x - 50.0, alert.y - 20.0, alert.width + 100.0, alert.height + 40.0);
    let stray = changed.iter().find(|(x, y)| !near.contains(driver_api::Point::new(*x, *y)));
    assert_eq!(stray, None, "{alert:?}");
}

/// A tree that lies otherwise than the picture would put boxes anywhere: none are drawn, and the answer says why.
#[tokio::test]
async fn nothing_is_drawn_where_elements_and_picture_disagree() {
    let (sim, host) = phones("").await;
    let plain = ok(&host, "iphone", "screenshot", json!({ "format": "png" })).await;
    sim.faults().set_source(Some(Source::Json(json!({
        "type": "Application", "label": "Shop", "rect": {"x": 0, "y": 0, "width": 844, "height": 390},
        "children": [{"type": "Button", "label": "Buy", "rect": {"x": 100, "y": 20, "width": 100, "height": 40}}],
    }))));
    let marked = ok(&host, "iphone", "screenshot", json!({ "format": "png", "marks": true })).await;
    let notes = marked["notes"].as_array().expect("notes");
    assert!(notes.iter().any(|note| note["code"] == "orientation_unclear"), "{notes:?}");
    assert_eq!(plain["picture"], marked["picture"]);
    // A tree that cannot be read is an error, not a picture without marks.
    sim.faults().set_source(Some(Source::Raw("nothing of use".to_owned())));
    let (status, refused) = host.post("/devices/iphone/screenshot", json!({ "marks": true })).await;
    assert!(status >= 400 && refused["code"].is_string(), "{status} {refused}");
    assert_eq!(host.post("/devices/iphone/screenshot", json!({})).await.0, 200);
}
