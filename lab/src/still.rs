//! A/A and A/B: `run self-check`, once or several times.

use anyhow::Result;
use ciphermeter_report::{SelfCheck, self_check};

use crate::binary::Ciphermeter;
use crate::output::print_line;

/// Prints the result of each group of a run, and adds up over the runs.
pub fn still(runs: u32, ciphermeter: &Ciphermeter) -> Result<()> {
    let mut all: Vec<SelfCheck> = Vec::new();
    for _ in 0..runs {
        let (run, records) = ciphermeter.run(&["self-check"])?;
        for check in self_check(&run, &records) {
            check.to_string().lines().try_for_each(print_line)?;
            all.push(check);
        }
    }
    let (held, ratios) = all.iter().map(SelfCheck::held).fold((0, 0), |sum, (held, all)| (sum.0 + held, sum.1 + all));
    let share = 100.0 * held as f64 / ratios.max(1) as f64;
    print_line(&format!("all runs: {held} of {ratios} intervals contain 1 ({share:.1} %)"))
}
