//! `fingertip perceive`: what an agent would see of a screen that somebody saved, such as the page source of a bug report, and what
//! it would find in its picture.
//!
//! It reads the files and finds the plugin that knows a page source's form. What is shown is made by `capability`, as for a phone.

mod picture;

use super::{pretty, print};
use crate::{
    app, capability,
    config::Config,
    plugin::{self, Finder, Library, Loader},
};
use clap::Subcommand;
use driver_api::{PluginConfig, Tree};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

/// The largest file that is read, in MiB.
const LARGEST: u64 = 64;
/// How long a plugin may take to read a file.
const READING: Duration = Duration::from_secs(60);

#[derive(Subcommand)]
pub(super) enum Command {
    /// Print the elements of a page source, as get_ui_tree does
    Tree {
        /// A page source or the like, or a driver's tree as JSON; - reads standard input
        file: PathBuf,
        /// The plugin that knows the file's form [default: the only one that reads it]
        #[arg(long, value_name = "NAME")]
        plugin: Option<String>,
        /// Print the answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Find a text in a picture, as find_text does
    Text(picture::TextArguments),
    /// Find an icon in a picture by its name or a picture of it, as find_icon does
    Icon(picture::IconArguments),
    /// Describe a screen by its picture, as describe_screen does
    Describe(picture::DescribeArguments),
}

pub(super) async fn run(config: Option<&Path>, command: Command) -> Result<(), String> {
    let (file, plugin, json) = match command {
        Command::Tree { file, plugin, json } => (file, plugin, json),
        Command::Text(arguments) => return picture::text(config, arguments).await,
        Command::Icon(arguments) => return picture::icon(config, arguments).await,
        Command::Describe(arguments) => return picture::describe(config, arguments).await,
    };
    let tree = tree(config, &file, plugin.as_deref()).await?;
    let answer = capability::show_tree(tree, json);
    print(&if json { format!("{}\n", pretty(&Value::Object(answer))) } else { prose(&answer, "text") });
    Ok(())
}

/// The tree of a file, by the plugin of this name or the only one that reads it.
async fn tree(config: Option<&Path>, file: &Path, plugin: Option<&str>) -> Result<Tree, String> {
    let name = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = read(file, &name)?;
    match neutral(&bytes, &name, plugin.is_some())? {
        Some(tree) => Ok(tree),
        None => Plugins::open(config)?.tree(plugin, bytes, &name).await,
    }
}

/// The text of this name, then a line for each note.
fn prose(answer: &Map<String, Value>, shown: &str) -> String {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let notes = answer.get("notes").and_then(Value::as_array).into_iter().flatten();
    let notes = notes.map(|note| format!("{}: {}\n", text(note, "code"), text(note, "text")));
    let shown = answer.get(shown).and_then(Value::as_str).unwrap_or_default();
    format!("{shown}\n{}", notes.collect::<String>())
}

fn read(file: &Path, name: &str) -> Result<Vec<u8>, String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{name}: there is no such file; name a saved file, or - for standard input")
        }
        _ => format!("{name} cannot be read: {error}"),
    };
    let input: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        if std::fs::metadata(file).map_err(unreadable)?.is_dir() {
            return Err(format!("{name} is a folder; name a file in it"));
        }
        Box::new(std::fs::File::open(file).map_err(unreadable)?)
    };
    let mut bytes = Vec::new();
    input.take((LARGEST << 20) + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST << 20 {
        return Err(format!(
            "{name} has more than {LARGEST} MiB; name the page source or the picture itself, which are never that large"
        ));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(format!("{name} is empty; save it once more"));
    }
    Ok(bytes)
}

/// The tree of a file that is one already, in the form in which drivers hand it over.
fn neutral(bytes: &[u8], name: &str, plugin_is_named: bool) -> Result<Option<Tree>, String> {
    /// What tells such a file from other JSON.
    #[derive(Deserialize)]
    struct Mark {
        #[serde(rename = "nodes")]
        _nodes: Vec<serde::de::IgnoredAny>,
    }
    match serde_json::from_slice::<Tree>(bytes) {
        Ok(tree) => Ok(Some(tree)),
        // Somebody who names a plugin means a file of the plugin's.
        Err(_) if plugin_is_named || serde_json::from_slice::<Mark>(bytes).is_err() => Ok(None),
        Err(error) => Err(format!("{name} has `nodes` as a driver's tree has, but is none; correct it there: {error}")),
    }
}

/// The plugins that may read a file.
struct Plugins {
    config: Config,
    finder: Finder,
    loader: Loader,
    /// Holds the loader's copies: only what a host uses is kept in the data folder.
    _cache: tempfile::TempDir,
}

/// A plugin's file, and what the operator has written of it.
struct Candidate {
    file: PathBuf,
    sha256: Option<[u8; 32]>,
    options: Map<String, Value>,
}

impl Candidate {
    fn found(file: PathBuf) -> Self {
        Candidate { file, sha256: None, options: Map::new() }
    }
}

/// What a plugin makes of a file.
type Opinion = Result<Tree, String>;

impl Plugins {
    fn open(config: Option<&Path>) -> Result<Self, String> {
        let config = Config::load(config).map_err(|error| error.to_string())?;
        let cache = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let loader = Loader { cache: cache.path().to_owned(), prober: app::prober() };
        Ok(Plugins { finder: Finder::new(&config.plugin_dirs), config, loader, _cache: cache })
    }

    /// The tree of the file, by the plugin of this name, or by the only one that reads it.
    async fn tree(&self, plugin: Option<&str>, bytes: Vec<u8>, name: &str) -> Result<Tree, String> {
        let Some(plugin) = plugin else { return self.any(bytes, name).await };
        let (library, options) = self.named(plugin).await.map_err(|error| match error {
            plugin::Error::NotFound { .. } => format!("{error}; `fingertip plugin list` tells which there are"),
            error => error.to_string(),
        })?;
        opinion(library, options, bytes).await.map_err(|why| {
            format!(
                "{name}: plugin {plugin} does not read it: {why}; save it as the phone gives it, or name another plugin"
            )
        })
    }

    /// What the operator has configured, and what is found beside that.
    fn candidates(&self) -> Vec<Candidate> {
        let configured = self.config.plugins.iter().filter_map(|entry| {
            let named = || self.finder.named(entry.name.as_deref()?).ok();
            let file = entry.path.clone().or_else(named)?;
            Some(Candidate { file, sha256: entry.sha256, options: entry.config.options.clone() })
        });
        configured.chain(self.finder.scan().into_iter().map(Candidate::found)).collect()
    }

    async fn load(&self, candidate: &Candidate) -> Result<Library, plugin::Error> {
        self.loader.load(&candidate.file, candidate.sha256).await
    }

    async fn named(&self, name: &str) -> Result<(Library, Map<String, Value>), plugin::Error> {
        for entry in &self.config.plugins {
            let file = match &entry.path {
                Some(path) => path.clone(),
                None if entry.name.as_deref() == Some(name) => self.finder.named(name)?,
                None => continue,
            };
            let candidate = Candidate { file, sha256: entry.sha256, options: entry.config.options.clone() };
            match self.load(&candidate).await {
                // A file that is configured by its path has no name as long as it is not loaded.
                Ok(library) if entry.path.is_some() && library.identity.name != name => {}
                Err(_) if entry.path.is_some() => {}
                loaded => return Ok((loaded?, candidate.options)),
            }
        }
        Ok((self.load(&Candidate::found(self.finder.named(name)?)).await?, Map::new()))
    }

    async fn any(&self, bytes: Vec<u8>, name: &str) -> Result<Tree, String> {
        let mut opinions: BTreeMap<String, Opinion> = BTreeMap::new();
        for candidate in self.candidates() {
            // Files that are no plugins lie among them; `fingertip plugin list` says why they are none.
            let Ok(library) = self.load(&candidate).await else { continue };
            if let Entry::Vacant(first) = opinions.entry(library.identity.name.clone()) {
                first.insert(opinion(library, candidate.options, bytes.clone()).await);
            }
        }
        choose(opinions, name)
    }
}

/// The tree of the only plugin that has one.
fn choose(opinions: BTreeMap<String, Opinion>, name: &str) -> Result<Tree, String> {
    let plugins: Vec<&str> = opinions.keys().map(String::as_str).collect();
    let readers: Vec<&str> =
        opinions.iter().filter(|(_, opinion)| opinion.is_ok()).map(|(plugin, _)| plugin.as_str()).collect();
    match (plugins.as_slice(), readers.as_slice()) {
        ([], _) => Err("there are no plugins; name their folder with `plugin_dirs` in fingertip.toml".to_owned()),
        (_, [_]) => opinions.into_values().find_map(Result::ok).ok_or_else(String::new),
        (_, []) => Err(format!(
            "{name}: no plugin reads it (there are {}); save the page source as the phone gives it, or name the plugin \
             with --plugin to see what it misses",
            plugins.join(", ")
        )),
        (_, several) => Err(format!("{name}: several plugins read it; choose with --plugin: {}", several.join(", "))),
    }
}

/// Starts the plugin without a device, and lets it read the file.
async fn opinion(library: Library, options: Map<String, Value>, bytes: Vec<u8>) -> Opinion {
    let config = PluginConfig { options, ..PluginConfig::default() };
    let running =
        library.start_with(move |library| library.start(&config, |_| {})).await.map_err(|error| error.to_string())?;
    let handle = running.handle.clone();
    // The plugin's own code runs here as well.
    let reading = tokio::task::spawn_blocking(move || handle.read_capture(&bytes));
    let read = match tokio::time::timeout(READING, reading).await {
        Ok(Ok(read)) => read.map_err(|error| error.message),
        Ok(Err(stopped)) => Err(format!("its reading was cut off: {stopped}")),
        Err(_) => Err(format!("it did not end within {} seconds", READING.as_secs())),
    };
    running.handle.shutdown();
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(opinions: &[(&str, Opinion)]) -> Result<Tree, String> {
        choose(opinions.iter().map(|(plugin, opinion)| ((*plugin).to_owned(), opinion.clone())).collect(), "page.xml")
    }

    #[test]
    fn the_only_reader_is_taken() {
        let no = || Err("it reads nothing".to_owned());
        let tree = || Ok(Tree::default());
        assert_eq!(chosen(&[("a", no()), ("b", tree())]), tree());
        for (opinions, words) in [
            (vec![], "plugin_dirs"),
            (vec![("a", no()), ("b", no())], "there are a, b"),
            (vec![("a", tree()), ("b", no()), ("c", tree())], "--plugin: a, c"),
        ] {
            let error = chosen(&opinions).expect_err("none is chosen");
            assert!(error.contains(words), "{error}");
        }
    }
}
