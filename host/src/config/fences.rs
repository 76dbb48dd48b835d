//! Numbers that rise for ever: across restarts, `kill -9`, a lost file and a restored backup.
//!
//! Knows one small file of the data folder. Does not know leases, which take their fencing numbers from here through a
//! plain function.
//!
//! A start takes the greater of what the file reserved and the clock in microseconds. The file guards against a clock that
//! was turned back, the clock against a file that was lost, damaged or replaced by an older one: neither leases nor starts
//! use numbers as fast as one a microsecond, so the clock stays ahead of them. Until the year 2255 they fit the 53 bits
//! that JavaScript reads exactly.

use super::private;
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many numbers one write of the file reserves. A restart skips the rest of its block, so a block must be fewer
/// microseconds than the shortest start takes: else quick restarts would get ahead of the clock.
const BLOCK: u64 = 256;

const FILE_NAME: &str = "fences";

/// Hands out fencing numbers. Only the process that holds the data folder's [`Claim`](super::instance::Claim) may have one.
#[derive(Debug)]
pub struct Fences {
    path: PathBuf,
    next: AtomicU64,
    /// Every number below this is covered by the file. Behind a lock only while it is raised.
    reserved: AtomicU64,
    raising: Mutex<()>,
}

impl Fences {
    /// Opens or makes the counter of this data folder.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn open(data_dir: &Path) -> Result<Fences, FencesError> {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        Fences::open_at(data_dir, u64::try_from(clock).unwrap_or(0))
    }

    fn open_at(data_dir: &Path, clock: u64) -> Result<Fences, FencesError> {
        let path = data_dir.join(FILE_NAME);
        let failed = |source| FencesError { path: path.clone(), source };
        private::create_folder(data_dir).map_err(failed)?;
        let stored = match std::fs::read_to_string(&path) {
            Ok(text) => decode(&text),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidData) => None,
            Err(error) => return Err(failed(error)),
        };
        // Zero is left out, so that it can mean "none" elsewhere.
        let start = stored.unwrap_or(0).max(clock).max(1);
        let reserved = start.saturating_add(BLOCK);
        private::replace(&path, encode(reserved).as_bytes(), true).map_err(failed)?;
        Ok(Fences { path, next: start.into(), reserved: reserved.into(), raising: Mutex::new(()) })
    }

    /// A number greater than every one before. One atomic step, except once in 256 calls, when the file is written.
    pub fn next(&self) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.reserved.load(Ordering::Acquire) {
            self.reserve_past(number);
        }
        number
    }

    fn reserve_past(&self, number: u64) {
        let _raising = self.raising.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if number < self.reserved.load(Ordering::Acquire) {
            return;
        }
        let reserved = number.saturating_add(BLOCK);
        if let Err(error) = private::replace(&self.path, encode(reserved).as_bytes(), true) {
            // A full disk must not stop the phones: the clock alone keeps the next start above what is handed out now.
            tracing::warn!(path = %self.path.display(), %error, "the fence counter could not be written");
        }
        self.reserved.store(reserved, Ordering::Release);
    }
}

/// The counter's file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: the counter of leases cannot be kept ({source})", path = .path.display())]
pub struct FencesError {
    path: PathBuf,
    source: io::Error,
}

/// The number with a check value, so that a damaged file is known as such and not taken for a smaller number.
fn encode(number: u64) -> String {
    format!("{number} {:016x}\n", check(number))
}

fn decode(text: &str) -> Option<u64> {
    let number = text.split(' ').next()?.parse().ok()?;
    (text == encode(number)).then_some(number)
}

fn check(number: u64) -> u64 {
    let digest = Sha256::digest(format!("fingertip fences {number}"));
    digest.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn rise_over_reopening_without_a_farewell() {
        let folder = tempfile::tempdir().unwrap();
        let mut last = 0;
        for _ in 0..5 {
            let fences = Fences::open(folder.path()).unwrap();
            for _ in 0..100 {
                let number = fences.next();
                assert!(number > last, "{number} after {last}");
                last = number;
            }
            // What kill -9 leaves: no destructor runs.
            std::mem::forget(fences);
        }
    }

    #[test]
    fn a_clock_turned_back_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let before = Fences::open_at(folder.path(), 1_000_000).unwrap();
        let last = (0..10).map(|_| before.next()).last().unwrap();
        let after = Fences::open_at(folder.path(), 5).unwrap();
        assert!(after.next() > last);
    }

    #[test]
    fn the_file_is_ahead_of_every_number_handed_out() {
        let folder = tempfile::tempdir().unwrap();
        let fences = Fences::open_at(folder.path(), 1).unwrap();
        for _ in 0..BLOCK * 5 + 3 {
            let number = fences.next();
            if number.is_multiple_of(50) || number % BLOCK < 2 {
                let stored = decode(&fs::read_to_string(folder.path().join(FILE_NAME)).unwrap()).unwrap();
                assert!(stored > number, "{number} is handed out, {stored} is stored");
            }
        }
        assert!(Fences::open_at(folder.path(), 0).unwrap().next() > BLOCK * 5 + 3);
    }

    #[test]
    fn damage_and_loss_fall_back_to_the_clock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        // Each start is a millisecond after the one before, faster than any process starts.
        let mut clock = 1_764_000_000_000_000;
        let mut start = || {
            clock += 1_000;
            Fences::open_at(folder.path(), clock).unwrap()
        };
        let good = encode(1_765_000_000_000_000);
        let smaller = good.replacen('1', "0", 1);
        let damages = ["", "\n", "17", "17 0\n", "-3 0\n", "99999999999999999999 0\n", &smaller, &good[..20]];
        for damage in damages.map(str::as_bytes).into_iter().chain([&[0xff, 0xfe, 0x00][..]]) {
            let fences = start();
            let last = (0..700).map(|_| fences.next()).last().unwrap();
            fs::write(&path, damage).unwrap();
            assert!(start().next() > last, "{damage:?}");
        }
        let last = start().next();
        fs::remove_file(&path).unwrap();
        assert!(start().next() > last);
    }

    #[test]
    fn threads_never_share_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let fences = Fences::open(folder.path()).unwrap();
        let mut all: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..4_000).map(|_| fences.next()).collect::<Vec<_>>())).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 16_000);
    }

    #[test]
    fn a_disk_that_refuses_stops_the_start_and_not_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let fences = Fences::open_at(&data, 1).unwrap();
        fs::remove_dir_all(&data).unwrap();
        fs::write(&data, "a file where the folder was").unwrap();
        let numbers: Vec<u64> = (0..BLOCK + 10).map(|_| fences.next()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b));
        let error = Fences::open(&data).unwrap_err().to_string();
        assert!(error.contains("the counter of leases cannot be kept"), "{error}");
    }
}
