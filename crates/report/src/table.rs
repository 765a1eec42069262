//! The table for a terminal: group by group, fastest first, everything beside what it is compared with.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Form, Outcome, Provenance, Record, Run, Setup};

use crate::gb_per_s;
use crate::group::{Entry, Standing, measured, standings};
use crate::layout::{Columns, Line, Row, Style};
use crate::pairs::Ratio;
use crate::text::{clean, heading, wrap};

/// How a table may look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Columns of the terminal; no line is longer. Less than 40 is taken as 40.
    pub width: usize,
    /// Whether ANSI colors are wanted.
    pub color: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { width: 80, color: false }
    }
}

/// The run's table, each line ended by a newline.
pub fn table(run: &Run, records: &[Record], look: Look) -> String {
    let width = look.width.max(40);
    let standings = standings(records);
    let blocks: Vec<_> = standings.iter().map(|standing| Block::of(standing, run.scenario.precision.0)).collect();
    let columns = Columns::plan(blocks.iter().flat_map(Block::all_rows), width);
    let mut lines = title(run, width);
    for block in &blocks {
        lines.push(Line::default());
        block.write(&mut lines, columns);
    }
    if blocks.is_empty() {
        lines.extend([Line::default(), Line::of("Nothing was measured.", Style::Plain)]);
    }
    lines.extend(left_out(records, width));
    lines.extend(legend(run, &blocks, columns, width));
    lines.iter().map(|line| line.text(width, look.color) + "\n").collect()
}

fn title(run: &Run, width: usize) -> Vec<Line> {
    let cpu = run.host.iter().find(|fact| fact.name == "cpu").and_then(|fact| fact.value.as_deref());
    let on = cpu.map(|cpu| format!(", on {}", clean(cpu))).unwrap_or_default();
    let title = format!("run {}: {}, {}, {}{on}", run.id, clean(&run.scenario.name), clean(&run.started), run.status);
    wrap(&title, width, 2).into_iter().map(|line| Line::of(line, Style::Plain)).collect()
}

/// One group, ready to be laid out.
struct Block {
    heading: String,
    header: Row,
    rows: Vec<Row>,
    limits: Vec<Row>,
    copied_back: Option<f64>,
}

impl Block {
    fn of(standing: &Standing, precision: f64) -> Self {
        let rates = standing
            .entries
            .iter()
            .chain(&standing.limits)
            .all(|e| gb_per_s(&e.record.cell, e.summary.level).is_some());
        let all = standing.entries.iter().chain(&standing.limits);
        // So many decimals that the points stand below each other.
        let decimals = all.map(|entry| decimals(figures(entry, rates)[1])).max().unwrap_or(0);
        let fastest = standing.entries.first().map(|entry| entry.summary.level.mid);
        let row = |entry: &Entry| {
            let row = row(entry, figures(entry, rates), decimals, fastest);
            Row { ratio: doubt(entry, precision) + &row.ratio, ..row }
        };
        let limit = |entry: &Entry| as_limit(row(entry));
        let has = |pick: fn(&Row) -> &str, rows: &[Row]| rows.iter().any(|row| !pick(row).is_empty());
        let rows: Vec<_> = standing.entries.iter().map(row).collect();
        let named = |name: &str, there: bool| if there { name.to_string() } else { String::new() };
        let header = Row {
            value: if rates { "GB/s" } else { "ns" }.into(),
            level: "level".into(),
            ratio: "ratio".into(),
            share: named("ceil", has(|row| &row.share, &rows)),
            path: named("code path", has(|row| &row.path, &rows)),
            ..Row::default()
        };
        let copies = standing.group.form == Form::InPlace && standing.group.operation.consumes_sealed();
        let memcpy = standing.limits.iter().find(|entry| entry.record.cell.algorithm == Algorithm::Memcpy);
        Self {
            heading: heading(&standing.group),
            header,
            rows,
            limits: standing.limits.iter().map(limit).collect(),
            copied_back: memcpy.filter(|_| copies && rates).and_then(|entry| entry.ratio).map(|ratio| ratio.mid),
        }
    }

    fn all_rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().chain(&self.limits).chain([&self.header])
    }

    fn write(&self, lines: &mut Vec<Line>, columns: Columns) {
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

/// Decimals that leave a figure two or three digits.
fn decimals(figure: f64) -> usize {
    match figure {
        100.0.. => 0,
        10.0.. => 1,
        0.1.. => 2,
        0.01.. => 3,
        _ => 4,
    }
}

/// Low, mid and high, as rates or as nanoseconds.
fn figures(entry: &Entry, rates: bool) -> [f64; 3] {
    let level = entry.summary.level;
    let level = gb_per_s(&entry.record.cell, level).filter(|_| rates).unwrap_or(level);
    [level.low, level.mid, level.high]
}

fn row(entry: &Entry, [low, mid, high]: [f64; 3], aligned: usize, fastest: Option<f64>) -> Row {
    let (cell, from) = (&entry.record.cell, entry.record.provenance.as_ref());
    let inside = from.is_some_and(|from| from.setup == Setup::Inside);
    let speed = match entry.ratio {
        Some(ratio) => Some(1.0 / ratio.mid),
        None => fastest.map(|fastest| fastest / entry.summary.level.mid),
    };
    let digits = decimals(mid);
    let behind_point = |digits: usize| if digits > 0 { digits + 1 } else { 0 };
    let pad = " ".repeat(behind_point(aligned) - behind_point(digits));
    Row {
        algorithm: cell.algorithm.to_string(),
        provider: clean(&cell.provider) + if inside { "*" } else { "" },
        value: format!("{mid:.digits$}{pad}"),
        level: around(low, mid, high),
        ratio: entry.ratio.map(|ratio| format!("{}×", times(ratio.mid))).unwrap_or_default(),
        interval: entry
            .ratio
            .and_then(|ratio| ratio.range.map(|range| plus_minus(ratio.mid, range)))
            .unwrap_or_default(),
        share: entry.share.map(percent).unwrap_or_default(),
        bar: speed,
        path: from.map(|from: &Provenance| clean(&from.path)).unwrap_or_default(),
    }
}

/// How far the level reaches below and above the middle: `-34/+4%`.
fn around(low: f64, mid: f64, high: f64) -> String {
    let off = |end: f64| (((end / mid - 1.0) * 100.0).round() + 0.0).clamp(-999.0, 999.0);
    format!("{:+.0}/{:+.0}%", off(low), off(high))
}

/// The mark of a ratio that is less sure than was asked for. The best's own is 1 by definition.
fn doubt(entry: &Entry, precision: f64) -> String {
    let wide = match entry.ratio {
        Some(Ratio { range: Some((low, high)), .. }) => (high / low).ln() / 2.0 > precision,
        Some(Ratio { mid, range: None }) => mid != 1.0 && !entry.summary.converged,
        None => false,
    };
    if wide { "~".into() } else { String::new() }
}

/// A limit isn't waited for, so how precise it is says nothing; it stands apart and draws no bar.
fn as_limit(row: Row) -> Row {
    let algorithm = format!("  {}", row.algorithm);
    let ratio = row.ratio.trim_start_matches('~').to_string();
    Row { algorithm, ratio, level: String::new(), interval: String::new(), bar: None, ..row }
}

fn times(ratio: f64) -> String {
    let decimals = if ratio < 1000.0 { 2 } else { 0 };
    format!("{ratio:.decimals$}")
}

/// Half of the interval's width, relative, never rounded down to nothing.
fn plus_minus(mid: f64, (low, high): (f64, f64)) -> String {
    match (high - low) / 2.0 / mid * 100.0 {
        half if half < 0.1 => "±0.1%".into(),
        half if half < 9.95 => format!("±{half:.1}%"),
        half if half < 999.5 => format!("±{half:.0}%"),
        _ => "±>999%".into(),
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        share if share < 9.95 => format!("{share:.1}%"),
        share => format!("{share:.0}%"),
    }
}

/// What has no row, with the reason; cells of one algorithm with the same reason are one line.
fn left_out(records: &[Record], width: usize) -> Vec<Line> {
    let mut reasons = BTreeMap::<_, (&Record, usize)>::new();
    for record in records.iter().filter(|record| measured(record).is_none()) {
        let (rank, word, why) = match &record.outcome {
            Outcome::WrongOutput { why } => (0, "WRONG OUTPUT", why.as_str()),
            Outcome::Failed { why } => (1, "failed", why.as_str()),
            Outcome::Unsupported { why } => (2, "unsupported", why.as_str()),
            Outcome::Measured => {
                (3, "no summary", "its samples were never summed up; `ciphermeter run --resume` goes on")
            }
        };
        let key = (rank, word, &record.cell.provider, record.cell.algorithm, why);
        reasons.entry(key).or_insert((record, 0)).1 += 1;
    }
    let mut lines = Vec::new();
    if !reasons.is_empty() {
        lines.extend([Line::default(), Line::of("not measured", Style::Bold)]);
    }
    for ((rank, word, provider, algorithm, why), (first, cells)) in reasons {
        let place = match cells {
            1 => heading(&first.cell.group()),
            cells => format!("{cells} cells"),
        };
        let text = format!("{word}: {} {algorithm}, {place}: {}", clean(provider), clean(why));
        let style = if rank == 0 { Style::Red } else { Style::Plain };
        lines.extend(wrap(&text, width, 4).into_iter().map(|line| Line::of(line, style)));
    }
    lines
}

/// What the columns and marks mean; marks only where there are any.
fn legend(run: &Run, blocks: &[Block], columns: Columns, width: usize) -> Vec<Line> {
    let rows = || blocks.iter().flat_map(|block| &block.rows);
    let any = |test: fn(&Row) -> bool| rows().any(test);
    let mut sentences = Vec::new();
    if any(|row| !row.interval.is_empty()) {
        sentences.push("ratio: time ÷ the best's in the same rounds, ± its 95 % interval".to_string());
    } else if any(|row| !row.ratio.is_empty()) {
        sentences.push("ratio: time ÷ the best's in the same rounds; an interval takes two sittings".to_string());
    }
    if !blocks.is_empty() && columns.level > 0 {
        sentences.push("level: where 90 % of the samples lay, around the figure before it".to_string());
    }
    if columns.share > 0 && any(|row| !row.share.is_empty()) {
        sentences.push("ceil: share of what this CPU's AES, multiplication or copying allows".to_string());
    }
    let mut lines = vec![sentences.join("; ")];
    if any(|row| row.ratio.starts_with('~')) {
        lines.push(format!(
            "~ not settled to ±{} within the time: take its ratio with its interval",
            run.scenario.precision
        ));
    }
    if any(|row| row.provider.ends_with('*')) {
        lines.push("* sets its key up inside every timed call, because the library can't separate it".to_string());
    }
    lines.retain(|line| !line.is_empty());
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    let wrapped = lines.iter().flat_map(|line| wrap(line, width, 2));
    wrapped.map(|line| Line::of(line, Style::Dim)).collect()
}
