//! Admission: one port for the control channel and the data connections.
//!
//! A connection authenticates within a few seconds, by the token or the resume secret inside TLS, or by the MAC of its
//! hello. Until then it costs one thread of a few ([`super::pending`]), and nothing that it sends reaches anything
//! else.

use std::io::{ErrorKind, PipeReader, PipeWriter, Read, pipe};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use aws_lc_rs::digest;
use rustix::event::{PollFd, PollFlags, poll};

use super::pending::{MAX_PENDING, PendingConnections, PendingSlot, Source};
use super::session::Session;
use crate::Error;
use crate::channel::ReceiverChannel;
use crate::hello::{HELLO, Hello, MARK, TransferId};
use crate::identity::Identity;
use crate::message::{FromReceiver, FromSender, MAX_STREAMS, SenderHello};
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

/// What a sender of another version reads.
const OTHER_VERSION: &str =
    "this receiver speaks version 3 of the transfer format; install the same version of ciphermeter on both machines";

/// An authenticated sender.
pub(super) struct AuthenticatedSender {
    pub(super) channel: ReceiverChannel,
    pub(super) hello: SenderHello,
}

/// What is admitted now.
pub(super) struct Admission {
    identity: Identity,
    times: Times,
    inner: Mutex<Inner>,
    changed: Condvar,
    pending: PendingConnections,
    /// Dropping it wakes the listener.
    close_signal: Mutex<Option<PipeWriter>>,
}

struct Inner {
    /// `None` once it is used.
    token: Option<Token>,
    /// The transfer that can be resumed, and its secret's hash.
    resume: Option<(TransferId, ResumeSecretHash)>,
    /// The attempt that data connections may belong to.
    session: Option<Arc<Session>>,
    /// The sender that waits for admission. The latest: a sender that comes back knows that its earlier connection is
    /// cut.
    waiting_sender: Option<AuthenticatedSender>,
    /// The address of a sender of an earlier version, until it is reported.
    outdated: Option<SocketAddr>,
    /// Whether one was reported. Being such a sender takes no secret, so a crowd of them is reported once.
    was_outdated: bool,
    open: bool,
}

/// What happened at the listening port.
pub(super) enum PortEvent {
    /// A sender waits for admission.
    Authenticated(Box<AuthenticatedSender>),
    /// A sender of an earlier version of the wire format was turned away.
    Outdated(SocketAddr),
}

/// The SHA-256 of a resume secret: the receiver keeps nothing else of it.
pub(super) type ResumeSecretHash = Secret<32>;

pub(super) fn hash_resume_secret(secret: &Secret<16>) -> ResumeSecretHash {
    let hash = digest::digest(&digest::SHA256, secret.expose());
    ResumeSecretHash::new(hash.as_ref().try_into().expect("SHA-256 has 32 bytes"))
}

impl Admission {
    /// The reader is for [`Self::listen`].
    pub(super) fn new(identity: Identity, times: Times, token: Option<Token>) -> Result<(Self, PipeReader), Error> {
        let (closed, close_signal) = pipe().map_err(|why| Error::lost("preparing to listen", why))?;
        let admission = Self {
            identity,
            times,
            inner: Mutex::new(Inner {
                token,
                resume: None,
                session: None,
                waiting_sender: None,
                outdated: None,
                was_outdated: false,
                open: true,
            }),
            changed: Condvar::new(),
            pending: PendingConnections::default(),
            close_signal: Mutex::new(Some(close_signal)),
        };
        Ok((admission, closed))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// From now on the sender of this transfer may come back.
    pub(super) fn allow_resume(&self, transfer: TransferId, secret: ResumeSecretHash) {
        self.inner().resume = Some((transfer, secret));
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// From now on data connections may come to this attempt, and to no other, unless its sender came back before it
    /// began.
    pub(super) fn expect_connections(&self, session: Option<Arc<Session>>) {
        let mut inner = self.inner();
        if let (Some(session), Some(_)) = (&session, &inner.waiting_sender) {
            session.fail(Error::Cut);
        }
        inner.session = session;
    }

    /// The next event, waiting for it for at most `time`; `None`: for ever. Of several senders the one that came last
    /// counts.
    pub(super) fn next_event(&self, time: Option<Duration>) -> Option<PortEvent> {
        let nothing = |inner: &mut Inner| inner.waiting_sender.is_none() && inner.outdated.is_none();
        let mut inner = match time {
            None => self.changed.wait_while(self.inner(), nothing).unwrap_or_else(|poisoned| poisoned.into_inner()),
            Some(time) => {
                let waited = self.changed.wait_timeout_while(self.inner(), time, nothing);
                waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0
            }
        };
        let outdated = inner.outdated.take().map(PortEvent::Outdated);
        outdated.or_else(|| inner.waiting_sender.take().map(|sender| PortEvent::Authenticated(Box::new(sender))))
    }

    /// Queues an authenticated sender for admission.
    fn queue_sender(&self, sender: AuthenticatedSender) {
        let mut inner = self.inner();
        // This end may not have noticed yet that the earlier connection is cut.
        if let Some(session) = inner.session.take() {
            session.fail(Error::Cut);
        }
        inner.waiting_sender = Some(sender);
        self.changed.notify_all();
    }

    /// From now on no connection is admitted.
    pub(super) fn close(&self) {
        self.inner().open = false;
        self.close_signal.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    }

    /// Accepts connections until the port is closed. The listener does not block: a connection may be gone before it is
    /// accepted.
    pub(super) fn listen(self: Arc<Self>, listener: &TcpListener, closed: &PipeReader) {
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
            let (admission, counted) = (self.clone(), threads.clone());
            let thread = thread::Builder::new().name("ciphermeter door".into());
            // If no thread can be started, the connection is closed.
            let _ = thread.spawn(move || {
                let _ = admission.admit(socket, peer);
                drop(counted);
            });
        }
    }

    /// Authenticates a connection. A failure here closes this connection and nothing else.
    fn admit(&self, socket: TcpStream, peer: SocketAddr) -> Result<(), Error> {
        let slot = self.pending.take_slot(peer.ip().into(), &socket);
        let lost = |why| Error::lost("greeting a connection", why);
        socket.set_nonblocking(false).map_err(lost)?;
        let mut timed = DeadlineSocket::new(socket, self.times.authentication);
        match timed.peek().map_err(lost)? {
            None => return Ok(()),
            Some(first) if first == MARK[0] => {}
            Some(_) => return self.admit_sender(ReceiverChannel::accept(timed, &self.identity)?, peer, slot),
        }
        let mut hello = [0; HELLO];
        timed.read_exact(&mut hello).map_err(lost)?;
        let session = self.inner().session.clone();
        if let Some((hello, session)) = Hello::decode(&hello).zip(session)
            && slot.release()
            && session.admits(&hello)
        {
            session.stream(&hello, &timed.socket);
        }
        Ok(())
    }

    fn admit_sender(&self, mut channel: ReceiverChannel, peer: SocketAddr, slot: PendingSlot<'_>) -> Result<(), Error> {
        let hello = match channel.receive() {
            _ if !channel.is_current() => {
                let mut inner = self.inner();
                if !std::mem::replace(&mut inner.was_outdated, true) {
                    inner.outdated = Some(peer);
                }
                drop(inner);
                self.changed.notify_all();
                Err(OTHER_VERSION)
            }
            Ok(FromSender::Hello(hello)) => Ok(hello),
            Ok(_) | Err(Error::Message(_)) => {
                Err("this receiver doesn't understand the hello; use the same version of ciphermeter on both ends")
            }
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
                self.queue_sender(AuthenticatedSender { channel, hello });
            }
            Err(why) => {
                channel.send(&FromReceiver::Refused { why: why.into() })?;
                channel.flush()?;
            }
        }
        Ok(())
    }

    /// Whether this sender may come in. A valid token is used up here and now, so of two senders with the same token
    /// one is admitted.
    fn check_credentials(&self, hello: &SenderHello) -> Result<(), &'static str> {
        if hello.wire != WIRE {
            return Err(OTHER_VERSION);
        }
        if !(1..=MAX_STREAMS).contains(&hello.streams) {
            return Err("the hello asks for a number of data connections that cannot be; it takes 1 to 16");
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
        if hello.transfer != Some(known.0) || hash_resume_secret(secret) != known.1 {
            return Err("this transfer is not known here; send again with a new ticket");
        }
        Ok(())
    }
}
