//! Runs side by side: the cells that all of them have, on the same axes. No ratio is drawn from one
//! run to another, because a machine's speed moves.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Record, Run};

use super::caption::{self, clean};
use super::cell::{Speed, by_least, done, is_cipher, name, operation_form, operation_forms};
use super::size_axis::SizeAxis;
use super::styles::CipherStyles;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::counted;
use ciphermeter_chart::sheet::{Row, Series, Sheet};
use ciphermeter_chart::spec::{LinePanels, Most, Panels, RowPanels, Spec};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// The most ciphers of libraries.
const MOST: Most = Most(12, "ciphers of libraries, slower than these");

type Both<'a> = (&'a Run, &'a [Record]);

/// The cells that all runs have a figure of, of the operation and form of most: a panel for each
/// cipher of each library with a line for each run, or, of one size, a row for each; `None` where
/// there is none.
pub(super) fn side_by_side(runs: &[Both], names: &[String]) -> Option<Sheet> {
    let common = common(runs);
    let in_common = runs.iter().flat_map(|(_, records)| *records).filter(|record| common.contains(&record.cell));
    let most = operation_forms(in_common.clone()).into_iter().next()?;
    let is_done = |record: &&Record| operation_form(record) == most;
    let axis = SizeAxis::of(in_common.filter(is_done));
    let is_here = |record: &&Record| common.contains(&record.cell) && is_done(record) && axis.size(record).is_some();
    let all: Vec<Vec<&Record>> = runs.iter().map(|(_, records)| records.iter().filter(is_here).collect()).collect();
    let speed = Speed::of(&all.iter().flatten().next()?.cell.group());
    let mut ciphers = ciphers(&all, speed);
    let further = MOST.cut(&mut ciphers);
    let is_one_size = axis.sizes().len() < 2;
    let style = |place: usize| SeriesStyle::new(place % STYLES);
    let line = |(place, records): (usize, &Vec<&Record>), cipher: &Cipher| {
        Series::new(&names[place], style(place), axis.points(cipher.own(records), |record| speed.point(record)))
    };
    let panel = |cipher: &Cipher| (cipher.name(), all.iter().enumerate().map(|own| line(own, cipher)).collect());
    // Those of one cipher below each other.
    let row = |(cipher, place): (&Cipher, usize)| {
        let point = speed.point(cipher.own(&all[place]).first()?)?;
        let row = Row::new(format!("{}, {}", cipher.name(), letter(place)), style(place), point);
        Some(Row { series: names[place].clone(), ..row })
    };
    let rows = ciphers.iter().flat_map(|cipher| (0..runs.len()).map(move |place| (cipher, place))).filter_map(row);
    let panels = match is_one_size {
        true => Panels::Rows(RowPanels::bars([(String::new(), rows.collect())])),
        false => Panels::Lines(LinePanels::new(axis.axis(), ciphers.iter().map(panel))),
    };
    let words = "Each run stands beside the others, not in a ratio to them; ciphermeter compare judges two runs of one machine.";
    let what = if speed == Speed::Time { "Time of" } else { "Throughput of" };
    Spec {
        title: "The same cells in each run".into(),
        subtitle: format!("{what} {}, {}", done(most), axis.words()),
        quantity: speed.quantity().into(),
        panels,
        caption: vec![Some(format!("{} {words}", caption::SAMPLES)), further],
        ends: vec![not_drawn(runs, all.iter().map(Vec::len).max().unwrap_or(0))],
    }
    .sheet()
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

    /// Its own of the records.
    fn own<'r>(&self, records: &[&'r Record]) -> Vec<&'r Record> {
        records.iter().copied().filter(|record| Cipher::of(record) == *self).collect()
    }

    fn name(&self) -> String {
        let threads = self.threads.map(|threads| format!(", {}", counted(threads, "thread")));
        name(self.provider, self.algorithm) + &threads.unwrap_or_default()
    }
}

/// Those of all runs, the library with the best cell first, and its algorithms as legends have
/// them.
fn ciphers<'a>(all: &[Vec<&'a Record>], speed: Speed) -> Vec<Cipher<'a>> {
    let order = |record: &Record| speed.point(record).map_or(f64::INFINITY, |point| speed.order(point));
    let providers = by_least(all.iter().flatten().map(|record| (record.cell.provider.as_str(), order(record))));
    let styles = CipherStyles::new(all.iter().flatten().map(|record| record.cell.algorithm));
    let found: BTreeSet<Cipher> = all.iter().flatten().map(|record| Cipher::of(record)).collect();
    let mut ciphers: Vec<Cipher> = found.into_iter().collect();
    let place = |cipher: &Cipher| providers.iter().position(|provider| *provider == cipher.provider);
    ciphers.sort_by_key(|cipher| (place(cipher), styles.place(cipher.algorithm)));
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
    (others > 0).then(|| format!("Not drawn: {} {words}.", counted(others, "cell")))
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

/// `A: run 3, AMD EPYC`: runs of two stores may have the same number. With its name, `A: web-1, AMD EPYC`.
pub(crate) fn name_of(place: usize, run: &Run, machine: Option<&str>) -> String {
    let mask = run.mask.map(|mask| format!(" --cpu {mask}")).unwrap_or_default();
    let day = clean(run.started.split('T').next().unwrap_or_default());
    let letter = letter(place);
    let which = machine.map_or_else(|| format!("run {}", run.id), clean);
    format!("{letter}: {which}{mask}, {day}, {}", run.fact("cpu").map_or("CPU model unknown".into(), clean))
}

fn letter(place: usize) -> char {
    char::from(b'A' + (place % 26) as u8)
}
