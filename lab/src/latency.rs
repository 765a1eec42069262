//! Percentiles of single calls: how far two forks differ.

use anyhow::Result;
use ciphermeter_core::{Cell, Record, Seconds};
use ciphermeter_stats::Percentile;

use crate::binary::Ciphermeter;
use crate::output::{print, print_line};

/// The arguments of the run, without the budget.
const RUN: [&str; 4] = ["--algorithm=aes-256-gcm,chacha20-poly1305", "--operation=seal", "--message=16", "--latency"];

/// Prints, for each provider, p99 of a 16-byte seal in each fork and how many pairs of forks agree.
pub fn latency(budget: Seconds, ciphermeter: &Ciphermeter) -> Result<()> {
    let budget = format!("--budget={budget}");
    let (_, records) = ciphermeter.run(&[&RUN[..], &[&budget]].concat())?;
    print_line("p99 of a 16-byte seal by fork, in ns; pairs of forks that agree within 10 %;")?;
    print_line("a reading of the clock, in ns, with * where it is over a tenth of a p99")?;
    print(&format!("{:<10} {:<17} {:>5} {:>5} by fork\n", "provider", "algorithm", "agree", "clock"))?;
    let (mut all, mut agreed) = (0, 0);
    for record in records.iter().filter(|record| !record.latency.is_empty()) {
        let (told, pairs, within) = forks(record);
        print_line(&told)?;
        (all, agreed) = (all + pairs, agreed + within);
    }
    print_line(&format!("all: {agreed} of {all} pairs within 10 %"))
}

/// A line for one record, its pairs of forks, and how many of them agree.
fn forks(record: &Record) -> (String, usize, usize) {
    let whole = || record.latency.iter().filter(|latency| !latency.short);
    let calls = |latency: &ciphermeter_core::Latency| latency.calls.iter().collect::<Vec<_>>();
    let p99 = |latency| Percentile::P99.of(&calls(latency)).map(|ns| ns.round() as u64);
    let lengths: Vec<u64> = whole().filter_map(p99).collect();
    let clock = whole().map(|latency| latency.clock_ns).max().unwrap_or(0);
    let pairs = || lengths.iter().enumerate().flat_map(|(k, a)| lengths[k + 1..].iter().map(move |b| (*a, *b)));
    let within = pairs().filter(|(a, b)| a.abs_diff(*b) * 10 <= *a.min(b)).count();
    let shown: Vec<String> = lengths.iter().map(u64::to_string).collect();
    // The report compares the clock with the middle of the forks; here the highest cost is compared with each.
    let over = if lengths.iter().any(|ns| clock * 10 > *ns) { "*" } else { "" };
    let (agree, clock) = (format!("{within}/{}", pairs().count()), format!("{clock}{over}"));
    let Cell { provider, algorithm, .. } = &record.cell;
    let line = format!("{provider:<10} {algorithm:<17} {agree:>5} {clock:>5} {}", shown.join(" "));
    (line, pairs().count(), within)
}
