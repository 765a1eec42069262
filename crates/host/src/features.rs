//! The CPU's instructions for symmetric encryption, as this process may use them.
//!
//! Asked through the standard library, which also checks that the operating system saves the registers: `/proc/cpuinfo`
//! lists what the silicon has even where a process may not use it.

use ciphermeter_core::Fact;

macro_rules! present {
    ($detected:ident: $($name:tt)+) => { [$(($name, std::arch::$detected!($name))),+] };
}

/// The available features, in the order of the list below.
pub(crate) fn fact() -> Fact {
    #[cfg(target_arch = "x86_64")]
    let known = present!(is_x86_feature_detected:
        "aes" "pclmulqdq" "ssse3" "sse4.1" "avx" "avx2" "bmi2" "adx" "sha" "gfni" "vaes" "vpclmulqdq"
        "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512ifma" "avx512vbmi");
    #[cfg(target_arch = "aarch64")]
    let known = present!(is_aarch64_feature_detected:
        "neon" "aes" "pmull" "sha2" "sha3" "sve" "sve2" "sve2-aes");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let known: [(&str, bool); 0] = [];

    if known.is_empty() {
        return Fact::absent("features", format!("not asked on {}", std::env::consts::ARCH));
    }
    let there: Vec<&str> = known.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    match there.is_empty() {
        true => Fact::present("features", "none of those that matter to symmetric encryption"),
        false => Fact::present("features", there.join(" ")),
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::tree::Tree;

    #[test]
    fn detected_features_are_in_cpuinfo() {
        let text = Tree::live().text("proc/cpuinfo").unwrap();
        let flags: Vec<&str> = crate::cpuinfo::field(&text, "flags").unwrap().split_whitespace().collect();
        for feature in fact().value.unwrap().split(' ').filter(|feature| !feature.starts_with("none")) {
            let flag = match feature {
                "sha" => "sha_ni",
                "sse4.1" => "sse4_1",
                other => other,
            };
            assert!(flags.contains(&flag), "{feature}");
        }
    }
}
