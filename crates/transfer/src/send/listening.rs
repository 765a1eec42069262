//! A sender that listens: its receiver connects, as one does that asked for the files through ssh.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::known_receiver::{Credential, KnownReceiver};
use super::options::SendOptions;
use super::retries::send_with_retries;
use super::state::State;

use crate::Error;
use crate::identity::Identity;
use crate::listen::Listener;
use crate::message::Call;
use crate::progress::Progress;
use crate::report::Report;
use crate::secret::Token;
use crate::ticket::Ticket;
use crate::timed::Times;
use crate::walk::Listing;

/// A sender that waits for one receiver.
pub struct ListeningSender {
    listener: Listener<Call>,
}

impl ListeningSender {
    /// Listens for a receiver that has the ticket. Port 0: any port.
    pub fn listen(at: SocketAddr, times: Times) -> Result<Self, Error> {
        let listener = Listener::open(at, Identity::generate()?, Some(Token::random()?), times)?;
        Ok(Self { listener })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// What a receiver needs, with the hosts under which it finds this machine.
    pub fn ticket(&self, hosts: &[String]) -> Option<Ticket> {
        self.listener.ticket(hosts)
    }

    /// Sends the listed files to the receiver that comes.
    pub fn send(
        &self,
        paths: &[PathBuf],
        listing: &Listing,
        options: &SendOptions,
        progress: &Progress,
    ) -> Result<Report, Error> {
        let receiver = self.receiver(Credential::Admitted);
        send_with_retries(receiver, Some(&self.listener), paths, listing, options, progress)
    }

    /// Resumes a transfer whose sender ended, with the receiver that comes.
    pub fn resume(
        &self,
        state: &State,
        listing: &Listing,
        options: &SendOptions,
        progress: &Progress,
    ) -> Result<Report, Error> {
        let receiver = self.receiver(state.receiver().credential);
        send_with_retries(receiver, Some(&self.listener), &state.paths, listing, options, progress)
    }

    fn receiver(&self, credential: Credential) -> KnownReceiver {
        KnownReceiver { addresses: Vec::new(), key: self.listener.key(), credential, accepts: false }
    }
}
