//! Any file in place of a journal: the lines before the first wrong one count, alone as within the whole; the journal
//! continues right behind them.
//!
//! The input is read twice: as it is, and with the right checksum in front of each line, which a fuzzer does not guess.
#![no_main]

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::sync::LazyLock;

use ciphermeter_fuzz::{scratch, stretched};
use ciphermeter_transfer::{Entry, Journal, MAX_LINE, replay};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

fuzz_target!(|data: &[u8]| {
    let text = stretched(data);
    reads_on(&text);
    let mut summed = Vec::new();
    for json in text.split_inclusive(|byte| *byte == b'\n') {
        let sum = crc32fast::hash(json.strip_suffix(b"\n").unwrap_or(json));
        summed.extend_from_slice(format!("{sum:08x} ").as_bytes());
        summed.extend_from_slice(json);
    }
    reads_on(&summed);
});

fn reads_on(bytes: &[u8]) {
    let (entries, length) = replay(bytes);
    let (right, wrong) = bytes.split_at(length);
    assert_eq!(replay(right), (entries.clone(), length));
    assert_eq!(right.split_inclusive(|byte| *byte == b'\n').count(), entries.len());
    assert!(right.split_inclusive(|byte| *byte == b'\n').all(|line| line.len() <= MAX_LINE));
    assert_eq!(replay(wrong), (vec![], 0));

    let mut file = journal_of(bytes);
    let (mut journal, read) = open(&file);
    assert_eq!(read, entries);
    journal.append(&entries).expect("there is room");
    let (_, read) = open(&file);
    assert_eq!(read, [&entries[..], &entries[..]].concat());
    let mut now = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut now)).expect("a file in memory");
    assert!(now.starts_with(right), "what was there is another now");
}

fn open(file: &File) -> (Journal, Vec<Entry>) {
    let mut entries = Vec::new();
    let file = file.try_clone().expect("another handle");
    let journal = Journal::open(file, |entry| entries.push(entry)).expect("any file is a journal");
    (journal, entries)
}

fn journal_of(bytes: &[u8]) -> File {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(scratch);
    let path = FOLDER.path().join("journal");
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path).expect("a place");
    file.write_all(bytes).expect("room for a file");
    file
}
