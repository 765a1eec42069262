//! Which code BoringSSL runs on this CPU: by its own rule, from what it detected itself, masks of
//! `OPENSSL_ia32cap` included.

use ciphermeter_core::Algorithm;
use ciphermeter_native::library::first_of;

/// What it detected.
pub struct Detected {
    /// On x86-64: EDX and ECX of CPUID's leaf 1, EBX and ECX of leaf 7; zero elsewhere.
    x86: [u32; 4],
    /// On aarch64, the bits of `OPENSSL_armcap_P` (crypto/internal.h); zero elsewhere.
    arm: u32,
}

impl Detected {
    fn x86(&self, (word, bit): (usize, u32)) -> bool {
        self.x86[word] >> bit & 1 == 1
    }

    fn arm(&self, bit: u32) -> bool {
        self.arm >> bit & 1 == 1
    }
}

/// Words and bits of `OPENSSL_ia32cap_P`.
const PCLMUL: (usize, u32) = (1, 1);
const SSSE3: (usize, u32) = (1, 9);
const SSE41: (usize, u32) = (1, 19);
const MOVBE: (usize, u32) = (1, 22);
const AES: (usize, u32) = (1, 25);
const AVX: (usize, u32) = (1, 28);
const AVX2: (usize, u32) = (2, 5);
const BMI2: (usize, u32) = (2, 8);
/// It avoids registers of 512 bits on Intel's CPUs from Skylake to Ice Lake and Tiger Lake (crypto/cpu_intel.cc).
const AVOIDS_512: (usize, u32) = (2, 14);
const AVX512BW: (usize, u32) = (2, 30);
const AVX512VL: (usize, u32) = (2, 31);
const VAES: (usize, u32) = (3, 9);
const VPCLMUL: (usize, u32) = (3, 10);

/// Bits of `OPENSSL_armcap_P`.
const ARM_NEON: u32 = 0;
const ARM_AES: u32 = 2;
const ARM_PMULL: u32 = 5;
const ARM_SHA3: u32 = 7;

/// Asks the library, by a function that is none of its interface; the lock file pins its version.
pub fn detected() -> Detected {
    #[cfg(target_arch = "x86_64")]
    {
        unsafe extern "C" {
            /// `bssl::OPENSSL_get_ia32cap(int)` of crypto/crypto.cc.
            #[link_name = "_ZN4bssl19OPENSSL_get_ia32capEi"]
            fn ia32cap(index: std::ffi::c_int) -> u32;
        }
        // SAFETY: the library has it with this type; it reads one of four words.
        Detected { x86: [0, 1, 2, 3].map(|index| unsafe { ia32cap(index) }), arm: 0 }
    }
    #[cfg(target_arch = "aarch64")]
    {
        unsafe extern "C" {
            /// `bssl::OPENSSL_get_armcap()` of crypto/crypto.cc.
            #[link_name = "_ZN4bssl18OPENSSL_get_armcapEv"]
            fn armcap() -> u32;
        }
        // SAFETY: the library has it with this type.
        Detected { x86: [0; 4], arm: unsafe { armcap() } }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Detected { x86: [0; 4], arm: 0 }
}

/// BoringSSL's rule, in its crypto/: GCM fipsmodule/aes/gcm.cc.inc (`CRYPTO_gcm128_init_aes_key`),
/// other AES fipsmodule/aes/internal.h, GCM-SIV and ChaCha20-Poly1305 cipher/internal.h, ChaCha20
/// chacha/internal.h, whose code for AVX2 and SSSE3 begins at 129 bytes.
pub fn path(algorithm: Algorithm, detected: &Detected) -> &'static str {
    let has = |features: &[(usize, u32)]| features.iter().all(|feature| detected.x86(*feature));
    let arm = |features: &[u32]| features.iter().all(|feature| detected.arm(*feature));
    let aes = has(&[AES]);
    // AES by vector permutes, which hold no table.
    let permutes = (has(&[SSSE3]), "ssse3");
    let neon = (arm(&[ARM_NEON]), "neon");
    match algorithm {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => {
            let wide = has(&[AES, VAES, PCLMUL, SSSE3, VPCLMUL, AVX2]);
            let wider = has(&[AVX512BW, AVX512VL, BMI2]) && !has(&[AVOIDS_512]);
            first_of(&[
                (wide && wider, "vaes-avx512"),
                (wide, "vaes-avx2"),
                (aes && has(&[PCLMUL, SSSE3, AVX, MOVBE]) && !has(&[VPCLMUL, AVX2]), "aesni-avx"),
                (aes, "aesni"),
                permutes,
                (arm(&[ARM_AES, ARM_PMULL, ARM_SHA3]), "armv8-aes-eor3"),
                (arm(&[ARM_AES, ARM_PMULL]), "armv8-aes"),
                neon,
            ])
        }
        Algorithm::Aes256GcmSiv => first_of(&[
            (has(&[AES, AVX, PCLMUL]), "aesni-avx"),
            (aes, "aesni"),
            permutes,
            (arm(&[ARM_AES]), "armv8-aes"),
            neon,
        ]),
        Algorithm::Aes128Ccm4 | Algorithm::Aes256Ctr | Algorithm::Aes256Cbc => {
            first_of(&[(aes, "aesni"), permutes, (arm(&[ARM_AES]), "armv8-aes"), neon])
        }
        Algorithm::ChaCha20 => first_of(&[(has(&[AVX2]), "avx2"), permutes, neon]),
        _ => first_of(&[(has(&[SSE41, AVX2, BMI2]), "avx2"), (has(&[SSE41]), "sse4.1"), permutes, neon]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CPU with those features.
    fn with(features: &[(usize, u32)]) -> Detected {
        let mut x86 = [0; 4];
        features.iter().for_each(|(word, bit)| x86[*word] |= 1 << bit);
        Detected { x86, arm: 0 }
    }

    #[test]
    fn gcm_avoids_registers_of_512_bits_where_the_library_does() {
        let wide = [PCLMUL, SSSE3, SSE41, MOVBE, AES, AVX, AVX2, BMI2, AVX512BW, AVX512VL, VAES, VPCLMUL];
        assert_eq!(path(Algorithm::Aes256Gcm, &with(&wide)), "vaes-avx512");
        assert_eq!(path(Algorithm::Aes256Gcm, &with(&[&wide[..], &[AVOIDS_512]].concat())), "vaes-avx2");
        assert_eq!(path(Algorithm::Aes256Gcm, &with(&wide[..8])), "aesni-avx");
        assert_eq!(path(Algorithm::Aes256Gcm, &with(&wide[..4])), "ssse3");
        assert_eq!(path(Algorithm::Aes256Gcm, &with(&[])), "soft");
    }

    #[test]
    fn what_the_library_detected_is_what_the_cpu_has() {
        #[cfg(target_arch = "x86_64")]
        if std::env::var_os("OPENSSL_ia32cap").is_none() {
            assert_eq!(detected().x86(AES), std::arch::is_x86_feature_detected!("aes"));
            assert_eq!(detected().x86(AVX2), std::arch::is_x86_feature_detected!("avx2"));
        }
        #[cfg(target_arch = "aarch64")]
        assert_eq!(detected().arm(ARM_AES), std::arch::is_aarch64_feature_detected!("aes"));
    }
}
