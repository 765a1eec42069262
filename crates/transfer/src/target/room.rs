//! What a file system has room for, and how it stores files.

use std::os::fd::AsFd;

use rustix::fs;

/// What may still be written to a file system. One that reports no blocks, or no inodes, at all is treated as unknown: some
/// network file systems, memory without a limit, and those that make inodes as they need them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes.
    pub bytes: Option<u64>,
    /// Files and folders.
    pub inodes: Option<u64>,
    /// What single files and folders take of it.
    pub disk: Disk,
}

/// How a file system stores a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// The least that a file with content, or a folder, takes, in bytes; 0 where nothing is written to a disk.
    pub block: u64,
    /// Whether holes take no space.
    pub holes: bool,
}

impl Default for Disk {
    fn default() -> Self {
        Self { block: 0, holes: true }
    }
}

/// Where a larger block is reported, it is what a network file system moves at once.
const LARGEST_BLOCK: u64 = 1 << 16;
/// The usual block.
const BLOCK: u64 = 1 << 12;

impl Room {
    /// Of the file system of a file or folder.
    pub(crate) fn of(entry: impl AsFd) -> rustix::io::Result<Self> {
        let stat = fs::fstatvfs(&entry)?;
        Ok(Self {
            bytes: (stat.f_blocks > 0).then(|| stat.f_bavail.saturating_mul(stat.f_frsize)),
            inodes: (stat.f_files > 0).then_some(stat.f_favail),
            disk: Disk {
                block: if (1..=LARGEST_BLOCK).contains(&stat.f_frsize) { stat.f_frsize } else { BLOCK },
                holes: makes_holes(entry),
            },
        })
    }
}

/// The types of Linux's `magic.h` whose file systems write zeros where a file has holes, FAT and exFAT. No call tells it
/// without writing; others that do so are not known.
#[cfg(any(target_os = "linux", target_os = "android"))]
const WITHOUT_HOLES: [u32; 2] = [0x4d44, 0x2011_bab0];

#[cfg(any(target_os = "linux", target_os = "android"))]
fn makes_holes(entry: impl AsFd) -> bool {
    // The number's type differs between machines; its 32 bits do not.
    fs::fstatfs(entry).map_or(true, |stat| has_holes(stat.f_type as u32))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn has_holes(kind: u32) -> bool {
    !WITHOUT_HOLES.contains(&kind)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn makes_holes(_: impl AsFd) -> bool {
    true
}

/// Whether a file in a folder can have so many bytes: one without a name is asked to go there, which writes nothing. Where
/// there are none, or below 4 GiB, it is tried when the file is made.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn holds(folder: impl AsFd, size: u64) -> bool {
    use rustix::fs::{Mode, OFlags, SeekFrom};

    if size <= u64::from(u32::MAX) || i64::try_from(size).is_err() {
        return i64::try_from(size).is_ok();
    }
    let nameless = fs::openat(folder, ".", OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::RUSR);
    nameless.map_or(true, |file| fs::seek(file, SeekFrom::Start(size)).is_ok())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn holds(_: impl AsFd, size: u64) -> bool {
    i64::try_from(size).is_ok()
}

#[cfg(test)]
#[cfg(any(target_os = "linux", target_os = "android"))]
mod tests {
    use super::*;

    #[test]
    fn fat_and_exfat_have_no_holes() {
        // FAT, exFAT, ext4, tmpfs.
        assert_eq!([0x4d44, 0x2011_bab0, 0xef53, 0x0102_1994].map(has_holes), [false, false, true, true]);
    }
}
