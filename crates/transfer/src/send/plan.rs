//! What is still to be sent, piece by piece, and which files are withdrawn.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::Error;
use crate::holes::Segment;
use crate::message::{Skipped, Withdrawn};
use crate::moving::MovingFile;
use crate::piece::Piece;
use crate::progress::Progress;
use crate::ranges::Ranges;
use crate::source::{OpenSource, SourceError, SourceFile};

/// A piece that a stream has taken, and where its bytes come from.
pub(super) struct TakenPiece {
    pub(super) piece: Piece,
    /// It has no bytes to read: they are zeros that take no space.
    pub(super) is_hole: bool,
    source: Arc<OpenSource>,
    moving: Option<Arc<MovingFile>>,
}

impl TakenPiece {
    /// That many more of its bytes are on their way.
    pub(super) fn add(&self, bytes: u64) {
        self.moving.iter().for_each(|moving| moving.add(bytes));
    }
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

/// What the receiver has of an offer, and what it does not want.
#[derive(Default)]
pub(super) struct ReceiverHas {
    pub(super) ranges: HashMap<u32, Ranges>,
    pub(super) skipped: BTreeMap<u32, Skipped>,
}

impl ReceiverHas {
    /// Bytes of the offer that the receiver wants, and those of them that it has.
    pub(super) fn bytes(&self, files: &[SourceFile]) -> (u64, u64) {
        let wanted = (0..).zip(files).filter(|(number, _)| !self.skipped.contains_key(number));
        (wanted.map(|(_, file)| file.size).sum(), self.ranges.values().map(Ranges::bytes).sum())
    }
}

/// The remaining pieces, shared by the streams.
pub(super) struct Plan<'a> {
    files: &'a [SourceFile],
    receiver: ReceiverHas,
    progress: &'a Progress,
    inner: Mutex<Inner>,
}

struct Inner {
    /// The file after the current one.
    next: usize,
    /// What remains of the current one.
    current: Vec<Planned>,
    in_progress: HashMap<u32, FileInProgress>,
    withdrawn: Vec<WithdrawnFile>,
}

/// A piece that no stream has taken yet.
struct Planned {
    piece: Piece,
    is_hole: bool,
}

/// A file that has pieces on their way.
struct FileInProgress {
    source: Arc<OpenSource>,
    moving: Option<Arc<MovingFile>>,
    /// Pieces that have not been sent completely.
    left: usize,
    broken: Option<SourceError>,
}

impl<'a> Plan<'a> {
    /// Everything that the receiver lacks.
    pub(super) fn new(files: &'a [SourceFile], receiver: ReceiverHas, progress: &'a Progress) -> Self {
        let inner = Inner { next: 0, current: Vec::new(), in_progress: HashMap::new(), withdrawn: Vec::new() };
        Self { files, receiver, progress, inner: Mutex::new(inner) }
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
        let Planned { piece, is_hole } = inner.current.pop()?;
        let FileInProgress { source, moving, .. } = inner.in_progress.get(&piece.file)?;
        Some(TakenPiece { piece, is_hole, source: source.clone(), moving: moving.clone() })
    }

    /// Opens a file and cuts what the receiver lacks of it into pieces. Of a link only its state is looked at.
    fn begin(&self, inner: &mut Inner, number: u32, file: &SourceFile) {
        if self.receiver.skipped.contains_key(&number) {
            return;
        }
        if file.link.is_some() {
            if !file.is_unchanged_link() {
                let changed = SourceError::Changed { path: file.path.clone() };
                inner.withdrawn.push(WithdrawnFile::new(number, &changed));
            }
            return;
        }
        let source = match OpenSource::open(file) {
            Ok(source) => Arc::new(source),
            Err(error) => return inner.withdrawn.push(WithdrawnFile::new(number, &error)),
        };
        let gaps: Vec<(u64, u64)> = match self.receiver.ranges.get(&number) {
            Some(have) => have.gaps(file.size).collect(),
            None => vec![(0, file.size)],
        };
        let mut pieces: Vec<Planned> = gaps.into_iter().flat_map(|gap| planned(number, file, &source, gap)).collect();
        pieces.reverse();
        let lacking: u64 = pieces.iter().map(|planned| planned.piece.length).sum();
        let moving = self.progress.begin(file.name.as_str(), file.size, file.size.saturating_sub(lacking));
        let in_progress = FileInProgress { source, moving, left: pieces.len(), broken: None };
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

/// The pieces of a range of a file.
fn planned(number: u32, file: &SourceFile, source: &OpenSource, (offset, length): (u64, u64)) -> Vec<Planned> {
    let whole = Segment { offset, length, is_hole: false };
    // Looking for holes costs system calls: only where some were found before.
    let segments = if file.data < file.size { source.segments(offset, length) } else { vec![whole] };
    let pieces = segments.into_iter().flat_map(|Segment { offset, length, is_hole }| match is_hole {
        true => vec![Planned { piece: Piece { file: number, offset, length }, is_hole }],
        false => Piece::cut(number, offset, length).map(|piece| Planned { piece, is_hole }).collect(),
    });
    pieces.collect()
}

impl FileInProgress {
    /// The last check of a file, after its last piece.
    fn end(self, number: u32) -> Option<WithdrawnFile> {
        let changed = || (!self.source.unchanged()).then(|| self.source.changed());
        self.broken.or_else(changed).map(|error| WithdrawnFile::new(number, &error))
    }
}
