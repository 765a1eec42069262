//! `guard` on real pairs that did not change, and on thousands drawn from what these left: how often it raises a false alarm, and how
//! often it finds a planted slowdown.
//!
//! Real pairs take a minute each, so the file of residuals has a line for each, and a further call goes on behind the last. Each side
//! of a pair is a copy of one file with another byte behind its end: the same code, and another file to everything that compares files.

mod pairs;
mod residuals;
mod simulate;
mod summary;

use std::path::PathBuf;

use anyhow::Result;
use ciphermeter_core::{Seconds, Share};

use crate::binary::Ciphermeter;
use crate::output::print_line;
use residuals::{File, Kind};

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

/// Measures the pairs that are missing, then prints what all come to.
pub fn guard(setting: &Setting, ciphermeter: &Ciphermeter) -> Result<()> {
    let mut file = File::open(&setting.residuals)?;
    let planted = setting.planted.map(|share| share.to_string());
    loop {
        let number = file.lines.iter().filter(|line| line.planted == planted).count();
        if number >= setting.pairs as usize {
            break;
        }
        let kind = planted.as_ref().map_or(Kind::of(number), |_| Kind::Worker);
        let line = pairs::measure(number, kind, setting, ciphermeter)?;
        print_line(&format!("pair {}, {}", number + 1, line.in_words()))?;
        file.append(line)?;
    }
    summary::print(&file.lines)?;
    simulate::print(&file.lines, setting.simulated, setting.seed)
}
