//! What the providers `rustls` and `ceiling` share: the listener, the destination of the bytes, and the receipts.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpListener};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use ciphermeter_host::usage;
use ciphermeter_transfer::sync_file;

use crate::error::Error;
use crate::provider::Sent;

/// Sent by the receiver when it has all bytes, and again when they are on disk.
const RECEIPT: u8 = b'a';
const DURABLE: u8 = b'd';

/// The connection, or the file that it fills, failed.
pub(crate) fn lost(why: io::Error) -> Error {
    Error::lost("measuring", why)
}

/// Listens on that address for one connection.
pub(crate) fn listen(at: IpAddr) -> Result<(String, TcpListener), Error> {
    let listener = TcpListener::bind((at, 0)).map_err(lost)?;
    Ok((listener.local_addr().map_err(lost)?.to_string(), listener))
}

/// Where the receiving end puts the bytes: into a new file, or nowhere.
pub(crate) struct Destination {
    file: Option<File>,
    /// How many bytes have come.
    offset: u64,
}

impl Destination {
    /// Into that file, which must not exist yet.
    pub(crate) fn new(into: Option<&Path>) -> Result<Self, Error> {
        Ok(Self { file: into.map(File::create_new).transpose().map_err(lost)?, offset: 0 })
    }

    /// The next bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Some(file) = &self.file {
            file.write_all_at(bytes, self.offset).map_err(lost)?;
        }
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// The receipts: all is here; all is on disk.
    pub(crate) fn confirm(self, to: &mut impl Write) -> Result<(), Error> {
        to.write_all(&[RECEIPT]).and_then(|()| to.flush()).map_err(lost)?;
        if let Some(file) = &self.file {
            sync_file(file).map_err(|why| lost(why.into()))?;
        }
        to.write_all(&[DURABLE]).and_then(|()| to.flush()).map_err(lost)
    }
}

/// The sender's counterpart of [`Destination::confirm`]: its figures since `begun`, when its CPU time was `cpu`.
pub(crate) fn confirmed(
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
        return Err(ciphermeter_transfer::Error::Frame("no receipt").into());
    }
    from.read_exact(&mut receipt).map_err(lost)?;
    Ok(Sent { handshake: Some(handshake), authenticated, durable: Some(begun.elapsed()), seal: None, cpu })
}
