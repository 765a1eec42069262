//! What is still to be sent, piece by piece, and which files are withdrawn.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use super::cut::{self, Untaken};
use crate::Error;
use crate::arrived::Spared;
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
#[derive(Clone)]
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
            SourceError::Gone { .. } => Withdrawn::Gone,
            SourceError::Changed { .. } | SourceError::Shorter { .. } => Withdrawn::Changed,
            SourceError::Misstated { .. } => Withdrawn::Misstated,
            SourceError::Unreadable { .. } => Withdrawn::Unreadable,
        };
        Self { file, why: error.of_named(), wire_reason }
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

/// Files of which an attempt could not read a byte that was due, by their numbers. Later attempts withdraw them.
pub(super) type Unreadable = Mutex<BTreeMap<u32, WithdrawnFile>>;

/// The remaining pieces, shared by the streams.
pub(super) struct Plan<'a> {
    files: &'a [SourceFile],
    unreadable: &'a Unreadable,
    receiver: ReceiverHas,
    streams: u16,
    progress: &'a Progress,
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
    spared: Spared,
}

/// A file that has pieces on their way.
struct FileInProgress {
    source: Arc<OpenSource>,
    moving: Option<Arc<MovingFile>>,
    /// Bytes that have not been sent.
    left: u64,
    broken: Option<SourceError>,
}

impl<'a> Plan<'a> {
    /// Everything that the receiver lacks, for that many streams.
    pub(super) fn new(
        files: &'a [SourceFile],
        unreadable: &'a Unreadable,
        receiver: ReceiverHas,
        streams: u16,
        progress: &'a Progress,
    ) -> Self {
        let (all, here) = receiver.bytes(files);
        let left = all - here;
        let spared = Spared::new(receiver.ranges.iter().map(|(file, ranges)| (*file, ranges.bytes())));
        let inner = Inner { next: 0, current: None, left, in_progress: HashMap::new(), withdrawn: Vec::new(), spared };
        Self { files, unreadable, receiver, streams, progress, inner: Mutex::new(inner) }
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
            if let Some((piece, is_hole)) = inner.current.as_mut().and_then(|current| current.cut(most)) {
                inner.left -= piece.length;
                let FileInProgress { source, moving, .. } = inner.in_progress.get(&piece.file)?;
                return Some(TakenPiece { piece, is_hole, source: source.clone(), moving: moving.clone() });
            }
            let number = inner.next;
            let file = self.files.get(number)?;
            inner.next += 1;
            self.begin(inner, number as u32, file);
        }
    }

    /// Opens a file, of which what the receiver lacks is to be sent next. Of a link only its state is looked at.
    fn begin(&self, inner: &mut Inner, number: u32, file: &SourceFile) {
        if self.receiver.skipped.contains_key(&number) {
            return;
        }
        if file.link.is_some() {
            if !file.is_unchanged_link() {
                let changed = SourceError::changed(file.path.clone());
                inner.withdrawn.push(WithdrawnFile::new(number, &changed));
            }
            return;
        }
        let gaps: Vec<(u64, u64)> = match self.receiver.ranges.get(&number) {
            Some(have) => have.gaps(file.size).collect(),
            None => vec![(0, file.size)],
        };
        let before = self.unreadable().get(&number).cloned();
        let opened = || {
            let source = OpenSource::open(file)?;
            source.check_size(file.size).map(|()| Arc::new(source))
        };
        let source = match before.map_or_else(|| opened().map_err(|error| WithdrawnFile::new(number, &error)), Err) {
            Ok(source) => source,
            Err(withdrawn) => {
                inner.left -= gaps.iter().map(|(_, length)| length).sum::<u64>();
                return inner.withdrawn.push(withdrawn);
            }
        };
        let untaken = Untaken::new(number, gaps.into_iter().flat_map(|gap| segments(file, &source, gap)));
        let left = untaken.bytes();
        let moving = self.progress.begin(file.name.as_str(), file.size, file.size.saturating_sub(left));
        let in_progress = FileInProgress { source, moving, left, broken: None };
        if self.receiver.ranges.contains_key(&number) && in_progress.left == 0 {
            inner.withdrawn.extend(in_progress.end(number));
        } else {
            inner.in_progress.insert(number, in_progress);
            inner.current = Some(untaken);
        }
    }

    /// Reads bytes of the file. If it became shorter, it will be withdrawn; its piece is filled up with zeros, because
    /// the stream continues after it. The receiver may record that piece, but for a version of the file that no longer
    /// exists. Any other failure ends the attempt, because a file that is still in that version must not have zeros in it.
    /// The next attempt withdraws it.
    pub(super) fn read(&self, taken: &TakenPiece, into: &mut [u8], offset: u64) -> Result<(), Error> {
        match taken.source.read_at(into, offset) {
            Ok(()) => {}
            Err(error @ SourceError::Shorter { .. }) if !taken.source.unchanged() => {
                into.fill(0);
                if let Some(in_progress) = self.inner().in_progress.get_mut(&taken.piece.file) {
                    in_progress.broken.get_or_insert(error);
                }
            }
            Err(error) => {
                let number = taken.piece.file;
                self.unreadable().entry(number).or_insert_with(|| WithdrawnFile::new(number, &error));
                return Err(Error::Unread(error));
            }
        }
        Ok(())
    }

    fn unreadable(&self) -> MutexGuard<'_, BTreeMap<u32, WithdrawnFile>> {
        self.unreadable.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Records that the piece was sent.
    pub(super) fn sent(&self, taken: &TakenPiece) {
        let number = taken.piece.file;
        let mut inner = self.inner();
        if taken.is_hole {
            inner.spared.add_hole(number, taken.piece.length);
        }
        let Some(in_progress) = inner.in_progress.get_mut(&number) else { return };
        in_progress.left -= taken.piece.length;
        if in_progress.left == 0
            && let Some(in_progress) = inner.in_progress.remove(&number)
        {
            inner.withdrawn.extend(in_progress.end(number));
        }
    }

    /// Once every stream has ended: the withdrawn files, and what of the others was not on the wire.
    pub(super) fn ended(self) -> (Vec<WithdrawnFile>, Spared) {
        let inner = self.inner.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        (inner.withdrawn, inner.spared)
    }
}

/// A range of a file as data and holes.
fn segments(file: &SourceFile, source: &OpenSource, (offset, length): (u64, u64)) -> Vec<Segment> {
    // Looking for holes costs system calls: only where some were found before.
    match file.data < file.size {
        true => source.segments(offset, length),
        false => vec![Segment { offset, length, is_hole: false }],
    }
}

impl FileInProgress {
    /// The last check of a file, after its last piece.
    fn end(self, number: u32) -> Option<WithdrawnFile> {
        let changed = || (!self.source.unchanged()).then(|| self.source.changed());
        self.broken.or_else(changed).map(|error| WithdrawnFile::new(number, &error))
    }
}
