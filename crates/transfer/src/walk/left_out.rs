//! What of the user's arguments is not sent, and why.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::link::BadLink;
use crate::name::BadName;

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
    /// A folder of which some entries could not be listed.
    PartlyRead(io::Error),
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
            Self::PartlyRead(why) => write!(f, "some of its entries could not be listed: {why}"),
        }
    }
}
