//! libgcrypt.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use libloading::Library as Opened;

use super::of;
use crate::{KEY, Library};

type GcryptText = unsafe extern "C" fn(*mut c_void, *mut u8, usize, *const u8, usize) -> c_uint;
type GcryptGive = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_uint;

pub struct Gcrypt {
    handle: *mut c_void,
    setiv: GcryptGive,
    encrypt: GcryptText,
    decrypt: GcryptText,
    gettag: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> c_uint,
    checktag: GcryptGive,
}

impl Gcrypt {
    pub unsafe fn new(library: &'static Opened, chacha: bool) -> Result<Self, String> {
        type Open = unsafe extern "C" fn(*mut *mut c_void, c_int, c_int, c_uint) -> c_uint;
        let (mut handle, (cipher, mode)) = (ptr::null_mut(), if chacha { (316, 10) } else { (9, 9) });
        // SAFETY: the types are those of gcrypt.h; the numbers its commands, ciphers and modes.
        unsafe {
            let control: unsafe extern "C" fn(c_int, ...) -> c_uint = of(library, "gcry_control")?;
            of::<unsafe extern "C" fn(*const c_char) -> *const c_char>(library, "gcry_check_version")?(ptr::null());
            control(37, 0);
            control(38, 0);
            let setkey: GcryptGive = of(library, "gcry_cipher_setkey")?;
            if of::<Open>(library, "gcry_cipher_open")?(&mut handle, cipher, mode, 0) != 0
                || setkey(handle, KEY.as_ptr(), 32) != 0
            {
                return Err("libgcrypt refused cipher or key".into());
            }
            Ok(Self {
                handle,
                setiv: of(library, "gcry_cipher_setiv")?,
                encrypt: of(library, "gcry_cipher_encrypt")?,
                decrypt: of(library, "gcry_cipher_decrypt")?,
                gettag: of(library, "gcry_cipher_gettag")?,
                checktag: of(library, "gcry_cipher_checktag")?,
            })
        }
    }

    unsafe fn text(&self, crypt: GcryptText, from: *const u8, to: *mut u8, len: usize) -> bool {
        let (from, given) = if from == to.cast_const() { (ptr::null(), 0) } else { (from, len) };
        // SAFETY: the caller's promise.
        unsafe { crypt(self.handle, to, len, from, given) == 0 }
    }
}

impl Library for Gcrypt {
    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            (self.setiv)(self.handle, nonce.as_ptr(), 12) == 0
                && self.text(self.encrypt, from, to, len)
                && (self.gettag)(self.handle, to.add(len), 16) == 0
        }
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            (self.setiv)(self.handle, nonce.as_ptr(), 12) == 0
                && self.text(self.decrypt, from, to, len)
                && (self.checktag)(self.handle, from.add(len), 16) == 0
        }
    }
}
