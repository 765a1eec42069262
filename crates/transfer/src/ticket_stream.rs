//! A stream between two machines for a protocol other than transfers, secured as their control channel is and opened by
//! a ticket.
//!
//! The listening end proves that it has the ticket's key, the connecting end that it knows the ticket's token. Each
//! protocol has a name of its own in the handshake (ALPN), so none of its ends can be mistaken for an end of a
//! transfer. Public for the benchmark, whose worker sends its orders to another machine this way.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ServerConnection, StreamOwned};
use zeroize::Zeroizing;

use crate::Error;
use crate::channel::complete_handshake;
use crate::connect::connect;
use crate::identity::{Identity, NAME};
use crate::secret::Token;
use crate::ticket::Ticket;
use crate::timed::{DeadlineSocket, Times};
use crate::tls::{self, ALPN, ALPN_BEFORE};

/// Bytes of the first line: the token in hex, and a newline.
const LINE: usize = 33;

/// A ticket that opens any number of streams, as long as this value lives. The ticket of a transfer opens one.
pub struct ReusableTicket {
    protocol: &'static [u8],
    identity: Identity,
    token: Token,
}

impl ReusableTicket {
    /// A new ticket for the protocol with that name.
    ///
    /// # Panics
    /// If the name is that of a transfer.
    pub fn new(protocol: &'static [u8]) -> Result<Self, Error> {
        assert!(protocol != ALPN && !ALPN_BEFORE.contains(&protocol), "a transfer's ticket is valid once");
        Ok(Self { protocol, identity: Identity::generate()?, token: Token::random()? })
    }

    /// The ticket that finds this end at these hosts and that port.
    pub fn ticket(&self, hosts: &[String], port: u16) -> Ticket {
        let addresses = hosts.iter().map(|host| format!("{host}:{port}")).collect();
        Ticket { key: self.identity.hash(), token: self.token.clone(), addresses }
    }

    /// Admits a connection that shows the ticket in time.
    pub fn accept(&self, socket: TcpStream) -> Result<TicketStream, Error> {
        let lost = |why| Error::lost("greeting a sender", why);
        let peer = socket.peer_addr().map_err(lost)?.to_string();
        let connection = ServerConnection::new(tls::server(&self.identity, &[self.protocol])?)
            .map_err(|why| Error::Tls { peer: peer.clone(), why })?;
        let timed = DeadlineSocket::new(socket, Times::default().authentication);
        let mut tls = complete_handshake(StreamOwned::new(connection, timed), &[self.protocol], &peer)?;
        let mut line = Zeroizing::new([0; LINE]);
        tls.read_exact(&mut *line).map_err(lost)?;
        let digits = line.strip_suffix(b"\n").and_then(|digits| std::str::from_utf8(digits).ok());
        if digits.and_then(Token::from_hex).is_none_or(|token| token != self.token) {
            return Err(Error::Refused("the token is wrong".into()));
        }
        tls.sock.set_time_limit(None);
        Ok(TicketStream(Box::new(tls)))
    }
}

/// One end of a stream that a ticket opened. It has no deadline.
pub struct TicketStream(Box<dyn Duplex>);

trait Duplex: Read + Write + Send {}

impl<T: Read + Write + Send> Duplex for T {}

impl TicketStream {
    /// Connects to the ticket's addresses, and shows it there.
    pub fn connect(ticket: &Ticket, protocol: &'static [u8]) -> Result<Self, Error> {
        let time = Times::default().authentication;
        let key = ticket.key;
        let (mut tls, _) = connect(&ticket.addresses, time, move |socket, address| {
            let peer = address.to_string();
            let name = ServerName::try_from(NAME).expect("a name");
            let connection = ClientConnection::new(tls::client(key, protocol)?, name)
                .map_err(|why| Error::Tls { peer: peer.clone(), why })?;
            complete_handshake(StreamOwned::new(connection, DeadlineSocket::new(socket, time)), &[protocol], &peer)
        })?;
        // The handshake took of it.
        tls.sock.set_time_limit(Some(time));
        let mut line = Zeroizing::new([b'\n'; LINE]);
        line[..LINE - 1].copy_from_slice(ticket.token.to_hex().as_bytes());
        tls.write_all(&*line)
            .and_then(|()| tls.flush())
            .map_err(|why| Error::lost("performing the handshake with the receiving machine", why))?;
        tls.sock.set_time_limit(None);
        Ok(Self(Box::new(tls)))
    }
}

impl Read for TicketStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for TicketStream {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.0.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use crate::channel::Channel;

    const PROTOCOL: &[u8] = b"ciphermeter-test";

    /// What both ends return when `sender` meets a listener with the ticket.
    fn connect_both<T>(
        reusable: &ReusableTicket,
        sender: impl FnOnce(Ticket) -> Result<T, Error>,
    ) -> (Result<TicketStream, Error>, Result<T, Error>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ticket = reusable.ticket(&["127.0.0.1".into()], listener.local_addr().unwrap().port());
        thread::scope(|scope| {
            let accepted = scope.spawn(|| reusable.accept(listener.accept().unwrap().0));
            let sent = sender(ticket);
            (accepted.join().unwrap(), sent)
        })
    }

    #[test]
    fn reusable_ticket_opens_several_streams() {
        let reusable = ReusableTicket::new(PROTOCOL).unwrap();
        for _ in 0..2 {
            let (accepted, sent) = connect_both(&reusable, |ticket| TicketStream::connect(&ticket, PROTOCOL));
            let (mut here, mut there) = (accepted.unwrap(), sent.unwrap());
            there.write_all(b"hello").and_then(|()| there.flush()).unwrap();
            let mut received = [0; 5];
            here.read_exact(&mut received).unwrap();
            assert_eq!(&received, b"hello");
        }
    }

    #[test]
    fn wrong_token_key_or_protocol_opens_nothing() {
        let reusable = ReusableTicket::new(PROTOCOL).unwrap();
        let with_wrong_token =
            |ticket: Ticket| TicketStream::connect(&Ticket { token: Token::new([7; 16]), ..ticket }, PROTOCOL);
        assert!(matches!(connect_both(&reusable, with_wrong_token).0, Err(Error::Refused(_))));
        let with_wrong_key = |ticket: Ticket| TicketStream::connect(&Ticket { key: [7; 32], ..ticket }, PROTOCOL);
        assert!(matches!(connect_both(&reusable, with_wrong_key).1, Err(Error::WrongKey(_))));
        let with_other_protocol = |ticket: Ticket| TicketStream::connect(&ticket, b"ciphermeter-other");
        assert!(connect_both(&reusable, with_other_protocol).0.is_err());
        let as_transfer = |ticket: Ticket| {
            let socket = TcpStream::connect(&ticket.addresses[0]).unwrap();
            Channel::connect(socket, ticket.key, Times::default().authentication)
        };
        assert!(connect_both(&reusable, as_transfer).0.is_err());
    }
}
