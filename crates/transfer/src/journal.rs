//! What of a transfer is on disk: lines that are only ever appended, each after the data that it names has become
//! durable.
//!
//! A line is the CRC-32 (as in gzip) of its JSON as 8 lower-case hex digits, a blank, the JSON, a newline.
//! Promises: reading stops before the first line that is cut or damaged, so a power loss during a write costs that line
//! and no more. The CRC guards against accidents only: only the owner may write the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use crate::source::Version;
use crate::sync::sync_file;

/// The longest line in bytes, its newline included.
pub const MAX_LINE: usize = 4096;
/// The longest journal in bytes.
pub const MAX_JOURNAL: u64 = 256 << 20;

/// One line's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
pub enum Entry {
    /// This range of the file's part is on disk.
    Piece {
        /// The file's number.
        file: u32,
        /// The first byte.
        offset: u64,
        /// The length in bytes.
        length: u64,
    },
    /// The source has changed: the file's pieces before this line are void.
    Restart {
        /// The file's number.
        file: u32,
        /// What the source is now.
        version: Version,
    },
    /// Every part is complete and durable; renames may have begun.
    Placing,
    /// An attempt began.
    Attempt {
        /// Its number, counted over the whole transfer.
        number: u32,
    },
}

/// Why the journal cannot be appended to, or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It would become longer than [`MAX_JOURNAL`], or already is.
    #[error("the journal is longer than {MAX_JOURNAL} bytes; remove the transfer's state and start over")]
    TooLong,
    /// An earlier append failed, so the journal's end is unknown.
    #[error("an earlier write to the journal failed; stop this attempt and resume the transfer")]
    Failed,
    /// The system's error.
    #[error("cannot {doing} the journal: {why}; check the disk, then resume the transfer")]
    System {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The system's reason.
        why: io::Error,
    },
}

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    file: File,
    length: u64,
    failed: bool,
}

impl Journal {
    /// Takes a journal file that is readable and writable, passes its valid entries in order to `each`, and truncates
    /// it after the last of them.
    pub fn open(mut file: File, each: impl FnMut(Entry)) -> Result<Self, JournalError> {
        let system = |doing| move |why| JournalError::System { doing, why };
        let size = file.metadata().map_err(system("look at"))?.len();
        if size > MAX_JOURNAL {
            return Err(JournalError::TooLong);
        }
        file.rewind().map_err(system("read"))?;
        let length = read_entries(BufReader::new((&file).take(size)), each).map_err(system("read"))?;
        if length < size {
            file.set_len(length).map_err(system("cut"))?;
        }
        file.seek(SeekFrom::Start(length)).map_err(system("read"))?;
        Ok(Self { file, length, failed: false })
    }

    /// Passes a journal's valid entries in order to `each`, and changes nothing.
    pub(crate) fn look(file: &File, each: impl FnMut(Entry)) -> Result<(), JournalError> {
        let system = |why| JournalError::System { doing: "read", why };
        if file.metadata().map_err(system)?.len() > MAX_JOURNAL {
            return Err(JournalError::TooLong);
        }
        read_entries(BufReader::new(file.take(MAX_JOURNAL)), each).map(drop).map_err(system)
    }

    /// Bytes of its valid lines.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Appends the entries and makes them durable, with one wait for the disk. After an error nothing more is appended:
    /// a failed write may have left half a line, and a failed sync is never reported twice.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        if self.failed {
            return Err(JournalError::Failed);
        }
        let lines: String = entries.iter().map(line).collect();
        if self.length.saturating_add(lines.len() as u64) > MAX_JOURNAL {
            return Err(JournalError::TooLong);
        }
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| Ok(sync_file(&self.file)?));
        self.failed = written.is_err();
        self.length += lines.len() as u64;
        written.map_err(|why| JournalError::System { doing: "write", why })
    }
}

/// The entries before the first line that is cut or damaged, and the number of bytes they take.
pub fn replay(bytes: &[u8]) -> (Vec<Entry>, usize) {
    let mut entries = Vec::new();
    let length = read_entries(bytes, |entry| entries.push(entry)).unwrap_or(0);
    (entries, length as usize)
}

/// As [`replay`], from any reader; keeps no more than a line in memory.
fn read_entries(mut reader: impl BufRead, mut each: impl FnMut(Entry)) -> io::Result<u64> {
    let (mut line, mut length) = (Vec::with_capacity(MAX_LINE), 0);
    loop {
        line.clear();
        let read = reader.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line)?;
        match entry(&line) {
            Some(entry) => each(entry),
            None => return Ok(length),
        }
        length += read as u64;
    }
}

fn line(entry: &Entry) -> String {
    // A flat object of integers and one hex text: serialization cannot fail.
    let json = serde_json::to_string(entry).unwrap_or_default();
    format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
}

fn entry(line: &[u8]) -> Option<Entry> {
    let (crc, rest) = line.strip_suffix(b"\n")?.split_at_checked(8)?;
    let json = rest.strip_prefix(b" ")?;
    if format!("{:08x}", crc32fast::hash(json)).as_bytes() != crc {
        return None;
    }
    serde_json::from_slice(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let entry = prop_oneof![
            any::<(u32, u64, u64)>().prop_map(|(file, offset, length)| Entry::Piece { file, offset, length }),
            any::<(u32, [u8; 16])>().prop_map(|(file, bytes)| Entry::Restart { file, version: Version(bytes) }),
            Just(Entry::Placing),
            any::<u32>().prop_map(|number| Entry::Attempt { number }),
        ];
        proptest::collection::vec(entry, 0..12)
    }

    fn text(entries: &[Entry]) -> Vec<u8> {
        entries.iter().map(line).collect::<String>().into_bytes()
    }

    fn scratch(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn reopen(journal: &Journal) -> (Journal, Vec<Entry>) {
        let mut read = Vec::new();
        let again = Journal::open(journal.file.try_clone().unwrap(), |entry| read.push(entry)).unwrap();
        (again, read)
    }

    #[test]
    fn line_format_is_fixed() {
        let piece = Entry::Piece { file: 1, offset: 2, length: 3 };
        assert_eq!(line(&piece), "6370a3d9 {\"is\":\"piece\",\"file\":1,\"offset\":2,\"length\":3}\n");
        assert!(line(&Entry::Placing).ends_with(" {\"is\":\"placing\"}\n"));
        let restart = line(&Entry::Restart { file: 7, version: Version([0xab; 16]) });
        assert!(restart.ends_with(&format!("{{\"is\":\"restart\",\"file\":7,\"version\":\"{}\"}}\n", "ab".repeat(16))));
        assert!(line(&Entry::Attempt { number: 2 }).ends_with("{\"is\":\"attempt\",\"number\":2}\n"));
    }

    #[test]
    fn valid_checksum_of_invalid_line_is_refused() {
        let with_sum = |json: &str| format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes();
        let odd = r#"{"is":"attempt","number":1,"more":2}"#;
        for json in ["", "{}", r#"{"is":"other"}"#, odd, r#"{"is":"attempt","number":-1}"#, &"[".repeat(4000)] {
            assert_eq!(replay(&with_sum(json)), (vec![], 0), "{json}");
        }
        let long = format!(r#"{{"is":"attempt",{}"number":1}}"#, " ".repeat(MAX_LINE));
        assert_eq!(replay(&with_sum(&long)), (vec![], 0));
        let upper = String::from_utf8(with_sum(r#"{"is":"placing"}"#)).unwrap();
        assert_eq!(replay(upper.replacen(&upper[..8], &upper[..8].to_uppercase(), 1).as_bytes()).1, 0);
    }

    #[test]
    fn torn_line_is_cut_before_the_next_append() {
        let (first, second) = (Entry::Attempt { number: 1 }, Entry::Piece { file: 0, offset: 0, length: 9 });
        let mut bytes = text(&[first.clone(), second.clone()]);
        bytes.truncate(bytes.len() - 5);
        let (mut journal, read) = reopen(&Journal { file: scratch(&bytes), length: 0, failed: false });
        assert_eq!(read, std::slice::from_ref(&first));
        journal.append(&[second.clone(), Entry::Placing]).unwrap();
        journal.append(&[]).unwrap();
        assert_eq!(reopen(&journal).1, [first, second, Entry::Placing]);
    }

    #[test]
    fn zeros_after_a_power_loss_are_cut() {
        let mut bytes = text(&[Entry::Placing]);
        bytes.resize(bytes.len() + 8192, 0);
        let (journal, read) = reopen(&Journal { file: scratch(&bytes), length: 0, failed: false });
        assert_eq!((read.len(), journal.file.metadata().unwrap().len()), (1, journal.length));
    }

    #[test]
    fn journal_length_is_limited() {
        let file = scratch(b"");
        file.set_len(MAX_JOURNAL + 1).unwrap();
        assert!(matches!(Journal::open(file, |_| {}), Err(JournalError::TooLong)));
        let mut full = Journal { file: scratch(b""), length: MAX_JOURNAL, failed: false };
        assert!(matches!(full.append(&[Entry::Placing]), Err(JournalError::TooLong)));
    }

    #[test]
    fn nothing_is_appended_after_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "").unwrap();
        let mut journal = Journal::open(File::open(&path).unwrap(), |_| {}).unwrap();
        assert!(matches!(journal.append(&[Entry::Placing]), Err(JournalError::System { .. })));
        assert!(matches!(journal.append(&[Entry::Placing]), Err(JournalError::Failed)));
    }

    proptest! {
        #[test]
        fn any_truncation_gives_a_prefix(entries in entries(), cut in any::<proptest::sample::Index>()) {
            let mut bytes = text(&entries);
            prop_assert_eq!(replay(&bytes), (entries.clone(), bytes.len()));
            bytes.truncate(cut.index(bytes.len() + 1));
            let (read, length) = replay(&bytes);
            prop_assert!(entries.starts_with(&read));
            prop_assert_eq!(&bytes[..length], &text(&read));
        }

        #[test]
        fn any_changed_byte_gives_nothing_new(entries in entries(), at in any::<proptest::sample::Index>(), flip in 1..=255u8) {
            let mut bytes = text(&entries);
            if bytes.is_empty() {
                return Ok(());
            }
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            let (read, length) = replay(&bytes);
            prop_assert!(entries.starts_with(&read));
            prop_assert!(length <= at);
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(replay(&bytes), (vec![], 0));
        }
    }
}
