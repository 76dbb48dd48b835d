//! What an operator may write about an iPhone in the configuration, checked with clear sentences.
//!
//! It knows addresses and options, not what they are used for.

use driver_api::{DeviceConfig, Error, ErrorKind, Result, Via};
use reqwest::Url;
use serde::Deserialize;

/// Options of the plugin as a whole: none so far, and none are accepted.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PluginOptions {}

/// Options of one device.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceOptions {
    /// Where the phone's stream of pictures is.
    stream_address: Option<String>,
}

/// A device that the operator configured, checked.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    /// Under which callers know it.
    pub(crate) id: String,
    /// What people call it.
    pub(crate) name: String,
    /// Where it is reached.
    pub(crate) address: Address,
    /// Where its stream of pictures is, where there is one.
    pub(crate) stream: Option<Address>,
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

    /// Without a slash at its end, so that paths can follow.
    pub(crate) fn base(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    /// Host and port, as a socket wants them.
    pub(crate) fn host_port(&self) -> (&str, u16) {
        let host = self.url.host_str().unwrap_or_default();
        (host.trim_start_matches('[').trim_end_matches(']'), self.url.port_or_known_default().unwrap_or(80))
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
}

/// The device, or a sentence that says what is wrong with it.
pub(crate) fn device(config: &DeviceConfig) -> Result<Device> {
    let wrong = |what: String| Error::new(ErrorKind::InvalidArgument, format!("device \"{}\": {what}", config.id));
    let options: DeviceOptions = driver_api::options(&config.options).map_err(|error| wrong(error.message))?;
    let text = config.address.as_deref().filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        wrong(
            "an address is missing; write where the phone is reached, such as address = \"http://192.0.2.20:8100\""
                .to_owned(),
        )
    })?;
    let address = Address::parse(text, 8100)
        .map_err(|why| wrong(format!("the address \"{text}\" {why}; it is written like \"http://192.0.2.20:8100\"")))?;
    let stream = options.stream_address.as_deref().map(|text| match Address::parse(text, 9100) {
        Ok(address) if address.is_secure() => Err(wrong("stream_address must start with http://".to_owned())),
        Ok(address) => Ok(address),
        Err(why) => {
            Err(wrong(format!("the stream_address \"{text}\" {why}; it is written like \"http://192.0.2.20:9100\"")))
        }
    });
    Ok(Device {
        id: config.id.clone(),
        name: config.name.clone().unwrap_or_else(|| config.id.clone()),
        address,
        stream: stream.transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: Option<&str>, options: &str) -> Result<Device> {
        device(&DeviceConfig {
            id: "desk".to_owned(),
            address: address.map(str::to_owned),
            options: serde_json::from_str(options).unwrap(),
            ..DeviceConfig::default()
        })
    }

    #[test]
    fn good_addresses() {
        for (text, base, via) in [
            ("http://192.0.2.20:8100", "http://192.0.2.20:8100", Via::Network),
            ("http://192.0.2.20", "http://192.0.2.20:8100", Via::Network),
            ("http://127.0.0.1:9/", "http://127.0.0.1:9", Via::Local),
            ("http://[::1]:8100", "http://[::1]:8100", Via::Local),
            ("http://localhost:8100", "http://localhost:8100", Via::Local),
            ("https://phones.example:8443", "https://phones.example:8443", Via::Network),
        ] {
            let device = check(Some(text), "{}").unwrap();
            assert_eq!((device.address.base(), device.address.via()), (base, via));
        }
    }

    #[test]
    fn every_mistake_has_a_sentence_that_names_the_device() {
        for (address, options, part) in [
            (None, "{}", "an address is missing"),
            (Some(" "), "{}", "an address is missing"),
            (Some("192.0.2.20:8100"), "{}", "\"192.0.2.20:8100\" is no address"),
            (Some("phone:8100"), "{}", "does not start with http"),
            (Some("ftp://phone"), "{}", "does not start with http"),
            (Some("http://phone:8100/wd/hub"), "{}", "something after the port"),
            (Some("http://me:secret@phone:8100"), "{}", "user name"),
            (Some("http://phone:99999"), "{}", "is no address"),
            (Some("http://phone:8100"), r#"{"port": 1}"#, "unknown field `port`"),
            (Some("http://phone:8100"), r#"{"stream_address": "tcp://x"}"#, "stream_address"),
        ] {
            let error = check(address, options).unwrap_err();
            assert_eq!(error.kind, ErrorKind::InvalidArgument);
            assert!(
                error.message.starts_with("device \"desk\": ") && error.message.contains(part),
                "{}",
                error.message
            );
        }
    }
}
