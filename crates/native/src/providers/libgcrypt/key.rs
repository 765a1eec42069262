//! A handle with its key, and a message through it. Every return code is checked.

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};

use super::super::padding::{BLOCK, last_block, unpadded};
use super::library::{Code, Crypt, Gcrypt};
use crate::loop_buffers::{CallArguments, Text};
use crate::timed_loop::Failed;

/// Commands of gcrypt.h.
const RESET: c_int = 4;
pub const FINALIZE: c_int = 5;
pub const SET_CCM_LENGTHS: c_int = 69;
const SET_DECRYPTION_TAG: c_int = 80;
/// GPG_ERR_CHECKSUM of gpg-error.h, in the lower 16 bits of the return value: the tag is wrong.
const CHECKSUM: Code = 10;

/// A handle. All uses of it are safe for one reason: it is open, every pointer comes with its length, and input and
/// output are equal or separate.
pub struct Key {
    library: &'static Gcrypt,
    handle: NonNull<c_void>,
}

type Step = Result<(), Failed>;

#[inline(always)]
fn done(code: Code, step: &'static str) -> Step {
    if code == 0 { Ok(()) } else { Err(Failed::Library(step)) }
}

#[inline(always)]
fn genuine(code: Code) -> Step {
    match code & 0xffff {
        0 => Ok(()),
        CHECKSUM => Err(Failed::Rejected),
        _ => Err(Failed::Library("gcry_cipher_decrypt or gcry_cipher_checktag")),
    }
}

impl Key {
    /// Opens a cipher in a mode; `None` if this version lacks either.
    pub fn open(library: &'static Gcrypt, cipher: c_int, mode: c_int) -> Option<Self> {
        let mut handle = ptr::null_mut();
        // SAFETY: it takes any numbers and writes a handle, or null.
        let code = unsafe { (library.open)(&mut handle, cipher, mode, 0) };
        Some(Self { library, handle: NonNull::new(handle).filter(|_| code == 0)? })
    }

    /// Sets a key up; `None` if the library refuses it.
    pub fn set(self, key: &[u8]) -> Option<Self> {
        // SAFETY: see `Key`.
        let code = unsafe { (self.library.setkey)(self.as_ptr(), key.as_ptr(), key.len()) };
        (code == 0).then_some(self)
    }

    #[inline(always)]
    fn as_ptr(&self) -> *mut c_void {
        self.handle.as_ptr()
    }

    #[inline(always)]
    fn nonce(&mut self, nonce: &[u8]) -> Step {
        // SAFETY: see `Key`.
        done(unsafe { (self.library.setiv)(self.as_ptr(), nonce.as_ptr(), nonce.len()) }, "gcry_cipher_setiv")
    }

    #[inline(always)]
    fn counter(&mut self, block: &[u8]) -> Step {
        // SAFETY: see `Key`.
        done(unsafe { (self.library.setctr)(self.as_ptr(), block.as_ptr(), block.len()) }, "gcry_cipher_setctr")
    }

    /// Discards the previous message, as the SIV modes require.
    #[inline(always)]
    fn reset(&mut self) -> Step {
        // SAFETY: see `Key`; this command takes no buffer.
        done(unsafe { (self.library.ctl)(self.as_ptr(), RESET, ptr::null_mut(), 0) }, "gcry_cipher_reset")
    }

    #[inline(always)]
    fn component(&mut self, aad: &[u8]) -> Step {
        let authenticate = self.library.authenticate;
        // SAFETY: see `Key`.
        done(unsafe { authenticate(self.as_ptr(), aad.as_ptr(), aad.len()) }, "gcry_cipher_authenticate")
    }

    #[inline(always)]
    fn aad(&mut self, aad: &[u8]) -> Step {
        if aad.is_empty() { Ok(()) } else { self.component(aad) }
    }

    /// The first `len` bytes of the text. In place, the input is null, as the manual says.
    #[inline(always)]
    fn crypt(&mut self, crypt: Crypt, text: &Text<'_>, len: usize) -> Code {
        let (to, from) = (text.output(), text.input());
        let (from, given) = if from == to.cast_const() { (ptr::null(), 0) } else { (from, len) };
        // SAFETY: see `Key`.
        unsafe { crypt(self.as_ptr(), to, len, from, given) }
    }

    #[inline(always)]
    fn encrypt(&mut self, text: &Text<'_>) -> Step {
        done(self.crypt(self.library.encrypt, text, text.len()), "gcry_cipher_encrypt")
    }

    #[inline(always)]
    fn decrypt(&mut self, text: &Text<'_>) -> Step {
        done(self.crypt(self.library.decrypt, text, text.len()), "gcry_cipher_decrypt")
    }

    #[inline(always)]
    fn tag(&mut self, tag: &mut [u8]) -> Step {
        // SAFETY: see `Key`.
        done(unsafe { (self.library.gettag)(self.as_ptr(), tag.as_mut_ptr(), tag.len()) }, "gcry_cipher_gettag")
    }

    /// The SIV modes need the tag before they open.
    #[inline(always)]
    fn expect(&mut self, tag: &mut [u8]) -> Step {
        let (tag, len) = (tag.as_mut_ptr().cast(), tag.len());
        // SAFETY: see `Key`; it only reads the tag.
        done(unsafe { (self.library.ctl)(self.as_ptr(), SET_DECRYPTION_TAG, tag, len) }, "gcry_cipher_ctl with the tag")
    }

    #[inline(always)]
    pub fn sealed(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.nonce(call.nonce)?;
        self.sealed_after_nonce(call)
    }

    #[inline(always)]
    pub fn opened(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.nonce(call.nonce)?;
        self.opened_after_nonce(call)
    }

    /// After the nonce, OCB must be told that the text comes in one piece, CCM all lengths.
    #[inline(always)]
    fn told<const COMMAND: c_int>(&mut self, call: &CallArguments<'_>) -> Step {
        self.nonce(call.nonce)?;
        let mut lengths = [call.text.len(), call.aad.len(), call.tag.len()].map(|bytes| bytes as u64);
        let (given, bytes) = match COMMAND {
            SET_CCM_LENGTHS => (lengths.as_mut_ptr().cast(), size_of_val(&lengths)),
            _ => (ptr::null_mut(), 0),
        };
        // SAFETY: see `Key`; CCM reads three numbers of 64 bits, OCB nothing.
        done(unsafe { (self.library.ctl)(self.as_ptr(), COMMAND, given, bytes) }, "gcry_cipher_ctl")
    }

    #[inline(always)]
    pub fn sealed_told<const COMMAND: c_int>(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.told::<COMMAND>(&call)?;
        self.sealed_after_nonce(call)
    }

    #[inline(always)]
    pub fn opened_told<const COMMAND: c_int>(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.told::<COMMAND>(&call)?;
        self.opened_after_nonce(call)
    }

    #[inline(always)]
    fn sealed_after_nonce(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.aad(call.aad)?;
        self.encrypt(&call.text)?;
        self.tag(call.tag)?;
        Ok(call.text.len())
    }

    #[inline(always)]
    fn opened_after_nonce(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.aad(call.aad)?;
        self.decrypt(&call.text)?;
        // SAFETY: see `Key`.
        genuine(unsafe { (self.library.checktag)(self.as_ptr(), call.tag.as_ptr(), call.tag.len()) })?;
        Ok(call.text.len())
    }

    #[inline(always)]
    pub fn gcm_siv_sealed(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.reset()?;
        self.sealed(call)
    }

    #[inline(always)]
    pub fn gcm_siv_opened(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.reset()?;
        self.nonce(call.nonce)?;
        self.aad(call.aad)?;
        self.opened_as_expected(call)
    }

    /// The components: the aad, even if empty, then the nonce if there is one.
    #[inline(always)]
    fn components(&mut self, call: &CallArguments<'_>) -> Step {
        self.reset()?;
        self.component(call.aad)?;
        if call.nonce.is_empty() { Ok(()) } else { self.nonce(call.nonce) }
    }

    #[inline(always)]
    pub fn siv_sealed(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.components(&call)?;
        self.encrypt(&call.text)?;
        self.tag(call.tag)?;
        Ok(call.text.len())
    }

    #[inline(always)]
    pub fn siv_opened(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.components(&call)?;
        self.opened_as_expected(call)
    }

    #[inline(always)]
    fn opened_as_expected(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.expect(call.tag)?;
        genuine(self.crypt(self.library.decrypt, &call.text, call.text.len()))?;
        Ok(call.text.len())
    }

    #[inline(always)]
    pub fn ctr(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.counter(call.nonce)?;
        self.encrypt(&call.text)?;
        Ok(call.text.len())
    }

    #[inline(always)]
    pub fn encrypted(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.nonce(call.nonce)?;
        self.encrypt(&call.text)?;
        Ok(call.text.len())
    }

    #[inline(always)]
    pub fn decrypted(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.nonce(call.nonce)?;
        self.decrypt(&call.text)?;
        Ok(call.text.len())
    }

    #[inline(always)]
    pub fn cbc_encrypted(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.nonce(call.nonce)?;
        let (len, text) = (call.text.len(), call.text);
        let whole_bytes = len / BLOCK * BLOCK;
        // SAFETY: the input's length.
        let last = unsafe { last_block(text.input(), len) };
        if whole_bytes > 0 {
            done(self.crypt(self.library.encrypt, &text, whole_bytes), "gcry_cipher_encrypt")?;
        }
        // SAFETY: see `Key`; the output has room for a block of padding beyond the input.
        let code = unsafe {
            (self.library.encrypt)(self.as_ptr(), text.output().add(whole_bytes), BLOCK, last.as_ptr(), BLOCK)
        };
        done(code, "gcry_cipher_encrypt")?;
        Ok(whole_bytes + BLOCK)
    }

    #[inline(always)]
    pub fn cbc_decrypted(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        let text = call.text;
        if text.is_empty() || !text.len().is_multiple_of(BLOCK) {
            return Err(Failed::Rejected);
        }
        self.nonce(call.nonce)?;
        self.decrypt(&text)?;
        // SAFETY: the output holds as many bytes as the input, all just written.
        unpadded(unsafe { std::slice::from_raw_parts(text.output(), text.len()) }).ok_or(Failed::Rejected)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: it is open, and closed once; this clears the key.
        unsafe { (self.library.close)(self.as_ptr()) }
    }
}
