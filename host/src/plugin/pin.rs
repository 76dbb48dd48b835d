//! The hash of a plugin's file, and a copy under that hash.
//!
//! The copy is what gets loaded: the operator may replace the file at any time, and a mapped file that changes kills the
//! process.

use super::Error;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
};

/// A copy of a plugin's file.
pub(super) struct Copy {
    pub(super) file: PathBuf,
    pub(super) sha256: String,
}

/// Copies `file` into `cache` under its hash, which must be `pinned` where that is given.
pub(super) fn copy(file: &Path, cache: &Path, pinned: Option<[u8; 32]>) -> Result<Copy, Error> {
    let unreadable = |source| Error::Unreadable { file: file.to_owned(), source };
    let mut source = File::open(file).map_err(unreadable)?;
    std::fs::create_dir_all(cache).map_err(unreadable)?;
    let mut copy = tempfile::NamedTempFile::new_in(cache).map_err(unreadable)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = source.read(&mut buffer).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        copy.write_all(&buffer[..read]).map_err(unreadable)?;
    }
    let found: [u8; 32] = hash.finalize().into();
    let sha256 = hex(&found);
    if let Some(pinned) = pinned.filter(|pinned| *pinned != found) {
        return Err(Error::WrongPin { file: file.to_owned(), found: sha256, pinned: hex(&pinned) });
    }
    // Renamed over whatever is there, which may have been damaged since; what another process has mapped stays as it is.
    let target = cache.join(format!("{sha256}{}", std::env::consts::DLL_SUFFIX));
    copy.persist(&target).map_err(|error| unreadable(error.error))?;
    Ok(Copy { file: target, sha256 })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_has_the_content_and_the_hash_of_the_file() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("plugin");
        std::fs::write(&file, b"abc").expect("written");
        let copied = copy(&file, &dir.path().join("cache"), None).expect("copied");
        assert_eq!(copied.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(std::fs::read(&copied.file).expect("read"), b"abc");
        // Replacing the operator's file leaves the copy as it is.
        std::fs::write(&file, b"other").expect("written");
        assert_eq!(std::fs::read(&copied.file).expect("read"), b"abc");
    }

    #[test]
    fn another_file_than_the_pinned_one_is_refused_and_leaves_no_copy() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("plugin");
        std::fs::write(&file, b"abc").expect("written");
        let cache = dir.path().join("cache");
        assert!(matches!(copy(&file, &cache, Some([7; 32])), Err(Error::WrongPin { .. })));
        assert_eq!(std::fs::read_dir(&cache).expect("read").count(), 0);
    }
}
