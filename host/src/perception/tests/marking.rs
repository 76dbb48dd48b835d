//! Which elements are marked on a picture, and how boxes and labels are drawn.

use super::{Build, SCREEN, named, screens};
use crate::neutral::{Rect, Role, Tree};
use crate::perception::picture::{Mark, Pixels, marks_of};
use crate::perception::render;

fn white(width: u32, height: u32) -> Pixels {
    Pixels::new(width, height, 3, vec![255; width as usize * height as usize * 3]).unwrap()
}

fn at(pixels: &Pixels, x: usize, y: usize) -> [u8; 3] {
    let start = (y * pixels.width as usize + x) * 3;
    pixels.data[start..start + 3].try_into().unwrap()
}

fn labels(tree: &Tree) -> Vec<String> {
    let (outline, refs) = named(tree);
    marks_of(&outline, &refs).into_iter().map(|mark| mark.label).collect()
}

/// The refs of the lines of what can be acted on and reached.
fn printed(tree: &Tree) -> Vec<String> {
    let (outline, refs) = named(tree);
    let shown = render::text(&outline, &refs, "f1", &render::Options::default()).text;
    let lines = shown.lines().filter(|line| !line.contains(" covered") && !line.contains(" hidden"));
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let acts = |name: &String| {
        let index = refs.iter().position(|known| known.to_string() == *name);
        index.is_some_and(|index| outline.elements()[index].actionable)
    };
    lines.filter_map(first).filter(acts).collect()
}

#[test]
fn what_is_marked_is_what_the_text_form_offers() {
    for tree in [
        screens::settings(0.0),
        screens::settings(300.0),
        screens::sign_in(),
        screens::keyboard_up(),
        screens::right_to_left(),
    ] {
        let marked = labels(&tree);
        assert!(!marked.is_empty());
        assert_eq!(marked, printed(&tree));
    }
}

#[test]
fn neither_keys_nor_what_lies_behind_an_alert_are_marked() {
    let (outline, refs) = named(&screens::keyboard_up());
    let marks = marks_of(&outline, &refs);
    let names: Vec<&str> = marks
        .iter()
        .map(|mark| outline.elements()[refs.iter().position(|name| name.to_string() == mark.label).unwrap()].name())
        .collect();
    assert_eq!(names, ["Search", "Partly under"]);
    let (outline, refs) = named(&screens::alert_over_list());
    let marks = marks_of(&outline, &refs);
    let bounds: Vec<Rect> = marks.iter().map(|mark| mark.bounds).collect();
    assert_eq!(bounds, [Rect::new(60.0, 450.0, 135.0, 44.0), Rect::new(195.0, 450.0, 135.0, 44.0)]);
}

#[test]
fn a_box_is_the_visible_part() {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    b.add(Some(root), Role::Button, "Half out", (-20.0, 830.0, 100.0, 40.0));
    let (outline, refs) = named(&b.tree);
    let marks = marks_of(&outline, &refs);
    assert_eq!(marks, [Mark { bounds: Rect::new(0.0, 830.0, 80.0, 14.0), label: "e1".into() }]);
    let mut pixels = white(390, 844);
    pixels.draw_marks(&marks, &SCREEN);
    // Closed at the screen's edges.
    for (x, y) in [(0, 840), (79, 840), (40, 830), (40, 843)] {
        assert_ne!(at(&pixels, x, y), [255; 3], "({x}, {y})");
    }
}

/// Letters as a person would draw them.
const E12: [&str; 9] = [
    ".......................",
    ".............#....###..",
    "............##...#...#.",
    "......###....#.......#.",
    ".....#...#...#......#..",
    ".....#####...#.....#...",
    ".....#.......#....#....",
    "......###...###..#####.",
    ".......................",
];

#[test]
fn a_label_is_drawn_letter_by_letter_over_all_boxes() {
    let screen = crate::neutral::Screen { width: 200.0, height: 300.0, ..SCREEN };
    let mut pixels = white(200, 300);
    let outer = Mark { bounds: Rect::new(20.0, 40.0, 150.0, 60.0), label: "e12".into() };
    pixels.draw_marks(std::slice::from_ref(&outer), &screen);
    // A box of one dot, its label in the corner; letters in white on the box's colour.
    let colour = at(&pixels, 20, 90);
    assert_ne!(colour, [255; 3]);
    for (row, dots) in E12.iter().enumerate() {
        for (column, dot) in dots.bytes().skip(4).enumerate() {
            let expected = if dot == b'#' { [255; 3] } else { colour };
            assert_eq!(at(&pixels, 20 + column, 40 + row), expected, "row {row}, column {column}");
        }
    }
    let line = |x: usize, y: usize| {
        let across = (20..170).contains(&x) && (40..100).contains(&y);
        across && (x == 20 || x == 169 || y == 40 || y == 99)
    };
    let label = |x: usize, y: usize| (20..39).contains(&x) && (40..49).contains(&y);
    for y in 0..300 {
        for x in 0..200 {
            assert!(line(x, y) || label(x, y) || at(&pixels, x, y) == [255; 3], "({x}, {y}) is drawn");
        }
    }
}

#[test]
fn a_box_ends_where_another_lies_over_it() {
    let screen = crate::neutral::Screen { width: 200.0, height: 300.0, ..SCREEN };
    let mark = |x, y, width, height, label: &str| Mark { bounds: Rect::new(x, y, width, height), label: label.into() };
    let mut pixels = white(200, 300);
    // A row that ends under a bar, and a switch within a row.
    let row = mark(0.0, 200.0, 200.0, 80.0, "e1");
    let bar = mark(0.0, 250.0, 199.0, 50.0, "e2");
    let switch = mark(150.0, 210.0, 40.0, 30.0, "e3");
    pixels.draw_marks(&[row, bar, switch], &screen);
    assert_eq!(at(&pixels, 100, 279), [255; 3], "the row's lower edge lies under the bar");
    assert_ne!(at(&pixels, 0, 240), [255; 3], "the row's left edge above the bar");
    assert_ne!(at(&pixels, 150, 235), [255; 3]);
    assert_ne!(at(&pixels, 100, 250), [255; 3]);
}
