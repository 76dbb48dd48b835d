//! A **simulated** installation_proxy, for its two questions about apps. It installs nothing. It knows the phone's list of
//! apps and the options with which clients ask for it.

use super::bench::Plugged;
use super::faults::{After, Faults, Framing};
use super::phone::UsbApp;
use super::tls;
use super::wire::{self, dict, message, read_message, write};
use plist::{Dictionary, Value};
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// How many apps come in one message.
const CHUNK: usize = 2;

/// Answers one client until it leaves.
pub(super) async fn serve<S>(socket: &mut S, plugged: &Plugged, faults: &Faults) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let demanding = plugged.phone().demands_certificate;
    let mut stream = tls::accept(socket, &plugged.pairing, demanding).await?;
    while let Some(request) = read_message(&mut stream).await? {
        let apps = plugged.phone().apps.clone();
        let replies: Vec<Vec<u8>> = answer(&request, &apps).iter().map(message).collect();
        let kind = request.get("Command").and_then(Value::as_string).unwrap_or_default();
        let Some(fault) = faults.take(kind) else {
            for reply in replies {
                write(&mut stream, &reply).await?;
            }
            continue;
        };
        let (bytes, after) = fault.instead(&replies.concat(), Framing::Service);
        write(&mut stream, &bytes).await?;
        match after {
            After::Continue => {}
            After::Hold => {
                wire::hold(&mut stream).await;
                break;
            }
            After::Close => break,
        }
    }
    Ok(())
}

fn answer(request: &Dictionary, apps: &[UsbApp]) -> Vec<Dictionary> {
    let none = Dictionary::new();
    let options = request.get("ClientOptions").and_then(Value::as_dictionary).unwrap_or(&none);
    let mut found = apps.iter().filter(|app| wanted(app, options)).map(|app| (&app.bundle_id, describe(app, options)));
    let complete = dict([("Status", "Complete".into())]);
    match request.get("Command").and_then(Value::as_string) {
        Some("Lookup") => {
            let apps: Dictionary = found.map(|(id, app)| (id.clone(), Value::from(app))).collect();
            let mut reply = complete;
            reply.insert("LookupResult".to_owned(), apps.into());
            vec![reply]
        }
        Some("Browse") => {
            let mut replies = Vec::new();
            let mut index = 0;
            loop {
                let chunk: Vec<Value> = found.by_ref().take(CHUNK).map(|(_, app)| app.into()).collect();
                if chunk.is_empty() {
                    break;
                }
                let amount = chunk.len();
                replies.push(dict([
                    ("Status", "BrowsingApplications".into()),
                    ("CurrentAmount", (amount as u64).into()),
                    ("CurrentIndex", (index as u64).into()),
                    ("CurrentList", chunk.into()),
                ]));
                index += amount;
            }
            replies.push(complete);
            replies
        }
        _ => vec![dict([("Error", "UnknownCommand".into())])],
    }
}

fn wanted(app: &UsbApp, options: &Dictionary) -> bool {
    let kind = match options.get("ApplicationType").and_then(Value::as_string) {
        Some("User") => !app.system,
        Some("System") => app.system,
        Some("Any") | None => true,
        Some(_) => false,
    };
    let named = options.get("BundleIDs").and_then(Value::as_array);
    kind && named.is_none_or(|named| named.iter().any(|id| id.as_string() == Some(&app.bundle_id)))
}

fn describe(app: &UsbApp, options: &Dictionary) -> Dictionary {
    let file = app.name.replace(' ', "");
    let folder = if app.system { "/Applications" } else { "/private/var/containers/Bundle/Application" };
    let mut all = dict([
        ("ApplicationType", if app.system { "System" } else { "User" }.into()),
        ("CFBundleDisplayName", app.name.as_str().into()),
        ("CFBundleExecutable", file.as_str().into()),
        ("CFBundleIdentifier", app.bundle_id.as_str().into()),
        ("CFBundleName", app.name.as_str().into()),
        ("CFBundleShortVersionString", app.version.as_str().into()),
        ("CFBundleVersion", app.version.as_str().into()),
        ("Path", format!("{folder}/{file}.app").into()),
    ]);
    if let Some(attributes) = options.get("ReturnAttributes").and_then(Value::as_array) {
        all.retain(|key, _| attributes.iter().any(|attribute| attribute.as_string() == Some(key)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(command: &str, options: Dictionary) -> Vec<Dictionary> {
        let apps = [
            UsbApp::system("s.1", "One"),
            UsbApp::user("u.1", "Two"),
            UsbApp::user("u.2", "Three"),
            UsbApp::user("u.3", "Four"),
        ];
        answer(&dict([("Command", command.into()), ("ClientOptions", options.into())]), &apps)
    }

    #[test]
    fn browsing_comes_in_chunks() {
        let replies = ask("Browse", dict([("ApplicationType", "User".into())]));
        let amount = |at: usize| replies[at].get("CurrentAmount").and_then(Value::as_unsigned_integer);
        let index = |at: usize| replies[at].get("CurrentIndex").and_then(Value::as_unsigned_integer);
        assert_eq!((replies.len(), amount(0), amount(1), index(0), index(1)), (3, Some(2), Some(1), Some(0), Some(2)));
        assert_eq!(replies[2], dict([("Status", "Complete".into())]));
    }

    #[test]
    fn options_are_honoured() {
        let options = dict([
            ("BundleIDs", vec![Value::from("u.2"), "nowhere".into()].into()),
            ("ReturnAttributes", vec![Value::from("CFBundleName")].into()),
        ]);
        let replies = ask("Lookup", options);
        let app = dict([("CFBundleName", "Three".into())]);
        let result = dict([("u.2", app.into())]);
        assert_eq!(replies, [dict([("Status", "Complete".into()), ("LookupResult", result.into())])]);
        assert_eq!(ask("Lookup", dict([("ApplicationType", "System".into())])).len(), 1);
        assert_eq!(ask("Install", Dictionary::new()), [dict([("Error", "UnknownCommand".into())])]);
    }
}
