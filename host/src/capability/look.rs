//! Looking at the screen: its picture, its elements, a description.

use super::{
    Caller, Capability, Code, Context, Effect, Error, Image, Method, Route,
    context::{On, Target},
    declare::{Declaration, Reply, capability, capability_with_image},
    sight::Shown,
    target, time,
    values::{App, Note, Screen, Shot},
};
use crate::{
    device::{Feature, Operation},
    neutral::{self, Orientation, Picture, Rect, Role, Tree},
    perception::{
        change::{self, Glance},
        describe,
        geometry::{self, PixelSize},
        locator::Locator,
        notes,
        outline::Outline,
        picture,
        refs::Ref,
        render,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
    sync::Arc,
    time::{Duration, SystemTime},
};

const SCREENSHOT: Operation = Operation { name: "screenshot", limit: Duration::from_secs(20) };
/// The most tokens of a tree in the answer of an action.
const MOST_TOKENS: usize = 20_000;
const TREE: Operation = Operation { name: "tree", limit: Duration::from_secs(60) };
const APP: Operation = Operation { name: "active app", limit: Duration::from_secs(20) };
const STATE: Operation = Operation { name: "state", limit: Duration::from_secs(20) };
const ALERT: Operation = Operation { name: "alert", limit: Duration::from_secs(20) };
const SCREEN: Operation = Operation { name: "screen", limit: Duration::from_secs(20) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![
        capability_with_image(
            context,
            Declaration {
                name: "take_screenshot",
                title: "Take a screenshot",
                description: "Takes a picture of the screen. By default one pixel is one point, so that what is read off the picture can be tapped as it is.",
                effect: Effect::Read,
                route: Route { method: Method::Post, path: "/devices/{device_id}/screenshot" },
            },
            take_screenshot,
        ),
        capability(
            context,
            Declaration {
                name: "get_ui_tree",
                title: "Get the UI tree",
                description: "Lists what is on the screen, one element a line, with a ref (e12) for what can be acted on. Cheaper and more exact than a picture.",
                effect: Effect::Read,
                route: Route { method: Method::Get, path: "/devices/{device_id}/tree" },
            },
            get_ui_tree,
        ),
    ]
}

/// What the phone's tree shows.
pub(super) struct Seen {
    pub(super) tree: Tree,
    pub(super) outline: Outline,
    pub(super) screen: neutral::Screen,
    /// An alert in front that the tree does not show.
    pub(super) alert: Option<neutral::Alert>,
}

/// Reads the tree for somebody who looks: with what the tree does not tell, an alert of the system's and whether a phone that was
/// locked is so still.
pub(super) async fn look_at(target: &Target) -> Result<Seen, Error> {
    if target.device.facts().state.locked == Some(true) && target.device.has(Feature::DeviceInfo) {
        let state = target.look(STATE, |driver, within| async move { driver.device_info(within).await }).await;
        if let Ok(state) = state {
            target.device.learn(|facts| facts.state = state);
        }
    }
    let mut seen = see(target).await?;
    if seen.outline.alert().is_none() && target.device.has(Feature::Alert) {
        // A phone that cannot tell has no alert to be told of.
        seen.alert = alert(target).await.ok().flatten();
    }
    Ok(seen)
}

/// The same; `None` where the phone cannot describe its screen, whose picture can still be looked at.
pub(super) async fn look_if_told(target: &Target) -> Result<Option<Seen>, Error> {
    match look_at(target).await {
        Err(error) if error.code == Code::PerceptionFailed => Ok(None),
        seen => seen.map(Some),
    }
}

/// What is not as it seems about a look with a tree, or without one.
pub(super) fn notes_on(context: &Context, target: &Target, seen: Option<&Seen>) -> Vec<Note> {
    seen.map_or_else(|| vec![notes::no_tree().into()], |seen| seen.notes(context, target))
}

/// Registers a look with a tree, or else the picture, as a frame and gives its name.
pub(super) async fn frame_of(context: &Context, target: &Target, seen: Option<&Seen>) -> Result<String, Error> {
    match seen {
        Some(seen) => Ok(seen.frame(context, target)),
        None => Ok(glance_frame(context, target, glance(target).await?).unwrap_or_default()),
    }
}

/// Reads the tree.
pub(super) async fn see(target: &Target) -> Result<Seen, Error> {
    let tree = target.look(TREE, |driver, within| async move { driver.tree(within).await }).await?;
    let across = target.screen().is_some_and(|screen| tree_lies_across(&screen, &tree));
    let screen = fitting_screen(target, !across).await;
    if let Some(app) = &tree.app {
        target.device.learn(|facts| facts.app = Some(app.clone()));
    }
    // A tree of thousands of elements takes some milliseconds, which is short enough for this thread.
    Ok(Seen::new(tree, screen))
}

impl Seen {
    /// A tree on this screen, or else on one that its roots just fill: what people save is often only a part of a screen.
    pub(super) fn new(tree: Tree, screen: Option<neutral::Screen>) -> Seen {
        let screen = screen.unwrap_or_else(|| {
            let filled = |(width, height): (f64, f64), root: Rect| {
                (width.max(root.width).max(root.right()), height.max(root.height).max(root.bottom()))
            };
            let (width, height) = roots(&tree).fold((1.0, 1.0), filled);
            guessed_screen(width, height)
        });
        let outline = Outline::new(&tree, &screen);
        Seen { tree, outline, screen, alert: None }
    }

    /// Registers the look as a frame and gives its name.
    pub(super) fn frame(&self, context: &Context, target: &Target) -> String {
        context.sights.frame(&target.device, self.screen, None, Shown::Tree(self.hash())).name()
    }

    /// Of what the tree shows.
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for node in &self.tree.nodes {
            (&node.label, &node.value, &node.identifier, node.enabled, node.selected, node.checked).hash(&mut hasher);
            if let Some(Rect { x, y, width, height }) = node.bounds {
                [x, y, width, height].map(f64::to_bits).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// The same without these texts: a value that holds one is shown as bullets, whatever signs an app put between, and so is
    /// what stands in the field that has the focus, since it was typed there. In a label only the text itself is, and not a few
    /// letters, which it may hold by chance.
    pub(super) fn without(&self, secrets: &[String]) -> Seen {
        let mut tree = self.tree.clone();
        for node in &mut tree.nodes {
            let typed_into = node.focused && matches!(node.role, Role::TextField | Role::SecureField);
            if let Some(value) = &mut node.value
                && (typed_into || secrets.iter().any(|secret| holds(value, secret)))
            {
                *value = bullets(value);
            }
            if let Some(label) = &mut node.label {
                *label = masked(label, secrets);
            }
        }
        Seen::new(tree, Some(self.screen))
    }

    /// What is not as it seems.
    pub(super) fn notes(&self, context: &Context, target: &Target) -> Vec<Note> {
        let unclear = self.lies_across();
        // An alert that is no part of the tree.
        let alert = self.alert.as_ref().map(|alert| notes::alert_up(&alert.buttons).into());
        let around = locked(target).into_iter().chain(moving(context, target)).chain(unclear.then(orientation_unclear));
        around.chain(alert).chain(self.own_notes()).collect()
    }

    /// The same tree on this screen, where it was taken for another one.
    fn on(self, screen: neutral::Screen) -> Seen {
        match self.screen.bounds() == screen.bounds() {
            true => self,
            false => Seen { alert: self.alert, ..Seen::new(self.tree, Some(screen)) },
        }
    }

    /// Whether the tree lies the other way than the device says its screen does.
    fn lies_across(&self) -> bool {
        tree_lies_across(&self.screen, &self.tree)
    }

    /// Whether the tree tells little of the screen, or not all that it should.
    pub(super) fn is_unread(&self) -> bool {
        !self.tree.flaws.is_empty() || notes::is_sparse(&self.tree, &self.outline)
    }

    /// Whether the picture may show what the tree does not tell.
    pub(super) fn is_partial(&self) -> bool {
        self.is_unread() || !describe::blind_regions(&self.tree, &self.outline).is_empty()
    }

    /// What is not as it seems by the tree itself.
    pub(super) fn own_notes(&self) -> Vec<Note> {
        notes::notes(&self.tree, &self.outline).into_iter().map(Note::from).collect()
    }
}

impl From<notes::Note> for Note {
    fn from(note: notes::Note) -> Self {
        Note { code: note.code.to_owned(), text: note.text }
    }
}

/// How long it is worth saying that the screen moved still when the last action was over.
const MOVED: Duration = Duration::from_secs(3);

fn moving(context: &Context, target: &Target) -> Option<Note> {
    let left = context.sights.left(&target.device)?;
    (left.moving && left.at.elapsed() < MOVED).then(|| Note {
        code: "still_moving".to_owned(),
        text: "The screen moved still when the last action was over; it may look different by now.".to_owned(),
    })
}

fn locked(target: &Target) -> Option<Note> {
    (target.device.facts().state.locked == Some(true)).then(|| Note {
        code: "device_locked".to_owned(),
        text: "The device is locked; what is shown is its lock screen.".to_owned(),
    })
}

/// Whether a value is a secret, or holds it with other signs between: card numbers are spaced, and one letter more or less may
/// have come on the way.
fn holds(value: &str, secret: &str) -> bool {
    value.contains(secret) || !spaced(value, secret).is_empty()
}

/// Where a secret stands in a text by its letters and digits alone, whatever other signs are between.
pub(crate) fn spaced(text: &str, secret: &str) -> Vec<Range<usize>> {
    let letters: Vec<(usize, char)> = text.char_indices().filter(|(_, sign)| sign.is_alphanumeric()).collect();
    let wanted: Vec<char> = secret.chars().filter(|sign| sign.is_alphanumeric()).collect();
    let mut places: Vec<Range<usize>> = Vec::new();
    let is_it = |window: &&[(usize, char)]| window.iter().map(|(_, sign)| sign).eq(&wanted);
    for window in letters.windows(wanted.len().max(1)).filter(is_it) {
        let ((start, _), (end, last)) = (window[0], window[window.len() - 1]);
        let place = start..end + last.len_utf8();
        match places.last_mut().filter(|before| place.start < before.end) {
            Some(before) => before.end = place.end,
            None => places.push(place),
        }
    }
    places
}

fn bullets(text: &str) -> String {
    "•".repeat(text.chars().count())
}

/// A text in which these stand as bullets. A few letters may stand in any text by chance.
pub(super) fn masked(text: &str, secrets: &[String]) -> String {
    const BY_CHANCE: usize = 4;
    let telling = secrets.iter().filter(|secret| secret.chars().count() >= BY_CHANCE);
    telling.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), &bullets(secret)))
}

/// The alert that the phone says is in front.
pub(super) async fn alert(target: &Target) -> Result<Option<neutral::Alert>, Error> {
    target.look(ALERT, |driver, within| async move { driver.alert(within).await }).await
}

/// The app that the phone says is in front, which is remembered.
pub(super) async fn active_app(target: &Target) -> Result<neutral::App, Error> {
    let app = target.look(APP, |driver, within| async move { driver.active_app(within).await }).await?;
    target.device.learn(|facts| facts.app = Some(app.clone()));
    Ok(app)
}

/// The picture as the phone sends it.
pub(super) async fn picture(target: &Target) -> Result<Picture, Error> {
    target.look(SCREENSHOT, |driver, within| async move { driver.screenshot(within).await }).await
}

/// Takes a picture only to tell whether the screen changes.
pub(super) async fn glance(target: &Target) -> Result<Glance, Error> {
    let taken = picture(target).await?;
    let screen = target.screen().unwrap_or_else(|| guessed_screen(f64::from(taken.width), f64::from(taken.height)));
    // Decoding takes milliseconds, which other calls must not wait for.
    let seen = tokio::task::spawn_blocking(move || Glance::new(&taken, &screen)).await;
    let seen = seen.map_err(|error| error.to_string()).and_then(|seen| seen.map_err(|error| error.to_string()));
    seen.map_err(|error| failed(target, &error))
}

/// The frame of a picture that was only glanced at, where the screen is known.
pub(super) fn glance_frame(context: &Context, target: &Target, glance: Glance) -> Option<String> {
    let frame = context.sights.frame(&target.device, target.screen()?, None, Shown::Picture(glance.hash()));
    context.sights.shows(&target.device, &frame, glance);
    Some(frame.name())
}

/// The areas of the tree's roots that have one.
fn roots(tree: &Tree) -> impl Iterator<Item = Rect> {
    let roots = tree.nodes.iter().filter(|node| node.parent.is_none());
    roots.filter_map(|node| node.bounds).filter(|bounds| bounds.width >= 1.0 && bounds.height >= 1.0)
}

/// Whether a picture of this size lies the other way than the screen. One that is as wide as high lies neither way.
fn lies_across(screen: &neutral::Screen, width: f64, height: f64) -> bool {
    (screen.width - screen.height) * (width - height) < 0.0
}

/// Whether a tree has the screen's size with its sides exchanged. Roots of other sizes are only parts of what is shown.
fn tree_lies_across(screen: &neutral::Screen, tree: &Tree) -> bool {
    let near = |one: f64, other: f64| (one - other).abs() <= 0.1 * other;
    lies_across(screen, screen.height, screen.width)
        && roots(tree).any(|root| near(root.width, screen.height) && near(root.height, screen.width))
        && !roots(tree).any(|root| near(root.width, screen.width) && near(root.height, screen.height))
}

fn orientation_unclear() -> Note {
    notes::orientation_unclear().into()
}

/// The remembered screen, asked for anew when what was just seen does not fit it.
async fn fitting_screen(target: &Target, fits: bool) -> Option<neutral::Screen> {
    let known = target.screen();
    if (fits && known.is_some()) || !target.device.has(Feature::ScreenInfo) {
        return known;
    }
    ask_screen(target).await.ok().or(known)
}

/// The width in points of the screen that a picture shows; `None` where the two lie across each other even now.
pub(super) async fn width_of(target: &Target, taken: &Picture) -> Option<f64> {
    let (width, height) = (f64::from(taken.width), f64::from(taken.height));
    let fits = |screen: &neutral::Screen| !lies_across(screen, width, height);
    let known = fitting_screen(target, target.screen().as_ref().is_some_and(fits)).await;
    known.map_or(Some(width), |screen| fits(&screen).then_some(screen.width))
}

/// The screen, asked for where nobody has looked yet: a first tap is held against it too.
pub(super) async fn known_screen(target: &Target) -> Result<Option<neutral::Screen>, Error> {
    match target.screen() {
        None if target.device.has(Feature::ScreenInfo) => ask_screen(target).await.map(Some),
        known => Ok(known),
    }
}

/// The screen as the phone tells it now, which is remembered.
pub(super) async fn ask_screen(target: &Target) -> Result<neutral::Screen, Error> {
    let screen = target.look(SCREEN, |driver, within| async move { driver.screen_info(within).await }).await?;
    target.device.learn(|facts| facts.screen = Some(screen));
    Ok(screen)
}

/// For a device that cannot tell its screen: what was seen of it, at one pixel a point.
fn guessed_screen(width: f64, height: f64) -> neutral::Screen {
    let orientation = if width > height { Orientation::LandscapeLeft } else { Orientation::Portrait };
    neutral::Screen { width, height, scale: 1.0, orientation }
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PictureFormat {
    Jpeg,
    Png,
}

#[derive(Deserialize, JsonSchema)]
struct TakeScreenshot {
    #[serde(flatten)]
    on: On,
    /// Pixels a point (1, less for very large screens).
    #[schemars(range(min = 0.05, max = 10))]
    scale: Option<f64>,
    /// jpeg (default) or png.
    format: Option<PictureFormat>,
    /// Draw a box and the ref on each element that can be acted on.
    #[serde(default)]
    marks: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Screenshot {
    pub(super) frame: String,
    width: u32,
    height: u32,
    scale: f64,
    orientation: &'static str,
    captured_at: String,
    pub(super) notes: Vec<Note>,
}

impl From<Screenshot> for Shot {
    fn from(shot: Screenshot) -> Self {
        Shot { width: shot.width, height: shot.height, scale: shot.scale, orientation: shot.orientation }
    }
}

async fn take_screenshot(
    context: Arc<Context>,
    arguments: TakeScreenshot,
    caller: Caller,
) -> Result<Reply<Screenshot>, Error> {
    let target = context.target(&arguments.on)?;
    shoot(&context, &target, &arguments, caller.picture_limit).await
}

async fn shoot(
    context: &Context,
    target: &Target,
    arguments: &TakeScreenshot,
    limit: Option<usize>,
) -> Result<Reply<Screenshot>, Error> {
    let taken = picture(target).await?;
    let captured_at = time(SystemTime::now());
    // The tree comes second: a phone takes its picture at once and its tree at the start of a long answer, so that the two
    // lie closest in this order.
    let seen = if arguments.marks { Some(see(target).await?) } else { None };
    let (width, height) = (f64::from(taken.width), f64::from(taken.height));
    let fits = target.screen().is_some_and(|screen| !lies_across(&screen, width, height));
    let screen = fitting_screen(target, fits).await.or(seen.as_ref().map(|seen| seen.screen));
    let screen = screen.unwrap_or_else(|| guessed_screen(width, height));
    // Taps would not go where the picture shows: what is read off it is refused, since its frame has another screen.
    let unclear = lies_across(&screen, width, height);
    let screen = if unclear { guessed_screen(screen.height, screen.width) } else { screen };
    if target.screen().is_none() {
        target.device.learn(|facts| facts.screen = Some(screen));
    }
    let seen = seen.map(|seen| seen.on(screen));
    // Elements that lie otherwise than the picture have no place on it.
    let unclear = unclear || seen.as_ref().is_some_and(Seen::lies_across);
    let marks = seen.as_ref().filter(|_| !unclear).map_or_else(Vec::new, |seen| {
        picture::marks_of(&seen.outline, &context.sights.refs(&target.device, &seen.outline))
    });
    let hash = change::hash(&taken.bytes);
    let format = match arguments.format {
        Some(PictureFormat::Png) => neutral::PictureFormat::Png,
        _ => neutral::PictureFormat::Jpeg,
    };
    let (scale, max_bytes) = (arguments.scale, limit);
    // Decoding and encoding take tens of milliseconds, which other calls must not wait for.
    let prepared =
        tokio::task::spawn_blocking(move || prepare(&taken, hash, &screen, scale, format, max_bytes, &marks)).await;
    let Prepared { encoded, black, glance } = prepared
        .map_err(|_| failed(target, "the picture could not be prepared"))?
        .map_err(|error| failed(target, &error.to_string()))?;
    let size = Some((encoded.width, encoded.height));
    let frame = context.sights.frame(&target.device, screen, size, Shown::Picture(hash));
    context.sights.shows(&target.device, &frame, glance);
    let size = PixelSize { width: encoded.width, height: encoded.height };
    let notes = unclear
        .then(orientation_unclear)
        .into_iter()
        .chain(seen.iter().flat_map(Seen::own_notes))
        .chain(black.then(notes::picture_black).map(Note::from));
    Ok(Reply::with_image(
        Screenshot {
            frame: frame.name(),
            width: encoded.width,
            height: encoded.height,
            scale: (geometry::scale_of(size, &screen) * 1000.0).round() / 1000.0,
            orientation: screen.orientation.name(),
            captured_at,
            notes: locked(target).into_iter().chain(moving(context, target)).chain(notes).collect(),
        },
        Image { media_type: encoded.media_type, bytes: encoded.bytes.into() },
    ))
}

/// A picture as `take_screenshot` gives it without any wishes, and its frame.
pub(super) async fn plain_screenshot(
    context: &Context,
    target: &Target,
    limit: Option<usize>,
) -> Result<(Screenshot, Image), Error> {
    let wanted = TakeScreenshot { on: On::default(), scale: None, format: None, marks: false };
    let reply = shoot(context, target, &wanted, limit).await?;
    let (body, image) = reply.into_parts();
    image.map(|image| (body, image)).ok_or_else(|| failed(target, "there is no picture"))
}

struct Prepared {
    /// At the wanted scale, with marks.
    encoded: picture::Encoded,
    /// Whether the phone's own picture is black all over.
    black: bool,
    /// For telling later whether the screen has changed.
    glance: Glance,
}

fn prepare(
    taken: &Picture,
    hash: u64,
    screen: &neutral::Screen,
    scale: Option<f64>,
    format: neutral::PictureFormat,
    max_bytes: Option<usize>,
    marks: &[picture::Mark],
) -> Result<Prepared, picture::PictureError> {
    let mut pixels = picture::decode(&taken.bytes)?;
    let own = PixelSize { width: pixels.width, height: pixels.height };
    let size = picture::target_size(screen, own, scale);
    // Of the phone's own pixels, as all that it will be compared with.
    let glance = Glance::of_pixels(&pixels, taken.format, hash, screen)?;
    let mut scaler = picture::Scaler::new();
    if size != own {
        pixels = scaler.resize(&pixels, size.width, size.height)?;
    }
    let black = pixels.is_black();
    let wanted = picture::Wanted { size: None, format, max_bytes, marks, screen: Some(screen) };
    Ok(Prepared { encoded: scaler.finish(pixels, &wanted)?, black, glance })
}

/// The note on a picture that was not read, where a tree tells all that it should; else it is the answer's only source, and the
/// failure is the answer.
pub(super) fn picture_second(seen: Option<&Seen>, error: Error) -> Result<Note, Error> {
    match seen {
        Some(seen) if !seen.is_partial() => {
            let text = format!("Only the tree was looked at, since {}.", error.message);
            Ok(Note { code: "picture_not_read".to_owned(), text })
        }
        _ => Err(error),
    }
}

/// What cannot be seen, and why.
pub(super) fn failed(target: &Target, what: &str) -> Error {
    Error::new(Code::PerceptionFailed, what, "Try again; get_ui_tree works without a picture.").on_device(target.id())
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TreeFormat {
    #[default]
    Text,
    Json,
}

#[derive(Deserialize, JsonSchema)]
struct GetUiTree {
    #[serde(flatten)]
    on: On,
    /// text (default) or json.
    format: Option<TreeFormat>,
    /// Bound on the answer's size.
    #[schemars(range(min = 50, max = 100_000))]
    max_tokens: Option<usize>,
    /// Only what is inside this element.
    #[schemars(length(min = 1, max = 1000))]
    within: Option<String>,
    /// Only what can be acted on.
    #[serde(default)]
    interactive_only: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct UiTree {
    frame: String,
    app: Option<App>,
    screen: Screen,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<Vec<Value>>,
    omitted: Value,
    notes: Vec<Note>,
}

async fn get_ui_tree(context: Arc<Context>, arguments: GetUiTree, _: Caller) -> Result<UiTree, Error> {
    let target = context.target(&arguments.on)?;
    let seen = look_at(&target).await?;
    let within = match &arguments.within {
        Some(element) => {
            let locator = Locator::parse(element)
                .map_err(|message| Error::invalid(format!("within: {message}"), "Pass a ref or an element's words."))?;
            Some(target::locate(&context, &target, &seen.outline, &locator, element)?)
        }
        None => None,
    };
    let frame = seen.frame(&context, &target);
    let refs = context.sights.refs(&target.device, &seen.outline);
    let options = render::Options {
        max_tokens: arguments.max_tokens,
        within,
        interactive_only: arguments.interactive_only,
        points: false,
    };
    let format = arguments.format.unwrap_or_default();
    let mut shown = seen.show(frame, &refs, format, &options, seen.notes(&context, &target));
    shown.app = shown.app.or_else(|| target.device.facts().app.map(App::from));
    Ok(shown)
}

impl Seen {
    /// The text form for the answer of an action. Who wants all of a very long screen asks for it.
    pub(super) fn text(&self, context: &Context, target: &Target, frame: &str) -> String {
        let refs = context.sights.refs(&target.device, &self.outline);
        let options = render::Options { max_tokens: Some(MOST_TOKENS), ..render::Options::default() };
        render::text(&self.outline, &refs, frame, &options).text
    }

    /// The answer of `get_ui_tree`; the app as the tree tells it.
    pub(super) fn show(
        &self,
        frame: String,
        refs: &[Ref],
        format: TreeFormat,
        options: &render::Options,
        notes: Vec<Note>,
    ) -> UiTree {
        let (text, elements, omitted) = match format {
            TreeFormat::Text => {
                let rendered = render::text(&self.outline, refs, &frame, options);
                (Some(rendered.text), None, rendered.omitted)
            }
            TreeFormat::Json => {
                let (elements, omitted) = render::json(&self.outline, refs, options);
                let elements = elements.iter().map(|element| serde_json::to_value(element).unwrap_or_default());
                (None, Some(elements.collect()), omitted)
            }
        };
        UiTree {
            frame,
            app: self.tree.app.clone().map(App::from),
            screen: self.screen.into(),
            text,
            elements,
            omitted: serde_json::to_value(omitted).unwrap_or_default(),
            notes,
        }
    }
}
