//! One owner of the phones for each data folder, and how the commands find it.
//!
//! Knows the lock and the address file of a data folder. Does not know what the server serves or how it is spoken to.
//!
//! Three files, all of mode 0600:
//!
//! - `lock` is locked for as long as the owner lives. The operating system gives it up when the process ends, however it
//!   ends, so nothing has to be believed about process ids. The file itself always stays: a lock on a file that somebody
//!   removed would keep nobody out.
//! - `server.json` says where the owner is reached and with which secret. It counts only while the lock is held; what a
//!   killed server left behind is ignored.
//! - `turn` is locked for the moment in which somebody takes `lock` or looks whether it is taken. Without it a look could
//!   make a start fail, and a look during a start could read the address of the server before.

use super::private;
use super::secret::Secret;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const LOCK: &str = "lock";
const TURN: &str = "turn";
const ADDRESS: &str = "server.json";

/// How long a server that has the lock may take until it listens.
const STARTING: Duration = Duration::from_secs(2);
/// How often a wait looks again.
const PAUSE: Duration = Duration::from_millis(10);

/// The owner of a data folder's phones, seen from any process of this machine.
#[derive(Debug)]
pub struct Instance;

/// The right to own the phones of a data folder. It ends with this value, or with the process.
#[derive(Debug)]
pub struct Claim {
    data_dir: PathBuf,
    started_at: u64,
    /// Held and never read. Declared last, so that it is released last.
    _lock: Locked,
}

/// A locked file, unlocked with this value.
///
/// Closing the file alone is not enough: a child process has a copy of it between its fork and its exec, and the lock would
/// outlive this value by that moment.
#[derive(Debug)]
struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // If it fails, closing the file does the same a moment later.
        let _ = self.0.unlock();
    }
}

/// A server that runs now.
#[derive(Clone, Debug)]
pub struct Running {
    /// Where this machine reaches it.
    pub address: SocketAddr,
    /// What shows it that the caller may read the data folder.
    pub secret: Secret,
    /// Its process.
    pub pid: u32,
    /// Its version of Fingertip.
    pub version: String,
}

/// The phones of a data folder cannot be owned.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Another process owns them.
    #[error("{}", held(data_dir, *pid, *address))]
    Held {
        /// Which data folder.
        data_dir: PathBuf,
        /// The owner's process, where it could be read.
        pid: Option<u32>,
        /// Where the owner is reached, once it listens.
        address: Option<SocketAddr>,
    },
    /// The folder or a file in it cannot be used.
    #[error("{path}: {action} failed ({source})", path = .path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

fn held(data_dir: &Path, pid: Option<u32>, address: Option<SocketAddr>) -> String {
    let process = pid.map_or("another process".to_owned(), |pid| format!("process {pid}"));
    let state = address.map_or("that is just starting".to_owned(), |address| format!("at {address}"));
    let folder = data_dir.display();
    format!(
        "the phones of {folder} belong to a running fingertip, {process} {state}; end it, or give this one another data_dir"
    )
}

/// What `server.json` holds. Without an address and a secret the server does not listen yet.
#[derive(Serialize, Deserialize)]
struct Published {
    address: Option<SocketAddr>,
    secret: Option<String>,
    pid: u32,
    version: String,
    /// Seconds since 1970.
    started_at: u64,
}

impl Instance {
    /// Makes this process the owner of the folder's phones. Makes the folder, for the user alone, if it is missing.
    /// Waits a moment for others that are looking, never for the owner.
    ///
    /// # Errors
    /// [`ClaimError::Held`] when another process is the owner, [`ClaimError::Io`] when the folder cannot be used.
    pub fn claim(data_dir: &Path) -> Result<Claim, ClaimError> {
        private::create_folder(data_dir).map_err(io_error(data_dir, "making the data folder"))?;
        let _turn = take_turn(data_dir)?;
        let path = data_dir.join(LOCK);
        let lock = private::open_lock(&path).map_err(io_error(&path, "opening the lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let owner = read_published(data_dir);
                return Err(ClaimError::Held {
                    data_dir: data_dir.to_path_buf(),
                    pid: owner.as_ref().map(|owner| owner.pid),
                    address: owner.and_then(|owner| owner.address),
                });
            }
            Err(TryLockError::Error(error)) => return Err(io_error(&path, "locking")(error)),
        }
        let started_at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let claim = Claim { data_dir: data_dir.to_path_buf(), started_at, _lock: Locked(lock) };
        // Still within the turn, so that nobody can take a dead server's file for this one's.
        claim.write(None, None)?;
        Ok(claim)
    }

    /// The server that owns the folder's phones now, if there is one. One that is just starting is waited for, 2 s at
    /// most. Blocks the thread; asynchronous code calls it where blocking is allowed.
    pub fn find(data_dir: &Path) -> Option<Running> {
        find_within(data_dir, STARTING)
    }
}

impl Claim {
    /// The data folder.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Tells the other commands of this user where the server listens and which secret opens it.
    ///
    /// # Errors
    /// [`ClaimError::Io`] when the file cannot be written.
    pub fn publish(&self, address: SocketAddr, secret: &Secret) -> Result<(), ClaimError> {
        self.write(Some(reachable(address)), Some(secret))
    }

    fn write(&self, address: Option<SocketAddr>, secret: Option<&Secret>) -> Result<(), ClaimError> {
        let published = Published {
            address,
            secret: secret.map(|secret| secret.expose().to_owned()),
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: self.started_at,
        };
        let path = self.data_dir.join(ADDRESS);
        // Not synced: after a power cut no server runs, and the file means nothing.
        serde_json::to_vec(&published)
            .map_err(io::Error::other)
            .and_then(|bytes| private::replace(&path, &bytes, false))
            .map_err(io_error(&path, "writing"))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Before the lock goes, and thus never another server's file. If it fails, the file is stale and ignored.
        let _ = fs::remove_file(self.data_dir.join(ADDRESS));
    }
}

enum Seen {
    Nobody,
    Starting,
    Running(Running),
}

fn find_within(data_dir: &Path, patience: Duration) -> Option<Running> {
    let deadline = Instant::now() + patience;
    loop {
        match look(data_dir) {
            Seen::Running(running) => return Some(running),
            Seen::Nobody => return None,
            Seen::Starting if Instant::now() >= deadline => return None,
            Seen::Starting => std::thread::sleep(PAUSE),
        }
    }
}

/// A folder that cannot be read counts as one without a server: whoever then claims it learns why.
fn look(data_dir: &Path) -> Seen {
    let Ok(lock) = File::open(data_dir.join(LOCK)) else { return Seen::Nobody };
    let Ok(_turn) = take_turn(data_dir) else { return Seen::Nobody };
    match lock.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {}
        Ok(()) => {
            // Before the turn ends: whoever takes the lock next must find it free.
            drop(Locked(lock));
            return Seen::Nobody;
        }
        Err(TryLockError::Error(_)) => return Seen::Nobody,
    }
    match read_published(data_dir) {
        Some(Published { address: Some(address), secret: Some(secret), pid, version, .. }) => {
            Seen::Running(Running { address, secret: Secret::new(secret), pid, version })
        }
        _ => Seen::Starting,
    }
}

fn read_published(data_dir: &Path) -> Option<Published> {
    let mut file = OpenOptions::new().read(true).open(data_dir.join(ADDRESS)).ok()?;
    // Others could have put a file with wider rights there, so that this user's calls go to their server.
    if !private::is_owner_only(&file) {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Waits until nobody else takes or looks at the lock. That lasts microseconds, unless a process was stopped just then.
fn take_turn(data_dir: &Path) -> Result<Locked, ClaimError> {
    let path = data_dir.join(TURN);
    let turn = private::open_lock(&path).map_err(io_error(&path, "opening the lock"))?;
    let deadline = Instant::now() + STARTING;
    loop {
        match turn.try_lock() {
            Ok(()) => return Ok(Locked(turn)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(io_error(&path, "locking")(error.into())),
        }
    }
}

/// A server that listens on every interface is reached by loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}

fn io_error(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> ClaimError {
    let path = path.to_path_buf();
    move |source| ClaimError::Io { path, action, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    const HOLD: &str = "FINGERTIP_TEST_HOLD";

    fn address() -> SocketAddr {
        "127.0.0.1:7311".parse().unwrap()
    }

    /// Does nothing as a test. Run by another test as a process of its own, it owns the folder until it is killed.
    #[test]
    fn holder_process() {
        if let Ok(data_dir) = std::env::var(HOLD) {
            let claim = Instance::claim(Path::new(&data_dir)).unwrap();
            claim.publish(address(), &Secret::new("from the child")).unwrap();
            std::thread::sleep(Duration::from_secs(120));
        }
    }

    /// Kills the child with the test, however the test ends.
    struct Holder(Child);

    impl Holder {
        fn start(data_dir: &Path) -> Self {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["config::instance::tests::holder_process", "--exact"]).env(HOLD, data_dir);
            Holder(command.stdout(std::process::Stdio::null()).spawn().unwrap())
        }
    }

    impl Drop for Holder {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn find_soon(data_dir: &Path) -> Running {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            match Instance::find(data_dir) {
                Some(running) => return running,
                None if Instant::now() > deadline => panic!("the child never published"),
                None => std::thread::sleep(PAUSE),
            }
        }
    }

    #[test]
    fn a_killed_server_leaves_nothing_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let holder = Holder::start(folder.path());
        let running = find_soon(folder.path());
        assert_eq!(running.address, address());
        assert_eq!(running.secret.expose(), "from the child");
        assert_eq!(running.pid, holder.0.id());
        assert_eq!(running.version, env!("CARGO_PKG_VERSION"));

        let refused = Instance::claim(folder.path()).unwrap_err().to_string();
        let (folder_name, pid) = (folder.path().display(), holder.0.id());
        assert_eq!(
            refused,
            format!(
                "the phones of {folder_name} belong to a running fingertip, process {pid} at 127.0.0.1:7311; end it, or \
                 give this one another data_dir"
            )
        );

        // SIGKILL: the file stays, the lock does not.
        drop(holder);
        assert!(folder.path().join(ADDRESS).exists());
        assert!(Instance::find(folder.path()).is_none());
        let claim = Instance::claim(folder.path()).unwrap();
        assert!(find_within(folder.path(), Duration::ZERO).is_none(), "the dead server's address was taken for ours");
        claim.publish(address(), &Secret::new("ours")).unwrap();
        assert_eq!(Instance::find(folder.path()).unwrap().secret.expose(), "ours");
    }

    #[test]
    fn nobody_is_found_where_nothing_is_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("none");
        assert!(Instance::find(&data).is_none());
        assert!(!data.exists());
    }

    #[test]
    fn a_second_claim_names_the_first_even_before_it_listens() {
        let folder = tempfile::tempdir().unwrap();
        let first = Instance::claim(folder.path()).unwrap();
        match Instance::claim(folder.path()).unwrap_err() {
            ClaimError::Held { pid, address, .. } => assert_eq!((pid, address), (Some(std::process::id()), None)),
            other => panic!("{other}"),
        }
        drop(first);
        assert!(!folder.path().join(ADDRESS).exists());
        Instance::claim(folder.path()).unwrap();
    }

    #[test]
    fn a_start_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let claim = Instance::claim(folder.path()).unwrap();
        std::thread::scope(|scope| {
            let found = scope.spawn(|| Instance::find(folder.path()));
            std::thread::sleep(Duration::from_millis(50));
            claim.publish(address(), &Secret::new("s")).unwrap();
            assert_eq!(found.join().unwrap().unwrap().address, address());
        });
    }

    #[test]
    fn looking_never_makes_a_start_fail() {
        let folder = tempfile::tempdir().unwrap();
        drop(Instance::claim(folder.path()).unwrap());
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        find_within(folder.path(), Duration::ZERO);
                        // Far more often than people type, and still leaving the others a turn.
                        std::thread::sleep(Duration::from_micros(300));
                    }
                });
            }
            let failed = (0..200).find_map(|_| Instance::claim(folder.path()).err());
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(failed.is_none(), "{failed:?}");
        });
    }

    #[test]
    fn a_server_on_every_interface_is_reached_by_loopback() {
        for (listens, reached) in [("0.0.0.0:7311", "127.0.0.1:7311"), ("[::]:7311", "[::1]:7311")] {
            assert_eq!(reachable(listens.parse().unwrap()), reached.parse().unwrap());
        }
        let outside = "192.0.2.7:7311".parse().unwrap();
        assert_eq!(reachable(outside), outside);
    }

    #[test]
    fn damaged_files_are_no_server() {
        let folder = tempfile::tempdir().unwrap();
        let _claim = Instance::claim(folder.path()).unwrap();
        let path = folder.path().join(ADDRESS);
        for damage in
            ["", "{", "[]", "{\"address\":\"nowhere\",\"secret\":\"s\",\"pid\":1,\"version\":\"\",\"started_at\":0}"]
        {
            fs::write(&path, damage).unwrap();
            assert!(find_within(folder.path(), Duration::ZERO).is_none(), "{damage}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Instance::claim(&file.join("data")).unwrap_err().to_string();
        assert!(error.contains("making the data folder failed"), "{error}");
        assert!(Instance::find(&file.join("data")).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("new/data");
        let claim = Instance::claim(&data).unwrap();
        claim.publish(address(), &Secret::new("s")).unwrap();
        super::super::fences::Fences::open(&data).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data), 0o700);
        let mut names: Vec<_> = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["fences", "lock", "server.json", "turn"]);
        for name in names {
            assert_eq!(mode(&data.join(&name)), 0o600, "{name:?}");
        }
        // A file that others could have written is not believed.
        fs::set_permissions(data.join(ADDRESS), fs::Permissions::from_mode(0o666)).unwrap();
        assert!(find_within(&data, Duration::ZERO).is_none());
    }
}
