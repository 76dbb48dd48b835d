//! From a file to a running plugin: find it, pin it, probe it, load it.
//!
//! This layer knows files, hashes, versions and `dlopen`. It does not know what a device's status is or what callers ask for.

mod find;
mod host;
mod load;
mod pin;
mod probe;

pub use find::Finder;
pub use load::Library;
pub use probe::{Identity, answer_probe};

use driver_api::{DeviceEvent, PluginConfig, handle::PluginHandle};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// How long a plugin may take to start.
const START: Duration = Duration::from_secs(10);

/// Why a plugin is not used. Each is one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No file of that name in the folders.
    #[error("there is no plugin named {name:?} in {}", .looked.iter().map(|dir| dir.display().to_string()).collect::<Vec<_>>().join(", "))]
    NotFound {
        /// What was looked for.
        name: String,
        /// Where.
        looked: Vec<PathBuf>,
    },
    /// The file cannot be read or copied.
    #[error("{}: cannot be read: {source}", .file.display())]
    Unreadable {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not the one that the operator pinned.
    #[error("{}: its sha256 is {found}, but the configuration pins {pinned}: this file is refused", .file.display())]
    WrongPin {
        /// Which file.
        file: PathBuf,
        /// The hash that the file has.
        found: String,
        /// The hash that the configuration names.
        pinned: String,
    },
    /// The file is no usable plugin.
    #[error("{}: {reason}", .file.display())]
    Refused {
        /// Which file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The plugin does not start with this configuration.
    #[error("plugin {name}: {source}")]
    NotStarted {
        /// The plugin's name.
        name: String,
        /// What it says.
        source: driver_api::Error,
    },
}

/// A plugin that runs.
#[derive(Clone)]
pub struct Running {
    /// What it says of itself.
    pub identity: Identity,
    /// The file that the operator placed.
    pub file: PathBuf,
    /// Its hash, in hex.
    pub sha256: String,
    /// To talk to it.
    pub handle: PluginHandle,
}

/// Loads plugins from files.
#[derive(Clone, Debug)]
pub struct Loader {
    /// Where copies are kept: a file that is replaced in place must not change under a running plugin.
    pub cache: PathBuf,
    /// The program that tries a file before this process does: this one, with its hidden probe command.
    pub prober: PathBuf,
}

impl Loader {
    /// Hashes, copies, probes and loads a file. It does not start the plugin yet.
    ///
    /// # Errors
    /// One sentence that says why the file is not used.
    pub async fn load(&self, file: &Path, pinned: Option<[u8; 32]>) -> Result<Library, Error> {
        let copy = {
            let (file, cache) = (file.to_owned(), self.cache.clone());
            // Hashing tens of megabytes would hold up everything else on this thread.
            tokio::task::spawn_blocking(move || pin::copy(&file, &cache, pinned)).await.unwrap_or_else(|stopped| {
                Err(Error::Refused { file: PathBuf::new(), reason: format!("it could not be copied: {stopped}") })
            })?
        };
        let opened = match probe::try_in_child(&self.prober, &copy.file).await {
            Ok(_) => load::open(&copy.file, file, &copy.sha256),
            Err(reason) => Err(reason),
        };
        opened.map_err(|reason| {
            // Nobody will load it; if it cannot be removed, the next start's pruning does.
            let _ = std::fs::remove_file(&copy.file);
            Error::Refused { file: file.to_owned(), reason }
        })
    }

    /// Removes the copies that none of these plugins uses: those of earlier versions.
    pub fn prune<'a>(&self, used: impl Iterator<Item = &'a Running>) {
        let used: Vec<&str> = used.map(|running| running.sha256.as_str()).collect();
        for entry in std::fs::read_dir(&self.cache).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if !used.iter().any(|hash| name.to_string_lossy().starts_with(hash)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

impl Library {
    /// Runs `start`, which starts the plugin and is the plugin's own code: on a thread that it may block, and not for ever.
    ///
    /// # Errors
    /// What `start` says, or that it did not come to its end.
    pub async fn start_with<T: Send + 'static>(
        self,
        start: impl FnOnce(&Library) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let name = self.identity.name.clone();
        let not_started = |why: String| Error::NotStarted {
            name,
            source: driver_api::Error::unknown(driver_api::ErrorKind::Timeout, why),
        };
        match tokio::time::timeout(START, tokio::task::spawn_blocking(move || start(&self))).await {
            Ok(Ok(started)) => started,
            Ok(Err(stopped)) => Err(not_started(format!("its start was cut off: {stopped}"))),
            Err(_) => Err(not_started(format!("it did not start within {} seconds", START.as_secs()))),
        }
    }

    /// Starts the plugin. Its log goes to this process's log, its devices to `events`.
    ///
    /// # Errors
    /// What the plugin says of its configuration.
    pub fn start(
        &self,
        config: &PluginConfig,
        events: impl Fn(DeviceEvent) + Send + Sync + 'static,
    ) -> Result<Running, Error> {
        let host = host::Host::new(self.identity.name.clone(), events);
        let handle = PluginHandle::start(self.module, host, config)
            .map_err(|source| Error::NotStarted { name: self.identity.name.clone(), source })?;
        Ok(Running { identity: self.identity.clone(), file: self.file.clone(), sha256: self.sha256.clone(), handle })
    }
}
