//! Tests of whole screens through the phone's public face.

use crate::layout::Want;
use crate::{Phone, PhoneOptions, TouchKind};
use driver_api::*;
use std::time::Duration;

fn phone() -> Phone {
    with(PhoneOptions::default())
}

fn with(options: PhoneOptions) -> Phone {
    Phone::new(PhoneOptions { manual_clock: true, scale: 1.0, ..options })
}

fn open(phone: &mut Phone, app: &str) {
    let launch = Launch { app: app.into(), fresh: false, arguments: Vec::new() };
    phone.launch(&launch).expect("the app exists");
}

fn opened(app: &str) -> Phone {
    let mut phone = phone();
    open(&mut phone, app);
    phone
}

/// The first node with this identifier or label.
fn maybe(phone: &mut Phone, name: &str) -> Option<Node> {
    let tree = phone.tree();
    let is = |text: &Option<String>| text.as_deref() == Some(name);
    let by_id = tree.nodes.iter().find(|node| is(&node.identifier));
    by_id.or_else(|| tree.nodes.iter().find(|node| is(&node.label))).cloned()
}

#[track_caller]
fn node(phone: &mut Phone, name: &str) -> Node {
    maybe(phone, name).unwrap_or_else(|| panic!("{name} is not on the screen"))
}

#[track_caller]
fn tap(phone: &mut Phone, name: &str) {
    let node = node(phone, name);
    assert!(node.visible, "{name} cannot be seen");
    phone.tap(node.bounds.expect("every node has bounds").center());
}

fn of_role(phone: &mut Phone, role: Role) -> Vec<Node> {
    phone.tree().nodes.into_iter().filter(|node| node.role == role).collect()
}

fn swipe(phone: &mut Phone, from: (f64, f64), to: (f64, f64)) {
    phone.swipe(Swipe {
        from: Point::new(from.0, from.1),
        to: Point::new(to.0, to.1),
        hold: Duration::ZERO,
        duration: Duration::from_millis(300),
    });
}

fn value(phone: &mut Phone, name: &str) -> Option<String> {
    node(phone, name).value
}

const ORIENTATIONS: [Orientation; 4] =
    [Orientation::Portrait, Orientation::LandscapeLeft, Orientation::LandscapeRight, Orientation::PortraitUpsideDown];

/// Every kind of screen, by name.
fn screens() -> Vec<(String, Phone)> {
    let mut list: Vec<(String, Phone)> = Vec::new();
    let mut add = |name: &str, phone: Phone| list.push((name.to_string(), phone));
    add("home", phone());
    for app in ["Settings", "Notes", "Contacts", "Sign-in", "Browser", "Game"] {
        add(app, opened(app));
    }
    for page in ["wifi", "bluetooth", "notifications", "sounds", "general", "display", "privacy", "about-phone"] {
        let mut phone = opened("Settings");
        tap(&mut phone, page);
        add(page, phone);
    }
    let mut alert = opened("Settings");
    tap(&mut alert, "privacy");
    tap(&mut alert, "privacy-location");
    add("alert", alert);
    let mut note = opened("Notes");
    tap(&mut note, "new-note");
    add("note", note);
    let mut sheet = opened("Notes");
    tap(&mut sheet, "Train to Leeds");
    tap(&mut sheet, "delete");
    add("sheet", sheet);
    let mut person = opened("Contacts");
    tap(&mut person, "Alan Turing");
    add("person", person);
    let mut search = opened("Contacts");
    tap(&mut search, "search");
    search.type_text("an").expect("the field has the focus");
    add("search", search);
    let mut form = opened("Sign-in");
    tap(&mut form, "password");
    form.type_text("secret").expect("the field has the focus");
    add("form", form);
    for page in ["article", "photo", "40", "deep:30", "site"] {
        let mut phone = phone();
        phone.open_url(&format!("demo:{page}")).expect("the browser opens it");
        add(page, phone);
    }
    let mut switcher = opened("Notes");
    switcher.press(Button::AppSwitcher);
    add("switcher", switcher);
    let mut lock = with(PhoneOptions { locked: true, passcode: Some("1379".into()), ..PhoneOptions::default() });
    lock.advance(Duration::ZERO);
    add("lock", lock);
    let mut pad = with(PhoneOptions { locked: true, passcode: Some("1379".into()), ..PhoneOptions::default() });
    pad.unlock().expect_err("it wants its passcode");
    add("pad", pad);
    list
}

/// A touch on the middle of what can be seen of anything that reacts reaches that element, in every orientation. What lies
/// under the keyboard, a sheet or an alert is out of reach, and nothing else is.
#[test]
fn whatever_can_be_seen_can_be_touched() {
    for (name, mut phone) in screens() {
        for orientation in ORIENTATIONS {
            phone.set_orientation(orientation).expect("it turns");
            let layout = phone.laid_out().clone();
            let (nodes, sources) = layout.nodes();
            let cover = layout.elements.iter().filter(|element| {
                matches!(element.role, Role::Keyboard | Role::Sheet | Role::Alert | Role::NavBar)
                    || matches!(element.label.as_deref(), Some("Toolbar" | "Tab bar"))
                    || (!element.in_tree && element.opaque && element.layer > crate::element::Layer::Content)
            });
            let cover: Vec<_> = cover.map(|element| (element.layer, element.rect)).collect();
            let mut reached = 0;
            for (node, source) in nodes.iter().zip(&sources) {
                let element = &layout.elements[*source];
                if !(node.visible && node.enabled && element.tap.is_some()) {
                    continue;
                }
                let seen = element.seen().and_then(|seen| seen.intersection(&layout.screen.bounds()));
                let at = seen.expect("it can be seen").center();
                if cover.iter().any(|(layer, rect)| *layer > element.layer && rect.contains(at)) {
                    continue;
                }
                let hit = layout.hit(at, Want::Tap);
                // A child with the same action, such as the switch of a row, is as good.
                let same = hit.is_some_and(|hit| layout.elements[hit].tap == element.tap);
                assert!(same, "{name}, {orientation:?}: {:?} is out of reach", node.label);
                reached += 1;
            }
            assert!(reached > 0, "{name}, {orientation:?}: nothing can be touched");
        }
    }
}

/// Parents come before their children, what overlaps the screen says so, and there is exactly one window.
#[test]
fn trees_are_sound() {
    for (name, mut phone) in screens() {
        for orientation in ORIENTATIONS {
            phone.set_orientation(orientation).expect("it turns");
            let screen = phone.screen();
            let tree = phone.tree();
            assert_eq!(tree.nodes[0].role, Role::Window, "{name}");
            assert_eq!(tree.nodes[0].bounds, Some(screen.bounds()));
            assert_eq!(tree.nodes.iter().filter(|node| node.parent.is_none()).count(), 1, "{name}");
            for (index, node) in tree.nodes.iter().enumerate() {
                assert!(index == 0 || node.parent.is_some_and(|parent| (parent as usize) < index), "{name}");
                let bounds = node.bounds.expect("every node has bounds");
                assert!(bounds.width >= 0.0 && bounds.height >= 0.0, "{name}: {node:?}");
                let on_screen = bounds.intersection(&screen.bounds()).is_some();
                assert!(on_screen || !node.visible, "{name}: {node:?}");
            }
            assert_eq!(tree.app, Some(phone.active_app()));
        }
    }
}

/// Where the tree says that text is, the picture has more than one colour; and the size of the picture follows the screen.
#[test]
fn picture_and_tree_agree() {
    for (name, mut phone) in screens() {
        for orientation in [Orientation::Portrait, Orientation::LandscapeRight] {
            phone.set_orientation(orientation).expect("it turns");
            let screen = phone.screen();
            let tree = phone.tree();
            let keyboard = tree.nodes.iter().find(|node| node.role == Role::Keyboard).and_then(|node| node.bounds);
            let (width, height, pixels) = phone.pixels();
            assert_eq!((f64::from(width), f64::from(height)), (screen.width, screen.height));
            assert!(pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255), "{name} has holes");
            for node in tree.nodes.iter().filter(|node| node.role == Role::Text && node.visible) {
                let bounds = node.bounds.and_then(|bounds| bounds.intersection(&screen.bounds()));
                let bounds = bounds.expect("visible text is on the screen");
                if keyboard.is_some_and(|keyboard| keyboard.bottom() > bounds.bottom() && keyboard.y < bounds.bottom())
                    || bounds.height < 10.0
                {
                    continue;
                }
                let mut colors = std::collections::HashSet::new();
                for y in bounds.y as usize..bounds.bottom() as usize {
                    let row = y * width as usize * 4;
                    for x in bounds.x as usize..bounds.right() as usize {
                        colors.insert(&pixels[row + x * 4..row + x * 4 + 3]);
                    }
                }
                assert!(colors.len() > 3, "{name}, {orientation:?}: no letters at {:?}", node.label);
            }
        }
    }
}

/// A picture that was brought up to date part by part equals one that was drawn at once.
#[test]
#[allow(clippy::type_complexity, reason = "a list of steps, used once")]
fn partial_drawing_equals_whole_drawing() {
    let mut phone = opened("Sign-in");
    let steps: Vec<Box<dyn Fn(&mut Phone)>> = vec![
        Box::new(|phone| tap(phone, "email")),
        Box::new(|phone| phone.type_text("ada@example.com\nlove").expect("focus")),
        Box::new(|phone| tap(phone, "shift")),
        Box::new(|phone| tap(phone, "Q")),
        Box::new(|phone| phone.press(Button::Enter)),
        Box::new(|phone| tap(phone, "numbers")),
        Box::new(|phone| assert!(phone.hide_keyboard())),
        Box::new(|phone| open(phone, "Contacts")),
        Box::new(|phone| swipe(phone, (200.0, 600.0), (200.0, 311.0))),
        Box::new(|phone| phone.press(Button::VolumeUp)),
        Box::new(|phone| phone.advance(Duration::from_secs(5))),
        Box::new(|phone| phone.raise_alert(Alert { text: "Hello".into(), buttons: vec![] })),
        Box::new(|phone| phone.answer_alert("OK").expect("it has it")),
        Box::new(|phone| phone.open_url("demo:article").expect("the browser opens it")),
        Box::new(|phone| swipe(phone, (200.0, 600.0), (200.0, 411.0))),
        Box::new(|phone| phone.set_orientation(Orientation::LandscapeLeft).expect("it turns")),
        Box::new(|phone| phone.lock()),
    ];
    for (n, step) in steps.iter().enumerate() {
        step(&mut phone);
        let drawn = phone.pixels().2.to_vec();
        let layout = phone.laid_out().clone();
        let mut canvas = crate::render::Canvas::new(layout.screen.width, layout.screen.height, layout.screen.scale);
        canvas.show(&layout);
        let whole = canvas.pixels().2;
        assert!(drawn == whole, "step {n}");
    }
}

#[test]
fn pictures_are_png_and_drawn_only_when_something_changed() {
    let mut phone = Phone::new(PhoneOptions { manual_clock: true, ..PhoneOptions::default() });
    let picture = phone.picture();
    assert_eq!((picture.width, picture.height, picture.format), (1170, 2532, PictureFormat::Png));
    assert!(picture.bytes.starts_with(b"\x89PNG"));
    let revision = phone.revision();
    // Nothing lies here.
    phone.tap(Point::new(200.0, 500.0));
    phone.tap(Point::new(-5.0, 9000.0));
    swipe(&mut phone, (200.0, 500.0), (200.0, 300.0));
    assert_eq!(phone.revision(), revision);
    assert_eq!(phone.picture().bytes.as_ptr(), picture.bytes.as_ptr(), "it was encoded again");
    assert_eq!(phone.touches().len(), 3);
    open(&mut phone, "Settings");
    assert!(phone.revision() > revision);
    let before = phone.revision();
    tap(&mut phone, "mobile-data");
    assert_eq!(phone.revision(), before, "a disabled row does nothing");
    let mut reader = png::Decoder::new(std::io::Cursor::new(phone.picture().bytes)).read_info().expect("it is a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it has a size")];
    reader.next_frame(&mut pixels).expect("it can be decoded");
    let (_, _, raw) = phone.pixels();
    let rgb: Vec<u8> = raw.as_chunks::<4>().0.iter().flat_map(|pixel| pixel[..3].to_vec()).collect();
    assert!(pixels == rgb, "the PNG holds other pixels");
}

#[test]
fn orientations_turn_the_screen() {
    let mut phone = opened("Settings");
    for orientation in ORIENTATIONS {
        phone.set_orientation(orientation).expect("it turns");
        let screen = phone.screen();
        let size = if orientation.is_landscape() { (844.0, 390.0) } else { (390.0, 844.0) };
        assert_eq!((screen.width, screen.height, screen.orientation), (size.0, size.1, orientation));
        let picture = phone.picture();
        assert_eq!((f64::from(picture.width), f64::from(picture.height)), size);
    }
}

#[test]
fn apps_start_run_and_end() {
    let mut phone = phone();
    assert_eq!(phone.active_app().id, "com.fingertip.home");
    tap(&mut phone, "com.fingertip.notes");
    assert_eq!(phone.active_app().name.as_deref(), Some("Notes"));
    assert_eq!(phone.tree().nodes[0].label.as_deref(), Some("Notes"));
    phone.home();
    assert!(phone.app_running("com.fingertip.notes") && !phone.app_running("Game"));
    let launch = |app: &str| Launch { app: app.into(), ..Launch::default() };
    assert_eq!(phone.launch(&launch("sETTINGS")).expect("names have no case").id, "com.fingertip.settings");
    assert_eq!(phone.launch(&launch("Maps")).expect_err("there is none").kind, ErrorKind::AppNotFound);
    assert_eq!(phone.terminate("nothing").expect_err("there is none").kind, ErrorKind::AppNotFound);
    tap(&mut phone, "general");
    open(&mut phone, "Notes");
    open(&mut phone, "Settings");
    assert!(maybe(&mut phone, "software-update").is_some(), "an app that runs keeps its place");
    phone.launch(&Launch { fresh: true, ..launch("Settings") }).expect("it exists");
    assert!(maybe(&mut phone, "software-update").is_none(), "a fresh one does not");
    assert!(phone.terminate("Settings").expect("it exists"));
    assert!(!phone.terminate("Settings").expect("it exists"));
    assert_eq!(phone.active_app().id, "com.fingertip.home");
    let list = phone.apps();
    assert!(list.complete && list.apps.len() == 6);
    let fresh = Launch { app: "Browser".into(), fresh: true, arguments: vec!["demo:12".into()] };
    phone.launch(&fresh).expect("it exists");
    assert!(maybe(&mut phone, "Row 12").is_some());
}

#[test]
fn settings_nest_switch_and_slide() {
    let mut phone = opened("Settings");
    tap(&mut phone, "display");
    assert_eq!(node(&mut phone, "Display & Brightness").role, Role::NavBar);
    tap(&mut phone, "dark-mode-switch");
    assert_eq!(node(&mut phone, "dark-mode-switch").checked, Some(true));
    let dark = phone.pixels().2[..3].to_vec();
    assert!(dark.iter().all(|part| *part < 60), "{dark:?}");
    tap(&mut phone, "dark-mode");
    assert_eq!(node(&mut phone, "dark-mode").checked, Some(false), "the row is as good as its switch");
    assert_eq!(value(&mut phone, "brightness").as_deref(), Some("50%"));
    let slider = node(&mut phone, "brightness").bounds.expect("bounds");
    phone.tap(Point::new(slider.x + slider.width * 0.25, slider.center().y));
    assert_eq!(value(&mut phone, "brightness").as_deref(), Some("25%"));
    let middle = slider.center();
    swipe(&mut phone, (middle.x, middle.y), (slider.right() + 30.0, middle.y));
    assert_eq!(value(&mut phone, "brightness").as_deref(), Some("100%"));
    tap(&mut phone, "back");
    tap(&mut phone, "wifi");
    tap(&mut phone, "Cafe Lumen");
    assert!(node(&mut phone, "Cafe Lumen").selected);
    swipe(&mut phone, (5.0, 400.0), (250.0, 410.0));
    assert_eq!(value(&mut phone, "wifi").as_deref(), Some("Cafe Lumen"), "a swipe from the left edge goes back");
    tap(&mut phone, "airplane");
    assert_eq!(value(&mut phone, "wifi").as_deref(), Some("Off"));
    assert!(!node(&mut phone, "mobile-data").enabled);
    phone.press(Button::Back);
    assert_eq!(phone.active_app().id, "com.fingertip.home", "back leaves the first page");
}

#[test]
fn settings_can_be_reset() {
    let mut phone = opened("Settings");
    tap(&mut phone, "airplane");
    tap(&mut phone, "general");
    tap(&mut phone, "reset");
    phone.answer_alert("Cancel").expect("it has it");
    tap(&mut phone, "reset");
    tap(&mut phone, "Reset");
    phone.press(Button::Back);
    assert_eq!(node(&mut phone, "airplane").checked, Some(false));
}

#[test]
fn a_search_takes_its_time() {
    let mut phone = with(PhoneOptions { load_ms: 1_000, ..PhoneOptions::default() });
    open(&mut phone, "Settings");
    tap(&mut phone, "general");
    tap(&mut phone, "software-update");
    tap(&mut phone, "check-updates");
    assert_eq!(value(&mut phone, "progress").as_deref(), Some("0%"));
    phone.advance(Duration::from_millis(520));
    assert_eq!(value(&mut phone, "progress").as_deref(), Some("50%"));
    phone.advance(Duration::from_millis(500));
    assert!(maybe(&mut phone, "Version 1.0 is up to date").is_some());
}

#[test]
fn permissions_are_asked_in_front_of_everything() {
    let mut phone = opened("Settings");
    tap(&mut phone, "privacy");
    tap(&mut phone, "privacy-location");
    let alert = phone.alert().expect("it is up");
    assert!(alert.text.starts_with("Settings would like to access your location"));
    assert_eq!(alert.buttons, ["Don't Allow", "Allow While Using", "Allow Once"]);
    let shown = of_role(&mut phone, Role::Alert);
    assert_eq!(shown.len(), 1);
    let revision = phone.revision();
    // Behind it nothing reacts, the panel itself neither.
    tap(&mut phone, "back");
    tap(&mut phone, "privacy-camera");
    swipe(&mut phone, (200.0, 700.0), (200.0, 300.0));
    swipe(&mut phone, (200.0, 840.0), (200.0, 300.0));
    phone.press(Button::Back);
    phone.tap(Point::new(195.0, 380.0));
    assert_eq!(phone.revision(), revision);
    assert_eq!(phone.type_text("a").expect_err("the alert is up").kind, ErrorKind::AlertInFront);
    assert_eq!(phone.answer_alert("Maybe").expect_err("it has none").kind, ErrorKind::NoAlert);
    tap(&mut phone, "Allow While Using");
    assert_eq!(phone.alert(), None);
    assert_eq!(value(&mut phone, "privacy-location").as_deref(), Some("While Using"));
    assert_eq!(phone.answer_alert("OK").expect_err("none is up").kind, ErrorKind::NoAlert);
}

#[test]
fn raised_alerts_queue_up() {
    let mut phone = phone();
    phone.raise_alert(Alert { text: "One\nFirst".into(), buttons: vec![] });
    phone.raise_alert(Alert { text: "Two".into(), buttons: vec!["A".into(), "B".into(), "C".into(), "D".into()] });
    assert_eq!(phone.alert().map(|alert| alert.buttons), Some(vec!["OK".to_string()]));
    tap(&mut phone, "OK");
    assert_eq!(phone.alert().map(|alert| alert.text).as_deref(), Some("Two"));
    phone.lock();
    assert_eq!(phone.alert(), None, "the lock screen hides it");
    phone.unlock().expect("no passcode");
    phone.answer_alert("d").expect("labels have no case");
    assert_eq!(phone.alert(), None);
}

#[test]
fn notes_are_made_changed_and_deleted() {
    let mut phone = opened("Notes");
    assert_eq!(of_role(&mut phone, Role::Cell).len(), 3);
    tap(&mut phone, "new-note");
    assert!(phone.keyboard_up());
    assert_eq!(phone.focused().and_then(|node| node.identifier).as_deref(), Some("note-body"));
    phone.type_text("Groß 👩‍👩‍👧 día\nsecond").expect("focus");
    assert_eq!(value(&mut phone, "note-body").as_deref(), Some("Groß 👩‍👩‍👧 día\nsecond"));
    phone.type_text(&"\u{8}".repeat(7)).expect("focus");
    phone.type_text("\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}").expect("focus");
    assert_eq!(value(&mut phone, "note-body").as_deref(), Some("Groß "), "a family is one letter");
    tap(&mut phone, "done");
    assert!(!phone.keyboard_up());
    tap(&mut phone, "back");
    assert_eq!(of_role(&mut phone, Role::Cell)[0].label.as_deref(), Some("Groß"));
    // An empty note is not kept.
    tap(&mut phone, "new-note");
    tap(&mut phone, "back");
    assert_eq!(of_role(&mut phone, Role::Cell).len(), 4);

    tap(&mut phone, "Train to Leeds");
    tap(&mut phone, "delete");
    assert_eq!(of_role(&mut phone, Role::Sheet).len(), 1);
    tap(&mut phone, "cancel");
    tap(&mut phone, "delete");
    tap(&mut phone, "delete-note");
    assert_eq!(of_role(&mut phone, Role::Cell).len(), 3);
    assert!(maybe(&mut phone, "toast").is_some());
    phone.advance(Duration::from_secs(2));
    assert!(maybe(&mut phone, "toast").is_none());
    for _ in 0..3 {
        let first = of_role(&mut phone, Role::Cell)[0].bounds.expect("bounds").center();
        phone.long_press(first, Duration::from_secs(1));
        tap(&mut phone, "delete-note");
    }
    assert!(maybe(&mut phone, "No notes").is_some());
    assert!(phone.apps.notes.all().is_empty());
    phone.terminate("Notes").expect("it exists");
    open(&mut phone, "Notes");
    assert!(maybe(&mut phone, "No notes").is_some(), "what is stored outlives the app");
}

#[test]
fn long_presses_shorter_than_half_a_second_are_taps() {
    let mut phone = opened("Notes");
    let cell = of_role(&mut phone, Role::Cell)[0].bounds.expect("bounds").center();
    phone.long_press(cell, Duration::from_millis(499));
    assert!(maybe(&mut phone, "note-body").is_some());
    phone.press(Button::Back);
    let still = Swipe { from: cell, to: cell, hold: Duration::from_millis(600), duration: Duration::ZERO };
    phone.swipe(still);
    assert_eq!(of_role(&mut phone, Role::Sheet).len(), 1);
}

#[test]
fn a_long_list_scrolls_by_the_fingers_way_and_stops_at_its_ends() {
    let mut phone = opened("Contacts");
    let cells = of_role(&mut phone, Role::Cell);
    assert_eq!(cells.len(), 120);
    assert!(cells[0].visible && !cells[119].visible, "rows off the screen are in the tree");
    assert!(cells[119].bounds.expect("bounds").y > 844.0);
    swipe(&mut phone, (200.0, 600.0), (200.0, 400.0));
    let moved = of_role(&mut phone, Role::Cell);
    let y = |nodes: &[Node], n: usize| nodes[n].bounds.expect("bounds").y;
    assert_eq!(y(&cells, 5) - y(&moved, 5), 200.0);
    for _ in 0..40 {
        swipe(&mut phone, (200.0, 600.0), (200.0, 200.0));
    }
    let end = of_role(&mut phone, Role::Cell);
    let list = of_role(&mut phone, Role::List)[0].bounds.expect("bounds");
    assert!(end[119].visible && (end[119].bounds.expect("bounds").bottom() - list.bottom()).abs() < 10.0);
    let revision = phone.revision();
    swipe(&mut phone, (200.0, 600.0), (200.0, 200.0));
    assert_eq!(phone.revision(), revision, "at its end it does not move");
    tap(&mut phone, "search");
    phone.type_text("lovelace").expect("focus");
    let found = of_role(&mut phone, Role::Cell);
    assert_eq!(found.len(), 1);
    assert!(found[0].visible, "a search starts at the top");
    for _ in 0..60 {
        swipe(&mut phone, (200.0, 300.0), (200.0, 500.0));
    }
    tap(&mut phone, "search-clear");
    assert_eq!(of_role(&mut phone, Role::Cell).len(), 120);
    // The keyboard covers the end of the list until it is scrolled up from under it.
    for _ in 0..60 {
        swipe(&mut phone, (200.0, 500.0), (200.0, 200.0));
    }
    let last = of_role(&mut phone, Role::Cell)[119].bounds.expect("bounds");
    let keyboard = of_role(&mut phone, Role::Keyboard)[0].bounds.expect("bounds");
    assert!(last.bottom() <= keyboard.y);
}

#[test]
fn contacts_have_tabs_pages_and_calls() {
    let mut phone = opened("Contacts");
    assert!(node(&mut phone, "Favourites").role == Role::Tab);
    tap(&mut phone, "Recents");
    assert!(of_role(&mut phone, Role::Tab)[2].selected);
    assert!(maybe(&mut phone, "No recent calls").is_some());
    let tab = of_role(&mut phone, Role::Tab)[1].bounds.expect("bounds");
    phone.tap(tab.center());
    tap(&mut phone, "Alan Turing");
    tap(&mut phone, "favourite");
    assert_eq!(node(&mut phone, "favourite").label.as_deref(), Some("Remove from favourites"));
    tap(&mut phone, "call");
    assert!(maybe(&mut phone, "Calling Alan Turing").is_some());
    tap(&mut phone, "end-call");
    tap(&mut phone, "mail");
    assert_eq!(node(&mut phone, "toast").label.as_deref(), Some("Mail is not set up"));
    tap(&mut phone, "back");
    tap(&mut phone, "Recents");
    assert_eq!(of_role(&mut phone, Role::Cell)[0].label.as_deref(), Some("Alan Turing"));
    tap(&mut phone, "Favourites");
    assert_eq!(of_role(&mut phone, Role::Cell).len(), 3);
}

#[test]
fn signing_in_needs_both_fields_and_the_right_ones() {
    let mut phone = opened("Sign-in");
    assert!(!node(&mut phone, "sign-in").enabled);
    assert_eq!(node(&mut phone, "email").placeholder.as_deref(), Some("name@example.com"));
    assert_eq!(value(&mut phone, "email"), None);
    assert_eq!(phone.type_text("x").expect_err("nothing has it").kind, ErrorKind::NothingFocused);
    tap(&mut phone, "email");
    phone.type_text("ada@example.com\n").expect("focus");
    assert!(node(&mut phone, "password").focused, "return goes to the next field");
    phone.type_text("lovelace2").expect("focus");
    assert_eq!(value(&mut phone, "password").as_deref(), Some("•••••••••"));
    assert!(node(&mut phone, "sign-in").enabled);
    tap(&mut phone, "sign-in");
    assert!(maybe(&mut phone, "The email or the password is wrong.").is_some());
    phone.type_text("\u{8}").expect("focus");
    assert!(maybe(&mut phone, "The email or the password is wrong.").is_none());
    let error = phone.type_text("1\nmore").expect_err("the page is gone");
    assert_eq!((error.kind, error.outcome), (ErrorKind::NothingFocused, Outcome::Unknown));
    assert!(maybe(&mut phone, "Hello, Ada").is_some());
    tap(&mut phone, "sign-out");
    assert_eq!(value(&mut phone, "email"), None);
    tap(&mut phone, "remember");
    assert_eq!(node(&mut phone, "remember").checked, Some(true));
}

#[test]
fn what_is_secret_is_never_told() {
    let mut phone = opened("Sign-in");
    tap(&mut phone, "password");
    for key in ["s", "e", "c", "r", "e", "t"] {
        tap_key(&mut phone, key);
    }
    phone.type_text("Zebra").expect("focus");
    let tree = serde_json::to_string(&phone.tree()).expect("it can be written");
    let log = serde_json::to_string(phone.touches()).expect("it can be written");
    for text in [&tree, &log, &format!("{phone:?}"), &format!("{:?}", phone.focused())] {
        assert!(!text.contains("secret") && !text.contains("Zebra"), "{text}");
    }
    assert!(tree.contains("•••••••••••"));
    assert!(!log.contains("\"target\":\"s\""), "the keys tell it");
}

/// Touches a key of the keyboard.
#[track_caller]
fn tap_key(phone: &mut Phone, label: &str) {
    let keys = of_role(phone, Role::Key);
    let key = keys.iter().find(|key| key.label.as_deref() == Some(label)).unwrap_or_else(|| panic!("no key {label}"));
    phone.tap(key.bounds.expect("bounds").center());
}

#[test]
fn keys_write() {
    let mut phone = opened("Notes");
    tap(&mut phone, "new-note");
    for key in ["H", "i", "space", "shift", "Y", "o", "u", "shift", "shift", "N", "N", "shift", "n", "delete"] {
        tap_key(&mut phone, key);
    }
    for key in ["numbers", "1", "£", "symbols", "€", "numbers", "?", "letters", "return", "q"] {
        tap_key(&mut phone, key);
    }
    assert_eq!(value(&mut phone, "note-body").as_deref(), Some("Hi YouNN1£€?\nq"));
    let keys = of_role(&mut phone, Role::Key).len();
    assert_eq!(keys, 26 + 5);
    assert!(phone.hide_keyboard() && !phone.hide_keyboard());
    assert_eq!(phone.focused(), None);
}

#[test]
fn the_keyboard_covers_what_lies_under_it() {
    let mut phone = opened("Sign-in");
    phone.set_orientation(Orientation::LandscapeLeft).expect("it turns");
    tap(&mut phone, "email");
    let keyboard = of_role(&mut phone, Role::Keyboard)[0].bounds.expect("bounds");
    let button = node(&mut phone, "sign-in");
    assert!(button.bounds.expect("bounds").y > keyboard.y && !button.visible);
    // Touches on covered elements reach the keyboard or nothing.
    let remember = node(&mut phone, "remember").bounds.expect("bounds").center();
    phone.tap(remember);
    assert_eq!(node(&mut phone, "remember").checked, Some(false));
    // The touch hit a key instead.
    swipe(&mut phone, (400.0, 150.0), (400.0, 30.0));
    assert!(node(&mut phone, "password").visible, "it can be scrolled up from under the keyboard");
    let revision = phone.revision();
    swipe(&mut phone, (400.0, 330.0), (400.0, 230.0));
    assert_eq!(phone.revision(), revision, "a finger on the keyboard does not scroll the page");
}

#[test]
fn the_browser_has_a_history() {
    let mut phone = opened("Browser");
    assert!(!node(&mut phone, "browser-back").enabled);
    tap(&mut phone, "The Lake at Dawn");
    assert_eq!(of_role(&mut phone, Role::WebView)[0].label.as_deref(), Some("The Lake at Dawn"));
    tap(&mut phone, "See the photo on its own");
    assert_eq!(value(&mut phone, "address").as_deref(), Some("demo:photo"));
    tap(&mut phone, "browser-back");
    tap(&mut phone, "browser-back");
    tap(&mut phone, "browser-forward");
    assert_eq!(value(&mut phone, "address").as_deref(), Some("demo:article"));
    tap(&mut phone, "address");
    assert_eq!(value(&mut phone, "address"), None, "typing replaces the address");
    phone.press(Button::Back);
    assert_eq!(value(&mut phone, "address").as_deref(), Some("demo:article"));
    tap(&mut phone, "address");
    phone.type_text("demo:1000\n").expect("focus");
    let rows = of_role(&mut phone, Role::Cell);
    assert_eq!(rows.len(), 1_000);
    assert!(!rows[999].visible);
    tap(&mut phone, "Row 3");
    assert!(node(&mut phone, "Row 3").selected);
    phone.open_url("https://example.org/a").expect("the browser opens it");
    assert!(maybe(&mut phone, "example.org").is_some());
    assert_eq!(phone.open_url("tel:123").expect_err("no app").kind, ErrorKind::InvalidArgument);
    phone.open_url("demo:deep:3000").expect("the browser opens it");
    assert!(phone.tree().nodes.len() > 3_000);
    tap(&mut phone, "deepest");
    assert_eq!(value(&mut phone, "address").as_deref(), Some("demo:start"));
}

#[test]
fn pages_load_by_themselves() {
    let mut phone = with(PhoneOptions { load_ms: 300, ..PhoneOptions::default() });
    phone.open_url("demo:article").expect("the browser opens it");
    assert!(maybe(&mut phone, "Loading…").is_some() && maybe(&mut phone, "photo").is_none());
    let revision = phone.revision();
    phone.advance(Duration::from_millis(10));
    assert_eq!(phone.revision(), revision, "the bar moves in steps");
    phone.advance(Duration::from_millis(290));
    assert!(phone.revision() > revision);
    assert!(maybe(&mut phone, "Loading…").is_none() && maybe(&mut phone, "photo").is_some());
}

#[test]
fn the_photo_zooms() {
    let mut phone = phone();
    phone.open_url("demo:photo").expect("the browser opens it");
    let bounds = node(&mut phone, "photo").bounds.expect("bounds");
    let middle = bounds.center();
    assert_eq!(value(&mut phone, "photo").as_deref(), Some("Zoom 100%"));
    phone.double_tap(middle);
    assert_eq!(value(&mut phone, "photo").as_deref(), Some("Zoom 200%"));
    phone.double_tap(middle);
    let finger = |a: f64, b: f64| Finger {
        path: vec![
            PathPoint { at_ms: 0, point: Point::new(middle.x + a, middle.y) },
            PathPoint { at_ms: 300, point: Point::new(middle.x + b, middle.y) },
        ],
    };
    phone.gesture(&[finger(-20.0, -60.0), finger(20.0, 60.0)]).expect("it is a pinch");
    assert_eq!(value(&mut phone, "photo").as_deref(), Some("Zoom 300%"));
    phone.gesture(&[finger(-60.0, -20.0), finger(60.0, 20.0)]).expect("it is a pinch");
    assert_eq!(value(&mut phone, "photo").as_deref(), Some("Zoom 100%"));
    assert_eq!(phone.gesture(&[]).expect_err("no finger").kind, ErrorKind::InvalidArgument);
    let back = Finger { path: vec![finger(0.0, 0.0).path[1], finger(0.0, 0.0).path[0]] };
    assert_eq!(phone.gesture(&[back]).expect_err("time goes back").kind, ErrorKind::InvalidArgument);
}

#[test]
fn a_finger_of_a_gesture_taps_holds_and_swipes() {
    let mut phone = opened("Contacts");
    let at = |y: f64, ms: u64| PathPoint { at_ms: ms, point: Point::new(200.0, y) };
    phone.gesture(&[Finger { path: vec![at(600.0, 0), at(500.0, 100), at(450.0, 200)] }]).expect("it is a swipe");
    let first = of_role(&mut phone, Role::Cell)[0].bounds.expect("bounds");
    assert!(first.y < 100.0);
    let two = [at(600.0, 0), at(500.0, 200)];
    let beside = two.map(|mut place| {
        place.point.x += 60.0;
        place
    });
    phone.gesture(&[Finger { path: two.to_vec() }, Finger { path: beside.to_vec() }]).expect("two fingers scroll");
    assert_eq!(of_role(&mut phone, Role::Cell)[0].bounds.expect("bounds").y, first.y - 100.0);
    open(&mut phone, "Notes");
    let cell = of_role(&mut phone, Role::Cell)[1].bounds.expect("bounds").center();
    phone.gesture(&[Finger { path: vec![at(cell.y, 0), at(cell.y, 900)] }]).expect("it is a long press");
    assert_eq!(of_role(&mut phone, Role::Sheet).len(), 1);
    assert_eq!(phone.touches().last().map(|touch| touch.kind), Some(TouchKind::Gesture));
}

#[test]
fn the_game_hides_its_board_from_the_tree() {
    for orientation in ORIENTATIONS {
        let mut phone = opened("Game");
        phone.set_orientation(orientation).expect("it turns");
        let nodes = phone.tree().nodes;
        assert_eq!(nodes.len(), 2, "{nodes:?}");
        assert_eq!((nodes[1].role, nodes[1].label.as_deref()), (Role::Other, None));
        let before = phone.pixels().2.to_vec();
        let at = if orientation.is_landscape() { Point::new(100.0, 90.0) } else { Point::new(90.0, 240.0) };
        phone.tap(at);
        assert_eq!(phone.apps.game.moves(), 1);
        assert!(phone.pixels().2 != before, "the picture shows the move");
    }
}

#[test]
fn the_game_can_be_won_and_started_again() {
    let mut phone = opened("Game");
    // Every set of lamps, tried: one of them puts all lights out.
    let board = node(&mut phone, "board").bounds.expect("bounds");
    let side = 350.0;
    let cell = |n: usize| {
        let (x, y) = ((n % 3) as f64 + 0.5, (n / 3) as f64 + 0.5);
        Point::new(board.x + 20.0 + x * side / 3.0, board.y + 130.0 + y * side / 3.0)
    };
    let mut won = false;
    for set in 0..512_u32 {
        phone.launch(&Launch { app: "Game".into(), fresh: true, arguments: vec![] }).expect("it exists");
        let touched: Vec<usize> = (0..9).filter(|n| set & (1 << n) != 0).collect();
        for n in &touched {
            phone.tap(cell(*n));
        }
        if phone.apps.game.moves() as usize == touched.len() {
            let before = phone.revision();
            phone.tap(cell(0));
            // A solved board takes no more moves.
            won |= phone.revision() == before && !touched.is_empty();
        }
    }
    assert!(won);
}

#[test]
fn locking_and_unlocking_without_a_passcode() {
    let mut phone = opened("Notes");
    tap(&mut phone, "new-note");
    phone.lock();
    assert!(phone.is_locked() && !phone.keyboard_up());
    assert_eq!(phone.state().locked, Some(true));
    assert_eq!(phone.active_app().id, "com.fingertip.home");
    assert_eq!(phone.type_text("a").expect_err("it is locked").kind, ErrorKind::Locked);
    let launch = Launch { app: "Notes".into(), ..Launch::default() };
    assert_eq!(phone.launch(&launch).expect_err("it is locked").kind, ErrorKind::Locked);
    assert_eq!(phone.open_url("https://a.example").expect_err("it is locked").kind, ErrorKind::Locked);
    phone.home();
    assert!(phone.is_locked());
    swipe(&mut phone, (200.0, 800.0), (200.0, 300.0));
    assert!(!phone.is_locked());
    assert_eq!(phone.active_app().name.as_deref(), Some("Notes"));
    phone.lock();
    phone.unlock().expect("it has no passcode");
    phone.unlock().expect("it is open already");
}

#[test]
fn a_passcode_is_asked_for() {
    let mut phone = with(PhoneOptions { passcode: Some("1379".into()), locked: true, ..PhoneOptions::default() });
    assert!(maybe(&mut phone, "lock-screen").is_some());
    assert_eq!(phone.unlock().expect_err("it wants it").kind, ErrorKind::Locked);
    for digit in ["1", "3", "7", "8"] {
        assert!(maybe(&mut phone, "Wrong passcode").is_none());
        tap(&mut phone, digit);
    }
    assert!(maybe(&mut phone, "Wrong passcode").is_some() && phone.is_locked());
    tap(&mut phone, "1");
    tap(&mut phone, "2");
    assert_eq!(value(&mut phone, "passcode").as_deref(), Some("••"));
    tap(&mut phone, "passcode-delete");
    for digit in ["3", "7", "9"] {
        tap(&mut phone, digit);
    }
    assert!(!phone.is_locked());
    phone.lock();
    tap(&mut phone, "lock-screen");
    tap(&mut phone, "passcode-cancel");
    assert!(maybe(&mut phone, "lock-screen").is_some());
    assert_eq!(phone.enter_passcode("0000").expect_err("it is wrong").kind, ErrorKind::Locked);
    assert!(maybe(&mut phone, "Wrong passcode").is_some());
    phone.enter_passcode("1379").expect("it is right");
    assert!(!phone.is_locked());
}

#[test]
fn the_phones_own_gestures_and_buttons() {
    let mut phone = opened("Settings");
    open(&mut phone, "Notes");
    swipe(&mut phone, (200.0, 840.0), (200.0, 500.0));
    assert_eq!(phone.active_app().id, "com.fingertip.home");
    phone.press(Button::AppSwitcher);
    let cards = of_role(&mut phone, Role::Cell);
    assert_eq!(cards.iter().map(|card| card.label.as_deref()).collect::<Vec<_>>(), [Some("Notes"), Some("Settings")]);
    tap(&mut phone, "com.fingertip.settings");
    assert_eq!(phone.active_app().name.as_deref(), Some("Settings"));
    phone.swipe(Swipe {
        from: Point::new(195.0, 842.0),
        to: Point::new(195.0, 500.0),
        hold: Duration::ZERO,
        duration: Duration::from_secs(1),
    });
    assert_eq!(phone.tree().nodes[0].label.as_deref(), Some("Running apps"));
    phone.press(Button::Back);
    phone.press(Button::VolumeDown);
    assert_eq!(node(&mut phone, "toast").label.as_deref(), Some("Volume 44%"));
    open(&mut phone, "Settings");
    tap(&mut phone, "sounds");
    assert_eq!(value(&mut phone, "volume").as_deref(), Some("44%"));
    phone.set_clipboard("kept");
    assert_eq!(phone.clipboard(), "kept");
}

#[test]
fn the_clock_ticks_only_when_asked_to() {
    let mut phone = with(PhoneOptions { ticking_clock: true, ..PhoneOptions::default() });
    phone.advance(Duration::ZERO);
    let revision = phone.revision();
    phone.advance(Duration::from_secs(30));
    assert_eq!(phone.revision(), revision);
    phone.advance(Duration::from_secs(30));
    assert_eq!(phone.revision(), revision + 1);
    let mut still = super::tests::phone();
    still.advance(Duration::ZERO);
    let revision = still.revision();
    still.advance(Duration::from_secs(3_600));
    assert_eq!(still.revision(), revision);
}

#[test]
fn options_are_read_strictly_and_made_sane() {
    let read = |text: &str| serde_json::from_str::<PhoneOptions>(text);
    let options = read(r#"{"name":"Test","dark":true,"load_ms":300}"#).expect("these exist");
    assert_eq!((options.name.as_str(), options.dark, options.load_ms, options.scale), ("Test", true, 300, 3.0));
    assert!(read(r#"{"colour":"red"}"#).is_err());
    let odd = PhoneOptions { width: f64::NAN, height: -4.0, scale: 1e9, ..PhoneOptions::default() };
    let screen = Phone::new(odd).screen();
    assert_eq!((screen.width, screen.height, screen.scale), (390.0, 480.0, 4.0));
}

#[test]
fn any_touch_anywhere_is_survived() {
    // A small generator of its own, so that a failure can be repeated.
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let mut phone = with(PhoneOptions { passcode: Some("11".into()), ..PhoneOptions::default() });
    for step in 0..4_000 {
        let mut point = || Point::new(next(950) as f64 - 40.0, next(950) as f64 - 40.0);
        let (a, b) = (point(), point());
        match next(14) {
            0..=5 => phone.tap(a),
            6 => phone.double_tap(a),
            7 => phone.long_press(a, Duration::from_millis(next(1_200))),
            8..=9 => {
                let (hold, duration) = (Duration::from_millis(next(700)), Duration::from_millis(next(1_000)));
                phone.swipe(Swipe { from: a, to: b, hold, duration });
            }
            10 => {
                let _ = phone.type_text("a👋\n\u{8}b");
            }
            11 => phone.set_orientation(ORIENTATIONS[next(4) as usize]).expect("it turns"),
            12 => {
                let app = ["Settings", "Notes", "Contacts", "Sign-in", "Browser", "Game"][next(6) as usize];
                let _ = phone.launch(&Launch { app: app.into(), fresh: next(4) == 0, arguments: vec![] });
            }
            _ => {
                phone.advance(Duration::from_millis(next(3_000)));
                let _ = phone.enter_passcode("11");
                phone.press(Button::Back);
            }
        }
        let nodes = phone.tree().nodes;
        assert!(!nodes.is_empty(), "step {step}");
        if step % 97 == 0 {
            phone.pixels();
        }
    }
}

#[test]
fn a_phone_can_move_between_threads_and_is_small_until_it_is_looked_at() {
    fn is_send<T: Send>() {}
    is_send::<Phone>();
    assert!(size_of::<Phone>() < 2_048, "{}", size_of::<Phone>());
}
