//! How a sender's connections come about: it opens them, or its receiver does and they come to the sender's port.

use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use aws_lc_rs::hmac;

use super::known_receiver::{Credential, ResumeCredential};
use crate::Error;
use crate::channel::Waker;
use crate::hello::{HELLO, Hello, Salt, Stream};
use crate::key::{AttemptKeys, Opener};
use crate::listen::{Admission, Admitted, DataConnections, Listener, PortEvent, hash_resume_secret};
use crate::message::Call;

/// How an attempt's control channel comes about.
pub(super) enum Way {
    /// The sender connects.
    Calls,
    /// The receiver has connected to this port.
    Answers(Box<Admitted<Call>>, Arc<Admission<Call>>),
}

/// Waits for a receiver, for at most `time`; `None`: for ever.
pub(super) fn wait_for(listener: &Listener<Call>, known: &Credential, time: Option<Duration>) -> Option<Way> {
    if let Credential::Resume(resume) = known {
        listener.admission.allow_resume(resume.transfer, hash_resume_secret(&resume.secret));
    }
    loop {
        match listener.admission.next_event(time)? {
            PortEvent::Authenticated(admitted) => return Some(Way::Answers(admitted, listener.admission.clone())),
            // It was refused in words.
            PortEvent::Outdated(_) => {}
        }
    }
}

/// Where data connections come from.
pub(super) enum Route {
    /// They go to the receiver at this address.
    Opens(SocketAddr),
    /// They come to this port.
    Joins(Arc<Admission<Call>>, Arc<Joining>),
}

/// A data connection, and what precedes its frames.
pub(super) struct DataConnection {
    pub(super) socket: TcpStream,
    pub(super) salt: Salt,
    /// The hello, where this end says it.
    pub(super) hello: Option<[u8; HELLO]>,
}

impl Route {
    /// The end that opens them.
    pub(super) const fn opener(&self) -> Opener {
        match self {
            Self::Opens(_) => Opener::Sender,
            Self::Joins(..) => Opener::Receiver,
        }
    }

    /// From now on a receiver that calls may come back. It may notice a cut before this end does, and calls at once.
    pub(super) fn allow_resume(&self, resume: &ResumeCredential) {
        if let Self::Joins(admission, _) = self {
            admission.allow_resume(resume.transfer, hash_resume_secret(&resume.secret));
        }
    }

    /// A data connection of the attempt, within `time`.
    pub(super) fn open(&self, stream: Stream, keys: &AttemptKeys, time: Duration) -> Result<DataConnection, Error> {
        match self {
            Self::Opens(peer) => {
                let socket = TcpStream::connect_timeout(peer, time);
                let socket = socket.map_err(|why| Error::lost("opening a data connection", why))?;
                let hello = Hello::new(stream, &keys.hello_key())?;
                Ok(DataConnection { socket, salt: hello.salt, hello: Some(hello.encode()) })
            }
            Self::Joins(_, joining) => {
                let (socket, salt) = joining.wait_for(stream, time)?;
                Ok(DataConnection { socket, salt, hello: None })
            }
        }
    }
}

impl Drop for Route {
    /// What comes later belongs to another attempt.
    fn drop(&mut self) {
        if let Self::Joins(admission, _) = self {
            admission.expect_connections(None);
        }
    }
}

/// The data connections of an attempt that the receiver opens.
pub(super) struct Joining {
    hello_key: hmac::Key,
    /// Ends a wait for the receiver's lines.
    waker: Waker,
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    /// For each stream, whether it came.
    came: Vec<bool>,
    waiting: Vec<(Stream, Salt, TcpStream)>,
    sockets: Vec<TcpStream>,
    over: bool,
}

impl Joining {
    pub(super) fn new(hello_key: hmac::Key, streams: u16, waker: Waker) -> Self {
        let inner = Inner { came: vec![false; streams.into()], waiting: Vec::new(), sockets: Vec::new(), over: false };
        Self { hello_key, waker, inner: Mutex::new(inner), changed: Condvar::new() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn wait_for(&self, stream: Stream, time: Duration) -> Result<(TcpStream, Salt), Error> {
        let is_missing = |inner: &mut Inner| !inner.over && inner.waiting.iter().all(|(came, ..)| *came != stream);
        let waited = self.changed.wait_timeout_while(self.inner(), time, is_missing);
        let mut inner = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        let place = inner.waiting.iter().position(|(came, ..)| *came == stream);
        match place.filter(|_| !inner.over) {
            Some(place) => {
                let (_, salt, socket) = inner.waiting.swap_remove(place);
                Ok((socket, salt))
            }
            None => Err(Error::lost("waiting for a data connection", std::io::ErrorKind::TimedOut.into())),
        }
    }
}

impl DataConnections for Joining {
    /// The MAC is checked before anything else; its key belongs to this attempt alone.
    fn admits(&self, hello: &Hello) -> bool {
        if !hello.proves(&self.hello_key) {
            return false;
        }
        let mut inner = self.inner();
        let over = inner.over;
        inner.came.get_mut(usize::from(hello.stream.0)).is_some_and(|came| !over && !std::mem::replace(came, true))
    }

    fn take(&self, hello: &Hello, socket: TcpStream) {
        let mut inner = self.inner();
        inner.sockets.extend(socket.try_clone());
        if inner.over {
            let _ = socket.shutdown(Shutdown::Both);
        }
        inner.waiting.push((hello.stream, hello.salt, socket));
        self.changed.notify_all();
    }

    /// The receiver came back: this attempt's connections are dead.
    fn fail(&self, _: Error) {
        let mut inner = self.inner();
        inner.over = true;
        for socket in &inner.sockets {
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.waker.wake();
        self.changed.notify_all();
    }
}
