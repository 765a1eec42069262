//! A receiving process: reads orders, a line each, and receives files.
//!
//! `open PROVIDER ALGORITHM` comes once. Then `discard` or `file` comes for each transfer, and is answered by an
//! address and, after the transfer, by an [`Outcome`]. `hash` is answered by the SHA-256 of the file that the last
//! transfer left. This process alone decides where that file lies: the orders may come from another machine.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use crate::lines::Lines;
use crate::monitor::{Monitor, STEP};
use crate::outcome::Outcome;
use crate::provider::Provider;
use crate::providers::provider;
use crate::scratch::{Scratch, hash};

/// Serves orders until their end, listening for transfers on that address.
pub(crate) fn serve(lines: &mut dyn Lines, at: IpAddr) -> io::Result<()> {
    let mut open: Option<(Box<dyn Provider>, Scratch)> = None;
    while let Some(order) = lines.read_line()? {
        match (order.as_str(), &open) {
            ("discard", Some((provider, _))) => receive(lines, &**provider, at, None)?,
            ("file", Some((provider, scratch))) => receive(lines, &**provider, at, Some(&scratch.message()))?,
            ("hash", Some((_, scratch))) => match hash(&scratch.message()) {
                Ok(hash) => lines.write_line(&format!("hash {}", hex::encode(hash)))?,
                Err(error) => lines.write_line(&format!("failed cannot read the received file: {error}"))?,
            },
            _ => match begin(&order) {
                Ok(begun) => {
                    open = Some(begun);
                    lines.write_line("open")?;
                }
                Err(why) => lines.write_line(&format!("failed {why}"))?,
            },
        }
    }
    Ok(())
}

fn begin(order: &str) -> Result<(Box<dyn Provider>, Scratch), String> {
    let words: Vec<_> = order.split(' ').collect();
    let ["open", name, algorithm] = words[..] else { return Err("this is no order".into()) };
    let algorithm = algorithm.parse().map_err(|error| format!("{error}"))?;
    let provider = provider(name, algorithm).map_err(|error| error.to_string())?;
    Ok((provider, Scratch::new().map_err(|error| error.to_string())?))
}

fn receive(lines: &mut dyn Lines, provider: &dyn Provider, at: IpAddr, into: Option<&Path>) -> io::Result<()> {
    if let Some(into) = into {
        clear(into)?;
    }
    match provider.listen(at, into) {
        Err(error) => lines.write_line(&format!("failed {error}")),
        Ok((address, receiving)) => {
            lines.write_line(&format!("at {address}"))?;
            let monitor = Monitor::start(STEP);
            let received = receiving();
            let mut outcome = Outcome { course: monitor.stop(), ..Outcome::default() };
            match received {
                Ok(received) => {
                    outcome.open_ns = received.open.map(|time| time.as_nanos() as u64);
                    outcome.cpu_ns = received.cpu.map(|time| time.as_nanos() as u64);
                }
                Err(error) => outcome.failed = Some(error.to_string()),
            }
            lines.write_line(&serde_json::to_string(&outcome)?)
        }
    }
}

/// Removes the last transfer's file before the next one comes: nothing is ever overwritten.
fn clear(into: &Path) -> io::Result<()> {
    match fs::remove_file(into) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
