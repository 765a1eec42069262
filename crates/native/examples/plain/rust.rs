//! The linked libraries: AWS-LC by its C interface, and the Rust crates.

use std::ptr;
use std::slice::from_raw_parts_mut;

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadInOut, KeyInit, Tag};
use aws_lc_sys as sys;
use chacha20poly1305::ChaCha20Poly1305;
use ring::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};

use super::{Case, KEY, Library, Loop, repeat};

/// The loop of a library; `None` if it is not one of these.
pub fn repeated(provider: &str, case: Case) -> Option<Result<Loop, String>> {
    Some(match (provider, case.chacha) {
        ("aws-lc", _) => AwsLc::new(case.chacha).and_then(|library| repeat(library, case)),
        ("ring", _) => Ring::new(case.chacha).and_then(|library| repeat(library, case)),
        ("rustcrypto", false) => repeat(Aes256Gcm::new(&KEY.into()), case),
        ("rustcrypto", true) => repeat(ChaCha20Poly1305::new(&KEY.into()), case),
        ("graviola", _) if !graviola::util::is_cpu_supported() => Err("this CPU lacks what graviola needs".into()),
        ("graviola", false) => repeat(graviola::aead::AesGcm::new(&KEY), case),
        ("graviola", true) => repeat(graviola::aead::ChaCha20Poly1305::new(KEY), case),
        _ => return None,
    })
}

struct AwsLc(*mut sys::EVP_AEAD_CTX);

impl AwsLc {
    fn new(chacha: bool) -> Result<Self, String> {
        // SAFETY: these return constants, and the key has its length.
        let context = unsafe {
            let kind = if chacha { sys::EVP_aead_chacha20_poly1305() } else { sys::EVP_aead_aes_256_gcm() };
            sys::EVP_AEAD_CTX_new(kind, KEY.as_ptr(), KEY.len(), 16)
        };
        if context.is_null() { Err("EVP_AEAD_CTX_new failed".into()) } else { Ok(Self(context)) }
    }
}

impl Library for AwsLc {
    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (nonce, mut out) = (nonce.as_ptr(), 0);
        // SAFETY: the caller's promise.
        let done = unsafe {
            let tag = to.add(len);
            sys::EVP_AEAD_CTX_seal_scatter(
                self.0,
                to,
                tag,
                &mut out,
                16,
                nonce,
                12,
                from,
                len,
                ptr::null(),
                0,
                ptr::null(),
                0,
            )
        };
        done == 1
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        let done = unsafe {
            let tag = from.add(len);
            sys::EVP_AEAD_CTX_open_gather(self.0, to, nonce.as_ptr(), 12, from, len, tag, 16, ptr::null(), 0)
        };
        done == 1
    }
}

struct Ring(LessSafeKey);

impl Ring {
    fn new(chacha: bool) -> Result<Self, String> {
        let kind = if chacha { &aead::CHACHA20_POLY1305 } else { &aead::AES_256_GCM };
        UnboundKey::new(kind, &KEY).map(|key| Self(LessSafeKey::new(key))).map_err(|error| error.to_string())
    }
}

impl Library for Ring {
    const INTO: bool = false;

    unsafe fn seal(&mut self, nonce: &[u8; 12], _: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        let (text, tag) = unsafe { from_raw_parts_mut(to, len + 16) }.split_at_mut(len);
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let sealed = self.0.seal_in_place_separate_tag(nonce, Aad::empty(), text);
        sealed.map(|made| tag.copy_from_slice(made.as_ref())).is_ok()
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], _: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        let sealed = unsafe { from_raw_parts_mut(to, len + 16) };
        self.0.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::empty(), sealed).is_ok()
    }
}

/// The RustCrypto crates, which share one interface.
macro_rules! rustcrypto {
    ($($name:ty),+) => {$(
        impl Library for $name {
            unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
                // SAFETY: the caller's promise.
                let (text, tag) = unsafe { (InOutBuf::from_raw(from, to, len), from_raw_parts_mut(to.add(len), 16)) };
                let sealed = self.encrypt_inout_detached(nonce.into(), &[], text);
                sealed.map(|made| tag.copy_from_slice(&made)).is_ok()
            }

            unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
                let mut tag = Tag::<Self>::default();
                // SAFETY: the caller's promise.
                let text = unsafe {
                    tag.copy_from_slice(std::slice::from_raw_parts(from.add(len), 16));
                    InOutBuf::from_raw(from, to, len)
                };
                self.decrypt_inout_detached(nonce.into(), &[], text, &tag).is_ok()
            }
        }
    )+};
}
rustcrypto!(Aes256Gcm, ChaCha20Poly1305);

/// graviola's types, which share one interface.
macro_rules! graviola {
    ($($name:ty),+) => {$(
        impl Library for $name {
            const INTO: bool = false;

            unsafe fn seal(&mut self, nonce: &[u8; 12], _: *const u8, to: *mut u8, len: usize) -> bool {
                let mut tag = [0; 16];
                // SAFETY: the caller's promise.
                unsafe {
                    self.encrypt(nonce, &[], from_raw_parts_mut(to, len), &mut tag);
                    to.add(len).copy_from_nonoverlapping(tag.as_ptr(), 16);
                }
                true
            }

            unsafe fn open(&mut self, nonce: &[u8; 12], _: *const u8, to: *mut u8, len: usize) -> bool {
                // SAFETY: the caller's promise.
                let (text, tag) = unsafe { from_raw_parts_mut(to, len + 16) }.split_at_mut(len);
                self.decrypt(nonce, &[], text, tag).is_ok()
            }
        }
    )+};
}
graviola!(graviola::aead::AesGcm, graviola::aead::ChaCha20Poly1305);
