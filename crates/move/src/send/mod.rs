//! `send`: sends files to the receiver that printed a ticket.

mod job;
mod listing;
mod over_ssh;
mod pipe;
mod started_by_ssh;

use std::path::PathBuf;

use anyhow::{Result, bail};
use ciphermeter_core::quoted;
use ciphermeter_terminal::Exit;
use ciphermeter_transfer::{Listing, State, is_address};

use job::Job;
use listing::{listing, listing_again};

use crate::options::SendOptions;
use crate::ticket::{ask, files_to_send, ticket};
use crate::unfinished;
use crate::words::{counted, entries, size};

/// Files of fewer bytes are sent again without a word.
const LARGE: u64 = 10_000_000;

/// Sends.
///
/// # Errors
/// Wrong arguments, and whatever keeps a transfer from its end; each has its exit code.
pub fn send(options: &SendOptions) -> Result<Exit> {
    if options.started_by_ssh {
        return started_by_ssh::send();
    }
    if let Some(exit) = unfinished::send(options)? {
        return Ok(exit);
    }
    if pipe::is_pipe(options) {
        return pipe::send(options);
    }
    if let Some(number) = &options.resume {
        let state = resumed(number.as_deref().unwrap_or_default(), options)?;
        let exclude = [&state.exclude[..], &options.exclude].concat();
        let listing = listed(&state.paths, &exclude, options)?;
        if let Some(text) = voided(&state, &listing) {
            options.link.note(&text);
        }
        let job = Job::new(options, listing, exclude, state.limit)?;
        return match state.ssh.clone().filter(|_| options.to.is_none()) {
            Some(receiver) => over_ssh::resume(&job, state, receiver),
            None => job.ended(job.resume(&state)),
        };
    }
    if let Some((receiver, files)) = over_ssh::receiver(options)? {
        let listing = listed(files, &options.exclude, options)?;
        return over_ssh::send(Job::new(options, listing, options.exclude.clone(), None)?, &receiver, files);
    }
    // Slips in names are found before anyone copies a ticket.
    let files = files_to_send(options)?;
    let listing = listed(files, &options.exclude, options)?;
    let ticket = ticket(options, ask)?;
    let job = Job::new(options, listing, options.exclude.clone(), None)?;
    job.ended(job.send(&ticket, files))
}

/// What there is to send. What cannot be sent is named at the end; a first word about it comes before the wait.
fn listed(paths: &[PathBuf], exclude: &[String], options: &SendOptions) -> Result<Listing> {
    let note = |text: &str| {
        if options.resume.is_none() {
            options.link.note(text);
        }
    };
    let listing = match options.resume {
        None => listing(paths, exclude, note)?,
        Some(_) => listing_again(paths, exclude)?,
    };
    if let count @ 1.. = listing.left_out.len() {
        note(&format!("{} cannot be sent; the summary will say which", entries(count)));
    }
    Ok(listing)
}

/// What to say of large files that begin anew.
fn voided(state: &State, listing: &Listing) -> Option<String> {
    let mut large = listing.files.iter().filter(|file| file.size >= LARGE && state.is_voided(file));
    let first = large.next()?;
    let others = match large.count() {
        0 => String::new(),
        others => format!(" and {}", counted(others, "more large file")),
    };
    let (name, bytes) = (quoted(first.name.as_str()), size(first.size));
    Some(format!("note: {name} ({bytes}){others} changed since the transfer began: what had come of it is void"))
}

fn resumed(number: &str, options: &SendOptions) -> Result<State> {
    let state = unfinished::to_resume(number)?;
    match &options.to {
        Some(to) if is_address(to) => Ok(state.at(vec![to.clone()])),
        Some(to) => bail!("`{to}` is not HOST:PORT"),
        None if state.unfinished().addresses.is_empty() => {
            bail!(
                "`ciphermeter recv HOST:PATH` on another machine began this transfer: add --resume to that command there"
            )
        }
        None => Ok(state),
    }
}
