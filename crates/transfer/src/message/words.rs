//! Words of messages: reasons that travel as one of a few, so that a million of them carry no paths and no escape codes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an offered file is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withdrawn {
    /// Nothing has its name any more.
    Gone,
    /// It is no longer in the state in which it was offered.
    Changed,
    /// The sender's system refuses to read it.
    Unreadable,
    /// It has another size than the sender's file system says.
    Misstated,
    /// A word of a later version.
    #[serde(other)]
    Unknown,
}

impl fmt::Display for Withdrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "it is no longer there at the sender",
            Self::Changed => "it changed while it was being sent; ask for it to be sent again",
            Self::Unreadable => "the sender cannot read it; ask for it to be made readable and sent again",
            Self::Misstated => "the sender's file system says a wrong size of it; ask for a copy of it",
            Self::Unknown => "the sender withdrew it for a reason unknown to this version",
        })
    }
}

/// Why the receiver does not want an offered file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skipped {
    /// Its user leaves it out.
    Declined,
    /// The name is taken.
    Exists,
    /// The name is taken by a file of the same content.
    Equal,
    /// It goes beyond what was accepted.
    Beyond,
    /// A word of a later version.
    #[serde(other)]
    Unknown,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Declined => "the receiver declined it",
            Self::Exists => "a file of that name exists at the receiver, which skips it",
            Self::Equal => "the receiver has it already",
            Self::Beyond => "it came or grew since, and is more than the receiver accepted; send it in a new transfer",
            Self::Unknown => "the receiver skips it for a reason unknown to this version",
        })
    }
}

/// Why a file did not get its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unplaced {
    /// The name is taken.
    Exists,
    /// A file or a link stands where a folder must be.
    InTheWay,
    /// The file system has no safe way to rename.
    FileSystem,
    /// The file system has no symbolic links.
    NoLinks,
    /// Any other error of the receiver's system.
    Disk,
    /// A word of a later version.
    #[serde(other)]
    Unknown,
}

impl fmt::Display for Unplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exists => "a file of that name exists at the receiver and is not overwritten",
            Self::InTheWay => "a file or a link at the receiver is in the place of its folder",
            Self::FileSystem => {
                "the receiver's file system cannot rename it without the risk of overwriting another file"
            }
            Self::NoLinks => "the receiver's file system has no symbolic links",
            Self::Disk => "the receiver could not write it; see the message there",
            Self::Unknown => "the receiver could not place it for a reason unknown to this version",
        })
    }
}
