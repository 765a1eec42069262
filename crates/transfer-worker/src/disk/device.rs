//! A block device past the page cache: how it is opened, and the memory that its I/O takes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// dm-crypt's largest sectors, which `cryptsetup` gives disks with blocks as large; and all I/O is of whole ones.
pub(super) const SECTOR: usize = 4096;

/// The bytes that are used of a RAM disk.
pub(crate) const BYTES: u64 = 32 << 20;

/// A block device past the page cache, which neither a file system nor another process with this flag uses.
pub(super) fn open_alone(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags((direct() | OFlags::EXCL).bits() as i32).open(path)
}

/// The same to look at it, whatever uses it.
pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(direct().bits() as i32).open(path)
}

#[cfg(target_os = "linux")]
fn direct() -> OFlags {
    OFlags::DIRECT
}

/// Nothing is opened here, because `probe` has said so.
#[cfg(not(target_os = "linux"))]
fn direct() -> OFlags {
    OFlags::empty()
}

/// Bytes that begin at a multiple of a sector's length.
pub(super) struct Buffer {
    memory: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Buffer {
    /// Zeros.
    pub(super) fn new(length: usize) -> Self {
        let memory = vec![0; length + SECTOR];
        let begin = memory.as_ptr().align_offset(SECTOR).min(SECTOR);
        Self { memory, begin, length }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[self.begin..][..self.length]
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.begin..][..self.length]
    }
}
