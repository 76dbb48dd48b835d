//! The crate `idevice`, a client that this project did not write.

use super::{FIRST, Rig, SECOND, until};
use e2e::usbmux_sim::{Connection, UsbPhone};
use futures_util::StreamExt;
use idevice::{
    IdeviceError, IdeviceService,
    provider::IdeviceProvider,
    services::{installation_proxy::InstallationProxyClient, lockdown::LockdownClient},
    usbmuxd::{self, UsbmuxdAddr, UsbmuxdConnection, UsbmuxdListenEvent, errors::UsbmuxdError},
};
use plist::Value;
use std::{net::Ipv4Addr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

const PATIENCE: Duration = Duration::from_secs(10);

fn address(rig: &Rig) -> UsbmuxdAddr {
    UsbmuxdAddr::TcpSocket(rig.muxer.address().parse().expect("an address"))
}

async fn open(rig: &Rig) -> UsbmuxdConnection {
    address(rig).connect(1).await.unwrap_or_else(|error| panic!("{error}"))
}

async fn provider(rig: &Rig) -> impl IdeviceProvider {
    let device = open(rig).await.get_device(FIRST).await.unwrap_or_else(|error| panic!("{error}"));
    device.to_provider(address(rig), "test")
}

#[tokio::test]
async fn it_lists_phones_and_reads_their_names() {
    let rig = Rig::new();
    let network = Ipv4Addr::new(192, 0, 2, 7).into();
    let second = UsbPhone { connection: Connection::Network(network), ..UsbPhone::new(SECOND) };
    rig.muxer.plug(second);
    let devices = open(&rig).await.get_devices().await.expect("a list");
    let found: Vec<_> = devices.iter().map(|device| (device.udid.as_str(), device.connection_type.clone())).collect();
    assert_eq!(found, [(FIRST, usbmuxd::Connection::Usb), (SECOND, usbmuxd::Connection::Network(network))]);
    assert_eq!(devices[0].device_id, rig.id);
    let mut lockdown = LockdownClient::connect(&provider(&rig).await).await.expect("lockdown");
    let name = lockdown.get_value(Some("DeviceName"), None).await.expect("a name");
    assert_eq!(name.as_string(), Some("Simulated iPhone"));
}

#[tokio::test]
async fn it_opens_a_session_and_browses_apps() {
    let rig = Rig::new();
    let provider = provider(&rig).await;
    let mut lockdown = LockdownClient::connect(&provider).await.expect("lockdown");
    let record = provider.get_pairing_file().await.expect("a pair record");
    let prohibited = lockdown.get_value(Some("SerialNumber"), None).await;
    assert!(matches!(prohibited, Err(IdeviceError::GetProhibited)), "{prohibited:?}");
    lockdown.start_session(&record).await.expect("a session");
    let serial = lockdown.get_value(Some("SerialNumber"), None).await.expect("a value");
    assert_eq!(serial.as_string(), Some("SIMULATED0"));
    lockdown.stop_session().await.expect("the session's end");

    let mut apps = InstallationProxyClient::connect(&provider).await.expect("the list of apps");
    let user = apps.get_apps(Some("User"), None).await.expect("apps");
    assert!(user.contains_key("com.fingertip.signin") && !user.contains_key("com.apple.mobilesafari"), "{user:?}");
    let all = apps.browse(None).await.expect("apps");
    let id = |app: &Value| app.as_dictionary()?.get("CFBundleIdentifier")?.as_string().map(str::to_owned);
    let mut found: Vec<String> = all.iter().filter_map(id).collect();
    found.sort();
    assert_eq!(found.len(), 5);
    assert!(found.contains(&"com.apple.mobilesafari".to_owned()), "{found:?}");
}

#[tokio::test]
async fn it_reaches_the_agent() {
    let rig = Rig::new();
    let provider = provider(&rig).await;
    let stream = provider.connect(8100).await.expect("a stream");
    let mut socket = stream.get_socket().expect("a socket");
    socket.write_all(b"GET /status HTTP/1.1\r\nConnection: close\r\n\r\n").await.expect("sent");
    let mut answer = String::new();
    timeout(PATIENCE, socket.read_to_string(&mut answer)).await.expect("in time").expect("a status");
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("WebDriverAgent"), "{answer}");
    let refused = provider.connect(8101).await;
    assert!(matches!(refused, Err(IdeviceError::Usbmuxd(UsbmuxdError::ConnectionRefused))), "{refused:?}");
    rig.muxer.unplug(FIRST);
    let gone = provider.connect(8100).await;
    assert!(matches!(gone, Err(IdeviceError::Usbmuxd(UsbmuxdError::BadDevice))), "{gone:?}");
}

#[tokio::test]
async fn it_hears_who_comes_and_goes() {
    let rig = Rig::new();
    let mut connection = open(&rig).await;
    let mut events = connection.listen().await.expect("a listener");
    until("a listener", || rig.muxer.listeners() == 1);
    let second = rig.muxer.plug(UsbPhone::new(SECOND));
    rig.muxer.unplug(FIRST);
    let mut heard = Vec::new();
    while heard.len() < 3 {
        let event = timeout(PATIENCE, events.next()).await.expect("in time").expect("an event").expect("a good one");
        heard.push(match event {
            UsbmuxdListenEvent::Connected(device) => ("in", device.device_id),
            UsbmuxdListenEvent::Disconnected(id) => ("out", id),
        });
    }
    assert_eq!(heard, [("in", rig.id), ("in", second), ("out", rig.id)]);
}

#[tokio::test]
async fn it_is_told_why_there_is_no_session() {
    let rig = Rig::new();
    let provider = provider(&rig).await;
    let record = provider.get_pairing_file().await.expect("a pair record");
    let session = async || {
        let mut lockdown = LockdownClient::connect(&provider).await.expect("lockdown");
        lockdown.start_session(&record).await
    };
    rig.muxer.change(FIRST, |phone| phone.locked = true);
    let locked = session().await;
    assert!(matches!(&locked, Err(IdeviceError::UnknownErrorType(name)) if name == "PasswordProtected"), "{locked:?}");
    rig.muxer.change(FIRST, |phone| (phone.locked, phone.paired) = (false, false));
    let strange = session().await;
    assert!(matches!(strange, Err(IdeviceError::InvalidHostID)), "{strange:?}");
    assert!(provider.get_pairing_file().await.is_err());
}
