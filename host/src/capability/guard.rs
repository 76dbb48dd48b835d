//! Keeps a panic inside a capability from reaching a door, where it would leave the caller without an answer.

use super::{Answer, Code, Error, Outcome};
use futures_util::FutureExt;
use std::{future::Future, panic::AssertUnwindSafe};

/// Runs a capability's function and turns a panic into [`Code::Internal`].
pub(super) async fn guard(
    name: &'static str,
    work: impl Future<Output = Result<Answer, Error>>,
) -> Result<Answer, Error> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(tool = name, "the tool panicked");
        Err(Error::new(
            Code::Internal,
            format!("{name} failed inside the server"),
            "Look at the screen to see what happened, then try again; the server's log has the cause.",
        )
        .outcome(Outcome::Unknown))
    })
}
