//! Pictures as files that are named by the SHA-256 of what is in them.
//!
//! Knows bytes and files. Which task needs which picture is settled by the tables; what is thrown away, in `tidy`.

use crate::error::MemoryError;
use crate::files;
use crate::limits::Limits;
use crate::memory::locked;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::SystemTime;

/// The folder of pictures.
#[derive(Debug)]
pub(crate) struct Pictures {
    folder: PathBuf,
    most: usize,
    /// Held while a file comes or goes.
    pub(crate) room: Mutex<Room>,
}

/// How many bytes there are, and from how many on it is worth tidying.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) bytes: u64,
    pub(crate) tidy_from: u64,
}

/// A picture as a file.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) hash: String,
    pub(crate) bytes: u64,
    pub(crate) modified: SystemTime,
}

impl Pictures {
    pub(crate) fn open(folder: PathBuf, limits: &Limits) -> Result<Pictures, MemoryError> {
        files::create_folder(&folder).map_err(MemoryError::io(&folder, "making the folder"))?;
        let room = Mutex::new(Room { bytes: 0, tidy_from: limits.pictures_bytes });
        let pictures = Pictures { folder, most: limits.picture_bytes, room };
        locked(&pictures.room).bytes = pictures.list()?.iter().map(|stored| stored.bytes).sum();
        Ok(pictures)
    }

    /// Keeps a picture and gives its name. Tells besides whether it is time to tidy.
    pub(crate) fn put(&self, picture: &[u8]) -> Result<(String, bool), MemoryError> {
        let (bytes, most) = (picture.len(), self.most);
        if bytes > most {
            return Err(MemoryError::TooLong { what: "the picture", bytes, most });
        }
        let hash: String = Sha256::digest(picture).iter().map(|byte| format!("{byte:02x}")).collect();
        let path = self.folder.join(&hash);
        let mut room = locked(&self.room);
        match File::options().write(true).open(&path) {
            // It counts as new, so that nobody takes it for one that no task names. Another length is what a power cut left.
            Ok(file) if file.metadata().is_ok_and(|known| known.len() == bytes as u64) => {
                file.set_modified(SystemTime::now()).map_err(MemoryError::io(&path, "touching the picture"))?;
            }
            _ => {
                files::write(&path, picture).map_err(MemoryError::io(&path, "writing the picture"))?;
                room.bytes += bytes as u64;
            }
        }
        Ok((hash, room.bytes > room.tidy_from))
    }

    /// The picture, if it is still there and whole.
    pub(crate) fn get(&self, hash: &str) -> Result<Option<Vec<u8>>, MemoryError> {
        if !is_hash(hash) {
            return Ok(None);
        }
        let path = self.folder.join(hash);
        match fs::read(&path) {
            Ok(picture) => Ok(Some(picture).filter(|picture| {
                let actual = Sha256::digest(picture);
                actual
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .eq(hash.as_bytes().chunks(2).map(String::from_utf8_lossy))
            })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(MemoryError::io(&path, "reading the picture")(error)),
        }
    }

    /// All pictures. What a killed process left half written is removed; what is no picture's name is left alone.
    pub(crate) fn list(&self) -> Result<Vec<Stored>, MemoryError> {
        let failed = MemoryError::io(&self.folder, "listing the pictures");
        let mut list = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.strip_suffix(files::UNFINISHED).and_then(|name| name.strip_suffix('.')).is_some_and(is_hash) {
                fs::remove_file(entry.path()).map_err(MemoryError::io(&entry.path(), "removing half a picture"))?;
            } else if is_hash(&name) {
                let known = entry.metadata().map_err(&failed)?;
                list.push(Stored { hash: name, bytes: known.len(), modified: known.modified().map_err(&failed)? });
            }
        }
        Ok(list)
    }

    /// Removes one.
    pub(crate) fn remove(&self, room: &mut Room, picture: &Stored) -> Result<(), MemoryError> {
        let path = self.folder.join(&picture.hash);
        fs::remove_file(&path).map_err(MemoryError::io(&path, "removing a picture"))?;
        room.bytes = room.bytes.saturating_sub(picture.bytes);
        Ok(())
    }
}

/// The pictures that data name: the hashes under the key `picture`, at any depth.
pub(crate) fn named(data: &Value) -> Vec<&str> {
    match data {
        Value::Array(items) => items.iter().flat_map(named).collect(),
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, item)| match item {
                Value::String(hash) if key == "picture" && is_hash(hash) => vec![hash.as_str()],
                _ => named(item),
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn open(folder: &tempfile::TempDir) -> Pictures {
        Pictures::open(folder.path().join("pictures"), &Limits::default()).unwrap()
    }

    #[test]
    fn the_same_picture_is_kept_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let pictures = open(&folder);
        let (hash, tidy) = pictures.put(b"a picture").unwrap();
        assert!(is_hash(&hash) && !tidy);
        assert_eq!(pictures.put(b"a picture").unwrap().0, hash);
        assert_eq!(pictures.put(b"another").unwrap().0.len(), 64);
        assert_eq!(pictures.get(&hash).unwrap().as_deref(), Some(b"a picture".as_slice()));
        assert_eq!((pictures.list().unwrap().len(), locked(&pictures.room).bytes), (2, 16));
        assert_eq!(locked(&open(&folder).room).bytes, 16);
    }

    #[test]
    fn only_whole_pictures_are_given() {
        let folder = tempfile::tempdir().unwrap();
        let pictures = open(&folder);
        let (hash, _) = pictures.put(b"a picture").unwrap();
        let path = folder.path().join("pictures").join(&hash);
        for damage in [b"".as_slice(), b"a pictura"] {
            fs::write(&path, damage).unwrap();
            assert_eq!(pictures.get(&hash).unwrap(), None);
        }
        fs::write(&path, "").unwrap();
        pictures.put(b"a picture").unwrap();
        assert!(pictures.get(&hash).unwrap().is_some());
        for name in ["", "../tasks.sqlite3", &"0".repeat(64)] {
            assert_eq!(pictures.get(name).unwrap(), None);
        }
    }

    #[test]
    fn what_was_half_written_goes_and_what_is_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let pictures = open(&folder);
        let path = folder.path().join("pictures");
        let half = path.join(format!("{}.new", "a".repeat(64)));
        fs::write(&half, "half").unwrap();
        fs::write(path.join("notes.txt"), "mine").unwrap();
        assert!(pictures.list().unwrap().is_empty());
        assert!(!half.exists() && path.join("notes.txt").exists());
    }

    #[test]
    fn pictures_are_named_at_any_depth() {
        let (a, b) = ("a".repeat(64), "b".repeat(64));
        let data = json!({"picture": a, "steps": [{"picture": b, "other": a}], "deep": {"picture": "no hash"}});
        assert_eq!(named(&data), [&a, &b]);
    }
}
