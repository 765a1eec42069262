//! ring: works in place only.

use ciphermeter_core::{Algorithm, Form, Operation, Setup};
use ring::aead::{self, Aad, LessSafeKey, Nonce, Tag, UnboundKey};

use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::cpu::{arm, first_of, x86};
use crate::timed_loop::{Failed, TimedLoop, key_setup_loop, writing_loop};

struct Ring;

pub fn open() -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(Ring))
}

fn library_s(algorithm: Algorithm) -> Option<&'static aead::Algorithm> {
    match algorithm {
        Algorithm::Aes128Gcm => Some(&aead::AES_128_GCM),
        Algorithm::Aes256Gcm => Some(&aead::AES_256_GCM),
        Algorithm::ChaCha20Poly1305 => Some(&aead::CHACHA20_POLY1305),
        _ => None,
    }
}

impl Provider for Ring {
    fn offers(&self) -> Vec<Offered> {
        let offered = |algorithm| Offered {
            algorithm,
            version: env!("VERSION_RING").into(),
            forms: &[Form::InPlace],
            path: path(algorithm),
            setup: Setup::Outside,
        };
        [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305].map(offered).into()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let algorithm = library_s(parameters.algorithm).ok_or_else(|| Unsupported::algorithm(parameters.algorithm))?;
        if parameters.operation == Operation::KeySetup {
            return Ok(key_setup_loop(move |key| make(algorithm, key)));
        }
        let bytes = parameters.key.len();
        let key = make(algorithm, parameters.key).ok_or_else(|| Unsupported(format!("key of {bytes} bytes")))?;
        Ok(match parameters.seals() {
            true => writing_loop(move |call| {
                let len = call.text.len();
                let nonce = Nonce::try_assume_unique_for_key(call.nonce).map_err(|_| Failed::Library("the nonce"))?;
                let sealed = key.seal_in_place_separate_tag(nonce, Aad::from(call.aad), call.text.in_place());
                call.tag.copy_from_slice(sealed.map_err(|_| Failed::Library("sealing"))?.as_ref());
                Ok(len)
            }),
            false => writing_loop(move |call| {
                let nonce = Nonce::try_assume_unique_for_key(call.nonce).map_err(|_| Failed::Library("the nonce"))?;
                let tag = Tag::try_from(&*call.tag).map_err(|_| Failed::Library("the tag"))?;
                let aad = Aad::from(call.aad);
                let opened = key.open_in_place_separate_tag(nonce, aad, tag, call.text.in_place(), 0..);
                opened.map(|text| text.len()).map_err(|_| Failed::Rejected)
            }),
        })
    }
}

fn make(algorithm: &'static aead::Algorithm, key: &[u8]) -> Option<LessSafeKey> {
    UnboundKey::new(algorithm, key).ok().map(LessSafeKey::new)
}

/// ring's rule: `DynKey::new` in src/aead/aes_gcm.rs; src/aead/chacha20_poly1305/integrated.rs.
fn path(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::ChaCha20Poly1305 => {
            first_of(&[(x86!("sse4.1", "avx2", "bmi2"), "avx2"), (x86!("sse4.1"), "sse4.1"), (arm!("neon"), "neon")])
        }
        _ => first_of(&[
            (x86!("aes", "pclmulqdq", "vaes", "vpclmulqdq", "avx2"), "vaes-avx2"),
            (x86!("aes", "pclmulqdq", "avx", "movbe"), "aesni-avx"),
            (x86!("aes", "pclmulqdq"), "aesni"),
            (arm!("aes", "pmull"), "armv8-aes"),
            (x86!("ssse3"), "ssse3"),
            (arm!("neon"), "neon"),
        ]),
    }
}
