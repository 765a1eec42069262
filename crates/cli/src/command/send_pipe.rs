//! `send -`: sends what standard input yields, as a stream.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Bytes, quoted};
use ciphermeter_transfer::{Listing, Progress, SendOptions as Sending, Ticket, Times, send_stream};

use crate::args::SendOptions;
use crate::exit::Exit;
use crate::transfer::ticket::{asked_at_terminal, ticket};
use crate::transfer::{self, Blocking};

/// Whether standard input is to be sent.
pub fn is_pipe(options: &SendOptions) -> bool {
    options.files.iter().any(|file| file == Path::new("-"))
}

/// Sends it.
pub fn send_pipe(options: &SendOptions) -> Result<Exit> {
    check(options)?;
    if io::stdin().is_terminal() {
        bail!("standard input is a terminal: pipe something into it, like `tar c . | ciphermeter send -`");
    }
    transfer::check_open(io::stdin(), "standard input", "pipe something into it, like `tar c . | ciphermeter send -`")?;
    let ticket = ticket(options, asked_at_terminal)?;
    let interrupted = || "a stream is not resumed: begin again at both ends".into();
    transfer::end_when_interrupted(interrupted)?;
    let sending = Sending {
        wanted: options.link.cipher,
        streams: 1,
        limit: options.limit.map(|Bytes(rate)| rate),
        exclude: Vec::new(),
        rates: transfer::rates()?,
        patience: options.link.patience.duration(),
        times: Times::default(),
        states: None,
        ssh: None,
    };
    let input = io::stdin().as_fd().try_clone_to_owned().context("cannot use standard input: redirect it anew")?;
    let progress = Arc::new(Progress::default());
    let sent = transfer::watched(&progress, "sending", options.link.quiet, || {
        send_stream(&ticket, Blocking(File::from(input)), &sending, &progress)
    });
    let report = sent.map_err(|error| transfer::failed(&error, None))?;
    transfer::sent(&report, &Listing::default(), None, &options.link)
}

/// Refuses what cannot be said of a stream.
fn check(options: &SendOptions) -> Result<()> {
    match &options.files[..] {
        [_] => {}
        [_, last] if last.to_str().is_some_and(Ticket::looks_like) => {}
        [first, last] if first == Path::new("-") && is_place(last) => bail!(
            "a stream goes to a receiver that waits, not through ssh: run `ciphermeter recv - > FILE` there, and give its ticket instead of {}",
            quoted(&last.to_string_lossy())
        ),
        _ => bail!("`-` is standard input, and is sent alone: leave out the other files; a file called `-` is `./-`"),
    }
    let given = [
        (!options.exclude.is_empty(), "--exclude"),
        (options.streams.is_some(), "--streams"),
        (options.ssh.is_some(), "--ssh"),
        (options.remote_program.is_some(), "--remote-program"),
        (options.port.is_some(), "--port"),
        (options.existing.is_some(), "--existing"),
    ];
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => bail!("{option} cannot be used with `send -`, which sends a stream; leave it out"),
        None => Ok(()),
    }
}

/// Whether an argument names a folder of another machine.
fn is_place(argument: &Path) -> bool {
    crate::ssh::Place::parse(argument.as_os_str()).is_ok_and(|place| place.is_some())
}
