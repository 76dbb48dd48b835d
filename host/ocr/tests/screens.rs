//! Screens of the virtual phone, whose tree is the truth: what is on them is read, what is not is not found, and reading
//! after a small change gives what a fresh reading gives.

use driver_api::{Launch, Node, Point, Rect, Role};
use fingertip_ocr::{Area, Line, Picture, Reader, Reading};
use std::sync::LazyLock;
use virtual_phone::{Phone, PhoneOptions};

static READER: LazyLock<Reader> = LazyLock::new(Reader::new);

fn phone(dark: bool, scale: f64, app: &str) -> Phone {
    let mut phone = Phone::new(PhoneOptions { dark, scale, manual_clock: true, ..PhoneOptions::default() });
    if app != "Home" {
        phone.launch(&Launch { app: app.into(), fresh: true, arguments: Vec::new() }).unwrap();
    }
    phone
}

fn read(phone: &mut Phone, previous: Option<&Reading>) -> Reading {
    let (width, height, data) = phone.pixels();
    READER.read(&Picture { width, height, channels: 4, data }, previous).unwrap()
}

/// What the node shows as letters, if it is whole on the screen.
fn shown(node: &Node, screen: Rect) -> Option<(&str, Rect)> {
    let bounds = node.bounds?;
    let whole = node.visible
        && bounds.x >= screen.x
        && bounds.y >= screen.y
        && bounds.x + bounds.width <= screen.width
        && bounds.y + bounds.height <= screen.height;
    let text = match node.role {
        Role::Text | Role::Link | Role::Tab => node.label.as_deref(),
        Role::TextField => node.value.as_deref().or(node.placeholder.as_deref()),
        _ => None,
    };
    text.filter(|_| whole).map(|text| (text, bounds))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn meets(line: &Line, bounds: Rect, scale: f64) -> bool {
    let Area { x, y, width, height } = line.bounds;
    let (left, top) = (bounds.x * scale, bounds.y * scale);
    x < left + bounds.width * scale && left < x + width && y < top + bounds.height * scale && top < y + height
}

#[test]
fn words_on_screens_are_read_and_absent_ones_are_not() {
    let absent = ["Zeppelin", "Quarry", "Wimbledon", "Oxide", "Thursday", "Umbrella", "设置", "東京"];
    let (mut found, mut total) = (0, 0);
    let mut missed = Vec::new();
    for (dark, scale) in [(true, 1.0), (false, 2.0), (true, 3.0)] {
        // Large pictures take longest, so fewer of them.
        let apps: &[&str] = match scale > 2.0 {
            true => &["Settings", "Contacts", "Browser"],
            false => &["Settings", "Contacts", "Notes", "Browser", "Sign-in"],
        };
        for app in apps {
            let mut phone = phone(dark, scale, app);
            let screen = phone.screen();
            let screen = Rect::new(0.0, 0.0, screen.width, screen.height);
            let tree = phone.tree();
            let reading = read(&mut phone, None);
            for (text, bounds) in tree.nodes.iter().filter_map(|node| shown(node, screen)) {
                let there: Vec<String> = reading
                    .lines
                    .iter()
                    .filter(|line| line.readable && meets(line, bounds, scale))
                    .map(|line| line.text.to_lowercase())
                    .collect();
                for word in words(text) {
                    total += 1;
                    match there.iter().any(|line| line.contains(&word)) {
                        true => found += 1,
                        false => {
                            missed.push(format!("{app} dark={dark} ×{scale}: {word:?} of {text:?}, read {there:?}"))
                        }
                    }
                }
            }
            for line in &reading.lines {
                assert!(line.readable, "{app} ×{scale}: {line:?} is called a script that is not read");
                for word in absent {
                    assert!(!line.text.to_lowercase().contains(&word.to_lowercase()), "{app}: {:?}", line.text);
                }
            }
        }
    }
    let recall = f64::from(found) / f64::from(total);
    println!("words read: {found} of {total}, {recall:.4}\n{}", missed.join("\n"));
    assert!(total > 200, "{total} words");
    assert!(recall >= 0.97, "{found} of {total}");
}

#[test]
fn words_stand_where_the_tree_says() {
    let mut phone = phone(false, 3.0, "Settings");
    let tree = phone.tree();
    let reading = read(&mut phone, None);
    for label in ["Bluetooth", "General", "Privacy"] {
        let node = tree.nodes.iter().find(|node| node.role == Role::Text && node.label.as_deref() == Some(label));
        let bounds = node.and_then(|node| node.bounds).unwrap();
        let words = || reading.lines.iter().flat_map(|line| &line.words);
        let word = words().find(|word| word.text == label).unwrap_or_else(|| panic!("no {label}"));
        let Point { x, y } = bounds.center();
        let (left, right) = (word.bounds.x / 3.0, (word.bounds.x + word.bounds.width) / 3.0);
        assert!((left - bounds.x).abs() < 4.0, "{label} begins at {left}, not {}", bounds.x);
        assert!((right - bounds.x - bounds.width).abs() < 4.0, "{label} ends at {right}");
        assert!(left < x && x < right && word.bounds.y / 3.0 < y && y < (word.bounds.y + word.bounds.height) / 3.0);
    }
}

fn says(reading: &Reading) -> Vec<&str> {
    reading.lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn after_a_small_change_reading_gives_what_a_fresh_reading_gives() {
    let mut phone = phone(false, 3.0, "Settings");
    let before = read(&mut phone, None);
    assert_eq!(read(&mut phone, Some(&before)), before, "nothing changed");

    let tree = phone.tree();
    let toggle = tree.nodes.iter().find(|node| node.identifier.as_deref() == Some("airplane-switch"));
    phone.tap(toggle.and_then(|node| node.bounds).unwrap().center());
    let fresh = read(&mut phone, None);
    let again = read(&mut phone, Some(&before));
    assert_ne!(says(&fresh), says(&before), "airplane mode changes rows");
    assert_eq!(says(&again), says(&fresh));
    for (one, two) in again.lines.iter().zip(&fresh.lines) {
        assert!(
            (one.bounds.x - two.bounds.x).abs() < 8.0 && (one.bounds.y - two.bounds.y).abs() < 8.0,
            "{one:?} {two:?}"
        );
    }
}

#[test]
fn another_screen_is_read_anew() {
    let before = read(&mut phone(false, 1.0, "Settings"), None);
    let mut notes = phone(false, 1.0, "Notes");
    let fresh = read(&mut notes, None);
    assert_eq!(says(&read(&mut notes, Some(&before))), says(&fresh));
    assert!(says(&fresh).contains(&"Shopping list"), "{:?}", says(&fresh));
}
