//! EVP of BoringSSL, and of AWS-LC, which began as its fork: AEADs by EVP_AEAD with a separate tag,
//! AES-CTR and AES-CBC by EVP_CIPHER, ChaCha20 by its one function. Each works in place as well as
//! from buffer to buffer.
//!
//! Compiled once against each: here, and in `workers/boringssl`. `sys` of the module above are the library's bindings.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::sys;
use crate::library::{
    CallArguments, Failed, LoopParameters, Offered, TimedLoop, Unsupported, key_setup_loop, writing_loop,
};

/// What both have.
pub const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::Aes128Gcm,
    Algorithm::Aes256Gcm,
    Algorithm::Aes256GcmSiv,
    Algorithm::ChaCha20Poly1305,
    Algorithm::XChaCha20Poly1305,
    Algorithm::Aes128Ccm4,
    Algorithm::Aes256Ctr,
    Algorithm::Aes256Cbc,
    Algorithm::ChaCha20,
];

/// One of them in that version, which takes that code path.
pub fn offered(algorithm: Algorithm, version: String, path: &'static str) -> Offered {
    // Its ChaCha20 takes the raw key in every call.
    let setup = if algorithm == Algorithm::ChaCha20 { Setup::Inside } else { Setup::Outside };
    Offered { algorithm, version, forms: &[Form::InPlace, Form::Into], path, setup }
}

/// The loop for one of [`ALGORITHMS`].
pub fn timed_loop(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    // SAFETY: these functions only return the addresses of constants.
    unsafe {
        match parameters.algorithm {
            Algorithm::Aes128Gcm => aead(sys::EVP_aead_aes_128_gcm(), parameters),
            Algorithm::Aes256Gcm => aead(sys::EVP_aead_aes_256_gcm(), parameters),
            Algorithm::Aes256GcmSiv => aead(sys::EVP_aead_aes_256_gcm_siv(), parameters),
            Algorithm::ChaCha20Poly1305 => aead(sys::EVP_aead_chacha20_poly1305(), parameters),
            Algorithm::XChaCha20Poly1305 => aead(sys::EVP_aead_xchacha20_poly1305(), parameters),
            Algorithm::Aes128Ccm4 => aead(sys::EVP_aead_aes_128_ccm_bluetooth(), parameters),
            Algorithm::Aes256Ctr => cipher(sys::EVP_aes_256_ctr(), parameters),
            Algorithm::Aes256Cbc => cipher(sys::EVP_aes_256_cbc(), parameters),
            Algorithm::ChaCha20 => chacha20(parameters),
            other => Err(Unsupported::algorithm(other)),
        }
    }
}

/// An AEAD with its key.
struct Aead(NonNull<sys::EVP_AEAD_CTX>);

impl Aead {
    fn new(aead: *const sys::EVP_AEAD, tag: usize, key: &[u8]) -> Option<Self> {
        // SAFETY: `aead` is one of the library's constants; it reads `key.len()` bytes and checks that number.
        NonNull::new(unsafe { sys::EVP_AEAD_CTX_new(aead, key.as_ptr(), key.len(), tag) }).map(Self)
    }

    #[inline(always)]
    fn seal(&self, call: CallArguments<'_>) -> Result<usize, Failed> {
        let (text, mut tag_len) = (call.text, 0);
        // SAFETY: the context lives; every pointer goes with its length, and input and output are equal or apart.
        let sealed = unsafe {
            sys::EVP_AEAD_CTX_seal_scatter(
                self.0.as_ptr(),
                text.output(),
                call.tag.as_mut_ptr(),
                &mut tag_len,
                call.tag.len(),
                call.nonce.as_ptr(),
                call.nonce.len(),
                text.input(),
                text.len(),
                ptr::null(),
                0,
                call.aad.as_ptr(),
                call.aad.len(),
            )
        };
        if sealed == 1 && tag_len == call.tag.len() {
            Ok(text.len())
        } else {
            Err(Failed::Library("EVP_AEAD_CTX_seal_scatter"))
        }
    }

    #[inline(always)]
    fn open(&self, call: CallArguments<'_>) -> Result<usize, Failed> {
        let text = call.text;
        // SAFETY: as in `seal`.
        let opened = unsafe {
            sys::EVP_AEAD_CTX_open_gather(
                self.0.as_ptr(),
                text.output(),
                call.nonce.as_ptr(),
                call.nonce.len(),
                text.input(),
                text.len(),
                call.tag.as_ptr(),
                call.tag.len(),
                call.aad.as_ptr(),
                call.aad.len(),
            )
        };
        if opened == 1 { Ok(text.len()) } else { Err(Failed::Rejected) }
    }
}

impl Drop for Aead {
    fn drop(&mut self) {
        // SAFETY: made by EVP_AEAD_CTX_new and freed once; this clears the key.
        unsafe { sys::EVP_AEAD_CTX_free(self.0.as_ptr()) }
    }
}

fn aead(algorithm: *const sys::EVP_AEAD, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let tag = parameters.algorithm.tag_bytes();
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(move |key| Aead::new(algorithm, tag, key)));
    }
    let aead = Aead::new(algorithm, tag, parameters.key).ok_or_else(|| bad_key(parameters))?;
    Ok(if parameters.seals() {
        writing_loop(move |call| aead.seal(call))
    } else {
        writing_loop(move |call| aead.open(call))
    })
}

fn bad_key(parameters: &LoopParameters<'_>) -> Unsupported {
    Unsupported(format!("key of {} bytes", parameters.key.len()))
}

/// A cipher context with its key; the nonce is set for each message.
struct Cipher(NonNull<sys::EVP_CIPHER_CTX>);

impl Cipher {
    fn new(cipher: *const sys::EVP_CIPHER, key: &[u8], bytes: usize, seals: bool) -> Option<Self> {
        // SAFETY: no arguments; null is taken care of.
        let context = Self(NonNull::new(unsafe { sys::EVP_CIPHER_CTX_new() })?);
        let seals = c_int::from(seals);
        // SAFETY: `cipher` is one of the library's constants, and takes a key of `bytes`, which is looked at first.
        let set = key.len() == bytes
            && unsafe {
                sys::EVP_CipherInit_ex(context.0.as_ptr(), cipher, ptr::null_mut(), key.as_ptr(), ptr::null(), seals)
            } == 1;
        set.then_some(context)
    }

    /// One message; a failure of the final step is `last`.
    #[inline(always)]
    fn run(&mut self, call: CallArguments<'_>, last: Failed) -> Result<usize, Failed> {
        let context = self.0.as_ptr();
        let (text, mut given, mut rest) = (call.text, 0, 0);
        // SAFETY: the context lives and has its key. The nonce is 16 bytes, as all ciphers want (checked). The output
        // has room for a block of padding beyond the input; messages are shorter than an `int` counts.
        unsafe {
            if call.nonce.len() != 16
                || sys::EVP_CipherInit_ex(context, ptr::null(), ptr::null_mut(), ptr::null(), call.nonce.as_ptr(), -1)
                    != 1
            {
                return Err(Failed::Library("EVP_CipherInit_ex"));
            }
            if sys::EVP_CipherUpdate(context, text.output(), &mut given, text.input(), text.len() as c_int) != 1 {
                return Err(Failed::Library("EVP_CipherUpdate"));
            }
            if sys::EVP_CipherFinal_ex(context, text.output().add(given as usize), &mut rest) != 1 {
                return Err(last);
            }
        }
        Ok((given + rest) as usize)
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new and freed once; this clears the key.
        unsafe { sys::EVP_CIPHER_CTX_free(self.0.as_ptr()) }
    }
}

/// A cipher whose nonce is a block, by its name in the library.
pub fn cipher(
    algorithm: *const sys::EVP_CIPHER,
    parameters: &LoopParameters<'_>,
) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let bytes = parameters.algorithm.key_bytes();
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(move |key| Cipher::new(algorithm, key, bytes, true)));
    }
    let cipher = Cipher::new(algorithm, parameters.key, bytes, parameters.seals());
    let mut cipher = cipher.ok_or_else(|| bad_key(parameters))?;
    Ok(match parameters.seals() {
        true => writing_loop(move |call| cipher.run(call, Failed::Library("EVP_CipherFinal_ex"))),
        false => writing_loop(move |call| cipher.run(call, Failed::Rejected)),
    })
}

fn chacha20(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let key = zeroize::Zeroizing::new(<[u8; 32]>::try_from(parameters.key).map_err(|_| bad_key(parameters))?);
    Ok(writing_loop(move |call| {
        let nonce: &[u8; 12] = call.nonce.try_into().map_err(|_| Failed::Library("the nonce"))?;
        let text = call.text;
        // SAFETY: key and nonce have the lengths that it reads, input and output hold `len` bytes.
        unsafe { sys::CRYPTO_chacha_20(text.output(), text.input(), text.len(), key.as_ptr(), nonce.as_ptr(), 0) };
        Ok(text.len())
    }))
}
