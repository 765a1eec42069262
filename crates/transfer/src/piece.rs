//! Pieces: runs of a file's bytes that are sealed under a key of their own.
//!
//! A piece is the unit in which streams share the work; the receiver records what it has of each. Each has a fresh key:
//! a piece is far below the 64 GiB after which AES-GCM should have one.

use crate::Error;
use crate::frame::CHUNK;

/// Bytes of a piece's head on the wire.
pub const HEAD: usize = 20;
/// The longest piece that is accepted, in bytes.
pub const MAX_PIECE: u64 = 1 << 30;
/// The shortest piece that is accepted, in bytes, unless nothing is missing behind it: each costs the receiver some
/// memory.
pub const MIN_PIECE: u64 = 1 << 16;
/// The longest piece that is sent: a whole file of them is not much longer than one of longer pieces.
pub const PIECE: u64 = 16 << 20;

/// A run of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The file's number in the offer.
    pub file: u32,
    /// Where it begins.
    pub offset: u64,
    /// Its bytes; 0 only for a file that has none.
    pub length: u64,
}

impl Piece {
    /// file (4) ‖ offset (8) ‖ length (8), big-endian.
    pub fn encode(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&self.file.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.offset.to_be_bytes());
        bytes[12..].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    /// Parses the head of a piece of data. Whether the file exists and the range lies within it is checked by the session.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        match Self::decode_hole(bytes)? {
            piece if piece.length > MAX_PIECE => Err(Error::Piece("the head of too long a piece")),
            piece => Ok(piece),
        }
    }

    /// Parses a hole, which may be as long as its file.
    pub fn decode_hole(bytes: &[u8]) -> Result<Self, Error> {
        let bytes: &[u8; HEAD] = bytes.try_into().map_err(|_| Error::Piece("a head of the wrong length"))?;
        let file = u32::from_be_bytes(bytes[..4].try_into().expect("4 bytes"));
        let offset = u64::from_be_bytes(bytes[4..12].try_into().expect("8 bytes"));
        let length = u64::from_be_bytes(bytes[12..].try_into().expect("8 bytes"));
        if offset.checked_add(length).is_none() {
            return Err(Error::Piece("the head of too long a piece"));
        }
        Ok(Self { file, offset, length })
    }

    /// How many chunks it has; an empty piece has one, which is empty.
    pub fn chunks(&self) -> u64 {
        self.length.div_ceil(CHUNK as u64).max(1)
    }

    /// Bytes of one of its chunks: all are full but the last.
    pub fn chunk(&self, number: u64) -> usize {
        self.length.saturating_sub(number * CHUNK as u64).min(CHUNK as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_head_is_read_as_it_was_written(file: u32, offset in 0..u64::MAX / 2, length in 0..=MAX_PIECE) {
            let piece = Piece { file, offset, length };
            prop_assert_eq!(Piece::decode(&piece.encode()).unwrap(), piece);
            let sum: u64 = (0..piece.chunks()).map(|number| piece.chunk(number) as u64).sum();
            prop_assert_eq!(sum, length);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = Piece::decode(&bytes);
        }
    }

    #[test]
    fn piece_beyond_the_bounds_is_refused() {
        let decode = |offset, length| Piece::decode(&Piece { file: 0, offset, length }.encode());
        assert!(decode(0, MAX_PIECE + 1).is_err() && decode(u64::MAX, 1).is_err());
        assert!(Piece::decode(&[0; HEAD + 1]).is_err());
    }
}
