//! Apps whose tree ends the phone's automation program when it is read.
//!
//! It remembers them for a while, beyond the connection that broke: the next would break as well, each time for a minute or
//! more. It does not know how a tree is read.

use crate::{apps, session::Session};
use driver_api::{Error, ErrorKind, Result, Tree};
use std::{
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// How long an app is spared.
const SPARED: Duration = Duration::from_secs(600);
/// How many apps are remembered.
const REMEMBERED: usize = 16;

/// What is remembered of one phone.
#[derive(Debug, Default)]
pub(crate) struct Fragile {
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    /// The connection broke while a tree was read: once may be chance.
    suspicious: bool,
    spared: Vec<(String, Instant)>,
}

impl Fragile {
    /// Reads the tree, unless that has ended the automation program twice with the app that is in front.
    pub(crate) async fn guarded(&self, session: &Session, read: impl Future<Output = Result<Tree>>) -> Result<Tree> {
        let mut app = None;
        if self.is_wary() {
            app = apps::active(session).await.ok();
            if let Some(left) = app.as_ref().and_then(|app| self.spared(&app.id)) {
                return Err(Error::new(
                    ErrorKind::TreeUnavailable,
                    format!(
                        "reading the elements of the app in front ended the iPhone's automation program twice; use pictures \
                         of it, its elements are tried again in {} minutes",
                        left.as_secs().div_ceil(60)
                    ),
                ));
            }
        }
        let read = read.await;
        let mut memory = self.memory();
        match &read {
            Ok(_) => memory.suspicious = false,
            Err(error) if matches!(error.kind, ErrorKind::NotReachable | ErrorKind::HelperNotRunning) => {
                if let Some(app) = app.filter(|_| memory.suspicious) {
                    tracing::warn!(app = app.id, "reading this app's tree ends the phone's automation program");
                    memory.spared.truncate(REMEMBERED - 1);
                    memory.spared.insert(0, (app.id, Instant::now() + SPARED));
                }
                memory.suspicious = true;
            }
            Err(_) => {}
        }
        read
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) {
        *self.memory() = Memory::default();
    }

    fn is_wary(&self) -> bool {
        let mut memory = self.memory();
        memory.spared.retain(|(_, until)| *until > Instant::now());
        memory.suspicious || !memory.spared.is_empty()
    }

    fn spared(&self, app: &str) -> Option<Duration> {
        let memory = self.memory();
        let (_, until) = memory.spared.iter().find(|(spared, _)| spared == app)?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
