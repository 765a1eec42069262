//! Cipher suites by their names, in the order in which a server is to prefer them.

use ciphermeter_core::Algorithm;

/// The AEADs that TLS, QUIC and OpenSSH have. Whatever else a library offers, they cannot use.
pub(super) const SUITES: [Algorithm; 3] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];

/// Suites of TLS 1.3. Every client has TLS_AES_128_GCM_SHA256 (RFC 8446, 9.1), so it stays in, behind the one with the longer key.
const AES_13: [&str; 2] = ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"];
const CHACHA20_13: [&str; 1] = ["TLS_CHACHA20_POLY1305_SHA256"];

/// Suites of TLS 1.2 with forward secrecy, by their IANA names.
const AES_12: [&str; 4] = [
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
];
const CHACHA20_12: [&str; 2] =
    ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"];

/// The suites of TLS 1.3, the preferred first.
pub(super) fn tls13(prefers_aes: bool) -> Vec<&'static str> {
    ordered(prefers_aes, &AES_13, &CHACHA20_13)
}

/// Those of TLS 1.2.
pub(super) fn tls12(prefers_aes: bool) -> Vec<&'static str> {
    ordered(prefers_aes, &AES_12, &CHACHA20_12)
}

/// Those of TLS 1.2 with ChaCha20-Poly1305 alone.
pub(super) fn tls12_chacha20() -> &'static [&'static str] {
    &CHACHA20_12
}

/// Of TLS 1.2 what goes first, as a string of OpenSSL (`man 1 ciphers`): AEADs with forward secrecy, the longer key first. The program's
/// default follows, so that its clients stay: what the string has already, it does not move.
pub(super) fn openssl12(prefers_aes: bool, default: &str) -> String {
    let [first, second] = if prefers_aes { ["AESGCM", "CHACHA20"] } else { ["CHACHA20", "AESGCM"] };
    format!("ECDHE+{first}:ECDHE+{second}:{default}")
}

/// Why these orders put a cipher in front of AES-128, which is faster than AES-256.
pub(super) fn longer_key(prefers_aes: bool) -> &'static str {
    if prefers_aes {
        "AES-256 comes before AES-128 for its longer key."
    } else {
        "AES-128 comes behind both for its shorter key."
    }
}

fn ordered(prefers_aes: bool, aes: &[&'static str], chacha20: &[&'static str]) -> Vec<&'static str> {
    let order = if prefers_aes { [aes, chacha20] } else { [chacha20, aes] };
    order.concat()
}
