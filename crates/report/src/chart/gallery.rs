//! All figures of a run: its main one, then each further quantity that its records have.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, CellId, Kind, Operation, Record, Run};
use ciphermeter_estimate::{Ratio, between};

use super::caption;
use super::cell::{rate, time};
use super::matrix::{Libraries, Matrix, Question, Value, done_here};
use super::{calls, course, peak, ratio, scaling, spent, threads};
use crate::screen::chosen;
use ciphermeter_answer::group::{Entry, standings};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_chart::sheet::{Point, Sheet};

/// The most operations and forms that have a figure of their own.
const MOST: usize = 4;

const THROUGHPUT: Question = Question {
    title: "How fast is it, by size?",
    what: "Throughput of",
    axis: "throughput, GB/s",
    words: "Points: medians of undisturbed samples. Bands: the range in which 90 % of the samples lay.",
};
const TIME: Question = Question {
    title: "How long does a message take?",
    what: "Time of",
    axis: "time of a call, µs",
    words: "Points: medians of undisturbed samples of one call. Bands: the range in which 90 % of the samples lay.",
};
const BEHIND: Question = Question {
    title: "How far behind the fastest?",
    what: "Time ÷ time of the fastest,",
    axis: "time ÷ the fastest's",
    words: "Time ÷ time of the fastest of the same size, of all libraries and algorithms. Bands: 95 % intervals that hold for all of a size at once.",
};
const CEILING: Question = Question {
    title: "How close to the CPU's limit?",
    what: "Share of the ceiling of",
    axis: "share of the ceiling, %",
    words: "What a cipher reaches of the rate at which this CPU's AES and carry-less multiplication units work alone, measured in the same rounds. ChaCha20 uses neither, so it has no such limit; of XOR and of messages out of a working set, copying memory is one.",
};
const READING: Question = Question {
    title: "Is open as fast as seal?",
    what: "Throughput of reading ÷ writing,",
    axis: "reading ÷ writing",
    words: "Throughput of reading ÷ throughput of writing, in the same rounds: above 1, reading is faster. Bands: 95 % confidence intervals.",
};

/// Each figure with a name for its file, none twice.
pub(super) fn gallery(run: &Run, records: &[Record], main: Option<Sheet>) -> Vec<(String, Sheet)> {
    let mut all: Vec<(String, Sheet)> = main.map(|sheet| ("main".into(), sheet)).into_iter().collect();
    if run.scenario.kind == Kind::Sustained {
        all.extend(course::further(run, records).map(|sheet| ("processes".into(), sheet)));
        return all;
    }
    if run.scenario.kind == Kind::Message {
        all.extend(by_size(run, records));
    }
    // Of a message that is split, the limit belongs beside it.
    let threads = if run.scenario.kind == Kind::Parallel { None } else { threads::threads(run, records) };
    let further = [
        ("calls", calls::calls(run, records)),
        ("threads", threads),
        ("scaling", scaling::scaling(run, records)),
        ("energy", spent::energy(run, records)),
    ];
    for (name, sheet) in further {
        let is_new = |sheet: &Sheet| {
            all.iter().all(|(_, known)| (&known.title, &known.subtitle) != (&sheet.title, &sheet.subtitle))
        };
        all.extend(sheet.filter(is_new).map(|sheet| (name.to_owned(), sheet)));
    }
    all.extend(peak::peaks(run, records, MOST));
    all
}

/// What is drawn over the size of the message.
fn by_size(run: &Run, records: &[Record]) -> Vec<(String, Sheet)> {
    let done = done_here(records, has_enough_forks);
    let libraries = Libraries::of(records);
    let beside = Beside::of(records);
    let time = |record: &Record, x: f64| time(record).map(|point| in_microseconds(point, x));
    let reading = |record: &Record, x: f64| beside.reading(record).map(|ratio| point(ratio, x));
    let behind = |record: &Record, x: f64| beside.behind(record).map(|ratio| point(ratio, x));
    let share = |record: &Record, x: f64| beside.share(record).map(|y| Point { x, y: y * 100.0, range: None });
    let choice = chosen(records).filter(|chosen| !chosen.libraries.is_empty());
    let by_how_much = choice.and_then(|chosen| ratio::ratio(run, &chosen, &libraries));
    let mut figures: Vec<(String, Sheet)> = by_how_much.map(|sheet| ("ratio".to_owned(), sheet)).into_iter().collect();
    for (place, (operation, form)) in done.iter().copied().take(MOST).enumerate() {
        let matrix = Matrix::of(records, &libraries, (operation, form), has_enough_forks);
        let reads = operation.consumes_sealed();
        let all: [(&str, bool, &Question, Value); 5] = [
            ("throughput", true, &THROUGHPUT, &rate),
            ("time", place == 0, &TIME, &time),
            ("reading", reads, &READING, &reading),
            ("behind", !reads, &BEHIND, &behind),
            ("ceiling", !reads, &CEILING, &share),
        ];
        for (name, _, question, value) in all.into_iter().filter(|(_, is_asked, ..)| *is_asked) {
            figures
                .extend(matrix.sheet(run, question, value).map(|sheet| (format!("{name}-{operation}-{form}"), sheet)));
        }
    }
    let further = done.len().saturating_sub(MOST);
    if let (Some(sentence), Some((_, first))) = (caption::more(further, "operations and forms"), figures.first_mut()) {
        first.caption.push(sentence);
    }
    figures
}

fn in_microseconds(point: Point, x: f64) -> Point {
    Point { x, y: point.y / 1e3, range: point.range.map(|(low, high)| (low / 1e3, high / 1e3)) }
}

fn point(ratio: Ratio, x: f64) -> Point {
    Point { x, y: ratio.mid, range: ratio.range() }
}

/// Where each record stands in its group, and all of them by their cells.
struct Beside<'a> {
    standing: BTreeMap<CellId, (Option<Ratio>, Option<f64>)>,
    records: BTreeMap<&'a Cell, &'a Record>,
}

impl<'a> Beside<'a> {
    fn of(records: &'a [Record]) -> Self {
        let entry = |entry: Entry| (entry.record.id, (entry.ratio, entry.share));
        Self {
            standing: standings(records).into_iter().flat_map(|standing| standing.entries).map(entry).collect(),
            records: records.iter().map(|record| (&record.cell, record)).collect(),
        }
    }

    fn behind(&self, record: &Record) -> Option<Ratio> {
        self.standing.get(&record.id)?.0
    }

    fn share(&self, record: &Record) -> Option<f64> {
        self.standing.get(&record.id)?.1
    }

    /// Time of what wrote the message ÷ time of reading it.
    fn reading(&self, record: &Record) -> Option<Ratio> {
        let operation = match record.cell.operation {
            Operation::Open => Operation::Seal,
            Operation::Decrypt => Operation::Encrypt,
            _ => return None,
        };
        let writing = self.records.get(&Cell { operation, ..record.cell.clone() })?;
        between(writing, record)
    }
}
