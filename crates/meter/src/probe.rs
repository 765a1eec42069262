//! The probe: a kernel that is no cell, timed around every visit to a group, that tells whether something else used the same
//! physical core meanwhile.

use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, CellId, Form, Operation, Parameters};
use ciphermeter_protocol::LinkError;

use crate::pool::{Fault, Pool};
use crate::survey::Surveyed;
use crate::{SinkError, Worker};

/// Its number; no cell of a run has it.
const PROBE: CellId = CellId(u32::MAX - 1);
/// The message of its calls: some hundred nanoseconds of work.
const MESSAGE: u64 = 1024;
/// How long a look lasts: short, but ten times a neighbour's interrupt.
const LOOK: Duration = Duration::from_micros(60);

/// Where the probe is to be had.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Place of its source.
    pub source: usize,
    /// Calls of one look; 0 until they were counted.
    iterations: u64,
}

impl Probe {
    /// The first source that has one.
    pub fn find(surveyed: &[Surveyed]) -> Option<Self> {
        let source = surveyed.iter().position(|survey| survey.offer(Algorithm::Probe).is_some())?;
        Some(Self { source, iterations: 0 })
    }

    /// Prepares it in a fresh worker.
    pub fn prepare(&self, worker: &mut Worker, provider: &str) -> Result<(), LinkError> {
        let cell = Cell {
            provider: provider.into(),
            algorithm: Algorithm::Probe,
            operation: Operation::Encrypt,
            form: Form::InPlace,
            parameters: Parameters::message_cell(MESSAGE, 0, 1),
        };
        worker.prepare(PROBE, &cell, provider, 0, 0)?.map_err(LinkError::Reported)
    }
}

impl Pool<'_> {
    /// A look at the probe: picoseconds of one call, `None` where there is none, or none any more.
    pub(crate) fn look(&mut self) -> Result<Option<u64>, SinkError> {
        let Some(Probe { source, iterations }) = self.probe.clone() else { return Ok(None) };
        let Some(worker) = self.workers[source].as_mut() else { return Ok(None) };
        match worker.sample(PROBE, 0, iterations.max(1), LOOK) {
            Ok(batch) => Ok(Some(batch.ns() * 1000 / batch.iterations)),
            Err(error) => {
                self.note_break(source, &Fault { cell: None, error })?;
                self.start(source)?;
                Ok(None)
            }
        }
    }

    /// Counts how many calls a look takes.
    pub(crate) fn size_probe(&mut self) -> Result<(), SinkError> {
        for _ in 0..8 {
            let Some(each) = self.look()? else { return Ok(()) };
            let calls = LOOK.as_nanos() as u64 * 1000 / each.max(1);
            if let Some(probe) = &mut self.probe {
                probe.iterations = calls.clamp(1, 1 << 20);
            }
        }
        Ok(())
    }
}
