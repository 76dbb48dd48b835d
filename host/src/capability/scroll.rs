//! Scrolling until something can be seen.
//!
//! It knows which way to go, and when there is no more to come. What scrolls is `perception::scroll`; how an element is named is
//! `target`.

use super::{
    Caller, Capability, Code, Context, Effect, Error, Method, Route,
    acting::{LAG, Purpose, Stage, Subject},
    context::{Act, On, Target, brief},
    declare::{Declaration, Reply, capability_with_image},
    look::{self, Seen},
    target,
    touch::{Direction, across},
    values::{Acted, Bounds, Point},
};
use crate::{
    device::Operation,
    neutral::{Rect, Swipe},
    perception::{
        find::{self, Match},
        locator::{self, Locator},
        outline::Place,
        scroll::{self, Beyond},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const SWIPE: Operation = Operation { name: "swipe", limit: Duration::from_secs(20) };
/// Slow enough that a list does not run on past what is looked for.
const DURATION: Duration = Duration::from_millis(600);
/// Of what scrolls: less than all of it, so that nothing is skipped.
const STEP: f64 = 0.6;
/// A shorter way would count as a tap.
const SHORTEST: f64 = 60.0;
const MAX_SWIPES: u32 = 10;

pub(super) fn all(context: &Arc<Context>) -> Vec<Capability> {
    vec![capability_with_image(
        context,
        Declaration {
            name: "scroll_to",
            title: "Scroll to",
            description: "Scrolls until a text or an element can be seen, and tells where it is or that the end was reached.",
            effect: Effect::Act,
            route: Route { method: Method::Post, path: "/devices/{device_id}/scroll-to" },
        },
        scroll_to,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct ScrollTo {
    #[serde(flatten)]
    on: On,
    #[serde(flatten)]
    act: Act,
    #[schemars(length(min = 1, max = 1000))]
    text: Option<String>,
    /// Ref or words.
    #[schemars(length(min = 1, max = 1000))]
    element: Option<String>,
    /// The way the finger moves (default: to where it is known to be, else up, and from the end back).
    direction: Option<Direction>,
    /// Default 10.
    #[schemars(range(min = 1, max = 50))]
    max_swipes: Option<u32>,
}

/// What was looked for.
#[derive(Serialize, JsonSchema)]
struct Found {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    bounds: Bounds,
    /// Of the part that can be seen.
    center: Point,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Scrolled {
    #[serde(flatten)]
    acted: Acted,
    r#match: Found,
}

enum Goal {
    Text(String),
    Element(Locator, String),
}

/// What one look tells of the goal.
enum Sight {
    Here(Found),
    /// It is known where it lies: in this element, beyond this edge.
    Beyond(Option<usize>, Beyond),
    Nowhere(Near),
}

/// What may have been meant instead.
type Near = Vec<Value>;

async fn scroll_to(context: Arc<Context>, arguments: ScrollTo, caller: Caller) -> Result<Reply<Scrolled>, Error> {
    let target = context.target(&arguments.on)?;
    let goal = goal(arguments.text, arguments.element)?;
    let stage = Stage::open(&context, &target, &caller, &arguments.act, Purpose::Act).await?;
    let most = arguments.max_swipes.unwrap_or(MAX_SWIPES);
    let mut search = Search {
        context: &context,
        target: &target,
        stage,
        goal,
        direction: arguments.direction,
        most,
        swipes: 0,
        turned: false,
    };
    let found = search.run().await.map_err(|error| search.stage.failed(error))?;
    let (acted, image) = match search.swipes {
        0 => search.stage.finish_undone().await?,
        _ => search.stage.finish(Subject::Swipe).await?,
    };
    Ok(Reply::observed(Scrolled { acted, r#match: found }, image))
}

fn goal(text: Option<String>, element: Option<String>) -> Result<Goal, Error> {
    match (text, element) {
        (Some(text), None) => Ok(Goal::Text(text)),
        (None, Some(element)) => Ok(Goal::Element(target::locator(&element)?, element)),
        _ => Err(Error::invalid("the call does not say in one way what to scroll to", "Pass either text or element.")),
    }
}

/// One call of the tool.
struct Search<'a> {
    context: &'a Context,
    target: &'a Target,
    stage: Stage<'a>,
    goal: Goal,
    direction: Option<Direction>,
    most: u32,
    swipes: u32,
    /// One end of the list was reached, and now the search goes the other way.
    turned: bool,
}

impl Search<'_> {
    async fn run(&mut self) -> Result<Found, Error> {
        let mut seen = look::see(self.target).await?;
        let (mut end, mut unmoved) = (false, 0);
        loop {
            target::alert_permits(self.target, &seen.outline, None)?;
            let (within, beyond, near) = match self.sight(&seen)? {
                Sight::Here(found) => return Ok(found),
                Sight::Beyond(within, beyond) => (within, Some(beyond), Vec::new()),
                Sight::Nowhere(near) => (None, None, near),
            };
            if end {
                // An alert that is no part of the tree holds a list still, too.
                self.stage.alert_permits(Subject::Swipe).await?;
            }
            if end && !self.turned && self.direction.is_none() && beyond.is_none() && self.swipes < self.most {
                (end, self.turned) = (false, true);
            }
            if end || self.swipes >= self.most {
                return Err(self.not_found(end, &near));
            }
            let area = scroll::area(&seen.tree, &seen.outline, within);
            let moved = self.swipe(&seen, area, beyond).await?;
            let mut now = look::see(self.target).await?;
            if moved == Some(true) && seen.hash() == now.hash() {
                // It moved, and the phone tells the tree from before.
                tokio::time::sleep(LAG.min(self.target.time_left() / 4)).await;
                now = look::see(self.target).await?;
            }
            let same = seen.hash() == now.hash();
            end = moved != Some(true)
                && (same || moved == Some(false) && scroll::stays(&seen.outline, &now.outline, area));
            // A tree that never tells that anything moved leads nowhere.
            unmoved = if same { unmoved + 1 } else { 0 };
            end |= unmoved >= 2;
            seen = now;
        }
    }

    /// One swipe, until the screen rests: whether it moved anything.
    async fn swipe(&mut self, seen: &Seen, area: Rect, beyond: Option<Beyond>) -> Result<Option<bool>, Error> {
        if self.swipes == 0 {
            self.stage.prepare(Subject::Swipe, Some(seen)).await?;
        }
        let wanted = self.direction.or((self.turned && beyond.is_none()).then_some(Direction::Down));
        let (direction, distance) = way(wanted, beyond, area);
        let (from, to) = across(area, direction, Some(distance));
        let swipe = Swipe { from, to, hold: Duration::ZERO, duration: DURATION };
        self.swipes += 1;
        self.stage.send(SWIPE, move |driver, within| async move { driver.swipe(swipe, within).await }).await?;
        Ok(self.stage.settle().await)
    }

    fn sight(&self, seen: &Seen) -> Result<Sight, Error> {
        let Seen { tree, outline, .. } = seen;
        let (text, element, bounds) = match &self.goal {
            Goal::Text(text) => {
                let found = find::find_text(tree, outline, text, Match::Contains, usize::MAX);
                let placed = || found.matches.iter().filter(|found| found.bounds.is_some());
                // What is on the screen and out of reach is only the last choice.
                let in_reach = |found: &&find::TextMatch| {
                    let element = found.element.and_then(|index| outline.get(index));
                    element.is_none_or(|element| element.place != Place::On || element.is_reachable())
                };
                let Some(best) = placed().find(in_reach).or_else(|| placed().next()) else {
                    let near = found.near.into_iter().map(|near| near.text.into()).collect();
                    return Ok(Sight::Nowhere(near));
                };
                (Some(best.text.clone()), best.element, best.bounds)
            }
            Goal::Element(locator, named) => match target::locate(self.context, self.target, outline, locator, named) {
                Ok(index) => (None, Some(index), outline.get(index).and_then(|element| element.bounds)),
                Err(error) => return near(error).map(Sight::Nowhere),
            },
        };
        let Some(bounds) = bounds.filter(|bounds| bounds.area() > 0.0) else { return Ok(Sight::Nowhere(Vec::new())) };
        let visible: Rect = match scroll::visible(tree, outline, element, bounds) {
            Ok(visible) => visible,
            Err(beyond) => return Ok(Sight::Beyond(element, beyond)),
        };
        let refs = self.context.sights.refs(&self.target.device, outline);
        Ok(Sight::Here(Found {
            element: element.filter(|_| text.is_none()).map(|index| locator::words(outline, index)),
            text,
            bounds: bounds.into(),
            center: visible.center().into(),
            r#ref: element.and_then(|index| refs.get(index)).map(ToString::to_string),
        }))
    }

    fn not_found(&self, end: bool, near: &[Value]) -> Error {
        let what = match &self.goal {
            Goal::Text(text) => format!("the text {:?}", brief(text)),
            Goal::Element(_, named) => format!("the element {}", brief(named)),
        };
        let (message, hint) = match end {
            true if self.turned => (
                format!("{what} was not found between one end and the other"),
                "Use what is under details.near, or scroll to the side with direction.",
            ),
            true => (
                format!("{what} was not found, and the end was reached"),
                "Scroll the other way with direction, or use what is under details.near.",
            ),
            false => (
                format!("{what} was not found within {} swipes", self.swipes),
                "Call again to go on, or use what is under details.near.",
            ),
        };
        Error::new(Code::ElementNotFound, message, hint)
            .details(json!({ "end_reached": end, "swipes": self.swipes, "near": near }))
            .on_device(self.target.id())
    }
}

/// An element that is not there may still come; any other trouble with it stays one.
fn near(error: Error) -> Result<Near, Error> {
    let field = match error.code {
        Code::ElementNotFound => "near",
        Code::ElementStale => "candidates",
        _ => return Err(error),
    };
    match error.details.as_ref().and_then(|details| details.get(field)).and_then(Value::as_array) {
        Some(near) => Ok(near.clone()),
        // A ref that nobody was ever given.
        None => Err(error),
    }
}

/// Which way the finger goes, and how far: as the caller says, else to where the goal lies, else down the page.
fn way(wanted: Option<Direction>, beyond: Option<Beyond>, area: Rect) -> (Direction, f64) {
    let known = beyond.and_then(|beyond| {
        let direction = match beyond.place {
            Place::Above => Direction::Down,
            Place::Below => Direction::Up,
            Place::Left => Direction::Right,
            Place::Right => Direction::Left,
            Place::On | Place::Nowhere => return None,
        };
        Some((direction, beyond.distance))
    });
    let direction = wanted.or(known.map(|(direction, _)| direction)).unwrap_or(Direction::Up);
    let step = STEP
        * match direction {
            Direction::Up | Direction::Down => area.height,
            Direction::Left | Direction::Right => area.width,
        };
    let left = known.filter(|(known, _)| *known == direction).map_or(step, |(_, distance)| distance);
    (direction, left.max(SHORTEST).min(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { x: 0.0, y: 100.0, width: 400.0, height: 500.0 };

    #[test]
    fn the_finger_goes_where_the_goal_is() {
        let beyond = |place, distance| Some(Beyond { place, distance });
        assert_eq!(way(None, None, AREA), (Direction::Up, 300.0));
        assert_eq!(way(None, beyond(Place::Below, 2000.0), AREA), (Direction::Up, 300.0));
        assert_eq!(way(None, beyond(Place::Above, 280.0), AREA), (Direction::Down, 280.0));
        assert_eq!(way(None, beyond(Place::Right, 10.0), AREA), (Direction::Left, SHORTEST));
        assert_eq!(way(None, beyond(Place::Left, 900.0), AREA), (Direction::Right, 240.0));
        assert_eq!(way(None, beyond(Place::Nowhere, 0.0), AREA), (Direction::Up, 300.0));
        // The caller's word counts, and then the way is as long as ever.
        assert_eq!(way(Some(Direction::Down), beyond(Place::Below, 10.0), AREA), (Direction::Down, 300.0));
    }

    #[test]
    fn what_is_not_there_may_come_and_what_is_wrong_stays_wrong() {
        let missing = Error::new(Code::ElementNotFound, "", "").details(json!({ "near": ["a"] }));
        assert_eq!(near(missing).ok(), Some(vec![json!("a")]));
        let gone = Error::new(Code::ElementStale, "", "").details(json!({ "candidates": [] }));
        assert_eq!(near(gone).ok(), Some(vec![]));
        let unknown = Error::new(Code::ElementStale, "", "");
        assert_eq!(near(unknown).err().map(|error| error.code), Some(Code::ElementStale));
        let several = Error::new(Code::ElementAmbiguous, "", "").details(json!({ "candidates": ["a", "b"] }));
        assert_eq!(near(several).err().map(|error| error.code), Some(Code::ElementAmbiguous));
    }
}
