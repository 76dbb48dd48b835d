//! One output for several writers: each has it for a whole line.
//!
//! It knows bytes and whose turn it is; it does not know messages.

use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::{
    io::AsyncWrite,
    sync::{Mutex, OwnedMutexGuard},
};

/// The SDK's way to the output. Its turn lasts from its first byte until it has flushed, as it does after each message.
pub struct Turns<W> {
    output: Arc<Mutex<W>>,
    turn: Turn<W>,
}

enum Turn<W> {
    Others,
    Waiting(Pin<Box<dyn Future<Output = OwnedMutexGuard<W>> + Send>>),
    Ours(OwnedMutexGuard<W>),
}

impl<W: AsyncWrite + Send + Unpin + 'static> Turns<W> {
    /// A writer that shares this output with whoever else locks it.
    pub fn new(output: Arc<Mutex<W>>) -> Self {
        Turns { output, turn: Turn::Others }
    }

    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<Pin<&mut W>> {
        if let Turn::Others = self.turn {
            // Almost always free, so that no future need be made.
            self.turn = match self.output.clone().try_lock_owned() {
                Ok(guard) => Turn::Ours(guard),
                Err(_) => Turn::Waiting(Box::pin(self.output.clone().lock_owned())),
            };
        }
        if let Turn::Waiting(waiting) = &mut self.turn {
            self.turn = Turn::Ours(ready!(waiting.as_mut().poll(context)));
        }
        match &mut self.turn {
            Turn::Ours(output) => Poll::Ready(Pin::new(&mut **output)),
            Turn::Others | Turn::Waiting(_) => Poll::Pending, // cannot be: both were dealt with above
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> AsyncWrite for Turns<W> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_turn(context)).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Turn::Others = self.turn {
            return Poll::Ready(Ok(())); // nothing was written since the last flush
        }
        let flushed = ready!(ready!(self.poll_turn(context)).poll_flush(context));
        self.turn = Turn::Others;
        Poll::Ready(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = ready!(ready!(self.poll_turn(context)).poll_shutdown(context));
        self.turn = Turn::Others;
        Poll::Ready(shut)
    }
}

impl<W> fmt::Debug for Turns<W> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = match self.turn {
            Turn::Others => "others",
            Turn::Waiting(_) => "waiting",
            Turn::Ours(_) => "ours",
        };
        out.debug_struct("Turns").field("turn", &turn).finish_non_exhaustive()
    }
}
