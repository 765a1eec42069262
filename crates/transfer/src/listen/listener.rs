//! A port that is listened on, until the value is dropped.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::admission::Admission;
use super::caller::Caller;
use crate::Error;
use crate::identity::Identity;
use crate::secret::Token;
use crate::ticket::{KeyHash, Ticket};
use crate::timed::Times;

/// A listening end: its port, its key, and the thread that admits connections.
pub(crate) struct Listener<C: Caller> {
    pub(crate) admission: Arc<Admission<C>>,
    address: SocketAddr,
    key: KeyHash,
    token: Option<Token>,
    thread: Option<JoinHandle<()>>,
}

impl<C: Caller> Listener<C> {
    /// Listens. Without a token only the other end of a transfer that is already known can come in.
    pub(crate) fn open(at: SocketAddr, identity: Identity, token: Option<Token>, times: Times) -> Result<Self, Error> {
        let failed = |address: SocketAddr| move |why| Error::Listen { address: address.to_string(), why };
        let socket = TcpListener::bind(at).map_err(failed(at))?;
        let address = socket.local_addr().map_err(failed(at))?;
        socket.set_nonblocking(true).map_err(failed(address))?;
        let key = identity.hash();
        let (admission, closed) = Admission::new(identity, times, token.clone())?;
        let admission = Arc::new(admission);
        let thread = thread::spawn({
            let admission = admission.clone();
            move || admission.listen(&socket, &closed)
        });
        Ok(Self { admission, address, key, token, thread: Some(thread) })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The hash of its key.
    pub(crate) fn key(&self) -> KeyHash {
        self.key
    }

    /// What the other end needs, with the hosts under which it finds this machine; `None` without a token.
    pub(crate) fn ticket(&self, hosts: &[String]) -> Option<Ticket> {
        let addresses = hosts.iter().map(|host| format!("{host}:{}", self.address.port())).collect();
        Some(Ticket { key: self.key, token: self.token.clone()?, addresses })
    }
}

impl<C: Caller> Drop for Listener<C> {
    fn drop(&mut self) {
        self.admission.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
