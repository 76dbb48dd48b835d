//! How long looking takes: a full screenshot to the default picture, a large tree to text. Run with
//! `cargo bench -p fingertip --bench picture`; figures of a release build on an idle core go into the README.

use fingertip::neutral::{Node, Orientation, PictureFormat, Rect, Role, Screen, Tree};
use fingertip::perception::{describe, find, geometry::PixelSize, outline::Outline, picture, refs::RefBook, render};

fn main() {
    divan::main();
}

const SCREEN: Screen = Screen { width: 390.0, height: 844.0, scale: 3.0, orientation: Orientation::Portrait };

/// A screen of rows with text-like strokes; `busy` adds a photo-like noise over a third of it.
fn screenshot(busy: bool) -> Vec<u8> {
    let (width, height) = (1170u32, 2532u32);
    let mut data = vec![0u8; (width * height * 4) as usize];
    let mut seed = 1u32;
    for y in 0..height {
        for x in 0..width {
            let at = ((y * width + x) * 4) as usize;
            let row = y / 132;
            let stroke = (y % 132) / 40 == 1 && x > 60 && x < 60 + (row * 97) % 700 && (x / 7 + y / 5) % 3 == 0;
            let grey = if stroke { 30 } else { 245 - (row % 2) as u8 * 8 };
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = if busy && y < height / 3 { (seed >> 25) as u8 } else { 0 };
            data[at..at + 4].copy_from_slice(&[grey - noise.min(grey), grey / 2 + noise, grey, 255]);
        }
    }
    picture::Pixels::new(width, height, 4, data).unwrap().encode(PictureFormat::Png, 0).unwrap().bytes
}

#[divan::bench(args = [false, true])]
fn png_to_default_jpeg(bencher: divan::Bencher<'_, '_>, busy: bool) {
    let bytes = screenshot(busy);
    let mut scaler = picture::Scaler::new();
    let size = picture::target_size(&SCREEN, PixelSize { width: 1170, height: 2532 }, None);
    bencher.bench_local(|| {
        let wanted = picture::Wanted {
            size: Some(size),
            format: PictureFormat::Jpeg,
            max_bytes: Some(650_000),
            marks: &[],
            screen: None,
        };
        scaler.scaled(divan::black_box(&bytes), &wanted).unwrap()
    });
}

#[divan::bench]
fn png_decode_only(bencher: divan::Bencher<'_, '_>) {
    let bytes = screenshot(true);
    bencher.bench_local(|| picture::decode(divan::black_box(&bytes)).unwrap());
}

fn tree(rows: usize) -> Tree {
    let mut nodes = vec![Node::new(Role::Window)];
    for row in 0..rows {
        let cell = nodes.len() as u32;
        let y = 100.0 + row as f64 * 44.0;
        for (parent, role, label) in [
            (0, Role::Cell, None),
            (cell, Role::Text, Some(format!("Row number {row}"))),
            (cell, Role::Text, Some(format!("Subtitle of {row}"))),
            (cell, Role::Image, None),
            (cell, Role::Button, Some("More".to_owned())),
        ] {
            let mut node = Node::new(role);
            node.parent = Some(parent);
            node.label = label;
            node.bounds = Some(Rect::new(0.0, y, 390.0, 44.0));
            nodes.push(node);
        }
    }
    Tree { nodes, ..Tree::default() }
}

#[divan::bench(args = [200, 1000])]
fn tree_to_text(bencher: divan::Bencher<'_, '_>, rows: usize) {
    let tree = tree(rows);
    let mut book = RefBook::new();
    bencher.bench_local(|| {
        let outline = Outline::new(&tree, &SCREEN);
        let refs = book.assign(&outline);
        render::text(&outline, &refs, "f1", &render::Options::default())
    });
}

#[divan::bench(args = [200, 1000])]
fn outline_only(bencher: divan::Bencher<'_, '_>, rows: usize) {
    let tree = tree(rows);
    bencher.bench_local(|| Outline::new(divan::black_box(&tree), &SCREEN));
}

#[divan::bench(args = [200, 1000])]
fn describe_screen(bencher: divan::Bencher<'_, '_>, rows: usize) {
    let tree = tree(rows);
    let outline = Outline::new(&tree, &SCREEN);
    let refs = RefBook::new().assign(&outline);
    bencher.bench_local(|| {
        describe::describe(&describe::Shown::by_tree(&tree, &outline, &refs), "f1", describe::DEFAULT_TOKENS)
    });
}

#[divan::bench(args = [200, 1000])]
fn find_text(bencher: divan::Bencher<'_, '_>, rows: usize) {
    let tree = tree(rows);
    let outline = Outline::new(&tree, &SCREEN);
    bencher.bench_local(|| find::find_text(&tree, &outline, "subtitle of 7", find::Match::Fuzzy, 10));
}
