//! The machine and the run in a few words.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Cell, Mask, Record, Run, RunStatus, escaped};

use crate::devices::{Board, boards};
use crate::rank::competes;
use crate::words::{counted, switches, without};

/// What a run with instructions disabled does not say.
pub(crate) const MASKED: &str =
    "This says which is faster on such a CPU, not by how much: another chip has other speeds.";

/// How a run ended, in words.
pub fn ended(status: RunStatus, is_measuring: bool) -> String {
    match status {
        RunStatus::Open if is_measuring => "still measuring".into(),
        RunStatus::Open => "cut off".into(),
        status => status.to_string(),
    }
}

/// The same behind its name; nothing if it did as it should.
pub fn status(run: &Run) -> String {
    match run.status {
        RunStatus::Complete => String::new(),
        status => format!(", {}", ended(status, run.is_measuring)),
    }
}

/// The machine in a few words, each part of its own.
pub fn machine(run: &Run) -> Vec<String> {
    // Of the device, a page knows what its browser tells.
    let browser = || run.fact("browser").map(escaped);
    let mut machine = vec![cpu(run).or_else(browser).unwrap_or("CPU model unknown".into())];
    machine.extend(cpus(run));
    machine.extend(instructions(run));
    machine.extend(switches(run).map(|set| format!("with {set} set")));
    machine
}

/// On what it was measured: this machine in a few words, the devices by their names and what they are, or both.
pub fn measured_on<'a>(run: &Run, records: impl IntoIterator<Item = &'a Record>) -> String {
    let records: Vec<&Record> = records.into_iter().collect();
    let named = |board: Board| match board.what() {
        what if what.is_empty() => board.name,
        what => format!("{} ({what})", board.name),
    };
    let devices: Vec<String> = boards(records.iter().copied()).into_iter().map(named).collect();
    let is_here = devices.is_empty() || records.iter().any(|record| record.cell.parameters.device().is_none());
    let here = is_here.then(|| machine(run).join(", "));
    devices.into_iter().chain(here).collect::<Vec<_>>().join("; ")
}

/// The processor's name without what only lawyers need.
fn cpu(run: &Run) -> Option<String> {
    let mut name = escaped(run.fact("cpu")?);
    for noise in ["(R)", "(TM)", "(tm)", " Processor", " CPU"] {
        name = name.replace(noise, "");
    }
    // Without a model's number, only the frequency tells it from others.
    let model = name.split(" @ ").next().unwrap_or_default().trim().to_owned();
    Some(if model.contains(|letter: char| letter.is_ascii_digit()) { model } else { name.trim().to_owned() })
}

fn cpus(run: &Run) -> Option<String> {
    let mut words = run.fact("cores")?.split([' ', ',']);
    let count = words.next()?.parse::<u32>().ok()?;
    let allowed = words.find_map(|word| word.parse::<u32>().ok()).filter(|allowed| *allowed < count);
    Some(allowed.map_or(counted(count, "CPU"), |allowed| format!("{allowed} of {count} CPUs")))
}

fn instructions(run: &Run) -> Option<String> {
    match run.mask {
        Some(mask) => Some(format!("as one {}", without(mask))),
        None => Some(if run.has_aes()? { "AES instructions" } else { "no AES instructions" }.into()),
    }
}

/// Whether a run with AES instructions disabled may have another answer: of what it leaves, several compete, and some of them would do
/// without these.
pub fn may_differ_without_aes(records: &[Record]) -> bool {
    let mask = Mask::NoAes;
    let names = records.iter().filter(|record| competes(record)).map(|record| &record.cell);
    let stays = |cell: &&Cell| !mask.concerns(cell.algorithm) || mask.not_obeyed_by(&cell.provider).is_none();
    let left: BTreeSet<(Algorithm, &String)> =
        names.filter(stays).map(|cell| (cell.algorithm, &cell.provider)).collect();
    left.len() > 1 && left.iter().any(|(algorithm, _)| mask.concerns(*algorithm))
}

/// Whether AES instructions are known to be there, and the run let providers use them.
pub fn takes_aes(run: &Run) -> bool {
    run.mask != Some(Mask::NoAes) && run.has_aes() == Some(true)
}
