//! Where the code of an opened library lies in physical memory.
//!
//! A library's file lies in the page cache wherever there was room when it was first read, and stays there for days: all processes run the
//! same physical pages. Copies of one libcrypto's file differ by some tenths of a percent for that alone (docs/instrument.md), in every
//! fork alike, so that no interval shows it. With the code moved into memory of its own, each process has other pages, and a ratio averages
//! over them as over the other places of a layout.

use std::io;
use std::ops::Range;

/// Has the code at these addresses lie in pages of this process's own, of the usual size. Addresses and bytes stay what they are.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn move_to_own_pages(code: Range<usize>) -> io::Result<()> {
    use rustix::mm::{self, Advice, MapFlags, MprotectFlags, MremapFlags, ProtFlags};

    let (from, length) = (code.start as *mut std::ffi::c_void, code.len());
    // SAFETY: a new mapping, which nothing else knows.
    let copy = unsafe {
        mm::mmap_anonymous(std::ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?
    };
    // SAFETY: it is our own; the advice changes no contents. Files have no huge pages, either. A kernel without them needs no advice.
    let _ = unsafe { mm::madvise(copy, length, Advice::LinuxNoHugepage) };
    // SAFETY: the caller's range is a mapping that can be read; it is as long as the new one, and they do not overlap. Moving the copy
    // over the code is one step for all threads: whichever runs there finds the same bytes before and after.
    let moved = unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), copy.cast::<u8>(), length);
        mm::mprotect(copy, length, MprotectFlags::READ | MprotectFlags::EXEC)
            .and_then(|()| mm::mremap_fixed(copy, length, length, MremapFlags::MAYMOVE, from))
    };
    if let Err(why) = moved {
        // SAFETY: the copy is still where it was, and nothing points into it.
        let _ = unsafe { mm::munmap(copy, length) };
        return Err(why.into());
    }
    Ok(())
}

/// Elsewhere code that was written would not be seen by the instruction cache, or the system refuses it.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn move_to_own_pages(_: Range<usize>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
