//! The end of an attempt: what was not sent, and the receiver's receipts.

use std::time::{Duration, Instant};

use ciphermeter_host::usage;

use super::plan::WithdrawnFile;
use crate::Error;
use crate::arrived::Spared;
use crate::channel::Channel;
use crate::message::{FromReceiver, FromSender};
use crate::report::{FailedFile, Report};
use crate::source::SourceFile;
use crate::spent::Spent;
use crate::timed::{LAST_MESSAGE, LONGEST, Times};
use crate::walk::Listing;

/// What became of the files of an offer.
pub(super) struct Outcome {
    /// For each: whether it does not arrive.
    pub(super) missing: Vec<bool>,
    pub(super) spared: Spared,
}

/// Reports which files were not sent, and that all others were. Returns the former.
pub(super) fn report_withdrawn(
    channel: &mut Channel,
    times: Times,
    withdrawn: Vec<WithdrawnFile>,
    files: &[SourceFile],
    spent: Spent,
) -> Result<Vec<FailedFile>, Error> {
    let mut failed = Vec::new();
    channel.expect_many_lines(times);
    for WithdrawnFile { file, why, wire_reason } in withdrawn {
        channel.send(&FromSender::Withdrawn { file, why: wire_reason })?;
        failed.push(FailedFile { name: files[file as usize].name.to_string(), why, is_told: true });
    }
    channel.send(&FromSender::Sent { spent: Some(spent) })?;
    channel.flush()?;
    Ok(failed)
}

/// Waits for the receipt that all is authentic, then for the one that all is durable. While the receiver's disk works, it
/// repeats the first receipt, so each line is due within the time of a reply. Where it writes to a pipe, the first receipt
/// waits for what reads from that, which may pause.
pub(super) fn wait_for_receipts(
    mut channel: Channel,
    listing: &Listing,
    Outcome { mut missing, spared }: Outcome,
    mut report: Report,
    begun: Instant,
    reply: Duration,
) -> Result<Report, Error> {
    let until = Instant::now() + LONGEST;
    loop {
        let pauses = report.piped && report.authenticated.is_zero();
        let due = reply.min(until.saturating_duration_since(Instant::now()));
        channel.set_time_limit((!pauses).then_some(due));
        match channel.receive() {
            // Again: it lives.
            Ok(FromReceiver::Authenticated { .. }) if !report.authenticated.is_zero() => {}
            Ok(FromReceiver::Authenticated { .. }) => {
                report.authenticated = begun.elapsed();
                report.cpu = usage::process_cpu().zip(report.cpu).map(|(now, before)| now - before);
            }
            Ok(FromReceiver::Failed { file, why }) => {
                let first = missing.get_mut(file as usize).is_some_and(|missing| !std::mem::replace(missing, true));
                if !first {
                    return Err(Error::message("a file failed twice or does not exist"));
                }
                let name = listing.files[file as usize].name.to_string();
                report.failed.push(FailedFile { name, why: why.to_string(), is_told: true });
            }
            Ok(FromReceiver::Durable { files, discarded, spent }) => {
                let expected = listing.files.len().checked_sub(report.failed.len() + report.skipped.len());
                if report.authenticated.is_zero() || expected != Some(files as usize) {
                    return Err(Error::message("the receipts do not match what was sent"));
                }
                report.durable = begun.elapsed();
                (report.files, report.discarded, report.spent_there) = (files, discarded, spent);
                if !report.stream {
                    let arrived = (0..).zip(&listing.files).filter(|(number, _)| !missing[*number as usize]);
                    let arrived = spared.of(arrived.map(|(number, file)| (number, file.size)));
                    (report.bytes, report.before, report.holes) = (arrived.bytes, arrived.before, arrived.holes);
                }
                channel.set_time_limit(Some(LAST_MESSAGE));
                // Whether the receiver still reads this does not matter.
                let _ = channel.send(&FromSender::Bye).and_then(|()| channel.flush());
                return Ok(report);
            }
            Ok(FromReceiver::BrokeOff { why }) => return Err(Error::BrokeOff(why)),
            Ok(_) => return Err(Error::message("unexpected after the data")),
            Err(error) if error.is_lost() && !report.authenticated.is_zero() => return Err(Error::LastWord),
            Err(error) => return Err(error),
        }
    }
}
