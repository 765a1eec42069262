//! The SHA-256 of a file's content, with which both ends compare a file that exists at both.

use std::fmt;

use aws_lc_rs::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

/// Bytes that are read at once.
const CHUNK: usize = 256 * 1024;

/// The SHA-256 of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileDigest([u8; 32]);

impl FileDigest {
    /// Of `size` bytes, which `read` copies to a buffer from a position on.
    pub(crate) fn of<E>(size: u64, mut read: impl FnMut(&mut [u8], u64) -> Result<(), E>) -> Result<Self, E> {
        let (mut context, mut buffer, mut offset) = (Context::new(&SHA256), vec![0; CHUNK], 0);
        while offset < size {
            let length = (size - offset).min(CHUNK as u64) as usize;
            read(&mut buffer[..length], offset)?;
            context.update(&buffer[..length]);
            offset += length as u64;
        }
        Ok(Self(context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")))
    }
}

impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl From<FileDigest> for String {
    fn from(digest: FileDigest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for FileDigest {
    type Error = hex::FromHexError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map(|()| Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_sha_256() {
        let content = [b"abc".to_vec(), vec![0; 2 * CHUNK]];
        let of = |content: &[u8]| {
            let read = |buffer: &mut [u8], offset: u64| {
                buffer.copy_from_slice(&content[offset as usize..][..buffer.len()]);
                Ok::<_, ()>(())
            };
            FileDigest::of(content.len() as u64, read).unwrap().to_string()
        };
        // FIPS 180-4's example, and coreutils' sha256sum of 524,288 zeros.
        assert_eq!(of(&content[0]), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(of(&content[1]), "07854d2fef297a06ba81685e660c332de36d5d18d546927d30daad6d7fda1541");
    }
}
