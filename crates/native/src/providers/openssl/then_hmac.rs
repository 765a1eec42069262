//! AES in a mode, then an HMAC of the ciphertext, one pass after the other, as RFC 7518 (5.2.2) composes them: the HMAC's key
//! is the first half of the key, and the HMAC is of aad, nonce, ciphertext and the aad's length in bits.

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};

use ciphermeter_core::Algorithm;

use super::context::{Again, Context};
use super::library::{Cipher, HmacFunctions, LibCrypto};
use crate::loop_buffers::CallArguments;
use crate::timed_loop::Failed;

/// Bytes of SHA-512's output, the longest.
const LONGEST: usize = 64;

/// One direction of a cipher, and an HMAC.
pub struct ThenHmac {
    cipher: Context,
    hmac: Hmac,
}

impl ThenHmac {
    /// Sets up both halves of a key, which has the algorithm's length. `None` if the library refuses one.
    pub fn new(
        library: &'static LibCrypto,
        cipher: Cipher,
        algorithm: Algorithm,
        key: &[u8],
        seals: bool,
    ) -> Option<Self> {
        let (of_hmac, of_cipher) = key.split_at(key.len() / 2);
        let functions = library.hmac.as_ref()?;
        let hash = if algorithm == Algorithm::Aes256CbcHs512 { functions.sha512 } else { functions.sha256 };
        // SAFETY: it returns the address of a constant.
        let hmac = Hmac::new(functions, unsafe { hash() }, of_hmac)?;
        Some(Self { cipher: Context::new(library, cipher, of_cipher, seals, Again::Nothing)?, hmac })
    }

    #[inline(always)]
    pub fn sealed(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        let CallArguments { nonce, aad, text, tag } = call;
        let output = text.output();
        let written = self.cipher.bare(CallArguments { nonce, aad: &[], text, tag: &mut [] })?;
        // SAFETY: the cipher has written so many bytes there.
        let ciphertext = unsafe { std::slice::from_raw_parts(output, written) };
        let made = self.hmac.of(aad, nonce, ciphertext)?;
        tag.copy_from_slice(&made[..tag.len()]);
        Ok(written)
    }

    #[inline(always)]
    pub fn opened(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        let CallArguments { nonce, aad, text, tag } = call;
        let made = self.hmac.of(aad, nonce, text.read())?;
        if !self.hmac.is_equal(&made[..tag.len()], tag) {
            return Err(Failed::Rejected);
        }
        self.cipher.bare(CallArguments { nonce, aad: &[], text, tag: &mut [] })
    }
}

/// An HMAC with its key. All uses of it are safe for one reason: it is alive, and every pointer comes with its length.
struct Hmac {
    functions: &'static HmacFunctions,
    context: NonNull<c_void>,
}

impl Hmac {
    fn new(functions: &'static HmacFunctions, hash: *const c_void, key: &[u8]) -> Option<Self> {
        // SAFETY: no arguments; null is taken care of.
        let context = NonNull::new(unsafe { (functions.new)() })?;
        let hmac = Self { functions, context };
        hmac.begin(key.as_ptr(), key.len() as c_int, hash).then_some(hmac)
    }

    fn begin(&self, key: *const u8, len: c_int, hash: *const c_void) -> bool {
        // SAFETY: see `Hmac`.
        unsafe { (self.functions.init)(self.context.as_ptr(), key, len, hash, ptr::null_mut()) == 1 }
    }

    #[inline(always)]
    fn of(&mut self, aad: &[u8], nonce: &[u8], ciphertext: &[u8]) -> Result<[u8; LONGEST], Failed> {
        let failed = Err(Failed::Library("HMAC_Init_ex, HMAC_Update or HMAC_Final"));
        if !self.begin(ptr::null(), 0, ptr::null()) {
            return failed;
        }
        let (context, bits) = (self.context.as_ptr(), (8 * aad.len() as u64).to_be_bytes());
        for part in [aad, nonce, ciphertext, &bits] {
            // SAFETY: see `Hmac`.
            if unsafe { (self.functions.update)(context, part.as_ptr(), part.len()) } != 1 {
                return failed;
            }
        }
        let (mut made, mut len) = ([0; LONGEST], 0);
        // SAFETY: see `Hmac`; no hash function has more bytes.
        let is_made = unsafe { (self.functions.last)(context, made.as_mut_ptr(), &mut len) } == 1;
        if is_made { Ok(made) } else { failed }
    }

    #[inline(always)]
    fn is_equal(&self, made: &[u8], tag: &[u8]) -> bool {
        // SAFETY: see `Hmac`; both have that length.
        made.len() == tag.len() && unsafe { (self.functions.compare)(made.as_ptr(), tag.as_ptr(), tag.len()) == 0 }
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: made by HMAC_CTX_new and freed once; this clears the key.
        unsafe { (self.functions.free)(self.context.as_ptr()) }
    }
}
