//! nettle: AEADs by its descriptors, which contain the size of a context; CTR, CBC and ChaCha20 by their functions.
//!
//! Its AES-SIV always has a nonce as its last component, which differs from what is measured here. Its CBC takes whole
//! blocks: its users add the padding, and so does this provider. Its functions return nothing: they cannot fail.

use std::ffi::c_int;
use std::sync::OnceLock;

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::installed::{self, Library, Supported};
use super::memory::Memory;
use super::opened::File;
use super::{LoopParameters, Provider, Unsupported};
use crate::cpu::{arm, first_of, x86};
use crate::timed_loop::{Failed, TimedLoop, writing_loop};

mod library;
mod message;

use library::{Nettle, SWITCH, nettle};
use message::{aead, ccm, gcm_siv, xts};

pub fn open() -> Result<Box<dyn Provider>, String> {
    static OPENED: OnceLock<Result<Nettle, String>> = OnceLock::new();
    OPENED.get_or_init(nettle).as_ref().map(installed::provider).map_err(Clone::clone)
}

impl Library for Nettle {
    fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        let ask = std::env::var(SWITCH).ok();
        let supported = |algorithm| Supported {
            algorithm,
            // Its manual: source and destination may be equal. It does not say so for GCM-SIV's messages.
            forms: if algorithm == Algorithm::Aes256GcmSiv { &[Form::Into] } else { &[Form::InPlace, Form::Into] },
            setup: Setup::Outside,
            path: if self.fat { path(algorithm, self.version, ask.as_deref()) } else { "unknown" },
        };
        let siv = self.gcm_siv.map(|_| Algorithm::Aes256GcmSiv);
        [
            Algorithm::Aes128Gcm,
            Algorithm::Aes256Gcm,
            Algorithm::ChaCha20Poly1305,
            Algorithm::Aes256Ctr,
            Algorithm::Aes256Cbc,
            Algorithm::Aes128Xts,
            Algorithm::Aes256Xts,
            Algorithm::ChaCha20,
        ]
        .into_iter()
        .chain(siv)
        .chain(Algorithm::ALL.iter().copied().filter(|algorithm| algorithm.is_ccm()))
        .map(supported)
        .collect()
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let (aes, seals) = (self.aes256, parameters.seals());
        let xts_of = |xts: &library::Xts| match parameters.operation {
            // Two keys lie in its context, the longer of which are AES-256's.
            Operation::Decrypt => (2 * aes.context_size, xts.set_decrypt_key),
            _ => (2 * aes.context_size, xts.set_encrypt_key),
        };
        let decrypts = parameters.algorithm == Algorithm::Aes256Cbc && !seals;
        let (size, set_key) = match parameters.algorithm {
            Algorithm::Aes128Gcm => (self.gcm128.context_size, self.gcm128.set_encrypt_key),
            Algorithm::Aes256Gcm => (self.gcm256.context_size, self.gcm256.set_encrypt_key),
            // Its state lies beside the key's: two blocks and a number (ccm.h).
            ccm if ccm.is_ccm() => (aes.context_size + 64, self.ccm(ccm).set_key),
            Algorithm::ChaCha20Poly1305 => (self.chachapoly.context_size, self.chachapoly.set_encrypt_key),
            Algorithm::Aes128Xts => xts_of(&self.xts128),
            Algorithm::Aes256Xts => xts_of(&self.xts256),
            // No descriptor has its size: the state is 64 bytes (chacha.h).
            Algorithm::ChaCha20 => (256, self.chacha_set_key),
            _ if decrypts => (aes.context_size, aes.set_decrypt_key),
            _ => (aes.context_size, aes.set_encrypt_key),
        };
        let memory = Memory::new(size as usize).ok_or_else(|| Unsupported("no memory for a context".into()))?;
        let bytes = parameters.algorithm.key_bytes();
        if parameters.operation == Operation::KeySetup {
            // C programs declare it as a variable: only the set-up has a cost, and there is nothing to release.
            return Ok(writing_loop(move |call| {
                let key = Some(call.nonce).filter(|key| key.len() == bytes).ok_or(Failed::Library("the key"))?;
                // SAFETY: the context has the size that the library wants, the key the length that it reads.
                unsafe { set_key(memory.as_ptr(), key.as_ptr()) };
                Ok(0)
            }));
        }
        if parameters.key.len() != bytes {
            return Err(Unsupported(format!("key of {} bytes", parameters.key.len())));
        }
        // SAFETY: as above.
        unsafe { set_key(memory.as_ptr(), parameters.key.as_ptr()) };
        Ok(match (parameters.algorithm, self.gcm_siv) {
            (Algorithm::Aes128Gcm, _) => aead(self.gcm128, memory, seals, self.equal),
            (Algorithm::Aes256Gcm, _) => aead(self.gcm256, memory, seals, self.equal),
            (algorithm, _) if algorithm.is_ccm() => {
                ccm(self.ccm(algorithm), algorithm.nonce_bytes(), memory, seals, self.equal)
            }
            (Algorithm::ChaCha20Poly1305, _) => aead(self.chachapoly, memory, seals, self.equal),
            (Algorithm::Aes256Ctr, _) => writing_loop(move |call| self.ctr(&memory, call)),
            (Algorithm::Aes256Cbc, _) if seals => writing_loop(move |call| self.cbc_encrypted(&memory, call)),
            (Algorithm::Aes256Cbc, _) => writing_loop(move |call| self.cbc_decrypted(&memory, call)),
            (Algorithm::Aes128Xts, _) => xts(&self.xts128, memory, seals),
            (Algorithm::Aes256Xts, _) => xts(&self.xts256, memory, seals),
            (Algorithm::ChaCha20, _) => writing_loop(move |call| self.chacha(&memory, call)),
            (Algorithm::Aes256GcmSiv, Some((seal, open))) => gcm_siv(if seals { seal } else { open }, memory, seals),
            (other, _) => return Err(Unsupported::algorithm(other)),
        })
    }
}

impl Nettle {
    /// The functions of a CCM, which differ by the key's length alone.
    fn ccm(&'static self, algorithm: Algorithm) -> &'static library::Ccm {
        if algorithm.key_bytes() == 16 { &self.ccm128 } else { &self.ccm256 }
    }
}

/// nettle's rule where it chooses at run time: fat-x86_64.c and fat-arm64.c; NETTLE_FAT_OVERRIDE replaces the detected
/// features. ChaCha20 is assembly for every CPU of the architecture (x86_64/ and arm64/chacha-*.asm).
fn path(algorithm: Algorithm, version: (c_int, c_int), ask: Option<&str>) -> &'static str {
    let chacha = matches!(algorithm, Algorithm::ChaCha20Poly1305 | Algorithm::ChaCha20);
    if !(6..=10).contains(&version.1) {
        return "unknown";
    }
    let uses_feature = |feature: &str, cpu: bool| ask.map_or(cpu, |ask| ask.split(',').any(|word| word == feature));
    if cfg!(target_arch = "aarch64") {
        // Assembly of ChaCha20 came with 3.8.
        return first_of(&[
            (chacha && version.1 < 8, "unknown"),
            (chacha, "neon"),
            (uses_feature("aes", arm!("aes")) && uses_feature("pmull", arm!("pmull")), "armv8-aes"),
        ]);
    }
    first_of(&[
        (chacha, "sse2"),
        (uses_feature("aesni", x86!("aes")) && uses_feature("pclmul", x86!("pclmulqdq")), "aesni"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn override_replaces_the_detected_cpu() {
        let (said, soft) = if cfg!(target_arch = "aarch64") { ("aes,pmull", "neon") } else { ("pclmul,aesni", "sse2") };
        assert_ne!(path(Algorithm::Aes256Gcm, (3, 8), Some(said)), "soft");
        assert_eq!(path(Algorithm::Aes256Gcm, (3, 8), Some("none")), "soft");
        assert_eq!(path(Algorithm::ChaCha20, (3, 8), Some("none")), soft);
        assert_eq!(path(Algorithm::ChaCha20, (3, 99), None), "unknown");
    }
}
