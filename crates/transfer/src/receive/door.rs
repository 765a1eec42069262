//! How a receiver and its sender get together: the receiver listens, or it calls a sender that listens.

use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::session::Session;
use crate::Error;
use crate::channel::Channel;
use crate::connect::connect;
use crate::hello::{Hello, Stream, TransferId};
use crate::identity::Identity;
use crate::key::{AttemptKeys, Opener};
use crate::listen::{Admitted, Caller, DataConnections, Listener, PortEvent, ResumeSecretHash, hash_resume_secret};
use crate::message::{Call, FromReceiver, FromSender, SenderHello};
use crate::secret::{ResumeSecret, Token};
use crate::ticket::{KeyHash, Ticket};
use crate::timed::Times;
use crate::wire::WIRE;

/// The longest pause between two calls.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The pause before the second call; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// Where senders come from.
pub(super) enum Door {
    /// They connect.
    Listens(Listener<SenderHello>),
    /// This end connects to its sender.
    Calls(Mutex<Calling>),
    /// No sender is needed: nothing but names is lacking.
    Nowhere,
}

/// A sender that listens, and what it accepts of this end.
pub(super) struct Calling {
    addresses: Vec<String>,
    key: KeyHash,
    credential: Credential,
    /// The transfer that its hello must be about; `None`: a first one.
    known: Option<(TransferId, ResumeSecretHash)>,
    times: Times,
    /// Where it was reached.
    peer: Option<SocketAddr>,
}

/// What a call shows.
enum Credential {
    /// The ticket's token, valid once.
    Token(Token),
    /// The transfer, and the secret that this end gave to the sender.
    Resume(TransferId, ResumeSecret),
}

impl Door {
    /// Listens for senders.
    pub(super) fn listen(
        at: SocketAddr,
        identity: Identity,
        token: Option<Token>,
        known: Option<(TransferId, ResumeSecretHash)>,
        times: Times,
    ) -> Result<Self, Error> {
        let listener = Listener::open(at, identity, token, times)?;
        if let Some((transfer, secret)) = known {
            listener.admission.allow_resume(transfer, secret);
        }
        Ok(Self::Listens(listener))
    }

    /// To the sender of this ticket; `known` is the transfer that an earlier process left.
    pub(super) fn to(ticket: &Ticket, known: Option<(TransferId, ResumeSecretHash)>, times: Times) -> Self {
        Self::Calls(Mutex::new(Calling {
            addresses: ticket.addresses.clone(),
            key: ticket.key,
            credential: Credential::Token(ticket.token.clone()),
            known,
            times,
            peer: None,
        }))
    }

    /// The next sender; `Ok(None)` if none is there within `time`. A first call is made once.
    pub(super) fn next_event(&self, time: Option<Duration>) -> Result<Option<PortEvent<SenderHello>>, Error> {
        match self {
            Self::Listens(listener) => Ok(listener.admission.next_event(time)),
            Self::Calls(calling) => {
                let called = lock(calling).call_within(time)?;
                Ok(called.map(|admitted| PortEvent::Authenticated(Box::new(admitted))))
            }
            Self::Nowhere => Ok(None),
        }
    }

    /// From now on the sender of this transfer may come back.
    pub(super) fn allow_resume(&self, transfer: TransferId, secret: &ResumeSecret) {
        match self {
            Self::Listens(listener) => listener.admission.allow_resume(transfer, hash_resume_secret(secret)),
            Self::Calls(calling) => {
                let mut calling = lock(calling);
                calling.known = Some((transfer, hash_resume_secret(secret)));
                calling.credential = Credential::Resume(transfer, secret.clone());
            }
            Self::Nowhere => {}
        }
    }

    /// Where this end listens, if it does.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Listens(listener) => Some(listener.address()),
            Self::Calls(_) | Self::Nowhere => None,
        }
    }

    /// What a sender needs to come in here for the first time, if it can.
    pub(super) fn ticket(&self, hosts: &[String]) -> Option<Ticket> {
        match self {
            Self::Listens(listener) => listener.ticket(hosts),
            Self::Calls(_) | Self::Nowhere => None,
        }
    }

    /// The key that this end proves to have, if it listens.
    pub(super) fn identity(&self) -> Option<&Identity> {
        match self {
            Self::Listens(listener) => Some(listener.admission.identity()),
            Self::Calls(_) | Self::Nowhere => None,
        }
    }

    /// The end that opens the data connections.
    pub(super) fn opener(&self) -> Opener {
        match self {
            Self::Listens(_) | Self::Nowhere => Opener::Sender,
            Self::Calls(_) => Opener::Receiver,
        }
    }

    /// Lets the data connections of an attempt come, or opens them.
    pub(super) fn open(&self, session: &Arc<Session>, keys: &AttemptKeys, streams: u16) {
        match self {
            Self::Listens(listener) => listener.admission.expect_connections(Some(session.clone())),
            Self::Calls(calling) => {
                let calling = lock(calling);
                let Some(peer) = calling.peer else { return };
                for stream in (0..streams).map(Stream) {
                    let (session, keys, time) = (session.clone(), keys.clone(), calling.times.window);
                    let _ = thread::Builder::new().name("ciphermeter data".into()).spawn(move || {
                        if let Err(error) = join(&session, &keys, stream, peer, time) {
                            session.fail(error);
                        }
                    });
                }
            }
            Self::Nowhere => {}
        }
    }

    /// Whether another sender has come in the place of the one that was let in.
    pub(super) fn is_waited_at(&self) -> bool {
        matches!(self, Self::Listens(listener) if listener.admission.is_waited_at())
    }

    /// No further data connections come.
    pub(super) fn shut(&self) {
        if let Self::Listens(listener) = self {
            listener.admission.expect_connections(None);
        }
    }
}

/// Opens a data connection to the sender, and receives from it.
fn join(session: &Session, keys: &AttemptKeys, stream: Stream, peer: SocketAddr, time: Duration) -> Result<(), Error> {
    let lost = |why| Error::lost("opening a data connection", why);
    let mut socket = TcpStream::connect_timeout(&peer, time).map_err(lost)?;
    let hello = Hello::new(stream, &keys.hello_key())?;
    std::io::Write::write_all(&mut socket, &hello.encode()).map_err(lost)?;
    if session.admits(&hello) {
        session.take(&hello, socket);
    }
    Ok(())
}

fn lock(calling: &Mutex<Calling>) -> MutexGuard<'_, Calling> {
    calling.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Calling {
    /// A sender that was lost is called until the time is over.
    fn call_within(&mut self, time: Option<Duration>) -> Result<Option<Admitted<SenderHello>>, Error> {
        let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let called = self.call();
            match (called, time) {
                (Err(error), Some(time)) if error.is_lost() => {
                    if began.elapsed() + pause > time {
                        return Ok(None);
                    }
                    thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                (called, _) => return called.map(Some),
            }
        }
    }

    fn call(&mut self) -> Result<Admitted<SenderHello>, Error> {
        let (key, time) = (self.key, self.times.handshake());
        let (mut channel, peer) =
            connect(&self.addresses, self.times.authentication, move |socket, _| Channel::connect(socket, key, time))?;
        let (token, transfer, resume) = match &self.credential {
            Credential::Token(token) => (Some(token.clone()), None, None),
            Credential::Resume(transfer, secret) => (None, Some(*transfer), Some(secret.clone())),
        };
        channel.set_time_limit(Some(self.times.reply));
        channel.send(&FromReceiver::Call(Call { wire: WIRE, token, transfer, resume }))?;
        channel.flush()?;
        let hello = match channel.receive()? {
            FromSender::Hello(hello) => hello,
            FromSender::Refused { why } | FromSender::BrokeOff { why } => return Err(Error::Refused(why)),
            _ => return Err(Error::message("unexpected before the hello")),
        };
        hello.check().map_err(|why| Error::Message(why.into()))?;
        self.check(&hello)?;
        self.peer = Some(peer);
        channel.set_time_limit(None);
        Ok(Admitted { channel, hello })
    }

    /// Whether the hello is about the transfer that this end knows, and has nothing of its ticket.
    fn check(&self, hello: &SenderHello) -> Result<(), Error> {
        let is_it = match (&self.known, &hello.resume) {
            (None, None) => hello.transfer.is_none(),
            (Some((transfer, hash)), Some(secret)) => {
                hello.transfer == Some(*transfer) && hash_resume_secret(secret) == *hash
            }
            (None, Some(_)) | (Some(_), None) => false,
        };
        match hello.wire == WIRE && hello.token.is_none() && is_it {
            true => Ok(()),
            false => Err(Error::message("its hello is not the one that is due")),
        }
    }
}
