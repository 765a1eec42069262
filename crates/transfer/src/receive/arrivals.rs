//! The pieces of an attempt as they arrive: which are claimed, which are complete, and where their bytes go.
//!
//! Promises: what a sender can make the receiver remember is bounded. A complete file costs one byte. The others
//! together have at most [`MAX_RANGES`] separate ranges, and a file is open only while one of its pieces is arriving.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::accepted::Accepted;
use super::declared::Declared;
use super::stream::{Pieces, Sink};
use crate::Error;
use crate::arrived::Spared;
use crate::message::OfferedFile;
use crate::moving::MovingFile;
use crate::parts::Parts;
use crate::piece::{MIN_PIECE, Piece};
use crate::progress::Progress;
use crate::ranges::{MAX_RANGES, Ranges};
use crate::sync::{self, is_full};

/// What arrives, shared by the data connections of an attempt.
pub(super) struct Arrivals {
    accepted: Arc<Accepted>,
    /// `None`: everything is discarded.
    parts: Option<Arc<Parts>>,
    progress: Arc<Progress>,
    inner: Mutex<Inner>,
    declared: Arc<Mutex<Declared>>,
}

struct Inner {
    /// By their numbers in the attempt's offer: files that miss no byte.
    complete: Vec<bool>,
    /// Files that are here in part.
    begun: HashMap<u32, PartialFile>,
    /// Claimed ranges of these files.
    ranges: usize,
    /// What of complete pieces is not known to be on disk, by the numbers of accepted files.
    unsynced: Vec<Piece>,
    /// The pieces that are arriving.
    arriving: Vec<Arriving>,
    /// What is not on the wire, by the numbers of accepted files.
    spared: Spared,
    /// The attempt is over.
    closed: bool,
}

/// A piece of which only the beginning is here. Its chunks come in order and each is authentic for its place, so what is here counts even
/// if the rest never comes.
struct Arriving {
    /// With the number of the accepted file.
    piece: Piece,
    written: Arc<AtomicU64>,
    /// How much of it was handed on to be synced.
    handed_on: u64,
}

impl Arriving {
    /// What has been written since the last call.
    fn take(&mut self) -> Option<Piece> {
        let written = self.written.load(Ordering::Acquire);
        let length = written - self.handed_on;
        let offset = self.piece.offset + std::mem::replace(&mut self.handed_on, written);
        (length > 0).then_some(Piece { offset, length, ..self.piece })
    }
}

/// A file that is here in part.
#[derive(Default)]
struct PartialFile {
    /// The ranges from earlier attempts.
    before: Ranges,
    /// Those, and pieces that began.
    claimed: Ranges,
    /// The complete ones.
    done: Ranges,
    /// Its part exists, from an earlier attempt or an earlier piece.
    opened_before: bool,
    /// An empty file's only piece began.
    empty: bool,
    file: Option<Arc<File>>,
    /// From its first piece in this attempt on.
    moving: Option<Arc<MovingFile>>,
}

impl Arrivals {
    /// `have` is what earlier attempts received, by the numbers of accepted files, and `declared` how that compares with what was offered.
    pub(super) fn new(
        accepted: Arc<Accepted>,
        parts: Option<Arc<Parts>>,
        progress: Arc<Progress>,
        have: &HashMap<u32, Ranges>,
        declared: Arc<Mutex<Declared>>,
    ) -> Self {
        let mut inner = Inner {
            complete: vec![false; accepted.count()],
            begun: HashMap::new(),
            ranges: 0,
            unsynced: Vec::new(),
            arriving: Vec::new(),
            spared: Spared::new(have.iter().map(|(part, ranges)| (*part, ranges.bytes()))),
            closed: false,
        };
        // Including files that are not offered now: they may be offered again.
        let is_begun =
            |(part, ranges): &(&u32, &Ranges)| accepted.file(**part).is_some_and(|file| !ranges.is_whole(file.size));
        inner.ranges = have.iter().filter(is_begun).map(|(_, ranges)| ranges.count()).sum();
        let mut here = 0;
        for (number, (part, file)) in (0..).zip(accepted.offered()) {
            if !accepted.has_part(part) {
                inner.complete[number as usize] = true;
                continue;
            }
            let Some(ranges) = have.get(&part) else { continue };
            here += ranges.bytes();
            if ranges.is_whole(file.size) {
                inner.complete[number as usize] = true;
            } else {
                let [before, claimed, done] = std::array::from_fn(|_| ranges.clone());
                inner.begun.insert(
                    number,
                    PartialFile { before, claimed, done, opened_before: true, ..PartialFile::default() },
                );
            }
        }
        progress.start(accepted.bytes(), here);
        lock(&declared).begin(&accepted, have);
        Self { accepted, parts, progress, inner: Mutex::new(inner), declared }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// From now on no piece begins or ends. A connection that is cut still finds in its socket what had arrived before;
    /// handling that would interfere with the next attempt and its parts.
    pub(super) fn close(&self) {
        self.inner().closed = true;
    }

    /// What was written since the last call, by the numbers of accepted files: pieces, and parts of those that are still arriving.
    pub(super) fn take_unsynced(&self) -> Vec<Piece> {
        let mut inner = self.inner();
        let mut all = std::mem::take(&mut inner.unsynced);
        all.extend(inner.arriving.iter_mut().filter_map(Arriving::take));
        all
    }

    /// What was not on the wire, by the numbers of accepted files.
    pub(super) fn take_spared(&self) -> Spared {
        std::mem::take(&mut self.inner().spared)
    }

    /// Whether a file of the attempt's offer misses no byte.
    pub(super) fn is_complete(&self, number: u32) -> bool {
        self.inner().complete.get(number as usize).is_some_and(|complete| *complete)
    }

    fn open(&self, part: u32, size: u64, resumed: bool) -> Result<Option<Arc<File>>, Error> {
        let Some(parts) = &self.parts else { return Ok(None) };
        // Bytes from an earlier attempt that it did not record count for nothing.
        let file = match resumed {
            true => parts.part(part, size, false),
            false => parts.remove_part(part).and_then(|()| parts.part(part, size, true)),
        }?;
        // Space for holes would fill them.
        if !self.accepted.file(part).is_some_and(OfferedFile::is_sparse) {
            parts.reserve(&file, size)?;
        }
        Ok(Some(Arc::new(file)))
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Arrivals {
    /// A piece, or a hole, that is due.
    fn claim(&self, piece: &Piece, is_hole: bool) -> Result<PieceSink, Error> {
        let part = self.accepted.part(piece.file).ok_or(Error::Piece("a piece of an unknown file"))?;
        let size = self.accepted.file(part).map_or(0, |file| file.size);
        // Piece::decode checked that the sum does not overflow.
        let end = piece.offset + piece.length;
        if end > size {
            return Err(Error::Piece("a piece beyond the end of its file"));
        }
        let repeated = Error::Piece("a piece that came before");
        let mut guard = self.inner();
        let inner = &mut *guard;
        if inner.closed {
            return Err(Error::Cut);
        }
        if inner.complete[piece.file as usize] {
            return Err(repeated);
        }
        let begun = inner.begun.entry(piece.file).or_default();
        if piece.length < MIN_PIECE && end != size && !begun.before.begins_at(end) {
            return Err(Error::Piece("a piece that is too short"));
        }
        if size == 0 {
            if std::mem::replace(&mut begun.empty, true) {
                return Err(repeated);
            }
        } else {
            let before = begun.claimed.count();
            begun.claimed.add(piece.offset, piece.length).map_err(|_| repeated)?;
            inner.ranges = inner.ranges - before + begun.claimed.count();
        }
        if inner.ranges > MAX_RANGES {
            return Err(Error::Piece("more separate ranges than a receiver remembers"));
        }
        let of = self.accepted.file(part);
        if is_hole {
            inner.spared.add_hole(part, piece.length);
        }
        match of {
            Some(of) if is_hole => lock(&self.declared).hole(part, of, piece.length),
            Some(of) => lock(&self.declared).data(part, of, piece.length)?,
            None => {}
        }
        if begun.file.is_none() {
            begun.file = self.open(part, size, begun.opened_before)?;
            begun.opened_before = true;
        }
        let begin = || of.and_then(|of| self.progress.begin(of.name.as_str(), size, begun.done.bytes()));
        begun.moving = begun.moving.take().or_else(begin);
        let (file, written, moving) = (begun.file.clone(), Arc::<AtomicU64>::default(), begun.moving.clone());
        if self.parts.is_some() && piece.length > 0 {
            let piece = Piece { file: part, ..*piece };
            inner.arriving.push(Arriving { piece, written: written.clone(), handed_on: 0 });
        }
        Ok(PieceSink { file, written, moving, progress: self.progress.clone() })
    }
}

impl Pieces for &Arrivals {
    type Sink = PieceSink;

    fn begin(&self, piece: &Piece) -> Result<PieceSink, Error> {
        self.claim(piece, false)
    }

    fn hole(&self, hole: &Piece) -> Result<(), Error> {
        let sink = self.claim(hole, true)?;
        if let Some(file) = &sink.file {
            // A part from an earlier attempt may have bytes there that it did not record.
            Parts::punch(file, hole.offset, hole.length).map_err(cannot_write)?;
        }
        sink.written.store(hole.length, Ordering::Release);
        sink.moving.iter().for_each(|moving| moving.add(hole.length));
        self.progress.add_hole(hole.length);
        self.end(hole, sink)
    }

    fn end(&self, piece: &Piece, sink: PieceSink) -> Result<(), Error> {
        if let Some(file) = &sink.file {
            sync::begin(file, piece.offset, piece.length);
        }
        // So that the count below includes other pieces only.
        drop(sink);
        let part = self.accepted.part(piece.file).ok_or(Error::Piece("a piece of an unknown file"))?;
        let size = self.accepted.file(part).map_or(0, |file| file.size);
        let mut guard = self.inner();
        let inner = &mut *guard;
        if inner.closed {
            return Err(Error::Cut);
        }
        let Some(begun) = inner.begun.get_mut(&piece.file) else { return Ok(()) };
        if piece.length > 0 {
            begun.done.add(piece.offset, piece.length).map_err(|_| Error::Piece("a piece that came before"))?;
        }
        if begun.file.as_ref().is_some_and(|file| Arc::strong_count(file) == 1) {
            begun.file = None;
        }
        if begun.done.is_whole(size) {
            inner.ranges -= begun.claimed.count();
            inner.begun.remove(&piece.file);
            inner.complete[piece.file as usize] = true;
            self.accepted.file(part).iter().for_each(|of| lock(&self.declared).complete(part, of));
        }
        if self.parts.is_some() {
            let own = Piece { file: part, ..*piece };
            let place = inner.arriving.iter().position(|arriving| arriving.piece == own);
            // An empty piece arrives at once.
            let rest = place.map_or(Some(own), |place| inner.arriving.swap_remove(place).take());
            inner.unsynced.extend(rest);
        }
        Ok(())
    }
}

/// Where the bytes of a piece go: into the file's part, or nowhere.
pub(super) struct PieceSink {
    file: Option<Arc<File>>,
    /// Bytes of the piece that are in the file.
    written: Arc<AtomicU64>,
    moving: Option<Arc<MovingFile>>,
    progress: Arc<Progress>,
}

impl Sink for PieceSink {
    fn write(&mut self, bytes: &[u8], offset: u64) -> Result<(), Error> {
        if let Some(file) = &self.file {
            file.write_all_at(bytes, offset).map_err(cannot_write)?;
        }
        self.written.fetch_add(bytes.len() as u64, Ordering::Release);
        self.moving.iter().for_each(|moving| moving.add(bytes.len() as u64));
        self.progress.add(bytes.len());
        Ok(())
    }
}

fn cannot_write(error: io::Error) -> Error {
    let first = if is_full(&error) { "free some space" } else { "check the disk and its permissions" };
    Error::file_for_both(format!("cannot write a received file: {error}; {first}, then continue with --resume"))
}

#[cfg(test)]
mod tests;
