//! The structures of `core/component.h`, field by field, and its functions for any cipher.

use core::ffi::{CStr, c_char, c_int};
use core::slice;

use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{Key, Nonce, Tag};

use crate::object::{self, Stored};

const DONE: c_int = 0;
const REJECTED: c_int = 1;
const FAILED: c_int = 2;
const INTO: u8 = 1;
const IN_PLACE: u8 = 2;

/// `struct call`.
#[repr(C)]
pub struct Call {
    nonce: *const u8,
    aad: *const u8,
    aad_length: usize,
    input: *const u8,
    output: *mut u8,
    length: usize,
    tag: *mut u8,
}

/// `struct offer`.
#[repr(C)]
pub struct Offer {
    algorithm: *const c_char,
    path: *const c_char,
    version: *const c_char,
    forms: u8,
    inside: bool,
    state: u16,
    set_up: unsafe extern "C" fn(*const u8) -> c_int,
    seal: unsafe extern "C" fn(*const Call) -> c_int,
    open: unsafe extern "C" fn(*const Call) -> c_int,
    release: unsafe extern "C" fn(),
}

// SAFETY: constants that nothing writes to.
unsafe impl Sync for Offer {}

impl Offer {
    /// The offer of a cipher.
    pub const fn of<C: Stored>(algorithm: &'static CStr, version: &'static CStr) -> Self {
        Self {
            algorithm: algorithm.as_ptr(),
            path: c"soft".as_ptr(),
            version: version.as_ptr(),
            forms: INTO | IN_PLACE,
            inside: false,
            state: size_of::<C>() as u16,
            set_up: set_up::<C>,
            seal: seal::<C>,
            open: open::<C>,
            release: release::<C>,
        }
    }
}

/// `struct component`.
#[repr(C)]
pub struct Component {
    provider: *const c_char,
    version: extern "C" fn() -> *const c_char,
    start: Option<extern "C" fn() -> *const c_char>,
    offers: *const &'static Offer,
    count: u8,
}

// SAFETY: constants that nothing writes to.
unsafe impl Sync for Component {}

impl Component {
    /// The component of these offers.
    pub const fn new(provider: &'static CStr, offers: &'static [&'static Offer]) -> Self {
        let (offers, count) = (offers.as_ptr(), offers.len() as u8);
        Self { provider: provider.as_ptr(), version, start: None, offers, count }
    }
}

/// Each offer has its crate's.
extern "C" fn version() -> *const c_char {
    c"".as_ptr()
}

/// # Safety
/// `key` has the cipher's length.
unsafe extern "C" fn set_up<C: Stored>(key: *const u8) -> c_int {
    // SAFETY: a key is an array of bytes, transparently.
    object::fill(C::new(unsafe { &*key.cast::<Key<C>>() }));
    DONE
}

/// # Safety
/// The lengths in the call are right, and a key is set up.
unsafe extern "C" fn seal<C: Stored>(call: *const Call) -> c_int {
    // SAFETY: the caller's promise; nonce and tag are arrays of bytes, transparently.
    unsafe {
        let call = &*call;
        let sealed = object::get::<C>().encrypt_inout_detached(call.nonce::<C>(), call.aad(), call.text());
        let Ok(tag) = sealed else { return FAILED };
        call.tag.cast::<Tag<C>>().write(tag);
    }
    DONE
}

/// # Safety
/// As for `seal`.
unsafe extern "C" fn open<C: Stored>(call: *const Call) -> c_int {
    // SAFETY: as in `seal`.
    let opened = unsafe {
        let call = &*call;
        let tag = &*call.tag.cast::<Tag<C>>();
        object::get::<C>().decrypt_inout_detached(call.nonce::<C>(), call.aad(), call.text(), tag)
    };
    if opened.is_ok() { DONE } else { REJECTED }
}

/// # Safety
/// A key is set up.
unsafe extern "C" fn release<C: Stored>() {
    // SAFETY: the caller's promise.
    unsafe { object::empty_again::<C>() }
}

impl Call {
    unsafe fn nonce<C: Stored>(&self) -> &Nonce<C> {
        // SAFETY: the nonce has the cipher's length, and is an array of bytes, transparently.
        unsafe { &*self.nonce.cast() }
    }

    unsafe fn aad(&self) -> &[u8] {
        // SAFETY: the call's length is right.
        unsafe { slice::from_raw_parts(self.aad, self.aad_length) }
    }

    unsafe fn text(&self) -> InOutBuf<'_, '_, u8> {
        // SAFETY: both have the call's length, and are the same or apart.
        unsafe { InOutBuf::from_raw(self.input, self.output, self.length) }
    }
}
