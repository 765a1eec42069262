//! One record: what was measured, by which code, and what it came to.

use ciphermeter_core::{
    Algorithm, Cell, CellId, Device, Form, Metric, Operation, Outcome, Parameters, Provenance, Record, Setup,
};
use serde::Deserialize;

use crate::device::Board;
use crate::error::Wrong;
use crate::forks::ascend;
use crate::latency::Calls;
use crate::memory::Process;
use crate::objects::Named;
use crate::part::part;
use crate::samples::Columns;
use crate::summary::Summed;
use crate::values::{Integer, Number, Taken, Text, Word};

/// What is known of the run before its records are read.
pub(crate) struct Known {
    /// How many records there are.
    pub(crate) cells: usize,
    /// What samples may count.
    pub(crate) metrics: Vec<Metric>,
}

#[derive(Deserialize)]
struct Entry {
    id: Number,
    provider: Text,
    algorithm: Word<Algorithm>,
    operation: Word<Operation>,
    form: Word<Form>,
    parameters: Named<Integer>,
    worker: Option<Text>,
    runtime: Option<Text>,
    language: Option<Text>,
    version: Option<Text>,
    path: Option<Text>,
    setup: Option<Word<Setup>>,
    library: Option<Text>,
    sha256: Option<Text>,
    program: Option<Text>,
    outcome: Taken<Outcome>,
    summary: Option<Summed>,
    samples: Vec<Columns>,
    latency: Vec<Calls>,
    memory: Vec<Process>,
    device: Option<Board>,
}

/// The record at a place of the list.
pub(crate) fn record(text: &str, place: usize, known: &Known) -> Result<Record, Wrong> {
    let entry: Entry = part(text)?;
    let id = CellId(entry.id.number());
    if id.index() != place {
        return Err(Wrong::new("id", format!("is {}, and a record's `id` is its place in the list, from 0", id.0)));
    }
    let cell = Cell {
        provider: entry.provider.0,
        algorithm: entry.algorithm.0,
        operation: entry.operation.0,
        form: entry.form.0,
        parameters: Parameters(entry.parameters.0.into_iter().map(|(name, value)| (name, value.get())).collect()),
    };
    let device = entry.device.map(|board| device(&cell, board)).transpose().map_err(|wrong| wrong.within("device"))?;
    let from = Source {
        words: [entry.worker, entry.runtime, entry.version, entry.path],
        setup: entry.setup,
        files: [entry.library, entry.sha256, entry.program],
        language: entry.language,
        device: device.flatten(),
    };
    let forks = each("samples", entry.samples, |columns| columns.of(id, known.cells, &known.metrics))?;
    let latency = each("latency", entry.latency, Calls::latency)?;
    let memory = each("memory", entry.memory, Process::memory)?;
    ascend("samples", forks.iter().map(|fork| fork.number))?;
    ascend("latency", latency.iter().map(|calls| calls.fork))?;
    ascend("memory", memory.iter().map(|process| process.fork))?;
    let summary = entry.summary.map(|summary| summary.summary(known.cells)).transpose();
    Ok(Record {
        id,
        cell,
        provenance: from.provenance()?,
        outcome: entry.outcome.0,
        forks,
        summary: summary.map_err(|wrong| wrong.within("summary"))?,
        latency,
        memory,
    })
}

/// What all entries of a list come to.
fn each<T, U>(name: &str, list: Vec<T>, of: impl Fn(T) -> Result<U, Wrong>) -> Result<Vec<U>, Wrong> {
    let placed = |(place, entry)| of(entry).map_err(|wrong| wrong.within(&format!("{name}[{place}]")));
    list.into_iter().enumerate().map(placed).collect()
}

fn device(cell: &Cell, board: Board) -> Result<Option<Device>, Wrong> {
    match cell.parameters.device() {
        Some(_) => board.device(),
        None => Err(Wrong::new("", "is there, and `parameters` has no number of a device")),
    }
}

/// What a record says of the code behind it.
struct Source {
    words: [Option<Text>; 4],
    setup: Option<Word<Setup>>,
    files: [Option<Text>; 3],
    language: Option<Text>,
    device: Option<Device>,
}

impl Source {
    /// `None` if the provider never said.
    fn provenance(self) -> Result<Option<Provenance>, Wrong> {
        let [library, sha256, program] = self.files.map(|file| file.map(|Text(text)| text));
        let is_silent = library.is_none() && sha256.is_none() && program.is_none() && self.device.is_none();
        match (self.words, self.setup) {
            ([Some(worker), Some(runtime), Some(version), Some(path)], Some(setup)) => Ok(Some(Provenance {
                worker: worker.0,
                runtime: runtime.0,
                language: self.language.map(|Text(text)| text),
                version: version.0,
                path: path.0,
                setup: setup.0,
                library,
                sha256,
                program,
                device: self.device,
            })),
            ([None, None, None, None], None) if is_silent => Ok(None),
            _ => {
                Err(Wrong::new("", "has some of `worker`, `runtime`, `version`, `path` and `setup`, and lacks others"))
            }
        }
    }
}
