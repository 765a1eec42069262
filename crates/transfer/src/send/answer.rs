//! The receiver's answer to an offer: what it has, what it does not want, and what it asks about files first.

use std::collections::HashSet;
use std::time::Duration;

use super::plan::ReceiverHas;
use crate::Error;
use crate::channel::Channel;
use crate::digest::FileDigest;
use crate::message::{FromReceiver, FromSender};
use crate::ranges::MAX_RANGES;
use crate::source::{OpenSource, SourceFile};
use crate::walk::Listing;

/// Reads what the receiver has already and what it does not want, and answers what it asks. The receiver's user may take
/// any time.
pub(super) fn read_answer(channel: &mut Channel, listing: &Listing, reply: Duration) -> Result<ReceiverHas, Error> {
    channel.set_time_limit(None);
    let (mut receiver, mut count) = (ReceiverHas::default(), 0);
    let mut compared = HashSet::new();
    loop {
        match channel.receive()? {
            FromReceiver::Compare { files } => {
                let first = |file: &u32| (*file as usize) < listing.files.len() && compared.insert(*file);
                if !files.iter().all(first) {
                    return Err(Error::message("it compares a file twice, or one that does not exist"));
                }
                let sha256 = files.iter().map(|&file| digest(&listing.files[file as usize])).collect();
                channel.set_time_limit(Some(reply));
                channel.send(&FromSender::Digests { sha256 })?;
                channel.flush()?;
                channel.set_time_limit(None);
            }
            FromReceiver::Skip { file, why } => {
                let is_file = (file as usize) < listing.files.len();
                if !is_file || receiver.skipped.insert(file, why).is_some() {
                    return Err(Error::message("it skips a file twice, or one that does not exist"));
                }
            }
            FromReceiver::Have { file, offset, length } => {
                let size = listing.files.get(file as usize).map(|file| file.size);
                let within = offset.checked_add(length).zip(size).is_some_and(|(end, size)| end <= size);
                // One for each complete file, and those of the others.
                count += 1;
                let fits = within && count <= listing.files.len() + MAX_RANGES && !receiver.skipped.contains_key(&file);
                if !fits || receiver.ranges.entry(file).or_default().add(offset, length).is_err() {
                    return Err(Error::message("it lists a range that no file has"));
                }
            }
            FromReceiver::Ready => return Ok(receiver),
            FromReceiver::Refused { why } => return Err(Error::Refused(why)),
            FromReceiver::BrokeOff { why } => return Err(Error::BrokeOff(why)),
            _ => return Err(Error::message("unexpected before data may flow")),
        }
    }
}

/// The digest of a file's content, if it is still the listed one after it was read.
fn digest(source: &SourceFile) -> Option<FileDigest> {
    let open = OpenSource::open(source).ok().filter(|_| source.link.is_none())?;
    open.digest(source.size).ok().filter(|_| open.unchanged())
}
