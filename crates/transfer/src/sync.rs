//! Making bytes and folder entries durable, with as few waits for the disk as the system allows.
//!
//! Promises: what these functions return `Ok` for survives a power loss, as far as the disk itself is reliable.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{Mode, OFlags, fsync, openat};
use rustix::io::{Errno, Result};

/// Up to this many files are synced one by one; beyond that, one `syncfs` costs less, though it also waits for what
/// other programs have written to that file system.
pub const SYNCED_SINGLY: usize = 8;

/// Makes a file's bytes durable, and its size.
pub fn sync_file(file: impl AsFd) -> Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return rustix::fs::fdatasync(file);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    full_sync(file)
}

/// Makes a folder's entries durable.
pub fn sync_folder(folder: impl AsFd) -> Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let result = fsync(folder);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let result = full_sync(folder);
    // Some network file systems cannot sync a folder: they write entries through, or guarantee nothing.
    match result {
        Err(why) if is_unsupported(why) => Ok(()),
        result => result,
    }
}

/// Makes the named files of a folder durable, and their entries in it: a few one by one, many with one call for the
/// whole file system (on Linux; elsewhere one by one).
///
/// Files are passed by name, not open: a thousand open files would exceed the process's limit.
pub fn sync_parts(folder: BorrowedFd<'_>, names: &[String]) -> Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if names.len() > SYNCED_SINGLY {
        return rustix::fs::syncfs(folder);
    }
    for name in names {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        sync_file(openat(folder, name.as_str(), flags, Mode::empty())?)?;
    }
    sync_folder(folder)
}

/// On macOS `fsync` leaves the bytes in the disk's own cache. File systems without the stronger call have only that.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn full_sync(file: impl AsFd) -> Result<()> {
    #[cfg(target_vendor = "apple")]
    match rustix::fs::fcntl_fullfsync(&file) {
        Err(why) if is_unsupported(why) => {}
        result => return result,
    }
    fsync(file)
}

/// The codes for "this file system, or this kernel, has no such call". Two of them are the same number on Linux.
pub(crate) fn is_unsupported(why: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOTTY].contains(&why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn few_and_many_are_synced() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..=SYNCED_SINGLY).map(|file| format!("{file}.part")).collect();
        for name in &names {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let open = File::open(folder.path()).unwrap();
        sync_parts(open.as_fd(), &[]).unwrap();
        sync_parts(open.as_fd(), &names[..2]).unwrap();
        sync_parts(open.as_fd(), &names).unwrap();
        assert_eq!(sync_parts(open.as_fd(), &["missing".into()]), Err(Errno::NOENT));
    }
}
