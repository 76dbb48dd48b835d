//! Lines drawn in a font as pictures to be read.

use cosmic_text::{Attrs, Buffer, Color, Family, FontSystem, Metrics, Shaping, SwashCache, fontdb};
use fingertip_ocr::Picture;
use std::sync::Arc;

/// Of a screen with three or two pixels a point, and of one with one.
const WIDTH: u32 = 1_000;
const NARROW: u32 = 390;
/// Letters of fewer pixels are those of a narrow screen.
const SMALL: f32 = 24.0;
const LINE: u32 = 130;

/// A picture that owns its pixels.
pub struct Drawn {
    width: u32,
    height: u32,
    data: Vec<u8>,
}

impl Drawn {
    pub fn view(&self) -> Picture<'_> {
        Picture { width: self.width, height: self.height, channels: 3, data: &self.data }
    }

    /// The same with light letters on dark.
    #[allow(dead_code, reason = "not all that draw lines want them dark")]
    pub fn dark(self) -> Drawn {
        Drawn { data: self.data.iter().map(|value| 255 - value).collect(), ..self }
    }
}

/// Draws lines below each other.
pub fn draw(font: &'static [u8], lines: &[&str], size: f32) -> Drawn {
    let mut db = fontdb::Database::new();
    let ids = db.load_font_source(fontdb::Source::Binary(Arc::new(font)));
    let family = db.face(ids[0]).unwrap().families[0].0.clone();
    let mut system = FontSystem::new_with_locale_and_db("en".into(), db);
    let mut cache = SwashCache::new();
    let width = if size < SMALL { NARROW } else { WIDTH };
    let height = LINE * (lines.len() as u32 + 1);
    let mut data = vec![250u8; (width * height * 3) as usize];
    for (row, line) in lines.iter().enumerate() {
        let mut buffer = Buffer::new(&mut system, Metrics::new(size, size * 1.4));
        buffer.set_size(Some(width as f32 - 100.0), None);
        buffer.set_text(line, &Attrs::new().family(Family::Name(&family)), Shaping::Advanced, None);
        buffer.shape_until_scroll(&mut system, false);
        let top = (LINE * (row as u32 + 1)) as i32 - 40;
        buffer.draw(&mut system, &mut cache, Color::rgb(20, 20, 25), |x, y, columns, rows, color| {
            for (x, y) in (y..y + rows as i32).flat_map(|y| (x..x + columns as i32).map(move |x| (x + 50, y + top))) {
                if (0..width as i32).contains(&x) && (0..height as i32).contains(&y) {
                    for (channel, value) in [color.r(), color.g(), color.b()].into_iter().enumerate() {
                        let at = (y as usize * width as usize + x as usize) * 3 + channel;
                        let alpha = u32::from(color.a());
                        data[at] = ((u32::from(data[at]) * (255 - alpha) + u32::from(value) * alpha) / 255) as u8;
                    }
                }
            }
        });
    }
    Drawn { width, height, data }
}
