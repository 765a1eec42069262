//! Files from elsewhere: opening one never waits, and a library is identified by the hash beside its version.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use ciphermeter_core::quoted_path;
use rustix::fs::{CWD, Mode, OFlags, openat};
use sha2::{Digest, Sha256};

/// What opening never does: wait for a pipe's other end, become the process's terminal, pass on to its children.
const NEVER_WAITS: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Opens a regular file for reading, behind links too. Folders, pipes, sockets and devices are refused.
///
/// # Errors
/// There is no such file, or it is not a regular one, or may not be read.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    // Before it is opened: opening alone can already do something to a device.
    regular(&fs::metadata(path)?)?;
    opened(path, OFlags::RDONLY, 0)
}

/// A regular file with these flags; `mode` is for one that is made, less the umask.
pub(crate) fn opened(path: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
    let file = File::from(openat(CWD, path, flags | NEVER_WAITS, Mode::from_raw_mode(mode as _))?);
    // It may have come into the place of what was there.
    regular(&file.metadata()?)?;
    Ok(file)
}

fn regular(found: &fs::Metadata) -> io::Result<()> {
    if found.is_file() { Ok(()) } else { Err(io::Error::other("it is not a regular file")) }
}

/// The SHA-256 of a file as lower-case hex, read piece by piece. Folders, pipes and devices are refused.
pub fn sha256(path: impl AsRef<Path>) -> io::Result<String> {
    let path = path.as_ref();
    hash(path).map_err(|error| io::Error::new(error.kind(), format!("cannot hash {}: {error}", quoted_path(path))))
}

fn hash(path: &Path) -> io::Result<String> {
    let mut file = open(path)?;
    let mut digest = Sha256::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hex::encode(digest.finalize())),
            Ok(read) => digest.update(&piece[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&path).unwrap(), known);
        std::fs::write(&path, vec![b'a'; 1_000_000]).unwrap();
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(sha256(&path).unwrap(), million);
    }

    #[test]
    fn error_names_a_path_that_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("none")] {
            assert!(sha256(&path).unwrap_err().to_string().contains(&path.display().to_string()));
        }
    }
}
