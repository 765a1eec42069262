//! One data connection of the receiver: opens frames and passes their bytes on; nothing is used before it is
//! authenticated.

use std::io::Read;
use std::time::Duration;

use crate::Error;
use crate::frame::{FrameKind, FrameReader, Header};
use crate::key::StreamKeys;
use crate::piece::Piece;
use crate::seal::Opener;
use crate::spent::{Spent, timed};
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

/// Receives pieces until the stream's own end, and checks that the bytes end there, too. Returns where its time went.
pub fn run(from: impl Read, suite: Suite, keys: &StreamKeys, pieces: &impl Pieces) -> Result<Spent, Error> {
    let mut frames = Frames { reader: FrameReader::new(from), spent: Spent::default() };
    let mut own = Opener::new(suite, keys.own());
    loop {
        let header = frames.header()?;
        match header.kind() {
            FrameKind::Piece => {
                let piece = Piece::decode(frames.open(&mut own, &header, false)?)?;
                receive_piece(&mut frames, suite, keys, &piece, pieces)?;
            }
            FrameKind::Hole => {
                let hole = Piece::decode_hole(frames.open(&mut own, &header, false)?)?;
                timed(&mut frames.spent.files, || pieces.hole(&hole))?;
            }
            FrameKind::End if header.plain() == 0 => {
                frames.open(&mut own, &header, true)?;
                return match frames.reader.header() {
                    Ok(None) => Ok(frames.spent),
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
    let mut writing = Duration::ZERO;
    let mut sink = timed(&mut writing, || pieces.begin(piece))?;
    let mut opener = Opener::new(suite, keys.piece(piece));
    let mut offset = piece.offset;
    let chunks = piece.chunks();
    for number in 0..chunks {
        let header = frames.header()?;
        if header != Header::new(FrameKind::Data, piece.chunk(number)) {
            return Err(Error::Frame("a chunk other than the next one"));
        }
        let plain = frames.open(&mut opener, &header, number + 1 == chunks)?;
        timed(&mut writing, || sink.write(plain, offset))?;
        offset += plain.len() as u64;
    }
    timed(&mut writing, || pieces.end(piece, sink))?;
    frames.spent.files += writing;
    Ok(())
}

struct Frames<R> {
    reader: FrameReader<R>,
    spent: Spent,
}

impl<R: Read> Frames<R> {
    /// The next header: the bytes may end only after the stream's own end.
    fn header(&mut self) -> Result<Header, Error> {
        timed(&mut self.spent.network, || self.reader.header())?.ok_or(Error::Cut)
    }

    /// The plaintext of the frame with this header.
    fn open(&mut self, opener: &mut Opener, header: &Header, last: bool) -> Result<&[u8], Error> {
        let Self { reader, spent } = self;
        let sealed = timed(&mut spent.network, || reader.sealed(header))?;
        Ok(timed(&mut spent.cipher, || opener.open(header, last, sealed))?)
    }
}
