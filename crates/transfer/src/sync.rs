//! Making bytes and folder entries durable, with as few waits for the disk as the system allows.
//!
//! Promises: what these functions return `Ok` for survives a power loss, as far as the disk itself is reliable.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{Mode, OFlags, fsync, openat};
use rustix::io::{Errno, Result};

/// Up to this many files are synced one by one; beyond that, one `syncfs` costs less, though it also waits for what
/// other programs have written to that file system.
pub const SYNCED_SINGLY: usize = 8;

/// The file systems, by their numbers in Linux, whose `syncfs` writes everything and waits until the disk has it: ext4, XFS, Btrfs, F2FS,
/// ZFS, bcachefs; overlayfs passes it on, tmpfs has no disk. File systems in user space never hear of it, FAT leaves the bytes in the
/// disk's own cache, network file systems in the server's: there, it succeeds and promises nothing.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SYNCED_AT_ONCE: [u32; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e, 0x794c_7630, 0x0102_1994];

/// Ranges shorter than this are left to the sync: the disk writes many small files faster together.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BEGUN_EARLY: u64 = 1 << 20;

/// Has the disk begin to write a range that was just written to a file, while more of it arrives, so that the sync has
/// less to wait for. It promises nothing.
///
/// Linux begins to write what a program will not need soon. It also drops what the disk has already, which nothing of
/// this range is yet.
pub(crate) fn begin(file: impl AsFd, offset: u64, length: u64) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if length >= BEGUN_EARLY {
        // An advice: where it is not taken, all is left to the sync.
        let _ = rustix::fs::fadvise(file, offset, std::num::NonZeroU64::new(length), rustix::fs::Advice::DontNeed);
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = (file, offset, length);
}

/// Whether space is what a write lacks.
pub(crate) fn is_full(why: &io::Error) -> bool {
    matches!(Errno::from_io_error(why), Some(Errno::NOSPC | Errno::DQUOT))
}

/// Makes a file's bytes durable, and its size.
pub fn sync_file(file: impl AsFd) -> Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return rustix::fs::fdatasync(file);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    full_sync(file)
}

/// Makes a file durable with all that is known of it: permissions and times, too.
fn sync_whole_file(file: impl AsFd) -> Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return fsync(file);
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

/// Makes the named files of a folder durable, with their permissions and times, and their entries in it: a few one by
/// one, many with one call for the whole file system (where Linux has one that can be relied on; elsewhere one by one).
///
/// Files are passed by name, not open: a thousand open files would exceed the process's limit.
pub fn sync_parts(folder: BorrowedFd<'_>, names: &[String]) -> Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if names.len() > SYNCED_SINGLY && is_synced_at_once(folder) {
        return rustix::fs::syncfs(folder);
    }
    for name in names {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        sync_whole_file(openat(folder, name.as_str(), flags, Mode::empty())?)?;
    }
    sync_folder(folder)
}

/// The number's type differs between systems; no such number is longer than 32 bits.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(clippy::unnecessary_cast)]
fn is_synced_at_once(folder: BorrowedFd<'_>) -> bool {
    rustix::fs::fstatfs(folder).is_ok_and(|about| SYNCED_AT_ONCE.contains(&(about.f_type as u32)))
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

    /// What the advice leaves undone, the sync does: the bytes are the same whatever the range.
    #[test]
    fn range_that_was_begun_early_keeps_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..3 << 20).map(|at: u32| at.to_le_bytes()[1]).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for (offset, length) in [(0, 1 << 20), (1 << 20, 1 << 30), (7, 0), (u64::MAX, u64::MAX)] {
            begin(&file, offset, length);
        }
        sync_file(&file).unwrap();
        assert!(std::fs::read(&path).unwrap() == bytes);
    }

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
