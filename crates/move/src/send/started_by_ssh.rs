//! `send --started-by-ssh`: the remote end of `recv HOST:PATH…`, a sender that listens.
//!
//! The user at the receiver is the one who logged in here, so what this user can read is sent. Nothing of this end is
//! printed but what the local end cannot know.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use ciphermeter_core::quoted_path;
use ciphermeter_terminal::{Exit, output, own_folders};
use ciphermeter_transfer::{Error, ListeningSender, Listing, Progress, Report, SendOptions, State, Times};
use zeroize::Zeroizing;

use super::listing::{listing, listing_again};
use crate::hosts::hosts;
use crate::library_options::send_options;
use crate::ssh::{Answer, LocalEnd, SendRequest, exit_after, listening_address, path_here, remote_error};

struct Job {
    paths: Vec<PathBuf>,
    listing: Listing,
    asked: SendOptions,
    state: Option<State>,
}

/// Sends what the local end's user asks for.
pub fn send() -> Result<Exit> {
    LocalEnd::serve(|local, request: &SendRequest| {
        let listen = || ListeningSender::listen(listening_address(request.port), Times::default());
        let (job, sender) = match job(request).and_then(|job| Ok((job, listen().map_err(remote_error)?))) {
            Ok(prepared) => prepared,
            Err(why) => return local.refuse(&why),
        };
        let Some(ticket) = sender.ticket(&hosts(&[], sender.address())?.named) else { return Ok(Exit::Partial) };
        local.answer(&Answer::Ticket(Zeroizing::new(ticket.to_string())))?;
        let progress = Arc::new(Progress::default());
        let moved = progress.clone();
        local.end_with_it(Duration::from_millis(request.patience_ms), move || moved.total() > 0, || {});
        let sent = match &job.state {
            Some(state) => sender.resume(state, &job.listing, &job.asked, &progress),
            None => sender.send(&job.paths, &job.listing, &job.asked, &progress),
        };
        Ok(ended(&sent, &job.listing))
    })
}

fn job(request: &SendRequest) -> Result<Job> {
    let state = request.resume.map(|number| {
        let all = own_folders::sending().map(|folder| State::all(&folder)).unwrap_or_default();
        all.into_iter().find(|state| state.unfinished().transfer == number)
    });
    let (paths, exclude, state) = match state {
        Some(None) => {
            bail!("there is no such unfinished transfer there: it may have ended, or have been removed; fetch again")
        }
        Some(Some(state)) => (state.paths.clone(), [&state.exclude[..], &request.exclude].concat(), Some(state)),
        None => {
            let paths = request.paths.iter().map(|path| path_here(path)).collect::<Result<_>>()?;
            (paths, request.exclude.clone(), None)
        }
    };
    let note = |text: &str| {
        if !request.quiet {
            output::tell(text);
        }
    };
    let listing = match state {
        None => listing(&paths, &exclude, note),
        Some(_) => listing_again(&paths, &exclude),
    };
    let has_pattern = request.paths.iter().any(|path| path.contains(['*', '?', '[']));
    let listing = listing.map_err(|why| match has_pattern {
        true => why.context("patterns are not expanded here; name the folder, and leave files out with --exclude"),
        false => why,
    })?;
    let patience = Duration::from_millis(request.patience_ms);
    let asked = send_options(request.cipher, patience, request.streams, request.limit, exclude)?;
    Ok(Job { paths, listing, asked, state })
}

/// Names what the receiver cannot: it hears only how many entries were left out.
fn ended(sent: &Result<Report, Error>, listing: &Listing) -> Exit {
    for left_out in &listing.left_out {
        output::tell(&format!("NOT sent: {}: {}", quoted_path(&left_out.path), left_out.why));
    }
    match sent {
        Ok(report) if report.failed.is_empty() && listing.left_out.is_empty() => Exit::Fine,
        Ok(_) => Exit::Partial,
        Err(error) => exit_after(error),
    }
}
