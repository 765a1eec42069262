//! Objects of wolfCrypt with their keys. Their sizes depend on how the library was built, and are
//! less than [`ROOM`]: 5.9.4's largest, XTS's, has about 2 KiB, and 8 KiB more where AES-GCM has
//! its larger tables.

use std::ffi::{c_int, c_void};
use std::ptr;

use ciphermeter_native::library::Memory;

use crate::symbols::{SetKey, Wolf, Xts};

const ROOM: usize = 16384;
/// `INVALID_DEVID`, `AES_ENCRYPTION` and `AES_DECRYPTION`.
const NO_DEVICE: c_int = -2;
const ENCRYPTION: c_int = 0;
const DECRYPTION: c_int = 1;

/// What an object is of, and whether its cipher itself encrypts, which in counter mode it always does.
#[derive(Clone, Copy)]
pub enum Kind {
    /// `Aes` with an AEAD's key.
    Aead(SetKey),
    /// `Aes` with the key of a mode without a tag.
    Mode { encrypts: bool },
    /// `XtsAes`.
    Xts { functions: Xts, encrypts: bool },
    /// `ChaCha`.
    ChaCha,
    /// Ascon's, whose key comes with each message.
    Keyless,
}

/// Room for an object, with one in it.
pub struct Object {
    library: &'static Wolf,
    kind: Kind,
    memory: Memory,
}

impl Object {
    /// Empty; `None` without memory.
    pub fn new(library: &'static Wolf, kind: Kind) -> Option<Self> {
        Some(Self { library, kind, memory: Memory::new(ROOM)? })
    }

    /// With that key; `None` if the library refuses it.
    pub fn with_key(self, key: &[u8]) -> Option<Self> {
        self.set_up(key).then_some(self)
    }

    /// A user's steps for a key, in a variable that costs nothing: initialise, set, free.
    pub fn key_setup(&self, key: &[u8]) -> Option<()> {
        let done = self.set_up(key);
        self.release();
        done.then_some(())
    }

    fn set_up(&self, key: &[u8]) -> bool {
        let (object, key, len) = (self.as_ptr(), key.as_ptr(), key.len() as u32);
        let direction = |encrypts| if encrypts { ENCRYPTION } else { DECRYPTION };
        // SAFETY: there is room for an object of any kind, which these initialise; the key goes with its length.
        unsafe {
            let aes = || (self.library.init)(object, ptr::null_mut(), NO_DEVICE) == 0;
            match self.kind {
                Kind::Aead(set_key) => aes() && set_key(object, key, len) == 0,
                Kind::Mode { encrypts } => {
                    aes() && (self.library.set_key)(object, key, len, ptr::null(), direction(encrypts)) == 0
                }
                Kind::Xts { functions, encrypts } => {
                    (functions.set_key)(object, key, len, direction(encrypts), ptr::null_mut(), NO_DEVICE) == 0
                }
                Kind::ChaCha => (self.library.chacha_key)(object, key, len) == 0,
                Kind::Keyless => false,
            }
        }
    }

    fn release(&self) {
        // SAFETY: it is an object of its kind, or zero; the others hold nothing.
        unsafe {
            match self.kind {
                Kind::Aead(_) | Kind::Mode { .. } => (self.library.free)(self.as_ptr()),
                Kind::Xts { functions, .. } => {
                    (functions.free)(self.as_ptr());
                }
                Kind::ChaCha | Kind::Keyless => {}
            }
        }
    }

    #[inline(always)]
    pub fn as_ptr(&self) -> *mut c_void {
        self.memory.as_ptr()
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        self.release();
    }
}
