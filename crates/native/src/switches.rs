//! The environment variables that disable some of this CPU's instructions in a built-in provider.
//!
//! Libraries read them when they are opened, so a worker must be started with them. A mask is listed only for providers
//! that were verified to obey it: timed with and without, AES-GCM and ChaCha20 at 16 KiB, on x86-64, and on aarch64
//! under emulation. Where a version or a build of a library does not obey its variable, its worker reports that and
//! offers nothing.

use ciphermeter_core::Mask;

/// Variables and their values.
pub type Variables = &'static [(&'static str, &'static str)];

/// A word of OPENSSL_ia32cap for CPUID's leaf 1, one for leaf 7; `~` clears bits. Leaf 1: AES (bit 57), PCLMULQDQ (33).
/// Leaf 7: SHA (29), which such CPUs lack, too; VAES (41), VPCLMULQDQ (42); AVX-512 F (16), DQ (17), IFMA (21), BW (30), VL (31); AVX2 (5).
const IA32CAP: [&[(&str, &str)]; 4] = [
    &[("OPENSSL_ia32cap", "~0x200000200000000:~0x60020000000")],
    &[("OPENSSL_ia32cap", "~0x0:~0x60000000000")],
    &[("OPENSSL_ia32cap", "~0x0:~0xc0230000")],
    &[("OPENSSL_ia32cap", "~0x0:~0x600c0230020")],
];

const NO_SUCH_CODE: &str = "it has no code for such instructions, so there is nothing to switch off";
const OTHER_CPUS: &str = "CPUs of this kind have no such instructions";

/// The variables to set for the process of a provider's worker, or why the provider cannot be masked.
pub fn switch(provider: &str, mask: Mask) -> Result<Variables, &'static str> {
    if let Some(why) = mask.not_obeyed_by(provider) {
        return Err(why);
    }
    match provider {
        "ceiling" => Err("ceilings show this CPU as it is"),
        "rustcrypto" => Err("it detects the CPU itself"),
        _ if cfg!(target_arch = "x86_64") => x86(provider, mask),
        _ if cfg!(target_arch = "aarch64") && mask == Mask::NoAes => arm(provider),
        _ => Err(OTHER_CPUS),
    }
}

fn x86(provider: &str, mask: Mask) -> Result<Variables, &'static str> {
    Ok(match (provider, mask) {
        ("openssl" | "aws-lc", _) => IA32CAP[mask as usize],
        ("mbedtls", _) => return Err(NO_SUCH_CODE),
        ("libgcrypt", Mask::NoAes) => &[("CIPHERMETER_CPU_WITHOUT", "intel-aesni,intel-pclmul,intel-vaes-vpclmul")],
        ("libgcrypt", Mask::NoVaes) => &[("CIPHERMETER_CPU_WITHOUT", "intel-vaes-vpclmul")],
        // 1.11 has such code and a name for it, 1.10 neither.
        ("libgcrypt", Mask::NoAvx512) => return Err("1.10 has no such code, and its switch in 1.11 was not tried"),
        ("libgcrypt", Mask::NoAvx2) => &[("CIPHERMETER_CPU_WITHOUT", "intel-avx2,intel-avx512,intel-vaes-vpclmul")],
        // Only the named features are used: any other word disables all.
        ("nettle", Mask::NoAes) => &[("NETTLE_FAT_OVERRIDE", "none")],
        ("nettle", _) => return Err(NO_SUCH_CODE),
        ("botan", Mask::NoAes) => &[("BOTAN_CLEAR_CPUID", "aesni,clmul,avx2_aes,avx2_clmul,avx512_aes,avx512_clmul")],
        ("botan", Mask::NoVaes) => &[("BOTAN_CLEAR_CPUID", "avx2_aes,avx2_clmul,avx512_aes,avx512_clmul")],
        ("botan", Mask::NoAvx512) => &[("BOTAN_CLEAR_CPUID", "avx512,avx512_aes,avx512_clmul")],
        ("botan", Mask::NoAvx2) => &[("BOTAN_CLEAR_CPUID", "avx2,avx2_aes,avx2_clmul,avx512,avx512_aes,avx512_clmul")],
        _ => return Err("is not built in"),
    })
}

/// Without AES and PMULL. OPENSSL_armcap lists the features to use (OpenSSL: NEON, bit 0) or, after `~`, those to clear
/// (AWS-LC: bits 2, 5).
fn arm(provider: &str) -> Result<Variables, &'static str> {
    Ok(match provider {
        "openssl" => &[("OPENSSL_armcap", "0x1")],
        "aws-lc" => &[("OPENSSL_armcap", "~0x24")],
        "libgcrypt" => &[("CIPHERMETER_CPU_WITHOUT", "arm-aes,arm-pmull")],
        "nettle" => &[("NETTLE_FAT_OVERRIDE", "none")],
        "botan" => return Err("has a switch in 3.1 and later, which was not tried on this kind of CPU"),
        _ => return Err("is not built in"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PROVIDERS;

    #[test]
    fn every_provider_has_an_answer() {
        for provider in PROVIDERS {
            for mask in Mask::ALL {
                match switch(provider, *mask) {
                    Ok(variables) => assert!(!variables.is_empty(), "{provider} {mask}"),
                    Err(why) => assert!(why != "is not built in", "{provider} {mask}"),
                }
            }
        }
        assert!(switch("rot13", Mask::NoAes).is_err());
        assert_eq!(switch("ceiling", Mask::NoAes), Err("ceilings show this CPU as it is"));
    }
}
