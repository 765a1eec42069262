//! What a sender offers, as it comes in: bounded, and without two things under one name.

use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::channel::ReceiverChannel;
use crate::message::{FromSender, OfferedFile};
use crate::name::Name;
use crate::walk::{MAX_ENTRIES, MAX_NAMES};

/// Files and folders that a sender wants to send.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// Files, by number.
    pub files: Vec<OfferedFile>,
    /// Folders that would not come into being by a file in them, and their permission bits.
    pub folders: Vec<(Name, u32)>,
}

impl Offer {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.size))
    }

    /// Names of files and folders.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.files.iter().map(|file| &file.name).chain(self.folders.iter().map(|(name, _)| name))
    }

    /// Hears an offer to its end; each line of it may take so long.
    pub(super) fn hear(channel: &mut ReceiverChannel, time: Duration) -> Result<Self, Error> {
        let bad = |why: &str| Err(Error::Message(why.into()));
        let (mut offer, mut names) = (Self::default(), 0);
        loop {
            channel.allow(Some(time));
            match channel.hear()? {
                FromSender::File(file) => {
                    names += file.name.as_str().len();
                    if file.mode > 0o777 {
                        return bad("a file is described by impossible figures");
                    }
                    offer.files.push(file);
                }
                FromSender::Folder { name, mode } => {
                    names += name.as_str().len();
                    offer.folders.push((name, mode & 0o777));
                }
                FromSender::Offered { files, bytes } => {
                    let total = offer.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.size));
                    if files as usize != offer.files.len() || total != Some(bytes) {
                        return bad("the offer's end doesn't fit the offer");
                    }
                    break;
                }
                FromSender::BrokeOff { why } => return Err(Error::BrokeOff(crate::channel::printable(&why))),
                _ => return bad("it comes before the end of the offer"),
            }
            if offer.files.len() + offer.folders.len() > MAX_ENTRIES || names > MAX_NAMES {
                return bad("more is offered than a transfer may hold; send it in parts");
            }
        }
        let mut seen = HashSet::new();
        if !offer.names().all(|name| seen.insert(name)) {
            return bad("two of the files have one name");
        }
        Ok(offer)
    }
}
