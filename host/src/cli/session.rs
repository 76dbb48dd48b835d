//! A catalogue to call: of the server that runs already, or of a host that is started for this command.

use crate::{
    app::{self, App, Reach, StartError},
    capability::{Caller, Catalogue},
    config::{
        Config, Secret,
        instance::{ClaimError, Instance, Running},
    },
    gateway,
};
use std::path::Path;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How a command reaches the phones.
pub(super) enum Session {
    /// Through the server that runs already.
    Joined {
        /// Its catalogue.
        catalogue: Catalogue,
        /// Where it is.
        running: Running,
        /// This process, as the server knows it.
        name: String,
    },
    /// Through a host in this process, which others can join meanwhile.
    Own {
        /// Its catalogue.
        catalogue: Catalogue,
        /// Ends it.
        stop: CancellationToken,
        /// Ends when it has ended.
        host: JoinHandle<std::io::Result<()>>,
        /// This process, as the host knows it.
        name: String,
        /// All devices.
        manager: crate::device::Manager,
    },
}

/// What a command is to those whose phones it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A connection: what it holds ends with it.
    Connection,
    /// One of a user's many commands, which are one caller together.
    Command,
    /// A command that stays with a task: without a server it works on it itself.
    Work,
}

/// Who a command is to those that keep leases. It has no session that would end with it: what it holds stays its user's until it
/// is given back, or by time.
pub(super) fn caller() -> Caller {
    Caller { session: None, client: "command line".to_owned(), picture_limit: None }
}

impl Session {
    /// Whether the host is this process, and ends with it.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Session::Own { .. })
    }

    /// Joins the server of the configured data folder, or starts a host.
    pub(super) async fn open(config: Option<&Path>, kind: Kind) -> Result<Session, String> {
        let config = Config::load(config).map_err(|error| error.to_string())?;
        for warning in &config.warnings {
            tracing::warn!("{warning}");
        }
        let name = format!("stdio:{}", Secret::random().map_err(|error| error.to_string())?.expose());
        let data_dir = config.data_dir.clone();
        let find = move || Instance::find(&data_dir);
        if let Some(running) = tokio::task::spawn_blocking(find.clone()).await.ok().flatten() {
            return joined(&config, running, name, kind);
        }
        let reach = match kind {
            Kind::Connection => Reach::Connected,
            Kind::Command | Kind::Work => Reach::Joined,
        };
        if kind != Kind::Command {
            config.check_keys().map_err(|error| error.to_string())?;
        }
        match App::start(config.clone(), reach).await {
            Ok(app) => {
                let stop = CancellationToken::new();
                let (catalogue, manager) = (app.catalogue.clone(), app.manager.clone());
                let host = tokio::spawn(app.serve(stop.clone()));
                Ok(Session::Own { catalogue, stop, host, name, manager })
            }
            // Another process was a moment faster: its host serves this one too.
            Err(StartError::Claim(held @ ClaimError::Held { .. })) => {
                match tokio::task::spawn_blocking(find).await.ok().flatten() {
                    Some(running) => joined(&config, running, name, kind),
                    None => Err(held.to_string()),
                }
            }
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn catalogue(&self) -> &Catalogue {
        match self {
            Session::Joined { catalogue, .. } | Session::Own { catalogue, .. } => catalogue,
        }
    }

    /// This process, as the host knows it.
    pub(super) fn name(&self) -> &str {
        match self {
            Session::Joined { name, .. } | Session::Own { name, .. } => name,
        }
    }

    /// Gives back what this process held.
    pub(super) async fn close(self) {
        match self {
            Session::Joined { running, name, .. } => {
                gateway::end_session(running.address, running.secret.expose(), &name).await;
            }
            Session::Own { stop, host, name, manager, .. } => {
                manager.forget_holder(&name);
                stop.cancel();
                let _ = host.await;
            }
        }
    }
}

fn joined(config: &Config, running: Running, name: String, kind: Kind) -> Result<Session, String> {
    if running.version != env!("CARGO_PKG_VERSION") {
        tracing::warn!(
            "the running server is version {}, this command is {}: restart the server",
            running.version,
            env!("CARGO_PKG_VERSION")
        );
    }
    let local = app::catalogue(config).map_err(|error| error.to_string())?;
    let session = (kind == Kind::Connection).then(|| name.clone());
    let catalogue = gateway::join(&local, running.address, running.secret.expose(), session);
    Ok(Session::Joined { catalogue, running, name })
}
