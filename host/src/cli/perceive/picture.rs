//! `perceive text`, `icon` and `describe`: what a picture shows, alone or with the tree of the same screen, one by one or many in one
//! run.
//!
//! It knows arguments and lines of JSON. What is found is `capability`'s.

use super::{pretty, print, tree};
use crate::{
    app,
    capability::{FoundInPicture, Hit, Saved, Wanted},
    config::Config,
    perception::describe::DEFAULT_TOKENS,
};
use clap::Args;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// What is looked for.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Text,
    Icon,
    Describe,
}

#[derive(Args)]
pub(in crate::cli) struct TextArguments {
    #[command(flatten)]
    files: Files,
    /// The text to look for
    #[arg(long, value_name = "TEXT", required_unless_present = "batch", conflicts_with = "batch")]
    query: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct IconArguments {
    #[command(flatten)]
    files: Files,
    /// The icon's name, or what it stands for
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["reference", "batch"])]
    query: Option<String>,
    /// A picture of the icon, in place of its name
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    reference: Option<PathBuf>,
}

#[derive(Args)]
pub(in crate::cli) struct DescribeArguments {
    #[command(flatten)]
    files: Files,
    /// The bound on the description's tokens [default: 400]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=10_000), conflicts_with = "batch")]
    max_tokens: Option<u32>,
}

#[derive(Args)]
struct Files {
    /// The screenshot, PNG or JPEG
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    image: Option<PathBuf>,
    /// The page source of the same screen, or a driver's tree as JSON
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// The plugin that knows the page source's form [default: the only one that reads it]
    #[arg(long, value_name = "NAME", requires = "tree")]
    plugin: Option<String>,
    /// Answer each line of a file: {"image", "tree"?, "plugin"?, "kind"?: text, icon or describe, "query"? or "reference"?, "max_tokens"?}
    #[arg(long, value_name = "FILE", conflicts_with_all = ["image", "tree"])]
    batch: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// One question.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    image: PathBuf,
    tree: Option<PathBuf>,
    plugin: Option<String>,
    kind: Option<Kind>,
    query: Option<String>,
    reference: Option<PathBuf>,
    max_tokens: Option<u32>,
}

/// What came of it.
enum Told {
    Found(FoundInPicture),
    Described(Map<String, Value>),
}

impl Told {
    fn json(&self) -> Value {
        match self {
            Told::Found(found) => serde_json::to_value(found).unwrap_or_default(),
            Told::Described(described) => Value::Object(described.clone()),
        }
    }

    fn prose(&self) -> String {
        match self {
            Told::Found(found) => prose(found),
            Told::Described(described) => super::prose(described, "description"),
        }
    }
}

pub(super) async fn text(config: Option<&Path>, arguments: TextArguments) -> Result<(), String> {
    let TextArguments { files, query } = arguments;
    run(config, files, Question { kind: Some(Kind::Text), query, ..Question::default() }).await
}

pub(super) async fn icon(config: Option<&Path>, arguments: IconArguments) -> Result<(), String> {
    let IconArguments { files, query, reference } = arguments;
    run(config, files, Question { kind: Some(Kind::Icon), query, reference, ..Question::default() }).await
}

pub(super) async fn describe(config: Option<&Path>, arguments: DescribeArguments) -> Result<(), String> {
    let DescribeArguments { files, max_tokens } = arguments;
    run(config, files, Question { kind: Some(Kind::Describe), max_tokens, ..Question::default() }).await
}

async fn run(config: Option<&Path>, files: Files, question: Question) -> Result<(), String> {
    let Files { image, tree, plugin, batch, json } = files;
    let settings = Config::load(config).map_err(|error| error.to_string())?;
    let saved = Saved::new(app::recognisers(&settings));
    if let Some(batch) = batch {
        return run_batch(config, &saved, &batch, question.kind).await;
    }
    let question = Question { image: image.unwrap_or_default(), tree, plugin, ..question };
    let told = answer(config, &saved, question).await?;
    print(&if json { format!("{}\n", pretty(&told.json())) } else { told.prose() });
    Ok(())
}

/// Each line's answer on a line of its own, in order, with the time that it took. What is wrong with a line is its answer.
async fn run_batch(config: Option<&Path>, saved: &Saved, batch: &Path, kind: Option<Kind>) -> Result<(), String> {
    let text =
        std::fs::read_to_string(batch).map_err(|error| format!("{} cannot be read: {error}", batch.display()))?;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let began = Instant::now();
        let told = match serde_json::from_str::<Question>(line) {
            Ok(question) => answer(config, saved, Question { kind: question.kind.or(kind), ..question }).await,
            Err(error) => Err(format!("this line asks nothing that can be answered: {error}")),
        };
        let mut told = told.map_or_else(|error| json!({ "error": error }), |told| told.json());
        told["took_ms"] = Value::from((began.elapsed().as_secs_f64() * 10_000.0).round() / 10.0);
        print(&format!("{told}\n"));
    }
    Ok(())
}

async fn answer(config: Option<&Path>, saved: &Saved, question: Question) -> Result<Told, String> {
    let Question { image, tree: source, plugin, kind, query, reference, max_tokens } = question;
    let read = |file: &Path| super::read(file, &file.display().to_string());
    if query.as_ref().is_some_and(|query| query.trim().is_empty()) {
        return Err("the query is blank; pass what to look for".to_owned());
    }
    let wanted = match (kind, query, reference) {
        (Some(Kind::Text), Some(query), None) => Some(Wanted::Text(query)),
        (Some(Kind::Icon), Some(query), None) => Some(Wanted::Icon(query)),
        (Some(Kind::Icon), None, Some(reference)) => Some(Wanted::Reference(read(&reference)?)),
        (Some(Kind::Describe), None, None) => None,
        (Some(Kind::Describe), ..) => {
            return Err("a description looks for nothing; leave query and reference out".to_owned());
        }
        (Some(Kind::Text), ..) => return Err("it is not said which text; pass it with --query".to_owned()),
        (Some(Kind::Icon), ..) => {
            return Err(
                "it is not said which icon; pass its name with --query or a picture of it with --reference".to_owned()
            );
        }
        (None, ..) => return Err("kind is missing; pass text, icon or describe".to_owned()),
    };
    let bytes = read(&image)?;
    let tree = match source {
        Some(source) => Some(tree(config, &source, plugin.as_deref()).await?),
        None => None,
    };
    let told = match wanted {
        Some(wanted) => saved.find(&bytes, tree, &wanted).map(Told::Found),
        None => {
            saved.describe(&bytes, tree, max_tokens.map_or(DEFAULT_TOKENS, |most| most as usize)).map(Told::Described)
        }
    };
    told.map_err(|error| format!("{}: {error}", image.display()))
}

/// A line for each find, and then for what is near.
fn prose(found: &FoundInPicture) -> String {
    let line = |hit: &Hit, mark: &str| {
        let name = hit.text.as_deref().or(hit.name.as_deref()).unwrap_or_default();
        let place =
            hit.bounds.map_or(String::new(), |b| format!(" at {:.0},{:.0} {:.0}×{:.0}", b.x, b.y, b.width, b.height));
        let source = hit.source.map_or(String::new(), |source| format!(" ({source})"));
        format!("{mark}{name:?}{place} {:.2}{source}\n", hit.score)
    };
    let matches: String = found.matches.iter().map(|hit| line(hit, "")).collect();
    let near: String = found.near.iter().map(|hit| line(hit, "near: ")).collect();
    let notes: String = found.notes.iter().map(|note| format!("{}: {}\n", note.code, note.text)).collect();
    match matches.is_empty() {
        true => format!("nothing was found\n{near}{notes}"),
        false => format!("{matches}{near}{notes}"),
    }
}
