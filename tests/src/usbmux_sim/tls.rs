//! TLS that can be taken off again: a phone goes back to plain text on the same connection when a session is stopped. It knows
//! records and sockets, not what is said over them.

use super::pairing::Pairing;
use super::wire::{PATIENCE, within};
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// How long a client may take to say that the encrypted part is over.
const GOODBYE: Duration = Duration::from_secs(2);
const HEAD: usize = 5;

/// Waits for the client's handshake.
pub(super) async fn accept<S>(stream: S, pairing: &Pairing, demanding: bool) -> io::Result<TlsStream<Records<S>>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let acceptor = TlsAcceptor::from(pairing.tls(demanding));
    let accepted = within(PATIENCE, acceptor.accept(Records { stream, head: [0; HEAD], have: 0, left: 0 })).await;
    accepted.inspect_err(|error| tracing::debug!(%error, "a client failed in the handshake"))
}

/// Waits for the client's last record, says goodbye too, and leaves the stream as it is.
pub(super) async fn leave<S>(mut stream: TlsStream<Records<S>>) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let goodbye = async {
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        stream.shutdown().await
    };
    within(GOODBYE, goodbye).await
}

/// A stream from which never more than one record is read at a time, so that nothing behind the last one is lost.
pub(super) struct Records<S> {
    stream: S,
    head: [u8; HEAD],
    /// How many bytes of the next record's head are known.
    have: usize,
    /// How many bytes of the record are still to be read.
    left: usize,
}

impl<S: AsyncRead + Unpin> AsyncRead for Records<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let want = if this.left > 0 { this.left } else { HEAD - this.have }.min(buffer.remaining());
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(want));
        ready!(Pin::new(&mut this.stream).poll_read(cx, &mut part))?;
        let read = part.filled();
        if this.left > 0 {
            this.left -= read.len();
        } else {
            this.head[this.have..this.have + read.len()].copy_from_slice(read);
            this.have += read.len();
            if this.have == HEAD {
                this.have = 0;
                this.left = usize::from(u16::from_be_bytes([this.head[3], this.head[4]]));
            }
        }
        let read = read.len();
        buffer.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Records<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// The end of TLS is not the end of the connection.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
}
