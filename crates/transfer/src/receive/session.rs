//! One attempt as its data connections share it: which may join, what they have in common, and how the first failure
//! ends all.

use std::io::ErrorKind;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;

use aws_lc_rs::hmac;

use super::incoming::Incoming;
use crate::Error;
use crate::channel::Waker;
use crate::hello::Hello;
use crate::key::{AttemptKeys, Transcript};
use crate::listen::DataConnections;
use crate::spent::Spent;
use crate::suite::Suite;
use crate::timed::{MinimumRateReader, Times};

/// State shared by the data connections of an attempt.
pub(super) struct Session {
    keys: AttemptKeys,
    hello_key: hmac::Key,
    transcript: Transcript,
    suite: Suite,
    times: Times,
    pub(super) arrivals: Incoming,
    waker: Waker,
    began: Instant,
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    /// For each connection: whether it came.
    connected: Vec<bool>,
    ended: usize,
    /// When the last of them ended.
    ended_at: Option<Instant>,
    /// Bytes of the sender's lines since data may flow.
    line_bytes: u64,
    spent: Spent,
    failed: Option<Error>,
    over: bool,
    sockets: Vec<TcpStream>,
}

impl Session {
    pub(super) fn new(
        keys: AttemptKeys,
        transcript: Transcript,
        suite: Suite,
        streams: u16,
        times: Times,
        arrivals: Incoming,
        waker: Waker,
    ) -> Self {
        let inner = Inner {
            connected: vec![false; streams.into()],
            ended: 0,
            ended_at: None,
            line_bytes: 0,
            spent: Spent::default(),
            failed: None,
            over: false,
            sockets: Vec::new(),
        };
        let hello_key = keys.hello_key();
        let (inner, changed) = (Mutex::new(inner), Condvar::new());
        let began = Instant::now();
        Self { keys, hello_key, transcript, suite, times, arrivals, waker, began, inner, changed }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Receives everything from an admitted connection, in the calling thread.
    fn receive(&self, hello: &Hello, socket: &TcpStream) {
        let registered = socket.try_clone().map(|socket| self.register_socket(socket));
        let lost = |why| Error::lost("receiving", why);
        let ended = registered.and_then(|()| MinimumRateReader::new(socket, self.times.window)).map_err(lost).and_then(
            |reader| {
                let keys = self.keys.stream(self.transcript, hello.stream, &hello.salt);
                let reader = if self.arrivals.is_stream() { reader.without_rate() } else { reader };
                self.arrivals.run(reader, self.suite, &keys)
            },
        );
        match ended {
            Ok(spent) => {
                let mut inner = self.inner();
                inner.ended += 1;
                if inner.ended == inner.connected.len() {
                    inner.ended_at = Some(Instant::now());
                }
                inner.spent += spent;
                self.changed.notify_all();
            }
            Err(error) => self.fail(error),
        }
    }

    /// Registers a socket to be cut when the attempt ends, at once if it has ended.
    fn register_socket(&self, socket: TcpStream) {
        let mut inner = self.inner();
        if inner.over {
            let _ = socket.shutdown(Shutdown::Both);
        }
        inner.sockets.push(socket);
    }

    /// The reason, if a data connection failed the attempt.
    pub(super) fn failure(&self) -> Option<Error> {
        self.inner().failed.take()
    }

    /// Sets the number of bytes of the sender's lines since data may flow.
    pub(super) fn set_line_bytes(&self, bytes: u64) {
        self.inner().line_bytes = bytes;
    }

    /// Ends the attempt if something is due and does not come: a data connection, or, once all have ended, the sender's
    /// last line. Data that flows has its own time limits.
    pub(super) fn expire(&self) {
        let late = {
            let inner = self.inner();
            match inner.ended_at {
                _ if inner.over => None,
                None if inner.connected.contains(&false) && self.began.elapsed() > self.times.window => {
                    Some("waiting for a data connection")
                }
                Some(ended) if ended.elapsed() > self.times.for_lines(inner.line_bytes) => {
                    Some("waiting for the sender's last line")
                }
                _ => None,
            }
        };
        if let Some(doing) = late {
            self.fail(Error::lost(doing, ErrorKind::TimedOut.into()));
        }
    }

    /// Waits until all connections have ended without error. Returns where their time went.
    pub(super) fn all_ended(&self) -> Result<Spent, Error> {
        let mut inner = self.inner();
        loop {
            if let Some(error) = inner.failed.take() {
                return Err(error);
            }
            if inner.ended == inner.connected.len() {
                return Ok(inner.spent);
            }
            // A connection that never came, though the sender reports that all was sent.
            let (next, waited) =
                self.changed.wait_timeout(inner, self.times.window).unwrap_or_else(|poisoned| poisoned.into_inner());
            inner = next;
            if waited.timed_out() && inner.failed.is_none() && inner.connected.contains(&false) {
                // It or its hello was cut on the way: in both cases another attempt may succeed.
                return Err(Error::lost("waiting for a data connection", ErrorKind::TimedOut.into()));
            }
        }
    }

    /// No connection joins from now on, and the existing ones are cut.
    pub(super) fn end(&self) {
        let mut inner = self.inner();
        inner.over = true;
        self.arrivals.close();
        for socket in &inner.sockets {
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.waker.cut();
    }
}

impl DataConnections for Session {
    /// The MAC is checked before anything else; its key belongs to this attempt alone.
    fn admits(&self, hello: &Hello) -> bool {
        if !hello.proves(&self.hello_key) {
            return false;
        }
        let mut inner = self.inner();
        let over = inner.over;
        inner
            .connected
            .get_mut(usize::from(hello.stream.0))
            .is_some_and(|connected| !over && !std::mem::replace(connected, true))
    }

    /// Receives everything from it.
    fn take(&self, hello: &Hello, socket: TcpStream) {
        self.receive(hello, &socket);
    }

    /// Ends the attempt for all, including a thread that waits for the sender's next message.
    fn fail(&self, error: Error) {
        let mut inner = self.inner();
        if !std::mem::replace(&mut inner.over, true) {
            inner.failed = Some(error);
            self.arrivals.close();
            for socket in &inner.sockets {
                let _ = socket.shutdown(Shutdown::Both);
            }
            self.waker.wake();
        }
        self.changed.notify_all();
    }
}
