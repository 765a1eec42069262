//! RustCrypto's AEADs as an app has them in WebAssembly: no imports, one memory, plain functions. The page measures them. Beside them
//! stand the [`probe`], and SHA-256 for what PROTOCOL.md derives from a seed.
//!
//! A caller writes the key to [`key`] and calls [`set_up`], then for each message writes nonce, aad and text to [`nonce`], [`aad`] and
//! [`text`], calls [`seal`] or [`open`], and reads the result from where the text was.

use std::cell::RefCell;
use std::hint::black_box;

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{AeadInOut, KeyInit, KeySizeUser, Nonce, Tag};
use aes_gcm_siv::Aes256GcmSiv;
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use sha2::{Digest, Sha256};
use zeroize::Zeroize;

/// All algorithms here have tags of 16 bytes and keys of 32.
const TAG: usize = 16;
const KEY: usize = 32;

/// A call on texts that lie in [`Texts`]: the length of the result, without which it was rejected.
trait Cipher {
    fn seal(&self, texts: &mut Texts, length: usize) -> Option<usize>;
    fn open(&self, texts: &mut Texts, length: usize) -> Option<usize>;
}

impl<C: AeadInOut + KeySizeUser> Cipher for C {
    fn seal(&self, texts: &mut Texts, length: usize) -> Option<usize> {
        let nonce = Nonce::<C>::try_from(&texts.nonce[..]).ok()?;
        let (message, behind) = texts.text.split_at_mut_checked(length)?;
        let tag = self.encrypt_inout_detached(&nonce, &texts.aad, message.into()).ok()?;
        behind.get_mut(..TAG)?.copy_from_slice(&tag);
        Some(length + TAG)
    }

    fn open(&self, texts: &mut Texts, length: usize) -> Option<usize> {
        let nonce = Nonce::<C>::try_from(&texts.nonce[..]).ok()?;
        let (message, tag) = texts.text.get_mut(..length)?.split_at_mut_checked(length.checked_sub(TAG)?)?;
        let tag = Tag::<C>::try_from(&tag[..]).ok()?;
        self.decrypt_inout_detached(&nonce, &texts.aad, message.into(), &tag).ok()?;
        Some(length - TAG)
    }
}

#[derive(Default)]
struct Texts {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    text: Vec<u8>,
}

thread_local! {
    static KEYS: RefCell<[u8; KEY]> = const { RefCell::new([0; KEY]) };
    static TEXTS: RefCell<Texts> = RefCell::default();
    static CIPHER: RefCell<Option<Box<dyn Cipher>>> = const { RefCell::new(None) };
}

/// Where the key is to lie: 32 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn key() -> *mut u8 {
    KEYS.with_borrow_mut(|key| key.as_mut_ptr())
}

/// Room for a nonce of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn nonce(length: usize) -> *mut u8 {
    TEXTS.with_borrow_mut(|texts| sized(&mut texts.nonce, length))
}

/// Room for so many bytes of aad.
#[unsafe(no_mangle)]
pub extern "C" fn aad(length: usize) -> *mut u8 {
    TEXTS.with_borrow_mut(|texts| sized(&mut texts.aad, length))
}

/// Room for a text of so many bytes, tag included.
#[unsafe(no_mangle)]
pub extern "C" fn text(length: usize) -> *mut u8 {
    TEXTS.with_borrow_mut(|texts| sized(&mut texts.text, length))
}

fn sized(buffer: &mut Vec<u8>, length: usize) -> *mut u8 {
    buffer.resize(length, 0);
    buffer.as_mut_ptr()
}

/// Sets the key up for an algorithm, in the order of the page's list, and forgets it; 0: there is no such algorithm.
#[unsafe(no_mangle)]
pub extern "C" fn set_up(algorithm: u32) -> u32 {
    fn of<C: Cipher + KeyInit + 'static>(key: &[u8]) -> Option<Box<dyn Cipher>> {
        Some(Box::new(C::new_from_slice(key).ok()?))
    }
    let cipher = KEYS.with_borrow_mut(|key| {
        let cipher = match algorithm {
            0 => of::<Aes256Gcm>(key),
            1 => of::<ChaCha20Poly1305>(key),
            2 => of::<XChaCha20Poly1305>(key),
            3 => of::<Aes256GcmSiv>(key),
            _ => None,
        };
        key.zeroize();
        cipher
    });
    let is_there = cipher.is_some();
    CIPHER.set(cipher);
    is_there.into()
}

/// Seals the first `length` bytes of the text; the tag follows them. Their length, or -1 where there is no room or no key.
#[unsafe(no_mangle)]
pub extern "C" fn seal(length: usize) -> i32 {
    call(|cipher, texts| cipher.seal(texts, length))
}

/// Opens the first `length` bytes of the text. The message's length, or -1 where the tag is wrong.
#[unsafe(no_mangle)]
pub extern "C" fn open(length: usize) -> i32 {
    call(|cipher, texts| cipher.open(texts, length))
}

fn call(what: impl FnOnce(&dyn Cipher, &mut Texts) -> Option<usize>) -> i32 {
    let done = CIPHER.with_borrow(|cipher| {
        let cipher = cipher.as_deref()?;
        TEXTS.with_borrow_mut(|texts| what(cipher, texts))
    });
    done.and_then(|length| i32::try_from(length).ok()).unwrap_or(-1)
}

/// The contention probe (METHODOLOGY.md, point 3a): eight chains of additions that keep a core's integer units busy.
#[unsafe(no_mangle)]
pub extern "C" fn probe(steps: u32) -> u32 {
    let mut chains = [0_u32, 1, 2, 3, 4, 5, 6, 7];
    for step in 0..steps {
        for chain in &mut chains {
            // What a compiler cannot sum up in advance.
            *chain = chain.wrapping_add(*chain >> 1).wrapping_add(step);
        }
    }
    black_box(chains.into_iter().fold(0, u32::wrapping_add))
}

/// The SHA-256 of the first `length` bytes of the text, which takes their place.
#[unsafe(no_mangle)]
pub extern "C" fn sha256(length: usize) -> u32 {
    TEXTS.with_borrow_mut(|texts| {
        let Some(input) = texts.text.get(..length) else { return 0 };
        texts.text = Sha256::digest(input).to_vec();
        1
    })
}
