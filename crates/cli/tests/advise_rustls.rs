//! The lines that `advise --for rustls` prints, compiled and shaken hands with: the server's answer is taken, whichever suite a client puts
//! first. Only rustls with aws-lc-rs is built here; the lines for ring differ in that module's name alone.

use std::sync::Arc;

use ciphermeter_core::Algorithm;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{CipherSuite, ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};

type Identity = (CertificateDer<'static>, PrivateKeyDer<'static>);

type Server = fn(Identity) -> ServerConfig;

fn identity() -> Identity {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    (made.cert.der().clone(), PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into())
}

fn with(provider: rustls::crypto::CryptoProvider, (certificate, key): Identity) -> ServerConfig {
    ServerConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a configuration")
}

// As printed.
#[rustfmt::skip]
fn aes_first(identity: Identity) -> ServerConfig {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.cipher_suites.sort_by_key(|suite| {
        suite.suite().as_str().is_some_and(|name| name.contains("CHACHA20"))
    });
    let mut config = with(provider, identity);
    config.ignore_client_order = true;
    config
}

#[rustfmt::skip]
fn chacha20_first(identity: Identity) -> ServerConfig {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.cipher_suites.sort_by_key(|suite| {
        suite.suite().as_str().is_some_and(|name| name.contains("AES"))
    });
    let mut config = with(provider, identity);
    config.ignore_client_order = true;
    config
}

/// The suite of a client that puts suites with this word first.
fn negotiated(server: ServerConfig, certificate: &CertificateDer<'static>, word: &str) -> CipherSuite {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.cipher_suites.sort_by_key(|suite| suite.suite().as_str().is_none_or(|name| !name.contains(word)));
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a root");
    let client = ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().expect("a name");
    let mut client = ClientConnection::new(Arc::new(client), name).expect("a client");
    let mut server = ServerConnection::new(Arc::new(server)).expect("a server");
    while client.is_handshaking() || server.is_handshaking() {
        let (mut there, mut back) = (Vec::new(), Vec::new());
        client.write_tls(&mut there).expect("a buffer");
        server.read_tls(&mut there.as_slice()).expect("what the client sent");
        server.process_new_packets().expect("a handshake");
        server.write_tls(&mut back).expect("a buffer");
        client.read_tls(&mut back.as_slice()).expect("what the server sent");
        client.process_new_packets().expect("a handshake");
    }
    server.negotiated_cipher_suite().expect("a suite").suite()
}

#[test]
fn server_with_the_printed_lines_takes_the_answer() {
    let answers: [(Algorithm, Server, CipherSuite); 2] = [
        (Algorithm::Aes256Gcm, aes_first, CipherSuite::TLS13_AES_256_GCM_SHA384),
        (Algorithm::ChaCha20Poly1305, chacha20_first, CipherSuite::TLS13_CHACHA20_POLY1305_SHA256),
    ];
    let source = include_str!("advise_rustls.rs");
    let (_, source) = source.split_once("// As printed.").expect("the functions");
    let parts: Vec<&str> = source.split("#[rustfmt::skip]").collect();
    for ((algorithm, server, suite), own) in answers.into_iter().zip(&parts[1..]) {
        let rustls = ciphermeter_report::program("rustls").expect("a program");
        let setting = rustls.setting(algorithm, "aws-lc", true).expect("lines");
        let printed: Vec<&String> = setting.sections.iter().flat_map(|section| &section.lines).collect();
        assert!(printed.len() >= 5, "{printed:?}");
        for line in printed.into_iter().map(|line| line.trim()).filter(|line| !line.starts_with("//")) {
            assert!(own.lines().any(|own| own.trim() == line), "{line} is not what this test compiles");
        }
        for first in ["AES", "CHACHA20"] {
            let (certificate, key) = identity();
            assert_eq!(negotiated(server((certificate.clone(), key)), &certificate, first), suite);
        }
    }
}
