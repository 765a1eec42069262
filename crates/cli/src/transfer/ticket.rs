//! Reading and writing tickets: a ticket is a secret, so its files must have mode 0600.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_transfer::Ticket;
use zeroize::Zeroizing;

/// The most bytes of a text that is searched for a ticket.
pub const MAX_TICKET: u64 = 4096;

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
