//! The sending end.
//!
//! One attempt is [`attempt::run`]. When the connection is lost, the next attempt resumes from what the receiver has on
//! disk, until all of it is there or patience ends.

mod attempt;
mod known_receiver;
mod options;
mod plan;
mod state;
mod stream;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use known_receiver::{Credential, KnownReceiver, ResumeCredential};

use crate::Error;
use crate::progress::Progress;
use crate::report::Report;
use crate::secret;
use crate::ticket::Ticket;
use crate::walk::Listing;

pub use options::SendOptions;
pub use state::kept::{forget_sent, kept_sent};
pub use state::{State, Unfinished};

/// Sends the listed files to the receiver that the ticket names.
pub fn send(
    ticket: &Ticket,
    paths: &[PathBuf],
    listing: &Listing,
    options: &SendOptions,
    progress: &Progress,
) -> Result<Report, Error> {
    let receiver = KnownReceiver {
        addresses: ticket.addresses.clone(),
        key: ticket.key,
        credential: Credential::Token(ticket.token.clone()),
    };
    send_with_retries(receiver, paths, listing, options, progress)
}

/// Resumes a transfer whose sender ended.
pub fn resume(state: &State, listing: &Listing, options: &SendOptions, progress: &Progress) -> Result<Report, Error> {
    send_with_retries(state.receiver(), &state.paths, listing, options, progress)
}

fn send_with_retries(
    mut receiver: KnownReceiver,
    paths: &[PathBuf],
    listing: &Listing,
    options: &SendOptions,
    progress: &Progress,
) -> Result<Report, Error> {
    secret::wake_generator()?;
    let (mut lost_since, mut pause): (Option<Instant>, _) = (None, FIRST_PAUSE);
    let (mut furthest, mut arrived) = (0, false);
    // So that no other process removes it as left behind.
    let hold = |resume: &ResumeCredential| state::kept::hold(options.states.as_deref()?, resume.transfer);
    let mut held = match &receiver.credential {
        Credential::Resume(resume) => hold(resume),
        Credential::Token(_) => None,
    };
    loop {
        let stored = RefCell::new(None);
        let store_state = |resume: &ResumeCredential, receiver: &KnownReceiver| match &options.states {
            Some(folder) => {
                State::new(receiver, resume, paths, options).write(folder)?;
                stored.replace(hold(resume));
                Ok(())
            }
            None => Ok(()),
        };
        let ended = attempt::run(&mut receiver, listing, options, progress, &store_state);
        held = stored.take().or(held);
        arrived |= matches!(ended, Err(Error::LastWord));
        let can_resume = matches!(receiver.credential, Credential::Resume(_));
        match ended {
            Ok(report) => {
                forget(&receiver, options.states.as_deref());
                return Ok(report);
            }
            Err(error) if error.is_lost() && can_resume => {
                // Progress restarts the patience; a connection that is cut again and again before that has an end. What a socket has
                // taken need not have arrived: only what the receiver had when this attempt began counts.
                if progress.before() > furthest {
                    furthest = progress.before();
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
            Err(error) => return Err(if can_resume { error } else { error.not_begun() }),
        }
    }
}

/// The pause before the second attempt; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

fn forget(receiver: &KnownReceiver, states: Option<&Path>) {
    if let (Credential::Resume(resume), Some(folder)) = (&receiver.credential, states) {
        State::forget(folder, resume.transfer);
    }
}
