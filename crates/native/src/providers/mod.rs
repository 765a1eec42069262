//! The built-in providers. A new one is a file (or a folder) here and a line in [`REGISTRY`].

#[cfg(feature = "all")]
mod aws_lc;
mod botan;
mod ceiling;
#[cfg(feature = "all")]
mod graviola;
pub mod installed;
#[cfg(feature = "all")]
mod libaegis;
mod libgcrypt;
mod libsodium;
mod mbedtls;
pub mod memory;
mod nettle;
pub mod opened;
pub(crate) mod openssl;
pub mod padding;
mod provider;
#[cfg(feature = "all")]
mod ring;
mod rustcrypto;
mod trial;

use std::path::PathBuf;

pub use provider::{LoopParameters, Offered, Provider, Unsupported, has_output, operations};

/// Opens a provider, or returns why it is absent here.
pub type OpenProvider = fn() -> Result<Box<dyn Provider>, String>;

/// All of them, in the order of tables.
pub const REGISTRY: &[(&str, OpenProvider)] = &[
    #[cfg(feature = "all")]
    ("aws-lc", aws_lc::open),
    #[cfg(feature = "all")]
    ("ring", ring::open),
    ("rustcrypto", rustcrypto::open),
    #[cfg(feature = "all")]
    ("graviola", graviola::open),
    #[cfg(feature = "all")]
    ("libaegis", libaegis::open),
    ("openssl", openssl::open),
    ("libsodium", libsodium::open),
    ("mbedtls", mbedtls::open),
    ("libgcrypt", libgcrypt::open),
    ("nettle", nettle::open),
    ("botan", botan::open),
    ("ceiling", ceiling::open),
];

/// Their names.
pub const PROVIDERS: &[&str] = &{
    let mut names = [""; REGISTRY.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = REGISTRY[i].0;
        i += 1;
    }
    names
};

/// The file of the system's libcrypto, or why there is none.
pub fn libcrypto_file() -> Result<PathBuf, String> {
    let (path, _) = openssl::open()?.file().ok_or("libcrypto is no file here")?;
    Ok(path.into())
}

/// Every message of the protocol fits the `int` lengths of C libraries.
const _: () = assert!(ciphermeter_protocol::MAX_MESSAGE + 32 < i32::MAX as u64);
