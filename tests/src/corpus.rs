//! The captures of real phones and apps, which are not part of the project.
//!
//! It knows only where they are: `FINGERTIP_CORPUS` names their folder.

use std::path::PathBuf;

/// The files of one folder of the captures, in order; none where there are no captures.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("FINGERTIP_CORPUS") else {
        eprintln!("FINGERTIP_CORPUS is not set: no captures to look at");
        return Vec::new();
    };
    let folder = PathBuf::from(corpus).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}
