//! The providers of transfers, one file each.

mod ciphermeter;
mod kernel;
mod receipts;
mod records;
mod tcp;
mod tls;

use ciphermeter_core::Algorithm;
use ciphermeter_transfer::Suite;

use crate::error::Error;
use crate::provider::Provider;

pub(crate) use ciphermeter::Ciphermeter;
use records::Records;

/// The names of the providers that the worker can host.
pub const PROVIDERS: &[&str] = &["ciphermeter", "rustls", "ktls", "ceiling"];

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
        ("rustls", Some(suite)) => Box::new(tls::Tls { suite, records: Records::Rustls }),
        ("ktls", Some(suite)) => Box::new(tls::Tls { suite, records: Records::Kernel }),
        ("ceiling", None) if algorithm == Algorithm::TcpPlain => Box::new(tcp::PlainTcp),
        _ => return Err(Error::UnknownAlgorithm(name.to_owned(), algorithm)),
    })
}

/// The algorithms with which a provider moves files.
pub(crate) fn algorithms(provider: &str) -> &'static [Algorithm] {
    match provider {
        "ceiling" => &[Algorithm::TcpPlain],
        _ => &Algorithm::USUAL,
    }
}

/// Whether this machine has what the provider needs; otherwise why not.
pub(crate) fn availability(provider: &str) -> Result<(), Error> {
    if provider == "ktls" { kernel::probe() } else { Ok(()) }
}

/// The version of a provider: of its transfer code, and of what seals.
pub(crate) fn version(name: &str) -> String {
    match name {
        "rustls" => concat!(env!("VERSION_RUSTLS"), " with aws-lc-rs ", env!("VERSION_AWS_LC_RS")).to_owned(),
        "ktls" => {
            let release = rustix::system::uname();
            format!("{} with rustls {}", release.release().to_string_lossy(), env!("VERSION_RUSTLS"))
        }
        "ciphermeter" => concat!(env!("CARGO_PKG_VERSION"), " with aws-lc-rs ", env!("VERSION_AWS_LC_RS")).to_owned(),
        _ => env!("CARGO_PKG_VERSION").to_owned(),
    }
}
