//! What calls on messages, and files that moved, decide: AES or ChaCha20, which library, or the figures of cells.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Operation, Record, Run};
use ciphermeter_estimate::{Cipher, CipherPair, figures};
use ciphermeter_stats::LEAST_FORKS;

use crate::answer::{About, Answer};
use crate::basis::{Basis, budget, most_forks, no_answer, no_other_cipher};
use crate::group::standings;
use crate::libraries::{LibrariesAnswer, question};
use crate::machine::{MASKED, takes_aes};
use crate::measured::{measured, trusted};
use crate::notes::notes;
use crate::pair::{self, PairAnswer};
use crate::program::program;
use crate::rank::competes;
use crate::transfers::beside_bare;
use crate::unlike;
use crate::versions::{self, VersionsAnswer};
use crate::words::{capital, titles};
use crate::workload::cost_of_program;

/// What messages, or files that moved, decide; and what they cost a program that leaves no choice, which the run is named after.
pub(super) fn messages(run: &Run, records: &[Record]) -> Answer {
    let mut answer = decided(run, records);
    answer.sentences.extend(beside_bare(records));
    answer.sentences.extend(program(&run.scenario.name).and_then(|program| cost_of_program(program, None, records)));
    answer
}

fn decided(run: &Run, records: &[Record]) -> Answer {
    let versions = versions::asks(run).then(|| VersionsAnswer::of(&trusted(records))).flatten();
    if let Some(versions) = versions {
        return of_versions(run, records, versions);
    }
    if let Some(pair) = PairAnswer::of(records) {
        return of_pair(run, records, pair);
    }
    if let Some(libraries) = LibrariesAnswer::of(&trusted(records)) {
        let absent = absent(run, records, libraries.only());
        let sentences = libraries.sentences(run, records).into_iter().chain(absent).chain(unlike::sizes(records));
        let longer = libraries.lacking_forks().and_then(|most| budget(run, records, most));
        return Answer {
            sentences: sentences.chain(libraries.tags()).collect(),
            notes: premise(run).into_iter().chain(libraries.keys()).chain(notes(records, false)).collect(),
            about: Some(About::Libraries(libraries.clone())),
            ..Answer::open(run, records, libraries.question(), libraries.is_answered()).with_longer(run, longer)
        };
    }
    of_cells(run, records)
}

fn of_versions(run: &Run, records: &[Record], answer: VersionsAnswer) -> Answer {
    let longer = answer.lacking_forks().and_then(|most| budget(run, records, most));
    let open = Answer::open(run, records, versions::QUESTION.into(), answer.is_answered());
    Answer {
        sentences: answer.sentences(run, records),
        notes: notes(records, false),
        about: (answer.names.len() > 1).then_some(About::Versions(answer)),
        ..open.with_longer(run, longer)
    }
}

/// What is usual and not measured. A program has another scenario's sizes, and its own premise.
fn premise(run: &Run) -> Option<String> {
    program(&run.scenario.name).and_then(|program| program.premise(false)).or_else(|| run.scenario.stated_premise())
}

/// Of the ciphers that were asked for, those that no library of the run has; `only`: the one that is left.
fn absent(run: &Run, records: &[Record], only: Option<Algorithm>) -> Option<String> {
    let lacks = |algorithm: &&Algorithm| records.iter().all(|record| record.cell.algorithm != **algorithm);
    let asked: BTreeSet<&Algorithm> = run.scenario.cells.iter().flat_map(|block| &block.algorithms).collect();
    let lacking = asked.into_iter().filter(lacks);
    match only {
        Some(only) => Some(capital(&no_other_cipher(only, lacking)?) + "."),
        // What nobody named is of no interest.
        // Under a mask a library may be there and not obey, which the notes say.
        None if run.mask.is_some() => None,
        None if !run.plan.asked.iter().any(|word| word.starts_with("--algorithm")) => None,
        None => Some(titles(lacking))
            .filter(|titles| !titles.is_empty())
            .map(|titles| format!("No library of this run has {titles}.")),
    }
}

fn of_pair(run: &Run, records: &[Record], pair: PairAnswer) -> Answer {
    let mut sentences = pair.sentences();
    sentences.extend(absent(run, records, None).into_iter().chain(unlike::sizes(records)));
    let lacking = Some(pair.forks().1).filter(|_| pair.lacks());
    sentences.extend(lacking.map(|most| no_answer(run, records, most)));
    let longer = lacking.and_then(|most| budget(run, records, most));
    let config = pair.recommended.map(|winner| config(run, winner.algorithm, &pair.usual().provider));
    let place = if run.fact("peer").is_none() { " All of it went over loopback, on this machine." } else { "" };
    let programs = pair.programs_sentence().map(|sentence| sentence + place);
    let has_key_set_up = records.iter().any(|record| record.cell.operation == Operation::KeySetup);
    let fastest = pair.fastest.as_ref();
    let notes = premise(run)
        .into_iter()
        .chain(run.mask.filter(|_| pair.is_answered()).map(|_| MASKED.to_owned()))
        .chain(fastest.and_then(|fastest| pair::versions(fastest, pair.pair())))
        .chain(pair.rule(run, records))
        .chain(pair.unsettled_sentence().filter(|_| pair.is_answered()))
        .chain(programs)
        .chain(pair.exception_sentences())
        .chain(pair.keyed_sentence().filter(|_| has_key_set_up))
        .chain(pair.reading_sentence())
        .chain(notes(records, pair.has_memory()))
        .collect();
    Answer {
        sentences,
        notes,
        config: config.unwrap_or_default(),
        rests_on: Basis::of(records, pair.forks()),
        about: Some(About::Ciphers(Box::new(pair.clone()))),
        ..Answer::open(run, records, which_cipher(pair.pair()), pair.is_answered()).with_longer(run, longer)
    }
}

/// `AES or ChaCha20?`
pub fn which_cipher(pair: CipherPair) -> String {
    match pair.both().map(Cipher::title) {
        [first, second] if pair.is_of_sectors() => format!("{first} or {second}?"),
        _ if pair.moves_files() => "Files: AES or ChaCha20?".into(),
        _ => "AES or ChaCha20?".into(),
    }
}

/// What is neither a choice between ciphers nor between libraries: the figures of its cells.
fn of_cells(run: &Run, records: &[Record]) -> Answer {
    let is_empty = is_empty(run, records);
    let cells = records.iter().filter(|record| measured(record).is_some());
    let contenders: BTreeSet<_> = records
        .iter()
        .filter(|record| competes(record))
        .map(|record| (record.cell.algorithm, &record.cell.provider))
        .collect();
    let most = most_forks(records);
    let no_answer = || no_answer(run, records, most);
    if contenders.len() > 1 {
        // They share no whole fork.
        let algorithms = contenders.iter().map(|(algorithm, _)| *algorithm);
        let sentences = vec!["No answer yet.".into(), no_answer()];
        let open = Answer::open(run, records, question(algorithms.collect()), false);
        return Answer { sentences, ..open.with_longer(run, budget(run, records, most)) };
    }
    // What no one chooses, such as `xor`, needs no answer.
    let is_cipher = |record: &Record| measured(record).is_some() && record.cell.algorithm.is_cipher();
    let is_early = most < LEAST_FORKS && records.iter().any(is_cipher);
    let has_threads =
        records.iter().any(|record| !record.cell.is_transfer() && record.cell.parameters.cpus().is_some());
    let sentences = match cells.count() {
        0 if is_empty => vec!["No answer: nothing was measured.".into(), no_answer()],
        0 => Vec::new(),
        _ if is_early => vec!["No answer yet.".into(), no_answer()],
        1 => vec!["One cell was measured, so there is nothing to compare it with.".into()],
        cells if has_threads => {
            vec![format!(
                "{cells} cells were measured, each of several threads compared with one thread of the same library."
            )]
        }
        cells => vec![format!("{cells} cells were measured. There are no two ciphers among them to choose between.")],
    };
    let answered = !is_empty && !is_early;
    // Without a figure, what was asked is all that is known.
    let asked = CipherPair::find(records.iter().map(|record| &record.cell)).filter(|_| is_empty);
    let question = asked.map_or("How fast is it?".into(), which_cipher);
    let longer = budget(run, records, most).filter(|_| !answered);
    let open = Answer::open(run, records, question, answered).with_longer(run, longer);
    Answer { sentences, notes: notes(records, false), ..open }
}

/// Whether no cell has a figure, of time or of a metric that this build does not know.
fn is_empty(run: &Run, records: &[Record]) -> bool {
    let is_other = |metric: &&ciphermeter_core::Metric| !metric.is_known();
    let others = || run.plan.metrics.iter().filter(is_other);
    let has_other = |record: &Record| others().any(|metric| figures(record, *metric).is_some());
    standings(records).iter().all(|standing| standing.entries.is_empty()) && !records.iter().any(has_other)
}

/// The lines for the program that a scenario is named after, where it has a choice: those of `advise --for` it.
fn config(run: &Run, algorithm: Algorithm, provider: &str) -> Vec<String> {
    let Some(program) = program(&run.scenario.name) else { return Vec::new() };
    program.setting(algorithm, provider, takes_aes(run)).map(|setting| setting.config()).unwrap_or_default()
}
