//! Sealing and opening a sequence of frames under one key.
//!
//! The STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015): the nonce is an 11-byte big-endian counter and a
//! byte that is 1 in the last frame only. The counter follows from the frame's place and is never sent. So a missing,
//! repeated or reordered frame does not open, nor does a sequence that was truncated or continues after its end. No key
//! seals or opens more than [`MAX_UNDER_KEY`].

use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce, UnboundKey};

use crate::Error;
use crate::frame::Header;
use crate::key::FrameKey;
use crate::piece::MAX_PIECE;
use crate::suite::{Suite, TAG};

/// The most plaintext under one key, in bytes. AES-GCM would bear more; an attempt with new keys costs nothing.
const MAX_UNDER_KEY: u64 = MAX_PIECE;

/// The nonces of a sequence: each is used once, none after the last.
struct Nonces {
    next: Option<u64>,
    /// Bytes that the key may still seal.
    left: u64,
}

impl Nonces {
    const fn new() -> Self {
        Self { next: Some(0), left: MAX_UNDER_KEY }
    }

    /// For a frame of so many bytes; `None` after the last one, or when the key has sealed enough. The counter never
    /// wraps: Tink's 4-byte counter once did.
    fn next(&mut self, last: bool, bytes: usize) -> Option<Nonce> {
        let number = self.next.take()?;
        self.left = self.left.checked_sub(bytes as u64)?;
        self.next = if last { None } else { number.checked_add(1) };
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&number.to_be_bytes());
        nonce[11] = last.into();
        Some(Nonce::assume_unique_for_key(nonce))
    }
}

/// Seals frames, each once, in their order.
pub struct Sealer {
    key: LessSafeKey,
    nonces: Nonces,
}

/// Opens frames, each once, in their order.
pub struct Opener {
    key: LessSafeKey,
    nonces: Nonces,
}

fn schedule(suite: Suite, key: &FrameKey) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(suite.aead(), key.expose()).expect("a key of both suites has 32 bytes"))
}

impl Sealer {
    /// A key seals one sequence only; [`FrameKey`] ensures that it comes from its own derivation.
    pub fn new(suite: Suite, key: FrameKey) -> Self {
        Self { key: schedule(suite, &key), nonces: Nonces::new() }
    }

    /// Seals in place: `frame` is the plaintext with room for the tag behind it. The header is the aad. Returns the
    /// tag.
    ///
    /// # Panics
    /// If the header has another length, which is a mistake of the caller.
    pub fn seal(&mut self, header: &Header, last: bool, frame: &mut [u8]) -> Result<[u8; TAG], Error> {
        assert_eq!(frame.len(), header.sealed());
        let (text, room) = frame.split_at_mut(header.plain());
        let nonce = self.nonces.next(last, header.plain()).ok_or(Error::Spent)?;
        let tag =
            self.key.seal_in_place_separate_tag(nonce, Aad::from(header.encode()), text).map_err(|_| Error::Seal)?;
        room.copy_from_slice(tag.as_ref());
        Ok(room.try_into().expect("a tag"))
    }
}

impl Opener {
    /// The counterpart of [`Sealer::new`].
    pub fn new(suite: Suite, key: FrameKey) -> Self {
        Self { key: schedule(suite, &key), nonces: Nonces::new() }
    }

    /// Opens in place; the plaintext is what precedes the tag. After one failure nothing opens any more, because
    /// ChaCha20-Poly1305 bounds an attacker's chances by the number of forgery attempts.
    pub fn open<'a>(&mut self, header: &Header, last: bool, sealed: &'a mut [u8]) -> Result<&'a mut [u8], Error> {
        let nonce = self.nonces.next(last, header.plain()).ok_or(Error::Forged)?;
        let opened = self.key.open_in_place(nonce, Aad::from(header.encode()), sealed);
        opened.map_err(|_| {
            self.nonces.next = None;
            Error::Forged
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{CHUNK, FrameKind};
    use crate::piece::Piece;

    fn pair(suite: Suite) -> (Sealer, Opener) {
        let key = || FrameKey::new([9; 32]);
        (Sealer::new(suite, key()), Opener::new(suite, key()))
    }

    fn sealed(sealer: &mut Sealer, last: bool, plain: &[u8]) -> (Header, Vec<u8>) {
        let header = Header::new(FrameKind::Data, plain.len());
        let mut out = [plain, &[0; TAG]].concat();
        sealer.seal(&header, last, &mut out).unwrap();
        (header, out)
    }

    #[test]
    fn sequence_opens_in_order_and_ends() {
        for suite in Suite::ALL {
            let (mut sealer, mut opener) = pair(suite);
            for (last, text) in [(false, "one"), (false, ""), (true, "three")] {
                let (header, mut bytes) = sealed(&mut sealer, last, text.as_bytes());
                assert_eq!(opener.open(&header, last, &mut bytes).unwrap(), text.as_bytes());
            }
            let header = Header::new(FrameKind::Data, 0);
            assert!(matches!(sealer.seal(&header, false, &mut [0; TAG]), Err(Error::Spent)));
            assert!(matches!(opener.open(&header, false, &mut [0; TAG]), Err(Error::Forged)));
        }
    }

    #[test]
    fn changed_place_flag_kind_or_bit_does_not_open() {
        for suite in Suite::ALL {
            let (mut sealer, _) = pair(suite);
            let (header, first) = sealed(&mut sealer, false, b"first");
            let (_, second) = sealed(&mut sealer, true, b"other");
            let refused =
                |header: &Header, last, bytes: &[u8]| pair(suite).1.open(header, last, &mut bytes.to_vec()).is_err();
            assert!(!refused(&header, false, &first));
            assert!(refused(&header, true, &first), "not the last");
            assert!(refused(&header, true, &second), "not the first");
            assert!(refused(&Header::new(FrameKind::Piece, 5), false, &first), "another kind");
            for bit in 0..first.len() * 8 {
                let mut bent = first.clone();
                bent[bit / 8] ^= 1 << (bit % 8);
                assert!(refused(&header, false, &bent), "bit {bit}");
            }
        }
    }

    #[test]
    fn nothing_opens_after_a_forgery() {
        let (mut sealer, mut opener) = pair(Suite::ChaCha20Poly1305);
        let (header, first) = sealed(&mut sealer, false, b"first");
        assert!(opener.open(&header, false, &mut [0; 5 + TAG]).is_err());
        assert!(opener.open(&header, false, &mut first.clone()).is_err());
    }

    #[test]
    fn counter_never_wraps() {
        let mut nonces = Nonces { next: Some(u64::MAX), ..Nonces::new() };
        assert!(nonces.next(false, 0).is_some());
        assert!(nonces.next(false, 0).is_none() && nonces.next(true, 0).is_none());
    }

    #[test]
    fn no_key_seals_or_opens_more_than_a_gibibyte() {
        assert_eq!(Nonces::new().left, 1 << 30, "and no longer piece has a key");
        let chunks = Piece { file: 0, offset: 0, length: MAX_PIECE }.chunks();
        let mut nonces = Nonces::new();
        assert!((0..chunks).all(|_| nonces.next(false, CHUNK).is_some()) && nonces.next(false, 1).is_none());

        let (mut sealer, mut opener) = pair(Suite::Aes256Gcm);
        let (header, first) = sealed(&mut sealer, false, b"first");
        (sealer.nonces.left, opener.nonces.left) = (4, 4);
        assert!(matches!(opener.open(&header, false, &mut first.clone()), Err(Error::Forged)));
        let mut more = [0; 5 + TAG];
        assert!(matches!(sealer.seal(&header, true, &mut more), Err(Error::Spent)));
        assert!(matches!(sealer.seal(&Header::new(FrameKind::End, 0), true, &mut [0; TAG]), Err(Error::Spent)));
        assert_eq!(more, [0; 5 + TAG]);
    }
}
