//! The receiver's answer to an offer: what it has, what it does not want, and what it asks about files first.

use std::collections::HashSet;

use super::plan::ReceiverHas;
use crate::Error;
use crate::channel::Channel;
use crate::digest::FileDigest;
use crate::message::{FromReceiver, FromSender};
use crate::ranges::{MAX_RANGES, Ranges};
use crate::source::{OpenSource, SourceFile};
use crate::timed::Times;
use crate::walk::Listing;

/// Reads what the receiver has already and what it does not want, and answers what it asks. Its user may take any time, if
/// `is_asked`, and its disk, while it compares; the lines of the answer may not.
pub(super) fn read_answer(
    channel: &mut Channel,
    listing: &Listing,
    times: Times,
    is_asked: bool,
) -> Result<ReceiverHas, Error> {
    let mut receiver = ReceiverHas::default();
    // Ranges of files that are here in part, as they are merged.
    let mut partial = 0;
    // It compares only where it asks, and before anything else.
    let mut is_answering = !is_asked;
    match is_asked {
        true => channel.set_time_limit(None),
        false => channel.expect_many_lines(times),
    }
    let mut compared = HashSet::new();
    loop {
        let line = channel.receive()?;
        if !is_answering && matches!(line, FromReceiver::Skip { .. } | FromReceiver::Have { .. }) {
            is_answering = true;
            channel.expect_many_lines(times);
        }
        match line {
            FromReceiver::Compare { files } if !is_answering => {
                let first = |file: &u32| (*file as usize) < listing.files.len() && compared.insert(*file);
                if !files.iter().all(first) {
                    return Err(Error::message("it compares a file twice, or one that does not exist"));
                }
                let sha256 = files.iter().map(|&file| digest(&listing.files[file as usize])).collect();
                channel.set_time_limit(Some(times.reply));
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
                let size = size.filter(|size| offset.checked_add(length).is_some_and(|end| end <= *size));
                let (Some(size), false) = (size, receiver.skipped.contains_key(&file)) else {
                    return Err(Error::message("it lists a range that no file has"));
                };
                let ranges = receiver.ranges.entry(file).or_default();
                let open = |ranges: &Ranges| if ranges.is_whole(size) { 0 } else { ranges.count() };
                partial -= open(ranges);
                if ranges.add(offset, length).is_err() {
                    return Err(Error::message("it lists a range that no file has"));
                }
                partial += open(ranges);
                if partial > MAX_RANGES {
                    return Err(Error::message("it lists more ranges than a transfer may have"));
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
