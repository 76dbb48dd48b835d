//! One walk through every operation of the driver contract, on every generation of the server, each held against what the
//! simulated phone really did.

use super::*;
use driver_api::{Alert, Button, ErrorKind, Feature, Finger, Launch, Orientation, PathPoint, Swipe};

fn named(app: &str) -> Launch {
    Launch { app: app.to_owned(), ..Launch::default() }
}

#[tokio::test]
async fn every_operation_on_every_generation() {
    for generation in GENERATIONS {
        let mut options = SimOptions::of(generation);
        options.phone.scale = 2.0;
        options.mjpeg_port = Some(0);
        // Every other phone is a real one in that only the app in front has the clipboard.
        options.strict_pasteboard = matches!(generation, Generation::V9 | Generation::V16);
        let rig = Rig::with(options).await;
        for part in 0..2 {
            looking(&rig).await;
            apps(&rig).await;
            touching(&rig).await;
            typing(&rig).await;
            device(&rig).await;
            // Whatever was learned is forgotten, and everything is as before.
            rig.driver.disconnect(LONG).await.unwrap();
            let error = rig.driver.tap(Point::new(1.0, 1.0), LONG).await.unwrap_err();
            assert_eq!(error.kind, ErrorKind::NotConnected);
            rig.driver.connect(LONG).await.unwrap();
            println!("{generation:?} part {part} is done");
        }
    }
}

async fn looking(rig: &Rig) {
    let driver = &rig.driver;
    driver.probe(LONG).await.unwrap();
    let screen = driver.screen_info(LONG).await.unwrap();
    assert_eq!((screen.width, screen.height, screen.scale), (390.0, 844.0, 2.0));
    let picture = driver.screenshot(LONG).await.unwrap();
    assert_eq!((picture.width, picture.height), (780, 1688));
    let first = driver.frames(0, LONG).await.unwrap();
    let second = driver.frames(first.number, LONG).await.unwrap();
    assert!(second.number > first.number && second.picture.height > second.picture.width);
    let state = driver.device_info(LONG).await.unwrap();
    assert_eq!((state.os_version.as_deref(), state.locked), (Some("17.5"), Some(false)));
    assert!(state.battery.is_some_and(|level| (0.0..=1.0).contains(&level)), "{state:?}");
    assert!(driver.has(Feature::Frames));
}

async fn apps(rig: &Rig) {
    let driver = &rig.driver;
    driver.home(LONG).await.unwrap();
    assert_eq!(driver.active_app(LONG).await.unwrap().id, "com.apple.springboard");
    let app = driver.launch(&named("settings"), LONG).await.unwrap();
    assert_eq!((app.id.as_str(), app.name.as_deref()), ("com.apple.Preferences", Some("Settings")));
    assert_eq!(rig.sim.phone().active_app().id, "com.fingertip.settings");
    assert_eq!(driver.active_app(LONG).await.unwrap().id, "com.apple.Preferences");
    let listed = driver.apps(LONG).await.unwrap();
    assert!(!listed.complete && listed.apps.iter().any(|entry| entry.app.id == app.id), "{listed:?}");
    assert!(rig.shows("Wi-Fi").await);
    assert!(driver.terminate(&app.id, LONG).await.unwrap());
    assert!(!driver.terminate(&app.id, LONG).await.unwrap());
    for unknown in ["com.example.nosuch", "No Such App"] {
        assert_eq!(driver.launch(&named(unknown), LONG).await.unwrap_err().kind, ErrorKind::AppNotFound);
    }
    driver.open_url("https://demo.example/article", LONG).await.unwrap();
    assert!(rig.shows("The Lake at Dawn").await);
}

async fn touching(rig: &Rig) {
    let driver = &rig.driver;
    driver.launch(&Launch { fresh: true, ..named("Settings") }, LONG).await.unwrap();
    let bluetooth = rig.find("Bluetooth").await;
    driver.tap(bluetooth, LONG).await.unwrap();
    assert!(rig.shows("Bluetooth").await);
    driver.launch(&Launch { fresh: true, ..named("Settings") }, LONG).await.unwrap();
    let before = rig.find("Wi-Fi").await;
    let swipe = Swipe {
        from: Point::new(195.0, 700.0),
        to: Point::new(195.0, 500.0),
        hold: Duration::ZERO,
        duration: Duration::from_millis(200),
    };
    driver.swipe(swipe, LONG).await.unwrap();
    let moved = rig.driver.tree(LONG).await.unwrap();
    let after = moved.nodes.iter().find(|node| node.label.as_deref() == Some("Wi-Fi")).and_then(|node| node.bounds);
    assert!(after.is_none_or(|bounds| bounds.center().y < before.y - 50.0), "{before:?} {after:?}");
    driver.open_url("https://demo.example/photo", LONG).await.unwrap();
    let zoom = async || {
        let tree = rig.driver.tree(LONG).await.unwrap();
        let photo = node(&tree, |node| node.label.as_deref().is_some_and(|label| label.starts_with("Mountain lake")));
        (photo.value.clone().unwrap_or_default(), photo.bounds.unwrap().center())
    };
    let (plain, place) = zoom().await;
    driver.double_tap(place, LONG).await.unwrap();
    assert_ne!(zoom().await.0, plain);
    driver.long_press(place, Duration::from_millis(600), LONG).await.unwrap();
    let (before, place) = zoom().await;
    let finger = |side: f64| Finger {
        path: vec![
            PathPoint { at_ms: 0, point: Point::new(place.x + side * 30.0, place.y) },
            PathPoint { at_ms: 200, point: Point::new(place.x + side * 90.0, place.y) },
        ],
    };
    driver.gesture(&[finger(-1.0), finger(1.0)], LONG).await.unwrap();
    assert_ne!(zoom().await.0, before, "two fingers that part zoom in");
}

async fn typing(rig: &Rig) {
    let driver = &rig.driver;
    driver.launch(&Launch { fresh: true, ..named("com.apple.mobilenotes") }, LONG).await.unwrap();
    driver.tap(rig.find("New note").await, LONG).await.unwrap();
    let tree = driver.tree(LONG).await.unwrap();
    driver.tap(node(&tree, is_field).bounds.unwrap().center(), LONG).await.unwrap();
    let focus = driver.element_at_focus(LONG).await.unwrap().expect("something has the focus");
    assert!(is_field(&focus) && focus.focused);
    let text = "Grüße 👨‍👩‍👧‍👦 你好 שלום #~%s$`\nzwei";
    driver.input(text, LONG).await.unwrap();
    let value = rig.sim.phone().focused().and_then(|node| node.value);
    assert_eq!(value.as_deref(), Some(text));
    driver.press_button(Button::Enter, LONG).await.unwrap();
    driver.input("\u{8}", LONG).await.unwrap();
    assert_eq!(rig.sim.phone().focused().and_then(|node| node.value).as_deref(), Some(text));
    driver.hide_keyboard(LONG).await.unwrap();
    assert!(!rig.sim.phone().keyboard_up());
    let error = driver.input("lost", LONG).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NothingFocused);
}

async fn device(rig: &Rig) {
    let driver = &rig.driver;
    assert_eq!(driver.alert(LONG).await.unwrap(), None);
    let buttons = vec!["Later".to_owned(), "Now".to_owned()];
    rig.sim.phone().raise_alert(Alert { text: "Update?\nIt takes a while.".to_owned(), buttons: buttons.clone() });
    let alert = driver.alert(LONG).await.unwrap().expect("it is up");
    assert!(alert.text.contains("Update?") && alert.buttons == buttons, "{alert:?}");
    assert_eq!(driver.answer_alert("Never", LONG).await.unwrap_err().kind, ErrorKind::NoAlert);
    driver.answer_alert("Later", LONG).await.unwrap();
    assert_eq!(rig.sim.phone().alert(), None);
    assert_eq!(driver.answer_alert("Later", LONG).await.unwrap_err().kind, ErrorKind::NoAlert);

    driver.launch(&named("Settings"), LONG).await.unwrap();
    for orientation in [Orientation::LandscapeLeft, Orientation::LandscapeRight, Orientation::Portrait] {
        driver.set_orientation(orientation, LONG).await.unwrap();
        let told = driver.orientation(LONG).await.unwrap();
        assert_eq!(told.is_landscape(), orientation.is_landscape());
        assert_eq!(driver.screen_info(LONG).await.unwrap().orientation, told);
        let picture = driver.screenshot(LONG).await.unwrap();
        assert_eq!(picture.width > picture.height, orientation.is_landscape());
    }
    for (text, in_front) in [("grün ✂", "Settings"), ("", "Settings"), ("zwei", "Home")] {
        match in_front {
            "Home" => driver.home(LONG).await.unwrap(),
            app => drop(driver.launch(&named(app), LONG).await.unwrap()),
        }
        let before = rig.sim.phone().active_app();
        driver.set_clipboard(text, LONG).await.unwrap();
        assert_eq!(rig.sim.phone().clipboard(), text);
        assert_eq!(driver.clipboard(LONG).await.unwrap(), text);
        // Whatever had to come to the front for it is gone again.
        assert_eq!(rig.sim.phone().active_app(), before);
        let front = driver.active_app(LONG).await.unwrap();
        assert!(!front.id.ends_with(".xctrunner"), "{front:?}");
    }
    driver.press_button(Button::VolumeUp, LONG).await.unwrap();
    for missing in [Button::Back, Button::AppSwitcher] {
        assert_eq!(driver.press_button(missing, LONG).await.unwrap_err().kind, ErrorKind::Unsupported);
    }
    driver.lock(LONG).await.unwrap();
    assert!(rig.sim.phone().is_locked());
    assert_eq!(driver.launch(&named("Settings"), LONG).await.unwrap_err().kind, ErrorKind::Locked);
    driver.unlock(LONG).await.unwrap();
    assert!(!rig.sim.phone().is_locked());
}
