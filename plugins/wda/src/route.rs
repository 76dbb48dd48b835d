//! The ways to one port of one phone: by cable while it is plugged in, else over the network.
//!
//! It knows how a connection comes about and why it does not. It does not know what is said over it.

use crate::{http::Broken, options::Address, usb::Cable};
use rustls_platform_verifier::ConfigVerifierExt;
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::TlsConnector;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(3);
/// After this much silence the system looks whether the other side is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Bytes in both directions, whatever carries them.
pub(crate) trait Bytes: AsyncRead + AsyncWrite + Unpin + Send + Sync + std::fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + Sync + std::fmt::Debug> Bytes for T {}

/// An open connection.
pub(crate) type Socket = Box<dyn Bytes>;

/// The ways to one port of one phone.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// By cable, where the phone can be told from others.
    pub(crate) cable: Option<Cable>,
    /// Over the network, where it has an address.
    pub(crate) address: Option<Address>,
}

impl Route {
    /// Opens a connection.
    pub(crate) async fn open(&self, until: Instant) -> Result<Socket, Broken> {
        let until = until.min(Instant::now() + CONNECT);
        let opened = async {
            let cable = self.cable.as_ref().filter(|cable| cable.is_plugged());
            match (cable, &self.address) {
                (Some(cable), None) => cable.open().await,
                // Nothing was sent by a cable that leads nowhere: the program may listen on one address only.
                (Some(cable), Some(address)) => match cable.open().await {
                    Err(refused) => over_network(address).await.map_err(|_| refused),
                    socket => socket,
                },
                (None, Some(address)) => over_network(address).await,
                // Some multiplexers know a way over the network too.
                (None, None) => match &self.cable {
                    Some(cable) if cable.is_known() => cable.open().await,
                    _ => Err(Broken::NotPlugged),
                },
            }
        };
        timeout_at(until, opened).await.unwrap_or(Err(Broken::NoRoute))
    }

    /// What the phone is called in a request.
    pub(crate) fn host(&self) -> String {
        match (&self.address, &self.cable) {
            (Some(address), _) => address.host_header(),
            (None, Some(cable)) => format!("localhost:{}", cable.port()),
            (None, None) => "localhost".to_owned(),
        }
    }

    /// Whether it goes by cable as things stand.
    pub(crate) fn is_by_cable(&self) -> bool {
        self.cable.as_ref().is_some_and(Cable::is_plugged)
    }
}

async fn over_network(address: &Address) -> Result<Socket, Broken> {
    let (host, port) = address.host_port();
    let socket = TcpStream::connect((host, port)).await.map_err(|error| match error.kind() {
        io::ErrorKind::ConnectionRefused => Broken::PortClosed,
        _ => Broken::NoRoute,
    })?;
    ready(&socket);
    if !address.is_secure() {
        return Ok(Box::new(socket));
    }
    let name = host.to_owned().try_into().map_err(|_| Broken::NoRoute)?;
    let connector = connector().map_err(|_| Broken::NoRoute)?;
    let socket = connector.connect(name, socket).await.map_err(|error| {
        tracing::warn!(%error, "the encrypted connection to the iPhone's address did not come about");
        Broken::NoRoute
    })?;
    Ok(Box::new(socket))
}

/// Small requests go out at once, and a dead connection is noticed.
pub(crate) fn ready(socket: &TcpStream) {
    let keep_alive = socket2::TcpKeepalive::new().with_time(KEEP_ALIVE);
    let set = socket.set_nodelay(true).and_then(|()| socket2::SockRef::from(socket).set_tcp_keepalive(&keep_alive));
    if let Err(error) = set {
        tracing::debug!(%error, "a connection's options could not be set");
    }
}

fn connector() -> Result<TlsConnector, rustls::Error> {
    crate::tls_provider();
    Ok(TlsConnector::from(Arc::new(rustls::ClientConfig::with_platform_verifier()?)))
}
