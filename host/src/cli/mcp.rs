//! `fingertip mcp`: the MCP door over standard input and output.

use super::session::{Kind, Session};
use crate::gateway;
use std::{path::Path, sync::Arc};

pub(super) async fn run(config: Option<&Path>) -> Result<(), String> {
    let session = Session::open(config, Kind::Connection).await?;
    let (catalogue, name) = (session.catalogue().clone(), session.name().to_owned());
    let served = gateway::serve_stdio(catalogue, name, Arc::new(|_: &str| {})).await;
    session.close().await;
    served.map_err(|error| format!("the connection to the client broke: {error}"))
}
