//! The receiving end.
//!
//! A [`Receiver`] listens from its creation; [`Receiver::receive`] receives one transfer, over as many attempts as it
//! needs.

mod accepted;
mod arrivals;
mod attempt;
mod crowd;
mod door;
mod offer;
mod options;
mod person;
mod place;
mod session;
mod stream;
mod transfer;

use std::cell::Cell;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use attempt::Stage;
use door::{Door, Event};
use place::{Folder, Place};
use transfer::Transfer;

use crate::Error;
use crate::identity::Identity;
use crate::progress::Progress;
use crate::report::Report;
use crate::secret::Token;
use crate::target::Target;
use crate::ticket::{KeyHash, Ticket};

pub use accepted::{Accepted, Beyond, How};
pub use offer::Offer;
pub use options::ReceiveOptions;
pub use person::{Person, Question};

/// The receiving end: waits for one sender.
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
    /// Listens for a sender that has the ticket.
    pub fn listen(options: ReceiveOptions) -> Result<Self, Error> {
        let target = options.into.as_deref().map(Target::open).transpose()?;
        let listener = bind(options.listen)?;
        Self::open(options, target, listener, Identity::generate()?, Some(Token::random()?), None)
    }

    /// Listens for the sender of the unfinished transfer in the folder; `None` if there is none. A transfer that lacks
    /// nothing but names needs no sender.
    pub fn resume(options: ReceiveOptions) -> Result<Option<Self>, Error> {
        let Some(folder) = &options.into else { return Ok(None) };
        let target = Target::open(folder)?;
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
        let place = match target {
            Some(target) => Place::Folder(Folder { target, port: address.port(), gathers: options.gathers }),
            None => Place::Nowhere,
        };
        Ok(Self { options, address, key, token, place, left, door, listening: Some(listening) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a sender needs, with the hosts under which it finds this machine; `None` when resuming an earlier transfer,
    /// whose sender has what it needs.
    pub fn ticket(&self, hosts: &[String]) -> Option<Ticket> {
        let addresses = hosts.iter().map(|host| format!("{host}:{}", self.address.port())).collect();
        Some(Ticket { key: self.key, token: self.token.clone()?, addresses })
    }

    /// The folder in which other users of this machine can read what arrives, and the keys of the transfer until it
    /// ends, because the file system has no permissions.
    pub fn is_open_to_others(&self) -> Option<&Path> {
        match &self.place {
            Place::Folder(Folder { target, .. }) if target.is_open_to_others() => Some(target.path()),
            _ => None,
        }
    }

    /// What an earlier process left: what was accepted, and how many of its bytes are here.
    pub fn unfinished(&self) -> Option<(&Accepted, u64)> {
        let left = self.left.as_ref()?;
        let here = left.have().values().map(crate::ranges::Ranges::bytes).sum();
        Some((&left.accepted, here))
    }

    /// Whether every byte is here and only names are missing; [`Receiver::finish`] gives them.
    pub fn lacks_only_names(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.placing)
    }

    /// Gives the names that an earlier process did not get to. Returns how many files there are, and those that failed.
    pub fn finish(&self) -> Result<(u32, Vec<String>), Error> {
        let Some(left) = &self.left else { return Ok((0, Vec::new())) };
        let placed = self.place.put_rest(left)?;
        Ok((placed.files, placed.failed.into_iter().map(|(_, why, _)| why).collect()))
    }

    /// Receives one transfer. A lost connection is waited for; a refused or forged one is not.
    pub fn receive(&mut self, person: &dyn Person, progress: &Arc<Progress>) -> Result<Report, Error> {
        let mut transfer = self.left.take();
        let times = self.options.times.within(self.options.patience);
        let (door, place, options) = (&self.door, &self.place, &self.options);
        let stage = Stage { door, place, options, times, person, progress, asked: Cell::new(false) };
        let (mut lost_since, mut furthest): (Option<Instant>, _) = (None, 0);
        loop {
            let patience = lost_since.map(|since: Instant| self.options.patience.saturating_sub(since.elapsed()));
            let knock = match self.door.next(patience) {
                Some(Event::Knock(knock)) if patience.is_none_or(|patience| !patience.is_zero()) => *knock,
                Some(Event::Outdated(from)) => {
                    person.turned_away(from);
                    continue;
                }
                _ => return Err(Error::NobodyCame(format!("{} s", self.options.patience.as_secs()))),
            };
            let ended = match transfer.as_mut() {
                Some(transfer) => attempt::again(&stage, knock, transfer),
                None => attempt::first(&stage, knock, &mut transfer),
            };
            match ended {
                Ok(report) => return Ok(report),
                Err(error) if error.is_lost() && transfer.is_some() => {
                    person.lost(&error);
                    // Progress restarts the patience: a sender that comes back and brings nothing has an end.
                    if stage.asked.take() || progress.done() > furthest {
                        (lost_since, furthest) = (None, progress.done().max(furthest));
                    }
                    lost_since.get_or_insert_with(Instant::now);
                }
                Err(error) if transfer.is_some() => return Err(error),
                Err(error) => {
                    self.answer_who_came_back(&error);
                    return Err(error.not_begun());
                }
            }
        }
    }

    /// A first offer failed: a sender that came back meanwhile waits for an answer, too.
    fn answer_who_came_back(&self, error: &Error) {
        while let Some(event) = self.door.next(Some(Duration::ZERO)) {
            let Event::Knock(mut knock) = event else { continue };
            let cut = Error::Disagreed("the offer was cut; send again with a new ticket");
            attempt::refuse(&mut knock.channel, if error.is_lost() { &cut } else { error });
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
