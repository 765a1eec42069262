//! Mbed TLS, from version 2.28 on.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use libloading::Library as Opened;

use super::{of, room};
use crate::{KEY, Library};

type GcmSeal = unsafe extern "C" fn(
    *mut c_void,
    c_int,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    *mut u8,
    usize,
    *mut u8,
) -> c_int;
type GcmOpen = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    *mut u8,
) -> c_int;

pub struct MbedGcm(*mut c_void, GcmSeal, GcmOpen);

impl MbedGcm {
    pub unsafe fn new(library: &'static Opened) -> Result<Self, String> {
        type SetKey = unsafe extern "C" fn(*mut c_void, c_int, *const u8, c_uint) -> c_int;
        let context = room();
        // SAFETY: the types are those of the headers; the context takes less than 5 KiB.
        unsafe {
            of::<unsafe extern "C" fn(*mut c_void)>(library, "mbedtls_gcm_init")?(context);
            if of::<SetKey>(library, "mbedtls_gcm_setkey")?(context, 2, KEY.as_ptr(), 256) != 0 {
                return Err("the key was refused".into());
            }
            Ok(Self(context, of(library, "mbedtls_gcm_crypt_and_tag")?, of(library, "mbedtls_gcm_auth_decrypt")?))
        }
    }
}

impl Library for MbedGcm {
    const IN_PLACE: bool = false;

    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (nonce, null) = (nonce.as_ptr(), ptr::null());
        // SAFETY: the caller's promise.
        unsafe { self.1(self.0, 1, len, nonce, 12, null, 0, from, to, 16, to.add(len)) == 0 }
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        let (nonce, null) = (nonce.as_ptr(), ptr::null());
        // SAFETY: the caller's promise.
        unsafe { self.2(self.0, len, nonce, 12, null, 0, from.add(len), 16, from, to) == 0 }
    }
}

type PolySeal =
    unsafe extern "C" fn(*mut c_void, usize, *const u8, *const u8, usize, *const u8, *mut u8, *mut u8) -> c_int;
type PolyOpen =
    unsafe extern "C" fn(*mut c_void, usize, *const u8, *const u8, usize, *const u8, *const u8, *mut u8) -> c_int;

pub struct MbedChaCha(*mut c_void, PolySeal, PolyOpen);

impl MbedChaCha {
    pub unsafe fn new(library: &'static Opened) -> Result<Self, String> {
        type SetKey = unsafe extern "C" fn(*mut c_void, *const u8) -> c_int;
        let context = room();
        // SAFETY: as for GCM.
        unsafe {
            of::<unsafe extern "C" fn(*mut c_void)>(library, "mbedtls_chachapoly_init")?(context);
            if of::<SetKey>(library, "mbedtls_chachapoly_setkey")?(context, KEY.as_ptr()) != 0 {
                return Err("the key was refused".into());
            }
            let seal = of(library, "mbedtls_chachapoly_encrypt_and_tag")?;
            Ok(Self(context, seal, of(library, "mbedtls_chachapoly_auth_decrypt")?))
        }
    }
}

impl Library for MbedChaCha {
    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.1(self.0, len, nonce.as_ptr(), ptr::null(), 0, from, to, to.add(len)) == 0 }
    }

    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.2(self.0, len, nonce.as_ptr(), ptr::null(), 0, from.add(len), from, to) == 0 }
    }
}
