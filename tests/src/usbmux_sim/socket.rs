//! The two kinds of sockets on which a muxer listens, as one. It knows no byte of what goes over them.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    pin::Pin,
    task::{Context, Poll},
};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};

/// Where a simulated muxer listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// On this port of 127.0.0.1; 0 takes a free one.
    Tcp(u16),
    /// On a Unix socket with this path. A socket that nobody serves any more is replaced.
    Unix(PathBuf),
}

pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Must be called within a runtime.
    pub(super) fn bind(at: &Listen) -> io::Result<Listener> {
        match at {
            Listen::Tcp(port) => {
                let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, *port))?;
                listener.set_nonblocking(true)?;
                Ok(Listener::Tcp(TcpListener::from_std(listener)?))
            }
            #[cfg(unix)]
            Listen::Unix(path) => {
                use std::os::unix::fs::FileTypeExt;
                if std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
                    // It may be the real muxer's.
                    if std::os::unix::net::UnixStream::connect(path).is_ok() {
                        return Err(io::ErrorKind::AddrInUse.into());
                    }
                    std::fs::remove_file(path)?;
                }
                Ok(Listener::Unix(UnixListener::bind(path)?, path.clone()))
            }
            #[cfg(not(unix))]
            Listen::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// The same place, with the port that was taken.
    pub(super) fn place(&self) -> io::Result<Listen> {
        match self {
            Listener::Tcp(listener) => listener.local_addr().map(|address: SocketAddr| Listen::Tcp(address.port())),
            #[cfg(unix)]
            Listener::Unix(_, path) => Ok(Listen::Unix(path.clone())),
        }
    }

    pub(super) async fn accept(&self) -> io::Result<Socket> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Socket::Tcp(stream))
            }
            #[cfg(unix)]
            Listener::Unix(listener, _) => Ok(Socket::Unix(listener.accept().await?.0)),
        }
    }
}

#[cfg(unix)]
impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            drop(std::fs::remove_file(path));
        }
    }
}

pub(super) enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Socket {
    /// From now on closing loses what is on its way, and the other side gets a reset where the socket knows such a thing.
    pub(super) fn reset(&self) {
        if let Socket::Tcp(stream) = self {
            drop(stream.set_zero_linger());
        }
    }
}

macro_rules! either {
    ($socket:expr, $stream:ident => $call:expr) => {
        match $socket.get_mut() {
            Socket::Tcp(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            #[cfg(unix)]
            Socket::Unix(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_shutdown(cx))
    }
}
