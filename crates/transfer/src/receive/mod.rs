//! The receiving end.
//!
//! A [`Receiver`] listens from the moment it is made; [`Receiver::receive`] takes one transfer, over as many attempts as it needs.

mod arrivals;
mod attempt;
mod door;
mod offer;
mod place;
mod session;
mod stream;
mod transfer;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use attempt::Stage;
use door::Door;
use place::Place;
use transfer::Transfer;

use crate::Error;
use crate::identity::Identity;
use crate::progress::Progress;
use crate::rates::Rate;
use crate::report::Report;
use crate::secret::Token;
use crate::suite::Suite;
use crate::target::Target;
use crate::ticket::{KeyHash, Ticket};
use crate::timed::Times;

pub use offer::Offer;

/// How long the sender's last word is waited for.
const FAREWELL: Duration = Duration::from_secs(2);

/// How to receive.
#[derive(Debug, Clone)]
pub struct ReceiveOptions {
    /// The folder to receive into; `None`: everything is authenticated and thrown away.
    pub into: Option<PathBuf>,
    /// Where to listen; port 0: any, or after [`Receiver::resume`] the one of before.
    pub listen: SocketAddr,
    /// The suite that the user asks for.
    pub wanted: Option<Suite>,
    /// What this machine does with each suite.
    pub rates: Vec<Rate>,
    /// How long to wait for a sender who was lost to come back.
    pub patience: Duration,
    /// How long a sender may take for what is due.
    pub times: Times,
}

/// Who decides whether an offer is taken.
pub trait Person {
    /// Whether it is taken.
    fn accepts(&self, offer: &Offer) -> bool;

    /// An attempt was lost; the sender may come back.
    fn lost(&self, error: &Error);
}

/// One end that waits for a sender.
pub struct Receiver {
    options: ReceiveOptions,
    address: SocketAddr,
    key: KeyHash,
    token: Option<Token>,
    place: Place,
    left: Option<Transfer>,
    door: Arc<Door>,
    listening: Option<JoinHandle<()>>,
}

impl Receiver {
    /// Listens for a sender who has the ticket.
    pub fn listen(options: ReceiveOptions) -> Result<Self, Error> {
        let target = options.into.as_deref().map(Target::open).transpose().map_err(transfer::failed)?;
        let listener = bind(options.listen)?;
        Self::open(options, target, listener, Identity::generate()?, Some(Token::random()?), None)
    }

    /// Listens for the sender of the unfinished transfer in the folder; `None` if there is none. A transfer that lacks nothing but names
    /// needs no sender.
    pub fn resume(options: ReceiveOptions) -> Result<Option<Self>, Error> {
        let Some(folder) = &options.into else { return Ok(None) };
        let target = Target::open(folder).map_err(transfer::failed)?;
        let Some(left) = Transfer::left(&target)? else { return Ok(None) };
        let mut listen = options.listen;
        if listen.port() == 0 {
            listen.set_port(left.port);
        }
        let listener = bind(listen)?;
        let back = Some((left.transfer, left.secret));
        Self::open(options, Some(target), listener, left.identity, None, back).map(Some)
    }

    fn open(
        options: ReceiveOptions,
        target: Option<Target>,
        listener: TcpListener,
        identity: Identity,
        token: Option<Token>,
        back: Option<(Transfer, door::Hashed)>,
    ) -> Result<Self, Error> {
        let address =
            listener.local_addr().map_err(|why| Error::Listen { address: options.listen.to_string(), why })?;
        let key = identity.hash();
        listener.set_nonblocking(true).map_err(|why| Error::Listen { address: address.to_string(), why })?;
        let (door, closed) = Door::new(identity, options.times, token.clone())?;
        let door = Arc::new(door);
        let left = back.map(|(transfer, secret)| {
            door.let_back(transfer.id, secret);
            transfer
        });
        let listening = thread::spawn({
            let door = door.clone();
            move || door.listen(&listener, &closed)
        });
        let place = target.map_or(Place::Nowhere, |target| Place::Folder(target, address.port()));
        Ok(Self { options, address, key, token, place, left, door, listening: Some(listening) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a sender needs, with the hosts under which he finds this machine; `None` where an earlier transfer is gone on with, whose
    /// sender has what he needs.
    pub fn ticket(&self, hosts: &[String]) -> Option<Ticket> {
        let addresses = hosts.iter().map(|host| format!("{host}:{}", self.address.port())).collect();
        Some(Ticket { key: self.key, token: self.token.clone()?, addresses })
    }

    /// What an earlier process left: the offer, and how many of its bytes are here.
    pub fn unfinished(&self) -> Option<(&Offer, u64)> {
        let left = self.left.as_ref()?;
        Some((&left.offer, left.have.values().map(crate::ranges::Ranges::bytes).sum()))
    }

    /// Whether every byte is here and only names are to be given; then [`Receiver::finish`] does that.
    pub fn lacks_only_names(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.placing)
    }

    /// Gives the names that an earlier process had no time for. Returns how many files there are, and those that failed.
    pub fn finish(&self) -> Result<(u32, Vec<String>), Error> {
        let Some(left) = &self.left else { return Ok((0, Vec::new())) };
        let placed = self.place.put_rest(left)?;
        Ok((placed.files, placed.failed.into_iter().map(|(_, why)| why).collect()))
    }

    /// Receives one transfer. What is lost on the way is waited for, what is refused or forged is not.
    pub fn receive(&mut self, person: &dyn Person, progress: &Arc<Progress>) -> Result<Report, Error> {
        let mut transfer = self.left.take();
        let stage = Stage { door: &self.door, place: &self.place, options: &self.options, person, progress };
        let mut lost_since: Option<Instant> = None;
        loop {
            let patience = lost_since.map(|since: Instant| self.options.patience.saturating_sub(since.elapsed()));
            let Some(knock) = self.door.next_knock(patience) else {
                return Err(Error::NobodyCame(format!("{} s", self.options.patience.as_secs())));
            };
            let ended = match transfer.as_mut() {
                Some(transfer) => attempt::again(&stage, knock, transfer),
                None => attempt::first(&stage, knock, &mut transfer),
            };
            match ended {
                Ok(report) => return Ok(report),
                Err(error) if error.is_lost() && transfer.is_some() => {
                    person.lost(&error);
                    lost_since = Some(Instant::now());
                }
                Err(error) if transfer.is_some() => return Err(error),
                Err(error) => {
                    // Whoever came back meanwhile waits for an answer, too.
                    if let Some(mut knock) = self.door.next_knock(Some(Duration::ZERO)) {
                        knock.channel.allow(Some(FAREWELL));
                        let lost = error.is_lost();
                        let cut = Error::Disagreed("the offer was cut; send again with a new ticket");
                        attempt::refuse(&mut knock.channel, if lost { &cut } else { &error });
                    }
                    return Err(error.not_begun());
                }
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.door.close();
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address).map_err(|why| Error::Listen { address: address.to_string(), why })
}
