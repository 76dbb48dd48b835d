//! Folders and files that only their owner may read.
//!
//! Knows modes and atomic writing. Does not know what is written.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// How the name of a file that is being written ends.
pub(crate) const UNFINISHED: &str = "new";

/// Makes the folder and its missing parents, each for the owner alone. One that is there already stays as it is.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes an empty file if there is none, so that what opens it later finds the right mode.
pub(crate) fn create_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    owner_only(options.write(true).create(true).truncate(false)).open(path).map(drop)
}

/// Puts a file in its place, so that readers meet all of it or nothing. One process at a time may call this for a path.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension(UNFINISHED);
    let mut options = OpenOptions::new();
    owner_only(options.write(true).create(true).truncate(true)).open(&unfinished)?.write_all(bytes)?;
    fs::rename(&unfinished, path)
}

fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
