//! Identifies a file: the hash that is recorded beside a library's version.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ciphermeter_core::quoted_path;
use sha2::{Digest, Sha256};

/// The SHA-256 of a file as lower-case hex, read piece by piece. Folders, pipes and devices are refused.
pub fn sha256(path: impl AsRef<Path>) -> io::Result<String> {
    let path = path.as_ref();
    hash(path).map_err(|error| io::Error::new(error.kind(), format!("cannot hash {}: {error}", quoted_path(path))))
}

fn hash(path: &Path) -> io::Result<String> {
    // Checked before opening: opening a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file; name the file itself"));
    }
    let mut file = File::open(path)?;
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
