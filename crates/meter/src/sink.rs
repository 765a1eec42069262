//! Where measurements go while they are made. The meter knows no store and no screen; the harness joins them here.

use std::error::Error;
use std::time::Duration;

use ciphermeter_core::{CellId, Latency, Memory, Metric, Note, Outcome, PartPlan, Record, Sample, Summary};

/// Whatever kept a sink from taking something in. It ends the run; what was taken in before stays.
pub type SinkError = Box<dyn Error + Send + Sync>;

/// What is going on, told between rounds only.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What is being done, in a word: `verifying`, `pilot`, `measuring`.
    pub stage: &'static str,
    /// What just now: a provider, or a group of cells.
    pub what: String,
    /// The fork, from 1; 0 before the first, and where forks are not counted.
    pub fork: u32,
    /// Rounds done in all forks.
    pub rounds: u32,
    /// Share of the whole work that is done, 0 to 1.
    pub done: f64,
    /// The most time that is left; `None` for what takes what it takes, beside the budget.
    pub left: Option<Duration>,
}

/// Takes measurements in.
pub trait Sink {
    /// The run's cells are fixed, in the order of their numbers, and what its samples may count.
    fn planned(&mut self, records: &[Record], metrics: &[Metric]) -> Result<(), SinkError>;
    /// A pilot has found how the cells of a part are compared.
    fn part(&mut self, part: &PartPlan) -> Result<(), SinkError>;
    /// A fork begins with the workers' buffers at this offset.
    fn fork_begins(&mut self, number: u32, offset: u64) -> Result<(), SinkError>;
    /// A round is whole. When this returns, it must not get lost any more.
    fn round(&mut self, fork: u32, round: u32, samples: &[Sample]) -> Result<(), SinkError>;
    /// The single calls of some cells in a fork: all so far, each time anew. When this returns, they must not get lost any more.
    fn latency(&mut self, latencies: &[(CellId, Latency)]) -> Result<(), SinkError>;
    /// The memory of a cell, from a process of its own. When this returns, it must not get lost any more.
    fn memory(&mut self, id: CellId, memory: &Memory) -> Result<(), SinkError>;
    /// A fork ended; `whole` unless it was cut off.
    fn fork_ends(&mut self, number: u32, whole: bool) -> Result<(), SinkError>;
    /// A cell fell out.
    fn outcome(&mut self, id: CellId, outcome: &Outcome) -> Result<(), SinkError>;
    /// What the cells have come to so far.
    fn summaries(&mut self, summaries: &[(CellId, Summary)]) -> Result<(), SinkError>;
    /// Whether the question that the run's first screen asks is answered from now on, so that a user may end the run.
    fn answered(&mut self, is_answered: bool);
    /// Something that a reader should know of the whole run.
    fn note(&mut self, note: Note) -> Result<(), SinkError>;
    /// What is going on.
    fn progress(&mut self, progress: &Progress);
}
