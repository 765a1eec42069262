//! The calls that are timed. Each is safe for one reason: the object lives, is of its kind and has
//! its key; every pointer goes with its length, and a nonce's length is looked at where the library
//! does not take it; input and output are equal or apart.

use std::ffi::{c_int, c_void};
use std::slice;

use ciphermeter_native::library::padding::{BLOCK, last_block, unpadded};
use ciphermeter_native::library::{CallArguments, Failed, TAG, Text};

use crate::symbols::{Ascon, Blocks, GcmSiv, Sealed, Sector, Siv, Wolf, XChaCha};

/// Bytes done, or why not.
type Done = Result<usize, Failed>;

#[inline(always)]
fn done(code: c_int, text: &Text<'_>, step: &'static str) -> Done {
    if code == 0 { Ok(text.len()) } else { Err(Failed::Library(step)) }
}

/// Of an AEAD's directions, opening rejects.
#[inline(always)]
fn sealed_or_opened(code: c_int, text: &Text<'_>, seals: bool, step: &'static str) -> Done {
    if seals || code == 0 { done(code, text, step) } else { Err(Failed::Rejected) }
}

#[inline(always)]
fn nonce<const N: usize>(call: &CallArguments<'_>) -> Result<[u8; N], Failed> {
    call.nonce.try_into().map_err(|_| Failed::Library("the nonce"))
}

/// GCM and CCM, either direction.
#[inline(always)]
pub fn aead(crypt: Sealed, seals: bool, object: *mut c_void, call: CallArguments<'_>) -> Done {
    let (nonce, tag, aad, text) = (call.nonce, call.tag, call.aad, call.text);
    // SAFETY: see above.
    let code = unsafe {
        crypt(
            object,
            text.output(),
            text.input(),
            text.len() as u32,
            nonce.as_ptr(),
            nonce.len() as u32,
            tag.as_mut_ptr(),
            tag.len() as u32,
            aad.as_ptr(),
            aad.len() as u32,
        )
    };
    sealed_or_opened(code, &text, seals, "wc_AesGcmEncrypt or wc_AesCcmEncrypt")
}

#[inline(always)]
pub fn gcm_siv(crypt: GcmSiv, seals: bool, key: &[u8; 32], call: CallArguments<'_>) -> Done {
    let (nonce, tag, aad, text) = (call.nonce, call.tag, call.aad, call.text);
    // SAFETY: see above.
    let code = unsafe {
        crypt(
            key.as_ptr(),
            key.len() as u32,
            nonce.as_ptr(),
            nonce.len() as u32,
            aad.as_ptr(),
            aad.len() as u32,
            text.input(),
            text.len() as u32,
            text.output(),
            tag.as_mut_ptr(),
            tag.len() as u32,
        )
    };
    sealed_or_opened(code, &text, seals, "wc_AesGcmSivEncrypt")
}

/// SIV, without a nonce.
#[inline(always)]
pub fn siv(crypt: Siv, seals: bool, key: &[u8; 64], call: CallArguments<'_>) -> Done {
    let (nonce, tag, aad, text) = (call.nonce, call.tag, call.aad, call.text);
    // SAFETY: see above; the tag has the 16 bytes that it reads or writes.
    let code = unsafe {
        crypt(
            key.as_ptr(),
            key.len() as u32,
            aad.as_ptr(),
            aad.len() as u32,
            nonce.as_ptr(),
            nonce.len() as u32,
            text.input(),
            text.len() as u32,
            tag.as_mut_ptr(),
            text.output(),
        )
    };
    sealed_or_opened(code, &text, seals, "wc_AesSivEncrypt")
}

impl Wolf {
    #[inline(always)]
    pub fn chacha_sealed(&self, key: &[u8; 32], call: CallArguments<'_>) -> Done {
        let (nonce, aad, text, tag) = (nonce::<12>(&call)?, call.aad, call.text, call.tag);
        let (nonce, aad, aad_len, tag) = (nonce.as_ptr(), aad.as_ptr(), aad.len() as u32, tag.as_mut_ptr());
        let (from, len, to) = (text.input(), text.len() as u32, text.output());
        // SAFETY: see above.
        let code = unsafe { (self.chacha_seal)(key.as_ptr(), nonce, aad, aad_len, from, len, to, tag) };
        done(code, &text, "wc_ChaCha20Poly1305_Encrypt")
    }

    #[inline(always)]
    pub fn chacha_opened(&self, key: &[u8; 32], call: CallArguments<'_>) -> Done {
        let (nonce, aad, text, tag) = (nonce::<12>(&call)?, call.aad, call.text, call.tag);
        let (nonce, aad, aad_len, tag) = (nonce.as_ptr(), aad.as_ptr(), aad.len() as u32, tag.as_ptr());
        let (from, len, to) = (text.input(), text.len() as u32, text.output());
        // SAFETY: see above.
        let code = unsafe { (self.chacha_open)(key.as_ptr(), nonce, aad, aad_len, from, len, tag, to) };
        sealed_or_opened(code, &text, false, "")
    }

    #[inline(always)]
    pub fn chacha(&self, object: *mut c_void, call: CallArguments<'_>) -> Done {
        let (nonce, text) = (nonce::<12>(&call)?, call.text);
        // SAFETY: see above.
        let code = unsafe {
            match (self.chacha_nonce)(object, nonce.as_ptr(), 0) {
                0 => (self.chacha)(object, text.output(), text.input(), text.len() as u32),
                failed => failed,
            }
        };
        done(code, &text, "wc_Chacha_Process")
    }

    #[inline(always)]
    pub fn ctr(&self, ctr: Blocks, object: *mut c_void, call: CallArguments<'_>) -> Done {
        let (counter, text) = (nonce::<BLOCK>(&call)?, call.text);
        // SAFETY: see above; it counts in the object.
        let code = unsafe {
            match (self.set_nonce)(object, counter.as_ptr()) {
                0 => ctr(object, text.output(), text.input(), text.len() as u32),
                failed => failed,
            }
        };
        done(code, &text, "wc_AesCtrEncrypt")
    }

    #[inline(always)]
    pub fn cbc_encrypted(&self, cbc: Blocks, object: *mut c_void, call: CallArguments<'_>) -> Done {
        let (nonce, text) = (nonce::<BLOCK>(&call)?, call.text);
        let whole = text.len() / BLOCK * BLOCK;
        // SAFETY: see above; the output has room for a block of padding beyond the input.
        let encrypted = unsafe {
            let last = last_block(text.input(), text.len());
            (self.set_nonce)(object, nonce.as_ptr()) == 0
                && (whole == 0 || cbc(object, text.output(), text.input(), whole as u32) == 0)
                && cbc(object, text.output().add(whole), last.as_ptr(), BLOCK as u32) == 0
        };
        if encrypted { Ok(whole + BLOCK) } else { Err(Failed::Library("wc_AesCbcEncrypt")) }
    }

    #[inline(always)]
    pub fn cbc_decrypted(&self, cbc: Blocks, object: *mut c_void, call: CallArguments<'_>) -> Done {
        let (nonce, text) = (nonce::<BLOCK>(&call)?, call.text);
        if text.is_empty() || !text.len().is_multiple_of(BLOCK) {
            return Err(Failed::Rejected);
        }
        // SAFETY: see above; the output then holds as many bytes as the input, all just written.
        unsafe {
            let decrypted = (self.set_nonce)(object, nonce.as_ptr()) == 0
                && cbc(object, text.output(), text.input(), text.len() as u32) == 0;
            if !decrypted {
                return Err(Failed::Library("wc_AesCbcDecrypt"));
            }
            unpadded(slice::from_raw_parts(text.output(), text.len())).ok_or(Failed::Rejected)
        }
    }
}

#[inline(always)]
pub fn xts(crypt: Sector, object: *mut c_void, call: CallArguments<'_>) -> Done {
    let (tweak, text) = (call.nonce, call.text);
    // SAFETY: see above.
    let code =
        unsafe { crypt(object, text.output(), text.input(), text.len() as u32, tweak.as_ptr(), tweak.len() as u32) };
    done(code, &text, "wc_AesXtsEncrypt or wc_AesXtsDecrypt")
}

/// XChaCha20-Poly1305, either direction: the tag lies right after the text, as the function has it.
#[inline(always)]
pub fn xchacha(crypt: XChaCha, seals: bool, key: &[u8; 32], call: CallArguments<'_>) -> Done {
    let (nonce, aad, text) = (call.nonce, call.aad, call.text);
    let (behind, beyond) = if seals { (0, TAG) } else { (TAG, 0) };
    // SAFETY: see above; `tag` lies after the text of the output when sealing, of the input when opening.
    let code = unsafe {
        crypt(
            text.output(),
            text.len() + beyond,
            text.input(),
            text.len() + behind,
            aad.as_ptr(),
            aad.len(),
            nonce.as_ptr(),
            nonce.len(),
            key.as_ptr(),
            key.len(),
        )
    };
    sealed_or_opened(code, &text, seals, "wc_XChaCha20Poly1305_Encrypt")
}

/// Ascon-AEAD128, either direction.
#[inline(always)]
pub fn ascon(ascon: &Ascon, seals: bool, object: *mut c_void, key: &[u8; 16], call: CallArguments<'_>) -> Done {
    let (nonce, aad, text) = (nonce::<16>(&call)?, call.aad, call.text);
    let at = usize::from(!seals);
    // SAFETY: see above; the tag has the 16 bytes that it reads or writes.
    unsafe {
        let ready = (ascon.init)(object) == 0
            && (ascon.set_key)(object, key.as_ptr()) == 0
            && (ascon.set_nonce)(object, nonce.as_ptr()) == 0
            && (ascon.set_aad)(object, aad.as_ptr(), aad.len() as u32) == 0
            && ascon.update[at](object, text.output(), text.input(), text.len() as u32) == 0;
        if !ready {
            return Err(Failed::Library("wc_AsconAEAD128_…Update"));
        }
        sealed_or_opened(ascon.last[at](object, call.tag.as_mut_ptr()), &text, seals, "wc_AsconAEAD128_EncryptFinal")
    }
}
