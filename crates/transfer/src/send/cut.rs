//! Cutting what is to be sent into pieces, so that all streams end together.
//!
//! Streams are not equally fast: each has its own losses. One that takes a long piece as the last would be waited for by
//! all others. So pieces become shorter as less is left: each is at most half of a stream's share of the rest.

use crate::holes::Segment;
use crate::piece::{MIN_PIECE, PIECE, Piece};

/// How long the next piece is to be at most, with so many bytes left for so many streams.
pub(super) fn length(left: u64, streams: u16) -> u64 {
    // One stream ends together with itself.
    if streams == 1 {
        return PIECE;
    }
    (left / (2 * u64::from(streams))).next_multiple_of(MIN_PIECE).clamp(MIN_PIECE, PIECE)
}

/// What nobody has taken of a file yet.
pub(super) struct Untaken {
    file: u32,
    /// The first ones last.
    segments: Vec<Segment>,
}

impl Untaken {
    /// `segments` are in order. An empty file has one, which is empty.
    pub(super) fn new(file: u32, segments: impl Iterator<Item = Segment>) -> Self {
        let mut segments: Vec<_> = segments.collect();
        segments.reverse();
        Self { file, segments }
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.length).sum()
    }

    /// Takes a piece of at most that length off its beginning, or a whole hole, and says which. What it leaves of data
    /// is no shorter than a piece may be.
    pub(super) fn cut(&mut self, most: u64) -> Option<(Piece, bool)> {
        let Segment { offset, length: left, is_hole } = self.segments.pop()?;
        let length = if is_hole || left < most + MIN_PIECE { left } else { most };
        if length < left {
            self.segments.push(Segment { offset: offset + length, length: left - length, is_hole });
        }
        Some((Piece { file: self.file, offset, length }, is_hole))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn data(offset: u64, length: u64) -> Segment {
        Segment { offset, length, is_hole: false }
    }

    /// All pieces of a file of that size.
    fn pieces(size: u64, streams: u16) -> Vec<Piece> {
        let (mut untaken, mut left) = (Untaken::new(3, [data(0, size)].into_iter()), size);
        std::iter::from_fn(|| {
            let (piece, _) = untaken.cut(length(left, streams))?;
            left -= piece.length;
            Some(piece)
        })
        .collect()
    }

    proptest! {
        #[test]
        fn the_pieces_of_gaps_are_the_gaps(
            gaps in prop::collection::vec((1..1_u64 << 20, 1..200 * PIECE), 1..5),
            streams in 1..=16_u16,
        ) {
            let mut from = 0;
            let gaps: Vec<_> = gaps.into_iter().map(|(skip, length)| {
                let gap = (from + skip, length);
                from = gap.0 + length;
                gap
            }).collect();
            let mut untaken = Untaken::new(3, gaps.iter().map(|&(offset, length)| data(offset, length)));
            for (mut at, long) in gaps {
                let end = at + long;
                while at < end {
                    let (piece, _) = untaken.cut(length(untaken.bytes(), streams)).unwrap();
                    prop_assert_eq!((piece.file, piece.offset), (3, at));
                    at += piece.length;
                    prop_assert!(piece.length < PIECE + MIN_PIECE && at <= end && (piece.length >= MIN_PIECE || at == end));
                }
            }
            prop_assert!(untaken.cut(PIECE).is_none());
        }

        /// A stream that takes a piece holds back no more than all others need for theirs.
        #[test]
        fn no_piece_is_longer_than_a_share_of_what_is_left(size in 0..1_u64 << 36, streams in 2..=16_u16) {
            let mut left = size;
            for piece in pieces(size, streams) {
                prop_assert!(piece.length <= (left / u64::from(streams)).max(2 * MIN_PIECE), "{piece:?} of {left}");
                left -= piece.length;
            }
        }
    }

    #[test]
    fn an_empty_file_is_one_empty_piece() {
        assert_eq!(pieces(0, 4), [Piece { file: 3, offset: 0, length: 0 }]);
    }

    #[test]
    fn holes_are_taken_whole_and_no_short_data_is_left_before_one() {
        let hole = Segment { offset: PIECE + 9, length: 9 * PIECE, is_hole: true };
        let all = [data(0, PIECE + 9), hole, data(10 * PIECE + 9, 5)];
        let mut untaken = Untaken::new(3, all.into_iter());
        let cuts: Vec<_> = std::iter::from_fn(|| untaken.cut(PIECE)).collect();
        let of = |segment: &Segment| Piece { file: 3, offset: segment.offset, length: segment.length };
        assert_eq!(cuts, all.map(|segment| (of(&segment), segment.is_hole)));
    }

    #[test]
    fn few_pieces_are_short() {
        assert_eq!(pieces(1 << 30, 1).len(), 64);
        let (short, all) = (|piece: &&Piece| piece.length < PIECE, pieces(1 << 30, 4));
        assert!(all.iter().filter(short).count() < 60, "{all:?}");
    }
}
