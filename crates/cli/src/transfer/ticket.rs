//! Reading and writing tickets: a ticket is a secret, so its files must have mode 0600.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::IpAddr;
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

/// The hosts under which a sender may find this listening machine: those that the user gave, or its addresses.
pub fn hosts(given: &[String], listening: IpAddr) -> Result<Vec<String>> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    let written = |address: IpAddr| match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    if !listening.is_unspecified() {
        return Ok(vec![written(listening)]);
    }
    let interfaces = if_addrs::get_if_addrs().context("cannot read this machine's addresses; give them with --host")?;
    let reachable = interfaces.iter().filter(|interface| !interface.is_loopback() && !interface.is_link_local());
    let same_kind = reachable.map(|interface| interface.ip()).filter(|ip| ip.is_ipv4() || listening.is_ipv6());
    let mut hosts: Vec<_> = same_kind.map(written).take(4).collect();
    if hosts.is_empty() {
        hosts.push(written(if listening.is_ipv6() { "::1".parse()? } else { "127.0.0.1".parse()? }));
    }
    Ok(hosts)
}
