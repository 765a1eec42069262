//! What of the user's arguments is not sent, and why.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::link::BadLink;
use crate::name::BadName;
use crate::source::{MAX_UNSIZED, SourceError};

/// The most bytes of all files whose sizes are not known before they are read: they are kept in memory.
pub(super) const MAX_ALL_UNSIZED: u64 = 64 << 20;

/// An entry that is not sent.
#[derive(Debug)]
pub struct LeftOut {
    /// Its path.
    pub path: PathBuf,
    /// The reason.
    pub why: WhyLeftOut,
}

/// Why an entry is not sent.
#[derive(Debug)]
pub enum WhyLeftOut {
    /// A name that a receiver does not accept.
    BadName(BadName),
    /// A name, or a link's target, that is not UTF-8.
    NotText,
    /// Neither a file nor a folder.
    Special(&'static str),
    /// A link that may lead out of the folder.
    Link(BadLink),
    /// What a transfer keeps until it ends.
    State,
    /// The system refuses.
    Unreadable(io::Error),
    /// It has more bytes than are read of a file whose size is not known.
    Misstated,
    /// All bytes that may be read of such files were read of others.
    TooManyMisstated,
    /// It was there when the transfer began.
    Gone,
    /// A folder of which some entries could not be listed.
    PartlyRead(io::Error),
}

impl From<SourceError> for WhyLeftOut {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Unreadable { why, .. } => Self::Unreadable(why),
            SourceError::Gone { .. } => Self::Gone,
            SourceError::Changed { .. } | SourceError::Shorter { .. } | SourceError::Misstated { .. } => {
                Self::Misstated
            }
        }
    }
}

impl fmt::Display for WhyLeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(why) => write!(f, "{why}"),
            Self::NotText => f.write_str("its name, or the target of the link, is not UTF-8; rename it"),
            Self::Special(what) => write!(f, "it is {what}, neither a file nor a folder"),
            Self::Link(why) => write!(f, "it is a symbolic link, and {why}"),
            Self::State => f.write_str("it is the state of an unfinished transfer"),
            Self::Unreadable(why) => write!(f, "{why}; make it readable"),
            Self::Misstated => write!(
                f,
                "its file system says a wrong size of it, and it has more than {MAX_UNSIZED} bytes; send a copy of it"
            ),
            Self::TooManyMisstated => write!(
                f,
                "its file system says a wrong size of it, and of many others, which have more than {MAX_ALL_UNSIZED} bytes; send copies of them"
            ),
            Self::Gone => f.write_str("it is gone since the transfer began"),
            Self::PartlyRead(why) => write!(f, "some of its entries could not be listed: {why}"),
        }
    }
}
