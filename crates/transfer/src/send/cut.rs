//! Cutting what is to be sent into pieces, so that all streams end together.
//!
//! Streams are not equally fast: each has its own losses. One that takes a long piece as the last would be waited for by
//! all others. So pieces become shorter as less is left: each is at most half of a stream's share of the rest.

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
    /// Offsets and lengths, the first ones last.
    gaps: Vec<(u64, u64)>,
}

impl Untaken {
    /// `gaps` are in order. An empty file has one, which is empty.
    pub(super) fn new(file: u32, gaps: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut gaps: Vec<_> = gaps.collect();
        gaps.reverse();
        Self { file, gaps }
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.gaps.iter().map(|(_, length)| length).sum()
    }

    /// Takes a piece of at most that length off its beginning.
    pub(super) fn cut(&mut self, most: u64) -> Option<Piece> {
        let (offset, left) = self.gaps.pop()?;
        let length = left.min(most);
        if length < left {
            self.gaps.push((offset + length, left - length));
        }
        Some(Piece { file: self.file, offset, length })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All pieces of a file of that size.
    fn pieces(size: u64, streams: u16) -> Vec<Piece> {
        let (mut untaken, mut left) = (Untaken::new(3, [(0, size)].into_iter()), size);
        std::iter::from_fn(|| {
            let piece = untaken.cut(length(left, streams))?;
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
            let mut untaken = Untaken::new(3, gaps.iter().copied());
            for (mut at, long) in gaps {
                let end = at + long;
                while at < end {
                    let piece = untaken.cut(length(untaken.bytes(), streams)).unwrap();
                    prop_assert_eq!((piece.file, piece.offset), (3, at));
                    at += piece.length;
                    prop_assert!(piece.length <= PIECE && at <= end && (piece.length >= MIN_PIECE || at == end));
                }
            }
            prop_assert!(untaken.cut(PIECE).is_none());
        }

        /// A stream that takes a piece holds back no more than all others need for theirs.
        #[test]
        fn no_piece_is_longer_than_a_share_of_what_is_left(size in 0..1_u64 << 36, streams in 2..=16_u16) {
            let mut left = size;
            for piece in pieces(size, streams) {
                prop_assert!(piece.length <= (left / u64::from(streams)).max(MIN_PIECE), "{piece:?} of {left}");
                left -= piece.length;
            }
        }
    }

    #[test]
    fn an_empty_file_is_one_empty_piece() {
        assert_eq!(pieces(0, 4), [Piece { file: 3, offset: 0, length: 0 }]);
    }

    #[test]
    fn few_pieces_are_short() {
        assert_eq!(pieces(1 << 30, 1).len(), 64);
        let (short, all) = (|piece: &&Piece| piece.length < PIECE, pieces(1 << 30, 4));
        assert!(all.iter().filter(short).count() < 60, "{all:?}");
    }
}
