//! Touching the screen: taps and swipes.

use super::{
    Caller, Capability, Code, Context, Effect, Error, Method, Route,
    acting::{Purpose, Stage, Subject},
    context::{Act, On, Target, brief},
    declare::{Declaration, Reply, capability_with_image},
    look::{self, Seen},
    pinch,
    target::{self, Coordinates},
    values::Acted,
};
use crate::{
    device::{Feature, Operation},
    neutral::{Finger, Point, Rect, Swipe},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::{sync::Arc, time::Duration};

const TAP: Operation = Operation { name: "tap", limit: Duration::from_secs(20) };
const SWIPE: Operation = Operation { name: "swipe", limit: Duration::from_secs(20) };

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![
        capability_with_image(
            context,
            Declaration {
                name: "tap",
                title: "Tap",
                description: "Taps a point (x, y), an element (a ref such as e12, or its words) or a text on the screen. count 2 is a double tap, hold_ms a long press.",
                effect: Effect::Act,
                route: Route { method: Method::Post, path: "/devices/{device_id}/tap" },
            },
            tap,
        ),
        capability_with_image(
            context,
            Declaration {
                name: "swipe",
                title: "Swipe",
                description: "Moves one finger: from one point to another, or in a direction (the way the finger moves, so up shows what is further down). hold_ms makes it a drag. pinch moves two fingers.",
                effect: Effect::Act,
                route: Route { method: Method::Post, path: "/devices/{device_id}/swipe" },
            },
            swipe,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Tap {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    x: Option<f64>,
    y: Option<f64>,
    /// Ref or words, as get_ui_tree prints them.
    #[schemars(length(min = 1, max = 1000))]
    element: Option<String>,
    /// Text on the screen.
    #[schemars(length(min = 1, max = 1000))]
    text: Option<String>,
    /// 2 for a double tap.
    #[schemars(range(min = 1, max = 2))]
    count: Option<u8>,
    /// Long press.
    #[schemars(range(min = 1, max = 10_000))]
    hold_ms: Option<u64>,
    #[serde(flatten)]
    coordinates: Coordinates,
}

async fn tap(context: Arc<Context>, arguments: Tap, caller: Caller) -> Result<Reply<Acted>, Error> {
    let target = context.target(&arguments.on)?;
    if arguments.count == Some(2) && arguments.hold_ms.is_some() {
        return Err(Error::invalid("count and hold_ms exclude each other", "Pass one of them."));
    }
    let aim =
        Aim { x: arguments.x, y: arguments.y, element: arguments.element.as_deref(), text: arguments.text.as_deref() };
    aim.check(&arguments.coordinates)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    let found = aim.find(&context, &target, &arguments.coordinates).await;
    let Found { point, seen } = found.map_err(|error| stage.failed(error))?;
    let subject = Subject::Point(point);
    stage.prepare(subject, seen.as_ref()).await?;
    let hold = arguments.hold_ms.map(Duration::from_millis);
    let twice = arguments.count == Some(2);
    let operation = Operation { limit: TAP.limit + hold.unwrap_or_default(), ..TAP };
    stage
        .send(operation, move |driver, within| async move {
            match hold {
                Some(hold) => driver.long_press(point, hold, within).await,
                None if twice => driver.double_tap(point, within).await,
                None => driver.tap(point, within).await,
            }
        })
        .await?;
    let (acted, image) = stage.finish(subject).await?;
    Ok(Reply::observed(acted, image))
}

/// Where an aim leads, and the elements among which it was found, if it had to be looked for.
pub(super) struct Found {
    pub(super) point: Point,
    pub(super) seen: Option<Seen>,
}

/// The ways in which a caller can say where.
pub(super) struct Aim<'a> {
    pub(super) x: Option<f64>,
    pub(super) y: Option<f64>,
    pub(super) element: Option<&'a str>,
    pub(super) text: Option<&'a str>,
}

impl Aim<'_> {
    /// Whether the caller says where at all.
    pub(super) fn is_given(&self) -> bool {
        self.x.is_some() || self.y.is_some() || self.element.is_some() || self.text.is_some()
    }

    /// Whether the caller says in one way where, before anything is done.
    ///
    /// # Errors
    /// [`Code::InvalidArguments`].
    pub(super) fn check(&self, coordinates: &Coordinates) -> Result<(), Error> {
        let one = "Pass either x and y, or element, or text.";
        if self.x.is_none() && self.y.is_none() {
            coordinates.none_given()?;
        }
        match (self.x, self.y, self.element, self.text) {
            (Some(_), Some(_), None, None) | (None, None, Some(_), None) | (None, None, None, Some(_)) => Ok(()),
            (None, None, None, None) => Err(Error::invalid("the call does not say where", one)),
            (Some(_), None, None, None) => Err(Error::invalid("y is missing", one)),
            (None, Some(_), None, None) => Err(Error::invalid("x is missing", one)),
            _ => Err(Error::invalid("the call says in more than one way where", one)),
        }
    }

    /// The point that is meant. Only a point costs no look at the screen.
    pub(super) async fn find(
        &self,
        context: &Context,
        target: &Target,
        coordinates: &Coordinates,
    ) -> Result<Found, Error> {
        self.check(coordinates)?;
        if let (Some(x), Some(y)) = (self.x, self.y) {
            return Ok(Found { point: target::point(context, target, coordinates, x, y).await?, seen: None });
        }
        let aimed = match self.element {
            Some(element) => target::element(context, target, element).await?,
            None => target::text(context, target, self.text.unwrap_or_default()).await?,
        };
        Ok(Found { point: aimed.tap_point(target)?, seen: aimed.into_seen() })
    }
}

/// The way the finger moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Direction {
    Up,
    Down,
    Left,
    Right,
}

#[derive(Deserialize, JsonSchema)]
struct SwipeArguments {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    from_x: Option<f64>,
    from_y: Option<f64>,
    to_x: Option<f64>,
    to_y: Option<f64>,
    /// The way the finger moves.
    direction: Option<Direction>,
    /// With direction: swipe over this element instead of the screen.
    #[schemars(length(min = 1, max = 1000))]
    element: Option<String>,
    /// With direction: points (60 % of the area).
    #[schemars(range(min = 1))]
    distance: Option<f64>,
    /// How long the finger moves (300).
    #[schemars(range(min = 1, max = 10_000))]
    duration_ms: Option<u64>,
    /// How long it rests before it moves: a drag.
    #[schemars(range(min = 0, max = 10_000))]
    hold_ms: Option<u64>,
    /// Two fingers round from_x, from_y or the middle of element or screen: above 1 spreads, below closes.
    #[schemars(range(min = 0.1, max = 10))]
    pinch: Option<f64>,
    #[serde(flatten)]
    coordinates: Coordinates,
}

async fn swipe(context: Arc<Context>, arguments: SwipeArguments, caller: Caller) -> Result<Reply<Acted>, Error> {
    let target = context.target(&arguments.on)?;
    let mut stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    if let Some(factor) = arguments.pinch {
        let fingers = fingers(&context, &target, &arguments, factor).await;
        let (fingers, seen) = fingers.map_err(|error| stage.failed(error))?;
        stage.prepare(Subject::Swipe, seen.as_ref()).await?;
        stage.send(SWIPE, move |driver, within| async move { driver.gesture(&fingers, within).await }).await?;
        let (acted, image) = stage.finish(Subject::Swipe).await?;
        return Ok(Reply::observed(acted, image));
    }
    let path = path(&context, &target, &arguments).await;
    let (from, to, seen) = path.map_err(|error| stage.failed(error))?;
    stage.prepare(Subject::Swipe, seen.as_ref()).await?;
    let swipe = Swipe {
        from,
        to,
        hold: Duration::from_millis(arguments.hold_ms.unwrap_or(0)),
        duration: Duration::from_millis(arguments.duration_ms.unwrap_or(300)),
    };
    let operation = Operation { limit: SWIPE.limit + swipe.hold + swipe.duration, ..SWIPE };
    stage.send(operation, move |driver, within| async move { driver.swipe(swipe, within).await }).await?;
    let (acted, image) = stage.finish(Subject::Swipe).await?;
    Ok(Reply::observed(acted, image))
}

async fn path(
    context: &Context,
    target: &Target,
    arguments: &SwipeArguments,
) -> Result<(Point, Point, Option<Seen>), Error> {
    let SwipeArguments { from_x, from_y, to_x, to_y, direction, element, distance, coordinates, .. } = arguments;
    let ends = [from_x, from_y, to_x, to_y];
    match (ends.map(|end| *end), direction) {
        ([Some(from_x), Some(from_y), Some(to_x), Some(to_y)], None) => {
            if element.is_some() || distance.is_some() {
                return Err(Error::invalid(
                    "element and distance go with direction",
                    "Leave them out, or pass direction.",
                ));
            }
            let from = target::point(context, target, coordinates, from_x, from_y).await?;
            Ok((from, target::point(context, target, coordinates, to_x, to_y).await?, None))
        }
        ([None, None, None, None], Some(direction)) => {
            coordinates.none_given()?;
            let (area, seen) = area(context, target, element.as_deref()).await?;
            let most = extent(area, *direction) * MOST_OF_AREA;
            if let Some(distance) = distance.filter(|distance| *distance > most) {
                return Err(Error::new(
                    Code::OutOfBounds,
                    format!("a swipe of {distance} points does not fit into the area"),
                    format!("Pass a distance of at most {most:.0}, or leave it out; swipe again to go further."),
                )
                .details(json!({ "most": most.floor() }))
                .on_device(target.id()));
            }
            let (from, to) = across(area, *direction, *distance);
            Ok((from, to, seen))
        }
        _ => Err(Error::invalid(
            "the call does not say from where to where",
            "Pass from_x, from_y, to_x and to_y, or direction.",
        )),
    }
}

/// The part of an element that is on the screen, or else the screen.
async fn area(context: &Context, target: &Target, element: Option<&str>) -> Result<(Rect, Option<Seen>), Error> {
    let Some(element) = element else {
        return Ok(match target.screen() {
            Some(screen) => (screen.bounds(), None),
            None => (look::see(target).await?.screen.bounds(), None),
        });
    };
    let aimed = target::element(context, target, element).await?;
    aimed.permitted(target)?;
    let area = aimed.area().ok_or_else(|| {
        Error::new(Code::OutOfBounds, format!("{} is not within the screen", brief(element)), "Scroll until it is.")
            .on_device(target.id())
    })?;
    Ok((area, aimed.into_seen()))
}

/// The two fingers of a pinch.
async fn fingers(
    context: &Context,
    target: &Target,
    arguments: &SwipeArguments,
    factor: f64,
) -> Result<(Vec<Finger>, Option<Seen>), Error> {
    if !target.device.has(Feature::Gesture) {
        return Err(Error::new(
            Code::Unsupported,
            "this device does not have: gestures with several fingers",
            "Look for a control on the screen that does the same.",
        )
        .on_device(target.id()));
    }
    let SwipeArguments { from_x, from_y, to_x, to_y, direction, element, distance, hold_ms, coordinates, .. } =
        arguments;
    if to_x.or(*to_y).or(*distance).is_some() || direction.is_some() || hold_ms.is_some() {
        return Err(Error::invalid(
            "pinch excludes to_x, to_y, direction, distance and hold_ms",
            "Pass pinch with from_x and from_y, with element, or alone for the middle of the screen.",
        ));
    }
    let (middle, area, seen) = match (from_x, from_y, element) {
        (Some(x), Some(y), None) => {
            let middle = target::point(context, target, coordinates, *x, *y).await?;
            (middle, area(context, target, None).await?.0, None)
        }
        (None, None, element) => {
            coordinates.none_given()?;
            let (area, seen) = area(context, target, element.as_deref()).await?;
            (area.center(), area, seen)
        }
        _ => {
            return Err(Error::invalid(
                "the call does not say in one way where to pinch",
                "Pass from_x and from_y, or element, or neither for the middle of the screen.",
            ));
        }
    };
    let duration = Duration::from_millis(arguments.duration_ms.unwrap_or(300));
    let fingers = pinch::fingers(middle, area, factor, duration).ok_or_else(|| {
        Error::new(
            Code::OutOfBounds,
            "there is no room for two fingers round this place",
            "Pinch further from the edge of the screen, or round a larger element.",
        )
        .on_device(target.id())
    })?;
    Ok((fingers, seen))
}

/// A swipe that begins or ends nearer to an area's edge would touch what is beside it, or pull in the system's own bars.
const MOST_OF_AREA: f64 = 0.9;

fn extent(area: Rect, direction: Direction) -> f64 {
    match direction {
        Direction::Up | Direction::Down => area.height,
        Direction::Left | Direction::Right => area.width,
    }
}

/// From one side of the middle of an area to the other, by this distance or 60 % of it.
pub(super) fn across(area: Rect, direction: Direction, distance: Option<f64>) -> (Point, Point) {
    let (x, y) = match direction {
        Direction::Up => (0.0, -1.0),
        Direction::Down => (0.0, 1.0),
        Direction::Left => (-1.0, 0.0),
        Direction::Right => (1.0, 0.0),
    };
    let half = distance.unwrap_or(extent(area, direction) * 0.6) / 2.0;
    let middle = area.center();
    (Point::new(middle.x - x * half, middle.y - y * half), Point::new(middle.x + x * half, middle.y + y * half))
}
