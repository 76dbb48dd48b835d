//! Icons in pictures of screens, by their shape: what a name means on this picture, or where a reference picture is.
//!
//! Knows pictures and their scale. Does not know trees, devices or words; what a description means is `icon`'s. Looking at a picture
//! takes a good part of a tenth of a second and holds its thread for so long.

use super::{latest::Latest, picture::Pixels};
use crate::neutral::Rect;
use fingertip_shapes::{Area, Hit, Look, Shapes, View};
use std::sync::Arc;

/// Score from which a place is taken for the icon.
pub const ACCEPT: f64 = fingertip_shapes::ACCEPT as f64;

/// A place on a screen that shows, or may show, an icon.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The concept.
    pub name: String,
    /// Where, in points.
    pub bounds: Rect,
    /// How sure it is, from 0 to 1.
    pub score: f64,
}

/// What was found: what passes, and what is only like it. The surest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundShapes {
    /// Places that show it.
    pub accepted: Vec<Shape>,
    /// Places that are like it.
    pub near: Vec<Shape>,
}

/// A picture that was looked at.
pub struct Sight {
    look: Look<'static>,
    scale: f64,
    /// Whether the picture is black all over.
    pub black: bool,
    /// What the picture is remembered by.
    pub key: u64,
    mirrored: bool,
}

impl Sight {
    /// Looks at a picture of this key and of so many pixels a point; `mirrored` where its screen reads from right to left.
    ///
    /// # Errors
    /// When the picture cannot be looked at.
    pub fn of(pixels: &Pixels, key: u64, scale: f64, mirrored: bool) -> Result<Sight, String> {
        let view = View { picture: pixels.view(), scale: scale as f32, mirrored, ignore: &[] };
        let look = Shapes::bundled().look(&view).map_err(|error| error.to_string())?;
        Ok(Sight { look, scale, black: pixels.is_black(), key, mirrored })
    }

    /// All that surely is a known icon, once for each place.
    pub fn icons(&self) -> Vec<Shape> {
        self.look.icons().into_iter().map(|hit| shape(&hit, hit.concept, self.scale)).collect()
    }

    /// Where the first of these concepts is that is found; where none is, what is like any of them.
    pub fn find(&self, concepts: &[String]) -> FoundShapes {
        let mut all = FoundShapes::default();
        for concept in concepts {
            // What the table does not name has no shape.
            let Ok(found) = self.look.find(concept) else { continue };
            let shapes = |hits: &[Hit]| hits.iter().map(|hit| shape(hit, concept, self.scale)).collect::<Vec<_>>();
            all.near.extend(shapes(&found.near));
            if !found.accepted.is_empty() {
                all.accepted = shapes(&found.accepted);
                break;
            }
        }
        all.near.sort_by(|a, b| b.score.total_cmp(&a.score));
        all
    }
}

/// Where a picture shows what a reference picture shows, at half to twice its size.
///
/// # Errors
/// When one of them cannot be looked at.
pub fn find_reference(pixels: &Pixels, reference: &Pixels, scale: f64) -> Result<FoundShapes, String> {
    let found =
        fingertip_shapes::find_reference(&pixels.view(), &reference.view()).map_err(|error| error.to_string())?;
    let shapes = |hits: &[Hit]| hits.iter().map(|hit| shape(hit, "picture", scale)).collect();
    Ok(FoundShapes { accepted: shapes(&found.accepted), near: shapes(&found.near) })
}

/// Looks at pictures, and remembers the last of each screen.
#[derive(Default)]
pub struct Sights {
    kept: Latest<Arc<Sight>>,
}

impl Sights {
    /// The look at this picture, if it is the last of its screen.
    pub fn known(&self, screen: &str, key: u64, mirrored: bool) -> Option<Arc<Sight>> {
        self.kept.of(screen, key).filter(|sight| sight.mirrored == mirrored)
    }

    /// Remembers a look.
    pub fn keep(&self, screen: &str, sight: Sight) -> Arc<Sight> {
        let sight = Arc::new(sight);
        self.kept.keep(screen, sight.key, sight.clone());
        sight
    }
}

fn shape(hit: &Hit, name: &str, scale: f64) -> Shape {
    Shape { name: name.to_owned(), bounds: in_points(&hit.area, scale), score: f64::from(hit.score) }
}

fn in_points(area: &Area, scale: f64) -> Rect {
    let by = |length: f32| f64::from(length) / scale;
    Rect::new(by(area.x), by(area.y), by(area.width), by(area.height))
}
