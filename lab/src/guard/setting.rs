//! What `lab guard` is asked.

use std::path::PathBuf;

use ciphermeter_core::{Seconds, Share};

/// What is asked.
pub struct Setting {
    /// The file of residuals.
    pub residuals: PathBuf,
    /// So many pairs are to be in it.
    pub pairs: u32,
    /// What the new side of further pairs is slowed by, in AES-256-GCM alone.
    pub planted: Option<Share>,
    /// The most time of a measurement.
    pub budget: Seconds,
    /// So many pairs are simulated.
    pub simulated: u32,
    /// Draws the same pairs each time.
    pub seed: u64,
}
