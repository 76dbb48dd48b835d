//! What an operator may write about an iPhone in the configuration, checked with clear sentences.
//!
//! It knows addresses and options, not what they are used for.

use crate::usb::{self, MuxAddress};
use driver_api::{DeviceConfig, Error, ErrorKind, Result, Via};
use serde::Deserialize;
use url::Url;

/// The port of the automation program on the phone, and of its stream of pictures, unless it was started with others.
const PORTS: (u16, u16) = (8100, 9100);
/// Where the system may be told that the USB multiplexer listens.
const VARIABLE: &str = "USBMUXD_SOCKET_ADDRESS";

/// Options of the plugin as a whole.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PluginOptions {
    /// Whether iPhones on cables are found and used; yes unless said otherwise.
    usb: Option<bool>,
    /// Where the USB multiplexer listens, if not where the system has it.
    usbmuxd: Option<String>,
}

impl PluginOptions {
    /// Where the USB multiplexer listens; `None` where cables are not wanted.
    pub(crate) fn multiplexer(&self) -> Result<Option<MuxAddress>> {
        if self.usb == Some(false) {
            return Ok(None);
        }
        let variable = std::env::var(VARIABLE).ok().filter(|text| !text.trim().is_empty());
        let (text, named) = match (&self.usbmuxd, &variable) {
            (Some(text), _) => (text, "the option usbmuxd"),
            (None, Some(text)) => (text, VARIABLE),
            (None, None) => return Ok(Some(MuxAddress::usual())),
        };
        MuxAddress::parse(text).map(Some).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "{named} is \"{text}\"; it is written like 127.0.0.1:27015, /var/run/usbmuxd or UNIX:/var/run/usbmuxd"
                ),
            )
        })
    }
}

/// Options of one device.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceOptions {
    /// Where the phone's stream of pictures is.
    stream_address: Option<String>,
    /// On which port of the phone the automation program listens, for a phone on a cable.
    usb_port: Option<u16>,
    /// On which port of the phone the stream of pictures is, for a phone on a cable.
    usb_stream_port: Option<u16>,
}

/// A device that the operator configured, checked, or one that was plugged in.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    /// Under which callers know it.
    pub(crate) id: String,
    /// What the operator calls it.
    pub(crate) name: Option<String>,
    /// Where it is reached over the network.
    pub(crate) address: Option<Address>,
    /// Where its stream of pictures is on the network, where that is known.
    pub(crate) stream: Option<Address>,
    /// Its serial number, by which it is found on a cable.
    pub(crate) udid: Option<String>,
    /// The ports of the automation program and of its stream, for a cable.
    pub(crate) ports: (u16, u16),
}

impl Device {
    /// A phone that nobody configured.
    pub(crate) fn on_cable(udid: &str) -> Self {
        Device {
            id: udid.to_owned(),
            name: None,
            address: None,
            stream: None,
            udid: Some(udid.to_owned()),
            ports: PORTS,
        }
    }
}

/// A checked address: scheme, host and port, nothing after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    url: Url,
}

impl Address {
    fn parse(text: &str, default_port: u16) -> Result<Self, &'static str> {
        let mut url = Url::parse(text).map_err(|_| "is no address")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("does not start with http:// or https://");
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err("names no host");
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err("has something after the port");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("holds a user name or a password, which the phone does not know");
        }
        if url.port().is_none() && url.scheme() == "http" && !text.trim_end_matches('/').ends_with(":80") {
            url.set_port(Some(default_port)).map_err(|()| "takes no port")?;
        }
        Ok(Address { url })
    }

    /// Without a slash at its end, for people to read.
    pub(crate) fn base(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    /// Host and port, as a socket wants them.
    pub(crate) fn host_port(&self) -> (&str, u16) {
        let host = self.url.host_str().unwrap_or_default();
        (host.trim_start_matches('[').trim_end_matches(']'), self.url.port_or_known_default().unwrap_or(80))
    }

    /// Host and port as a request's head names them.
    pub(crate) fn host_header(&self) -> String {
        self.base().split_once("://").map_or_else(String::new, |(_, host)| host.to_owned())
    }

    /// Whether it needs encryption.
    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Local for this machine (a forwarded port), else by network.
    pub(crate) fn via(&self) -> Via {
        let (host, _) = self.host_port();
        let loopback =
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        if loopback { Via::Local } else { Via::Network }
    }

    /// Where the stream of a phone with this address is, if nobody says otherwise. A forwarded port tells nothing of others.
    fn stream(&self) -> Option<Address> {
        if self.is_secure() || self.via() == Via::Local {
            return None;
        }
        let mut url = self.url.clone();
        url.set_port(Some(PORTS.1)).ok()?;
        Some(Address { url })
    }
}

/// The device, or a sentence that says what is wrong with it.
pub(crate) fn device(config: &DeviceConfig) -> Result<Device> {
    let wrong = |what: String| Error::new(ErrorKind::InvalidArgument, format!("device \"{}\": {what}", config.id));
    let options: DeviceOptions = driver_api::options(&config.options).map_err(|error| wrong(error.message))?;
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let udid = given(&config.udid).map(|text| {
        usb::udid(&text).ok_or_else(|| {
            wrong(format!(
                "the udid \"{text}\" is none; it is written like \"00008110-000A1B2C3D4E5F60\" or as 40 digits"
            ))
        })
    });
    let udid = udid.transpose()?;
    let address = given(&config.address).map(|text| {
        Address::parse(&text, PORTS.0).map_err(|why| {
            wrong(format!("the address \"{text}\" {why}; it is written like \"http://192.0.2.20:8100\""))
        })
    });
    let address = address.transpose()?;
    if address.is_none() && udid.is_none() {
        return Err(wrong(
            "an address is missing; write where the phone is reached, such as address = \"http://192.0.2.20:8100\", or the \
             udid of a phone on a cable"
                .to_owned(),
        ));
    }
    let stream = options.stream_address.as_deref().map(|text| match Address::parse(text, PORTS.1) {
        Ok(address) if address.is_secure() => Err(wrong("stream_address must start with http://".to_owned())),
        Ok(address) => Ok(address),
        Err(why) => {
            Err(wrong(format!("the stream_address \"{text}\" {why}; it is written like \"http://192.0.2.20:9100\"")))
        }
    });
    let port = |given: Option<u16>, usual: u16, name: &str| match given {
        Some(0) => Err(wrong(format!("{name} is 0, which is no port"))),
        given => Ok(given.unwrap_or(usual)),
    };
    Ok(Device {
        id: config.id.clone(),
        name: config.name.clone(),
        stream: stream.transpose()?.or_else(|| address.as_ref().and_then(Address::stream)),
        address,
        udid,
        ports: (
            port(options.usb_port, PORTS.0, "usb_port")?,
            port(options.usb_stream_port, PORTS.1, "usb_stream_port")?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: Option<&str>, udid: Option<&str>, options: &str) -> Result<Device> {
        device(&DeviceConfig {
            id: "desk".to_owned(),
            address: address.map(str::to_owned),
            udid: udid.map(str::to_owned),
            options: serde_json::from_str(options).unwrap(),
            ..DeviceConfig::default()
        })
    }

    #[test]
    fn good_addresses() {
        for (text, base, via, stream) in [
            ("http://192.0.2.20:8100", "http://192.0.2.20:8100", Via::Network, Some("http://192.0.2.20:9100")),
            ("http://192.0.2.20", "http://192.0.2.20:8100", Via::Network, Some("http://192.0.2.20:9100")),
            ("http://127.0.0.1:9/", "http://127.0.0.1:9", Via::Local, None),
            ("http://[::1]:8100", "http://[::1]:8100", Via::Local, None),
            ("http://localhost:8100", "http://localhost:8100", Via::Local, None),
            ("https://phones.example:8443", "https://phones.example:8443", Via::Network, None),
        ] {
            let device = check(Some(text), None, "{}").unwrap();
            let address = device.address.unwrap();
            assert_eq!((address.base(), address.via()), (base, via));
            assert_eq!(format!("{}://{}", address.url.scheme(), address.host_header()), base);
            assert_eq!(device.stream.as_ref().map(Address::base), stream);
        }
    }

    #[test]
    fn a_phone_on_a_cable_needs_no_address() {
        let device = check(None, Some("00008110000A1B2C3D4E5F60"), r#"{"usb_port": 8200}"#).unwrap();
        assert_eq!((device.udid.as_deref(), device.ports), (Some("00008110-000A1B2C3D4E5F60"), (8200, 9100)));
    }

    #[test]
    fn every_mistake_has_a_sentence_that_names_the_device() {
        let good = Some("http://phone:8100");
        for (address, udid, options, part) in [
            (None, None, "{}", "an address is missing"),
            (Some(" "), None, "{}", "an address is missing"),
            (Some("192.0.2.20:8100"), None, "{}", "\"192.0.2.20:8100\" is no address"),
            (Some("phone:8100"), None, "{}", "does not start with http"),
            (Some("ftp://phone"), None, "{}", "does not start with http"),
            (Some("http://phone:8100/wd/hub"), None, "{}", "something after the port"),
            (Some("http://me:secret@phone:8100"), None, "{}", "user name"),
            (Some("http://phone:99999"), None, "{}", "is no address"),
            (good, None, r#"{"port": 1}"#, "unknown field `port`"),
            (good, None, r#"{"stream_address": "tcp://x"}"#, "stream_address"),
            (good, Some("not a udid"), "{}", "the udid \"not a udid\" is none"),
            (None, Some("00008110-000A1B2C3D4E5F60"), r#"{"usb_port": 0}"#, "usb_port is 0"),
            (None, Some("00008110-000A1B2C3D4E5F60"), r#"{"usb_stream_port": 70000}"#, "70000"),
        ] {
            let error = check(address, udid, options).unwrap_err();
            assert_eq!(error.kind, ErrorKind::InvalidArgument);
            assert!(
                error.message.starts_with("device \"desk\": ") && error.message.contains(part),
                "{}",
                error.message
            );
        }
    }

    #[test]
    fn the_multiplexer_can_be_named_or_turned_off() {
        let plugin = |text: &str| serde_json::from_str::<PluginOptions>(text).unwrap();
        assert_eq!(plugin(r#"{"usb": false}"#).multiplexer().unwrap(), None);
        let named = plugin(r#"{"usbmuxd": "UNIX:/tmp/mux"}"#).multiplexer().unwrap();
        assert_eq!(named, MuxAddress::parse("/tmp/mux"));
        let error = plugin(r#"{"usbmuxd": "nonsense"}"#).multiplexer().unwrap_err();
        assert!(error.message.contains("the option usbmuxd is \"nonsense\""), "{}", error.message);
    }
}
