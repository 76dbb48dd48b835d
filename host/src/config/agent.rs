//! `[agent]` and `[limits]`: the model that works on tasks, when it asks a human, and how much a task may use.
//!
//! Knows the sections' keys. Does not know how a model is asked, or how what is used is counted.

use super::{ConfigError, Key, folders, read::Section};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the sections may hold.
pub(super) const KEYS: [&str; 11] = [
    "model",
    "base_url",
    "api_key_env",
    "answers",
    "pictures",
    "timeout_ms",
    "max_tokens",
    "resume_on_start",
    "ask_before",
    "needs_human",
    "price",
];
pub(super) const PRICE: [&str; 2] = ["input", "output"];
pub(super) const LIMITS: [&str; 4] = ["steps", "tokens", "usd", "seconds"];
/// How decisions may be asked for.
const ANSWERS: [&str; 4] = ["auto", "tools", "schema", "text"];
/// Before what a model's task asks, as it is named in `ask_before`.
pub const OCCASIONS: [&str; 4] = ["one_time_code", "captcha", "payment", "deletion"];
/// How long one answer of a model may take unless the operator says.
const TIMEOUT_MS: i64 = 60_000;
/// How many tokens one answer may have unless the operator says. A call has few, but models that reason spend thousands before it.
const MAX_TOKENS: i64 = 8_000;
/// The longest that it may be given.
const LONGEST_MS: i64 = 600_000;

/// `[agent]` and `[limits]`.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The model, where there is one: without it tasks bring their own steps.
    pub model: Option<AgentModel>,
    /// Whether tasks that a former run of the host did not end go on at its start.
    pub resume_on_start: bool,
    /// Before what a human is asked.
    pub ask_before: AskBefore,
    /// How much one task may use.
    pub limits: TaskLimits,
}

impl Default for Agent {
    fn default() -> Self {
        let (ask_before, limits) = (AskBefore::default(), TaskLimits::default());
        Agent { model: None, resume_on_start: true, ask_before, limits }
    }
}

/// When a human is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskBefore {
    /// Kinds of occasions, of [`OCCASIONS`].
    pub occasions: Vec<String>,
    /// Words of the operator's own: an action on something that shows one of them is asked for.
    pub words: Vec<String>,
}

impl Default for AskBefore {
    fn default() -> Self {
        AskBefore { occasions: OCCASIONS.map(str::to_owned).to_vec(), words: Vec::new() }
    }
}

/// The most that one task may use; a task may ask for less.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskLimits {
    /// Steps.
    pub steps: u32,
    /// Tokens of models, read and written.
    pub tokens: u64,
    /// US dollars, by the price of the configuration.
    pub usd: f64,
    /// Seconds at work.
    pub seconds: f64,
}

impl Default for TaskLimits {
    fn default() -> Self {
        TaskLimits { steps: 200, tokens: 1_000_000, usd: 5.0, seconds: 3600.0 }
    }
}

/// Which model works on tasks, and how it is reached.
#[derive(Clone, Debug)]
pub struct AgentModel {
    /// Provider and name (`openai::gpt-5-mini`), or a name that the server at `base_url` knows.
    pub model: String,
    /// The address of a server that speaks OpenAI's chat completions, to which `chat/completions` is added, or for `anthropic::…` and
    /// `gemini::…` that provider's protocol.
    pub base_url: Option<Url>,
    /// The key, where one is needed.
    pub api_key: Option<Key>,
    /// How decisions are asked for: auto, tools, schema or text.
    pub answers: String,
    /// Whether the model takes pictures.
    pub pictures: bool,
    /// How long one answer may take.
    pub timeout: Duration,
    /// How many tokens one answer may have.
    pub max_tokens: u32,
    /// US dollars for a million tokens, read and written.
    pub price: Option<(f64, f64)>,
}

impl Agent {
    pub(super) fn read(root: Section<'_>, env: folders::Env<'_>) -> Result<Self, ConfigError> {
        let limits = root.section("limits", "[limits]", "written [limits] and only once")?;
        let limits = limits.map(read_limits).transpose()?.unwrap_or_default();
        let Some(section) = root.section("agent", "[agent]", "written [agent] and only once")? else {
            return Ok(Agent { limits, ..Agent::default() });
        };
        section.allow(&KEYS, super::home_of)?;
        let resume = section.get("resume_on_start").map(|field| field.flag()).transpose()?;
        Ok(Agent {
            model: read_model(section, env)?,
            resume_on_start: resume.unwrap_or(true),
            ask_before: read_occasions(section)?,
            limits,
        })
    }
}

fn read_limits(section: Section<'_>) -> Result<TaskLimits, ConfigError> {
    section.allow(&LIMITS, super::home_of)?;
    let mut limits = TaskLimits::default();
    if let Some(field) = section.get("steps") {
        limits.steps = u32::try_from(field.number(1..=10_000)?).unwrap_or(limits.steps);
    }
    if let Some(field) = section.get("tokens") {
        limits.tokens = field.number(1..=1_000_000_000)?.unsigned_abs();
    }
    if let Some(field) = section.get("usd") {
        limits.usd = field.amount(0.0..=10_000.0)?;
    }
    if let Some(field) = section.get("seconds") {
        limits.seconds = field.amount(1.0..=604_800.0)?;
    }
    Ok(limits)
}

fn read_model(section: Section<'_>, env: folders::Env<'_>) -> Result<Option<AgentModel>, ConfigError> {
    let Some(model) = section.text("model", "openai::gpt-5-mini")? else {
        let needs = ["base_url", "api_key_env", "answers", "pictures", "timeout_ms", "max_tokens", "price"];
        let stray = needs.into_iter().find_map(|key| section.get(key));
        return match stray {
            Some(field) => {
                Err(field.error("stands without `model`; name the model, such as model = \"openai::gpt-5-mini\""))
            }
            None => Ok(None),
        };
    };
    let base_url = section.get("base_url").map(|field| super::api_address(&field)).transpose()?;
    let api_key = section.get("api_key_env").map(|field| super::api_key(&field, env)).transpose()?;
    let answers = match section.get("answers") {
        None => ANSWERS[0],
        Some(field) => field.one_of(&ANSWERS)?,
    };
    let price = section.section("price", "[agent.price]", "written [agent.price]")?;
    let price = price.map(|price| {
        price.allow(&PRICE, super::home_of)?;
        let of = |key: &str| price.get(key).map_or(Ok(0.0), |field| field.amount(0.0..=100_000.0));
        Ok((of("input")?, of("output")?))
    });
    let timeout_ms = section.get("timeout_ms").map(|field| field.number(1..=LONGEST_MS)).transpose()?;
    let max_tokens = section.get("max_tokens").map(|field| field.number(16..=100_000)).transpose()?;
    Ok(Some(AgentModel {
        model: model.to_owned(),
        base_url,
        api_key,
        answers: answers.to_owned(),
        pictures: section.get("pictures").map(|field| field.flag()).transpose()?.unwrap_or_default(),
        timeout: Duration::from_millis(timeout_ms.unwrap_or(TIMEOUT_MS).unsigned_abs()),
        max_tokens: u32::try_from(max_tokens.unwrap_or(MAX_TOKENS)).unwrap_or(u32::MAX),
        price: price.transpose()?,
    }))
}

fn read_occasions(section: Section<'_>) -> Result<AskBefore, ConfigError> {
    let mut ask = AskBefore::default();
    if let Some(field) = section.get("ask_before") {
        let named = |element: super::Field<'_>| element.one_of(&OCCASIONS).map(str::to_owned);
        ask.occasions = field.elements("[\"payment\"]")?.into_iter().map(named).collect::<Result<_, _>>()?;
    }
    if let Some(field) = section.get("needs_human") {
        let word = |element: super::Field<'_>| element.text("Transfer").map(str::to_owned);
        ask.words = field.elements("[\"Transfer\"]")?.into_iter().map(word).collect::<Result<_, _>>()?;
    }
    Ok(ask)
}
