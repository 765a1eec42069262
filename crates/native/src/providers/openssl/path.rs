//! OpenSSL's code path, from the CPU features that it reports and its rules for choosing.
//!
//! On x86-64 `OPENSSL_ia32cap` shows, after masking, two 64-bit words: CPUID leaf 1 (EDX low, ECX high) and leaf 7 (EBX
//! low, ECX high). The rules: aesni_gcm_encrypt needs AVX and MOVBE (crypto/modes/asm/aesni-gcm-x86_64.pl and
//! ghash-x86_64.pl), VAES came with version 3.1 (`ossl_vaes_vpclmulqdq_capable` in aes-gcm-avx512.pl); ChaCha20 takes
//! the widest of AVX-512F, AVX2, SSSE3 (crypto/chacha/asm/chacha-x86_64.pl).
//!
//! On aarch64 `OPENSSL_armcap` is one word (`man OPENSSL_armcap`), whose bits also show which loops the version prefers
//! on this core. AES takes AES instructions, otherwise vector permutes (include/crypto/aes_platform.h). GCM from 512
//! bytes on, and CTR since 3.5, take their kernels with EOR3 where a bit requests it (cipher_aes_gcm_hw_armv8.inc and
//! cipher_aes_hw_armv8.inc in providers/implementations/ciphers). ChaCha20 takes SVE2, or SVE where its registers are
//! wider than NEON's (crypto/chacha/asm/chacha-armv8-sve.pl). Versions without these loops do not set their bits.
//!
//! Versions newer than those named here may have other rules: their paths are unknown.

use ciphermeter_core::Algorithm;

use crate::cpu::{first_of, sve_bytes};

/// Bits of the first word.
const SSSE3: u64 = 1 << 41;
const PCLMUL: u64 = 1 << 33;
const MOVBE: u64 = 1 << 54;
const AES: u64 = 1 << 57;
const AVX: u64 = 1 << 60;
/// Bits of the second.
const AVX2: u64 = 1 << 5;
const AVX512F: u64 = 1 << 16;
const AVX512: u64 = 1 << 16 | 1 << 17 | 1 << 30 | 1 << 31;
const VAES: u64 = 1 << 41 | 1 << 42;
/// Bits of `OPENSSL_armcap` (crypto/arm_arch.h).
const NEON: u64 = 1;
const ARM_AES: u64 = 1 << 2;
const PMULL: u64 = 1 << 5;
const UNROLL8_EOR3: u64 = 1 << 12;
const SVE: u64 = 1 << 13;
const SVE2: u64 = 1 << 14;
const UNROLL12_EOR3: u64 = 1 << 16;

/// The code path of an algorithm, `unknown` where the rule is unknown.
pub fn path(algorithm: Algorithm, version: &str, settings: &str) -> &'static str {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(u32::MAX));
    let version = (numbers.next().unwrap_or(u32::MAX), numbers.next().unwrap_or(u32::MAX));
    // Its rule for SM4 isn't followed here.
    if algorithm == Algorithm::Sm4Gcm || !((1, 1)..=(3, 5)).contains(&version) {
        return "unknown";
    }
    let chacha = matches!(algorithm, Algorithm::ChaCha20Poly1305 | Algorithm::ChaCha20);
    if let Some(words) = settings.split_once("OPENSSL_armcap=").map(|(_, words)| words) {
        return hex(words).map_or("unknown", |caps| arm(algorithm, caps, sve_bytes()));
    }
    let Some(words) = settings.split_once("OPENSSL_ia32cap=").map(|(_, words)| words) else { return "unknown" };
    let mut words = words.split(':').map(hex);
    let (Some(Some(one)), Some(Some(seven))) = (words.next(), words.next()) else { return "unknown" };
    let has_bits = |word: u64, bits: u64| word & bits == bits;
    match algorithm {
        _ if chacha => first_of(&[
            (has_bits(seven, AVX512F), "avx512"),
            (has_bits(seven, AVX2), "avx2"),
            (has_bits(one, SSSE3), "ssse3"),
        ]),
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => first_of(&[
            (version >= (3, 1) && has_bits(seven, AVX512 | VAES), "vaes-avx512"),
            (has_bits(one, AES | PCLMUL | AVX | MOVBE), "aesni-avx"),
            (has_bits(one, AES), "aesni"),
            (has_bits(one, SSSE3), "ssse3"),
        ]),
        _ => first_of(&[(has_bits(one, AES), "aesni"), (has_bits(one, SSSE3), "ssse3")]),
    }
}

/// The path of an Arm CPU with these bits, whose SVE registers have `sve_bytes` bytes.
fn arm(algorithm: Algorithm, caps: u64, sve_bytes: usize) -> &'static str {
    let has_bits = |bits: u64| caps & bits == bits;
    let neon = (has_bits(NEON), "neon");
    match algorithm {
        Algorithm::ChaCha20Poly1305 | Algorithm::ChaCha20 => {
            first_of(&[(has_bits(SVE | SVE2), "sve2"), (has_bits(SVE) && sve_bytes > 16, "sve"), neon])
        }
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => first_of(&[
            (has_bits(ARM_AES | PMULL | UNROLL8_EOR3), "armv8-aes-eor3"),
            (has_bits(ARM_AES | PMULL), "armv8-aes"),
            neon,
        ]),
        Algorithm::Aes256Ctr | Algorithm::Aes256CtrHs256 if has_bits(ARM_AES | UNROLL12_EOR3) => "armv8-aes-eor3",
        _ => first_of(&[(has_bits(ARM_AES), "armv8-aes"), neon]),
    }
}

/// `0x7ffaf3bfffebffff`, perhaps followed by something else.
fn hex(text: &str) -> Option<u64> {
    let digits = text.trim().strip_prefix("0x")?;
    let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EOR3: &str = "armv8-aes-eor3";
    const ZEN5: &str = "CPUINFO: OPENSSL_ia32cap=0x7ffef3ffffebffff:0x40069c219c97a9 env:";
    const WIDE: &str = "CPUINFO: OPENSSL_ia32cap=0x7ffef3ffffebffff:0x405f46f1bf07a9";

    #[test]
    fn path_rules_differ_by_version() {
        assert_eq!(path(Algorithm::Aes256Gcm, "3.0.19", WIDE), "aesni-avx");
        assert_eq!(path(Algorithm::Aes256Gcm, "3.2.1", WIDE), "vaes-avx512");
        assert_eq!(path(Algorithm::Aes256Gcm, "9.9.9", WIDE), "unknown");
        assert_eq!(path(Algorithm::ChaCha20, "3.0.19", WIDE), "avx512");
    }

    #[test]
    fn masks_count() {
        let masked = "CPUINFO: OPENSSL_ia32cap=0x7ffef3ffffebffff:0x20 env:~0:0x0";
        assert_eq!(path(Algorithm::Aes256Gcm, "3.2.1", masked), "aesni-avx");
        assert_eq!(path(Algorithm::ChaCha20Poly1305, "3.2.1", masked), "avx2");
        assert_eq!(path(Algorithm::Aes256Ctr, "3.2.1", "CPUINFO: OPENSSL_ia32cap=0x0:0x0"), "soft");
        assert_eq!(path(Algorithm::Aes256Ctr, "3.2.1", ""), "unknown");
        assert_ne!(path(Algorithm::Aes256Ctr, "3.0.2", ZEN5), "unknown");
    }

    #[test]
    fn arm_paths_have_their_own_names() {
        assert_eq!(path(Algorithm::Aes256Gcm, "3.0.2", "CPUINFO: OPENSSL_armcap=0xbf"), "armv8-aes");
        assert_eq!(path(Algorithm::ChaCha20, "3.0.2", "CPUINFO: OPENSSL_armcap=0xbf"), "neon");
        assert_eq!(path(Algorithm::Aes256Gcm, "3.0.2", "CPUINFO: OPENSSL_armcap=0x81 env:0x81"), "neon");
        assert_eq!(path(Algorithm::Aes256Ctr, "3.0.2", "CPUINFO: OPENSSL_armcap=0x0"), "soft");
        assert_eq!(path(Algorithm::Aes256Gcm, "9.9.9", "CPUINFO: OPENSSL_armcap=0xbf"), "unknown");
    }

    #[test]
    fn arm_servers_have_wider_paths() {
        let (n1, v1, n2) = (0xbf, 0x39ff, 0x7dff);
        assert_eq!([n1, v1, n2].map(|caps| arm(Algorithm::Aes256Gcm, caps, 32)), ["armv8-aes", EOR3, EOR3]);
        assert_eq!([n1, v1, n2].map(|caps| arm(Algorithm::ChaCha20, caps, 32)), ["neon", "sve", "sve2"]);
        assert_eq!([n1, v1, n2].map(|caps| arm(Algorithm::ChaCha20Poly1305, caps, 16)), ["neon", "neon", "sve2"]);
        assert_eq!([n1, v1, n2].map(|caps| arm(Algorithm::Aes256Ctr, caps, 32)), ["armv8-aes"; 3]);
        assert_eq!(arm(Algorithm::Aes256Ctr, n2 | UNROLL12_EOR3, 16), EOR3);
    }
}
