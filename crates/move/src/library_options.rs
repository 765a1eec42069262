//! What the library is asked for: this user's wishes, and what this machine is best at.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use ciphermeter_terminal::own_folders;
use ciphermeter_transfer::{Rate, ReceiveOptions, SendOptions, Suite, Times, known_or_measured};

/// How fast this machine is with each suite, measured now if it is not known yet.
///
/// # Errors
/// They cannot be measured.
pub fn rates() -> Result<Vec<Rate>> {
    let file = own_folders::cache().map(|folder| folder.join("rates.json"));
    Ok(known_or_measured(file.as_deref())?)
}

/// How to receive, without a new folder for several names.
pub fn receive_options(
    into: Option<PathBuf>,
    listen: SocketAddr,
    wanted: Option<Suite>,
    patience: Duration,
) -> Result<ReceiveOptions> {
    Ok(ReceiveOptions { into, listen, gathers: false, wanted, rates: rates()?, patience, times: Times::default() })
}

/// How to send: over so many data connections, or one for every two CPUs, at most four.
pub fn send_options(
    wanted: Option<Suite>,
    patience: Duration,
    streams: Option<u16>,
    limit: Option<u64>,
    exclude: Vec<String>,
) -> Result<SendOptions> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let streams = streams.unwrap_or((cpus / 2).clamp(1, 4) as u16);
    let (rates, states) = (rates()?, own_folders::sending());
    Ok(SendOptions { wanted, streams, limit, exclude, rates, patience, times: Times::default(), states, ssh: None })
}
