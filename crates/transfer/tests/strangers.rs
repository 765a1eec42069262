//! A sender without the ticket gets nowhere, and does not disturb one that has it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use crate::common::tampering_proxy::TamperingProxy;
use crate::common::test_ends::{self, ALPN};
use crate::common::{
    Held, Receiving, bytes, plain, receive_options, receiving, receiving_for, send_options, send_paths, wait_until,
};
use ciphermeter_transfer::{Error, Receiver, Ticket};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// A receiver into a folder, and a file for it.
fn ends() -> (tempfile::TempDir, tempfile::TempDir, Receiving, std::path::PathBuf) {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = from.path().join("file");
    fs::write(&path, bytes(300_000)).unwrap();
    let receiving = receiving(receive_options(Some(to.path())), true);
    (from, to, receiving, path)
}

/// The ticket with a wrong character at this place of its secret part, which has 64: the key's hash, then the token.
fn mistyped(ticket: &Ticket, place: usize) -> Ticket {
    let mut text = ticket.to_string().into_bytes();
    let at = "cm1.".len() + place;
    text[at] = if text[at] == b'A' { b'B' } else { b'A' };
    String::from_utf8(text).unwrap().parse().unwrap()
}

/// The receiver still waits for the sender that has the ticket.
fn assert_still_receives(to: &std::path::Path, receiving: Receiving, path: std::path::PathBuf) {
    send_paths(&receiving.ticket, &[path], &send_options()).unwrap();
    receiving.ended().unwrap();
    assert!(fs::read(to.join("file")).unwrap() == bytes(300_000));
}

#[test]
fn wrong_token_is_refused() {
    let (_from, to, receiving, path) = ends();
    for place in [44, 50, 63] {
        let error = send_paths(&mistyped(&receiving.ticket, place), std::slice::from_ref(&path), &send_options());
        assert!(
            matches!(&error, Err(Error::Refused(why)) if why.to_string().contains("the token is wrong")),
            "{error:?}"
        );
    }
    assert_still_receives(to.path(), receiving, path);
}

#[test]
fn wrong_key_is_refused() {
    let (_from, to, receiving, path) = ends();
    for place in [0, 20, 41] {
        let error = send_paths(&mistyped(&receiving.ticket, place), std::slice::from_ref(&path), &send_options());
        assert!(matches!(error.map_err(plain), Err(Error::WrongKey(_))));
    }
    assert_still_receives(to.path(), receiving, path);
}

/// Shows another key's certificate, and signs with its own key.
#[derive(Debug)]
struct Imposter(Arc<CertifiedKey>);

impl ResolvesServerCert for Imposter {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.clone())
    }
}

impl Imposter {
    fn new(certificate: CertificateDer<'static>, key: &rcgen::KeyPair) -> Self {
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let key = rustls::crypto::aws_lc_rs::sign::any_supported_type(&key).unwrap();
        Self(Arc::new(CertifiedKey::new(vec![certificate], key)))
    }
}

#[test]
fn right_certificate_with_another_private_key_is_refused() {
    let (_from, to, receiving, path) = ends();
    let certificate = test_ends::sender(receiving.address).certificate();
    for kind in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384, &rcgen::PKCS_ED25519] {
        let key = rcgen::KeyPair::generate_for(kind).unwrap();
        let imposter = Imposter::new(certificate.clone(), &key);
        let imposter = test_ends::Receiver::with(test_ends::showing(imposter), receiving.ticket.key);
        let ticket = Ticket { addresses: imposter.ticket.addresses.clone(), ..receiving.ticket.clone() };
        std::thread::scope(|scope| {
            let accepted = scope.spawn(|| imposter.accept().and_then(|mut tls| tls.0.read(&mut [0; 100])));
            let error = send_paths(&ticket, std::slice::from_ref(&path), &send_options()).unwrap_err();
            assert!(matches!(plain(error), Error::WrongKey(_) | Error::Tls { .. }));
            assert!(!matches!(accepted.join().unwrap(), Ok(1..)), "it was sent something");
        });
    }
    assert_still_receives(to.path(), receiving, path);
}

#[test]
fn ticket_is_valid_once() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = from.path().join("file");
    fs::write(&path, bytes(300_000)).unwrap();
    let (user, is_asked, accept) = Held::new();
    let receiving = receiving_for(Receiver::listen(receive_options(Some(to.path()))).unwrap(), user);
    let ticket = receiving.ticket.clone();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| send_paths(&ticket, std::slice::from_ref(&path), &send_options()));
        is_asked.recv().unwrap();
        for _ in 0..3 {
            let second = send_paths(&ticket, std::slice::from_ref(&path), &send_options()).unwrap_err();
            assert!(
                matches!(&second, Error::Refused(why) if why.to_string().contains("this ticket was used")),
                "{second}"
            );
        }
        accept.send(()).unwrap();
        assert_eq!(first.join().unwrap().unwrap().attempt, 1);
    });
    receiving.ended().unwrap();
    assert!(fs::read(to.path().join("file")).unwrap() == bytes(300_000));
    let late = send_paths(&ticket, &[path], &send_options()).unwrap_err();
    let Error::NotBegun(late) = late else { panic!("{late}") };
    assert!(matches!(*late, Error::Unreachable { .. }), "{late}");
}

/// Writes, then checks that the other end closes without an answer.
fn is_turned_away(address: std::net::SocketAddr, bytes: &[u8]) {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let _ = socket.write_all(bytes);
    let mut heard = Vec::new();
    let read = socket.read_to_end(&mut heard);
    assert!(read.is_ok() || read.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset));
    // Bytes that look like TLS get an alert, all others nothing.
    assert!(bytes[0] != b'c' || heard.is_empty(), "{heard:?}");
}

#[test]
fn stranger_on_the_data_port_is_turned_away() {
    let (_from, to, receiving, path) = ends();
    let (address, progress) = (receiving.address, receiving.progress.clone());
    let tampering_proxy = TamperingProxy::before(address, 1, move |attempt, all| {
        assert_eq!(attempt, 1);
        let hello = all[0][0].clone();
        is_turned_away(address, &bytes(400));
        is_turned_away(address, &[b"cmD3", &bytes(400)[..]].concat());
        is_turned_away(address, &[&hello[..22], &[0; 32]].concat());
        let mut other_stream = hello.clone();
        other_stream[5] ^= 1;
        is_turned_away(address, &other_stream);
        // The real sender comes, and meanwhile a stranger that has seen its hello; a hello forwarded afterwards comes
        // too late.
        let mut real = TcpStream::connect(address).unwrap();
        real.write_all(&all[0][..3].concat()).unwrap();
        wait_until("the real one is there", || progress.done() > 0);
        is_turned_away(address, &hello);
        is_turned_away(address, &all[0].concat());
        real.write_all(&all[0][3..].concat()).unwrap();
    });
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    let sent = send_paths(&ticket, &[path], &send_options()).unwrap();
    assert_eq!(sent.attempt, 1);
    receiving.ended().unwrap();
    assert!(fs::read(to.path().join("file")).unwrap() == bytes(300_000));
}

#[test]
fn data_port_is_closed_before_any_transfer() {
    let (_from, to, receiving, path) = ends();
    is_turned_away(receiving.address, &[b"cmD3", &[0; 70][..]].concat());
    assert_still_receives(to.path(), receiving, path);
}

/// A ClientHello that offers TLS 1.2 and nothing later.
fn tls12_hello() -> Vec<u8> {
    let mut body = vec![3, 3];
    body.extend([7; 32]);
    body.push(0);
    body.extend([0, 4, 0xc0, 0x2b, 0xc0, 0x2f]);
    body.extend([1, 0]);
    let groups = [0, 10, 0, 4, 0, 2, 0, 23];
    let signatures = [0, 13, 0, 6, 0, 4, 4, 3, 8, 4];
    let points = [0, 11, 0, 2, 1, 0];
    let protocols = [&[0, 16, 0, 16, 0, 14, 13], ALPN].concat();
    let extensions = [&groups[..], &signatures, &points, &protocols].concat();
    body.extend((extensions.len() as u16).to_be_bytes());
    body.extend(extensions);
    let handshake = [&[1, 0], &(body.len() as u16).to_be_bytes()[..], &body].concat();
    [&[22, 3, 1], &(handshake.len() as u16).to_be_bytes()[..], &handshake].concat()
}

#[test]
fn tls_1_2_is_refused() {
    let (_from, to, receiving, path) = ends();
    let mut socket = TcpStream::connect(receiving.address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    socket.write_all(&tls12_hello()).unwrap();
    let mut alert = Vec::new();
    let _ = socket.read_to_end(&mut alert);
    // A fatal alert, protocol_version.
    assert_eq!((alert.first(), alert.get(5..7)), (Some(&21), Some(&[2, 70][..])), "{alert:?}");
    assert_still_receives(to.path(), receiving, path);
}

#[test]
fn another_protocol_or_none_is_refused() {
    let (_from, to, receiving, path) = ends();
    let others: [&[&[u8]]; 3] = [&[], &[b"ciphermeter/4"], &[b"h2", b"http/1.1"]];
    for alpn in others {
        let heard = test_ends::connect(receiving.address, alpn).ok().and_then(|mut stranger| {
            let _ = stranger.send(&test_ends::hello(&receiving.ticket));
            stranger.receive()
        });
        assert_eq!(heard, None, "{alpn:?}");
    }
    // The token was not used up by that.
    assert_still_receives(to.path(), receiving, path.clone());
    for alpn in others {
        let other = test_ends::Receiver::new(alpn);
        std::thread::scope(|scope| {
            let heard = scope.spawn(|| other.accept().ok()?.receive());
            let error = send_paths(&other.ticket, std::slice::from_ref(&path), &send_options()).unwrap_err();
            assert!(matches!(plain(error), Error::OtherVersion { .. }), "{alpn:?}");
            assert_eq!(heard.join().unwrap(), None, "{alpn:?}");
        });
    }
}
