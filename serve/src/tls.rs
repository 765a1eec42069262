//! TLS: the operator's certificate, or one of the server's own.

use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use axum_server::tls_rustls::RustlsConfig;
use ciphermeter_host::{file, private};
use ciphermeter_terminal::own_folders;
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Bytes of a file of keys or certificates.
const MOST: u64 = 1 << 20;

/// The certificate of the operator.
///
/// # Errors
/// It cannot be read or used, or its key is another one's.
pub async fn of_files(certificate: &Path, key: &Path) -> Result<RustlsConfig> {
    let pem = read(certificate).with_context(|| format!("cannot read the certificate {}", certificate.display()))?;
    let key_pem = Zeroizing::new(read(key).with_context(|| format!("cannot read the key {}", key.display()))?);
    let (shown, key_shown) = (certificate.display(), key.display());
    if !matches!(CertificateDer::pem_slice_iter(&pem).next(), Some(Ok(_))) {
        bail!("{shown} has no certificate in PEM: name the file of the certificate and its chain with --certificate");
    }
    if PrivateKeyDer::from_pem_slice(&key_pem).is_err() {
        bail!("{key_shown} has no private key in PEM without a passphrase: name the certificate's with --key");
    }
    RustlsConfig::from_pem(pem, key_pem.to_vec()).await.map_err(|why| {
        match why.get_ref().and_then(|why| why.downcast_ref::<rustls::Error>()) {
            Some(rustls::Error::InconsistentKeys(_)) => {
                anyhow!("the key {key_shown} is not that of the certificate {shown}: name the two that belong together")
            }
            Some(rustls::Error::InvalidCertificate(_)) => {
                anyhow!("the certificate {shown} cannot be used ({why}): name another one with --certificate")
            }
            _ => anyhow!("the key {key_shown} cannot be used ({why}): name one of ECDSA P-256 or RSA with --key"),
        }
    })
}

/// A regular file of keys or certificates.
fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        bail!("it is longer than 1 MiB: name another file");
    }
    Ok(bytes)
}

/// The server's own certificate.
pub struct Own {
    pub config: RustlsConfig,
    /// The certificate, for those that push.
    pub file: PathBuf,
    /// SHA-256 of the certificate, as browsers show it.
    pub fingerprint: String,
}

/// The server's own certificate, which is made once and then kept: it holds for the address and these names.
pub async fn own(listen: SocketAddr, names: &[String]) -> Result<Own> {
    let data = own_folders::data().context("there is no home folder for a certificate; give one with --certificate")?;
    let folder = data.join("serve");
    private::make_folder(&data).and_then(|()| private::make_folder(&folder))?;
    let (file, key_file) = (folder.join("certificate.pem"), folder.join("key.pem"));
    if !file.exists() || !key_file.exists() {
        let key = KeyPair::generate()?;
        let certificate = params(listen, names)?.self_signed(&key)?;
        let secret = Zeroizing::new(key.serialize_pem());
        private::write(&folder.join("key.part"), &key_file, secret.as_bytes())?;
        private::write(&folder.join("certificate.part"), &file, certificate.pem().as_bytes())?;
    }
    own_folders::check_own(&data, &key_file, "remove it")?;
    let key = Zeroizing::new(private::read(&key_file, MOST)?);
    let pem = private::read(&file, MOST)?;
    let fingerprint = fingerprint(&pem).with_context(|| format!("{} is no certificate: remove it", file.display()))?;
    let config = RustlsConfig::from_pem(pem, key.to_vec()).await;
    let config = config.with_context(|| format!("cannot use {}: remove it", file.display()))?;
    Ok(Own { config, file, fingerprint })
}

fn params(listen: SocketAddr, names: &[String]) -> Result<CertificateParams> {
    let all = "localhost".to_owned();
    let address = (!listen.ip().is_unspecified()).then(|| listen.ip().to_string());
    let loopback = ["127.0.0.1".to_owned(), "::1".to_owned()];
    let subjects: Vec<String> = [all].into_iter().chain(loopback).chain(address).chain(names.iter().cloned()).collect();
    let mut params = CertificateParams::new(subjects)?;
    params.distinguished_name.push(rcgen::DnType::CommonName, "Ciphermeter");
    Ok(params)
}

fn fingerprint(pem: &[u8]) -> Option<String> {
    let certificate = CertificateDer::from_pem_slice(pem).ok()?;
    Some(Sha256::digest(&certificate).iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":"))
}
