//! What a listening end prints before a connection comes: its address, and the ticket.

use std::net::SocketAddr;

use anyhow::Result;
use ciphermeter_core::quoted_path;
use ciphermeter_transfer::Ticket;

use super::hosts::zone;
use super::ticket::TicketFile;
use crate::args::RecvOptions;
use crate::output;

/// Prints a ticket or writes it to its file, and prints `what` to do with it on the sender. The file is removed with what
/// is returned: a ticket is good once.
pub fn announce(options: &RecvOptions, address: SocketAddr, ticket: &Ticket, what: &str) -> Result<Option<TicketFile>> {
    let mut text = format!("Waiting on {address}");
    if address.ip().is_loopback() {
        text += " for this machine only (use --listen 0.0.0.0 for others)";
    }
    if let Some(zone) = zone(address) {
        // The ticket names an interface of the sender's machine, which this one does not know.
        text += &format!(
            " on its own link only; if the sender reaches it over an interface that is not called {zone}, change `%{zone}` in the ticket"
        );
    }
    match &options.ticket_file {
        Some(file) => {
            let written = TicketFile::write(file, ticket)?;
            note(options, &format!("{text}; the ticket is in {}.", quoted_path(file)));
            return Ok(Some(written));
        }
        None => {
            note(options, &format!("{text}. On the sender: {what}:"));
            match options.is_pipe() {
                true => output::say(&format!("{ticket}\n")),
                false => output::print(&format!("{ticket}\n"))?,
            }
        }
    }
    Ok(None)
}

/// A remark besides the result.
pub fn note(options: &RecvOptions, text: &str) {
    if !options.link.quiet {
        output::tell(text);
    }
}
