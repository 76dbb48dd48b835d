//! What a phone tells a computer that it is plugged into: its name and model to everybody, its apps to whom it trusts.
//!
//! It knows which of the phone's services says what, and their frames: four bytes of length, then a property list. The crate
//! `idevice` knows the pairing record and the encryption that it opens. The automation program has no part in this.

use super::{Cable, Facts, list, models};
use crate::route::Socket;
use driver_api::App;
use idevice::{Idevice, pairing_file::PairingFile};
use plist::{Dictionary, Value};
use std::{io, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};
use tracing::{instrument::WithSubscriber, subscriber::NoSubscriber};

/// The port of the service that answers for all others.
const LOCKDOWN: u16 = 62078;
/// How long a phone may take to say its name, or whether it trusts this computer.
const SHORT: Duration = Duration::from_secs(3);
/// How long it may take to list its apps.
const APPS: Duration = Duration::from_secs(10);
/// No answer is longer.
const LARGEST: usize = 16 << 20;
/// A phone has some hundred apps; a list that does not end has others.
const MOST: usize = 10_000;
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

impl From<io::Error> for Unavailable {
    fn from(error: io::Error) -> Self {
        Unavailable::Other(error.to_string())
    }
}

/// What the phone says of itself to everybody; nothing where it does not answer.
pub(super) async fn facts(cable: &Cable) -> Facts {
    let asked = async {
        let mut lockdown = Service::open(cable, LOCKDOWN).await?;
        lockdown.ask(list::dictionary([("Request", "GetValue".into()), ("Label", LABEL.into())])).await
    };
    match timeout(SHORT, asked).await {
        Ok(Ok(mut answer)) => match answer.remove("Value") {
            Some(Value::Dictionary(told)) => read(&told),
            _ => Facts::default(),
        },
        Ok(Err(error)) => {
            tracing::debug!(udid = cable.udid, %error, "a plugged-in phone does not say what it is");
            Facts::default()
        }
        Err(_) => Facts::default(),
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

/// Whether the phone trusts this computer; `None` when that cannot be found out.
pub(super) async fn trusts(cable: &Cable) -> Option<bool> {
    match timeout(SHORT, session(cable)).await.ok()? {
        Ok(_) => Some(true),
        Err(Unavailable::Untrusted) => Some(false),
        Err(Unavailable::Other(_)) => None,
    }
}

/// The apps that are installed and that people can start.
pub(super) async fn apps(cable: &Cable) -> Result<Vec<App>, Unavailable> {
    timeout(APPS, browse(cable)).await.unwrap_or_else(|_| Err(Unavailable::Other("no answer".to_owned())))
}

async fn browse(cable: &Cable) -> Result<Vec<App>, Unavailable> {
    let (mut lockdown, record) = session(cable).await?;
    let wanted = [("Request", "StartService".into()), ("Service", "com.apple.mobile.installation_proxy".into())];
    let started = lockdown.ask(list::dictionary(wanted)).await?;
    let port = started.get("Port").and_then(Value::as_unsigned_integer).and_then(|port| u16::try_from(port).ok());
    let port =
        port.ok_or_else(|| Unavailable::Other("it does not start the service that knows its apps".to_owned()))?;
    let mut service = Service::open(cable, port).await?;
    if started.get("EnableServiceSSL").and_then(Value::as_boolean) == Some(true) {
        service = service.encrypted(record).await?;
    }
    let attributes = ["CFBundleIdentifier", "CFBundleDisplayName", "CFBundleName", "SBAppTags"];
    let options = list::dictionary([
        ("ApplicationType", "Any".into()),
        ("ReturnAttributes", Value::Array(attributes.map(Value::from).to_vec())),
    ]);
    let wanted = list::dictionary([("Command", "Browse".into()), ("ClientOptions", Value::Dictionary(options))]);
    let mut answer = service.ask(wanted).await?;
    let mut apps = Vec::new();
    loop {
        if let Some(Value::Array(told)) = answer.remove("CurrentList") {
            apps.extend(told.iter().filter_map(app));
        }
        if answer.get("Status").and_then(Value::as_string) == Some("Complete") || apps.len() > MOST {
            return Ok(apps);
        }
        answer = service.next().await?;
    }
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

/// A session with the phone, which it grants to whom it trusts.
async fn session(cable: &Cable) -> Result<(Service, PairingFile), Unavailable> {
    let record = cable.pair_record().await?.ok_or(Unavailable::Untrusted)?;
    // Within limits first: the crate's own reader has none.
    list::decode(&record)?;
    let record = PairingFile::from_bytes(&record).map_err(|error| Unavailable::Other(error.to_string()))?;
    let mut lockdown = Service::open(cable, LOCKDOWN).await?;
    let wanted = [
        ("Request", "StartSession".into()),
        ("Label", LABEL.into()),
        ("HostID", record.host_id.as_str().into()),
        ("SystemBUID", record.system_buid.as_str().into()),
    ];
    let answer = lockdown.ask(list::dictionary(wanted)).await?;
    match answer.get("EnableSessionSSL").and_then(Value::as_boolean) {
        Some(true) => Ok((lockdown.encrypted(record.clone()).await?, record)),
        _ => Err(Unavailable::Other("it starts no session".to_owned())),
    }
}

/// A connection to one of the phone's services.
struct Service {
    socket: Box<dyn idevice::ReadWrite>,
}

impl Service {
    async fn open(cable: &Cable, port: u16) -> io::Result<Service> {
        let socket: Socket = cable.open_port(port).await.map_err(|broken| io::Error::other(format!("{broken:?}")))?;
        Ok(Service { socket: Box::new(socket) })
    }

    /// The same connection, encrypted as the pairing record says.
    async fn encrypted(self, record: PairingFile) -> Result<Service, Unavailable> {
        crate::tls_provider();
        // A task of its own: with a record whose parts do not fit each other the crate panics.
        let begun = tokio::spawn(
            async move {
                let mut plain = Idevice::new(self.socket, LABEL);
                plain.start_session(&record, false).await.map_err(|error| error.to_string())?;
                plain.get_socket().ok_or_else(|| "the connection is gone".to_owned())
            }
            // What the crate would log stays out of the log.
            .with_subscriber(NoSubscriber::new()),
        );
        let begun = begun.await.unwrap_or_else(|error| Err(error.to_string()));
        begun.map(|socket| Service { socket }).map_err(Unavailable::Other)
    }

    async fn ask(&mut self, question: Dictionary) -> Result<Dictionary, Unavailable> {
        let mut frame = vec![0; 4];
        list::encode(&question, &mut frame)?;
        let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
        frame[..4].copy_from_slice(&length.to_be_bytes());
        self.socket.write_all(&frame).await?;
        self.socket.flush().await?;
        self.next().await
    }

    async fn next(&mut self) -> Result<Dictionary, Unavailable> {
        let length = self.socket.read_u32().await? as usize;
        if length > LARGEST {
            return Err(Unavailable::Other("an answer has an impossible length".to_owned()));
        }
        // As it comes, since the length is only a claim.
        let mut body = Vec::new();
        (&mut self.socket).take(length as u64).read_to_end(&mut body).await?;
        if body.len() < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let answer = list::decode(&body)?;
        match answer.get("Error").map(|error| error.as_string().unwrap_or("unknown")) {
            None => Ok(answer),
            Some("InvalidHostID" | "InvalidPairRecord") => Err(Unavailable::Untrusted),
            Some(error) => Err(Unavailable::Other(format!("it answers {error:?}"))),
        }
    }
}
