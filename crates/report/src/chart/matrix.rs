//! Every library and every algorithm by size: a panel for each algorithm with a line for each library, or, where libraries are more than
//! looks, a panel for each library with a line for each algorithm.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Form, Operation, Record, Run};

use super::along::Along;
use super::caption::{self, clean};
use super::cell::{done, extent, is_cipher, span};
use super::look::{LOOKS, Look};
use super::looks::Looks;
use super::scale::Scale;
use super::sheet::{Axis, Key, KeySample, Lines, Point, Series, Sheet, Spread};
use super::sizes::{columns, ends};
use crate::measured::{has_enough_forks, measured};

/// The most panels.
const PANELS: usize = 24;

/// The cells of one operation and form.
pub(super) struct Matrix<'a> {
    operation: Operation,
    form: Form,
    along: Along,
    scope: Vec<&'a Record>,
    /// Fastest first.
    providers: Vec<&'a str>,
    looks: Looks,
}

/// What a figure shows of each cell.
pub(super) struct Shown<'a> {
    pub(super) title: &'a str,
    /// The quantity, as the subtitle begins: `Throughput of`.
    pub(super) what: &'a str,
    /// Its axis: `throughput, GB/s`.
    pub(super) axis: &'a str,
    /// What points and bands are.
    pub(super) words: &'a str,
    /// A record's value, in its place.
    pub(super) value: &'a dyn Fn(&Record, f64) -> Option<Point>,
}

/// The operations and forms of a run's ciphers that take turns on one CPU, those of most cells first.
pub(super) fn done_here<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<(Operation, Form)> {
    let mut counts = BTreeMap::<(Operation, Form), usize>::new();
    for record in records.into_iter().filter(|record| is_here(record) && has_enough_forks(record)) {
        *counts.entry((record.cell.operation, record.cell.form)).or_default() += 1;
    }
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_by_key(|((operation, form), count)| (std::cmp::Reverse(*count), *operation, *form));
    all.into_iter().map(|(done, _)| done).collect()
}

fn is_here(record: &Record) -> bool {
    let cell = &record.cell;
    is_cipher(record)
        && cell.parameters.cpus().is_none()
        && !cell.is_transfer()
        && cell.operation != Operation::KeySetup
}

impl<'a> Matrix<'a> {
    /// `None` where none of its cells has a figure.
    pub(super) fn of(
        records: impl IntoIterator<Item = &'a Record>,
        (operation, form): (Operation, Form),
    ) -> Option<Self> {
        let is_own =
            |record: &&Record| (record.cell.operation, record.cell.form) == (operation, form) && is_here(record);
        let scope: Vec<&Record> = records.into_iter().filter(is_own).collect();
        let enough = || scope.iter().copied().filter(|record| has_enough_forks(record));
        let along = Along::of(enough());
        let looks = Looks::new(enough().map(|record| record.cell.algorithm));
        let mut best = BTreeMap::<&str, f64>::new();
        let largest = along.sizes().last().copied();
        for record in enough().filter(|record| along.size(record) == largest) {
            let time = measured(record).map_or(f64::INFINITY, |summary| summary.range.mid);
            let own = best.entry(&record.cell.provider).or_insert(f64::INFINITY);
            *own = own.min(time);
        }
        let mut providers: Vec<&str> =
            enough().map(|record| record.cell.provider.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
        let time = |provider: &&str| best.get(provider).copied().unwrap_or(f64::INFINITY);
        providers.sort_by(|a, b| time(a).total_cmp(&time(b)));
        (!providers.is_empty()).then_some(Self { operation, form, along, scope, providers, looks })
    }

    /// The figure of one value; `None` where fewer than two sizes have it.
    pub(super) fn sheet(&self, run: &Run, shown: &Shown) -> Option<Sheet> {
        let sizes = self.along.sizes();
        let is_by_library = self.providers.len() > LOOKS;
        let mut panels = if is_by_library { self.by_library(shown) } else { self.by_algorithm(shown) };
        panels.retain(|(_, series)| series.iter().any(|series| !series.points.is_empty()));
        let dropped = panels.len().saturating_sub(PANELS);
        panels.truncate(PANELS);
        let points = || panels.iter().flat_map(|(_, all)| all).flat_map(|series| &series.points);
        if points().map(|point| point.x.to_bits()).collect::<BTreeSet<_>>().len() < 2 {
            return None;
        }
        let x = Axis { title: self.along.title().into(), scale: Scale::of_sizes(&sizes) };
        let y = Axis { title: shown.axis.into(), scale: Scale::of_amounts(extent(points())) };
        let mut caption = vec![shown.words.to_owned()];
        caption.extend(self.along.listed());
        caption.extend(self.along.others(self.scope.iter().copied()));
        caption.extend(caption::more(dropped, "panels"));
        let drawn = self.scope.iter().copied().filter(|record| has_enough_forks(record));
        caption.extend(ends(run, drawn, self.scope.iter().copied()));
        let what = format!("{} {}, {} of", shown.what, done(self.operation, self.form), self.along.what());
        let columns = columns(panels.len());
        let mut lines = Lines::all(panels, &x, &y);
        lines.iter_mut().for_each(|panel| panel.spread = Spread::Bands);
        Some(Sheet {
            title: shown.title.into(),
            subtitle: format!("{what} {}{}", span(&sizes), self.along.fixed()),
            keys: self.keys(is_by_library),
            lines,
            columns,
            rows: Vec::new(),
            caption,
        })
    }

    fn by_algorithm(&self, shown: &Shown) -> Vec<(String, Vec<Series>)> {
        let panel = |algorithm: &Algorithm| {
            let own = self.providers.iter().enumerate();
            let lines = own.map(|(place, provider)| self.series(shown, provider, *algorithm, Look(place)));
            (algorithm.title().to_owned(), lines.collect())
        };
        self.looks.0.iter().map(|(algorithm, _)| panel(algorithm)).collect()
    }

    fn by_library(&self, shown: &Shown) -> Vec<(String, Vec<Series>)> {
        let panel = |provider: &&str| {
            let looked = self.looks.0.iter().filter(|(_, look)| look.0 < LOOKS);
            let lines = looked.map(|(algorithm, look)| self.series(shown, provider, *algorithm, *look));
            (clean(provider), lines.collect())
        };
        self.providers.iter().map(panel).collect()
    }

    fn series(&self, shown: &Shown, provider: &str, algorithm: Algorithm, look: Look) -> Series {
        let sizes = self.along.sizes();
        let is_own = |record: &&&Record| record.cell.provider == provider && record.cell.algorithm == algorithm;
        let own = self.scope.iter().filter(is_own).filter(|record| has_enough_forks(record));
        let point = |record: &&Record| (shown.value)(record, Scale::size(self.along.size(record)?, &sizes));
        let mut points: Vec<Point> = own.filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series { look, points, has_markers: true }
    }

    fn keys(&self, is_by_library: bool) -> Vec<Key> {
        let key = |(name, look): (String, Look)| Key { name, look, sample: KeySample::Line };
        match is_by_library {
            true => {
                let looked = self.looks.0.iter().filter(|(_, look)| look.0 < LOOKS);
                looked.map(|(algorithm, look)| key((algorithm.title().into(), *look))).collect()
            }
            false => self.providers.iter().zip((0..).map(Look)).map(|(name, look)| key((clean(name), look))).collect(),
        }
    }
}
