//! How a model is reached, as the operator wrote it.
//!
//! Knows the settings and their spelling. Where they are read from is the caller's.

use crate::ModelError;
use std::{fmt, str::FromStr, time::Duration};

/// How a model is reached. Its `Debug` shows no key.
#[derive(Clone, PartialEq)]
pub struct ModelConfig {
    /// The model: `openai::gpt-5-mini`, `anthropic::…`, `gemini::…`, `ollama::qwen3:8b`, or a bare name whose provider is told by
    /// its beginning (`gpt-…`, `claude-…`; Ollama where nothing else fits). With `base_url` a bare name of that server.
    pub model: String,
    /// An OpenAI-compatible server, as in `http://localhost:8080/v1`, to which `/chat/completions` is added; for `anthropic::…` and
    /// `gemini::…` a server that speaks that provider's protocol, as in `https://gateway.test/v1`.
    pub base_url: Option<String>,
    /// The key. With none and no `base_url`, the provider's own environment variable counts, as in `OPENAI_API_KEY`.
    pub api_key: Option<String>,
    /// How decisions are asked for.
    pub answers: Answers,
    /// Whether the model takes pictures. To one that takes none, none is sent.
    pub pictures: bool,
    /// How long one request may take.
    pub timeout: Duration,
    /// How often a request is tried again after 429, 5xx or a broken connection.
    pub retries: u32,
    /// How many tokens one answer may have.
    pub max_tokens: u32,
    /// What tokens cost; without it nothing is said to cost anything.
    pub price: Option<Price>,
}

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of what is sent.
    pub input: f64,
    /// Of what is answered.
    pub output: f64,
}

/// How decisions are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// `auto`: as tool calls, and where the model or its server cannot, by a schema, or else by text. It stays with what worked.
    #[default]
    Auto,
    /// `tools`: as tool calls. JSON in the text is taken too.
    Tools,
    /// `schema`: as JSON that the server holds to a schema. Small local models need this.
    Schema,
    /// `text`: as JSON that only the text asks for.
    Text,
}

impl Answers {
    /// The name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Answers::Auto => "auto",
            Answers::Tools => "tools",
            Answers::Schema => "schema",
            Answers::Text => "text",
        }
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Answers {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Answers, ModelError> {
        [Answers::Auto, Answers::Tools, Answers::Schema, Answers::Text]
            .into_iter()
            .find(|answers| answers.as_str() == text)
            .ok_or_else(|| ModelError::Config {
                reason: format!("answers is {text:?}; give \"auto\", \"tools\", \"schema\" or \"text\""),
            })
    }
}

impl fmt::Debug for ModelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An address may carry a key too, in its user part or in its query.
        let url = self.base_url.as_deref().map(crate::target::without_secrets);
        f.debug_struct("ModelConfig")
            .field("model", &self.model)
            .field("base_url", &url)
            .field("api_key", &self.api_key.as_ref().map(|_| "•••"))
            .field("answers", &self.answers)
            .field("pictures", &self.pictures)
            .field("timeout", &self.timeout)
            .field("retries", &self.retries)
            .field("max_tokens", &self.max_tokens)
            .field("price", &self.price)
            .finish()
    }
}

#[cfg(test)]
impl ModelConfig {
    /// One for tests, with a key that must be shown nowhere.
    pub(crate) fn example(base_url: &str) -> ModelConfig {
        ModelConfig {
            model: "little".to_owned(),
            base_url: Some(base_url.to_owned()),
            api_key: Some("hunter2".to_owned()),
            answers: Answers::Auto,
            pictures: false,
            timeout: Duration::from_secs(1),
            retries: 0,
            max_tokens: 10,
            price: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_are_written() {
        for answers in [Answers::Auto, Answers::Tools, Answers::Schema, Answers::Text] {
            assert_eq!(answers.as_str().parse(), Ok(answers));
        }
        let error = "json".parse::<Answers>().unwrap_err().to_string();
        assert!(error.contains("\"json\"") && error.contains("\"schema\""), "{error}");
    }

    #[test]
    fn no_key_is_shown() {
        let config = ModelConfig::example("https://me:hunter2@models.test/v1?key=hunter2");
        let shown = format!("{config:?}");
        assert!(!shown.contains("hunter2") && shown.contains("models.test"), "{shown}");
    }
}
