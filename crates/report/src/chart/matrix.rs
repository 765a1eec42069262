//! Every library and every algorithm by size: a panel for each algorithm with a line for each library, or, where libraries are more than
//! styles, a panel for each library with a line for each algorithm.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Form, Operation, Record, Run};

use super::along::Along;
use super::caption::{self, clean};
use super::cell::{done, extent, is_cipher, span};
use super::sizes::{columns, ends};
use super::styles::CipherStyles;
use ciphermeter_answer::measured::measured;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Key, KeySample, Lines, Point, Series, Sheet, Spread};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// The most panels.
const PANELS: usize = 24;

/// A run's libraries and algorithms, each with its style in all of the run's figures.
pub(super) struct Libraries<'a> {
    /// Fastest first, by the largest size of the operation and form of most cells.
    providers: Vec<&'a str>,
    styles: CipherStyles,
}

/// The cells of one operation and form.
pub(super) struct Matrix<'a> {
    operation: Operation,
    form: Form,
    along: Along,
    scope: Vec<&'a Record>,
    libraries: &'a Libraries<'a>,
    /// Which of the cells have a figure.
    has_figure: fn(&Record) -> bool,
}

/// What a figure answers.
pub(super) struct Question {
    pub(super) title: &'static str,
    /// The quantity, as the subtitle begins: `Throughput of`.
    pub(super) what: &'static str,
    /// Its axis: `throughput, GB/s`.
    pub(super) axis: &'static str,
    /// What points and bands are.
    pub(super) words: &'static str,
}

/// What a figure shows of each cell: a record's value, in its place.
pub(super) type Value<'a> = &'a dyn Fn(&Record, f64) -> Option<Point>;

/// The operations and forms of ciphers that take turns on one CPU and have a figure, those of most cells first.
pub(super) fn done_here(records: &[Record], has_figure: fn(&Record) -> bool) -> Vec<(Operation, Form)> {
    let mut counts = BTreeMap::<(Operation, Form), usize>::new();
    for record in records.iter().filter(|record| is_here(record) && has_figure(record)) {
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

impl<'a> Libraries<'a> {
    /// Those of a run.
    pub(super) fn of(records: &'a [Record]) -> Self {
        let here = || records.iter().filter(|record| is_here(record) && measured(record).is_some());
        let usual = done_here(records, |record| measured(record).is_some()).into_iter().next();
        let largest = here().map(|record| record.cell.parameters.message()).max();
        let mut best = BTreeMap::<&str, f64>::new();
        for record in here() {
            let cell = &record.cell;
            let counts = Some((cell.operation, cell.form)) == usual && Some(cell.parameters.message()) == largest;
            let time = measured(record).filter(|_| counts).map_or(f64::INFINITY, |summary| summary.range.mid);
            let own = best.entry(&cell.provider).or_insert(f64::INFINITY);
            *own = own.min(time);
        }
        let mut providers: Vec<_> = best.into_iter().collect();
        providers.sort_by(|a, b| a.1.total_cmp(&b.1));
        let providers = providers.into_iter().map(|(provider, _)| provider).collect();
        Self { providers, styles: CipherStyles::new(here().map(|record| record.cell.algorithm)) }
    }

    /// Where a library stands among them.
    pub(super) fn place(&self, provider: &str) -> Option<usize> {
        self.providers.iter().position(|other| *other == provider)
    }

    /// The style of a library, where all libraries have one of their own.
    pub(super) fn style(&self, provider: &str) -> Option<SeriesStyle> {
        self.styled().find(|(other, _)| *other == provider).map(|(_, style)| style).filter(|_| !self.are_many())
    }

    /// Each library with its style, for lines and legends alike.
    fn styled(&self) -> impl Iterator<Item = (&'a str, SeriesStyle)> {
        self.providers.iter().enumerate().map(|(place, provider)| (*provider, SeriesStyle::of_library(place)))
    }

    /// Each algorithm that has a style of its own.
    fn looked_algorithms(&self) -> impl Iterator<Item = (Algorithm, SeriesStyle)> {
        self.styles.0.iter().copied().filter(|(_, style)| style.0 < STYLES)
    }

    fn are_many(&self) -> bool {
        self.providers.len() > STYLES
    }
}

impl<'a> Matrix<'a> {
    /// Those of the records that have a figure.
    pub(super) fn of(
        records: &'a [Record],
        libraries: &'a Libraries<'a>,
        (operation, form): (Operation, Form),
        has_figure: fn(&Record) -> bool,
    ) -> Self {
        let is_own =
            |record: &&Record| (record.cell.operation, record.cell.form) == (operation, form) && is_here(record);
        let scope: Vec<&Record> = records.iter().filter(is_own).collect();
        let along = Along::of(scope.iter().copied().filter(|record| has_figure(record)));
        Self { operation, form, along, scope, libraries, has_figure }
    }

    /// The figure of one value; `None` where fewer than two sizes have it.
    pub(super) fn sheet(&self, run: &Run, question: &Question, value: Value) -> Option<Sheet> {
        let sizes = self.along.sizes();
        let is_by_library = self.libraries.are_many();
        let mut panels = if is_by_library { self.by_library(value) } else { self.by_algorithm(value) };
        panels.retain(|(_, series)| series.iter().any(|series| !series.points.is_empty()));
        let dropped = panels.len().saturating_sub(PANELS);
        panels.truncate(PANELS);
        let points = || panels.iter().flat_map(|(_, all)| all).flat_map(|series| &series.points);
        if points().map(|point| point.x.to_bits()).collect::<BTreeSet<_>>().len() < 2 {
            return None;
        }
        let x = Axis { title: self.along.title().into(), scale: Scale::of_sizes(&sizes) };
        let y = Axis { title: question.axis.into(), scale: Scale::of_amounts(extent(points())) };
        let mut caption = vec![question.words.to_owned()];
        caption.extend(self.along.listed());
        caption.extend(self.along.others(self.scope.iter().copied()));
        caption.extend(caption::more(dropped, "panels"));
        let drawn = self.scope.iter().copied().filter(|record| (self.has_figure)(record));
        let left_out = self.scope.iter().copied().filter(|record| !(self.has_figure)(record));
        caption.extend(ends(run, drawn, left_out));
        let what = format!("{} {}, {} of", question.what, done(self.operation, self.form), self.along.what());
        let drawn: Vec<SeriesStyle> = panels
            .iter()
            .flat_map(|(_, all)| all)
            .filter(|series| !series.points.is_empty())
            .map(|series| series.style)
            .collect();
        let is_drawn = |key: &Key| drawn.contains(&key.style);
        let columns = columns(panels.len());
        let mut lines = Lines::all(panels, &x, &y);
        lines.iter_mut().for_each(|panel| panel.spread = Spread::Bands);
        Some(Sheet {
            title: question.title.into(),
            subtitle: format!("{what} {}{}", span(&sizes), self.along.fixed()),
            keys: self.keys(is_by_library).into_iter().filter(is_drawn).collect(),
            lines,
            columns,
            rows: Vec::new(),
            caption,
        })
    }

    fn by_algorithm(&self, value: Value) -> Vec<(String, Vec<Series>)> {
        let panel = |algorithm: &Algorithm| {
            let lines =
                self.libraries.styled().map(|(provider, style)| self.series(value, provider, *algorithm, style));
            (algorithm.title().to_owned(), lines.collect())
        };
        self.libraries.styles.0.iter().map(|(algorithm, _)| panel(algorithm)).collect()
    }

    fn by_library(&self, value: Value) -> Vec<(String, Vec<Series>)> {
        let panel = |provider: &&str| {
            let styled = self.libraries.looked_algorithms();
            let lines = styled.map(|(algorithm, style)| self.series(value, provider, algorithm, style));
            (clean(provider), lines.collect())
        };
        self.libraries.providers.iter().map(panel).collect()
    }

    fn series(&self, value: Value, provider: &str, algorithm: Algorithm, style: SeriesStyle) -> Series {
        let sizes = self.along.sizes();
        let is_own = |record: &&&Record| record.cell.provider == provider && record.cell.algorithm == algorithm;
        let own = self.scope.iter().filter(is_own).filter(|record| (self.has_figure)(record));
        let point = |record: &&Record| value(record, Scale::size(self.along.size(record)?, &sizes));
        let mut points: Vec<Point> = own.filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series { style, points, has_markers: true }
    }

    fn keys(&self, is_by_library: bool) -> Vec<Key> {
        let key = |(name, style): (String, SeriesStyle)| Key { name, style, sample: KeySample::Line };
        match is_by_library {
            true => self.libraries.looked_algorithms().map(|(one, style)| key((one.title().into(), style))).collect(),
            false => self.libraries.styled().map(|(name, style)| key((clean(name), style))).collect(),
        }
    }
}
