//! What is asked, and what the answer rests on.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Group, Mask, Operation, Record, Run, Scenario, SizeCounts, escaped};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::machine::MASKED;
use crate::program::Program;
use crate::words::{listed, percent, size, without};

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    /// The workload's name, as `run` takes it; `None`: a mix of sizes, or a program's own.
    pub workload: Option<&'a str>,
    /// How many messages of each size there are.
    pub mix: Option<&'a SizeCounts>,
    /// The program to configure.
    pub program: Option<&'static Program>,
    /// What has to be measured to answer: of a run with more, only these cells count. `None`: all that a run has.
    pub scenario: Option<&'a Scenario>,
    /// The command that measures what it takes to answer; of a program without a choice, [`AND_THEN`] behind one that builds its worker.
    pub measure: &'a str,
    /// The command that asks again: with `--budget TIME` behind it, it measures for so long if no stored run decides.
    pub again: &'a str,
    /// The same with `--cpu no-aes`.
    pub again_without_aes: &'a str,
    /// The instructions without which it is asked.
    pub mask: Option<Mask>,
}

/// Between two commands for a shell.
pub const AND_THEN: &str = " && ";

/// What the answer rests on.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// A run of this machine.
    pub run: &'a Run,
    /// Its records.
    pub records: &'a [Record],
    /// What has changed on the machine since.
    pub changed: &'a [String],
    /// What is set here to change the code of libraries, and was not for the run:
    /// `OPENSSL_armcap=0`.
    pub set_here: &'a [String],
    /// What newer runs lack, a sentence each.
    pub newer: &'a [String],
    /// Libraries that are here now, of those that are asked for: the run may lack some.
    pub available: &'a [String],
    /// A run made with `--cpu no-aes`.
    pub without_aes: Option<&'a Evidence<'a>>,
    /// Of a run of another machine: which one that is, in a sentence.
    pub elsewhere: Option<&'a str>,
}

impl<'a> Evidence<'a> {
    /// A run with its records, of which nothing else is known.
    pub fn of(run: &'a Run, records: &'a [Record]) -> Self {
        Self {
            run,
            records,
            changed: &[],
            set_here: &[],
            newer: &[],
            available: &[],
            without_aes: None,
            elsewhere: None,
        }
    }
}

impl Serialize for Question<'_> {
    /// `{"workload", "mix", "program", "cpu", "premise"}`: messages by their size in bytes, the program by its name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = |mix: &SizeCounts| -> BTreeMap<String, f64> {
            mix.iter().map(|(size, count)| (size.0.to_string(), count)).collect()
        };
        let mut question = serializer.serialize_struct("Question", 5)?;
        question.serialize_field("workload", &self.workload)?;
        question.serialize_field("mix", &self.mix.map(counts))?;
        question.serialize_field("program", &self.program.map(|program| &program.name))?;
        question.serialize_field("cpu", &self.mask)?;
        question.serialize_field("premise", &self.premise())?;
        question.end()
    }
}

/// The cells that a scenario asks for, whichever library has them. Those of several threads are no part of an answer.
pub fn asked_cells(scenario: &Scenario) -> BTreeSet<(Algorithm, Group)> {
    cells(scenario, |cell| match cell.operation {
        Operation::Encrypt | Operation::Decrypt => cell.algorithm.stands_alone(),
        operation => operation != Operation::KeySetup,
    })
}

/// The cells whose cost a scenario asks for, of a cipher that protects nothing alone, too: all but key set-up.
pub fn costed_cells(scenario: &Scenario) -> BTreeSet<(Algorithm, Group)> {
    cells(scenario, |cell| cell.operation != Operation::KeySetup)
}

fn cells(scenario: &Scenario, is_asked: fn(&Cell) -> bool) -> BTreeSet<(Algorithm, Group)> {
    let mut scenario = scenario.clone();
    scenario.cells.iter_mut().for_each(|block| block.providers.clear());
    let is_named = |algorithm: &&Algorithm| scenario.cells.iter().any(|block| block.algorithms.contains(algorithm));
    let cells = Algorithm::ALL.iter().filter(is_named).flat_map(|algorithm| scenario.cells_for("any", *algorithm, 1));
    cells.filter(is_asked).map(|cell| asked_as(&cell)).collect()
}

/// As what a cell is asked for: how many CPUs a transfer may use is up to the machine.
pub(super) fn asked_as(cell: &Cell) -> (Algorithm, Group) {
    let group = cell.group();
    let parameters = if cell.is_transfer() { group.parameters.on_cpus(1) } else { group.parameters };
    (cell.algorithm, Group { parameters, ..group })
}

impl Question<'_> {
    /// Whether messages of this size are part of it.
    pub(super) fn counts(&self, message: u64) -> bool {
        self.mix.is_none_or(|mix| mix.count(message) > 0.0)
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        self.program.is_none_or(|own| own.algorithms.is_empty() || own.algorithms.contains(&algorithm))
    }

    pub(crate) fn links(&self, provider: &str) -> bool {
        self.program.is_none_or(|own| own.providers.is_empty() || own.providers.iter().any(|name| name == provider))
    }

    /// Whether a record is of a cipher and a library that are in question.
    pub fn asks(&self, record: &Record) -> bool {
        self.has(record.cell.algorithm) && self.links(&record.cell.provider)
    }

    /// What stands in for what is asked, or is not measured here; it stands before the answer.
    pub fn premise(&self) -> Option<String> {
        // Without a choice, there is no answer that it would be of.
        let mask = self.mask.filter(|_| self.program.is_none_or(Program::leaves_a_choice));
        let chip = mask.map(|mask| format!("Asked of a CPU {}. {MASKED}", without(mask)));
        let all: Vec<String> = chip.into_iter().chain(self.premise_of_workload()).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    fn premise_of_workload(&self) -> Option<String> {
        match (self.program, self.workload) {
            (Some(program), workload) => program.premise(workload.is_none() && self.mix.is_none()),
            (None, Some(_)) => self.scenario?.stated_premise(),
            (None, None) => None,
        }
    }

    /// The question, as it stands above the answer.
    pub fn title(&self) -> String {
        format!("Which cipher for {}?", self.subject())
    }

    /// What is asked, in a few words: `nginx`, `tls`, `64 B (70 %), 16 KiB (30 %)`.
    pub fn subject(&self) -> String {
        let Self { workload, mix, program, .. } = *self;
        let mixed = mix.map(|mix| {
            let total: f64 = mix.iter().map(|(_, count)| count).sum();
            let sizes: Vec<String> =
                mix.iter().map(|(bytes, count)| format!("{} ({})", size(bytes.0), part(count / total))).collect();
            match &sizes[..] {
                [first, .., last] if mix.grouped_from().is_some() => {
                    let given = mix.grouped_from().unwrap_or(sizes.len());
                    format!("{given} sizes in {} groups, {first} to {last}", sizes.len())
                }
                [first, .., last] if sizes.len() > 4 => format!("{} sizes, {first} to {last}", sizes.len()),
                sizes => listed(sizes),
            }
        });
        // What it is about; a file, or one whose name says that, stands for itself.
        let own = self.scenario.and_then(|scenario| scenario.subject.clone());
        let workload = workload.map(|name| own.unwrap_or_else(|| escaped(name)));
        match (program, workload, mixed) {
            (Some(program), _, Some(mix)) => format!("{}, {mix}", program.title),
            (Some(program), _, None) => program.title.clone(),
            (None, Some(workload), Some(mix)) => format!("{workload}, {mix}"),
            (None, Some(workload), None) => workload,
            (None, None, Some(mix)) => format!("messages of {mix}"),
            (None, None, None) => "messages".into(),
        }
    }
}

/// A part of a mix in percent, of which only all of it is 100, and none 0.
fn part(share: f64) -> String {
    match share * 100.0 {
        all if all >= 100.0 => "100 %".into(),
        most if most >= 99.95 => "over 99.9 %".into(),
        most if most >= 99.5 => format!("{most:.1} %"),
        hardly if hardly < 0.05 => "under 0.1 %".into(),
        _ => percent(share),
    }
}

/// Bytes of a key from which on a cipher is recommended. Those with shorter ones are named beside the answer.
const KEY: usize = 32;

/// Whether it may be recommended: speed is no reason to give up the tag, nor half of the key.
pub(super) fn is_candidate(algorithm: Algorithm) -> bool {
    algorithm.stands_alone() && algorithm.encryption_key_bytes() >= KEY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_mix_come_to_no_more_than_all() {
        let shares = [1.0, 0.9999, 0.999, 0.9949, 0.5, 0.001, 0.0001].map(part);
        assert_eq!(shares, ["100 %", "over 99.9 %", "99.9 %", "99 %", "50 %", "0.1 %", "under 0.1 %"]);
    }
}
