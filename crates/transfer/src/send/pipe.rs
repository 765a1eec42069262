//! A sender of a stream: one attempt, nothing to resume, nothing stored.

use std::io::Read;

use super::attempt;
use super::keeper::Keeper;
use super::known_receiver::{Credential, KnownReceiver};
use super::options::SendOptions;
use super::route::Way;
use crate::Error;
use crate::name::Name;
use crate::progress::Progress;
use crate::report::Report;
use crate::secret;
use crate::source::{SourceFile, Version};
use crate::ticket::Ticket;
use crate::walk::Listing;

/// The name of a stream. It gets none at the receiver.
const NAME: &str = "stream";

/// Sends what `input` yields until its end, to the receiver that the ticket names.
pub fn send_stream(
    ticket: &Ticket,
    input: impl Read + Send + 'static,
    options: &SendOptions,
    progress: &Progress,
) -> Result<Report, Error> {
    secret::wake_generator()?;
    let mut receiver = KnownReceiver {
        addresses: ticket.addresses.clone(),
        key: ticket.key,
        credential: Credential::Token(ticket.token.clone()),
        accepts: false,
    };
    let options = SendOptions { states: None, streams: 1, ..options.clone() };
    let mut keeper = Keeper::new(&[], &options);
    let listing = listing()?;
    let input = Some(Box::new(input) as Box<dyn Read + Send>);
    let sent = attempt::run(&mut receiver, Way::Calls, &listing, &options, progress, &mut keeper, input);
    sent.map_err(|error| match progress.is_stream() {
        true => Error::StreamEnded(Box::new(error)),
        false => error.not_begun(),
    })
}

fn listing() -> Result<Listing, Error> {
    let stream = SourceFile {
        name: Name::parse(NAME).map_err(Error::file)?,
        path: "-".into(),
        size: 0,
        data: 0,
        link: None,
        mode: 0o600,
        modified: 0,
        modified_nanoseconds: 0,
        changed: 0,
        version: Version([0; 16]),
        content: None,
    };
    Ok(Listing { files: vec![stream], ..Listing::default() })
}
