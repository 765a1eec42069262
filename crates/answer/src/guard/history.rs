//! What a guard of single steps misses: how far each cell has moved over many recorded changes, and which alarms came to nothing.
//!
//! A history is text, a change a line, so that it needs no server and merges like any text. Changes on other CPUs say nothing about this
//! one. A pair that was measured again counts once, by its latest line. Where nothing tells its sides apart, as of an interpreter, whose
//! program is the same on both, nothing tells pairs apart either, so each line counts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ciphermeter_core::{Against, Cell, Record, Share, escaped, most, shortened};
use ciphermeter_estimate::Ratio;
use serde::{Deserialize, Serialize};

use super::outcome::Guarded;
use crate::regression::{Stored, in_words};
use crate::words::listed;

/// The version of a line's format.
const SCHEMA: u32 = 1;
/// The most changes that count, the latest.
const MOST_CHANGES: usize = 1000;
/// The most damaged lines that are named.
const MOST_DAMAGED: usize = 100;
/// The fewest changes of which a sum is more than one of them.
const FEWEST: usize = 2;

/// A change, as a line has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The version of this format.
    pub schema: u32,
    /// When it was measured, RFC 3339, UTC.
    pub at: String,
    /// On which CPU; empty where the system does not say.
    pub cpu: String,
    /// The code of the old side: versions and hashes.
    pub old: String,
    /// That of the new side.
    pub new: String,
    /// How far each cell moved.
    pub cells: Vec<Moved>,
    /// Which cells raised an alarm that was not confirmed.
    pub unconfirmed: Vec<Cell>,
}

/// How far a cell moved: time now ÷ time before, with its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Which.
    #[serde(flatten)]
    pub cell: Cell,
    /// The estimate.
    pub mid: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// What a history's lines hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// Those that could be read, the oldest first.
    pub changes: Vec<Change>,
    /// The first lines that could not: their numbers, from 1, and why.
    pub damaged: Vec<(usize, String)>,
    /// How many lines after them could not be read either.
    pub further_damaged: usize,
}

/// What the recorded changes come to, this one included.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct History {
    /// How many changes on this CPU.
    pub changes: usize,
    /// When the first of them was measured.
    pub since: String,
    /// How many others were measured on other CPUs.
    pub elsewhere: usize,
    /// Cells that surely became slower by more than the threshold over all of them, the worst first.
    pub drifts: Vec<Drift>,
    /// Cells whose alarms were not confirmed, and how often.
    pub unconfirmed: Vec<Unconfirmed>,
    /// The first lines that could not be read: their numbers, from 1, and why.
    pub damaged: Vec<(usize, String)>,
    /// How many lines after them could not be read either.
    pub further_damaged: usize,
    /// What is slower by less counts for nothing.
    #[serde(skip)]
    pub(super) threshold: Share,
}

/// How far a cell moved over several changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// Which.
    #[serde(flatten)]
    pub cell: Cell,
    /// Time now ÷ time before the first of these changes.
    pub ratio: Ratio,
    /// In how many changes it was measured.
    pub changes: usize,
}

/// How often a cell raised an alarm that was not confirmed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unconfirmed {
    /// Which.
    #[serde(flatten)]
    pub cell: Cell,
    /// How often.
    pub times: usize,
}

impl Change {
    /// A change that was measured just now.
    pub fn of(guarded: &Guarded, first: Stored) -> Self {
        let moved = guarded.verdict.cells.iter().filter_map(|compared| {
            let (low, high) = compared.ratio.range()?;
            Some(Moved { cell: compared.cell.clone(), mid: compared.ratio.mid, low, high })
        });
        let moved: Vec<Moved> = moved.filter(Moved::is_sound).collect();
        let new: Vec<&str> = guarded.verdict.cells.iter().map(|compared| compared.cell.provider.as_str()).collect();
        let old: Vec<String> = new.iter().map(|provider| Against::old(provider)).collect();
        let refuted = guarded.unconfirmed().filter(|alarm| !alarm.weighed.standing.is_open());
        Self {
            schema: SCHEMA,
            at: first.run.started.clone(),
            cpu: first.run.fact("cpu").unwrap_or_default().to_owned(),
            old: code(first.records, &old.iter().map(String::as_str).collect::<Vec<_>>()),
            new: code(first.records, &new),
            cells: moved,
            unconfirmed: refuted.map(|alarm| alarm.cell.clone()).collect(),
        }
    }

    /// Why a line that was read does not count; `None` if it does.
    fn wrong(&self) -> Option<String> {
        if self.schema != SCHEMA {
            return Some(format!("it has schema {}, and this build reads {SCHEMA}", self.schema));
        }
        if !self.cells.iter().all(Moved::is_sound) {
            return Some("a ratio is no positive number within its interval".into());
        }
        let moved: BTreeSet<&Cell> = self.cells.iter().map(|moved| &moved.cell).collect();
        let unconfirmed: BTreeSet<&Cell> = self.unconfirmed.iter().collect();
        if (moved.len(), unconfirmed.len()) != (self.cells.len(), self.unconfirmed.len()) {
            return Some("it has a cell twice".into());
        }
        let cells = moved.into_iter().chain(unconfirmed);
        let mut texts = cells.map(|cell| &cell.provider).chain([&self.at, &self.cpu, &self.old, &self.new]);
        texts.any(|text| text.len() > most::TEXT).then(|| format!("a text is longer than {} bytes", most::TEXT))
    }

    /// The code of both sides; `None` where it is not known, or does not tell one side from the other.
    fn pair(&self) -> Option<(&str, &str)> {
        let is_known = !self.old.is_empty() && !self.new.is_empty() && self.old != self.new;
        is_known.then_some((self.old.as_str(), self.new.as_str()))
    }
}

/// The code of these providers in a few words, each once.
fn code(records: &[Record], providers: &[&str]) -> String {
    let own = records.iter().filter(|record| providers.contains(&record.cell.provider.as_str()));
    let mut words: Vec<String> = own.filter_map(|record| record.provenance.as_ref()).map(in_words).collect();
    words.sort();
    words.dedup();
    listed(&words)
}

impl Moved {
    fn is_sound(&self) -> bool {
        let Self { mid, low, high, .. } = *self;
        [mid, low, high].iter().all(|figure| figure.is_finite() && *figure > 0.0) && low <= mid && mid <= high
    }
}

impl Past {
    /// Reads the lines of a history. A line that cannot be read is named, and skipped.
    pub fn read(text: &[u8]) -> Self {
        let mut past = Self::default();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let change = serde_json::from_slice::<Change>(line).map_err(|error| place_in_line(&error));
            match change.and_then(|change| change.wrong().map_or(Ok(change), Err)) {
                Ok(change) => past.changes.push(change),
                Err(why) if past.damaged.len() < MOST_DAMAGED => past.damaged.push((number, escaped(&shortened(&why)))),
                Err(_) => past.further_damaged += 1,
            }
        }
        past
    }

    /// What all changes come to, with the one of now.
    pub fn with(&self, now: &Change, threshold: Share) -> History {
        let here = || self.changes.iter().filter(|change| change.cpu == now.cpu);
        let mut measured = HashSet::new();
        let latest_first = here().chain([now]).rev();
        let each_once = latest_first.filter(|change| change.pair().is_none_or(|pair| measured.insert(pair)));
        let mut counted: Vec<&Change> = each_once.take(MOST_CHANGES).collect();
        counted.reverse();
        let mut times = BTreeMap::<&Cell, usize>::new();
        for cell in counted.iter().flat_map(|change| &change.unconfirmed) {
            *times.entry(cell).or_default() += 1;
        }
        let unconfirmed = times.into_iter().map(|(cell, times)| Unconfirmed { cell: cell.clone(), times });
        History {
            changes: counted.len(),
            since: counted.first().map(|change| change.at.clone()).unwrap_or_default(),
            elsewhere: self.changes.len() - here().count(),
            drifts: drifts(&counted, threshold),
            unconfirmed: unconfirmed.collect(),
            damaged: self.damaged.clone(),
            further_damaged: self.further_damaged,
            threshold,
        }
    }
}

/// The error without serde's own count of lines, which would be 1 beside the line's number.
fn place_in_line(error: &serde_json::Error) -> String {
    error.to_string().replace(&format!(" at line {} column", error.line()), " at column")
}

/// Errors of changes that were measured apart have nothing to do with each other: their squares add up.
fn drifts(changes: &[&Change], threshold: Share) -> Vec<Drift> {
    let mut sums = BTreeMap::<&Cell, (f64, f64, usize)>::new();
    for moved in changes.iter().flat_map(|change| &change.cells) {
        let half = (moved.high / moved.mid).ln().max((moved.mid / moved.low).ln());
        let (log, squares, number) = sums.entry(&moved.cell).or_default();
        (*log, *squares, *number) = (*log + moved.mid.ln(), *squares + half * half, *number + 1);
    }
    let summed = |(cell, (log, squares, changes)): (&Cell, (f64, f64, usize))| {
        let half = squares.sqrt();
        let ratio = Ratio::new(log.exp(), Some(((log - half).exp(), (log + half).exp())));
        Drift { cell: cell.clone(), ratio, changes }
    };
    let is_sure = |drift: &Drift| {
        let range = drift.ratio.range();
        drift.changes >= FEWEST && range.is_some_and(|(low, high)| low > 1.0 + threshold.0 && high.is_finite())
    };
    let mut drifts: Vec<Drift> = sums.into_iter().map(summed).filter(is_sure).collect();
    drifts.sort_by(|a, b| b.ratio.mid.total_cmp(&a.ratio.mid));
    drifts
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, Form, Operation, Parameters};

    use super::*;

    fn cell(message: u64) -> Cell {
        let parameters = Parameters::message_cell(message, 0, 1);
        let (algorithm, operation, form) = (Algorithm::Aes256Gcm, Operation::Seal, Form::InPlace);
        Cell { provider: "openssl".into(), algorithm, operation, form, parameters }
    }

    fn change(number: usize, share: f64) -> Change {
        let moved = |cell, mid: f64| Moved { cell, mid, low: mid - 0.004, high: mid + 0.004 };
        Change {
            schema: SCHEMA,
            at: format!("2026-11-{number:02}T12:00:00Z"),
            cpu: "Example EPYC 9".into(),
            old: format!("code {number}"),
            new: format!("code {}", number + 1),
            cells: vec![moved(cell(16), 1.0 + share), moved(cell(1024), 1.0)],
            unconfirmed: Vec::new(),
        }
    }

    fn line(change: &Change) -> String {
        serde_json::to_string(change).unwrap()
    }

    fn past(changes: &[Change]) -> Past {
        let lines: Vec<String> = changes.iter().map(line).collect();
        Past::read(lines.join("\n").as_bytes())
    }

    const THRESHOLD: Share = Share(0.003);

    #[test]
    fn many_small_steps_are_one_large_one() {
        let changes: Vec<Change> = (1..=7).map(|number| change(number, 0.0045)).collect();
        let history = past(&changes[..6]).with(&changes[6], THRESHOLD);
        assert_eq!((history.changes, history.drifts.len()), (7, 1), "the other cell did not move");
        let drift = &history.drifts[0];
        assert_eq!((drift.cell.parameters.message(), drift.changes), (16, 7));
        assert!((drift.ratio.mid - 1.0045_f64.powi(7)).abs() < 1e-9);
        let half = drift.ratio.half_width().unwrap();
        assert!((half / (7.0_f64.sqrt() * 0.004) - 1.0).abs() < 0.02, "errors add up by their squares: {half}");
        assert!(past(&[]).with(&changes[0], THRESHOLD).drifts.is_empty(), "one step is the guard's own");
    }

    #[test]
    fn pair_that_was_measured_again_counts_once_by_its_latest_line() {
        let (mut again, other) = (change(1, 0.0), change(2, 0.0));
        again.at = "2026-11-09T12:00:00Z".into();
        let history = past(&[change(1, 0.05), again]).with(&other, THRESHOLD);
        assert_eq!((history.changes, history.drifts.len()), (2, 0));
        assert_eq!(history.since, "2026-11-09T12:00:00Z");
    }

    #[test]
    fn changes_whose_sides_look_alike_count_each() {
        for code in ["1.2.3", ""] {
            let alike = |number| Change { old: code.into(), new: code.into(), ..change(number, 0.0045) };
            let history = past(&[alike(1), alike(2), alike(3)]).with(&alike(4), THRESHOLD);
            assert_eq!((history.changes, history.drifts.len()), (4, 1), "{code}");
        }
    }

    #[test]
    fn only_the_latest_thousand_changes_count() {
        let changes: Vec<Change> = (1..=1200).map(|number| change(number, 0.0)).collect();
        let history = past(&changes).with(&change(1201, 0.0), THRESHOLD);
        assert_eq!((history.changes, history.since), (1000, changes[201].at.clone()));
    }

    #[test]
    fn changes_on_other_cpus_are_counted_and_say_nothing() {
        let elsewhere = Change { cpu: "Other".into(), ..change(1, 0.05) };
        let history = past(&[elsewhere, change(2, 0.0)]).with(&change(3, 0.0), THRESHOLD);
        assert_eq!((history.changes, history.elsewhere, history.drifts.len()), (2, 1, 0));
    }

    #[test]
    fn damaged_line_is_named_and_skipped() {
        let nan = line(&change(1, 0.0)).replace("\"mid\":1.0", "\"mid\":-1.0");
        let newer = line(&Change { schema: 2, ..change(1, 0.0) });
        let cut = "{\"schema\":1,\"at";
        let past = Past::read([cut, &nan, "\u{1b}[2J", "", &newer, &line(&change(1, 0.01))].join("\n").as_bytes());
        let numbers: Vec<usize> = past.damaged.iter().map(|(number, _)| *number).collect();
        assert_eq!((past.changes.len(), numbers), (1, vec![1, 2, 3, 5]));
        assert!(past.damaged.iter().all(|(_, why)| !why.contains('\u{1b}')), "{:?}", past.damaged);
    }

    #[test]
    fn change_that_has_a_cell_twice_is_damaged() {
        let moved = change(1, 0.01);
        let twice = Change { cells: [&moved.cells[..], &moved.cells[..1]].concat(), ..moved.clone() };
        let twice_unconfirmed = Change { unconfirmed: vec![cell(16), cell(16)], ..moved.clone() };
        let past = past(&[twice, twice_unconfirmed, moved]);
        let reasons: Vec<&str> = past.damaged.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!((past.changes.len(), reasons), (1, vec!["it has a cell twice"; 2]));
    }

    #[test]
    fn limits_hold_before_anything_is_printed() {
        let long = line(&Change { at: "9".repeat(most::TEXT + 1), ..change(1, 0.0) });
        let past = Past::read((long + &"\n?".repeat(MOST_DAMAGED + 6)).as_bytes());
        assert_eq!((past.changes.len(), past.damaged.len(), past.further_damaged), (0, MOST_DAMAGED, 7));
        let unknown = format!("{{\"schema\":1,\"cells\":[{{\"algorithm\":\"{}\"}}]}}", "x".repeat(1 << 20));
        assert!(Past::read(unknown.as_bytes()).damaged[0].1.len() < most::TEXT);
    }

    #[test]
    fn alarms_that_were_not_confirmed_are_counted_by_cell() {
        let alarmed = |number| Change { unconfirmed: vec![cell(16)], ..change(number, 0.0) };
        let history = past(&[alarmed(1), change(2, 0.0)]).with(&alarmed(3), THRESHOLD);
        assert_eq!(history.unconfirmed, [Unconfirmed { cell: cell(16), times: 2 }]);
    }
}
