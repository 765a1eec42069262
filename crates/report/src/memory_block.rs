//! The table's blocks on memory: what a cell needs of it in a process of its own, and the CPU time of a call beside its time.

use ciphermeter_core::escaped;
use std::collections::{BTreeMap, BTreeSet};

use crate::figure::{bytes, duration, times};
use crate::grid::{ABSENT, Block, Grid, Row};
use crate::group::{Entry, Standing};
use crate::layout::{Line, Style};
use crate::legend::Legend;
use crate::memory::{Medians, cpu_range};
use crate::text::heading;

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

/// The lines of all blocks, and what explains them to the legend. Nothing where no memory was looked at.
pub(crate) fn memory_blocks(standings: &[Standing], most: usize, legend: &mut Legend) -> Vec<Line> {
    let mut blocks = Vec::new();
    let mut counters = BTreeMap::<String, BTreeSet<String>>::new();
    for standing in standings {
        let entries = standing.entries.iter().chain(&standing.limits);
        let cells: Vec<_> = entries.filter_map(|entry| Some((entry, Medians::of(entry.record)?))).collect();
        for (entry, medians) in &cells {
            for counter in &medians.counters {
                counters.entry(escaped(counter)).or_default().insert(escaped(&entry.record.cell.provider));
            }
        }
        let rows: Vec<_> = cells.iter().map(|(entry, medians)| row(entry, medians)).collect();
        let heading = format!("memory: {}", heading(&standing.group));
        blocks.extend((!rows.is_empty()).then_some(Block { heading, rows }));
    }
    let rows: Vec<&Row> = blocks.iter().flat_map(|block| &block.rows).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let grid = Grid::plan(&rows, COLUMNS.map(|(name, _)| name).into(), most);
    explain(legend, &rows, grid.shown(), &counters);
    blocks.iter().flat_map(|block| [vec![Line::default()], grid.lines(block)].concat()).collect()
}

fn row(entry: &Entry, medians: &Medians) -> Row {
    let cell = &entry.record.cell;
    let message = cell.parameters.message();
    let times_message = |peak: u64| (message > 0).then(|| times(peak as f64 / message as f64));
    Row {
        algorithm: cell.algorithm.to_string(),
        provider: escaped(&cell.provider),
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

/// Says what the first `shown` columns are, who counted, and why figures are absent.
fn explain(legend: &mut Legend, rows: &[&Row], shown: usize, counters: &BTreeMap<String, BTreeSet<String>>) {
    let meanings: Vec<_> = COLUMNS.iter().take(shown).map(|(_, meaning)| *meaning).collect();
    legend.mark(meanings.join("; "));
    let listed = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    if !counters.is_empty() {
        let counters: Vec<_> = counters.iter().map(|(counter, of)| format!("{counter} ({})", listed(of))).collect();
        legend.mark(format!("heap and alloc are counted by {}", counters.join(", ")));
    }
    let absent = |names: &[&str]| {
        let mut places = COLUMNS.iter().take(shown).enumerate().filter(|(_, (name, _))| names.contains(name));
        places.any(|(place, _)| rows.iter().any(|row| row.figures[place].is_none()))
    };
    let undivided = shown > 1 && rows.iter().any(|row| row.figures[0].is_some() && row.figures[1].is_none());
    let why = [
        (absent(&["peak", "idle"]), "the system doesn't report how much is resident"),
        (undivided, "nothing can be divided by an empty message"),
        (absent(&["heap", "alloc"]), "nothing counts what the runtime or C library allocates"),
        (absent(&["CPU"]), "the system doesn't report CPU time"),
    ];
    let why: Vec<_> = why.into_iter().filter(|(there, _)| *there).map(|(_, why)| why).collect();
    if !why.is_empty() {
        legend.mark(format!("{ABSENT} not known: {}", why.join(", or ")));
    }
}
