//! What arrives for a pipe: one stream or one file, its bytes in order, written as they are authenticated.
//!
//! Promises: nothing that is not authenticated is written, and nothing out of its place. What is remembered is one number,
//! however short the pieces are.

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::accepted::Accepted;
use super::offer::Offer;
use super::stream::{Pieces, Sink};
use crate::Error;
use crate::arrived::Spared;
use crate::piece::Piece;
use crate::progress::Progress;

/// Zeros that are written at once for a hole.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// A pipe that a receiver writes to.
pub(super) struct Pipe(Mutex<Box<dyn Write + Send>>);

impl Pipe {
    pub(super) fn new(output: impl Write + Send + 'static) -> Self {
        Self(Mutex::new(Box::new(output)))
    }

    fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).write_all(bytes).map_err(failed)
    }

    /// All that was written is handed on.
    pub(super) fn flush(&self) -> Result<(), Error> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).flush().map_err(failed)
    }
}

fn failed(why: io::Error) -> Error {
    match why.kind() {
        ErrorKind::BrokenPipe => Error::OutputClosed,
        _ => Error::Output(why),
    }
}

/// Refuses an offer that does not go where this receiver puts things: one stream, or one file, to a pipe; anything but a
/// stream to a folder.
pub(super) fn check_offer(offer: &Offer, is_pipe: bool) -> Result<(), Error> {
    let refused = |why: &str| Err(Error::NotAccepted(why.into()));
    match (is_pipe, &offer.files[..]) {
        (false, files) if files.iter().any(|file| file.stream) => {
            refused("the sender pipes a stream: receive it with `ciphermeter recv - > FILE`")
        }
        (false, _) => Ok(()),
        (true, [file]) if offer.folders.is_empty() && file.link.is_none() => Ok(()),
        (true, _) => refused(
            "`ciphermeter recv -` takes one stream or one file, and something else is offered: send one file or `-`, or receive without `-`",
        ),
    }
}

/// The pieces of an attempt as they arrive. There is only one attempt, and one data connection.
pub(super) struct PipeArrivals {
    pipe: Arc<Pipe>,
    progress: Arc<Progress>,
    /// The file's size; `None`: a stream.
    size: Option<u64>,
    /// Where the next piece begins.
    next: AtomicU64,
    /// An empty file's only piece came.
    empty: AtomicBool,
    /// The attempt is over. No lock, because the writer may wait for what reads the pipe.
    closed: Arc<AtomicBool>,
}

impl PipeArrivals {
    pub(super) fn new(accepted: &Accepted, pipe: Arc<Pipe>, progress: Arc<Progress>) -> Self {
        let size = accepted.offered().next().filter(|(_, file)| !file.stream).map(|(_, file)| file.size);
        match size {
            Some(size) => progress.start(size, 0),
            None => progress.start_stream(),
        }
        let (next, empty, closed) = (AtomicU64::new(0), AtomicBool::new(false), Arc::default());
        Self { pipe, progress, size, next, empty, closed }
    }

    pub(super) const fn is_stream(&self) -> bool {
        self.size.is_none()
    }

    /// From now on nothing is written.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// The holes of the only file.
    pub(super) fn spared(&self) -> Spared {
        let mut spared = Spared::default();
        spared.add_hole(0, self.progress.holes());
        spared
    }

    /// Whether no byte is missing, once every data connection has ended with its end frame.
    pub(super) fn is_complete(&self, number: u32) -> bool {
        number == 0 && self.size.is_none_or(|size| self.next.load(Ordering::SeqCst) == size)
    }
}

impl Pieces for &PipeArrivals {
    type Sink = PipeSink;

    fn begin(&self, piece: &Piece) -> Result<PipeSink, Error> {
        if piece.file != 0 {
            return Err(Error::Piece("a piece of an unknown file"));
        }
        if piece.offset != self.next.load(Ordering::SeqCst) {
            return Err(Error::Piece("a piece that is not the next one"));
        }
        // Piece::decode checked that the sum does not overflow.
        let end = piece.offset + piece.length;
        match self.size {
            // An empty piece of a stream says that its sender lives.
            None => {}
            Some(size) if end > size => return Err(Error::Piece("a piece beyond the end of its file")),
            Some(size) if piece.length == 0 && (size > 0 || self.empty.swap(true, Ordering::SeqCst)) => {
                return Err(Error::Piece("an empty piece of a file"));
            }
            Some(_) => {}
        }
        Ok(PipeSink { pipe: self.pipe.clone(), progress: self.progress.clone(), closed: self.closed.clone() })
    }

    fn hole(&self, hole: &Piece) -> Result<(), Error> {
        if self.is_stream() {
            return Err(Error::Piece("a hole of a stream"));
        }
        let sink = self.begin(hole)?;
        let mut left = hole.length;
        while left > 0 {
            let length = left.min(ZEROS.len() as u64);
            sink.put(&ZEROS[..length as usize])?;
            self.progress.add_hole(length);
            left -= length;
        }
        self.end(hole, sink)
    }

    fn end(&self, piece: &Piece, _: PipeSink) -> Result<(), Error> {
        self.next.store(piece.offset + piece.length, Ordering::SeqCst);
        Ok(())
    }
}

/// Writes to the pipe.
pub(super) struct PipeSink {
    pipe: Arc<Pipe>,
    progress: Arc<Progress>,
    closed: Arc<AtomicBool>,
}

impl PipeSink {
    fn put(&self, bytes: &[u8]) -> Result<(), Error> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(Error::Cut);
        }
        self.pipe.write(bytes)
    }
}

impl Sink for PipeSink {
    fn write(&mut self, bytes: &[u8], _: u64) -> Result<(), Error> {
        self.put(bytes)?;
        self.progress.add(bytes.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
