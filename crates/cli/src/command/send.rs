//! `send`: sends files to the receiver that printed a ticket.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use ciphermeter_core::{Bytes, quoted};
use ciphermeter_transfer::{Error, Listing, Progress, Report, SendOptions as Sending, State, Times, is_address};

use crate::args::SendOptions;
use crate::command::{send_by_ssh, send_for_ssh, send_pipe, unfinished};
use crate::exit::Exit;
use crate::folders;
use crate::output;
use crate::ssh;
use crate::transfer::ticket::{asked, files, ticket};
use crate::transfer::{self, again};

/// Sends.
pub fn send(options: &SendOptions) -> Result<Exit> {
    if options.started_by_ssh {
        return send_for_ssh::send_for_ssh();
    }
    if let Some(exit) = unfinished::send(options)? {
        return Ok(exit);
    }
    if send_pipe::is_pipe(options) {
        return send_pipe::send_pipe(options);
    }
    let progress = Arc::new(Progress::default());
    let listing;
    let sent = match &options.resume {
        Some(number) => {
            let state = resumed(number.as_deref(), options)?;
            listing = listed(&state.paths, &state.exclude, options)?;
            let limit = options.limit.map(|Bytes(rate)| rate).or(state.limit);
            let sending = Sending { limit, exclude: state.exclude.clone(), ..sending(options, &progress)? };
            if let Some(receiver) = state.ssh.clone().filter(|_| options.to.is_none()) {
                return send_by_ssh::resume(state, receiver, &listing, &sending, &progress, options);
            }
            transfer::watched(&progress, "sending", options.link.quiet, || {
                ciphermeter_transfer::resume(&state, &listing, &sending, &progress)
            })
        }
        None => {
            if let Some((receiver, files)) = send_by_ssh::receiver(options)? {
                let listing = listed(files, &options.exclude, options)?;
                let sending = sending(options, &progress)?;
                return send_by_ssh::send(&receiver, files, &listing, sending, &progress, options);
            }
            // Slips in names are found before anyone copies a ticket.
            let files = files(options)?;
            listing = listed(files, &options.exclude, options)?;
            let ticket = ticket(options, asked)?;
            let sending = sending(options, &progress)?;
            transfer::watched(&progress, "sending", options.link.quiet, || {
                ciphermeter_transfer::send(&ticket, files, &listing, &sending, &progress)
            })
        }
    };
    ended(sent, &listing, &progress, options)
}

fn ended(sent: Result<Report, Error>, listing: &Listing, progress: &Progress, options: &SendOptions) -> Result<Exit> {
    let then = again::after_send(options, progress, false);
    let report = sent.map_err(|error| transfer::failed(&error, then.as_deref()))?;
    transfer::sent(&report, listing, None, &options.link)
}

/// What there is to send. What cannot be sent is named at the end; a first word about it comes before the wait.
fn listed(paths: &[PathBuf], exclude: &[String], options: &SendOptions) -> Result<Listing> {
    let note = |text: &str| {
        if !options.link.quiet && options.resume.is_none() {
            output::tell(text);
        }
    };
    let listing = transfer::listing(paths, exclude, note)?;
    if let count @ 1.. = listing.left_out.len() {
        note(&format!("{} cannot be sent; the summary will say which", transfer::entries(count)));
    }
    Ok(listing)
}

fn sending(options: &SendOptions, progress: &Arc<Progress>) -> Result<Sending> {
    let (asked_for, reached) = (options.clone(), progress.clone());
    transfer::end_when_interrupted(move || {
        let by_ssh = ssh::end_running();
        again::after_send(&asked_for, &reached, by_ssh).unwrap_or_else(|| match asked_for.resume {
            Some(_) => "what was kept stays".into(),
            None => "nothing is kept: begin again".into(),
        })
    })?;
    Ok(Sending {
        wanted: options.link.cipher,
        streams: options.streams.unwrap_or_else(transfer::streams),
        limit: options.limit.map(|Bytes(rate)| rate),
        rates: transfer::rates()?,
        patience: options.link.patience.duration(),
        times: Times::default(),
        states: folders::sending(),
        exclude: options.exclude.clone(),
        ssh: None,
    })
}

/// The unfinished transfer that is meant.
fn resumed(number: Option<&str>, options: &SendOptions) -> Result<State> {
    let all = folders::sending().map(|folder| State::all(&folder)).unwrap_or_default();
    let meant =
        |state: &&State| number.is_none_or(|number| state.unfinished().transfer.to_string().starts_with(number));
    let mut found = all.iter().filter(meant);
    let state = match (found.next(), found.next()) {
        (Some(state), None) => state.clone(),
        (None, _) if folders::sending().is_some_and(|folder| State::is_any_of_another_version(&folder)) => {
            bail!(
                "another version of ciphermeter started your unfinished transfer: resume it with that version, or send again with a ticket"
            )
        }
        (None, _) => bail!("no unfinished transfer to resume: send again with a ticket"),
        (Some(_), Some(_)) => {
            let line = |state: &State| {
                let unfinished = state.unfinished();
                let paths: Vec<_> = unfinished.paths.iter().map(|path| quoted(&path.to_string_lossy())).collect();
                format!(
                    "\n  {} {} to {}",
                    again::resume(unfinished.transfer),
                    paths.join(" "),
                    state.ssh.as_ref().map_or_else(|| unfinished.addresses.join(","), send_by_ssh::shown)
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
