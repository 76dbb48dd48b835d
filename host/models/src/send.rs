//! One request until there is an answer: time limits, and further tries with growing pauses.
//!
//! Knows time and money. What is asked, and what the answer is worth, it does not know.

use crate::{
    ModelError, Usage,
    answer::Answer,
    fault::{Asked, Fault, fault, no_chat, told},
    form::Form,
    model::Inner,
    request::Request,
};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// The longest pause before another try. Who wants to be left alone for longer is not asked again.
const LONGEST: Duration = Duration::from_secs(60);

/// Why there is no answer to a request.
pub(crate) enum NoAnswer {
    /// The server does not take this form of asking.
    Form(ModelError),
    /// The server does not take that a call is demanded.
    Demand,
    Failed(ModelError),
}

impl Inner {
    /// The answer to a request, before the moment that ends the time which all requests have; what it cost is added.
    pub(crate) async fn send(
        &self,
        request: &Request,
        form: Form,
        (deadline, within): (Instant, Duration),
        usage: &mut Usage,
    ) -> Result<Answer, NoAnswer> {
        let asked = Asked { form, demand: request.demand, picture: request.picture, key: self.target.key.as_deref() };
        let mut tries = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (time, limit) =
                if left < self.config.timeout { (left, within) } else { (self.config.timeout, self.config.timeout) };
            if time.is_zero() {
                return Err(NoAnswer::Failed(self.late(limit)));
            }
            usage.requests += 1;
            // A future that is dropped here closes its connection.
            let Ok(got) = timeout(time, self.once(request, &asked)).await else {
                self.reckon(request, usage);
                return Err(NoAnswer::Failed(self.late(limit)));
            };
            let (why, after) = match got {
                Ok(answer) => {
                    let (input, output) =
                        (answer.input.unwrap_or(request.tokens), answer.output.unwrap_or(answer.reckoned));
                    usage.add(input, output, self.config.price);
                    return Ok(answer);
                }
                Err(Fault::Again { why, after, worked }) => {
                    if worked {
                        self.reckon(request, usage);
                    }
                    (why, after)
                }
                Err(Fault::Demand) => return Err(NoAnswer::Demand),
                Err(Fault::Form(why)) => return Err(NoAnswer::Form(self.unavailable(why))),
                Err(Fault::Final(why)) => return Err(NoAnswer::Failed(self.unavailable(why))),
                Err(Fault::Refused(reason)) => return Err(NoAnswer::Failed(self.refused(reason))),
            };
            let pause = after.unwrap_or_else(|| self.backoff.saturating_mul(1 << tries.min(10)).min(LONGEST));
            let left = deadline.saturating_duration_since(Instant::now());
            if tries >= self.config.retries || pause > LONGEST || pause >= left {
                return Err(NoAnswer::Failed(self.unavailable(why)));
            }
            tries += 1;
            sleep(pause).await;
        }
    }

    /// Adds what a server may count whose answer did not arrive: the most that it may have computed.
    pub(crate) fn reckon(&self, request: &Request, usage: &mut Usage) {
        usage.add(request.tokens, u64::from(self.config.max_tokens), self.config.price);
    }

    async fn once(&self, request: &Request, asked: &Asked<'_>) -> Result<Answer, Fault> {
        let chat = request.chat.clone();
        match self.target.client.exec_chat(self.target.spec.clone(), chat, Some(&request.options)).await {
            Ok(response) => match &response.captured_raw_body {
                Some(body) => match told(body, asked) {
                    Some(told) => told,
                    // What is missing is read as empty, as if the model had nothing to say.
                    None if self.target.plain && body.get("choices").is_none() => Err(no_chat()),
                    None => Ok(Answer::new(response)),
                },
                None => Ok(Answer::new(response)),
            },
            Err(error) => fault(error, asked),
        }
    }
}
