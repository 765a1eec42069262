//! What a sender offers, as it arrives: bounded, and without two entries under one name.

use std::collections::{BTreeSet, HashSet};

use crate::Error;
use crate::channel::Channel;
use crate::message::{FromSender, OfferedFile};
use crate::name::Name;
use crate::timed::Times;
use crate::walk::{MAX_ENTRIES, MAX_NAMES};

const TOO_MANY: &str = "the offer has more entries than a transfer may have; send it in parts";

/// Files and folders that a sender wants to send.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Offer {
    /// Files, by number.
    pub files: Vec<OfferedFile>,
    /// Folders, and their permission bits.
    pub folders: Vec<(Name, u32)>,
    /// How many entries the sender leaves out, because it cannot send them.
    pub left_out: u32,
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

    /// Every folder that has something in it, whether or not it has a line of its own.
    pub fn inhabited(&self) -> HashSet<&str> {
        folders_around(self.names())
    }

    /// How many folders there are to make.
    pub fn count_folders(&self) -> usize {
        let inhabited = self.inhabited();
        inhabited.len() + self.folders.iter().filter(|(name, _)| !inhabited.contains(name.as_str())).count()
    }

    /// The names that would appear in the receiving folder itself, in order.
    pub fn tops(&self) -> BTreeSet<&str> {
        self.names().map(Name::top).collect()
    }

    /// Reads an offer to its end, which must arrive at the minimum rate of a data connection.
    pub(super) fn receive(channel: &mut Channel, times: &Times) -> Result<Self, Error> {
        channel.expect_many_lines(*times);
        let bad = |why: &str| Err(Error::Message(why.into()));
        let (mut offer, mut names) = (Self::default(), 0);
        loop {
            match channel.receive()? {
                FromSender::File(file) => {
                    names += file.name.as_str().len() + file.link.as_ref().map_or(0, |link| link.as_str().len());
                    if !file.is_possible() {
                        return bad("a file with impossible metadata");
                    }
                    offer.files.push(file);
                }
                FromSender::Folder { name, mode } => {
                    names += name.as_str().len();
                    if mode > 0o777 {
                        return bad("a folder with impossible metadata");
                    }
                    offer.folders.push((name, mode));
                }
                FromSender::Offered { files, bytes, left_out } => {
                    offer.left_out = left_out;
                    let total = offer.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.size));
                    if files as usize != offer.files.len() || total != Some(bytes) {
                        return bad("the totals at the offer's end do not match the offer");
                    }
                    break;
                }
                FromSender::BrokeOff { why } => return Err(Error::BrokeOff(why)),
                _ => return bad("unexpected before the end of the offer"),
            }
            if offer.files.len() + offer.folders.len() > MAX_ENTRIES || names > MAX_NAMES {
                return bad(TOO_MANY);
            }
        }
        let mut seen = HashSet::new();
        if !offer.names().all(|name| seen.insert(name)) {
            return bad("two files have the same name");
        }
        let inhabited = offer.inhabited();
        if offer.files.iter().any(|file| inhabited.contains(file.name.as_str())) {
            return bad("a file has the same name as a folder that contains others");
        }
        if offer.files.len() + offer.count_folders() > MAX_ENTRIES {
            return bad(TOO_MANY);
        }
        Ok(offer)
    }
}

/// The folders around these names. What lies in more of them than an offer may have is not looked at: each name may have 63.
pub(super) fn folders_around<'a>(names: impl IntoIterator<Item = &'a Name>) -> HashSet<&'a str> {
    let mut all = HashSet::new();
    for name in names {
        // If a folder was seen before, so were the folders around it.
        let mut outer = name.outer();
        while outer.next().is_some_and(|folder| all.insert(folder)) {}
        if all.len() > MAX_ENTRIES {
            break;
        }
    }
    all
}
