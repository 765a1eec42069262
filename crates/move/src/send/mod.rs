//! `send`: sends files to the receiver that printed a ticket.

mod job;
mod listing;
mod over_ssh;
mod pipe;
mod started_by_ssh;

use std::path::PathBuf;

use anyhow::{Result, bail};
use ciphermeter_core::quoted_path;
use ciphermeter_terminal::{Exit, own_folders};
use ciphermeter_transfer::{Listing, State, is_address};

use job::Job;
use listing::listing;

use crate::options::SendOptions;
use crate::ticket::{ask, files_to_send, ticket};
use crate::unfinished::{self, resume_option};
use crate::words::entries;

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
        let state = resumed(number.as_deref(), options)?;
        let listing = listed(&state.paths, &state.exclude, options)?;
        let job = Job::new(options, listing, state.exclude.clone(), state.limit)?;
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
    let listing = listing(paths, exclude, note)?;
    if let count @ 1.. = listing.left_out.len() {
        note(&format!("{} cannot be sent; the summary will say which", entries(count)));
    }
    Ok(listing)
}

/// The unfinished transfer that is meant.
fn resumed(number: Option<&str>, options: &SendOptions) -> Result<State> {
    let all = own_folders::sending().map(|folder| State::all(&folder)).unwrap_or_default();
    let meant =
        |state: &&State| number.is_none_or(|number| state.unfinished().transfer.to_string().starts_with(number));
    let mut found = all.iter().filter(meant);
    let state = match (found.next(), found.next()) {
        (Some(state), None) => state.clone(),
        (None, _) if own_folders::sending().is_some_and(|folder| State::is_any_of_another_version(&folder)) => {
            bail!(
                "another version of ciphermeter started your unfinished transfer: resume it with that version, or send again with a ticket"
            )
        }
        (None, _) => bail!("no unfinished transfer to resume: send again with a ticket"),
        (Some(_), Some(_)) => {
            let line = |state: &State| {
                let unfinished = state.unfinished();
                let paths: Vec<_> = unfinished.paths.iter().map(|path| quoted_path(path)).collect();
                format!(
                    "\n  {} {} to {}",
                    resume_option(unfinished.transfer),
                    paths.join(" "),
                    state.ssh.as_ref().map_or_else(|| unfinished.addresses.join(","), over_ssh::shown)
                )
            };
            bail!("several transfers are unfinished; choose one:{}", all.iter().map(line).collect::<String>());
        }
    };
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
