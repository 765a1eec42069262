//! A/A and A/B: `run self-check`, once or again and again.

use anyhow::Result;
use ciphermeter_report::{SelfCheck, self_check};
use ciphermeter_store::Store;

use crate::args::RunOptions;
use crate::command::run::{Wanted, measured};
use crate::{folders, output};

/// Runs it, and adds up over the runs.
pub fn still(runs: u32, options: &RunOptions) -> Result<()> {
    let store = Store::open(&folders::store(&options.store)?)?;
    let mut all: Vec<SelfCheck> = Vec::new();
    for _ in 0..runs.max(1) {
        let (id, _) = measured(Wanted::read(Some("self-check"), options)?, options, &store)?;
        let (run, records) = store.load(id)?;
        for check in self_check(&run, &records) {
            output::print(&format!("{check}\n"))?;
            all.push(check);
        }
    }
    let (ratios, held) = all.iter().fold((0, 0), |(n, held), check| (n + check.ratios, held + check.held));
    let share = 100.0 * held as f64 / ratios.max(1) as f64;
    output::print(&format!("all runs: {held} of {ratios} intervals hold 1 ({share:.1} %)\n"))
}
