//! What is still to be sent, piece by piece, and which files are withdrawn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

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
    inner: Mutex<Inner>,
}

struct Inner {
    /// The file after the current one.
    next: usize,
    /// What remains of the current one.
    current: Vec<Piece>,
    in_progress: HashMap<u32, FileInProgress>,
    withdrawn: Vec<WithdrawnFile>,
}

/// A file that has pieces on their way.
struct FileInProgress {
    source: Arc<OpenSource>,
    /// Pieces that have not been sent completely.
    left: usize,
    broken: Option<SourceError>,
}

impl<'a> Plan<'a> {
    /// Everything that the receiver lacks.
    pub(super) fn new(files: &'a [SourceFile], have: HashMap<u32, Ranges>) -> Self {
        let inner = Inner { next: 0, current: Vec::new(), in_progress: HashMap::new(), withdrawn: Vec::new() };
        Self { files, have, inner: Mutex::new(inner) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The next piece to send; `None` if all are taken.
    pub(super) fn take(&self) -> Option<TakenPiece> {
        let mut inner = self.inner();
        while inner.current.is_empty() {
            let number = inner.next;
            let file = self.files.get(number)?;
            inner.next += 1;
            self.begin(&mut inner, number as u32, file);
        }
        let piece = inner.current.pop()?;
        let source = inner.in_progress.get(&piece.file)?.source.clone();
        Some(TakenPiece { piece, source })
    }

    /// Opens a file and cuts what the receiver lacks of it into pieces.
    fn begin(&self, inner: &mut Inner, number: u32, file: &SourceFile) {
        let source = match OpenSource::open(file) {
            Ok(source) => Arc::new(source),
            Err(error) => return inner.withdrawn.push(WithdrawnFile::new(number, &error)),
        };
        let mut pieces: Vec<Piece> = match self.have.get(&number) {
            Some(have) => {
                have.gaps(file.size).flat_map(|(offset, length)| Piece::cut(number, offset, length)).collect()
            }
            None => Piece::cut(number, 0, file.size).collect(),
        };
        pieces.reverse();
        let in_progress = FileInProgress { source, left: pieces.len(), broken: None };
        if pieces.is_empty() {
            inner.withdrawn.extend(in_progress.end(number));
        } else {
            inner.in_progress.insert(number, in_progress);
        }
        inner.current = pieces;
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
        in_progress.left -= 1;
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
