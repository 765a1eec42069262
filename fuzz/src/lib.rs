//! What the targets share: input that reaches the limits although the fuzzer's inputs are short, and a folder for
//! files.

#[cfg(feature = "store")]
mod store;

use std::path::Path;

use tempfile::TempDir;

#[cfg(feature = "store")]
pub use store::{TINY_STORE, read_all, store_path};

/// Each byte 0xff, which no UTF-8 text contains, becomes 8 KiB of spaces: eight bytes reach the limit of a line, and a
/// long line can still be valid.
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

/// A temporary folder, in memory where the system provides that.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder for files")
}
