//! Screens drawn with given icons, with known truth.
//!
//! Knows how icons are laid on a page. Does not know where they come from or how they are found.

use fingertip_shapes::{Area, Picture};
use resvg::{tiny_skia, usvg};

/// A drawing and what it shows.
pub struct Icon {
    pub concept: String,
    pub name: String,
    pub filled: bool,
    pub size: [f32; 2],
    pub body: String,
}

/// How a sheet looks.
#[derive(Clone, Copy, Debug)]
pub enum Paper {
    /// Dark icons on white.
    Light,
    /// Light icons on black.
    Dark,
    /// White icons in coloured tiles on grey.
    Tiles,
    /// Coloured icons on a gradient.
    Gradient,
    /// White icons over something like a photograph.
    Photo,
}

pub struct Sheet {
    pub width: u32,
    pub height: u32,
    pub data: Vec<u8>,
    /// Which icon is where, in pixels.
    pub places: Vec<(usize, Area)>,
}

/// Width of a sheet in points, icons in a row, and sides of a cell and of an icon in points.
const WIDTH: f32 = 390.0;
const ROW: usize = 6;
const CELL: f32 = 62.0;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

pub fn sheet(icons: &[Icon], chosen: &[usize], paper: Paper, scale: f32, size: f32) -> Sheet {
    let rows = chosen.len().div_ceil(ROW);
    let (width, height) = ((WIDTH * scale) as u32, ((rows as f32 * CELL + 20.0) * scale) as u32);
    let mut dice = Dice(7);
    let (back, ink) = match paper {
        Paper::Light => ("<rect width='100%' height='100%' fill='#fff'/>".to_owned(), "#333"),
        Paper::Dark => ("<rect width='100%' height='100%' fill='#000'/>".to_owned(), "#e5e5ea"),
        Paper::Tiles => ("<rect width='100%' height='100%' fill='#f2f2f7'/>".to_owned(), "#fff"),
        Paper::Gradient => (
            "<defs><linearGradient id='g' x1='0' y1='0' x2='1' y2='1'><stop offset='0' stop-color='#fdf0d5'/>\
             <stop offset='1' stop-color='#cfe8ef'/></linearGradient></defs>\
             <rect width='100%' height='100%' fill='url(#g)'/>"
                .to_owned(),
            "#7a1f5c",
        ),
        Paper::Photo => {
            let mut spots = "<rect width='100%' height='100%' fill='#3c4a3a'/>".to_owned();
            for _ in 0..900 {
                let (x, y, r) = (dice.next(390), dice.next(1 + (rows as f32 * CELL) as u64), 3 + dice.next(26));
                let colour = [20 + dice.next(120), 30 + dice.next(120), 20 + dice.next(130)];
                spots += &format!(
                    "<circle cx='{x}' cy='{y}' r='{r}' fill='rgb({},{},{})' opacity='0.6'/>",
                    colour[0], colour[1], colour[2]
                );
            }
            (spots, "#fff")
        }
    };
    let mut body = back;
    let mut places = Vec::new();
    for (place, index) in chosen.iter().enumerate() {
        let (column, row) = (place % ROW, place / ROW);
        let (x, y) =
            (10.0 + column as f32 * CELL + (CELL - size) / 2.0, 10.0 + row as f32 * CELL + (CELL - size) / 2.0);
        if matches!(paper, Paper::Tiles) {
            let hue = dice.next(360);
            body += &format!(
                "<rect x='{}' y='{}' width='{}' height='{}' rx='9' fill='hsl({hue},60%,42%)'/>",
                x - 8.0,
                y - 8.0,
                size + 16.0,
                size + 16.0
            );
        }
        body += &format!(
            "<g transform='translate({x} {y}) scale({})' color='{ink}' fill='#000'>{}</g>",
            size / icons[*index].size[0].max(icons[*index].size[1]),
            icons[*index].body
        );
        places.push((*index, Area { x: x * scale, y: y * scale, width: size * scale, height: size * scale }));
    }
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{}'>{body}</svg>",
        rows as f32 * CELL + 20.0
    );
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).expect("the sheet");
    let mut canvas = tiny_skia::Pixmap::new(width, height).expect("a canvas");
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut canvas.as_mut());
    Sheet { width, height, data: canvas.take(), places }
}

impl Sheet {
    pub fn picture(&self) -> Picture<'_> {
        Picture { width: self.width, height: self.height, channels: 4, data: &self.data }
    }
}

/// Concepts that one drawing may rightly be called by, so that none of them is absent where another is shown.
const KIN: &[&[&str]] = &[
    &["back", "arrow left", "chevron left"],
    &["forward", "chevron right", "arrow right"],
    &["reply", "reply all", "undo", "back"],
    &["message", "chat"],
    &["menu", "drag handle", "list", "numbered list", "align left", "filter"],
    &["add", "add circle", "add box", "medical"],
    &["check", "check circle", "double check"],
    &["refresh", "sync", "rotate", "replay", "redo"],
    &["grid", "apps", "dashboard"],
    &["clock", "history", "timer", "alarm"],
    &["fullscreen", "scan"],
    &["eye", "hide"],
    &["mute", "speaker", "volume down"],
    &["bolt", "flash off"],
    &["copy", "tabs"],
    &["bag", "basket", "cart"],
    &["document", "note"],
    &["profile", "profile circle", "people", "add person"],
    &["compose", "edit"],
    &["location", "pushpin"],
    &["down", "up down", "triangle down"],
    &["globe", "my location"],
    &["play", "skip next", "fast forward"],
    &["remove", "remove circle"],
];

pub fn kin(a: &str, b: &str) -> bool {
    a == b || KIN.iter().any(|family| family.contains(&a) && family.contains(&b))
}

pub fn middle_in(hit: &Area, place: &Area) -> bool {
    let (x, y) = (hit.x + hit.width / 2.0, hit.y + hit.height / 2.0);
    (place.x..place.x + place.width).contains(&x) && (place.y..place.y + place.height).contains(&y)
}
