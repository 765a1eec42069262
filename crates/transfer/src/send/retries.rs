//! One attempt after the other, until all is there or patience ends.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use super::attempt;
use super::keeper::Keeper;
use super::known_receiver::{Credential, KnownReceiver};
use super::options::SendOptions;
use super::route::{Way, wait_for};
use crate::Error;
use crate::listen::Listener;
use crate::message::Call;
use crate::patience::{Left, Patience};
use crate::progress::Progress;
use crate::report::Report;
use crate::secret;
use crate::walk::Listing;

/// The pause before the second attempt; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// `listener`: the receiver connects to it.
pub(super) fn send_with_retries(
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
    let (mut patience, mut pause) = (Patience::new(options.patience), FIRST_PAUSE);
    let mut arrived = false;
    if let Credential::Resume(resume) = &receiver.credential {
        keeper.hold(resume.transfer);
        progress.keep(resume.transfer);
    }
    loop {
        let way = match listener {
            None => Way::Calls,
            Some(listener) => {
                let way = match patience.left(Instant::now()) {
                    Left::Unlimited => wait_for(listener, &receiver.credential, None),
                    Left::AtMost(left) => wait_for(listener, &receiver.credential, Some(left)),
                    Left::Over => None,
                };
                let gone = || Error::ReceiverGone(format!("{} s", options.patience.as_secs()));
                way.ok_or_else(|| given_up(gone(), &receiver, keeper, progress))?
            }
        };
        let ended = attempt::run(&mut receiver, way, listing, options, progress, keeper, None);
        arrived |= matches!(ended, Err(Error::LastWord));
        let can_resume = matches!(receiver.credential, Credential::Resume(_));
        match ended {
            Ok(report) => {
                forget(&receiver, keeper);
                return Ok(report);
            }
            Err(error) if error.is_lost() && can_resume => {
                // What a socket has taken need not have arrived: only what the receiver had when this attempt began counts.
                let now = Instant::now();
                if patience.lose(now, progress.before(), listener.is_some_and(|at| at.admission.is_waited_at())) {
                    pause = FIRST_PAUSE;
                }
                progress.lose(&error);
                if listener.is_none() && !patience.allows(now, pause) {
                    return Err(given_up(if arrived { Error::LastWord } else { error }, &receiver, keeper, progress));
                }
                if listener.is_none() {
                    thread::sleep(pause);
                }
                pause = (pause * 2).min(Duration::from_secs(5));
            }
            // Nobody is lost, and the file is withdrawn next.
            Err(Error::Unread(_)) if can_resume => {
                if let Some(listener) = listener {
                    patience.lose(Instant::now(), progress.before(), listener.admission.is_waited_at());
                }
            }
            // The receiver has nothing to resume; if all had arrived, because it was done.
            Err(error @ Error::Refused(_)) => {
                forget(&receiver, keeper);
                return Err(if arrived { Error::LastWord } else { error });
            }
            Err(error) => return Err(given_up(error, &receiver, keeper, progress)),
        }
    }
}

/// The error with which the last attempt ended. What a receiver has not accepted cannot be resumed, and is not kept.
fn given_up(error: Error, receiver: &KnownReceiver, keeper: &Keeper<'_>, progress: &Progress) -> Error {
    if progress.kept().is_some() {
        return error;
    }
    forget(receiver, keeper);
    error.not_begun()
}

fn forget(receiver: &KnownReceiver, keeper: &Keeper<'_>) {
    if let Credential::Resume(resume) = &receiver.credential {
        keeper.forget(resume.transfer);
    }
}
