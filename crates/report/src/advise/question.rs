//! What is asked, and what the answer rests on.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Cell, Group, Operation, Record, Run, Scenario, SizeCounts, escaped};

use super::program::{Program, StandIn};
use ciphermeter_answer::words::size;
use ciphermeter_answer::words::{listed, percent};

/// What is usual for a workload and not measured here.
pub(crate) const XTS: &str = "Most disks use AES-XTS, which is not measured here: cryptsetup benchmark";

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The workload's name, as `run` takes it; `None`: a mix of sizes, or a program's own.
    pub workload: Option<&'a str>,
    /// How many messages of each size there are.
    pub mix: Option<&'a SizeCounts>,
    /// The program to configure.
    pub program: Option<&'static Program>,
    /// What has to be measured to answer: of a run with more, only these cells count. `None`: all that a run has.
    pub scenario: Option<&'a Scenario>,
    /// The command that measures what it takes to answer.
    pub measure: &'a str,
    /// The same with `--cpu no-aes`.
    pub measure_without_aes: &'a str,
    /// The command that asks again: with `--budget TIME` behind it, it measures for so long if no stored run decides.
    pub again: &'a str,
}

/// What the answer rests on.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// A run of this machine.
    pub run: &'a Run,
    /// Its records.
    pub records: &'a [Record],
    /// What has changed on the machine since.
    pub changed: &'a [String],
    /// What newer runs lack, a sentence each.
    pub newer: &'a [String],
    /// Libraries that are here now, of those that are asked for: the run may lack some.
    pub available: &'a [String],
    /// A run made with `--cpu no-aes`.
    pub without_aes: Option<WithoutAes<'a>>,
}

/// A run of this machine made with `--cpu no-aes`.
#[derive(Debug, Clone, Copy)]
pub struct WithoutAes<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its records.
    pub records: &'a [Record],
    /// What newer ones lack, a sentence each.
    pub newer: &'a [String],
}

impl<'a> Evidence<'a> {
    /// A run with its records, of which nothing else is known.
    pub fn of(run: &'a Run, records: &'a [Record]) -> Self {
        Self { run, records, changed: &[], newer: &[], available: &[], without_aes: None }
    }
}

/// The cells that a scenario asks for, whichever library has them. Those of several threads are no part of an answer.
pub fn asked_cells(scenario: &Scenario) -> BTreeSet<(Algorithm, Group)> {
    let mut scenario = scenario.clone();
    scenario.cells.iter_mut().for_each(|block| block.providers.clear());
    let is_named = |algorithm: &&Algorithm| scenario.cells.iter().any(|block| block.algorithms.contains(algorithm));
    let cells = Algorithm::ALL.iter().filter(is_named).flat_map(|algorithm| scenario.cells_for("any", *algorithm, 1));
    let is_asked = |operation| matches!(operation, Operation::Seal | Operation::Open | Operation::Transfer);
    cells.filter(|cell| is_asked(cell.operation)).map(|cell| (cell.algorithm, cell.group())).collect()
}

impl Question<'_> {
    /// What stands in for what is asked, or is not measured here; it stands before the answer.
    pub(super) fn premise(&self) -> Option<String> {
        match (self.program, self.workload) {
            (Some(program), workload) => {
                let StandIn { ciphers, sizes, own } = program.stand_in?;
                let has_own_sizes = workload.is_none() && self.mix.is_none();
                let sizes = if has_own_sizes { format!(" at {sizes}") } else { String::new() };
                Some(format!("{ciphers}{sizes} stand in for {own}."))
            }
            (None, Some("disk")) => Some(XTS.into()),
            (None, Some("iot")) => Some("A board answers for itself: ciphermeter run iot --device PORT".into()),
            _ => None,
        }
    }

    /// What is asked, in a few words: `nginx`, `tls`, `64 B (70 %), 16 KiB (30 %)`.
    pub(super) fn subject(&self) -> String {
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
        match (program, workload, mixed) {
            (Some(program), _, Some(mix)) => format!("{}, {mix}", program.title),
            (Some(program), _, None) => program.title.into(),
            (None, Some(workload), Some(mix)) => format!("{}, {mix}", in_words(workload)),
            (None, Some(workload), None) => in_words(workload),
            (None, None, Some(mix)) => format!("messages of {mix}"),
            (None, None, None) => "messages".into(),
        }
    }
}

/// What a workload is about; a file, or one whose name says that, stands for itself.
fn in_words(workload: &str) -> String {
    match workload {
        "disk" => "disk sectors".into(),
        "packet" => "network packets".into(),
        "iot" => "iot on this machine, not a board".into(),
        "transfer" => "file transfers".into(),
        "bulk" => "bulk data".into(),
        other => escaped(other),
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

/// Whether a program has the cipher, and links the library.
pub(super) fn is_of_program(cell: &Cell, program: Option<&Program>) -> bool {
    let Some(program) = program else { return true };
    let has = program.algorithms.is_empty() || program.algorithms.contains(&cell.algorithm);
    has && (program.providers.is_empty() || program.providers.contains(&cell.provider.as_str()))
}

/// Whether it may be recommended: speed is no reason to give up the tag, nor half of the key.
pub(super) fn is_candidate(algorithm: Algorithm) -> bool {
    algorithm.tag_bytes() > 0 && algorithm.key_bytes() >= KEY
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
