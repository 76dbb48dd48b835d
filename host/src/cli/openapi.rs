//! `fingertip openapi`: the REST door's document.

use crate::{app, config::Config, gateway};
use std::path::Path;

pub(super) fn run(config: Option<&Path>) -> Result<(), String> {
    let config = Config::load(config).map_err(|error| error.to_string())?;
    let catalogue = app::catalogue(&config).map_err(|error| error.to_string())?;
    let document = gateway::openapi::document(&catalogue);
    println!("{}", serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?);
    Ok(())
}
