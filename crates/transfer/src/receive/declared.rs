//! What files bring beyond the bytes that they were offered with.
//!
//! An offer says how many bytes of a file are in no hole, and there was room for those. A sender that sends more would fill
//! the disk. An honest one may send a little more: in a later attempt it finds short rests of holes, which it sends as
//! zeros.

use std::collections::HashMap;

use super::accepted::Accepted;
use crate::Error;
use crate::message::OfferedFile;
use crate::ranges::Ranges;

/// The most bytes beyond those that were offered, of all files of a transfer.
const MOST_BEYOND: u64 = 16 << 20;

/// What the files with holes have brought, over all attempts of this process.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Of files that are not complete, by the numbers of accepted ones.
    begun: HashMap<u32, Brought>,
    /// Bytes that complete files brought too many.
    complete: u64,
    /// The same of all files.
    beyond: u64,
}

/// Bytes of one file.
#[derive(Debug, Clone, Copy, Default)]
struct Brought {
    data: u64,
    holes: u64,
}

impl Brought {
    fn beyond(self, file: &OfferedFile) -> u64 {
        self.data.saturating_sub(file.data())
    }
}

impl Declared {
    /// Begins an attempt, to which earlier ones left these ranges of accepted files. What an earlier process received of
    /// a file counts as its holes first.
    pub(super) fn begin(&mut self, accepted: &Accepted, have: &HashMap<u32, Ranges>) {
        let before = std::mem::take(&mut self.begun);
        self.beyond = self.complete;
        for (&part, ranges) in have {
            let Some(file) = accepted.file(part).filter(|file| file.is_sparse()) else { continue };
            if ranges.is_whole(file.size) {
                continue;
            }
            let here = ranges.bytes();
            let holes = before.get(&part).map_or(file.size - file.data(), |before| before.holes).min(here);
            let brought = Brought { data: here - holes, holes };
            self.beyond += brought.beyond(file);
            self.begun.insert(part, brought);
        }
    }

    /// Takes bytes of a file, or refuses them.
    pub(super) fn data(&mut self, part: u32, file: &OfferedFile, length: u64) -> Result<(), Error> {
        if !file.is_sparse() {
            return Ok(());
        }
        let brought = self.begun.entry(part).or_default();
        let before = brought.beyond(file);
        brought.data += length;
        self.beyond += brought.beyond(file) - before;
        match self.beyond > MOST_BEYOND {
            true => Err(Error::Piece("more bytes than its files were offered with")),
            false => Ok(()),
        }
    }

    /// Takes a hole.
    pub(super) fn hole(&mut self, part: u32, file: &OfferedFile, length: u64) {
        if file.is_sparse() {
            self.begun.entry(part).or_default().holes += length;
        }
    }

    /// Forgets all of a complete file but what it brought too much.
    pub(super) fn complete(&mut self, part: u32, file: &OfferedFile) {
        let brought = self.begun.remove(&part).unwrap_or_default();
        self.complete += brought.beyond(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receive::Offer;
    use crate::receive::samples::file;

    const MIB: u64 = 1 << 20;

    /// Files of 100 MiB with so many MiB of data.
    fn accepted(data: &[u64]) -> Accepted {
        let file = |(number, data): (usize, &u64)| OfferedFile {
            data: Some(data * MIB),
            ..file(&number.to_string(), 100 * MIB)
        };
        let files = data.iter().enumerate().map(file).collect();
        Accepted::new(Offer { files, ..Offer::default() }, &HashMap::new())
    }

    fn have(part: u32, bytes: u64) -> HashMap<u32, Ranges> {
        let mut ranges = Ranges::default();
        ranges.add(0, bytes).unwrap();
        HashMap::from([(part, ranges)])
    }

    #[test]
    fn files_together_bring_little_more_than_they_were_offered_with() {
        let accepted = accepted(&[5, 0]);
        let (first, second) = (accepted.file(0).unwrap(), accepted.file(1).unwrap());
        let mut declared = Declared::default();
        declared.data(0, first, 15 * MIB).unwrap();
        declared.hole(0, first, 85 * MIB);
        declared.complete(0, first);
        declared.data(1, second, 6 * MIB).unwrap();
        assert!(declared.data(1, second, 1).is_err());
    }

    #[test]
    fn coming_back_makes_no_room() {
        let accepted = accepted(&[10]);
        let file = accepted.file(0).unwrap();
        let mut declared = Declared::default();
        declared.data(0, file, 20 * MIB).unwrap();
        declared.hole(0, file, 5 * MIB);
        declared.begin(&accepted, &have(0, 25 * MIB));
        declared.data(0, file, 6 * MIB).unwrap();
        assert!(declared.data(0, file, 1).is_err());
        // What was not kept does not count.
        declared.begin(&accepted, &HashMap::new());
        declared.data(0, file, 26 * MIB).unwrap();
    }

    #[test]
    fn file_without_holes_has_no_limit_but_its_size() {
        let accepted = accepted(&[100]);
        Declared::default().data(0, accepted.file(0).unwrap(), 100 * MIB).unwrap();
    }
}
