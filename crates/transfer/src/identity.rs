//! The receiver's key pair. It is made for one transfer, named by the ticket, and kept with the transfer's state, so
//! that a restarted receiver can be recognised.

use aws_lc_rs::digest;
use rcgen::{CertificateParams, DnType, KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use zeroize::Zeroizing;

use crate::Error;
use crate::ticket::KeyHash;

/// The name in the certificate; it is never checked.
pub(crate) const NAME: &str = "ciphermeter";

/// A key pair and the certificate that carries its public half.
///
/// The certificate carries no information: its names and dates are never checked, only its key. Public for
/// [`crate::pinned_server`]; the private key stays inside.
pub struct Identity {
    pkcs8: Zeroizing<Vec<u8>>,
    certificate: CertificateDer<'static>,
    hash: KeyHash,
}

impl Identity {
    /// A new key pair: ECDSA on P-256, which every TLS library can sign with.
    pub fn generate() -> Result<Self, Error> {
        KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).and_then(Self::of).map_err(failed)
    }

    /// The identity whose key pair [`Self::pkcs8`] returned.
    pub(crate) fn load(pkcs8: &[u8]) -> Result<Self, Error> {
        let der = PrivatePkcs8KeyDer::from(pkcs8);
        KeyPair::from_pkcs8_der_and_sign_algo(&der, &PKCS_ECDSA_P256_SHA256).and_then(Self::of).map_err(failed)
    }

    fn of(key: KeyPair) -> Result<Self, rcgen::Error> {
        let mut params = CertificateParams::new(vec![NAME.to_owned()])?;
        params.distinguished_name.push(DnType::CommonName, NAME);
        let certificate = params.self_signed(&key)?.der().clone();
        let hash = key_hash(&key.subject_public_key_info());
        Ok(Self { pkcs8: Zeroizing::new(key.serialize_der()), certificate, hash })
    }

    /// The SHA-256 of the public key.
    pub fn hash(&self) -> KeyHash {
        self.hash
    }

    /// The key pair as PKCS #8 in DER: a secret.
    pub(crate) fn pkcs8(&self) -> &[u8] {
        &self.pkcs8
    }

    pub(crate) fn certificate(&self) -> CertificateDer<'static> {
        self.certificate.clone()
    }

    pub(crate) fn private_key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::Pkcs8(self.pkcs8.to_vec().into())
    }
}

/// The hash of a public key as SubjectPublicKeyInfo in DER.
pub(crate) fn key_hash(info: &[u8]) -> KeyHash {
    digest::digest(&digest::SHA256, info).as_ref().try_into().expect("SHA-256 has 32 bytes")
}

fn failed(error: rcgen::Error) -> Error {
    Error::Identity(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_identity_equals_the_stored_one() {
        let identity = Identity::generate().unwrap();
        assert_eq!(Identity::load(identity.pkcs8()).unwrap().hash(), identity.hash());
        assert_ne!(Identity::generate().unwrap().hash(), identity.hash());
        assert!(Identity::load(b"no key").is_err());
    }
}
