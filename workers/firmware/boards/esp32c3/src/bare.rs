//! A place for a peripheral's driver that the C core reaches through functions without a context.

use core::cell::UnsafeCell;

pub struct Bare<T>(UnsafeCell<Option<T>>);

// SAFETY: there is one thread and no interrupt is enabled (main.rs), so nothing else is ever in `with`.
unsafe impl<T> Sync for Bare<T> {}

impl<T> Bare<T> {
    pub const fn empty() -> Self {
        Self(UnsafeCell::new(None))
    }

    pub fn put(&self, value: T) {
        // SAFETY: see above; no reference from `with` outlives it.
        unsafe { *self.0.get() = Some(value) };
    }

    /// Calls `work` with what was put here; None before that. `work` must not come back here.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        // SAFETY: see above; callers do not nest.
        unsafe { (*self.0.get()).as_mut() }.map(work)
    }
}
