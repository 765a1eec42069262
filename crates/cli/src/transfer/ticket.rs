//! Reading and writing tickets: a ticket is a secret, so its files must have mode 0600.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_transfer::Ticket;
use zeroize::Zeroizing;

use crate::args::SendOptions;
use crate::output;

/// The most bytes of a text that is searched for a ticket.
const MAX_TICKET: u64 = 4096;

/// The content of a file that other users cannot read.
pub fn private(file: &Path) -> Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let read = File::open(file).and_then(|open| {
        let mode = open.metadata()?.mode() & 0o077;
        open.take(MAX_TICKET).read_to_string(&mut text)?;
        Ok(mode)
    });
    let mode = read.with_context(|| format!("cannot read the ticket from {}; give another file", file.display()))?;
    if mode != 0 {
        bail!("other users can read {}, and a ticket is a secret; run chmod 600 {0}", file.display());
    }
    Ok(text)
}

/// Writes a ticket to a new file that other users cannot read.
pub fn write(file: &Path, ticket: &Ticket) -> Result<()> {
    let mut options = OpenOptions::new();
    let open = options.write(true).create_new(true).mode(0o600).open(file);
    // In one write: a script that waits for the file must not read half of it.
    let line = Zeroizing::new(format!("{ticket}\n"));
    let written = open.and_then(|mut file| file.write_all(line.as_bytes()));
    written
        .with_context(|| format!("cannot write the ticket to {}; give a file that does not exist yet", file.display()))
}

/// The ticket, from the command line, a file, or as `asked` gets it; and the files.
pub fn ticket(
    options: &SendOptions,
    asked: impl FnOnce() -> Result<Zeroizing<String>>,
) -> Result<(Ticket, &[PathBuf])> {
    if let Some((last, files)) = options.files.split_last()
        && let Some(word) = last.to_str().filter(|word| Ticket::looks_like(word))
    {
        if files.is_empty() {
            bail!("no file to send: give files or folders before the ticket");
        }
        if !options.link.quiet {
            let warning = "note: every user of this machine can read the ticket in the list of processes; without it on the command \
                           line, it is asked for";
            eprint!("{}", output::wrapped(warning, output::terminal_width()));
        }
        return Ok((word.parse()?, files));
    }
    let ticket = match &options.ticket_file {
        Some(file) => private(file)?,
        None => asked()?,
    };
    Ok((ticket.trim().parse()?, &options.files))
}

/// From standard input: from the person, if it is a terminal.
pub fn asked() -> Result<Zeroizing<String>> {
    if io::stdin().is_terminal() {
        eprint!("Ticket: ");
    }
    let mut text = Zeroizing::new(String::new());
    let read = io::stdin().lock().take(MAX_TICKET).read_line(&mut text);
    if read.context("cannot read the ticket from standard input: give it with --ticket-file")? == 0 {
        bail!("no ticket on standard input: copy the line that begins with `cm1.` from the receiver");
    }
    Ok(text)
}

/// From the person at the terminal, whatever standard input is.
pub fn asked_at_terminal() -> Result<Zeroizing<String>> {
    let missing =
        "no terminal to ask for the ticket: give it with --ticket-file, because standard input is what is sent";
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").context(missing)?;
    let mut text = Zeroizing::new(String::new());
    terminal.write_all(b"Ticket: ").context(missing)?;
    match BufReader::new(terminal).take(MAX_TICKET).read_line(&mut text).context(missing)? {
        0 => bail!("no ticket: copy the line that begins with `cm1.` from the receiver"),
        _ => Ok(text),
    }
}
