//! Mbed TLS: the system's libmbedcrypto.
//!
//! Its headers define where buffers may be the same: AES-GCM in place since 3.6.3 only (before that, opening "cannot be
//! the same", gcm.h), padded CBC never (cipher.h), ChaCha20 always (chacha20.h). They do not mention CTR, XTS, CCM
//! and ChaCha20-Poly1305, but its own self-test or its own TLS records run them in place.

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::installed::{self, Library, Supported};
use super::opened::File;
use super::{LoopParameters, Provider, Unsupported};
use crate::cpu::first_of;
use crate::loop_buffers::CallArguments;
use crate::timed_loop::{Failed, TimedLoop, writing_loop};

mod library;

use library::{Context, ContextKind, Mbed};

/// MBEDTLS_AESNI_AES and MBEDTLS_AESNI_CLMUL of library/aesni.h; MBEDTLS_GCM_ENCRYPT of mbedtls/gcm.h.
const AESNI: u32 = 0x0200_0000;
const CLMUL: u32 = 2;
const GCM_ENCRYPT: i32 = 1;
/// Less aad than this is what its CCM takes (mbedtls/ccm.h).
const CCM_AAD: usize = (1 << 16) - (1 << 8);

pub fn open() -> Result<Box<dyn Provider>, String> {
    Mbed::open().map(installed::provider)
}

impl Library for Mbed {
    fn version(&self) -> String {
        self.version.map(|number| number.to_string()).join(".")
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        let path = self.path();
        let supported = |algorithm| Supported {
            algorithm,
            forms: match algorithm {
                Algorithm::Aes256Cbc => &[Form::Into],
                Algorithm::Aes128Gcm | Algorithm::Aes256Gcm if self.version < [3, 6, 3] => &[Form::Into],
                _ => &[Form::InPlace, Form::Into],
            },
            setup: Setup::Outside,
            path: if kind(algorithm).is_some_and(portable) { "soft" } else { path },
        };
        [
            Algorithm::Aes128Gcm,
            Algorithm::Aes256Gcm,
            Algorithm::ChaCha20Poly1305,
            Algorithm::Aes256Ctr,
            Algorithm::Aes256Cbc,
            Algorithm::ChaCha20,
        ]
        .into_iter()
        .chain(self.ccm.iter().flat_map(|_| Algorithm::ALL.iter().copied().filter(|algorithm| algorithm.is_ccm())))
        .chain(self.xts.iter().flat_map(|_| [Algorithm::Aes128Xts, Algorithm::Aes256Xts]))
        .map(supported)
        .collect()
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let is_here = |kind: &ContextKind| match kind {
            ContextKind::Ccm => self.ccm.is_some(),
            ContextKind::Xts => self.xts.is_some(),
            _ => true,
        };
        let kind = kind(parameters.algorithm).filter(is_here);
        let kind = kind.ok_or_else(|| Unsupported::algorithm(parameters.algorithm))?;
        let mut context = Context::new(self, kind).ok_or_else(|| Unsupported("no memory for a context".into()))?;
        let bytes = parameters.algorithm.key_bytes();
        if parameters.operation == Operation::KeySetup {
            return Ok(writing_loop(move |call| {
                let set = call.nonce.len() == bytes && context.key_setup(call.nonce);
                if set { Ok(0) } else { Err(Failed::Library("setting up a key")) }
            }));
        }
        if parameters.key.len() != bytes || !context.set_key(parameters.key, parameters.seals()) {
            return Err(Unsupported(format!("key of {} bytes", parameters.key.len())));
        }
        Ok(match (kind, parameters.seals()) {
            (ContextKind::Gcm, true) => writing_loop(move |call| gcm_sealed(&mut context, call)),
            (ContextKind::Gcm, false) => writing_loop(move |call| gcm_opened(&mut context, call)),
            (ContextKind::Ccm, _) if parameters.aad >= CCM_AAD => {
                return Err(Unsupported(format!("aad of {CCM_AAD} bytes or more")));
            }
            (ContextKind::Ccm, true) => writing_loop(move |call| ccm_sealed(&mut context, call)),
            (ContextKind::Ccm, false) => writing_loop(move |call| ccm_opened(&mut context, call)),
            (ContextKind::ChachaPoly, true) => writing_loop(move |call| chachapoly_sealed(&mut context, call)),
            (ContextKind::ChachaPoly, false) => writing_loop(move |call| chachapoly_opened(&mut context, call)),
            (ContextKind::Aes, _) => writing_loop(move |call| ctr(&mut context, call)),
            (ContextKind::Xts, seals) => writing_loop(move |call| xts(&context, call, seals)),
            (ContextKind::ChaCha20, _) => writing_loop(move |call| chacha20(&mut context, call)),
            (ContextKind::Cbc, true) => {
                writing_loop(move |call| cbc(&mut context, call, Failed::Library("mbedtls_cipher_crypt")))
            }
            (ContextKind::Cbc, false) => writing_loop(move |call| cbc(&mut context, call, Failed::Rejected)),
        })
    }
}

impl Mbed {
    /// The path of its AES: library/aes.c and gcm.c ask these functions. Without them (in builds that leave the code
    /// out, or know no other CPU) only the version is known: 2.28 has no code for Arm.
    fn path(&self) -> &'static str {
        if let Some(ask) = self.aesni {
            // SAFETY: they take any number and only read CPUID.
            let [aes, clmul] = [AESNI, CLMUL].map(|feature| unsafe { ask(feature) } != 0);
            return first_of(&[(aes && clmul, "aesni")]);
        }
        if let Some(ask) = self.aesce {
            // SAFETY: no arguments; it asks the kernel.
            return first_of(&[(unsafe { ask() } != 0, "armv8-aes")]);
        }
        if cfg!(target_arch = "aarch64") && self.version < [3, 5, 0] { "soft" } else { "unknown" }
    }
}

/// The part of the library that implements an algorithm.
fn kind(algorithm: Algorithm) -> Option<ContextKind> {
    Some(match algorithm {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => ContextKind::Gcm,
        ccm if ccm.is_ccm() => ContextKind::Ccm,
        Algorithm::ChaCha20Poly1305 => ContextKind::ChachaPoly,
        Algorithm::Aes256Ctr => ContextKind::Aes,
        Algorithm::Aes128Xts | Algorithm::Aes256Xts => ContextKind::Xts,
        Algorithm::Aes256Cbc => ContextKind::Cbc,
        Algorithm::ChaCha20 => ContextKind::ChaCha20,
        _ => return None,
    })
}

/// Whether there is only C code, up to version 3.6.
fn portable(kind: ContextKind) -> bool {
    matches!(kind, ContextKind::ChachaPoly | ContextKind::ChaCha20)
}

/// The calls below are safe for one reason: the context is of its kind and has a key; every pointer comes with its
/// length, and a nonce's length is checked first; input and output are equal (where the offer allows it) or separate.
fn nonce<const NONCE: usize>(call: &CallArguments<'_>) -> Result<*const u8, Failed> {
    if call.nonce.len() == NONCE { Ok(call.nonce.as_ptr()) } else { Err(Failed::Library("the nonce")) }
}

#[inline(always)]
fn gcm_sealed(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    let (nonce, text, aad, tag) = (nonce::<12>(&call)?, call.text, call.aad, call.tag);
    let (aad, aad_len, tag_len, len) = (aad.as_ptr(), aad.len(), tag.len(), text.len());
    let (to, from, tag, context_ptr) = (text.output(), text.input(), tag.as_mut_ptr(), context.as_ptr());
    // SAFETY: see `nonce`.
    let failed = unsafe {
        (context.library.gcm_seal)(context_ptr, GCM_ENCRYPT, len, nonce, 12, aad, aad_len, from, to, tag_len, tag)
    };
    if failed == 0 { Ok(len) } else { Err(Failed::Library("mbedtls_gcm_crypt_and_tag")) }
}

#[inline(always)]
fn gcm_opened(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    let (nonce, text, aad, tag) = (nonce::<12>(&call)?, call.text, call.aad, call.tag);
    let (aad, aad_len, tag_len, len) = (aad.as_ptr(), aad.len(), tag.len(), text.len());
    let (to, from, tag, context_ptr) = (text.output(), text.input(), tag.as_ptr(), context.as_ptr());
    // SAFETY: see `nonce`.
    let failed =
        unsafe { (context.library.gcm_open)(context_ptr, len, nonce, 12, aad, aad_len, tag, tag_len, from, to) };
    if failed == 0 { Ok(len) } else { Err(Failed::Rejected) }
}

#[inline(always)]
fn ccm_sealed(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    // It takes nonces of any length that the mode has, and refuses others.
    let (nonce, text, aad, tag) = (call.nonce, call.text, call.aad, call.tag);
    let (nonce, nonce_len) = (nonce.as_ptr(), nonce.len());
    let (aad, aad_len, tag_len, len) = (aad.as_ptr(), aad.len(), tag.len(), text.len());
    let (to, from, tag, context_ptr) = (text.output(), text.input(), tag.as_mut_ptr(), context.as_ptr());
    // SAFETY: see `nonce`.
    let failed = unsafe {
        (context.library.ccm().seal)(context_ptr, len, nonce, nonce_len, aad, aad_len, from, to, tag, tag_len)
    };
    if failed == 0 { Ok(len) } else { Err(Failed::Library("mbedtls_ccm_encrypt_and_tag")) }
}

#[inline(always)]
fn ccm_opened(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    // It takes nonces of any length that the mode has, and refuses others.
    let (nonce, text, aad, tag) = (call.nonce, call.text, call.aad, call.tag);
    let (nonce, nonce_len) = (nonce.as_ptr(), nonce.len());
    let (aad, aad_len, tag_len, len) = (aad.as_ptr(), aad.len(), tag.len(), text.len());
    let (to, from, tag, context_ptr) = (text.output(), text.input(), tag.as_ptr(), context.as_ptr());
    // SAFETY: see `nonce`.
    let failed = unsafe {
        (context.library.ccm().open)(context_ptr, len, nonce, nonce_len, aad, aad_len, from, to, tag, tag_len)
    };
    if failed == 0 { Ok(len) } else { Err(Failed::Rejected) }
}

#[inline(always)]
fn chachapoly_sealed(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    let (nonce, text, aad, tag) = (nonce::<12>(&call)?, call.text, call.aad, call.tag);
    let (aad, aad_len, tag, len) = (aad.as_ptr(), aad.len(), tag.as_mut_ptr(), text.len());
    let (to, from, context_ptr) = (text.output(), text.input(), context.as_ptr());
    // SAFETY: see `nonce`.
    let failed = unsafe { (context.library.chachapoly_seal)(context_ptr, len, nonce, aad, aad_len, from, to, tag) };
    if failed == 0 { Ok(len) } else { Err(Failed::Library("mbedtls_chachapoly_encrypt_and_tag")) }
}

#[inline(always)]
fn chachapoly_opened(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    let (nonce, text, aad, tag) = (nonce::<12>(&call)?, call.text, call.aad, call.tag);
    let (aad, aad_len, tag, len) = (aad.as_ptr(), aad.len(), tag.as_ptr(), text.len());
    let (to, from, context_ptr) = (text.output(), text.input(), context.as_ptr());
    // SAFETY: see `nonce`.
    let failed = unsafe { (context.library.chachapoly_open)(context_ptr, len, nonce, aad, aad_len, tag, from, to) };
    if failed == 0 { Ok(len) } else { Err(Failed::Rejected) }
}

#[inline(always)]
fn ctr(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    // The library counts in the block that it is given.
    let mut counter: [u8; 16] = call.nonce.try_into().map_err(|_| Failed::Library("the nonce"))?;
    let (mut stream, mut offset) = ([0; 16], 0);
    let (text, context_ptr) = (call.text, context.as_ptr());
    let (counter, stream, offset) = (counter.as_mut_ptr(), stream.as_mut_ptr(), &mut offset);
    // SAFETY: see `nonce`.
    let failed = unsafe {
        (context.library.aes_ctr)(context_ptr, text.len(), offset, counter, stream, text.input(), text.output())
    };
    if failed == 0 { Ok(text.len()) } else { Err(Failed::Library("mbedtls_aes_crypt_ctr")) }
}

#[inline(always)]
fn xts(context: &Context, call: CallArguments<'_>, seals: bool) -> Result<usize, Failed> {
    let (tweak, text) = (nonce::<16>(&call)?, call.text);
    // SAFETY: see `nonce`.
    let done = unsafe { context.sector(seals, text.len(), tweak, text.input(), text.output()) };
    if done { Ok(text.len()) } else { Err(Failed::Library("mbedtls_aes_crypt_xts")) }
}

#[inline(always)]
fn chacha20(context: &mut Context, call: CallArguments<'_>) -> Result<usize, Failed> {
    let (nonce, text, context_ptr) = (nonce::<12>(&call)?, call.text, context.as_ptr());
    // SAFETY: see `nonce`.
    let done = unsafe {
        (context.library.chacha20_starts)(context_ptr, nonce, 0) == 0
            && (context.library.chacha20_update)(context_ptr, text.len(), text.input(), text.output()) == 0
    };
    if done { Ok(text.len()) } else { Err(Failed::Library("mbedtls_chacha20_update")) }
}

#[inline(always)]
fn cbc(context: &mut Context, call: CallArguments<'_>, wrong: Failed) -> Result<usize, Failed> {
    let (nonce, text, context_ptr, mut given) = (nonce::<16>(&call)?, call.text, context.as_ptr(), 0);
    let (from, to, len) = (text.input(), text.output(), text.len());
    // SAFETY: see `nonce`; the output has room for a block of padding beyond the input.
    let failed = unsafe { (context.library.cipher_crypt)(context_ptr, nonce, 16, from, len, to, &mut given) };
    if failed == 0 { Ok(given) } else { Err(wrong) }
}
