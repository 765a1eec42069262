//! The libraries opened at run time: the system's, or those named by the same variables as in the worker.

use std::ffi::c_void;

use libloading::Library as Opened;

use super::{Case, Loop, repeat};

mod botan;
mod gcrypt;
mod mbedtls;
mod nettle;
mod openssl;
mod sodium;

use botan::Botan;
use gcrypt::Gcrypt;
use mbedtls::{MbedChaCha, MbedGcm};
use nettle::Nettle;
use openssl::OpenSsl;
use sodium::{SodiumChaCha, SodiumGcm};

/// The loop of a library; `None` if it is not one of these.
pub fn repeated(provider: &str, case: Case) -> Option<Result<Loop, String>> {
    // SAFETY: each function gets the library that it is written for.
    unsafe {
        Some(match provider {
            "openssl" => open("CIPHERMETER_OPENSSL", &["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.3.dylib"])
                .and_then(|library| repeat(OpenSsl::new(library, case.chacha)?, case)),
            "libsodium" => open("CIPHERMETER_LIBSODIUM", &["libsodium.so.26", "libsodium.so.23", "libsodium.26.dylib"])
                .and_then(|library| match case.chacha {
                    true => repeat(SodiumChaCha::new(library)?, case),
                    false => repeat(SodiumGcm::new(library)?, case),
                }),
            "mbedtls" => {
                open("CIPHERMETER_MBEDTLS", &["libmbedcrypto.so.16", "libmbedcrypto.so.7"]).and_then(|library| {
                    match case.chacha {
                        true => repeat(MbedChaCha::new(library)?, case),
                        false => repeat(MbedGcm::new(library)?, case),
                    }
                })
            }
            "libgcrypt" => open("CIPHERMETER_LIBGCRYPT", &["libgcrypt.so.20", "libgcrypt.20.dylib"])
                .and_then(|library| repeat(Gcrypt::new(library, case.chacha)?, case)),
            "nettle" => open("CIPHERMETER_NETTLE", &["libnettle.so.8", "libnettle.8.dylib"])
                .and_then(|library| repeat(Nettle::new(library, case.chacha)?, case)),
            "botan" => open("CIPHERMETER_BOTAN", &["libbotan-3.so.9", "libbotan-2.so.19"])
                .and_then(|library| repeat(Botan::new(library, case.chacha)?, case)),
            _ => return None,
        })
    }
}

/// # Safety
/// Opening a library runs its constructors.
unsafe fn open(variable: &str, names: &[&str]) -> Result<&'static Opened, String> {
    let named = std::env::var(variable).ok();
    let names: Vec<&str> = named.as_deref().map_or(names.to_vec(), |name| vec![name]);
    // SAFETY: the caller's promise.
    let opened = names.iter().find_map(|name| unsafe { Opened::new(*name) }.ok());
    opened.map(|library| &*Box::leak(Box::new(library))).ok_or_else(|| format!("there is no {}", names.join(" or ")))
}

/// # Safety
/// `T` must be the type of that symbol's address.
unsafe fn of<T: Copy>(library: &'static Opened, name: &str) -> Result<T, String> {
    // SAFETY: the caller's promise.
    unsafe { library.get::<T>(name.as_bytes()) }.map(|symbol| *symbol).map_err(|error| error.to_string())
}

/// Memory for a context, well aligned; it is never freed before the process ends.
fn room() -> *mut c_void {
    Box::leak(Box::new([0u128; 1024])).as_mut_ptr().cast()
}
