//! Which library is fastest, for each cipher at one size, or by the language that calls it.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Form, Operation, Record, escaped};
use ciphermeter_estimate as estimate;

use super::cipher::{Cipher, Point};
use super::contest::Pair;
use super::verdict::Verdict;
use super::versus::{is_settled, rate, unit};
use crate::gb_per_s;
use crate::group::{Entry, Standing, standings};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow};
use crate::measured::measured;
use crate::phrases::listed;
use crate::styled_line::{Style, StyledLine};
use crate::text::size;

/// At this size of a message, and of a file, bytes count more than calls do.
const USUAL_MESSAGE: f64 = 16_384.0;
const USUAL_FILE: f64 = 104_857_600.0;
/// From so many languages on, libraries are listed by language.
const LANGUAGES: usize = 4;

/// The cells of one size and direction, of every cipher.
pub(super) struct Field<'a> {
    point: Point,
    standings: Vec<Standing<'a>>,
}

impl<'a> Field<'a> {
    /// Those of the pair's form and direction at the size that is nearest to the usual one.
    pub(super) fn find(records: &'a [Record], pair: Pair) -> Option<Self> {
        let seals = !pair.first.operation.consumes_sealed();
        let fits = |standing: &Standing| {
            let group = &standing.group;
            group.form == pair.form
                && (group.parameters.cpus().is_none() || pair.moves_files())
                && (group.operation == Operation::Transfer) == pair.moves_files()
                && group.parameters.message() > 0
                && group.operation != Operation::KeySetup
                && group.operation.consumes_sealed() != seals
        };
        let all: Vec<_> = standings(records).into_iter().filter(fits).collect();
        let point = |standing: &Standing| Point {
            message: standing.group.parameters.message(),
            aad: standing.group.parameters.aad(),
        };
        let is_main = |standing: &&Standing| {
            let has = |cipher: Cipher| standing.entries.iter().any(|entry| cipher.is_of(&entry.record.cell));
            has(pair.first) || has(pair.second)
        };
        let usual = if pair.moves_files() { USUAL_FILE } else { USUAL_MESSAGE };
        let far = |point: &Point| (point.message as f64 / usual).ln().abs();
        let nearest = all.iter().filter(is_main).map(point).min_by(|a, b| far(a).total_cmp(&far(b)))?;
        let standings = all.into_iter().filter(|standing| point(standing).message == nearest.message).collect();
        Some(Self { point: nearest, standings })
    }

    /// The entries of one algorithm, fastest first; where several sizes of aad were measured, of the one that was chosen.
    fn of(&self, algorithm: Algorithm) -> Vec<&Entry<'a>> {
        let entries = |standing: &'_ Standing<'a>| {
            standing.entries.iter().filter(|entry| entry.record.cell.algorithm == algorithm).count()
        };
        let aad = |standing: &Standing| standing.group.parameters.aad() == self.point.aad;
        let best = self.standings.iter().filter(|standing| entries(standing) > 0).max_by_key(|standing| aad(standing));
        let all = best.into_iter().flat_map(|standing| &standing.entries);
        all.filter(|entry| entry.record.cell.algorithm == algorithm).collect()
    }

    /// Libraries that have too few forks for a figure, of both ciphers.
    pub(super) fn unsettled(&self, pair: Pair) -> Option<String> {
        let both = [pair.first, pair.second].into_iter().flat_map(|cipher| self.of(cipher.algorithm));
        let names: BTreeSet<String> = both
            .filter(|entry| !is_settled(entry.summary.forks))
            .map(|entry| escaped(&entry.record.cell.provider))
            .collect();
        let names: Vec<_> = names.into_iter().collect();
        let names = match names.len() {
            0 => return None,
            1..=5 => listed(&names),
            more => format!("{more} libraries"),
        };
        Some(format!("Too few undisturbed forks for some figures of {names}."))
    }

    fn algorithms(&self, pair: Pair) -> Vec<Algorithm> {
        let main = [pair.first.algorithm, pair.second.algorithm];
        let entries = self.standings.iter().flat_map(|standing| &standing.entries);
        let all: BTreeSet<_> = entries.map(|entry| entry.record.cell.algorithm).collect();
        main.into_iter().chain(all.into_iter().filter(|algorithm| !main.contains(algorithm))).collect()
    }

    /// Bars: the fastest libraries of both ciphers, and the fastest one of each further cipher.
    pub(super) fn bars(&self, pair: Pair, most: usize, width: usize) -> Vec<StyledLine> {
        let mut near = BTreeSet::new();
        let algorithms = self.algorithms(pair);
        let further = algorithms.len().saturating_sub(2).min(most.saturating_sub(2));
        let each = ((most - further.min(most)) / 2).clamp(1, 3);
        let mut rows =
            vec![TableRow::titles(&format!("Fastest at {}", size(self.point.message)), ["", "", unit(pair), ""])];
        let shown: Vec<(usize, &Entry)> = algorithms
            .iter()
            .enumerate()
            .take(2 + further)
            .flat_map(|(place, algorithm)| {
                let take = if place < 2 { each } else { 1 };
                self.of(*algorithm).into_iter().filter(|entry| is_settled(entry.summary.forks)).take(take).enumerate()
            })
            .collect();
        let speed = |record: &Record| measured(record).and_then(|summary| gb_per_s(&record.cell, summary.range));
        let best = shown.iter().filter_map(|(_, entry)| Some(speed(entry.record)?.mid)).fold(0.0, f64::max);
        let mut first: Option<&Entry> = None;
        for (place, entry) in &shown {
            if *place == 0 {
                first = Some(entry);
            }
            let cell = &entry.record.cell;
            let title = if *place == 0 { titled(cell.algorithm, pair) } else { String::new() };
            let mark = match first.filter(|_| *place > 0).map(|first| first.record) {
                Some(first) => match beside(entry.record, first) {
                    Verdict::First(_) => "",
                    Verdict::Level(_) | Verdict::Second(_) => {
                        near.insert("≈ level");
                        " ≈"
                    }
                    Verdict::Unknown => {
                        near.insert("? not settled");
                        " ?"
                    }
                },
                _ => "",
            };
            rows.push(TableRow::Cells(vec![
                TableCell::new(format!("  {title}"), Style::Plain),
                TableCell::new(format!("{}{mark}", cell.provider), Style::Plain),
                TableCell::new(rate(entry.record), Style::Plain),
                TableCell::bar(speed(entry.record).map(|rate| rate.mid / best), Style::Green),
            ]));
        }
        if rows.len() < 2 {
            return Vec::new();
        }
        if !near.is_empty() {
            let marks = near.into_iter().collect::<Vec<_>>().join(", ");
            let titles = ["", &marks, unit(pair), ""];
            rows[0] = TableRow::titles(&format!("Fastest at {}", size(self.point.message)), titles);
        }
        let columns = [
            LEFT,
            TableColumn { gap: 2, most: 20, ..LEFT },
            TableColumn { gap: 2, ..RIGHT },
            TableColumn { least: 6, most: 24, fills: true, gap: 2, ..LEFT },
        ];
        TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
    }

    /// A row for each cipher, a column for each language, with the fastest library of it; nothing for fewer than four languages.
    pub(super) fn languages(&self, pair: Pair, width: usize) -> Vec<StyledLine> {
        let mut best = BTreeMap::<(usize, &'static str), &Entry>::new();
        let algorithms = self.algorithms(pair);
        for (place, algorithm) in algorithms.iter().enumerate() {
            for entry in self.of(*algorithm).into_iter().filter(|entry| is_settled(entry.summary.forks)) {
                let Some(language) = language(entry.record) else { continue };
                best.entry((place, language)).or_insert(entry);
            }
        }
        let languages: BTreeSet<&str> = best.keys().map(|(_, language)| *language).collect();
        if languages.len() < LANGUAGES {
            return Vec::new();
        }
        let form = match pair.form {
            Form::Into => ", into a second buffer",
            Form::Fresh => ", freshly allocated",
            _ => "",
        };
        let heading = format!("Fastest at {}{form}, GB/s, called from", size(self.point.message));
        let mut rows = vec![TableRow::titles(&heading, std::iter::once("").chain(languages.iter().copied()))];
        for (place, algorithm) in algorithms.iter().enumerate() {
            let speed = |entry: &Entry| gb_per_s(&entry.record.cell, entry.summary.range).map_or(0.0, |rate| rate.mid);
            let entries: Vec<_> = languages
                .iter()
                .copied()
                .map(|language| {
                    best.iter().find(|((row, own), _)| (*row, *own) == (place, language)).map(|(_, entry)| *entry)
                })
                .collect();
            let top = entries.iter().flatten().map(|entry| speed(entry)).fold(0.0, f64::max);
            let mut cells = vec![TableCell::new(format!("  {}", titled(*algorithm, pair)), Style::Plain)];
            cells.extend(entries.iter().map(|entry| match entry {
                Some(entry) => {
                    let style = if speed(entry) >= top { Style::Green } else { Style::Plain };
                    let name =
                        if languages.len() > 4 { String::new() } else { format!(" {}", entry.record.cell.provider) };
                    TableCell::new(format!("{}{name}", rate(entry.record)), style)
                }
                None => TableCell::new("–", Style::Dim),
            }));
            rows.push(TableRow::Cells(cells));
        }
        let mut columns = vec![LEFT];
        columns.resize(1 + languages.len(), TableColumn { gap: 2, ..LEFT });
        TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
    }
}

fn titled(algorithm: Algorithm, pair: Pair) -> String {
    let compared = pair.first.has_tag() || pair.second.has_tag();
    match algorithm.tag_bytes() {
        0 if compared => format!("{}, no tag", algorithm.title()),
        _ => algorithm.title().to_owned(),
    }
}

/// The first of a group beside another record of it.
fn beside(record: &Record, first: &Record) -> Verdict {
    let logs: Vec<f64> = estimate::logs(record, first).into_values().collect();
    Verdict::new(&logs, 1)
}

/// The language that a library is called from.
fn language(record: &Record) -> Option<&'static str> {
    let provenance = record.provenance.as_ref()?;
    match (&provenance.library, provenance.worker.as_str()) {
        (Some(_), "native") => Some("C"),
        (None, "native" | "rustcrypto-soft") => Some("Rust"),
        (_, "go") => Some("Go"),
        (_, "java") => Some("Java"),
        (_, "node") => Some("JavaScript"),
        (_, "python") => Some("Python"),
        _ => None,
    }
}
