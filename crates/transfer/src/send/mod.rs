//! The sending end.
//!
//! One attempt is [`attempt::run`]. When the connection is lost, the next attempt resumes from what the receiver has on
//! disk, until all of it is there or patience ends.

mod attempt;
mod cut;
mod keeper;
mod known_receiver;
mod listening;
mod options;
mod plan;
mod route;
mod ssh_receiver;
mod state;
mod stream;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use keeper::Keeper;
use known_receiver::{Credential, KnownReceiver};

use crate::Error;
use crate::listen::{Admission, Admitted, Listener};
use crate::message::Call;
use crate::progress::Progress;
use crate::report::Report;
use crate::secret;
use crate::ticket::Ticket;
use crate::walk::Listing;

pub use listening::ListeningSender;
pub use options::SendOptions;
pub use ssh_receiver::SshReceiver;
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
    send_with_retries(receiver, None, paths, listing, options, progress)
}

/// Resumes a transfer whose sender ended.
pub fn resume(state: &State, listing: &Listing, options: &SendOptions, progress: &Progress) -> Result<Report, Error> {
    send_with_retries(state.receiver(), None, &state.paths, listing, options, progress)
}

/// How an attempt's control channel comes about.
enum Way {
    /// The sender connects.
    Calls,
    /// The receiver has connected to this port.
    Answers(Box<Admitted<Call>>, Arc<Admission<Call>>),
}

/// `listener`: the receiver connects to it.
fn send_with_retries(
    receiver: KnownReceiver,
    listener: Option<&Listener<Call>>,
    paths: &[PathBuf],
    listing: &Listing,
    options: &SendOptions,
    progress: &Progress,
) -> Result<Report, Error> {
    secret::wake_generator()?;
    let mut keeper = Keeper::new(paths, options);
    let sent = make_attempts(receiver, listener, listing, options, progress, &mut keeper);
    sent.map_err(|error| keeper.reason(error))
}

fn make_attempts(
    mut receiver: KnownReceiver,
    listener: Option<&Listener<Call>>,
    listing: &Listing,
    options: &SendOptions,
    progress: &Progress,
    keeper: &mut Keeper<'_>,
) -> Result<Report, Error> {
    let (mut lost_since, mut pause): (Option<Instant>, _) = (None, FIRST_PAUSE);
    let (mut furthest, mut arrived) = (0, false);
    if let Credential::Resume(resume) = &receiver.credential {
        keeper.hold(resume.transfer);
    }
    loop {
        let way = match listener {
            None => Way::Calls,
            Some(listener) => {
                let time = lost_since.map(|since| options.patience.saturating_sub(since.elapsed()));
                let way = listening::wait_for(listener, &receiver.credential, time);
                way.ok_or_else(|| Error::ReceiverGone(format!("{} s", options.patience.as_secs())))?
            }
        };
        let ended = attempt::run(&mut receiver, way, listing, options, progress, keeper);
        arrived |= matches!(ended, Err(Error::LastWord));
        let can_resume = matches!(receiver.credential, Credential::Resume(_));
        match ended {
            Ok(report) => {
                forget(&receiver, keeper);
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
                if listener.is_none() && since.elapsed() + pause > options.patience {
                    return Err(if arrived { Error::LastWord } else { error });
                }
                if listener.is_none() {
                    thread::sleep(pause);
                }
                pause = (pause * 2).min(Duration::from_secs(5));
            }
            // The receiver has nothing to resume; if all had arrived, because it was done.
            Err(error @ Error::Refused(_)) => {
                forget(&receiver, keeper);
                return Err(if arrived { Error::LastWord } else { error });
            }
            Err(error) => return Err(if can_resume { error } else { error.not_begun() }),
        }
    }
}

/// The pause before the second attempt; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

fn forget(receiver: &KnownReceiver, keeper: &Keeper<'_>) {
    if let Credential::Resume(resume) = &receiver.credential {
        keeper.forget(resume.transfer);
    }
}
