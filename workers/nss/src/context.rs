//! Keys and contexts of NSS, and the calls that are timed.

use std::ffi::{c_int, c_uint, c_ulong, c_void};
use std::ptr::{self, NonNull};

use ciphermeter_native::library::{CallArguments, Failed, TAG};

use crate::symbols::{Crypt, Item, Mechanism, Nss};

/// `CKA_ENCRYPT` and `CKA_DECRYPT`; `CKA_NSS_MESSAGE` makes a context of messages.
const ENCRYPT: c_ulong = 0x104;
const DECRYPT: c_ulong = 0x105;
const MESSAGES: c_ulong = 0x8200_0000;
/// `CKG_NO_GENERATE`: nonces are the caller's.
const GIVEN: c_ulong = 0;

/// A key in the library's slot.
pub struct Key {
    library: &'static Nss,
    mechanism: Mechanism,
    key: NonNull<c_void>,
}

/// What a mechanism's parameter is.
#[derive(Debug, Clone, Copy)]
pub enum Params {
    /// `CK_AES_CTR_PARAMS` with a counter of 128 bits.
    Counter,
    /// The nonce, a block.
    Block,
    /// A block counter of 32 bits, which begins at 0, then the nonce.
    ChaCha,
}

/// `CK_AES_CTR_PARAMS` of util/pkcs11t.h.
#[repr(C)]
struct CounterParams {
    bits: c_ulong,
    block: [u8; 16],
}

impl Key {
    /// `None` if the library refuses it.
    pub fn new(library: &'static Nss, mechanism: Mechanism, key: &[u8], seals: bool) -> Option<Self> {
        let usage = if seals { ENCRYPT } else { DECRYPT };
        let key = NonNull::new(library.imported(mechanism, usage, key))?;
        Some(Self { library, mechanism, key })
    }

    #[inline(always)]
    pub fn encrypt(&self, params: Params, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.crypt(self.library.encrypt, params, call, Failed::Library("PK11_Encrypt"))
    }

    #[inline(always)]
    pub fn decrypt(&self, params: Params, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.crypt(self.library.decrypt, params, call, Failed::Rejected)
    }

    #[inline(always)]
    fn crypt(&self, crypt: Crypt, params: Params, call: CallArguments<'_>, failed: Failed) -> Result<usize, Failed> {
        let (nonce, text, mut given) = (call.nonce, call.text, 0);
        let bad = |_| Failed::Library("the nonce");
        let (counter, block);
        let item = match params {
            Params::Counter => {
                counter = CounterParams { bits: 128, block: nonce.try_into().map_err(bad)? };
                Item::of((&raw const counter).cast(), size_of::<CounterParams>())
            }
            Params::Block => {
                block = <[u8; 16]>::try_from(nonce).map_err(bad)?;
                Item::of(block.as_ptr().cast(), 16)
            }
            Params::ChaCha => {
                let nonce = <[u8; 12]>::try_from(nonce).map_err(bad)?;
                let mut both = [0; 16];
                both[4..].copy_from_slice(&nonce);
                block = both;
                Item::of(block.as_ptr().cast(), 16)
            }
        };
        // SAFETY: the key lives, and the parameter during the call; input and output hold `len`
        // bytes, equal or apart, and the output a block of padding beyond.
        let done = unsafe {
            crypt(
                self.key.as_ptr(),
                self.mechanism,
                &item,
                text.output(),
                &mut given,
                (text.len() + TAG) as c_uint,
                text.input(),
                text.len() as c_uint,
            )
        };
        if done == 0 { Ok(given as usize) } else { Err(failed) }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: it was imported and is freed once; the library clears it.
        unsafe { (self.library.free_key)(self.key.as_ptr()) }
    }
}

/// An AEAD with its key, for many messages.
pub struct AeadContext {
    context: NonNull<c_void>,
    key: Key,
}

impl AeadContext {
    /// `None` if the library refuses the key.
    pub fn new(library: &'static Nss, mechanism: Mechanism, key: &[u8], seals: bool) -> Option<Self> {
        let key = Key::new(library, mechanism, key, seals)?;
        let (usage, none) = (if seals { ENCRYPT } else { DECRYPT }, Item::of(ptr::null(), 0));
        // SAFETY: the key lives; it takes a reference of its own.
        let context = unsafe { (library.new_context)(mechanism, MESSAGES | usage, key.key.as_ptr(), &none) };
        Some(Self { context: NonNull::new(context)?, key })
    }

    #[inline(always)]
    pub fn seal(&self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.message(call, Failed::Library("PK11_AEADOp"))
    }

    #[inline(always)]
    pub fn open(&self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.message(call, Failed::Rejected)
    }

    #[inline(always)]
    fn message(&self, call: CallArguments<'_>, failed: Failed) -> Result<usize, Failed> {
        // It may write nonces, though not those that it is given.
        let mut nonce = <[u8; 12]>::try_from(call.nonce).map_err(|_| Failed::Library("the nonce"))?;
        let (text, mut given) = (call.text, 0);
        // SAFETY: the context lives; every pointer goes with its length, and input and output are
        // equal or apart. Messages are shorter than an `int` counts.
        let done = unsafe {
            (self.key.library.aead)(
                self.context.as_ptr(),
                GIVEN,
                0,
                nonce.as_mut_ptr(),
                nonce.len() as c_int,
                call.aad.as_ptr(),
                call.aad.len() as c_int,
                text.output(),
                &mut given,
                text.len() as c_int,
                call.tag.as_mut_ptr(),
                call.tag.len() as c_int,
                text.input(),
                text.len() as c_int,
            )
        };
        if done == 0 { Ok(given as usize) } else { Err(failed) }
    }
}

impl Drop for AeadContext {
    fn drop(&mut self) {
        // SAFETY: it was made and is freed once, with what it holds.
        unsafe { (self.key.library.free_context)(self.context.as_ptr(), 1) }
    }
}
