//! Finding what only the picture shows: texts and icons, on the virtual phone and through the *simulated* iPhone, with its tree and
//! without one.

use base64::{Engine, engine::general_purpose::STANDARD};
use e2e::{
    host::{Host, Setup},
    phones::{BOTH, ok, phones, refused},
    wda_sim::Source,
};
use fingertip::{
    neutral::PictureFormat,
    perception::picture::{Pixels, decode},
};
use serde_json::{Value, json};

const SETTINGS: &str = "com.fingertip.settings";

/// A page of which the phone tells nothing but that it is there.
fn blind() -> Source {
    Source::Json(json!({ "type": "Application", "label": " ", "rect": {"x": 0, "y": 0, "width": 390, "height": 844} }))
}

async fn find(host: &Host, device: &str, what: &str, arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["timeout_ms"] = json!(120_000);
    ok(host, device, what, arguments).await
}

/// Where the element of this label lies, by the tree.
async fn place(host: &Host, device: &str, label: &str) -> [f64; 4] {
    let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
    let elements = tree["elements"].as_array().expect("elements");
    let bounds = &elements.iter().find(|element| element["label"] == label).expect(label)["bounds"];
    ["x", "y", "width", "height"].map(|side| bounds[side].as_f64().expect("a number"))
}

fn lies_in(found: &Value, [x, y, width, height]: [f64; 4]) -> bool {
    let (at_x, at_y) = (found["center"]["x"].as_f64().expect("x"), found["center"]["y"].as_f64().expect("y"));
    (x..x + width).contains(&at_x) && (y..y + height).contains(&at_y)
}

#[tokio::test]
async fn a_text_is_found_in_the_picture_where_the_tree_says_and_what_is_not_there_is_not() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": SETTINGS, "fresh": true })).await;
        for text in ["Airplane Mode", "bluetooth", "Notifications", "Garden House"] {
            let found = find(&host, device, "find-text", json!({ "text": text, "source": "ocr" })).await;
            let best = &found["matches"][0];
            assert_eq!(best["source"], "ocr", "{device} {text}: {found}");
            let holder = match text {
                "Garden House" => "Wi-Fi",
                "bluetooth" => "Bluetooth",
                text => text,
            };
            assert!(lies_in(best, place(&host, device, holder).await), "{device} {text}: {best}");
        }
        for absent in ["Password", "Sign out", "Zebra", "airplanes mode"] {
            let found = find(&host, device, "find-text", json!({ "text": absent, "source": "ocr" })).await;
            assert_eq!(found["matches"], json!([]), "{device} {absent}: {found}");
        }
        // What the tree tells needs no picture; what only the picture shows takes the element under it.
        let told = find(&host, device, "find-text", json!({ "text": "General" })).await;
        assert_eq!(told["matches"][0]["source"], "tree", "{device}: {told}");
    }
}

#[tokio::test]
async fn a_page_without_a_tree_is_read_and_tapped() {
    let (sim, host) = phones("").await;
    ok(&host, "iphone", "launch", json!({ "app": SETTINGS, "fresh": true })).await;
    for source in [blind(), Source::Raw("no tree at all".to_owned())] {
        sim.faults().set_source(Some(source));
        let found = find(&host, "iphone", "find-text", json!({ "text": "General" })).await;
        let best = &found["matches"][0];
        assert_eq!((&best["source"], &best["text"]), (&json!("ocr"), &json!("General")), "{found}");
        let center = json!({ "x": best["center"]["x"], "y": best["center"]["y"] });
        ok(&host, "iphone", "tap", center).await;
        let about = find(&host, "iphone", "find-text", json!({ "text": "About", "source": "ocr" })).await;
        assert_eq!(about["matches"][0]["text"], "About", "{about}");
        // Back again, by the shape of what leads there.
        let back = find(&host, "iphone", "find-icon", json!({ "name": "back" })).await;
        let best = &back["matches"][0];
        assert_eq!(best["source"], "shape", "{back}");
        ok(&host, "iphone", "tap", json!({ "x": best["center"]["x"], "y": best["center"]["y"] })).await;
        let there = find(&host, "iphone", "find-text", json!({ "text": "Airplane Mode", "source": "ocr" })).await;
        assert_eq!(there["matches"].as_array().map(Vec::len), Some(1), "{there}");
    }
    let miss = find(&host, "iphone", "find-text", json!({ "text": "Generall", "source": "ocr" })).await;
    assert_eq!(miss["near"][0]["text"], "General", "{miss}");
}

#[tokio::test]
async fn an_icon_is_found_by_a_picture_of_it() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": SETTINGS, "fresh": true })).await;
        ok(&host, device, "tap", json!({ "text": "General" })).await;
        let shot = ok(&host, device, "screenshot", json!({ "format": "png", "scale": 2 })).await;
        let whole = decode(&STANDARD.decode(shot["picture"]["data"].as_str().expect("data")).expect("base64"));
        let whole = whole.expect("a picture");
        let icon = find(&host, device, "find-icon", json!({ "name": "back" })).await;
        let best = &icon["matches"][0];
        let [x, y, width, height] =
            ["x", "y", "width", "height"].map(|side| best["bounds"][side].as_f64().expect("a number"));
        // The left part of the button is its arrow.
        let (x, y, width, height) =
            ((x * 2.0) as u32, (y * 2.0) as u32, 60.min((width * 2.0) as u32), (height * 2.0) as u32);
        let mut data = Vec::new();
        for row in y..(y + height).min(whole.height) {
            let from = (row * whole.width + x) as usize * usize::from(whole.channels);
            data.extend_from_slice(&whole.data[from..from + (width * u32::from(whole.channels)) as usize]);
        }
        let part = Pixels::new(width, height, whole.channels, data).expect("a part");
        let part = STANDARD.encode(part.encode(PictureFormat::Png, 0).expect("a picture").bytes);
        let found = find(&host, device, "find-icon", json!({ "picture": part })).await;
        let hit = &found["matches"][0];
        let near = |side: &str, middle: f64| (hit["center"][side].as_f64().unwrap_or(-99.0) - middle).abs() < 6.0;
        let (middle_x, middle_y) =
            (f64::from(x) / 2.0 + f64::from(width) / 4.0, f64::from(y) / 2.0 + f64::from(height) / 4.0);
        assert!(near("x", middle_x) && near("y", middle_y), "{device}: {found}");
    }
    for (bad, part) in [("no base64!", "base64"), ("aGVsbG8=", "PNG or JPEG"), ("", "")] {
        let error = refused(&host, "iphone", "find-icon", json!({ "picture": bad }), "invalid_arguments").await;
        assert!(error.to_string().contains(part), "{error}");
    }
    for neither in [json!({}), json!({ "name": "back", "picture": "aGVsbG8=" })] {
        refused(&host, "iphone", "find-icon", neither, "invalid_arguments").await;
    }
}

/// The picture of a fresh virtual phone's settings in a folder, and its tree in the neutral form beside it.
fn saved(folder: &std::path::Path) -> (String, String) {
    let mut phone = virtual_phone::Phone::new(virtual_phone::PhoneOptions::default());
    let launch = driver_api::Launch { app: SETTINGS.to_owned(), ..Default::default() };
    phone.launch(&launch).expect("it is there");
    phone.advance(std::time::Duration::from_secs(2));
    let (image, tree) = (folder.join("screen.png"), folder.join("tree.json"));
    std::fs::write(&image, &phone.picture().bytes[..]).expect("written");
    std::fs::write(&tree, serde_json::to_vec(&phone.tree()).expect("JSON")).expect("written");
    (image.display().to_string(), tree.display().to_string())
}

#[tokio::test]
async fn saved_pictures_are_searched_by_the_same_code() {
    let setup = Setup::new("");
    let (image, tree) = saved(setup.folder());
    let run = async |arguments: &[&str]| {
        let ended = setup.run(&[&["perceive"], arguments].concat()).await;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (ended.status.success(), text(ended.stdout), text(ended.stderr))
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let (fine, out, err) = run(&["text", "--image", &image, "--query", "notifications", "--json"]).await;
    assert!(fine && err.is_empty(), "{err}");
    let alone = json(&out)["matches"][0].clone();
    assert_eq!((&alone["text"], &alone["source"]), (&json!("Notifications"), &json!("ocr")), "{out}");
    let (_, out, _) = run(&["text", "--image", &image, "--tree", &tree, "--query", "notifications", "--json"]).await;
    let together = json(&out)["matches"][0].clone();
    let bounds = |found: &Value, side: &str| found["bounds"][side].as_f64().expect("a number");
    let inside = bounds(&alone, "y") >= bounds(&together, "y") - 8.0
        && bounds(&alone, "y") + bounds(&alone, "height") <= bounds(&together, "y") + bounds(&together, "height") + 8.0;
    assert!(inside, "both are in pixels of the picture: {alone} {together}");
    let (fine, out, _) = run(&["text", "--image", &image, "--query", "zebra"]).await;
    assert!(fine && out.starts_with("nothing was found"), "{out}");
    let (fine, out, _) = run(&["icon", "--image", &image, "--query", "wifi", "--json"]).await;
    assert!(fine && json(&out)["matches"][0]["source"] == "shape", "{out}");

    let batch = setup.folder().join("batch.jsonl");
    let lines = [
        json!({ "image": image, "kind": "text", "query": "General" }).to_string(),
        json!({ "image": image, "tree": tree, "kind": "icon", "query": "bluetooth" }).to_string(),
        json!({ "image": image, "kind": "icon", "reference": image }).to_string(),
        json!({ "image": setup.folder(), "kind": "text", "query": "x" }).to_string(),
        "{}".to_owned(),
    ];
    std::fs::write(&batch, lines.join("\n\n")).expect("written");
    let (fine, out, _) = run(&["text", "--batch", &batch.display().to_string()]).await;
    let answers: Vec<Value> = out.lines().map(json).collect();
    assert!(fine && answers.len() == lines.len(), "{out}");
    assert_eq!(answers[0]["matches"][0]["text"], "General", "{out}");
    assert!(answers.iter().all(|answer| answer["took_ms"].is_number()), "{out}");
    assert!(answers[3..].iter().all(|answer| answer["error"].is_string()), "{out}");

    let (fine, out, _) = run(&["describe", "--image", &image]).await;
    assert!(fine && out.contains("title \"Settings\"") && out.contains("\"Airplane Mode\""), "{out}");
    let (fine, out, _) = run(&["describe", "--image", &image, "--tree", &tree, "--json", "--max-tokens", "120"]).await;
    let told = json(&out);
    assert!(fine && told["actions"].as_array().is_some_and(|actions| !actions.is_empty()), "{out}");
    assert!(told["omitted"].as_u64().is_some_and(|omitted| omitted > 0), "{out}");
    let (fine, _, err) = run(&["icon", "--image", &image]).await;
    assert!(!fine && err.contains("--query") && err.contains("--reference"), "{err}");
}

/// A picture of one colour.
fn plain(width: u32, height: u32, value: u8) -> Vec<u8> {
    let pixels = Pixels::new(width, height, 3, vec![value; (width * height * 3) as usize]).expect("pixels");
    pixels.encode(PictureFormat::Png, 0).expect("a picture").bytes
}

#[tokio::test]
async fn pictures_that_show_nothing_are_refused_with_what_is_wrong_and_black_ones_are_noted() {
    let setup = Setup::new("");
    let (image, _) = saved(setup.folder());
    let file = setup.folder().join("bad.png").display().to_string();
    let questions: [&[&str]; 3] = [&["text", "--query", "back"], &["icon", "--query", "back"], &["describe"]];
    for (bytes, part) in [
        (Vec::new(), "is empty"),
        (b"no picture".to_vec(), "not a PNG or JPEG"),
        (std::fs::read(&image).expect("readable")[..500].to_vec(), "cut off"),
        (plain(1, 1, 255), "too small"),
        (plain(1, 5000, 255), "too small"),
        (plain(8000, 8000, 255), "make it smaller"),
    ] {
        std::fs::write(&file, bytes).expect("written");
        for question in questions {
            let ended = setup.run(&[&["perceive"], question, &["--image", &file]].concat()).await;
            let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
            assert!(!ended.status.success() && out.is_empty(), "{part}: {out}");
            assert!(err.starts_with("fingertip: ") && err.lines().count() == 1 && err.contains(part), "{part}: {err}");
        }
    }
    std::fs::write(&file, plain(390, 844, 0)).expect("written");
    for question in questions {
        let ended = setup.run(&[&["perceive"], question, &["--image", &file]].concat()).await;
        let out = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && out.contains("picture_black") && out.contains("forbid capture"), "{out}");
    }
}
