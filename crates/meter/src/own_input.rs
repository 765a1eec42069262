//! A file of the user's own as a message that is split: what it holds, and whether another program changed it meanwhile.

use std::cell::OnceCell;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use ciphermeter_core::quoted_path;
use crc32fast::Hasher;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The file, as it was when it was opened.
#[derive(Debug)]
pub struct OwnInput {
    path: PathBuf,
    file: File,
    at_first: State,
    crc32: OnceCell<u32>,
}

/// Device, inode, length, and the times in nanoseconds of the last change of the content and of the file's own entry: what is the same
/// as long as nothing changes a file. A program can set the first time back; it cannot set the second.
type State = [i128; 5];

impl OwnInput {
    /// Opens it for reading alone.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let at_first = state(&file.metadata()?);
        Ok(Self { path: path.into(), file, at_first, crc32: OnceCell::new() })
    }

    /// How long it is, and the CRC-32 of what it holds, which is read for that.
    pub fn content(&self) -> io::Result<String> {
        Ok(format!("{} bytes, CRC-32 {:08x}", self.file.metadata()?.len(), self.crc32()?))
    }

    /// Some of its bytes.
    pub fn bytes(&self, at: u64, bytes: u64) -> io::Result<Vec<u8>> {
        let mut found = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut found, at)?;
        Ok(found)
    }

    /// The CRC-32 of all of it, as it was when this was asked first.
    pub fn crc32(&self) -> io::Result<u32> {
        if let Some(known) = self.crc32.get() {
            return Ok(*known);
        }
        let found = self.read_crc32()?;
        Ok(*self.crc32.get_or_init(|| found))
    }

    /// The CRC-32 of what the path holds now.
    fn read_crc32(&self) -> io::Result<u32> {
        let (mut hasher, mut piece, mut file) = (Hasher::new(), vec![0; PIECE], File::open(&self.path)?);
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(hasher.finalize()),
                read => hasher.update(&piece[..read]),
            }
        }
    }

    /// What a user does about a file that another program changed.
    pub fn changed(&self) -> String {
        format!(
            "{} changed while it was encrypted; run again while no other program writes to it",
            quoted_path(&self.path)
        )
    }

    /// The same about a file that can't be read any more.
    pub fn unreadable(&self, why: &io::Error) -> String {
        format!("reading {} failed: {why}", quoted_path(&self.path))
    }

    /// Whether it is another file now, or holds something else than at first. A program that maps the file can change it and leave no
    /// trace in its times, so all of it is read again: ask this only where something is wrong.
    pub fn has_changed(&self) -> bool {
        let is_touched = std::fs::metadata(&self.path).map_or(true, |now| state(&now) != self.at_first);
        is_touched || self.read_crc32().is_ok_and(|now| self.crc32.get().is_some_and(|first| *first != now))
    }
}

fn state(metadata: &Metadata) -> State {
    let time = |seconds, nanoseconds| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    let content = time(metadata.mtime(), metadata.mtime_nsec());
    let entry = time(metadata.ctime(), metadata.ctime_nsec());
    [metadata.dev().into(), metadata.ino().into(), metadata.len().into(), content, entry]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_is_written_to_or_replaced_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("message");
        std::fs::write(&path, b"123456789").unwrap();
        let input = OwnInput::open(&path).unwrap();
        assert_eq!((input.crc32().unwrap(), input.bytes(3, 4).unwrap()), (0xcbf4_3926, b"4567".to_vec()));
        assert!(input.bytes(6, 4).is_err() && !input.has_changed());
        std::fs::write(&path, b"12345678").unwrap();
        assert!(input.has_changed());
        let again = OwnInput::open(&path).unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, b"12345678").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(again.has_changed());
        std::fs::remove_file(&path).unwrap();
        assert!(OwnInput::open(&path).is_err() && again.has_changed());
    }
    #[test]
    fn change_that_leaves_the_time_or_no_trace_at_all_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("message");
        std::fs::write(&path, b"123456789").unwrap();
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        let mut input = OwnInput::open(&path).unwrap();
        input.crc32().unwrap();
        std::fs::write(&path, b"123456780").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), written);
        assert!(input.has_changed());
        // As after a write through a mapping that had been written to before.
        input.at_first = state(&std::fs::metadata(&path).unwrap());
        assert!(input.has_changed());
        std::fs::write(&path, b"123456789").unwrap();
        input.at_first = state(&std::fs::metadata(&path).unwrap());
        assert!(!input.has_changed());
    }
}
