//! Clients that send what they should not, and a muxer that is told to answer so.

use super::client::{Client, dict, number, packet, xml};
use super::{FIRST, Rig, SECOND};
use e2e::usbmux_sim::{Fault, UsbPhone};
use plist::Value;
use std::io::Read;

fn bytes(client: &mut Client, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    client.stream.read_exact(&mut bytes).unwrap_or_else(|error| panic!("{error}"));
    bytes
}

#[test]
fn headers_with_a_wrong_length_end_the_connection() {
    let rig = Rig::new();
    for length in [0_u32, 15, 16 + (1 << 20) + 1, 1 << 31, u32::MAX] {
        let mut client = rig.client();
        let mut head = packet(1, 8, 1, b"");
        head[..4].copy_from_slice(&length.to_le_bytes());
        client.send(&head);
        assert!(client.ended().is_ok(), "{length}");
    }
}

#[test]
fn what_cannot_be_understood_is_a_bad_command() {
    let rig = Rig::new();
    let mut client = rig.client();
    let list = xml(&dict(&[("MessageType", "ListDevices".into())]));
    let nested = "<dict><key>a</key>".repeat(100);
    for (version, message, body, wanted) in [
        (1, 8, b"".as_slice(), 1),
        (1, 8, b"no property list", 1),
        (1, 8, b"<plist><array/></plist>", 1),
        (1, 8, b"<plist><dict/></plist>", 1),
        (1, 8, nested.as_bytes(), 1),
        // The binary protocol of old.
        (0, 3, b"", 1),
        (2, 8, &list, 6),
    ] {
        client.send(&packet(version, message, 9, body));
        let (tag, answer) = client.read().unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(body)));
        assert_eq!((tag, number(&answer, "Number")), (9, wanted), "{}", String::from_utf8_lossy(body));
    }
    assert_eq!(number(&client.ask("NoSuchRequest", &[]), "Number"), 1);
    assert_eq!(number(&client.ask("Connect", &[("DeviceID", "1".into())]), "Number"), 1);
    assert_eq!(number(&client.ask("Connect", &[("DeviceID", 1.into()), ("PortNumber", 65_536.into())]), "Number"), 1);
    assert!(client.ask("ListDevices", &[]).contains_key("DeviceList"));
}

#[test]
fn a_listener_may_ask_nothing_more() {
    let rig = Rig::new();
    let mut client = rig.client();
    client.ask("Listen", &[]);
    client.event();
    client.request("ListDevices", &[]);
    let (_, answer) = client.read().expect("an answer");
    assert_eq!(number(&answer, "Number"), 1);
    // What it sent was not read to its end, so this may be a reset.
    assert!(client.stream.read(&mut [0]).map_or(true, |read| read == 0));
}

#[test]
fn faults_that_leave_the_connection_open() {
    let rig = Rig::new();
    let whole = {
        let mut client = rig.client();
        client.request("ListDevices", &[]);
        let mut head = bytes(&mut client, 16);
        let length = u32::from_le_bytes(head[..4].try_into().expect("four")) as usize;
        head.extend(bytes(&mut client, length - 16));
        head
    };
    let head = |length: u32| {
        let mut head = whole[..16].to_vec();
        head[..4].copy_from_slice(&length.to_le_bytes());
        head
    };
    let raw = b"HTTP/1.1 400 Bad Request\r\n".to_vec();
    for (fault, wanted) in [
        (Fault::Hang, Vec::new()),
        (Fault::ShortLength, head(15)),
        (Fault::HugeLength, head(1 << 31)),
        (Fault::Stall, whole[..whole.len() / 2].to_vec()),
        (Fault::Raw(raw.clone()), raw),
    ] {
        rig.muxer.faults().next("ListDevices", fault.clone());
        let mut client = rig.client();
        client.request("ListDevices", &[]);
        assert_eq!(bytes(&mut client, wanted.len()), wanted, "{fault:?}");
        assert!(client.is_silent(), "{fault:?}");
        // It was one fault for one request.
        assert!(rig.client().ask("ListDevices", &[]).contains_key("DeviceList"));
    }
}

#[test]
fn faults_that_end_or_go_on() {
    let rig = Rig::new();
    let faults = rig.muxer.faults();
    faults.next("ReadBUID", Fault::Close);
    let mut client = rig.client();
    client.request("ReadBUID", &[]);
    assert!(client.ended().is_ok());

    faults.next("ReadBUID", Fault::Half);
    let mut client = rig.client();
    client.request("ReadBUID", &[]);
    let mut half = Vec::new();
    client.stream.read_to_end(&mut half).expect("the end");
    let length = u32::from_le_bytes(half[..4].try_into().expect("four")) as usize;
    assert_eq!(half.len(), length / 2);

    faults.always("Connect", Fault::Result(6));
    let mut client = rig.client();
    assert_eq!((client.connect(rig.id, 8100), client.connect(rig.id, 8100)), (6, 6));
    faults.clear();
    faults.next("*", Fault::Garbage);
    client.request("ListDevices", &[]);
    assert!(client.read().is_err(), "no property list");
    assert_eq!(client.connect(rig.id, 8100), 0, "the packet was whole");
}

#[test]
fn listeners_can_be_sent_anything() {
    let rig = Rig::new();
    let mut listener = rig.client();
    listener.ask("Listen", &[]);
    listener.event();
    rig.muxer.send_to_listeners(b"\x07\0\0\0");
    assert_eq!(bytes(&mut listener, 4), b"\x07\0\0\0");
    let id = rig.muxer.plug(UsbPhone::new(SECOND));
    assert_eq!(listener.event(), ("Attached".to_owned(), id.into()));
}

#[test]
fn a_phone_that_does_not_trust_has_no_pair_record() {
    let rig = Rig::new();
    let ask = |udid: &str| rig.client().ask("ReadPairRecord", &[("PairRecordID", udid.into())]);
    let record = ask(FIRST);
    assert!(record.get("PairRecordData").and_then(Value::as_data).is_some_and(|data| data.starts_with(b"<?xml")));
    assert_eq!(number(&ask(SECOND), "Number"), 2);
    rig.muxer.change(FIRST, |phone| phone.paired = false);
    assert_eq!(number(&ask(FIRST), "Number"), 2);
    // Trust that comes back is the same, also after replugging.
    rig.muxer.unplug(FIRST);
    rig.muxer.plug(UsbPhone::new(FIRST));
    assert_eq!(ask(FIRST), record);
}
