//! The table's blocks on calls: a row for each cell of a group, fastest first, the limits below.

use ciphermeter_core::{Algorithm, Form, Metric, Share};

use crate::gb_per_s;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::legend::Legend;
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::group::{Entry, Standing, has_several_threads};
use ciphermeter_answer::measured::{has_enough_forks, sets_key_up_inside};
use ciphermeter_answer::threads::Gain;
use ciphermeter_answer::words::{
    around, decimals, digits, heading, percent, ratio_columns, times, with_interval, wrap,
};
use ciphermeter_estimate as estimate;

const BAR: TableColumn = TableColumn { least: 4, most: 40, fills: true, ..LEFT };
/// Algorithm, provider, value, cycles, range, ratio, interval, share, bar, code path.
const COLUMNS: [TableColumn; 10] = [LEFT, LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, BAR, LEFT];
const CYCLES: usize = 3;
const RANGE: usize = 4;
const SHARE: usize = 7;

/// For cells that take turns on one CPU: first providers' names and code paths are cut, then the range goes, then bars, code
/// paths, shares and intervals.
const IN_TURN: [[usize; 10]; 9] = [
    [UNCUT, 24, UNCUT, UNCUT, 40, 9, 8, 8, 4, 24],
    [UNCUT, 12, UNCUT, UNCUT, 40, 9, 8, 8, 4, 24],
    [UNCUT, 12, UNCUT, UNCUT, 40, 9, 8, 8, 3, 11],
    [UNCUT, 12, UNCUT, UNCUT, 40, 9, 8, 8, 4, 10],
    [UNCUT, 12, UNCUT, UNCUT, 0, 9, 8, 8, 4, 12],
    [UNCUT, 12, UNCUT, UNCUT, 0, 9, 8, 8, 0, 8],
    [UNCUT, 10, UNCUT, 0, 0, 9, 8, 8, 0, 0],
    [UNCUT, 10, UNCUT, 0, 0, 9, 8, 0, 0, 0],
    [UNCUT, 10, UNCUT, 0, 0, 9, 0, 0, 0, 0],
];

/// For cells of several threads, where the range's place holds the speed-up and the share's the efficiency: they are what
/// the cells are there for, so bars, code paths, the ratio's interval and the ratio go first.
const SEVERAL: [[usize; 10]; 9] = [
    [UNCUT, 24, UNCUT, UNCUT, 16, 9, 8, 16, 4, 24],
    [UNCUT, 12, UNCUT, UNCUT, 16, 9, 8, 16, 4, 24],
    [UNCUT, 12, UNCUT, UNCUT, 16, 9, 8, 16, 0, 11],
    [UNCUT, 10, UNCUT, UNCUT, 16, 9, 8, 16, 0, 8],
    [UNCUT, 10, UNCUT, UNCUT, 16, 9, 8, 16, 0, 0],
    [UNCUT, 10, UNCUT, UNCUT, 16, 9, 0, 16, 0, 0],
    [UNCUT, 10, UNCUT, 0, 16, 0, 0, 16, 0, 0],
    [UNCUT, 10, UNCUT, 0, 16, 0, 0, 0, 0, 0],
    [UNCUT, 10, UNCUT, 0, 0, 9, 0, 0, 0, 0],
];

/// The lines of all groups of calls, those of several threads last, and what explains them to the legend.
pub(crate) fn call_blocks(
    standings: &[Standing],
    precision: Share,
    most: usize,
    legend: &mut Legend,
) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for (several, steps) in [(false, IN_TURN), (true, SEVERAL)] {
        let standings = standings.iter().filter(|standing| has_several_threads(&standing.group) == several);
        let blocks: Vec<_> = standings.map(|standing| Block::new(standing, several, precision.0)).collect();
        let rows: Vec<TableRow> = blocks.iter().flat_map(|block| block.rows(most)).collect();
        let layout = TableLayout::plan(&COLUMNS, &steps.map(Vec::from), &rows, most);
        lines.extend(layout.lines(&rows));
        explain(legend, &blocks, several, precision, &layout);
    }
    lines
}

/// Says what the columns and marks mean that are there.
fn explain(legend: &mut Legend, blocks: &[Block], several: bool, precision: Share, layout: &TableLayout) {
    let any = |test: &dyn Fn(&Entry) -> bool| blocks.iter().flat_map(|block| &block.standing.entries).any(test);
    if any(&|entry| entry.ratio.is_some_and(|ratio| ratio.range().is_some())) {
        legend.column("ratio: time ÷ the best's in the same rounds; ±: 95 % for all rows of a block at once");
    } else if any(&|entry| entry.ratio.is_some()) {
        legend.column("ratio: time ÷ the best's in the same rounds");
    }
    if layout.shows(CYCLES) && any(&|entry| cycles(entry).is_some()) {
        legend.column("c/B: core cycles a byte, in user space");
    }
    if layout.shows(RANGE) && several && any(&|entry| entry.gain.is_some()) {
        legend
            .column("speed-up: times the GB/s of the same provider's one thread on the same CPUs, in the same rounds");
    } else if layout.shows(RANGE) && !several {
        legend.column("range: where 90 % of the samples lay, around the figure before it");
    }
    if layout.shows(SHARE) && blocks.iter().any(Block::has_shares) {
        legend.column(match several {
            true => "effic.: speed-up ÷ threads",
            false => "ceil: share of what this CPU's AES, multiplication or copying allows",
        });
    }
    if any(&|entry| !has_enough_forks(entry.record)) {
        legend.mark("– no ratio: fewer than six forks".into());
    }
    if any(&|entry| has_enough_forks(entry.record) && !doubt(entry, precision.0).is_empty()) {
        legend.mark(format!("~ less precise than ±{}", percent(precision.0)));
    }
    if any(&sets_up_inside) {
        legend.mark("* sets its key up inside every timed call, because the library cannot separate it".into());
    }
}

fn sets_up_inside(entry: &Entry) -> bool {
    sets_key_up_inside(entry.record)
}

/// A group, and how its figures are written.
struct Block<'a> {
    standing: &'a Standing<'a>,
    several: bool,
    precision: f64,
    /// Whether all have rates; otherwise the values are nanoseconds.
    rates: bool,
    /// The most decimals of a value: the points stand below each other.
    decimals: usize,
}

impl<'a> Block<'a> {
    fn new(standing: &'a Standing<'a>, several: bool, precision: f64) -> Self {
        let all = || standing.entries.iter().chain(&standing.limits);
        let rates = all().all(|entry| gb_per_s(&entry.record.cell, entry.summary.range).is_some());
        let decimals = all().map(|entry| decimals(figures(entry, rates)[1])).max().unwrap_or(0);
        Self { standing, several, precision, rates, decimals }
    }

    /// Whether there are shares, or efficiencies in their place.
    fn has_shares(&self) -> bool {
        let mut entries = self.standing.entries.iter();
        entries.any(|entry| if self.several { entry.gain.is_some() } else { entry.share.is_some() })
    }

    fn rows(&self, most: usize) -> Vec<TableRow> {
        let Standing { group, entries, limits } = self.standing;
        let [range, share] = if self.several { ["speed-up", "effic."] } else { ["range", "ceil"] };
        let has_path = |entry: &Entry| entry.record.provenance.as_ref().is_some_and(|from| !from.path.is_empty());
        let unit = self.per("GB/s", "ns");
        let share = if self.has_shares() { share } else { "" };
        let path = if entries.iter().any(has_path) { "code path" } else { "" };
        let cycles = if entries.iter().any(|entry| cycles(entry).is_some()) { self.per("c/B", "cycles") } else { "" };
        let titles = ["", "", unit, cycles, range, "ratio", "", share, "", path];
        let mut rows = vec![TableRow::Line(StyledLine::default()), TableRow::titles(&heading(group), titles)];
        rows.extend(entries.iter().map(|entry| self.row(entry, false)));
        rows.extend(limits.iter().map(|entry| self.row(entry, true)));
        let copies = group.form == Form::InPlace && group.operation.consumes_sealed() && self.rates;
        let memcpy = limits.iter().find(|entry| entry.record.cell.algorithm == Algorithm::Memcpy);
        if let Some(ratio) = memcpy.filter(|_| copies).and_then(|entry| entry.ratio) {
            let share = percent(ratio.mid);
            let note = format!("copying the sealed text back in is timed too: {share} of the best's time");
            let lines = wrap(&note, most.saturating_sub(2), 0).into_iter();
            rows.extend(lines.map(|line| TableRow::Line(StyledLine::new(format!("  {line}"), Style::Dim))));
        }
        rows
    }

    /// A limit isn't waited for, so how precise it is says nothing; it stands apart and draws no bar. What it gains by more
    /// threads is a limit, too.
    fn row(&self, entry: &Entry, is_limit: bool) -> TableRow {
        let (cell, from) = (&entry.record.cell, entry.record.provenance.as_ref());
        let best = self.standing.entries.first();
        let names = if is_limit { Style::Dim } else { Style::Plain };
        let style = if entry.may_be_best { Style::Green } else { names };
        let [low, mid, high] = figures(entry, self.rates);
        let (range, share) = match &entry.gain {
            Some(Gain { speed_up, efficiency }) => {
                (with_interval(&times(speed_up.mid), *speed_up), with_interval(&percent(efficiency.mid), *efficiency))
            }
            None if self.several => Default::default(),
            None if is_limit => (String::new(), entry.share.map(percent).unwrap_or_default()),
            None => (around(low, mid, high), entry.share.map(percent).unwrap_or_default()),
        };
        let doubt = if is_limit { "" } else { doubt(entry, self.precision) };
        let (ratio, interval) = match entry.ratio {
            _ if !has_enough_forks(entry.record) => ("–".into(), None),
            Some(ratio) if !is_limit => {
                let (times, interval) = ratio_columns(ratio);
                (format!("{doubt}{times}"), Some(interval))
            }
            Some(ratio) => (times(ratio.mid), None),
            None => Default::default(),
        };
        let speed = match entry.ratio.filter(|_| has_enough_forks(entry.record)) {
            Some(ratio) => Some(1.0 / ratio.mid),
            None => best.map(|best| best.summary.range.mid / entry.summary.range.mid),
        };
        TableRow::Cells(vec![
            TableCell::new(format!("{}{}", if is_limit { "  " } else { "" }, cell.algorithm), names),
            TableCell::new(format!("{}{}", cell.provider, if sets_up_inside(entry) { "*" } else { "" }), names),
            TableCell::new(self.aligned(mid), style),
            TableCell::new(cycles(entry).map(|call| digits(self.cycles(entry, call))).unwrap_or_default(), names),
            TableCell::new(range, Style::Dim),
            TableCell::new(ratio, if doubt.is_empty() { style } else { Style::Yellow }),
            TableCell::new(interval.unwrap_or_default(), Style::Dim),
            TableCell::new(share, names),
            TableCell::bar(speed.filter(|_| !is_limit), style),
            TableCell::new(from.map_or("", |from| from.path.as_str()), Style::Dim),
        ])
    }

    /// Cycles of a call, or of a byte where the block has rates.
    fn cycles(&self, entry: &Entry, call: f64) -> f64 {
        if self.rates { call / entry.record.cell.parameters.message() as f64 } else { call }
    }

    fn per<'t>(&self, byte: &'t str, call: &'t str) -> &'t str {
        if self.rates { byte } else { call }
    }

    /// A value with blanks in place of the decimals that others have.
    fn aligned(&self, value: f64) -> String {
        let digits = decimals(value);
        let behind_point = |digits: usize| if digits > 0 { digits + 1 } else { 0 };
        format!("{value:.digits$}{}", " ".repeat(behind_point(self.decimals) - behind_point(digits)))
    }
}

/// Core cycles of a call, where they were counted.
fn cycles(entry: &Entry) -> Option<f64> {
    estimate::figures(entry.record, Metric::CYCLES).map(|range| range.mid)
}

/// Low, mid and high, as rates or as nanoseconds.
fn figures(entry: &Entry, rates: bool) -> [f64; 3] {
    let range = entry.summary.range;
    let range = gb_per_s(&entry.record.cell, range).filter(|_| rates).unwrap_or(range);
    [range.low, range.mid, range.high]
}

/// The mark of a ratio that is less sure than was asked for. The best's own is 1 by definition.
pub(crate) fn doubt(entry: &Entry, precision: f64) -> &'static str {
    let wide = entry.ratio.is_some_and(|ratio| match ratio.half_width() {
        Some(half) => half > precision,
        None => ratio.mid != 1.0 && !entry.summary.converged,
    });
    if wide { "~" } else { "" }
}
