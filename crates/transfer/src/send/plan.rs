//! What is still to be sent, piece by piece, and what came of each file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::Error;
use crate::manifest::Sealed;
use crate::message::Manifest;
use crate::piece::Piece;
use crate::ranges::Ranges;
use crate::source::{OpenSource, SourceError, SourceFile};
use crate::suite::TAG;

/// A piece that a stream has taken, and where its bytes come from.
pub(super) struct Taken {
    pub(super) piece: Piece,
    source: Arc<OpenSource>,
}

/// What came of a file.
pub(super) enum Verdict {
    /// Every piece went out, and it is still what was offered.
    Sent(Manifest),
    /// It can't be sent: its number, and why.
    Withdrawn(u32, String),
}

/// The pieces that are left, shared by the streams.
pub(super) struct Plan<'a> {
    files: &'a [SourceFile],
    have: HashMap<u32, Ranges>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// The file after the current one.
    next: usize,
    /// What is left of the current one.
    current: Vec<Piece>,
    work: HashMap<u32, Work>,
    verdicts: Vec<Verdict>,
}

/// A file of which pieces are on their way.
struct Work {
    source: Arc<OpenSource>,
    /// Pieces that have not gone out whole.
    left: usize,
    sealed: Sealed,
    broken: Option<String>,
}

impl<'a> Plan<'a> {
    /// Everything but what the receiver has.
    pub(super) fn new(files: &'a [SourceFile], have: HashMap<u32, Ranges>) -> Self {
        let inner = Inner { next: 0, current: Vec::new(), work: HashMap::new(), verdicts: Vec::new() };
        Self { files, have, inner: Mutex::new(inner) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The next piece to send; `None` if all are taken.
    pub(super) fn take(&self) -> Option<Taken> {
        let mut inner = self.inner();
        while inner.current.is_empty() {
            let number = inner.next;
            let file = self.files.get(number)?;
            inner.next += 1;
            self.begin(&mut inner, number as u32, file);
        }
        let piece = inner.current.pop()?;
        let source = inner.work.get(&piece.file)?.source.clone();
        Some(Taken { piece, source })
    }

    /// Opens a file and cuts what the receiver lacks of it into pieces.
    fn begin(&self, inner: &mut Inner, number: u32, file: &SourceFile) {
        let source = match OpenSource::open(file) {
            Ok(source) => Arc::new(source),
            Err(error) => return inner.verdicts.push(Verdict::Withdrawn(number, error.to_string())),
        };
        let mut pieces: Vec<Piece> = match self.have.get(&number) {
            Some(have) => {
                have.gaps(file.size).flat_map(|(offset, length)| Piece::cut(number, offset, length)).collect()
            }
            None => Piece::cut(number, 0, file.size).collect(),
        };
        pieces.reverse();
        let work = Work { source, left: pieces.len(), sealed: Sealed::default(), broken: None };
        if pieces.is_empty() {
            inner.verdicts.push(verdict(number, file.size, work));
        } else {
            inner.work.insert(number, work);
        }
        inner.current = pieces;
    }

    /// Reads bytes of the file. Where it became shorter, it will be withdrawn; its piece is filled up with zeros, because the stream
    /// goes on behind it. The receiver may remember that piece, but for a version of the file that is no more. What fails otherwise ends
    /// the attempt: the file may read well in the next one, still in that version, and must not be there with zeros.
    pub(super) fn read(&self, taken: &Taken, into: &mut [u8], offset: u64) -> Result<(), Error> {
        match taken.source.read_at(into, offset) {
            Ok(()) => {}
            Err(error @ SourceError::Shorter { .. }) if !taken.source.unchanged() => {
                into.fill(0);
                if let Some(work) = self.inner().work.get_mut(&taken.piece.file) {
                    work.broken.get_or_insert_with(|| error.to_string());
                }
            }
            Err(error) => return Err(Error::File(error.to_string())),
        }
        Ok(())
    }

    /// The piece went out.
    pub(super) fn sent(&self, taken: &Taken, tag: [u8; TAG]) {
        let number = taken.piece.file;
        let mut inner = self.inner();
        let Some(work) = inner.work.get_mut(&number) else { return };
        work.sealed.add(&taken.piece, tag);
        work.left -= 1;
        if work.left == 0
            && let Some(work) = inner.work.remove(&number)
        {
            let verdict = verdict(number, self.files[number as usize].size, work);
            inner.verdicts.push(verdict);
        }
    }

    /// What came of the files, once every stream has ended.
    pub(super) fn into_verdicts(self) -> Vec<Verdict> {
        self.inner.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).verdicts
    }
}

fn verdict(file: u32, size: u64, work: Work) -> Verdict {
    match work.broken {
        Some(why) => Verdict::Withdrawn(file, why),
        None if !work.source.unchanged() => {
            Verdict::Withdrawn(file, "it was changed while it was being sent; send it again".into())
        }
        None => {
            let pieces = work.sealed.pieces();
            Verdict::Sent(Manifest { file, size, pieces, digest: work.sealed.digest() })
        }
    }
}
