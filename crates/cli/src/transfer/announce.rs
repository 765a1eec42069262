//! What a listening end says before anything comes: where it waits, and the ticket.

use std::net::SocketAddr;

use anyhow::Result;
use ciphermeter_transfer::Ticket;

use super::ticket::write;
use crate::args::RecvOptions;
use crate::output;

/// Prints a ticket or writes it to its file, and says `what` to do with it on the sender.
pub fn announce(options: &RecvOptions, address: SocketAddr, ticket: &Ticket, what: &str) -> Result<()> {
    let mut text = format!("Waiting on {address}");
    if address.ip().is_loopback() {
        text += " for this machine only (--listen 0.0.0.0 is for others)";
    }
    match &options.ticket_file {
        Some(file) => {
            write(file, ticket)?;
            note(options, &format!("{text}; the ticket is in {}.", file.display()));
        }
        None => {
            note(options, &format!("{text}. On the sender: {what}:"));
            output::print(&format!("{ticket}\n"))?;
        }
    }
    Ok(())
}

/// Something to know beside the result.
pub fn note(options: &RecvOptions, text: &str) {
    if !options.link.quiet {
        eprint!("{}", output::wrapped(text, output::look_width()));
    }
}
