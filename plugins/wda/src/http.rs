//! The wire: one request, one answer, within a time and a size.
//!
//! It knows HTTP and how a connection fails. It knows neither sessions nor what the phone's answers mean, and it never
//! sends anything twice.

use crate::options::Address;
use driver_api::{Error, ErrorKind, Result};
use reqwest::{Client, ClientBuilder, Method, StatusCode, redirect::Policy};
use serde_json::Value;
use std::{
    io,
    sync::{Once, OnceLock},
    time::Duration,
};

/// No answer of a phone is larger: a tree of thousands of elements has a few megabytes, a picture some ten.
const LARGEST: usize = 64 << 20;
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(3);
/// Left of the caller's time, so that the answer about a timeout still reaches it.
const MARGIN: Duration = Duration::from_millis(30);

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status line's number.
    pub(crate) status: u16,
    /// The body, or the part of it that arrived.
    pub(crate) body: Vec<u8>,
    /// Whether all of the body arrived.
    pub(crate) whole: bool,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// No connection: the port is closed on a host that is there. Nothing was sent.
    PortClosed,
    /// No connection: nobody is there. Nothing was sent.
    NoRoute,
    /// The connection broke after something may have been sent.
    Lost,
    /// The time was over.
    Late,
    /// The answer was too large to keep.
    TooLarge,
}

/// A client for one phone, with one kept connection.
#[derive(Debug)]
pub(crate) struct Http {
    client: Client,
    base: String,
}

impl Http {
    /// A client with no connection yet.
    pub(crate) fn new(address: &Address) -> Result<Self> {
        let client = builder(address).pool_max_idle_per_host(1).build().map_err(no_client)?;
        Ok(Http { client, base: address.base().to_owned() })
    }

    /// A client for looking whether a phone answers; it keeps no connection. All phones share it.
    pub(crate) fn for_probes(address: &Address) -> Result<Self> {
        static PLAIN: OnceLock<Client> = OnceLock::new();
        let base = address.base().to_owned();
        if let (false, Some(client)) = (address.is_secure(), PLAIN.get()) {
            return Ok(Http { client: client.clone(), base });
        }
        let client = builder(address).pool_max_idle_per_host(0).build().map_err(no_client)?;
        let client = if address.is_secure() { client } else { PLAIN.get_or_init(|| client).clone() };
        Ok(Http { client, base })
    }

    /// Sends once. `path` starts with a slash and does not end with one.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        limit: Duration,
    ) -> Result<Answer, Broken> {
        debug_assert!(path.starts_with('/') && !path.ends_with('/'), "{path}");
        let mut request = self.client.request(method, format!("{}{path}", self.base)).timeout(within(limit));
        if let Some(body) = body {
            // From bytes, so that the length is known and stated.
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        let mut response = request.send().await.map_err(|error| why(&error))?;
        let status = response.status().as_u16();
        let mut body = Vec::with_capacity(response.content_length().map_or(0, |length| length.min(1 << 24)) as usize);
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > LARGEST => return Err(Broken::TooLarge),
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(Answer { status, body, whole: true }),
                Err(error) if error.is_timeout() => return Err(Broken::Late),
                Err(_) if body.is_empty() => return Err(Broken::Lost),
                Err(_) => return Ok(Answer { status, body, whole: false }),
            }
        }
    }
}

/// At most `limit`, and less when the caller's time is nearly over.
pub(crate) fn within(limit: Duration) -> Duration {
    driver_api::time_left().map_or(limit, |left| limit.min(left.saturating_sub(MARGIN)))
}

impl Answer {
    /// Whether the status says that the command was carried out.
    pub(crate) fn is_success(&self) -> bool {
        StatusCode::from_u16(self.status).is_ok_and(|status| status.is_success())
    }
}

fn builder(address: &Address) -> ClientBuilder {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that somebody in this library installed one before, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = Client::builder()
        .http1_only()
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(15))
        .no_proxy()
        .redirect(Policy::none())
        .connect_timeout(CONNECT)
        .pool_idle_timeout(Duration::from_secs(60));
    // The system's certificates are read only for who needs them.
    if address.is_secure() { builder } else { builder.tls_certs_only([]) }
}

fn no_client(error: reqwest::Error) -> Error {
    Error::new(ErrorKind::Other, format!("no connection can be prepared: {error}"))
}

fn why(error: &reqwest::Error) -> Broken {
    if error.is_connect() {
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            let io = cause.downcast_ref::<io::Error>();
            if io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused) {
                return Broken::PortClosed;
            }
            source = cause.source();
        }
        Broken::NoRoute
    } else if error.is_timeout() {
        Broken::Late
    } else {
        Broken::Lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encrypted_address_gets_a_client() {
        let device =
            driver_api::DeviceConfig { address: Some("https://phones.example".to_owned()), ..Default::default() };
        let address = crate::options::device(&device).unwrap().address;
        Http::new(&address).unwrap();
        Http::for_probes(&address).unwrap();
    }
}
