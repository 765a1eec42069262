//! libsodium: AEADs with a separate tag, and ChaCha20. Only its AES-GCM can set up a key beforehand.
//!
//! Its manual allows ChaCha20 in place, and its tests seal and open the ChaCha20-Poly1305 constructions in place. For
//! AES-GCM neither does, so it is offered from buffer to buffer.

use std::ffi::{c_char, c_int, c_ulonglong, c_void};
use std::ptr;
use std::sync::OnceLock;

use ciphermeter_core::{Algorithm, Form, Operation, Setup};
use zeroize::Zeroizing;

use super::installed::{self, Library, Supported};
use super::memory::Memory;
use super::opened::{File, LibraryLocation, Opened, numbers, text};
use super::{LoopParameters, Provider, Unsupported};
use crate::cpu::first_of;
use crate::loop_buffers::{CallArguments, TAG};
use crate::timed_loop::{Failed, TimedLoop, key_setup_loop, writing_loop};

/// `crypto_aead_*_encrypt_detached`, the key raw or (`_afternm`) set up: c, mac, its length, m, its length, ad, its length, nsec
/// (null), nonce, key.
type Seal = unsafe extern "C" fn(
    *mut u8,
    *mut u8,
    *mut c_ulonglong,
    *const u8,
    c_ulonglong,
    *const u8,
    c_ulonglong,
    *const u8,
    *const u8,
    *const c_void,
) -> c_int;
/// `crypto_aead_*_decrypt_detached`: m, nsec (null), c, its length, mac, ad, its length, nonce, key.
type Unseal = unsafe extern "C" fn(
    *mut u8,
    *mut u8,
    *const u8,
    c_ulonglong,
    *const u8,
    *const u8,
    c_ulonglong,
    *const u8,
    *const c_void,
) -> c_int;
type Ask = unsafe extern "C" fn() -> c_int;

/// Both directions of an AEAD.
#[derive(Clone, Copy)]
struct Aead {
    seal: Seal,
    unseal: Unseal,
}

/// The functions that are used, as the headers declare them.
struct Sodium {
    gcm: Aead,
    gcm_available: Ask,
    gcm_setup: unsafe extern "C" fn(*mut c_void, *const u8) -> c_int,
    gcm_bytes: unsafe extern "C" fn() -> usize,
    chachapoly: Aead,
    xchachapoly: Aead,
    chacha: unsafe extern "C" fn(*mut u8, *const u8, c_ulonglong, *const u8, *const u8) -> c_int,
    /// Whether the CPU has AVX2, and SSSE3, as the library detected.
    cpu: [Option<Ask>; 2],
    version: String,
    file: File,
}

pub fn open() -> Result<Box<dyn Provider>, String> {
    static OPENED: OnceLock<Result<Sodium, String>> = OnceLock::new();
    OPENED.get_or_init(sodium).as_ref().map(installed::provider).map_err(Clone::clone)
}

fn sodium() -> Result<Sodium, String> {
    let opened = Opened::open(&LibraryLocation::named(
        "libsodium",
        "sodium",
        &["26", "23"],
        "CIPHERMETER_LIBSODIUM",
        ["libsodium23", "libsodium"],
    ))?;
    // SAFETY: the types are those of the headers of 1.0.18 to 1.0.22; the texts are constants.
    unsafe {
        let init: Ask = opened.symbol("sodium_init")?;
        let version: unsafe extern "C" fn() -> *const c_char = opened.symbol("sodium_version_string")?;
        if init() < 0 {
            return Err(opened.refused("cannot be initialised"));
        }
        Ok(Sodium {
            gcm: Aead {
                seal: opened.symbol("crypto_aead_aes256gcm_encrypt_detached_afternm")?,
                unseal: opened.symbol("crypto_aead_aes256gcm_decrypt_detached_afternm")?,
            },
            gcm_available: opened.symbol("crypto_aead_aes256gcm_is_available")?,
            gcm_setup: opened.symbol("crypto_aead_aes256gcm_beforenm")?,
            gcm_bytes: opened.symbol("crypto_aead_aes256gcm_statebytes")?,
            chachapoly: Aead {
                seal: opened.symbol("crypto_aead_chacha20poly1305_ietf_encrypt_detached")?,
                unseal: opened.symbol("crypto_aead_chacha20poly1305_ietf_decrypt_detached")?,
            },
            xchachapoly: Aead {
                seal: opened.symbol("crypto_aead_xchacha20poly1305_ietf_encrypt_detached")?,
                unseal: opened.symbol("crypto_aead_xchacha20poly1305_ietf_decrypt_detached")?,
            },
            chacha: opened.symbol("crypto_stream_chacha20_ietf_xor")?,
            cpu: ["avx2", "ssse3"].map(|feature| opened.find(&format!("sodium_runtime_has_{feature}"))),
            version: text(version()),
            file: opened.file(init as usize)?,
        })
    }
}

impl Library for Sodium {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        let path = |algorithm| path(algorithm, &self.version, self.cpu.map(|ask| ask.is_some_and(answers_yes)));
        let bare = |algorithm| Supported {
            algorithm,
            forms: &[Form::InPlace, Form::Into],
            setup: Setup::Inside,
            path: path(algorithm),
        };
        let gcm = Supported {
            algorithm: Algorithm::Aes256Gcm,
            forms: &[Form::Into],
            setup: Setup::Outside,
            path: path(Algorithm::Aes256Gcm),
        };
        // Without instructions for AES and GHASH it has no AES-GCM.
        let chacha = [Algorithm::ChaCha20Poly1305, Algorithm::XChaCha20Poly1305, Algorithm::ChaCha20].map(bare);
        answers_yes(self.gcm_available).then_some(gcm).into_iter().chain(chacha).collect()
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        match parameters.algorithm {
            Algorithm::Aes256Gcm => self.gcm(parameters),
            Algorithm::ChaCha20Poly1305 => aead::<12>(self.chachapoly, parameters),
            Algorithm::XChaCha20Poly1305 => aead::<24>(self.xchachapoly, parameters),
            Algorithm::ChaCha20 => self.chacha(parameters),
            other => Err(Unsupported::algorithm(other)),
        }
    }
}

fn answers_yes(ask: Ask) -> bool {
    // SAFETY: no arguments; it only reads what was detected when the library was initialised.
    unsafe { ask() == 1 }
}

/// A raw key of the length that its functions read.
fn raw(parameters: &LoopParameters<'_>) -> Result<Zeroizing<[u8; 32]>, Unsupported> {
    let key = parameters.key.try_into().map_err(|_| Unsupported(format!("key of {} bytes", parameters.key.len())))?;
    Ok(Zeroizing::new(key))
}

impl Sodium {
    fn gcm(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        // SAFETY: no arguments.
        let state = Memory::new(unsafe { (self.gcm_bytes)() }).ok_or_else(|| Unsupported("no memory".into()))?;
        let set_up = |state: &Memory, key: &[u8]| {
            // SAFETY: the state has the size that the library says and an alignment of 16 at least; the key its length.
            key.len() == 32 && unsafe { (self.gcm_setup)(state.as_ptr(), key.as_ptr()) } == 0
        };
        if parameters.operation == Operation::KeySetup {
            // C programs declare it as a variable: only the set-up has a cost.
            return Ok(key_setup_loop(move |key| set_up(&state, key).then_some(())));
        }
        if !set_up(&state, &raw(parameters)?[..]) {
            return Err(Unsupported("the library refused the key".into()));
        }
        let Aead { seal, unseal } = self.gcm;
        Ok(match parameters.seals() {
            true => writing_loop(move |call| sealed::<12>(seal, state.as_ptr(), call)),
            false => writing_loop(move |call| opened::<12>(unseal, state.as_ptr(), call)),
        })
    }

    fn chacha(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let (key, xor) = (raw(parameters)?, self.chacha);
        Ok(writing_loop(move |call| {
            let (text, nonce) = (call.text, call.nonce);
            // SAFETY: the nonce's length is looked at first; input and output hold `len` bytes, equal or apart.
            let done = nonce.len() == 12
                && unsafe { xor(text.output(), text.input(), text.len() as u64, nonce.as_ptr(), key.as_ptr()) } == 0;
            if done { Ok(text.len()) } else { Err(Failed::Library("crypto_stream_chacha20_ietf_xor")) }
        }))
    }
}

fn aead<const NONCE: usize>(
    Aead { seal, unseal }: Aead,
    parameters: &LoopParameters<'_>,
) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let key = raw(parameters)?;
    Ok(match parameters.seals() {
        true => writing_loop(move |call| sealed::<NONCE>(seal, key.as_ptr().cast(), call)),
        false => writing_loop(move |call| opened::<NONCE>(unseal, key.as_ptr().cast(), call)),
    })
}

#[inline(always)]
fn sealed<const NONCE: usize>(seal: Seal, key: *const c_void, call: CallArguments<'_>) -> Result<usize, Failed> {
    let (text, mut tag_len) = (call.text, 0);
    let (tag, aad, nonce) = (call.tag.as_mut_ptr(), call.aad, call.nonce);
    // SAFETY: the nonce's length is looked at first; every other pointer goes with its length; the key is what the
    // function takes; input and output are equal or apart.
    let done = nonce.len() == NONCE
        && unsafe {
            seal(
                text.output(),
                tag,
                &mut tag_len,
                text.input(),
                text.len() as u64,
                aad.as_ptr(),
                aad.len() as u64,
                ptr::null(),
                nonce.as_ptr(),
                key,
            )
        } == 0;
    if done && tag_len == TAG as u64 { Ok(text.len()) } else { Err(Failed::Library("encrypt_detached")) }
}

#[inline(always)]
fn opened<const NONCE: usize>(unseal: Unseal, key: *const c_void, call: CallArguments<'_>) -> Result<usize, Failed> {
    let (text, aad, nonce) = (call.text, call.aad, call.nonce);
    if nonce.len() != NONCE {
        return Err(Failed::Library("the nonce"));
    }
    // SAFETY: as in `sealed`.
    let done = unsafe {
        unseal(
            text.output(),
            ptr::null_mut(),
            text.input(),
            text.len() as u64,
            call.tag.as_ptr(),
            aad.as_ptr(),
            aad.len() as u64,
            nonce.as_ptr(),
            key,
        )
    };
    if done == 0 { Ok(text.len()) } else { Err(Failed::Rejected) }
}

/// libsodium's rule, in its src/libsodium/: ChaCha20 crypto_stream/chacha20/stream_chacha20.c, AES-GCM
/// crypto_aead/aes256gcm/*: with AVX since 1.0.19. It reports only CPU features that it was also built for. (Poly1305
/// is SSE2 or C.) After 1.0.22 there are wider paths.
fn path(algorithm: Algorithm, version: &str, [avx2, ssse3]: [bool; 2]) -> &'static str {
    let version = numbers(version);
    match algorithm {
        _ if !((1, 0, 12)..=(1, 0, 22)).contains(&version) => "unknown",
        Algorithm::Aes256Gcm if cfg!(target_arch = "aarch64") => "armv8-aes",
        Algorithm::Aes256Gcm => {
            if version < (1, 0, 19) {
                "aesni"
            } else {
                "aesni-avx"
            }
        }
        _ => first_of(&[(avx2, "avx2"), (ssse3, "ssse3")]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_rules_differ_by_version() {
        let wide = [true; 2];
        assert_eq!(path(Algorithm::ChaCha20, "1.0.18", wide), "avx2");
        assert_eq!(path(Algorithm::ChaCha20, "1.0.18", [false; 2]), "soft");
        assert_eq!(path(Algorithm::ChaCha20, "1.0.23", wide), "unknown");
        if cfg!(target_arch = "x86_64") {
            assert_eq!(path(Algorithm::Aes256Gcm, "1.0.18", wide), "aesni");
            assert_eq!(path(Algorithm::Aes256Gcm, "1.0.20", wide), "aesni-avx");
        }
    }
}
