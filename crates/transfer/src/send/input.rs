//! A stream on its way: what an input yields becomes pieces, one after the other, until its end.
//!
//! Promises: what the input yields waits for more only for a moment; the stream's end goes out only after the input's; an
//! input that pauses for any time is no silence for the receiver.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::stream::{self, Shared};
use crate::Error;
use crate::hello::Stream;
use crate::piece::Piece;
use crate::seal::Sealer;
use crate::spent::{Spent, timed};

/// What a stream is read from.
pub(super) type Input = Box<dyn Read + Send>;

/// The most bytes that are read at once, which is all that a pipe of Linux holds.
const BLOCK: usize = 64 << 10;
/// The longest piece of a stream that is sent.
const LONGEST: usize = 1 << 20;
/// How long the first byte of a piece waits for others.
const GATHER: Duration = Duration::from_millis(50);

/// Sends what the input yields, until its end, and a sign of life after each `life` without a byte.
/// Returns where the time went. `failed` is called when the input fails, before the connection ends: the receiver is to
/// learn why.
pub(super) fn send_input(
    shared: &Shared<'_>,
    input: Input,
    life: Duration,
    mut failed: impl FnMut(&Error),
) -> Result<Spent, Error> {
    let (keys, mut writer) = stream::open(shared, Stream(0))?;
    let mut own = Sealer::new(shared.suite, keys.own());
    let mut blocks = Blocks::read(input);
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST));
    let mut offset = 0;
    loop {
        let gathered = timed(&mut writer.spent.files, || blocks.gather(&mut bytes, life));
        let is_over = gathered.inspect_err(&mut failed)?;
        // An empty piece only says that this end lives.
        if !(is_over && bytes.is_empty()) {
            let piece = Piece { file: 0, offset, length: bytes.len() as u64 };
            stream::send_piece(shared, &keys, &mut own, &mut writer, &piece, |plain, at| {
                plain.copy_from_slice(&bytes[(at - offset) as usize..][..plain.len()]);
                Ok(())
            })?;
            writer.flush()?;
            offset += piece.length;
        }
        if is_over {
            return stream::end(writer, &mut own);
        }
        if shared.control.as_ref().is_some_and(|control| !control.is_quiet()) {
            return Err(Error::Cut);
        }
    }
}

/// Bytes that were read at once, at the beginning of a buffer of [`BLOCK`] bytes. None are the input's end.
struct Block {
    buffer: Zeroizing<Vec<u8>>,
    length: usize,
}

/// What a thread reads from the input.
struct Blocks {
    read: Receiver<io::Result<Block>>,
    /// Buffers to read into again: to wipe each block would take longer than to seal it.
    used: Sender<Zeroizing<Vec<u8>>>,
    /// The input ended, or failed, behind what was gathered.
    ended: Option<io::Result<()>>,
}

impl Blocks {
    /// The thread ends with the input, or when it finds that nothing takes its blocks. Until then it may wait in a read:
    /// no other thread waits for it.
    fn read(mut input: Input) -> Self {
        let (blocks, read) = sync_channel(LONGEST / BLOCK);
        let (used, unused) = channel();
        thread::spawn(move || {
            loop {
                let buffer = unused.try_recv().unwrap_or_else(|_| Zeroizing::new(vec![0; BLOCK]));
                let block = read_block(&mut input, buffer);
                let is_last = block.as_ref().map_or(true, |block| block.length == 0);
                if blocks.send(block).is_err() || is_last {
                    return;
                }
            }
        });
        Self { read, used, ended: None }
    }

    /// Gathers the next bytes: none after a `life` without any, and the empty piece that follows
    /// says that this end lives. Returns whether the input has ended.
    fn gather(&mut self, into: &mut Vec<u8>, life: Duration) -> Result<bool, Error> {
        into.clear();
        let mut until = Instant::now() + life;
        while self.ended.is_none() && into.len() + BLOCK <= LONGEST {
            match self.read.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Ok(block)) if block.length == 0 => self.ended = Some(Ok(())),
                Ok(Ok(block)) => {
                    if into.is_empty() {
                        until = Instant::now() + GATHER;
                    }
                    into.extend_from_slice(&block.buffer[..block.length]);
                    let _ = self.used.send(block.buffer);
                }
                Ok(Err(why)) => self.ended = Some(Err(why)),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.ended = Some(Err(io::Error::other("the thread that reads it ended")));
                }
            }
        }
        match self.ended.take() {
            Some(Err(why)) if into.is_empty() => Err(Error::Input(why)),
            // What came before the failure goes out first.
            Some(Err(why)) => {
                self.ended = Some(Err(why));
                Ok(false)
            }
            Some(Ok(())) => Ok(true),
            None => Ok(false),
        }
    }
}

fn read_block(input: &mut Input, mut buffer: Zeroizing<Vec<u8>>) -> io::Result<Block> {
    loop {
        match input.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.map(|length| Block { buffer, length }),
        }
    }
}
