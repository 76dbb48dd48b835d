//! Reads a folder of real screens, each a picture and the tree of the same moment, and prints which of the tree's texts
//! were read: `FINGERTIP_CORPUS=FOLDER cargo run -p fingertip-ocr --example pairs [-- PART-OF-A-NAME]`.
//!
//! Every folder within FOLDER holds `screen.png` or `screen.jpg` and `tree.xml` or `tree-fragment.xml`, as an Android or an
//! iOS framework writes it. Texts that the picture does not show (scrolled away, cut short, behind another window) count as
//! missed too; the list of misses is for looking at. With `--lines` all lines that were read are printed.

use fingertip_ocr::{Area, Picture, Reader, Reading};
use fingertip_pixels::{Raw, decode_jpeg, decode_png, jpeg_size};
use quick_xml::events::{BytesStart, Event};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Most bytes that a decoder may allocate.
const MOST_BYTES: usize = 400_000_000;

struct Text {
    says: String,
    bounds: Area,
}

fn main() {
    let Some(folder) = std::env::var_os("FINGERTIP_CORPUS").map(PathBuf::from) else {
        eprintln!("FINGERTIP_CORPUS names no folder of pairs");
        std::process::exit(2);
    };
    let words: Vec<String> = std::env::args().skip(1).collect();
    let all_lines = words.iter().any(|word| word == "--lines");
    let only = words.iter().find(|word| !word.starts_with("--"));
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("the folder can be read").flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let reader = Reader::new();
    let (mut found, mut total, mut told_all, mut others_all) = (0, 0, 0, 0);
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if only.is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let Some(raw) = picture(&folder) else { continue };
        let picture = Picture { width: raw.width, height: raw.height, channels: raw.channels, data: &raw.data };
        let start = Instant::now();
        let reading = reader.read(&picture, None).expect("the picture can be read");
        let took = start.elapsed().as_millis();
        let screen = Area { x: 0.0, y: 0.0, width: f64::from(raw.width), height: f64::from(raw.height) };
        let (texts, others): (Vec<Text>, Vec<Text>) =
            texts(&folder, &screen).into_iter().partition(|text| text.says.chars().all(is_readable));
        let told = others.iter().filter(|text| is_told(&reading, text)).count();
        let missed: Vec<&Text> = texts.iter().filter(|text| !is_read(&reading, text)).collect();
        let unread = reading.lines.iter().filter(|line| !line.readable).count();
        println!(
            "{name}: {}x{}, {} lines ({unread} not readable), {} of {} texts; of {} in other scripts {told} told; {took} ms",
            raw.width,
            raw.height,
            reading.lines.len(),
            texts.len() - missed.len(),
            texts.len(),
            others.len()
        );
        told_all += told;
        others_all += others.len();
        found += texts.len() - missed.len();
        total += texts.len();
        for text in missed {
            let near: Vec<&str> = reading
                .lines
                .iter()
                .filter(|line| share(&line.bounds, &text.bounds) > 0.3)
                .map(|line| if line.readable { line.text.as_str() } else { "(not read here)" })
                .collect();
            println!("  missed {:?} at {}, there is {near:?}", text.says, place(&text.bounds));
        }
        if all_lines {
            for line in &reading.lines {
                let mark = if line.readable { "" } else { " NOT READ" };
                println!("    {:.2} {} {:?}{mark}", line.score, place(&line.bounds), line.text);
            }
        }
    }
    let share = 100.0 * f64::from(found as u32) / f64::from(total.max(1) as u32);
    println!("{found} of {total} texts: {share:.1} %; of {others_all} in other scripts {told_all} told");
}

fn place(area: &Area) -> String {
    format!("[{:.0},{:.0} {:.0}x{:.0}]", area.x, area.y, area.width, area.height)
}

fn picture(folder: &Path) -> Option<Raw> {
    if let Ok(bytes) = std::fs::read(folder.join("screen.png")) {
        return decode_png(&bytes, MOST_BYTES).ok();
    }
    let bytes = std::fs::read(folder.join("screen.jpg")).ok()?;
    let (width, height) = jpeg_size(&bytes).ok()?;
    Some(Raw { width, height, channels: 3, data: decode_jpeg(&bytes).ok()? })
}

/// The tree's texts that lie on the screen. Of a tree that breaks off, those before the break.
fn texts(folder: &Path, screen: &Area) -> Vec<Text> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    let xml = read("tree.xml").or_else(|_| read("tree-fragment.xml")).unwrap_or_default();
    let mut reader = quick_xml::Reader::from_str(&xml);
    reader.config_mut().check_end_names = false;
    let mut texts: Vec<Text> = Vec::new();
    while let Ok(event) = reader.read_event() {
        let node = match event {
            Event::Start(node) | Event::Empty(node) => node,
            Event::Eof => break,
            _ => continue,
        };
        for says in shown(&node) {
            let Some(bounds) = bounds(&node) else { continue };
            let repeats = texts.iter().any(|text| text.says == says && share(&text.bounds, &bounds) > 0.5);
            if !repeats && share(&bounds, screen) > 0.99 && !folded(&says).is_empty() {
                texts.push(Text { says, bounds });
            }
        }
    }
    texts
}

fn attribute(node: &BytesStart<'_>, name: &str) -> Option<String> {
    let value = node.try_get_attribute(name).ok()??.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?;
    (!value.trim().is_empty()).then(|| value.into_owned())
}

/// What the node shows as letters: a label that only a screen reader speaks is none.
fn shown(node: &BytesStart<'_>) -> Vec<String> {
    let name = node.name();
    if attribute(node, "password").as_deref() == Some("true") {
        return Vec::new();
    }
    if attribute(node, "bounds").is_some() {
        return attribute(node, "text").into_iter().collect();
    }
    if attribute(node, "visible").as_deref() == Some("false") {
        return Vec::new();
    }
    match name.as_ref().trim_start_matches("XCUIElementType") {
        "StaticText" | "Button" | "Link" => attribute(node, "label").into_iter().collect(),
        "TextField" | "SearchField" | "TextView" => attribute(node, "value").into_iter().collect(),
        _ => Vec::new(),
    }
}

fn bounds(node: &BytesStart<'_>) -> Option<Area> {
    if let Some(text) = attribute(node, "bounds") {
        let numbers: Vec<f64> = text
            .split(['[', ']', ','])
            .filter(|part| !part.is_empty())
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()?;
        let [left, top, right, bottom] = numbers[..] else { return None };
        return Some(Area { x: left, y: top, width: right - left, height: bottom - top });
    }
    let number = |name| attribute(node, name)?.parse().ok();
    Some(Area { x: number("x")?, y: number("y")?, width: number("width")?, height: number("height")? })
}

/// How much of the first lies in the second.
fn share(one: &Area, two: &Area) -> f64 {
    let width = (one.x + one.width).min(two.x + two.width) - one.x.max(two.x);
    let height = (one.y + one.height).min(two.y + two.height) - one.y.max(two.y);
    width.max(0.0) * height.max(0.0) / (one.width * one.height).max(1.0)
}

/// Whether the bundled recogniser has this character, as far as its script tells.
fn is_readable(ch: char) -> bool {
    let script = matches!(ch as u32, 0..=0x24F | 0x2000..=0x2BFF | 0x3000..=0x9FFF | 0xF900..=0xFAFF | 0xFE00..=0xFE0F)
        || matches!(ch as u32, 0xFF00..=0xFFEF | 0x1F000..=0x1FAFF);
    script || !ch.is_alphanumeric()
}

/// Whether a line that lies on the text is reported as not readable.
fn is_told(reading: &Reading, text: &Text) -> bool {
    reading.lines.iter().any(|line| !line.readable && share(&line.bounds, &text.bounds) > 0.3)
}

fn is_read(reading: &Reading, text: &Text) -> bool {
    // A line may hold several elements, an element several lines.
    let meets = |bounds: &Area| share(bounds, &text.bounds).max(share(&text.bounds, bounds)) > 0.3;
    let lines = reading.lines.iter().filter(|line| meets(&line.bounds));
    let says: String = lines.map(|line| line.text.as_str()).collect();
    folded(&says).contains(&folded(&text.says))
}

/// Letters and digits alone, without case.
fn folded(text: &str) -> String {
    text.chars().filter(|ch| ch.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
