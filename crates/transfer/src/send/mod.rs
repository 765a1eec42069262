//! The sending end.
//!
//! One attempt is [`attempt::run`]. When the connection is lost, the next attempt resumes from what the receiver has on
//! disk, until all of it is there or patience ends.

mod answer;
mod attempt;
mod cut;
mod input;
mod keeper;
mod known_receiver;
mod listening;
mod options;
mod pipe;
mod plan;
mod receipts;
mod retries;
mod route;
mod ssh_receiver;
mod state;
mod stream;

use std::path::PathBuf;

use known_receiver::{Credential, KnownReceiver};
use retries::send_with_retries;

use crate::Error;
use crate::progress::Progress;
use crate::report::Report;
use crate::ticket::Ticket;
use crate::walk::Listing;

pub use listening::ListeningSender;
pub use options::SendOptions;
pub use pipe::send_stream;
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
        accepts: false,
    };
    send_with_retries(receiver, None, paths, listing, options, progress)
}

/// Resumes a transfer whose sender ended.
pub fn resume(state: &State, listing: &Listing, options: &SendOptions, progress: &Progress) -> Result<Report, Error> {
    send_with_retries(state.receiver(), None, &state.paths, listing, options, progress)
}
