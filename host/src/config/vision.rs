//! `[perception.vision]`: a model that says a sentence about what a screen shows.
//!
//! Knows the section's keys. Does not know how a model is asked.

use super::{ConfigError, Key, folders, read::Section};
use reqwest::Url;
use std::time::Duration;

/// What the section may hold.
pub(super) const KEYS: [&str; 4] = ["base_url", "model", "api_key_env", "timeout_ms"];
/// How long an answer may take unless the operator says.
const TIMEOUT_MS: i64 = 10_000;
/// No call takes longer.
const LONGEST_MS: i64 = 120_000;

/// Where a vision model is, and how it is called.
#[derive(Clone, Debug)]
pub struct VisionModel {
    /// The API's address, to which `chat/completions` is added.
    pub base_url: Url,
    /// The model's name.
    pub model: String,
    /// The key, where the server wants one.
    pub api_key: Option<Key>,
    /// How long an answer may take.
    pub timeout: Duration,
}

impl VisionModel {
    pub(super) fn read(perception: Section<'_>, env: folders::Env<'_>) -> Result<Option<Self>, ConfigError> {
        let header = "[perception.vision]";
        let Some(section) = perception.section("vision", header, &format!("written {header}"))? else {
            return Ok(None);
        };
        section.allow(&KEYS, super::home_of)?;
        let missing = |key: &str, example: &str| {
            section.error(format!("has no `{key}`; give it one, such as {key} = \"{example}\""))
        };
        let address = section.get("base_url").ok_or_else(|| missing("base_url", super::API_EXAMPLE))?;
        let base_url = super::api_address(&address)?;
        let model = section.text("model", "qwen2.5vl:3b")?.ok_or_else(|| missing("model", "qwen2.5vl:3b"))?.to_owned();
        let api_key = section.get("api_key_env").map(|field| super::api_key(&field, env));
        let timeout_ms = section.get("timeout_ms").map(|field| field.number(1..=LONGEST_MS)).transpose()?;
        Ok(Some(VisionModel {
            base_url,
            model,
            api_key: api_key.transpose()?,
            timeout: Duration::from_millis(timeout_ms.unwrap_or(TIMEOUT_MS).unsigned_abs()),
        }))
    }
}
