//! `guard` on real pairs that did not change, and on thousands drawn from what these left: how often it raises a false alarm, and how
//! often it finds a planted slowdown.
//!
//! Real pairs take a minute each, so the file of residuals has a line for each, and a further call goes on behind the last. Each side
//! of a pair is a copy of one file with another byte behind its end: the same code, and another file to everything that compares files.

mod pairs;
mod residuals;
mod setting;
mod simulate;
mod summary;

use anyhow::Result;

use crate::binary::Ciphermeter;
use crate::output::print_line;
use residuals::{File, Kind};
pub use setting::Setting;

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
