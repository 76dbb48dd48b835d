//! Draws laid-out elements into pixels. It knows shapes and colours; it does not know what an element means.
//!
//! The picture is kept between frames: only the area in which the new list of elements differs from the old one is drawn
//! again.

use crate::element::{Align, Element, Shape};
use crate::icons::Icon;
use crate::layout::Layout;
use crate::text::{self, CAP_HEIGHT, Emoji, Engine, Letter, Style};
use crate::theme::Color;
use driver_api::Rect;
use tiny_skia::{
    FillRule, FilterQuality, LineCap, LineJoin, Paint, Path, PathBuilder, Pattern, Pixmap, PixmapPaint, SpreadMode,
    Stroke, Transform,
};

/// A picture of the screen and the elements it shows.
pub(crate) struct Canvas {
    pixmap: Pixmap,
    scale: f64,
    shown: Option<Layout>,
}

/// A rectangle of whole pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Area {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Area {
    /// The pixels that a rectangle of points touches.
    fn around(rect: &Rect, scale: f64) -> Area {
        Area {
            left: (rect.x * scale).floor() as i32,
            top: (rect.y * scale).floor() as i32,
            right: (rect.right() * scale).ceil() as i32,
            bottom: (rect.bottom() * scale).ceil() as i32,
        }
    }

    /// The pixels whose middle a rectangle of points covers.
    fn of(rect: &Rect, scale: f64) -> Area {
        Area {
            left: (rect.x * scale).round() as i32,
            top: (rect.y * scale).round() as i32,
            right: (rect.right() * scale).round() as i32,
            bottom: (rect.bottom() * scale).round() as i32,
        }
    }

    fn and(self, other: Area) -> Option<Area> {
        let area = Area {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (area.left < area.right && area.top < area.bottom).then_some(area)
    }

    fn or(self, other: Area) -> Area {
        Area {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

impl Canvas {
    /// An empty picture for a screen of this size in points.
    pub(crate) fn new(width: f64, height: f64, scale: f64) -> Canvas {
        let (width, height) = pixels(width, height, scale);
        let pixmap = Pixmap::new(width, height).expect("a screen has an area");
        Canvas { pixmap, scale, shown: None }
    }

    /// Width and height in pixels, and the pixels as RGBA rows from the top.
    pub(crate) fn pixels(&self) -> (u32, u32, &[u8]) {
        (self.pixmap.width(), self.pixmap.height(), self.pixmap.data())
    }

    /// Brings the picture up to this layout.
    pub(crate) fn show(&mut self, layout: &Layout) {
        let (width, height) = pixels(layout.screen.width, layout.screen.height, self.scale);
        if (width, height) != (self.pixmap.width(), self.pixmap.height()) {
            *self = Canvas::new(layout.screen.width, layout.screen.height, self.scale);
        }
        let whole = Area { left: 0, top: 0, right: width as i32, bottom: height as i32 };
        let area = match &self.shown {
            Some(shown) => changed(shown, layout, self.scale).and_then(|area| area.and(whole)),
            None => Some(whole),
        };
        if let Some(area) = area {
            let mut brush = Brush::new(width, height, area, self.scale);
            brush.elements(layout);
            if area == whole {
                self.pixmap = brush.pixmap;
            } else {
                copy(&brush.pixmap, &mut self.pixmap, area);
            }
        }
        self.shown = Some(layout.clone());
    }
}

/// The size of a picture in pixels.
pub(crate) fn pixels(width: f64, height: f64, scale: f64) -> (u32, u32) {
    ((width * scale).round().max(1.0) as u32, (height * scale).round().max(1.0) as u32)
}

/// The area in which two lists of elements look different.
fn changed(old: &Layout, new: &Layout, scale: f64) -> Option<Area> {
    let mut area: Option<Area> = None;
    let mut add = |element: &Element| {
        for shape in &element.shapes {
            let touched = Area::around(&shape.rect(), scale);
            area = Some(area.map_or(touched, |area| area.or(touched)));
        }
    };
    let looks_same = |a: &Element, b: &Element| a.layer == b.layer && a.shapes == b.shapes;
    let (old, new) = (&old.elements, &new.elements);
    // What was added or taken away in the middle shifts the rest, so equal ends are matched first.
    let head = old.iter().zip(new).take_while(|(a, b)| looks_same(a, b)).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| looks_same(a, b)).count();
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old.len() == new.len() {
        for (a, b) in old.iter().zip(new).filter(|(a, b)| !looks_same(a, b)) {
            add(a);
            add(b);
        }
    } else {
        old.iter().chain(new).for_each(&mut add);
    }
    area
}

fn copy(from: &Pixmap, to: &mut Pixmap, area: Area) {
    let width = to.width() as usize * 4;
    for y in area.top as usize..area.bottom as usize {
        let row = y * width + area.left as usize * 4..y * width + area.right as usize * 4;
        to.data_mut()[row.clone()].copy_from_slice(&from.data()[row]);
    }
}

/// Draws one area of the screen.
///
/// The picture it draws on has the whole screen's size, and paths are drawn whole even where they leave the area: a path that
/// is cut at the area's edge has slightly other edges of its own, and the same screen must always be the same picture.
struct Brush {
    pixmap: Pixmap,
    area: Area,
    scale: f64,
}

impl Brush {
    fn new(width: u32, height: u32, area: Area, scale: f64) -> Brush {
        let pixmap = Pixmap::new(width, height).expect("a screen has an area");
        let mut brush = Brush { pixmap, area, scale };
        brush.cover(area, Color::BLACK);
        brush
    }

    fn elements(&mut self, layout: &Layout) {
        let mut engine = text::engine();
        for index in &layout.order {
            for shape in &layout.elements[*index as usize].shapes {
                if Area::around(&shape.rect(), self.scale).and(self.area).is_some() {
                    self.shape(shape, &mut engine);
                }
            }
        }
    }

    fn shape(&mut self, shape: &Shape, engine: &mut Engine) {
        match shape {
            Shape::Fill { rect, radius, color } if *radius == 0.0 => self.cover(Area::of(rect, self.scale), *color),
            Shape::Fill { rect, radius, color } => {
                if let Some(path) = rounded(rect, *radius) {
                    self.fill(&path, *color);
                }
            }
            Shape::Border { rect, radius, width, color } => {
                let half = width / 2.0;
                let inner = Rect::new(rect.x + half, rect.y + half, rect.width - width, rect.height - width);
                if let Some(path) = rounded(&inner, radius - half) {
                    self.stroke(&path, *width, *color, Transform::identity());
                }
            }
            Shape::Gradient { rect, radius, top, bottom } => self.gradient(rect, *radius, *top, *bottom),
            Shape::Text { rect, line, style, color, align, caret } => {
                self.text(rect, (line, *style), (*color, *align, *caret), engine);
            }
            Shape::Icon { rect, icon, color } => self.icon(rect, *icon, *color),
            Shape::Photo { rect, radius, zoom } => self.photo(rect, *radius, *zoom),
        }
    }

    /// From points to pixels.
    fn transform(&self) -> Transform {
        Transform::from_scale(self.scale as f32, self.scale as f32)
    }

    /// Fills whole pixels, which is much faster than a path.
    fn cover(&mut self, pixels: Area, color: Color) {
        let Some(pixels) = pixels.and(self.area) else { return };
        let [r, g, b, a] = color.parts();
        let width = self.pixmap.width() as usize * 4;
        let (from, to) = (pixels.left as usize * 4, pixels.right as usize * 4);
        for y in pixels.top as usize..pixels.bottom as usize {
            let start = y * width;
            let row = &mut self.pixmap.data_mut()[start + from..start + to];
            if a == 255 {
                row.as_chunks_mut::<4>().0.fill([r, g, b, 255]);
            } else {
                for pixel in row.as_chunks_mut::<4>().0 {
                    blend(pixel, [r, g, b], u32::from(a));
                }
            }
        }
    }

    fn fill(&mut self, path: &Path, color: Color) {
        let transform = self.transform();
        self.pixmap.fill_path(path, &paint(color), FillRule::Winding, transform, None);
    }

    fn stroke(&mut self, path: &Path, width: f64, color: Color, local: Transform) {
        let stroke =
            Stroke { width: width as f32, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        let transform = local.post_concat(self.transform());
        self.pixmap.stroke_path(path, &paint(color), &stroke, transform, None);
    }

    fn gradient(&mut self, rect: &Rect, radius: f64, top: Color, bottom: Color) {
        if radius > 0.0 {
            let Some(path) = rounded(rect, radius) else { return };
            let color = |color: Color| {
                let [r, g, b, a] = color.parts();
                tiny_skia::Color::from_rgba8(r, g, b, a)
            };
            let shader = tiny_skia::LinearGradient::new(
                tiny_skia::Point::from_xy(rect.x as f32, rect.y as f32),
                tiny_skia::Point::from_xy(rect.x as f32, rect.bottom() as f32),
                vec![tiny_skia::GradientStop::new(0.0, color(top)), tiny_skia::GradientStop::new(1.0, color(bottom))],
                SpreadMode::Pad,
                Transform::identity(),
            );
            let mut paint = paint(top);
            if let Some(shader) = shader {
                paint.shader = shader;
            }
            let transform = self.transform();
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, transform, None);
            return;
        }
        let pixels = Area::of(rect, self.scale);
        let height = f64::from((pixels.bottom - pixels.top).max(1));
        for y in pixels.top.max(self.area.top)..pixels.bottom.min(self.area.bottom) {
            let color = top.mix(bottom, f64::from(y - pixels.top) / height);
            self.cover(Area { top: y, bottom: y + 1, ..pixels }, color);
        }
    }

    fn text(
        &mut self,
        rect: &Rect,
        (line, style): (&str, Style),
        (color, align, caret): (Color, Align, Option<Color>),
        engine: &mut Engine,
    ) {
        let width = if align == Align::Left && caret.is_none() { 0.0 } else { engine.drawn_width(line, style) };
        let x = match align {
            Align::Left => rect.x,
            Align::Center => rect.x + (rect.width - width) / 2.0,
            Align::Right => rect.right() - width,
        };
        let size = f64::from(style.size);
        let baseline = rect.y + rect.height / 2.0 + size * CAP_HEIGHT / 2.0;
        let at = ((x * self.scale) as f32, (baseline * self.scale).round() as f32, self.scale as f32);
        let [r, g, b, a] = color.parts();
        engine.letters(line, style, at, |letter| self.letter(&letter, [r, g, b], u32::from(a)));
        for (start, wide, kind) in engine.emoji(line, style) {
            let side = wide * 0.98;
            let middle = baseline - size * CAP_HEIGHT / 2.0;
            let rect = Rect::new(x + start + (wide - side) / 2.0, middle - side / 2.0, side, side);
            self.emoji(&rect, kind);
        }
        if let Some(color) = caret {
            let half = size * 0.62;
            let middle = rect.y + rect.height / 2.0;
            let bar = Rect::new(x + width + 0.7, middle - half, 2.0, 2.0 * half);
            if let Some(path) = rounded(&bar, 1.0) {
                self.fill(&path, color);
            }
        }
    }

    fn letter(&mut self, letter: &Letter<'_>, color: [u8; 3], alpha: u32) {
        let place = Area {
            left: letter.left,
            top: letter.top,
            right: letter.left + letter.width as i32,
            bottom: letter.top + letter.height as i32,
        };
        let Some(seen) = place.and(self.area) else { return };
        let stride = self.pixmap.width() as usize * 4;
        let data = self.pixmap.data_mut();
        for y in seen.top..seen.bottom {
            let source = (y - letter.top) as usize * letter.width as usize;
            let target = y as usize * stride;
            for x in seen.left..seen.right {
                let coverage = u32::from(letter.coverage[source + (x - letter.left) as usize]);
                if coverage > 0 {
                    let at = target + x as usize * 4;
                    if let Some(pixel) = data[at..].first_chunk_mut::<4>() {
                        blend(pixel, color, coverage * alpha / 255);
                    }
                }
            }
        }
    }

    fn icon(&mut self, rect: &Rect, icon: Icon, color: Color) {
        let (drawing, filled) = icon.drawing();
        let Some(path) = parse(drawing) else { return };
        let scale = (rect.width / 24.0) as f32;
        let local = Transform::from_scale(scale, scale).post_translate(rect.x as f32, rect.y as f32);
        if filled {
            let transform = local.post_concat(self.transform());
            self.pixmap.fill_path(&path, &paint(color), FillRule::Winding, transform, None);
        } else {
            self.stroke(&path, 2.0, color, local);
        }
    }

    fn emoji(&mut self, rect: &Rect, kind: Emoji) {
        let scale = (rect.width / 24.0) as f32;
        let local = Transform::from_scale(scale, scale).post_translate(rect.x as f32, rect.y as f32);
        let transform = local.post_concat(self.transform());
        let mut fill = |drawing: &str, color: u32| {
            if let Some(path) = parse(drawing) {
                self.pixmap.fill_path(&path, &paint(Color::rgb(color)), FillRule::Winding, transform, None);
            }
        };
        match kind {
            Emoji::Face => {
                fill("O12 12 11.5", 0xF7C948);
                fill("O8 9.5 1.7 O16 9.5 1.7", 0x5B3A0A);
                fill("M5.5 14C7 21.5 17 21.5 18.5 14C15 16 9 16 5.5 14Z", 0x5B3A0A);
            }
            Emoji::Heart => fill("M12 22C-4 11 3 -2 12 6C21 -2 28 11 12 22Z", 0xE5394F),
            Emoji::Star => fill(Icon::StarFilled.drawing().0, 0xF7B500),
        }
    }

    /// A lake before mountains. Zooming keeps the middle in the middle.
    fn photo(&mut self, rect: &Rect, radius: f64, zoom: f64) {
        let (width, height) = pixels(rect.width, rect.height, self.scale);
        let Some(mut scene) = Pixmap::new(width, height) else { return };
        let (w, h) = (width as f32, height as f32);
        let zoom = zoom as f32;
        // The scene is 100 by 60 and keeps its proportions; what does not fit is cut off at the edges.
        let unit = (w / 100.0).max(h / 60.0) * zoom;
        let unit = Transform::from_translate(-50.0, -30.0).post_scale(unit, unit).post_translate(w / 2.0, h / 2.0);
        let sky = [0x2A3A8C, 0x5A5FB8, 0x9A7CC4, 0xDE97AE, 0xF6B98F, 0xFBD9A0];
        for (band, color) in sky.into_iter().enumerate() {
            let path = parse(&format!("R0 {} 100 40 0", band as f32 * 6.0));
            if let Some(path) = path {
                scene.fill_path(&path, &paint(Color::rgb(color)), FillRule::Winding, unit, None);
            }
        }
        let parts = [
            ("O70 27 6", 0xFFF1C9),
            ("M0 38L14 22L24 30L38 12L52 30L62 24L80 36L100 26V60H0Z", 0x4B4E86),
            ("M38 12L33 18.5L37 17.5L39 20L42 17Z", 0xF3F1FA),
            ("M0 42L18 32L34 40L58 33L76 41L100 35V60H0Z", 0x34386B),
            ("R0 43 100 17 0", 0x5B74B5),
            ("R62 45 16 0.8 0.4 R58 48 24 0.8 0.4 R64 51 13 0.8 0.4 R60 54 20 0.8 0.4", 0xF2C7A6),
            ("M0 60V50Q8 46 14 52Q20 56 26 60Z", 0x1F2347),
            ("M10 52L12 42L14 52Z M15 54L17.5 40L20 54Z M5 52L7 44L9 52Z", 0x1F2347),
        ];
        for (drawing, color) in parts {
            if let Some(path) = parse(drawing) {
                scene.fill_path(&path, &paint(Color::rgb(color)), FillRule::Winding, unit, None);
            }
        }
        let place = Area::of(rect, self.scale);
        if radius == 0.0 {
            let plain = PixmapPaint::default();
            self.pixmap.draw_pixmap(place.left, place.top, scene.as_ref(), &plain, Transform::identity(), None);
            return;
        }
        let Some(path) = rounded(rect, radius) else { return };
        // The pattern lies in the path's space, which is points.
        let back = Transform::from_scale((1.0 / self.scale) as f32, (1.0 / self.scale) as f32)
            .post_translate(rect.x as f32, rect.y as f32);
        let paint = Paint {
            shader: Pattern::new(scene.as_ref(), SpreadMode::Pad, FilterQuality::Nearest, 1.0, back),
            anti_alias: true,
            ..Paint::default()
        };
        let transform = self.transform();
        self.pixmap.fill_path(&path, &paint, FillRule::Winding, transform, None);
    }
}

/// Lays a colour over an opaque pixel.
fn blend(pixel: &mut [u8; 4], color: [u8; 3], alpha: u32) {
    for (old, new) in pixel.iter_mut().zip(color) {
        *old = ((u32::from(*old) * (255 - alpha) + u32::from(new) * alpha + 127) / 255) as u8;
    }
}

fn paint(color: Color) -> Paint<'static> {
    let [r, g, b, a] = color.parts();
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, a);
    paint
}

/// A rectangle with round corners, in points.
fn rounded(rect: &Rect, radius: f64) -> Option<Path> {
    let mut builder = PathBuilder::new();
    push_rounded(
        &mut builder,
        [rect.x as f32, rect.y as f32, rect.width as f32, rect.height as f32],
        radius.max(0.0) as f32,
    );
    builder.finish()
}

fn push_rounded(builder: &mut PathBuilder, [x, y, w, h]: [f32; 4], radius: f32) {
    let r = radius.min(w / 2.0).min(h / 2.0);
    let (right, bottom) = (x + w, y + h);
    // A cubic comes closest to a quarter of a circle with its handles at this share of the radius.
    let k = r * (1.0 - 0.552_285);
    builder.move_to(x + r, y);
    builder.line_to(right - r, y);
    builder.cubic_to(right - k, y, right, y + k, right, y + r);
    builder.line_to(right, bottom - r);
    builder.cubic_to(right, bottom - k, right - k, bottom, right - r, bottom);
    builder.line_to(x + r, bottom);
    builder.cubic_to(x + k, bottom, x, bottom - k, x, bottom - r);
    builder.line_to(x, y + r);
    builder.cubic_to(x, y + k, x + k, y, x + r, y);
    builder.close();
}

/// Reads a path text; see [`crate::icons`].
fn parse(drawing: &str) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let mut place = (0.0, 0.0);
    let commands = drawing.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(at, _)| at);
    for at in commands {
        let rest = &drawing[at + 1..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let mut numbers = [0.0_f32; 6];
        for (slot, word) in numbers.iter_mut().zip(rest[..end].split_whitespace()) {
            *slot = word.parse().ok()?;
        }
        let [a, b, c, d, e, f] = numbers;
        match drawing.as_bytes()[at] {
            b'M' => {
                builder.move_to(a, b);
                place = (a, b);
            }
            b'L' => {
                builder.line_to(a, b);
                place = (a, b);
            }
            b'H' => {
                builder.line_to(a, place.1);
                place.0 = a;
            }
            b'V' => {
                builder.line_to(place.0, a);
                place.1 = a;
            }
            b'Q' => {
                builder.quad_to(a, b, c, d);
                place = (c, d);
            }
            b'C' => {
                builder.cubic_to(a, b, c, d, e, f);
                place = (e, f);
            }
            b'O' => builder.push_circle(a, b, c),
            b'R' => push_rounded(&mut builder, [a, b, c, d], e),
            b'Z' => builder.close(),
            _ => return None,
        }
    }
    builder.finish()
}
