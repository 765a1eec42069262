//! `recv -`: receives one stream or one file, and writes it to standard output. All else goes to standard error.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use anyhow::{Result, bail};
use ciphermeter_terminal::Exit;
use ciphermeter_transfer::{Progress, Receiver};

use super::announcement::announce;
use crate::ending::failed;
use crate::hosts::hosts;
use crate::library_options::receive_options;
use crate::options::{RecvOptions, refuse};
use crate::progress::{end_when_interrupted, with_progress};
use crate::question::{Consent, TerminalUser, was_accepted};
use crate::standard_stream::StandardStream;
use crate::summary::{End, print};

pub fn recv(options: &RecvOptions) -> Result<Exit> {
    check(options)?;
    let user = TerminalUser { consent: Consent::of(options)?, quiet: options.link.quiet };
    if io::stdout().is_terminal() {
        bail!(
            "standard output is a terminal: write to a file with `ciphermeter recv - > FILE`, or to a program with `|`"
        );
    }
    let how = "write to a file with `ciphermeter recv - > FILE`";
    let output = StandardStream::new(io::stdout(), "standard output", how)?;
    end_when_interrupted(|| match was_accepted() {
        true => "the stream is incomplete: do not use what was written".into(),
        false => "nothing was accepted yet".into(),
    })?;
    let link = &options.link;
    let asked = receive_options(None, options.address(), link.cipher, link.patience.duration())?;
    let mut receiver = Receiver::listen_for_pipe(asked, output).map_err(|error| failed(&error, None))?;
    let what = "COMMAND | ciphermeter send -, and there this ticket, which is good once";
    let hosts = hosts(&options.host, receiver.address())?;
    let ticket = receiver.ticket(&hosts.named);
    let _file = ticket.map(|ticket| announce(options, receiver.address(), &hosts, &ticket, what)).transpose()?;
    let progress = Arc::new(Progress::default());
    let received = with_progress(&progress, "receiving", link.quiet, || receiver.receive(&user, &progress));
    let report = received.map_err(|error| failed(&error, None))?;
    print(&report, End::Piped, &[], link).map(|()| Exit::Fine)
}

fn check(options: &RecvOptions) -> Result<()> {
    if options.resume.is_some() {
        bail!("a stream is not resumed: receive it again without --resume");
    }
    let given = [
        (options.into.as_os_str() != ".", "--into"),
        (options.discard, "--discard"),
        (options.no_folder, "--no-folder"),
        (options.existing.is_some(), "--existing"),
        (!options.exclude.is_empty(), "--exclude"),
        (options.ssh.is_some(), "--ssh"),
        (options.remote_program.is_some(), "--remote-program"),
        (options.limit.is_some(), "--limit"),
        (options.streams.is_some(), "--streams"),
        (options.port.is_some(), "--port"),
    ];
    refuse(&given, "`recv -`, which writes to standard output")
}
