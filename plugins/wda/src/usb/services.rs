//! What a phone tells a computer that it is plugged into: its name and model to everybody, its apps to whom it trusts.
//!
//! It knows which of the phone's own services says what; the crate `idevice` speaks them. The automation program has no part
//! in this. What that crate would log stays out of the log: whole answers, the host's id, warnings about what every phone does.

use super::{Cable, Facts, models};
use crate::route::Socket;
use driver_api::App;
use idevice::{
    Idevice, IdeviceError, IdeviceService, installation_proxy::InstallationProxyClient, lockdown::LockdownClient,
    pairing_file::PairingFile, provider::IdeviceProvider,
};
use plist::{Dictionary, Value};
use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::timeout,
};
use tracing::{instrument::WithSubscriber, subscriber::NoSubscriber};

/// The port of the service that answers for all others.
const LOCKDOWN: u16 = 62078;
/// How long a phone may take to say its name.
const FACTS: Duration = Duration::from_secs(3);
/// How long it may take to list its apps.
const APPS: Duration = Duration::from_secs(10);
/// No list of apps is longer in bytes.
const MOST: usize = 32 << 20;
/// For the phone's log.
const LABEL: &str = "fingertip";

/// Why the phone does not tell its apps.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unavailable {
    /// It does not trust this computer.
    #[error("it does not trust this computer")]
    Untrusted,
    /// Anything else, for the log.
    #[error("{0}")]
    Other(String),
}

impl From<IdeviceError> for Unavailable {
    fn from(error: IdeviceError) -> Self {
        match error {
            IdeviceError::InvalidHostID => Unavailable::Untrusted,
            other => Unavailable::Other(other.to_string()),
        }
    }
}

/// What the phone says of itself to everybody.
pub(super) async fn facts(cable: &Cable) -> Facts {
    let asked = async {
        let socket = cable.open_port(LOCKDOWN).await.map_err(|broken| format!("{broken:?}"))?;
        let mut lockdown = LockdownClient::new(Idevice::new(Box::new(Bounded::new(socket)), LABEL));
        lockdown.get_value(None, None).await.map_err(|error| error.to_string())
    };
    let told = timeout(FACTS, asked.with_subscriber(NoSubscriber::new()))
        .await
        .unwrap_or_else(|_| Err("no answer".to_owned()));
    match told {
        Ok(Value::Dictionary(told)) => read(&told),
        Ok(_) => Facts::default(),
        Err(error) => {
            tracing::debug!(udid = cable.udid, error, "a plugged-in phone does not say what it is");
            Facts::default()
        }
    }
}

fn read(told: &Dictionary) -> Facts {
    let text = |key: &str| {
        let text = told.get(key)?.as_string()?.trim();
        (!text.is_empty()).then(|| text.chars().take(100).collect::<String>())
    };
    Facts {
        name: text("DeviceName"),
        model: text("ProductType").map(|identifier| models::called(&identifier).to_owned()),
        os_version: text("ProductVersion"),
    }
}

/// The apps that are installed and that people can start.
pub(super) async fn apps(cable: &Cable) -> Result<Vec<App>, Unavailable> {
    let record = cable.pair_record().await.map_err(|error| Unavailable::Other(error.to_string()))?;
    let record = PairingFile::from_bytes(&record.ok_or(Unavailable::Untrusted)?)?;
    let provider = Provider { cable: cable.clone(), record: Arc::new(record) };
    let asked = async {
        let mut options = Dictionary::new();
        options.insert("ApplicationType".to_owned(), "Any".into());
        let wanted = ["CFBundleIdentifier", "CFBundleDisplayName", "CFBundleName", "SBAppTags"];
        options.insert("ReturnAttributes".to_owned(), Value::Array(wanted.map(Value::from).to_vec()));
        let mut service = InstallationProxyClient::connect(&provider).await?;
        service.browse(Some(Value::Dictionary(options))).await
    };
    let listed = timeout(APPS, asked.with_subscriber(NoSubscriber::new()))
        .await
        .map_err(|_| Unavailable::Other("no answer".to_owned()))??;
    Ok(listed.iter().filter_map(app).collect())
}

/// An app with an icon; what the system hides is no app to people.
fn app(told: &Value) -> Option<App> {
    let told = told.as_dictionary()?;
    let text = |key: &str| told.get(key).and_then(Value::as_string).map(str::trim).filter(|text| !text.is_empty());
    let tags = told.get("SBAppTags").and_then(Value::as_array);
    if tags.is_some_and(|tags| tags.iter().any(|tag| tag.as_string() == Some("hidden"))) {
        return None;
    }
    let id = text("CFBundleIdentifier")?;
    // Programs that carry tests, such as the one that we speak to, are no apps to people either.
    if id.ends_with(".xctrunner") {
        return None;
    }
    let name = text("CFBundleDisplayName").or_else(|| text("CFBundleName"));
    Some(App { id: id.to_owned(), name: name.map(str::to_owned) })
}

/// The way to the phone's services for the crate that speaks them.
#[derive(Debug)]
struct Provider {
    cable: Cable,
    record: Arc<PairingFile>,
}

type Answer<T> = Pin<Box<dyn Future<Output = Result<T, IdeviceError>> + Send>>;

impl IdeviceProvider for Provider {
    fn connect(&self, port: u16) -> Answer<Idevice> {
        let cable = self.cable.clone();
        Box::pin(async move {
            crate::tls_provider();
            let socket = cable.open_port(port).await;
            let socket = socket.map_err(|broken| IdeviceError::Socket(io::Error::other(format!("{broken:?}"))))?;
            Ok(Idevice::new(Box::new(Bounded::new(socket)), LABEL))
        })
    }

    fn label(&self) -> &str {
        LABEL
    }

    fn get_pairing_file(&self) -> Answer<PairingFile> {
        let record = self.record.clone();
        Box::pin(async move { Ok((*record).clone()) })
    }
}

/// A connection that ends when more has come than any honest answer holds: the crate believes the lengths that it is told.
struct Bounded {
    socket: Socket,
    left: usize,
}

impl Bounded {
    fn new(socket: Socket) -> Self {
        Bounded { socket, left: MOST }
    }
}

impl fmt::Debug for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounded").field("left", &self.left).finish_non_exhaustive()
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left == 0 {
            return Poll::Ready(Err(io::Error::other("more than can be")));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.socket).poll_read(context, buffer);
        self.left = self.left.saturating_sub(buffer.filled().len() - before);
        read
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
