//! The table's blocks on single calls: percentiles of each cell that has them, the clock's cost beside them.

use std::collections::BTreeSet;

use ciphermeter_stats::{Percentile, Refused};

use crate::layout::{LEFT, RIGHT, TableCell, TableLayout, TableRow, UNCUT};
use crate::legend::Legend;
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::group::{Entry, Standing};
use ciphermeter_answer::latency::{Figure, Percentiles};
use ciphermeter_answer::words::{around, decimals, heading, plus_minus, thousands};

/// Stands where a percentile is refused.
const REFUSED: &str = "–";
/// From so many nanoseconds on, figures are microseconds.
const LONG: u64 = 10_000;

/// The lines of all blocks, and what explains them to the legend. Nothing where no single calls were timed.
pub(crate) fn single_calls(standings: &[Standing], most: usize, legend: &mut Legend) -> Vec<StyledLine> {
    let mut refused = Vec::new();
    let mut several_forks = false;
    let mut lines = Vec::new();
    for standing in standings {
        let entries = standing.entries.iter().chain(&standing.limits);
        let cells: Vec<_> = entries.filter_map(|entry| Some((entry, Percentiles::of(entry.record)?))).collect();
        for (percentile, figure) in cells.iter().flat_map(|(_, percentiles)| &percentiles.at) {
            refused.extend(figure.err().map(|why| (*percentile, why)));
            several_forks |= figure.is_ok_and(|figure| figure.range.is_some());
        }
        if !cells.is_empty() {
            let rows = rows(standing, &cells);
            lines.extend(layout(&rows, most).lines(&rows));
        }
    }
    if !lines.is_empty() {
        explain(legend, several_forks, &refused);
    }
    lines
}

/// Algorithm, provider, each percentile and its interval, clock: first providers' names are cut, then intervals go.
fn layout(rows: &[TableRow], most: usize) -> TableLayout {
    let percentiles = Percentile::ALL.len();
    let columns = [vec![LEFT; 2], vec![RIGHT; 2 * percentiles + 1]].concat();
    let steps = [(24, UNCUT), (12, UNCUT), (10, UNCUT), (8, UNCUT), (12, 0), (8, 0), (6, 0)];
    let steps = steps.map(|(provider, interval)| {
        [vec![UNCUT, provider], [UNCUT, interval].repeat(percentiles), vec![UNCUT]].concat()
    });
    TableLayout::plan(&columns, &steps, rows, most)
}

fn rows(standing: &Standing, cells: &[(&Entry, Percentiles)]) -> Vec<TableRow> {
    let figures = cells.iter().flat_map(|(_, percentiles)| &percentiles.at).filter_map(|(_, figure)| figure.ok());
    let long = figures.map(|figure| figure.ns).min().is_some_and(|shortest| shortest >= LONG);
    let heading = format!("single calls: {}, {}", heading(&standing.group), if long { "µs" } else { "ns" });
    let percentiles = Percentile::ALL.iter().flat_map(|percentile| [percentile.name(), ""]);
    let titles = ["", ""].into_iter().chain(percentiles).chain(["clock"]);
    let mut rows = vec![TableRow::Line(StyledLine::default()), TableRow::titles(&heading, titles)];
    rows.extend(cells.iter().map(|(entry, percentiles)| row(entry, percentiles, long)));
    rows
}

fn row(entry: &Entry, percentiles: &Percentiles, long: bool) -> TableRow {
    let written = |figure: Figure| {
        let microseconds = figure.ns as f64 / 1e3;
        let length = if long { format!("{microseconds:.*}", decimals(microseconds)) } else { figure.ns.to_string() };
        (length, figure.range.map(|range| spread(figure.ns as f64, range)).unwrap_or_default())
    };
    let cell = &entry.record.cell;
    let mut cells =
        [cell.algorithm.as_str(), cell.provider.as_str()].map(|name| TableCell::new(name, Style::Plain)).to_vec();
    for (_, figure) in &percentiles.at {
        let (length, interval) = figure.map_or((REFUSED.into(), String::new()), written);
        cells.extend([TableCell::new(length, Style::Plain), TableCell::new(interval, Style::Dim)]);
    }
    cells.push(TableCell::new(format!("{} ns", percentiles.clock_ns), Style::Dim));
    TableRow::Cells(cells)
}

/// How far forks lie from it; where one is further off than half of it, how far on either side.
fn spread(ns: f64, (low, high): (f64, f64)) -> String {
    match low < ns * 0.5 || high > ns * 1.5 {
        true => around(low, ns, high),
        false => plus_minus(ns, (low, high)),
    }
}

fn explain(legend: &mut Legend, several_forks: bool, refused: &[(Percentile, Refused)]) {
    let interval = match several_forks {
        true => ", ± how far the farthest fork lies from it",
        false => "; an interval needs two forks",
    };
    legend.mark(format!(
        "p99: 99 of 100 single calls took no longer, readings of the clock included{interval}; clock: what one reading costs"
    ));
    let mut why = Vec::new();
    if refused.iter().any(|(_, why)| matches!(why, Refused::Clock { .. })) {
        why.push("reading the clock costs over 10 % of it".to_string());
    }
    let rare = refused.iter().filter(|(_, why)| matches!(why, Refused::Calls { .. }));
    let rare: BTreeSet<_> = rare.map(|(percentile, _)| (percentile.needs(), percentile.name())).collect();
    if !rare.is_empty() {
        let needs: Vec<_> = rare.iter().map(|(calls, name)| format!("{name} takes {}", thousands(*calls))).collect();
        why.push(format!("too few calls were timed ({})", needs.join(", ")));
    }
    if !why.is_empty() {
        legend.mark(format!("{REFUSED} not given: {}", why.join(", or ")));
    }
}
