//! Ends written for the tests: they use rustls for TLS, write the lines by hand, and may be dishonest.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::{digest, hmac};
use ciphermeter_transfer::Ticket;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs as provider};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ResolvesServerCert;
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, ServerConfig, ServerConnection, SignatureScheme, StreamOwned,
};
use serde_json::{Value, json};

pub const ALPN: &[u8] = b"ciphermeter/3";
/// The longest wait of anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lines of JSON over TLS.
pub struct Lines<T>(pub T);

pub type Client = Lines<StreamOwned<ClientConnection, TcpStream>>;
pub type Server = Lines<StreamOwned<ServerConnection, TcpStream>>;

impl<T: Read + Write> Lines<T> {
    pub fn send(&mut self, value: &Value) -> io::Result<()> {
        self.0.write_all(format!("{value}\n").as_bytes())?;
        self.0.flush()
    }

    /// The next line; `None` at the end, however the connection ended.
    pub fn receive(&mut self) -> Option<Value> {
        let (mut line, mut byte) = (Vec::new(), [0]);
        while self.0.read(&mut byte).ok()? == 1 {
            match byte[0] {
                b'\n' => return serde_json::from_slice(&line).ok(),
                byte => line.push(byte),
            }
        }
        None
    }
}

/// Completes a handshake with any peer, naming these protocols.
pub fn connect(address: SocketAddr, alpn: &[&[u8]]) -> io::Result<Client> {
    let socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut tls = StreamOwned::new(client(alpn), socket);
    tls.conn.complete_io(&mut tls.sock)?;
    Ok(Lines(tls))
}

/// Connects to any peer.
pub fn client(alpn: &[&[u8]]) -> ClientConnection {
    let provider = Arc::new(provider::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AcceptsEveryCertificate(provider)))
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    ClientConnection::new(Arc::new(config), ServerName::try_from("ciphermeter").unwrap()).unwrap()
}

/// A test's own sender that has the ticket.
pub fn sender(address: SocketAddr) -> Client {
    connect(address, &[ALPN]).unwrap()
}

impl Client {
    /// The first line of a data connection of this attempt.
    pub fn data_hello(&self, transfer: &str, attempt: u32, stream: u16) -> Vec<u8> {
        let mut context = hex::decode(transfer).unwrap();
        context.extend(attempt.to_be_bytes());
        let label = b"EXPORTER-ciphermeter-3 hello sender";
        let key = self.0.conn.export_keying_material([0; 32], label, Some(&context)).unwrap();
        let mut hello = [&b"cmD3"[..], &stream.to_be_bytes(), &[7; 16]].concat();
        let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), &hello);
        hello.extend(mac.as_ref());
        hello
    }

    /// The receiver's certificate.
    pub fn certificate(&self) -> CertificateDer<'static> {
        self.0.conn.peer_certificates().unwrap()[0].clone().into_owned()
    }
}

pub fn suites() -> Value {
    json!([
        {"suite": "aes-256-gcm", "seal": 3000, "open": 3000},
        {"suite": "chacha20-poly1305", "seal": 1000, "open": 1000},
    ])
}

pub fn hello(ticket: &Ticket) -> Value {
    json!({"is": "hello", "wire": 3, "token": *ticket.token.to_hex(), "suites": suites(), "streams": 1})
}

pub fn file(name: &str, size: u64) -> Value {
    json!({"is": "file", "name": name, "size": size, "mode": 0o644, "modified": 0, "version": "00".repeat(16)})
}

pub fn offered(files: u32, bytes: u64) -> Value {
    json!({"is": "offered", "files": files, "bytes": bytes})
}

/// A test's own receiver: its listener, and a ticket for it. `key` is its key pair.
pub struct Receiver {
    listener: TcpListener,
    config: Arc<ServerConfig>,
    pub ticket: Ticket,
}

impl Receiver {
    pub fn new(alpn: &[&[u8]]) -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new(vec!["x".into()]).unwrap().self_signed(&key).unwrap();
        let info = rcgen::PublicKeyData::subject_public_key_info(&key);
        let hash = digest::digest(&digest::SHA256, &info);
        let private = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
        let mut config = builder().with_single_cert(vec![certificate.der().clone()], private.into()).unwrap();
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        Self::with(config, hash.as_ref().try_into().unwrap())
    }

    /// With a configuration of the test's choice, and the hash of the key that the ticket names.
    pub fn with(config: ServerConfig, key: [u8; 32]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addresses = vec![listener.local_addr().unwrap().to_string()];
        let word = format!("cm1.{}@{}", "A".repeat(64), addresses[0]);
        let ticket = Ticket { key, addresses, ..word.parse().unwrap() };
        Self { listener, config: Arc::new(config), ticket }
    }

    /// Accepts one connection as it is.
    pub fn accept_data(&self) -> TcpStream {
        self.listener.accept().unwrap().0
    }

    /// Accepts one connection.
    pub fn accept(&self) -> io::Result<Server> {
        let (socket, _) = self.listener.accept()?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let mut tls = StreamOwned::new(ServerConnection::new(self.config.clone()).unwrap(), socket);
        tls.conn.complete_io(&mut tls.sock)?;
        Ok(Lines(tls))
    }
}

fn builder() -> rustls::ConfigBuilder<ServerConfig, rustls::server::WantsServerCert> {
    let provider = Arc::new(provider::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    builder.with_protocol_versions(&[&rustls::version::TLS13]).unwrap().with_no_client_auth()
}

/// A server that shows `certificate`.
pub fn showing(certificate: impl ResolvesServerCert + 'static) -> ServerConfig {
    let mut config = builder().with_cert_resolver(Arc::new(certificate));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config
}

/// Accepts every certificate.
#[derive(Debug)]
struct AcceptsEveryCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptsEveryCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
