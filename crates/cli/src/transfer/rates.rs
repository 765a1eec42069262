//! How fast this machine is with each suite, and how many data connections suit it.

use anyhow::Result;
use ciphermeter_transfer::{Rate, known_or_measured};

use crate::folders;

/// How fast this machine is with each suite, measured now if it is not known yet.
pub fn rates() -> Result<Vec<Rate>> {
    let file = folders::cache().map(|folder| folder.join("rates.json"));
    Ok(known_or_measured(file.as_deref())?)
}

/// How many data connections suit this machine as a sender: one for every two CPUs, at most four.
pub fn streams() -> u16 {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    (cpus / 2).clamp(1, 4) as u16
}
