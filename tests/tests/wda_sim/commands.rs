//! What commands do to the phone and what they answer.

use crate::http::Reply;
use crate::{Rig, options};
use driver_api::{Alert, Point, Swipe};
use e2e::wda_sim::{Generation, Touch};
use serde_json::{Value, json};
use std::time::Duration;

fn count(node: &Value) -> usize {
    1 + node["children"].as_array().into_iter().flatten().map(count).sum::<usize>()
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn both_trees_have_the_same_elements() {
    let mut rig = Rig::ready();
    for app in
        ["com.apple.springboard", "com.apple.Preferences", "com.apple.MobileAddressBook", "com.apple.mobilesafari"]
    {
        rig.launch(app);
        let xml = rig.ask("/source").ok();
        let xml = xml.as_str().unwrap_or_default();
        let tree = rig.ask("/source?format=json").ok();
        let tags = xml.lines().filter(|line| line.trim_start().starts_with("<XCUI")).count();
        assert_eq!(tags, count(&tree), "{app}");
        assert!(tags > 10, "{app}: {tags}");
        assert!(xml.contains(&format!("bundleId=\"{app}\"")), "{app}");
        assert_eq!(tree["type"], "Application");
        let nodes = rig.sim.phone().tree().nodes.len();
        assert_eq!(tags, nodes + 1, "{app}: the phone's own tree and the application");
    }
}

#[test]
fn the_forms_of_the_source() {
    let mut rig = Rig::ready();
    let text = |reply: Reply| reply.ok().as_str().unwrap_or_default().to_owned();
    let wrapped = text(rig.get("/source?format=xml&scope=AppiumAUT"));
    assert!(wrapped.contains("\n<AppiumAUT>\n  <XCUIElementTypeApplication") && wrapped.ends_with("</AppiumAUT>\n"));
    let short = text(rig.get("/source?excluded_attributes=visible,accessible"));
    assert!(!short.contains("visible=") && !short.contains("accessible=") && short.contains("enabled="));
    assert!(text(rig.get("/source?format=description")).contains("Application"));
    assert_eq!(rig.get("/source?format=yaml").error(), (400, "invalid argument".to_owned()));
    let excluded = rig.get("/source?format=json&excluded_attributes=visible,frame").ok();
    assert!(excluded.get("isVisible").is_none() && excluded.get("isEnabled").is_some());
    assert!(rig.get("/wda/accessibleSource").ok()["children"].is_array());
}

#[test]
fn the_depth_of_snapshots() {
    let mut rig = Rig::ready();
    rig.launch("com.apple.Preferences");
    let mut elements = |depth: u32| {
        rig.tell("/appium/settings", json!({ "settings": { "snapshotMaxDepth": depth } })).ok();
        let reply = rig.ask("/source?format=json");
        if reply.status == 200 { Ok(count(&reply.ok())) } else { Err(reply.error()) }
    };
    assert_eq!(elements(1), Ok(2));
    assert!(elements(62).is_ok_and(|count| count > 30));
    assert_eq!(elements(63), Err((404, "stale element reference".to_owned())));
}

#[test]
fn pictures_and_sizes() {
    let mut options = options(Generation::V16);
    options.phone.scale = 2.0;
    let mut rig = Rig::new(options);
    rig.begin(json!({}));
    let png = |reply: Reply| {
        use base64::Engine;
        let text = reply.ok();
        let bytes = base64::engine::general_purpose::STANDARD.decode(text.as_str().unwrap_or_default());
        let bytes = bytes.unwrap_or_else(|error| panic!("{error}"));
        let side = |at: usize| bytes[at..at + 4].iter().fold(0, |sum, byte| sum * 256 + u32::from(*byte));
        assert_eq!(&bytes[..4], b"\x89PNG");
        (side(16), side(20))
    };
    assert_eq!(png(rig.get("/screenshot")), (780, 1688));
    assert_eq!(rig.ask("/window/size").ok(), json!({ "width": 390, "height": 844 }));
    assert_eq!(rig.get("/wda/screen").ok()["scale"], 2);
    rig.launch("com.apple.Preferences");
    let cell = rig.find("name", "general");
    assert_eq!(png(rig.ask(&format!("/element/{cell}/screenshot"))), (716, 96));
    // Turned, the window is turned and the screen of the home screen is not.
    rig.tell("/orientation", json!({ "orientation": "LANDSCAPE" })).ok();
    assert_eq!(png(rig.ask("/screenshot")), (1688, 780));
    assert_eq!(rig.ask("/window/rect").ok(), json!({ "x": 0, "y": 0, "width": 844, "height": 390 }));
    assert_eq!(rig.get("/wda/screen").ok()["screenSize"], json!({ "width": 390, "height": 844 }));
    assert_eq!(rig.ask("/orientation").ok(), "LANDSCAPE");
    assert_eq!(rig.ask("/wda/deviceOrientation").ok(), "UIDeviceOrientationLandscapeLeft");
    rig.tell("/orientation", json!({ "orientation": "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT" })).ok();
    assert_eq!(rig.ask("/rotation").ok(), json!({ "x": 0, "y": 0, "z": 270 }));
    let odd = rig.tell("/orientation", json!({ "orientation": "SIDEWAYS" }));
    assert_eq!(odd.error(), (400, "invalid argument".to_owned()));
}

#[test]
fn touches_by_coordinates() {
    let mut rig = Rig::ready();
    let at = Point::new(5.0, 6.0);
    for (route, body, touch) in [
        ("/wda/tap", json!({ "x": 5, "y": 6 }), Touch::Tap { at }),
        ("/wda/doubleTap", json!({ "x": 5.0, "y": 6 }), Touch::DoubleTap { at }),
        ("/wda/touchAndHold", json!({ "x": 5, "y": 6, "duration": 0.7 }), Touch::LongPress { at, hold: ms(700) }),
        (
            "/wda/tapWithNumberOfTaps",
            json!({ "x": 5, "y": 6, "numberOfTaps": 2, "numberOfTouches": 1 }),
            Touch::DoubleTap { at },
        ),
        (
            "/wda/dragfromtoforduration",
            json!({ "fromX": 5, "fromY": 6, "toX": 5, "toY": 306, "duration": 0.5 }),
            Touch::Swipe(Swipe { from: at, to: Point::new(5.0, 306.0), hold: ms(500), duration: ms(500) }),
        ),
        (
            "/wda/pressAndDragWithVelocity",
            json!({ "fromX": 5, "fromY": 6, "toX": 5, "toY": 306, "pressDuration": 0.1, "velocity": 300, "holdDuration": 0 }),
            Touch::Swipe(Swipe { from: at, to: Point::new(5.0, 306.0), hold: ms(100), duration: ms(1000) }),
        ),
    ] {
        rig.sim.clear_log();
        assert_eq!(rig.tell(route, body).ok(), Value::Null, "{route}");
        assert_eq!(rig.sim.touches(), [touch], "{route}");
    }
    rig.sim.clear_log();
    for (route, body) in [
        ("/wda/tap", json!({ "x": 5 })),
        ("/wda/tap", json!({ "x": "a", "y": 5 })),
        ("/wda/touchAndHold", json!({ "x": 5, "y": 6 })),
        ("/wda/dragfromtoforduration", json!({ "fromX": 5 })),
        ("/wda/swipe", json!({ "direction": "north" })),
        ("/wda/scroll", json!({})),
        ("/wda/tapWithNumberOfTaps", json!({})),
    ] {
        assert_eq!(rig.tell(route, body.clone()).error(), (400, "invalid argument".to_owned()), "{route} {body}");
    }
    assert!(rig.sim.touches().is_empty());
}

#[test]
fn swipes_and_pinches() {
    let mut rig = Rig::ready();
    rig.launch("com.apple.Preferences");
    rig.sim.clear_log();
    let general = rig.find("name", "general");
    let y = |rig: &mut Rig| rig.ask(&format!("/element/{general}/rect")).ok()["y"].as_i64().unwrap_or_default();
    let before = y(&mut rig);
    rig.tell("/wda/swipe", json!({ "direction": "up" })).ok();
    assert!(y(&mut rig) < before);
    rig.tell("/wda/scroll", json!({ "direction": "up", "distance": 2 })).ok();
    assert_eq!(y(&mut rig), before);
    let game = rig.find("name", "com.fingertip.game");
    assert_eq!(rig.ask(&format!("/element/{game}/displayed")).ok(), false);
    rig.tell(&format!("/wda/element/{game}/scroll"), json!({ "toVisible": true })).ok();
    assert_eq!(rig.ask(&format!("/element/{game}/displayed")).ok(), true);
    rig.sim.clear_log();
    rig.tell("/wda/pinch", json!({ "scale": 2, "velocity": 1 })).ok();
    rig.tell("/wda/rotate", json!({ "rotation": 1.5, "velocity": 1 })).ok();
    assert_eq!(rig.tell("/wda/pinch", json!({ "scale": 0.5, "velocity": 1 })).error().0, 500);
    let fingers: Vec<usize> = rig
        .sim
        .touches()
        .iter()
        .map(|touch| if let Touch::Gesture(fingers) = touch { fingers.len() } else { 0 })
        .collect();
    assert_eq!(fingers, [2, 2]);
}

fn pointer(items: Value) -> Value {
    json!({ "actions": [{ "type": "pointer", "id": "f", "parameters": { "pointerType": "touch" }, "actions": items }] })
}

#[test]
fn w3c_actions() {
    let mut rig = Rig::ready();
    let go = |x: u32, y: u32, duration: u32| json!({ "type": "pointerMove", "x": x, "y": y, "duration": duration });
    let pause = |duration: u32| json!({ "type": "pause", "duration": duration });
    let (down, up) = (json!({ "type": "pointerDown" }), json!({ "type": "pointerUp" }));
    let at = Point::new(5.0, 6.0);
    let to = Point::new(5.0, 206.0);
    for (items, touch) in [
        (json!([go(5, 6, 0), down, pause(100), up]), Touch::Tap { at }),
        (json!([go(5, 6, 0), down, pause(800), up]), Touch::LongPress { at, hold: ms(800) }),
        (json!([go(5, 6, 0), down, pause(50), up, pause(100), down, pause(50), up]), Touch::DoubleTap { at }),
        (
            json!([go(5, 6, 0), down, go(5, 206, 1000), up]),
            Touch::Swipe(Swipe { from: at, to, hold: ms(0), duration: ms(1000) }),
        ),
        (
            json!([go(5, 6, 0), down, pause(600), go(5, 206, 400), up]),
            Touch::Swipe(Swipe { from: at, to, hold: ms(600), duration: ms(400) }),
        ),
    ] {
        rig.sim.clear_log();
        assert_eq!(rig.tell("/actions", pointer(items.clone())).ok(), Value::Null);
        assert_eq!(rig.sim.touches(), [touch], "{items}");
    }
    rig.sim.clear_log();
    let bad = rig.tell("/actions", pointer(json!([down, up])));
    assert_eq!(bad.error(), (500, "unknown error".to_owned()));
    assert!(bad.value()["message"].as_str().is_some_and(|message| message.starts_with("Error Domain=com.facebook")));
    assert!(rig.sim.touches().is_empty());
    // From an element's middle.
    rig.launch("com.apple.Preferences");
    let cell = rig.find("name", "general");
    let from_cell = json!({ "type": "pointerMove", "x": 0, "y": 0, "origin": cell });
    rig.tell("/actions", pointer(json!([from_cell, down, pause(50), up]))).ok();
    assert!(rig.tell("/element", json!({ "using": "name", "value": "About" })).status == 200);
}

#[test]
fn text_arrives() {
    let mut rig = Rig::ready();
    let field = rig.email();
    let value = |rig: &mut Rig| rig.ask(&format!("/element/{field}/attribute/value")).ok();
    assert_eq!(value(&mut rig), "name@example.com", "an empty field tells its placeholder");
    rig.tell("/wda/keys", json!({ "value": ["h", "é", " ", "😀", "日本"] })).ok();
    assert_eq!(value(&mut rig), "hé 😀日本");
    rig.tell("/wda/keys", json!({ "value": ["\u{8}\u{7f}", "x"] })).ok();
    assert_eq!(value(&mut rig), "hé 😀x");
    rig.tell(&format!("/element/{field}/clear"), json!({})).ok();
    assert_eq!(value(&mut rig), "name@example.com");
    rig.tell(&format!("/element/{field}/clear"), json!({})).ok();
    rig.tell(&format!("/element/{field}/value"), json!({ "value": ["a", "b"] })).ok();
    rig.tell(&format!("/element/{field}/value"), json!({ "text": "c" })).ok();
    rig.tell(
        &format!("/wda/element/{field}/keyboardInput"),
        json!({ "keys": ["d", { "key": "XCUIKeyboardKeyDelete" }] }),
    )
    .ok();
    assert_eq!(value(&mut rig), "abc");
    let keys = json!({ "actions": [{ "type": "key", "id": "k", "actions": [
        { "type": "keyDown", "value": "z" }, { "type": "keyUp", "value": "z" },
    ] }] });
    rig.tell("/actions", keys).ok();
    assert_eq!(value(&mut rig), "abcz");
    let secure = rig.find("class name", "XCUIElementTypeSecureTextField");
    rig.tell(&format!("/element/{secure}/value"), json!({ "value": "hunter2" })).ok();
    assert_eq!(rig.ask(&format!("/element/{secure}/text")).ok(), "•••••••");
    assert_eq!(rig.tell("/wda/keys", json!({ "value": "text" })).error(), (500, "unknown error".to_owned()));
    assert_eq!(rig.tell(&format!("/element/{field}/value"), json!({})).error().0, 400);
}

#[test]
fn focus_and_the_keyboard() {
    let mut rig = Rig::ready();
    assert_eq!(rig.ask("/element/active").error(), (404, "no such element".to_owned()));
    let field = rig.email();
    assert_eq!(rig.ask("/element/active").ok()["ELEMENT"], field.as_str());
    assert_eq!(rig.tell("/element", json!({ "using": "class name", "value": "XCUIElementTypeKeyboard" })).status, 200);
    rig.tell("/wda/keyboard/dismiss", json!({})).ok();
    assert_eq!(rig.tell("/element", json!({ "using": "class name", "value": "XCUIElementTypeKeyboard" })).status, 404);
}

#[test]
fn typing_with_nothing_focused_is_lost_or_refused() {
    let keys = json!({ "value": ["x"] });
    assert_eq!(Rig::ready().tell("/wda/keys", keys.clone()).status, 200);
    let refused = Rig::of(Generation::V4).tell("/wda/keys", keys.clone());
    assert_eq!(refused.error(), (400, "invalid element state".to_owned()));
    let mut options = options(Generation::V16);
    options.keyboard_check = Some(true);
    let mut rig = Rig::new(options);
    rig.begin(json!({}));
    let message = rig.tell("/wda/keys", keys).value()["message"].clone();
    assert!(message.as_str().is_some_and(|message| message.contains("on-screen keyboard must be present")));
}

#[test]
fn elements() {
    let mut rig = Rig::ready();
    rig.launch("com.apple.Preferences");
    let find = |using: &str, value: &str| json!({ "using": using, "value": value });
    let general = rig.find("class chain", "**/XCUIElementTypeAny[`label == 'General'`]");
    assert_eq!(rig.find("name", "general"), general, "one element has one id");
    assert_eq!(rig.ask(&format!("/element/{general}/name")).ok(), "XCUIElementTypeCell");
    assert_eq!(rig.ask(&format!("/element/{general}/attribute/label")).ok(), "General");
    assert_eq!(rig.ask(&format!("/element/{general}/enabled")).ok(), true);
    assert_eq!(rig.ask(&format!("/element/{general}/attribute/nonsense")).error(), (500, "unknown error".to_owned()));
    let rect = rig.ask(&format!("/element/{general}/rect")).ok();
    assert!(rect["width"].as_i64().is_some_and(|width| width > 100));
    let inner = rig.tell(&format!("/element/{general}/elements"), find("class name", "XCUIElementTypeStaticText")).ok();
    assert_eq!(inner.as_array().map(Vec::len), Some(1));
    let key = "element-6066-11e4-a52e-4f735466cecf";
    assert_eq!(inner[0][key], inner[0]["ELEMENT"]);
    assert_eq!(rig.tell("/elements", find("name", "nothing")).ok(), json!([]));
    for (body, error) in [
        (find("name", "nothing"), (404, "no such element")),
        (find("css selector", "a"), (400, "invalid argument")),
        (find("class name", "Button"), (400, "invalid argument")),
        (find("class chain", "**/Nothing"), (400, "invalid selector")),
        (find("xpath", "//["), (400, "invalid selector")),
        (find("predicate string", "label =="), (500, "unknown error")),
        (json!({}), (400, "invalid argument")),
    ] {
        let (status, name) = rig.tell("/element", body.clone()).error();
        assert_eq!((status, name.as_str()), error, "{body}");
    }
    rig.tell(&format!("/element/{general}/click"), json!({})).ok();
    assert_eq!(rig.ask(&format!("/element/{general}/rect")).error(), (404, "stale element reference".to_owned()));
    assert_eq!(rig.ask("/element/00000000-0000-0000-0000-000000000000/rect").error().1, "stale element reference");
    // Finding can tell more at once.
    rig.tell(
        "/appium/settings",
        json!({ "settings": {
        "shouldUseCompactResponses": false, "elementResponseAttributes": "type,label,rect,enabled",
    } }),
    )
    .ok();
    let about = rig.tell("/element", find("name", "about")).ok();
    assert_eq!(about["type"], "XCUIElementTypeCell");
    assert!(about["rect"]["y"].is_i64());
}

#[test]
fn a_click_scrolls_to_what_is_out_of_sight() {
    let mut rig = Rig::ready();
    rig.launch("com.apple.Preferences");
    let game = rig.find("name", "com.fingertip.game");
    rig.tell(&format!("/element/{game}/click"), json!({})).ok();
    assert!(matches!(rig.sim.touches().as_slice(), [Touch::Swipe(_), .., Touch::Tap { .. }]));
}

#[test]
fn alerts() {
    let mut rig = Rig::ready();
    let none = (404, "no such alert".to_owned());
    assert_eq!(rig.ask("/alert/text").error(), none);
    assert_eq!(rig.get("/alert/text").error(), none);
    assert_eq!(rig.ask("/wda/alert/buttons").error(), none);
    assert_eq!(rig.tell("/alert/accept", json!({})).error(), none);
    assert_eq!(rig.tell("/alert/text", json!({ "value": "x" })).error(), none);
    let raise = |rig: &Rig| {
        let buttons = vec!["Don’t Allow".to_owned(), "Allow Once".to_owned(), "Allow".to_owned()];
        rig.sim.phone().raise_alert(Alert { text: "May it?\nIt would like to.".to_owned(), buttons });
    };
    raise(&rig);
    assert_eq!(rig.get("/wda/alert/buttons").error().1, "unknown command", "only within a session");
    assert_eq!(rig.ask("/alert/text").ok(), "May it?\nIt would like to.");
    assert_eq!(rig.ask("/wda/alert/buttons").ok(), json!(["Don’t Allow", "Allow Once", "Allow"]));
    assert!(rig.ask("/source").ok().as_str().is_some_and(|xml| xml.contains("XCUIElementTypeAlert")));
    assert_eq!(rig.tell("/alert/text", json!({ "value": "x" })).error(), (500, "unsupported operation".to_owned()));
    let missing = rig.tell("/alert/accept", json!({ "name": "Never" }));
    assert_eq!(missing.error(), (400, "invalid element state".to_owned()));
    assert!(rig.sim.phone().alert().is_some());
    for (route, body) in [
        ("/alert/accept", json!({})),
        ("/alert/dismiss", json!({})),
        ("/alert/accept", json!({ "name": "Allow Once" })),
    ] {
        rig.tell(route, body).ok();
        assert!(rig.sim.phone().alert().is_none(), "{route}");
        raise(&rig);
    }
}

#[test]
fn a_session_can_have_alerts_answered() {
    let mut options = options(Generation::V16);
    options.alert_period = ms(5);
    let mut rig = Rig::new(options);
    rig.begin(json!({ "defaultAlertAction": "accept" }));
    rig.sim.phone().raise_alert(Alert { text: "Well?".to_owned(), buttons: vec!["OK".to_owned()] });
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while rig.sim.phone().alert().is_some() {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(ms(2));
    }
    assert_eq!(rig.ask("/alert/text").status, 404);
}

#[test]
fn apps() {
    let mut rig = Rig::ready();
    let body = |bundle: &str| json!({ "bundleId": bundle });
    let front = |rig: &mut Rig| rig.get("/wda/activeAppInfo").ok()["bundleId"].as_str().unwrap_or_default().to_owned();
    let state =
        |rig: &mut Rig, bundle: &str| rig.tell("/wda/apps/state", body(bundle)).ok().as_i64().unwrap_or_default();
    assert_eq!(front(&mut rig), "com.apple.springboard");
    assert_eq!(state(&mut rig, "com.apple.springboard"), 4);
    assert_eq!(state(&mut rig, "com.apple.mobilenotes"), 1);
    rig.launch("com.apple.mobilenotes");
    assert_eq!(front(&mut rig), "com.apple.mobilenotes");
    assert_eq!(state(&mut rig, "com.fingertip.notes"), 4, "both names are one app");
    assert_eq!(state(&mut rig, "com.apple.springboard"), 3);
    let pid = rig.ask("/wda/apps/list").ok()[0]["pid"].clone();
    rig.launch("com.fingertip.settings");
    assert_eq!(front(&mut rig), "com.fingertip.settings");
    assert_eq!(state(&mut rig, "com.apple.mobilenotes"), 3);
    rig.launch("com.apple.mobilenotes");
    assert_eq!(rig.ask("/wda/apps/list").ok(), json!([{ "pid": pid, "bundleId": "com.apple.mobilenotes" }]));
    assert_eq!(rig.tell("/wda/apps/terminate", body("com.apple.mobilenotes")).ok(), true);
    assert_eq!(rig.tell("/wda/apps/terminate", body("com.apple.mobilenotes")).ok(), false);
    rig.launch("com.apple.mobilenotes");
    assert_ne!(rig.ask("/wda/apps/list").ok()[0]["pid"], pid, "it is another process now");
    let missing = rig.tell("/wda/apps/launch", body("com.example.nowhere"));
    assert_eq!(missing.error(), (400, "invalid argument".to_owned()));
    assert!(missing.value()["message"].as_str().is_some_and(|text| text.contains("NotFound")));
    // The names that people see are no ids.
    assert_eq!(rig.tell("/wda/apps/launch", body("Notes")).status, 400);
    assert_eq!(rig.tell("/wda/apps/state", body("com.example.nowhere")).ok(), 1);
    rig.post("/wda/homescreen", json!({})).ok();
    assert_eq!(front(&mut rig), "com.apple.springboard");
    assert_eq!(rig.tell("/wda/apps/terminate", body("com.apple.springboard")).status, 500);
    rig.tell("/url", json!({ "url": "https://example.com" })).ok();
    assert_eq!(front(&mut rig), "com.fingertip.browser");
    rig.tell("/wda/deactivateApp", json!({ "duration": 0.05 })).ok();
    assert_eq!(front(&mut rig), "com.fingertip.browser");
}

#[test]
fn an_app_under_test_that_dies_is_a_crash_until_it_is_launched_again() {
    let mut rig = Rig::ready();
    rig.begin(json!({ "bundleId": "com.apple.Preferences" }));
    rig.sim.phone().terminate("com.fingertip.settings").unwrap_or_else(|error| panic!("{error}"));
    for path in ["/window/size", "/source", "/wda/activeAppInfo"] {
        let reply = rig.ask(path);
        assert_eq!(reply.error(), (400, "invalid element state".to_owned()), "{path}");
        assert!(reply.text.contains("possibly crashed"), "{path}");
    }
    assert_eq!(rig.tell("/wda/tap", json!({ "x": 1, "y": 1 })).status, 400);
    assert_eq!(rig.ask("/screenshot").status, 200);
    rig.launch("com.apple.Preferences");
    assert_eq!(rig.ask("/window/size").status, 200);
    // An end that the agent brought about is none.
    rig.tell("/wda/apps/terminate", json!({ "bundleId": "com.apple.Preferences" })).ok();
    assert_eq!(rig.ask("/window/size").status, 200);
}

#[test]
fn sessions() {
    let mut rig = Rig::new(options(Generation::V16));
    let body = |capabilities: Value| json!({ "capabilities": capabilities });
    for good in [
        json!({}),
        json!({ "firstMatch": [{}], "alwaysMatch": {} }),
        json!({ "alwaysMatch": { "platformName": "iOS", "appium:noReset": true, "unknown": 1 } }),
        json!({ "alwaysMatch": { "a": 1 }, "firstMatch": [{ "a": 2 }, { "b": 3 }] }),
    ] {
        let value = rig.post("/session", body(good.clone())).ok();
        assert_eq!(value["capabilities"], json!({ "device": "iphone", "sdkVersion": "17.5" }), "{good}");
        assert_eq!(value["sessionId"], rig.sim.session().unwrap_or_default().as_str());
    }
    for bad in [
        body(json!(7)),
        json!({}),
        json!({ "desiredCapabilities": {} }),
        body(json!({ "alwaysMatch": { "appium:platformName": "iOS" } })),
        body(json!({ "alwaysMatch": { "a": 1 }, "firstMatch": [{ "a": 2 }] })),
        body(json!({ "alwaysMatch": { "bundleId": "com.example.nowhere" } })),
    ] {
        assert_eq!(rig.post("/session", bad.clone()).error(), (500, "session not created".to_owned()), "{bad}");
        assert_eq!(rig.sim.session(), None, "the session that stood is gone all the same");
    }
    // The app of a session ends with it, if it was not asked to stay.
    for (stay, runs) in [(false, true), (true, false)] {
        rig.begin(json!({ "bundleId": "com.fingertip.notes", "shouldTerminateApp": stay }));
        assert_eq!(rig.ask("").ok()["sessionId"], rig.session.as_str());
        let path = rig.path("");
        assert_eq!(rig.to.call("DELETE", &path, "").ok(), Value::Null);
        assert_eq!(rig.sim.phone().app_running("com.fingertip.notes"), runs);
        assert_eq!(rig.to.call("DELETE", &path, "").error(), (404, "invalid session id".to_owned()));
    }
}

#[test]
fn settings_go_with_the_session() {
    let mut rig = Rig::ready();
    let changes = json!({ "settings": { "snapshotMaxDepth": 20, "mjpegServerFramerate": 5, "nonsense": 1, "useFirstMatch": null } });
    let settings = rig.tell("/appium/settings", changes).ok();
    assert_eq!((&settings["snapshotMaxDepth"], &settings["useFirstMatch"]), (&json!(20), &json!(false)));
    assert!(settings.get("nonsense").is_none());
    assert_eq!(rig.tell("/appium/settings", json!({ "settings": 1 })).status, 400);
    rig.begin(json!({ "shouldWaitForQuiescence": false }));
    let settings = rig.ask("/appium/settings").ok();
    assert_eq!((&settings["snapshotMaxDepth"], &settings["mjpegServerFramerate"]), (&json!(50), &json!(5)));
    assert_eq!(settings["waitForIdleTimeout"], 0);
}

#[test]
fn the_lock() {
    let mut options = options(Generation::V16);
    options.phone.passcode = Some("1234".to_owned());
    let mut rig = Rig::new(options);
    rig.begin(json!({}));
    rig.launch("com.apple.Preferences");
    assert_eq!(rig.get("/wda/locked").ok(), false);
    rig.post("/wda/lock", json!({})).ok();
    rig.post("/wda/lock", json!({})).ok();
    assert_eq!(rig.ask("/wda/locked").ok(), true);
    assert_eq!(rig.get("/wda/activeAppInfo").ok()["bundleId"], "com.apple.springboard");
    assert_eq!(rig.get("/screenshot").status, 200);
    let launch = rig.tell("/wda/apps/launch", json!({ "bundleId": "com.apple.mobilenotes" }));
    assert_eq!(launch.error(), (400, "invalid argument".to_owned()));
    assert!(launch.text.contains("could not be, unlocked"));
    let unlock = rig.post("/wda/unlock", json!({}));
    assert_eq!(unlock.error(), (500, "unknown error".to_owned()));
    assert!(unlock.text.contains("Timed out while waiting until the screen gets unlocked"));
    let session = json!({ "capabilities": { "alwaysMatch": { "bundleId": "com.apple.mobilenotes" } } });
    assert_eq!(rig.post("/session", session).error(), (500, "session not created".to_owned()));
    rig.sim.phone().enter_passcode("1234").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(rig.post("/wda/unlock", json!({})).ok(), Value::Null);
    assert_eq!(rig.get("/wda/locked").ok(), false);
}

#[test]
fn buttons_and_the_device() {
    let mut rig = Rig::ready();
    rig.launch("com.apple.Preferences");
    for name in ["volumeUp", "VOLUMEDOWN", "HOME"] {
        rig.tell("/wda/pressButton", json!({ "name": name })).ok();
    }
    assert_eq!(rig.get("/wda/activeAppInfo").ok()["bundleId"], "com.apple.springboard");
    let odd = rig.tell("/wda/pressButton", json!({ "name": "VOLUME_UP" }));
    assert_eq!(odd.error(), (500, "unknown error".to_owned()));
    rig.tell("/wda/performIoHidEvent", json!({ "page": 12, "usage": 48, "duration": 0.1 })).ok();
    assert_eq!(rig.get("/wda/locked").ok(), true);
    rig.post("/wda/unlock", json!({})).ok();
    assert_eq!(rig.get("/wda/device/info").ok()["model"], "iPhone");
    assert_eq!(rig.ask("/wda/batteryInfo").ok()["state"], 1);
    assert_eq!(
        rig.tell("/wda/resetAppAuth", json!({ "resource": 1 })).error(),
        (500, "unsupported operation".to_owned())
    );
}

#[test]
fn the_pasteboard() {
    let mut rig = Rig::ready();
    let content = json!({ "content": "aMOp", "contentType": "plaintext" });
    rig.tell("/wda/setPasteboard", content.clone()).ok();
    assert_eq!(rig.sim.phone().clipboard(), "hé");
    assert_eq!(rig.tell("/wda/getPasteboard", json!({})).ok(), "aMOp");
    assert_eq!(rig.tell("/wda/setPasteboard", json!({ "content": "%" })).status, 400);
    // As on real phones, where the agent's own app must be in front.
    let mut options = options(Generation::V16);
    options.strict_pasteboard = true;
    let mut rig = Rig::new(options);
    rig.begin(json!({}));
    rig.tell("/wda/setPasteboard", content.clone()).ok();
    assert_eq!(rig.tell("/wda/getPasteboard", json!({})).ok(), "");
    rig.tell("/wda/siri/activate", json!({ "text": "open WebDriverAgentRunner-Runner" })).ok();
    assert_eq!(rig.get("/wda/activeAppInfo").ok()["bundleId"], "com.facebook.WebDriverAgentRunner.xctrunner");
    rig.tell("/wda/setPasteboard", content).ok();
    assert_eq!(rig.tell("/wda/getPasteboard", json!({})).ok(), "aMOp");
}

#[test]
fn the_stream_of_pictures() {
    use std::io::{Read, Write};
    let mut options = options(Generation::V16);
    options.mjpeg_port = Some(0);
    let mut rig = Rig::new(options);
    rig.begin(json!({}));
    rig.tell("/appium/settings", json!({ "settings": { "mjpegServerFramerate": 60, "mjpegScalingFactor": 50 } })).ok();
    let address = rig.sim.mjpeg_address().unwrap_or_else(|| panic!("it was asked for"));
    let mut stream = std::net::TcpStream::connect(address).unwrap_or_else(|error| panic!("{error}"));
    let mut bytes = vec![0; 4096];
    // Nothing comes before the client has said something.
    drop(stream.set_read_timeout(Some(ms(150))));
    assert!(stream.read(&mut bytes).is_err());
    drop(stream.set_read_timeout(Some(Duration::from_secs(20))));
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap_or_else(|error| panic!("{error}"));
    let mut seen = Vec::new();
    let find = |seen: &[u8], what: &[u8], from: usize| {
        seen[from..].windows(what.len()).position(|window| window == what).map(|at| at + from)
    };
    let mut frames = Vec::new();
    let mut from = 0;
    while frames.len() < 2 {
        if let Some(end) = find(&seen, b"\r\n\r\n", from) {
            let head = String::from_utf8_lossy(&seen[from..end]).into_owned();
            if head.starts_with("HTTP/1.0 200 OK") {
                assert!(head.contains("multipart/x-mixed-replace; boundary=--BoundaryString"));
                from = end + 4;
                continue;
            }
            assert!(head.starts_with("--BoundaryString\r\nContent-type: image/jpeg"), "{head}");
            let length = head.rsplit(' ').next().and_then(|length| length.parse::<usize>().ok());
            let length = length.unwrap_or_else(|| panic!("{head}"));
            if seen.len() >= end + 4 + length + 4 {
                frames.push(seen[end + 4..end + 4 + length].to_vec());
                assert_eq!(&seen[end + 4 + length..end + 8 + length], b"\r\n\r\n");
                from = end + 8 + length;
                continue;
            }
        }
        let read = stream.read(&mut bytes).unwrap_or_else(|error| panic!("{error}"));
        assert!(read > 0, "the stream ended");
        seen.extend(&bytes[..read]);
    }
    for frame in &frames {
        assert_eq!(frame[..2], [0xff, 0xd8]);
        // The frame header: height and width.
        let at = find(frame, &[0xff, 0xc0], 0).unwrap_or_else(|| panic!("no frame header"));
        let side = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
        assert_eq!((side(at + 5), side(at + 7)), (422, 195));
    }
}
