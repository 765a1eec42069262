//! `send -`: sends what standard input yields, as a stream.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use ciphermeter_core::{Bytes, quoted_path};
use ciphermeter_terminal::Exit;
use ciphermeter_transfer::{Listing, Progress, send_stream};

use crate::ending::{failed, sent};
use crate::library_options::send_options;
use crate::options::{SendOptions, refuse};
use crate::progress::{end_when_interrupted, with_progress};
use crate::ssh::Place;
use crate::standard_stream::StandardStream;
use crate::ticket::{ask_at_terminal, is_ticket, ticket};

pub fn is_pipe(options: &SendOptions) -> bool {
    options.files.iter().any(|file| file == Path::new("-"))
}

pub fn send(options: &SendOptions) -> Result<Exit> {
    check(options)?;
    let how = "pipe something into it, like `tar c . | ciphermeter send -`";
    if io::stdin().is_terminal() {
        bail!("standard input is a terminal: {how}");
    }
    let input = StandardStream::new(io::stdin(), "standard input", how)?;
    let ticket = ticket(options, ask_at_terminal)?;
    end_when_interrupted(|| "a stream is not resumed: begin again at both ends".into())?;
    let (link, limit) = (&options.link, options.limit.map(|Bytes(rate)| rate));
    let asked = send_options(link.cipher, link.patience.duration(), None, limit, Vec::new())?;
    let progress = Arc::new(Progress::default());
    let moved = with_progress(&progress, "sending", link.quiet, || send_stream(&ticket, input, &asked, &progress));
    let report = moved.map_err(|error| failed(&error, None))?;
    sent(&report, &Listing::default(), None, link)
}

/// Refuses what cannot be said of a stream.
fn check(options: &SendOptions) -> Result<()> {
    match &options.files[..] {
        [_] => {}
        [_, last] if is_ticket(last) => {}
        [first, last] if first == Path::new("-") && matches!(Place::parse(last.as_os_str()), Ok(Some(_))) => bail!(
            "a stream goes to a receiver that waits, not through ssh: run `ciphermeter recv - > FILE` there, and give its ticket instead of {}",
            quoted_path(last)
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
    refuse(&given, "`send -`, which sends a stream")
}
