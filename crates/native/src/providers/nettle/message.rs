//! A message through a context that has its key. These functions return nothing to check except whether a tag was
//! right.

use std::ffi::c_void;

use super::super::memory::Memory;
use super::super::padding::{BLOCK, last_block, unpadded};
use super::library::{Absorb, Aead, Ccm, Crypt, Digest, Equal, Message, Nettle, Xts};
use crate::loop_buffers::{CallArguments, TAG};
use crate::timed_loop::{Failed, TimedLoop, writing_loop};

/// The nonce in a separate block, because the library counts or chains in it.
#[inline(always)]
fn block(call: &CallArguments<'_>) -> Result<[u8; BLOCK], Failed> {
    call.nonce.try_into().map_err(|_| Failed::Library("the nonce"))
}

/// These calls are safe for one reason: the context is of its kind and has its key; every pointer comes with its
/// length, and a nonce's length is checked first; input and output are equal or separate.
impl Nettle {
    #[inline(always)]
    pub fn ctr(&self, context: &Memory, call: CallArguments<'_>) -> Result<usize, Failed> {
        let (mut counter, text, context_ptr) = (block(&call)?, call.text, context.as_ptr());
        let (to, from, encrypt) = (text.output(), text.input(), self.aes256.encrypt);
        // SAFETY: see above.
        unsafe { (self.ctr)(context_ptr, encrypt, BLOCK, counter.as_mut_ptr(), text.len(), to, from) };
        Ok(text.len())
    }

    #[inline(always)]
    pub fn chacha(&self, context: &Memory, call: CallArguments<'_>) -> Result<usize, Failed> {
        let nonce: &[u8; 12] = call.nonce.try_into().map_err(|_| Failed::Library("the nonce"))?;
        let (text, context_ptr) = (call.text, context.as_ptr());
        // SAFETY: see above; setting the nonce sets the counter to 0.
        unsafe {
            (self.chacha_set_nonce)(context_ptr, nonce.as_ptr());
            (self.chacha_crypt)(context_ptr, text.len(), text.output(), text.input());
        }
        Ok(text.len())
    }

    #[inline(always)]
    fn cbc_blocks(&self, context: &Memory, nonce: &mut [u8; BLOCK], len: usize, to: *mut u8, from: *const u8) {
        let (context_ptr, nonce, encrypt) = (context.as_ptr(), nonce.as_mut_ptr(), self.aes256.encrypt);
        // SAFETY: see above.
        unsafe {
            match self.cbc_aes256_encrypt {
                Some(faster) => faster(context_ptr, nonce, len, to, from),
                None => (self.cbc_encrypt)(context_ptr, encrypt, BLOCK, nonce, len, to, from),
            }
        }
    }

    #[inline(always)]
    pub fn cbc_encrypted(&self, context: &Memory, call: CallArguments<'_>) -> Result<usize, Failed> {
        let (mut nonce, text) = (block(&call)?, call.text);
        let whole_bytes = text.len() / BLOCK * BLOCK;
        // SAFETY: the input's length.
        let last = unsafe { last_block(text.input(), text.len()) };
        self.cbc_blocks(context, &mut nonce, whole_bytes, text.output(), text.input());
        // SAFETY: the output has room for a block of padding beyond the input.
        let end = unsafe { text.output().add(whole_bytes) };
        self.cbc_blocks(context, &mut nonce, BLOCK, end, last.as_ptr());
        Ok(whole_bytes + BLOCK)
    }

    #[inline(always)]
    pub fn cbc_decrypted(&self, context: &Memory, call: CallArguments<'_>) -> Result<usize, Failed> {
        let (mut nonce, text, context_ptr) = (block(&call)?, call.text, context.as_ptr());
        if text.is_empty() || !text.len().is_multiple_of(BLOCK) {
            return Err(Failed::Rejected);
        }
        let (decrypt, nonce, len) = (self.aes256.decrypt, nonce.as_mut_ptr(), text.len());
        // SAFETY: see above; the output then holds as many bytes as the input, all just written.
        unsafe {
            (self.cbc_decrypt)(context_ptr, decrypt, BLOCK, nonce, len, text.output(), text.input());
            unpadded(std::slice::from_raw_parts(text.output(), len)).ok_or(Failed::Rejected)
        }
    }
}

/// The loop of an AEAD with its descriptor.
pub fn aead(aead: &'static Aead, context: Memory, seals: bool, equal: Equal) -> Box<dyn TimedLoop> {
    // SAFETY: as for `Nettle`'s.
    let begin = move |context, call: &CallArguments<'_>| unsafe { (aead.set_nonce)(context, call.nonce.as_ptr()) };
    let crypt = if seals { aead.encrypt } else { aead.decrypt };
    steps(begin, 12, aead.update, crypt, aead.digest, context, seals, equal)
}

/// The loop of CCM, which is told all lengths with the nonce; that of the nonce is `bytes`.
pub fn ccm(ccm: &'static Ccm, bytes: usize, context: Memory, seals: bool, equal: Equal) -> Box<dyn TimedLoop> {
    let begin = move |context, call: &CallArguments<'_>| {
        let (nonce, aad, len) = (call.nonce, call.aad.len(), call.text.len());
        // SAFETY: as for `Nettle`'s.
        unsafe { (ccm.set_nonce)(context, nonce.len(), nonce.as_ptr(), aad, len, call.tag.len()) }
    };
    let crypt = if seals { ccm.encrypt } else { ccm.decrypt };
    steps(begin, bytes, ccm.update, crypt, ccm.digest, context, seals, equal)
}

/// The loop of XTS, which takes whole sectors.
pub fn xts(xts: &'static Xts, context: Memory, seals: bool) -> Box<dyn TimedLoop> {
    let crypt = if seals { xts.encrypt } else { xts.decrypt };
    writing_loop(move |call| {
        let (tweak, text) = (block(&call)?, call.text);
        // SAFETY: as for `Nettle`'s.
        unsafe { crypt(context.as_ptr(), tweak.as_ptr(), text.len(), text.output(), text.input()) };
        Ok(text.len())
    })
}

/// `begin` sets the nonce, which has `bytes`; the functions are of the direction.
#[expect(clippy::too_many_arguments, reason = "those of one library's calls")]
fn steps(
    begin: impl Fn(*mut c_void, &CallArguments<'_>) + 'static,
    bytes: usize,
    update: Absorb,
    crypt: Crypt,
    digest: Digest,
    context: Memory,
    seals: bool,
    equal: Equal,
) -> Box<dyn TimedLoop> {
    let processed = move |call: &CallArguments<'_>, tag: *mut u8| {
        if call.nonce.len() != bytes {
            return Err(Failed::Library("the nonce"));
        }
        let (text, aad, context_ptr) = (&call.text, call.aad, context.as_ptr());
        begin(context_ptr, call);
        // SAFETY: as for `Nettle`'s; the tag has its length.
        unsafe {
            if !aad.is_empty() {
                update(context_ptr, aad.len(), aad.as_ptr());
            }
            crypt(context_ptr, text.len(), text.output(), text.input());
            digest(context_ptr, call.tag.len(), tag);
        }
        Ok(text.len())
    };
    if seals {
        return writing_loop(move |call| {
            let tag = call.tag.as_mut_ptr();
            processed(&call, tag)
        });
    }
    writing_loop(move |call| {
        let mut tag = [0; TAG];
        let len = processed(&call, tag.as_mut_ptr())?;
        // SAFETY: both have that length, or the first a longer one.
        let genuine = unsafe { equal(tag.as_ptr().cast(), call.tag.as_ptr().cast(), call.tag.len()) } == 1;
        if genuine { Ok(len) } else { Err(Failed::Rejected) }
    })
}

/// The tag is right after the text of the sealed side, where the library puts it, too.
pub fn gcm_siv(run: Message, context: Memory, seals: bool) -> Box<dyn TimedLoop> {
    writing_loop(move |call| {
        let (text, aad, nonce) = (call.text, call.aad, call.nonce);
        if nonce.len() != 12 {
            return Err(Failed::Library("the nonce"));
        }
        let (context_ptr, len) = (context.as_ptr(), text.len() + if seals { call.tag.len() } else { 0 });
        // SAFETY: as for `Nettle`'s; sealed text is followed by room for its tag.
        let genuine =
            unsafe { run(context_ptr, 12, nonce.as_ptr(), aad.len(), aad.as_ptr(), len, text.output(), text.input()) };
        // Sealing returns nothing to check.
        if seals || genuine == 1 { Ok(text.len()) } else { Err(Failed::Rejected) }
    })
}
