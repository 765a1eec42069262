//! What `lab guard` is asked.

use std::path::PathBuf;

use ciphermeter_core::{Seconds, Share};
use clap::Args;

/// What is asked.
#[derive(Debug, Args)]
pub struct Setting {
    /// A line for each pair that was measured; a further call goes on behind the last
    #[arg(long, value_name = "FILE", default_value = "guard-residuals.jsonl")]
    pub residuals: PathBuf,
    /// How many pairs are to be in the file
    #[arg(long, value_name = "NUMBER", default_value_t = 300)]
    pub pairs: u32,
    /// Slow AES-256-GCM of the new side of further pairs by this
    #[arg(long, value_name = "SHARE")]
    pub planted: Option<Share>,
    /// The most time of one measurement
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub budget: Seconds,
    /// How many pairs are simulated
    #[arg(long, value_name = "NUMBER", default_value_t = 5000)]
    pub simulated: u32,
    /// Draws the same pairs each time
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}
