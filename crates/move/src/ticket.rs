//! Reading and writing tickets: a ticket is a secret, so its files must have mode 0600.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{quoted_path, shell_word};
use ciphermeter_terminal::output;
use ciphermeter_transfer::Ticket;
use zeroize::Zeroizing;

use crate::options::SendOptions;

/// The most bytes of a text that is searched for a ticket.
const MAX_TICKET: u64 = 4096;

/// The ticket in a file that other users cannot read.
///
/// # Errors
/// The file cannot be read, others can read it, or no ticket is in it.
pub fn read_ticket(file: &Path) -> Result<Ticket> {
    let mut text = Zeroizing::new(String::new());
    let read = File::open(file).and_then(|open| {
        let mode = open.metadata()?.mode() & 0o077;
        open.take(MAX_TICKET).read_to_string(&mut text)?;
        Ok(mode)
    });
    let mode = read.with_context(|| format!("cannot read the ticket from {}; give another file", quoted_path(file)))?;
    if mode != 0 {
        let (shown, word) = (quoted_path(file), shell_word(file));
        bail!("other users can read {shown}, and a ticket is a secret; run `chmod 600 {word}`");
    }
    parse(&text)
}

/// Where this process wrote its ticket.
static WRITTEN: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A file with this process's ticket, removed when dropped.
#[must_use]
pub struct TicketFile(());

impl TicketFile {
    /// Writes a new file that other users cannot read.
    pub fn write(file: &Path, ticket: &Ticket) -> Result<Self> {
        let mut options = OpenOptions::new();
        let open = options.write(true).create_new(true).mode(0o600).open(file);
        // In one write: a script that waits for the file must not read half of it.
        let line = Zeroizing::new(format!("{ticket}\n"));
        let written = open.and_then(|mut file| file.write_all(line.as_bytes()));
        written.with_context(|| {
            format!("cannot write the ticket to {}; give a file that does not exist yet", quoted_path(file))
        })?;
        *written_at() = Some(file.to_owned());
        Ok(Self(()))
    }
}

/// Removes the file with this process's ticket, if there is one: nobody listens for it any more.
pub fn remove_ticket() {
    if let Some(file) = written_at().take() {
        // It may be gone already.
        let _ = fs::remove_file(file);
    }
}

fn written_at() -> MutexGuard<'static, Option<PathBuf>> {
    WRITTEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Drop for TicketFile {
    fn drop(&mut self) {
        remove_ticket();
    }
}

/// The files to send: all that is given but a ticket at the end.
pub fn files_to_send(options: &SendOptions) -> Result<&[PathBuf]> {
    match options.files.split_last() {
        Some((last, [])) if is_ticket(last) => bail!("no file to send: give files or folders before the ticket"),
        Some((last, files)) if is_ticket(last) => Ok(files),
        _ => Ok(&options.files),
    }
}

pub fn is_ticket(argument: &Path) -> bool {
    argument.to_str().is_some_and(Ticket::looks_like)
}

/// The ticket, from the command line, a file, or as `ask` gets it.
pub fn ticket(options: &SendOptions, ask: impl FnOnce() -> Result<Ticket>) -> Result<Ticket> {
    if let Some(word) = options.files.last().filter(|last| is_ticket(last)).and_then(|last| last.to_str()) {
        options.link.note(
            "note: every user of this machine can read the ticket in the list of processes; without it on the command line, it is \
             asked for",
        );
        return Ok(word.parse()?);
    }
    match &options.ticket_file {
        Some(file) => read_ticket(file),
        None => ask(),
    }
}

fn parse(text: &str) -> Result<Ticket> {
    if text.trim().is_empty() {
        bail!("no ticket was given: it is the line that begins with `cm1.` and that the receiver prints");
    }
    Ok(text.trim().parse()?)
}

/// From standard input: from the person, who may try again, if it is a terminal.
pub fn ask() -> Result<Ticket> {
    let is_terminal = io::stdin().is_terminal();
    loop {
        if is_terminal {
            output::say("Ticket: ");
        }
        let mut text = Zeroizing::new(String::new());
        let read = io::stdin().lock().take(MAX_TICKET).read_line(&mut text);
        if read.context("cannot read the ticket from standard input: give it with --ticket-file")? == 0 {
            bail!("no ticket on standard input: copy the line that begins with `cm1.` from the receiver");
        }
        match parse(&text) {
            Err(why) if is_terminal => output::tell(&format!("{why}.")),
            parsed => return parsed,
        }
    }
}

/// From the person at the terminal, whatever standard input is.
pub fn ask_at_terminal() -> Result<Ticket> {
    let missing =
        "no terminal to ask for the ticket: give it with --ticket-file, because standard input is what is sent";
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").context(missing)?;
    let mut text = Zeroizing::new(String::new());
    terminal.write_all(b"Ticket: ").context(missing)?;
    match BufReader::new(terminal).take(MAX_TICKET).read_line(&mut text).context(missing)? {
        0 => bail!("no ticket: copy the line that begins with `cm1.` from the receiver"),
        _ => parse(&text),
    }
}
