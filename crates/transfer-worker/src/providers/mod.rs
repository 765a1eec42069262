//! The providers of transfers, one file each.

mod ciphermeter;
mod kernel;
mod receipts;
mod records;
mod tcp;
mod tls;
mod wireguard;

use ciphermeter_core::{Algorithm, Form};
use ciphermeter_transfer::Suite;

use crate::disk;
use crate::error::Error;
use crate::provider::Provider;

pub(crate) use ciphermeter::Ciphermeter;
use records::Records;

/// The names of the providers that the worker can host.
pub const PROVIDERS: &[&str] = &["ciphermeter", "rustls", "ktls", "wireguard", DISKS, "ceiling"];

/// The provider of disks, whose cells have no other end.
pub(crate) const DISKS: &str = "dm-crypt";

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
        ("wireguard", Some(Suite::ChaCha20Poly1305)) => Box::new(wireguard::Wireguard::new(true)),
        ("wireguard", None) if algorithm == Algorithm::TcpPlain => Box::new(wireguard::Wireguard::new(false)),
        ("ceiling", None) if algorithm == Algorithm::TcpPlain => Box::new(tcp::PlainTcp),
        _ => return Err(Error::UnknownAlgorithm(name.to_owned(), algorithm)),
    })
}

/// The algorithms with which a provider moves messages, and what shows their limit on the same way.
pub(crate) fn algorithms(provider: &str) -> &'static [Algorithm] {
    match provider {
        "ceiling" => &[Algorithm::TcpPlain],
        "wireguard" => &[Algorithm::ChaCha20Poly1305, Algorithm::TcpPlain],
        DISKS => disk::ALGORITHMS,
        _ => &Algorithm::USUAL,
    }
}

/// Where a provider's messages go.
pub(crate) fn forms(provider: &str) -> &'static [Form] {
    match provider {
        DISKS => &[Form::Disk],
        // What becomes of the bytes is `ceiling`'s code, and no packet's affair.
        "wireguard" => &[Form::Discard],
        _ => &[Form::Discard, Form::File],
    }
}

/// Whether this machine has what the provider needs; otherwise why not. `is_apart`: the receiver is on another one.
pub(crate) fn availability(provider: &str, is_apart: bool) -> Result<(), Error> {
    match provider {
        "wireguard" | DISKS if is_apart => Err(Error::local("it is measured within one machine: leave --peer out")),
        "ktls" => kernel::probe(),
        "wireguard" => wireguard::probe(),
        DISKS => disk::probe(),
        _ => Ok(()),
    }
}

/// The version of a provider: of its transfer code, and of what seals.
pub(crate) fn version(name: &str) -> String {
    match name {
        "rustls" => concat!(env!("VERSION_RUSTLS"), " with aws-lc-rs ", env!("VERSION_AWS_LC_RS")).to_owned(),
        "ktls" => format!("{} with rustls {}", kernel_release(), env!("VERSION_RUSTLS")),
        "wireguard" | DISKS => kernel_release(),
        "ciphermeter" => concat!(env!("CARGO_PKG_VERSION"), " with aws-lc-rs ", env!("VERSION_AWS_LC_RS")).to_owned(),
        _ => env!("CARGO_PKG_VERSION").to_owned(),
    }
}

fn kernel_release() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}
