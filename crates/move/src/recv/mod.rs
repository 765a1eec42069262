//! `recv`: waits for a sender and receives what it offers, once that is accepted.

mod announcement;
mod destination;
mod over_ssh;
mod pipe;
mod started_by_ssh;

use std::sync::Arc;

use anyhow::Result;
use ciphermeter_core::quoted;
use ciphermeter_terminal::{Exit, output};
use ciphermeter_transfer::{Accepted, Error, Progress, ReceiveOptions, Receiver};
use ciphermeter_transfer_worker::RemoteReceiver;

use announcement::announce;
use destination::Destination;

use crate::ending::{failed, received};
use crate::hosts::hosts;
use crate::library_options::receive_options;
use crate::options::RecvOptions;
use crate::progress::{end_when_interrupted, with_progress};
use crate::question::{Consent, TerminalUser};
use crate::ssh;
use crate::ticket::TicketFile;
use crate::unfinished::{self, CommandLine, recv_remedy, resume_option};
use crate::words::{absolute, counted, size};

/// Receives one transfer.
///
/// # Errors
/// Wrong arguments, and whatever keeps a transfer from its end; each has its exit code.
pub fn recv(options: &RecvOptions) -> Result<Exit> {
    if options.started_by_ssh {
        return started_by_ssh::recv();
    }
    if let Some(exit) = unfinished::recv(options)? {
        return Ok(exit);
    }
    if options.is_pipe() {
        return pipe::recv(options);
    }
    if !options.from.is_empty() {
        over_ssh::check(options)?;
    }
    if options.bench {
        return recv_bench(options);
    }
    let consent = Consent::of(options)?;
    let is_new = !options.discard && options.resume.is_none();
    let destination = if is_new { Destination::make(&options.into)? } else { Destination::kept() };
    let progress = Arc::new(Progress::default());
    let (asked_for, reached, made) = (options.clone(), progress.clone(), destination.clone());
    end_when_interrupted(move || {
        ssh::end_running();
        made.remove_unless_used();
        let nothing = match asked_for.resume {
            Some(_) => "what was kept stays",
            None if asked_for.discard => "nothing was kept",
            None => "nothing was accepted yet",
        };
        recv_remedy(&asked_for, &reached).unwrap_or_else(|| nothing.into())
    })?;
    let (into, patience) = ((!options.discard).then(|| options.into.clone()), options.link.patience.duration());
    let asked = ReceiveOptions {
        // A choice about names that are taken is about names side by side.
        gathers: !options.no_folder && options.existing.is_none(),
        ..receive_options(into, options.address(), options.link.cipher, patience)?
    };
    let exit = match options.from.is_empty() {
        true => receive(options, asked, &TerminalUser { consent, quiet: options.link.quiet }, &progress),
        false => over_ssh::recv(options, asked, consent, &progress),
    };
    destination.remove_unless_used();
    exit
}

/// `--bench`: receives for a benchmark whose harness is on another machine, with a ticket that is
/// good until this ends.
fn recv_bench(options: &RecvOptions) -> Result<Exit> {
    let receiver = RemoteReceiver::listen(options.address()).map_err(|error| failed(&error, None))?;
    let hosts = hosts(&options.host, receiver.address())?;
    let ticket = receiver.ticket(&hosts.named);
    let what = "ciphermeter run transfer --peer TICKET, good until this ends; transfers come to further ports";
    let _ticket = announce(options, receiver.address(), &hosts, &ticket, what)?;
    receiver.serve();
    Ok(Exit::Fine)
}

fn receive(
    options: &RecvOptions,
    asked: ReceiveOptions,
    user: &TerminalUser,
    progress: &Arc<Progress>,
) -> Result<Exit> {
    let mut receiver = listen(options, asked)?;
    receiver.confirm(user).map_err(not_begun)?;
    unfinished::check_wanted(&receiver, options)?;
    if receiver.lacks_only_names() {
        return finish(&receiver);
    }
    if let Some(folder) = receiver.is_open_to_others() {
        options.link.note(&format!(
            "note: other users of this machine can read what arrives in {}, and the transfer's keys until it ends, because its file system \
             has no permissions",
            absolute(folder)
        ));
    }
    if options.resume.is_none() && !options.discard {
        unfinished::note_kept(options);
    }
    let _ticket = tell_where(options, &receiver)?;
    let moved = with_progress(progress, "receiving", options.link.quiet, || receiver.receive(user, progress));
    let report = moved.map_err(|error| failed(&error, recv_remedy(options, progress).as_deref()))?;
    received(&report, options)
}

fn listen(options: &RecvOptions, asked: ReceiveOptions) -> Result<Receiver> {
    let Some(number) = unfinished::number_to_resume(options)? else {
        return Receiver::listen(asked).map_err(not_begun);
    };
    let resumed = Receiver::resume_numbered(asked, number).map_err(not_begun)?;
    resumed.ok_or_else(|| unfinished::nothing_to_resume(options))
}

/// An error before anything is waited for. A file's is one of usage.
fn not_begun(error: Error) -> anyhow::Error {
    if matches!(error, Error::File { .. }) { error.into() } else { failed(&error, None) }
}

/// An unfinished transfer lacked nothing but names, which it gets now.
fn finish(receiver: &Receiver) -> Result<Exit> {
    let (files, failed) = receiver.finish().map_err(not_begun)?;
    let files = counted(files as usize, "file");
    output::print(&format!("received {files}: all had come before, and are in their places now\n"))?;
    for why in &failed {
        output::print(&format!("NOT received: {why}\n"))?;
    }
    Ok(if failed.is_empty() { Exit::Fine } else { Exit::Partial })
}

/// Tells the ticket, or what is resumed. The ticket's file is removed with what is returned.
fn tell_where(options: &RecvOptions, receiver: &Receiver) -> Result<Option<TicketFile>> {
    if let Some((transfer, accepted, bytes)) = receiver.unfinished() {
        options.link.note(&format!(
            "Going on with {}: {} of {} are here. Waiting on {}; on the sender: {}",
            described(accepted),
            size(bytes),
            size(accepted.accepted_bytes()),
            receiver.address(),
            CommandLine::send(&resume_option(transfer))
        ));
        return Ok(None);
    }
    let hosts = hosts(&options.host, receiver.address())?;
    let Some(ticket) = receiver.ticket(&hosts.named) else { return Ok(None) };
    let what = "ciphermeter send FILE…, and there this ticket, which is good once";
    announce(options, receiver.address(), &hosts, &ticket, what)
}

/// The name that was accepted, or the first and how many there are.
fn described(accepted: &Accepted) -> String {
    let mut names = accepted.names();
    match (names.next().map(|name| quoted(name.as_str())), names.count()) {
        (None, _) => "nothing".into(),
        (Some(name), 0) => name,
        (Some(name), others) => format!("{name} and {others} more"),
    }
}
