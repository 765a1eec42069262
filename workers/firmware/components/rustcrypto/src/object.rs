//! Where a cipher's object lies: static memory, as every component of the worker has it.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use aes_gcm::aead::{AeadInOut, KeyInit};

/// Memory for one cipher's object.
pub struct Object<C>(UnsafeCell<MaybeUninit<C>>);

// SAFETY: the worker has one thread.
unsafe impl<C> Sync for Object<C> {}

impl<C> Object<C> {
    /// Memory without an object.
    pub const fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Puts an object there.
    pub fn fill(&self, cipher: C) {
        // SAFETY: no reference to the former object outlives the call that took it.
        unsafe { (*self.0.get()).write(cipher) };
    }

    /// The object.
    ///
    /// # Safety
    /// `fill` came first, and no `empty_again` since.
    pub unsafe fn get(&self) -> &C {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).assume_init_ref() }
    }

    /// Drops the object.
    ///
    /// # Safety
    /// As for `get`.
    pub unsafe fn empty_again(&self) {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).assume_init_drop() };
    }
}

/// A cipher and the place of its object.
pub trait Stored: AeadInOut + KeyInit + 'static {
    /// That place.
    fn object() -> &'static Object<Self>;
}
