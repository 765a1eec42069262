//! What seals and opens the records once TLS's handshake is done: rustls in this process, or the kernel.

use std::io::{Read, Write};
use std::net::TcpStream;

use rustls::{ClientConnection, ServerConnection, StreamOwned};

use super::kernel;
use crate::error::Error;

/// A connection on which plaintext is read and written.
pub(super) trait Plain: Read + Write {}

impl<T: Read + Write> Plain for T {}

/// What seals and opens records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Records {
    /// The library that made the handshake.
    Rustls,
    /// The kernel: kTLS.
    Kernel,
}

impl Records {
    /// The receiving end after its handshake.
    pub(super) fn server(self, connection: ServerConnection, socket: TcpStream) -> Result<Box<dyn Plain>, Error> {
        Ok(match self {
            Self::Rustls => Box::new(StreamOwned::new(connection, socket)),
            Self::Kernel => {
                let secrets = connection.dangerous_extract_secrets().map_err(Error::Tls)?;
                Box::new(kernel::take_over(socket, secrets, kernel::End::Server)?)
            }
        })
    }

    /// The sending end after its handshake.
    pub(super) fn client(self, connection: ClientConnection, socket: TcpStream) -> Result<Box<dyn Plain>, Error> {
        Ok(match self {
            Self::Rustls => Box::new(StreamOwned::new(connection, socket)),
            Self::Kernel => {
                let secrets = connection.dangerous_extract_secrets().map_err(Error::Tls)?;
                Box::new(kernel::take_over(socket, secrets, kernel::End::Client)?)
            }
        })
    }
}
