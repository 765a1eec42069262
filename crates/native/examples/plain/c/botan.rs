//! Botan, by its C interface.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use libloading::Library as Opened;

use super::of;
use crate::{KEY, Library};

type BotanGive = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;
type BotanUpdate =
    unsafe extern "C" fn(*mut c_void, c_uint, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int;

pub struct Botan {
    seals: *mut c_void,
    opens: *mut c_void,
    start: BotanGive,
    update: BotanUpdate,
}

impl Botan {
    pub unsafe fn new(library: &'static Opened, chacha: bool) -> Result<Self, String> {
        type Init = unsafe extern "C" fn(*mut *mut c_void, *const c_char, c_uint) -> c_int;
        let name = if chacha { c"ChaCha20Poly1305" } else { c"AES-256/GCM" };
        // SAFETY: the types are those of ffi.h.
        unsafe {
            let (init, set): (Init, BotanGive) =
                (of(library, "botan_cipher_init")?, of(library, "botan_cipher_set_key")?);
            let keyed = |direction| {
                let mut cipher = ptr::null_mut();
                let done = init(&mut cipher, name.as_ptr(), direction) == 0 && set(cipher, KEY.as_ptr(), 32) == 0;
                if done { Ok(cipher) } else { Err("Botan refused cipher or key".to_string()) }
            };
            Ok(Self {
                seals: keyed(0)?,
                opens: keyed(1)?,
                start: of(library, "botan_cipher_start")?,
                update: of(library, "botan_cipher_update")?,
            })
        }
    }
}

impl Library for Botan {
    const IN_PLACE: bool = false;

    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (mut written, mut read) = (0, 0);
        // SAFETY: the caller's promise.
        unsafe {
            (self.start)(self.seals, nonce.as_ptr(), 12) == 0
                && (self.update)(self.seals, 1, to, len + 16, &mut written, from, len, &mut read) == 0
        }
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (mut written, mut read) = (0, 0);
        // SAFETY: the caller's promise.
        unsafe {
            (self.start)(self.opens, nonce.as_ptr(), 12) == 0
                && (self.update)(self.opens, 1, to, len, &mut written, from, len + 16, &mut read) == 0
        }
    }
}
