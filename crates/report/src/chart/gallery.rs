//! All figures of a run: its main one, then each further quantity that its records have.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, CellId, Kind, Operation, Record, Run};
use ciphermeter_estimate::{Ratio, between};

use super::bars::processes;
use super::cell::{rate, time};
use super::matrix::{Matrix, Question, Value};
use super::styles::{Libraries, operation_forms_here};
use super::{contenders, course, footprints, metrics, sizes, split};
use crate::screen::chosen;
use ciphermeter_answer::group::standings;
use ciphermeter_answer::measured::{has_enough_forks, is_here, measured};
use ciphermeter_answer::memory::{Medians, peak};
use ciphermeter_chart::sheet::{Point, Sheet};
use ciphermeter_chart::spec::not_drawn;

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

const PEAK: Question = Question {
    title: "How much memory does it take, by size?",
    what: "Peak memory of",
    axis: "peak memory, MiB",
    words: "The most resident above the idle process, median over processes. Bands: all processes.",
};
const MIB: f64 = 1_048_576.0;

/// Each figure with a name for its file, none twice.
pub(super) fn gallery(run: &Run, records: &[Record], main: Option<Sheet>) -> Vec<(String, Sheet)> {
    let mut all: Vec<(String, Sheet)> = main.map(|sheet| ("main".into(), sheet)).into_iter().collect();
    if run.scenario.kind == Kind::Sustained {
        all.extend(course::processes(run, records).map(|sheet| ("processes".into(), sheet)));
        return all;
    }
    all.extend(footprints::footprints(run, records));
    let is_mixed = !records.iter().all(is_here);
    let here = |(name, sheet): (String, Sheet)| (name, if is_mixed { of_this_machine(sheet) } else { sheet });
    if run.scenario.kind == Kind::Message {
        all.extend(by_size(run, records).into_iter().map(here));
    }
    // Of a message that is split, the limit belongs beside it.
    let threads = if run.scenario.kind == Kind::Parallel { None } else { contenders::threads(run, records) };
    let further = [
        ("calls", contenders::calls(run, records)),
        ("threads", threads),
        ("scaling", split::scaling(run, records)),
        ("energy", split::energy(run, records)),
    ];
    let further = further.into_iter().filter_map(|(name, sheet)| Some(here((name.to_owned(), sheet?))));
    for (name, sheet) in further.chain(metrics::metrics(run, records)) {
        let is_it = |known: &Sheet| (&known.title, &known.subtitle) == (&sheet.title, &sheet.subtitle);
        if !all.iter().any(|(_, known)| is_it(known)) {
            all.push((name, sheet));
        }
    }
    all.extend(peaks(run, records).into_iter().map(here));
    all
}

/// A figure of this machine, so called where a run has devices, too.
pub(super) fn of_this_machine(sheet: Sheet) -> Sheet {
    Sheet { title: format!("This machine: {}", sheet.title), ..sheet }
}

/// Peak memory for each operation and form, those of most cells first.
fn peaks(run: &Run, records: &[Record]) -> Vec<(String, Sheet)> {
    let has_figure: fn(&Record) -> bool = |record| measured(record).is_some() && Medians::of(record).is_some();
    let libraries = Libraries::of(records);
    let value = |record: &Record| Some(Point::new(peak(record)? as f64, Some(processes(record))).in_unit(MIB));
    let figure = |(operation, form)| {
        let sheet = Matrix::of(records, &libraries, (operation, form), has_figure).sheet(run, &PEAK, &value)?;
        Some((format!("memory-{operation}-{form}"), sheet))
    };
    operation_forms_here(records, has_figure).into_iter().take(MOST).filter_map(figure).collect()
}

/// What is drawn over the size of the message.
fn by_size(run: &Run, records: &[Record]) -> Vec<(String, Sheet)> {
    let operation_forms = operation_forms_here(records, has_enough_forks);
    let libraries = Libraries::of(records);
    let all: BTreeMap<&Cell, &Record> = records.iter().map(|record| (&record.cell, record)).collect();
    let entries = standings(records).into_iter().flat_map(|standing| standing.entries);
    let standing: BTreeMap<CellId, (Option<Ratio>, Option<f64>)> =
        entries.map(|entry| (entry.record.id, (entry.ratio, entry.share))).collect();
    let time = |record: &Record| time(record).map(|point| point.in_unit(1e3));
    let point = |ratio: Ratio| Point::new(ratio.mid, ratio.range());
    let reading = |record: &Record| reading(record, &all).map(point);
    let behind = |record: &Record| standing.get(&record.id)?.0.map(point);
    let share = |record: &Record| Some(Point::new(standing.get(&record.id)?.1? * 100.0, None));
    let choice = chosen(records).filter(|chosen| !chosen.libraries.is_empty());
    let by_how_much = choice.and_then(|chosen| sizes::ratio(run, &chosen, &libraries));
    let mut figures: Vec<(String, Sheet)> = by_how_much.map(|sheet| ("ratio".to_owned(), sheet)).into_iter().collect();
    for (place, (operation, form)) in operation_forms.iter().copied().take(MOST).enumerate() {
        let matrix = Matrix::of(records, &libraries, (operation, form), has_enough_forks);
        let reads = operation.consumes_sealed();
        let is_bare = operation == Operation::Decrypt;
        let reading_of =
            Question { title: if is_bare { "Is decrypt as fast as encrypt?" } else { READING.title }, ..READING };
        let all: [(&str, bool, &Question, Value); 5] = [
            ("throughput", true, &THROUGHPUT, &rate),
            ("time", place == 0, &TIME, &time),
            ("reading", reads, &reading_of, &reading),
            ("behind", !reads, &BEHIND, &behind),
            ("ceiling", !reads, &CEILING, &share),
        ];
        for (name, _, question, value) in all.into_iter().filter(|(_, is_asked, ..)| *is_asked) {
            figures
                .extend(matrix.sheet(run, question, value).map(|sheet| (format!("{name}-{operation}-{form}"), sheet)));
        }
    }
    let further = operation_forms.len().saturating_sub(MOST);
    if let (Some(sentence), Some((_, first))) = (not_drawn(further, "operations and forms"), figures.first_mut()) {
        first.caption.push(sentence);
    }
    figures
}

/// Time of what wrote a message ÷ time of reading it.
fn reading(record: &Record, records: &BTreeMap<&Cell, &Record>) -> Option<Ratio> {
    let operation = match record.cell.operation {
        Operation::Open => Operation::Seal,
        Operation::Decrypt => Operation::Encrypt,
        _ => return None,
    };
    between(records.get(&Cell { operation, ..record.cell.clone() })?, record)
}
