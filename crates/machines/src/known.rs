//! Names that Ciphermeter gives. Another name in a run is its user's, and is not shared; a test compares the lists with the workers.

use crate::allowed::is_version_mark;

/// Providers of the built-in worker, of the workers in `workers/`, and of the page.
pub const PROVIDERS: &[&str] = &[
    "accp", "aws-lc", "boringssl", "botan", "bouncycastle", "ceiling", "conscrypt", "go", "graviola", "ipsec-mb",
    "libaegis", "libgcrypt", "libsodium", "libsodium-js", "mbedtls", "nettle", "noble-ciphers", "node-crypto", "nss",
    "openssl", "pyca", "pycryptodome", "pynacl", "ring", "rustcrypto", "study", "sunjce", "tink-go", "webcrypto",
    "wolfssl", "zig",
];

/// Workers that host them.
pub const WORKERS: &[&str] =
    &["boringssl", "go", "ipsec-mb", "java", "native", "node", "nss", "python", "rustcrypto-soft", "wolfssl", "zig"];

/// Languages of workers.
pub const LANGUAGES: &[&str] = &["C", "Go", "Java", "JavaScript", "Python", "Rust", "Zig"];

/// What counts memory.
pub const COUNTERS: &[&str] = &["malloc", "tracemalloc"];

/// A provider of Ciphermeter's, or one of several versions of it.
pub(crate) fn is_known_provider(name: &str) -> bool {
    match name.split_once('@') {
        None => PROVIDERS.contains(&name),
        Some((base, mark)) => PROVIDERS.contains(&base) && (is_version_mark(mark) || WORKERS.contains(&mark)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_of_a_user_is_not_known() {
        for name in ["openssl", "openssl@3.5.0", "openssl@1.1.1w-2", "webcrypto@node"] {
            assert!(is_known_provider(name), "{name}");
        }
        for name in ["acme", "openssl@acme.so", "openssl@old", "@3.5.0", ""] {
            assert!(!is_known_provider(name), "{name}");
        }
    }
}
