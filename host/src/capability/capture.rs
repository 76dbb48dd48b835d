//! Screens that come from files, as the tools answer those that come from a phone: a tree's elements, and what is found in a picture.
//!
//! It knows no device: the first frame and the first refs are given, and of pictures only what one process reads is remembered.

use super::look::{Seen, TreeFormat};
use crate::{
    neutral::{Rect, Tree},
    perception::{
        change,
        find::Match,
        fuse, icon,
        ocr::{Added, Ocr},
        picture::{self, Pixels},
        refs::RefBook,
        render,
        shapes::{self, FoundShapes, Shape, Sight},
    },
};
use serde::Serialize;
use serde_json::{Map, Value};

/// The name of a device's first frame.
const FRAME: &str = "f1";
/// The name under which pictures from files are remembered.
const SCREEN: &str = "file";
/// How many matches are told.
const LIMIT: usize = 10;

/// What `get_ui_tree` answers of this tree, with `text` or with `elements`.
pub fn show_tree(tree: Tree, elements: bool) -> Map<String, Value> {
    let seen = Seen::new(tree, None);
    let refs = RefBook::new().assign(&seen.outline);
    let format = if elements { TreeFormat::Json } else { TreeFormat::Text };
    let shown = seen.show(FRAME.to_owned(), &refs, format, &render::Options::default(), seen.own_notes());
    match serde_json::to_value(shown) {
        Ok(Value::Object(answer)) => answer,
        // It has nothing that could not be written.
        _ => Map::new(),
    }
}

/// What is looked for in a picture.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// A text.
    Text(String),
    /// An icon by its name or a description.
    Icon(String),
    /// An icon by a picture of it: PNG or JPEG.
    Reference(Vec<u8>),
}

/// What was found, in pixels of the picture.
#[derive(Debug, Default, Serialize)]
pub struct FoundInPicture {
    /// Best first.
    pub matches: Vec<Hit>,
    /// What may have been meant instead.
    pub near: Vec<Hit>,
}

/// One find.
#[derive(Debug, Serialize)]
pub struct Hit {
    /// The text as it stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The icon's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In pixels of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// 0 to 1.
    pub score: f64,
    /// tree, ocr or shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
}

/// Finds texts and icons in pictures, one after the other; what it needs for that it loads once.
pub struct PictureFinder {
    ocr: Ocr,
}

/// A screen that comes from files.
struct Screen {
    pixels: Pixels,
    /// Of the picture's bytes.
    hash: u64,
    /// Pixels a point.
    scale: f64,
    seen: Option<Seen>,
}

impl PictureFinder {
    /// One that reads with these text recognisers too.
    pub fn new(recognisers: Vec<Added>) -> PictureFinder {
        PictureFinder { ocr: Ocr::new(recognisers) }
    }

    /// Looks in an encoded picture, and in the tree of the same screen where there is one: by the same code as find_text and find_icon.
    ///
    /// # Errors
    /// A sentence: a picture that is none, or nothing to look for.
    pub fn find(&self, image: &[u8], tree: Option<Tree>, wanted: &Wanted) -> Result<FoundInPicture, String> {
        let pixels = picture::decode(image).map_err(|error| error.to_string())?;
        let width = tree.as_ref().and_then(|tree| tree.nodes.first()?.bounds).map(|root| root.width);
        let scale = match width.filter(|width| *width >= 1.0) {
            Some(width) => f64::from(pixels.width) / width,
            None => likely_scale(pixels.width),
        };
        let seen = tree.map(|tree| Seen::new(tree, None));
        let screen = Screen { hash: change::hash(image), pixels, scale, seen };
        match wanted {
            Wanted::Text(query) => self.text(&screen, query),
            Wanted::Icon(query) => self.icon(&screen, query),
            Wanted::Reference(reference) => {
                let reference = picture::decode(reference).map_err(|error| format!("the reference: {error}"))?;
                Ok(found(shapes::find_reference(&screen.pixels, &reference, scale)?, scale))
            }
        }
    }

    fn text(&self, screen: &Screen, query: &str) -> Result<FoundInPicture, String> {
        let Screen { pixels, hash, scale, seen } = screen;
        let lines = self.ocr.read(SCREEN, *hash, pixels, *scale).map_err(|error| error.to_string())?;
        if let Some(broken) = self.ocr.broken().first() {
            return Err(format!("{broken}; correct it under [[perception.recogniser]], or leave it out"));
        }
        let (found, sources) = match seen {
            Some(seen) => fuse::find_text(&seen.tree, &seen.outline, &lines, query, Match::Contains, LIMIT),
            None => {
                let found = fuse::find_in_lines(&lines, query, Match::Contains, LIMIT);
                let sources = vec![fuse::Source::Ocr; found.matches.len()];
                (found, sources)
            }
        };
        let hit = |text: String, bounds: Option<Rect>, score: f64, source| Hit {
            text: Some(text),
            name: None,
            bounds: bounds.map(|bounds| in_pixels(&bounds, *scale)),
            score,
            source,
        };
        let source = |source| match source {
            fuse::Source::Tree => "tree",
            fuse::Source::Ocr => "ocr",
        };
        let matches = found.matches.into_iter().zip(sources);
        Ok(FoundInPicture {
            matches: matches.map(|(f, by)| hit(f.text, f.bounds, f.score.clamp(0.0, 1.0), Some(source(by)))).collect(),
            near: found.near.into_iter().map(|near| hit(near.text, None, near.score, None)).collect(),
        })
    }

    fn icon(&self, screen: &Screen, query: &str) -> Result<FoundInPicture, String> {
        let Screen { pixels, hash, scale, seen } = screen;
        if let Some(seen) = seen {
            let by_tree = icon::find_icon(&seen.tree, &seen.outline, query, None, LIMIT);
            if by_tree.matches.first().is_some_and(|best| best.on_screen) {
                let hit = |icon: icon::IconMatch| Hit {
                    text: None,
                    name: Some(icon.name),
                    bounds: icon.bounds.map(|bounds| in_pixels(&bounds, *scale)),
                    score: icon.score,
                    source: Some("tree"),
                };
                let near = by_tree.near.into_iter().map(hit).collect();
                return Ok(FoundInPicture { matches: by_tree.matches.into_iter().map(hit).collect(), near });
            }
        }
        // A picture that cannot be read has icons all the same.
        let lines = self.ocr.read(SCREEN, *hash, pixels, *scale).unwrap_or_default();
        let mirrored = seen.as_ref().is_some_and(|seen| seen.outline.is_right_to_left());
        let sight = Sight::of(pixels, *scale, &lines, mirrored)?;
        Ok(found(sight.find(&icon::meant(query)), *scale))
    }
}

fn found(shapes: FoundShapes, scale: f64) -> FoundInPicture {
    let hit = |shape: Shape| Hit {
        text: None,
        name: Some(shape.name),
        bounds: Some(in_pixels(&shape.bounds, scale)),
        score: shape.score,
        source: Some("shape"),
    };
    FoundInPicture {
        matches: shapes.accepted.into_iter().take(LIMIT).map(hit).collect(),
        near: shapes.near.into_iter().take(LIMIT).map(hit).collect(),
    }
}

fn in_pixels(bounds: &Rect, scale: f64) -> Rect {
    Rect::new(bounds.x * scale, bounds.y * scale, bounds.width * scale, bounds.height * scale)
}

/// Pixels a point of a screen of which only the width is known: phones are some 390 points wide, tablets have two pixels a point.
fn likely_scale(width: u32) -> f64 {
    match width {
        0..=599 => 1.0,
        600..=999 => 2.0,
        1000..=1450 => 3.0,
        _ => 2.0,
    }
}
