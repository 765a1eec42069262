//! The ceiling: the frames of a transfer with nothing in them sealed. What TCP and the copies alone allow.
//!
//! It has no hello, no keys and no manifest, and a stranger could send to it: it listens for one connection, in the benchmark only.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use ciphermeter_host::usage;

use super::movers::{Mover, Received, Receiving, Sent};
use crate::Error;
use crate::frame::{CHUNK, FrameReader, HEADER, Header, Kind};
use crate::source::{OpenSource, SourceFile};
use crate::suite::TAG;
use crate::sync::sync_file;
use crate::timed::{Paced, Times};

/// No cipher. It is no [`crate::Suite`], so nothing can agree on it.
pub(super) struct Plain;

/// What the receiver says when it has all, and when that is on disk.
const RECEIPT: u8 = b'a';
const DURABLE: u8 = b'd';

pub(super) fn lost(why: std::io::Error) -> Error {
    Error::lost("measuring", why)
}

/// Listens on that address for one connection.
pub(super) fn listen(at: IpAddr) -> Result<(String, TcpListener), Error> {
    let listener = TcpListener::bind((at, 0)).map_err(lost)?;
    Ok((listener.local_addr().map_err(lost)?.to_string(), listener))
}

/// Where a benchmark's bytes go.
pub(super) struct Sink(Option<File>, u64);

impl Sink {
    pub(super) fn new(into: Option<&Path>) -> Result<Self, Error> {
        Ok(Self(into.map(File::create_new).transpose().map_err(lost)?, 0))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Some(file) = &self.0 {
            file.write_all_at(bytes, self.1).map_err(lost)?;
        }
        self.1 += bytes.len() as u64;
        Ok(())
    }

    /// The receipts: all is here; all is on disk.
    pub(super) fn confirm(self, to: &mut impl Write) -> Result<(), Error> {
        to.write_all(&[RECEIPT]).and_then(|()| to.flush()).map_err(lost)?;
        if let Some(file) = &self.0 {
            sync_file(file).map_err(|why| lost(why.into()))?;
        }
        to.write_all(&[DURABLE]).and_then(|()| to.flush()).map_err(lost)
    }
}

/// The sender's end of [`Sink::confirm`]: what it saw since `begun`, when its CPU time stood at `cpu`.
pub(super) fn confirmed(
    from: &mut impl Read,
    handshake: Duration,
    begun: Instant,
    cpu: Option<Duration>,
) -> Result<Sent, Error> {
    let mut receipt = [0];
    from.read_exact(&mut receipt).map_err(lost)?;
    let authenticated = begun.elapsed();
    let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
    if receipt != [RECEIPT] {
        return Err(Error::Frame("no receipt"));
    }
    from.read_exact(&mut receipt).map_err(lost)?;
    Ok(Sent { handshake, authenticated, durable: Some(begun.elapsed()), seal: None, cpu })
}

impl Mover for Plain {
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, Receiving), Error> {
        let (address, listener) = listen(at)?;
        let into = into.map(Path::to_owned);
        let receiving: Receiving = Box::new(move || {
            let (mut socket, _) = listener.accept().map_err(lost)?;
            let cpu = usage::process_cpu();
            let mut sink = Sink::new(into.as_deref())?;
            let from = socket.try_clone().map_err(lost)?;
            let mut frames = FrameReader::new(Paced::new(&from, Times::default().window).map_err(lost)?);
            while let Some(header) = frames.header()? {
                let bytes = frames.sealed(&header)?;
                if header.kind() == Kind::End {
                    break;
                }
                sink.write(&bytes[..header.plain()])?;
            }
            let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
            sink.confirm(&mut socket)?;
            Ok(Received { open: None, cpu })
        });
        Ok((address, receiving))
    }

    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error> {
        let source = OpenSource::open(file).map_err(Error::file)?;
        let mut frame = vec![0; HEADER + CHUNK + TAG];
        let began = Instant::now();
        let mut socket = TcpStream::connect(address).map_err(lost)?;
        socket.set_nodelay(true).map_err(lost)?;
        let handshake = began.elapsed();
        let (begun, cpu) = (Instant::now(), usage::process_cpu());
        let mut offset = 0;
        while offset < file.size {
            let length = (file.size - offset).min(CHUNK as u64) as usize;
            frame[..HEADER].copy_from_slice(&Header::new(Kind::Data, length).encode());
            let read = source.read_at(&mut frame[HEADER..HEADER + length], offset);
            read.map_err(Error::file)?;
            socket.write_all(&frame[..HEADER + length + TAG]).map_err(lost)?;
            offset += length as u64;
        }
        frame[..HEADER].copy_from_slice(&Header::new(Kind::End, 0).encode());
        socket.write_all(&frame[..HEADER + TAG]).map_err(lost)?;
        confirmed(&mut socket, handshake, begun, cpu)
    }
}
