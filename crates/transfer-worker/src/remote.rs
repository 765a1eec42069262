//! Receiving processes for a harness on another machine: the other end of `run transfer --peer`.
//!
//! Orders come over TLS 1.3 from a harness that has the ticket. The ticket is valid as long as this end runs, because
//! each fork of a run connects anew. This end receives into temporary files of its own and nowhere else.

use std::io::BufReader;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ciphermeter_transfer::{ReusableTicket, Ticket, TicketStream};

use crate::error::Error;
use crate::lines::{Lines, Stream};
use crate::receiving;

/// The protocol's name in the handshake.
const PROTOCOL: &[u8] = b"ciphermeter-benchmark/1";
/// The most connections at once: a worker has one for each cell that it has prepared.
const MAX_CONNECTIONS: usize = 64;

/// Listens for harnesses on other machines.
pub struct RemoteReceiver {
    listener: TcpListener,
    address: SocketAddr,
    ticket: ReusableTicket,
}

impl RemoteReceiver {
    /// Listens on `address`. Transfers use further ports of the address under which the harness found this machine.
    pub fn listen(address: SocketAddr) -> Result<Self, ciphermeter_transfer::Error> {
        let failed = |why| ciphermeter_transfer::Error::Listen { address: address.to_string(), why };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, ticket: ReusableTicket::new(PROTOCOL)? })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The ticket for a harness that finds this machine under these hosts.
    pub fn ticket(&self, hosts: &[String]) -> Ticket {
        self.ticket.ticket(hosts, self.address.port())
    }

    /// Serves orders until the process is ended. A failure of one connection ends that one only.
    pub fn serve(self) {
        let (receiver, serving) = (Arc::new(self), Arc::new(AtomicUsize::new(0)));
        loop {
            let Ok((socket, _)) = receiver.listener.accept() else {
                thread::sleep(Duration::from_millis(100));
                continue;
            };
            if serving.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                serving.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (receiver, serving) = (receiver.clone(), serving.clone());
            thread::spawn(move || {
                let _ = receiver.admit(socket);
                serving.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }

    fn admit(&self, socket: TcpStream) -> Result<(), Error> {
        let lost = |why| Error::lost("greeting a harness", why);
        let at = socket.local_addr().map_err(lost)?.ip();
        let mut lines = Stream(BufReader::new(self.ticket.accept(socket)?));
        receiving::serve(&mut lines, at).map_err(lost)
    }
}

/// Connects to a [`RemoteReceiver`].
pub(crate) fn connect(ticket: &Ticket) -> Result<Box<dyn Lines>, Error> {
    Ok(Box::new(Stream(BufReader::new(TicketStream::connect(ticket, PROTOCOL)?))))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::Algorithm;

    use super::*;
    use crate::providers::provider;
    use crate::receiver::ReceiverProcess;
    use crate::scratch::{Scratch, hash};

    #[test]
    fn ticket_serves_one_harness_after_the_other() {
        let listen = || RemoteReceiver::listen(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let hosts = ["127.0.0.1".to_owned()];
        let receiver = listen();
        let (ticket, other) = (receiver.ticket(&hosts), listen().ticket(&hosts));
        thread::spawn(|| receiver.serve());
        let (scratch, file) = Scratch::with_message(1, 100_000).unwrap();
        for (name, algorithm) in [("ceiling", Algorithm::TcpPlain), ("rustls", Algorithm::Aes256Gcm)] {
            let mut process = ReceiverProcess::connected(connect(&ticket).unwrap());
            process.open(name, algorithm).unwrap();
            let address = process.listen(true).unwrap();
            provider(name, algorithm).unwrap().send(&file, &address).unwrap();
            process.outcome().unwrap();
            assert_eq!(process.hash().unwrap(), hash(&scratch.message()).unwrap());
        }
        let with_another_key = Ticket { key: other.key, ..ticket };
        assert!(matches!(connect(&with_another_key), Err(Error::Transfer(ciphermeter_transfer::Error::WrongKey(_)))));
    }
}
