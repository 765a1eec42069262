//! graviola: works in place only, and needs a recent CPU.

use ciphermeter_core::{Algorithm, Form, Operation, Setup};
use graviola::aead::{AesGcm, ChaCha20Poly1305, XChaCha20Poly1305};

use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::cpu::{arm, first_of, x86};
use crate::loop_buffers::CallArguments;
use crate::timed_loop::{Failed, TimedLoop, key_setup_loop, writing_loop};

struct Graviola;

pub fn open() -> Result<Box<dyn Provider>, String> {
    // Checked before anything else: without these features every other call of the library panics.
    if graviola::util::is_cpu_supported() {
        return Ok(Box::new(Graviola));
    }
    let lacks: Vec<&str> = needed().into_iter().filter_map(|(name, here)| (!here).then_some(name)).collect();
    Err(format!("this CPU lacks {}, which graviola needs", lacks.join(", ")))
}

/// The features that graviola requires in `is_cpu_supported` (src/low/x86_64/cpu.rs, src/low/aarch64/cpu.rs).
fn needed() -> Vec<(&'static str, bool)> {
    if cfg!(target_arch = "aarch64") {
        return vec![("NEON", arm!("neon")), ("AES", arm!("aes")), ("PMULL", arm!("pmull")), ("SHA2", arm!("sha2"))];
    }
    vec![
        ("AES-NI", x86!("aes")),
        ("PCLMULQDQ", x86!("pclmulqdq")),
        ("BMI1", x86!("bmi1")),
        ("ADX", x86!("adx")),
        ("AVX", x86!("avx")),
        ("AVX2", x86!("avx2")),
    ]
}

/// What the library's types have in common.
trait Aead<const NONCE: usize>: Sized + 'static {
    fn new(key: &[u8]) -> Option<Self>;
    fn seal(&self, nonce: &[u8; NONCE], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]);
    fn open(&self, nonce: &[u8; NONCE], aad: &[u8], text: &mut [u8], tag: &[u8]) -> Result<(), graviola::Error>;
}

macro_rules! aead {
    ($name:ident, $nonce:literal, $new:expr) => {
        impl Aead<$nonce> for $name {
            fn new(key: &[u8]) -> Option<Self> {
                $new(key)
            }

            #[inline(always)]
            fn seal(&self, nonce: &[u8; $nonce], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]) {
                self.encrypt(nonce, aad, text, tag)
            }

            #[inline(always)]
            fn open(
                &self,
                nonce: &[u8; $nonce],
                aad: &[u8],
                text: &mut [u8],
                tag: &[u8],
            ) -> Result<(), graviola::Error> {
                self.decrypt(nonce, aad, text, tag)
            }
        }
    };
}
aead!(AesGcm, 12, |key: &[u8]| matches!(key.len(), 16 | 32).then(|| Self::new(key)));
aead!(ChaCha20Poly1305, 12, |key: &[u8]| key.try_into().ok().map(Self::new));
aead!(XChaCha20Poly1305, 24, |key: &[u8]| key.try_into().ok().map(Self::new));

impl Provider for Graviola {
    fn offers(&self) -> Vec<Offered> {
        let offered = |algorithm| Offered {
            algorithm,
            version: env!("VERSION_GRAVIOLA").into(),
            forms: &[Form::InPlace],
            path: path(algorithm),
            setup: Setup::Outside,
        };
        [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305, Algorithm::XChaCha20Poly1305]
            .map(offered)
            .into()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        match parameters.algorithm {
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => timed_loop::<AesGcm, 12>(parameters),
            Algorithm::ChaCha20Poly1305 => timed_loop::<ChaCha20Poly1305, 12>(parameters),
            Algorithm::XChaCha20Poly1305 => timed_loop::<XChaCha20Poly1305, 24>(parameters),
            other => Err(Unsupported::algorithm(other)),
        }
    }
}

fn timed_loop<A: Aead<N>, const N: usize>(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(|key| A::new(key)));
    }
    let cipher = A::new(parameters.key).ok_or_else(|| Unsupported(format!("key of {} bytes", parameters.key.len())))?;
    Ok(match parameters.seals() {
        true => writing_loop(move |call| {
            let (nonce, len) = (nonce(&call)?, call.text.len());
            let tag = call.tag.try_into().map_err(|_| Failed::Library("the tag"))?;
            cipher.seal(nonce, call.aad, call.text.in_place(), tag);
            Ok(len)
        }),
        false => writing_loop(move |call| {
            let (nonce, len) = (nonce(&call)?, call.text.len());
            let opened = cipher.open(nonce, call.aad, call.text.in_place(), call.tag);
            opened.map(|()| len).map_err(|_| Failed::Rejected)
        }),
    })
}

#[inline(always)]
fn nonce<'a, const N: usize>(call: &CallArguments<'a>) -> Result<&'a [u8; N], Failed> {
    call.nonce.try_into().map_err(|_| Failed::Library("the nonce"))
}

/// graviola's rule: `HaveAvx512ForAesGcm` in src/low/x86_64/cpu.rs (messages shorter than 256 bytes take the other path
/// there, too); its ChaCha20 and everything on aarch64 have one path.
fn path(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => first_of(&[
            (x86!("avx512f", "avx512bw", "avx512vl", "vpclmulqdq", "vaes"), "vaes-avx512"),
            (x86!("aes", "avx"), "aesni-avx"),
            (arm!("aes"), "armv8-aes"),
        ]),
        _ => first_of(&[(x86!("avx2"), "avx2"), (arm!("neon"), "neon")]),
    }
}
