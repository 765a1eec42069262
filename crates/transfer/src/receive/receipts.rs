//! The end of an attempt: the sender's last lines, the receipts, and the names.
//!
//! Promises: whether the sender reads a receipt decides nothing; and it hears, as long as the disk works, that this end
//! lives.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel as queue};
use std::thread;
use std::time::{Duration, Instant};

use super::context::AttemptContext;
use super::destination::PlacedFiles;
use super::session::Session;
use super::transfer::Transfer;
use crate::Error;
use crate::channel::Channel;
use crate::listen::DataConnections;
use crate::message::{FromReceiver, FromSender, Unplaced, Withdrawn};
use crate::spent::Spent;
use crate::timed::{LAST_MESSAGE, Times};

/// What became of the files, by the numbers of accepted ones.
pub(super) struct FileOutcomes {
    pub(super) files: Vec<u32>,
    pub(super) withdrawn: Vec<(u32, Withdrawn)>,
    pub(super) spent: Spent,
    pub(super) spent_there: Option<Spent>,
    /// When all was.
    pub(super) authenticated: Instant,
}

/// Waits for the sender's last line while the data connections work and what arrives is recorded, and says the first
/// receipt, or has the sender told why there is none.
pub(super) fn receive_data(
    channel: &mut Channel,
    session: &Arc<Session>,
    transfer: &Transfer,
    times: &Times,
    tell: impl Fn(&mut Channel, &Error),
) -> Result<FileOutcomes, Error> {
    let (end, ended) = queue::<()>();
    let received = thread::scope(|scope| {
        let recording = scope.spawn(move || {
            let mut is_fine = true;
            while ended.recv_timeout(times.record) == Err(RecvTimeoutError::Timeout) {
                session.expire();
                if let Err(error) = transfer.record(&session.arrivals.take_unsynced()) {
                    is_fine = false;
                    session.fail(error);
                }
            }
            is_fine
        });
        let received = receive_withdrawals(channel, session, transfer);
        drop(end);
        if let Err(error) = &received {
            // Before anything that takes the disk's time: the sender waits for its last message only so long.
            tell(channel, error);
        }
        let recorded = match &received {
            Err(_) => recording.join(),
            Ok(FileOutcomes { files, .. }) => {
                let mut say = || say_authenticated(channel, files.len(), times.reply);
                say();
                with_signs_of_life(times.life, || recording.join(), say)
            }
        };
        match recorded {
            Ok(true) => received,
            // A failed sync is not reported twice: what follows would succeed, and the bytes be lost.
            _ => received.and_then(|_| {
                let error = session.failure().unwrap_or(Error::Cut);
                tell(channel, &error);
                Err(error)
            }),
        }
    });
    if received.is_err() {
        // What arrived counts even if what followed it does not; what cannot be recorded is sent again.
        let _ = transfer.record(&session.arrivals.take_unsynced());
    }
    received
}

/// Reads which files the sender withdrew, and checks that all others are here.
fn receive_withdrawals(channel: &mut Channel, session: &Session, transfer: &Transfer) -> Result<FileOutcomes, Error> {
    // A line comes only after all was sent: until then the data connections have their own time limits, and after that
    // the session has one.
    channel.set_time_limit(None);
    let before = channel.bytes_received();
    let mut withdrawn: HashMap<u32, Withdrawn> = HashMap::new();
    let spent_there = loop {
        match channel.receive().map_err(|error| session.failure().unwrap_or(error))? {
            FromSender::Withdrawn { file, why } => {
                let is_file = (file as usize) < transfer.accepted.count();
                if !is_file || withdrawn.insert(file, why).is_some() {
                    return Err(Error::message("a file was withdrawn twice or does not exist"));
                }
                session.set_line_bytes(channel.bytes_received() - before);
            }
            FromSender::Sent { spent } => break spent,
            FromSender::BrokeOff { why } => return Err(Error::BrokeOff(why)),
            _ => return Err(Error::message("unexpected while data flows")),
        }
    };
    let spent = session.all_ended()?;
    let authenticated = Instant::now();
    let mut outcomes = FileOutcomes { files: Vec::new(), withdrawn: Vec::new(), spent, spent_there, authenticated };
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        match withdrawn.get(&file) {
            _ if transfer.accepted.skipped(part).is_some() => {}
            Some(why) if session.arrivals.is_pipe() => return Err(Error::NotAccepted(why.to_string())),
            Some(&why) => outcomes.withdrawn.push((part, why)),
            None if session.arrivals.is_complete(file) => outcomes.files.push(part),
            None => return Err(Error::message("a file is incomplete, though it was not withdrawn")),
        }
    }
    Ok(outcomes)
}

/// Puts complete files under their names, and reports it.
pub(super) fn place_and_report(
    context: &AttemptContext<'_>,
    channel: &mut Channel,
    transfer: &Transfer,
    files: &[u32],
    spent: Spent,
) -> Result<PlacedFiles, Error> {
    let destination = context.destination;
    let placed = with_signs_of_life(
        context.times.life,
        || destination.place_files(transfer, files),
        || say_authenticated(channel, files.len(), context.times.reply),
    );
    let placed = placed.inspect_err(|error| break_off(channel, error))?;
    channel.expect_many_lines(context.times);
    let words: HashMap<u32, Unplaced> = placed.failed.iter().map(|(part, _, word)| (*part, *word)).collect();
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        if let Some(&why) = words.get(&part) {
            let _ = channel.send(&FromReceiver::Failed { file, why });
        }
    }
    let discarded = destination.is_discard();
    let durable = FromReceiver::Durable { files: placed.files, discarded, spent: Some(spent) };
    let _ = channel.send(&durable).and_then(|()| channel.flush());
    Ok(placed)
}

/// Tells the sender that the attempt is over.
pub(super) fn break_off(channel: &mut Channel, error: &Error) {
    // A sender that does not read must not block the receiver: nothing would end this write.
    channel.set_time_limit(Some(LAST_MESSAGE));
    let _ = channel.send(&FromReceiver::BrokeOff { why: error.for_peer() }).and_then(|()| channel.flush());
}

/// The first receipt: all is here. Again and again it says that this end lives.
fn say_authenticated(channel: &mut Channel, files: usize, reply: Duration) {
    channel.set_time_limit(Some(reply));
    let said = channel.send(&FromReceiver::Authenticated { files: files as u32 });
    let _ = said.and_then(|()| channel.flush());
}

/// Does `work`, which may take any time, and calls `say` in every `interval` of it.
fn with_signs_of_life<T: Send>(interval: Duration, work: impl FnOnce() -> T + Send, mut say: impl FnMut()) -> T {
    let (done, is_done) = queue::<()>();
    thread::scope(|scope| {
        let work = scope.spawn(|| {
            // Dropped when the work has ended, however it has.
            let _done = done;
            work()
        });
        while is_done.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            say();
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_life_are_said_for_as_long_as_the_work_takes() {
        let (said, heard) = queue();
        // The work ends only after three of them.
        let work = move || heard.iter().take(3).sum::<u32>();
        let say = || {
            let _ = said.send(1);
        };
        assert_eq!(with_signs_of_life(Duration::from_millis(1), work, say), 3);
    }
}
