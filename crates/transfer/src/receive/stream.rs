//! One data connection of the receiver: opens frames and passes their bytes on; nothing is used before it is
//! authenticated.

use std::io::Read;
use std::time::{Duration, Instant};

use crate::Error;
use crate::frame::{FrameKind, FrameReader, Header};
use crate::key::StreamKeys;
use crate::piece::Piece;
use crate::seal::Opener;
use crate::suite::Suite;

/// Where pieces go.
pub trait Pieces {
    /// Where a piece's bytes go.
    type Sink: Sink;

    /// A piece begins. It is refused if its file is unknown, or if a part of it came before.
    fn begin(&self, piece: &Piece) -> Result<Self::Sink, Error>;

    /// The whole piece opened.
    fn end(&self, piece: &Piece, sink: Self::Sink) -> Result<(), Error>;

    /// A run of the file is a hole: a piece that begins and ends at once.
    fn hole(&self, hole: &Piece) -> Result<(), Error>;
}

/// Where the bytes of one piece go.
pub trait Sink {
    /// Authentic bytes of the file, from `offset` on.
    fn write(&mut self, bytes: &[u8], offset: u64) -> Result<(), Error>;
}

/// Receives pieces until the stream's own end, and checks that the bytes end there, too. Returns the time spent inside
/// the cipher's calls.
pub fn run(from: impl Read, suite: Suite, keys: &StreamKeys, pieces: &impl Pieces) -> Result<Duration, Error> {
    let mut frames = Frames { reader: FrameReader::new(from), opening: Duration::ZERO };
    let mut own = Opener::new(suite, keys.own());
    loop {
        let header = frames.header()?;
        match header.kind() {
            FrameKind::Piece => {
                let piece = Piece::decode(frames.open(&mut own, &header, false)?)?;
                receive_piece(&mut frames, suite, keys, &piece, pieces)?;
            }
            FrameKind::Hole => pieces.hole(&Piece::decode_hole(frames.open(&mut own, &header, false)?)?)?,
            FrameKind::End if header.plain() == 0 => {
                frames.open(&mut own, &header, true)?;
                return match frames.reader.header() {
                    Ok(None) => Ok(frames.opening),
                    Ok(Some(_)) | Err(Error::Cut | Error::Frame(_)) => Err(Error::Frame("data after the stream's end")),
                    Err(error) => Err(error),
                };
            }
            FrameKind::End => return Err(Error::Frame("an end that is not empty")),
            FrameKind::Data => return Err(Error::Frame("a chunk without a piece")),
        }
    }
}

fn receive_piece(
    frames: &mut Frames<impl Read>,
    suite: Suite,
    keys: &StreamKeys,
    piece: &Piece,
    pieces: &impl Pieces,
) -> Result<(), Error> {
    let mut sink = pieces.begin(piece)?;
    let mut opener = Opener::new(suite, keys.piece(piece));
    let mut offset = piece.offset;
    let chunks = piece.chunks();
    for number in 0..chunks {
        let header = frames.header()?;
        if header != Header::new(FrameKind::Data, piece.chunk(number)) {
            return Err(Error::Frame("a chunk other than the next one"));
        }
        let plain = frames.open(&mut opener, &header, number + 1 == chunks)?;
        sink.write(plain, offset)?;
        offset += plain.len() as u64;
    }
    pieces.end(piece, sink)
}

struct Frames<R> {
    reader: FrameReader<R>,
    opening: Duration,
}

impl<R: Read> Frames<R> {
    /// The next header: the bytes may end only after the stream's own end.
    fn header(&mut self) -> Result<Header, Error> {
        self.reader.header()?.ok_or(Error::Cut)
    }

    /// The plaintext of the frame with this header.
    fn open(&mut self, opener: &mut Opener, header: &Header, last: bool) -> Result<&[u8], Error> {
        let sealed = self.reader.sealed(header)?;
        let began = Instant::now();
        let plain = opener.open(header, last, sealed)?;
        self.opening += began.elapsed();
        Ok(plain)
    }
}
