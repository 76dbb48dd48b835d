//! Tries a file in a child process, before this process maps it.
//!
//! Mapping a truncated library kills the process that does it, and a library runs code of its own as soon as it is mapped.
//! Here that is a child's business.

use super::load;
use serde::{Deserialize, Serialize};
use std::{path::Path, process::Stdio, time::Duration};

/// A plugin that hangs while it is mapped is refused after this time.
const LIMIT: Duration = Duration::from_secs(10);

/// What a plugin says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its name, such as `wda`.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// The version of the driver API that it was built with.
    pub api_version: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Plugin(Identity),
    Refused(String),
}

/// The child's side: opens the file and writes one line of JSON to stdout.
pub fn answer_probe(file: &Path) {
    let verdict = match load::open(file, file, "") {
        Ok(library) => Verdict::Plugin(library.identity),
        Err(reason) => Verdict::Refused(reason),
    };
    if let Ok(line) = serde_json::to_string(&verdict) {
        println!("{line}");
    }
}

/// The parent's side.
///
/// # Errors
/// One sentence that says why the file is refused.
pub(super) async fn try_in_child(prober: &Path, file: &Path) -> Result<Identity, String> {
    looks_like_a_library(file)?;
    let mut child = tokio::process::Command::new(prober);
    child
        .args(["plugin", "probe"])
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let child = child.spawn().map_err(|error| format!("it could not be tried: {error}"))?;
    let output = match tokio::time::timeout(LIMIT, child.wait_with_output()).await {
        Ok(output) => output.map_err(|error| format!("it could not be tried: {error}"))?,
        Err(_) => return Err(format!("it did not load within {} seconds", LIMIT.as_secs())),
    };
    match serde_json::from_slice(&output.stdout) {
        Ok(Verdict::Plugin(identity)) => Ok(identity),
        Ok(Verdict::Refused(reason)) => Err(reason),
        Err(_) => Err("it is damaged: the process that tried to load it was killed; copy the file again".to_owned()),
    }
}

/// What can be told from the first bytes, in clearer words than the system's loader has.
fn looks_like_a_library(file: &Path) -> Result<(), String> {
    use std::io::Read;
    let mut start = Vec::new();
    std::fs::File::open(file)
        .and_then(|file| file.take(4).read_to_end(&mut start))
        .map_err(|error| format!("it cannot be read: {error}"))?;
    match start.as_slice() {
        [] => Err("it is empty".to_owned()),
        [0x7f, b'E', b'L', b'F'] | [b'M', b'Z', ..] | [0xcf | 0xce, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe] => {
            Ok(())
        }
        _ => Err("it is not a library".to_owned()),
    }
}
