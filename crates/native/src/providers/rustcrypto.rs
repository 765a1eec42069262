//! The RustCrypto crates: in place, from buffer to buffer, and with an output of their own.

use aes::{Aes128, Aes256};
use aes_gcm::aead::consts::{U4, U8, U12, U13, U16};
use aes_gcm::aead::{Aead, AeadCore, AeadInOut, KeyInit, Nonce, Payload, Tag};
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use aes_gcm_siv::Aes256GcmSiv;
use aes_siv::siv::Aes256Siv;
use ascon_aead::AsconAead128;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, KeyIvInit,
};
use ccm::Ccm;
use chacha20::{ChaCha20, XChaCha12};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use ciphermeter_core::{Algorithm, Form, Operation, Setup};
use hmac::Hmac;
use ocb3::Ocb3;
use sha2::{Sha256, Sha512};
use sm4::Sm4;
use xaes_256_gcm::Xaes256Gcm;
use xts_mode::Xts128;

use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::cpu::{arm, first_of, x86};
use crate::loop_buffers::CallArguments;
use crate::timed_loop::{Failed, TimedLoop, allocating_loop, key_setup_loop, writing_loop};

mod modes;
mod then_hmac;

use modes::{Cbc, Ctr, Mode, apply};
use then_hmac::then_hmac;

struct RustCrypto;

pub fn open() -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(RustCrypto))
}

const ALL: &[Form] = &[Form::InPlace, Form::Into, Form::Fresh];
const STREAM: &[Form] = &[Form::InPlace, Form::Into];
const IN_PLACE: &[Form] = &[Form::InPlace];

/// An algorithm of the crates: which crate in which version has it, in which forms, by which rule of its code path, where its
/// key is set up, and its loop.
struct Row {
    algorithm: Algorithm,
    version: &'static str,
    forms: &'static [Form],
    path: fn() -> &'static str,
    setup: Setup,
    timed_loop: fn(&LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported>,
}

/// A row whose key is set up outside of calls.
macro_rules! row {
    ($algorithm:ident, $name:literal $version:literal, $forms:ident, $path:expr, $loop:expr) => {
        Row {
            algorithm: Algorithm::$algorithm,
            version: concat!($name, " ", env!($version)),
            forms: $forms,
            path: $path,
            setup: Setup::Outside,
            timed_loop: $loop,
        }
    };
}

/// One of a mode and an HMAC.
macro_rules! composed {
    ($algorithm:ident, $name:literal $version:literal, $loop:expr) => {
        Row {
            version: concat!(
                $name,
                " ",
                env!($version),
                ", hmac ",
                env!("VERSION_HMAC"),
                ", sha2 ",
                env!("VERSION_SHA2")
            ),
            ..row!($algorithm, $name $version, STREAM, aes_path, $loop)
        }
    };
}

const ROWS: &[Row] = &[
    row!(Aes128Gcm, "aes-gcm" "VERSION_AES_GCM", ALL, aes_path, aead::<Aes128Gcm>),
    row!(Aes256Gcm, "aes-gcm" "VERSION_AES_GCM", ALL, aes_path, aead::<Aes256Gcm>),
    row!(Aes256GcmSiv, "aes-gcm-siv" "VERSION_AES_GCM_SIV", ALL, aes_path, aead::<Aes256GcmSiv>),
    row!(Aes256Siv, "aes-siv" "VERSION_AES_SIV", ALL, aes_path, siv),
    row!(Aes256Ocb, "ocb3" "VERSION_OCB3", ALL, one_block_path, aead::<Ocb3<Aes256, U12>>),
    row!(Xaes256Gcm, "xaes-256-gcm" "VERSION_XAES_256_GCM", ALL, aes_path, aead::<Xaes256Gcm>),
    row!(Sm4Gcm, "sm4" "VERSION_SM4", ALL, || "soft", aead::<AesGcm<Sm4, U12>>),
    row!(Aes128Ccm, "ccm" "VERSION_CCM", ALL, aes_path, aead::<Ccm<Aes128, U16, U12>>),
    row!(Aes256Ccm, "ccm" "VERSION_CCM", ALL, aes_path, aead::<Ccm<Aes256, U16, U12>>),
    row!(Aes128Ccm8, "ccm" "VERSION_CCM", ALL, aes_path, aead::<Ccm<Aes128, U8, U12>>),
    row!(Aes256Ccm8, "ccm" "VERSION_CCM", ALL, aes_path, aead::<Ccm<Aes256, U8, U12>>),
    row!(Aes128Ccm4, "ccm" "VERSION_CCM", ALL, aes_path, aead::<Ccm<Aes128, U4, U13>>),
    composed!(Aes128CbcHs256, "cbc" "VERSION_CBC", then_hmac::<Cbc<Aes128>, Hmac<Sha256>>),
    composed!(Aes256CbcHs512, "cbc" "VERSION_CBC", then_hmac::<Cbc<Aes256>, Hmac<Sha512>>),
    composed!(Aes256CbcHs256, "cbc" "VERSION_CBC", then_hmac::<Cbc<Aes256>, Hmac<Sha256>>),
    composed!(Aes256CtrHs256, "ctr" "VERSION_CTR", then_hmac::<Ctr, Hmac<Sha256>>),
    row!(ChaCha20Poly1305, "chacha20poly1305" "VERSION_CHACHA20POLY1305", ALL, chacha_path, aead::<ChaCha20Poly1305>),
    row!(XChaCha20Poly1305, "chacha20poly1305" "VERSION_CHACHA20POLY1305", ALL, chacha_path, aead::<XChaCha20Poly1305>),
    row!(AsconAead128, "ascon-aead" "VERSION_ASCON_AEAD", ALL, || "soft", aead::<AsconAead128>),
    row!(Aes256Ctr, "ctr" "VERSION_CTR", STREAM, aes_path, ctr),
    row!(Aes256Cbc, "cbc" "VERSION_CBC", ALL, aes_path, cbc),
    row!(Aes128Xts, "xts-mode" "VERSION_XTS_MODE", IN_PLACE, one_block_path, xts::<Aes128>),
    row!(Aes256Xts, "xts-mode" "VERSION_XTS_MODE", IN_PLACE, one_block_path, xts::<Aes256>),
    row!(Adiantum, "adiantum" "VERSION_ADIANTUM", IN_PLACE, chacha_path, adiantum),
    // Its cipher object is created from key and nonce together.
    Row { setup: Setup::Inside, ..row!(ChaCha20, "chacha20" "VERSION_CHACHA20", STREAM, chacha_path, chacha20) },
];

impl Provider for RustCrypto {
    fn offers(&self) -> Vec<Offered> {
        let offered = |row: &Row| Offered {
            algorithm: row.algorithm,
            version: row.version.into(),
            forms: row.forms,
            path: (row.path)(),
            setup: row.setup,
        };
        ROWS.iter().map(offered).collect()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        match ROWS.iter().find(|row| row.algorithm == parameters.algorithm) {
            Some(row) => (row.timed_loop)(parameters),
            None => Err(Unsupported::algorithm(parameters.algorithm)),
        }
    }
}

fn keyed<C: KeyInit>(parameters: &LoopParameters<'_>) -> Result<C, Unsupported> {
    C::new_from_slice(parameters.key).map_err(|_| Unsupported(format!("key of {} bytes", parameters.key.len())))
}

#[inline(always)]
fn nonce<'a, C: AeadCore>(call: &CallArguments<'a>) -> Result<&'a Nonce<C>, Failed> {
    call.nonce.try_into().map_err(|_| Failed::Library("the nonce"))
}

fn aead<C>(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported>
where
    C: AeadInOut + KeyInit + 'static,
{
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(|key| C::new_from_slice(key).ok()));
    }
    let cipher: C = keyed(parameters)?;
    Ok(match (parameters.seals(), parameters.form) {
        (true, Form::Fresh) => allocating_loop(move |call| {
            let payload = Payload { msg: call.text.read(), aad: call.aad };
            cipher.encrypt(nonce::<C>(&call)?, payload).map_err(|_| Failed::Library("sealing"))
        }),
        (false, Form::Fresh) => allocating_loop(move |call| {
            let payload = Payload { msg: call.text.read(), aad: call.aad };
            cipher.decrypt(nonce::<C>(&call)?, payload).map_err(|_| Failed::Rejected)
        }),
        (true, _) => writing_loop(move |call| {
            let (nonce, len) = (nonce::<C>(&call)?, call.text.len());
            let tag = cipher.encrypt_inout_detached(nonce, call.aad, call.text.inout());
            call.tag.copy_from_slice(&tag.map_err(|_| Failed::Library("sealing"))?);
            Ok(len)
        }),
        (false, _) => writing_loop(move |call| {
            let (nonce, len) = (nonce::<C>(&call)?, call.text.len());
            let tag = Tag::<C>::try_from(&*call.tag).map_err(|_| Failed::Library("the tag"))?;
            let opened = cipher.decrypt_inout_detached(nonce, call.aad, call.text.inout(), &tag);
            opened.map(|()| len).map_err(|_| Failed::Rejected)
        }),
    })
}

/// The components of S2V: the aad, even if empty, then the nonce if there is one. (The library expands its encryption
/// key in each call; all that can be set up beforehand is.)
#[inline(always)]
fn components<'a>(both: &'a [&'a [u8]; 2]) -> &'a [&'a [u8]] {
    if both[1].is_empty() { &both[..1] } else { both }
}

fn siv(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(|key| Aes256Siv::new_from_slice(key).ok()));
    }
    let mut cipher: Aes256Siv = keyed(parameters)?;
    Ok(match (parameters.seals(), parameters.form) {
        (true, Form::Fresh) => allocating_loop(move |call| {
            let sealed = cipher.encrypt(components(&[call.aad, call.nonce]), call.text.read());
            sealed.map_err(|_| Failed::Library("sealing"))
        }),
        (false, Form::Fresh) => allocating_loop(move |call| {
            let opened = cipher.decrypt(components(&[call.aad, call.nonce]), call.text.read());
            opened.map_err(|_| Failed::Rejected)
        }),
        (true, _) => writing_loop(move |call| {
            let (len, text) = (call.text.len(), call.text.inout());
            let tag = cipher.encrypt_inout_detached(components(&[call.aad, call.nonce]), text);
            call.tag.copy_from_slice(&tag.map_err(|_| Failed::Library("sealing"))?);
            Ok(len)
        }),
        (false, _) => writing_loop(move |call| {
            let (len, text) = (call.text.len(), call.text.inout());
            let tag = (&*call.tag).try_into().map_err(|_| Failed::Library("the tag"))?;
            let opened = cipher.decrypt_inout_detached(components(&[call.aad, call.nonce]), text, tag);
            opened.map(|()| len).map_err(|_| Failed::Rejected)
        }),
    })
}

fn ctr(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(Ctr::new));
    }
    let no_key = || Unsupported(format!("key of {} bytes", parameters.key.len()));
    let cipher = Ctr::new(parameters.key).ok_or_else(no_key)?;
    Ok(writing_loop(move |call| cipher.encrypt(call.nonce, call.text)))
}

/// Two keys, half of the bytes each.
fn xts<C>(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported>
where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static,
{
    let of_key = |key: &[u8]| {
        let (one, other) = key.split_at(key.len() / 2);
        Some(Xts128::<C>::new(C::new_from_slice(one).ok()?, C::new_from_slice(other).ok()?))
    };
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(of_key));
    }
    let no_key = || Unsupported(format!("key of {} bytes", parameters.key.len()));
    let cipher = of_key(parameters.key).ok_or_else(no_key)?;
    let seals = parameters.seals();
    Ok(writing_loop(move |call| {
        let (len, tweak) =
            (call.text.len(), <[u8; 16]>::try_from(call.nonce).map_err(|_| Failed::Library("the tweak"))?);
        match seals {
            true => cipher.encrypt_sector(call.text.in_place(), tweak.into()),
            false => cipher.decrypt_sector(call.text.in_place(), tweak.into()),
        }
        Ok(len)
    }))
}

fn adiantum(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    type Cipher = adiantum::Cipher<XChaCha12, Aes256>;
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(|key| Cipher::new_from_slice(key).ok()));
    }
    let (cipher, seals) = (keyed::<Cipher>(parameters)?, parameters.seals());
    Ok(writing_loop(move |call| {
        let len = call.text.len();
        match seals {
            true => cipher.encrypt(call.text.in_place(), call.nonce),
            false => cipher.decrypt(call.text.in_place(), call.nonce),
        }
        Ok(len)
    }))
}

fn chacha20(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let key: zeroize::Zeroizing<[u8; 32]> = zeroize::Zeroizing::new(
        parameters.key.try_into().map_err(|_| Unsupported(format!("key of {} bytes", parameters.key.len())))?,
    );
    Ok(writing_loop(move |call| {
        let stream = ChaCha20::new_from_slices(&*key, call.nonce);
        apply(stream.map_err(|_| Failed::Library("the nonce"))?, call.text.inout())
    }))
}

fn cbc(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    type Whole = Cbc<Aes256>;
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(Whole::new));
    }
    let no_key = || Unsupported(format!("key of {} bytes", parameters.key.len()));
    let cipher = Whole::new(parameters.key).ok_or_else(no_key)?;
    Ok(match (parameters.seals(), parameters.form) {
        (true, Form::Fresh) => {
            allocating_loop(move |call| Ok(cipher.encryptor(call.nonce)?.encrypt_padded_vec::<Pkcs7>(call.text.read())))
        }
        (false, Form::Fresh) => allocating_loop(move |call| {
            let opened = cipher.decryptor(call.nonce)?.decrypt_padded_vec::<Pkcs7>(call.text.read());
            opened.map_err(|_| Failed::Rejected)
        }),
        (true, _) => writing_loop(move |call| cipher.encrypt(call.nonce, call.text)),
        (false, _) => writing_loop(move |call| cipher.decrypt(call.nonce, call.text)),
    })
}

/// The rule of the crate aes: src/lib.rs, backends in src/backends.rs. It is the rule of the parts that work on several
/// blocks at once; GHASH and POLYVAL (polyval, src/backend/intrinsics) have one path with PCLMULQDQ or PMULL.
fn aes_path() -> &'static str {
    first_of(&[
        (cfg!(aes_backend = "soft"), "soft"),
        (x86!("avx512f", "vaes"), "vaes-avx512"),
        (x86!("vaes"), "vaes-avx2"),
        (x86!("aes"), "aesni"),
        (arm!("aes"), "armv8-aes"),
    ])
}

/// The same crate's rule of single blocks, by which ocb3 0.2 and xts-mode 0.6 encrypt and decrypt (src/lib.rs).
fn one_block_path() -> &'static str {
    first_of(&[(cfg!(aes_backend = "soft"), "soft"), (x86!("aes"), "aesni"), (arm!("aes"), "armv8-aes")])
}

/// The rule of the crate chacha20: src/lib.rs. Its AVX-512 path needs a build flag. (Poly1305, poly1305's src/backend.rs, has
/// a path with AVX2; elsewhere it is soft, and so is adiantum's NH.)
fn chacha_path() -> &'static str {
    let neon = cfg!(all(target_arch = "aarch64", target_feature = "neon"));
    let soft = cfg!(chacha20_backend = "soft");
    first_of(&[(soft, "soft"), (x86!("avx2"), "avx2"), (x86!("sse2"), "sse2"), (neon, "neon")])
}
