//! The end that connects, by its first line: a sender with its hello, or a receiver with its call.

use serde::de::DeserializeOwned;

use crate::channel::Channel;
use crate::hello::TransferId;
use crate::message::{Call, FromReceiver, FromSender, MAX_STREAMS, SenderHello};
use crate::secret::{ResumeSecret, Token};

/// An end that has proven itself.
pub(crate) struct Admitted<C> {
    pub(crate) channel: Channel,
    pub(crate) hello: C,
}

/// What a first line shows.
pub(crate) struct Shown<'a> {
    pub(crate) wire: u32,
    pub(crate) token: Option<&'a Token>,
    pub(crate) transfer: Option<TransferId>,
    pub(crate) resume: Option<&'a ResumeSecret>,
}

/// A first line.
pub(crate) trait Caller: Sized + Send + 'static {
    /// The lines of which it is one.
    type Line: DeserializeOwned;
    /// What the other end reads if it said anything else.
    const NOT_UNDERSTOOD: &'static str;

    fn from_line(line: Self::Line) -> Option<Self>;

    fn shown(&self) -> Shown<'_>;

    /// Whether the rest of it is possible; else the reason.
    fn check(&self) -> Result<(), &'static str>;
}

impl Caller for SenderHello {
    type Line = FromSender;
    const NOT_UNDERSTOOD: &'static str =
        "this receiver doesn't understand the hello; use the same version of ciphermeter on both ends";

    fn from_line(line: FromSender) -> Option<Self> {
        if let FromSender::Hello(hello) = line { Some(hello) } else { None }
    }

    fn shown(&self) -> Shown<'_> {
        Shown { wire: self.wire, token: self.token.as_ref(), transfer: self.transfer, resume: self.resume.as_ref() }
    }

    fn check(&self) -> Result<(), &'static str> {
        match (1..=MAX_STREAMS).contains(&self.streams) {
            true => Ok(()),
            false => Err("the hello asks for a number of data connections that cannot be; it takes 1 to 16"),
        }
    }
}

impl Caller for Call {
    type Line = FromReceiver;
    const NOT_UNDERSTOOD: &'static str =
        "this sender doesn't understand the call; use the same version of ciphermeter on both ends";

    fn from_line(line: FromReceiver) -> Option<Self> {
        if let FromReceiver::Call(call) = line { Some(call) } else { None }
    }

    fn shown(&self) -> Shown<'_> {
        Shown { wire: self.wire, token: self.token.as_ref(), transfer: self.transfer, resume: self.resume.as_ref() }
    }

    fn check(&self) -> Result<(), &'static str> {
        Ok(())
    }
}
