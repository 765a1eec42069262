//! libsodium.

use std::ffi::{c_int, c_void};
use std::ptr;

use libloading::Library as Opened;

use super::{of, room};
use crate::{KEY, Library};

type SodiumSeal = unsafe extern "C" fn(
    *mut u8,
    *mut u8,
    *mut u64,
    *const u8,
    u64,
    *const u8,
    u64,
    *const u8,
    *const u8,
    *const c_void,
) -> c_int;
type SodiumOpen = unsafe extern "C" fn(
    *mut u8,
    *mut u8,
    *const u8,
    u64,
    *const u8,
    *const u8,
    u64,
    *const u8,
    *const c_void,
) -> c_int;

pub struct SodiumChaCha(SodiumSeal, SodiumOpen);

impl SodiumChaCha {
    pub unsafe fn new(library: &'static Opened) -> Result<Self, String> {
        // SAFETY: the types are those of the headers.
        unsafe {
            of::<unsafe extern "C" fn() -> c_int>(library, "sodium_init")?();
            Ok(Self(
                of(library, "crypto_aead_chacha20poly1305_ietf_encrypt_detached")?,
                of(library, "crypto_aead_chacha20poly1305_ietf_decrypt_detached")?,
            ))
        }
    }
}

impl Library for SodiumChaCha {
    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (null, key, nonce) = (ptr::null(), KEY.as_ptr().cast(), nonce.as_ptr());
        // SAFETY: the caller's promise.
        unsafe { self.0(to, to.add(len), ptr::null_mut(), from, len as u64, null, 0, null, nonce, key) == 0 }
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (none, null, key) = (ptr::null_mut(), ptr::null(), KEY.as_ptr().cast());
        // SAFETY: the caller's promise.
        unsafe { self.1(to, none, from, len as u64, from.add(len), null, 0, nonce.as_ptr(), key) == 0 }
    }
}

pub struct SodiumGcm(SodiumSeal, SodiumOpen, *mut c_void);

impl SodiumGcm {
    pub unsafe fn new(library: &'static Opened) -> Result<Self, String> {
        // SAFETY: the types are those of the headers; the state takes 512 bytes.
        unsafe {
            of::<unsafe extern "C" fn() -> c_int>(library, "sodium_init")?();
            if of::<unsafe extern "C" fn() -> c_int>(library, "crypto_aead_aes256gcm_is_available")?() != 1 {
                return Err("libsodium has no AES-GCM on this CPU".into());
            }
            let set: unsafe extern "C" fn(*mut c_void, *const u8) -> c_int =
                of(library, "crypto_aead_aes256gcm_beforenm")?;
            let state = room();
            set(state, KEY.as_ptr());
            Ok(Self(
                of(library, "crypto_aead_aes256gcm_encrypt_detached_afternm")?,
                of(library, "crypto_aead_aes256gcm_decrypt_detached_afternm")?,
                state,
            ))
        }
    }
}

impl Library for SodiumGcm {
    const IN_PLACE: bool = false;

    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (null, nonce) = (ptr::null(), nonce.as_ptr());
        // SAFETY: the caller's promise.
        unsafe { self.0(to, to.add(len), ptr::null_mut(), from, len as u64, null, 0, null, nonce, self.2) == 0 }
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (none, null) = (ptr::null_mut(), ptr::null());
        // SAFETY: the caller's promise.
        unsafe { self.1(to, none, from, len as u64, from.add(len), null, 0, nonce.as_ptr(), self.2) == 0 }
    }
}
