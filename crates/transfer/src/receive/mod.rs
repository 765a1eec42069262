//! The receiving end.
//!
//! A [`Receiver`] listens from its creation; [`Receiver::receive`] receives one transfer, over as many attempts as it
//! needs.

mod accept;
mod accepted;
mod arrivals;
mod attempt;
mod choices;
mod context;
mod declared;
mod destination;
mod door;
mod incoming;
mod offer;
mod options;
mod pipe;
mod receipts;
mod room;
#[cfg(test)]
mod samples;
mod session;
mod stream;
mod transfer;
mod user;

use std::cell::Cell;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use context::AttemptContext;
use destination::{Destination, Folder};
use door::Door;
use pipe::Pipe;
use transfer::{Transfer, UnfinishedTransfer};

use crate::Error;
use crate::hello::TransferId;
use crate::identity::Identity;
use crate::kept::Begun;
use crate::listen::PortEvent;
use crate::patience::{Left, Patience};
use crate::progress::Progress;
use crate::report::Report;
use crate::secret::Token;
use crate::target::Target;
use crate::ticket::Ticket;

pub use accepted::{Accepted, Excess, ExcessKind};
pub use choices::{Decision, Existing};
pub use offer::Offer;
pub use options::ReceiveOptions;
pub use transfer::kept::{count_received, forget_received, kept_received};
pub use user::{Question, User};

/// The receiving end of one transfer.
pub struct Receiver {
    options: ReceiveOptions,
    door: Door,
    destination: Destination,
    unfinished: Option<Transfer>,
}

impl Receiver {
    /// Listens for a sender that has the ticket.
    pub fn listen(options: ReceiveOptions) -> Result<Self, Error> {
        let target = options.into.as_deref().map(Target::open).transpose()?;
        let door = Door::listen(options.listen, Identity::generate()?, Some(Token::random()?), None, options.times)?;
        Ok(Self::at(door, options, target, None))
    }

    /// Listens for a sender of one stream or one file, whose bytes are written to `output` as they are authenticated.
    /// Nothing can be resumed, and no folder is used. What was written is worth nothing unless [`Self::receive`] succeeds.
    pub fn listen_for_pipe(options: ReceiveOptions, output: impl Write + Send + 'static) -> Result<Self, Error> {
        let mut receiver = Self::listen(ReceiveOptions { into: None, ..options })?;
        receiver.destination = Destination::Pipe(Arc::new(Pipe::new(output)));
        Ok(receiver)
    }

    /// Listens for the sender of the unfinished transfer in the folder; `None` if there is none. A transfer that lacks
    /// nothing but names needs no sender.
    pub fn resume(options: ReceiveOptions) -> Result<Option<Self>, Error> {
        Self::resume_numbered(options, "")
    }

    /// As [`Self::resume`], with the transfer whose number begins so.
    pub fn resume_numbered(options: ReceiveOptions, number: &str) -> Result<Option<Self>, Error> {
        let Some((target, unfinished)) = Self::find_unfinished(&options, number)? else { return Ok(None) };
        if unfinished.transfer.placing {
            return Ok(Some(Self::at(Door::Nowhere, options, Some(target), Some(unfinished.transfer))));
        }
        let UnfinishedTransfer { identity: Some(identity), secret, port, transfer } = unfinished else {
            return Err(Error::file(
                "this transfer came through ssh: `ciphermeter recv --unfinished` with the same --into shows the command that resumes it",
            ));
        };
        let mut listen = options.listen;
        if listen.port() == 0 {
            listen.set_port(port);
        }
        let door = Door::listen(listen, identity, None, Some((transfer.id, secret)), options.times)?;
        Ok(Some(Self::at(door, options, Some(target), Some(transfer))))
    }

    /// Connects to a sender that listens and printed this ticket, when [`Receiver::receive`] is called.
    pub fn call(ticket: &Ticket, options: ReceiveOptions) -> Result<Self, Error> {
        let target = options.into.as_deref().map(Target::open).transpose()?;
        let door = Door::to(ticket, None, options.times.within(options.patience));
        Ok(Self::at(door, options, target, None))
    }

    /// The same for the unfinished transfer in the folder, whose sender listens again; `None` if there is none.
    pub fn call_again(ticket: &Ticket, options: ReceiveOptions, number: TransferId) -> Result<Option<Self>, Error> {
        let Some((target, unfinished)) = Self::find_unfinished(&options, &number.to_string())? else { return Ok(None) };
        let UnfinishedTransfer { secret, transfer, .. } = unfinished;
        let times = options.times.within(options.patience);
        let door = Door::to(ticket, Some((transfer.id, secret)), times);
        Ok(Some(Self::at(door, options, Some(target), Some(transfer))))
    }

    /// The unfinished transfer in the folder whose number begins so, if there is one, and whether it lacks only names.
    pub fn find(options: &ReceiveOptions, number: &str) -> Result<Option<(TransferId, bool)>, Error> {
        let found = Self::find_unfinished(options, number)?;
        Ok(found.map(|(_, unfinished)| (unfinished.transfer.id, unfinished.transfer.placing)))
    }

    fn find_unfinished(options: &ReceiveOptions, number: &str) -> Result<Option<(Target, UnfinishedTransfer)>, Error> {
        let Some(folder) = &options.into else { return Ok(None) };
        let target = Target::open(folder)?;
        let unfinished = Transfer::find_unfinished(&target, number)?;
        Ok(unfinished.map(|unfinished| (target, unfinished)))
    }

    fn at(door: Door, options: ReceiveOptions, target: Option<Target>, unfinished: Option<Transfer>) -> Self {
        let port = door.address().map_or(0, |address| address.port());
        let destination = match target {
            Some(target) => {
                Destination::Folder(Folder { target, port, gathers: options.gathers, begun: Begun::default() })
            }
            None => Destination::Discard,
        };
        Self { options, door, destination, unfinished }
    }

    /// Says which command begins the transfer, for the list of unfinished ones. Without it: one at each end.
    #[must_use]
    pub fn begun(mut self, by: Begun) -> Self {
        if let Destination::Folder(folder) = &mut self.destination {
            folder.begun = by;
        }
        self
    }

    /// Where it listens; of a receiver that calls its sender, where it was to listen.
    pub fn address(&self) -> SocketAddr {
        self.door.address().unwrap_or(self.options.listen)
    }

    /// What a sender needs, with the hosts under which it finds this machine; `None` when resuming an earlier transfer,
    /// whose sender has what it needs, and when this end calls.
    pub fn ticket(&self, hosts: &[String]) -> Option<Ticket> {
        self.door.ticket(hosts)
    }

    /// The folder in which other users of this machine can read what arrives, and the keys of the transfer until it
    /// ends, because the file system has no permissions.
    pub fn is_open_to_others(&self) -> Option<&Path> {
        match &self.destination {
            Destination::Folder(Folder { target, .. }) if target.is_open_to_others() => Some(target.path()),
            _ => None,
        }
    }

    /// What an earlier process left: its number, what was accepted, and how many of its bytes are here.
    pub fn unfinished(&self) -> Option<(TransferId, &Accepted, u64)> {
        let unfinished = self.unfinished.as_ref()?;
        let here = unfinished.have().values().map(crate::ranges::Ranges::bytes).sum();
        Some((unfinished.id, &unfinished.accepted, here))
    }

    /// Whether every byte is here and only names are missing; [`Receiver::finish`] gives them.
    pub fn lacks_only_names(&self) -> bool {
        self.unfinished.as_ref().is_some_and(|unfinished| unfinished.placing)
    }

    /// Whether nothing of an unfinished transfer is wanted any more, so that there is nothing to wait for.
    pub fn wants_nothing(&self) -> bool {
        self.unfinished.as_ref().is_some_and(|transfer| {
            let wanted = transfer.accepted.wanted();
            wanted.files.is_empty() && wanted.folders.is_empty()
        })
    }

    /// Asks about all that an unfinished transfer has accepted; of a new one nothing. Its state is in the receiving folder: a
    /// folder from elsewhere may hold one, so that what this user accepts must be shown before anything gets a name. What is
    /// declined does not come any more.
    ///
    /// # Errors
    /// It is not accepted.
    pub fn confirm(&mut self, user: &dyn User) -> Result<(), Error> {
        let Some(transfer) = &mut self.unfinished else { return Ok(()) };
        let offer = transfer.accepted.wanted();
        let question = Question {
            offer: &offer,
            into: self.destination.path(transfer.folder.as_ref()),
            is_pipe: false,
            is_new_folder: false,
            is_resumed: true,
            excess: Vec::new(),
            existing: Vec::new(),
            taken_folders: Vec::new(),
            disk: self.destination.disk()?,
            lacks_room: false,
        };
        let decision = user.accepts(&question).map_err(|error| match error {
            Error::Declined => Error::NotAccepted("declined; what was received before is kept".into()),
            error => error,
        })?;
        // Once names are given, it is too late.
        if !transfer.placing {
            Arc::make_mut(&mut transfer.accepted).decline(&decision.declined, &decision.declined_folders);
        }
        Ok(())
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
        transfer.iter().for_each(|transfer| progress.keep(transfer.id));
        let times = self.options.times.within(self.options.patience);
        let (door, destination, options) = (&self.door, &self.destination, &self.options);
        let context = AttemptContext {
            door,
            destination,
            options,
            times,
            user,
            progress,
            asked: Cell::new(false),
            damaged: Cell::new(0),
        };
        let mut patience = Patience::new(self.options.patience);
        loop {
            let left = match patience.left(Instant::now()) {
                Left::Unlimited => None,
                Left::AtMost(left) => Some(left),
                Left::Over => return Err(self.nobody_came()),
            };
            let event = match self.door.next_event(left) {
                Err(error) if transfer.is_none() => return Err(error.not_begun()),
                event => event?,
            };
            let sender = match event {
                Some(PortEvent::Authenticated(sender)) => *sender,
                Some(PortEvent::Outdated(from)) => {
                    user.refused_outdated(from);
                    continue;
                }
                None => return Err(self.nobody_came()),
            };
            let ended = match transfer.as_mut() {
                Some(transfer) => attempt::receive_resumed(&context, sender, transfer),
                None => attempt::receive_first(&context, sender, &mut transfer),
            };
            match ended {
                Ok(report) => return Ok(report),
                Err(error) if context.forgives(&error) && transfer.is_some() => {
                    user.lost(&error);
                    progress.lose(&error);
                    context.damaged.set(context.damaged.get() + u32::from(error.is_damage()));
                    if context.asked.take() {
                        patience.renew();
                    }
                    patience.lose(Instant::now(), progress.done(), self.door.is_waited_at());
                }
                Err(error) if transfer.is_some() && destination.is_pipe() => return Err(error.incomplete()),
                Err(error) if transfer.is_some() => return Err(error),
                Err(error) => {
                    self.answer_returning_sender(&error);
                    return Err(error.not_begun());
                }
            }
        }
    }

    fn nobody_came(&self) -> Error {
        Error::NobodyCame(format!("{} s", self.options.patience.as_secs()))
    }

    /// A first offer failed: a sender that came back meanwhile waits for an answer, too.
    fn answer_returning_sender(&self, error: &Error) {
        let Door::Listens(listener) = &self.door else { return };
        while let Some(event) = listener.admission.next_event(Some(Duration::ZERO)) {
            let PortEvent::Authenticated(mut sender) = event else { continue };
            let cut = Error::Disagreed("the offer was cut; send again with a new ticket");
            attempt::refuse(&mut sender.channel, if error.is_lost() { &cut } else { error });
        }
    }
}
