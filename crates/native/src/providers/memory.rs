//! Memory for a library's contexts where C programs would declare a variable: their sizes are known at run time only.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::c_void;
use std::ptr::NonNull;

use zeroize::Zeroize;

/// A cache line, and more than any of the libraries' types need.
const ALIGNMENT: usize = 64;

/// Zeroed memory that never moves and is cleared before it is freed: it contained a key.
pub struct Memory {
    start: NonNull<u8>,
    layout: Layout,
}

impl Memory {
    /// `None` if there is no such size.
    pub fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        Some(Self { start, layout })
    }

    /// Its start. Only the owner of the `Memory` may write there.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut c_void {
        self.start.as_ptr().cast()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: as many bytes as were allocated, all initialised, no longer used anywhere else.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()).zeroize();
            dealloc(self.start.as_ptr(), self.layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_zero_and_aligned() {
        for bytes in [0, 1, 64, 5000] {
            let memory = Memory::new(bytes).unwrap();
            assert_eq!(memory.as_ptr() as usize % ALIGNMENT, 0);
            // SAFETY: so many bytes were allocated.
            let seen = unsafe { std::slice::from_raw_parts(memory.as_ptr().cast::<u8>(), bytes) };
            assert!(seen.iter().all(|byte| *byte == 0));
        }
        assert!(Memory::new(usize::MAX).is_none());
    }
}
