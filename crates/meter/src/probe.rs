//! The probe: a kernel that is no cell, timed around every visit to a group, that tells whether something else used the same
//! physical core meanwhile.

use std::collections::VecDeque;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, CellId, Form, Operation, Parameters};
use ciphermeter_protocol::LinkError;
use ciphermeter_stats::quantile;

use crate::Worker;
use crate::survey::Surveyed;

/// Its number; no cell of a run has it.
const PROBE: CellId = CellId(u32::MAX - 1);
/// The message of its calls: some hundred nanoseconds of work.
const MESSAGE: u64 = 1024;
/// How long a look lasts: short, but ten times a neighbour's interrupt.
const LOOK: Duration = Duration::from_micros(60);

/// For how long it runs before a look. What ran before would be taken for a neighbour; `lab neighbour` shows it.
const WARM_UP: Duration = Duration::from_micros(60);
/// The same after a worker whose process is stopped between requests: stopping its threads goes on behind its answer.
const WARM_UP_AFTER_STOP: Duration = Duration::from_micros(250);

/// A look is taken again where it lies so far above the level of those before: an interrupt, or what the last cell left behind, is over by
/// then, and a neighbour is not. A high look excludes all samples around it, of that cell above all.
const HIGH: f64 = 1.06;
/// Where the level of those before is, and how many of them it takes.
const LEVEL: f64 = 0.1;
const LEAST: usize = 20;
/// So many of the last looks are remembered.
const REMEMBERED: usize = 200;

/// Where the probe is to be had.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Place of its source.
    pub source: usize,
    /// Calls of one look; 0 until they were counted.
    iterations: u64,
    /// Whether a worker that is stopped between requests was sampled since the last look.
    is_after_stop: bool,
    /// Readings of the last looks, in picoseconds.
    before: VecDeque<u64>,
}

/// What a look found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// Picoseconds of one call.
    pub each: u64,
    /// What its request took beside its calls, most of which is waiting for the CPU where the machine is busy.
    pub waited: Duration,
}

impl Probe {
    /// The first source that has one.
    pub fn find(surveyed: &[Surveyed]) -> Option<Self> {
        let source = surveyed.iter().position(|survey| survey.offer(Algorithm::Probe).is_some())?;
        Some(Self { source, iterations: 0, is_after_stop: false, before: VecDeque::new() })
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
        worker.prepare(PROBE, &cell, provider, 0, 0, 1)?.map_err(LinkError::Reported)
    }
}

impl Probe {
    /// A look; where it is high, the lower of two.
    pub fn look(&mut self, worker: &mut Worker) -> Result<Reading, LinkError> {
        let warm_up = if std::mem::take(&mut self.is_after_stop) { WARM_UP_AFTER_STOP } else { WARM_UP };
        let mut reading = self.read(worker, warm_up)?;
        if self.is_high(reading) {
            let again = self.read(worker, Duration::ZERO)?;
            reading = Reading { each: reading.each.min(again.each), waited: reading.waited.max(again.waited) };
        }
        if self.before.len() == REMEMBERED {
            self.before.pop_front();
        }
        self.before.push_back(reading.each);
        Ok(reading)
    }

    fn is_high(&self, Reading { each, .. }: Reading) -> bool {
        let mut before: Vec<f64> = self.before.iter().map(|reading| *reading as f64).collect();
        let level = quantile(&mut before, LEVEL).filter(|_| self.before.len() >= LEAST);
        level.is_some_and(|level| each as f64 > HIGH * level)
    }

    fn read(&self, worker: &mut Worker, warm_up: Duration) -> Result<Reading, LinkError> {
        let batch = worker.sample(PROBE, warm_up.as_nanos() as u64, self.iterations.max(1), None, LOOK)?;
        let waited = batch.elapsed.saturating_sub(warm_up + Duration::from_nanos(batch.ns()));
        Ok(Reading { each: batch.ns() * 1000 / batch.iterations, waited })
    }

    /// Takes note that a worker was sampled; `is_stopped` between requests or not.
    pub fn sampled(&mut self, is_stopped: bool) {
        self.is_after_stop |= is_stopped;
    }

    /// Sets how many calls a look takes, from what one took.
    pub fn size(&mut self, each_ps: u64) {
        self.iterations = (LOOK.as_nanos() as u64 * 1000 / each_ps.max(1)).clamp(1, 1 << 20);
    }
}
