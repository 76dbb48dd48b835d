//! Describing the screen: from its tree, and where that tells nothing from its picture.
//!
//! It knows when the picture is worth reading. What is told of a screen, and in which order, is `perception::describe`'s.

use super::{
    Caller, Capability, Context, Effect, Error, Method, Route,
    context::{On, Target},
    declare::{Declaration, capability},
    look::{self, Seen},
    reading::{self, Unread},
    values::{AlertSeen, App, Bounds, Note},
};
use crate::{
    neutral::{Role, Tree},
    perception::{
        beside::{self, Beside},
        describe::{self, Shown},
        notes,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The picture that a vision model gets is no larger.
const VISION_BYTES: usize = 400_000;

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability(
        context,
        Declaration {
            name: "describe_screen",
            title: "Describe the screen",
            description: "Describes the screen in a few words: app, title, alert, keyboard, what can be done with refs, texts in reading order; where the tree tells nothing, what the picture shows.",
            effect: Effect::Read,
            route: Route { method: Method::Post, path: "/devices/{device_id}/describe" },
        },
        describe_screen,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct DescribeScreen {
    #[serde(flatten)]
    on: On,
    /// Bound on the description (400).
    #[schemars(range(min = 50, max = 10_000))]
    max_tokens: Option<usize>,
}

/// Something that can be done, with the element to pass.
#[derive(Serialize, JsonSchema)]
struct ActionSeen {
    r#ref: String,
    element: String,
    role: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    state: String,
    /// What the picture shows on it, where it has no words.
    #[serde(skip_serializing_if = "Option::is_none")]
    looks: Option<String>,
}

/// Something that only the picture shows.
#[derive(Serialize, JsonSchema)]
pub(super) struct PictureSeen {
    r#ref: String,
    looks: String,
    pub(super) bounds: Bounds,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Described {
    frame: String,
    description: String,
    app: Option<App>,
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alert: Option<AlertSeen>,
    keyboard: bool,
    actions: Vec<ActionSeen>,
    texts: Vec<String>,
    /// What only the picture shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) seen: Vec<PictureSeen>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected_tab: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<String>,
    /// What a vision model says of the picture, where the operator configured one; it may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    vision: Option<Said>,
    /// How many things to act on and texts there was no room for.
    omitted: usize,
    notes: Vec<Note>,
}

/// A sentence, and whose it is.
#[derive(Serialize, JsonSchema)]
pub(super) struct Said {
    model: String,
    sentence: String,
}

async fn describe_screen(context: Arc<Context>, arguments: DescribeScreen, _: Caller) -> Result<Described, Error> {
    let target = context.target(&arguments.on)?;
    let max_tokens = arguments.max_tokens.unwrap_or(describe::DEFAULT_TOKENS);
    let told = look::look_if_told(&target).await?;
    let has_tree = told.is_some();
    let mut notes = look::notes_on(&context, &target, told.as_ref());
    let seen = match told {
        Some(seen) => seen,
        None => Seen::new(Tree::default(), look::known_screen(&target).await?),
    };
    let by_tree = Some(&seen).filter(|_| has_tree);
    let (beside, said) = tokio::join!(beside_tree(&context, &target, &seen), said(&context, &target));
    let said = said.unwrap_or_else(|failed| {
        notes.push(failed);
        None
    });
    let beside = match beside {
        Ok((beside, of_picture)) => {
            notes.extend(of_picture);
            beside
        }
        Err(error) => {
            notes.push(look::picture_second(by_tree, error)?);
            Beside::default()
        }
    };
    let frame = look::frame_of(&context, &target, by_tree).await?;
    let refs = context.sights.refs(&target.device, &seen.outline);
    let alone = context.sights.visual_refs(&target.device, beside.alone.iter().cloned());
    let sentence = said.as_ref().map(|said| said.sentence.as_str());
    let shown =
        Shown { tree: &seen.tree, outline: &seen.outline, refs: &refs, beside: &beside, alone: &alone, said: sentence };
    let mut told = described(&seen, &shown, frame, max_tokens, notes);
    told.vision = said;
    told.app = told.app.or_else(|| target.device.facts().app.map(App::from));
    Ok(told)
}

/// What a vision model says of the picture, where the operator configured one; a note where it fails.
async fn said(context: &Context, target: &Target) -> Result<Option<Said>, Note> {
    let Some(vision) = &context.vision else { return Ok(None) };
    let failed = |text: String| Note { code: "vision_failed".to_owned(), text };
    // The answer itself must still come in time.
    let within = vision.timeout().min(target.time_left() * 3 / 4);
    let sentence = async {
        let (_, image) = look::plain_screenshot(context, target, Some(VISION_BYTES))
            .await
            .map_err(|error| failed(format!("No picture for the vision model: {}.", error.message)))?;
        let sentence = vision.sentence(image.media_type, &image.bytes, within).await;
        sentence.map_err(|error| failed(format!("There is no sentence of a model: {error}.")))
    };
    let late = |_| failed("There is no sentence of a model: it took too long.".to_owned());
    let sentence = tokio::time::timeout(within, sentence).await.map_err(late)??;
    Ok(Some(Said { model: vision.model().to_owned(), sentence }))
}

/// What the picture tells where the tree does not, if there is such a place: reading takes a second, which is not worth it else.
async fn beside_tree(context: &Context, target: &Target, seen: &Seen) -> Result<(Beside, Vec<Note>), Error> {
    let read = seen.is_partial();
    if !read && !beside::has_nameless(&seen.outline) {
        return Ok((Beside::default(), Vec::new()));
    }
    let (sight, page) = reading::all(context, target, seen.outline.is_right_to_left(), read).await?;
    let mut notes = Vec::new();
    let page = match page {
        Some(Ok(page)) => page,
        Some(Err(Unread::Off)) => {
            notes.push(notes::ocr_off());
            Arc::default()
        }
        Some(Err(Unread::Failed(error))) => return Err(error),
        None => Arc::default(),
    };
    notes.extend(notes::on_page(&page));
    let beside = beside::beside(&seen.outline, &page.lines, &sight.icons(), sight.key);
    Ok((beside, notes.into_iter().map(Note::from).collect()))
}

/// The answer: of a screen, and of what is shown of it.
pub(super) fn described(
    seen: &Seen,
    shown: &Shown<'_>,
    frame: String,
    max_tokens: usize,
    notes: Vec<Note>,
) -> Described {
    let told = describe::describe(shown, &frame, max_tokens);
    let action = |action: describe::Action| ActionSeen {
        r#ref: action.r#ref.to_string(),
        element: action.element,
        role: action.role.name(),
        state: action.state,
        looks: action.looks,
    };
    let in_picture = |seen: describe::Seen| PictureSeen {
        r#ref: seen.r#ref.to_string(),
        looks: seen.looks,
        bounds: seen.bounds.into(),
    };
    // A client that knows the contract alone finds texts and what is likely to be acted on where it looks for them.
    let texts = told.seen.iter().filter_map(|seen| seen.text.clone());
    let texts: Vec<String> = texts.chain(told.texts).collect();
    let icons = told.seen.iter().filter(|seen| seen.text.is_none()).map(|icon| ActionSeen {
        r#ref: icon.r#ref.to_string(),
        element: icon.r#ref.to_string(),
        role: Role::Icon.name(),
        state: String::new(),
        looks: Some(icon.looks.clone()),
    });
    let actions: Vec<ActionSeen> = told.actions.into_iter().map(action).chain(icons).collect();
    let alert = told.alert.map(|alert| AlertSeen { text: alert.text, buttons: alert.buttons });
    Described {
        frame,
        description: told.description,
        app: told.app.map(App::from),
        title: told.title,
        alert: alert.or_else(|| seen.alert.clone().map(AlertSeen::from)),
        keyboard: told.keyboard,
        actions,
        texts,
        seen: told.seen.into_iter().map(in_picture).collect(),
        selected_tab: told.selected_tab,
        progress: told.progress,
        vision: None,
        omitted: told.omitted,
        notes,
    }
}
