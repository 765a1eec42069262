//! A mapped file that shrinks while it is read is an error, and not the end of the process.
//!
//! Where a page of a mapping has no file behind it any more, the system sends SIGBUS. The handler puts an empty page there,
//! so that the call goes on, and notes that it did; whoever watches then knows that its output is worth nothing.

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};

thread_local! {
    /// Whether this thread watches, and whether a page was missing. Atomic, because the compiler does not see who writes.
    static WATCHES: AtomicBool = const { AtomicBool::new(false) };
    static MISSING: AtomicBool = const { AtomicBool::new(false) };
}

/// A page of a mapping had no file behind it.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing;

/// Runs a call on mapped files; an error if a page of them was missing.
pub fn watch<R>(call: impl FnOnce() -> R) -> Result<R, Missing> {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(handle);
    MISSING.with(|missing| missing.store(false, Ordering::SeqCst));
    WATCHES.with(|watches| watches.store(true, Ordering::SeqCst));
    compiler_fence(Ordering::SeqCst);
    let result = std::hint::black_box(call());
    compiler_fence(Ordering::SeqCst);
    WATCHES.with(|watches| watches.store(false, Ordering::SeqCst));
    if MISSING.with(|missing| missing.load(Ordering::SeqCst)) { Err(Missing) } else { Ok(result) }
}

/// Installs the handler.
fn handle() {
    // SAFETY: the action is filled in before it is used; the handler does only what a handler may.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

extern "C" fn on_bus(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let watches = WATCHES.with(|watches| watches.load(Ordering::SeqCst));
    // SAFETY: the system passes its information; the page is one of a mapping of this thread's, which it reads or writes
    // right now, and mapping memory is a call of the system alone.
    unsafe {
        if watches {
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let address = ((*info).si_addr() as usize & !(page - 1)) as *mut c_void;
            let (access, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED);
            if libc::mmap(address, page, access, flags, -1, 0) == address {
                return MISSING.with(|missing| missing.store(true, Ordering::SeqCst));
            }
        }
        // Not ours: as without a handler.
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_page_is_an_error_and_the_next_call_is_not() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(16_384).unwrap();
        // SAFETY: what happens to the file is what the test is about.
        let map = unsafe { memmap2::MmapOptions::new().len(16_384).map(&file).unwrap() };
        file.set_len(4096).unwrap();
        let sum = || std::hint::black_box(&map).iter().map(|byte| u64::from(*byte)).sum::<u64>();
        assert_eq!(watch(sum), Err(Missing));
        assert_eq!(watch(|| 7), Ok(7));
    }
}
