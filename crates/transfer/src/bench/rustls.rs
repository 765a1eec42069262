//! The same file through TLS 1.3 alone, by rustls: what a program gets that wraps its socket.
//!
//! The receiver's key is pinned as in a transfer. The ALPN is another, so that neither end can be mistaken for one.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ::rustls::crypto::aws_lc_rs::{self, cipher_suite};
use ::rustls::pki_types::ServerName;
use ::rustls::version::TLS13;
use ::rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection, StreamOwned};
use ciphermeter_host::usage;

use super::movers::{Mover, Received, Receiving, Sent};
use super::plain::{Sink, confirmed, listen, lost};
use crate::frame::CHUNK;
use crate::identity::Identity;
use crate::source::{OpenSource, SourceFile};
use crate::ticket::KeyHash;
use crate::tls::Pinned;
use crate::{Error, Suite};

/// TLS 1.3 with one suite.
pub(super) struct Rustls(pub(super) Suite);

const ALPN: &[u8] = b"ciphermeter-benchmark";

impl Rustls {
    fn provider(&self) -> Arc<::rustls::crypto::CryptoProvider> {
        let suite = match self.0 {
            Suite::Aes256Gcm => cipher_suite::TLS13_AES_256_GCM_SHA384,
            Suite::ChaCha20Poly1305 => cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
        };
        Arc::new(::rustls::crypto::CryptoProvider { cipher_suites: vec![suite], ..aws_lc_rs::default_provider() })
    }

    fn server(&self, identity: &Identity) -> Result<Arc<ServerConfig>, Error> {
        let mut config = ServerConfig::builder_with_provider(self.provider())
            .with_protocol_versions(&[&TLS13])
            .and_then(|builder| {
                builder.with_no_client_auth().with_single_cert(vec![identity.certificate()], identity.private_key())
            })
            .map_err(tls)?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }

    fn client(&self, key: KeyHash) -> Result<Arc<ClientConfig>, Error> {
        let builder =
            ClientConfig::builder_with_provider(self.provider()).with_protocol_versions(&[&TLS13]).map_err(tls)?;
        let verifier = Arc::new(Pinned::new(key, self.provider()));
        let mut config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(Arc::new(config))
    }
}

fn tls(why: ::rustls::Error) -> Error {
    Error::Tls { peer: "the benchmark's other end".into(), why }
}

impl Mover for Rustls {
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, Receiving), Error> {
        let (address, listener) = listen(at)?;
        let identity = Identity::generate()?;
        let (config, into) = (self.server(&identity)?, into.map(Path::to_owned));
        let receiving: Receiving = Box::new(move || {
            let (mut socket, _) = listener.accept().map_err(lost)?;
            socket.set_nodelay(true).map_err(lost)?;
            let mut connection = ServerConnection::new(config).map_err(tls)?;
            while connection.is_handshaking() {
                connection.complete_io(&mut socket).map_err(lost)?;
            }
            let cpu = usage::process_cpu();
            let mut stream = StreamOwned::new(connection, socket);
            let mut size = [0; 8];
            stream.read_exact(&mut size).map_err(lost)?;
            let (mut left, mut sink) = (u64::from_be_bytes(size), Sink::new(into.as_deref())?);
            let mut buffer = vec![0; CHUNK];
            while left > 0 {
                let most = left.min(CHUNK as u64) as usize;
                let read = stream.read(&mut buffer[..most]).map_err(lost)?;
                if read == 0 {
                    return Err(Error::Cut);
                }
                sink.write(&buffer[..read])?;
                left -= read as u64;
            }
            let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
            sink.confirm(&mut stream)?;
            Ok(Received { open: None, cpu })
        });
        Ok((format!("{address} {}", hex::encode(identity.hash())), receiving))
    }

    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error> {
        let source = OpenSource::open(file).map_err(Error::file)?;
        let mut key = [0; 32];
        let (address, hash) = address.split_once(' ').ok_or(Error::Frame("no address"))?;
        hex::decode_to_slice(hash, &mut key).map_err(|_| Error::Frame("no address"))?;
        let config = self.client(key)?;
        let mut buffer = vec![0; CHUNK];
        let began = Instant::now();
        let mut socket = TcpStream::connect(address).map_err(lost)?;
        socket.set_nodelay(true).map_err(lost)?;
        let name = ServerName::try_from(crate::identity::NAME).expect("a name");
        let mut connection = ClientConnection::new(config, name).map_err(tls)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(lost)?;
        }
        let mut stream = StreamOwned::new(connection, socket);
        let handshake = began.elapsed();
        let (begun, cpu) = (Instant::now(), usage::process_cpu());
        stream.write_all(&file.size.to_be_bytes()).map_err(lost)?;
        let mut offset = 0;
        while offset < file.size {
            let length = (file.size - offset).min(CHUNK as u64) as usize;
            source.read_at(&mut buffer[..length], offset).map_err(Error::file)?;
            stream.write_all(&buffer[..length]).map_err(lost)?;
            offset += length as u64;
        }
        stream.flush().map_err(lost)?;
        confirmed(&mut stream, handshake, begun, cpu)
    }
}
