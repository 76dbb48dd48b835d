//! The muxer's own requests: who is there, who comes and goes, and where streams lead.

use super::client::{Client, number, packet, text, xml};
use super::{FIRST, Rig, SECOND, client, until};
use e2e::usbmux_sim::{Connection, Listen, UsbPhone, UsbmuxSim};
use plist::{Dictionary, Value};
use std::{
    io::{ErrorKind, Read},
    net::{Ipv4Addr, TcpListener},
};

/// The phones of a list as number, serial number and kind of connection.
fn phones(client: &mut Client) -> Vec<(u64, String, String)> {
    let answer = client.ask("ListDevices", &[]);
    let list = answer.get("DeviceList").and_then(Value::as_array).expect("a list");
    let describe = |phone: &Value| {
        let phone = phone.as_dictionary().expect("a dictionary");
        assert_eq!(text(phone, "MessageType"), "Attached");
        let properties = properties(phone);
        assert_eq!(number(phone, "DeviceID"), number(properties, "DeviceID"));
        let (serial, kind) = (text(properties, "SerialNumber"), text(properties, "ConnectionType"));
        (number(phone, "DeviceID"), serial.to_owned(), kind.to_owned())
    };
    list.iter().map(describe).collect()
}

fn properties(phone: &Dictionary) -> &Dictionary {
    phone.get("Properties").and_then(Value::as_dictionary).expect("properties")
}

fn named(id: u32, serial: &str, kind: &str) -> (u64, String, String) {
    (id.into(), serial.to_owned(), kind.to_owned())
}

#[test]
fn every_phone_is_listed() {
    let rig = Rig::new();
    let second = rig.muxer.plug(UsbPhone::new(SECOND));
    let address = Ipv4Addr::new(192, 0, 2, 7);
    let network = UsbPhone { connection: Connection::Network(address.into()), ..UsbPhone::new(SECOND) };
    let third = rig.muxer.plug(network);
    let mut client = rig.client();
    let all = [named(rig.id, FIRST, "USB"), named(second, SECOND, "USB"), named(third, SECOND, "Network")];
    assert_eq!(phones(&mut client), all);
    // The same connection can ask again, and sees what changed.
    rig.muxer.unplug_device(second);
    assert_eq!(phones(&mut client), [all[0].clone(), all[2].clone()]);
    let answer = client.ask("ListDevices", &[]);
    let list = answer.get("DeviceList").and_then(Value::as_array).expect("a list");
    let data =
        properties(list[1].as_dictionary().expect("a dictionary")).get("NetworkAddress").and_then(Value::as_data);
    assert_eq!(data.expect("an address")[..8], [16, 2, 0, 0, 192, 0, 2, 7]);
    assert_eq!(client.ask("ReadBUID", &[]), rig.client().ask("ReadBUID", &[]));
}

#[test]
fn listeners_hear_who_comes_and_goes() {
    let rig = Rig::new();
    let mut listeners = [rig.client(), rig.client()];
    for listener in &mut listeners {
        assert_eq!(number(&listener.ask("Listen", &[]), "Number"), 0);
        assert_eq!(listener.event(), ("Attached".to_owned(), rig.id.into()));
    }
    assert_eq!(rig.muxer.listeners(), 2);
    let second = rig.muxer.plug(UsbPhone::new(SECOND));
    rig.muxer.unplug(FIRST);
    let again = rig.muxer.plug(UsbPhone::with_agent(FIRST, &rig.agent));
    assert!(again > second && second > rig.id, "{} {second} {again}", rig.id);
    // The same phone once more: it was unplugged in between.
    let last = rig.muxer.plug(UsbPhone::with_agent(FIRST, &rig.agent));
    for listener in &mut listeners {
        let events: Vec<(String, u64)> = (0..5).map(|_| listener.event()).collect();
        let wanted =
            [("Attached", second), ("Detached", rig.id), ("Attached", again), ("Detached", again), ("Attached", last)];
        assert_eq!(events, wanted.map(|(kind, id)| (kind.to_owned(), u64::from(id))));
        assert!(listener.is_silent());
    }
    let [first, _] = listeners;
    drop(first);
    until("one listener", || rig.muxer.listeners() == 1);
}

#[test]
fn a_listener_that_does_not_read_is_closed() {
    let rig = Rig::new();
    let mut listener = rig.client();
    listener.ask("Listen", &[]);
    assert_eq!(rig.muxer.listeners(), 1);
    let much = vec![b'x'; 64 * 1024];
    let sent =
        (0..10_000).take_while(|_| rig.muxer.listeners() == 1).map(|_| rig.muxer.send_to_listeners(&much)).count();
    assert!((1024..10_000).contains(&sent), "{sent}");
}

#[test]
fn a_stream_leads_to_the_agent() {
    let rig = Rig::new();
    let mut stream = rig.client();
    assert_eq!(stream.connect(rig.id, 8100), 0);
    let answer = stream.status();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("WebDriverAgent"), "{answer}");
    let mut pictures = rig.client();
    assert_eq!(pictures.connect(rig.id, 9100), 0);
    pictures.send(b"GET / HTTP/1.0\r\n\r\n");
    let mut head = [0; 15];
    pictures.stream.read_exact(&mut head).expect("a head");
    assert_eq!(&head, b"HTTP/1.0 200 OK");
    assert_eq!(rig.muxer.connects(), [(FIRST.to_owned(), 8100), (FIRST.to_owned(), 9100)]);
    assert_eq!(rig.agent.requests().len(), 1);
}

#[test]
fn each_phone_has_streams_of_its_own() {
    let (one, other) = (Rig::new(), Rig::new());
    let second = one.muxer.plug(UsbPhone::with_agent(SECOND, &other.agent));
    for (id, asked) in [(one.id, [1, 0]), (second, [1, 1])] {
        let mut stream = one.client();
        assert_eq!(stream.connect(id, 8100), 0);
        stream.status();
        assert_eq!([one.agent.requests().len(), other.agent.requests().len()], asked);
    }
}

#[test]
fn what_comes_right_behind_the_request_reaches_the_phone() {
    let rig = Rig::new();
    let mut client = rig.client();
    let request = [("MessageType", "Connect".into()), ("DeviceID", rig.id.into()), ("PortNumber", 42_015.into())];
    let mut bytes = packet(1, 8, 7, &xml(&client::dict(&request)));
    bytes.extend(b"GET /status HTTP/1.1\r\nConnection: close\r\n\r\n");
    client.send(&bytes);
    let (tag, answer) = client.read().expect("an answer");
    assert_eq!((tag, number(&answer, "Number")), (7, 0));
    let mut answer = String::new();
    client.stream.read_to_string(&mut answer).expect("a status");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
}

#[test]
fn what_is_not_there_is_refused() {
    let rig = Rig::new();
    let mut client = rig.client();
    assert_eq!(client.connect(rig.id, 8101), 3, "a port that is not open");
    assert_eq!(client.connect(rig.id + 1, 8100), 2, "no such phone");
    // A client that forgets the byte order asks for another port.
    let answer = client.ask("Connect", &[("DeviceID", rig.id.into()), ("PortNumber", 8100.into())]);
    assert_eq!(number(&answer, "Number"), 3);
    assert_eq!(rig.muxer.connects().last(), Some(&(FIRST.to_owned(), 42_015)));
    let gone = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|port| port.local_addr()).expect("a port");
    assert!(rig.muxer.change(FIRST, |phone| phone.ports.extend([(9, gone)])));
    assert_eq!(client.connect(rig.id, 9), 3, "an agent that has ended");
    rig.agent.faults().refuse(true);
    assert_eq!(client.connect(rig.id, 8100), 3, "an agent that does not listen");
    rig.agent.faults().refuse(false);
    // A refusal leaves the connection as it was.
    assert_eq!(client.connect(rig.id, 8100), 0);
    assert!(client.status().contains("WebDriverAgent"));
    assert!(!rig.muxer.change(SECOND, |_| ()));
}

#[test]
fn unplugging_resets_the_phones_streams_and_no_others() {
    let rig = Rig::new();
    let second = rig.muxer.plug(UsbPhone::with_agent(SECOND, &rig.agent));
    let mut lost = [8100, 9100, 62_078].map(|port| {
        let mut stream = rig.client();
        assert_eq!(stream.connect(rig.id, port), 0);
        stream
    });
    let mut kept = rig.client();
    assert_eq!(kept.connect(second, 8100), 0);
    rig.muxer.unplug(FIRST);
    for stream in &mut lost {
        assert_eq!(stream.ended().map_err(|error| error.kind()), Err(ErrorKind::ConnectionReset));
    }
    assert!(kept.status().contains("WebDriverAgent"));
    assert_eq!(rig.client().connect(rig.id, 8100), 2);
    assert_eq!(rig.muxer.device_ids(FIRST), Vec::<u32>::new());
}

#[test]
fn the_daemon_dies_and_comes_back() {
    let rig = Rig::new();
    rig.muxer.unplug(FIRST);
    let id = rig.muxer.plug(UsbPhone::with_agent(FIRST, &rig.agent));
    assert_eq!(id, 2);
    let (mut listener, mut stream) = (rig.client(), rig.client());
    listener.ask("Listen", &[]);
    listener.event();
    assert_eq!(stream.connect(id, 8100), 0);
    rig.muxer.stop();
    assert!(listener.ended().is_ok() && stream.ended().is_ok());
    let refused = std::net::TcpStream::connect(rig.muxer.address()).map_err(|error| error.kind());
    assert_eq!(refused.err(), Some(ErrorKind::ConnectionRefused));
    rig.muxer.restart();
    let mut client = rig.client();
    // A new daemon counts anew, so a number that somebody kept may be another phone's.
    assert_eq!(phones(&mut client), [named(1, FIRST, "USB")]);
    assert_eq!(client.connect(1, 8100), 0);
    assert!(client.status().contains("WebDriverAgent"));
    assert_eq!(rig.muxer.listeners(), 0);
}

#[cfg(unix)]
#[test]
fn it_listens_on_a_unix_socket_too() {
    use std::os::unix::net::{UnixListener, UnixStream};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("usbmuxd");
    // Left behind by somebody.
    drop(UnixListener::bind(&path).expect("bound"));
    let muxer = UsbmuxSim::start_at(Listen::Unix(path.clone())).expect("started");
    assert_eq!(muxer.address(), path.display().to_string());
    let ask = || {
        use std::io::Write;
        let mut stream = UnixStream::connect(&path)?;
        stream.set_read_timeout(Some(client::PATIENCE))?;
        stream.write_all(&packet(1, 8, 1, &xml(&client::dict(&[("MessageType", "ListDevices".into())]))))?;
        let mut head = [0; 16];
        stream.read_exact(&mut head).map(|()| head)
    };
    assert_eq!(ask().expect("an answer")[12], 1);
    let taken = UsbmuxSim::start_at(Listen::Unix(path.clone())).map(drop).map_err(|error| error.kind());
    assert_eq!(taken, Err(ErrorKind::AddrInUse));
    muxer.stop();
    assert!(ask().is_err());
    muxer.restart();
    assert!(ask().is_ok());
    drop(muxer);
    until("the socket is gone", || !path.exists());
}
