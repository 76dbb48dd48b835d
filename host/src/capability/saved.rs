//! Screens that come from files, searched and described as the tools do it with those of a phone.
//!
//! It knows no device: of pictures only what one process reads is remembered.

use super::{capture::FRAME, describe::described, look::Seen, values::Note};
use crate::{
    neutral::{Orientation, Rect, Screen, Tree},
    perception::{
        beside, change,
        describe::Shown,
        find::{self, Found, Match},
        fuse, icon,
        notes::{self, Note as PictureNote},
        ocr::{Added, Ocr, OcrError, Page},
        picture::{self, Pixels},
        refs::{Ref, RefBook},
        shapes::{self, FoundShapes, Shape, Sight},
    },
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The name under which pictures from files are remembered.
const SCREEN: &str = "file";
/// How many matches are told.
const LIMIT: usize = 10;

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
    /// What is not as it seems.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<PictureNote>,
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

/// Looks at saved pictures, one after the other; what it needs for that it loads once.
pub struct Saved {
    ocr: Ocr,
}

/// A screen that comes from files.
struct File {
    pixels: Pixels,
    /// Of the picture's bytes.
    hash: u64,
    /// Pixels a point.
    scale: f64,
    seen: Option<Seen>,
}

impl File {
    fn open(image: &[u8], tree: Option<Tree>) -> Result<File, String> {
        let pixels = picture::decode_screen(image).map_err(|error| error.to_string())?;
        let width = tree.as_ref().and_then(|tree| tree.nodes.first()?.bounds).map(|root| root.width);
        let scale = match width.filter(|width| *width >= 1.0) {
            Some(width) => f64::from(pixels.width) / width,
            None => likely_scale(pixels.width),
        };
        let seen = tree.map(|tree| Seen::new(tree, None));
        Ok(File { hash: change::hash(image), pixels, scale, seen })
    }

    /// The picture's screen.
    fn screen(&self) -> Screen {
        let (width, height) = (f64::from(self.pixels.width) / self.scale, f64::from(self.pixels.height) / self.scale);
        let orientation = if width > height { Orientation::LandscapeLeft } else { Orientation::Portrait };
        Screen { width, height, scale: self.scale, orientation }
    }

    fn is_mirrored(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.outline.is_right_to_left())
    }

    /// In pixels of the picture.
    fn in_pixels(&self, bounds: &Rect) -> Rect {
        let by = |length: f64| (length * self.scale * 10.0).round() / 10.0;
        Rect::new(by(bounds.x), by(bounds.y), by(bounds.width), by(bounds.height))
    }
}

impl Saved {
    /// One that reads with these text recognisers too.
    pub fn new(recognisers: Vec<Added>) -> Saved {
        Saved { ocr: Ocr::new(recognisers) }
    }

    /// Looks in an encoded picture, and in the tree of the same screen where there is one: by the same code as find_text and find_icon.
    ///
    /// # Errors
    /// A sentence: a picture that is none, or nothing to look for.
    pub fn find(&self, image: &[u8], tree: Option<Tree>, wanted: &Wanted) -> Result<FoundInPicture, String> {
        let file = File::open(image, tree)?;
        match wanted {
            Wanted::Text(query) => self.text(&file, query),
            Wanted::Icon(query) => self.icon(&file, query),
            Wanted::Reference(reference) => {
                let reference = picture::decode(reference).map_err(|error| format!("the reference: {error}"))?;
                Ok(found(&file, shapes::find_reference(&file.pixels, &reference, file.scale)?))
            }
        }
    }

    /// Describes a screen by its picture, and by its tree where there is one: by the same code as describe_screen. The picture is read
    /// whatever the tree tells, since nobody waits for it; places are in its pixels.
    ///
    /// # Errors
    /// A sentence: a picture that is none.
    pub fn describe(&self, image: &[u8], tree: Option<Tree>, max_tokens: usize) -> Result<Map<String, Value>, String> {
        let file = File::open(image, tree)?;
        let mut all: Vec<Note> = Vec::new();
        let page = match self.read(&file) {
            Err(OcrError::Off) => {
                all.push(notes::ocr_off().into());
                Arc::default()
            }
            page => page.map_err(|error| error.to_string())?,
        };
        all.extend(notes::on_page(&page).into_iter().map(Note::from));
        let sight = Sight::of(&file.pixels, file.hash, file.scale, file.is_mirrored())?;
        let blank = file.seen.is_none().then(|| Seen::new(Tree::default(), Some(file.screen())));
        let Some(seen) = file.seen.as_ref().or(blank.as_ref()) else { return Ok(Map::new()) };
        let beside = beside::beside(&seen.outline, &page.lines, &sight.icons(), file.hash);
        let mut book = RefBook::new();
        let refs = book.assign(&seen.outline);
        let alone: Vec<Ref> = beside.alone.iter().map(|_| book.fresh()).collect();
        if file.seen.is_some() {
            all.extend(seen.own_notes());
        }
        let (tree, outline) = (&seen.tree, &seen.outline);
        let shown = Shown { tree, outline, refs: &refs, beside: &beside, alone: &alone, said: None };
        let mut told = described(seen, &shown, FRAME.to_owned(), max_tokens, all);
        for shown in &mut told.seen {
            shown.bounds = shown.bounds.scaled(file.scale);
        }
        match serde_json::to_value(told) {
            Ok(Value::Object(answer)) => Ok(answer),
            // It has nothing that could not be written.
            _ => Ok(Map::new()),
        }
    }

    /// Who looks why something was not found must not be told of a page that was read without a recogniser.
    fn read(&self, file: &File) -> Result<Arc<Page>, OcrError> {
        let page = self.ocr.read(SCREEN, file.hash, &file.pixels, file.scale)?;
        match page.broken.first() {
            Some(why) => {
                Err(OcrError::Failed(format!("{why}; correct it under [[perception.recogniser]], or leave it out")))
            }
            None => Ok(page),
        }
    }

    fn text(&self, file: &File, query: &str) -> Result<FoundInPicture, String> {
        let page = self.read(file).map_err(|error| error.to_string())?;
        let Found { matches, near, .. } = match &file.seen {
            Some(seen) => {
                let by_tree = find::find_text(&seen.tree, &seen.outline, query, Match::Contains, usize::MAX);
                fuse::find_text(by_tree, &seen.outline, &page.lines, query, Match::Contains, LIMIT)
            }
            None => fuse::find_in_lines(&page.lines, query, Match::Contains, LIMIT),
        };
        let hit = |text: String, bounds: Option<Rect>, score: f64, source| Hit {
            text: Some(text),
            name: None,
            bounds: bounds.map(|bounds| file.in_pixels(&bounds)),
            score,
            source,
        };
        Ok(FoundInPicture {
            matches: matches
                .into_iter()
                .map(|f| hit(f.text, f.bounds, f.score.clamp(0.0, 1.0), Some(f.source.name())))
                .collect(),
            near: near.into_iter().map(|near| hit(near.text, None, near.score, None)).collect(),
            notes: notes::on_page(&page),
        })
    }

    fn icon(&self, file: &File, query: &str) -> Result<FoundInPicture, String> {
        let by_tree = match &file.seen {
            Some(seen) => icon::find_icon(&seen.tree, &seen.outline, query, None, LIMIT),
            None => icon::FoundIcons::default(),
        };
        let hit = |icon: icon::IconMatch| Hit {
            text: None,
            name: Some(icon.name),
            bounds: icon.bounds.map(|bounds| file.in_pixels(&bounds)),
            score: icon.score,
            source: Some("tree"),
        };
        let told = by_tree.matches.first().is_some_and(|best| best.on_screen && best.score >= icon::CALLED);
        let mut found = match told {
            true => FoundInPicture::default(),
            false => {
                let sight = Sight::of(&file.pixels, file.hash, file.scale, file.is_mirrored())?;
                let notes = sight.black.then(notes::picture_black).into_iter().collect();
                FoundInPicture { notes, ..found(file, sight.find(&icon::meant(query))) }
            }
        };
        found.matches.extend(by_tree.matches.into_iter().map(hit));
        found.near.extend(by_tree.near.into_iter().map(hit));
        for hits in [&mut found.matches, &mut found.near] {
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
            hits.truncate(LIMIT);
        }
        Ok(found)
    }
}

fn found(file: &File, shapes: FoundShapes) -> FoundInPicture {
    let hit = |shape: Shape| Hit {
        text: None,
        name: Some(shape.name),
        bounds: Some(file.in_pixels(&shape.bounds)),
        score: shape.score,
        source: Some("shape"),
    };
    FoundInPicture {
        matches: shapes.accepted.into_iter().take(LIMIT).map(hit).collect(),
        near: shapes.near.into_iter().take(LIMIT).map(hit).collect(),
        notes: Vec::new(),
    }
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
