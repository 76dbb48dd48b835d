//! What an action is aimed at: a point, an element, or a text on the screen.

use super::{
    Code, Context, Error, acting,
    context::{Target, brief},
    look::{self, Seen},
    visual::{self, TextPlace},
};
use crate::{
    neutral::{Point, Rect, Role, Tree},
    perception::{
        describe,
        find::{self, Match},
        geometry::{self, GeometryError, PixelSize},
        locator::{self, Locator, Matched},
        outline::Outline,
        refs::Resolved,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// What coordinates are measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Space {
    /// Points of the screen.
    #[default]
    Point,
    /// Pixels of the picture with that frame.
    Image,
    /// 0 to 1.
    Fraction,
}

/// How coordinates are to be read.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Coordinates {
    /// Unit of coordinates: point (default), image (pixels of the picture named by frame), fraction (0-1).
    pub(super) space: Option<Space>,
    /// Frame that coordinates were read from.
    pub(super) frame: Option<String>,
}

impl Coordinates {
    /// For a call without coordinates: what would say how to read them must not be there either.
    ///
    /// # Errors
    /// [`Code::InvalidArguments`].
    pub(super) fn none_given(&self) -> Result<(), Error> {
        match (self.space, &self.frame) {
            (None, None) => Ok(()),
            _ => Err(Error::invalid("space and frame go with coordinates", "Leave them out, or pass coordinates.")),
        }
    }
}

/// Turns a caller's coordinates into a point on the screen.
///
/// # Errors
/// [`Code::OutOfBounds`], [`Code::StaleFrame`].
pub(super) async fn point(
    context: &Context,
    target: &Target,
    coordinates: &Coordinates,
    x: f64,
    y: f64,
) -> Result<Point, Error> {
    let frame = match &coordinates.frame {
        Some(name) => Some(context.sights.find(&target.device, name)?),
        None => None,
    };
    let space = coordinates.space.unwrap_or_default();
    let picture = match (space, frame) {
        (Space::Image, None) => {
            return Err(Error::invalid(
                "space is image, but frame is missing",
                "Pass the frame of the picture that the coordinates were read from.",
            ));
        }
        (Space::Image, Some(frame)) => {
            let Some((width, height)) = frame.picture else {
                return Err(Error::invalid(
                    format!("frame {} has no picture", frame.name()),
                    "Pass the frame of a take_screenshot, or use points.",
                ));
            };
            Some(PixelSize { width, height })
        }
        _ => None,
    };
    // A device that cannot tell its screen's size gets points as they are.
    let known = match frame {
        Some(frame) => Some(frame.screen),
        None => look::known_screen(target).await?,
    };
    let Some(screen) = known else {
        return match space {
            Space::Point if x < 0.0 || y < 0.0 => Err(Error::new(
                Code::OutOfBounds,
                format!("the point {x}, {y} lies outside of any screen"),
                "Coordinates are points from the top left corner.",
            )
            .on_device(target.id())),
            Space::Point => Ok(Point::new(x, y)),
            _ => Err(unknown_screen(target)),
        };
    };
    let space = match space {
        Space::Point => geometry::Space::Point,
        Space::Image => geometry::Space::Image,
        Space::Fraction => geometry::Space::Fraction,
    };
    geometry::to_point(space, x, y, &screen, picture).map_err(|error| match error {
        GeometryError::OutOfBounds { .. } => Error::new(
            Code::OutOfBounds,
            error.to_string(),
            "Coordinates are points of the current orientation, from the top left corner, unless space says otherwise.",
        )
        .details(json!({ "width": screen.width, "height": screen.height, "orientation": screen.orientation.name() }))
        .on_device(target.id()),
        GeometryError::NotFinite => Error::invalid(error.to_string(), "Pass finite numbers."),
        GeometryError::NoSize(_) => unknown_screen(target),
    })
}

fn unknown_screen(target: &Target) -> Error {
    Error::new(
        Code::PerceptionFailed,
        "the size of the device's screen is not known",
        "Call take_screenshot once, or use points.",
    )
    .on_device(target.id())
}

/// What a caller aims at, as it is on the screen now.
pub(super) enum Aimed {
    /// An element of the tree.
    Element {
        /// The screen it was found on.
        seen: Seen,
        /// Its place in the outline.
        index: usize,
    },
    /// Something that only the picture shows.
    Visual {
        /// The tree, where it was looked for there first.
        seen: Option<Seen>,
        /// Where it is.
        bounds: Rect,
    },
}

impl Aimed {
    /// The part of it that is on the screen.
    pub(super) fn area(&self) -> Option<Rect> {
        match self {
            Aimed::Element { seen, index } => seen.outline.get(*index)?.bounds?.intersection(&seen.outline.screen()),
            Aimed::Visual { bounds, .. } => Some(*bounds),
        }
    }

    /// Where a tap on it goes.
    ///
    /// # Errors
    /// [`Code::AlertInFront`], [`Code::TargetCovered`], [`Code::OutOfBounds`].
    pub(super) fn tap_point(&self, target: &Target) -> Result<Point, Error> {
        self.permitted(target)?;
        match self {
            Aimed::Element { seen, index } => tap_point(target, &seen.outline, *index),
            Aimed::Visual { seen, bounds } => match seen.as_ref().and_then(|seen| on_keyboard(seen, bounds.center())) {
                Some(keyboard) => Err(covered(target, "what was found in the picture", &keyboard)),
                None => Ok(bounds.center()),
            },
        }
    }

    /// An alert of the tree lets nothing else through.
    ///
    /// # Errors
    /// [`Code::AlertInFront`].
    pub(super) fn permitted(&self, target: &Target) -> Result<(), Error> {
        match self {
            Aimed::Element { seen, index } => alert_permits(target, &seen.outline, Some(*index)),
            Aimed::Visual { seen: Some(seen), bounds } => {
                alert_permits(target, &seen.outline, seen.outline.at(bounds.center()))
            }
            Aimed::Visual { seen: None, .. } => Ok(()),
        }
    }

    /// The tree among whose elements it was looked for.
    pub(super) fn into_seen(self) -> Option<Seen> {
        match self {
            Aimed::Element { seen, .. } => Some(seen),
            Aimed::Visual { seen, .. } => seen,
        }
    }
}

/// Finds what `element` names, a ref or words, on the screen as it is now.
///
/// # Errors
/// [`Code::ElementNotFound`], [`Code::ElementStale`], [`Code::ElementAmbiguous`].
pub(super) async fn element(context: &Context, target: &Target, element: &str) -> Result<Aimed, Error> {
    let locator = locator(element)?;
    // The tree comes first for what only the picture shows too: it tells what is in front, and connects a device whose refs have ended.
    let seen = match (look::see(target).await, &locator) {
        (Err(error), Locator::Ref(_)) if error.code == Code::PerceptionFailed => None,
        (seen, _) => Some(seen?),
    };
    if let Locator::Ref(name) = locator
        && let Some(visual) = context.sights.visual(&target.device, name)
    {
        return Ok(Aimed::Visual { seen, bounds: visual::locate(context, target, name, &visual).await? });
    }
    // Without a tree no ref of one can be found.
    let seen = seen.unwrap_or_else(|| Seen::new(Tree::default(), target.screen()));
    let index = locate(context, target, &seen.outline, &locator, element)?;
    Ok(Aimed::Element { seen, index })
}

/// Reads a ref or words.
///
/// # Errors
/// [`Code::InvalidArguments`].
pub(super) fn locator(element: &str) -> Result<Locator, Error> {
    Locator::parse(element).map_err(|message| {
        Error::invalid(
            format!("element: {message}"),
            "Pass a ref such as e12 from get_ui_tree, or words such as button \"Sign in\".",
        )
    })
}

/// Finds the element that a locator means in an outline.
///
/// # Errors
/// As [`element`].
pub(super) fn locate(
    context: &Context,
    target: &Target,
    outline: &Outline,
    locator: &Locator,
    named: &str,
) -> Result<usize, Error> {
    let error = match locator {
        Locator::Ref(name) => match context.sights.with_book(&target.device, |book| book.resolve(*name, outline)) {
            Resolved::Found(index) => return Ok(index),
            Resolved::Stale { was, candidates } => {
                let candidates: Vec<Value> = candidates
                    .iter()
                    .map(|candidate| json!({ "element": candidate.description, "score": round(candidate.score) }))
                    .collect();
                Error::new(
                    Code::ElementStale,
                    format!("{name} ({was}) is not on the screen any more"),
                    "Look at the screen again; the nearest elements are under details.candidates.",
                )
                .details(json!({ "candidates": candidates }))
            }
            Resolved::Unknown if context.sights.visual(&target.device, *name).is_some() => Error::new(
                Code::InvalidArguments,
                format!("{name} is told by the picture alone, and is no element of the tree"),
                "Pass it to tap, swipe or input_text; here pass an element of get_ui_tree.",
            ),
            Resolved::Unknown => Error::new(
                Code::ElementStale,
                format!("{name} is not known: refs end when the device reconnects, or when thousands have followed"),
                "Look at the screen again and use a ref from there.",
            ),
        },
        Locator::Words(words) => match words.find(outline) {
            Matched::One(index) => return Ok(index),
            Matched::None { near } => {
                let near: Vec<Value> = near
                    .iter()
                    .map(|near| json!({ "element": locator::words(outline, near.index), "score": round(near.score) }))
                    .collect();
                Error::new(
                    Code::ElementNotFound,
                    format!("there is no element {} on the screen", brief(named)),
                    "Look at the screen again; the nearest elements are under details.near.",
                )
                .details(json!({ "near": near }))
            }
            Matched::Several(indices) => ambiguous(outline, named, &indices),
        },
    };
    Err(error.on_device(target.id()))
}

fn ambiguous(outline: &Outline, named: &str, indices: &[usize]) -> Error {
    let candidates: Vec<String> = indices.iter().take(10).map(|index| locator::words(outline, *index)).collect();
    Error::new(
        Code::ElementAmbiguous,
        format!("{} elements fit {}", indices.len(), brief(named)),
        "Pass one of details.candidates as element.",
    )
    .details(json!({ "candidates": candidates }))
}

/// Finds what shows a text: the one element, or where no element does, the one place in the picture.
///
/// # Errors
/// As [`element`].
pub(super) async fn text(context: &Context, target: &Target, text: &str) -> Result<Aimed, Error> {
    let seen = match look::see(target).await {
        // A screen that the phone cannot describe can still be read.
        Err(error) if error.code == Code::PerceptionFailed => {
            let bounds = in_picture(context, target, text, Vec::new()).await;
            return Ok(Aimed::Visual { seen: None, bounds: bounds.map_err(|missing| missing.unwrap_or(error))? });
        }
        seen => seen?,
    };
    let found = find::find_text(&seen.tree, &seen.outline, text, Match::Contains, usize::MAX);
    if found.matches.is_empty() {
        let near: Vec<String> = found.near.into_iter().map(|near| near.text).collect();
        let bounds = in_picture(context, target, text, near.clone()).await;
        let bounds = bounds.map_err(|missing| missing.unwrap_or_else(|| text_missing(target, text, &near, 0)))?;
        return Ok(Aimed::Visual { seen: Some(seen), bounds });
    }
    let index = element_of(target, &seen.outline, &found, text)?;
    Ok(Aimed::Element { seen, index })
}

/// The place where the picture shows a text. The error is `None` where it tells nothing.
async fn in_picture(
    context: &Context,
    target: &Target,
    text: &str,
    mut near: Vec<String>,
) -> Result<Rect, Option<Error>> {
    match visual::text(context, target, text).await {
        TextPlace::Here(bounds) => Ok(bounds),
        TextPlace::Several(places) => Err(Some(
            Error::new(
                Code::ElementAmbiguous,
                format!("the picture shows the text {:?} in {} places", brief(text), places.len()),
                "Pass the ref of one of details.candidates as element.",
            )
            .details(json!({ "candidates": places }))
            .on_device(target.id()),
        )),
        TextPlace::Nowhere(seen) if seen.is_empty() => Err(None),
        TextPlace::Nowhere(seen) => {
            near.extend(seen);
            near.dedup();
            Err(Some(text_missing(target, text, &near, 0)))
        }
    }
}

fn text_missing(target: &Target, text: &str, near: &[String], off_screen: usize) -> Error {
    Error::new(
        Code::ElementNotFound,
        format!("the text {:?} is not on the screen", brief(text)),
        "Scroll, or use one of the texts under details.near.",
    )
    .details(json!({ "near": near, "off_screen": off_screen }))
    .on_device(target.id())
}

/// The one element of those that show a text.
fn element_of(target: &Target, outline: &Outline, found: &find::Found, text: &str) -> Result<usize, Error> {
    let on_screen = || {
        let elements = found.matches.iter().filter(|found| found.on_screen);
        let elements = elements.filter_map(|found| Some((found.score, found.element?)));
        elements.filter_map(|(score, index)| Some((score, index, outline.get(index)?)))
    };
    let reachable: Vec<(f64, usize)> =
        on_screen().filter(|(_, _, element)| element.is_reachable()).map(|(score, index, _)| (score, index)).collect();
    let Some((best, index)) = reachable.first().copied() else {
        // What is there and covered is told by its cover.
        if let Some((_, index, _)) = on_screen().find(|(_, _, element)| element.covered_by.is_some()) {
            return Ok(index);
        }
        let near: Vec<String> = found.near.iter().map(|near| near.text.clone()).collect();
        return Err(text_missing(target, text, &near, found.matches.len()));
    };
    // A text that several elements show equally well names none of them.
    let mut equal: Vec<usize> =
        reachable.iter().filter(|(score, _)| *score >= best - 1e-6).map(|(_, index)| *index).collect();
    equal.dedup();
    narrow(outline, &mut equal);
    let index = equal.first().copied().unwrap_or(index);
    match equal.len() {
        0 | 1 => Ok(index),
        _ => Err(ambiguous(outline, &format!("the text {:?}", brief(text)), &equal).on_device(target.id())),
    }
}

/// Of several elements that show a text, those that a finger would mean: a list that is called so shows no text itself, and of a
/// row and the control of the same name inside it the control is what reacts.
fn narrow(outline: &Outline, equal: &mut Vec<usize>) {
    let is_list = |index: &usize| outline.get(*index).is_some_and(|element| element.role == Role::List);
    if !equal.iter().all(is_list) {
        equal.retain(|index| !is_list(index));
    }
    let acts = |index: usize| outline.get(index).is_some_and(|element| element.actionable);
    let all = equal.clone();
    equal.retain(|outer| {
        let inner = |index: &usize| index != outer && outline.is_within(*index, *outer) && acts(*index);
        !all.iter().any(inner)
    });
}

/// An alert lets nothing through but what is aimed at an element inside it.
///
/// # Errors
/// [`Code::AlertInFront`] with its text and buttons.
pub(super) fn alert_permits(target: &Target, outline: &Outline, aimed: Option<usize>) -> Result<(), Error> {
    match (outline.alert(), describe::alert(outline)) {
        (Some(at), Some(alert)) if !aimed.is_some_and(|index| outline.is_within(index, at)) => {
            Err(acting::alert_in_front(target, &alert.text, &alert.buttons))
        }
        _ => Ok(()),
    }
}

fn covered(target: &Target, what: &str, cover: &str) -> Error {
    Error::new(
        Code::TargetCovered,
        format!("{what} is covered by {cover}"),
        "Close or move what is in front (press_button hide_keyboard for a keyboard), or scroll.",
    )
    .on_device(target.id())
}

/// The keyboard, in words, where this place lies on it.
fn on_keyboard(seen: &Seen, at: Point) -> Option<String> {
    let index = seen.outline.keyboard()?;
    let bounds = seen.outline.get(index)?.bounds?;
    bounds.contains(at).then(|| locator::words(&seen.outline, index))
}

/// Where a tap on an element goes.
///
/// # Errors
/// [`Code::TargetCovered`], [`Code::OutOfBounds`].
fn tap_point(target: &Target, outline: &Outline, index: usize) -> Result<Point, Error> {
    let name = locator::words(outline, index);
    let element = &outline.elements()[index];
    let point = element.tap_point(&outline.screen());
    let cover = element.covered_by.or_else(|| outline.in_front_at(index, point?));
    if let Some(cover) = cover {
        return Err(covered(target, &name, &locator::words(outline, cover)));
    }
    point.ok_or_else(|| {
        Error::new(Code::OutOfBounds, format!("{name} is not within the screen"), "Scroll until it is, then try again.")
            .on_device(target.id())
    })
}

fn round(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}
