//! What a phone on the simulated muxer is like from the outside, and what the muxer tells about it. It knows no connection.

use super::wire::dict;
use crate::wda_sim::WdaSim;
use plist::{Dictionary, Value};
use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
};

/// How a phone reaches the muxer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Over a cable.
    Usb,
    /// Over the network, from this address.
    Network(IpAddr),
}

/// An app as the phone's list of apps tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsbApp {
    /// The bundle identifier.
    pub bundle_id: String,
    /// The name below the icon.
    pub name: String,
    /// Whether it came with the phone.
    pub system: bool,
    /// The version.
    pub version: String,
}

impl UsbApp {
    /// An app that somebody installed.
    pub fn user(bundle_id: &str, name: &str) -> UsbApp {
        let (bundle_id, name, version) = (bundle_id.to_owned(), name.to_owned(), "1.0".to_owned());
        UsbApp { bundle_id, name, system: false, version }
    }

    /// An app that came with the phone.
    pub fn system(bundle_id: &str, name: &str) -> UsbApp {
        UsbApp { system: true, ..UsbApp::user(bundle_id, name) }
    }
}

/// A phone to be plugged in.
#[derive(Clone, Debug)]
pub struct UsbPhone {
    /// The serial number by which it is known.
    pub udid: String,
    /// The name that its owner gave it.
    pub name: String,
    /// The model, such as `iPhone16,1`.
    pub product_type: String,
    /// The version of iOS.
    pub os_version: String,
    /// Where its ports lead. Connections to any other port are refused, but for lockdownd's and those that it starts.
    pub ports: BTreeMap<u16, SocketAddr>,
    /// Whether it trusts the host. Otherwise there is no pair record and no session.
    pub paired: bool,
    /// Whether its screen is locked, so that it starts no session.
    pub locked: bool,
    /// Whether a session demands the host's certificate, as on real phones, or only asks for it. libimobiledevice cannot
    /// show one here, since it reads RSA keys only.
    pub demands_certificate: bool,
    /// Whether Developer Mode is on.
    pub developer_mode: bool,
    /// Its apps.
    pub apps: Vec<UsbApp>,
    /// How it is connected.
    pub connection: Connection,
}

impl UsbPhone {
    /// A phone that trusts the host and has no port open.
    pub fn new(udid: &str) -> UsbPhone {
        UsbPhone {
            udid: udid.to_owned(),
            name: "Simulated iPhone".to_owned(),
            product_type: "iPhone16,1".to_owned(),
            os_version: "17.5".to_owned(),
            ports: BTreeMap::new(),
            paired: true,
            locked: false,
            demands_certificate: true,
            developer_mode: true,
            apps: vec![
                UsbApp::system("com.apple.Preferences", "Settings"),
                UsbApp::system("com.apple.mobilesafari", "Safari"),
                UsbApp::system("com.apple.mobilenotes", "Notes"),
                UsbApp::user("com.fingertip.signin", "Sign In"),
                UsbApp::user("com.facebook.WebDriverAgentRunner.xctrunner", "WebDriverAgentRunner-Runner"),
            ],
            connection: Connection::Usb,
        }
    }

    /// The same with a simulated agent on its ports 8100 and, where that serves one, its stream of pictures on 9100.
    pub fn with_agent(udid: &str, agent: &WdaSim) -> UsbPhone {
        let mut phone = UsbPhone::new(udid);
        phone.ports.insert(8100, agent.address());
        phone.ports.extend(agent.mjpeg_address().map(|address| (9100, address)));
        phone
    }

    /// What the muxer says when it is there.
    pub(super) fn attached(&self, id: u32) -> Dictionary {
        let mut properties = dict([("DeviceID", id.into()), ("SerialNumber", self.udid.as_str().into())]);
        match self.connection {
            Connection::Usb => properties.extend(dict([
                ("ConnectionType", "USB".into()),
                ("ConnectionSpeed", 480_000_000.into()),
                ("LocationID", (id << 16).into()),
                ("ProductID", 0x12a8.into()),
                // Some clients take the short form of new serial numbers from here.
                ("USBSerialNumber", self.udid.replace('-', "").into()),
            ])),
            Connection::Network(address) => properties.extend(dict([
                ("ConnectionType", "Network".into()),
                ("EscapedFullServiceName", format!("{}._apple-mobdev2._tcp.local.", self.udid).into()),
                ("InterfaceIndex", 1.into()),
                ("NetworkAddress", Value::Data(socket_address(address))),
            ])),
        }
        dict([("MessageType", "Attached".into()), ("DeviceID", id.into()), ("Properties", properties.into())])
    }
}

/// What the muxer says when it is gone.
pub(super) fn detached(id: u32) -> Dictionary {
    dict([("MessageType", "Detached".into()), ("DeviceID", id.into())])
}

/// A `sockaddr` as on macOS, whose first byte is its length.
fn socket_address(address: IpAddr) -> Vec<u8> {
    let (length, family, at, bytes) = match address {
        IpAddr::V4(address) => (16, 2, 4, address.octets().to_vec()),
        // The family's number is Linux's, since that is where the clients run.
        IpAddr::V6(address) => (28, 10, 8, address.octets().to_vec()),
    };
    let mut out = vec![0; length];
    out[0] = length as u8;
    out[1] = family;
    out[at..at + bytes.len()].copy_from_slice(&bytes);
    out
}
