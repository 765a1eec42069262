//! An open line to a device.
//!
//! Promises: nothing that the device does blocks for longer than the given time; of what it sends, no more than a line is kept; and
//! nobody else of this program's kind has the line at the same time.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use ciphermeter_host::serial::Access;

use super::address::Address;
use super::control;
use super::error::ConnectError;
use super::greeting::{Greeting, Wire, greet};
use crate::incoming::Incoming;
use crate::polling::{Interruption, PollFlags, is_readable, wait, write_all};
use crate::{Deadline, JsonLine, LinkError};

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(5);
/// How long a board that was here a moment ago may be away: a port in the chip itself goes with each reset and comes back.
const AWAY: Duration = Duration::from_secs(5);
/// The pause between looks for it.
const LOOK: Duration = Duration::from_millis(100);

/// An open line.
pub(super) struct DeviceLine {
    address: Address,
    file: File,
    incoming: Incoming,
    /// How often it was opened. A board that was reset in between has forgotten everything.
    life: u64,
    /// Something went wrong with it; nobody knows what the device will say next.
    is_broken: bool,
    /// How long the device may take to start.
    patience: Duration,
    interruption: Interruption,
}

impl DeviceLine {
    /// Opens the line, resets the device where that can be done, and waits until a worker answers.
    pub(super) fn open(
        address: &Address,
        patience: Duration,
        interruption: Interruption,
    ) -> Result<Self, ConnectError> {
        let (file, incoming) = (connect(address)?, Incoming::of_device());
        let mut line =
            Self { address: address.clone(), file, incoming, life: 1, is_broken: false, patience, interruption };
        line.greet()?;
        Ok(line)
    }

    /// Does the same again, for a line that broke.
    pub(super) fn open_again(&mut self) -> Result<(), ConnectError> {
        // The other end must see that this one is gone before it comes back.
        self.file = File::open("/dev/null").map_err(|error| self.broken(error.into()))?;
        let until = Instant::now() + AWAY;
        self.file = loop {
            match connect(&self.address) {
                Ok(file) => break file,
                Err(error) if error.may_pass() && Instant::now() < until => thread::sleep(LOOK),
                Err(error) => return Err(error),
            }
        };
        (self.incoming, self.is_broken) = (Incoming::of_device(), false);
        self.life += 1;
        self.greet()
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(super) fn life(&self) -> u64 {
        self.life
    }

    fn greet(&mut self) -> Result<(), ConnectError> {
        self.is_broken = true;
        let (address, patience) = (self.address.clone(), self.patience);
        match greet(self, patience).map_err(|error| self.broken(error))? {
            Greeting::Worker => {
                self.is_broken = false;
                Ok(())
            }
            Greeting::NoClock(why) => Err(ConnectError::NoClock { address, why, patience }),
            Greeting::Silence => Err(ConnectError::Silent { address, patience, was_there: self.life > 1 }),
            Greeting::Wrong { error, excerpt } => Err(ConnectError::Wrong { address, excerpt, error }),
            Greeting::Other(heard) => Err(ConnectError::NoWorker { address, heard }),
        }
    }

    fn broken(&self, error: LinkError) -> ConnectError {
        ConnectError::Broken { address: self.address.clone(), error }
    }

    /// Sends a request. What the device said without one is thrown away if it is no part of the protocol.
    pub(super) fn send(&mut self, line: &JsonLine, deadline: Deadline) -> Result<(), LinkError> {
        let sent = self.expect_silence().and_then(|()| self.write(line, deadline));
        self.is_broken |= sent.is_err();
        sent
    }

    /// Waits for an answer.
    pub(super) fn receive(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
        let received = self.read(deadline);
        self.is_broken |= received.is_err();
        received
    }

    /// An error if an answer is there, or a part of one; other lines are passed over, as long as there are not too many.
    fn expect_silence(&mut self) -> Result<(), LinkError> {
        while self.incoming.take_line()?.is_none() {
            if !is_readable(self.file.as_fd()) {
                // A line under way, or the end of one, is none of silence.
                return if self.incoming.is_empty() { Ok(()) } else { Err(LinkError::Unasked) };
            }
            self.take_in()?;
        }
        Err(LinkError::Unasked)
    }

    /// Takes in what is there.
    fn take_in(&mut self) -> Result<(), LinkError> {
        let mut chunk = [0; 16 * 1024];
        match self.file.read(&mut chunk) {
            Ok(0) => Err(LinkError::Lost),
            Ok(read) => {
                self.incoming.add(&chunk[..read]);
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => Ok(()),
            Err(_) => Err(LinkError::Lost),
        }
    }
}

impl Wire for DeviceLine {
    fn write(&mut self, line: &JsonLine, deadline: Deadline) -> Result<(), LinkError> {
        let interruption = &self.interruption;
        let wait = |fd: BorrowedFd<'_>| wait([(fd, PollFlags::OUT)], deadline, interruption).map(drop);
        match write_all(&mut self.file, line.write().as_bytes(), wait)? {
            true => Ok(()),
            false => Err(LinkError::Lost),
        }
    }

    fn read(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
        loop {
            if let Some(line) = self.incoming.take_line()? {
                return Ok(line);
            }
            wait([(self.file.as_fd(), PollFlags::IN)], deadline, &self.interruption)?;
            self.take_in()?;
        }
    }

    fn heard(&self) -> String {
        self.incoming.heard()
    }
}

fn connect(address: &Address) -> Result<File, ConnectError> {
    let address = address.clone();
    match &address {
        Address::Serial(line) => match line.open(Access::Exclusive) {
            Ok(port) => {
                control::reset(&port);
                Ok(port)
            }
            Err(why) => Err(ConnectError::Port { address, why }),
        },
        Address::Tcp(place) => match dial(place) {
            Ok(stream) => Ok(File::from(OwnedFd::from(stream))),
            Err(why) => Err(ConnectError::Network { address, why }),
        },
    }
}

/// Connects to the first of a host's addresses that answers.
fn dial(place: &str) -> std::io::Result<TcpStream> {
    let mut failed = ErrorKind::AddrNotAvailable.into();
    for address in place.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECTING) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}
