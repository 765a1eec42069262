//! One data connection of the sender: takes pieces off the plan, reads, seals, writes.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

use super::plan::Plan;
use super::route::{DataConnection, Route};
use crate::Error;
use crate::channel::Waker;
use crate::frame::{CHUNK, FrameKind, HEADER, Header};
use crate::hello::Stream;
use crate::key::{AttemptKeys, StreamKeys, Transcript};
use crate::limit::Limit;
use crate::piece::{HEAD, MIN_PIECE, PIECE, Piece};
use crate::progress::Progress;
use crate::seal::Sealer;
use crate::spent::{Spent, timed};
use crate::suite::{Suite, TAG};
use crate::timed::StallWriter;

/// What all connections of an attempt share.
pub(super) struct Shared<'a> {
    pub(super) route: Route,
    pub(super) keys: AttemptKeys,
    pub(super) transcript: Transcript,
    pub(super) suite: Suite,
    pub(super) plan: Plan<'a>,
    pub(super) limit: Option<Limit>,
    pub(super) window: Duration,
    /// The control channel, of a receiver that writes to a pipe: what reads from that may pause for any time.
    pub(super) control: Option<Arc<Waker>>,
    pub(super) progress: &'a Progress,
}

/// Opens the connection and sends pieces until there are no more. Returns where its time went.
pub(super) fn run(shared: &Shared<'_>, stream: Stream, share: impl FnOnce(&TcpStream)) -> Result<Spent, Error> {
    let (keys, mut writer) = open(shared, stream)?;
    share(&writer.socket.socket);
    let mut own = Sealer::new(shared.suite, keys.own());
    let mut is_limited = false;
    while let Some(taken) = timed(&mut writer.spent.files, || shared.plan.take()) {
        if taken.is_hole {
            writer.head(&mut own, FrameKind::Hole, &taken.piece)?;
            taken.add(taken.piece.length);
            shared.progress.add_hole(taken.piece.length);
            shared.plan.sent(&taken);
            continue;
        }
        // Pieces become shorter when the end is near, and streams are to end together.
        if taken.piece.length < PIECE && !is_limited && shared.plan.streams() > 1 {
            is_limited = true;
            limit_unsent(&writer.socket.socket).map_err(|why| Error::lost("preparing a data connection", why))?;
        }
        send_piece(shared, &keys, &mut own, &mut writer, &taken.piece, |plain, offset| {
            shared.plan.read(&taken, plain, offset)?;
            taken.add(plain.len() as u64);
            Ok(())
        })?;
        if taken.piece.length >= MIN_PIECE {
            // Else a stream would take one short piece after the other into its buffer, while others have nothing to do.
            writer.flush()?;
        }
        timed(&mut writer.spent.files, || shared.plan.sent(&taken));
    }
    end(writer, &mut own)
}

/// Opens the connection. Its hello goes out with the first frames.
pub(super) fn open<'a>(shared: &'a Shared<'_>, stream: Stream) -> Result<(StreamKeys, FrameWriter<'a>), Error> {
    let DataConnection { socket, salt, hello } = shared.route.open(stream, &shared.keys, shared.window)?;
    let failed = |why| Error::lost("opening a data connection", why);
    socket.set_nodelay(true).map_err(failed)?;
    let socket = StallWriter::new(socket, shared.window).map_err(failed)?;
    let socket = match &shared.control {
        Some(control) => socket.while_quiet({
            let control = control.clone();
            move || control.is_quiet()
        }),
        None => socket,
    };
    let keys = shared.keys.stream(shared.transcript, stream, &salt);
    let mut writer = FrameWriter::new(socket, shared.limit.as_ref());
    writer.append(hello.as_ref().map_or(&[], |hello| &hello[..]));
    Ok((keys, writer))
}

/// Sends the stream's own end. Returns where the time of the connection went.
pub(super) fn end(mut writer: FrameWriter<'_>, own: &mut Sealer) -> Result<Spent, Error> {
    writer.frame(own, Header::new(FrameKind::End, 0), true, |_| Ok(()))?;
    writer.flush()?;
    // The end of the bytes is part of the stream's end: the receiver checks that nothing follows.
    let socket = &writer.socket.socket;
    socket.shutdown(std::net::Shutdown::Write).map_err(|why| Error::lost("ending a data connection", why))?;
    Ok(writer.spent)
}

/// Limits what a socket takes beyond what TCP has sent. A connection that has become slow after losses would else hold
/// back megabytes that another would send sooner: its buffer is as large as it was useful while it was fast.
///
/// Only near the end: on loopback it costs a tenth of the rate.
fn limit_unsent(socket: &TcpStream) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket2::SockRef::from(socket).set_tcp_notsent_lowat(UNSENT)?;
    let _ = socket;
    Ok(())
}

/// Bytes: enough for TCP to find some whenever acknowledgements come.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNSENT: u32 = 128 << 10;

/// Sends a piece; `read` fills a buffer with the bytes that begin at an offset.
pub(super) fn send_piece(
    shared: &Shared<'_>,
    keys: &StreamKeys,
    own: &mut Sealer,
    writer: &mut FrameWriter<'_>,
    piece: &Piece,
    mut read: impl FnMut(&mut [u8], u64) -> Result<(), Error>,
) -> Result<(), Error> {
    writer.head(own, FrameKind::Piece, piece)?;
    let mut sealer = Sealer::new(shared.suite, keys.piece(piece));
    let chunks = piece.chunks();
    for number in 0..chunks {
        let length = piece.chunk(number);
        let read = |plain: &mut [u8]| read(plain, piece.offset + number * CHUNK as u64);
        writer.frame(&mut sealer, Header::new(FrameKind::Data, length), number + 1 == chunks, read)?;
        shared.progress.add(length);
    }
    Ok(())
}

/// Frames on their way: small ones are collected, so that a thousand small files do not cost a thousand system calls.
///
/// A file's bytes are read into the buffer that they are sent from, and sealed there: one buffer that stays in the L2
/// cache is as fast as two, and faster than a map (docs/measurements/chunks.txt). A map would also end the process if the
/// file became shorter.
pub(super) struct FrameWriter<'a> {
    socket: StallWriter,
    limit: Option<&'a Limit>,
    /// Contains plaintext only between reading and sealing.
    buffer: Zeroizing<Vec<u8>>,
    filled: usize,
    pub(super) spent: Spent,
}

impl<'a> FrameWriter<'a> {
    fn new(socket: StallWriter, limit: Option<&'a Limit>) -> Self {
        let room = HEADER + CHUNK + TAG + 2 * (HEADER + HEAD + TAG);
        Self { socket, limit, buffer: Zeroizing::new(vec![0; room]), filled: 0, spent: Spent::default() }
    }

    fn append(&mut self, bytes: &[u8]) {
        self.buffer[self.filled..][..bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    /// Seals the head of a piece, or a hole.
    fn head(&mut self, own: &mut Sealer, kind: FrameKind, piece: &Piece) -> Result<(), Error> {
        self.frame(own, Header::new(kind, HEAD), false, |plain| {
            plain.copy_from_slice(&piece.encode());
            Ok(())
        })
    }

    /// Seals a frame; `fill` writes its plaintext.
    fn frame(
        &mut self,
        sealer: &mut Sealer,
        header: Header,
        last: bool,
        fill: impl FnOnce(&mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.buffer.len() - self.filled < HEADER + header.sealed() {
            self.flush()?;
        }
        self.append(&header.encode());
        let frame = &mut self.buffer[self.filled..][..header.sealed()];
        timed(&mut self.spent.files, || fill(&mut frame[..header.plain()]))?;
        timed(&mut self.spent.cipher, || sealer.seal(&header, last, frame))?;
        self.filled += header.sealed();
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let Self { socket, limit, buffer, filled, spent } = self;
        let due = &buffer[..std::mem::take(filled)];
        let sent = match limit {
            None => timed(&mut spent.network, || socket.write_all(due)),
            Some(limit) => due.chunks(limit.portion()).try_for_each(|portion| {
                timed(&mut spent.limit, || limit.wait(portion.len()));
                timed(&mut spent.network, || socket.write_all(portion))
            }),
        };
        sent.map_err(|why| Error::lost("sending", why))
    }
}
