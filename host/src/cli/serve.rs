//! `fingertip serve`: both doors, until the process is told to stop.

use super::summary;
use crate::{
    app::{App, Reach},
    config::Config,
};
use std::path::Path;
use tokio_util::sync::CancellationToken;

pub(super) async fn run(config: Option<&Path>) -> Result<(), String> {
    let config = Config::load(config).map_err(|error| error.to_string())?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let shown = config.clone();
    let app = App::start(config, Reach::Configured).await.map_err(|error| error.to_string())?;
    eprint!("{}", summary::text(&app, &shown));
    let stop = CancellationToken::new();
    tokio::spawn({
        let stop = stop.clone();
        async move {
            told_to_stop().await;
            stop.cancel();
        }
    });
    app.serve(stop).await.map_err(|error| format!("the server ended: {error}"))
}

/// Waits for an interrupt, or for the system's request to end.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => return,
                _ = terminate.recv() => return,
            }
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
