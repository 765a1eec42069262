//! `recv`: waits for a sender and receives what it offers, once that is accepted.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use anyhow::{Result, bail};
use ciphermeter_core::{quoted, quoted_path};
use ciphermeter_transfer::{Accepted, Error, Excludes, Existing, Progress, ReceiveOptions, Receiver, Times};

use crate::args::RecvOptions;
use crate::command::{recv_bench, recv_by_ssh, recv_from_ssh, recv_pipe, unfinished};
use crate::exit::Exit;
use crate::output;
use crate::ssh;
use crate::transfer::again::{self, Again};
use crate::transfer::ticket::TicketFile;
use crate::transfer::{self, Asking, Consent, Destination, End, Offerer, hosts, note, shown, size};

/// Receives one transfer.
pub fn recv(options: &RecvOptions) -> Result<Exit> {
    if options.started_by_ssh {
        return recv_by_ssh::recv_by_ssh();
    }
    if let Some(exit) = unfinished::recv(options)? {
        return Ok(exit);
    }
    if options.is_pipe() {
        return recv_pipe::recv_pipe(options);
    }
    recv_from_ssh::check(options)?;
    let excludes = Excludes::new(&options.exclude)?;
    if options.bench {
        return recv_bench::recv_bench(options);
    }
    if !options.yes && options.from.is_empty() && !io::stdin().is_terminal() {
        bail!("cannot ask for confirmation without a terminal: use --yes to accept without asking");
    }
    let is_new = !options.discard && options.resume.is_none();
    let destination = Arc::new(if is_new { Destination::make(&options.into)? } else { Destination::kept() });
    let progress = Arc::new(Progress::default());
    let (asked_for, reached, interrupted) = (options.clone(), progress.clone(), destination.clone());
    transfer::end_when_interrupted(move || {
        ssh::end_running();
        interrupted.remove_unless_used();
        let nothing = match asked_for.resume {
            Some(_) => "what was kept stays",
            None if asked_for.discard => "nothing was kept",
            None => "nothing was accepted yet",
        };
        again::after_recv(&asked_for, &reached).unwrap_or_else(|| nothing.into())
    })?;
    let asked = ReceiveOptions {
        into: (!options.discard).then(|| options.into.clone()),
        listen: options.address(),
        // A choice about names that are taken is about names side by side.
        gathers: !options.no_folder && options.existing.is_none(),
        wanted: options.link.cipher,
        rates: transfer::rates()?,
        patience: options.link.patience.duration(),
        times: Times::default(),
    };
    let consent = Consent {
        from: Offerer::Ticket,
        yes: options.yes,
        terminal: io::stdin().is_terminal(),
        hidden: options.hidden,
        existing: options.existing,
        fills: options.no_folder || options.existing.is_some_and(|existing| existing != Existing::Refuse),
        excludes,
    };
    let asking = Asking { consent, quiet: options.link.quiet };
    let received = match options.from.is_empty() {
        true => receive(options, asked, &asking, &progress),
        false => recv_from_ssh::recv_from_ssh(options, asked, asking, &progress),
    };
    destination.remove_unless_used();
    received
}

/// Waits for a sender, and receives.
fn receive(options: &RecvOptions, asked: ReceiveOptions, asking: &Asking, progress: &Arc<Progress>) -> Result<Exit> {
    let mut receiver = match listen(options, asked, asking)? {
        Listening::On(receiver) => receiver,
        Listening::NoNeed(exit) => return Ok(exit),
    };
    if let Some(folder) = receiver.is_open_to_others() {
        let text = format!(
            "note: other users of this machine can read what arrives in {}, and the transfer's keys until it ends, because its file system \
             has no permissions",
            shown(folder)
        );
        note(options, &text);
    }
    if options.resume.is_none() && !options.discard {
        unfinished::note_kept(options);
    }
    let _ticket = announce(options, &receiver)?;
    let received = transfer::watched(progress, "receiving", options.link.quiet, || receiver.receive(asking, progress));
    let then = again::after_recv(options, progress);
    let report = received.map_err(|error| transfer::failed(&error, then.as_deref()))?;
    let end = if options.discard { End::Discarded } else { End::Received };
    transfer::print(&report, end, &[], &options.link)?;
    Ok(transfer::received(&report))
}

/// What came of listening.
enum Listening {
    /// For a sender.
    On(Box<Receiver>),
    /// An unfinished transfer lacked nothing but names, which it has now.
    NoNeed(Exit),
}

fn listen(options: &RecvOptions, asked: ReceiveOptions, asking: &Asking) -> Result<Listening> {
    let failed = |error: Error| match error {
        error @ Error::File { .. } => anyhow::anyhow!("{error}"),
        error => transfer::failed(&error, None),
    };
    let Some(number) = &options.resume else {
        return Receiver::listen(asked).map(|receiver| Listening::On(Box::new(receiver))).map_err(failed);
    };
    let number = number.as_deref().unwrap_or_default();
    if !number.is_empty() {
        unfinished::check_number(number, &options.into)?;
    }
    let Some(receiver) = Receiver::resume_numbered(asked, number).map_err(failed)? else {
        bail!(
            "no unfinished transfer in {}: give its folder with --into, or receive without --resume",
            quoted_path(&options.into)
        );
    };
    receiver.confirm(asking).map_err(failed)?;
    if !receiver.lacks_only_names() {
        return Ok(Listening::On(Box::new(receiver)));
    }
    let (files, failed) = receiver.finish().map_err(failed)?;
    output::print(&format!("received {}: all had come before, and are in their places now\n", transfer::files(files)))?;
    for why in &failed {
        output::print(&format!("NOT received: {why}\n"))?;
    }
    Ok(Listening::NoNeed(if failed.is_empty() { Exit::Fine } else { Exit::Partial }))
}

/// Tells the ticket, or what is resumed. The ticket's file is removed with what is returned.
fn announce(options: &RecvOptions, receiver: &Receiver) -> Result<Option<TicketFile>> {
    if let Some((transfer, accepted, bytes)) = receiver.unfinished() {
        note(
            options,
            &format!(
                "Going on with {}: {} of {} are here. Waiting on {}; on the sender: {}",
                described(accepted),
                size(bytes),
                size(accepted.accepted_bytes()),
                receiver.address(),
                Again::send(&again::resume(transfer)).text()
            ),
        );
        return Ok(None);
    }
    let names = hosts(&options.host, receiver.address())?;
    let Some(ticket) = receiver.ticket(&names) else { return Ok(None) };
    let what = "ciphermeter send FILE…, and there this ticket, which is good once";
    transfer::announce(options, receiver.address(), &ticket, what)
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
