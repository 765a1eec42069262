//! TLS for the control channel: version 1.3 only, one key exchange, no early data, no resumption, and a receiver
//! identified by its key alone.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::{NoServerSessionStorage, ParsedCertificate};
use rustls::version::TLS13;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, PeerIncompatible, PeerMisbehaved,
    ServerConfig, SignatureScheme,
};

use crate::Error;
use crate::identity::{Identity, key_hash};
use crate::ticket::KeyHash;

/// The wire format's name in the handshake. Another version of the format, and the benchmark's protocol, have other
/// names.
pub const ALPN: &[u8] = b"ciphermeter/3";
/// The names of the versions before. A receiver accepts them in the handshake only to refuse them in words that such a
/// sender understands.
pub const ALPN_BEFORE: [&[u8]; 2] = [b"ciphermeter/2", b"ciphermeter/1"];

/// Key exchange with ML-KEM and no other: a file that is recorded today should not be readable in twenty years, and a
/// mere preference can be downgraded.
fn provider() -> Arc<CryptoProvider> {
    let kx_groups = vec![aws_lc_rs::kx_group::X25519MLKEM768];
    Arc::new(CryptoProvider { kx_groups, ..aws_lc_rs::default_provider() })
}

/// The receiver's side.
pub(crate) fn server(identity: &Identity, alpn: &[&[u8]]) -> Result<Arc<ServerConfig>, Error> {
    let mut config = pinned_server(identity, provider()).map_err(|error| Error::Identity(error.to_string()))?;
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    config.max_early_data_size = 0;
    Ok(Arc::new(config))
}

/// The sender's side, which accepts the owner of one key and no other peer.
pub(crate) fn client(key: KeyHash, alpn: &[u8]) -> Result<Arc<ClientConfig>, Error> {
    let mut config = pinned_client(key, provider()).map_err(|error| Error::Identity(error.to_string()))?;
    config.alpn_protocols = vec![alpn.to_vec()];
    config.resumption = Resumption::disabled();
    config.enable_early_data = false;
    config.enable_sni = false;
    Ok(Arc::new(config))
}

/// TLS 1.3 with that key and those algorithms, and rustls's defaults for the rest. Public for the benchmark, which
/// compares transfers with a program that wraps its socket in TLS.
pub fn pinned_server(identity: &Identity, provider: Arc<CryptoProvider>) -> Result<ServerConfig, rustls::Error> {
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![identity.certificate()], identity.private_key())
}

/// The counterpart of [`pinned_server`]: accepts that key and no other.
pub fn pinned_client(key: KeyHash, provider: Arc<CryptoProvider>) -> Result<ClientConfig, rustls::Error> {
    let verifier = Arc::new(Pinned { key, provider: provider.clone() });
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[&TLS13])?;
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Accepts a certificate if its key is the one that the ticket names, and the handshake if that key signed it. Both are
/// needed: a certificate is public, so showing one proves nothing.
#[derive(Debug)]
struct Pinned {
    key: KeyHash,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let info = ParsedCertificate::try_from(end_entity)?.subject_public_key_info();
        if key_hash(&info) == self.key {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::UnknownIssuer.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(PeerIncompatible::Tls12NotOffered.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The error for a failed handshake.
pub(crate) fn failed(peer: &str, why: &rustls::Error) -> Error {
    let peer = peer.into();
    match why {
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            Error::WrongKey(peer)
        }
        rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol)
        | rustls::Error::NoApplicationProtocol => Error::OtherVersion { peer },
        // A server answers so if it has no group in common with the client. Every server supports the client's cipher
        // suites.
        rustls::Error::AlertReceived(AlertDescription::HandshakeFailure)
        | rustls::Error::PeerIncompatible(PeerIncompatible::NoKxGroupsInCommon)
        | rustls::Error::PeerMisbehaved(PeerMisbehaved::IllegalHelloRetryRequestWithUnofferedNamedGroup) => {
            Error::NoHybrid { peer }
        }
        why => Error::Tls { peer, why: why.clone() },
    }
}
