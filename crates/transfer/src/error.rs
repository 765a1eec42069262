//! Errors of a transfer: what failed, why, what to do.
//!
//! Each error has two readers. This end's user reads [`Display`](std::fmt::Display), which may name paths of this
//! machine. The other end reads [`Error::for_peer`], which must not.

use std::io;

use crate::parts::PartsError;
use crate::sentence::Sentence;
use crate::source::SourceError;
use crate::target::TargetError;
use crate::tried::Tried;
use crate::wire::WIRE;

/// Why a transfer, or one connection of it, ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The connection broke, or nothing arrived for too long. What was received is kept.
    #[error("the connection was lost while {doing}: {why}")]
    Lost {
        /// What was being done.
        doing: &'static str,
        /// The system's reason.
        why: io::Error,
    },
    /// The bytes end in the middle of a frame.
    #[error("the connection was lost in the middle of a frame")]
    Cut,
    /// The other end sends, or takes, too slowly to be useful.
    #[error("closed the connection: the other end moved less than {0} bytes a second")]
    TooSlow(u64),
    /// Bytes that fail authentication under the current key, at this place.
    #[error(
        "a frame failed authentication: it was changed, cut, repeated or reordered in transit; nothing of it was kept"
    )]
    Forged,
    /// An invalid frame, by what is not authenticated yet.
    #[error("invalid frame from the other end: {0}; both ends need the same version of ciphermeter")]
    Frame(&'static str),
    /// An authentic piece that cannot be: the other end is wrong, not the way.
    #[error("invalid piece from the other end: {0}; both ends need the same version of ciphermeter")]
    Piece(&'static str),
    /// An invalid control message.
    #[error("invalid message from the other end: {0}; both ends need the same version of ciphermeter")]
    Message(String),
    /// A final refusal by the other end, in its words.
    #[error("the other end refuses: {0}")]
    Refused(Sentence),
    /// The users of the two ends ask for incompatible things.
    #[error("{0}")]
    Disagreed(&'static str),
    /// The other end aborted, for the reason it gives.
    #[error("the other end aborted: {0}")]
    BrokeOff(Sentence),
    /// The key is not the one that the ticket names.
    #[error(
        "{0} has a different key than the ticket: the ticket may be from an earlier run, or someone is intercepting the connection; get a new ticket"
    )]
    WrongKey(String),
    /// The other end speaks another version of the wire format.
    #[error(
        "{peer} speaks another version of the transfer format (this ciphermeter: version {WIRE}); install the same version of ciphermeter on both machines"
    )]
    OtherVersion {
        /// The other end's address.
        peer: String,
    },
    /// The first connection was closed before either end was identified.
    #[error(
        "{peer} closed the connection during the handshake; check that `ciphermeter recv` is running there, in the same version as here"
    )]
    GreetingCut {
        /// The other end's address.
        peer: String,
    },
    /// The other end supports no key exchange that resists quantum computers.
    #[error(
        "{peer} does not accept the key exchange X25519MLKEM768, and nothing is sent without it; run ciphermeter at both ends, connected directly"
    )]
    NoHybrid {
        /// The other end's address.
        peer: String,
    },
    /// Any other TLS failure.
    #[error("cannot open a secure channel to {peer}: {why}; check that both ends have the same version of ciphermeter")]
    Tls {
        /// The other end's address.
        peer: String,
        /// rustls's reason.
        why: rustls::Error,
    },
    /// Ended before there was anything to resume.
    #[error("{0}{again}", again = begin_again(.0))]
    NotBegun(Box<Self>),
    /// What arrives goes to a pipe, and not all of it came: no later attempt can continue there.
    #[error("{0}; the stream is incomplete: do not use what was written")]
    Incomplete(Box<Self>),
    /// A stream that this end sent did not reach its end.
    #[error("{0}; a stream is not resumed: begin again at both ends")]
    StreamEnded(Box<Self>),
    /// A byte of a file that is being sent cannot be read; another attempt is made without the file.
    #[error("{0}")]
    Unread(SourceError),
    /// The input of a stream failed.
    #[error("cannot read what is to be sent: {0}")]
    Input(io::Error),
    /// The pipe that is written to failed.
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    /// Nothing reads the pipe that is written to.
    #[error("standard output was closed: the program that reads it has ended")]
    OutputClosed,
    /// The connection was cut after everything had arrived.
    #[error(
        "the receiver was lost after every byte had arrived and was authentic, but before it confirmed that all is on disk; check on the receiving machine"
    )]
    LastWord,
    /// The ticket's address does not accept a connection.
    #[error(
        "cannot connect to {address}: {why}; check that `ciphermeter recv` is still running and that no firewall blocks the port"
    )]
    Unreachable {
        /// The address that was tried.
        address: String,
        /// The system's reason.
        why: io::Error,
    },
    /// Of several addresses, none leads to the owner of the ticket's key.
    #[error(
        "cannot reach the receiver at any of its addresses ({0}); check that `ciphermeter recv` is still running and that no firewall blocks the port"
    )]
    NoneLeads(Tried),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {why}; choose another with --listen")]
    Listen {
        /// The address.
        address: String,
        /// The system's reason.
        why: io::Error,
    },
    /// A problem with a file of this end.
    #[error("{here}")]
    File {
        /// For this end's user: what failed, with its path, and what to do.
        here: String,
        /// For the other end, without a path.
        there: String,
    },
    /// This end's user declined.
    #[error("declined; nothing was received")]
    Declined,
    /// This end's user declined what goes beyond the offer accepted before.
    #[error("declined what goes beyond the accepted offer; what was received before is kept")]
    DeclinedMore,
    /// The offer is not accepted, for a reason that takes no user's decision.
    #[error("{0}")]
    NotAccepted(String),
    /// The user interrupted the transfer.
    #[error("interrupted; what was received is kept")]
    Interrupted,
    /// No sender came, or came back, in time.
    #[error("the sender did not come back within {0}")]
    NobodyCame(String),
    /// The receiver, which connects, did not come back in time.
    #[error("the receiver did not come back within {0}")]
    ReceiverGone(String),
    /// The system's random generator failed.
    #[error("the system provides no random bytes, and nothing can be encrypted without them")]
    Randomness,
    /// The cryptographic library failed to seal.
    #[error("the cryptographic library failed to seal a frame; please report this")]
    Seal,
    /// A key seals no more, because its sequence of frames has ended or as much went out as may. Another attempt has new
    /// keys.
    #[error("a key has sealed as much as it may")]
    Spent,
    /// No key pair or certificate could be made.
    #[error("cannot make a key pair: {0}; please report this")]
    Identity(String),
}

/// What the end of a connection means in the middle of a transfer.
const CLOSED: &str = "the other end closed it";

impl Error {
    pub(crate) fn lost(doing: &'static str, why: io::Error) -> Self {
        match why.get_ref().and_then(|inner| inner.downcast_ref::<crate::timed::TooSlow>()) {
            Some(slow) => Self::TooSlow(slow.0),
            // rustls's own text for it addresses programmers.
            None if why.kind() == io::ErrorKind::UnexpectedEof => {
                Self::Lost { doing, why: io::Error::new(io::ErrorKind::UnexpectedEof, CLOSED) }
            }
            None => Self::Lost { doing, why },
        }
    }

    /// A message that cannot be.
    pub(crate) fn message(why: &str) -> Self {
        Self::Message(why.into())
    }

    /// A problem with a file of this end; the other end hears no details.
    pub(crate) fn file(here: impl ToString) -> Self {
        Self::File {
            here: here.to_string(),
            there: "its disk or a file there failed; the message there says how".into(),
        }
    }

    /// A problem with a file of this end, in the same words for both ends: the text has no path in it.
    pub(crate) fn file_for_both(text: String) -> Self {
        Self::File { there: text.clone(), here: text }
    }

    /// What the other end reads: no path of this machine.
    pub(crate) fn for_peer(&self) -> Sentence {
        match self {
            Self::File { there, .. } => there.into(),
            Self::Unread(_) => "a file cannot be read there".into(),
            Self::Declined => "declined".into(),
            Self::Input(why) => format!("what it sends cannot be read to its end: {why}").into(),
            Self::Output(why) => format!("it cannot write what it receives: {why}").into(),
            Self::OutputClosed => "the program that reads from the receiver has ended".into(),
            Self::Incomplete(error) | Self::StreamEnded(error) => error.for_peer(),
            Self::DeclinedMore => "declined what goes beyond the accepted offer".into(),
            error => error.to_string().into(),
        }
    }

    /// The same error, where nothing was accepted yet.
    pub(crate) fn not_begun(self) -> Self {
        match self {
            Self::Interrupted => self,
            error if error.may_resume() => Self::NotBegun(Box::new(error)),
            error => error,
        }
    }

    /// The same error, at the end that writes to a pipe, once something may have been written.
    pub(crate) fn incomplete(self) -> Self {
        Self::Incomplete(Box::new(self))
    }

    /// Whether what was transferred is kept, so that another attempt can resume it. Only the owner of the right key can
    /// say that it is not kept: what a stranger does to the connection, or what the user can repair, ends this attempt
    /// and no more.
    pub fn may_resume(&self) -> bool {
        !matches!(
            self,
            Self::Refused(_)
                | Self::NotBegun(_)
                | Self::Incomplete(_)
                | Self::StreamEnded(_)
                | Self::Declined
                | Self::Listen { .. }
        )
    }

    /// Whether bytes of a data connection may not be those that were sent: a bit flipped on the way, or an attacker changed it.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Forged | Self::Frame(_))
    }

    /// Whether a retry may help: the connection was cut, and neither end did anything wrong.
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Lost { .. }
            | Self::Cut
            | Self::TooSlow(_)
            | Self::Unreachable { .. }
            | Self::LastWord
            | Self::Spent => true,
            Self::NoneLeads(tried) => tried.may_pass,
            _ => false,
        }
    }
}

/// What to do where nothing says it.
fn begin_again(error: &Error) -> &'static str {
    match error {
        // What had come may be there: of a receiver that writes to a pipe, say.
        Error::Lost { .. } | Error::Cut | Error::TooSlow(_) => "; nothing is kept: begin again",
        _ => "",
    }
}

impl From<TargetError> for Error {
    fn from(error: TargetError) -> Self {
        let there = match &error {
            TargetError::InTheWay { .. } => {
                "a file or a link there is in the way of a folder: have it moved away".into()
            }
            TargetError::Appeared { .. } => "a folder of that name appeared there meanwhile".into(),
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
                format!("no space for {needed} bytes there: have some freed first")
            }
            PartsError::Failed { doing, why, .. } => format!("it cannot {doing} what it keeps of the transfer: {why}"),
            _ => "what it keeps of the transfer is not usable; the message there says why".into(),
        };
        Self::File { here: error.to_string(), there }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_had_come_is_not_denied() {
        assert_eq!(Error::LastWord.not_begun().to_string(), Error::LastWord.to_string());
        assert!(Error::Cut.not_begun().to_string().ends_with("; nothing is kept: begin again"));
    }
}
