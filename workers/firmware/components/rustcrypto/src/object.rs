//! Where a cipher's object lies: in static memory, as every component of the worker has it. There is room for one, since
//! the worker sets one key up at a time.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{AeadInOut, KeyInit};

/// What the largest object takes.
struct Memory(UnsafeCell<MaybeUninit<Aes256Gcm>>);

// SAFETY: the worker has one thread.
unsafe impl Sync for Memory {}

/// `footprint.py` knows its name: each offer's `state` says what it uses of it.
#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
static rustcrypto_object: Memory = Memory(UnsafeCell::new(MaybeUninit::uninit()));

fn place<C>() -> *mut C {
    const { assert!(size_of::<C>() <= size_of::<Memory>() && align_of::<C>() <= align_of::<Memory>()) };
    rustcrypto_object.0.get().cast()
}

/// A cipher whose object fits there.
pub trait Stored: AeadInOut + KeyInit + 'static {}

impl<C: AeadInOut + KeyInit + 'static> Stored for C {}

/// Puts an object there.
pub fn fill<C: Stored>(cipher: C) {
    // SAFETY: no reference to the former object outlives the call that took it.
    unsafe { place::<C>().write(cipher) };
}

/// The object.
///
/// # Safety
/// `fill` with this cipher came last, and no `empty_again` since.
pub unsafe fn get<C: Stored>() -> &'static C {
    // SAFETY: the caller's promise.
    unsafe { &*place::<C>() }
}

/// Drops the object.
///
/// # Safety
/// As for `get`.
pub unsafe fn empty_again<C: Stored>() {
    // SAFETY: the caller's promise.
    unsafe { place::<C>().drop_in_place() };
}
