//! Admission: one port for the control channel and the data connections of a transfer, at whichever end listens.
//!
//! A connection authenticates within a few seconds, by the token or the resume secret inside TLS, or by the MAC of its
//! hello. Until then it costs one thread of a few ([`super::pending`]), and nothing that it sends reaches anything
//! else.

use std::io::{ErrorKind, PipeReader, PipeWriter, Read, pipe};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::Duration;

use aws_lc_rs::digest;
use rustix::event::{PollFd, PollFlags, poll};

use super::caller::{Admitted, Caller};
use super::pending::{MAX_PENDING, PendingConnections, PendingSlot, Source};
use crate::Error;
use crate::channel::{Channel, Waker};
use crate::hello::{HELLO, Hello, MARK, TransferId};
use crate::identity::Identity;
use crate::message::{FromReceiver, MAX_STREAMS};
use crate::secret::{Secret, Token};
use crate::timed::{DeadlineSocket, Times};
use crate::wire::WIRE;

/// The least time that a shortage of descriptors lasts.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(100);

/// The most threads that serve connections: pending ones, those of an admitted sender, and some that gave way and have
/// not ended yet.
const MAX_THREADS: usize = MAX_PENDING + MAX_PENDING / 2 + MAX_STREAMS as usize;
/// How long the listener waits for a connection that gave way to end.
const THREAD_END_PAUSE: Duration = Duration::from_millis(1);

/// What an end of another version reads.
const OTHER_VERSION: &str = "this ciphermeter speaks version 3 of the transfer format; install the same version of ciphermeter on both machines";

/// The data connections of an attempt, as they come to the port.
pub(crate) trait DataConnections: Send + Sync {
    /// Whether a connection belongs to this attempt and has not come before.
    fn admits(&self, hello: &Hello) -> bool;

    /// Takes an admitted connection, in the calling thread.
    fn take(&self, hello: &Hello, socket: TcpStream);

    /// Ends the attempt.
    fn fail(&self, error: Error);
}

/// What is admitted now.
pub(crate) struct Admission<C> {
    identity: Identity,
    times: Times,
    inner: Mutex<Inner<C>>,
    changed: Condvar,
    pending: Arc<PendingConnections>,
    /// Dropping it wakes the listener.
    close_signal: Mutex<Option<PipeWriter>>,
}

struct Inner<C> {
    /// `None` once it is used.
    token: Option<Token>,
    /// The transfer that can be resumed, and its secret's hash.
    resume: Option<(TransferId, ResumeSecretHash)>,
    /// The attempt that data connections may belong to.
    connections: Option<Arc<dyn DataConnections>>,
    /// The end that waits for admission. The latest: one that comes back knows that its earlier connection is cut.
    waiting: Option<Admitted<C>>,
    /// Ends what the one that was admitted before is waited for.
    admitted: Weak<Waker>,
    /// The address of an end of an earlier version, until it is reported.
    outdated: Option<SocketAddr>,
    /// Whether one was reported. Being such an end takes no secret, so a crowd of them is reported once.
    was_outdated: bool,
    open: bool,
}

/// What happened at the listening port.
pub(crate) enum PortEvent<C> {
    /// The other end waits for admission.
    Authenticated(Box<Admitted<C>>),
    /// One of an earlier version of the wire format was turned away.
    Outdated(SocketAddr),
}

/// The SHA-256 of a resume secret: a receiver keeps nothing else of it.
pub(crate) type ResumeSecretHash = Secret<32>;

pub(crate) fn hash_resume_secret(secret: &Secret<16>) -> ResumeSecretHash {
    let hash = digest::digest(&digest::SHA256, secret.expose());
    ResumeSecretHash::new(hash.as_ref().try_into().expect("SHA-256 has 32 bytes"))
}

impl<C: Caller> Admission<C> {
    /// The reader is for [`Self::listen`].
    pub(crate) fn new(identity: Identity, times: Times, token: Option<Token>) -> Result<(Self, PipeReader), Error> {
        let (closed, close_signal) = pipe().map_err(|why| Error::lost("preparing to listen", why))?;
        let admission = Self {
            identity,
            times,
            inner: Mutex::new(Inner {
                token,
                resume: None,
                connections: None,
                waiting: None,
                admitted: Weak::new(),
                outdated: None,
                was_outdated: false,
                open: true,
            }),
            changed: Condvar::new(),
            pending: Arc::default(),
            close_signal: Mutex::new(Some(close_signal)),
        };
        Ok((admission, closed))
    }

    fn inner(&self) -> MutexGuard<'_, Inner<C>> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// From now on the other end of this transfer may come back.
    pub(crate) fn allow_resume(&self, transfer: TransferId, secret: ResumeSecretHash) {
        self.inner().resume = Some((transfer, secret));
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// From now on data connections may come to this attempt, and to no other, unless the other end came back before it
    /// began.
    pub(crate) fn expect_connections(&self, connections: Option<Arc<dyn DataConnections>>) {
        let mut inner = self.inner();
        if let (Some(connections), Some(_)) = (&connections, &inner.waiting) {
            connections.fail(Error::Cut);
        }
        inner.connections = connections;
    }

    /// Whether an end has come and waits for its turn.
    pub(crate) fn is_waited_at(&self) -> bool {
        self.inner().waiting.is_some()
    }

    /// The next event, waiting for it for at most `time`; `None`: for ever. Of several ends the one that came last
    /// counts.
    pub(crate) fn next_event(&self, time: Option<Duration>) -> Option<PortEvent<C>> {
        let nothing = |inner: &mut Inner<C>| inner.waiting.is_none() && inner.outdated.is_none();
        let mut inner = match time {
            None => self.changed.wait_while(self.inner(), nothing).unwrap_or_else(|poisoned| poisoned.into_inner()),
            Some(time) => {
                let waited = self.changed.wait_timeout_while(self.inner(), time, nothing);
                waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0
            }
        };
        let outdated = inner.outdated.take().map(PortEvent::Outdated);
        if outdated.is_some() {
            return outdated;
        }
        let mut admitted = inner.waiting.take()?;
        inner.admitted = admitted.channel.weak_waker();
        Some(PortEvent::Authenticated(Box::new(admitted)))
    }

    /// Queues an authenticated end for admission, in the place of any before it.
    fn queue(&self, admitted: Admitted<C>) {
        let mut inner = self.inner();
        // This end may not have noticed yet that the earlier connection is cut, whatever is due on it.
        if let Some(before) = inner.admitted.upgrade() {
            before.wake();
        }
        if let Some(connections) = inner.connections.take() {
            connections.fail(Error::Cut);
        }
        inner.waiting = Some(admitted);
        self.changed.notify_all();
    }

    /// From now on no connection is admitted.
    pub(crate) fn close(&self) {
        self.inner().open = false;
        self.close_signal.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    }

    /// Accepts connections until the port is closed. The listener does not block: a connection may be gone before it is
    /// accepted.
    pub(crate) fn listen(self: Arc<Self>, listener: &TcpListener, closed: &PipeReader) {
        let threads = Arc::new(());
        while self.inner().open {
            if Arc::strong_count(&threads) > MAX_THREADS {
                thread::sleep(THREAD_END_PAUSE);
                continue;
            }
            let _ = poll(&mut [PollFd::new(listener, PollFlags::IN), PollFd::new(closed, PollFlags::IN)], None);
            let (socket, peer) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(_) => {
                    // Out of descriptors, for example: they are freed when pending connections end.
                    thread::sleep(SHORTAGE_PAUSE);
                    continue;
                }
            };
            let slot = self.pending.take_slot(peer.ip().into(), &socket);
            let (admission, counted) = (self.clone(), threads.clone());
            let thread = thread::Builder::new().name("ciphermeter door".into());
            // If no thread can be started, the connection is closed.
            let _ = thread.spawn(move || {
                let _ = admission.admit(socket, peer, slot);
                drop(counted);
            });
        }
    }

    /// Authenticates a connection. A failure here closes this connection and nothing else.
    fn admit(&self, socket: TcpStream, peer: SocketAddr, slot: PendingSlot) -> Result<(), Error> {
        let lost = |why| Error::lost("greeting a connection", why);
        socket.set_nonblocking(false).map_err(lost)?;
        let mut timed = DeadlineSocket::new(socket, self.times.authentication);
        match timed.peek().map_err(lost)? {
            None => return Ok(()),
            Some(first) if first == MARK[0] => {}
            Some(_) => return self.admit_caller(Channel::accept(timed, &self.identity)?, peer, slot),
        }
        let mut hello = [0; HELLO];
        timed.read_exact(&mut hello).map_err(lost)?;
        let connections = self.inner().connections.clone();
        if let Some((hello, connections)) = Hello::decode(&hello).zip(connections)
            && slot.release()
            && connections.admits(&hello)
        {
            connections.take(&hello, timed.socket);
        }
        Ok(())
    }

    fn admit_caller(&self, mut channel: Channel, peer: SocketAddr, slot: PendingSlot) -> Result<(), Error> {
        let hello = match channel.receive::<C::Line>() {
            _ if !channel.is_current() => {
                let mut inner = self.inner();
                if !std::mem::replace(&mut inner.was_outdated, true) {
                    inner.outdated = Some(peer);
                }
                drop(inner);
                self.changed.notify_all();
                Err(OTHER_VERSION)
            }
            Ok(line) => C::from_line(line).ok_or(C::NOT_UNDERSTOOD),
            Err(Error::Message(_)) => Err(C::NOT_UNDERSTOOD),
            Err(error) => return Err(error),
        };
        // From here on nothing blocks. A connection that was cut must not use up a token.
        if !slot.release() {
            return Err(Error::Cut);
        }
        match hello.and_then(|hello| self.check_credentials(&hello).map(|()| hello)) {
            Ok(hello) => {
                self.pending.admit(Source::from(peer.ip()));
                channel.set_time_limit(None);
                self.queue(Admitted { channel, hello });
            }
            Err(why) => {
                channel.send(&FromReceiver::Refused { why: why.into() })?;
                channel.flush()?;
            }
        }
        Ok(())
    }

    /// Whether this end may come in. A valid token is used up here and now, so of two ends with the same token one is
    /// admitted.
    fn check_credentials(&self, hello: &C) -> Result<(), &'static str> {
        let shown = hello.shown();
        if shown.wire != WIRE {
            return Err(OTHER_VERSION);
        }
        hello.check()?;
        let mut inner = self.inner();
        if let Some(token) = shown.token {
            return match &inner.token {
                Some(known) if known == token => {
                    inner.token = None;
                    Ok(())
                }
                Some(_) => Err("the token is wrong; copy the ticket again"),
                None => Err("this ticket was used; get a new one"),
            };
        }
        let known = inner.resume.as_ref().ok_or("there is no unfinished transfer here; it may have ended well")?;
        let secret = shown.resume.ok_or("it has neither token nor resume secret")?;
        if shown.transfer != Some(known.0) || hash_resume_secret(secret) != known.1 {
            return Err("this transfer is not known here; send again with a new ticket");
        }
        Ok(())
    }
}
