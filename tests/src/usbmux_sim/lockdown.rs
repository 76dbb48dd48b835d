//! A **simulated** lockdownd: what a phone tells to anybody, what it tells in a session, and which services it starts. It
//! knows the phone's properties and no socket of its own.
//!
//! It was written from what clients send and expect, never checked against a real phone. It does not pair: asked to, it says
//! that the person at the phone has not answered yet.

use super::bench::Plugged;
use super::faults::{After, Faults, Framing};
use super::pairing::uuid;
use super::tls;
use super::wire::{self, dict, message, read_message, write};
use plist::{Dictionary, Value};
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// Where lockdownd listens on every phone.
pub(super) const PORT: u16 = 62_078;
/// What is told without a session.
const OPEN: [&str; 8] = [
    "DeviceName",
    "DeviceClass",
    "ProductName",
    "ProductType",
    "ProductVersion",
    "BuildVersion",
    "UniqueDeviceID",
    "HardwareModel",
];
const APPS: &str = "com.apple.mobile.installation_proxy";

/// What becomes of the connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Same,
    Encrypt,
    Decrypt,
    End,
}

/// Answers one client until it leaves.
pub(super) async fn serve<S>(socket: &mut S, plugged: &Plugged, faults: &Faults) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut session = None;
    loop {
        if converse(socket, plugged, faults, &mut session).await? == Turn::End {
            return Ok(());
        }
        let demanding = plugged.phone().demands_certificate;
        let mut encrypted = tls::accept(&mut *socket, &plugged.pairing, demanding).await?;
        if converse(&mut encrypted, plugged, faults, &mut session).await? == Turn::End {
            return Ok(());
        }
        tls::leave(encrypted).await?;
    }
}

async fn converse<S>(
    stream: &mut S,
    plugged: &Plugged,
    faults: &Faults,
    session: &mut Option<String>,
) -> io::Result<Turn>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        // What is no dictionary ends the connection, as in the real one.
        let Some(request) = read_message(stream).await? else { return Ok(Turn::End) };
        let kind = request.get("Request").and_then(Value::as_string).unwrap_or_default().to_owned();
        let fault = faults.take(&kind);
        let (mut reply, turn) = answer(&kind, &request, plugged, session);
        reply.insert("Request".to_owned(), kind.into());
        let bytes = message(&reply);
        if let Some(fault) = fault {
            let (bytes, after) = fault.instead(&bytes, Framing::Service);
            write(stream, &bytes).await?;
            match after {
                After::Continue => continue,
                After::Hold => wire::hold(stream).await,
                After::Close => {}
            }
            return Ok(Turn::End);
        }
        write(stream, &bytes).await?;
        if turn != Turn::Same {
            return Ok(turn);
        }
    }
}

fn answer(kind: &str, request: &Dictionary, plugged: &Plugged, session: &mut Option<String>) -> (Dictionary, Turn) {
    let text = |key: &str| request.get(key).and_then(Value::as_string);
    let error = |name: &str| (dict([("Error", name.into())]), Turn::Same);
    let (paired, locked) = {
        let phone = plugged.phone();
        (phone.paired, phone.locked)
    };
    let trusted = |id: Option<&str>| paired && id == Some(plugged.pairing.host_id.as_str());
    match kind {
        "QueryType" => (dict([("Type", "com.apple.mobile.lockdown".into())]), Turn::Same),
        "GetValue" => (value(text("Domain"), text("Key"), plugged, session.is_some()), Turn::Same),
        "Pair" if locked => error("PasswordProtected"),
        "Pair" => error("PairingDialogResponsePending"),
        "ValidatePair" => {
            let record = request.get("PairRecord").and_then(Value::as_dictionary);
            let id = record.and_then(|record| record.get("HostID")).and_then(Value::as_string);
            if trusted(id) { (Dictionary::new(), Turn::Same) } else { error("InvalidHostID") }
        }
        "StartSession" if session.is_some() => error("SessionActive"),
        "StartSession" if !trusted(text("HostID")) => error("InvalidHostID"),
        "StartSession" if locked => error("PasswordProtected"),
        "StartSession" => {
            let id = uuid();
            *session = Some(id.clone());
            (dict([("SessionID", id.into()), ("EnableSessionSSL", true.into())]), Turn::Encrypt)
        }
        "StopSession" if session.is_none() => error("SessionInactive"),
        "StopSession" if session.as_deref() != text("SessionID") => error("InvalidSessionID"),
        "StopSession" => {
            *session = None;
            (Dictionary::new(), Turn::Decrypt)
        }
        "StartService" if session.is_none() => error("SessionInactive"),
        "StartService" => match text("Service") {
            Some(APPS) => {
                let port = plugged.open_service();
                let named = [("Service", APPS.into()), ("Port", port.into()), ("EnableServiceSSL", true.into())];
                (dict(named), Turn::Same)
            }
            _ => error("InvalidService"),
        },
        "Goodbye" => (Dictionary::new(), Turn::End),
        _ => error("InvalidRequest"),
    }
}

fn value(domain: Option<&str>, key: Option<&str>, plugged: &Plugged, session: bool) -> Dictionary {
    let mut values = values(domain, plugged);
    let mut reply = Dictionary::new();
    let open = |key: &str| domain.is_none() && OPEN.contains(&key);
    let found = match key {
        None => {
            values.retain(|key, _| session || open(key));
            Ok(Value::from(values))
        }
        Some(key) if !session && !open(key) => Err("GetProhibited"),
        Some(key) => values.remove(key).ok_or("MissingValue"),
    };
    reply.extend(domain.map(|domain| ("Domain".to_owned(), Value::from(domain))));
    reply.extend(key.map(|key| ("Key".to_owned(), Value::from(key))));
    match found {
        Ok(value) => reply.insert("Value".to_owned(), value),
        Err(error) => reply.insert("Error".to_owned(), error.into()),
    };
    reply
}

fn values(domain: Option<&str>, plugged: &Plugged) -> Dictionary {
    let phone = plugged.phone();
    match domain {
        None => dict([
            ("DeviceName", phone.name.as_str().into()),
            ("DeviceClass", "iPhone".into()),
            ("ProductName", "iPhone OS".into()),
            ("ProductType", phone.product_type.as_str().into()),
            ("ProductVersion", phone.os_version.as_str().into()),
            ("BuildVersion", "21F79".into()),
            ("UniqueDeviceID", phone.udid.as_str().into()),
            ("HardwareModel", "D83AP".into()),
            ("ActivationState", "Activated".into()),
            ("CPUArchitecture", "arm64e".into()),
            ("PasswordProtected", phone.locked.into()),
            ("SerialNumber", "SIMULATED0".into()),
            ("TimeZone", "UTC".into()),
            ("WiFiAddress", plugged.pairing.wifi_mac.as_str().into()),
        ]),
        Some("com.apple.mobile.battery") => {
            dict([("BatteryCurrentCapacity", 80.into()), ("BatteryIsCharging", true.into())])
        }
        Some("com.apple.security.mac.amfi") => dict([("DeveloperModeStatus", phone.developer_mode.into())]),
        Some("com.apple.international") => dict([("Language", "en".into()), ("Locale", "en_US".into())]),
        Some(_) => Dictionary::new(),
    }
}
