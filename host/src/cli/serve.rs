//! `fingertip serve`: both doors, until the process is told to stop.

use super::{stop, summary};
use crate::{
    app::{App, Reach},
    config::Config,
};
use std::path::Path;
use tokio_util::sync::CancellationToken;

pub(super) async fn run(config: Option<&Path>) -> Result<(), String> {
    let config = Config::load(config).map_err(|error| error.to_string())?;
    config.check_keys().map_err(|error| error.to_string())?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let shown = config.clone();
    let app = App::start(config, Reach::Configured).await.map_err(|error| error.to_string())?;
    eprint!("{}", summary::text(&app, &shown));
    let end = CancellationToken::new();
    tokio::spawn({
        let end = end.clone();
        async move {
            stop::told().await;
            end.cancel();
        }
    });
    app.serve(end).await.map_err(|error| format!("the server ended: {error}"))
}
