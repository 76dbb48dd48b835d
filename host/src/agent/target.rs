//! What an action is about to be done to, by what stands there, whatever the model calls it.
//!
//! Looks at the phone for it. What of it is a reason to ask a human is `risk`'s.

use super::{
    halt::Halt,
    hands::Hands,
    mind::Mind,
    screen::{self, Screen},
};
use crate::capability::{Planned, pressed};
use serde_json::{Map, Value, json};

/// How much of a screen is read where all of it counts.
const ALL_TOKENS: u64 = 10_000;
/// How many places are looked at that a text may mean.
const PLACES: u64 = 20;

/// What is acted on.
#[derive(Debug, Default)]
pub(super) struct Target {
    /// What stands on it.
    pub(super) says: String,
    /// Its whole label, where it is one thing that has one.
    pub(super) label: String,
    /// What it may mean besides: the alert or sheet that it answers, or all of the screen where it cannot be told.
    pub(super) asked: Option<String>,
    /// The words by which its element is found again.
    pub(super) words: Option<String>,
    /// Arguments by which it is found again where it is no element that has words.
    pub(super) instead: Option<Value>,
}

impl Target {
    fn new(says: impl Into<String>, label: impl Into<String>) -> Target {
        Target { says: says.into(), label: label.into(), ..Target::default() }
    }

    fn of_line(line: &str) -> Target {
        let words = screen::head(line).map(str::to_owned);
        Target { words, ..Target::new(line, screen::head(line).and_then(screen::label).unwrap_or_default()) }
    }

    /// What only the picture shows: a text that can be looked for again, or a place.
    fn of_picture(text: Option<&str>, thing: &Value) -> Target {
        let says = text.or(thing["looks"].as_str()).or(thing["name"].as_str()).unwrap_or_default();
        let instead = text.map_or_else(|| center(&thing["bounds"]), |text| Some(json!({ "text": text })));
        Target { instead, ..Target::new(says, text.unwrap_or_default()) }
    }
}

fn center(bounds: &Value) -> Option<Value> {
    let middle = |side: &str, length: &str| Some((bounds[side].as_f64()? + bounds[length].as_f64()? / 2.0).round());
    Some(json!({ "x": middle("x", "width")?, "y": middle("y", "height")? }))
}

/// Finds what a call is about to act on.
pub(super) async fn resolve(hands: &Hands, mind: &Mind, planned: &Planned, screen: &Screen) -> Result<Target, Halt> {
    let arguments = &planned.arguments;
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let point = |x: &str, y: &str| Some((arguments.get(x)?.as_f64()?, arguments.get(y)?.as_f64()?));
    let mut target = match planned.tool {
        "answer_alert" => return alert(hands, arguments, screen).await,
        _ if let Some(name) = text("element") => element(hands, mind, name, screen).await?,
        _ if let Some(point) = point("x", "y").or(point("from_x", "from_y")) => at(hands, point, screen).await?,
        // What is typed is no name of anything.
        "input_text" => Target::default(),
        _ if let Some(words) = text("text") => shown(hands, words, screen).await?,
        _ => {
            let words: Vec<&str> = arguments.values().filter_map(Value::as_str).collect();
            Target::new(words.join("\n"), "")
        }
    };
    // A button of an alert says "OK"; what it does stands in the alert.
    if matches!(planned.tool, "tap" | "swipe") && screen.is_asking() {
        target.asked = Some(screen.text.clone());
    }
    Ok(target)
}

async fn element(hands: &Hands, mind: &Mind, name: &str, screen: &Screen) -> Result<Target, Halt> {
    if let Some(line) = screen.line(name) {
        let mut target = Target { words: screen.words(name), ..Target::of_line(line) };
        if target.words.is_none() {
            // Nothing names it: its place does.
            let elements = hands.elements(None).await?;
            target.instead =
                elements.iter().find(|element| element["ref"] == name).and_then(|it| center(&it["bounds"]));
        }
        return Ok(target);
    }
    if let Ok(seen) = hands.look("get_ui_tree", json!({ "within": name, "max_tokens": 400 })).await? {
        // Its own line is the first within the boundary.
        let line = seen.body.get("text").and_then(Value::as_str).and_then(|text| text.lines().nth(1));
        let line = line.map(|line| line.trim_start().split_once(' ').map_or(line, |(_, rest)| rest));
        return Ok(Target::of_line(line.unwrap_or(name)));
    }
    if !screen::is_ref(name) {
        return Ok(Target::new(name, screen::label(name).unwrap_or_default()));
    }
    // A ref of what only the picture shows, which the task may have looked for itself.
    if let Some(found) = mind.found.get(name) {
        return Ok(Target::of_picture(found["text"].as_str(), found));
    }
    let seen = picture(hands).await?;
    match seen.iter().find(|seen| seen["ref"] == name) {
        Some(found) => Ok(looks(found)),
        None => {
            let all: Vec<&str> = seen.iter().filter_map(|seen| seen["looks"].as_str()).collect();
            Ok(Target { asked: Some(format!("{}\n{}", screen.text, all.join("\n"))), ..Target::default() })
        }
    }
}

/// What a description calls `text "…"` or `icon "…"`.
fn looks(seen: &Value) -> Target {
    let text = seen["looks"].as_str().filter(|looks| looks.starts_with("text ")).and_then(screen::label);
    Target::of_picture(text.as_deref(), seen)
}

/// What the picture shows beside the tree.
async fn picture(hands: &Hands) -> Result<Vec<Value>, Halt> {
    let described = hands.look("describe_screen", json!({ "max_tokens": ALL_TOKENS })).await?;
    let seen = described.ok().and_then(|described| described.body.get("seen")?.as_array().cloned());
    Ok(seen.unwrap_or_default())
}

/// What stands at a place: what can be acted on there, else the smallest thing and what the picture shows.
async fn at(hands: &Hands, (x, y): (f64, f64), screen: &Screen) -> Result<Target, Halt> {
    let side = |bounds: &Value, name: &str| bounds[name].as_f64().unwrap_or(f64::NAN);
    let holds = |thing: &&Value| {
        let bounds = &thing["bounds"];
        let (left, top) = (side(bounds, "x"), side(bounds, "y"));
        let (right, bottom) = (left + side(bounds, "width"), top + side(bounds, "height"));
        (left..right).contains(&x) && (top..bottom).contains(&y)
    };
    let elements = hands.elements(None).await?;
    let mut there: Vec<&Value> = elements.iter().filter(holds).filter(|element| element["label"].is_string()).collect();
    let size = |element: &Value| side(&element["bounds"], "width") * side(&element["bounds"], "height");
    there.sort_by(|one, other| size(one).total_cmp(&size(other)));
    let label = |element: &&Value| element["label"].as_str().unwrap_or_default().to_owned();
    let touched: Vec<&Value> = there.iter().copied().filter(|element| element["actionable"] == true).collect();
    if let Some(first) = touched.first() {
        let words = first["ref"].as_str().and_then(|name| screen.words(name));
        let says: Vec<String> = touched.iter().map(label).collect();
        return Ok(Target { words, ..Target::new(says.join("\n"), label(first)) });
    }
    let seen = picture(hands).await?;
    let drawn: Vec<Target> = seen.iter().filter(holds).map(looks).collect();
    let says: Vec<String> =
        there.first().map(label).into_iter().chain(drawn.iter().map(|it| it.says.clone())).collect();
    let instead = drawn.into_iter().find_map(|it| it.instead.filter(|by| by.get("text").is_some()));
    Ok(Target { instead, ..Target::new(says.join("\n"), "") })
}

/// What shows a text: everything that a tap on it may mean.
async fn shown(hands: &Hands, words: &str, screen: &Screen) -> Result<Target, Halt> {
    let found = hands.look("find_text", json!({ "text": words, "limit": PLACES })).await?;
    let matches = found.ok().and_then(|found| found.body.get("matches")?.as_array().cloned()).unwrap_or_default();
    let line = |found: &Value| {
        let line = found["ref"].as_str().and_then(|name| screen.line(name)).unwrap_or_default();
        format!("{line} {}", found["text"].as_str().unwrap_or_default())
    };
    let lines: Vec<String> = matches.iter().map(line).collect();
    Ok(match (&lines[..], &matches[..]) {
        ([], _) => Target::new(words, words),
        ([only], [found]) => Target::new(only, found["text"].as_str().unwrap_or_default()),
        _ => Target::new(lines.join("\n"), ""),
    })
}

/// The button of an alert, and what the alert says.
async fn alert(hands: &Hands, arguments: &Map<String, Value>, screen: &Screen) -> Result<Target, Halt> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let described = hands.look("describe_screen", json!({ "max_tokens": ALL_TOKENS })).await?.ok();
    let alert = described.and_then(|described| described.body.get("alert").cloned()).unwrap_or_default();
    let buttons: Vec<String> = alert["buttons"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|button| Some(button.as_str()?.to_owned()))
        .collect();
    let button = pressed(&buttons, text("button"), text("action")).or(text("button")).unwrap_or_default();
    // Where it cannot be told which, it may be any of them.
    let says = if button.is_empty() { buttons.join("\n") } else { button.to_owned() };
    let asked = alert["text"].as_str().map_or_else(|| screen.text.clone(), str::to_owned);
    Ok(Target { asked: Some(asked), ..Target::new(says, button) })
}
