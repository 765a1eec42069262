//! The receiving end.
//!
//! A [`Receiver`] listens from its creation; [`Receiver::receive`] receives one transfer, over as many attempts as it
//! needs.

mod accepted;
mod admission;
mod arrivals;
mod attempt;
mod choices;
mod destination;
mod offer;
mod options;
mod pending;
mod session;
mod stream;
mod transfer;
mod user;

use std::cell::Cell;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use admission::{Admission, PortEvent};
use attempt::AttemptContext;
use destination::{Destination, Folder};
use transfer::Transfer;

use crate::Error;
use crate::identity::Identity;
use crate::progress::Progress;
use crate::report::Report;
use crate::secret::Token;
use crate::target::Target;
use crate::ticket::{KeyHash, Ticket};

pub use accepted::{Accepted, Excess, ExcessKind};
pub use choices::{Decision, Existing};
pub use offer::Offer;
pub use options::ReceiveOptions;
pub use transfer::kept::{count_received, forget_received, kept_received};
pub use user::{Question, User};

/// The receiving end: waits for one sender.
pub struct Receiver {
    options: ReceiveOptions,
    address: SocketAddr,
    key: KeyHash,
    token: Option<Token>,
    destination: Destination,
    unfinished: Option<Transfer>,
    admission: Arc<Admission>,
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
        Self::resume_numbered(options, "")
    }

    /// As [`Self::resume`], with the transfer whose number begins so.
    pub fn resume_numbered(options: ReceiveOptions, number: &str) -> Result<Option<Self>, Error> {
        let Some(folder) = &options.into else { return Ok(None) };
        let target = Target::open(folder)?;
        let Some(unfinished) = Transfer::find_unfinished(&target, number)? else { return Ok(None) };
        let mut listen = options.listen;
        if listen.port() == 0 {
            listen.set_port(unfinished.port);
        }
        let listener = bind(listen)?;
        let earlier = Some((unfinished.transfer, unfinished.secret));
        Self::open(options, Some(target), listener, unfinished.identity, None, earlier).map(Some)
    }

    fn open(
        options: ReceiveOptions,
        target: Option<Target>,
        listener: TcpListener,
        identity: Identity,
        token: Option<Token>,
        earlier: Option<(Transfer, admission::ResumeSecretHash)>,
    ) -> Result<Self, Error> {
        let address =
            listener.local_addr().map_err(|why| Error::Listen { address: options.listen.to_string(), why })?;
        let key = identity.hash();
        listener.set_nonblocking(true).map_err(|why| Error::Listen { address: address.to_string(), why })?;
        let (admission, closed) = Admission::new(identity, options.times, token.clone())?;
        let admission = Arc::new(admission);
        let unfinished = earlier.map(|(transfer, secret)| {
            admission.allow_resume(transfer.id, secret);
            transfer
        });
        let listening = thread::spawn({
            let admission = admission.clone();
            move || admission.listen(&listener, &closed)
        });
        let destination = match target {
            Some(target) => Destination::Folder(Folder { target, port: address.port(), gathers: options.gathers }),
            None => Destination::Discard,
        };
        Ok(Self { options, address, key, token, destination, unfinished, admission, listening: Some(listening) })
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
        match &self.destination {
            Destination::Folder(Folder { target, .. }) if target.is_open_to_others() => Some(target.path()),
            _ => None,
        }
    }

    /// What an earlier process left: what was accepted, and how many of its bytes are here.
    pub fn unfinished(&self) -> Option<(&Accepted, u64)> {
        let unfinished = self.unfinished.as_ref()?;
        let here = unfinished.have().values().map(crate::ranges::Ranges::bytes).sum();
        Some((&unfinished.accepted, here))
    }

    /// Whether every byte is here and only names are missing; [`Receiver::finish`] gives them.
    pub fn lacks_only_names(&self) -> bool {
        self.unfinished.as_ref().is_some_and(|unfinished| unfinished.placing)
    }

    /// Gives the names that an earlier process did not get to. Returns how many files there are, and those that failed.
    pub fn finish(&self) -> Result<(u32, Vec<String>), Error> {
        let Some(unfinished) = &self.unfinished else { return Ok((0, Vec::new())) };
        let placed = self.destination.place_remaining(unfinished)?;
        Ok((placed.files, placed.failed.into_iter().map(|(_, why, _)| why).collect()))
    }

    /// Receives one transfer. After a lost connection the sender is waited for, and so it is after the first few
    /// with damaged bytes; a refusal ends it.
    pub fn receive(&mut self, user: &dyn User, progress: &Arc<Progress>) -> Result<Report, Error> {
        let mut transfer = self.unfinished.take();
        let times = self.options.times.within(self.options.patience);
        let (admission, destination, options) = (&self.admission, &self.destination, &self.options);
        let context = AttemptContext {
            admission,
            destination,
            options,
            times,
            user,
            progress,
            asked: Cell::new(false),
            damaged: Cell::new(0),
        };
        let (mut lost_since, mut furthest): (Option<Instant>, _) = (None, 0);
        loop {
            let patience = lost_since.map(|since: Instant| self.options.patience.saturating_sub(since.elapsed()));
            let sender = match self.admission.next_event(patience) {
                Some(PortEvent::Authenticated(sender)) if patience.is_none_or(|patience| !patience.is_zero()) => {
                    *sender
                }
                Some(PortEvent::Outdated(from)) => {
                    user.refused_outdated(from);
                    continue;
                }
                _ => return Err(Error::NobodyCame(format!("{} s", self.options.patience.as_secs()))),
            };
            let ended = match transfer.as_mut() {
                Some(transfer) => attempt::receive_resumed(&context, sender, transfer),
                None => attempt::receive_first(&context, sender, &mut transfer),
            };
            match ended {
                Ok(report) => return Ok(report),
                Err(error) if context.forgives(&error) && transfer.is_some() => {
                    user.lost(&error);
                    context.damaged.set(context.damaged.get() + u32::from(error.is_damage()));
                    // Progress restarts the patience: a sender that comes back and brings nothing has an end.
                    if context.asked.take() || progress.done() > furthest {
                        (lost_since, furthest) = (None, progress.done().max(furthest));
                    }
                    lost_since.get_or_insert_with(Instant::now);
                }
                Err(error) if transfer.is_some() => return Err(error),
                Err(error) => {
                    self.answer_returning_sender(&error);
                    return Err(error.not_begun());
                }
            }
        }
    }

    /// A first offer failed: a sender that came back meanwhile waits for an answer, too.
    fn answer_returning_sender(&self, error: &Error) {
        while let Some(event) = self.admission.next_event(Some(Duration::ZERO)) {
            let PortEvent::Authenticated(mut sender) = event else { continue };
            let cut = Error::Disagreed("the offer was cut; send again with a new ticket");
            attempt::refuse(&mut sender.channel, if error.is_lost() { &cut } else { error });
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.admission.close();
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address).map_err(|why| Error::Listen { address: address.to_string(), why })
}
