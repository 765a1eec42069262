//! Holes of files: runs of zeros that take no space, and that need not be sent.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use crate::wire::MIN_PIECE;

/// Shorter holes are sent as the zeros that they are: each costs both ends a range to remember.
pub const MIN_HOLE: u64 = 1 << 20;

/// A run of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) is_hole: bool,
}

/// A range of a file as data and holes in turn. Data that is not last is as long as a piece must be, at the expense of the
/// hole behind it. A file system that reports no holes has none.
pub(crate) fn segments(file: &File, offset: u64, length: u64) -> Vec<Segment> {
    let end = offset + length;
    cut(offset, end, |from| next_hole(file, from, end))
}

/// Bytes of a file that are not in holes.
pub(crate) fn data_bytes(file: &File, size: u64) -> u64 {
    segments(file, 0, size).iter().filter(|segment| !segment.is_hole).map(|segment| segment.length).sum()
}

/// Cuts `offset..end`; `next_hole` is the start and end of the first hole that ends after a position.
fn cut(offset: u64, end: u64, next_hole: impl Fn(u64) -> Option<(u64, u64)>) -> Vec<Segment> {
    let (mut all, mut at, mut from) = (Vec::new(), offset, offset);
    let segment = |offset, end, is_hole| Segment { offset, length: end - offset, is_hole };
    while let Some((start, until)) = next_hole(from) {
        let until = until.min(end);
        // Data before the hole is at least a shortest piece.
        let start = if start > at { start.max(at + MIN_PIECE) } else { at };
        if until >= end && start >= end || until <= from {
            break;
        }
        if until.saturating_sub(start) >= MIN_HOLE {
            if start > at {
                all.push(segment(at, start, false));
            }
            all.push(segment(start, until, true));
            at = until;
        }
        from = until;
    }
    if at < end || length_is_zero(offset, end) {
        all.push(segment(at, end, false));
    }
    all
}

/// An empty range is one empty run of data: an empty file has one piece.
const fn length_is_zero(offset: u64, end: u64) -> bool {
    offset == end
}

/// The first hole at or after a position that is before `end`; the implicit one at the end of the file is none.
fn next_hole(file: &File, from: u64, end: u64) -> Option<(u64, u64)> {
    if from >= end {
        return None;
    }
    let start = seek(file.as_fd(), SeekFrom::Hole(from)).ok().filter(|start| *start < end)?;
    match seek(file.as_fd(), SeekFrom::Data(start)) {
        Ok(until) => Some((start, until)),
        // Nothing but this hole until the file's end.
        Err(Errno::NXIO) => Some((start, end)),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use proptest::prelude::*;

    use super::*;

    fn of(holes: &[(u64, u64)], offset: u64, end: u64) -> Vec<Segment> {
        cut(offset, end, |from| {
            holes
                .iter()
                .copied()
                .find(|&(_, until)| until > from)
                .map(|(start, until)| (start.max(from), until))
                .filter(|(start, _)| *start < end)
        })
    }

    #[test]
    fn holes_of_a_real_file_are_found() {
        let file = tempfile::tempfile().unwrap();
        let (size, at) = (1 << 30, 512 << 20);
        file.set_len(size).unwrap();
        file.write_all_at(&[1; 4096], at).unwrap();
        let data = data_bytes(&file, size);
        // A file system without holes has only data.
        assert!(data == size || (4096..=MIN_PIECE.max(1 << 16)).contains(&data), "{data}");
    }

    proptest! {
        #[test]
        fn segments_cover_the_range_and_no_data_is_in_a_hole(
            sizes in proptest::collection::vec((1..4 * MIN_HOLE, 1..4 * MIN_HOLE), 0..8),
            offset in 0..MIN_HOLE, more in 0..2 * MIN_HOLE,
        ) {
            let (mut at, mut holes) = (offset, Vec::new());
            for (data, hole) in sizes {
                holes.push((at + data, at + data + hole));
                at += data + hole;
            }
            let end = at + more;
            let all = of(&holes, offset, end);
            let mut at = offset;
            for (number, segment) in all.iter().enumerate() {
                prop_assert_eq!(segment.offset, at);
                at += segment.length;
                if segment.is_hole {
                    let inside = |&(start, until): &(u64, u64)| start <= segment.offset && at <= until;
                    prop_assert!(segment.length >= MIN_HOLE && holes.iter().any(inside));
                } else if number + 1 < all.len() {
                    prop_assert!(segment.length >= MIN_PIECE);
                }
            }
            prop_assert_eq!(at, end);
        }
    }
}
