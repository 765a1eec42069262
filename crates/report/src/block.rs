//! A group of the table: its rows, and how they are written.

use ciphermeter_core::{Algorithm, Form, Provenance, Setup, escaped};

use crate::figure::{around, decimals, percent, plus_minus, times, with_interval};
use crate::gb_per_s;
use crate::group::{Entry, Standing, has_several_threads};
use crate::layout::{Columns, Line, Row, Style};
use crate::text::heading;
use crate::threads::Gain;
use ciphermeter_estimate::Ratio;

/// One group, ready to be laid out.
pub(crate) struct Block {
    /// Whether its cells have several threads: speed-up and efficiency stand where others have range and share.
    pub(crate) several: bool,
    heading: String,
    header: Row,
    pub(crate) rows: Vec<Row>,
    limits: Vec<Row>,
    copied_back: Option<f64>,
}

impl Block {
    pub(crate) fn of(standing: &Standing, precision: f64) -> Self {
        let rates = standing
            .entries
            .iter()
            .chain(&standing.limits)
            .all(|e| gb_per_s(&e.record.cell, e.summary.range).is_some());
        let all = standing.entries.iter().chain(&standing.limits);
        // So many decimals that the points stand below each other.
        let decimals = all.map(|entry| decimals(figures(entry, rates)[1])).max().unwrap_or(0);
        let fastest = standing.entries.first().map(|entry| entry.summary.range.mid);
        let row = |entry: &Entry| {
            let row = row(entry, figures(entry, rates), decimals, fastest);
            Row { ratio: doubt(entry, precision) + &row.ratio, ..row }
        };
        let several = has_several_threads(&standing.group);
        let limit = |entry: &Entry| as_limit(row(entry), several);
        let has = |pick: fn(&Row) -> &str, rows: &[Row]| rows.iter().any(|row| !pick(row).is_empty());
        let rows: Vec<_> = standing.entries.iter().map(row).collect();
        let named = |name: &str, there: bool| if there { name.to_string() } else { String::new() };
        let header = Row {
            value: if rates { "GB/s" } else { "ns" }.into(),
            range: if several { "speed-up" } else { "range" }.into(),
            ratio: "ratio".into(),
            share: named(if several { "effic." } else { "ceil" }, has(|row| &row.share, &rows)),
            path: named("code path", has(|row| &row.path, &rows)),
            ..Row::default()
        };
        let copies = standing.group.form == Form::InPlace && standing.group.operation.consumes_sealed();
        let memcpy = standing.limits.iter().find(|entry| entry.record.cell.algorithm == Algorithm::Memcpy);
        Self {
            several,
            heading: heading(&standing.group),
            header,
            rows,
            limits: standing.limits.iter().map(limit).collect(),
            copied_back: memcpy.filter(|_| copies && rates).and_then(|entry| entry.ratio).map(|ratio| ratio.mid),
        }
    }

    pub(crate) fn all_rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().chain(&self.limits).chain([&self.header])
    }

    pub(crate) fn write(&self, lines: &mut Vec<Line>, columns: Columns) {
        lines.extend(columns.heading(&self.heading, &self.header));
        for (k, row) in self.rows.iter().enumerate() {
            let best = if k == 0 { Style::Green } else { Style::Plain };
            lines.push(columns.line(row, Style::Plain, best));
        }
        lines.extend(self.limits.iter().map(|row| columns.line(row, Style::Dim, Style::Dim)));
        if let Some(share) = self.copied_back {
            let note = format!("  copying the sealed text back in is timed too: {} of the best's time", percent(share));
            lines.push(Line::of(note, Style::Dim));
        }
    }
}

/// Low, mid and high, as rates or as nanoseconds.
fn figures(entry: &Entry, rates: bool) -> [f64; 3] {
    let range = entry.summary.range;
    let range = gb_per_s(&entry.record.cell, range).filter(|_| rates).unwrap_or(range);
    [range.low, range.mid, range.high]
}

fn row(entry: &Entry, [low, mid, high]: [f64; 3], aligned: usize, fastest: Option<f64>) -> Row {
    let (cell, from) = (&entry.record.cell, entry.record.provenance.as_ref());
    let inside = from.is_some_and(|from| from.setup == Setup::Inside);
    let speed = match entry.ratio {
        Some(ratio) => Some(1.0 / ratio.mid),
        None => fastest.map(|fastest| fastest / entry.summary.range.mid),
    };
    let digits = decimals(mid);
    let behind_point = |digits: usize| if digits > 0 { digits + 1 } else { 0 };
    let pad = " ".repeat(behind_point(aligned) - behind_point(digits));
    let (range, share) = match &entry.gain {
        Some(Gain { speed_up, efficiency }) => {
            (with_interval(&times(speed_up.mid), *speed_up), with_interval(&percent(efficiency.mid), *efficiency))
        }
        None if has_several_threads(&cell.group()) => Default::default(),
        None => (around(low, mid, high), entry.share.map(percent).unwrap_or_default()),
    };
    Row {
        algorithm: cell.algorithm.to_string(),
        provider: escaped(&cell.provider) + if inside { "*" } else { "" },
        value: format!("{mid:.digits$}{pad}"),
        range,
        ratio: entry.ratio.map(|ratio| times(ratio.mid)).unwrap_or_default(),
        interval: entry
            .ratio
            .and_then(|ratio| ratio.range.map(|range| plus_minus(ratio.mid, range)))
            .unwrap_or_default(),
        share,
        bar: speed,
        path: from.map(|from: &Provenance| escaped(&from.path)).unwrap_or_default(),
    }
}

/// The mark of a ratio that is less sure than was asked for. The best's own is 1 by definition.
pub(crate) fn doubt(entry: &Entry, precision: f64) -> String {
    let wide = match entry.ratio {
        Some(Ratio { range: Some((low, high)), .. }) => (high / low).ln() / 2.0 > precision,
        Some(Ratio { mid, range: None }) => mid != 1.0 && !entry.summary.converged,
        None => false,
    };
    if wide { "~".into() } else { String::new() }
}

/// A limit isn't waited for, so how precise it is says nothing; it stands apart and draws no bar. What it gains by more threads
/// is a limit, too.
fn as_limit(row: Row, several: bool) -> Row {
    let algorithm = format!("  {}", row.algorithm);
    let ratio = row.ratio.trim_start_matches('~').to_string();
    let range = if several { row.range } else { String::new() };
    Row { algorithm, ratio, range, interval: String::new(), bar: None, ..row }
}
