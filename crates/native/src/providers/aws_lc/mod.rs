//! AWS-LC, through its C interface.

mod evp;

use aws_lc_sys as sys;
use ciphermeter_core::Algorithm;

use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::cpu::{arm, arm_core, first_of, x86};
use crate::timed_loop::TimedLoop;

struct AwsLc;

pub fn open() -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(AwsLc))
}

impl Provider for AwsLc {
    fn offers(&self) -> Vec<Offered> {
        let version = std::ffi::CStr::from_bytes_with_nul(sys::AWSLC_VERSION_NUMBER_STRING)
            .map_or("unknown".into(), |version| version.to_string_lossy().into_owned());
        let all = evp::ALGORITHMS.into_iter().chain([Algorithm::Aes256Xts]);
        all.map(|algorithm| evp::offered(algorithm, version.clone(), path(algorithm))).collect()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        match parameters.algorithm {
            // SAFETY: it only returns the address of a constant.
            Algorithm::Aes256Xts => evp::cipher(unsafe { sys::EVP_aes_256_xts() }, parameters),
            _ => evp::timed_loop(parameters),
        }
    }
}

/// AWS-LC's rule, in its crypto/: GCM fipsmodule/modes/gcm.c (CRYPTO_ghash_init), other AES fipsmodule/aes/internal.h,
/// GCM-SIV cipher_extra/e_aesgcmsiv.c, ChaCha20 chacha/internal.h and cipher_extra/internal.h. The library does not
/// report what OPENSSL_ia32cap or OPENSSL_armcap mask.
fn path(algorithm: Algorithm) -> &'static str {
    if std::env::var_os("OPENSSL_ia32cap").is_some() || std::env::var_os("OPENSSL_armcap").is_some() {
        return "unknown";
    }
    let arm_aes = (arm!("aes", "pmull"), "armv8-aes");
    // AES by vector permutes, GHASH by 8-bit polynomials.
    let neon = (arm!("neon"), "neon");
    match algorithm {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => first_of(&[
            (x86!("vaes", "vpclmulqdq", "avx512f", "avx512dq", "avx512bw", "avx512vl"), "vaes-avx512"),
            (x86!("aes", "pclmulqdq", "avx", "movbe"), "aesni-avx"),
            (x86!("aes", "pclmulqdq"), "aesni"),
            (arm!("aes", "pmull") && wide_gcm(), "armv8-aes-eor3"),
            arm_aes,
            neon,
        ]),
        // There is no assembly of it for aarch64, but AES itself uses the instructions.
        Algorithm::Aes256GcmSiv => first_of(&[(x86!("aes", "avx"), "aesni-avx"), arm_aes, neon]),
        Algorithm::Aes256Xts => first_of(&[
            (x86!("vaes", "vpclmulqdq", "avx512vbmi2", "avx512f", "avx512dq", "avx512bw", "avx512vl"), "vaes-avx512"),
            (x86!("aes"), "aesni"),
            arm_aes,
            neon,
        ]),
        Algorithm::Aes256Ctr | Algorithm::Aes256Cbc | Algorithm::Aes128Ccm4 => {
            first_of(&[(x86!("aes"), "aesni"), arm_aes, neon])
        }
        Algorithm::ChaCha20 => first_of(&[(x86!("avx2"), "avx2"), (x86!("ssse3"), "ssse3"), neon]),
        _ => first_of(&[(x86!("avx2", "bmi2"), "avx2"), (x86!("sse4.1"), "sse4.1"), neon]),
    }
}

/// Whether GCM runs eight blocks at a time with EOR3, which it does from 256 bytes on: `CRYPTO_is_ARMv8_GCM_8x_capable` in
/// fipsmodule/cpucap/internal.h. It knows Neoverse V1, V2 and V3 by number, and Apple's M on Apple's systems only.
fn wide_gcm() -> bool {
    arm!("sha3") && (cfg!(target_os = "macos") || matches!(arm_core(), Some((0x41, 0xd40 | 0xd4f | 0xd84))))
}
