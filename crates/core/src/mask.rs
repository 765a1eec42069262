//! A CPU that lacks some of this one's instructions, as `--cpu` names it.

use crate::word::words;
use crate::{Algorithm, CipherKind, known_path};

words! {
    /// The instructions that are disabled in providers, each by its library's own switch.
    Mask, "CPU" {
        /// Neither AES nor carry-less multiplication: small Arm boards, x86 before 2010.
        NoAes = "no-aes",
        /// AES and carry-less multiplication of one block at a time: x86 before 2019.
        NoVaes = "no-vaes",
        /// No AVX-512: most desktop and laptop x86.
        NoAvx512 = "no-avx512",
        /// Vectors of 128 bits: x86 before 2013, and many a virtual machine.
        NoAvx2 = "no-avx2",
    }
}

impl Mask {
    /// The same as a word of worker.toml's `without`.
    pub fn feature(self) -> &'static str {
        match self {
            Self::NoAes => "aes",
            Self::NoVaes => "vaes",
            Self::NoAvx512 => "avx512",
            Self::NoAvx2 => "avx2",
        }
    }

    /// In words, for sentences that begin with "without".
    pub fn instructions(self) -> &'static str {
        match self {
            Self::NoAes => "AES and carry-less multiplication instructions",
            Self::NoVaes => "VAES and VPCLMULQDQ",
            Self::NoAvx512 => "AVX-512",
            Self::NoAvx2 => "AVX2 and wider vectors",
        }
    }

    /// Whether an algorithm may run differently under it.
    pub fn concerns(self, algorithm: Algorithm) -> bool {
        let is_cipher = !algorithm.is_ceiling();
        match self {
            Self::NoAes | Self::NoVaes => is_cipher && algorithm.kind() == CipherKind::Aes,
            Self::NoAvx512 | Self::NoAvx2 => is_cipher,
        }
    }

    /// Why a built-in provider runs the same code under it, whatever is set; `None`: it has a switch or a
    /// stand-in, or nothing is known of it here.
    pub fn not_obeyed_by(self, provider: &str) -> Option<&'static str> {
        match (provider, self) {
            ("ring" | "libaegis" | "libsodium", _) | ("mbedtls", Self::NoAes) => {
                Some("it detects the CPU itself and has no switch")
            }
            ("graviola", _) => Some("it has a switch in debug builds only"),
            _ => None,
        }
    }

    /// Whether a code path uses what is masked; `None` if the path doesn't tell.
    pub fn is_used_by(self, path: &str) -> Option<bool> {
        let has = |words: &[&str]| words.iter().any(|word| path.contains(word));
        let used = match self {
            Self::NoAes => has(&["aes", "clmul", "pmull"]),
            Self::NoVaes => has(&["vaes", "vpclmul"]),
            Self::NoAvx512 => has(&["avx512"]),
            Self::NoAvx2 => has(&["avx2", "avx512", "vaes"]),
        };
        known_path(path).map(|_| used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_what_it_uses() {
        let used = |path| Mask::ALL.iter().map(|mask| mask.is_used_by(path)).collect::<Vec<_>>();
        assert_eq!(used("vaes-avx512"), [Some(true); 4]);
        assert_eq!(used("aesni-avx"), [Some(true), Some(false), Some(false), Some(false)]);
        assert_eq!(used("avx2"), [Some(false), Some(false), Some(false), Some(true)]);
        assert_eq!(used("soft"), [Some(false); 4]);
        assert_eq!(used("unknown"), [None; 4]);
    }

    #[test]
    fn no_aes_leaves_chacha20_unchanged() {
        assert!(!Mask::NoAes.concerns(Algorithm::ChaCha20Poly1305));
        assert!(Mask::NoAvx512.concerns(Algorithm::ChaCha20Poly1305));
        assert!(Mask::NoAes.concerns(Algorithm::Aes256GcmSiv));
    }
}
