//! The providers of transfers, one file each.

mod ciphermeter;
mod receipts;
mod tcp;
mod tls;

use ciphermeter_core::Algorithm;
use ciphermeter_transfer::Suite;

use crate::error::Error;
use crate::provider::Provider;

pub(crate) use ciphermeter::Ciphermeter;

/// The names of the providers that the worker can host.
pub const PROVIDERS: &[&str] = &["ciphermeter", "rustls", "ceiling"];

/// The provider's name, if it exists.
pub(crate) fn known(name: &str) -> Result<&'static str, Error> {
    let found = PROVIDERS.iter().find(|known| **known == name);
    found
        .copied()
        .ok_or_else(|| Error::UnknownProvider { found: name.chars().take(64).collect(), known: PROVIDERS.join(", ") })
}

/// A provider with an algorithm.
pub(crate) fn provider(name: &str, algorithm: Algorithm) -> Result<Box<dyn Provider>, Error> {
    let suite = Suite::ALL.into_iter().find(|suite| suite.algorithm() == algorithm);
    Ok(match (name, suite) {
        ("ciphermeter", Some(suite)) => Box::new(Ciphermeter(suite)),
        ("rustls", Some(suite)) => Box::new(tls::Rustls(suite)),
        ("ceiling", None) if algorithm == Algorithm::TcpPlain => Box::new(tcp::PlainTcp),
        _ => return Err(Error::UnknownAlgorithm(name.to_owned(), algorithm)),
    })
}

/// The algorithms with which a provider moves files.
pub(crate) fn algorithms(provider: &str) -> &'static [Algorithm] {
    match provider {
        "ceiling" => &[Algorithm::TcpPlain],
        _ => &[Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305],
    }
}

/// The version of a provider: of its transfer code, and of the library that seals.
pub fn version(name: &str) -> &'static str {
    match name {
        "rustls" => concat!(env!("VERSION_RUSTLS"), " with aws-lc-rs ", env!("VERSION_AWS_LC_RS")),
        "ciphermeter" => concat!(env!("CARGO_PKG_VERSION"), " with aws-lc-rs ", env!("VERSION_AWS_LC_RS")),
        _ => env!("CARGO_PKG_VERSION"),
    }
}
