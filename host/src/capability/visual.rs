//! What only the phone's picture shows, as something that can be acted on: a ref of it, and where it is now.
//!
//! It knows when the picture is looked at again. What it shows is `reading`'s, which of it is the same is `perception::visual`'s.

use super::{
    Code, Context, Error,
    context::{Target, brief},
    reading::{self, Unread},
};
use crate::{
    neutral::Rect,
    perception::{
        find::{Match, NearText, TextMatch},
        fuse,
        ocr::Page,
        refs::Ref,
        shapes::FoundShapes,
        text::{fold, squeeze},
        visual::{Around, Looks, Same, Visual},
    },
};
use serde_json::json;
use std::sync::Arc;

/// Where what has this ref is now. The picture is looked at again, which costs little where it is the same as before.
///
/// # Errors
/// [`Code::ElementStale`] where it is not there, or several things look so.
pub(super) async fn locate(context: &Context, target: &Target, name: Ref, seen: &Visual) -> Result<Rect, Error> {
    let mut near = Vec::new();
    // Texts tell which of several it is, where they did before.
    let told_by_texts = match &seen.around {
        Around::Only(texts) => !texts.is_empty(),
        Around::Own(_) => true,
        Around::Picture(_) => false,
    };
    let page = match &seen.looks {
        _ if told_by_texts || matches!(seen.looks, Looks::Text { .. }) => match reading::page(context, target).await {
            Ok(page) => page,
            Err(Unread::Off) => return Err(off(target)),
            Err(Unread::Failed(error)) => return Err(error),
        },
        _ => Arc::default(),
    };
    let (places, key) = match &seen.looks {
        Looks::Text { line, part } => {
            let places = Looks::in_lines(&page.lines, line, part);
            if places.is_empty() {
                near = fuse::find_in_lines(&page.lines, part, Match::Contains, 5).near;
            }
            (places, page.key)
        }
        Looks::Icon { name, mirrored } => {
            let sight = reading::sight(context, target, *mirrored).await?;
            (sure(sight.find(std::slice::from_ref(name))), sight.key)
        }
        Looks::Picture(picture) => {
            let (found, _, key) = reading::reference(context, target, picture).await?;
            (sure(found), key)
        }
    };
    let words = seen.looks.words();
    let message = match seen.among(&places, &page.lines, key) {
        Same::Here(bounds) => return Ok(bounds),
        Same::Gone => format!("{name} ({words}, told by the picture alone) is not on the screen any more"),
        Same::Several(_) => {
            format!(
                "{name} ({words}, told by the picture alone) cannot be told from what looks so now: the screen around it has changed"
            )
        }
    };
    let near: Vec<&str> = near.iter().map(|near: &NearText| near.text.as_str()).collect();
    Err(Error::new(
        Code::ElementStale,
        message,
        "Look at the screen again, with find_text, find_icon or describe_screen.",
    )
    .details(json!({ "candidates": near }))
    .on_device(target.id()))
}

/// Where an icon surely is. What is only like it may be another one.
fn sure(found: FoundShapes) -> Vec<Rect> {
    found.accepted.into_iter().map(|shape| shape.bounds).collect()
}

fn off(target: &Target) -> Error {
    Error::new(
        Code::Unsupported,
        "this server has no text recognition",
        "Use an element of get_ui_tree, or coordinates from take_screenshot.",
    )
    .on_device(target.id())
}

/// What the picture tells of a text that no element shows.
pub(super) enum TextPlace {
    /// It stands here alone.
    Here(Rect),
    /// It stands in several places, under these refs.
    Several(Vec<String>),
    /// It is not there; these are like it.
    Nowhere(Vec<String>),
}

/// Where a text stands in the picture. One that cannot be had or read tells nothing.
pub(super) async fn text(context: &Context, target: &Target, text: &str) -> TextPlace {
    let Ok(page) = reading::page(context, target).await else { return TextPlace::Nowhere(Vec::new()) };
    let found = fuse::find_in_lines(&page.lines, text, Match::Contains, usize::MAX);
    // Within a word one sign means nothing.
    let sign = squeeze(text).chars().count() == 1;
    let whole = |found: &&TextMatch| !sign || squeeze(&found.text).chars().count() == 1;
    let Some(best) = found.matches.iter().find(whole).map(|best| best.score) else {
        return TextPlace::Nowhere(found.near.into_iter().map(|near| near.text).collect());
    };
    let equal = found.matches.iter().filter(whole).filter(|found| found.score >= best - 1e-6).cloned();
    let places: Vec<(String, Rect)> = equal.filter_map(|found| Some((found.text, found.bounds?))).collect();
    match &places[..] {
        [(_, only)] => TextPlace::Here(*only),
        _ => {
            let seen = places.iter().map(|(line, bounds)| of_text(&page, line, text, *bounds));
            let refs = context.sights.visual_refs(&target.device, seen);
            let told = places.iter().zip(refs).map(|((line, bounds), name)| {
                format!("{name} ({:?} at {:.0}, {:.0})", brief(line), bounds.center().x, bounds.center().y)
            });
            TextPlace::Several(told.collect())
        }
    }
}

/// The part of a line that was asked for; all of it where that is only like what was asked for.
pub(super) fn of_text(page: &Page, line: &str, asked: &str, bounds: Rect) -> Visual {
    let holds = |line: &str| {
        let without_blanks = |text: &str| fold(text).replace(' ', "");
        without_blanks(line).contains(&without_blanks(asked))
    };
    let part = if holds(line) { asked } else { line };
    let looks = Looks::Text { line: line.to_owned(), part: part.to_owned() };
    Visual::one_of(looks, bounds, &Looks::in_lines(&page.lines, line, part), &page.lines, page.key)
}
