//! A temporary folder with a message in it: the file of a cell, or a received one.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use aws_lc_rs::digest;
use ciphermeter_protocol::seed::{PERIOD, period};
use ciphermeter_transfer::{Excludes, SourceFile, walk};

use crate::error::Error;

/// The prefix of the folders' names.
const PREFIX: &str = "ciphermeter-transfer-";
/// The number from which on a folder that exists is an error.
const MOST_TAKEN: u32 = 1_000_000;

/// A temporary folder of this process. It is removed when this value is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Result<Self, Error> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("{PREFIX}{}-{number}", std::process::id()));
            let failed = |error: io::Error| {
                Error::local(format!("cannot create {}: {error}; choose another folder with TMPDIR", path.display()))
            };
            // This user's alone, whatever the umask is.
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                // From here on paths are checked without following links.
                Ok(()) => return path.canonicalize().map(Self).map_err(failed),
                // It belongs to another user, or to a process that was killed and had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_TAKEN => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// In a receiving process: removes the folder of its worker, which is this process's `TMPDIR`. A worker that was
    /// killed cannot do that.
    pub(crate) fn remove_the_workers() {
        let path = std::env::temp_dir();
        // A process that was started by hand has another folder there, which stays.
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes())) {
            // A transfer that is just ending may still create a file.
            let mut tries = 0..100;
            while tries.next().is_some() && fs::remove_dir_all(&path).is_err() && path.exists() {
                thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// A folder with the file of a cell in it: its message.
    pub(crate) fn with_message(seed: u64, bytes: u64) -> Result<(Self, SourceFile), Error> {
        let scratch = Self::new()?;
        let path = scratch.message();
        write_message(&path, seed, bytes).map_err(Error::local)?;
        let listing = walk(&[path], &Excludes::default()).map_err(Error::local)?;
        let file = listing.files.into_iter().next().ok_or_else(|| Error::local("the message file is gone"))?;
        Ok((scratch, file))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of the message.
    pub(crate) fn message(&self) -> PathBuf {
        self.0.join("message")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes stream(`message`, seed, n), as PROTOCOL.md defines it.
fn write_message(path: &Path, seed: u64, bytes: u64) -> io::Result<()> {
    let portion = period("message", seed, usize::try_from(bytes).unwrap_or(PERIOD)).repeat(256);
    let mut file = File::create_new(path)?;
    let mut left = bytes;
    while left > 0 {
        let length = left.min(portion.len() as u64);
        file.write_all(&portion[..length as usize])?;
        left -= length;
    }
    Ok(())
}

/// Reads a file, so that its bytes are in the page cache when they are needed next: some systems drop bytes that were
/// not read for seconds, and the disk's speed is not what is measured.
pub(crate) fn warm(path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 256 * 1024];
    while file.read(&mut buffer)? > 0 {}
    Ok(())
}

/// The SHA-256 of a file.
pub(crate) fn hash(path: &Path) -> io::Result<[u8; 32]> {
    let (mut file, mut context) = (File::open(path)?, digest::Context::new(&digest::SHA256));
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")),
            read => context.update(&buffer[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python's hashlib computes the same: sha256 of (b"".join(sha256(b"ciphermeter message 7 %d" % i)…)[:4093] *
    /// 3)[:10_000]).
    #[test]
    fn message_matches_protocol_md() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.message();
        write_message(&path, 7, 10_000).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 10_000);
        assert_eq!(
            hex::encode(hash(&path).unwrap()),
            "e934553cd218f79e9f054671458eb1732de6bb2a53ee3ead521ea3314c0b3e18"
        );
    }
}
