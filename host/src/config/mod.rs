//! The operator's settings: `fingertip.toml`, the environment, and what holds without them.
//!
//! Knows the file's keys, where the file is looked for, and how to refuse it: every error is one sentence with file, line
//! and key. Does not load plugins, open sockets or know which tools there are; `app` does that with what it reads here.
//!
//! # Where the file is looked for
//! `--config FILE`, `$FINGERTIP_CONFIG`, `./fingertip.toml`, then `fingertip/fingertip.toml` in the user's configuration
//! folder (`$XDG_CONFIG_HOME` or `~/.config`; on macOS `~/Library/Application Support` and on Windows `%APPDATA%` in their
//! place). The first that is there counts alone; the first two must be there. Relative paths in it count from the file,
//! and `~/` is the home folder.
//!
//! # What holds without it
//! With no file there is one virtual phone. With a file there are only the plugins and devices that it names.
//!
//! # The data folder
//! `$FINGERTIP_DATA_DIR`, else `data_dir` of the file, else `fingertip` in the user's data folder (`$XDG_DATA_HOME` or
//! `~/.local/share`; `~/Library/Application Support`, `%LOCALAPPDATA%`). The variable comes first so that a second host can
//! be started from the same file.

mod agent;
pub mod fences;
mod folders;
pub mod instance;
mod perception;
mod private;
mod read;
mod secret;
#[cfg(test)]
mod tests;
mod vision;

pub use agent::{Agent, AgentModel, AskBefore, OCCASIONS, TaskLimits};
pub use perception::{Perception, Recogniser};
pub use read::ConfigError;
pub use secret::Secret;
pub use vision::VisionModel;

/// The key of a model, or where it was looked for: only who hosts needs it.
pub type Key = Result<Secret, ConfigError>;

use driver_api::{DeviceConfig, PluginConfig};
use folders::Env;
use read::{Document, Field, Section, closest};
use reqwest::Url;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The port where nothing else is said.
pub const DEFAULT_PORT: u16 = 7311;

/// Everything that the operator decided.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file that was read; none when the defaults hold.
    pub source: Option<PathBuf>,
    /// Where the server listens.
    pub listen: SocketAddr,
    /// What callers must show. Always there when `listen` is not loopback.
    pub token: Option<Secret>,
    /// Where everything that outlives the process is kept. Absolute.
    pub data_dir: PathBuf,
    /// Where plugins are looked for by name, in this order, before the places that the loader knows by itself (beside the
    /// binary). Absolute; they need not exist.
    pub plugin_dirs: Vec<PathBuf>,
    /// The plugins to load, in the order of the file.
    pub plugins: Vec<PluginEntry>,
    /// What pictures are read with.
    pub perception: Perception,
    /// Which tools are offered.
    pub tools: ToolsConfig,
    /// What works on tasks.
    pub agent: Agent,
    /// What the operator should know although nothing is wrong, one sentence each.
    pub warnings: Vec<String>,
}

/// One `[[plugin]]`. Exactly one of `name` and `path` is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginEntry {
    /// Its name, to be found in [`Config::plugin_dirs`]: letters, digits, `_` and `-`.
    pub name: Option<String>,
    /// Its file. Absolute.
    pub path: Option<PathBuf>,
    /// The only content its file may have.
    pub sha256: Option<[u8; 32]>,
    /// What is passed on to it.
    pub config: PluginConfig,
    /// Where the file names it, for messages: the line, or none without a file.
    pub line: Option<usize>,
}

/// `[tools]`: which tools are offered, and what they must not touch.
#[derive(Clone, Debug)]
pub struct ToolsConfig {
    /// Whether tools that act on a phone are left out.
    pub read_only: bool,
    /// The only tools that are offered; none for all of them.
    pub tools: Option<Vec<String>>,
    /// Ids or names of apps that are not to be used; a `*` at the end stands for any rest.
    pub deny_apps: Vec<String>,
    /// Schemes of the addresses that may be opened.
    pub url_schemes: Vec<String>,
    /// Alerts that are answered without asking: a part of the text, and the button.
    pub answer_alerts: Vec<(String, String)>,
    /// For each of `tools` its line.
    lines: Vec<usize>,
    file: Option<PathBuf>,
}

/// What may be opened unless the operator says otherwise: pages, people and places, no app's own commands.
const URL_SCHEMES: [&str; 7] = ["http", "https", "mailto", "tel", "sms", "facetime", "maps"];

impl Default for ToolsConfig {
    fn default() -> Self {
        ToolsConfig {
            read_only: false,
            tools: None,
            deny_apps: Vec::new(),
            url_schemes: URL_SCHEMES.map(str::to_owned).to_vec(),
            answer_alerts: Vec::new(),
            lines: Vec::new(),
            file: None,
        }
    }
}

impl ToolsConfig {
    /// Whether this tool is offered. `acts` says whether it does more than look.
    pub fn offers(&self, name: &str, acts: bool) -> bool {
        let named = self.tools.as_ref().is_none_or(|tools| tools.iter().any(|tool| tool == name));
        named && !(self.read_only && acts)
    }

    /// Holds the names against those there are; the configuration itself does not know them.
    ///
    /// # Errors
    /// The first name that is none of `known`.
    pub fn check(&self, known: &[&str]) -> Result<(), ConfigError> {
        let mut names = self.tools.iter().flatten().enumerate();
        let Some((index, name)) = names.find(|(_, name)| !known.contains(&name.as_str())) else { return Ok(()) };
        let help = closest(name, known).map(|meant| format!(", did you mean \"{meant}\"?")).unwrap_or_default();
        let message = format!("{name:?} in `tools` of [tools] is no tool{help} (allowed: {})", known.join(", "));
        Err(ConfigError::new(self.file.as_deref(), self.lines.get(index).copied(), message))
    }
}

impl Config {
    /// Finds and reads the settings: `explicit` is the file of `--config`.
    ///
    /// # Errors
    /// When a file that was named is missing, and when the one that counts is unreadable or wrong.
    pub fn load(explicit: Option<&Path>) -> Result<Config, ConfigError> {
        let here = std::env::current_dir().map_err(|error| {
            ConfigError::new(None, None, format!("the current folder cannot be found ({error}); change to another"))
        })?;
        Config::load_in(explicit, &here, &folders::process_env)
    }

    fn load_in(explicit: Option<&Path>, here: &Path, env: Env<'_>) -> Result<Config, ConfigError> {
        match find_file(explicit, here, env) {
            Some(file) => {
                let config = Config::parse(&read_file(&file)?, &file, env)?;
                config.perception.check()?;
                Ok(config)
            }
            None => Config::default_in(env),
        }
    }

    /// Looks that the keys of models are there, for a host that is to use them. Commands that talk to a running server, or use no
    /// model, are started from shells that do not have them.
    ///
    /// # Errors
    /// The first that is missed.
    pub fn check_keys(&self) -> Result<(), ConfigError> {
        let vision = self.perception.vision.as_ref().and_then(|model| model.api_key.as_ref());
        let agent = self.agent.model.as_ref().and_then(|model| model.api_key.as_ref());
        vision.into_iter().chain(agent).try_for_each(|key| key.as_ref().map(|_| ()).map_err(Clone::clone))
    }

    /// Reads `text` as the content of `file`, from which relative paths count. Whether the files that it names are there is
    /// not looked at.
    ///
    /// # Errors
    /// For anything that is not exactly as it should be.
    pub fn parse(text: &str, file: &Path, env: &dyn Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
        let file = &std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        // Editors on Windows put a mark at the start of a file. It shifts no line.
        let document = Document { file, text: text.strip_prefix('\u{feff}').unwrap_or(text) };
        let table = document.parse()?;
        let root = Section::root(&document, &table);
        let base = file.parent().unwrap_or(Path::new(""));
        Reader { file, base, env }.config(root)
    }

    /// What holds with no file: one virtual phone on the default port, open to this machine.
    ///
    /// # Errors
    /// When the environment does not tell where the user's data lies.
    pub fn without_file() -> Result<Config, ConfigError> {
        Config::default_in(&folders::process_env)
    }

    fn default_in(env: Env<'_>) -> Result<Config, ConfigError> {
        let here = std::env::current_dir().unwrap_or_default();
        let phone = DeviceConfig { id: "virtual-1".into(), ..DeviceConfig::default() };
        let config = PluginConfig { devices: vec![phone], ..PluginConfig::default() };
        Ok(Config {
            source: None,
            listen: default_listen(),
            token: None,
            data_dir: data_dir(None, &here, env).map_err(|message| ConfigError::new(None, None, message))?,
            plugin_dirs: Vec::new(),
            plugins: vec![PluginEntry { name: Some("virtual".into()), config, ..PluginEntry::default() }],
            perception: Perception::default(),
            tools: ToolsConfig::default(),
            agent: Agent::default(),
            warnings: Vec::new(),
        })
    }
}

/// The file that counts. One that was named counts whether or not it is there; the others only if they are.
fn find_file(explicit: Option<&Path>, here: &Path, env: Env<'_>) -> Option<PathBuf> {
    let named = explicit.map(Path::to_path_buf).or_else(|| {
        let variable = folders::non_empty(env, folders::CONFIG_VARIABLE)?;
        Some(folders::resolve(&variable, here, env))
    });
    if let Some(named) = named {
        return Some(here.join(named));
    }
    let usual = [Some(here.to_path_buf()), folders::configuration(env)];
    // A link that leads nowhere is there: it was meant to count.
    usual
        .into_iter()
        .flatten()
        .map(|folder| folder.join(folders::FILE_NAME))
        .find(|file| file.symlink_metadata().is_ok())
}

fn read_file(file: &Path) -> Result<String, ConfigError> {
    let error = |line, message: String| ConfigError::new(Some(file), line, message);
    let bytes = std::fs::read(file).map_err(|failure| match failure.kind() {
        io::ErrorKind::NotFound => error(None, "there is no such configuration file".into()),
        _ => error(None, format!("the configuration file cannot be read ({failure})")),
    })?;
    String::from_utf8(bytes).map_err(|failure| {
        let (valid, bytes) = (failure.utf8_error().valid_up_to(), failure.as_bytes());
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return error(None, "the file is written in UTF-16; save it as UTF-8".into());
        }
        let line = 1 + bytes[..valid].iter().filter(|byte| **byte == b'\n').count();
        error(Some(line), "the file holds bytes that are not UTF-8; save it as UTF-8".into())
    })
}

const SECTIONS: [&str; 6] = ["[server]", "[[plugin]]", "[agent]", "[limits]", "[perception]", "[tools]"];
const SERVER: [&str; 4] = ["listen", "token_env", "data_dir", "plugin_dirs"];
const PLUGIN: [&str; 5] = ["name", "path", "sha256", "options", "device"];
const DEVICE: [&str; 5] = ["id", "name", "address", "udid", "options"];
const TOOLS: [&str; 5] = ["read_only", "tools", "deny_apps", "url_schemes", "answer_alerts"];
/// Where a key belongs that stands in the wrong section. Keys of several sections are left out.
fn home_of(key: &str) -> Option<&'static str> {
    if SERVER.contains(&key) {
        Some("[server]")
    } else if key == "sha256" {
        Some("[[plugin]]")
    } else if ["id", "address", "udid"].contains(&key) {
        Some("[[plugin.device]]")
    } else if perception::RECOGNISER.contains(&key) {
        Some("[[perception.recogniser]]")
    } else if ["read_only", "deny_apps", "url_schemes", "answer_alerts"].contains(&key) {
        Some("[tools]")
    } else {
        None
    }
}

struct Reader<'a> {
    file: &'a Path,
    base: &'a Path,
    env: Env<'a>,
}

impl<'a> Reader<'a> {
    fn config(&self, root: Section<'a>) -> Result<Config, ConfigError> {
        root.allow_headers(&SECTIONS, home_of)?;
        let mut warnings = Vec::new();
        let server = root.section("server", "[server]", "written [server] and only once")?;
        if let Some(server) = server {
            server.allow(&SERVER, home_of)?;
        }
        let listen = server.and_then(|server| server.get("listen"));
        let address = listen.as_ref().map_or_else(|| Ok(default_listen()), listen_address)?;
        Ok(Config {
            source: Some(self.file.to_path_buf()),
            listen: address,
            token: self.token(server, listen.as_ref(), address, &mut warnings)?,
            data_dir: self.data_dir(server)?,
            plugin_dirs: self.plugin_dirs(server)?,
            plugins: self.plugins(root)?,
            perception: Perception::read(root, self.file, self.base, self.env)?,
            tools: self.tools(root)?,
            agent: Agent::read(root, self.env)?,
            warnings,
        })
    }

    fn token(
        &self,
        server: Option<Section<'a>>,
        listen: Option<&Field<'a>>,
        address: SocketAddr,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Secret>, ConfigError> {
        let reachable_by_others = !address.ip().to_canonical().is_loopback();
        let Some(field) = server.and_then(|server| server.get("token_env")) else {
            return match listen {
                Some(listen) if reachable_by_others => Err(listen.error(format_args!(
                    "is {address}, which other machines can reach, so a token is needed: add token_env = \
                     \"FINGERTIP_TOKEN\" and set that environment variable"
                ))),
                _ => Ok(None),
            };
        };
        let variable = field.text("FINGERTIP_TOKEN")?;
        if variable.contains(['=', '\0', ' ']) {
            return Err(field.error("is the name of an environment variable, such as \"FINGERTIP_TOKEN\""));
        }
        match (self.env)(variable) {
            Some(token) if token.is_empty() => Err(field.error(format_args!(
                "names the environment variable {variable}, which is empty; set it to the token that callers must send"
            ))),
            // What an HTTP header cannot carry would lock everybody out.
            Some(token) if !token.bytes().all(|byte| byte.is_ascii_graphic()) => Err(field.error(format_args!(
                "names the environment variable {variable}, whose value has spaces, line ends or characters beyond \
                 ASCII; a token is made of visible ASCII characters"
            ))),
            Some(token) => Ok(Some(Secret::new(token))),
            None if reachable_by_others => Err(field.error(format_args!(
                "names the environment variable {variable}, which is not set; listen is {address}, which other machines \
                 can reach, so set {variable} to the token that callers must send"
            ))),
            None => {
                let place = format!("{}:{}", self.file.display(), field.line());
                warnings.push(format!(
                    "{place}: the environment variable {variable} is not set, so every program on this machine can call \
                     without a token"
                ));
                Ok(None)
            }
        }
    }

    fn data_dir(&self, server: Option<Section<'a>>) -> Result<PathBuf, ConfigError> {
        let written = server.map(|server| server.text("data_dir", "data")).transpose()?.flatten();
        data_dir(written, self.base, self.env).map_err(|message| ConfigError::new(Some(self.file), None, message))
    }

    fn plugin_dirs(&self, server: Option<Section<'a>>) -> Result<Vec<PathBuf>, ConfigError> {
        let Some(field) = server.and_then(|server| server.get("plugin_dirs")) else { return Ok(Vec::new()) };
        let folder = |element: Field<'a>| Ok(folders::resolve(element.text("plugins")?, self.base, self.env));
        field.elements("[\"plugins\"]")?.into_iter().map(folder).collect()
    }

    fn plugins(&self, root: Section<'a>) -> Result<Vec<PluginEntry>, ConfigError> {
        let advice = "each begun by [[plugin]] in two brackets, above the [plugin.options] and [[plugin.device]] that belong to it";
        // Across all plugins: callers know a device by its id alone.
        let mut ids = HashMap::new();
        root.sections("plugin", "[[plugin]]", advice)?.into_iter().map(|plugin| self.plugin(plugin, &mut ids)).collect()
    }

    fn plugin(&self, plugin: Section<'a>, ids: &mut HashMap<String, usize>) -> Result<PluginEntry, ConfigError> {
        plugin.allow(&PLUGIN, home_of)?;
        let (name, path) = match (plugin.get("name"), plugin.get("path")) {
            (Some(name), None) => (Some(plugin_name(&name)?), None),
            (None, Some(path)) => (None, Some(folders::resolve(path.text("plugins/mine.so")?, self.base, self.env))),
            (Some(_), Some(path)) => {
                return Err(path.error("stands beside `name`; a plugin is given by one of the two"));
            }
            (None, None) => {
                return Err(plugin.error(
                    "has neither `name` nor `path`; give name = \"wda\" to have it found in plugin_dirs, or path = \"…\" \
                     for its file",
                ));
            }
        };
        let devices =
            plugin.sections("device", "[[plugin.device]]", "each begun by [[plugin.device]] in two brackets")?;
        Ok(PluginEntry {
            name,
            path,
            sha256: plugin.get("sha256").map(|field| sha256(&field)).transpose()?,
            config: PluginConfig {
                options: plugin.json("options", "[plugin.options]")?,
                devices: devices.into_iter().map(|device| self.device(device, ids)).collect::<Result<_, _>>()?,
            },
            line: Some(plugin.line()),
        })
    }

    fn device(&self, device: Section<'a>, ids: &mut HashMap<String, usize>) -> Result<DeviceConfig, ConfigError> {
        device.allow(&DEVICE, home_of)?;
        let Some(field) = device.get("id") else {
            return Err(device.error("has no `id`; give it one, such as id = \"desk-iphone\""));
        };
        let id = device_id(&field)?;
        if let Some(line) = ids.insert(id.clone(), field.line()) {
            return Err(field.error(format_args!(
                "is {id:?}, which line {line} already uses; every device has an id of its own, whichever plugin it is of"
            )));
        }
        let text = |key, example| device.text(key, example).map(|text| text.map(str::to_owned));
        Ok(DeviceConfig {
            id,
            name: text("name", "Desk iPhone")?,
            address: text("address", "http://192.0.2.20:8100")?,
            udid: text("udid", "00008110-000A1B2C3D4E5F60")?,
            options: device.json("options", "[plugin.device.options]")?,
        })
    }

    fn tools(&self, root: Section<'a>) -> Result<ToolsConfig, ConfigError> {
        let Some(section) = root.section("tools", "[tools]", "written [tools] and only once")? else {
            return Ok(ToolsConfig::default());
        };
        section.allow(&TOOLS, home_of)?;
        let read_only = section.get("read_only").map(|field| field.flag()).transpose()?.unwrap_or_default();
        let mut lines = Vec::new();
        let tools = section.get("tools").map(|field| {
            let elements = field.elements("[\"take_screenshot\", \"tap\"]")?;
            if elements.is_empty() {
                return Err(field.error("names no tool, so that none would be offered; leave it out to offer all"));
            }
            lines.extend(elements.iter().map(Field::line));
            elements.iter().map(|element| element.text("tap").map(str::to_owned)).collect::<Result<Vec<_>, _>>()
        });
        let words = |key, example, read: fn(&Field<'_>) -> Result<String, ConfigError>| {
            let field = section.get(key);
            field.map(|field| field.elements(example)?.iter().map(read).collect::<Result<Vec<_>, _>>()).transpose()
        };
        let header = "[tools.answer_alerts]";
        let alerts = section.section("answer_alerts", header, &format!("written {header}"))?;
        let answer_alerts = alerts.map(|alerts| {
            let fields = alerts.keys().into_iter().filter_map(|(key, _)| Some((key, alerts.get(key)?)));
            fields.map(|(key, field)| alert_answer(key, &field)).collect::<Result<Vec<_>, _>>()
        });
        Ok(ToolsConfig {
            read_only,
            tools: tools.transpose()?,
            deny_apps: words("deny_apps", "[\"com.bank.*\", \"Wallet\"]", app_pattern)?.unwrap_or_default(),
            url_schemes: words("url_schemes", "[\"http\", \"https\"]", url_scheme)?
                .unwrap_or_else(|| ToolsConfig::default().url_schemes),
            answer_alerts: answer_alerts.transpose()?.unwrap_or_default(),
            lines,
            file: Some(self.file.to_path_buf()),
        })
    }
}

fn default_listen() -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT)
}

fn data_dir(written: Option<&str>, base: &Path, env: Env<'_>) -> Result<PathBuf, String> {
    if let Some(variable) = folders::non_empty(env, folders::DATA_VARIABLE) {
        // The variable belongs to the shell, so it counts from where the shell is.
        return Ok(folders::resolve(&variable, Path::new(""), env));
    }
    written.map(|written| folders::resolve(written, base, env)).or_else(|| folders::data(env)).ok_or_else(|| {
        let (needs, variable) = (folders::DATA_NEEDS, folders::DATA_VARIABLE);
        format!("the user's data folder is not known since {needs} is not set; set data_dir in [server] or {variable}")
    })
}

fn listen_address(field: &Field<'_>) -> Result<SocketAddr, ConfigError> {
    let text = field.text("127.0.0.1:7311")?;
    // The one host name that needs no lookup. Everything else is an address, so that it is plain who can reach it.
    let address = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    address.parse().map_err(|_| {
        field.error(format_args!(
            "is {text:?}, which is not an address with a port; write one such as \"127.0.0.1:7311\", \"[::1]:7311\" or \
             \"localhost:7311\""
        ))
    })
}

/// How the address of a model's server is written.
const API_EXAMPLE: &str = "http://127.0.0.1:11434/v1";

fn api_address(field: &Field<'_>) -> Result<Url, ConfigError> {
    let url = Url::parse(field.text(API_EXAMPLE)?).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| field.error(format_args!("is no address of an API, such as \"{API_EXAMPLE}\"")))
}

/// The key in the environment variable that a field names.
fn api_key(field: &Field<'_>, env: Env<'_>) -> Result<Key, ConfigError> {
    let variable = field.text("OPENAI_API_KEY")?;
    let key = env(variable).filter(|key| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic()));
    Ok(key.map(Secret::new).ok_or_else(|| {
        field.error(format_args!(
            "names the environment variable {variable}, which holds no key; set it, or leave api_key_env out where the server \
             wants none"
        ))
    }))
}

fn plugin_name(field: &Field<'_>) -> Result<String, ConfigError> {
    let name = field.text("wda")?;
    // It becomes part of a file name, which must not lead out of the folders.
    if name.len() > 64 || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
        return Err(field.error(format_args!(
            "is {name:?}; a plugin's name has 1 to 64 letters, digits, `_` or `-`, and its file is given by `path`"
        )));
    }
    Ok(name.to_owned())
}

fn device_id(field: &Field<'_>) -> Result<String, ConfigError> {
    let id = field.text("desk-iphone")?;
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    // Clients rewrite a path such as /devices/../tap, so that these two could never be called.
    if !plain || id.len() > 64 || id == "." || id == ".." {
        return Err(field.error(format_args!(
            "is {id:?}; a device's id has 1 to 64 letters, digits, `.`, `_` or `-`, such as \"desk-iphone\""
        )));
    }
    Ok(id.to_owned())
}

fn app_pattern(field: &Field<'_>) -> Result<String, ConfigError> {
    let pattern = field.text("com.bank.*")?;
    match pattern.trim().strip_suffix('*').unwrap_or(pattern.trim()) {
        "" => Err(field.error("denies every app; to have the phone only looked at, set read_only = true")),
        start if start.contains('*') => {
            Err(field.error(format_args!("is {pattern:?}; a `*` stands at the end, such as \"com.bank.*\"")))
        }
        _ => Ok(pattern.to_owned()),
    }
}

/// A part of an alert's text with the button that answers it.
fn alert_answer(part: &str, field: &Field<'_>) -> Result<(String, String), ConfigError> {
    let button = field.text("Allow")?;
    match part.trim().chars().count() {
        0..=3 => Err(field.error("would answer nearly every alert; write more of the alert's text")),
        _ => Ok((part.to_owned(), button.to_owned())),
    }
}

fn url_scheme(field: &Field<'_>) -> Result<String, ConfigError> {
    let scheme = field.text("https")?;
    // The form that RFC 3986 gives.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    if !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || !scheme.bytes().all(plain) {
        return Err(field.error(format_args!(
            "is {scheme:?}; a scheme has letters, digits, `+`, `-` or `.` and no colon, such as \"https\""
        )));
    }
    Ok(scheme.to_ascii_lowercase())
}

fn sha256(field: &Field<'_>) -> Result<[u8; 32], ConfigError> {
    let text = field.text("the 64 digits that sha256sum prints")?;
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digest = digits.and_then(|digits| {
        let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        <[u8; 32]>::try_from(bytes).ok().filter(|_| digits.len() == 64)
    });
    digest.ok_or_else(|| {
        field.error(format_args!(
            "has {} characters and is not a SHA-256 digest, which has 64 hexadecimal digits; `sha256sum FILE` prints it",
            text.chars().count()
        ))
    })
}
