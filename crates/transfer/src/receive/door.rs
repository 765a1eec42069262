//! Who is let in: one port for the control channel and the data connections.
//!
//! A connection proves within a few seconds who it is, by the token or the resume secret inside TLS, or by the MAC of its hello. Until then
//! it costs one thread of a few, and nothing that it says reaches anything else.

use std::io::{ErrorKind, PipeReader, PipeWriter, Read, pipe};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use aws_lc_rs::digest;
use rustix::event::{PollFd, PollFlags, poll};

use super::session::Session;
use crate::Error;
use crate::channel::ReceiverChannel;
use crate::hello::{HELLO, Hello, MARK, TransferId};
use crate::identity::Identity;
use crate::message::{FromReceiver, FromSender, SenderHello, WIRE};
use crate::secret::{Secret, Token};
use crate::timed::{Timed, Times};

/// Connections that have not proven themselves; more wait in the system's queue.
pub const MAX_PENDING: usize = 64;
/// How long a full house or a want of descriptors lasts at least.
const LOOK: Duration = Duration::from_millis(100);

/// A sender who has proven himself.
pub(super) struct Knock {
    pub(super) channel: ReceiverChannel,
    pub(super) hello: SenderHello,
}

/// What opens the door now.
pub(super) struct Door {
    identity: Identity,
    times: Times,
    inner: Mutex<Inner>,
    knocked: Condvar,
    pending: Mutex<usize>,
    one_left: Condvar,
    /// Its end wakes the listener.
    bell: Mutex<Option<PipeWriter>>,
}

struct Inner {
    /// `None` once it is used.
    token: Option<Token>,
    /// The transfer that can be gone on with, and its secret's hash.
    resume: Option<(TransferId, Hashed)>,
    /// The attempt to which data connections may belong.
    session: Option<Arc<Session>>,
    /// Who waits to be asked in. The latest: whoever comes back knows that his way of before is cut.
    knock: Option<Knock>,
    open: bool,
}

/// The SHA-256 of a resume secret: all that the receiver keeps of it.
pub(super) type Hashed = Secret<32>;

pub(super) fn hashed(secret: &Secret<16>) -> Hashed {
    let hash = digest::digest(&digest::SHA256, secret.expose());
    Hashed::new(hash.as_ref().try_into().expect("SHA-256 has 32 bytes"))
}

impl Door {
    /// The reader is for [`Self::listen`].
    pub(super) fn new(identity: Identity, times: Times, token: Option<Token>) -> Result<(Self, PipeReader), Error> {
        let (closed, bell) = pipe().map_err(|why| Error::lost("preparing to listen", why))?;
        let door = Self {
            identity,
            times,
            inner: Mutex::new(Inner { token, resume: None, session: None, knock: None, open: true }),
            knocked: Condvar::new(),
            pending: Mutex::new(0),
            one_left: Condvar::new(),
            bell: Mutex::new(Some(bell)),
        };
        Ok((door, closed))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// From now on a sender may come back to this transfer.
    pub(super) fn let_back(&self, transfer: TransferId, secret: Hashed) {
        self.inner().resume = Some((transfer, secret));
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Data connections may come to this attempt, and to no other; unless its sender has come back before it began.
    pub(super) fn expect(&self, session: Option<Arc<Session>>) {
        let mut inner = self.inner();
        if let (Some(session), Some(_)) = (&session, &inner.knock) {
            session.fail(Error::Cut);
        }
        inner.session = session;
    }

    /// The sender who knocked last, waiting for one as long as that; `None`: for ever.
    pub(super) fn next_knock(&self, time: Option<Duration>) -> Option<Knock> {
        let nobody = |inner: &mut Inner| inner.knock.is_none();
        let mut inner = match time {
            None => self.knocked.wait_while(self.inner(), nobody).unwrap_or_else(|poisoned| poisoned.into_inner()),
            Some(time) => {
                let waited = self.knocked.wait_timeout_while(self.inner(), time, nobody);
                waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0
            }
        };
        inner.knock.take()
    }

    /// Puts a sender who may come in before the door.
    fn knock(&self, knock: Knock) {
        let mut inner = self.inner();
        // This end may not have seen yet that the way of before is cut.
        if let Some(session) = inner.session.take() {
            session.fail(Error::Cut);
        }
        inner.knock = Some(knock);
        self.knocked.notify_all();
    }

    /// Nobody is let in any more.
    pub(super) fn close(&self) {
        self.inner().open = false;
        self.bell.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    }

    /// Takes connections until the door is closed. The listener doesn't block: who knocked may be gone again.
    pub(super) fn listen(self: Arc<Self>, listener: &TcpListener, closed: &PipeReader) {
        while self.inner().open {
            let _ = poll(&mut [PollFd::new(listener, PollFlags::IN), PollFd::new(closed, PollFlags::IN)], None);
            let socket = match listener.accept() {
                Ok((socket, _)) => socket,
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(_) => {
                    // Out of descriptors, say: they come back when pending ones are through.
                    thread::sleep(LOOK);
                    continue;
                }
            };
            if self.enter() {
                let door = self.clone();
                let thread = thread::Builder::new().name("ciphermeter door".into());
                let started = thread.spawn(move || {
                    let _ = door.admit(socket);
                });
                if started.is_err() {
                    self.leave();
                }
            }
        }
    }

    /// Counts a connection in, waiting until one of the pending ones is through. `false` when the door was closed meanwhile.
    fn enter(&self) -> bool {
        let mut pending = self.pending.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while *pending >= MAX_PENDING {
            let waited = self.one_left.wait_timeout(pending, LOOK);
            pending = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
            if !self.inner().open {
                return false;
            }
        }
        *pending += 1;
        true
    }

    fn leave(&self) {
        *self.pending.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) -= 1;
        self.one_left.notify_one();
    }

    /// Hears who it is. What fails here closes this connection and nothing else.
    fn admit(&self, socket: TcpStream) -> Result<(), Error> {
        let pending = Pending(self);
        let lost = |why| Error::lost("greeting a connection", why);
        socket.set_nonblocking(false).map_err(lost)?;
        let mut timed = Timed::new(socket, self.times.knock);
        match timed.peek().map_err(lost)? {
            None => return Ok(()),
            Some(first) if first == MARK[0] => {}
            Some(_) => return self.admit_sender(ReceiverChannel::accept(timed, &self.identity)?),
        }
        let mut hello = [0; HELLO];
        timed.read_exact(&mut hello).map_err(lost)?;
        let session = self.inner().session.clone();
        if let Some((hello, session)) = Hello::decode(&hello).zip(session)
            && session.admits(&hello)
        {
            drop(pending);
            session.stream(&hello, &timed.socket);
        }
        Ok(())
    }

    fn admit_sender(&self, mut channel: ReceiverChannel) -> Result<(), Error> {
        let hello = match channel.hear() {
            Ok(FromSender::Hello(hello)) => Ok(hello),
            Ok(_) | Err(Error::Message(_)) => {
                Err("this receiver doesn't understand the hello; use the same version of ciphermeter on both ends")
            }
            Err(error) => return Err(error),
        };
        match hello.and_then(|hello| self.pass(&hello).map(|()| hello)) {
            Ok(hello) => {
                channel.allow(None);
                self.knock(Knock { channel, hello });
            }
            Err(why) => {
                channel.say(&FromReceiver::Refused { why: why.into() })?;
                channel.flush()?;
            }
        }
        Ok(())
    }

    /// Whether this sender may come in. A right token is used up here and now, so that of two who have it one is let in.
    fn pass(&self, hello: &SenderHello) -> Result<(), &'static str> {
        if hello.wire != WIRE {
            return Err(
                "this receiver speaks version 1 of the wire format; use the same version of ciphermeter on both ends",
            );
        }
        let mut inner = self.inner();
        if let Some(token) = &hello.token {
            return match &inner.token {
                Some(known) if known == token => {
                    inner.token = None;
                    Ok(())
                }
                Some(_) => Err("the token is wrong; copy the ticket again"),
                None => Err("this ticket was used; ask the receiver for a new one"),
            };
        }
        let known = inner.resume.as_ref().ok_or("there is no unfinished transfer here; it may have ended well")?;
        let secret = hello.resume.as_ref().ok_or("it has neither token nor resume secret")?;
        if hello.transfer != Some(known.0) || hashed(secret) != known.1 {
            return Err("this transfer is not known here; send again with a new ticket");
        }
        Ok(())
    }
}

/// Counts a connection out when it is through, however that ended.
struct Pending<'a>(&'a Door);

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}
