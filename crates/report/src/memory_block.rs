//! The table's blocks on memory: what a cell needs of it in a process of its own, and the CPU time of a call beside its time.

use ciphermeter_core::escaped;
use std::collections::{BTreeMap, BTreeSet};

use crate::figures_block::{ABSENT, CellFigures, FiguresBlock, laid_out};
use crate::legend::Legend;
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::group::{Entry, Standing};
use ciphermeter_answer::memory::{Medians, cpu_range};
use ciphermeter_answer::words::{bytes, duration, heading, times};

/// The columns in their order, each with what it means; where there is no room, the last go first.
const COLUMNS: [(&str, &str); 7] = [
    ("peak", "peak: the most resident above the idle process, median over processes that do nothing else"),
    ("÷msg", "÷msg: peak ÷ message"),
    ("heap", "heap: the most in use above the idle process by its runtime's or C library's own count"),
    ("alloc", "alloc: what that count gave out for one call, freed or not"),
    ("time", "time: of one call, median over samples"),
    ("CPU", "CPU: its CPU time"),
    ("idle", "idle: resident before the cell was prepared"),
];

/// The providers of each counter of allocations.
type Counters = BTreeMap<String, BTreeSet<String>>;

/// The lines of all blocks, and what explains them to the legend. Nothing where no memory was looked at.
pub(crate) fn memory_blocks(standings: &[Standing], most: usize, legend: &mut Legend) -> Vec<StyledLine> {
    let mut blocks = Vec::new();
    let mut counters = Counters::new();
    for standing in standings {
        let entries = standing.entries.iter().chain(&standing.limits);
        let cells: Vec<_> = entries.filter_map(|entry| Some((entry, Medians::of(entry.record)?))).collect();
        for (entry, medians) in &cells {
            for counter in &medians.counters {
                counters.entry(escaped(counter)).or_default().insert(escaped(&entry.record.cell.provider));
            }
        }
        if !cells.is_empty() {
            let heading = format!("memory: {}", heading(&standing.group));
            let cells = cells.iter().map(|(entry, medians)| figures(entry, medians)).collect();
            blocks.push(FiguresBlock { heading, cells });
        }
    }
    if blocks.is_empty() {
        return Vec::new();
    }
    let (lines, lacking) = laid_out(&blocks, &COLUMNS, most, legend);
    explain(legend, &blocks, &lacking, &counters);
    lines.concat()
}

fn figures(entry: &Entry, medians: &Medians) -> CellFigures {
    let cell = &entry.record.cell;
    let message = cell.parameters.message();
    let times_message = |peak: u64| (message > 0).then(|| times(peak as f64 / message as f64));
    CellFigures {
        algorithm: cell.algorithm.to_string(),
        provider: cell.provider.clone(),
        style: Style::Plain,
        figures: vec![
            medians.peak_rss.map(bytes),
            medians.peak_rss.and_then(times_message),
            medians.peak_heap.map(bytes),
            medians.allocated_per_call.map(bytes),
            Some(duration(entry.summary.range.mid)),
            cpu_range(entry.record).map(|range| duration(range.mid)),
            medians.idle_rss.map(bytes),
        ],
    }
}

/// Says what counted, and why figures are absent.
fn explain(legend: &mut Legend, blocks: &[FiguresBlock], lacking: &[bool], counters: &Counters) {
    let listed = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    if !counters.is_empty() {
        let counters: Vec<_> =
            counters.iter().map(|(counter, providers)| format!("{counter} ({})", listed(providers))).collect();
        legend.mark(format!("heap and alloc are counted by {}", counters.join(", ")));
    }
    let absent = |title: &str| COLUMNS.iter().zip(lacking).any(|(column, lacks)| *lacks && column.0 == title);
    let undivided = |cell: &CellFigures| cell.figures[0].is_some() && cell.figures[1].is_none();
    let undivided = absent("÷msg") && blocks.iter().flat_map(|block| &block.cells).any(undivided);
    let why = [
        (absent("peak") || absent("idle"), "the system doesn't report how much is resident"),
        (undivided, "nothing can be divided by an empty message"),
        (absent("heap") || absent("alloc"), "nothing counts what the runtime or C library allocates"),
        (absent("CPU"), "the system doesn't report CPU time"),
    ];
    let why: Vec<_> = why.into_iter().filter(|(there, _)| *there).map(|(_, why)| why).collect();
    if !why.is_empty() {
        legend.mark(format!("{ABSENT} not known: {}", why.join(", or ")));
    }
}
