//! AWS-LC, through its C interface, in one uniform way: AEADs by EVP_AEAD with a separate tag, AES-CTR and AES-CBC by
//! EVP_CIPHER, ChaCha20 by its one function. Each works in place as well as from buffer to buffer.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use aws_lc_sys as sys;
use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::cpu::{arm, arm_core, first_of, x86};
use crate::loop_buffers::CallArguments;
use crate::timed_loop::{Failed, TimedLoop, key_setup_loop, writing_loop};

struct AwsLc;

pub fn open() -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(AwsLc))
}

impl Provider for AwsLc {
    fn offers(&self) -> Vec<Offered> {
        use Algorithm as A;
        let version = std::ffi::CStr::from_bytes_with_nul(sys::AWSLC_VERSION_NUMBER_STRING)
            .map_or("unknown".into(), |version| version.to_string_lossy().into_owned());
        let offered = |algorithm| Offered {
            algorithm,
            version: version.clone(),
            forms: &[Form::InPlace, Form::Into],
            path: path(algorithm),
            // Its ChaCha20 takes the raw key in every call.
            setup: if algorithm == A::ChaCha20 { Setup::Inside } else { Setup::Outside },
        };
        [
            A::Aes128Gcm,
            A::Aes256Gcm,
            A::Aes256GcmSiv,
            A::ChaCha20Poly1305,
            A::XChaCha20Poly1305,
            A::Aes128Ccm4,
            A::Aes256Ctr,
            A::Aes256Cbc,
            A::Aes256Xts,
            A::ChaCha20,
        ]
        .map(offered)
        .into()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
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
                Algorithm::Aes256Xts => cipher(sys::EVP_aes_256_xts(), parameters),
                Algorithm::ChaCha20 => chacha20(parameters),
                other => Err(Unsupported::algorithm(other)),
            }
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

fn cipher(
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
