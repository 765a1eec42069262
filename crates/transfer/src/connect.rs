//! Connecting to the addresses that a ticket names.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::Error;

/// The first address that answers.
pub(crate) fn connect(addresses: &[String], time: Duration) -> Result<(TcpStream, SocketAddr), Error> {
    let mut why = std::io::Error::other("the name has no address");
    for address in addresses {
        match address.to_socket_addrs() {
            Ok(all) => {
                for one in all {
                    match TcpStream::connect_timeout(&one, time) {
                        Ok(socket) if is_its_own_peer(&socket) => why = ErrorKind::ConnectionRefused.into(),
                        Ok(socket) => return Ok((socket, one)),
                        Err(error) => why = error,
                    }
                }
            }
            Err(error) => why = error,
        }
    }
    Err(Error::Unreachable { addresses: addresses.join(", "), why })
}

/// Whether both ends of a connection are the same socket. TCP allows it, and it happens on loopback: the system may
/// choose as the sender's own port the very port on which nothing listens yet. That socket would then occupy the
/// receiver's port.
fn is_its_own_peer(socket: &TcpStream) -> bool {
    matches!((socket.local_addr(), socket.peer_addr()), (Ok(local), Ok(peer)) if local == peer)
}

#[cfg(test)]
mod tests {
    use rustix::net::{AddressFamily, SocketType, bind, connect, getsockname, socket};

    use super::*;

    #[test]
    fn connection_to_itself_is_rejected() {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        connect(&socket, &getsockname(&socket).unwrap()).unwrap();
        assert!(is_its_own_peer(&TcpStream::from(socket)));

        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(!is_its_own_peer(&TcpStream::connect(listener.local_addr().unwrap()).unwrap()));
    }
}
