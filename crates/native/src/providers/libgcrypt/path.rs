//! Libgcrypt's code path, from the features that it reports to use and its rules for choosing.
//!
//! The rules: cipher/rijndael.c (`setup`: VAES with AVX2 since 1.10, for what works on several blocks at once; vector
//! permutes without AES instructions, since 1.11 on Arm, too), cipher/cipher-gcm.c (GHASH by carry-less
//! multiplication), cipher/chacha20.c (AVX-512 since 1.11). Features unknown to a version are missing from its list.

use ciphermeter_core::Algorithm;

use super::super::opened::numbers;
use crate::cpu::first_of;

/// `features` is as gcry_get_config returns it: `hwflist:intel-cpu:intel-aesni:`.
pub fn path(algorithm: Algorithm, version: &str, features: &str) -> &'static str {
    let version = numbers(version);
    // Its rule for SM4 isn't followed here.
    if algorithm == Algorithm::Sm4Gcm
        || !((1, 8, 0)..(1, 12, 0)).contains(&version)
        || !features.starts_with("hwflist:")
    {
        return "unknown";
    }
    let has_feature = |feature: &str| features.trim_end().split(':').any(|listed| listed == feature);
    match algorithm {
        Algorithm::ChaCha20Poly1305 | Algorithm::ChaCha20 => first_of(&[
            (has_feature("intel-avx512"), "avx512"),
            (has_feature("intel-avx2"), "avx2"),
            (has_feature("intel-ssse3"), "ssse3"),
            (has_feature("arm-neon"), "neon"),
        ]),
        _ => first_of(&[
            (has_feature("intel-aesni") && has_feature("intel-vaes-vpclmul") && has_feature("intel-avx2"), "vaes-avx2"),
            (has_feature("intel-aesni"), "aesni"),
            (has_feature("intel-ssse3"), "ssse3"),
            (has_feature("arm-aes"), "armv8-aes"),
            (has_feature("arm-neon") && version >= (1, 11, 0), "neon"),
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZEN5: &str =
        "hwflist:intel-cpu:intel-ssse3:intel-pclmul:intel-aesni:intel-avx:intel-avx2:intel-vaes-vpclmul:\n";

    #[test]
    fn path_follows_features_and_version() {
        assert_eq!(path(Algorithm::Aes256Gcm, "1.10.1", ZEN5), "vaes-avx2");
        assert_eq!(path(Algorithm::ChaCha20, "1.10.1-unknown", ZEN5), "avx2");
        assert_eq!(path(Algorithm::Aes256Gcm, "1.12.0", ZEN5), "unknown");
        assert_eq!(path(Algorithm::Aes256Gcm, "1.10.1", ""), "unknown");
        assert_eq!(path(Algorithm::Aes256Gcm, "1.10.1", "hwflist:intel-ssse3:"), "ssse3");
        assert_eq!(path(Algorithm::Aes256Gcm, "1.10.1", "hwflist:arm-neon:arm-aes:arm-pmull:"), "armv8-aes");
        assert_eq!(path(Algorithm::ChaCha20, "1.11.2", "hwflist:intel-avx2:intel-avx512:"), "avx512");
        assert_eq!(path(Algorithm::Aes256Ctr, "1.10.1", "hwflist:arm-neon:"), "soft");
    }
}
