//! Which files may be plugins, and which one has a given name.
//!
//! It looks at names only; whether a file really is a plugin is for the probe.

use super::Error;
use std::path::{Path, PathBuf};

/// The folders in which plugins are looked for.
#[derive(Clone, Debug)]
pub struct Finder {
    /// Folders that hold nothing but plugins, in the order of precedence.
    dirs: Vec<PathBuf>,
    /// Folders in which cargo puts libraries next to other ones: searched by exact name, never listed.
    build_dirs: Vec<PathBuf>,
}

impl Finder {
    /// The configured folders first, then the folder of this program and its `plugins`, as an installation and `cargo run`
    /// have them.
    pub fn new(configured: &[PathBuf]) -> Self {
        let mut dirs = configured.to_vec();
        let mut build_dirs = Vec::new();
        if let Some(beside) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
            dirs.push(beside.join("plugins"));
            dirs.push(beside.to_owned());
            build_dirs.push(beside.join("deps"));
        }
        Finder { dirs, build_dirs }
    }

    /// The file of the plugin with this name, such as `wda`.
    ///
    /// # Errors
    /// [`Error::NotFound`] with the folders that were searched.
    pub fn named(&self, name: &str) -> Result<PathBuf, Error> {
        let wanted = normal(name);
        for dir in self.dirs.iter().chain(&self.build_dirs) {
            for stem in [format!("fingertip_{wanted}"), wanted.clone()] {
                let file = dir.join(format!("{}{stem}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
                if file.is_file() {
                    return Ok(file);
                }
            }
        }
        Err(Error::NotFound { name: name.to_owned(), looked: self.dirs.clone() })
    }

    /// Every file in the folders that has a library's name, sorted.
    pub fn scan(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self
            .dirs
            .iter()
            .filter_map(|dir| std::fs::read_dir(dir).ok())
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file() && is_library(path))
            .collect();
        files.sort();
        files.dedup();
        files
    }
}

fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == std::env::consts::DLL_EXTENSION)
}

/// Cargo turns the dashes of a package's name into underscores.
fn normal(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(dir: &Path, stem: &str) -> PathBuf {
        let file = dir.join(format!("{}{stem}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
        std::fs::write(&file, b"").expect("the folder is writable");
        file
    }

    #[test]
    fn finds_a_plugin_by_its_name_with_and_without_the_prefix() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let wda = library(dir.path(), "fingertip_wda");
        let custom = library(dir.path(), "custom_driver");
        let finder = Finder { dirs: vec![dir.path().to_owned()], build_dirs: vec![] };
        assert_eq!(finder.named("wda").expect("found"), wda);
        assert_eq!(finder.named("custom-driver").expect("found"), custom);
        assert!(finder.named("android").is_err());
    }

    #[test]
    fn lists_libraries_only_and_no_missing_folder_is_an_error() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let wda = library(dir.path(), "fingertip_wda");
        std::fs::write(dir.path().join("README.md"), b"").expect("written");
        let finder = Finder { dirs: vec![dir.path().join("absent"), dir.path().to_owned()], build_dirs: vec![] };
        assert_eq!(finder.scan(), [wda]);
    }
}
