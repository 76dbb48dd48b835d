//! Text: how wide it is, where it breaks, and its letters as small pictures.
//!
//! One font for all phones of a process, made when the first text is measured. Layout uses [`width`] and [`wrap`], which only
//! add up advances; drawing shapes lines properly and keeps shapes and letters. Nothing here knows elements or colours.

use cosmic_text::{Attrs, Buffer, Family, FontSystem, Metrics, Shaping, SwashCache, SwashContent, Wrap, fontdb};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use unicode_segmentation::UnicodeSegmentation;

const FILES: [&[u8]; 3] = [
    include_bytes!("../assets/Inter-Regular.ttf"),
    include_bytes!("../assets/Inter-SemiBold.ttf"),
    include_bytes!("../assets/Inter-Bold.ttf"),
];

/// Stands in the shaped line where an emoji is drawn: a space as wide as the letters are high.
const EMOJI_SPACE: char = '\u{2003}';

/// How much of the letter size a capital is high; lines are centred by it, which looks right for labels.
pub(crate) const CAP_HEIGHT: f64 = 0.727;

/// How heavy the letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Weight {
    Regular = 0,
    SemiBold = 1,
    Bold = 2,
}

/// Size in points and weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) size: f32,
    pub(crate) weight: Weight,
}

impl Style {
    pub(crate) const fn regular(size: f32) -> Style {
        Style { size, weight: Weight::Regular }
    }

    pub(crate) const fn semibold(size: f32) -> Style {
        Style { size, weight: Weight::SemiBold }
    }

    pub(crate) const fn bold(size: f32) -> Style {
        Style { size, weight: Weight::Bold }
    }

    /// From one line of a paragraph to the next, in points.
    pub(crate) fn line_height(self) -> f64 {
        (f64::from(self.size) * 1.4).round()
    }
}

/// The letters that most texts use, so that measuring takes no look into the font.
const COMMON: usize = 0x250;

struct Advances {
    fonts: Vec<Arc<cosmic_text::Font>>,
    common: Vec<[f32; COMMON]>,
}

impl Advances {
    fn look(&self, weight: Weight, ch: char) -> Option<f32> {
        let font = self.fonts[weight as usize].as_swash();
        match font.charmap().map(ch) {
            0 => None,
            glyph => {
                let metrics = font.glyph_metrics(&[]);
                Some(metrics.advance_width(glyph) / f32::from(font.metrics(&[]).units_per_em))
            }
        }
    }

    /// Advance as a share of the letter size; `None` where the font has no such letter.
    fn of(&self, weight: Weight, ch: char) -> Option<f32> {
        match self.common[weight as usize].get(ch as usize) {
            Some(advance) if advance.is_nan() => None,
            Some(advance) => Some(*advance),
            None => self.look(weight, ch),
        }
    }
}

static ADVANCES: LazyLock<Advances> = LazyLock::new(|| {
    let (mut system, ids) = open_fonts();
    let fonts: Vec<_> = ids
        .iter()
        .zip([fontdb::Weight::NORMAL, fontdb::Weight::SEMIBOLD, fontdb::Weight::BOLD])
        .map(|(id, weight)| system.get_font(*id, weight).expect("the bundled font can be read"))
        .collect();
    let mut advances = Advances { fonts, common: Vec::new() };
    for weight in [Weight::Regular, Weight::SemiBold, Weight::Bold] {
        let mut common = [f32::NAN; COMMON];
        for (code, slot) in common.iter_mut().enumerate() {
            let known = char::from_u32(code as u32).and_then(|ch| advances.look(weight, ch));
            *slot = known.unwrap_or(f32::NAN);
        }
        advances.common.push(common);
    }
    advances
});

fn open_fonts() -> (FontSystem, Vec<fontdb::ID>) {
    let mut db = fontdb::Database::new();
    let mut ids = Vec::new();
    for file in FILES {
        ids.extend(db.load_font_source(fontdb::Source::Binary(Arc::new(file))));
    }
    db.set_sans_serif_family("Inter");
    (FontSystem::new_with_locale_and_db("en-GB".into(), db), ids)
}

/// Whether the phone draws this cluster as a small picture because no letter of its font shows it.
fn is_emoji(cluster: &str) -> bool {
    let first = cluster.chars().next().unwrap_or(' ');
    let pictures = matches!(first as u32, 0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0x2B50 | 0x2B55 | 0x2934..=0x2935);
    cluster.contains('\u{FE0F}') || (pictures && ADVANCES.of(Weight::Regular, first).is_none())
}

/// Width of one cluster as a share of the letter size.
fn advance(cluster: &str, weight: Weight) -> f64 {
    let mut chars = cluster.chars();
    if let (Some(ch), None) = (chars.next(), chars.next())
        && let Some(advance) = ADVANCES.of(weight, ch)
    {
        return f64::from(advance);
    }
    if is_emoji(cluster) {
        return f64::from(ADVANCES.of(weight, EMOJI_SPACE).unwrap_or(1.0));
    }
    // Marks that the font combines have no width; letters it does not have are drawn as boxes.
    cluster.chars().map(|ch| f64::from(ADVANCES.of(weight, ch).unwrap_or(0.6))).fold(0.0, f64::max)
}

/// How wide a line of text is, in points, without kerning.
pub(crate) fn width(text: &str, style: Style) -> f64 {
    let size = f64::from(style.size);
    if text.is_ascii() {
        let common = &ADVANCES.common[style.weight as usize];
        // Control characters have no advance; they are drawn as spaces.
        return text.bytes().map(|b| f64::from(common[b as usize].max(0.0))).sum::<f64>() * size;
    }
    text.graphemes(true).map(|cluster| advance(cluster, style.weight)).sum::<f64>() * size
}

/// Breaks a text into lines no wider than `room` points, at spaces where that is possible. Line breaks in the text stay.
pub(crate) fn wrap(text: &str, style: Style, room: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut used = 0.0;
        for word in paragraph.split_word_bounds() {
            let wide = width(word, style);
            if used + wide <= room || word.trim().is_empty() {
                line.push_str(word);
                used += wide;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
            }
            if wide <= room {
                line.push_str(word);
                used = wide;
                continue;
            }
            // A word that is wider than the line is broken anywhere.
            for cluster in word.graphemes(true) {
                let wide = width(cluster, style);
                if used + wide > room && !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                    used = 0.0;
                }
                line.push_str(cluster);
                used += wide;
            }
        }
        lines.push(line);
    }
    lines
}

/// The text cut to `room` points, with an ellipsis where something is missing at its end.
pub(crate) fn fit(text: &str, style: Style, room: f64) -> String {
    if width(text, style) <= room {
        return text.replace(['\n', '\t'], " ");
    }
    let room = room - width("…", style);
    let mut used = 0.0;
    let mut cut = String::new();
    for cluster in text.graphemes(true) {
        used += width(cluster, style);
        if used > room {
            break;
        }
        cut.push_str(if cluster == "\n" { " " } else { cluster });
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// The end of the text that fits into `room` points, as a field shows it while one types.
pub(crate) fn tail(text: &str, style: Style, room: f64) -> String {
    let mut used = 0.0;
    let mut start = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        used += width(cluster, style);
        if used > room {
            break;
        }
        start = at;
    }
    text[start..].to_string()
}

/// How an emoji is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emoji {
    Face,
    Heart,
    Star,
}

fn emoji_kind(cluster: &str) -> Emoji {
    match cluster.chars().next().unwrap_or(' ') as u32 {
        0x2763..=0x2764 | 0x1F493..=0x1F49F | 0x1F9E1 | 0x1F5A4 | 0x1F90D | 0x1F90E | 0x2665 => Emoji::Heart,
        0x2B50 | 0x1F31F | 0x2728 => Emoji::Star,
        _ => Emoji::Face,
    }
}

/// A line with what the font cannot draw replaced, and the byte places of the emoji in it.
fn prepare(text: &str, weight: Weight) -> (String, Vec<(usize, Emoji)>) {
    let mut line = String::with_capacity(text.len());
    let mut emoji = Vec::new();
    for cluster in text.graphemes(true) {
        if is_emoji(cluster) {
            emoji.push((line.len(), emoji_kind(cluster)));
            line.push(EMOJI_SPACE);
            continue;
        }
        for ch in cluster.chars() {
            if ch.is_control() {
                line.push(' ');
            } else if ADVANCES.of(weight, ch).is_some() {
                line.push(ch);
            } else if !matches!(ch, '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}') {
                line.push('\u{25A1}');
            }
        }
    }
    (line, emoji)
}

/// One letter as a picture of coverages, placed from the line's start and its baseline, in pixels.
pub(crate) struct Letter<'a> {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) coverage: &'a [u8],
}

struct Shaped {
    glyphs: Vec<cosmic_text::LayoutGlyph>,
    width: f32,
    emoji: Vec<(f32, f32, Emoji)>,
}

/// Shapes lines and keeps their letters.
pub(crate) struct Engine {
    system: FontSystem,
    letters: SwashCache,
    lines: HashMap<(String, u32, Weight), Arc<Shaped>>,
}

static ENGINE: LazyLock<Mutex<Engine>> = LazyLock::new(|| {
    let (system, _) = open_fonts();
    Mutex::new(Engine { system, letters: SwashCache::new(), lines: HashMap::new() })
});

/// More shaped lines or letters than this are forgotten, so that a phone that shows ever new texts stays small.
const KEPT_LINES: usize = 4_000;
const KEPT_LETTERS: usize = 6_000;

/// The engine, for one picture.
pub(crate) fn engine() -> MutexGuard<'static, Engine> {
    let mut engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    if engine.lines.len() > KEPT_LINES {
        engine.lines.clear();
    }
    if engine.letters.image_cache.len() > KEPT_LETTERS {
        engine.letters.image_cache.clear();
    }
    engine
}

impl Engine {
    fn shape(&mut self, text: &str, style: Style) -> Arc<Shaped> {
        let key = (text.to_string(), style.size.to_bits(), style.weight);
        if let Some(shaped) = self.lines.get(&key) {
            return shaped.clone();
        }
        let (line, places) = prepare(text, style.weight);
        let attrs = Attrs::new().family(Family::SansSerif).weight(match style.weight {
            Weight::Regular => fontdb::Weight::NORMAL,
            Weight::SemiBold => fontdb::Weight::SEMIBOLD,
            Weight::Bold => fontdb::Weight::BOLD,
        });
        // The semi-bold file names a family of its own, as static fonts do.
        let attrs = if style.weight == Weight::SemiBold { attrs.family(Family::Name("Inter SemiBold")) } else { attrs };
        let mut buffer = Buffer::new(&mut self.system, Metrics::new(style.size, style.size));
        buffer.set_wrap(Wrap::None);
        buffer.set_size(None, None);
        buffer.set_text(&line, &attrs, Shaping::Advanced, None);
        buffer.shape_until_scroll(&mut self.system, false);
        let mut shaped = Shaped { glyphs: Vec::new(), width: 0.0, emoji: Vec::new() };
        if let Some(run) = buffer.layout_runs().next() {
            shaped.width = run.line_w;
            shaped.glyphs = run.glyphs.to_vec();
        }
        for (at, kind) in places {
            if let Some(glyph) = shaped.glyphs.iter().find(|glyph| glyph.start == at) {
                shaped.emoji.push((glyph.x, glyph.w, kind));
            }
        }
        let shaped = Arc::new(shaped);
        self.lines.insert(key, shaped.clone());
        shaped
    }

    /// How wide the line is as drawn, in points.
    pub(crate) fn drawn_width(&mut self, text: &str, style: Style) -> f64 {
        f64::from(self.shape(text, style).width)
    }

    /// The emoji of a line: start and width in points from the line's start.
    pub(crate) fn emoji(&mut self, text: &str, style: Style) -> Vec<(f64, f64, Emoji)> {
        let shaped = self.shape(text, style);
        shaped.emoji.iter().map(|(x, w, kind)| (f64::from(*x), f64::from(*w), *kind)).collect()
    }

    /// Hands each letter of a line to `draw`. `x` and `baseline` are in pixels, `scale` is pixels a point.
    pub(crate) fn letters(
        &mut self,
        text: &str,
        style: Style,
        (x, baseline, scale): (f32, f32, f32),
        mut draw: impl FnMut(Letter<'_>),
    ) {
        let shaped = self.shape(text, style);
        for glyph in &shaped.glyphs {
            let placed = glyph.physical((x, baseline), scale);
            let Some(image) = self.letters.get_image(&mut self.system, placed.cache_key) else { continue };
            if image.content != SwashContent::Mask || image.placement.width == 0 {
                continue;
            }
            draw(Letter {
                left: placed.x + image.placement.left,
                top: placed.y - image.placement.top,
                width: image.placement.width,
                height: image.placement.height,
                coverage: &image.data,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_bundled_font_is_the_one_that_the_readme_names() {
        let readme = include_str!("../assets/README.md");
        let names = ["Inter-Regular.ttf", "Inter-SemiBold.ttf", "Inter-Bold.ttf", "OFL.txt"];
        let files = FILES.iter().copied().chain([include_bytes!("../assets/OFL.txt").as_slice()]);
        for (name, bytes) in names.into_iter().zip(files) {
            let sum: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(readme.contains(&format!("| `{name}` | `{sum}` |")), "{name} has the sum {sum}");
        }
    }

    #[test]
    fn measured_and_drawn_widths_are_close() {
        for style in [Style::regular(17.0), Style::semibold(17.0), Style::bold(30.0)] {
            for text in ["Wi-Fi", "Display & Brightness", "Hello 👋🏽 there ❤️", "Über naïve Σ Ж"] {
                let measured = width(text, style);
                let drawn = engine().drawn_width(text, style);
                assert!((measured - drawn).abs() <= 0.03 * drawn + 1.0, "{text}: {measured} and {drawn}");
            }
        }
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        let style = Style::regular(16.0);
        let text = "A fairly long sentence that needs more than one line\n\nsupercalifragilisticexpialidociousness";
        let lines = wrap(text, style, 120.0);
        assert!(lines.iter().all(|line| width(line.trim_end(), style) <= 120.0), "{lines:?}");
        assert_eq!(lines.concat(), text.replace('\n', ""));
        assert!(lines.iter().any(String::is_empty));
    }

    #[test]
    fn cut_texts_fit_and_say_so() {
        let style = Style::regular(16.0);
        let cut = fit("A name that is far too long for its row", style, 100.0);
        assert!(cut.ends_with('…') && width(&cut, style) <= 100.0, "{cut}");
        assert_eq!(fit("short", style, 100.0), "short");
        let end = tail("somebody@somewhere.example.com", style, 100.0);
        assert!("somebody@somewhere.example.com".ends_with(&end) && width(&end, style) <= 100.0);
    }

    #[test]
    fn what_the_font_lacks_is_replaced() {
        let (line, emoji) = prepare("a👩‍👩‍👧b漢\tc", Weight::Regular);
        assert_eq!(line, "a\u{2003}b\u{25A1} c");
        assert_eq!(emoji, [(1, Emoji::Face)]);
    }
}
