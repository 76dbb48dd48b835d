//! The trust between one phone and the muxer's host: certificates and keys made at start, the pair record that holds them, and
//! TLS with them. It knows no request. Real phones use RSA-2048; these keys are P-256, which `ring` can make.

use super::wire::{dict, xml};
use plist::Value;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, SanType};
use rustls::{
    DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme,
    client::danger::HandshakeSignatureValid,
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, PrivatePkcs8KeyDer, UnixTime},
    server::danger::{ClientCertVerified, ClientCertVerifier},
};
use std::{
    hash::{BuildHasher, RandomState},
    io,
    sync::Arc,
};

/// One phone's trust in the host.
pub(super) struct Pairing {
    pub(super) host_id: String,
    pub(super) wifi_mac: String,
    /// The pair record, as the muxer hands it out.
    pub(super) record: Vec<u8>,
    demanding: Arc<ServerConfig>,
    asking: Arc<ServerConfig>,
}

/// A random number in the form of a UUID.
pub(super) fn uuid() -> String {
    // Each state has keys of its own; that is random enough for a name.
    let [a, b] = [RandomState::new().hash_one(0), RandomState::new().hash_one(1)];
    let (first, second, third) = (a >> 32, (a >> 16) & 0xffff, a & 0xfff);
    format!("{first:08X}-{second:04X}-4{third:03X}-{:04X}-{:012X}", 0x8000 | (b >> 50), b & 0xffff_ffff_ffff)
}

impl Pairing {
    pub(super) fn new(system_buid: &str) -> io::Result<Pairing> {
        let root_key = KeyPair::generate().map_err(io::Error::other)?;
        let mut root_params = params("Root Certification Authority");
        root_params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        root_params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let root = root_params.self_signed(&root_key).map_err(io::Error::other)?;
        let issuer = Issuer::from_params(&root_params, &root_key);
        let issue = |name: &str| -> io::Result<(rcgen::Certificate, KeyPair)> {
            let key = KeyPair::generate().map_err(io::Error::other)?;
            let mut params = params(name);
            // So that a client which checks it can: it knows the phone by no other name.
            params.subject_alt_names =
                vec![SanType::DnsName(name.to_lowercase().try_into().map_err(io::Error::other)?)];
            params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
            Ok((params.signed_by(&key, &issuer).map_err(io::Error::other)?, key))
        };
        let (host, host_key) = issue("Host")?;
        let (device, device_key) = issue("Device")?;

        let host_id = uuid();
        let bytes = RandomState::new().hash_one(2).to_be_bytes();
        // The bit that says: made up by whoever runs it.
        let mac = [0x02, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]];
        let wifi_mac = mac.map(|byte| format!("{byte:02x}")).join(":");
        let data = |text: String| Value::Data(text.into_bytes());
        let record = xml(&dict([
            ("RootCertificate", data(root.pem())),
            ("HostCertificate", data(host.pem())),
            ("DeviceCertificate", data(device.pem())),
            ("RootPrivateKey", data(root_key.serialize_pem())),
            ("HostPrivateKey", data(host_key.serialize_pem())),
            ("SystemBUID", system_buid.into()),
            ("HostID", host_id.as_str().into()),
            ("EscrowBag", Value::Data(uuid().into_bytes())),
            ("WiFiMACAddress", wifi_mac.as_str().into()),
        ]));
        let provider = Arc::new(ring::default_provider());
        // libimobiledevice shows the root certificate, the others the host's.
        let known = [host.der().clone(), root.der().clone()];
        let config = |demanding: bool| {
            let host = Host { known: known.clone(), demanding, provider: provider.clone() };
            let mut config = ServerConfig::builder_with_provider(provider.clone())
                .with_safe_default_protocol_versions()
                .map_err(io::Error::other)?
                .with_client_cert_verifier(Arc::new(host))
                .with_single_cert(
                    vec![device.der().clone()],
                    PrivatePkcs8KeyDer::from(device_key.serialize_der()).into(),
                )
                .map_err(io::Error::other)?;
            // Nothing may be sent unasked on a connection that goes back to plain text.
            config.send_tls13_tickets = 0;
            Ok::<_, io::Error>(Arc::new(config))
        };
        Ok(Pairing { demanding: config(true)?, asking: config(false)?, host_id, wifi_mac, record })
    }

    /// TLS with the device's certificate. The client is asked for its own, and where that is demanded it must show one.
    pub(super) fn tls(&self, demanding: bool) -> Arc<ServerConfig> {
        if demanding { self.demanding.clone() } else { self.asking.clone() }
    }
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

/// Knows the two certificates of the host by their bytes.
#[derive(Debug)]
struct Host {
    known: [CertificateDer<'static>; 2],
    demanding: bool,
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for Host {
    fn client_auth_mandatory(&self) -> bool {
        self.demanding
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if self.known.iter().any(|known| known.as_ref() == shown.as_ref()) {
            return Ok(ClientCertVerified::assertion());
        }
        Err(Error::InvalidCertificate(rustls::CertificateError::ApplicationVerificationFailure))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
