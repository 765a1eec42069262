//! Where tickets come from and go to: a secret is read from and written to files of mode 0600 only.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_transfer::Ticket;
use zeroize::Zeroizing;

/// The longest text in which a ticket is looked for, in bytes.
pub const MAX_TICKET: u64 = 4096;

/// What is in a file that nobody else may read.
pub fn private(file: &Path) -> Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let read = File::open(file).and_then(|open| {
        let mode = open.metadata()?.mode() & 0o077;
        open.take(MAX_TICKET).read_to_string(&mut text)?;
        Ok(mode)
    });
    let mode = read.with_context(|| format!("the ticket can't be read from {}: give another file", file.display()))?;
    if mode != 0 {
        bail!("others may read {}, and a ticket is a secret: chmod 600 {0}", file.display());
    }
    Ok(text)
}

/// Writes a ticket to a new file that nobody else may read.
pub fn write(file: &Path, ticket: &Ticket) -> Result<()> {
    let mut options = OpenOptions::new();
    let open = options.write(true).create_new(true).mode(0o600).open(file);
    // In one write: a script that waits for the file must not read half of it.
    let line = Zeroizing::new(format!("{ticket}\n"));
    let written = open.and_then(|mut file| file.write_all(line.as_bytes()));
    written
        .with_context(|| format!("the ticket can't be written to {}: give a file that isn't there yet", file.display()))
}

/// Under which names a sender may find this machine, which listens there: those that the user gave, or its addresses.
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
    let interfaces =
        if_addrs::get_if_addrs().context("this machine's addresses can't be read: give them with --host")?;
    let reachable = interfaces.iter().filter(|interface| !interface.is_loopback() && !interface.is_link_local());
    let same_kind = reachable.map(|interface| interface.ip()).filter(|ip| ip.is_ipv4() || listening.is_ipv6());
    let mut hosts: Vec<_> = same_kind.map(written).take(4).collect();
    if hosts.is_empty() {
        hosts.push(written(if listening.is_ipv6() { "::1".parse()? } else { "127.0.0.1".parse()? }));
    }
    Ok(hosts)
}
