//! The ciphers of libraries that have a line each: as many as there are styles, the best first.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Form, Operation, Record};

use super::caption;
use super::cell::names;
use ciphermeter_chart::sheet::{Key, KeySample, Series};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// Those of a figure, and how many have no style.
pub(super) struct Contenders<'a> {
    all: Vec<((Algorithm, &'a str), SeriesStyle)>,
    dropped: usize,
}

impl<'a> Contenders<'a> {
    /// Each by the least of its records' scores.
    pub(super) fn by_least(scored: impl IntoIterator<Item = (&'a Record, f64)>) -> Self {
        let mut best = BTreeMap::<(Algorithm, &str), f64>::new();
        for (record, score) in scored {
            let at = best.entry((record.cell.algorithm, &record.cell.provider)).or_insert(f64::INFINITY);
            *at = at.min(score);
        }
        let mut all: Vec<_> = best.into_iter().collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        let dropped = all.len().saturating_sub(STYLES);
        let styled = all.into_iter().take(STYLES).zip((0..).map(SeriesStyle));
        Self { all: styled.map(|((name, _), style)| (name, style)).collect(), dropped }
    }

    /// A line for each, of what `own` draws of the records that are its own.
    pub(super) fn lines(&self, own: impl Fn(&dyn Fn(&Record) -> bool, SeriesStyle) -> Series) -> Vec<Series> {
        let line = |(of, style): &((Algorithm, &str), SeriesStyle)| own(&|record| is_of(record, *of), *style);
        self.all.iter().map(line).collect()
    }

    /// Whether a record belongs to any of them.
    pub(super) fn have(&self, record: &Record) -> bool {
        self.all.iter().any(|(of, _)| is_of(record, *of))
    }

    /// The legend, and for the subtitle the algorithm, where all have the same.
    pub(super) fn keys(&self) -> (Vec<Key>, String) {
        let (names, algorithm) = names(&self.all.iter().map(|(of, _)| *of).collect::<Vec<_>>());
        let key =
            |(name, (_, style)): (String, &(_, SeriesStyle))| Key { name, style: *style, sample: KeySample::Line };
        (names.into_iter().zip(&self.all).map(key).collect(), algorithm)
    }

    /// How many are not drawn.
    pub(super) fn dropped(&self) -> Option<String> {
        caption::more(self.dropped, "ciphers of libraries, slower than these")
    }
}

fn is_of(record: &Record, of: (Algorithm, &str)) -> bool {
    (record.cell.algorithm, record.cell.provider.as_str()) == of
}

/// The operation and form of most records.
pub(super) fn most_common<'a>(records: impl IntoIterator<Item = &'a Record>) -> Option<(Operation, Form)> {
    let mut counts = BTreeMap::<(Operation, Form), usize>::new();
    for record in records {
        *counts.entry((record.cell.operation, record.cell.form)).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(common, _)| common)
}
