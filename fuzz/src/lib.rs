//! What the targets share: input that reaches the limits although the fuzzer's inputs are short, and a place for files.

#[cfg(feature = "store")]
mod store;

use std::path::Path;

use tempfile::TempDir;

#[cfg(feature = "store")]
pub use store::{TINY_STORE, read_all, store_path};

/// Each byte 0xff, which no UTF-8 text holds, becomes 8 KiB of spaces: the limit of a line is eight bytes away, and a
/// long line can still be a right one.
pub fn stretched(data: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(data.len());
    for byte in data {
        match byte {
            0xff => text.resize(text.len() + 8192, b' '),
            byte => text.push(*byte),
        }
    }
    text
}

/// A folder of its own, in memory where the system has a place for that.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder for files")
}
