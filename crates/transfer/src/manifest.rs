//! What closes a file: the digest over its pieces, the same on both ends.

use aws_lc_rs::digest;

use crate::piece::{HEAD, Piece};
use crate::suite::TAG;

/// The pieces of one file that went over the wire in an attempt, in any order.
#[derive(Debug, Default)]
pub(crate) struct Sealed(Vec<([u8; HEAD], [u8; TAG])>);

impl Sealed {
    /// A piece, and the tag of its last chunk.
    pub(crate) fn add(&mut self, piece: &Piece, tag: [u8; TAG]) {
        self.0.push((piece.encode(), tag));
    }

    /// How many.
    pub(crate) fn pieces(&self) -> u64 {
        self.0.len() as u64
    }

    /// SHA-256, hex, over head ‖ tag of each in the order of their offsets: heads of one file, big-endian, sort by them.
    pub(crate) fn digest(mut self) -> String {
        self.0.sort_unstable();
        let mut context = digest::Context::new(&digest::SHA256);
        for (head, tag) in self.0 {
            context.update(&head);
            context.update(&tag);
        }
        hex::encode(context.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_arrival_is_all_the_same() {
        let piece = |offset| Piece { file: 1, offset, length: 10 };
        let digest = |pieces: &[(u64, u8)]| {
            let mut sealed = Sealed::default();
            pieces.iter().for_each(|(offset, tag)| sealed.add(&piece(*offset), [*tag; TAG]));
            sealed.digest()
        };
        assert_eq!(digest(&[(0, 1), (256, 2), (10, 3)]), digest(&[(256, 2), (10, 3), (0, 1)]));
        assert_ne!(digest(&[(0, 1), (10, 3)]), digest(&[(0, 3), (10, 1)]));
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(&[]), nothing, "the SHA-256 of nothing");
    }
}
