//! The sending end.
//!
//! One attempt is [`attempt::run`]. When the connection is lost, the next attempt resumes from what the receiver has on
//! disk, until all of it is there or patience ends.

mod attempt;
mod options;
mod plan;
mod receiver;
mod state;
mod stream;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use receiver::{Pass, Receiver, Resume};

use crate::Error;
use crate::progress::Progress;
use crate::report::Report;
use crate::secret;
use crate::ticket::Ticket;
use crate::walk::Listing;

pub use options::SendOptions;
pub use state::{KEPT_FOR, State, Unfinished};

/// Sends the listed files to the receiver that the ticket names.
pub fn send(
    ticket: &Ticket,
    paths: &[PathBuf],
    listing: &Listing,
    options: &SendOptions,
    progress: &Progress,
) -> Result<Report, Error> {
    let receiver =
        Receiver { addresses: ticket.addresses.clone(), key: ticket.key, pass: Pass::Token(ticket.token.clone()) };
    persistently(receiver, paths, listing, options, progress)
}

/// Resumes a transfer whose sender ended.
pub fn resume(state: &State, listing: &Listing, options: &SendOptions, progress: &Progress) -> Result<Report, Error> {
    persistently(state.receiver(), &state.paths, listing, options, progress)
}

fn persistently(
    mut receiver: Receiver,
    paths: &[PathBuf],
    listing: &Listing,
    options: &SendOptions,
    progress: &Progress,
) -> Result<Report, Error> {
    secret::wake_generator()?;
    let (mut lost_since, mut pause): (Option<Instant>, _) = (None, FIRST_PAUSE);
    let (mut furthest, mut arrived) = (0, false);
    loop {
        let keep = |resume: &Resume, receiver: &Receiver| match &options.states {
            Some(folder) => State::new(receiver, resume, paths).write(folder),
            None => Ok(()),
        };
        let ended = attempt::run(&mut receiver, listing, options, progress, &keep);
        arrived |= matches!(ended, Err(Error::LastWord));
        let going_on = matches!(receiver.pass, Pass::Resume(_));
        match ended {
            Ok(report) => {
                forget(&receiver, options.states.as_deref());
                return Ok(report);
            }
            Err(error) if error.is_lost() && going_on => {
                // Progress restarts the patience; a connection that is cut again and again before that has an end.
                if progress.done() > furthest {
                    furthest = progress.done();
                    (lost_since, pause) = (None, FIRST_PAUSE);
                }
                let since = *lost_since.get_or_insert_with(Instant::now);
                if since.elapsed() + pause > options.patience {
                    return Err(if arrived { Error::LastWord } else { error });
                }
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_secs(5));
            }
            // The receiver has nothing to resume; if all had arrived, because it was done.
            Err(error @ Error::Refused(_)) => {
                forget(&receiver, options.states.as_deref());
                return Err(if arrived { Error::LastWord } else { error });
            }
            Err(error) => return Err(if going_on { error } else { error.not_begun() }),
        }
    }
}

/// The pause before the second attempt; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

fn forget(receiver: &Receiver, states: Option<&Path>) {
    if let (Pass::Resume(resume), Some(folder)) = (&receiver.pass, states) {
        State::forget(folder, resume.transfer);
    }
}
