//! `recv -`: receives one stream or one file, and writes it to standard output. All else goes to standard error.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ciphermeter_transfer::{Error, Excludes, Progress, ReceiveOptions, Receiver, Times};

use crate::args::RecvOptions;
use crate::exit::Exit;
use crate::transfer::{self, Asking, Blocking, Consent, End, Offerer, hosts};

/// Receives one transfer.
pub fn recv_pipe(options: &RecvOptions) -> Result<Exit> {
    check(options)?;
    if !options.yes && !io::stdin().is_terminal() {
        bail!("cannot ask for confirmation without a terminal: use --yes to accept without asking");
    }
    if io::stdout().is_terminal() {
        bail!(
            "standard output is a terminal: write to a file with `ciphermeter recv - > FILE`, or to a program with `|`"
        );
    }
    transfer::check_open(io::stdout(), "standard output", "write to a file with `ciphermeter recv - > FILE`")?;
    let interrupted = || match transfer::was_accepted() {
        true => "the stream is incomplete: do not use what was written".into(),
        false => "nothing was accepted yet".into(),
    };
    transfer::end_when_interrupted(interrupted)?;
    let asked = ReceiveOptions {
        into: None,
        listen: options.address(),
        gathers: false,
        wanted: options.link.cipher,
        rates: transfer::rates()?,
        patience: options.link.patience.duration(),
        times: Times::default(),
    };
    let consent = Consent {
        from: Offerer::Ticket,
        yes: options.yes,
        terminal: io::stdin().is_terminal(),
        hidden: true,
        existing: None,
        fills: false,
        excludes: Excludes::default(),
    };
    let asking = Asking { consent, quiet: options.link.quiet };
    // Not `io::stdout()`, which would keep what follows the last newline.
    let output = io::stdout().as_fd().try_clone_to_owned().context("cannot use standard output: redirect it anew")?;
    let failed = |error: &Error| transfer::failed(error, None);
    let mut receiver =
        Receiver::listen_for_pipe(asked, Blocking(File::from(output))).map_err(|error| failed(&error))?;
    let what = "COMMAND | ciphermeter send -, and there this ticket, which is good once";
    let ticket = receiver.ticket(&hosts(&options.host, receiver.address())?);
    let _file = ticket.map(|ticket| transfer::announce(options, receiver.address(), &ticket, what)).transpose()?;
    let progress = Arc::new(Progress::default());
    let received =
        transfer::watched(&progress, "receiving", options.link.quiet, || receiver.receive(&asking, &progress));
    let report = received.map_err(|error| failed(&error))?;
    transfer::print(&report, End::Piped, &[], &options.link)?;
    Ok(Exit::Fine)
}

/// Refuses options that mean nothing for a pipe.
fn check(options: &RecvOptions) -> Result<()> {
    let given = [
        (options.into.as_os_str() != ".", "--into"),
        (options.resume.is_some(), "--resume"),
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
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, "--resume")) => bail!("a stream is not resumed: receive it again without --resume"),
        Some((_, option)) => {
            bail!("{option} cannot be used with `recv -`, which writes to standard output; leave it out")
        }
        None => Ok(()),
    }
}
