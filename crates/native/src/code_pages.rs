//! Where the code of an opened library lies in physical memory.
//!
//! A library's file lies in the page cache wherever there was room when it was first read, and stays there for days: all processes run the
//! same physical pages. Copies of one libcrypto's file differ by some tenths of a percent for that alone (docs/instrument.md), in every
//! fork alike, so that no interval shows it. With the code moved into memory of its own, each process has other pages, and a ratio averages
//! over them as over the other places of a layout.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard};
use std::{fs, io};

/// Code that was moved belongs to no file any more that the system knows of.
static MOVED: Mutex<Vec<Mapping>> = Mutex::new(Vec::new());

fn moved() -> MutexGuard<'static, Vec<Mapping>> {
    MOVED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The file that an address belongs to, where the system reports it.
pub fn file_of(address: usize) -> Option<String> {
    let known = moved().iter().find(|mapping| mapping.addresses.contains(&address)).map(|mapping| mapping.file.clone());
    known.or_else(|| Some(mapping_now(address)?.file))
}

/// Has the code at an address, with all that was loaded with it, lie in pages of this process's own. Does nothing where it does already.
pub fn move_to_own(address: usize) -> io::Result<()> {
    let mut moved = moved();
    if moved.iter().any(|mapping| mapping.addresses.contains(&address)) {
        return Ok(());
    }
    let mapping = mapping_now(address).filter(|mapping| mapping.is_code).ok_or(io::ErrorKind::NotFound)?;
    copy_over(mapping.addresses.clone())?;
    moved.push(mapping);
    Ok(())
}

fn mapping_now(address: usize) -> Option<Mapping> {
    mapping(&fs::read_to_string("/proc/self/maps").ok()?, address)
}

/// A part of this process's memory that comes from a file.
#[derive(Debug, PartialEq)]
struct Mapping {
    addresses: Range<usize>,
    is_code: bool,
    file: String,
}

/// The mapping of an address, by /proc/self/maps, with lines like `7f00a000-7f01b000 r-xp 00000000 08:01 1234    /usr/lib/libcrypto.so.3`.
fn mapping(maps: &str, address: usize) -> Option<Mapping> {
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        let ((low, high), rights) = (words.next()?.split_once('-')?, words.next()?);
        let addresses = usize::from_str_radix(low, 16).ok()?..usize::from_str_radix(high, 16).ok()?;
        let file = line[line.find('/')?..].to_string();
        Some(Mapping { addresses, is_code: rights == "r-xp", file })
    };
    maps.lines().filter_map(read).find(|mapping| mapping.addresses.contains(&address))
}

/// Puts a copy in new pages, of the usual size, over the code. Addresses and bytes stay what they are.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn copy_over(code: Range<usize>) -> io::Result<()> {
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
fn copy_over(_: Range<usize>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::ffi::{CStr, c_char};

    use libloading::Library;

    use super::*;

    #[test]
    fn mappings_are_read() {
        let maps = "1000-3000 r-xp 00000000 08:01 12    /usr/lib/lib with blank.so\n3000-4000 rw-p 00000000 00:00 0 \n\
                    5000-6000 r--p 00002000 08:01 12    /usr/lib/lib.so.3\n";
        let file = |address| mapping(maps, address).map(|mapping| (mapping.is_code, mapping.file));
        assert_eq!(file(0x2fff), Some((true, "/usr/lib/lib with blank.so".into())));
        assert_eq!(file(0x3000), None);
        assert_eq!(file(0x5000), Some((false, "/usr/lib/lib.so.3".into())));
    }

    /// Whatever runs, it runs the same: the library still works, and still has its file's name.
    #[test]
    fn moved_code_is_the_same_and_keeps_its_name() {
        // SAFETY: a library of the system, whose constructors ask for nothing.
        let Ok(library) = (unsafe { Library::new("libcrypto.so.3") }) else {
            return eprintln!("skipped: this system has no libcrypto.so.3");
        };
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: the type is that of the manual page.
        let version = unsafe { library.get::<unsafe extern "C" fn(i32) -> *const c_char>(b"OpenSSL_version") };
        let version = *version.unwrap();
        // SAFETY: 0 is OPENSSL_VERSION; it returns a constant string.
        let said = || unsafe { CStr::from_ptr(version(0)) }.to_owned();
        let before = said();
        let names = [(); 2].map(|()| {
            let name = file_of(version as usize).unwrap();
            let _ = move_to_own(version as usize);
            name
        });
        assert!(names[0].contains("libcrypto.so") && names[0] == names[1], "{names:?}");
        assert_eq!(said(), before);
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let is_of_file = mapping(&maps, version as usize).is_some();
        assert_eq!(is_of_file, !cfg!(all(target_os = "linux", target_arch = "x86_64")), "{maps}");
    }
}
