//! Lockdownd and the list of apps, over plain text and TLS, by a client that takes TLS on and off by itself.

use super::client::{Client, dict, number, text, xml};
use super::{FIRST, Rig, SECOND, until};
use e2e::usbmux_sim::{Fault, UsbPhone};
use plist::{Dictionary, Value};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, Stream,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use std::{
    io::{self, Read, Write},
    net::TcpStream,
    sync::Arc,
};

const LOCKDOWN: u16 = 62_078;

fn lockdown(rig: &Rig) -> TcpStream {
    let mut client = rig.client();
    assert_eq!(client.connect(rig.id, LOCKDOWN), 0);
    client.stream
}

fn message(entries: &[(&str, Value)]) -> Vec<u8> {
    let body = xml(&dict(entries));
    [(body.len() as u32).to_be_bytes().as_slice(), &body].concat()
}

fn read(stream: &mut impl Read) -> io::Result<Dictionary> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let mut body = vec![0; u32::from_be_bytes(head) as usize];
    stream.read_exact(&mut body)?;
    Ok(Value::from_reader_xml(body.as_slice()).map_err(io::Error::other)?.into_dictionary().expect("a dictionary"))
}

fn ask(stream: &mut (impl Read + Write), entries: &[(&str, Value)]) -> io::Result<Dictionary> {
    stream.write_all(&message(entries))?;
    stream.flush()?;
    read(stream)
}

fn get(stream: &mut (impl Read + Write), key: &str) -> Dictionary {
    ask(stream, &[("Request", "GetValue".into()), ("Key", key.into())]).unwrap_or_else(|error| panic!("{key}: {error}"))
}

fn record(rig: &Rig, udid: &str) -> Dictionary {
    let answer = Client::open(&rig.muxer.address()).ask("ReadPairRecord", &[("PairRecordID", udid.into())]);
    let data = answer.get("PairRecordData").and_then(Value::as_data).expect("a record");
    Value::from_reader_xml(data).expect("a property list").into_dictionary().expect("a dictionary")
}

fn start(stream: &mut TcpStream, record: &Dictionary) -> Dictionary {
    let ids = ["HostID", "SystemBUID"].map(|key| (key, text(record, key).into()));
    let [host, system] = ids;
    ask(stream, &[("Request", "StartSession".into()), host, system]).expect("an answer")
}

/// A TLS client that trusts only the record's root, and shows the certificate of another record or none.
fn tls(record: &Dictionary, shown: Option<&Dictionary>) -> ClientConnection {
    fn pem<'a>(record: &'a Dictionary, key: &str) -> &'a [u8] {
        record.get(key).and_then(Value::as_data).unwrap_or_else(|| panic!("no {key}"))
    }
    let certificate = |record, key| CertificateDer::from_pem_slice(pem(record, key)).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(certificate(record, "RootCertificate")).expect("a root");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots);
    let config = match shown {
        Some(shown) => {
            let key = PrivateKeyDer::from_pem_slice(pem(shown, "HostPrivateKey")).expect("a key");
            config.with_client_auth_cert(vec![certificate(shown, "HostCertificate")], key).expect("a pair")
        }
        None => config.with_no_client_auth(),
    };
    ClientConnection::new(Arc::new(config), "device".try_into().expect("a name")).expect("a client")
}

#[test]
fn a_phone_tells_anybody_its_name_and_little_more() {
    let rig = Rig::new();
    rig.muxer.change(FIRST, |phone| "Ada's iPhone".clone_into(&mut phone.name));
    let mut stream = lockdown(&rig);
    let kind = ask(&mut stream, &[("Request", "QueryType".into())]).expect("an answer");
    assert_eq!(text(&kind, "Type"), "com.apple.mobile.lockdown");
    for (key, wanted) in [("DeviceName", "Ada's iPhone"), ("ProductType", "iPhone16,1"), ("UniqueDeviceID", FIRST)] {
        assert_eq!(text(&get(&mut stream, key), "Value"), wanted);
    }
    assert_eq!(text(&get(&mut stream, "SerialNumber"), "Error"), "GetProhibited");
    let all = ask(&mut stream, &[("Request", "GetValue".into())]).expect("an answer");
    let all = all.get("Value").and_then(Value::as_dictionary).expect("values");
    assert!(all.contains_key("ProductVersion") && !all.contains_key("SerialNumber"), "{all:?}");
    let start = [("Request", "StartService".into()), ("Service", "com.apple.mobile.installation_proxy".into())];
    assert_eq!(text(&ask(&mut stream, &start).expect("an answer"), "Error"), "SessionInactive");
}

#[test]
fn sessions_need_trust_and_an_unlocked_phone() {
    let rig = Rig::new();
    rig.muxer.plug(UsbPhone::new(SECOND));
    let (mine, other) = (record(&rig, FIRST), record(&rig, SECOND));
    let mut stream = lockdown(&rig);
    assert_eq!(text(&start(&mut stream, &other), "Error"), "InvalidHostID");
    rig.muxer.change(FIRST, |phone| phone.locked = true);
    assert_eq!(text(&start(&mut stream, &mine), "Error"), "PasswordProtected");
    let pair = |stream: &mut TcpStream| ask(stream, &[("Request", "Pair".into())]).expect("an answer");
    assert_eq!(text(&pair(&mut stream), "Error"), "PasswordProtected");
    rig.muxer.change(FIRST, |phone| (phone.locked, phone.paired) = (false, false));
    assert_eq!(text(&start(&mut stream, &mine), "Error"), "InvalidHostID");
    assert_eq!(text(&pair(&mut stream), "Error"), "PairingDialogResponsePending");
    rig.muxer.change(FIRST, |phone| phone.paired = true);
    assert_eq!(start(&mut stream, &mine).get("EnableSessionSSL"), Some(&true.into()));
}

#[test]
fn only_the_hosts_certificate_opens_a_session() {
    let rig = Rig::new();
    rig.muxer.plug(UsbPhone::new(SECOND));
    let (mine, other) = (record(&rig, FIRST), record(&rig, SECOND));
    let session = |shown: Option<&Dictionary>| {
        let mut stream = lockdown(&rig);
        start(&mut stream, &mine);
        let mut tls = tls(&mine, shown);
        ask(&mut Stream::new(&mut tls, &mut stream), &[("Request", "QueryType".into())])
    };
    assert!(session(Some(&mine)).is_ok());
    assert!(session(Some(&other)).is_err());
    assert!(session(None).is_err());
    rig.muxer.change(FIRST, |phone| phone.demands_certificate = false);
    assert!(session(None).is_ok());
    assert!(session(Some(&other)).is_err());
}

#[test]
fn a_session_tells_more_and_ends_in_plain_text() {
    let rig = Rig::new();
    let record = record(&rig, FIRST);
    let mut socket = lockdown(&rig);
    // More than once on one connection.
    for _ in 0..2 {
        let session = start(&mut socket, &record);
        let mut tls = tls(&record, Some(&record));
        let mut stream = Stream::new(&mut tls, &mut socket);
        assert_eq!(text(&get(&mut stream, "SerialNumber"), "Value"), "SIMULATED0");
        assert_eq!(text(&get(&mut stream, "NoSuchKey"), "Error"), "MissingValue");
        let domain = ("Domain", "com.apple.security.mac.amfi".into());
        let mode = [("Request", "GetValue".into()), domain, ("Key", "DeveloperModeStatus".into())];
        assert_eq!(ask(&mut stream, &mode).expect("an answer").get("Value"), Some(&true.into()));
        let stop = |id: &str| [("Request", "StopSession".into()), ("SessionID", id.into())];
        assert_eq!(text(&ask(&mut stream, &stop("another")).expect("an answer"), "Error"), "InvalidSessionID");
        let stopped = ask(&mut stream, &stop(text(&session, "SessionID"))).expect("an answer");
        assert_eq!(stopped, dict(&[("Request", "StopSession".into())]));
        // The goodbye and the next question in plain text go out at once; nothing of the latter may be lost.
        tls.send_close_notify();
        let mut bytes = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut bytes).expect("written");
        }
        bytes.extend(message(&[("Request", "QueryType".into())]));
        socket.write_all(&bytes).expect("sent");
        // The phone's goodbye is one record.
        let mut head = [0; 5];
        socket.read_exact(&mut head).expect("a record");
        let mut rest = vec![0; usize::from(u16::from_be_bytes([head[3], head[4]]))];
        socket.read_exact(&mut rest).expect("its rest");
        assert_eq!(text(&read(&mut socket).expect("plain text"), "Type"), "com.apple.mobile.lockdown");
        assert_eq!(text(&get(&mut socket, "SerialNumber"), "Error"), "GetProhibited");
    }
}

#[test]
fn a_started_service_takes_one_connection() {
    let rig = Rig::new();
    let record = record(&rig, FIRST);
    let mut socket = lockdown(&rig);
    start(&mut socket, &record);
    let mut session = tls(&record, Some(&record));
    let mut stream = Stream::new(&mut session, &mut socket);
    let service = |name: &str| [("Request", "StartService".into()), ("Service", name.into())];
    let unknown = ask(&mut stream, &service("com.apple.afc")).expect("an answer");
    assert_eq!(text(&unknown, "Error"), "InvalidService");
    let started = ask(&mut stream, &service("com.apple.mobile.installation_proxy")).expect("an answer");
    assert_eq!(started.get("EnableServiceSSL"), Some(&true.into()));
    let port = number(&started, "Port") as u16;
    let mut apps = rig.client();
    assert_eq!(apps.connect(rig.id, port), 0);
    assert_eq!(rig.client().connect(rig.id, port), 3);
    let mut encrypted = tls(&record, Some(&record));
    let mut apps = Stream::new(&mut encrypted, &mut apps.stream);
    let found = ask(&mut apps, &[("Command", "Lookup".into())]).expect("an answer");
    assert_eq!(found.get("LookupResult").and_then(Value::as_dictionary).map(Dictionary::len), Some(5));
    rig.muxer.faults().next("Lookup", Fault::Half);
    assert!(ask(&mut apps, &[("Command", "Lookup".into())]).is_err());
    // Unplugging ends sessions as it ends streams.
    rig.muxer.unplug(FIRST);
    until("the session's end", || socket.peek(&mut [0]).map_or(true, |read| read == 0));
}

#[test]
fn lockdownd_misbehaves_as_told() {
    let rig = Rig::new();
    let query = [("Request", "QueryType".into())];
    rig.muxer.faults().next("QueryType", Fault::Garbage);
    let mut stream = lockdown(&rig);
    assert!(ask(&mut stream, &query).is_err());
    assert!(ask(&mut stream, &query).is_ok());
    rig.muxer.faults().next("QueryType", Fault::HugeLength);
    stream.write_all(&message(&query)).expect("sent");
    let mut head = [0; 4];
    stream.read_exact(&mut head).expect("a head");
    assert_eq!(u32::from_be_bytes(head), 1 << 31);
    for wrong in [b"\xff\xff\xff\xff".as_slice(), b"\0\0\0\x04none"] {
        let mut stream = lockdown(&rig);
        stream.write_all(wrong).expect("sent");
        assert_eq!(stream.read(&mut [0]).expect("the end"), 0);
    }
}
