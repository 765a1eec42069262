//! The ceiling: the frames of a transfer with nothing in them sealed. It shows what TCP and the copies alone allow.
//!
//! It has no hello, no keys and no manifest, and a stranger could send to it: it accepts one connection, in the
//! benchmark only.

use std::io::Write;
use std::net::{IpAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Instant;

use ciphermeter_host::usage;
use ciphermeter_transfer::{
    CHUNK, FrameKind, FrameReader, HEADER, Header, MinimumRateReader, OpenSource, SourceFile, TAG, Times,
};

use super::receipts::{Destination, confirmed, listen, lost};
use crate::error::Error;
use crate::provider::{Provider, ReceiveFile, Received, Sent};

/// No cipher. It is not a [`ciphermeter_transfer::Suite`], so it cannot be negotiated.
pub(crate) struct PlainTcp;

impl Provider for PlainTcp {
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, ReceiveFile), Error> {
        let (address, listener) = listen(at)?;
        Ok((address, receive(listener, into)))
    }

    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error> {
        send(file, || TcpStream::connect(address).map_err(lost))
    }
}

/// Receives the file from the first that connects.
pub(super) fn receive(listener: TcpListener, into: Option<&Path>) -> ReceiveFile {
    let into = into.map(Path::to_owned);
    Box::new(move || {
        let (mut socket, _) = listener.accept().map_err(lost)?;
        let cpu = usage::process_cpu();
        let mut destination = Destination::new(into.as_deref())?;
        let from = socket.try_clone().map_err(lost)?;
        let mut frames = FrameReader::new(MinimumRateReader::new(&from, Times::default().window).map_err(lost)?);
        while let Some(header) = frames.header()? {
            let bytes = frames.sealed(&header)?;
            if header.kind() == FrameKind::End {
                break;
            }
            destination.write(&bytes[..header.plain()])?;
        }
        let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
        destination.confirm(&mut socket)?;
        Ok(Received { open: None, cpu })
    })
}

/// Sends the file over the connection that it is given.
pub(super) fn send(file: &SourceFile, connect: impl FnOnce() -> Result<TcpStream, Error>) -> Result<Sent, Error> {
    let source = OpenSource::open(file).map_err(Error::local)?;
    let mut frame = vec![0; HEADER + CHUNK + TAG];
    let began = Instant::now();
    let mut socket = connect()?;
    socket.set_nodelay(true).map_err(lost)?;
    let handshake = began.elapsed();
    let (begun, cpu) = (Instant::now(), usage::process_cpu());
    let mut offset = 0;
    while offset < file.size {
        let length = (file.size - offset).min(CHUNK as u64) as usize;
        frame[..HEADER].copy_from_slice(&Header::new(FrameKind::Data, length).encode());
        let read = source.read_at(&mut frame[HEADER..HEADER + length], offset);
        read.map_err(Error::local)?;
        socket.write_all(&frame[..HEADER + length + TAG]).map_err(lost)?;
        offset += length as u64;
    }
    frame[..HEADER].copy_from_slice(&Header::new(FrameKind::End, 0).encode());
    socket.write_all(&frame[..HEADER + TAG]).map_err(lost)?;
    confirmed(&mut socket, handshake, begun, cpu)
}
