//! OpenSSL's libcrypto, by EVP.

use std::ffi::{c_int, c_void};
use std::ptr;

use libloading::Library as Opened;

use super::of;
use crate::{KEY, Library};

type Init = unsafe extern "C" fn(*mut c_void, *const c_void, *mut c_void, *const u8, *const u8) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
type Final = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int) -> c_int;

pub struct OpenSsl {
    seals: (*mut c_void, Init, Update, Final),
    opens: (*mut c_void, Init, Update, Final),
    ctrl: unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut c_void) -> c_int,
}

impl OpenSsl {
    pub unsafe fn new(library: &'static Opened, chacha: bool) -> Result<Self, String> {
        // SAFETY: the types are those of the manual pages.
        unsafe {
            let new: unsafe extern "C" fn() -> *mut c_void = of(library, "EVP_CIPHER_CTX_new")?;
            let name = if chacha { "EVP_chacha20_poly1305" } else { "EVP_aes_256_gcm" };
            let cipher: unsafe extern "C" fn() -> *const c_void = of(library, name)?;
            let keyed = |init: Init| {
                let context = new();
                let done = init(context, cipher(), ptr::null_mut(), KEY.as_ptr(), ptr::null());
                if done == 1 { Ok(context) } else { Err("the key was refused".to_string()) }
            };
            let (seal, open): (Init, Init) = (of(library, "EVP_EncryptInit_ex")?, of(library, "EVP_DecryptInit_ex")?);
            Ok(Self {
                seals: (keyed(seal)?, seal, of(library, "EVP_EncryptUpdate")?, of(library, "EVP_EncryptFinal_ex")?),
                opens: (keyed(open)?, open, of(library, "EVP_DecryptUpdate")?, of(library, "EVP_DecryptFinal_ex")?),
                ctrl: of(library, "EVP_CIPHER_CTX_ctrl")?,
            })
        }
    }
}

impl Library for OpenSsl {
    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let ((context, init, update, last), mut given) = (self.seals, 0);
        // SAFETY: the caller's promise.
        unsafe {
            init(context, ptr::null(), ptr::null_mut(), ptr::null(), nonce.as_ptr()) == 1
                && update(context, to, &mut given, from, len as c_int) == 1
                && last(context, to.add(len), &mut given) == 1
                && (self.ctrl)(context, 0x10, 16, to.add(len).cast()) == 1
        }
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let ((context, init, update, last), mut given) = (self.opens, 0);
        // SAFETY: the caller's promise.
        unsafe {
            init(context, ptr::null(), ptr::null_mut(), ptr::null(), nonce.as_ptr()) == 1
                && (self.ctrl)(context, 0x11, 16, from.add(len).cast_mut().cast()) == 1
                && update(context, to, &mut given, from, len as c_int) == 1
                && last(context, to.add(len), &mut given) == 1
        }
    }
}
