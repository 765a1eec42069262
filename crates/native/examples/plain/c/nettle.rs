//! nettle 3.

use std::ffi::{c_int, c_void};

use libloading::Library as Opened;

use super::{of, room};
use crate::{KEY, Library};

type NettleBytes = unsafe extern "C" fn(*mut c_void, *const u8);
type NettleText = unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8);

pub struct Nettle {
    context: *mut c_void,
    chacha: bool,
    gcm_nonce: unsafe extern "C" fn(*mut c_void, usize, *const u8),
    chacha_nonce: NettleBytes,
    encrypt: NettleText,
    decrypt: NettleText,
    digest: unsafe extern "C" fn(*mut c_void, usize, *mut u8),
    equal: unsafe extern "C" fn(*const u8, *const u8, usize) -> c_int,
}

impl Nettle {
    pub unsafe fn new(library: &'static Opened, chacha: bool) -> Result<Self, String> {
        let (context, kind) = (room(), if chacha { "chacha_poly1305" } else { "gcm_aes256" });
        // SAFETY: the types are those of the headers; the contexts take less than 5 KiB.
        unsafe {
            of::<NettleBytes>(library, &format!("nettle_{kind}_set_key"))?(context, KEY.as_ptr());
            Ok(Self {
                context,
                chacha,
                gcm_nonce: of(library, "nettle_gcm_aes256_set_iv")?,
                chacha_nonce: of(library, "nettle_chacha_poly1305_set_nonce")?,
                encrypt: of(library, &format!("nettle_{kind}_encrypt"))?,
                decrypt: of(library, &format!("nettle_{kind}_decrypt"))?,
                digest: of(library, &format!("nettle_{kind}_digest"))?,
                equal: of(library, "nettle_memeql_sec")?,
            })
        }
    }

    unsafe fn nonce(&self, nonce: &[u8; 12]) {
        // SAFETY: the nonce has the length that both read.
        unsafe {
            match self.chacha {
                true => (self.chacha_nonce)(self.context, nonce.as_ptr()),
                false => (self.gcm_nonce)(self.context, 12, nonce.as_ptr()),
            }
        }
    }
}

impl Library for Nettle {
    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            self.nonce(nonce);
            (self.encrypt)(self.context, len, to, from);
            (self.digest)(self.context, 16, to.add(len));
        }
        true
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let mut tag = [0; 16];
        // SAFETY: the caller's promise.
        unsafe {
            self.nonce(nonce);
            (self.decrypt)(self.context, len, to, from);
            (self.digest)(self.context, 16, tag.as_mut_ptr());
            (self.equal)(tag.as_ptr(), from.add(len), 16) == 1
        }
    }
}
