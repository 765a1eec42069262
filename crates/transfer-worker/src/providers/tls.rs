//! The same file through TLS 1.3 alone: what a program gets that wraps its socket in TLS. rustls makes the handshake;
//! rustls or the kernel seals and opens.
//!
//! The receiver's key is pinned as in a transfer. The ALPN differs, so that neither end can be mistaken for an end of a
//! transfer.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ciphermeter_host::usage;
use ciphermeter_transfer::{CHUNK, Identity, OpenSource, SourceFile, Suite, pinned_client, pinned_server};
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{self, cipher_suite};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection};

use super::receipts::{Destination, confirmed, listen, lost};
use super::records::Records;
use crate::error::Error;
use crate::provider::{Provider, ReceiveFile, Received, Sent};

/// TLS 1.3 with one suite.
pub(crate) struct Tls {
    pub(crate) suite: Suite,
    pub(crate) records: Records,
}

const ALPN: &[u8] = b"ciphermeter-benchmark";
/// The name that the sender asks for, which does not matter: the key is pinned.
const NAME: &str = "ciphermeter";

impl Tls {
    fn provider(&self) -> Arc<CryptoProvider> {
        let suite = match self.suite {
            Suite::Aes256Gcm => cipher_suite::TLS13_AES_256_GCM_SHA384,
            Suite::ChaCha20Poly1305 => cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
        };
        Arc::new(CryptoProvider { cipher_suites: vec![suite], ..aws_lc_rs::default_provider() })
    }

    fn server(&self, identity: &Identity) -> Result<Arc<ServerConfig>, Error> {
        let mut config = pinned_server(identity, self.provider()).map_err(Error::Tls)?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        config.send_tls13_tickets = 0;
        config.enable_secret_extraction = self.records == Records::Kernel;
        Ok(Arc::new(config))
    }

    fn client(&self, key: [u8; 32]) -> Result<Arc<ClientConfig>, Error> {
        let mut config = pinned_client(key, self.provider()).map_err(Error::Tls)?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        config.enable_secret_extraction = self.records == Records::Kernel;
        Ok(Arc::new(config))
    }
}

fn no_address() -> Error {
    ciphermeter_transfer::Error::Frame("no address").into()
}

impl Provider for Tls {
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, ReceiveFile), Error> {
        let (address, listener) = listen(at)?;
        let identity = Identity::generate()?;
        let (config, records, into) = (self.server(&identity)?, self.records, into.map(Path::to_owned));
        let receiving: ReceiveFile = Box::new(move || {
            let (mut socket, _) = listener.accept().map_err(lost)?;
            socket.set_nodelay(true).map_err(lost)?;
            let mut connection = ServerConnection::new(config).map_err(Error::Tls)?;
            while connection.is_handshaking() {
                connection.complete_io(&mut socket).map_err(lost)?;
            }
            let mut stream = records.server(connection, socket)?;
            let cpu = usage::process_cpu();
            let mut size = [0; 8];
            stream.read_exact(&mut size).map_err(lost)?;
            let (mut left, mut destination) = (u64::from_be_bytes(size), Destination::new(into.as_deref())?);
            let mut buffer = vec![0; CHUNK];
            while left > 0 {
                let most = left.min(CHUNK as u64) as usize;
                let read = stream.read(&mut buffer[..most]).map_err(lost)?;
                if read == 0 {
                    return Err(ciphermeter_transfer::Error::Cut.into());
                }
                destination.write(&buffer[..read])?;
                left -= read as u64;
            }
            let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
            destination.confirm(&mut stream)?;
            Ok(Received { open: None, cpu })
        });
        Ok((format!("{address} {}", hex::encode(identity.hash())), receiving))
    }

    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error> {
        let source = OpenSource::open(file).map_err(Error::local)?;
        let mut key = [0; 32];
        let (address, hash) = address.split_once(' ').ok_or_else(no_address)?;
        hex::decode_to_slice(hash, &mut key).map_err(|_| no_address())?;
        let config = self.client(key)?;
        let mut buffer = vec![0; CHUNK];
        let began = Instant::now();
        let mut socket = TcpStream::connect(address).map_err(lost)?;
        socket.set_nodelay(true).map_err(lost)?;
        let name = ServerName::try_from(NAME).expect("a name");
        let mut connection = ClientConnection::new(config, name).map_err(Error::Tls)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(lost)?;
        }
        let mut stream = self.records.client(connection, socket)?;
        let handshake = began.elapsed();
        let (begun, cpu) = (Instant::now(), usage::process_cpu());
        stream.write_all(&file.size.to_be_bytes()).map_err(lost)?;
        let mut offset = 0;
        while offset < file.size {
            let length = (file.size - offset).min(CHUNK as u64) as usize;
            source.read_at(&mut buffer[..length], offset).map_err(Error::local)?;
            stream.write_all(&buffer[..length]).map_err(lost)?;
            offset += length as u64;
        }
        stream.flush().map_err(lost)?;
        confirmed(&mut stream, handshake, begun, cpu)
    }
}
