//! The best of many equals, chosen afterwards: how many tables have an interval that misses.
//!
//! The contenders are names of one file, so that all are one library to the last page, and the truth of every ratio to the best
//! is 1. Each table has one algorithm, operation and size. Beside the intervals that are printed stand those that the same samples
//! would get if each comparison with the best stood for itself.

use anyhow::Result;
use ciphermeter_core::{Record, Seconds};
use ciphermeter_estimate::{Ratio, behind_fastest, between, logs};

use crate::binary::Ciphermeter;
use crate::copies::{Files, Names, equals as tables, is_installed};
use crate::output::print_line;

/// How many tables have an interval that misses.
#[derive(Default)]
struct Missed {
    tables: u32,
    printed: u32,
    alone: u32,
}

/// Prints the shares over all runs.
pub fn equals(number: u32, runs: u32, budget: Seconds, ciphermeter: &Ciphermeter) -> Result<()> {
    // The installed file's pages lie elsewhere, so its name is none of the equals.
    let names = Names::put(Files::Links, number + 1, ciphermeter)?;
    print_line(&format!("{number} names of one copy, {runs} runs of {budget}; the best is chosen afterwards"))?;
    let mut missed = Missed::default();
    for run in 1..=runs {
        let records = names.run(run, budget, ciphermeter)?;
        for table in tables(&records) {
            let table: Vec<&Record> = table.into_iter().filter(|record| !is_installed(record)).collect();
            missed.add(&table);
        }
    }
    let Missed { tables, printed, alone } = missed;
    let percent = |count: u32| f64::from(count) * 100.0 / f64::from(tables.max(1));
    print_line(&format!("  {tables} tables, each of {number} equals"))?;
    print_line(&format!("  {:>5.1} % have an interval that misses, as printed (5 % at most)", percent(printed)))?;
    print_line(&format!("  {:>5.1} % would, if each comparison with the best stood for itself", percent(alone)))
}

impl Missed {
    fn add(&mut self, table: &[&Record]) {
        // A ceiling has one name.
        let [first, _, ..] = table else { return };
        let time = |record: &Record| between(record, first).map_or(f64::INFINITY, |ratio| ratio.mid);
        let times: Vec<f64> =
            table.iter().map(|record| if record.id == first.id { 1.0 } else { time(record) }).collect();
        let best = (0..table.len()).min_by(|a, b| times[*a].total_cmp(&times[*b])).unwrap_or(0);
        let logs = |one: usize, other: usize| logs(table[one], table[other]);
        let behind = behind_fastest(table.len(), best, 1, logs);
        let others = (0..table.len()).filter(|one| *one != best);
        self.tables += 1;
        self.printed += u32::from(behind.iter().flatten().any(|behind| misses(&behind.ratio)));
        self.alone += u32::from(others.filter_map(|one| between(table[one], table[best])).any(|ratio| misses(&ratio)));
    }
}

fn misses(ratio: &Ratio) -> bool {
    ratio.excludes_one()
}
