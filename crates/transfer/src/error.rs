//! What can go wrong between two ends: what failed, then what to do.
//!
//! Each error has two readers: this end's person ([`Display`](std::fmt::Display)), who may see paths of this machine, and the other
//! end ([`Error::for_peer`]), which must not.

use std::io;

use crate::parts::PartsError;
use crate::sentence::Sentence;
use crate::source::SourceError;
use crate::target::TargetError;
use crate::wire::WIRE;

/// Why a transfer, or one connection of it, ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The connection broke, or nothing came over it for too long. What was received is kept.
    #[error("the connection was lost while {doing}: {why}")]
    Lost {
        /// What was going on.
        doing: &'static str,
        /// What the system says.
        why: io::Error,
    },
    /// The bytes end in the middle of something.
    #[error("the connection was lost: its bytes end in the middle of a frame")]
    Cut,
    /// The other end sends, but slower than anything useful.
    #[error("the connection was given up: the other end sent less than {0} bytes a second")]
    TooSlow(u64),
    /// Bytes that the key at hand doesn't open, or not there.
    #[error(
        "a frame doesn't open: it was changed, cut, repeated or put in another place on the way; nothing of it was kept"
    )]
    Forged,
    /// A frame that can't be right.
    #[error(
        "a frame was refused, because it is {0}: the other end doesn't speak this wire format, or somebody meddles"
    )]
    Frame(&'static str),
    /// A control message that can't be right.
    #[error("a message was refused, because {0}: the other end doesn't speak this wire format, or somebody meddles")]
    Message(String),
    /// The other end says no for good, in its own words.
    #[error("the other end refuses: {0}")]
    Refused(Sentence),
    /// Both ends' users want what doesn't go together.
    #[error("{0}")]
    Disagreed(&'static str),
    /// The other end broke off, in its own words.
    #[error("the other end broke off: {0}")]
    BrokeOff(Sentence),
    /// Not the key that the ticket names.
    #[error(
        "whoever answers at {0} has not the key that the ticket names: copy the ticket again, or start the receiver that it is of; if that is right, somebody stands between you and the receiver"
    )]
    WrongKey(String),
    /// The other end speaks another version of the wire format.
    #[error(
        "{peer} speaks another version of the transfer format than this ciphermeter (version {WIRE}): install the same version of ciphermeter on both machines"
    )]
    OtherVersion {
        /// The other end's address.
        peer: String,
    },
    /// The first connection was closed before either end was known.
    #[error(
        "{peer} closed the connection during the greeting: see that `ciphermeter recv` is running there, with the same version of ciphermeter as here"
    )]
    GreetingCut {
        /// The other end's address.
        peer: String,
    },
    /// The other end has no key exchange that resists quantum computers.
    #[error(
        "{peer} does not accept the key exchange X25519MLKEM768, and nothing is sent without it: use ciphermeter at both ends, directly connected"
    )]
    NoHybrid {
        /// The other end's address.
        peer: String,
    },
    /// TLS failed otherwise.
    #[error("no secure channel to {peer}: {why}; see that both ends have the same version of ciphermeter")]
    Tls {
        /// The other end's address.
        peer: String,
        /// What rustls says.
        why: rustls::Error,
    },
    /// Ended before there was anything to go on with.
    #[error("{0}")]
    NotBegun(Box<Self>),
    /// Everything had arrived when the way was cut.
    #[error(
        "every byte had arrived and was authentic when the receiver was lost, before it could say that all is on disk: look there"
    )]
    LastWord,
    /// None of the ticket's addresses answers.
    #[error("nobody answers at {addresses} ({why}): is the receiver still waiting, and is the way to it open?")]
    Unreachable {
        /// What was tried.
        addresses: String,
        /// What the system says of the last.
        why: io::Error,
    },
    /// Nothing can listen there.
    #[error("{address} can't be listened on ({why}): give another address or port with --listen")]
    Listen {
        /// Which address.
        address: String,
        /// What the system says.
        why: io::Error,
    },
    /// Something about a file of this side.
    #[error("{here}")]
    File {
        /// For this end's person: what failed, with its path, and what to do.
        here: String,
        /// For the other end's, without a path.
        there: String,
    },
    /// The person on this side said no.
    #[error("declined; nothing was received")]
    Declined,
    /// The person on this side said no to what goes beyond what was accepted before.
    #[error("declined what goes beyond the accepted offer; what was received before is kept")]
    DeclinedMore,
    /// The offer is not accepted, for a reason that needs no person.
    #[error("{0}")]
    NotAccepted(String),
    /// The user ended it.
    #[error("interrupted; what was received is kept")]
    Interrupted,
    /// Nobody came, or came back, in time.
    #[error("the sender did not come back within {0}")]
    NobodyCame(String),
    /// The system's random generator failed.
    #[error("the system gives no random bytes; nothing can be kept secret without them")]
    Randomness,
    /// The library refuses to seal.
    #[error("the library refused to seal a frame; please report this")]
    Seal,
    /// A sequence of frames has ended.
    #[error("a sequence of frames went on after its end; please report this")]
    Spent,
    /// No key pair or certificate could be made.
    #[error("no key pair could be made ({0}); please report this")]
    Identity(String),
}

/// What a connection's end means that comes in the middle.
const CLOSED: &str = "the other end closed it";

impl Error {
    pub(crate) fn lost(doing: &'static str, why: io::Error) -> Self {
        match why.get_ref().and_then(|inner| inner.downcast_ref::<crate::timed::Slow>()) {
            Some(slow) => Self::TooSlow(slow.0),
            // What the TLS library says of it is for programmers.
            None if why.kind() == io::ErrorKind::UnexpectedEof => {
                Self::Lost { doing, why: io::Error::new(io::ErrorKind::UnexpectedEof, CLOSED) }
            }
            None => Self::Lost { doing, why },
        }
    }

    /// Something about a file of this side that is only this side's business.
    pub(crate) fn file(here: impl ToString) -> Self {
        Self::File {
            here: here.to_string(),
            there: "its disk or a file there failed; the message there says how".into(),
        }
    }

    /// Something about a file of this side that both ends hear in the same words: there is no path in them.
    pub(crate) fn file_for_both(text: String) -> Self {
        Self::File { there: text.clone(), here: text }
    }

    /// What the other end hears: no path of this machine.
    pub(crate) fn for_peer(&self) -> Sentence {
        match self {
            Self::File { there, .. } => there.into(),
            Self::Declined => "declined".into(),
            Self::DeclinedMore => "declined what goes beyond the accepted offer".into(),
            error => error.to_string().into(),
        }
    }

    /// The same, where nothing was accepted yet.
    pub(crate) fn not_begun(self) -> Self {
        match self {
            Self::Interrupted => self,
            error if error.may_resume() => Self::NotBegun(Box::new(error)),
            error => error,
        }
    }

    /// Whether what was transferred is kept, so that another try could go on with it. Only who has the right key can say that it isn't:
    /// whatever a stranger on the way does, or a person can mend, ends this try and no more.
    pub fn may_resume(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::NotBegun(_) | Self::Declined | Self::Listen { .. })
    }

    /// Whether trying again may help: the way was cut, nobody did wrong.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Cut | Self::TooSlow(_) | Self::Unreachable { .. } | Self::LastWord)
    }
}

impl From<TargetError> for Error {
    fn from(error: TargetError) -> Self {
        let there = match &error {
            TargetError::InTheWay { .. } => {
                "a file or a link there is in the way of a folder: have it moved away".into()
            }
            TargetError::NotAFolder { .. } => "its folder to receive into is gone".into(),
            TargetError::NotWritable { why, .. } => format!("its folder to receive into cannot be written: {why}"),
            TargetError::Failed { doing, why, .. } => format!("it cannot {doing} one of its files: {why}"),
        };
        Self::File { here: error.to_string(), there }
    }
}

impl From<PartsError> for Error {
    fn from(error: PartsError) -> Self {
        let there = match &error {
            PartsError::Full { needed, .. } => {
                format!("no space for {needed} bytes there: have some freed, then resume the transfer")
            }
            PartsError::Failed { doing, why, .. } => format!("it cannot {doing} what it keeps of the transfer: {why}"),
            _ => "what it keeps of the transfer is not usable; the message there says why".into(),
        };
        Self::File { here: error.to_string(), there }
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Self {
        let there = match &error {
            SourceError::Changed { .. } | SourceError::Shorter { .. } => {
                "a file changed there while it was sent".into()
            }
            SourceError::Unreadable { why, .. } => format!("a file cannot be read there: {why}"),
        };
        Self::File { here: error.to_string(), there }
    }
}
