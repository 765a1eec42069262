//! What is still to be sent, piece by piece, and which files are withdrawn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::cut::{self, Untaken};
use crate::Error;
use crate::message::Withdrawn;
use crate::piece::Piece;
use crate::ranges::Ranges;
use crate::source::{OpenSource, SourceError, SourceFile};

/// A piece that a stream has taken, and where its bytes come from.
pub(super) struct TakenPiece {
    pub(super) piece: Piece,
    source: Arc<OpenSource>,
}

/// A file that is withdrawn.
pub(super) struct WithdrawnFile {
    pub(super) file: u32,
    /// For this end's user.
    pub(super) why: String,
    /// For the other end.
    pub(super) wire_reason: Withdrawn,
}

impl WithdrawnFile {
    fn new(file: u32, error: &SourceError) -> Self {
        let wire_reason = match error {
            SourceError::Changed { .. } | SourceError::Shorter { .. } => Withdrawn::Changed,
            SourceError::Unreadable { .. } => Withdrawn::Unreadable,
        };
        Self { file, why: error.to_string(), wire_reason }
    }
}

/// The remaining pieces, shared by the streams.
pub(super) struct Plan<'a> {
    files: &'a [SourceFile],
    have: HashMap<u32, Ranges>,
    streams: u16,
    inner: Mutex<Inner>,
}

struct Inner {
    /// The file after the current one.
    next: usize,
    /// What remains of the current one.
    current: Option<Untaken>,
    /// Bytes that nobody has taken yet, of all files.
    left: u64,
    in_progress: HashMap<u32, FileInProgress>,
    withdrawn: Vec<WithdrawnFile>,
}

/// A file that has pieces on their way.
struct FileInProgress {
    source: Arc<OpenSource>,
    /// Bytes that have not been sent.
    left: u64,
    broken: Option<SourceError>,
}

impl<'a> Plan<'a> {
    /// Everything that the receiver lacks, for that many streams.
    pub(super) fn new(files: &'a [SourceFile], have: HashMap<u32, Ranges>, streams: u16) -> Self {
        let all: u64 = files.iter().map(|file| file.size).sum();
        let left = all - have.values().map(Ranges::bytes).sum::<u64>();
        let inner = Inner { next: 0, current: None, left, in_progress: HashMap::new(), withdrawn: Vec::new() };
        Self { files, have, streams, inner: Mutex::new(inner) }
    }

    pub(super) fn streams(&self) -> u16 {
        self.streams
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The next piece to send; `None` if all are taken.
    pub(super) fn take(&self) -> Option<TakenPiece> {
        let mut guard = self.inner();
        let inner = &mut *guard;
        loop {
            let most = cut::length(inner.left, self.streams);
            if let Some(piece) = inner.current.as_mut().and_then(|current| current.cut(most)) {
                inner.left -= piece.length;
                let source = inner.in_progress.get(&piece.file)?.source.clone();
                return Some(TakenPiece { piece, source });
            }
            let number = inner.next;
            let file = self.files.get(number)?;
            inner.next += 1;
            self.begin(inner, number as u32, file);
        }
    }

    /// Opens a file, of which what the receiver lacks is to be sent next.
    fn begin(&self, inner: &mut Inner, number: u32, file: &SourceFile) {
        let untaken = match self.have.get(&number) {
            Some(have) => Untaken::new(number, have.gaps(file.size)),
            None => Untaken::new(number, [(0, file.size)].into_iter()),
        };
        let source = match OpenSource::open(file) {
            Ok(source) => Arc::new(source),
            Err(error) => {
                inner.left -= untaken.bytes();
                return inner.withdrawn.push(WithdrawnFile::new(number, &error));
            }
        };
        let in_progress = FileInProgress { source, left: untaken.bytes(), broken: None };
        if self.have.contains_key(&number) && in_progress.left == 0 {
            inner.withdrawn.extend(in_progress.end(number));
        } else {
            inner.in_progress.insert(number, in_progress);
            inner.current = Some(untaken);
        }
    }

    /// Reads bytes of the file. If it became shorter, it will be withdrawn; its piece is filled up with zeros, because
    /// the stream continues after it. The receiver may record that piece, but for a version of the file that no longer
    /// exists. Any other failure ends the attempt: the file may be readable in the next one, still in that version, and
    /// must not have zeros in it.
    pub(super) fn read(&self, taken: &TakenPiece, into: &mut [u8], offset: u64) -> Result<(), Error> {
        match taken.source.read_at(into, offset) {
            Ok(()) => {}
            Err(error @ SourceError::Shorter { .. }) if !taken.source.unchanged() => {
                into.fill(0);
                if let Some(in_progress) = self.inner().in_progress.get_mut(&taken.piece.file) {
                    in_progress.broken.get_or_insert(error);
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Records that the piece was sent.
    pub(super) fn sent(&self, taken: &TakenPiece) {
        let number = taken.piece.file;
        let mut inner = self.inner();
        let Some(in_progress) = inner.in_progress.get_mut(&number) else { return };
        in_progress.left -= taken.piece.length;
        if in_progress.left == 0
            && let Some(in_progress) = inner.in_progress.remove(&number)
        {
            inner.withdrawn.extend(in_progress.end(number));
        }
    }

    /// The withdrawn files, once every stream has ended.
    pub(super) fn into_withdrawn(self) -> Vec<WithdrawnFile> {
        self.inner.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).withdrawn
    }
}

impl FileInProgress {
    /// The last check of a file, after its last piece.
    fn end(self, number: u32) -> Option<WithdrawnFile> {
        let changed = || (!self.source.unchanged()).then(|| self.source.changed());
        self.broken.or_else(changed).map(|error| WithdrawnFile::new(number, &error))
    }
}
