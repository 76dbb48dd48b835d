//! `perceive text` and `perceive icon`: what is found in a picture, alone or with the tree of the same screen, one by one or many in
//! one run.
//!
//! It knows arguments and lines of JSON. What is found is `capability`'s.

use super::{pretty, print, tree};
use crate::{
    app,
    capability::{FoundInPicture, PictureFinder, Wanted},
    config::Config,
};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::cli) enum Kind {
    Text,
    Icon,
}

#[derive(Args)]
pub(in crate::cli) struct Arguments {
    /// The screenshot, PNG or JPEG
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    image: Option<PathBuf>,
    /// The page source of the same screen, or a driver's tree as JSON
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// The plugin that knows the page source's form [default: the only one that reads it]
    #[arg(long, value_name = "NAME")]
    plugin: Option<String>,
    /// What to look for
    #[arg(long, value_name = "TEXT", conflicts_with = "reference")]
    query: Option<String>,
    /// A picture of the icon, in place of its name
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Answer each line of a file: {"image", "tree"?, "plugin"?, "kind": text or icon, "query"? or "reference"?}
    #[arg(long, value_name = "FILE", conflicts_with_all = ["image", "tree", "query", "reference"])]
    batch: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// One search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    image: PathBuf,
    tree: Option<PathBuf>,
    plugin: Option<String>,
    kind: Kind,
    query: Option<String>,
    reference: Option<PathBuf>,
}

pub(super) async fn run(config: Option<&Path>, kind: Kind, arguments: Arguments) -> Result<(), String> {
    let Arguments { image, tree, plugin, query, reference, batch, json } = arguments;
    let settings = Config::load(config).map_err(|error| error.to_string())?;
    let finder = PictureFinder::new(app::recognisers(&settings));
    if let Some(batch) = batch {
        return run_batch(config, &finder, &batch).await;
    }
    let image = image.unwrap_or_default();
    let found = search(config, &finder, Search { image, tree, plugin, kind, query, reference }).await?;
    let answer = serde_json::to_value(&found).unwrap_or_default();
    print(&if json { format!("{}\n", pretty(&answer)) } else { prose(&found) });
    Ok(())
}

/// Each line's answer on a line of its own, in order, with the time that it took. What is wrong with a line is its answer.
async fn run_batch(config: Option<&Path>, finder: &PictureFinder, batch: &Path) -> Result<(), String> {
    let text =
        std::fs::read_to_string(batch).map_err(|error| format!("{} cannot be read: {error}", batch.display()))?;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let began = Instant::now();
        let answer = match serde_json::from_str::<Search>(line) {
            Ok(wanted) => search(config, finder, wanted).await,
            Err(error) => Err(format!("this line says nothing that can be looked for: {error}")),
        };
        let mut answer = match answer {
            Ok(found) => serde_json::to_value(found).unwrap_or_default(),
            Err(error) => json!({ "error": error }),
        };
        answer["took_ms"] = Value::from((began.elapsed().as_secs_f64() * 10_000.0).round() / 10.0);
        print(&format!("{answer}\n"));
    }
    Ok(())
}

async fn search(config: Option<&Path>, finder: &PictureFinder, wanted: Search) -> Result<FoundInPicture, String> {
    let Search { image, tree: source, plugin, kind, query, reference } = wanted;
    let read = |file: &Path| std::fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()));
    let what = match (kind, query, reference) {
        (Kind::Text, Some(query), None) => Wanted::Text(query),
        (Kind::Icon, Some(query), None) => Wanted::Icon(query),
        (Kind::Icon, None, Some(reference)) => Wanted::Reference(read(&reference)?),
        (Kind::Text, ..) => return Err("it is not said which text; pass it with --query".to_owned()),
        (Kind::Icon, ..) => {
            return Err(
                "it is not said which icon; pass its name with --query or a picture of it with --reference".to_owned()
            );
        }
    };
    let bytes = read(&image)?;
    let tree = match source {
        Some(source) => Some(tree(config, &source, plugin.as_deref()).await?),
        None => None,
    };
    finder.find(&bytes, tree, &what).map_err(|error| format!("{}: {error}", image.display()))
}

/// A line for each find, and then for what is near.
fn prose(found: &FoundInPicture) -> String {
    let line = |hit: &crate::capability::Hit, mark: &str| {
        let name = hit.text.as_deref().or(hit.name.as_deref()).unwrap_or_default();
        let place =
            hit.bounds.map_or(String::new(), |b| format!(" at {:.0},{:.0} {:.0}×{:.0}", b.x, b.y, b.width, b.height));
        let source = hit.source.map_or(String::new(), |source| format!(" ({source})"));
        format!("{mark}{name:?}{place} {:.2}{source}\n", hit.score)
    };
    let matches: String = found.matches.iter().map(|hit| line(hit, "")).collect();
    let near: String = found.near.iter().map(|hit| line(hit, "near: ")).collect();
    match matches.is_empty() {
        true => format!("nothing was found\n{near}"),
        false => format!("{matches}{near}"),
    }
}
