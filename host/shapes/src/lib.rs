//! Finding icons in pictures of screens by their shape.
//!
//! It knows a table of some hundred concepts with drawings from several icon families, and how to compare drawings with
//! what is on a screen. It does not know trees, devices or text; what words on the screen say is found elsewhere.

#![forbid(unsafe_code)]

mod blobs;
mod concepts;
mod draw;
mod error;
mod ink;
mod look;
mod mark;
mod picture;
mod plate;
mod print;
mod scan;
mod table;

pub use concepts::{Concept, concept, concepts};
pub use error::Error;
pub use fingertip_pixels::View as Picture;
pub use look::ACCEPT;
pub use picture::Area;

use look::Glyph;
use std::sync::OnceLock;
use table::Table;

/// The table of concepts and their shapes.
pub struct Shapes {
    table: Table,
}

/// A place on a screen that shows, or may show, a concept.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The concept's name.
    pub concept: &'static str,
    /// Where, in pixels of the picture.
    pub area: Area,
    /// How sure it is, from 0 to 1; from [`ACCEPT`] it is taken for the icon.
    pub score: f32,
    /// Whether the shape that is most like it is a filled one.
    pub filled: bool,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Places that show the concept, the surest first.
    pub accepted: Vec<Hit>,
    /// Places that are like it but do not pass, the most alike first.
    pub near: Vec<Hit>,
}

/// A filled shape has less of its own to go by.
const ACCEPT_FILLED: f32 = 0.87;
/// A reference picture must correlate by as much.
const ACCEPT_REFERENCE: f32 = 0.85;
/// Below this a place is not even near.
const NEAR: f32 = 0.5;

/// How a screen is to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The screen's picture.
    pub picture: Picture<'a>,
    /// Its pixels a point.
    pub scale: f32,
    /// Whether it is laid out from right to left.
    pub mirrored: bool,
    /// Areas that hold no icons, in pixels: lines of text.
    pub ignore: &'a [Area],
}

/// A screen that has been looked at; holds no part of the picture that it was made from.
pub struct Look<'s> {
    shapes: &'s Shapes,
    glyphs: Vec<Glyph>,
}

impl Shapes {
    /// The bundled table, read and drawn at the first call, which takes a good part of a second. Who needs names alone asks
    /// [`concepts`], which draws nothing.
    pub fn bundled() -> &'static Shapes {
        static SHAPES: OnceLock<Shapes> = OnceLock::new();
        SHAPES.get_or_init(|| Shapes { table: Table::load(None) })
    }

    /// The table without the drawings of one set: how well it finds these tells how well the whole finds icons of sets that
    /// it does not hold.
    pub fn without(set: &str) -> Shapes {
        Shapes { table: Table::load(Some(set)) }
    }

    /// How many outline and how many filled shapes show a concept.
    pub fn shape_count(&self, name: &str) -> Option<(usize, usize)> {
        let index = concepts::index(name)?;
        let own = || self.table.shapes.iter().filter(|shape| shape.concept == Some(index));
        let filled = own().filter(|shape| shape.filled).count();
        Some((own().count() - filled, filled))
    }

    /// Looks for a concept on a screen. Who asks for several of one screen looks once and finds with [`Look::find`].
    ///
    /// # Errors
    /// When no concept is meant, or the screen cannot be looked at.
    pub fn find(&self, view: &View<'_>, name: &str) -> Result<Found, Error> {
        self.look(view)?.find(name)
    }

    /// The icon in an area of a screen; see [`Look::icon_in`]. Only the area and a little around it is looked at.
    ///
    /// # Errors
    /// When the screen cannot be looked at.
    pub fn icon_in(&self, view: &View<'_>, area: &Area) -> Result<Option<Hit>, Error> {
        picture::check(&view.picture)?;
        let rim = 4.0 * view.scale;
        let place = |at: f32, most: u32| if at.is_finite() { at.clamp(0.0, most as f32) as u32 } else { 0 };
        let (left, right) =
            (place(area.x - rim, view.picture.width), place(area.x + area.width + rim, view.picture.width));
        let (top, bottom) =
            (place(area.y - rim, view.picture.height), place(area.y + area.height + rim, view.picture.height));
        if right <= left || bottom <= top {
            return Ok(None);
        }
        let data = picture::part(&view.picture, left, top, right, bottom);
        let picture = Picture { width: right - left, height: bottom - top, data: &data, ..view.picture };
        let moved = |area: &Area, by: f32| Area { x: area.x + by * left as f32, y: area.y + by * top as f32, ..*area };
        let ignore: Vec<Area> = view.ignore.iter().map(|area| moved(area, -1.0)).collect();
        let look = self.look(&View { picture, ignore: &ignore, ..*view })?;
        let hit = look.icon_in(&moved(area, -1.0));
        Ok(hit.map(|hit| Hit { area: moved(&hit.area, 1.0), ..hit }))
    }

    /// Where small things stand out on a screen that could be icons.
    ///
    /// # Errors
    /// When the screen cannot be looked at.
    pub fn glyphs(&self, view: &View<'_>) -> Result<Vec<Area>, Error> {
        Ok(self.look(view)?.glyphs())
    }

    /// Looks at a screen.
    ///
    /// # Errors
    /// When the picture or the scale is none that can be looked at.
    pub fn look(&self, view: &View<'_>) -> Result<Look<'_>, Error> {
        picture::check(&view.picture)?;
        if !(0.25..=8.0).contains(&view.scale) {
            return Err(Error::Scale(view.scale));
        }
        let by = (look::FINE / view.scale).min(1.0);
        let copy = picture::Copy::of(&view.picture, by);
        let ignore: Vec<Area> = view.ignore.iter().map(|area| area.scaled(by)).collect();
        let cut = blobs::cut(&copy, view.scale * by, &ignore);
        let to = [view.picture.width as f32 / copy.width as f32, view.picture.height as f32 / copy.height as f32];
        let glyphs = look::glyphs(&self.table, &copy, &cut, to, view.scale * by, view.mirrored);
        Ok(Look { shapes: self, glyphs })
    }
}

/// Looks for a reference picture at half to twice its size, in its colours if it has any.
///
/// # Errors
/// When one of the pictures cannot be looked at, or the reference shows nothing to go by.
pub fn find_reference(picture: &Picture<'_>, reference: &Picture<'_>) -> Result<Found, Error> {
    picture::check(picture)?;
    picture::check(reference)?;
    if reference.width.min(reference.height) < 8 {
        return Err(Error::Reference("it has less than 8 pixels a side"));
    }
    if reference.width / 2 > picture.width || reference.height / 2 > picture.height {
        return Err(Error::Reference("it is larger than the picture"));
    }
    let places = scan::find(picture, reference).ok_or(Error::Reference("it is one plain colour"))?;
    let hit = |place: scan::Place| Hit { concept: "", area: place.area, score: place.alike, filled: false };
    let hits = places.into_iter().filter(|place| place.alike >= NEAR).map(hit);
    Ok(Found::parted(hits.collect(), ACCEPT_REFERENCE))
}

impl Hit {
    /// Whether it is taken for the icon.
    pub fn is_sure(&self) -> bool {
        self.score >= ACCEPT
    }
}

/// The hits without those that share their place with a better one, the surest first. Of equally sure ones the larger is
/// better: a whole before its parts.
fn apart(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.area.size().total_cmp(&a.area.size())));
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        let covered = |other: &Hit| other.area.shared(&hit.area) > 0.4 * other.area.size().min(hit.area.size());
        if !kept.iter().any(covered) {
            kept.push(hit);
        }
    }
    kept
}

impl Found {
    fn parted(hits: Vec<Hit>, accept: f32) -> Found {
        let (accepted, mut near): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(|hit| hit.score >= accept);
        near.truncate(5);
        Found { accepted, near }
    }
}

impl Look<'_> {
    /// Where small things stand out that could be icons.
    pub fn glyphs(&self) -> Vec<Area> {
        self.glyphs.iter().map(|glyph| glyph.area).collect()
    }

    /// Looks for a concept, by its name or a word that means it.
    ///
    /// # Errors
    /// When no concept is meant.
    pub fn find(&self, name: &str) -> Result<Found, Error> {
        let concept = concepts::index(name).ok_or_else(|| Error::Unknown(name.to_owned()))?;
        let hits = self.glyphs.iter().filter_map(|glyph| self.judge(glyph, concept)).collect();
        Ok(Found::parted(apart(hits), ACCEPT))
    }

    /// All places that surely show a concept, from the top left: each once, by the name that fits best. Bars, discs and boxes
    /// are on every screen, so that those that may well be a minus or a stop are not among them.
    pub fn icons(&self) -> Vec<Hit> {
        let told = self.glyphs.iter().filter(|glyph| !look::is_plain(&self.shapes.table, glyph));
        let sure = told.filter_map(|glyph| self.name(glyph)).filter(Hit::is_sure);
        let mut icons = apart(sure.collect());
        icons.sort_by(|a, b| a.area.y.total_cmp(&b.area.y).then(a.area.x.total_cmp(&b.area.x)));
        icons
    }

    /// The icon in an area, by the name that fits best, which need not be sure: for a button without a name. Nothing where
    /// no glyph of the area is like anything.
    pub fn icon_in(&self, area: &Area) -> Option<Hit> {
        let held = |glyph: &&Glyph| glyph.area.shared(area) > 0.85 * glyph.area.size();
        let named = self.glyphs.iter().filter(held).filter_map(|glyph| self.name(glyph));
        apart(named.collect()).into_iter().next()
    }

    /// What a glyph shows most likely. Of equally sure concepts it is the one that the table has first: back before an arrow.
    fn name(&self, glyph: &Glyph) -> Option<Hit> {
        let hits = look::likeliest(glyph).into_iter().filter_map(|concept| self.judge(glyph, concept));
        hits.reduce(|best, hit| if hit.score > best.score { hit } else { best })
    }

    fn judge(&self, glyph: &Glyph, concept: usize) -> Option<Hit> {
        let (score, shape) = look::sure(&self.shapes.table, glyph, concept)?;
        let filled = self.shapes.table.shapes.get(usize::from(shape)).is_some_and(|shape| shape.filled);
        let score = if filled && score < ACCEPT_FILLED { score.min(ACCEPT - 0.01) } else { score };
        let concept = concepts().get(concept)?.name;
        (score >= NEAR).then_some(Hit { concept, area: glyph.area, score, filled })
    }
}
