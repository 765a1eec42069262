//! The table's blocks on single calls: percentiles of each cell that has them, the clock's cost beside them.

use ciphermeter_core::escaped;
use std::collections::BTreeSet;

use ciphermeter_stats::{Percentile, Refused};

use crate::figure::{decimals, plus_minus, thousands};
use crate::group::{Entry, Standing};
use crate::latency::{Figure, Percentiles};
use crate::layout::{Line, Style};
use crate::legend::Legend;
use crate::text::{heading, left, right, width};

/// Stands where a percentile is refused.
const REFUSED: &str = "–";
/// From so many nanoseconds on, figures are microseconds.
const LONG: u64 = 10_000;

/// One cell's texts.
struct Row {
    algorithm: String,
    provider: String,
    /// Each percentile and its interval.
    figures: Vec<(String, String)>,
    clock: String,
}

/// The cells of one group.
struct Block {
    heading: String,
    unit: &'static str,
    rows: Vec<Row>,
}

/// The lines of all blocks, and what explains them to the legend. Nothing where no single calls were timed.
pub(crate) fn single_calls(standings: &[Standing], most: usize, legend: &mut Legend) -> Vec<Line> {
    let mut refused = Vec::new();
    let mut several_forks = false;
    let mut blocks = Vec::new();
    for standing in standings {
        let entries = standing.entries.iter().chain(&standing.limits);
        let cells: Vec<_> = entries.filter_map(|entry| Some((entry, Percentiles::of(entry.record)?))).collect();
        for (percentile, figure) in cells.iter().flat_map(|(_, percentiles)| &percentiles.at) {
            refused.extend(figure.err().map(|why| (*percentile, why)));
            several_forks |= figure.is_ok_and(|figure| figure.range.is_some());
        }
        blocks.extend((!cells.is_empty()).then(|| block(standing, &cells)));
    }
    if !blocks.is_empty() {
        explain(legend, several_forks, &refused);
    }
    blocks.iter().flat_map(|block| Widths::plan(block, most).lines(block)).collect()
}

fn block(standing: &Standing, cells: &[(&Entry, Percentiles)]) -> Block {
    let figures = cells.iter().flat_map(|(_, percentiles)| &percentiles.at).filter_map(|(_, figure)| figure.ok());
    let long = figures.map(|figure| figure.ns).min().is_some_and(|shortest| shortest >= LONG);
    let written = |figure: Figure| {
        let microseconds = figure.ns as f64 / 1e3;
        let length = if long { format!("{microseconds:.*}", decimals(microseconds)) } else { figure.ns.to_string() };
        (length, figure.range.map(|range| plus_minus(figure.ns as f64, range)).unwrap_or_default())
    };
    let row = |(entry, percentiles): &(&Entry, Percentiles)| Row {
        algorithm: entry.record.cell.algorithm.to_string(),
        provider: escaped(&entry.record.cell.provider),
        figures: percentiles
            .at
            .iter()
            .map(|(_, figure)| figure.map_or((REFUSED.into(), String::new()), written))
            .collect(),
        clock: format!("{} ns", percentiles.clock_ns),
    };
    Block {
        heading: format!("single calls: {}", heading(&standing.group)),
        unit: if long { "µs" } else { "ns" },
        rows: cells.iter().map(row).collect(),
    }
}

fn explain(legend: &mut Legend, several_forks: bool, refused: &[(Percentile, Refused)]) {
    let interval = match several_forks {
        true => ", ± the 95 % interval over forks",
        false => "; an interval takes two forks",
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

/// The columns' widths; 0: left out.
struct Widths {
    algorithm: usize,
    provider: usize,
    /// Each percentile and its interval.
    figures: Vec<(usize, usize)>,
    clock: usize,
}

impl Widths {
    /// The most that fits: first providers' names are cut, then intervals go.
    fn plan(block: &Block, most: usize) -> Self {
        let widest = |pick: &dyn Fn(&Row) -> &str| block.rows.iter().map(|row| width(pick(row))).max().unwrap_or(0);
        let figure = |k: usize, percentile: Percentile| {
            let name = width(percentile.name());
            (widest(&|row| &row.figures[k].0).max(name), widest(&|row| &row.figures[k].1))
        };
        let natural = |provider: usize, intervals: bool| Self {
            algorithm: widest(&|row| &row.algorithm),
            provider: widest(&|row| &row.provider).min(provider),
            figures: (0..)
                .zip(Percentile::ALL)
                .map(|(k, percentile)| figure(k, percentile))
                .map(|(value, interval)| (value, if intervals { interval } else { 0 }))
                .collect(),
            clock: widest(&|row| &row.clock).max("clock".len()),
        };
        let steps = [(24, true), (12, true), (10, true), (8, true), (12, false), (8, false), (6, false)];
        let fits = |widths: &Self| widths.total() <= most;
        steps
            .into_iter()
            .map(|(provider, intervals)| natural(provider, intervals))
            .find(fits)
            .unwrap_or(natural(6, false))
    }

    fn total(&self) -> usize {
        let figures: usize =
            self.figures.iter().map(|(value, interval)| 1 + value + interval + usize::from(*interval > 0)).sum();
        self.algorithm + 1 + self.provider + figures + 1 + self.clock
    }

    fn lines(&self, block: &Block) -> Vec<Line> {
        let names: Vec<_> = Percentile::ALL.map(|percentile| (percentile.name().to_string(), String::new())).into();
        let title = format!("{}, {}", block.heading, block.unit);
        let room = self.algorithm + 1 + self.provider;
        let fits = width(&title) <= room;
        let mut lines = vec![Line::default()];
        if !fits {
            lines.push(Line::of(title.as_str(), Style::Bold));
        }
        let mut header = Line::of(left(if fits { &title } else { "" }, room), Style::Bold);
        self.add(&mut header, &names, "clock", Style::Dim);
        lines.push(header);
        for row in &block.rows {
            let mut line = Line::of(left(&row.algorithm, self.algorithm), Style::Plain);
            line.add(" ", Style::Plain);
            line.add(left(&row.provider, self.provider), Style::Plain);
            self.add(&mut line, &row.figures, &row.clock, Style::Plain);
            lines.push(line);
        }
        lines
    }

    fn add(&self, line: &mut Line, figures: &[(String, String)], clock: &str, style: Style) {
        for ((figure, interval), (wide, beside)) in figures.iter().zip(&self.figures) {
            line.add(format!(" {}", right(figure, *wide)), style);
            if *beside > 0 {
                line.add(format!(" {}", right(interval, *beside)), Style::Dim);
            }
        }
        line.add(format!(" {}", right(clock, self.clock)), Style::Dim);
    }
}
