//! Receiving processes for a benchmark whose harness is on another machine.
//!
//! Orders come over TLS 1.3 from whoever has the ticket, as to a receiver of files, but under another ALPN: neither can be mistaken for
//! the other. The ticket is good as long as the host runs, because every fork of a run comes anew. A benchmark receives into temporary
//! files of its own and nowhere else.

use std::io::BufReader;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ServerConnection, StreamOwned};

use super::peer;
use super::talk::{Stream, Talk};
use crate::channel::shake;
use crate::identity::{Identity, NAME};
use crate::secret::Token;
use crate::ticket::{KeyHash, Ticket};
use crate::timed::{Timed, Times};
use crate::{Error, tls};

/// The orders' name in the handshake.
const ALPN: &[u8] = b"ciphermeter-benchmark/1";
/// The most connections at once: a worker has one for each cell that it has prepared.
const MOST: usize = 64;

/// Takes orders from a harness on another machine.
pub struct Host {
    listener: TcpListener,
    address: SocketAddr,
    identity: Identity,
    token: Token,
}

impl Host {
    /// Listens there; transfers will come to further ports of the address that the harness found this machine under.
    pub fn listen(address: SocketAddr) -> Result<Self, Error> {
        let failed = |why| Error::Listen { address: address.to_string(), why };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, identity: Identity::generate()?, token: Token::random()? })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the harness needs.
    pub fn ticket(&self, hosts: &[String]) -> Ticket {
        let addresses = hosts.iter().map(|host| format!("{host}:{}", self.address.port())).collect();
        Ticket { key: self.identity.hash(), token: self.token.clone(), addresses }
    }

    /// Takes orders until the process is ended. What goes wrong with one connection ends that one.
    pub fn serve(self) {
        let (host, serving) = (Arc::new(self), Arc::new(AtomicUsize::new(0)));
        loop {
            let Ok((socket, _)) = host.listener.accept() else {
                thread::sleep(std::time::Duration::from_millis(100));
                continue;
            };
            if serving.fetch_add(1, Ordering::Relaxed) >= MOST {
                serving.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (host, serving) = (host.clone(), serving.clone());
            thread::spawn(move || {
                let _ = host.admit(socket);
                serving.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }

    fn admit(&self, socket: TcpStream) -> Result<(), Error> {
        let lost = |why| Error::lost("greeting a harness", why);
        let peer = socket.peer_addr().map_err(lost)?.to_string();
        let at: IpAddr = socket.local_addr().map_err(lost)?.ip();
        let failed = |why| Error::Tls { peer: peer.clone(), why };
        let connection = ServerConnection::new(tls::server(&self.identity, &[ALPN])?).map_err(failed)?;
        let tls = shake(StreamOwned::new(connection, Timed::new(socket, Times::default().knock)), &[ALPN], &peer)?;
        let mut talk = Stream(BufReader::new(tls));
        let word = talk.hear().map_err(lost)?.unwrap_or_default();
        if Token::from_hex(&word).is_none_or(|token| token != self.token) {
            return Err(Error::Refused("the token is wrong".into()));
        }
        talk.0.get_mut().sock.allow(None);
        peer::serve(&mut talk, at).map_err(lost)
    }
}

/// Connects to a host.
pub(super) fn reach(ticket: &Ticket) -> Result<Box<dyn Talk>, Error> {
    let (socket, address) = crate::send::connect(&ticket.addresses, Times::default().knock)?;
    let peer = address.to_string();
    let mut talk = Stream(BufReader::new(greeted(socket, ticket.key, &peer)?));
    talk.say(&ticket.token.to_hex()).map_err(|why| Error::lost("greeting the receiving machine", why))?;
    talk.0.get_mut().sock.allow(None);
    Ok(Box::new(talk))
}

fn greeted(socket: TcpStream, key: KeyHash, peer: &str) -> Result<StreamOwned<ClientConnection, Timed>, Error> {
    let name = ServerName::try_from(NAME).expect("a name");
    let connection = ClientConnection::new(tls::client(key, ALPN)?, name)
        .map_err(|why| Error::Tls { peer: peer.to_owned(), why })?;
    shake(StreamOwned::new(connection, Timed::new(socket, Times::default().knock)), &[ALPN], peer)
}
