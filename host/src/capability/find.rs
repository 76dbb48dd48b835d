//! Finding texts and icons on the screen.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    context::{On, Target},
    declare::{Declaration, capability},
    look, reading,
    values::{Bounds, Note, Point},
    visual,
};
use crate::neutral::Rect;
use crate::perception::{
    find, fuse, icon, notes,
    refs::Ref,
    shapes::{self, FoundShapes, Shape},
    visual::{Looks, Visual},
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
    if arguments.text.trim().is_empty() {
        return Err(Error::invalid("text is blank", "Pass the text to look for."));
    }
    let how = match arguments.how.unwrap_or_default() {
        Match::Contains => find::Match::Contains,
        Match::Exact => find::Match::Exact,
        Match::Fuzzy => find::Match::Fuzzy,
    };
    let limit = arguments.limit.unwrap_or(LIMIT);
    let source = arguments.source.unwrap_or_default();
    let seen = match source {
        Source::Tree => Some(look::look_at(&target).await?),
        Source::Any | Source::Ocr => look::look_if_told(&target).await?,
    };
    let mut notes = look::notes_on(&context, &target, seen.as_ref());
    let by_tree = match (&seen, source) {
        (Some(seen), Source::Any | Source::Tree) => {
            // All of them: a better one may come from the picture.
            find::find_text(&seen.tree, &seen.outline, &arguments.text, how, usize::MAX)
        }
        _ => find::Found::default(),
    };
    let best = by_tree.matches.first();
    let told = source == Source::Tree || best.is_some_and(|best| best.on_screen && best.score >= fuse::EQUAL);
    let page = match told {
        true => Arc::default(),
        false => match reading::page(&context, &target).await {
            Ok(page) => page,
            Err(reading::Unread::Off) => {
                notes.push(notes::ocr_off().into());
                Arc::default()
            }
            Err(reading::Unread::Failed(error)) => {
                notes.push(look::picture_second(seen.as_ref().filter(|_| source == Source::Any), error)?);
                Arc::default()
            }
        },
    };
    notes.extend(notes::on_page(&page).into_iter().map(Note::from));
    let mut found = match &seen {
        Some(seen) if !told => fuse::find_text(by_tree, &seen.outline, &page.lines, &arguments.text, how, limit),
        Some(_) => by_tree,
        None => fuse::find_in_lines(&page.lines, &arguments.text, how, limit),
    };
    found.matches.truncate(limit);
    let refs = seen.as_ref().map_or_else(Vec::new, |seen| context.sights.refs(&target.device, &seen.outline));
    let frame = look::frame_of(&context, &target, seen.as_ref()).await?;
    Ok(TextsFound {
        matches: found
            .matches
            .into_iter()
            .map(|found| TextSeen {
                r#ref: name(&refs, found.element).or_else(|| {
                    let seen = visual::of_text(&page, &found.text, &arguments.text, found.bounds?);
                    (found.source == find::Source::Ocr).then(|| visual_ref(&context, &target, seen))?
                }),
                text: found.text,
                bounds: found.bounds.map(Bounds::from),
                center: found.center.map(Point::from),
                score: round(found.score.clamp(0.0, 1.0)),
                source: found.source.name(),
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
        (Some(name), None) if name.trim().is_empty() => {
            return Err(Error::invalid("name is blank", "Pass a name such as back, or a plain description."));
        }
        (Some(name), None) => Wanted::Name(name),
        (None, Some(picture)) => {
            let picture = STANDARD.decode(picture.trim()).map_err(|_| {
                Error::invalid("picture is not base64", "Pass the bytes of a PNG or JPEG in base64, without a prefix.")
            })?;
            Wanted::Picture(picture.into())
        }
        _ => return Err(Error::invalid("the call does not say in one way which icon", "Pass either name or picture.")),
    };
    let seen = look::look_if_told(&target).await?;
    let by_tree = match (&seen, &wanted) {
        (Some(seen), Wanted::Name(name)) => {
            icon::find_icon(&seen.tree, &seen.outline, name, arguments.threshold, limit)
        }
        _ => icon::FoundIcons::default(),
    };
    let mut notes = look::notes_on(&context, &target, seen.as_ref());
    let mirrored = seen.as_ref().is_some_and(|seen| seen.outline.is_right_to_left());
    // An element that is called so, and not only mentions it, is the icon, whatever it looks like.
    let told = by_tree.matches.first().is_some_and(|best| best.on_screen && best.score >= icon::CALLED);
    let looked = match &wanted {
        _ if told => Ok((FoundShapes::default(), false, 0)),
        Wanted::Name(name) => reading::sight(&context, &target, mirrored)
            .await
            .map(|sight| (sight.find(&icon::meant(name)), sight.black, sight.key)),
        Wanted::Picture(picture) => reading::reference(&context, &target, picture).await,
    };
    let (found, black, key) = match looked {
        Err(error) if matches!(wanted, Wanted::Name(_)) => {
            notes.push(look::picture_second(seen.as_ref(), error)?);
            Default::default()
        }
        looked => looked?,
    };
    notes.extend(black.then(notes::picture_black).map(Note::from));
    let refs = seen.as_ref().map_or_else(Vec::new, |seen| context.sights.refs(&target.device, &seen.outline));
    let of_tree = |icon: icon::IconMatch| IconSeen {
        name: icon.name,
        bounds: icon.bounds.map(Bounds::from),
        center: icon.center.map(Point::from),
        score: round(icon.score),
        source: "tree",
        r#ref: name(&refs, icon.element),
    };
    let FoundShapes { mut accepted, mut near } = found;
    if let Some(threshold) = arguments.threshold {
        accepted.append(&mut near);
        near = accepted.extract_if(.., |shape| shape.score < threshold).collect();
    }
    let places: Vec<Rect> = accepted.iter().map(|shape| shape.bounds).collect();
    // The texts around tell several from each other, where they have been read.
    let lines = &reading::page_of(&context, &target, key).lines;
    // What is only like it gets no ref: what cannot be told surely now cannot be told again later.
    let of_shape = |shape: Shape| {
        let center = shape.bounds.center();
        let element = seen.as_ref().and_then(|seen| fuse::icon_element(&seen.outline, &shape.bounds));
        let looks = match &wanted {
            Wanted::Name(_) => Looks::Icon { name: shape.name.clone(), mirrored },
            Wanted::Picture(picture) => Looks::Picture(picture.clone()),
        };
        let own = || visual_ref(&context, &target, Visual::one_of(looks, shape.bounds, &places, lines, key));
        let sure = shape.score >= shapes::ACCEPT;
        IconSeen {
            r#ref: name(&refs, element).or_else(|| sure.then(own)?),
            name: shape.name,
            bounds: Some(shape.bounds.into()),
            center: Some(center.into()),
            score: round(shape.score),
            source: "shape",
        }
    };
    let rows = |icons: Vec<icon::IconMatch>, shapes: Vec<Shape>, most: usize| -> Vec<IconSeen> {
        let shapes = shapes.into_iter().map(of_shape);
        let mut rows: Vec<IconSeen> = icons.into_iter().map(of_tree).chain(shapes).collect();
        rows.sort_by(|a, b| b.score.total_cmp(&a.score));
        rows.truncate(most);
        rows
    };
    let frame = look::frame_of(&context, &target, seen.as_ref()).await?;
    Ok(IconsFound { matches: rows(by_tree.matches, accepted, limit), near: rows(by_tree.near, near, 5), notes, frame })
}

/// What a caller looks for.
enum Wanted {
    Name(String),
    Picture(Arc<[u8]>),
}

/// The ref of what only the picture shows.
fn visual_ref(context: &Context, target: &Target, seen: Visual) -> Option<String> {
    context.sights.visual_refs(&target.device, [seen]).first().map(Ref::to_string)
}

fn name(refs: &[Ref], element: Option<usize>) -> Option<String> {
    refs.get(element?).map(Ref::to_string)
}

fn round(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
