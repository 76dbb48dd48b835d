//! MCP over the process's own standard input and output.
//!
//! It knows pipes and the protocol; it does not know HTTP. Lines that are no JSON are answered in front of the SDK.

mod id;
mod lines;
mod turns;

use super::{Connection, Shared};
use crate::{capability::Catalogue, gateway::calls::Calls};
use lines::Lines;
use rmcp::{service::ServerInitializeError, transport::stdio_pipes};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::Mutex,
};
use tokio_util::sync::CancellationToken;
use turns::Turns;

/// How long calls may still run after the client has closed its end: enough for `echo … | fingertip mcp`, and prompt.
const GRACE: Duration = Duration::from_secs(1);

/// Serves the client at the other end of standard input and output, until it closes its end. Nothing else may write to
/// standard output meanwhile.
///
/// # Errors
/// The connection broke.
pub async fn serve_stdio(
    catalogue: Catalogue,
    session: String,
    on_session_end: Arc<dyn Fn(&str) + Send + Sync>,
) -> io::Result<()> {
    let (input, output) = stdio_pipes();
    serve_pipes(catalogue, &session, on_session_end, input, output).await
}

/// [`serve_stdio`] over any two pipes.
pub async fn serve_pipes(
    catalogue: Catalogue,
    session: &str,
    on_session_end: Arc<dyn Fn(&str) + Send + Sync>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let shared = Arc::new(Shared::new(Arc::new(Calls::new(catalogue))));
    let gone = CancellationToken::new();
    let output = Arc::new(Mutex::new(output));
    let input = Lines::new(UntilEof { input, gone: gone.clone() }, output.clone());
    let output = Turns::new(output);
    let connection = Connection { shared, session: Some(session.into()), gone };
    let served = rmcp::serve_server(connection, (input, output)).await;
    let result = match served {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // A client that leaves before it has said anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    };
    on_session_end(session);
    result
}

/// Input that, once it has ended, gives running calls a short grace and then ends them.
struct UntilEof<R> {
    input: R,
    gone: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilEof<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.input).poll_read(context, buffer);
        let ended = match &polled {
            Poll::Ready(Ok(())) => buffer.remaining() > 0 && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            let gone = self.gone.clone();
            tokio::spawn(async move {
                tokio::time::sleep(GRACE).await;
                gone.cancel();
            });
        }
        polled
    }
}
