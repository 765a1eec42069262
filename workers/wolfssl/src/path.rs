//! Which code wolfCrypt, built here, runs on this CPU, by its own rule; and the masks of `--cpu`,
//! which its switch takes.

use ciphermeter_core::Algorithm;
use ciphermeter_native::library::first_of;

/// Bits of wolfssl/wolfcrypt/cpuid.h that choose code here.
const AVX1: u32 = 0x1;
const AVX2: u32 = 0x2;
const BMI2: u32 = 0x10;
const AESNI: u32 = 0x20;
const ADX: u32 = 0x40;
const MOVBE: u32 = 0x80;
const BMI1: u32 = 0x100;
const VAES: u32 = 0x400;
const AVX512: u32 = 0x800;
const INTEL: u32 = 0x1000;
const AMD: u32 = 0x2000;
const IFMA: u32 = 0x10000;
const AVX512VL: u32 = 0x20000;
const AVX512DQ: u32 = 0x40000;
const AVX512BW: u32 = 0x80000;
const SSSE3: u32 = 0x10_0000;

/// The instructions that the harness masks, by `CIPHERMETER_CPU_WITHOUT`, as worker.toml sets it.
/// VAES without AES-NI is of no use to AES; to ChaCha20 it is a sign that wide vectors cost no
/// clock.
const MASKS: [(&str, u32); 4] =
    [("aes", AESNI), ("vaes", VAES), ("avx512", EVERY_AVX512), ("avx2", EVERY_AVX512 | VAES | AVX2)];
const EVERY_AVX512: u32 = AVX512 | IFMA | AVX512VL | AVX512DQ | AVX512BW;
const VARIABLE: &str = "CIPHERMETER_CPU_WITHOUT";

/// Tells the library what it may use, if something is masked. `select` is `cpuid_select_flags`.
///
/// # Errors
/// A mask that is none, or a build without the switch.
///
/// # Safety
/// `select` must be that function; no other of the library's has been called.
pub unsafe fn mask(select: Option<unsafe extern "C" fn(u32)>) -> Result<(), String> {
    let Some(masked) = std::env::var_os(VARIABLE).filter(|masked| !masked.is_empty()) else { return Ok(()) };
    if !MASKS.iter().any(|(word, _)| masked == *word) {
        return Err(format!("{VARIABLE}={} is no mask; unset it", masked.to_string_lossy().escape_debug()));
    }
    let select = select.ok_or("this build of wolfSSL has no switch for a CPU's instructions; measure without --cpu")?;
    // SAFETY: the caller's promise; it keeps the number.
    unsafe { select(flags()) };
    Ok(())
}

/// What the library goes by: what it detects (wolfcrypt/src/cpuid.c), less what is masked.
fn flags() -> u32 {
    let masked = std::env::var_os(VARIABLE).unwrap_or_default();
    MASKS.iter().filter(|(word, _)| masked == *word).fold(detected(), |flags, (_, bits)| flags & !bits)
}

#[cfg(target_arch = "x86_64")]
fn detected() -> u32 {
    use std::arch::is_x86_feature_detected as has;
    let vendor = std::arch::x86_64::__cpuid(0).ebx;
    let bits = [
        (has!("avx"), AVX1),
        (has!("avx2"), AVX2),
        (has!("bmi2"), BMI2),
        (has!("aes"), AESNI),
        (has!("adx"), ADX),
        (has!("movbe"), MOVBE),
        (has!("bmi1"), BMI1),
        (has!("vaes"), VAES),
        (has!("avx512f"), AVX512),
        (vendor == u32::from_le_bytes(*b"Genu"), INTEL),
        (vendor == u32::from_le_bytes(*b"Auth"), AMD),
        (has!("avx512ifma"), IFMA),
        (has!("avx512vl"), AVX512VL),
        (has!("avx512dq"), AVX512DQ),
        (has!("avx512bw"), AVX512BW),
        (has!("ssse3"), SSSE3),
    ];
    bits.iter().filter(|(here, _)| *here).fold(0, |flags, (_, bit)| flags | bit)
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> u32 {
    0
}

fn arm_aes() -> bool {
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(target_arch = "aarch64"))]
    false
}

/// wolfCrypt's rule in 5.9.4, in its wolfcrypt/src/: aes.c, chacha.c (`chacha_avx512_beneficial`) and poly1305.c
/// (`poly1305_use_ifma`). Short messages run narrower code.
pub fn path(algorithm: Algorithm) -> &'static str {
    of(algorithm, flags())
}

fn of(algorithm: Algorithm, flags: u32) -> &'static str {
    use Algorithm as A;
    let has = |bits: u32| flags & bits == bits;
    let aes = has(AESNI);
    let arm = (arm_aes(), "armv8-aes");
    let wide = [(aes && has(AVX512 | VAES), "vaes-avx512"), (aes && has(AVX2 | VAES), "vaes-avx2")];
    match algorithm {
        A::Aes128Gcm | A::Aes256Gcm => first_of(
            &[&wide[..], &[(aes && has(AVX2), "aesni-avx2"), (aes && has(AVX1), "aesni-avx"), (aes, "aesni"), arm]]
                .concat(),
        ),
        A::Aes256Ctr | A::Aes256Cbc | A::Aes128Xts | A::Aes256Xts => {
            first_of(&[&wide[..], &[(aes && has(AVX1), "aesni-avx"), (aes, "aesni"), arm]].concat())
        }
        A::ChaCha20 => first_of(&[
            (has(AVX512 | VAES), "avx512"),
            (has(AVX2), "avx2"),
            (has(AVX1), "avx"),
            (has(SSSE3), "ssse3"),
            (cfg!(target_arch = "aarch64"), "neon"),
        ]),
        A::ChaCha20Poly1305 | A::XChaCha20Poly1305 => first_of(&[
            (has(AVX512 | VAES) || has(IFMA | INTEL), "avx512"),
            (has(AVX2), "avx2"),
            (has(AVX1), "avx"),
            (has(SSSE3), "ssse3"),
            (cfg!(target_arch = "aarch64"), "neon"),
        ]),
        A::AsconAead128 => "soft",
        // CCM and the SIVs, parts of which take other code than others.
        _ if aes || arm_aes() => "unknown",
        _ => "soft",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_leaves_the_code_that_it_names_unused() {
        let all = AVX1 | AVX2 | AESNI | VAES | EVERY_AVX512 | INTEL | SSSE3;
        let left = |masked: &str| all & !MASKS.iter().find(|(word, _)| *word == masked).unwrap().1;
        assert_eq!(of(Algorithm::Aes256Gcm, all), "vaes-avx512");
        assert_eq!(of(Algorithm::Aes256Gcm, left("avx512")), "vaes-avx2");
        assert_eq!(of(Algorithm::Aes256Gcm, left("vaes")), "aesni-avx2");
        assert_eq!(of(Algorithm::Aes256Gcm, left("avx2")), "aesni-avx");
        assert_eq!(of(Algorithm::ChaCha20Poly1305, left("avx512")), "avx2");
        assert_eq!(of(Algorithm::ChaCha20Poly1305, left("avx2")), "avx");
        assert_eq!(of(Algorithm::ChaCha20, left("aes")), "avx512");
        if !arm_aes() {
            assert_eq!(of(Algorithm::Aes256Gcm, left("aes")), "soft");
        }
    }
}
