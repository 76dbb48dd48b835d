//! Finding texts and icons on the screen.

use super::{
    Caller, Capability, Code, Context, Effect, Error, Method, Route,
    context::On,
    declare::{Declaration, capability},
    look, reading,
    values::{Bounds, Note, Point},
};
use crate::perception::{
    find, fuse, icon, notes,
    refs::Ref,
    shapes::{FoundShapes, Shape},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many matches an answer holds unless the caller says.
const LIMIT: usize = 10;

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![
        capability(
            context,
            Declaration {
                name: "find_text",
                title: "Find a text",
                description: "Finds where a text stands on the screen, best match first. Nothing found is an empty list with the nearest texts under near.",
                effect: Effect::Read,
                route: Route { method: Method::Post, path: "/devices/{device_id}/find-text" },
            },
            find_text,
        ),
        capability(
            context,
            Declaration {
                name: "find_icon",
                title: "Find an icon",
                description: "Finds an icon by its name or what it stands for, such as settings, back, share, search. Nothing found is an empty list with the likeliest under near.",
                effect: Effect::Read,
                route: Route { method: Method::Post, path: "/devices/{device_id}/find-icon" },
            },
            find_icon,
        ),
    ]
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Match {
    #[default]
    Contains,
    Exact,
    Fuzzy,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Source {
    #[default]
    Any,
    Tree,
    Ocr,
}

#[derive(Deserialize, JsonSchema)]
struct FindText {
    #[serde(flatten)]
    on: On,
    #[schemars(length(min = 1, max = 1000))]
    text: String,
    /// contains (default), exact or fuzzy; case and accents never matter.
    #[serde(rename = "match")]
    how: Option<Match>,
    /// any (default), tree or ocr (the picture).
    source: Option<Source>,
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct TextSeen {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    center: Option<Point>,
    score: f64,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Near {
    text: String,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct TextsFound {
    frame: String,
    matches: Vec<TextSeen>,
    near: Vec<Near>,
    /// Whether scrolling may reveal more.
    may_scroll: bool,
    notes: Vec<Note>,
}

async fn find_text(context: Arc<Context>, arguments: FindText, _: Caller) -> Result<TextsFound, Error> {
    let target = context.target(&arguments.on)?;
    let how = match arguments.how.unwrap_or_default() {
        Match::Contains => find::Match::Contains,
        Match::Exact => find::Match::Exact,
        Match::Fuzzy => find::Match::Fuzzy,
    };
    let limit = arguments.limit.unwrap_or(LIMIT);
    let source = arguments.source.unwrap_or_default();
    let seen = match look::look_at(&target).await {
        // A screen that the phone cannot describe can still be read.
        Err(error) if source != Source::Tree && error.code == Code::PerceptionFailed => None,
        seen => Some(seen?),
    };
    let by_tree = || Some(find::find_text(&seen.as_ref()?.tree, &seen.as_ref()?.outline, &arguments.text, how, limit));
    let mut notes = seen.as_ref().map_or_else(Vec::new, |seen| seen.notes(&context, &target));
    let told = by_tree().filter(|found| {
        source == Source::Tree
            || source == Source::Any
                && found.matches.first().is_some_and(|best| best.on_screen && best.score >= fuse::EQUAL)
    });
    let (found, sources) = match told {
        Some(found) => {
            let sources = vec![fuse::Source::Tree; found.matches.len()];
            (found, sources)
        }
        None => {
            let lines = match reading::lines(&context, &target).await {
                Ok(lines) => lines,
                Err(reading::Unread::Off) => {
                    notes.push(notes::ocr_off().into());
                    Arc::default()
                }
                // The picture is the second way where there is a tree.
                Err(reading::Unread::Failed(error)) if source == Source::Any && seen.is_some() => {
                    tracing::debug!(%error, "the picture was not read");
                    Arc::default()
                }
                Err(reading::Unread::Failed(error)) => return Err(error),
            };
            notes.extend(context.readings.broken().iter().map(|why| notes::recogniser_broken(why).into()));
            let unread = lines.iter().filter(|line| !line.readable).count();
            notes.extend((unread > 0).then(|| notes::script_not_read(unread).into()));
            match &seen {
                Some(seen) if source == Source::Any => {
                    fuse::find_text(&seen.tree, &seen.outline, &lines, &arguments.text, how, limit)
                }
                _ => {
                    let found = fuse::find_in_lines(&lines, &arguments.text, how, limit);
                    let sources = vec![fuse::Source::Ocr; found.matches.len()];
                    (found, sources)
                }
            }
        }
    };
    let refs = seen.as_ref().map_or_else(Vec::new, |seen| context.sights.refs(&target.device, &seen.outline));
    let frame = match &seen {
        Some(seen) => seen.frame(&context, &target),
        None => look::glance_frame(&context, &target, look::glance(&target).await?).unwrap_or_default(),
    };
    let rows = found.matches.into_iter().zip(sources);
    Ok(TextsFound {
        matches: rows
            .map(|(found, source)| TextSeen {
                text: found.text,
                bounds: found.bounds.map(Bounds::from),
                center: found.center.map(Point::from),
                score: round(found.score.clamp(0.0, 1.0)),
                source: match source {
                    fuse::Source::Tree => "tree",
                    fuse::Source::Ocr => "ocr",
                },
                r#ref: name(&refs, found.element),
            })
            .collect(),
        near: found
            .near
            .into_iter()
            .map(|near| Near { text: near.text, score: round(near.score), r#ref: name(&refs, near.element) })
            .collect(),
        may_scroll: found.may_scroll,
        notes,
        frame,
    })
}

#[derive(Deserialize, JsonSchema)]
struct FindIcon {
    #[serde(flatten)]
    on: On,
    /// Name or plain description.
    #[schemars(length(min = 1, max = 200))]
    name: Option<String>,
    /// Instead of name: a PNG or JPEG of the icon, base64.
    #[schemars(length(min = 1, max = 2_000_000))]
    picture: Option<String>,
    /// Least score of a match, 0-1.
    #[schemars(range(min = 0, max = 1))]
    threshold: Option<f64>,
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct IconSeen {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    center: Option<Point>,
    score: f64,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct IconsFound {
    frame: String,
    matches: Vec<IconSeen>,
    near: Vec<IconSeen>,
    notes: Vec<Note>,
}

async fn find_icon(context: Arc<Context>, arguments: FindIcon, _: Caller) -> Result<IconsFound, Error> {
    let target = context.target(&arguments.on)?;
    let limit = arguments.limit.unwrap_or(LIMIT);
    let wanted = match (arguments.name, arguments.picture) {
        (Some(name), None) => Wanted::Name(name),
        (None, Some(picture)) => {
            let picture = STANDARD.decode(picture.trim()).map_err(|_| {
                Error::invalid("picture is not base64", "Pass the bytes of a PNG or JPEG in base64, without a prefix.")
            })?;
            Wanted::Picture(picture)
        }
        _ => return Err(Error::invalid("the call does not say in one way which icon", "Pass either name or picture.")),
    };
    let seen = match look::look_at(&target).await {
        // A screen that the phone cannot describe can still be looked at.
        Err(error) if error.code == Code::PerceptionFailed => None,
        seen => Some(seen?),
    };
    let by_tree = match (&seen, &wanted) {
        (Some(seen), Wanted::Name(name)) => {
            icon::find_icon(&seen.tree, &seen.outline, name, arguments.threshold, limit)
        }
        _ => icon::FoundIcons::default(),
    };
    let shapes = match wanted {
        // An element that is called so is the icon, whatever it looks like.
        _ if by_tree.matches.first().is_some_and(|best| best.on_screen) => FoundShapes::default(),
        Wanted::Name(name) => {
            let mirrored = seen.as_ref().is_some_and(|seen| seen.outline.is_right_to_left());
            match reading::icons(&context, &target, icon::meant(&name), mirrored).await {
                // The picture is the second way where there is a tree.
                Err(error) if seen.is_some() => {
                    tracing::debug!(%error, "the picture was not looked at");
                    FoundShapes::default()
                }
                shapes => shapes?,
            }
        }
        Wanted::Picture(picture) => reading::reference(&context, &target, picture).await?,
    };
    let refs = seen.as_ref().map_or_else(Vec::new, |seen| context.sights.refs(&target.device, &seen.outline));
    let of_tree = |icon: icon::IconMatch| IconSeen {
        name: icon.name,
        bounds: icon.bounds.map(Bounds::from),
        center: icon.center.map(Point::from),
        score: round(icon.score),
        source: "tree",
        r#ref: name(&refs, icon.element),
    };
    let of_shape = |shape: Shape| {
        let center = shape.bounds.center();
        let element = seen.as_ref().and_then(|seen| fuse::on_element(&seen.outline, center));
        IconSeen {
            name: shape.name,
            bounds: Some(shape.bounds.into()),
            center: Some(center.into()),
            score: round(shape.score),
            source: "shape",
            r#ref: name(&refs, element),
        }
    };
    let FoundShapes { mut accepted, mut near } = shapes;
    if let Some(threshold) = arguments.threshold {
        near.extend(accepted.extract_if(.., |shape| shape.score < threshold));
        near.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    let rows = |icons: Vec<icon::IconMatch>, shapes: Vec<Shape>, most: usize| -> Vec<IconSeen> {
        let mut rows: Vec<IconSeen> = icons.into_iter().map(of_tree).chain(shapes.into_iter().map(of_shape)).collect();
        rows.sort_by(|a, b| b.score.total_cmp(&a.score));
        rows.truncate(most);
        rows
    };
    let frame = match &seen {
        Some(seen) => seen.frame(&context, &target),
        None => look::glance_frame(&context, &target, look::glance(&target).await?).unwrap_or_default(),
    };
    Ok(IconsFound {
        matches: rows(by_tree.matches, accepted, limit),
        near: rows(by_tree.near, near, 5),
        notes: seen.as_ref().map_or_else(Vec::new, |seen| seen.notes(&context, &target)),
        frame,
    })
}

/// What a caller looks for.
enum Wanted {
    Name(String),
    Picture(Vec<u8>),
}

fn name(refs: &[Ref], element: Option<usize>) -> Option<String> {
    refs.get(element?).map(Ref::to_string)
}

fn round(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
