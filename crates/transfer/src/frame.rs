//! Frames: what data connections carry after their hello.
//!
//! A frame is a header of 5 bytes and a sealed chunk. The header is its kind (1 byte) and the length of the chunk (4
//! bytes, big-endian, the tag included); it is the chunk's aad. A receiver always knows which kinds and lengths are
//! valid next, and refuses any other before it allocates a byte.

use std::io::{self, Read};

use crate::Error;
use crate::suite::TAG;

/// Bytes of a header.
pub const HEADER: usize = 5;
/// The longest plaintext of a frame.
///
/// Measured (docs/measurements/chunks.txt): shorter chunks cost more system calls; longer ones no longer fit the L2 cache
/// beside the socket's own copies.
pub const CHUNK: usize = 256 * 1024;

/// What a frame contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FrameKind {
    /// The head of a piece, sealed under the stream's key.
    Piece = 1,
    /// A chunk of a piece, sealed under the piece's key.
    Data = 2,
    /// The end of the stream, sealed under the stream's key as its last frame.
    End = 3,
    /// A hole of a file: a piece of zeros, in the form of a piece's head, sealed under the stream's key.
    Hole = 4,
}

/// What precedes a sealed chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    kind: FrameKind,
    sealed: u32,
}

impl Header {
    /// For a frame with `plain` bytes of plaintext, at most [`CHUNK`].
    ///
    /// # Panics
    /// With more than that.
    pub fn new(kind: FrameKind, plain: usize) -> Self {
        assert!(plain <= CHUNK, "a chunk of {plain} bytes");
        Self { kind, sealed: (plain + TAG) as u32 }
    }

    /// What the frame holds.
    pub const fn kind(&self) -> FrameKind {
        self.kind
    }

    /// Bytes that follow the header: plaintext and tag.
    pub const fn sealed(&self) -> usize {
        self.sealed as usize
    }

    /// Bytes of plaintext.
    pub const fn plain(&self) -> usize {
        self.sealed() - TAG
    }

    /// The bytes on the wire.
    pub fn encode(&self) -> [u8; HEADER] {
        let [a, b, c, d] = self.sealed.to_be_bytes();
        [self.kind as u8, a, b, c, d]
    }

    /// Parses the bytes from the wire. A length below a tag's or beyond a full chunk's is always refused here.
    pub fn decode([kind, a, b, c, d]: [u8; HEADER]) -> Result<Self, Error> {
        let kind = match kind {
            1 => FrameKind::Piece,
            2 => FrameKind::Data,
            3 => FrameKind::End,
            4 => FrameKind::Hole,
            _ => return Err(Error::Frame("unknown kind")),
        };
        let sealed = u32::from_be_bytes([a, b, c, d]);
        match sealed as usize {
            ..TAG => Err(Error::Frame("too short for its tag")),
            length if length > CHUNK + TAG => Err(Error::Frame("longer than a chunk")),
            _ => Ok(Self { kind, sealed }),
        }
    }
}

/// Reads frames from a stream of bytes, however the bytes are split.
///
/// The buffer holds one full frame and the start of the next ones; it is allocated once.
pub struct FrameReader<R> {
    from: R,
    buffer: Vec<u8>,
    /// Where the unconsumed bytes begin and end.
    taken: usize,
    filled: usize,
}

/// How far beyond the wanted bytes a read may go: enough for many small frames, little to move for large ones.
const AHEAD: usize = 32 * 1024;

impl<R: Read> FrameReader<R> {
    /// Reads from `from`.
    pub fn new(from: R) -> Self {
        Self { from, buffer: vec![0; HEADER + CHUNK + TAG + AHEAD], taken: 0, filled: 0 }
    }

    /// The next frame's header; `None` if the stream ends here.
    pub fn header(&mut self) -> Result<Option<Header>, Error> {
        if !self.fill(HEADER)? {
            return if self.taken == self.filled { Ok(None) } else { Err(Error::Cut) };
        }
        let bytes = self.take(HEADER);
        let header = bytes.try_into().expect("as many as asked for");
        Header::decode(header).map(Some)
    }

    /// The sealed chunk that follows the header.
    pub fn sealed(&mut self, header: &Header) -> Result<&mut [u8], Error> {
        if !self.fill(header.sealed())? {
            return Err(Error::Cut);
        }
        Ok(self.take(header.sealed()))
    }

    fn take(&mut self, length: usize) -> &mut [u8] {
        let start = self.taken;
        self.taken += length;
        &mut self.buffer[start..start + length]
    }

    /// Reads until `length` unconsumed bytes are there; `false` if the stream ends before.
    fn fill(&mut self, length: usize) -> Result<bool, Error> {
        if self.taken == self.filled {
            (self.taken, self.filled) = (0, 0);
        }
        if self.filled - self.taken < length && self.taken + length > self.buffer.len() - AHEAD {
            self.buffer.copy_within(self.taken..self.filled, 0);
            (self.taken, self.filled) = (0, self.filled - self.taken);
        }
        while self.filled - self.taken < length {
            let until = self.taken + length + AHEAD;
            match self.from.read(&mut self.buffer[self.filled..until]) {
                Ok(0) => return Ok(false),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::lost("reading from the sender", error)),
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn invalid_length_is_refused_before_any_allocation() {
        let decode_with_length = |length: u32| {
            let [a, b, c, d] = length.to_be_bytes();
            Header::decode([2, a, b, c, d])
        };
        for length in [0, 15, CHUNK as u32 + 17, u32::MAX] {
            assert!(matches!(decode_with_length(length), Err(Error::Frame(_))), "{length}");
        }
        assert_eq!(decode_with_length(16).unwrap(), Header::new(FrameKind::Data, 0));
        assert_eq!(decode_with_length(CHUNK as u32 + 16).unwrap(), Header::new(FrameKind::Data, CHUNK));
        assert!(Header::decode([0, 0, 0, 0, 16]).is_err() && Header::decode([5, 0, 0, 0, 16]).is_err());
    }

    /// Bytes that arrive in the given portions.
    struct Portions {
        bytes: Vec<u8>,
        at: usize,
        sizes: Vec<usize>,
    }

    impl Read for Portions {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let size = self.sizes.pop().unwrap_or(usize::MAX).clamp(1, into.len());
            let size = size.min(self.bytes.len() - self.at);
            into[..size].copy_from_slice(&self.bytes[self.at..self.at + size]);
            self.at += size;
            Ok(size)
        }
    }

    fn frames(reader: &mut FrameReader<impl Read>) -> Result<Vec<(Header, Vec<u8>)>, Error> {
        let mut all = Vec::new();
        while let Some(header) = reader.header()? {
            all.push((header, reader.sealed(&header)?.to_vec()));
        }
        Ok(all)
    }

    proptest! {
        #[test]
        fn any_split_decodes_the_same(
            plain in prop::collection::vec(prop_oneof![0..200_usize, 0..=CHUNK], 0..6),
            sizes in prop::collection::vec(prop_oneof![1..40_usize, 1..400_000_usize], 0..60),
        ) {
            let mut bytes = Vec::new();
            let mut sent = Vec::new();
            for (number, length) in plain.into_iter().enumerate() {
                let header = Header::new(FrameKind::Data, length);
                let sealed = vec![number as u8; header.sealed()];
                bytes.extend_from_slice(&header.encode());
                bytes.extend_from_slice(&sealed);
                sent.push((header, sealed));
            }
            let mut reader = FrameReader::new(Portions { bytes: bytes.clone(), at: 0, sizes });
            prop_assert_eq!(&frames(&mut reader).unwrap(), &sent);
            if !bytes.is_empty() {
                bytes.pop();
                let mut reader = FrameReader::new(Portions { bytes, at: 0, sizes: vec![] });
                prop_assert!(matches!(frames(&mut reader), Err(Error::Cut)));
            }
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = frames(&mut FrameReader::new(&bytes[..]));
        }
    }
}
