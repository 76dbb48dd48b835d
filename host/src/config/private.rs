//! Folders and files that only their owner may read.
//!
//! Knows modes, atomic replacement and what must be synced. Does not know what is written.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Makes the folder and its missing parents, each for the owner alone. One that is there already stays as it is: whoever
/// made it chose its mode.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file that serves only to be locked.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Writable, since a network file system grants an exclusive lock only on a writable file.
    options.read(true).write(true).create(true).truncate(false);
    owner_only(&mut options);
    options.open(path)
}

/// Puts `bytes` in the place of what `path` held, so that readers meet the old or the new content and never a part.
/// With `durable` the new content is on the disk when this returns; without, a power cut may lose it.
///
/// Only one process at a time may call this for a path.
pub(super) fn replace(path: &Path, bytes: &[u8], durable: bool) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    let new = path.with_file_name(name);
    // One left behind by a killed process may have any mode; a file made anew has ours.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    owner_only(&mut options);
    let mut file = options.open(&new)?;
    file.write_all(bytes)?;
    if durable {
        file.sync_all()?;
    }
    drop(file);
    fs::rename(&new, path)?;
    #[cfg(unix)]
    if durable && let Some(folder) = path.parent() {
        // The rename itself is an entry of the folder, which has to reach the disk too.
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Whether nobody but the owner can read or write the file. Always so where modes do not exist.
pub(super) fn is_owner_only(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 == 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        true
    }
}

fn owner_only(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}
