//! The USB multiplexer of this machine: which phones are plugged in, and a connection to a port of one.
//!
//! It knows the multiplexer's requests and where it listens. It keeps nothing: [`Usb`](super::Usb) remembers what is plugged in.

use super::{list, packet};
use crate::{
    http::Broken,
    route::{Socket, ready},
};
use plist::{Dictionary, Value};
use std::{fmt, io, path::PathBuf, time::Duration};
use tokio::{net::TcpStream, time::timeout};

/// How long the multiplexer, which is a program of this machine, may take for an answer.
const ANSWER: Duration = Duration::from_secs(2);

/// Where the multiplexer listens unless something else is said.
#[cfg(unix)]
const USUAL: &str = "/var/run/usbmuxd";
#[cfg(not(unix))]
const USUAL: &str = "127.0.0.1:27015";

/// Where the multiplexer listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MuxAddress {
    /// Host and port.
    Tcp(String),
    /// A socket file.
    File(PathBuf),
}

impl MuxAddress {
    /// In one of the forms that the tools around iPhones know: `127.0.0.1:27015`, `/var/run/usbmuxd`, `UNIX:/var/run/usbmuxd`.
    pub(crate) fn parse(text: &str) -> Option<MuxAddress> {
        let text = text.trim();
        let marked = text.get(..5).filter(|mark| mark.eq_ignore_ascii_case("unix:")).map(|_| &text[5..]);
        if let Some(path) = marked {
            let path = path.strip_prefix("//").unwrap_or(path);
            return path.starts_with('/').then(|| MuxAddress::File(path.into()));
        }
        if text.starts_with('/') {
            return Some(MuxAddress::File(text.into()));
        }
        let (host, port) = text.rsplit_once(':')?;
        let fine = !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0);
        fine.then(|| MuxAddress::Tcp(text.to_owned()))
    }

    /// Where the system has it.
    pub(crate) fn usual() -> MuxAddress {
        MuxAddress::parse(USUAL).unwrap_or(MuxAddress::Tcp(USUAL.to_owned()))
    }

    async fn connect(&self) -> io::Result<Socket> {
        match self {
            MuxAddress::Tcp(address) => {
                let socket = TcpStream::connect(address).await?;
                ready(&socket);
                Ok(Box::new(socket))
            }
            #[cfg(unix)]
            MuxAddress::File(path) => Ok(Box::new(tokio::net::UnixStream::connect(path).await?)),
            #[cfg(not(unix))]
            MuxAddress::File(_) => Err(io::Error::other("this system has no socket files")),
        }
    }
}

impl fmt::Display for MuxAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MuxAddress::Tcp(address) => f.write_str(address),
            MuxAddress::File(path) => path.display().fmt(f),
        }
    }
}

/// What the multiplexer reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A phone is here.
    Attached(Attached),
    /// The phone with this number is gone.
    Detached(u64),
}

/// A phone as the multiplexer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attached {
    /// The multiplexer's number of this plugging-in.
    pub(crate) number: u64,
    /// The phone's serial number.
    pub(crate) udid: String,
    /// Whether it hangs on a cable; some multiplexers list phones of the network too.
    pub(crate) by_cable: bool,
}

/// The multiplexer's reports, from the phones that are plugged in now.
#[derive(Debug)]
pub(crate) struct Events {
    socket: Socket,
}

impl Events {
    /// Asks for them.
    pub(crate) async fn listen(address: &MuxAddress) -> io::Result<Events> {
        let (socket, answer) = ask(address, request("Listen")).await?;
        match result(&answer) {
            Some(0) => Ok(Events { socket }),
            other => Err(io::Error::other(format!("the multiplexer refused to tell what is plugged in ({other:?})"))),
        }
    }

    /// The next one. What cannot be understood is skipped.
    pub(crate) async fn next(&mut self) -> io::Result<Event> {
        loop {
            if let Some(event) = event(&packet::read(&mut self.socket).await?) {
                return Ok(event);
            }
        }
    }
}

/// A connection to a port of a phone.
pub(crate) async fn connect(address: &MuxAddress, number: u64, port: u16) -> Result<Socket, Broken> {
    let gone = |error: io::Error| {
        tracing::debug!(%error, "the multiplexer gave no connection");
        Broken::NoRoute
    };
    let mut wanted = request("Connect");
    wanted.insert("DeviceID".to_owned(), Value::from(number));
    // The port goes over the wire with its two bytes in the network's order.
    wanted.insert("PortNumber".to_owned(), Value::from(u64::from(port.swap_bytes())));
    let (socket, answer) = ask(address, wanted).await.map_err(gone)?;
    match result(&answer) {
        Some(0) => Ok(socket),
        Some(3) => Err(Broken::PortClosed),
        Some(2) => Err(Broken::NotPlugged),
        other => Err(gone(io::Error::other(format!("answer {other:?} to a request for a connection")))),
    }
}

/// What this machine needs to be trusted by a phone, if the phone has ever trusted it.
pub(crate) async fn pair_record(address: &MuxAddress, udid: &str) -> io::Result<Option<Vec<u8>>> {
    let mut wanted = request("ReadPairRecord");
    wanted.insert("PairRecordID".to_owned(), udid.into());
    let (_, answer) = ask(address, wanted).await?;
    Ok(answer.get("PairRecordData").and_then(Value::as_data).map(<[u8]>::to_vec))
}

/// One question on a connection of its own, which is then the asker's.
async fn ask(address: &MuxAddress, question: Dictionary) -> io::Result<(Socket, Dictionary)> {
    let asked = async {
        let mut socket = address.connect().await?;
        packet::write(&mut socket, &question).await?;
        let answer = packet::read(&mut socket).await?;
        Ok((socket, answer))
    };
    timeout(ANSWER, asked).await.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer")))
}

fn request(kind: &str) -> Dictionary {
    list::dictionary([
        ("MessageType", kind.into()),
        ("ClientVersionString", "fingertip".into()),
        ("ProgName", "fingertip".into()),
        ("kLibUSBMuxVersion", Value::from(3_u64)),
    ])
}

fn result(answer: &Dictionary) -> Option<u64> {
    answer.get("Number")?.as_unsigned_integer()
}

pub(crate) fn event(report: &Dictionary) -> Option<Event> {
    let number = report.get("DeviceID").and_then(Value::as_unsigned_integer);
    match report.get("MessageType")?.as_string()? {
        "Attached" => {
            let properties = report.get("Properties")?.as_dictionary()?;
            let udid = udid(properties.get("SerialNumber")?.as_string()?)?;
            let by_cable = properties.get("ConnectionType").and_then(Value::as_string) == Some("USB");
            let number = number.or_else(|| properties.get("DeviceID")?.as_unsigned_integer())?;
            Some(Event::Attached(Attached { number, udid, by_cable }))
        }
        "Detached" => number.map(Event::Detached),
        _ => None,
    }
}

/// A serial number in the one form that everybody uses: 24 digits without the dash are an older way to write the newer kind.
pub(crate) fn udid(text: &str) -> Option<String> {
    let text = text.trim_matches('\0').trim();
    let fine = (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match fine {
        true if text.len() == 24 && !text.contains('-') => Some(format!("{}-{}", &text[..8], &text[8..])),
        true => Some(text.to_owned()),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiplexers_address_has_three_forms() {
        let file = |path: &str| Some(MuxAddress::File(path.into()));
        for (text, address) in [
            ("127.0.0.1:27015", Some(MuxAddress::Tcp("127.0.0.1:27015".to_owned()))),
            ("[::1]:27015", Some(MuxAddress::Tcp("[::1]:27015".to_owned()))),
            ("/var/run/usbmuxd", file("/var/run/usbmuxd")),
            ("UNIX:/var/run/usbmuxd", file("/var/run/usbmuxd")),
            ("unix:///var/run/usbmuxd", file("/var/run/usbmuxd")),
            ("", None),
            ("usbmuxd", None),
            ("127.0.0.1", None),
            ("127.0.0.1:", None),
            ("127.0.0.1:0", None),
            (":27015", None),
            ("UNIX:", None),
            ("UNIX:relative", None),
            ("ünïx:/x", None),
        ] {
            assert_eq!(MuxAddress::parse(text), address, "{text}");
        }
    }

    #[test]
    fn reports_are_read_and_others_skipped() {
        let report = |xml: &str| event(&list::decode(format!("<plist><dict>{xml}</dict></plist>").as_bytes()).unwrap());
        let attached = |kind: &str, serial: &str| {
            report(&format!(
                "<key>MessageType</key><string>Attached</string><key>DeviceID</key><integer>7</integer><key>Properties</key>\
                 <dict><key>ConnectionType</key><string>{kind}</string><key>SerialNumber</key><string>{serial}</string></dict>"
            ))
        };
        let phone = |by_cable| {
            Some(Event::Attached(Attached { number: 7, udid: "00008110-000A1B2C3D4E5F60".to_owned(), by_cable }))
        };
        assert_eq!(attached("USB", "00008110-000A1B2C3D4E5F60"), phone(true));
        assert_eq!(attached("USB", "00008110000A1B2C3D4E5F60"), phone(true));
        assert_eq!(attached("Network", "00008110-000A1B2C3D4E5F60"), phone(false));
        assert_eq!(attached("USB", "../../etc"), None);
        let gone = "<key>MessageType</key><string>Detached</string><key>DeviceID</key><integer>7</integer>";
        assert_eq!(report(gone), Some(Event::Detached(7)));
        for other in ["", "<key>MessageType</key><string>Paired</string>", "<key>MessageType</key><integer>1</integer>"]
        {
            assert_eq!(report(other), None);
        }
    }
}
