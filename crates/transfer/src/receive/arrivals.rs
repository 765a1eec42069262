//! The pieces of an attempt as they come in: which are claimed, which are whole, and where their bytes go.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard};

use super::offer::Offer;
use super::stream::{Pieces, Sink};
use super::transfer::failed;
use crate::Error;
use crate::manifest::Sealed;
use crate::message::Manifest;
use crate::parts::Parts;
use crate::piece::{MIN_PIECE, Piece};
use crate::progress::Progress;
use crate::ranges::Ranges;
use crate::suite::TAG;

/// What comes in, shared by the data connections of an attempt.
pub(super) struct Arrivals {
    offer: Arc<Offer>,
    /// `None`: everything is thrown away.
    parts: Option<Arc<Parts>>,
    progress: Arc<Progress>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    work: HashMap<u32, Work>,
    /// Files of which no byte is missing.
    whole: HashSet<u32>,
    /// Whole pieces that are not known to be on disk.
    unsynced: Vec<Piece>,
    /// The attempt is over.
    closed: bool,
}

/// A file of which something is here.
#[derive(Default)]
struct Work {
    /// What earlier attempts left.
    before: Ranges,
    /// That, and pieces that began.
    claimed: Ranges,
    /// Those that are whole.
    done: Ranges,
    /// Its part is there, from an earlier attempt or an earlier piece.
    opened_before: bool,
    /// An empty file's only piece began.
    empty: bool,
    sealed: Sealed,
    file: Option<Arc<File>>,
}

impl Arrivals {
    /// `have` is what earlier attempts left.
    pub(super) fn new(
        offer: Arc<Offer>,
        parts: Option<Arc<Parts>>,
        progress: Arc<Progress>,
        have: &HashMap<u32, Ranges>,
    ) -> Self {
        let mut inner = Inner::default();
        for (&file, ranges) in have {
            if ranges.is_whole(offer.files[file as usize].size) {
                inner.whole.insert(file);
            }
            let [before, claimed, done] = std::array::from_fn(|_| ranges.clone());
            let work = Work { before, claimed, done, opened_before: true, ..Work::default() };
            inner.work.insert(file, work);
        }
        progress.start(offer.bytes(), have.values().map(Ranges::bytes).sum());
        Self { offer, parts, progress, inner: Mutex::new(inner) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// No piece begins or ends any more. A connection that is cut still finds what had come before in its socket, and what it made of
    /// that would get between the next attempt and its parts.
    pub(super) fn close(&self) {
        self.inner().closed = true;
    }

    /// Whole pieces that came since this was asked last.
    pub(super) fn take_unsynced(&self) -> Vec<Piece> {
        std::mem::take(&mut self.inner().unsynced)
    }

    /// Whether a file is as its manifest says: no byte missing, and in this attempt these pieces and no others.
    pub(super) fn is_as(&self, manifest: &Manifest) -> bool {
        let mut inner = self.inner();
        let Some(file) = self.offer.files.get(manifest.file as usize) else { return false };
        let sealed =
            inner.work.get_mut(&manifest.file).map(|work| std::mem::take(&mut work.sealed)).unwrap_or_default();
        manifest.size == file.size
            && inner.whole.contains(&manifest.file)
            && manifest.pieces == sealed.pieces()
            && manifest.digest == sealed.digest()
    }

    fn open(&self, number: u32, size: u64, resumed: bool) -> Result<Option<Arc<File>>, Error> {
        let Some(parts) = &self.parts else { return Ok(None) };
        // What an earlier attempt left without remembering it counts for nothing.
        let file = match resumed {
            true => parts.part(number, size, false),
            false => parts.forget(number).and_then(|()| parts.part(number, size, true)),
        };
        let file = file.map_err(failed)?;
        parts.reserve(&file, size).map_err(failed)?;
        Ok(Some(Arc::new(file)))
    }
}

impl Pieces for &Arrivals {
    type Sink = PieceSink;

    fn begin(&self, piece: &Piece) -> Result<PieceSink, Error> {
        let offered = self.offer.files.get(piece.file as usize).ok_or(Error::Frame("a piece of no file"))?;
        // Piece::decode saw that the sum doesn't overflow.
        let end = piece.offset + piece.length;
        if end > offered.size {
            return Err(Error::Frame("a piece beyond its file's end"));
        }
        let twice = Error::Frame("a piece that came before");
        let mut inner = self.inner();
        if inner.closed {
            return Err(Error::Cut);
        }
        let work = inner.work.entry(piece.file).or_default();
        if piece.length < MIN_PIECE && end != offered.size && !work.before.begins_at(end) {
            return Err(Error::Frame("too short a piece"));
        }
        if offered.size == 0 {
            if std::mem::replace(&mut work.empty, true) {
                return Err(twice);
            }
        } else {
            work.claimed.add(piece.offset, piece.length).map_err(|_| twice)?;
        }
        if work.file.is_none() {
            work.file = self.open(piece.file, offered.size, work.opened_before)?;
            work.opened_before = true;
        }
        Ok(PieceSink { file: work.file.clone(), progress: self.progress.clone() })
    }

    fn end(&self, piece: &Piece, _sink: PieceSink, tag: [u8; TAG]) -> Result<(), Error> {
        let size = self.offer.files[piece.file as usize].size;
        let mut inner = self.inner();
        if inner.closed {
            return Err(Error::Cut);
        }
        let Some(work) = inner.work.get_mut(&piece.file) else { return Ok(()) };
        work.sealed.add(piece, tag);
        if piece.length > 0 {
            work.done.add(piece.offset, piece.length).map_err(|_| Error::Frame("a piece that came before"))?;
        }
        if work.done.is_whole(size) {
            // Closed, so that many small files don't hold as many descriptors.
            work.file = None;
            inner.whole.insert(piece.file);
        }
        if self.parts.is_some() {
            inner.unsynced.push(*piece);
        }
        Ok(())
    }
}

/// Where the bytes of a piece go: into the file's part, or nowhere.
pub(super) struct PieceSink {
    file: Option<Arc<File>>,
    progress: Arc<Progress>,
}

impl Sink for PieceSink {
    fn write(&mut self, bytes: &[u8], offset: u64) -> Result<(), Error> {
        if let Some(file) = &self.file {
            file.write_all_at(bytes, offset).map_err(|error| {
                Error::File(format!("a received file can't be written ({error}): make room, then go on with --resume"))
            })?;
        }
        self.progress.add(bytes.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::OfferedFile;
    use crate::name::Name;
    use crate::source::Version;

    fn arrivals(size: u64) -> Arrivals {
        with(size, Ranges::default())
    }

    /// Of one file, of which that is here.
    fn with(size: u64, have: Ranges) -> Arrivals {
        let name = Name::parse("file").unwrap();
        let file = OfferedFile { name, size, mode: 0o600, modified: 0, version: Version([1; 16]) };
        let offer = Offer { files: vec![file], folders: Vec::new() };
        let have = if have.bytes() == 0 { HashMap::new() } else { HashMap::from([(0, have)]) };
        Arrivals::new(Arc::new(offer), None, Arc::default(), &have)
    }

    /// Of a file of 100 times the shortest piece; offsets and lengths are in these.
    #[test]
    fn pieces_that_cannot_be_are_refused() {
        let arrivals = arrivals(100 * MIN_PIECE);
        let begin = |file, offset, length| {
            (&arrivals).begin(&Piece { file, offset: offset * MIN_PIECE, length: length * MIN_PIECE }).is_ok()
        };
        assert!(begin(0, 10, 20));
        assert!(!begin(0, 10, 20) && !begin(0, 29, 2) && !begin(0, 0, 11), "it came before");
        assert!(!begin(0, 99, 2) && !begin(0, 101, 0) && !begin(1, 0, 1), "there is none such");
        assert!(!begin(0, 40, 0), "an empty piece of a file that isn't");
        assert!(begin(0, 30, 70) && begin(0, 0, 10));
    }

    #[test]
    fn short_pieces_come_only_before_an_end() {
        let size = 10 * MIN_PIECE + 5;
        let mut have = Ranges::default();
        have.add(4 * MIN_PIECE + 1, 6).unwrap();
        let arrivals = with(size, have);
        let begin = |offset, length| (&arrivals).begin(&Piece { file: 0, offset, length }).is_ok();
        assert!(!begin(0, 1) && !begin(MIN_PIECE, MIN_PIECE - 1));
        assert!(begin(4 * MIN_PIECE, 1), "up to what is here");
        assert!(!begin(4 * MIN_PIECE - 1, 1), "up to what has just begun");
        assert!(begin(size - 3, 3) && !begin(size - 4, 1));
    }

    #[test]
    fn an_empty_file_has_one_piece() {
        let arrivals = arrivals(0);
        let begin = || (&arrivals).begin(&Piece { file: 0, offset: 0, length: 0 }).is_ok();
        assert!(begin() && !begin());
    }

    #[test]
    fn after_the_end_of_an_attempt_no_piece_begins_or_ends() {
        let arrivals = arrivals(2 * MIN_PIECE);
        let piece = |number| Piece { file: 0, offset: number * MIN_PIECE, length: MIN_PIECE };
        let sink = (&arrivals).begin(&piece(0)).unwrap();
        arrivals.close();
        assert!((&arrivals).begin(&piece(1)).is_err());
        assert!((&arrivals).end(&piece(0), sink, [0; TAG]).is_err());
        assert!(arrivals.take_unsynced().is_empty());
    }
}
