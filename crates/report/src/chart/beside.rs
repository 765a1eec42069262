//! Runs side by side: the cells that all of them have, on the same axes. No ratio is drawn from one run to another, because a machine's
//! speed moves.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Operation, Record, Run};

use super::along::Along;
use super::caption::{self, clean};
use super::cell::{done, extent, is_cipher, name, rate, span, time};
use super::contenders::most_common;
use super::sizes::columns;
use super::styles::CipherStyles;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::digits;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Key, KeySample, Lines, Point, Row, Rows, Series, Sheet};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// The most ciphers of libraries.
const PANELS: usize = 12;

/// Runs and their records.
pub(super) type Both<'a> = (&'a Run, &'a [Record]);

/// The cells that all runs have a figure of, of the operation and form of most: a panel for each cipher of each library with a line for
/// each run, or, of one size, a row for each; `None` where there is none.
pub(super) fn beside(runs: &[Both]) -> Option<Sheet> {
    let common = common(runs);
    let is_common = |record: &&Record| common.contains(&record.cell);
    let all: Vec<Vec<&Record>> = runs.iter().map(|(_, records)| records.iter().filter(is_common).collect()).collect();
    let (operation, form) = most_common(all.iter().flatten().copied())?;
    let is_here = |record: &&Record| (record.cell.operation, record.cell.form) == (operation, form);
    let all: Vec<Vec<&Record>> = all.into_iter().map(|records| records.into_iter().filter(is_here).collect()).collect();
    let along = Along::of(all.iter().flatten().copied());
    let is_along = |record: &&Record| along.size(record).is_some();
    let all: Vec<Vec<&Record>> =
        all.into_iter().map(|records| records.into_iter().filter(is_along).collect()).collect();
    let sizes = along.sizes();
    let quantity = Quantity::of(all.iter().flatten().next()?);
    let key = |(place, (run, _)): (usize, &Both)| Key {
        name: name_of(place, run),
        style: SeriesStyle(place % STYLES),
        sample: if sizes.len() < 2 { KeySample::Bar } else { KeySample::Line },
    };
    let ciphers = ciphers(&all, quantity);
    let dropped = ciphers.len().saturating_sub(PANELS);
    let shown = &ciphers[..ciphers.len().min(PANELS)];
    let mut caption = vec![format!(
        "{} Each run stands beside the others, not in a ratio to them; ciphermeter compare judges two runs of one machine.",
        caption::SAMPLES
    )];
    caption.extend(caption::more(dropped, "ciphers of libraries, slower than these"));
    caption.extend(not_drawn(runs, all.iter().map(Vec::len).max().unwrap_or(0)));
    let what = if quantity == Quantity::Time { "Time of" } else { "Throughput of" };
    let mut sheet = Sheet {
        title: "The same cells in each run".into(),
        subtitle: format!("{what} {}, {} of {}{}", done(operation, form), along.what(), span(&sizes), along.fixed()),
        keys: runs.iter().enumerate().map(key).collect(),
        lines: Vec::new(),
        columns: columns(shown.len()),
        rows: Vec::new(),
        caption,
    };
    if sizes.len() < 2 {
        sheet.rows.push(rows(shown, &all, quantity));
        return Some(sheet);
    }
    let line = |(place, records): (usize, &Vec<&Record>), cipher: &Cipher| {
        let own = records.iter().filter(|record| Cipher::of(record) == *cipher);
        let mut points: Vec<_> =
            own.filter_map(|record| quantity.point(record, Scale::size(along.size(record)?, &sizes))).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series { style: SeriesStyle(place % STYLES), points, has_markers: true }
    };
    let panel = |cipher: &Cipher| (cipher.name(), all.iter().enumerate().map(|each| line(each, cipher)).collect());
    let panels: Vec<(String, Vec<Series>)> = shown.iter().map(panel).collect();
    let x = Axis { title: along.title().into(), scale: Scale::of_sizes(&sizes) };
    let points = panels.iter().flat_map(|(_, all)| all).flat_map(|series| &series.points);
    let y = Axis { title: quantity.title().into(), scale: Scale::of_amounts(extent(points)) };
    sheet.lines = Lines::all(panels, &x, &y);
    Some(sheet)
}

/// What is drawn of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Rate,
    /// Of files, which are slower.
    TransferRate,
    /// Where calls move no bytes.
    Time,
}

impl Quantity {
    fn of(record: &Record) -> Self {
        match &record.cell {
            cell if cell.is_transfer() => Self::TransferRate,
            cell if cell.parameters.message() == 0 || cell.operation == Operation::KeySetup => Self::Time,
            _ => Self::Rate,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Rate => "throughput, GB/s",
            Self::TransferRate => "throughput, MB/s",
            Self::Time => "time of a call, ns",
        }
    }

    fn point(self, record: &Record, x: f64) -> Option<Point> {
        match self {
            Self::Time => time(record).map(|point| Point { x, ..point }),
            Self::Rate | Self::TransferRate => rate(record, x),
        }
    }
}

/// An algorithm by a library, in so many threads and going round as much.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Cipher<'a> {
    algorithm: Algorithm,
    provider: &'a str,
    threads: Option<u64>,
    round: (u64, u64),
}

impl<'a> Cipher<'a> {
    fn of(record: &'a Record) -> Self {
        let Cell { algorithm, provider, parameters, .. } = &record.cell;
        let threads = parameters.cpus().map(|_| parameters.threads());
        Self { algorithm: *algorithm, provider, threads, round: parameters.goes_round() }
    }

    fn name(&self) -> String {
        let threads = match self.threads {
            None => String::new(),
            Some(1) => ", 1 thread".into(),
            Some(threads) => format!(", {threads} threads"),
        };
        name(self.provider, self.algorithm) + &threads
    }
}

/// Those of all runs, the library with the best cell first, and its algorithms as legends have them.
fn ciphers<'a>(all: &[Vec<&'a Record>], quantity: Quantity) -> Vec<Cipher<'a>> {
    let score = |record: &Record| {
        let value = quantity.point(record, 0.0).map_or(f64::INFINITY, |point| point.y);
        if quantity == Quantity::Time { value } else { -value }
    };
    let mut best = BTreeMap::<&str, f64>::new();
    for record in all.iter().flatten() {
        let own = best.entry(&record.cell.provider).or_insert(f64::INFINITY);
        *own = own.min(score(record));
    }
    let styles = CipherStyles::new(all.iter().flatten().map(|record| record.cell.algorithm));
    let found: BTreeSet<Cipher> = all.iter().flatten().map(|record| Cipher::of(record)).collect();
    let mut ciphers: Vec<Cipher> = found.into_iter().collect();
    let best = |cipher: &Cipher| best.get(cipher.provider).copied().unwrap_or(f64::INFINITY);
    ciphers.sort_by(|a, b| {
        best(a).total_cmp(&best(b)).then_with(|| styles.place(a.algorithm).cmp(&styles.place(b.algorithm)))
    });
    ciphers
}

/// How many cells are in no panel.
fn not_drawn(runs: &[Both], drawn: usize) -> Option<String> {
    let cells: BTreeSet<&Cell> = runs
        .iter()
        .flat_map(|(_, records)| *records)
        .filter(|record| is_cipher(record))
        .map(|record| &record.cell)
        .collect();
    let others = cells.len().saturating_sub(drawn);
    let words = "of other operations, or without six undisturbed forks in each run; each run's own figures have them";
    (others > 0).then(|| format!("Not drawn: {} {words}.", caption::cells(others)))
}

/// The cells of ciphers that each of the runs has a figure of.
fn common<'a>(runs: &[Both<'a>]) -> BTreeSet<&'a Cell> {
    let mut counts = BTreeMap::<&Cell, usize>::new();
    for (_, records) in runs {
        let with_figure = records.iter().filter(|record| is_cipher(record) && has_enough_forks(record));
        let own: BTreeSet<&Cell> = with_figure.map(|record| &record.cell).collect();
        own.into_iter().for_each(|cell| *counts.entry(cell).or_default() += 1);
    }
    counts.into_iter().filter(|(_, count)| *count == runs.len()).map(|(cell, _)| cell).collect()
}

/// `A: run 3, AMD EPYC`: runs of two stores may have the same number.
pub(crate) fn name_of(place: usize, run: &Run) -> String {
    let mask = run.mask.map(|mask| format!(" --cpu {mask}")).unwrap_or_default();
    let day = clean(run.started.split('T').next().unwrap_or_default());
    let letter = letter(place);
    format!("{letter}: run {}{mask}, {day}, {}", run.id, run.fact("cpu").map_or("CPU model unknown".into(), clean))
}

/// A row for each run of each cipher, those of one cipher below each other.
fn rows(shown: &[Cipher], all: &[Vec<&Record>], quantity: Quantity) -> Rows {
    let mut rows = Vec::new();
    for cipher in shown {
        for (place, records) in all.iter().enumerate() {
            let own = records.iter().find(|record| Cipher::of(record) == *cipher);
            rows.extend(own.and_then(|record| quantity.point(record, 0.0)).map(|point| Row {
                label: format!("{}, {}", cipher.name(), letter(place)),
                style: SeriesStyle(place % STYLES),
                value: point.y,
                range: point.range,
                bound: None,
                figure: digits(point.y),
            }));
        }
    }
    let points = all.iter().flatten().filter_map(|record| quantity.point(record, 0.0)).collect::<Vec<_>>();
    let high = extent(&points).into_iter().fold(0.0, f64::max);
    let x = Axis { title: quantity.title().into(), scale: Scale::of_bars(high) };
    let unit = x.unit().to_owned();
    Rows { heading: String::new(), x, has_title: true, base: Base::Zero, unit, rows }
}

fn letter(place: usize) -> char {
    char::from(b'A' + (place % 26) as u8)
}
