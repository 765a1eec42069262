//! What a listening end prints before a connection comes: its address, and the ticket.

use std::net::SocketAddr;

use anyhow::Result;
use ciphermeter_core::quoted_path;
use ciphermeter_terminal::output;
use ciphermeter_transfer::Ticket;

use crate::hosts::{Hosts, zone};
use crate::options::RecvOptions;
use crate::ticket::TicketFile;

/// Prints a ticket for `hosts`, alone on its line, or writes it to its file, and prints `what` to do with it on the sender.
/// The file is removed with what is returned: a ticket is good once.
pub fn announce(
    options: &RecvOptions,
    address: SocketAddr,
    hosts: &Hosts,
    ticket: &Ticket,
    what: &str,
) -> Result<Option<TicketFile>> {
    hosts.note().iter().for_each(|text| options.link.note(text));
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
    if let Some(file) = &options.ticket_file {
        let written = TicketFile::write(file, ticket)?;
        options.link.note(&format!("{text}; the ticket is in {}.", quoted_path(file)));
        return Ok(Some(written));
    }
    options.link.note(&format!("{text}. On the sender: {what}:"));
    match options.is_pipe() {
        true => output::say(&format!("{ticket}\n")),
        false => output::print(&format!("{ticket}\n"))?,
    }
    Ok(None)
}
