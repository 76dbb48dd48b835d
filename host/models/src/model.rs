//! A model, and the one thing that it does: to decide.
//!
//! Knows the order of things: a question, a second one when the answer was wrong, and which form each has.

use crate::{
    Decision, Failed, ModelConfig, ModelError, Question, Usage,
    answer::{Check, Kind, Wrong},
    fault::Why,
    form::{Form, Forms},
    request::request,
    send::NoAnswer,
    target::Target,
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The pause before the second try; each further one is twice as long.
const BACKOFF: Duration = Duration::from_millis(500);
/// The longest time that anything is waited for.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A language model. Clones are cheap, and share what was found out about it.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) config: ModelConfig,
    pub(crate) target: Target,
    pub(crate) backoff: Duration,
    forms: Forms,
}

impl Model {
    /// A model; nothing is sent yet.
    ///
    /// # Errors
    /// [`ModelError::Config`] for settings that can never work. A key that is missing is not among them: it is told when the
    /// model is asked.
    pub fn new(config: ModelConfig) -> Result<Model, ModelError> {
        Model::with_backoff(config, BACKOFF)
    }

    /// The same with another pause before the second try, for tests.
    #[doc(hidden)]
    pub fn with_backoff(config: ModelConfig, backoff: Duration) -> Result<Model, ModelError> {
        let wrong = |reason: &str| Err(ModelError::Config { reason: reason.to_owned() });
        if config.timeout.is_zero() {
            return wrong("timeout is 0; allow a request some seconds at least");
        }
        if config.max_tokens == 0 {
            return wrong("max_tokens is 0; allow an answer some hundred tokens at least");
        }
        if config
            .price
            .is_some_and(|price| ![price.input, price.output].iter().all(|usd| usd.is_finite() && *usd >= 0.0))
        {
            return wrong("price has a number that is no price; give dollars for a million tokens, 0 or more");
        }
        let (target, forms) = (Target::new(&config)?, Forms::new(config.answers));
        Ok(Model { inner: Arc::new(Inner { config, target, backoff, forms }) })
    }

    /// The model's name, as configured.
    pub fn name(&self) -> &str {
        &self.inner.config.model
    }

    /// Whether it takes pictures. If not, those of questions are left out.
    pub fn takes_pictures(&self) -> bool {
        self.inner.config.pictures
    }

    /// What the model decides, within this time. `check` says whether a tool's arguments are right; what it says of wrong ones
    /// is told to the model, which is asked once more. Dropping the future ends the request.
    ///
    /// # Errors
    /// [`Failed`], with what was used until then.
    pub async fn decide(&self, question: &Question, within: Duration, check: Check<'_>) -> Result<Decision, Failed> {
        let mut usage = Usage::default();
        match self.inner.decide(question, within, check, &mut usage).await {
            Ok(decision) => Ok(Decision { usage, ..decision }),
            Err(error) => Err(Failed { error, usage }),
        }
    }

    /// The most that one request for this question may use: what it counts as where the future is dropped while it is asked.
    pub fn reckon(&self, question: &Question) -> Usage {
        let Inner { config, target, forms, .. } = &*self.inner;
        let request = request(question, forms.first(), false, None, target, config.pictures, config.max_tokens);
        let mut usage = Usage { requests: 1, ..Usage::default() };
        self.inner.reckon(&request, &mut usage);
        usage
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Model").field(&self.inner.config).finish()
    }
}

impl Inner {
    async fn decide(
        &self,
        question: &Question,
        within: Duration,
        check: Check<'_>,
        usage: &mut Usage,
    ) -> Result<Decision, ModelError> {
        if let Some(variable) = self.target.missing {
            return Err(self.unavailable(Why::new("there is no API key", format!("Configure one, or set {variable}."))));
        }
        if question.tools.is_empty() {
            return Err(ModelError::Config { reason: "there is no tool to decide for; give at least one".to_owned() });
        }
        let within = within.min(LONGEST);
        let deadline = Instant::now() + within;
        let mut form = self.forms.first();
        let mut first: Option<Wrong> = None;
        loop {
            let (pictures, tokens) = (self.config.pictures, self.config.max_tokens);
            let demand = form == Form::Tools && self.forms.demands();
            let request = request(question, form, demand, first.as_ref(), &self.target, pictures, tokens);
            let answer = match self.send(&request, form, (deadline, within), usage).await {
                Ok(answer) => answer,
                // A form that is refused is no answer: it does not count as the first.
                Err(NoAnswer::Demand) => {
                    self.forms.demand_no_more();
                    continue;
                }
                Err(NoAnswer::Form(error)) => match self.forms.after_refusal(form) {
                    Some(next) => {
                        form = next;
                        continue;
                    }
                    None => return Err(error),
                },
                Err(NoAnswer::Failed(error)) => return Err(error),
            };
            if let Some(reason) = &answer.refusal {
                return Err(self.refused(crate::words::plain(reason, self.target.key.as_deref(), 300)));
            }
            match (answer.judge(&question.tools, check), first) {
                (Ok((tool, arguments, said)), first) => {
                    self.forms.keep(form);
                    let repaired = first.map(|wrong| wrong.reason);
                    return Ok(Decision { tool, arguments, said, usage: *usage, repaired });
                }
                (Err(wrong), None) => {
                    // What ended in its thinking says nothing of the form.
                    if wrong.kind != Kind::Unusable && !wrong.cut {
                        form = self.forms.after_prose(form);
                    }
                    first = Some(wrong);
                }
                (Err(wrong), Some(first)) if wrong.is_mute() && first.is_mute() => {
                    return Err(self.refused("its answer has nothing in it, twice".to_owned()));
                }
                (Err(wrong), Some(first)) => {
                    return Err(ModelError::Malformed {
                        model: self.config.model.clone(),
                        tool: first.tool,
                        first: first.reason,
                        reason: wrong.reason,
                        cut: first.cut || wrong.cut,
                    });
                }
            }
        }
    }

    pub(crate) fn unavailable(&self, Why { reason, hint }: Why) -> ModelError {
        ModelError::Unavailable { model: self.config.model.clone(), host: self.target.host.clone(), reason, hint }
    }

    pub(crate) fn refused(&self, reason: String) -> ModelError {
        ModelError::Refused { model: self.config.model.clone(), reason }
    }

    pub(crate) fn late(&self, within: Duration) -> ModelError {
        ModelError::TimedOut { model: self.config.model.clone(), host: self.target.host.clone(), within }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Price;

    fn config() -> ModelConfig {
        ModelConfig::example("http://127.0.0.1:1/v1")
    }

    #[test]
    fn settings_that_cannot_work_are_refused() {
        let price = Some(Price { input: f64::NAN, output: 1.0 });
        for (config, part) in [
            (ModelConfig { timeout: Duration::ZERO, ..config() }, "timeout"),
            (ModelConfig { max_tokens: 0, ..config() }, "max_tokens"),
            (ModelConfig { price, ..config() }, "price"),
        ] {
            let error = Model::new(config).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_model_shows_no_key_and_its_decisions_can_be_awaited_anywhere() {
        fn sendable<T: Send>(_: &T) {}
        let model = Model::new(config()).unwrap();
        assert!(!format!("{model:?}").contains("hunter2"));
        let question = Question { system: String::new(), user: String::new(), picture: None, tools: Vec::new() };
        sendable(&model.decide(&question, Duration::ZERO, &|_, _| Ok(())));
    }
}
