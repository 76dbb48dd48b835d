//! A call that has begun and goes on when its caller leaves.
//!
//! A phone that was told to do something does it whether or not somebody waits. The call keeps the device's turn until it is
//! over, so that the next caller does not meet a phone that is still at work.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::runtime::Handle;

/// Polls a future in place, and moves what is left of it into a task of its own when it is dropped.
pub(super) struct Flight<F: Future + Send + 'static>(Option<Pin<Box<F>>>)
where
    F::Output: Send;

impl<F: Future + Send + 'static> Flight<F>
where
    F::Output: Send,
{
    pub(super) fn new(work: F) -> Self {
        Flight(Some(Box::pin(work)))
    }
}

impl<F: Future + Send + 'static> Future for Flight<F>
where
    F::Output: Send,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let work = self.0.as_mut().expect("a future is not polled after it is ready");
        let ready = std::task::ready!(work.as_mut().poll(context));
        self.0 = None;
        Poll::Ready(ready)
    }
}

impl<F: Future + Send + 'static> Drop for Flight<F>
where
    F::Output: Send,
{
    fn drop(&mut self) {
        // Without a runtime the process is ending, and the work with it.
        if let (Some(work), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(work);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn what_has_begun_is_finished_without_its_caller() {
        let (done, finished) = tokio::sync::oneshot::channel();
        let flight = Flight::new(async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let _ = done.send(7);
        });
        assert!(tokio::time::timeout(Duration::from_millis(1), flight).await.is_err());
        assert_eq!(finished.await, Ok(7));
    }
}
