//! A cipher context with its key, and a message through it. Every return code is checked.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use zeroize::Zeroizing;

use super::library::{Cipher, LibCrypto, Steps};
use crate::loop_buffers::CallArguments;
use crate::timed_loop::Failed;

/// EVP_CTRL_AEAD_SET_IVLEN, EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG of openssl/evp.h.
const SET_NONCE_LENGTH: c_int = 9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

/// One direction of one cipher under one key.
pub struct Context {
    library: &'static LibCrypto,
    context: NonNull<std::ffi::c_void>,
    steps: Steps,
    seals: bool,
    /// Kept only for ciphers that need the key again for each message.
    key: Option<Zeroizing<Vec<u8>>>,
    /// The cipher where that is needed again, too; else null.
    cipher: Cipher,
}

/// What a context must be told again for each message. The key is set once; versions have faults that do not allow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    Nothing,
    /// As AES-SIV of 3.0 to 4.0 requires.
    Key,
    /// After a reset: AES-GCM-SIV of 3.2 to 4.0 goes on with the last message's aad (`aes_gcm_siv_aad` in
    /// providers/implementations/ciphers/cipher_aes_gcm_siv_hw.c).
    All,
}

impl Context {
    /// Sets up a key. `None` if the library refuses it. The caller has checked that the key has the cipher's length.
    pub fn new(library: &'static LibCrypto, cipher: Cipher, key: &[u8], seals: bool, again: Again) -> Option<Self> {
        let mut context = Self::empty(library, seals)?;
        context.key = (again != Again::Nothing).then(|| Zeroizing::new(key.to_vec()));
        if again == Again::All {
            library.reset?;
            context.cipher = cipher;
        }
        context.init(cipher, key.as_ptr()).then_some(context)
    }

    /// The same for CCM, which needs the lengths of nonce and tag before the key.
    pub fn of_ccm(
        library: &'static LibCrypto,
        cipher: Cipher,
        [nonce, tag]: [usize; 2],
        key: &[u8],
        seals: bool,
    ) -> Option<Self> {
        let context = Self::empty(library, seals)?;
        let length = |what, bytes| {
            // SAFETY: null stands for a length alone.
            unsafe { (library.ctrl)(context.as_ptr(), what, bytes, ptr::null_mut()) == 1 }
        };
        let is_set = context.init(cipher, ptr::null())
            && length(SET_NONCE_LENGTH, nonce as c_int)
            && length(SET_TAG, tag as c_int)
            && context.init(ptr::null(), key.as_ptr());
        is_set.then_some(context)
    }

    fn empty(library: &'static LibCrypto, seals: bool) -> Option<Self> {
        // SAFETY: no arguments; null is taken care of.
        let context = NonNull::new(unsafe { (library.new)() })?;
        let steps = if seals { library.seal } else { library.open };
        Some(Self { library, context, steps, seals, key: None, cipher: ptr::null() })
    }

    fn init(&self, cipher: Cipher, key: *const u8) -> bool {
        // SAFETY: context and cipher live, the key has the length that the cipher reads, null keeps what is unset unset.
        unsafe { (self.steps.init)(self.as_ptr(), cipher, ptr::null_mut(), key, ptr::null()) == 1 }
    }

    fn as_ptr(&self) -> *mut std::ffi::c_void {
        self.context.as_ptr()
    }

    /// Begins a message with a nonce of the length that the cipher reads, or without one.
    #[inline(always)]
    fn begin(&mut self, nonce: &[u8]) -> Result<(), Failed> {
        let key = self.key.as_ref().map_or(ptr::null(), |key| key.as_ptr());
        let nonce = if nonce.is_empty() { ptr::null() } else { nonce.as_ptr() };
        if let (false, Some(reset)) = (self.cipher.is_null(), self.library.reset) {
            // SAFETY: the context lives, and is told everything again.
            unsafe { reset(self.as_ptr()) };
        }
        // SAFETY: null leaves cipher, key or nonce unchanged; otherwise they have their lengths.
        let begun = unsafe { (self.steps.init)(self.as_ptr(), self.cipher, ptr::null_mut(), key, nonce) };
        if begun == 1 { Ok(()) } else { Err(Failed::Library("EVP_EncryptInit_ex or EVP_DecryptInit_ex")) }
    }

    #[inline(always)]
    fn component(&mut self, aad: &[u8]) -> Result<(), Failed> {
        let mut given = 0;
        // SAFETY: a null output marks it as aad; its length, below 2^20, fits.
        let taken = unsafe {
            (self.steps.update)(self.as_ptr(), ptr::null_mut(), &mut given, aad.as_ptr(), aad.len() as c_int)
        };
        if taken == 1 { Ok(()) } else { Err(Failed::Library("EVP_EncryptUpdate or EVP_DecryptUpdate with aad")) }
    }

    /// Processes the text and ends the message; a failure caused by the text is `wrong`.
    #[inline(always)]
    fn text(&mut self, call: &mut CallArguments<'_>, wrong: Failed) -> Result<usize, Failed> {
        let (mut given, mut rest) = (0, 0);
        let text = &call.text;
        // SAFETY: input and output are equal or apart, with room for a block of padding beyond the input; messages are
        // shorter than an `int` counts.
        unsafe {
            let (input, len) = (text.input(), text.len() as c_int);
            if (self.steps.update)(self.as_ptr(), text.output(), &mut given, input, len) != 1
                || (self.steps.last)(self.as_ptr(), text.output().add(given as usize), &mut rest) != 1
            {
                return Err(wrong);
            }
        }
        Ok((given + rest) as usize)
    }

    /// A message of an AEAD with a single aad.
    #[inline(always)]
    pub fn aead<const NONCE: usize>(&mut self, mut call: CallArguments<'_>) -> Result<usize, Failed> {
        if call.nonce.len() != NONCE {
            return Err(Failed::Library("the nonce"));
        }
        self.begin(call.nonce)?;
        self.set_tag(&mut call)?;
        if !call.aad.is_empty() {
            self.component(call.aad)?;
        }
        self.sealed_or_opened(call)
    }

    /// A message of CCM, whose nonce has so many bytes: its length is told before anything else.
    #[inline(always)]
    pub fn ccm(&mut self, mut call: CallArguments<'_>, nonce: usize) -> Result<usize, Failed> {
        if call.nonce.len() != nonce {
            return Err(Failed::Library("the nonce"));
        }
        self.begin(call.nonce)?;
        self.set_tag(&mut call)?;
        let mut given = 0;
        let len = call.text.len() as c_int;
        // SAFETY: without output and input it is a length alone.
        let told = unsafe { (self.steps.update)(self.as_ptr(), ptr::null_mut(), &mut given, ptr::null(), len) };
        if told != 1 {
            return Err(Failed::Library("EVP_EncryptUpdate or EVP_DecryptUpdate with the length"));
        }
        if !call.aad.is_empty() {
            self.component(call.aad)?;
        }
        self.sealed_or_opened(call)
    }

    /// A message of AES-SIV: the aad, even if empty, then the nonce if there is one.
    #[inline(always)]
    pub fn siv(&mut self, mut call: CallArguments<'_>) -> Result<usize, Failed> {
        self.begin(&[])?;
        self.set_tag(&mut call)?;
        self.component(call.aad)?;
        if !call.nonce.is_empty() {
            self.component(call.nonce)?;
        }
        self.sealed_or_opened(call)
    }

    /// A message of a bare cipher. The first 4 bytes of ChaCha20's 16 are the block counter.
    #[inline(always)]
    pub fn bare(&mut self, mut call: CallArguments<'_>) -> Result<usize, Failed> {
        match call.nonce {
            nonce if nonce.len() == 16 => self.begin(nonce)?,
            nonce if nonce.len() == 12 => {
                let mut counter_and_nonce = [0; 16];
                counter_and_nonce[4..].copy_from_slice(nonce);
                self.begin(&counter_and_nonce)?;
            }
            _ => return Err(Failed::Library("the nonce")),
        }
        let wrong = if self.seals { Failed::Library("EVP_EncryptFinal_ex") } else { Failed::Rejected };
        self.text(&mut call, wrong)
    }

    #[inline(always)]
    fn set_tag(&mut self, call: &mut CallArguments<'_>) -> Result<(), Failed> {
        if self.seals { Ok(()) } else { self.tag(SET_TAG, call.tag) }
    }

    #[inline(always)]
    fn sealed_or_opened(&mut self, mut call: CallArguments<'_>) -> Result<usize, Failed> {
        if !self.seals {
            return self.text(&mut call, Failed::Rejected);
        }
        let given = self.text(&mut call, Failed::Library("EVP_EncryptUpdate or EVP_EncryptFinal_ex"))?;
        self.tag(GET_TAG, call.tag)?;
        Ok(given)
    }

    #[inline(always)]
    fn tag(&mut self, what: c_int, tag: &mut [u8]) -> Result<(), Failed> {
        // SAFETY: both read or write so many bytes at the pointer.
        let done = unsafe { (self.library.ctrl)(self.as_ptr(), what, tag.len() as c_int, tag.as_mut_ptr().cast()) };
        if done == 1 { Ok(()) } else { Err(Failed::Library("EVP_CIPHER_CTX_ctrl with the tag")) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new and freed once; this clears the key.
        unsafe { (self.library.free)(self.as_ptr()) }
    }
}
