//! Which code NSS runs on this CPU, by its own rule: it does not report what it detected.

use std::env;

use ciphermeter_core::Algorithm;
use ciphermeter_native::library::{first_of, numbers};

/// NSS's rule, in its lib/freebl/: what it detects and which variables mask that, blinit.c; AES-GCM
/// and other AES rijndael.c (`AES_InitContext`), whose CTR calls AES for each block by itself;
/// ChaCha20 chacha20poly1305.c, whose code for AVX2 has no messages with a separate tag. Read in
/// 3.87.
pub fn path(algorithm: Algorithm, version: &str) -> &'static str {
    let (major, minor, _) = numbers(version);
    if (major, minor) != (3, 87) {
        return "unknown";
    }
    let aes = x86(&["AES"]) || arm_aes();
    match algorithm {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => first_of(&[
            (x86(&["AES", "AVX", "PCLMUL"]), "aesni-avx"),
            (x86(&["AES", "PCLMUL"]), "aesni"),
            (arm_aes() && !is_set("NSS_DISABLE_PMULL"), "armv8-aes"),
        ]),
        Algorithm::Aes256Ctr | Algorithm::Aes256Cbc => {
            first_of(&[(aes, if cfg!(target_arch = "x86_64") { "aesni" } else { "armv8-aes" })])
        }
        Algorithm::ChaCha20 => {
            let avx = x86(&["SSSE3", "SSE4_1", "AVX"]);
            first_of(&[(avx && x86(&["AVX2"]), "avx2"), (avx, "avx")])
        }
        _ => first_of(&[(x86(&["SSSE3", "SSE4_1", "AVX"]), "avx")]),
    }
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some()
}

/// Whether it has all of these on x86-64, and no variable masks one of them.
fn x86(features: &[&str]) -> bool {
    features.iter().all(|feature| {
        let masked = if *feature == "AES" { "NSS_DISABLE_HW_AES".into() } else { format!("NSS_DISABLE_{feature}") };
        detected(feature) && !is_set(&masked)
    })
}

#[cfg(target_arch = "x86_64")]
fn detected(feature: &str) -> bool {
    use std::arch::is_x86_feature_detected as has;
    match feature {
        "AES" => has!("aes"),
        "PCLMUL" => has!("pclmulqdq"),
        "AVX" => has!("avx"),
        "AVX2" => has!("avx2") && has!("bmi1") && has!("bmi2") && has!("fma") && has!("movbe"),
        "SSSE3" => has!("ssse3"),
        _ => has!("sse4.1"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected(_: &str) -> bool {
    false
}

fn arm_aes() -> bool {
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes") && !is_set("NSS_DISABLE_HW_AES");
    #[cfg(not(target_arch = "aarch64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_known_of_the_version_that_was_read() {
        assert_eq!(path(Algorithm::Aes256Gcm, "3.98"), "unknown");
        if x86(&["AES", "AVX", "PCLMUL"]) {
            assert_eq!(path(Algorithm::Aes256Gcm, "3.87.1"), "aesni-avx");
        }
        if x86(&["SSSE3", "SSE4_1", "AVX", "AVX2"]) {
            assert_eq!(path(Algorithm::ChaCha20Poly1305, "3.87.1"), "avx");
            assert_eq!(path(Algorithm::ChaCha20, "3.87.1"), "avx2");
        }
    }
}
