//! Where things lie on this machine: the configuration file and the data folder.
//!
//! Knows the habits of the operating systems (XDG, `Library`, `AppData`) and reads the environment only through the
//! function it is given, so that tests never depend on the machine. Does not know what the files contain.

use std::path::{Path, PathBuf};

/// How the environment is asked: the value of a variable, if it is set.
pub(super) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The variable that names the configuration file.
pub(super) const CONFIG_VARIABLE: &str = "FINGERTIP_CONFIG";
/// The variable that names the data folder, whatever the file says.
pub(super) const DATA_VARIABLE: &str = "FINGERTIP_DATA_DIR";
/// The configuration file's name wherever it is looked for.
pub(super) const FILE_NAME: &str = "fingertip.toml";

/// The environment of this process. What is not Unicode comes with replacement characters, so that a wrong value is met
/// as a wrong value and not passed over.
pub(super) fn process_env(name: &str) -> Option<String> {
    let value = std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    if value.is_none() && name == HOME {
        // Services and MCP clients often start programs without it; the user database still knows.
        return std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
    }
    value
}

const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// A variable that is set and not empty, as the shell habit is.
pub(super) fn non_empty(env: Env<'_>, name: &str) -> Option<String> {
    env(name).filter(|value| !value.is_empty())
}

/// The user's home folder.
pub(super) fn home(env: Env<'_>) -> Option<PathBuf> {
    non_empty(env, HOME).map(PathBuf::from)
}

/// The user's configuration folder for this program.
pub(super) fn configuration(env: Env<'_>) -> Option<PathBuf> {
    user_folder(env, "XDG_CONFIG_HOME", ".config", "APPDATA")
}

/// The user's data folder for this program.
pub(super) fn data(env: Env<'_>) -> Option<PathBuf> {
    user_folder(env, "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")
}

fn user_folder(env: Env<'_>, xdg: &str, below_home: &str, windows: &str) -> Option<PathBuf> {
    // The XDG rule: a relative path in these variables is to be ignored.
    let absolute = |name: &str| non_empty(env, name).map(PathBuf::from).filter(|path| path.is_absolute());
    let parent = absolute(xdg).or_else(|| {
        if cfg!(windows) {
            absolute(windows)
        } else if cfg!(target_os = "macos") {
            home(env).map(|home| home.join("Library/Application Support"))
        } else {
            home(env).map(|home| home.join(below_home))
        }
    })?;
    Some(parent.join("fingertip"))
}

/// What must be set for [`data`] to have an answer, for an error sentence.
pub(super) const DATA_NEEDS: &str = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };

/// `written` as an absolute path: `~/` is the home folder, anything else that is relative counts from `base`.
pub(super) fn resolve(written: &str, base: &Path, env: Env<'_>) -> PathBuf {
    let path = match written.strip_prefix("~/").and_then(|rest| Some(home(env)?.join(rest))) {
        Some(path) => path,
        None => base.join(written),
    };
    std::path::absolute(&path).unwrap_or(path)
}
