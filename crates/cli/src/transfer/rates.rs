//! How fast this machine is with each suite.

use anyhow::Result;
use ciphermeter_transfer::{Rate, known_or_measured};

use crate::folders;

/// How fast this machine is with each suite, measured now if it is not known yet.
pub fn rates() -> Result<Vec<Rate>> {
    let file = folders::cache().map(|folder| folder.join("rates.json"));
    Ok(known_or_measured(file.as_deref())?)
}
